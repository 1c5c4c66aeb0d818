#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""names.py VK.XML API_FOLDER OUT.HPP: names of features and formats, which Vulkan itself does not tell, for the table of docs/vulkan-tables.md."""
import re
import sys

sys.dont_write_bytecode = True
sys.path.append(sys.argv[2])
from newer import read_registry  # noqa: E402


def main():
    registry, _ = read_registry(sys.argv[1])
    platforms = {p.get("name") for p in registry.iter("platform")}
    foreign = set()  # what headers without a platform's macro do not have
    for extension in registry.iter("extension"):
        if extension.get("platform") in platforms or extension.get("supported") == "disabled":
            foreign |= {t.get("name") for t in extension.iter("type")}
    with open(sys.argv[3], "w") as out:
        out.write("// Written by names.py.\n#include <cstddef>\n\n#include \"vulkan/generated/newer.hpp\"\n\nnamespace heddle::test {\n\n"
                  "struct FeatureBit {\n  const char* name;\n  VkStructureType structure;\n  std::size_t size, offset;\n};\n"
                  "inline constexpr FeatureBit kFeatureBits[] = {\n")
        for struct in registry.iter("type"):
            name = struct.get("name")
            core = name == "VkPhysicalDeviceFeatures"
            extends = "VkPhysicalDeviceFeatures2" in (struct.get("structextends") or "").split(",")
            # Those of whole versions repeat what their extensions have.
            if struct.get("alias") or name in foreign or not (core or extends) or re.search(r"Vulkan1\d", name):
                continue
            stype = "VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2"
            for member in struct.findall("member"):
                if member.get("values"):
                    stype = member.get("values")
            whole = "VkPhysicalDeviceFeatures2" if core else name
            for member in struct.findall("member"):
                if member.find("type").text == "VkBool32":
                    bit = member.find("name").text
                    place = f"offsetof({name}, {bit})" + (" + offsetof(VkPhysicalDeviceFeatures2, features)" if core else "")
                    out.write(f'    {{"{bit}", {stype}, sizeof({whole}), {place}}},\n')
        out.write("};\n\nstruct FormatName {\n  const char* name;\n  VkFormat format;\n};\ninline constexpr FormatName kFormatNames[] = {\n")
        names = [e.get("name") for enums in registry.iter("enums") if enums.get("name") == "VkFormat" for e in enums.findall("enum")]
        for extension in registry.iter("extension"):
            if extension.get("supported") != "disabled":
                names += [e.get("name") for e in extension.iter("enum") if e.get("extends") == "VkFormat" and not e.get("alias")]
        for feature in registry.iter("feature"):
            names += [e.get("name") for e in feature.iter("enum") if e.get("extends") == "VkFormat" and not e.get("alias")]
        for name in dict.fromkeys(names):
            if name != "VK_FORMAT_UNDEFINED":
                out.write(f'    {{"{name[len("VK_FORMAT_"):]}", {name}}},\n')
        out.write("};\n\ninline constexpr const char* kExtensionNames[] = {\n")
        for extension in registry.findall("extensions/extension"):
            if "vulkan" in extension.get("supported").split(","):
                out.write(f'    "{extension.get("name")}",\n')
        out.write("};\n\n}  // namespace heddle::test\n")


main()
