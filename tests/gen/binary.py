# SPDX-License-Identifier: MIT
"""Files that Intel's compiler makes, through the library: read, instrumented, written"""
import ctypes
import glob
import os
import subprocess
import tempfile

import gen

DEVICES = {"gen9": "skl", "gen11": "icllp", "xe": "tgllp", "xe-hpg": "dg2", "xe-hpc": "pvc"}
OPTIONS = "-ze-gtpin-grf-info -ze-gtpin-rera -ze-gtpin-scratch-area-size 256"


class Kernel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("code", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("entry", ctypes.c_size_t), ("simd", ctypes.c_uint), ("grf_num", ctypes.c_uint),
                ("free", ctypes.POINTER(gen.Range)), ("free_num", ctypes.c_size_t), ("scratch", ctypes.c_uint32),
                ("stack_calls", ctypes.c_bool)]


class Model(ctypes.Structure):
    _fields_ = [("platform", ctypes.c_int), ("name", ctypes.c_char_p)]


gen.lib.vsamp_gen_binary_model.restype = ctypes.POINTER(Model)
gen.lib.vsamp_gen_binary_kernels.restype = ctypes.c_size_t
gen.lib.vsamp_gen_binary_kernel.restype = ctypes.POINTER(Kernel)


def compiled(device, folder, source, zebin=True, options=OPTIONS, **more):
    environment = dict(os.environ, IGC_EnableZEBinary="1" if zebin else "0", **more)
    out = tempfile.mkdtemp(dir=folder)
    subprocess.run(["ocloc", "compile", "-q", "-file", source, "-device", device, "-out_dir",
                    out, "-output", "k", "-options", options], check=True, env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return glob.glob(out + "/k*.bin")[0]


def opened(data):
    """The binary, or what is said of it"""
    binary, why = ctypes.c_void_p(), ctypes.create_string_buffer(200)
    status = gen.lib.vsamp_gen_binary_open(ctypes.byref(binary), data, ctypes.c_size_t(len(data)), why,
                                           ctypes.c_size_t(200))
    return binary if not status else gen.STATUS[status] + ": " + why.value.decode()


def kernels(binary):
    """All of a binary, as they are now"""
    return [gen.lib.vsamp_gen_binary_kernel(binary, ctypes.c_size_t(i))[0]
            for i in range(gen.lib.vsamp_gen_binary_kernels(binary))]


def written(binary):
    """The file"""
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    status = gen.lib.vsamp_gen_binary_write(binary, ctypes.byref(data), ctypes.byref(size))
    if status:
        raise gen.Refused(gen.STATUS[status])
    return ctypes.string_at(data, size.value)


class Options(ctypes.Structure):
    _fields_ = [("buffer", ctypes.c_uint64), ("profile", gen.AddrModel), ("carry", ctypes.c_uint8)]


class Result(ctypes.Structure):
    _fields_ = [("inserted", ctypes.c_size_t), ("base_low", ctypes.c_size_t), ("base_high", ctypes.c_size_t)]


CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class Tool(ctypes.Structure):
    _fields_ = [("on_kernel_build", CALLBACK), ("arg", ctypes.c_void_p)]


for _name in ("coder", "kernel", "ins"):
    getattr(gen.lib, "vsamp_gen_instrument_" + _name).restype = ctypes.c_void_p
gen.lib.vsamp_gen_instrument_kernel.restype = ctypes.POINTER(Kernel)
gen.lib.vsamp_gen_instrument_base.restype = gen.Reg
for _name in ("count", "offset", "block_count"):
    getattr(gen.lib, "vsamp_gen_instrument_" + _name).restype = ctypes.c_size_t
gen.lib.vsamp_gen_instrument_block.restype = ctypes.c_bool


class Instrument(gen.Coder):
    """A kernel that is being built; it is a coder, too, whose procedure is begun anew by proc_new()"""

    def __init__(self, instrument):  # pylint: disable=super-init-not-called
        self.instrument = ctypes.c_void_p(instrument)
        self.coder = ctypes.c_void_p(gen.lib.vsamp_gen_instrument_coder(self.instrument))
        self.proc = None
        self.name = gen.lib.vsamp_gen_instrument_kernel(self.instrument)[0].name.decode()
        self.number = gen.lib.vsamp_gen_instrument_count(self.instrument)
        self.base = gen.lib.vsamp_gen_instrument_base(self.instrument)

    def proc_new(self):
        self.proc = self.another()

    def ins(self, n):
        return ctypes.cast(gen.lib.vsamp_gen_instrument_ins(self.instrument, ctypes.c_size_t(n)),
                           ctypes.POINTER(gen.Ins))[0]

    def offset(self, n):
        return gen.lib.vsamp_gen_instrument_offset(self.instrument, ctypes.c_size_t(n))

    def blocks(self):
        """[(first, number)]"""
        found, first, num = [], ctypes.c_size_t(), ctypes.c_size_t()
        for i in range(gen.lib.vsamp_gen_instrument_block_count(self.instrument)):
            gen.lib.vsamp_gen_instrument_block(self.instrument, ctypes.c_size_t(i), ctypes.byref(first),
                                               ctypes.byref(num))
            found.append((first.value, num.value))
        return found

    def insert(self, where, *n):
        """What is in the procedure: before, after an instruction, at the begin, the end"""
        self.check(getattr(gen.lib, "vsamp_gen_instrument_insert_" + where)(
            self.instrument, *(ctypes.c_size_t(i) for i in n), self.proc))


def instrument(binary, build, buffer=0x123456789ABCDE00, a64=True, carry=0):
    """The results of all kernels; build(Instrument) is asked for each"""
    raised = []

    def asked(pointer, _):
        try:
            build(Instrument(pointer))
        except gen.Refused as e:
            return gen.STATUS.index(e.args[0])
        except Exception as e:  # pylint: disable=broad-except
            raised.append(e)
            return gen.STATUS.index("EINVAL")
        return 0

    why = ctypes.create_string_buffer(300)
    made = (Result * gen.lib.vsamp_gen_binary_kernels(binary))()
    status = gen.lib.vsamp_gen_instrument_binary(
        binary, ctypes.byref(Tool(CALLBACK(asked), None)),
        ctypes.byref(Options(buffer, gen.AddrModel(gen.STATELESS, a64), carry)), made, why, ctypes.c_size_t(300))
    if raised:
        raise raised[0]
    if status:
        raise gen.Refused(gen.STATUS[status], why.value.decode())
    return list(made)
