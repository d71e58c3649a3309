# SPDX-License-Identifier: MIT
"""A procedure on a platform, run by the strict machine, and what is wrong with what it did"""
import gen
from machine import Fault, Machine

results = []


def check(name, function, *args):
    try:
        why = function(*args)
    except (Fault, gen.Refused) as e:
        why = "%s: %s" % (type(e).__name__, e)
    results.append(not why)
    print("%sok %d - %s" % ("not " if why else "", len(results), name), flush=True)
    if why:
        print("# " + str(why).replace("\n", "\n# "))


class Run:
    """A procedure on a platform, with registers that have values before, and what they have after"""

    def __init__(self, platform, **config):
        config.setdefault("free", ((320, 2240),))
        self.free = {a + i for a, n in config["free"] for i in range(n)}
        self.coder = gen.Coder(platform, **config)
        iga, self.size, tokens = gen.PLATFORMS[platform]
        self.machine = Machine(iga, self.size, tokens)
        m = self.machine
        m.set_arf("tm0", 0x1000)
        m.set_arf("ce0", 0xFFFF)
        m.set_arf("sr0", 0x4503)
        m.set_arf("sr0", 0x0700, sub=4)
        m.set_arf("sr0", 0x0F0F, sub=8)
        m.set_arf("f0", 0xA5A5F00F)
        m.set_arf("f1", 0x5A5A0FF0)
        m.set_arf("acc0", 0x12345678)
        self.scratch = []

    def reg(self, kind, value=None):
        r = self.coder.vreg(kind)
        if value is not None:
            self.machine.set(self.at(r), value, self.bytes(kind))
        return r

    def bytes(self, kind):
        return {gen.DWORD: 4, gen.QWORD: 8, gen.PTR: 8}[kind]

    def at(self, r):
        num, sub = self.coder.place(r)
        return num * self.size + sub

    def go(self, expected, flags=None, acc=False, memory_is=None):
        """expected: {register: (value, bytes)}. Returns what is wrong, or None"""
        code = self.coder.code()
        grf, arf, memory = self.machine.state()
        self.machine.run(code)
        now, arf_now, memory_now = self.machine.state()
        wanted = bytearray(grf)
        for r, (value, size) in expected.items():
            at = self.at(r)
            got = int.from_bytes(now[at:at + size], "little")
            if got != value & (1 << 8 * size) - 1:
                return "0x%x, not 0x%x" % (got, value)
            wanted[at:at + size] = now[at:at + size]
        # the coder's own registers are all that a procedure may have besides
        free = self.free - self.caller()
        changed = [i for i in range(len(now)) if now[i] != wanted[i] and i not in free]
        if changed:
            return "register bytes %s have changed" % changed[:8]
        for name in arf:
            if name in ("tm0",) or (name in (flags or ())) or (name == "acc0" and acc):
                continue
            if arf[name] != arf_now[name]:
                return name + " has changed"
        if (memory if memory_is is None else memory_is) != memory_now:
            return "memory isn't what it is to be"
        return None

    def caller(self):
        own = set()
        for r in self.own:
            size = gen.lib.vsamp_gen_vreg_size(self.coder.coder, r)
            own |= set(range(self.at(r), self.at(r) + size))
        return own

    own = ()


def tid(platform, sr):
    """A thread's number, by the bits of sr0.0 that say where it runs"""
    if platform == "gen9":
        return (sr & 0xFF00) >> 5 | sr & 7
    if platform in ("gen11", "xe"):
        return (sr & 0x7FF0) >> 1 | sr & 7
    drop = (6, 3) if platform == "xe-hpg" else (7, 6, 3)
    top = 13 if platform == "xe-hpg" else 14
    bits = [sr >> i & 1 for i in range(top + 1) if i not in drop]
    return sum(b << i for i, b in enumerate(bits))
