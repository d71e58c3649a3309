# SPDX-License-Identifier: MIT
"""Instructions of a whole kernel, as iga64 reads them, prepared to be executed.

The text is iga64's; of the bytes only immediates of floating point are taken, which its text rounds.
"""
import functools
import re
import struct
import subprocess
import tempfile

SIZES = {"ub": 1, "b": 1, "uw": 2, "w": 2, "ud": 4, "d": 4, "uq": 8, "q": 8, "hf": 2, "f": 4, "df": 8}
SIGNED = {"b", "w", "d", "q"}
FLOATS = {"hf": "<e", "f": "<f", "df": "<d"}
LOGIC = {"and", "or", "xor", "not", "bfn"}
FLOW = {"jmpi", "if", "else", "endif", "while", "break", "cont", "halt", "goto", "goto.b", "join", "call", "ret"}
LINE = re.compile(r"(?:\((?P<pred>[^)]*)\)\s*)?(?P<op>[a-z]\w*(?:\.\([^ ]*\)|\.\w+)*)\s*"
                  r"(?:\((?P<exec>\d+)\|M(?P<at>\d+)\))?(?P<rest>.*)$")
OPERAND = re.compile(r"(?P<sat>\(sat\))?(?P<mod>-|~)?(?P<abs>\(abs\))?"
                     r"(?P<reg>null|ce|[a-z]+\d+|r\[a0\.\d+(?:, ?-?\d+)?\])(?:\.(?P<sub>\d+))?"
                     r"(?:<(?P<region>[\d;,]+)>)?(?::(?P<type>\w+))?$")
IMMEDIATE = re.compile(r"(?P<value>-?(?:0x[0-9A-Fa-f]+|[\d.]+(?:e[+-]?\d+)?|(?:qnan|snan|inf)(?:\(\w+\))?))"
                       r":(?P<type>\w+)$")
# registers of the architecture: bytes, and where each number begins in them
ARF = {"acc": 1024, "f": 16, "a": 32, "ce": 4, "sr": 16, "cr": 16, "tm": 20, "n": 12}


class Fault(Exception):
    """What the machine can't do, or hardware wouldn't"""


class Operand:
    """file: GRF, a name of ARF, null, imm or indirect; at: bytes where elements are; raw is without change"""
    __slots__ = ("file", "type", "size", "at", "mod", "abs", "sat", "value", "scalar", "base", "a0", "each", "text")


class Ins:
    """An instruction at pc; the next is at end"""
    __slots__ = ("pc", "end", "op", "function", "exec", "at", "mask_off", "pred", "cond", "flag", "dst", "src",
                 "targets", "options", "words", "message", "text")


