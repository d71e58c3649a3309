# SPDX-License-Identifier: MIT
"""A thread of a GPU, as far as procedures of instrumentation need it.

It runs what iga64 reads out of bytes, so nothing here shares code with the encoder or decoder that is
tested. What it doesn't know ends the run. Where software keeps the scoreboard, it is strict: a register
that is read or written before what was to be waited for has ended is an error.
"""
import functools
import re
import subprocess
import tempfile

SIZES = {"ub": 1, "b": 1, "uw": 2, "w": 2, "ud": 4, "d": 4, "uq": 8, "q": 8}
ARFS = {"acc": 64, "f": 4, "ce": 4, "sr": 16, "cr": 16, "tm": 20}
LINE = re.compile(r"(?:\((?P<pred>[^)]*)\)\s*)?(?P<op>[a-z0-9.]+)\s*(?:\((?P<exec>\d+)\|M(?P<at>\d+)\))?"
                  r"(?P<rest>.*)$")
OPERAND = re.compile(r"(?P<mod>-|~)?(?P<abs>\(abs\))?(?P<reg>null|ce|[a-z]+\d+)(?:\.(?P<sub>\d+))?"
                     r"(?:<(?P<region>[\d;,]+)>)?:(?P<type>\w+)$")


class Fault(Exception):
    """What the machine can't do, or hardware wouldn't"""


@functools.lru_cache(maxsize=None)
def disassemble(platform, code):
    """The instructions of bytes, as texts"""
    with tempfile.NamedTemporaryFile(suffix=".bin") as f:
        f.write(code)
        f.flush()
        p = subprocess.run(["iga64", "-d", "-p=" + platform, "-Xprint-pc", f.name], check=False,
                           capture_output=True, text=True)
    if p.returncode or "error" in p.stderr:
        raise Fault("iga64 can't read it: " + p.stderr)
    lines = [re.sub(r"/\*.*?\*/", "", line).strip() for line in p.stdout.splitlines()]
    return [line for line in lines if line and not line.split("//")[0].strip().endswith(":")]


