# SPDX-License-Identifier: MIT
"""A hardware thread: registers, channels that are on, and control flow.

Each channel has a place to go on: those that are on go on at ip, others wait at the places in waiting.
"""
import struct

from exec_alu import CONDITIONS, compute, fitted
from exec_decode import ARF, FLOATS, LOGIC, SIGNED, SIZES, Fault
from exec_send import send

RAW = {1: "ub", 2: "uw", 4: "ud", 8: "uq"}


class Thread:
    """What a dispatch's threads have of their own; run() goes on until it ends or waits"""

    def __init__(self, group, number, channels):
        d = group.dispatch
        self.group, self.number, self.code, self.grf_size = group, number, d.code, d.grf_size
        self.platform = d.platform
        self.memory = d.memory
        self.grf = bytearray(256 * d.grf_size)
        for i in range(0, len(self.grf), 4):
            struct.pack_into("<I", self.grf, i, 0xA0000000 + i * 77)
        self.arf = {name: bytearray(size) for name, size in ARF.items()}
        self.ip, self.on, self.waiting = 0, channels, {}
        self.dispatched = channels
        self.ended = False
        self.scratch = bytearray(0x4000)
        self.accumulated = {}  # where in acc: the product that is wider than it shows
        self.counts = {}  # pc: [times, channels]
        self.order = []  # (pc, channels that were on)
        self.set_arf("sr", 0, number & 7 | number >> 3 << (8 if d.platform == "9" else 4))
        self.set_arf("sr", 8, channels)
        self.set_arf("sr", 12, channels)

    def set_arf(self, name, at, value):
        struct.pack_into("<I", self.arf[name], at, value & 0xffffffff)

    def get_arf(self, name, at):
        return struct.unpack_from("<I", self.arf[name], at)[0]

    # operands

    def bytes_of(self, o):
        """Where its bytes are, and where in those it begins"""
        if o.file == "grf":
            return self.grf, 0
        if o.file == "indirect":
            base = 0 if o.each else struct.unpack_from("<H", self.arf["a"], o.a0)[0] + o.base
            if base + o.at[-1] + o.size > len(self.grf):
                raise Fault("an address beyond all registers: " + o.text)
            return self.grf, base
        return self.arf[o.file], 0

    def read(self, o, op, kind=None):
        if o.file == "imm":
            return o.value
        if o.file == "null":
            return [0] * len(o.at)
        kind = kind or o.type
        if o.file == "ce":
            self.set_arf("ce", 0, self.on)
        if o.file == "tm":
            self.set_arf("tm", 0, self.get_arf("tm", 0) + 1)
        data, base = self.bytes_of(o)
        places = o.at[:1] if o.scalar else o.at
        if o.each:
            places = [struct.unpack_from("<H", self.arf["a"], o.a0 + 2 * c)[0] + o.base for c in range(len(o.at))]
            if max(places) + o.size > len(self.grf):
                raise Fault("an address beyond all registers: " + o.text)
        if kind in FLOATS:
            form = FLOATS[kind]
            values = [struct.unpack_from(form, data, base + a)[0] for a in places]
        else:
            signed, size = kind in SIGNED, o.size
            values = [int.from_bytes(data[base + a:base + a + size], "little", signed=signed) for a in places]
        if o.abs:
            values = [abs(v) for v in values]
        if o.mod:
            values = [~v for v in values] if op in LOGIC else [-v for v in values]
        return values * len(o.at) if o.scalar and len(o.at) > 1 else values

    def write(self, o, values, on, kind=None):
        if o.file == "null":
            return
        kind = kind or o.type
        data, base = self.bytes_of(o)
        size, form = o.size, FLOATS.get(kind)
        for c, a in enumerate(o.at):
            if on >> c & 1:
                if form:
                    struct.pack_into(form, data, base + a, values[c])
                else:
                    data[base + a:base + a + size] = values[c].to_bytes(size, "little")

    # channels

    def flags(self, bit):
        return int.from_bytes(self.arf["f"], "little") >> bit

    def predicate(self, ins):
        """Channels of an instruction for which its predicate holds"""
        every = (1 << ins.exec) - 1
        if not ins.pred:
            return every
        invert, bit, mode = ins.pred
        bits = self.flags(bit) >> ins.at & every
        if mode:
            n = int("".join(c for c in mode if c.isdigit()) or ins.exec)
            if "v" in mode:
                raise Fault("a predicate of two flags: " + ins.text)
            if n < 8 and ins.exec > n:
                raise Fault("a predicate of parts: " + ins.text)
            part = self.flags(bit) >> (ins.at if n < 32 else 0) & (1 << max(n, ins.exec)) - 1
            full = (1 << max(n, ins.exec)) - 1
            bits = every if (part if mode.startswith("any") else part == full) else 0
        return (bits ^ every) if invert else bits

    def enabled(self, ins):
        bits = self.predicate(ins)
        return bits if ins.mask_off else bits & self.on >> ins.at

    def set_flags(self, ins, results, on):
        bits = int.from_bytes(self.arf["f"], "little")
        for c, r in enumerate(results):
            if on >> c & 1:
                bit = 1 << ins.flag + ins.at + c
                bits = bits | bit if r else bits & ~bit
        self.arf["f"][:] = bits.to_bytes(16, "little")

    # instructions that compute

    def raw_move(self, ins):
        """Whether bits are moved, without a change"""
        d, sources = ins.dst, ins.src
        return ins.op in ("mov", "sel") and not ins.cond and not d.sat and d.type in FLOATS and \
            all(s.type == d.type and not s.mod and not s.abs and s.file != "imm" for s in sources)

    def multiply_high(self, ins, s, on):
        """mach, macl: the accumulator has the product with the low half of the second"""
        low = ins.op == "macl" or ins.op == "mach" and self.platform != "12p72" and "AccWrEn" not in ins.options
        results = []
        for c in range(ins.exec):
            full = self.wide_acc(c, ins) + ((s[0][c] * (s[1][c] >> 16)) << 16)
            results.append(full if low else full >> 32)
            if on >> c & 1 and not low:
                self.put_acc(c, full)
        return results

    def wide_acc(self, c, ins):
        shown = self.get_arf("acc", 4 * c)
        full = self.accumulated.get(4 * c, shown)
        if full & 0xffffffff != shown:
            full = shown - (1 << 32) if ins.dst.type == "d" and shown >> 31 else shown
        return full

    def put_acc(self, c, value):
        self.set_arf("acc", 4 * c, value)
        self.accumulated[4 * c] = value

    def carry(self, ins, s, on):
        results = []
        for c in range(ins.exec):
            a, b = s[0][c] & 0xffffffff, s[1][c] & 0xffffffff
            v = a + b if ins.op == "addc" else a - b
            results.append(v)
            if on >> c & 1 and ("AccWrEn" in ins.options or self.platform == "12p72"):
                self.put_acc(c, int(v < 0 or v >> 32 != 0))
        return results

    def select(self, ins, s):
        if ins.op == "csel":
            test = CONDITIONS[ins.cond]
            return [a if test(x, 0) else b for a, b, x in zip(*s)]
        if ins.cond:
            test = CONDITIONS[ins.cond]
            return [a if test(a, b) or b != b else b for a, b in zip(*s)]
        bits = self.predicate(ins)
        return [a if bits >> c & 1 else b for c, (a, b) in enumerate(zip(*s))]

    def compute(self, ins):
        on, d, op = self.enabled(ins), ins.dst, ins.op
        if op == "sel":
            on = (1 << ins.exec) - 1 if ins.mask_off else self.on >> ins.at & (1 << ins.exec) - 1
        kinds = [o.type for o in ins.src]
        if op == "smov":
            # a move of the channels that a mask has
            self.write(d, [v & (1 << 8 * d.size) - 1 for v in self.read(ins.src[0], op)], on & ins.src[1].value[0],
                       RAW[d.size])
            return
        if self.raw_move(ins):
            kind = RAW[d.size]
            s = [self.read(o, op, kind) for o in ins.src]
            self.write(d, s[0] if op == "mov" else self.select(ins, s), on, kind)
            return
        s = [self.read(o, op) for o in ins.src]
        if op in ("cmp", "cmpn"):
            test = CONDITIONS[ins.cond]
            r = [test(a, b) for a, b in zip(*s)]
            self.set_flags(ins, r, on)
            if d.file != "null":
                self.write(d, [(1 << 8 * d.size) - 1 if x else 0 for x in r], on, RAW[d.size])
            return
        if op in ("sel", "csel"):
            r = self.select(ins, s)
        elif op in ("mach", "macl"):
            r = self.multiply_high(ins, s, on)
        elif op in ("addc", "subb"):
            r = self.carry(ins, s, on)
        else:
            kinds = kinds + ["ud"] * (3 - len(kinds)) + ["uq" if 8 in (d.size, ins.src[0].size) else "ud"]
            r = [compute(ins, kinds, [v[c] for v in s]) if on >> c & 1 else 0 for c in range(ins.exec)]
        self.result(ins, r, on)

    def result(self, ins, r, on):
        d, mode = ins.dst, self.get_arf("cr", 0) >> 4 & 3
        if d.file == "acc" and d.type in ("d", "ud") and not any(o.type in FLOATS for o in ins.src):
            for c, a in enumerate(d.at):
                if on >> c & 1:
                    self.accumulated[a] = r[c]
        r = [fitted(v, d.type, d.sat, mode) if on >> c & 1 else 0 for c, v in enumerate(r)]
        self.write(d, r, on)
        if ins.cond and ins.op not in ("sel", "csel"):
            if d.type in SIGNED:
                r = [v - (1 << 8 * SIZES[d.type]) if v >> 8 * SIZES[d.type] - 1 else v for v in r]
            self.set_flags(ins, [CONDITIONS[ins.cond](v, 0) for v in r], on)
        if "AccWrEn" in ins.options and ins.op not in ("addc", "subb", "mach"):
            for c, v in enumerate(r):
                if on >> c & 1:
                    self.put_acc(c, v)

    # control flow

    def wait(self, bits, pc):
        """Channels go on at pc, once ip comes there"""
        if bits:
            self.waiting[pc] = self.waiting.get(pc, 0) | bits

    def next(self, ins, jip):
        """Where to go: on, if channels are on or come on there; else to jip"""
        self.ip = ins.end if self.on or self.waiting.get(ins.end) else jip

    def after(self, pc):
        ins = self.code.get(pc)
        if not ins or ins.op != "while":
            raise Fault("a break to what is no end of a loop")
        return ins.end

    def leave(self, ins, pc, bits):
        """Channels wait at pc"""
        self.wait(bits, pc)
        self.on &= ~bits
        self.next(ins, ins.targets[0])

    def flow(self, ins):
        op, t, every = ins.op, ins.targets, self.on
        holds = every & self.enabled(ins) << ins.at
        if op == "jmpi":
            if not t:
                raise Fault("a jump to what a register says: " + ins.text)
            self.ip = t[0] if self.predicate(ins) & 1 else ins.end
        elif op == "if":
            self.wait(every & ~holds, t[0])
            self.on = holds
            self.next(ins, t[0])
        elif op == "goto" and self.platform == "9":
            # those for which the predicate doesn't hold go there
            self.leave(ins, t[1], every & ~holds)
        elif op in ("else", "goto", "cont", "halt"):
            self.leave(ins, t[1], holds)
        elif op == "break":
            self.leave(ins, self.after(t[1]), holds)
        elif op in ("endif", "join"):
            self.next(ins, t[0])
        elif op == "while":
            self.turn(ins, holds, t[0], ins.end)
        elif op == "goto.b":
            self.turn(ins, holds, t[1], t[0])
        elif op in ("call", "ret"):
            self.call(ins, holds)
        else:
            raise Fault("no instruction " + ins.text)

    def turn(self, ins, holds, head, other):
        """Channels that go on with a loop do so first"""
        if holds:
            self.wait(self.on & ~holds, other)
            self.on, self.ip = holds, head
        elif other == ins.end:
            self.ip = ins.end
        else:
            self.wait(self.on, other)
            self.on = 0
            self.next(ins, other)

    def call(self, ins, holds):
        if ins.op == "ret":
            if ins.pred:
                raise Fault("a return of some channels: " + ins.text)
            self.ip = struct.unpack_from("<I", self.grf, ins.src[0].base)[0]
            return
        if not holds and not ins.mask_off:
            self.ip = ins.end
            return
        struct.pack_into("<II", self.grf, ins.src[0].base, ins.end, holds)
        self.wait(self.on & ~holds, ins.end)
        self.on, self.ip = holds, ins.targets[0]

    # running

    def step(self):
        ins = self.code.get(self.ip)
        if ins is None:
            raise Fault("no instruction at 0x%x" % self.ip)
        self.on |= self.waiting.pop(self.ip, 0)
        n = self.counts.setdefault(self.ip, [0, 0])
        n[0] += 1
        n[1] += bin(self.on).count("1")
        self.order.append((self.ip, self.on))
        if ins.dst is not None:
            self.compute(ins)
        elif ins.op in ("send", "sends", "sendc", "sendsc"):
            send(self, ins)
        elif ins.op == "wait" or ins.op == "sync" and ins.function == "bar":
            self.ip = ins.end
            return True
        elif ins.op not in ("sync", "nop"):
            self.flow(ins)
            return False
        self.ip = ins.end
        return False

    def run(self, steps):
        """Returns when it has ended, or waits for others"""
        while not self.ended:
            if len(self.order) >= steps:
                raise Fault("thread %d: more than %d instructions" % (self.number, steps))
            pc = self.ip
            try:
                if self.step():
                    return
            except (Fault, struct.error, KeyError, OverflowError) as e:
                text = self.code[pc].text if pc in self.code else ""
                raise Fault("thread %d at 0x%x: %s: %s: %s" % (self.number, pc, text, type(e).__name__, e)) from e
