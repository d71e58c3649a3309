# SPDX-License-Identifier: MIT
"""Messages of a thread: what they are is iga64's text of them, how many of what their descriptor's bits"""
import re
import struct

from exec_decode import Fault

HDC_ATOMICS = {1: "and", 2: "or", 3: "xor", 4: "mov", 5: "inc", 6: "dec", 7: "add", 8: "sub", 10: "smax", 11: "smin",
               12: "umax", 13: "umin", 14: "cmpwr"}
LSC_ATOMICS = {"iinc": "inc", "idec": "dec", "load": "load", "store": "mov", "iadd": "add", "isub": "sub",
               "smin": "smin", "smax": "smax", "umin": "umin", "umax": "umax", "icas": "cmpwr", "and": "and",
               "or": "or", "xor": "xor"}
OPERANDS = {"inc": 0, "dec": 0, "load": 0, "cmpwr": 2}
SLM, STATELESS, SCRATCH = 0xFE, (0xFF, 0xFD), "scratch"


def signed(x, size):
    return x - (1 << 8 * size) if x >> 8 * size - 1 else x


def atomic(op, old, a, b, size):
    s = signed
    new = {"and": lambda: old & a, "or": lambda: old | a, "xor": lambda: old ^ a, "mov": lambda: a,
           "inc": lambda: old + 1, "dec": lambda: old - 1, "add": lambda: old + a, "sub": lambda: old - a,
           "smax": lambda: max(s(old, size), s(a, size)), "smin": lambda: min(s(old, size), s(a, size)),
           "umax": lambda: max(old, a), "umin": lambda: min(old, a), "load": lambda: old,
           "cmpwr": lambda: b if old == a else old}[op]()
    return new & (1 << 8 * size) - 1


class Memory:
    """Buffers at addresses, and those that surfaces of a binding table are"""

    def __init__(self):
        self.regions, self.surfaces = [], {}

    def add(self, base, data, surface=None):
        for b, d in self.regions:
            if base < b + len(d) and b < base + len(data):
                raise Fault("buffers overlap at 0x%x" % base)
        self.regions.append((base, data))
        if surface is not None:
            self.surfaces[surface] = data

    def find(self, address, size):
        for base, data in self.regions:
            if base <= address and address + size <= base + len(data):
                return data, address - base
        raise Fault("no memory at 0x%x, %d bytes" % (address, size))


class Message:
    """A send's registers and bits"""

    def __init__(self, thread, ins):
        self.thread, self.ins, words = thread, ins, ins.words
        self.text = ins.message.strip()
        self.desc, self.exdesc = self.number(words[-1]), self.number(words[-2])
        regs = [self.register(w) for w in words[:-2]] + [None]
        self.dst, self.src, self.data = regs[0], regs[1], regs[2]
        if words[-1].startswith("a0"):
            raise Fault("a message that a register describes: " + ins.text)
        self.on = thread.enabled(ins)
        self.rlen = (self.desc >> 20) & 31

    def number(self, word):
        if word.startswith("a0."):
            return self.thread.get_arf("a", 4 * int(word[3:]))
        return int(word, 0)

    def register(self, word):
        """The byte in the register file where it begins"""
        if word.startswith("null"):
            return None
        m = re.match(r"r(\d+)(?::\w+)?$", word)
        if not m:
            raise Fault("no register of a message: " + word)
        return int(m[1]) * self.thread.grf_size

    def get(self, at, size):
        grf = self.thread.grf
        if at is None or at + size > len(grf):
            raise Fault("registers that a message doesn't have")
        return int.from_bytes(grf[at:at + size], "little")

    def put(self, at, value, size):
        if at is None or at + size > self.dst + self.rlen * self.thread.grf_size:
            raise Fault("more than the registers of an answer")
        self.thread.grf[at:at + size] = value.to_bytes(size, "little")

    def channels(self, simd):
        if self.ins.exec > simd:
            raise Fault("%d channels of a message for %d" % (self.ins.exec, simd))
        return [c for c in range(self.ins.exec) if self.on >> c & 1]

    def place(self, surface, address, size):
        """Bytes and where in them: of a surface, of the group's own memory, or at an address"""
        group = self.thread.group
        if surface == SLM:
            data = group.slm
        elif surface == SCRATCH:
            data = self.thread.scratch
        elif surface is None or surface in STATELESS:
            return group.dispatch.memory.find(address, size)
        else:
            data = group.dispatch.memory.surfaces.get(surface)
            if data is None:
                raise Fault("no surface %d" % surface)
        if address + size > len(data):
            raise Fault("0x%x is beyond surface %d" % (address, surface))
        return data, address

    def elements(self, simd, address_size, surface, components, size, loads):
        """A load or store of each channel: components, of memory's size, each in whole registers"""
        unit = self.thread.grf_size
        cell = 8 if size == 8 else 4
        step = (simd * cell + unit - 1) // unit * unit
        for c in self.channels(simd):
            address = self.get(self.src + c * address_size, address_size)
            if size > 1 and address % min(size, 4):
                raise Fault("0x%x isn't aligned to %d bytes" % (address, size))
            for v in range(components):
                data, at = self.place(surface, address + v * size, size)
                if loads:
                    self.put(self.dst + v * step + c * cell, int.from_bytes(data[at:at + size], "little"), cell)
                else:
                    value = self.get(None if self.data is None else self.data + v * step + c * cell, size)
                    data[at:at + size] = value.to_bytes(size, "little")

    def block(self, surface, address, size, loads, alignment):
        if address % alignment:
            raise Fault("a block at 0x%x" % address)
        if not self.on:
            return
        grf = self.thread.grf
        data, at = self.place(surface, address, size)
        if loads:
            if size > self.rlen * self.thread.grf_size:
                raise Fault("a block that is larger than its answer")
            grf[self.dst:self.dst + size] = data[at:at + size]
        else:
            data[at:at + size] = grf[self.data:self.data + size]

    def atomics(self, op, simd, address_size, surface, size, returns):
        unit = self.thread.grf_size
        step = (simd * size + unit - 1) // unit * unit
        number = OPERANDS.get(op, 1)
        if (self.data is None) != (number == 0):
            raise Fault("an atomic with the wrong operands")
        for c in self.channels(simd):
            address = self.get(self.src + c * address_size, address_size)
            if address % size:
                raise Fault("an atomic at 0x%x" % address)
            data, at = self.place(surface, address, size)
            old = int.from_bytes(data[at:at + size], "little")
            a, b = [self.get(self.data + n * step + c * size, size) if n < number else 0 for n in (0, 1)]
            data[at:at + size] = atomic(op, old, a, b, size).to_bytes(size, "little")
            if returns:
                self.put(self.dst + c * size, old, size)


