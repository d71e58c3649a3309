#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""usage: spec_tables.py uapi/vsamp.yaml > spec_tables.h

Turns the family's netlink spec into C tables, and into assertions that the
numbers of the header are those of the spec.
"""
import sys

import yaml

LIMITS = {"u32-max": 0xFFFFFFFF, "u16-max": 0xFFFF, "u8-max": 0xFF, "u64-max": 0xFFFFFFFFFFFFFFFF,
          "s32-max": 0x7FFFFFFF}


def c_name(*parts):
    return "".join(parts).replace("-", "_")


def numbered(entries, start):
    """(entry as a mapping, its number), where numbers that aren't given count on"""
    value = start
    for entry in entries:
        if isinstance(entry, str):
            entry = {"name": entry}
        value = entry.get("value", value)
        yield entry, value
        value += 1


class Spec:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.yaml = yaml.safe_load(f)
        self.consts = {d["name"]: d["value"] for d in self.yaml.get("definitions", []) if d["type"] == "const"}
        self.enums = {d["name"]: d for d in self.yaml.get("definitions", []) if d["type"] in ("enum", "flags")}

    def number(self, value):
        if isinstance(value, int):
            return value
        return LIMITS[value] if value in LIMITS else self.consts[value]

    def bounds(self, attr):
        """smallest and largest value that the spec allows"""
        bits = {"u8": 8, "u16": 16, "u32": 32, "u64": 64}.get(attr["type"], 64)
        low, high = 0, (1 << bits) - 1
        checks = attr.get("checks", {})
        if "enum" in attr and attr["enum"] in self.enums and not checks:
            d = self.enums[attr["enum"]]
            values = [v for _, v in numbered(d["entries"], d.get("value-start", 0))]
            if d["type"] == "flags":
                high = sum(1 << v for v in values)
            else:
                low, high = min(values), max(values)
        low = self.number(checks.get("min", low))
        high = self.number(checks.get("max", checks.get("flags-mask", high)))
        return low, high

    def print_set(self, attr_set):
        prefix = attr_set.get("name-prefix", "%s-a-" % self.yaml["name"])
        ident = c_name("spec_", attr_set["name"])
        entries = list(numbered(attr_set["attributes"], 1))
        print("static const struct spec_attr %s[] = {" % ident)
        for a, number in entries:
            kind = a["type"].upper().replace("-", "_")
            low, high = self.bounds(a) if a["type"] in ("u8", "u16", "u32", "u64") else (0, 0)
            length = a.get("checks", {})
            print('\t{ "%s", %d, SPEC_%s, %#xULL, %#xULL, %d, %s },' % (
                a["name"], number, kind, low, high,
                self.number(length.get("max-len", 0)),
                c_name("spec_", a["nested-attributes"]) if "nested-attributes" in a else "NULL"))
        print("\t{}\n};")
        for a, number in entries:
            constant = c_name(prefix, a["name"]).upper()
            print('_Static_assert(%s == %d, "%s");' % (constant, number, a["name"]))
        print()

    def print_sets(self):
        """nests before those that name them"""
        todo, done = list(self.yaml["attribute-sets"]), set()
        while todo:
            attr_set = todo.pop(0)
            needs = {a["nested-attributes"] for a in attr_set["attributes"] if "nested-attributes" in a}
            if needs - done:
                todo.append(attr_set)
                continue
            self.print_set(attr_set)
            done.add(attr_set["name"])

    def set_numbers(self, name):
        attr_set = next(s for s in self.yaml["attribute-sets"] if s["name"] == name)
        return {a["name"]: n for a, n in numbered(attr_set["attributes"], 1)}

    def print_ops(self):
        ops = self.yaml["operations"]
        prefix = ops.get("name-prefix", "%s-cmd-" % self.yaml["name"])
        rows = []
        for op, number in numbered(ops["list"], 1):
            if "do" not in op and "dump" not in op:
                continue
            numbers = self.set_numbers(op["attribute-set"])
            mode = "dump" if "dump" in op else "do"
            body = op[mode] or {}
            lists = []
            for part in ("request", "reply"):
                attrs = (body.get(part) or {}).get("attributes", [])
                ident = c_name("spec_", op["name"], "_", part)
                print("static const int %s[] = { %s };" % (
                    ident, ", ".join(str(numbers[a]) for a in attrs) + (", 0" if attrs else "0")))
                lists.append(ident)
            print('_Static_assert(%s == %d, "%s");' % (c_name(prefix, op["name"]).upper(), number, op["name"]))
            rows.append('\t{ "%s", %d, %s, %s, %s, %s },' % (
                op["name"], number, "true" if mode == "dump" else "false",
                c_name("spec_", op["attribute-set"]), lists[0], lists[1]))
        print("static const struct spec_op spec_ops[] = {\n%s\n\t{}\n};" % "\n".join(rows))


def main():
    spec = Spec(sys.argv[1])
    print("/* made from %s */" % sys.argv[1])
    spec.print_sets()
    spec.print_ops()


if __name__ == "__main__":
    main()
