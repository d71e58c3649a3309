# SPDX-License-Identifier: MIT
"""Runs whole kernels, as a dispatch on a GPU would, with results that memory has afterwards.

    import exec
    data = exec.compiled("exec.cl", "xe")          # a zebin file of ocloc's
    out = bytearray(4 * 64)
    run = exec.run(data, "xe", "add", [a, b, out], 64)

Arguments: a bytearray is a buffer, changed in place; a number or bytes are a value; exec.Local(size) is
memory of a group. global_size and local_size are numbers or tuples. extra={address: bytearray} is further
memory, such as a profile's buffer. steps bounds the instructions of a thread.

run.threads have, in the order of dispatch: counts {offset: [times, channels that were on, in sum]}, order
[(offset, mask of channels that were on)], group, number, dispatched (mask). run.counts() adds threads up.
Channels of an instruction with mask off count as those that are on beside it.

The instructions are iga64's reading of the bytes. What isn't known, memory that isn't there, an end before
all channels came to it: exec.Fault.
"""
import glob
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from exec_binary import PAYLOAD, PRIVATE, Dispatch, Local, kernels  # noqa: E402,F401 pylint: disable=C0413,W0611
from exec_decode import Fault, decode  # noqa: E402,F401 pylint: disable=C0413,W0611
from exec_send import Memory  # noqa: E402 pylint: disable=C0413
from exec_thread import Thread  # noqa: E402 pylint: disable=C0413

PLATFORMS = {"gen9": ("9", 32, "skl"), "gen11": ("11", 32, "icllp"), "xe": ("12p1", 32, "tgllp"),
             "xe-hpg": ("12p71", 32, "dg2"), "xe-hpc": ("12p72", 64, "pvc")}
OPTIONS = "-ze-gtpin-grf-info -ze-gtpin-rera -ze-gtpin-scratch-area-size 256"


def compiled(source, platform, options=OPTIONS):
    """The zebin file that ocloc makes of an OpenCL source"""
    with tempfile.TemporaryDirectory() as out:
        p = subprocess.run(["ocloc", "compile", "-q", "-file", source, "-device", PLATFORMS[platform][2], "-out_dir",
                            out, "-output", "k", "-options", options], check=False, capture_output=True, text=True,
                           env=dict(os.environ, IGC_EnableZEBinary="1"))
        made = glob.glob(out + "/k*.bin")
        if not made:
            raise Fault("ocloc: " + p.stdout + p.stderr)
        with open(made[0], "rb") as f:
            return f.read()


def three(sizes):
    sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    return sizes + (1,) * (3 - len(sizes))


class Group:
    """Threads that have memory and a barrier in common"""

    def __init__(self, dispatch, where):
        self.dispatch, self.where = dispatch, where
        self.slm = bytearray(dispatch.slm)
        simd, items = dispatch.kernel.simd, dispatch.work_items()
        self.threads = []
        for n in range((items + simd - 1) // simd):
            channels = (1 << min(simd, items - n * simd)) - 1
            thread = Thread(self, len(dispatch.threads), channels)
            dispatch.threads.append(thread)
            self.threads.append(thread)
            self.payload(thread, n)

    def payload(self, thread, n):
        """What a thread begins with: its header, and what it has of arguments and local ids"""
        d, size = self.dispatch, self.dispatch.grf_size
        x, y, z = self.where
        header = PAYLOAD, x, n if d.loads else 0, 0, 0, thread.number & 0x1FF, y, z
        thread.grf[:32] = struct.pack("<8I", *header)
        ids, cross = d.local_ids(n, size), d.cross()
        if d.loads:
            inline = int(d.kernel.environment.get("inline_data_payload_size", 0))
            thread.grf[size:size + inline] = cross[:inline]
            common = len(cross) - inline
            d.payload[:common] = cross[inline:]
            d.payload[common + n * len(ids):common + (n + 1) * len(ids)] = ids
        else:
            thread.grf[size:size + len(ids) + len(cross)] = ids + cross

    def run(self, steps):
        """Threads one after the other, each up to its end or a barrier"""
        left = list(self.threads)
        while left:
            for thread in left:
                thread.run(steps)
            if any(t.ended for t in left) and not all(t.ended for t in left):
                raise Fault("a barrier that not all threads come to")
            left = [t for t in left if not t.ended]


def run(binary, platform, name, args, global_size, local_size=None, extra=None, steps=100000):
    """Runs a kernel of a file, or the code of an exec_binary.Kernel; see above"""
    kernel = kernels(binary)[name] if isinstance(binary, bytes) else binary
    sizes = three(global_size)
    local = three(local_size if local_size is not None else global_size)
    if any(g % n for g, n in zip(sizes, local)):
        raise Fault("groups that aren't whole")
    d = Dispatch(kernel, args, sizes, local)
    d.platform, d.grf_size, _ = PLATFORMS[platform]
    d.loads = platform in ("xe-hpg", "xe-hpc")
    d.code, d.memory, d.threads = decode(d.platform, d.grf_size, kernel.code), Memory(), []
    surfaces = {n: bti for bti, n in kernel.bti.items()}
    for n, address in d.address.items():
        d.memory.add(address, args[n], surfaces.get(n))
    for address, data in (extra or {}).items():
        d.memory.add(address, data)
    d.payload = bytearray(0x10000)
    d.memory.add(PAYLOAD, d.payload)
    d.memory.add(PRIVATE, bytearray(0x100000))
    for z in range(d.groups[2]):
        for y in range(d.groups[1]):
            for x in range(d.groups[0]):
                Group(d, (x, y, z)).run(steps)
    d.counts = lambda: summed(d.threads)
    return d


def summed(threads):
    total = {}
    for t in threads:
        for pc, (times, channels) in t.counts.items():
            n = total.setdefault(pc, [0, 0])
            n[0] += times
            n[1] += channels
    return total
