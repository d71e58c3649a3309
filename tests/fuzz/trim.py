#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: trim.py FROM TO: a recording whose kernel symbols are but the first ones, to be small

Chunks are as docs/file-format.md has them.
"""
import struct
import subprocess
import sys

LINES = 40
KALLSYMS = 4


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


data = open(sys.argv[1], "rb").read()
out, at = data[:32], 32
while at < len(data):
    head = list(struct.unpack_from("<IHHIIIIQQ", data, at))
    payload = data[at + 40:at + 40 + head[6]]
    at += 40 + head[6]
    if head[1] == KALLSYMS:
        if head[2] & 1:
            payload = subprocess.run(["zstd", "-dc"], input=payload, stdout=subprocess.PIPE, check=True).stdout
        ids, symbols = payload.split(b"\n\n", 1)
        payload = ids + b"\n\n" + b"".join(symbols.splitlines(True)[:LINES])
        head[2], head[5], head[6] = 0, len(payload), len(payload)
        head[0] = crc32c(struct.pack("<HHIIIIQQ", *head[1:]) + payload)
    out += struct.pack("<IHHIIIIQQ", *head) + payload
open(sys.argv[2], "wb").write(out)