class Machine:
    """Registers and memory; run() changes them"""

    def __init__(self, platform, grf_size, tokens):
        self.platform, self.grf_size, self.tokens = platform, grf_size, tokens
        self.grf = bytearray(256 * grf_size)
        for i in range(0, len(self.grf), 4):
            self.grf[i:i + 4] = (0xA0000000 + i * 77).to_bytes(4, "little")
        self.arf = {}
        self.tm_step = 100
        self.memory = {}  # base: bytearray
        self.flying = []  # (distance so far, registers) of instructions in their order
        self.whole = []  # registers that were read to nowhere
        self.pending = {}  # token: (written, read)

    # registers

    def arf_bytes(self, name):
        name = "ce0" if name == "ce" else name
        kind = re.match("[a-z]+", name).group()
        if kind not in ARFS:
            raise Fault("no register " + name)
        return self.arf.setdefault(name, bytearray(ARFS[kind]))

    def set_arf(self, name, value, sub=0, size=4):
        self.arf_bytes(name)[sub:sub + size] = value.to_bytes(size, "little")

    def get_arf(self, name, sub=0, size=4):
        return int.from_bytes(self.arf_bytes(name)[sub:sub + size], "little")

    def set(self, at, value, size=4):
        self.grf[at:at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, "little")

    def get(self, at, size=4):
        return int.from_bytes(self.grf[at:at + size], "little")

    def state(self):
        """All there is, to compare"""
        return bytes(self.grf), {n: bytes(v) for n, v in self.arf.items()}, \
            {b: bytes(m) for b, m in self.memory.items()}

    # memory

    def find(self, address, size):
        for base, m in self.memory.items():
            if base <= address and address + size <= base + len(m):
                return m, address - base
        raise Fault("no memory at 0x%x" % address)

    # operands

    def region(self, o, channels):
        """Where the elements of a source are: register file's bytes, offsets"""
        size = SIZES[o["type"]]
        vs, w, hs = (int(n) for n in re.split("[;,]", o["region"]))
        start = int(o["sub"] or 0) * size
        offsets = [start + (c // w * vs + c % w * hs) * size for c in range(channels)]
        return offsets, size

    def read(self, text, channels, logic):
        if re.match(r"-?(0x)?[0-9A-Fa-f]+:", text):
            value, kind = text.split(":")
            value = int(value, 0)
            if kind in ("w", "d", "q") and value >= 1 << 8 * SIZES[kind] - 1:
                value -= 1 << 8 * SIZES[kind]
            return [value] * channels, []
        o = OPERAND.match(text)
        if not o:
            raise Fault("no operand: " + text)
        offsets, size = self.region(o, channels)
        name, touched = o["reg"], []
        if name == "null":
            return [0] * channels, []
        if name.startswith("r"):
            base = int(name[1:]) * self.grf_size
            touched = [(base + at, size) for at in offsets]
            data = self.grf
        else:
            base, data = 0, self.arf_bytes(name)
        values = [int.from_bytes(data[base + at:base + at + size], "little",
                                 signed=o["type"] in ("b", "w", "d", "q")) for at in offsets]
        if name == "tm0" and not int(o["sub"] or 0):
            self.set_arf("tm0", self.get_arf("tm0") + self.tm_step & 0xFFFFFFFF)
        if o["abs"]:
            values = [abs(v) for v in values]
        if o["mod"]:
            values = [~v if logic else -v for v in values]
        return values, touched

    def write(self, text, values, enabled):
        o = OPERAND.match(text)
        if not o:
            raise Fault("no destination: " + text)
        size, name = SIZES[o["type"]], o["reg"]
        if name == "null":
            return []
        step = int(o["region"]) * size
        start, touched = int(o["sub"] or 0) * size, []
        data = self.grf if name.startswith("r") else self.arf_bytes(name)
        base = int(name[1:]) * self.grf_size if name.startswith("r") else 0
        for c, v in enumerate(values):
            at = base + start + c * step
            if not enabled[c]:
                continue
            data[at:at + size] = (v & (1 << 8 * size) - 1).to_bytes(size, "little")
            if name.startswith("r"):
                touched.append((at, size))
        return touched

    # the scoreboard

    def wait(self, options):
        if not self.tokens:
            return
        for o in options:
            m = re.match(r"([AFIL]?)@(\d)$", o)
            if m:
                self.flying = [f for f in self.flying if f[0] + 1 < int(m[2])]
            m = re.match(r"\$(\d+)\.(dst|src)$", o)
            if m and int(m[1]) in self.pending:
                written, read = self.pending.pop(int(m[1]))
                if m[2] == "src" and written:
                    self.pending[int(m[1])] = written, []
        self.flying = [(d + 1, r) for d, r in self.flying]

    @staticmethod
    def overlap(a, b):
        return any(x < y + n and y < x + m for x, m in a for y, n in b)

    def strict(self, read, written):
        if not self.tokens:
            return
        for _, registers in self.flying:
            if self.overlap(read + written, registers):
                raise Fault("a register that an instruction still writes")
        for w, r in self.pending.values():
            if self.overlap(read + written, w) or self.overlap(written, r):
                raise Fault("a register that a message still has")

    # instructions

    def enabled(self, pred, channels, at):
        """Channels by (W) and predicate"""
        terms = pred.split("&") if pred else []
        ok = [True] * channels
        if "W" not in terms:
            ce = self.get_arf("ce0") & self.get_arf("sr0", 8)
            ok = [bool(ce >> at + c & 1) for c in range(channels)]
        for t in terms:
            m = re.match(r"(~?)(f\d)\.(\d)$", t)
            if m:
                bits = self.get_arf(m[2]) >> 16 * int(m[3])
                ok = [o and bool(bits >> at + c & 1) != bool(m[1]) for c, o in enumerate(ok)]
            elif t != "W":
                raise Fault("no predicate: " + t)
        return ok

    def compare(self, flag, condition, a, b, ok, at):
        tests = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "gt": lambda x, y: x > y,
                 "ge": lambda x, y: x >= y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y}
        name, sub = flag.split(".")
        value = self.get_arf(name)
        for c, (x, y) in enumerate(zip(a, b)):
            bit = 1 << 16 * int(sub) + at + c
            if ok[c]:
                value = value | bit if tests[condition](x, y) else value & ~bit
        self.set_arf(name, value)

    def alu(self, op, sources, ok):
        a, b = sources[0], sources[1] if len(sources) > 1 else None
        if op == "addc":
            sums = [x + y for x, y in zip(a, b)]
            acc = self.arf_bytes("acc0")
            for c, s in enumerate(sums):
                if ok[c]:
                    acc[4 * c:4 * c + 4] = (s >> 32).to_bytes(4, "little")
            return sums
        ops = {"mov": lambda x: x, "not": lambda x: ~x, "cbit": lambda x: bin(x & 0xFFFFFFFF).count("1"),
               "bfrev": lambda x: int(format(x & 0xFFFFFFFF, "032b")[::-1], 2),
               "fbl": lambda x: (x & -x).bit_length() - 1}
        twos = {"add": lambda x, y: x + y, "and": lambda x, y: x & y, "or": lambda x, y: x | y,
                "xor": lambda x, y: x ^ y, "mul": lambda x, y: x * y, "shl": lambda x, y: x << (y & 63),
                "shr": lambda x, y: (x & 0xFFFFFFFFFFFFFFFF) >> (y & 63), "asr": lambda x, y: x >> (y & 63)}
        if op in ops:
            return [ops[op](x) for x in a]
        if op in twos:
            return [twos[op](x, y) for x, y in zip(a, b)]
        raise Fault("no instruction " + op)

    def step(self, text):
        text, _, message = text.partition("//")
        options = re.findall(r"\{([^}]*)\}", text)
        options = options[0].split(",") if options else []
        m = LINE.match(re.sub(r"\{.*", "", text).strip())
        if not m:
            raise Fault("can't be read: " + text)
        op, words = m["op"], m["rest"].split()
        self.wait(options)
        if op.startswith("sync") or op == "nop":
            return
        if op.startswith("send"):
            self.send(m["pred"], words, options, message)
            return
        channels, at = int(m["exec"]), int(m["at"])
        ok = self.enabled(m["pred"], channels, at)
        flag = re.match(r"\((\w+)\)(f\d\.\d)$", words[0])
        if flag:
            words = words[1:]
        if self.tokens and any(w.startswith(("tm0", "sr0", "ce", "cr0")) for w in words[1:]) and \
                not any(o.endswith("@1") for o in options):
            raise Fault("an architecture register is read without a wait: " + text)
        sources = [self.read(w, channels, op in ("and", "or", "xor", "not")) for w in words[1:]]
        values = [v for v, _ in sources]
        read = [t for _, ts in sources for t in ts]
        if op == "cmp":
            self.strict(read, [])
            self.compare(flag[2], flag[1], values[0], values[1], ok, at)
            return
        if op == "sel":  # a predicate says which source it is, and of no channel that it is off
            result = [x if o else y for x, y, o in zip(*values, ok)]
            ok = self.enabled("W" if "W" in (m["pred"] or "").split("&") else None, channels, at)
        else:
            result = self.alu(op, values, ok)
        if words[0].startswith("null") and read:
            self.whole.append(read[0][0] // self.grf_size)
        before = bytes(self.grf)
        written = self.write(words[0], result, ok)
        after, self.grf = self.grf, bytearray(before)
        self.strict(read, written)
        self.grf = after
        self.flying.append((0, written))

    def message(self, text):
        """(whether it loads, bytes, bits of an address, whether in units of 16) of what iga64 calls it"""
        m = re.search(r"(a64 )?(?:unaligned )?oword block (read|write) x(\d)", text)
        if m:
            return m[2] == "read", 16 * int(m[3]), 64 if m[1] else 32, not m[1]
        m = re.search(r"(load|store)\.\w+\.d(32|64)x(\d+)t\.a(32|64)", text)
        if m:
            return m[1] == "load", int(m[2]) // 8 * int(m[3]), int(m[4]), False
        raise Fault("no message: " + text)

    def atomic(self, text, src, payload):
        """Of one channel: its address and value are the first of their registers"""
        m = re.search(r"untyped a64 atomic int(32|64) integer (increment|add)|"
                      r"atomic_i(inc|add)\.ugm\.d(32|64)\.a64", text)
        size = int(m[1] or m[4]) // 8
        at = int(src[1:]) * self.grf_size
        memory, start = self.find(self.get(at, 8), size)
        one = (m[2] or m[3]).startswith("inc")
        if one != (payload == "null"):
            raise Fault("an atomic with the wrong payload: " + text)
        value = 1 if one else self.get(int(payload[1:]) * self.grf_size, size)
        old = int.from_bytes(memory[start:start + size], "little")
        total = old + value
        memory[start:start + size] = (total & (1 << 8 * size) - 1).to_bytes(size, "little")
        return old.to_bytes(size, "little")

    def send_atomic(self, pred, words, options, text):
        dst, src, payload = words[0].split(":")[0], words[1], words[2].split(":")[0]
        if not payload.startswith("r"):
            payload = "null"
        wr = re.search(r"wr:(\d)\+(\d)", text)
        read = [(int(src[1:]) * self.grf_size, int(wr[1]) * self.grf_size)]
        if payload != "null":
            read.append((int(payload[1:]) * self.grf_size, int(wr[2]) * self.grf_size))
        rd = re.search(r"rd:(\d)", text)
        if (dst == "null") != (not rd or rd[1] == "0"):
            raise Fault("an answer of an atomic without its registers: " + text)
        written = [] if dst == "null" else [(int(dst[1:]) * self.grf_size, int(rd[1]) * self.grf_size)]
        self.strict(read, written)
        if self.enabled(pred, 1, 0)[0]:
            old = self.atomic(text, src, payload)
            for at, _ in written:
                self.grf[at:at + len(old)] = old
        if self.tokens:
            self.pending[[int(o[1:]) for o in options if re.match(r"\$\d+$", o)][0]] = written, read

    def send(self, pred, words, options, text):
        if "atomic" in text:
            self.send_atomic(pred, words, options, text)
            return
        loads, size, bits, owords = self.message(text)
        dst, src, payload = words[0].split(":")[0], words[1], words[2].split(":")[0]
        at = int(src[1:]) * self.grf_size
        header = self.get(at + (8 if owords else 0), bits // 8)
        address = header * 16 if owords else header
        registers = max(size, self.grf_size)
        data = dst if loads else payload
        if not re.match(r"r\d+$", data) or (dst != "null") != loads:
            raise Fault("a message without its registers")
        there = [(int(data[1:]) * self.grf_size, registers)]
        read, written = [(at, self.grf_size)] + ([] if loads else there), there if loads else []
        self.strict(read, written)
        if address % 16:
            raise Fault("a block at 0x%x" % address)
        if self.enabled(pred, 1, 0)[0]:
            memory, start = self.find(address, size)
            begin = there[0][0]
            if loads:
                self.grf[begin:begin + size] = memory[start:start + size]
            else:
                memory[start:start + size] = self.grf[begin:begin + size]
        if self.tokens:
            tokens = [int(o[1:]) for o in options if re.match(r"\$\d+$", o)]
            if not tokens:
                raise Fault("a message without a token")
            self.pending[tokens[0]] = written, read

    def run(self, code):
        for text in disassemble(self.platform, code):
            self.step(text)
        if self.pending:
            raise Fault("messages that nobody waits for: %s" % self.pending)
