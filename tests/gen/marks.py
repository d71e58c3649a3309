# SPDX-License-Identifier: MIT
"""Procedures put into kernels that say by a number which they are, and kernels with them as iga64 reads them"""
import ctypes
import re
import subprocess
import tempfile

import gen

BUFFER = 0x51AB1E0051AB1E80
MARK = 0x5EED0000
MEETS = ("join", "endif", "else", "while", "halt")


def code_of(kernel):
    return ctypes.string_at(kernel.code, kernel.size)


def disassembled(platform, code):
    """[(offset, text without jumps' distances, [offsets that it leads to])], without zeros that fill up"""
    with tempfile.NamedTemporaryFile(suffix=".bin") as f:
        f.write(code)
        f.flush()
        text = subprocess.run(["iga64", "-d", "-p=" + gen.PLATFORMS[platform][0], "-Xprint-pc", f.name,
                               "--output-on-fail"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout
    lines = []
    for line in text.splitlines():
        m = re.match(r"/\* \[([0-9A-F]+)\] +\*/ (.*)", line.split("//")[0])
        if not m:
            continue
        what = re.sub(r"\s+", " ", m[2]).replace("Compacted,", "").replace("{Compacted}", "").strip()
        if "illegal" not in what:
            lines.append((int(m[1], 16), re.sub(r"\bL\d+", "L", what).strip(),
                          [int(n) for n in re.findall(r"\bL(\d+)", what)]))
    return lines


class Reading:
    """New code: what is inserted taken out, and where"""

    def __init__(self, platform, code):
        self.lines = disassembled(platform, code)
        board = gen.PLATFORMS[platform][2]
        self.mark = [None] * len(self.lines)  # of each line: None, or what it is part of
        for n, (_, text, _) in enumerate(self.lines):
            m = re.search(r"mov \(1\|M0\) .* (0x[0-9A-F]+):ud", text)
            value = int(m[1], 16) if m else 0
            if value == BUFFER & 0xFFFFFFFF:
                self.take(n - 1, n + 2 + bool(board), "begin")
            elif value >> 16 == MARK >> 16:
                self.take(n - bool(board), n + 1 + bool(board), value - MARK)
        self.kept = [n for n, mark in enumerate(self.mark) if mark is None]

    def take(self, begin, end, mark):
        self.mark[begin:end] = [mark] * (end - begin)

    def through(self, offset):
        """What is inserted behind an offset, and the number of the old instruction that follows"""
        at = [n for n, line in enumerate(self.lines) if line[0] == offset]
        if len(at) != 1:
            return "nothing begins at 0x%x" % offset
        n, marks = at[0], []
        while n < len(self.lines) and self.mark[n] is not None:
            if not marks or marks[-1] != self.mark[n]:
                marks.append(self.mark[n])
            n += 1
        return marks, self.kept.index(n) if n < len(self.lines) else len(self.kept)


class Marker:
    """A tool that inserts marks; where: {old offset: mark}"""

    def __init__(self):
        self.before, self.after, self.count, self.kernel = {}, {}, 0, {}

    def add(self, i, where, n, to):
        i.proc_new()
        i.add("proc_append", gen.Ins(op=2, exec=1, mask_off=True, dst=gen.Operand(gen.VIRT, gen.UD, hstride=1, num=self.reg.num),
                                     src=(gen.Operand * len(gen.Ins().src))(gen.Operand(3, gen.UD, imm=MARK + self.count))))
        i.insert(where, n)
        to[i.offset(n)] = self.count
        self.count += 1

    def __call__(self, i):
        self.reg = i.vreg(gen.DWORD, 1, gen.SCRATCH)
        self.before, self.after = {}, {}
        for first, _ in i.blocks():
            self.add(i, "before", first, self.before)
        for n in range(0, i.number, 3):
            try:
                self.add(i, "after", n, self.after)
            except gen.Refused as e:
                if "may go elsewhere" not in e.args[1]:
                    raise
        self.kernel[i.name] = self.before, self.after


def compared(platform, old, new, before, after):
    a, b = disassembled(platform, old), Reading(platform, new)
    kept = [b.lines[n] for n in b.kept]
    if len(a) != len(kept):
        return "%d instructions, %d were" % (len(kept), len(a))
    number = {at: n for n, (at, _, _) in enumerate(a)}
    jumps = 0
    for n, ((at, text, targets), (_, text_new, targets_new)) in enumerate(zip(a, kept)):
        if text != text_new or len(targets) != len(targets_new):
            return "at 0x%x: %s became %s" % (at, text, text_new)
        for t, t_new in zip(targets, targets_new):
            jumps += 1
            meets = t in number and any(re.search(r"\b%s\b" % m, a[number[t]][1]) for m in MEETS)
            wanted = [before[t]] if t in before and not meets else [], number.get(t, len(a))
            if b.through(t_new) != wanted:
                return "at 0x%x: %s led to 0x%x, now through %s, wanted %s" % (at, text, t, b.through(t_new), wanted)
    for at, mark in before.items():
        marks = b.through(b.lines[b.mark.index(mark)][0])
        if marks != ([mark], number[at]):
            return "before 0x%x is %s" % (at, marks)
    for at, mark in after.items():
        n = b.mark.index(mark)
        while n and b.mark[n] is not None:
            n -= 1
        if b.kept.index(n) != number[at]:
            return "after 0x%x: it is after instruction %d" % (at, b.kept.index(n))
    return None if len(b.lines) > len(a) else "nothing is inserted"
