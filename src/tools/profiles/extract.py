#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a table of profiles from profiles in JSON, as Khronos, LunarG and others publish them (Vulkan-Profiles).

usage: extract.py VK_XML FILE.json[=WORD]... > TABLE.txt

WORD: only profiles whose names have it. VK_XML tells of each limit whether more or less is better. Run it when a
publisher has changed a profile; the build only reads the tables.
"""
import json
import re
import sys
import xml.etree.ElementTree as ET


class Limits:
    """What vk.xml says of the members of property structures."""

    def __init__(self, path):
        self.kinds = {}
        root = ET.parse(path).getroot()
        self.alias = {e.get("name"): e.get("alias") for e in root.iter("enum") if e.get("alias")}  # older name -> newer
        for node in root.findall("types/type"):
            for member in node.findall("member"):
                if member.get("limittype"):
                    self.kinds.setdefault(member.find("name").text, member.get("limittype").split(",")[0])

    def word(self, name, value):
        """One limit as a word, or none where everything meets it."""
        kind = self.kinds.get(name) or ("min" if name.startswith("min") else "max")
        values = value if isinstance(value, list) else [value]
        if isinstance(value, bool) and kind in ("not", "min"):  # of what is better not there
            return None if value else f"{name}=0"
        if not values or value is False:
            return None
        if value is True:
            return f"{name}=1"
        if isinstance(values[0], str):
            return f"{name}{':' if isinstance(value, list) else '='}{','.join(values)}"
        operator = {"min": "<=", "exact": "=", "range": "~", "noauto": "="}.get(kind, ">=")
        numbers = [int(v) if float(v) == int(v) else v for v in values]
        return f"{name}{operator}{','.join(map(str, numbers))}"


def short(bit):
    return re.sub(r"^VK_FORMAT_FEATURE_(2_)?|_BIT(_KHR|_EXT)?$", "", bit)


class Needs:
    """What capabilities ask for, together."""

    def __init__(self, limits):
        self.limits = limits
        self.words, self.values, self.queues, self.formats = {}, {}, {}, {}

    def add(self, capability):
        self.words.update(dict.fromkeys(capability.get("extensions", {})))
        for members in capability.get("features", {}).values():
            self.words.update({name: None for name, value in members.items() if value})
        for members in capability.get("properties", {}).values():
            for name, value in members.items():
                for key, inner in (value.items() if isinstance(value, dict) else [(name, value)]):
                    self.values[self.limits.word(key, inner)] = None
        for family in capability.get("queueFamiliesProperties", []):
            flags = family["VkQueueFamilyProperties"].get("queueFlags", [])
            self.queues[f"queue {' '.join(flags)}"] = None
        for name, structs in capability.get("formats", {}).items():
            sets = self.formats.setdefault(self.limits.alias.get(name, name)[len("VK_FORMAT_"):], {})
            for members in structs.values():
                for tiling, bits in members.items():
                    sets.setdefault(re.sub("Tiling.*|Features.*", "", tiling), set()).update(map(short, bits))

    def write(self, out):
        wrap("need", sorted(self.words, key=lambda w: (not w.startswith("VK_"), w)), out)
        wrap("limit", sorted(filter(None, self.values)), out)
        out += self.queues
        alike = {}
        for name, sets in self.formats.items():
            for tiling, bits in sets.items():
                if bits:
                    alike.setdefault((tiling, tuple(sorted(bits))), []).append(name)
        for (tiling, bits), names in sorted(alike.items()):
            out.append(f"format {tiling} {' '.join(bits)}")
            wrap("of", names, out)


def wrap(word, names, out):
    line = word
    for name in names:
        if line != word and len(line) + len(name) > 155:
            out.append(line)
            line = word
        line += " " + name
    if line != word:
        out.append(line)


def write_part(name, capability, limits, out):
    needs = Needs(limits)
    needs.add(capability)
    out += ["", f"part {name}"]
    needs.write(out)


def write_profile(name, profile, prefix, capabilities, limits, out):
    """A profile and what it uses: parts, and one of several words."""
    out += ["", f"profile {name}", f"about {profile['label']}", f"version {profile['api-version']}"]
    wrap("uses", profile.get("profiles", []) + [prefix + c for c in profile["capabilities"] if isinstance(c, str)], out)
    for choices in profile["capabilities"]:
        if isinstance(choices, list):
            for i, choice in enumerate(choices):
                one = Needs(limits)
                one.add(capabilities[choice])
                out.append(f"{'or' if i else 'either'} {' '.join(sorted(one.words))}")


def write_file(path, word, limits, out):
    with open(path) as file:
        whole = json.loads(re.sub(r",(\s*[}\]])", r"\1", file.read()))  # some have commas before a brace
    profiles = {name: profile for name, profile in whole["profiles"].items() if word in name}
    prefix = re.sub(r"^VP_|_(requirements|profile)$|\.json$", "", path.split("/")[-1].removesuffix(".json")).lower() + "."
    used = [c for profile in profiles.values() for c in profile["capabilities"] if isinstance(c, str)]
    for name in dict.fromkeys(used):
        write_part(prefix + name, whole["capabilities"][name], limits, out)
    for name, profile in sorted(profiles.items()):
        write_profile(name, profile, prefix, whole["capabilities"], limits, out)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    limits = Limits(sys.argv[1])
    out = []
    for argument in sys.argv[2:]:
        path, _, word = argument.partition("=")
        write_file(path, word, limits, out)
    print("# SPDX-License-Identifier: MIT\n# Facts of published profiles: names, numbers. Written by extract.py.")
    print("\n".join(out))


main()
