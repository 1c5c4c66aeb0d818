#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py VK.XML OUT.HPP: names that Vulkan itself does not tell: of features, limits, formats, extensions, of what values mean.

The tables of docs/vulkan-tables.md and `heddle vulkan --profile` ask the driver by them.
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from newer import read_registry  # noqa: E402
from registry import Member  # noqa: E402
from template import render, write_changed  # noqa: E402

KINDS = {"VkBool32": "Unsigned32", "uint32_t": "Unsigned32", "int32_t": "Signed32", "float": "Float32", "VkDeviceSize": "Unsigned64",
         "uint64_t": "Unsigned64", "size_t": "Unsigned64", "VkExtent2D": "Unsigned32", "VkExtent3D": "Unsigned32"}
WHOLE = {"VkExtent2D": 2, "VkExtent3D": 3}


class Names:
    def __init__(self, root):
        self.root = root
        platforms = {p.get("name") for p in root.iter("platform")}
        self.foreign = set()  # what headers without a platform's macro do not have
        self.extensions = []
        for extension in root.findall("extensions/extension"):
            if extension.get("platform") in platforms or extension.get("supported") == "disabled":
                self.foreign |= {t.get("name") for t in extension.iter("type")}
            if "vulkan" in extension.get("supported").split(","):
                self.extensions.append(extension)
        self.kinds = dict(KINDS)
        for node in root.findall("types/type"):
            name = node.get("name") or node.findtext("name")
            if node.get("category") == "bitmask":
                self.kinds[name] = "Unsigned64" if node.get("bits") == "VkFlags64" or node.findtext("type") == "VkFlags64" else "Unsigned32"
            elif node.get("category") == "enum":
                self.kinds[name] = "Unsigned32"
        self.structs = {n.get("name"): n for n in root.findall("types/type") if n.get("category") == "struct" and not n.get("alias")}

    def extending(self, what):
        """(structure, the value of its sType) of what extends another, which headers have."""
        for name, node in self.structs.items():
            if what in (node.get("structextends") or "").split(",") and name not in self.foreign:
                yield name, next(m.get("values") for m in node.findall("member") if m.get("values"))

    def member_rows(self, struct, stype, whole, place, of_version):
        for member in map(Member, self.structs[struct].findall("member")):
            if member.pointers or member.type not in self.kinds or member.type == "VkStructureType":
                continue
            count = (int(member.array) if (member.array or "1").isdigit() else 0) if member.array else WHOLE.get(member.type, 1)
            if count:
                yield (f'"{member.name}", {stype}, sizeof({whole}), offsetof({whole}, {place}{member.name}), '
                       f"Kind::{self.kinds[member.type]}, {count}, {of_version}")

    def feature_rows(self):
        core = "VkPhysicalDeviceFeatures"
        yield from self.member_rows(core, "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2", core + "2", "features.", "false")
        for name, stype in self.extending(core + "2"):
            yield from self.member_rows(name, stype, name, "", "true" if re.search(r"Vulkan1\d", name) else "false")

    def limit_rows(self):
        core, stype = "VkPhysicalDeviceProperties2", "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2"
        for part, member in (("Limits", "limits"), ("SparseProperties", "sparseProperties")):
            yield from self.member_rows("VkPhysicalDevice" + part, stype, core, f"properties.{member}.", "false")
        for name, stype in self.extending(core):
            yield from self.member_rows(name, stype, name, "", "true" if re.search(r"Vulkan1\d", name) else "false")

    def values(self, wanted):
        """Names of the values of enumerations, once each."""
        nodes = [e for enums in self.root.iter("enums") if wanted(enums.get("name")) for e in enums.findall("enum")]
        for block in [e for e in self.extensions if not e.get("platform")] + self.root.findall("feature"):
            nodes += [e for e in block.iter("enum") if wanted(e.get("extends") or "")]
        nodes += [e for e in self.root.findall("enum") if wanted(e.get("extends") or "")]  # of newer.txt
        return dict.fromkeys(e.get("name") for e in nodes if not e.get("alias") and not e.get("protect"))

    def bits_of_limits(self):
        """The enumerations whose values limits are compared with."""
        types = {m.type for name, _ in self.extending("VkPhysicalDeviceProperties2") for m in map(Member, self.structs[name].findall("member"))}
        types |= {m.type for m in map(Member, self.structs["VkPhysicalDeviceLimits"].findall("member"))}
        types.add("VkQueueFlags")
        of = {n.findtext("name"): n.get("requires") or n.get("bitvalues") for n in self.root.findall("types/type") if n.get("category") == "bitmask"}
        return {of.get(t) or t for t in types if t.startswith("Vk") and t not in ("VkBool32", "VkStructureType")}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, _ = read_registry(sys.argv[1])
    names = Names(root)
    bits = names.bits_of_limits()
    text = render(Path(__file__).parent / "templates" / "names.hpp.in",
                  features=list(names.feature_rows()), limits=list(names.limit_rows()),
                  formats=[n for n in names.values(lambda e: e == "VkFormat") if n != "VK_FORMAT_UNDEFINED"],
                  extensions=[e.get("name") for e in names.extensions],
                  values=list(names.values(lambda e: e in bits)),
                  format_features=list(names.values(lambda e: e == "VkFormatFeatureFlagBits2")) +
                  list(names.values(lambda e: e == "VkFormatFeatureFlagBits")))
    write_changed(Path(sys.argv[2]), text)


main()
