#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: counts.py DIR: what tests/itt/count.c counted there in all processes, "NAME N" a line"""
import collections
import os
import struct
import sys


def read(folder):
    """Calls of each name, by PID"""
    of = {}
    for pid in os.listdir(folder):
        of[int(pid)] = calls = collections.Counter()
        with open(os.path.join(folder, pid), "rb") as f:
            for name, count in struct.iter_unpack("56sQ", f.read()):
                calls[name.rstrip(b"\0").decode()] += count
    return of


if __name__ == "__main__":
    for name, count in sum(read(sys.argv[1]).values(), collections.Counter()).items():
        print(name, count)
