#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes newer.txt: what a newer registry of Vulkan has beyond the installed one, of the extensions that are asked for.

usage: extract_newer.py INSTALLED_VK_XML NEWER_VK_XML OUT NAME...

NAME: a version (VK_VERSION_1_4) or an extension. Run it when newer.txt is to know more; the build only reads newer.txt.
"""
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

sys.dont_write_bytecode = True
from registry import Member, header_version, holds, of_vulkan  # noqa: E402


class Facts:
    """Names of a registry: types, commands, enumerants with their numbers."""

    def __init__(self, path):
        self.root = ET.parse(path).getroot()
        self.types = {self.name(n): n for n in self.root.findall("types/type") if of_vulkan(n) and self.name(n)}
        self.commands = {n.get("name") or n.find("proto/name").text: n
                         for n in self.root.findall("commands/command") if of_vulkan(n)}
        self.enums = {n.get("name"): n for n in self.root.findall("enums")}
        self.blocks = {n.get("name"): n for n in self.root.findall("feature") + self.root.findall("extensions/extension")
                       if of_vulkan(n)}
        self.numbers, self.owner = {}, {}
        for group in self.root.findall("enums"):
            for value in group.findall("enum"):
                self.take(value, group.get("name"), None)
        for block in self.blocks.values():
            for value in block.findall("require/enum"):
                if value.get("extends") and of_vulkan(value):
                    self.take(value, value.get("extends"), block)

    @staticmethod
    def name(node):
        return node.get("name") or (node.find("name").text if node.find("name") is not None else None)

    def take(self, value, group, block):
        name = value.get("name")
        self.owner[name] = group
        if value.get("alias"):
            self.numbers.setdefault(name, value.get("alias"))
        elif value.get("bitpos"):
            self.numbers[name] = hex(1 << int(value.get("bitpos")))
        elif value.get("value"):
            self.numbers[name] = value.get("value")
        elif value.get("offset"):
            number = 1000000000 + (int(value.get("extnumber") or block.get("number")) - 1) * 1000 + int(value.get("offset"))
            self.numbers[name] = ("-" if value.get("dir") else "") + str(number)

    def number(self, name):
        while name in self.numbers:
            name = self.numbers[name]
        return name


class Table:
    """What the newer registry adds, in the order in which a C header needs it."""

    def __init__(self, installed, newer):
        self.installed, self.newer = installed, newer
        self.lines, self.done = [], set()
        self.classes = {}  # canonical name -> its aliases
        for name, node in list(newer.types.items()) + list(newer.commands.items()):
            if node.get("alias"):
                self.classes.setdefault(node.get("alias"), []).append(name)

    def has(self, name):
        return name in self.installed.types or name in self.installed.commands

    def alias(self, name, target):
        """An alias, of the name that the installed registry has where it has one."""
        known = [n for n in [target] + self.classes.get(target, []) if self.has(n)]
        if not known:
            self.add(target)
        self.lines.append(f"alias {name} {known[0] if known else target}")

    def add(self, name):
        if name in self.done or self.has(name):
            return
        self.done.add(name)
        node = self.newer.types.get(name, self.newer.commands.get(name))
        if node is None or node.get("category") in ("define", "include"):
            return
        if node.get("alias"):
            return self.alias(name, node.get("alias"))
        known = [n for n in self.classes.get(name, []) if self.has(n)]
        if known:
            self.lines.append(f"alias {name} {known[0]}")
            self.lines += [f"value {known[0]} {line}" for line in self.values(name)]
        elif name in self.newer.commands:
            self.command(name, node)
        else:
            self.type(name, node)

    def type(self, name, node):
        kind = node.get("category")
        if kind in ("struct", "union"):
            self.struct(kind, name, node)
        elif kind == "enum":
            bits64 = name in self.newer.enums and self.newer.enums[name].get("bitwidth") == "64"
            self.lines.append(f"{'bits64' if bits64 else 'enum'} {name}")
            self.lines += [f"  {line}" for line in self.values(name)]
        elif kind == "bitmask":
            bits = node.get("requires") or node.get("bitvalues")
            if bits:
                self.add(bits)
            self.lines.append(f"{'flags64' if node.find('type').text == 'VkFlags64' else 'flags'} {name}" + (f" {bits}" if bits else ""))
        elif kind == "handle":
            self.lines.append(f"handle {name}")
        else:
            sys.exit(f"extract_newer.py: {name}: no way to write a {kind}")

    def values(self, name):
        """Values of an enumeration that come with it; what an extension adds comes with that extension."""
        return [f"{n} {self.newer.number(n)}" for n, owner in self.newer.owner.items()
                if owner == name and n not in self.by_block and not self.newer.numbers[n].startswith("VK_") and n not in self.installed.numbers]

    def constant(self, name):
        """The size of an array, where it has a name that is new."""
        if name in self.newer.numbers and name not in self.installed.numbers and name not in self.done:
            self.done.add(name)
            self.lines.append(f"constant {name} {self.newer.number(name)}")

    @staticmethod
    def member(m):
        marks = [f"len={m.length}" if m.length else "", f"stride={m.stride}" if m.stride else "", "optional" if m.optional else ""]
        marks = " ".join(x for x in marks if x)
        return f"  {m.declaration}" + (f" ; {marks}" if marks else "")

    def struct(self, kind, name, node):
        members = [Member(m) for m in node.findall("member") if of_vulkan(m)]
        for m in members:
            self.add(m.type)
            self.constant(m.array)
        stype = node.find("member").get("values") if node.find("member") is not None else None
        chain = next((m.declaration for m in members if m.name == "pNext"), "")
        extends = " ".join((node.get("structextends") or "").split(","))
        if stype:
            self.lines.append(f"{kind} {name} {stype} {'in' if 'const' in chain else 'out'} {extends}".rstrip())
            members = [m for m in members if m.name not in ("sType", "pNext")]
        else:
            self.lines.append(f"{kind} {name}")
        self.lines += [self.member(m) for m in members]

    def command(self, name, node):
        parameters = [Member(p) for p in node.findall("param") if of_vulkan(p)]
        for p in parameters:
            self.add(p.type)
        self.lines.append(f"command {node.find('proto/type').text} {name}")
        self.lines += [self.member(p) for p in parameters]

    def requires(self, nodes):
        """What the parts of a version or an extension bring with what else is here."""
        return [r for node in nodes for r in node.findall("require") if of_vulkan(r) and holds(r.get("depends"), self.here)]

    def block(self, nodes, seen):
        """A version or an extension: what it gives, under which condition. A version may have parts."""
        conditions = {}  # condition -> kind -> names
        for require in self.requires(nodes):
            inside = conditions.setdefault((require.get("depends") or "always").replace(" ", ""), {"types": [], "commands": [], "values": []})
            for child in require:
                n = child.get("name")
                if child.tag in ("type", "command") and (n in self.done or self.has(n)):
                    inside[child.tag + "s"].append(n)
                elif child.tag == "enum" and child.get("extends") and n not in self.installed.numbers and n not in seen:
                    seen.add(n)
                    inside["values"].append(" ".join([child.get("extends"), n, self.newer.number(n), child.get("alias", "")]).rstrip())
        made = [self.head(nodes[0])]
        for condition, inside in conditions.items():
            if condition != "always":
                made.append(f"  if {condition}")
            made += [line for kind in ("types", "commands") if inside[kind] for line in wrapped(f"  {kind}", inside[kind])]
            made += [f"  value {value}" for value in inside["values"]]
        return made

    @staticmethod
    def head(node):
        if node.tag == "feature":
            return f"version {node.get('name')} {node.get('number')}"
        spec = next(e.get("value") for e in node.iter("enum") if e.get("name").endswith("_SPEC_VERSION"))
        return f"extension {node.get('name')} {node.get('number')} {node.get('type')} {spec}"


def wrapped(start, words):
    lines = [start]
    for word in words:
        if len(lines[-1]) + len(word) > 148:
            lines.append(start)
        lines[-1] += " " + word
    return lines


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    installed, newer = Facts(sys.argv[1]), Facts(sys.argv[2])
    header = [header_version(facts.root) for facts in (installed, newer)]
    table = Table(installed, newer)
    blocks = []
    for name in sys.argv[4:]:
        parts = [newer.blocks[n] for part in ("BASE_", "COMPUTE_", "GRAPHICS_") for n in [name.replace("VERSION", part + "VERSION")]
                 if n != name and n in newer.blocks]
        blocks.append([newer.blocks[name]] + parts)
    table.by_block = {e.get("name") for b in newer.blocks.values() for e in b.findall("require/enum") if e.get("extends")}
    table.here = set(installed.blocks) | set(sys.argv[4:])
    for kind, key in (("type", "name"), ("enum", "extends"), ("command", "name")):
        for node in (n for nodes in blocks for require in table.requires(nodes) for n in require.findall(kind)):
            table.add(node.get(key))
    seen, text = set(), []
    for nodes in blocks:
        text += [""] + table.block(nodes, seen)
    note = (f"# Names of Vulkan newer than header {header[0]}, as of header {header[1]}: facts of the public registry, in short. newer.py reads it\n"
            "# beside vk.xml; what vk.xml has already is passed over. Written by extract_newer.py.\n\n")
    Path(sys.argv[3]).write_text(note + "\n".join(table.lines + text) + "\n")


main()
