# SPDX-License-Identifier: MIT
"""Kernels in a zebin file, what its .ze_info says of their arguments, and payloads of threads made from that"""
import re
import struct

from exec_decode import Fault

PAYLOAD = 0x40000  # where the data of all threads of a group are, for GPUs that load them
PRIVATE = 0x7000000000


def sections(data):
    """{name: (type, bytes, number)}"""
    if data[:4] != b"\x7fELF":
        raise Fault("no ELF file")
    table = struct.unpack_from("<Q", data, 0x28)[0]
    size, number, names = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(number)]
    made = {}
    for i, h in enumerate(headers):
        at = headers[names][4] + h[0]
        made[data[at:data.index(b"\0", at)].decode()] = h[1], bytes(data[h[4]:h[4] + h[5]]), i
    return made


class Kernel:
    """name, code, simd, payload: list of arguments, each a dictionary as .ze_info has it"""

    def __init__(self, name):
        self.name, self.code = name, b""
        self.environment, self.payload, self.thread, self.bti = {}, [], [], {}

    @property
    def simd(self):
        return int(self.environment["simd_size"])

    def cross(self):
        """Bytes of arguments that a group's threads have in common"""
        end = max([int(a["offset"]) + int(a["size"]) for a in self.payload] + [0])
        return (end + 31) // 32 * 32


def info(text, made):
    """What .ze_info says, into kernels"""
    kernel, part, item = None, None, None
    for line in text.splitlines():
        m = re.match(r"( *)(- )?(\w+): *(.*)$", line)
        if not m:
            continue
        depth, key, value = len(m[1]) + len(m[2] or ""), m[3], m[4].strip("'")
        if depth == 0:
            part = kernel = None
            if key not in ("version", "kernels"):
                break
        elif depth == 4 and key == "name" and m[2]:
            kernel = made.setdefault(value, Kernel(value))
        elif depth == 4:
            part = key
        elif part == "execution_env":
            kernel.environment[key] = value
        else:
            if m[2]:
                item = {}
                into = {"payload_arguments": kernel.payload, "per_thread_payload_arguments": kernel.thread}.get(part)
                if into is not None:
                    into.append(item)
            item[key] = value
            if part == "binding_table_indices" and "bti_value" in item and "arg_index" in item:
                kernel.bti[int(item["bti_value"])] = int(item["arg_index"])


def kernels(data):
    """{name: Kernel} of a file"""
    there, made = sections(data), {}
    if ".ze_info" not in there:
        raise Fault("no zebin file")
    info(there[".ze_info"][1].decode(), made)
    for name, kernel in made.items():
        kernel.code = there[".text." + name][1]
        rel = there.get(".rel.text." + name, (0, b"", 0))[1]
        for at in range(0, len(rel), 16):
            where, kind = struct.unpack_from("<QQ", rel, at)
            # of data that each thread has: behind those that all have
            if kind & 0xffffffff != 4:
                raise Fault("%s: a relocation of kind %d" % (name, kind & 0xffffffff))
            size = kernel.cross() - int(kernel.environment.get("inline_data_payload_size", 0))
            code = bytearray(kernel.code)
            struct.pack_into("<I", code, where, size * 0x10001)
            kernel.code = bytes(code)
    return made


def vector(values):
    return struct.pack("<3I", *values)


class Dispatch:
    """A kernel's run: arguments' values and where its memory is"""

    def __init__(self, kernel, args, sizes, local):
        self.kernel, self.args, self.global_size, self.local = kernel, args, sizes, local
        self.address, self.slm_at, self.slm = {}, {}, 0
        for i, a in enumerate(args):
            if isinstance(a, bytearray):
                # so that carries into high halves of addresses happen
                self.address[i] = ((i + 1) << 36) + (1 << 32) - min(64, len(a) // 2 // 64 * 64)
            elif isinstance(a, Local):
                self.slm_at[i] = self.slm
                self.slm += (a.size + 63) // 64 * 64
        self.groups = [g // n for g, n in zip(sizes, local)]

    def value(self, a):
        kind, size = a["arg_type"], int(a["size"])
        n = int(a.get("arg_index", -1))
        plain = {"global_id_offset": (0, 0, 0), "local_size": self.local, "enqueued_local_size": self.local,
                 "global_size": self.global_size, "group_count": self.groups}
        if kind in plain:
            return vector(plain[kind])
        if kind == "work_dimensions":
            return struct.pack("<I", max([1] + [i + 1 for i, g in enumerate(self.global_size) if g > 1]))
        if kind == "buffer_offset":
            return bytes(4)
        if kind == "private_base_stateless":
            return struct.pack("<Q", PRIVATE)
        if kind == "buffer_address" or kind == "arg_bypointer" and a["addrmode"] == "stateless":
            return struct.pack("<Q", self.address[n])
        if kind == "arg_bypointer" and a["addrmode"] == "slm":
            return self.slm_at[n].to_bytes(size, "little")
        if kind == "arg_bypointer" and a["addrmode"] == "stateful":
            return b""
        if kind == "arg_byvalue":
            value = self.args[n]
            if isinstance(value, int):
                value = (value & (1 << 64) - 1).to_bytes(8, "little")
            at = int(a.get("source_offset", 0))
            return value[at:at + size]
        raise Fault("no argument of kind " + kind)

    def cross(self):
        data = bytearray(self.kernel.cross())
        for a in self.kernel.payload:
            value = self.value(a)
            data[int(a["offset"]):int(a["offset"]) + len(value)] = value
        return bytes(data)

    def local_ids(self, thread, grf_size):
        """Of a thread's channels: a word each, dimensions in whole registers"""
        simd, (nx, ny, _) = self.kernel.simd, self.local
        size = sum(int(a["size"]) for a in self.kernel.thread if a["arg_type"] == "local_id")
        if not size:
            return b""
        n = [thread * simd + c for c in range(simd)]
        each = max(grf_size, simd * 2)
        made = b"".join(struct.pack("<%dH" % simd, *v).ljust(each, b"\0") for v in
                        ([i % nx for i in n], [i // nx % ny for i in n], [i // nx // ny & 0xffff for i in n]))
        return made[:size].ljust(size, b"\0")

    def work_items(self):
        return self.local[0] * self.local[1] * self.local[2]


class Local:
    """An argument that is memory of a group"""

    def __init__(self, size):
        self.size = size
