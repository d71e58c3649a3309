#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: perf2vsamp.py PERF.DATA OUT

Makes a .vsamp file of what `perf record -k CLOCK_MONOTONIC_RAW -e cpu-clock` wrote, by
docs/file-format.md alone, for tests that compare vsamp's reports with perf's. Chunks are stored
uncompressed. The kernel's symbols are this machine's.
"""
import json
import os
import re
import struct
import sys
import time
from collections import defaultdict

# enum perf_event_sample_format
IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD, IDENTIFIER = (
    1 << n for n in (0, 1, 2, 3, 6, 9, 7, 8, 16))
SAMPLE, USER_MODE = 9, 2
NO_CPU = 0xffffffff

CRC_TABLE = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    CRC_TABLE.append(i)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xff]
    return crc ^ 0xffffffff


def varint(v):
    out = bytearray()
    while v >= 0x80:
        out.append(v & 0x7f | 0x80)
        v >>= 7
    out.append(v)
    return bytes(out)


def zigzag(v):
    v &= (1 << 64) - 1
    return (v << 1 ^ (-(v >> 63))) & (1 << 64) - 1


class Table(dict):
    """Rows in the order in which they were first asked for"""

    def row(self, key):
        return self.setdefault(key, len(self))


class PerfData:
    """The records of a perf.data file: samples, and sideband as vsamp's files hold it"""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        magic, _, _, attrs, attrs_size, at, size = struct.unpack_from("<8s6Q", self.data)
        assert magic == b"PERFILE2", "not a perf.data file"
        self.sample_type = struct.unpack_from("<Q", self.data, attrs + 24)[0]
        assert attrs_size and self.sample_type & (IP | TID | TIME) == IP | TID | TIME
        self.samples, self.sideband = defaultdict(list), []
        end = at + size
        while at < end:
            kind, misc, length = struct.unpack_from("<IHH", self.data, at)
            if kind == SAMPLE:
                self.take_sample(at + 8, misc)
            elif kind in (1, 2, 3, 4, 7, 10):
                self.take_sideband(at, kind, misc, length)
            at += length

    def fields(self, order, at):
        """The 8-byte fields that sample_type has of those in order"""
        got = {}
        for bit in order:
            if self.sample_type & bit:
                got[bit] = struct.unpack_from("<Q", self.data, at)[0]
                at += 8
        return got

    def take_sample(self, at, misc):
        f = self.fields((IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU), at)
        pid, tid = f[TID] & 0xffffffff, f[TID] >> 32
        self.samples[f.get(CPU, 0)].append((f[TIME], f[IP], pid, tid, int(misc & 7 == USER_MODE)))

    def take_sideband(self, at, kind, misc, length):
        order = (TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER)
        size = 8 * sum(bool(self.sample_type & bit) for bit in order)
        f = self.fields(order, at + length - size)
        body = self.data[at + 8:at + length - size]
        trailer = struct.pack("<QQQ", f[TID], f[TIME], f.get(CPU, 0))
        self.sideband.append((f[TIME], struct.pack("<IHH", kind, misc, 32 + len(body)) + body + trailer))


class File:
    def __init__(self, path):
        self.out = open(path, "wb")
        header = struct.pack("<8sIIIII", b"\x89VSAMP\r\n", 1, 32, 0, 0, 0)
        self.out.write(header + struct.pack("<I", crc32c(header)))

    def chunk(self, kind, payload, cpu=NO_CPU, count=0, times=(0, 0)):
        rest = struct.pack("<HHIIIIQQ", kind, 0, cpu, count, len(payload), len(payload), *times)
        self.out.write(struct.pack("<I", crc32c(rest + payload)) + rest + payload)

    def json(self, kind, obj):
        self.chunk(kind, json.dumps(obj).encode())

    def records(self, cpu, samples, others=()):
        """A chunk of @others, then of (time, ip, pid, tid, user)"""
        kinds, tasks, regions = Table(), Table(), Table()
        columns = {name: bytearray() for name in ("kind", "time", "ticks", "task", "region", "ip")}
        last = 0
        for _ in others:
            columns["kind"].append(0)
        for time, ip, pid, tid, user in samples:
            delta = zigzag(time - last)
            last = time
            columns["kind"].append(kinds.row(user << 16) + 1)
            columns["time"] += varint(delta >> 16)
            columns["ticks"] += struct.pack("<H", delta & 0xffff)
            columns["task"] += varint(tasks.row((pid, tid)))
            columns["region"] += varint(regions.row(ip >> 16))
            columns["ip"] += struct.pack("<H", ip & 0xffff)
        region_rows, before = b"", 0
        for region in regions:
            region_rows += varint(zigzag(region - before))
            before = region
        parts = [b"".join(others), b"".join(varint(k) for k in kinds),
                 b"".join(varint(p) + varint(zigzag(t - p)) for p, t in tasks),
                 region_rows] + [bytes(c) for c in columns.values()]
        header = struct.pack("<%dI" % len(parts), *map(len, parts))
        payload = header + bytes(-len(header) % 8) + b"".join(parts)
        times = [s[0] for s in samples] + [struct.unpack_from("<Q", o, 8)[0] for o in others]
        self.chunk(2, payload, cpu, len(samples) + len(others), (min(times), max(times)))


def clock_record(ns):
    real = ns + time.time_ns() - time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
    return struct.pack("<HHHH5Q", 3, 48, 0, 0, ns, 0, ns, ns, real)


def kallsyms():
    symbols = []
    with open("/proc/kallsyms", encoding="ascii") as f:
        for line in f:
            addr, kind, rest = re.match(r"(\w+) (.) (.*)", line).groups()
            if kind in "tTwW" and int(addr, 16) >= 1 << 63:
                symbols.append((int(addr, 16), kind, rest))
    symbols.sort(key=lambda s: s[0])
    text, before = "\n", 0
    for addr, kind, rest in symbols:
        text += "%x %s %s\n" % (addr - before, kind, rest)
        before = addr
    return text.encode()


def boot_id():
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as f:
        return f.read().strip()


def main():
    perf = PerfData(sys.argv[1])
    out = File(sys.argv[2])
    count = sum(map(len, perf.samples.values()))
    out.json(1, {"version": 1, "generator": "perf", "command_line": ["perf", "record"],
                 "hostname": os.uname().nodename, "boot_id": boot_id(),
                 "clock": {"source": "monotonic", "khz": 1000000},
                 "events": [{"index": 0, "name": "cpu-clock", "sav": 1, "sav_source": "explicit"}]})
    out.chunk(4, kallsyms())
    for i in range(0, len(perf.sideband), 500):
        part = perf.sideband[i:i + 500]
        times = [t for t, _ in part]
        out.chunk(3, b"".join(r for _, r in part), 0, len(part), (min(times), max(times)))
    totals = []
    for cpu, samples in sorted(perf.samples.items()):
        samples.sort()
        for i in range(0, len(samples), 8000):
            out.records(cpu, samples[i:i + 8000], [clock_record(samples[i][0])])
        records = len(samples) + (len(samples) + 7999) // 8000
        totals.append({"cpu": cpu, "produced": records, "written": records, "lost": 0, "read": records})
    out.json(5, {"reason": "exit", "elapsed_ns": 0, "cpus": totals, "sideband_lost": 0,
                 "events": [{"index": 0, "count": count, "samples": count, "target": None}]})


if __name__ == "__main__":
    main()
