# SPDX-License-Identifier: MIT
"""Vulkan's registry (vk.xml) and the list of what the driver offers (offered.txt), read."""
import re
import sys
from pathlib import Path


def of_vulkan(node):
    """Whether a node of vk.xml is of Vulkan itself, and not of its relatives alone."""
    return "vulkan" in node.get("api", "vulkan").split(",")


class Member:
    """A parameter of a command or a member of a structure."""

    def __init__(self, node):
        self.name = node.find("name").text
        self.type = node.find("type").text
        self.declaration = re.sub(r"\s+", " ", "".join(
            text for child in node.iter() if child.tag != "comment"
            for text in ([child.text or ""] if child is node else [child.text or "", child.tail or ""]))).strip()
        before, after = self.declaration.rsplit(self.name, 1)
        self.pointers = before.count("*")
        self.array = re.sub(r"[\[\] ]", "", after) if "[" in after else None
        self.stride = node.get("stride")  # the member that says how far elements lie apart
        self.length = (node.get("altlen") or node.get("len") or "").split(",")[0]  # may be a sum or a quotient
        self.optional = "true" in node.get("optional", "")  # it, or an element of it


class Command:
    def __init__(self, node):
        self.name = node.find("proto/name").text
        self.result = node.find("proto/type").text
        self.parameters = [Member(p) for p in node.findall("param") if of_vulkan(p)]
        self.short = self.name[2:]

    def signature(self):
        return f"VKAPI_ATTR {self.result} VKAPI_CALL {self.short}({', '.join(p.declaration for p in self.parameters)})"


def header_version(root):
    """The number of vk.xml that grows with every release."""
    for node in root.findall("types/type"):
        if node.find("name") is not None and node.find("name").text == "VK_HEADER_VERSION":
            return int(node.find("name").tail.split()[0])
    sys.exit("generate.py: vk.xml: no VK_HEADER_VERSION")


def newest_header(root):
    """The same of the newest registry that the driver follows: newer.txt's, or vk.xml's where that is newer."""
    first = (Path(__file__).parent / "newer.txt").read_text().splitlines()[0]
    return max(header_version(root), int(re.search(r"as of header (\d+)", first).group(1)))


def rank(name):
    """Of several names of a command, the lowest is its own: one of a version of Vulkan, of Khronos, of several vendors, of one."""
    return 1 if name.endswith("KHR") else 2 if name.endswith("EXT") else 3 if re.search(r"[A-Z]{2,}$", name) else 0


def holds(condition, known):
    """Whether `A+(B,C)`, a condition of vk.xml, holds where `known` is there: + is and, a comma is or. Features (S::f) are passed over."""
    if not condition:
        return True
    return eval(re.sub(r"[\w:]+", lambda m: str("::" in m.group() or m.group() in known), condition).replace("+", " and ").replace(",", " or "), {})


class Registry:
    def __init__(self, root, offered):
        self.root = root
        self.minor = int(offered["version"][0].split(".")[1])
        self.patch = newest_header(root)
        self.core = [f"1.{minor}" for minor in range(self.minor + 1)]  # versions whose commands are always there
        self.commands, self.alias, self.structs, self.extends = {}, {}, {}, {}
        for node in self.root.findall("commands/command"):
            if node.get("alias"):
                self.alias[node.get("name")] = node.get("alias")
            elif of_vulkan(node):
                command = Command(node)
                self.commands[command.name] = command
        self.name_by_newest()
        self.struct_alias = {n.get("name"): n.get("alias") for n in self.root.findall("types/type") if n.get("category") == "struct" and n.get("alias")}
        for node in self.root.findall("types/type"):
            if node.get("category") == "struct" and not node.get("alias"):
                self.structs[node.get("name")] = [Member(m) for m in node.findall("member") if of_vulkan(m)]
                self.extends[node.get("name")] = (node.get("structextends") or "").split(",")
        self.stypes = {n.get("name"): n.find("member").get("values") for n in self.root.findall("types/type")
                       if n.get("category") == "struct" and n.find("member") is not None and n.find("member").get("values")}
        self.extensions = {n.get("name"): n for n in self.root.findall("extensions/extension")}
        self.versions = {}
        for name in offered["instance"] + offered["device"]:
            if name not in self.extensions:
                sys.exit(f"generate.py: offered.txt: vk.xml has no extension {name}")
            for enum in self.extensions[name].iter("enum"):
                if enum.get("name").endswith("_SPEC_VERSION") and enum.get("value"):
                    self.versions[name] = enum.get("value")

    def name_by_newest(self):
        """A command that has several names goes by the one of a version of Vulkan, or else by Khronos's, whichever registry is read."""
        for name, of in list(self.alias.items()):
            if rank(name) < rank(of) and of in self.commands:
                command = self.commands.pop(of)
                command.name, command.short = name, name[2:]
                self.commands[name] = command
                self.alias = {n: name if a == of else a for n, a in self.alias.items() if n != name}
                self.alias[of] = name

    def entries(self, offered):
        """name -> [core version or "", extensions that give it]."""
        found = {}
        for feature in self.root.findall("feature"):
            if feature.get("number") in self.core and of_vulkan(feature):
                for node in feature.findall("require/command"):
                    found.setdefault(node.get("name"), [feature.get("number"), []])
        # Older registries give all of its commands to whoever offers it, and so does the driver: it refuses what it has no feature for.
        # Shader objects have the same states, and programs ask for all of these commands before they look for features.
        states = "VK_EXT_extended_dynamic_state3"
        whole = {node.get("name") for node in self.extensions[states].findall("require/command")} if states in offered["device"] else set()
        known = set(offered["instance"] + offered["device"]) | {"VK_VERSION_" + version.replace(".", "_") for version in self.core}
        for name in offered["instance"] + offered["device"]:
            for require in self.extensions[name].findall("require"):
                given = holds(require.get("depends") or require.get("extension") or require.get("feature"), known)
                for node in require.findall("command"):
                    if not given and not (name in (states, "VK_EXT_shader_object") and node.get("name") in whole):
                        continue
                    found.setdefault(node.get("name"), ["", []])[1].append(name)
        return found

    def command(self, name):
        return self.commands[self.alias.get(name, name)]


def read_offered(path):
    sections, current = {"version": [], "instance": [], "device": [], "features": []}, None
    for line in Path(path).read_text().splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            current = sections[line.strip("[]")]
        elif line:
            current.extend(line.split())
    return sections
