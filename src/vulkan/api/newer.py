# SPDX-License-Identifier: MIT
"""newer.txt: names that the installed registry and headers of Vulkan do not have yet, put beside those that they have."""
import re
import xml.etree.ElementTree as ET
from pathlib import Path

from registry import Member, header_version, of_vulkan


def member_node(tag, line):
    """`const VkImage* pImages[2] ; len=count optional` as vk.xml writes a member or a parameter."""
    declaration, _, marks = line.strip().partition(" ; ")
    before, kind, between, name, after = re.fullmatch(r"((?:const |struct )*)(\w+)(\W.*?)(\w+)((?:\[\w+\])*)", declaration).groups()
    node = ET.Element(tag)
    node.text = before
    for child, text, tail in (("type", kind, between), ("name", name, after)):
        part = ET.SubElement(node, child)
        part.text, part.tail = text, tail
    for mark in marks.split():
        key, _, value = mark.partition("=")
        node.set(key, value or "true")
    return node


class Newer:
    """The names of newer.txt that a registry lacks, as nodes of that registry."""

    def __init__(self, root, path):
        self.root = root
        self.types, self.commands = root.find("types"), root.find("commands")
        self.known = {n.get("name") or n.find("name").text for n in root.findall("types/type") if n.get("name") or n.find("name") is not None}
        self.known |= {n.get("name") or n.find("proto/name").text for n in root.findall("commands/command")}
        self.values = {n.get("name") for n in root.iter("enum") if n.get("name")}
        self.versions = {n.get("number") for n in root.findall("feature")}
        self.extensions = {n.get("name") for n in root.findall("extensions/extension")}
        self.empty = {n.get("name") for n in root.findall("types/type") if n.get("category") == "enum" and not n.get("alias")}
        self.empty -= {n.get("name") for n in root.findall("enums") if n.find("enum") is not None}
        self.empty -= {n.get("extends") for n in root.iter("enum")}  # headers have no type without values
        self.aliases = {}  # name -> those that stand for it
        self.added = []  # nodes of types, commands and values, in the order of a C header
        items = self.read(path)
        for head, _ in items:
            if head[0] == "alias":
                self.aliases.setdefault(head[2], []).append(head[1])
        for head, lines in items:
            getattr(self, "add_" + head[0])(head[1:], lines)

    @staticmethod
    def read(path):
        """(the words of a line, the lines below it that are indented), for each line that is not."""
        items = []
        for line in Path(path).read_text().splitlines():
            if line.startswith("  "):
                items[-1][1].append(line.strip())
            elif line and not line.startswith("#"):
                items.append((line.split(), []))
        return items

    def is_there(self, name):
        """Whether the registry has the name, or has it once an alias is added of a name that it does have."""
        if name in self.known:
            return True
        for other in self.aliases.get(name, []):
            if other in self.known:
                self.add_alias([name, other], [])
                return True
        self.known.add(name)
        return False

    def add_alias(self, words, _):
        name, of = words
        if name in self.known:
            return
        self.known.add(name)
        parent = self.commands if name.startswith("vk") else self.types
        of = next((n.get("alias") for n in parent if n.get("name") == of and n.get("alias")), of)
        node = ET.SubElement(parent, "command" if name.startswith("vk") else "type", name=name, alias=of)
        if parent is self.types:
            node.set("category", next(n.get("category") for n in parent if of in (n.get("name"), n.findtext("name"))))
        self.added.append(node)

    def add_struct(self, words, lines, category="struct"):
        if self.is_there(words[0]):
            return
        node = ET.SubElement(self.types, "type", name=words[0], category=category, structextends=",".join(words[3:]))
        if len(words) > 1:
            node.append(member_node("member", "VkStructureType sType"))
            node[0].set("values", words[1])
            node.append(member_node("member", f"{'const ' if words[2] == 'in' else ''}void* pNext ; optional"))
        node.extend(member_node("member", line) for line in lines)
        self.added.append(node)

    def add_union(self, words, lines):
        self.add_struct(words, lines, "union")

    def add_command(self, words, lines):
        result, name = words
        if self.is_there(name):
            return
        node = ET.SubElement(self.commands, "command")
        proto = ET.SubElement(node, "proto")
        ET.SubElement(proto, "type").text = result
        ET.SubElement(proto, "name").text = name
        node.extend(member_node("param", line) for line in lines)
        self.added.append(node)

    def add_simple(self, name, category, **more):
        if not self.is_there(name):
            self.added.append(ET.SubElement(self.types, "type", name=name, category=category, **more))

    def add_constant(self, words, _):
        self.put_value(self.root, ["uint32_t"] + words)

    def add_handle(self, words, _):
        self.add_simple(words[0], "handle")

    def add_flags(self, words, _):
        self.add_simple(words[0], "bitmask", bits="VkFlags")

    def add_flags64(self, words, _):
        self.add_simple(words[0], "bitmask", bits="VkFlags64")

    def add_enum(self, words, lines, bits="enum"):
        self.add_simple(words[0], "enum", bits=bits)
        for line in lines:
            self.put_value(self.root, [words[0]] + line.split())

    def add_bits64(self, words, lines):
        self.add_enum(words, lines, "VkFlags64")

    def add_value(self, words, _):
        self.put_value(self.root, words)

    def put_value(self, parent, words):
        if words[1] not in self.values:
            self.values.add(words[1])
            if words[0] in self.empty:
                words[0] = "VkFlags"
            node = ET.SubElement(parent, "enum", extends=words[0], name=words[1], value=words[2])
            if len(words) > 3:
                node.set("alias", words[3])
            self.added.append(node)

    def add_block(self, block, lines):
        require = ET.SubElement(block, "require")
        for line in lines:
            what, *words = line.split()
            if what == "if":
                require = ET.SubElement(block, "require", depends=words[0])
            elif what == "value":
                self.put_value(require, words)
            else:
                for word in words:
                    ET.SubElement(require, what[:-1], name=word)

    def add_version(self, words, lines):
        if words[1] not in self.versions:
            self.add_block(ET.SubElement(self.root, "feature", api="vulkan", name=words[0], number=words[1]), lines)

    def add_extension(self, words, lines):
        name, number, kind, spec = words
        if name in self.extensions:
            self.grow(self.root.find(f"extensions/extension[@name='{name}']"), spec, lines)
        else:
            block = ET.SubElement(self.root.find("extensions"), "extension", name=name, number=number, type=kind, supported="vulkan")
            self.add_block(block, lines)
            ET.SubElement(block[0], "enum", name=name.upper() + "_SPEC_VERSION", value=spec)


    def grow(self, block, spec, lines):
        """An extension that the registry has, in an older version."""
        version = next(e for e in block.iter("enum") if e.get("name").endswith("_SPEC_VERSION"))
        if int(version.get("value")) >= int(spec):
            return
        version.set("value", spec)
        known = {n.get("name") for n in block.findall("require/*")}
        new = []
        for line in lines:
            what, *words = line.split()
            words = [w for w in words if w not in known] if what in ("types", "commands") else words
            new += [" ".join([what] + words)] if words else []
        self.add_block(block, new)


