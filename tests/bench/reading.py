#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: reading.py SAMPLES

Makes a recording of so many samples, exports it to perf, and reads either with either's report and
script. Prints "TOOL WHAT VALUE" lines: seconds of CPU time, in user space and in the kernel together,
the least of three runs in turn; KiB of memory, at most; lines of the scripts; bytes a sample of files.
perf's own report has a row for all processes of a name, vsamp's one for each; "names" and "rows" are
reports that tell the same apart, either way.
"""
import os
import subprocess
import sys
import tempfile

RUNS = 3
LIBRARIES = ("libc.so.6", "libm.so.6", "libelf.so.1", "libdw.so.1", "libz.so.1", "libzstd.so.1")
FIELDS = "comm,pid,tid,cpu,time,period,event,ip,sym,dso"


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def modules():
    """Programs and libraries that are here wherever this is built"""
    known = dict(line.split()[0:3:2] for line in output("ldd", "build/libvsamp.so").splitlines()
                 if "=>" in line)
    programs = [output("gcc", "-print-prog-name=cc1").strip(), sys.executable, "/bin/bash", "/usr/bin/perf"]
    return [os.path.realpath(p) for p in programs] + ["--"] + [known[name] for name in LIBRARIES]


def measure(command):
    """CPU seconds and KiB of a command, whose output goes nowhere"""
    with open(os.devnull, "w", encoding="ascii") as null:
        child = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
    if status:
        sys.exit("reading.py: %s: status %d" % (" ".join(command), status))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def count_lines(command):
    lines = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        for line in child.stdout:
            lines += 1 if line.strip() else 0
    return lines


def main():
    samples = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        # nothing of this machine's settings, and no server, is to have a part in it
        os.environ.update(HOME=folder, PERF_CONFIG=os.devnull, PAGER="cat", DEBUGINFOD_URLS="")
        vsamp, perf, kallsyms = (os.path.join(folder, name) for name in ("vsamp", "perf.data", "kallsyms"))
        output("build/tests/progs/busy_machine", vsamp, str(samples), *modules())
        for form, path in (("perf", perf), ("kallsyms", kallsyms)):
            output("build/vsamp", "export", "-f", form, "-o", path, vsamp)
        report = ["perf", "report", "--stdio", "--no-children", "-i", perf, "--kallsyms", kallsyms]
        commands = {
            ("vsamp", "report"): ["build/vsamp", "report", vsamp],
            ("perf", "report"): report,
            ("vsamp", "names"): ["build/vsamp", "report", "-s", "comm,module,symbol", vsamp],
            ("perf", "names"): report + ["--sort", "comm,dso,sym"],
            ("vsamp", "rows"): ["build/vsamp", "report", "-s", "process,module,symbol", vsamp],
            ("perf", "rows"): report + ["--sort", "pid,dso,sym"],
            ("vsamp", "script"): ["build/vsamp", "script", vsamp],
            ("perf", "script"): ["perf", "script", "-F", FIELDS, "-i", perf, "--kallsyms", kallsyms],
        }
        runs = {key: [] for key in commands}
        for _ in range(RUNS):
            for key, command in commands.items():
                runs[key].append(measure(command))
        for (tool, what), values in runs.items():
            print("%s %s-seconds %.2f" % (tool, what, min(v[0] for v in values)))
            print("%s %s-memory %d" % (tool, what, max(v[1] for v in values)))
        for tool, path in (("vsamp", vsamp), ("perf", perf)):
            print("%s script-lines %d" % (tool, count_lines(commands[tool, "script"])))
            print("%s bytes %.2f" % (tool, os.path.getsize(path) / samples))


main()
