#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""
usage: compare.py COUNTS RECORDS [--under-way N] [--report FILE]

Whether the records of processes, as print_spool prints those of a recording, are the calls that
tests/itt/count.c counted in the same processes: of each kind as many. In each of them N calls may
have been under way when it ended: counted, not told. FILE is of vsamp report --itt --json: what it
has of tasks, regions, frames, waits, markers and events are these records.

Prints the calls of all processes; exits by 1, having said where, if they aren't the same.
"""
import argparse
import collections
import json
import re
import sys

import counts

KINDS = {
    r"task_begin(_fn)?(_ex)?": "TASK_BEGIN",
    r"task_end(_ex)?": "TASK_END",
    r"task_begin_overlapped(_ex)?": "OVERLAPPED_BEGIN",
    r"task_end_overlapped(_ex)?": "OVERLAPPED_END",
    r"task_group": "TASK_GROUP",
    r"region_begin": "REGION_BEGIN",
    r"region_end": "REGION_END",
    r"frame_begin(_v3)?": "FRAME_BEGIN",
    r"frame_end(_v3)?": "FRAME_END",
    r"frame_submit_v3": "FRAME_SUBMIT",
    r"marker(_ex)?|mark|mark_global": "MARKER",
    r"event_start": "EVENT_START",
    r"event_end": "EVENT_END",
    r"counter_set_value(_ex|_v3)?": "COUNTER_SET",
    r"counter_(inc|dec)(_delta)?(_v3)?": "COUNTER_ADD",
    r"(formatted_)?metadata_(str_)?add(_overlapped|_with_scope)?": "METADATA",
    r"relation_add(_to_current)?(_ex)?": "RELATION",
    r"id_create(_ex)?": "ID_CREATE",
    r"id_destroy(_ex)?": "ID_DESTROY",
    r"histogram_submit": "HISTOGRAM_SUBMIT",
    r"sync_(create|set_name|rename)|notify_sync_name": "SYNC_OBJECT",
    r"(notify_)?sync_prepare": "SYNC 1",
    r"(notify_)?sync_cancel": "SYNC 2",
    r"(notify_)?sync_acquired": "SYNC 3",
    r"(notify_)?sync_releasing": "SYNC 4",
    r"sync_destroy": "SYNC 5",
    r"stack_caller_create": "STITCH 1",
    r"stack_caller_destroy": "STITCH 2",
    r"stack_callee_enter": "STITCH 3",
    r"stack_callee_leave": "STITCH 4",
    r"thread_set_name|thr_name_set": "THREAD_NAME",
    r"pause(_scoped)?": "PAUSE",
    r"resume(_scoped)?": "RESUME",
    r"detach": "DETACH",
    # told once for each name, or nothing to tell of
    r"(domain|string_handle|event|counter|histogram|mark|frame|clock_domain)_create\w*": None,
    r"bind_context_metadata_to_counter|counter_destroy|track_(group_)?create": None,
    r"get_timestamp|api_version|clock_domain_reset|model_\w+": None,
}


def kind(call):
    """Of a call's name: most others are counted under it, or aren't told"""
    for pattern, record in KINDS.items():
        if re.fullmatch("__itt_(" + pattern + ")", call):
            return record
    return call


def counted(folder):
    """Calls of each kind, by PID, and of all"""
    of, every = {}, collections.Counter()
    for pid, calls in counts.read(folder).items():
        every += calls
        of[pid] = collections.Counter()
        for call, n in calls.items():
            if n and kind(call) and call not in ("init", "fini"):
                of[pid][kind(call)] += n
    return of, every


def told(path):
    """Records of each kind, by PID, and what is wrong in itself"""
    every, wrong = collections.Counter(), []
    with open(path) as f:
        for line in f:
            thread, record, rest = line.split(" ", 2)
            if record == "CALLS":
                _, name, n = rest.split()
                every[thread, name[6:-1]] += int(n, 16)
            elif record in ("SYNC", "STITCH"):
                every[thread, record + " " + rest[0]] += 1
            else:
                every[thread, record] += 1
            if record == "LOST" or " name=?" in rest or rest.endswith(" back\n"):
                wrong.append(line.strip())
    of = {}
    for (thread, record), n in every.items():
        pid = int(thread.split("/")[0])
        of.setdefault(pid, collections.Counter())
        if record in KINDS.values() or record.startswith("__itt_"):
            of[pid][record] += n
    return of, wrong


def differences(pid, calls, records, under_way):
    """What is wrong with a process"""
    more = {k: calls[k] - records[k] for k in calls | records if calls[k] != records[k]}
    if any(n < 0 for n in more.values()) or sum(more.values()) > under_way:
        return [f"{pid}: calls less records: {more}; {under_way} may be under way"]
    return []


def reported(path, calls):
    """Rows of a report, if there is one, against records; it says what it leaves out"""
    with open(path) as f:
        report = json.loads(f.read() or '{ "rows": [], "itt_diagnoses": [] }')
    rows = collections.Counter()
    for row in report["rows"]:
        rows[row["kind"]] += row["count"]
    rows["others"] = rows["region"] + rows["frame"] + rows["wait"]
    rows["others"] += sum(int(d.split()[0]) for d in report["itt_diagnoses"] if "are left out" in d)
    rows["others"] += report.get("calls", {}).get("waits_again", 0)
    wrong = []
    for row, begins in (
        ("task", ["TASK_BEGIN"]),
        ("overlapped task", ["OVERLAPPED_BEGIN"]),
        ("others", ["REGION_BEGIN", "TASK_GROUP", "FRAME_BEGIN", "FRAME_SUBMIT", "SYNC 1"]),
        ("marker", ["MARKER"]),
        ("event", ["EVENT_START"]),
    ):
        if rows[row] != sum(calls[b] for b in begins):
            wrong.append(f"report: {rows[row]} of {row}, {sum(calls[b] for b in begins)} told")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("counts")
    parser.add_argument("records")
    parser.add_argument("--under-way", type=int, default=0)
    parser.add_argument("--report")
    args = parser.parse_args()
    calls, every = counted(args.counts)
    records, wrong = told(args.records)
    none = collections.Counter()
    for pid in calls | records:
        wrong += differences(pid, calls.get(pid, none), records.get(pid, none), args.under_way)
    if args.report:
        wrong += reported(args.report, sum(records.values(), none))
    print(f"{len(calls)} processes", *(f"{c} {n}" for c, n in sorted(every.items())), sep="\n")
    for w in wrong:
        print("WRONG:", w)
    return 1 if wrong or not calls else 0


sys.exit(main())
