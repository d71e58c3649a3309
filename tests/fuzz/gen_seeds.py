#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: gen_seeds.py FOLDER: inputs of fuzz_gen.c, from kernels that Intel's compiler makes"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../gen"))
# pylint: disable=wrong-import-position
import gen
from binary import DEVICES, compiled, kernels, opened
from marks import code_of

SMALL = 2000  # bytes: what is mutated is then reached


def main():
    def put(what, name, platform, data):
        with open("%s/%s-%d-%s" % (sys.argv[1], what, platform, name), "wb") as f:
            f.write(what.encode() + (b"" if what == "Z" else bytes([platform])) + data)

    with tempfile.TemporaryDirectory() as folder:
        for number, device in enumerate(DEVICES.values()):
            for source in ("kernels", "exec"):
                with open(compiled(device, folder, "%s/tests/gen/%s.cl" % (gen.TREE, source)), "rb") as f:
                    data = f.read()
                binary = opened(data)
                for k in kernels(binary):
                    code = code_of(k)
                    put("D", k.name.decode(), number, code[:SMALL // 4])
                    if len(code) <= SMALL:
                        put("K", k.name.decode(), number, code)
            with open(compiled(device, folder, gen.TREE + "/tests/gen/called.cl"), "rb") as f:
                put("Z", "called", number, f.read())
            put("E", "any", number, bytes(range(120)))


main()
