# SPDX-License-Identifier: MIT
"""Vulkan's registry (vk.xml) and the list of what the driver offers (offered.txt), read."""
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


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
        self.parameters = [Member(p) for p in node.findall("param")
                           if p.get("api") in (None, "vulkan") or "vulkan" in p.get("api").split(",")]
        self.short = self.name[2:]

    def signature(self):
        return f"VKAPI_ATTR {self.result} VKAPI_CALL {self.short}({', '.join(p.declaration for p in self.parameters)})"


class Registry:
    def __init__(self, path, offered):
        self.root = ET.parse(path).getroot()
        self.minor = int(offered["version"][0].split(".")[1])
        self.core = [f"1.{minor}" for minor in range(self.minor + 1)]  # versions whose commands are always there
        self.commands, self.alias, self.structs, self.extends = {}, {}, {}, {}
        for node in self.root.findall("commands/command"):
            if node.get("alias"):
                self.alias[node.get("name")] = node.get("alias")
            elif node.get("api") in (None, "vulkan"):
                command = Command(node)
                self.commands[command.name] = command
        self.struct_alias = {n.get("name"): n.get("alias") for n in self.root.findall("types/type") if n.get("category") == "struct" and n.get("alias")}
        for node in self.root.findall("types/type"):
            if node.get("category") == "struct" and not node.get("alias"):
                self.structs[node.get("name")] = [Member(m) for m in node.findall("member")
                                                  if m.get("api") in (None, "vulkan")]
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

    def entries(self, offered):
        """name -> [core version or "", extensions that give it]."""
        found = {}
        for feature in self.root.findall("feature"):
            if feature.get("number") in self.core and "vulkan" in feature.get("api").split(","):
                for node in feature.findall("require/command"):
                    found.setdefault(node.get("name"), [feature.get("number"), []])
        known = set(offered["instance"] + offered["device"])
        for name in offered["instance"] + offered["device"]:
            for require in self.extensions[name].findall("require"):
                needed = (require.get("depends") or require.get("extension") or require.get("feature") or "")
                parts = [p for p in re.split(r"[,+]", needed) if p and not p.startswith("VK_VERSION")]
                if any(p not in known for p in parts):
                    continue
                offered_versions = ["VK_VERSION_" + version.replace(".", "_") for version in self.core]
                if any(p.startswith("VK_VERSION") and p not in offered_versions for p in re.split(r"[,+]", needed)):
                    continue
                for node in require.findall("command"):
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