def hdc_surface(m):
    """Messages with a binding table's index in their lowest bits and addresses of 32 bits"""
    f = re.search(r"untyped surface (read|write) with (x?y?z?w?)$", m.text)
    if f:
        simd = {1: 16, 2: 8}[m.desc >> 12 & 3]
        m.elements(simd, 4, m.desc & 255, len(f[2]), 4, f[1] == "read")
        return True
    f = re.search(r"byte (gathering read|scattering write) (8|16|32)b$", m.text)
    if f and "a64" not in m.text:
        m.elements(16 if m.desc >> 8 & 1 else 8, 4, m.desc & 255, 1, int(f[2]) // 8, f[1] == "gathering read")
        return True
    f = re.search(r"(?<!a64 )\boword (aligned |unaligned )?block (read|write) x(\d)$", m.text)
    if f and "a64" not in m.text:
        offset = struct.unpack_from("<I", m.thread.grf, m.src + 8)[0]
        m.block(m.desc & 255, offset if f[1] else 16 * offset, 16 * int(f[3]), f[2] == "read", 4 if f[1] else 16)
        return True
    f = re.search(r"untyped atomic int(32|64)?", m.text)
    if f:
        op = HDC_ATOMICS.get(m.desc >> 8 & 15)
        m.atomics(op, 8 if m.desc >> 12 & 1 else 16, 4, m.desc & 255, 4, m.desc >> 13 & 1)
        return True
    return False


def hdc_a64(m):
    f = re.search(r"a64 (byte|dword|qword) (gathering read|scattering write)", m.text)
    if f:
        loads, simd, n = f[2] == "gathering read", 16 if m.desc >> 12 & 1 else 8, 1 << (m.desc >> 10 & 3)
        size = {"byte": n, "dword": 4, "qword": 8}[f[1]]
        m.elements(simd, 8, None, 1 if f[1] == "byte" else n, size, loads)
        return True
    f = re.search(r"a64 (?:aligned |unaligned )?oword block (read|write) x(\d)$", m.text)
    if f:
        m.block(None, m.get(m.src, 8), 16 * int(f[2]), f[1] == "read", 4 if f[1] == "read" else 16)
        return True
    f = re.search(r"untyped a64 surface (read|write) with (x?y?z?w?)$", m.text)
    if f:
        m.elements({1: 16, 2: 8}[m.desc >> 12 & 3], 8, None, len(f[2]), 4, f[1] == "read")
        return True
    f = re.search(r"untyped a64 atomic int(32|64) ", m.text)
    if f:
        op = HDC_ATOMICS.get(m.desc >> 8 & 15)
        m.atomics(op, 8, 8, None, int(f[1]) // 8, m.desc >> 13 & 1)
        return True
    return False


def lsc(m):
    f = re.search(r"(load|store|atomic_\w+)\.(ugm|slm)\.d(\d+)(?:u32)?(?:x(\d+))?(t)?\.a(32|64)[.a-z0-9]*"
                  r"(?:bti\[(\d+)\]|(ss)\[a0\.\d+\])?$", m.text)
    if not f:
        return False
    size, number, address_size = int(f[3]) // 8, int(f[4] or 1), int(f[6]) // 8
    surface = SLM if f[2] == "slm" else SCRATCH if f[8] else int(f[7]) if f[7] else None
    if surface is None and address_size == 4:
        raise Fault("a flat address of 32 bits")
    if f[1].startswith("atomic"):
        op = LSC_ATOMICS.get(f[1][7:])
        if op is None:
            raise Fault("no atomic " + f[1])
        m.atomics(op, simd_of(m, address_size), address_size, surface, size, m.dst is not None)
    elif f[5]:
        m.block(surface, m.get(m.src, address_size), size * number, f[1] == "load", size)
    else:
        m.elements(simd_of(m, address_size), address_size, surface, number, size, f[1] == "load")
    return True


def simd_of(m, address_size):
    """Channels of an LSC message are those of its instruction, in registers that are whole"""
    length = m.desc >> 25 & 15
    unit = m.thread.grf_size
    if (m.ins.exec * address_size + unit - 1) // unit != length:
        raise Fault("%d registers of addresses for %d channels" % (length, m.ins.exec))
    return m.ins.exec


def send(thread, ins):
    m = Message(thread, ins)
    if "EOT" in ins.options or "end of thread" in m.text:
        if "EOT" not in ins.options or "end of thread" not in m.text:
            raise Fault("an end that is none")
        if thread.on & thread.dispatched != thread.dispatched:
            raise Fault("an end of some channels: %x of %x" % (thread.on, thread.dispatched))
        thread.ended = True
    elif "fence" in m.text or "signal barrier" in m.text:
        pass
    elif not (lsc(m) or hdc_a64(m) or hdc_surface(m)):
        raise Fault("no message: " + m.text)
