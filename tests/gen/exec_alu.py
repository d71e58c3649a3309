# SPDX-License-Identifier: MIT
"""What instructions compute, of one channel: integers exactly, floating point rounded once"""
import math
from fractions import Fraction

from exec_decode import FLOATS, SIGNED, SIZES, Fault

KINDS = {"hf": (11, -14, 15), "f": (24, -126, 127), "df": (53, -1022, 1023)}
NAN = float("nan")
CONDITIONS = {"eq": lambda x, y: x == y, "ne": lambda x, y: not x == y, "gt": lambda x, y: x > y,
              "ge": lambda x, y: x >= y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y}


def rounded(x, kind, mode=0):
    """A Fraction or float as a float of the kind; mode: 0 nearest, 1 up, 2 down, 3 to zero"""
    bits, low, high = KINDS[kind]
    if isinstance(x, float):
        if not math.isfinite(x) or not x:
            return x
        x = Fraction(x)
    if not x:
        return 0.0
    negative, n, d = x < 0, abs(x.numerator), x.denominator
    e = n.bit_length() - d.bit_length()
    if (n << max(-e, 0)) < (d << max(e, 0)):
        e -= 1
    shift = bits - 1 - max(e, low)
    q, r = divmod(n << max(shift, 0), d << max(-shift, 0))
    d <<= max(-shift, 0)
    up = {0: 2 * r > d or 2 * r == d and q & 1, 1: r and not negative, 2: r and negative, 3: False}[mode]
    q += bool(up)
    if q.bit_length() - 1 - shift > high:
        toward = mode == 3 or mode == 1 and negative or mode == 2 and not negative
        value = math.ldexp((1 << bits) - 1, high - bits + 1) if toward else math.inf
    else:
        value = math.ldexp(q, -shift)
    return -value if negative else value


def exact(f, values):
    """Of finite ones by fractions; of others as floats have it"""
    if all(math.isfinite(v) for v in values):
        result = f(*(Fraction(v) for v in values))
        if result:
            return result
    try:
        return f(*values)
    except (OverflowError, ZeroDivisionError):
        return NAN


def divided(a, b):
    if b:
        return a / b if math.isfinite(a) and math.isfinite(b) else float(a) / float(b)
    return NAN if not a or a != a else math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def root(x):
    """A float whose rounding is that of the root: the last bit says that there is more"""
    if not x > 0 or math.isinf(x):
        return x if x >= 0 else NAN
    f = Fraction(x)
    scale = 1 << 200
    n = f.numerator * scale * scale // f.denominator
    s = math.isqrt(n)
    return Fraction(2 * s + (s * s != n), 2 * scale)


def divide_int(a, b, remainder, kind):
    """As C; nothing is told of divisions by zero"""
    if not b:
        return a if remainder else (1 << 8 * SIZES[kind]) - 1
    q = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a - q * b if remainder else q


def maths(function, s, kind):
    if function in ("iqot", "irem"):
        return divide_int(s[0], s[1], function == "irem", kind)
    if function == "inv":
        return divided(Fraction(1), Fraction(s[0])) if s[0] and math.isfinite(s[0]) else divided(1.0, s[0])
    if function == "sqrt":
        return root(s[0])
    if function == "fdiv":
        return exact(lambda a, b: a / b, s) if s[1] else divided(s[0], s[1])
    raise Fault("no function math." + function)


def wide(kind):
    return max(32, 8 * SIZES[kind])


def unsigned(x, kind):
    return x & (1 << wide(kind)) - 1


def lzd(x):
    return 32 - (x & 0xffffffff).bit_length()


def fbl(x):
    x &= 0xffffffff
    return (x & -x).bit_length() - 1 if x else 0xffffffff


def fbh(x, kind):
    if kind in SIGNED:
        x = ~x if x < 0 else x
        return 0xffffffff if x in (0,) else lzd(x)
    return lzd(x) if x else 0xffffffff


def bfe(width, offset, x, kind):
    width, offset = width & 31, offset & 31
    if not width:
        return 0
    if offset + width >= 32:
        return (x if kind in SIGNED else x & 0xffffffff) >> offset
    v = (x & 0xffffffff) >> offset & (1 << width) - 1
    return v - (1 << width) if kind in SIGNED and v >> width - 1 else v


