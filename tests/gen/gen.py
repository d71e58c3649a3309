# SPDX-License-Identifier: MIT
"""libvsamp-gen.so for tests, by its header"""
import ctypes
import os

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
lib = ctypes.CDLL(os.path.join(TREE, "build/libvsamp-gen.so"))

STATUS = ["OK", "EINVAL", "ENOMEM", "EUNSUPPORTED", "ENOREG", "EFLAGCONFLICT", "EALIGN", "ERANGE", "EDECODE"]
PLATFORMS = {"gen9": ("9", 32, 0), "gen11": ("11", 32, 0), "xe": ("12p1", 32, 16),
             "xe-hpg": ("12p71", 32, 16), "xe-hpc": ("12p72", 64, 32)}
GRF, ARF, VIRT = 1, 2, 4
BYTE, WORD, DWORD, QWORD, OWORD, HWORD, DHWORD, PTR, GRFS = range(9)
COUNTER, SCRATCH, MSG_ADDR, MSG_DATA = 2, 4, 8, 16
STATELESS = 0xFF
ADD, SEND, UD = 19, 17, 4


class Reg(ctypes.Structure):
    _fields_ = [("file", ctypes.c_uint8), ("num", ctypes.c_uint16), ("sub", ctypes.c_uint16)]

    def key(self):
        return self.file, self.num, self.sub

    def __eq__(self, other):
        return self.key() == other.key()

    def __hash__(self):
        return hash(self.key())


class Pred(ctypes.Structure):
    _fields_ = [("mode", ctypes.c_uint8), ("invert", ctypes.c_bool), ("flag", ctypes.c_uint8),
                ("flag_sub", ctypes.c_uint8)]


class AddrModel(ctypes.Structure):
    _fields_ = [("surface", ctypes.c_uint8), ("a64", ctypes.c_bool)]


class Range(ctypes.Structure):
    _fields_ = [("start", ctypes.c_uint16), ("size", ctypes.c_uint16)]


class Config(ctypes.Structure):
    _fields_ = [("platform", ctypes.c_int), ("profile", AddrModel), ("profile_base", Reg), ("r0", Reg),
                ("free", ctypes.POINTER(Range)), ("free_num", ctypes.c_size_t), ("simd", ctypes.c_uint8),
                ("token", ctypes.c_uint8), ("carry", ctypes.c_uint8)]


class Chunk(ctypes.Structure):
    _fields_ = [("buckets", ctypes.c_uint32), ("size", ctypes.c_uint32), ("base_offset", ctypes.c_uint32),
                ("offset", ctypes.c_uint32)]


class Operand(ctypes.Structure):
    _fields_ = [("file", ctypes.c_uint8), ("type", ctypes.c_uint8), ("vstride", ctypes.c_uint8),
                ("width", ctypes.c_uint8), ("hstride", ctypes.c_uint8), ("negate", ctypes.c_bool),
                ("abs", ctypes.c_bool), ("mme", ctypes.c_uint8), ("num", ctypes.c_uint16), ("sub", ctypes.c_uint16),
                ("offset", ctypes.c_int16), ("imm", ctypes.c_uint64)]


class Swsb(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint8) for n in ("pipe", "distance", "mode", "token")]


class Ins(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint8) for n in ("op", "exec", "channel", "pred")] + \
        [("pred_invert", ctypes.c_bool)] + [(n, ctypes.c_uint8) for n in ("cond", "flag", "flag_sub")] + \
        [(n, ctypes.c_bool) for n in ("mask_off", "acc_write", "saturate", "compacted", "branch", "no_clear",
                                      "no_check")] + \
        [("thread", ctypes.c_uint8), ("function", ctypes.c_uint8)] + \
        [("swsb", Swsb), ("dst", Operand), ("src", Operand * 3)] + \
        [(n, ctypes.c_uint8) for n in ("sync", "sfid", "payload")] + [("eot", ctypes.c_bool)] + \
        [("desc", ctypes.c_uint32), ("exdesc", ctypes.c_uint32), ("jump", ctypes.c_int32),
         ("uip", ctypes.c_int32), ("raw", ctypes.c_uint64 * 2)]


lib.vsamp_gen_coder_error.restype = ctypes.c_char_p
lib.vsamp_gen_proc_count.restype = ctypes.c_size_t
lib.vsamp_gen_proc_encode.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
lib.vsamp_gen_reg_get_reserved.restype = Reg
lib.vsamp_gen_exec_mask.restype = ctypes.c_uint32
lib.vsamp_gen_tile_id_supported.restype = ctypes.c_bool


class Refused(Exception):
    """A status that isn't OK"""


class Coder:
    """A coder with one procedure"""

    def __init__(self, platform, free=((320, 640),), simd=16, a64=True, carry=0, token=5):
        ranges = (Range * len(free))(*(Range(*r) for r in free))
        number = list(PLATFORMS).index(platform)
        config = Config(number, AddrModel(STATELESS, a64), Reg(), Reg(), ranges, len(free), simd, token, carry)
        self.coder, self.proc = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(lib.vsamp_gen_coder_open(ctypes.byref(self.coder), ctypes.byref(config)))
        self.check(lib.vsamp_gen_proc_make(ctypes.byref(self.proc)))

    def check(self, status):
        if status:
            text = lib.vsamp_gen_coder_error(self.coder).decode() if self.coder else ""
            raise Refused(STATUS[status], text)

    def vreg(self, kind, count=1, flags=0):
        reg = Reg()
        self.check(lib.vsamp_gen_vreg_make(self.coder, kind, count, flags, ctypes.byref(reg)))
        return reg

    def another(self):
        """A further procedure"""
        proc = ctypes.c_void_p()
        self.check(lib.vsamp_gen_proc_make(ctypes.byref(proc)))
        return proc

    def add(self, name, *args):
        """vsamp_gen_NAME of the procedure"""
        self.add_to(self.proc, name, *args)

    def add_to(self, proc, name, *args):
        args = [ctypes.byref(a) if isinstance(a, (Pred, Chunk, Ins)) else a for a in args]
        self.check(getattr(lib, "vsamp_gen_" + name)(self.coder, proc, *args))

    def count(self):
        return lib.vsamp_gen_proc_count(self.proc)

    def place(self, reg):
        """GRF and byte in it"""
        self.check(lib.vsamp_gen_reg_reserve(self.coder, reg))
        at = lib.vsamp_gen_reg_get_reserved(self.coder, reg)
        return at.num, at.sub

    def code(self):
        self.check(lib.vsamp_gen_proc_assign(self.coder, self.proc))
        buffer = ctypes.create_string_buffer(16 * self.count())
        self.check(lib.vsamp_gen_proc_encode(self.coder, self.proc, buffer, len(buffer)))
        return buffer.raw