def read_registry(vk_xml):
    """vk.xml with the names of newer.txt, and what these are."""
    root = ET.parse(vk_xml).getroot()
    return root, Newer(root, Path(__file__).parent / "newer.txt")


def declarations(root, newer):
    """What templates/newer.hpp.in sees: the lines of C that declare what the installed headers lack."""
    lines = []
    results = {n.findtext("proto/name"): n for n in root.findall("commands/command") if n.find("proto") is not None}
    for node in newer.added:
        name = node.get("name")
        if node.tag == "enum":
            lines.append(f"inline constexpr {node.get('extends')} {name} = static_cast<{node.get('extends')}>({node.get('value')});")
        elif node.tag == "command":
            command = results[node.get("alias") or node.findtext("proto/name")]
            parameters = ", ".join(Member(p).declaration for p in command.findall("param") if of_vulkan(p))
            lines.append(f"typedef {command.findtext('proto/type')}(VKAPI_PTR* PFN_{name or node.findtext('proto/name')})({parameters});")
        elif node.get("alias"):
            lines.append(f"typedef {node.get('alias')} {name};")
        elif node.get("category") == "handle":
            lines.append(f"VK_DEFINE_NON_DISPATCHABLE_HANDLE({name})")
        elif node.get("bits") == "enum":
            lines.append(f"typedef enum {name} {{ {name}_RESERVED = 0x7FFFFFFF }} {name};")
        elif node.get("bits"):
            lines.append(f"typedef {node.get('bits')} {name};")
        else:
            members = " ".join(f"{Member(m).declaration};" for m in node.findall("member"))
            lines.append(f"typedef {node.get('category')} {name} {{ {members} }} {name};")
    return {"lines": lines, "header": header_version(root)}