def bfi2(mask, value, base):
    shift = fbl(mask) if mask else 0
    return (value << shift) & mask | base & ~mask


def bfn(function, s):
    if not set(function) <= set("s012&|^~()"):
        raise Fault("no function bfn." + function)
    return eval(function, {"s0": s[0], "s1": s[1], "s2": s[2]})  # pylint: disable=eval-used


def rotate(x, n, kind, left):
    bits = 8 * SIZES[kind]
    x, n = x & (1 << bits) - 1, n % bits
    n = n if left else bits - n
    return x << n | x >> bits - n


def dp4a(s, kinds):
    total = s[0]
    for i in range(4):
        part = [s[j] >> 8 * i & 255 for j in (1, 2)]
        part = [p - 256 if kinds[j] in SIGNED and p > 127 else p for j, p in zip((1, 2), part)]
        total += part[0] * part[1]
    return total


INTEGER = {
    "mov": lambda s, k: s[0], "not": lambda s, k: ~s[0], "and": lambda s, k: s[0] & s[1],
    "or": lambda s, k: s[0] | s[1], "xor": lambda s, k: s[0] ^ s[1], "add": lambda s, k: s[0] + s[1],
    "add3": lambda s, k: s[0] + s[1] + s[2], "mul": lambda s, k: s[0] * s[1],
    "mad": lambda s, k: s[0] + s[1] * s[2], "avg": lambda s, k: (s[0] + s[1] + 1) >> 1,
    "shl": lambda s, k: s[0] << (s[1] & wide(k[3]) - 1),
    "shr": lambda s, k: unsigned(s[0], k[0]) >> (s[1] & wide(k[3]) - 1),
    "asr": lambda s, k: s[0] >> (s[1] & wide(k[3]) - 1),
    "rol": lambda s, k: rotate(s[0], s[1], k[0], True), "ror": lambda s, k: rotate(s[0], s[1], k[0], False),
    "cbit": lambda s, k: bin(s[0] & (1 << 8 * SIZES[k[0]]) - 1).count("1"), "lzd": lambda s, k: lzd(s[0]),
    "fbl": lambda s, k: fbl(s[0]), "fbh": lambda s, k: fbh(s[0], k[0]),
    "bfrev": lambda s, k: int(format(s[0] & 0xffffffff, "032b")[::-1], 2),
    "bfe": lambda s, k: bfe(s[0], s[1], s[2], k[2]), "bfi2": lambda s, k: bfi2(*s),
    "bfi1": lambda s, k: (1 << (s[0] & 31)) - 1 << (s[1] & 31), "dp4a": lambda s, k: dp4a(s, k),
}
REAL = {
    "mov": lambda a: a, "add": lambda a, b: a + b, "mul": lambda a, b: a * b, "mad": lambda a, b, c: a + b * c,
    "rndd": math.floor, "rndu": math.ceil, "rndz": math.trunc, "rnde": round, "frc": lambda a: a - math.floor(a),
}


def compute(ins, kinds, s):
    """The result, not yet rounded or cut to the destination's type"""
    op = ins.op
    if op == "math":
        return maths(ins.function, s, kinds[0])
    if op == "bfn":
        return bfn(ins.function, s)
    if any(k in FLOATS for k in kinds[:len(s)]):
        if op not in REAL:
            raise Fault("no such of floating point: " + ins.text)
        if op == "mov":
            return s[0]
        if op[:2] in ("rn", "fr") and not math.isfinite(s[0]):
            return s[0] if op != "frc" else NAN
        return exact(REAL[op], s)
    if op not in INTEGER:
        raise Fault("no instruction " + ins.text)
    return INTEGER[op](s, kinds)


def fitted(value, kind, saturated, mode):
    """A result as a value of the type, to be written"""
    if kind in FLOATS:
        value = rounded(Fraction(value) if isinstance(value, int) else value, kind, mode)
        if saturated:
            value = 0.0 if value != value else min(max(value, 0.0), 1.0)
        return value
    bits = 8 * SIZES[kind]
    if isinstance(value, (float, Fraction)):
        saturated = True
        if isinstance(value, float) and not math.isfinite(value):
            value = 0 if value != value else (1 << 70) * (1 if value > 0 else -1)
        value = math.trunc(value)
    if saturated:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind in SIGNED else (0, (1 << bits) - 1)
        value = min(max(value, low), high)
    return value & (1 << bits) - 1
