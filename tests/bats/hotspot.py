#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: hotspot.py FILE: what hotspot's parser made of a perf.data, as folded stacks by event

FILE is what hotspot-perfparser writes for hotspot: a header, then messages with their size in front,
in Qt's serialization (big-endian). Printed is EVENT, the command's name and the stack from outside in,
by semicolons, then samples and cost.
"""
import collections
import struct
import sys

COMMAND, LOCATION, SYMBOL, STRING, LOST, ATTRIBUTES, SAMPLE = 2, 3, 4, 5, 6, 11, 13


class Message:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, code):
        value, = struct.unpack_from(">" + code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def text(self):
        size = self.take("I")
        self.at += size
        return self.data[self.at - size:self.at].decode()


def messages(data):
    magic = b"QPERFSTREAM\0"
    if not data.startswith(magic):
        sys.exit("this is not of hotspot's parser")
    at = len(magic) + 4  # the version of the serialization
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        yield Message(data[at + 4:at + 4 + size])
        at += 4 + size


strings, parent, symbol, event, comm = {}, {}, {}, {}, {}
samples = []
for m in messages(open(sys.argv[1], "rb").read()):
    kind = m.take("B")
    if kind == STRING:
        number = m.take("i")
        strings[number] = m.text()
    elif kind == COMMAND:
        _pid, tid, _time, _cpu = m.take("I"), m.take("I"), m.take("Q"), m.take("I")
        comm[tid] = m.take("i")
    elif kind == LOCATION:
        number, _address, _file = m.take("i"), m.take("Q"), m.take("i")
        _pid, _line, _column = m.take("I"), m.take("i"), m.take("i")
        parent[number] = m.take("i")
    elif kind == SYMBOL:
        number = m.take("i")
        symbol[number] = m.take("i")
    elif kind == ATTRIBUTES:
        number, _type, _config = m.take("i"), m.take("I"), m.take("Q")
        event[number] = m.take("i")
    elif kind == SAMPLE:
        _pid, tid, _time, _cpu = m.take("I"), m.take("I"), m.take("Q"), m.take("I")
        frames = [m.take("i") for _ in range(m.take("I"))]
        m.take("B")  # how many of them are guesses
        costs = [(m.take("i"), m.take("Q")) for _ in range(m.take("I"))]
        samples.append((tid, frames, costs))


def name(frame):
    while frame not in symbol and parent.get(frame, -1) >= 0:
        frame = parent[frame]
    return strings.get(symbol.get(frame), "?")


rows = collections.defaultdict(lambda: [0, 0])
for tid, frames, costs in samples:
    for number, cost in costs:
        stack = [strings.get(comm.get(tid), "?")] + [name(f) for f in reversed(frames)]
        row = rows[strings[event[number]], ";".join(stack)]
        row[0] += 1
        row[1] += cost
for (of, stack), (n, cost) in sorted(rows.items(), key=lambda r: (r[0][0], -r[1][0], r[0][1])):
    print(of, stack, n, cost)