def strides(region, ternary, channels):
    """Elements of a source"""
    if not region:
        return list(range(channels))
    n = [int(x) for x in re.split("[;,]", region)]
    if len(n) == 3:
        vs, w, hs = n
    elif len(n) == 1:
        vs, w, hs = n[0], 1, 0
    elif ternary:
        vs, hs = n
        w = vs // hs if hs else 1
    else:
        raise Fault("no region: " + region)
    return [c // w * vs + c % w * hs for c in range(channels)]


def packed(value, kind):
    """Elements of immediates that are vectors"""
    nibbles = [value >> 4 * i & 15 for i in range(8)]
    return [n - 16 if kind == "v" and n > 7 else n for n in nibbles]


def immediate(m, raw, channels):
    o = Operand()
    kind, text = m["type"], m["value"]
    o.file, o.mod, o.abs, o.sat, o.scalar, o.text = "imm", None, False, False, True, m[0]
    o.base, o.a0, o.each = 0, 0, False
    if kind in ("v", "uv"):
        o.type, o.size = "w" if kind == "v" else "uw", 2
        v = packed(int(text, 0), kind)
        o.value = [v[c % 8] for c in range(channels)]
        return o
    if kind not in SIZES:
        raise Fault("no type of an immediate: " + m[0])
    o.type, o.size = kind, SIZES[kind]
    if kind not in FLOATS:
        v = int(text, 0)
        if kind in SIGNED and v >= 1 << 8 * o.size - 1:
            v -= 1 << 8 * o.size
    elif len(raw) == 16 and kind == "f":
        v = struct.unpack("<f", raw[12:16])[0]
    elif len(raw) == 16 and kind == "hf" and raw[12:14] == raw[14:16]:
        v = struct.unpack("<e", raw[12:14])[0]
    elif kind == "df" and text == "0.0":
        v = 0.0
    elif text.startswith("0x"):
        v = struct.unpack(FLOATS[kind], int(text, 0).to_bytes(o.size, "little"))[0]
    else:
        v = float(text)
    o.value = [v] * channels
    return o


def operand(text, grf_size, channels, dst, ternary, raw):
    m = IMMEDIATE.match(text)
    if m and not dst:
        return immediate(m, raw, channels)
    m = OPERAND.match(text)
    if not m:
        raise Fault("no operand: " + text)
    o = Operand()
    o.text, o.mod, o.abs, o.sat, o.value = text, m["mod"], bool(m["abs"]), bool(m["sat"]), None
    o.type = m["type"] or "ud"
    if o.type not in SIZES:
        raise Fault("no type: " + text)
    o.size, o.base, o.a0 = SIZES[o.type], 0, 0
    # each channel has its own address register
    o.each = m["reg"][:2] == "r[" and m["region"] == "1,0" and not dst
    sub = int(m["sub"] or 0) * o.size
    if dst:
        step = int(m["region"] or 1)
        at = [c * step for c in range(channels)]
    else:
        at = list(range(channels)) if o.each else strides(m["region"], ternary, channels)
    o.scalar = not any(at)
    reg = m["reg"]
    if reg == "null":
        o.file, at = "null", [0] * channels
    elif reg.startswith("r["):
        o.file, n = "indirect", re.findall(r"-?\d+", reg[4:])
        o.a0, o.base = int(n[0]) * 2, int(n[1]) if len(n) > 1 else 0
    elif reg[0] == "r":
        o.file, o.base = "grf", int(reg[1:]) * grf_size + sub
    else:
        name = re.match("[a-z]+", reg)[0]
        if name not in ARF:
            raise Fault("no register " + reg)
        number = int(reg[len(name):] or 0)
        o.file, o.base = name, sub + number * {"acc": grf_size, "f": 4}.get(name, 0)
        if number and name not in ("acc", "f"):
            raise Fault("no register " + reg)
    o.at = [o.base + a * o.size for a in at] if o.file not in ("null", "indirect") else [a * o.size for a in at]
    return o


def predicate(text, ins):
    ins.mask_off, ins.pred = False, None
    for term in text.split("&") if text else ():
        m = re.match(r"(~?)f(\d)\.(\d)(?:\.(\w+))?$", term)
        if term == "W":
            ins.mask_off = True
        elif m and (m[4] is None or re.match(r"(any|all)\d*[hv]?$", m[4])):
            ins.pred = bool(m[1]), int(m[2]) * 32 + int(m[3]) * 16, m[4]
        else:
            raise Fault("no predicate: " + text)


def instruction(text, pc, raw, grf_size):
    ins = Ins()
    ins.pc, ins.end, ins.text = pc, pc + len(raw), text
    text, _, ins.message = text.partition("//")
    options = re.search(r"\{([^}]*)\}", text)
    ins.options = options[1].split(",") if options else []
    m = LINE.match(re.sub(r"\{.*", "", text).strip())
    if not m:
        raise Fault("can't be read: " + text)
    predicate(m["pred"], ins)
    ins.op, _, ins.function = m["op"].partition(".")
    ins.exec, ins.at = int(m["exec"] or 1), int(m["at"] or 0)
    words = re.sub(r"(r\[[^\]]*\])", lambda w: w[1].replace(" ", ""), m["rest"]).split()
    ins.cond, ins.flag, ins.dst, ins.src, ins.targets, ins.words = None, None, None, [], [], words
    if ins.op == "goto" and ins.function == "b":
        ins.op = "goto.b"
    if ins.op in FLOW:
        ins.targets = [int(w[1:]) for w in words if re.match(r"L\d+$", w)]
        ins.src = [operand(w, grf_size, 2, False, False, raw) for w in words if not re.match(r"L\d+$", w)]
        return ins
    if ins.op.startswith("send") or ins.op in ("sync", "nop", "illegal", "wait"):
        return ins
    f = re.match(r"\((\w+)\)f(\d)\.(\d)$", words[0])
    if f:
        ins.cond, ins.flag = f[1], int(f[2]) * 32 + int(f[3]) * 16
        words = words[1:]
    ternary = len(words) == 4
    ins.dst = operand(words[0], grf_size, ins.exec, True, False, raw)
    ins.src = [operand(w, grf_size, ins.exec, False, ternary, raw) for w in words[1:]]
    return ins


@functools.lru_cache(maxsize=None)
def decode(platform, grf_size, code):
    """{pc: instruction} of bytes; what iga64 has no text of isn't there, and can't be executed"""
    with tempfile.NamedTemporaryFile(suffix=".bin") as f:
        f.write(code)
        f.flush()
        p = subprocess.run(["iga64", "-d", "-p=" + platform, "-Xprint-pc", "--output-on-fail", f.name], check=False,
                           capture_output=True, text=True)
    texts = re.findall(r"^/\* \[([0-9A-F]+)\] *\*/(.*)$", p.stdout, re.M)
    if not texts:
        raise Fault("iga64 can't read it: " + p.stderr)
    made = {}
    for at, text in texts:
        pc = int(at, 16)
        size = 8 if code[pc + 3] & 0x20 else 16
        if "illegal" in text:
            continue
        made[pc] = instruction(text.strip(), pc, code[pc:pc + size], grf_size)
    return made
