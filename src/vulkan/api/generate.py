#!/usr/bin/env python3
"""Writes what follows from Vulkan's registry (vk.xml): entry points, recorded commands, feature structures.

usage: generate.py VK_XML OFFERED OUT_FOLDER

OFFERED (offered.txt) says which version, extensions and features the driver has; everything else comes from the registry.
"""
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

# Recorded by hand: what their arguments point to depends on objects.
BY_HAND = {"vkCmdPushDescriptorSetKHR", "vkCmdPushDescriptorSetWithTemplateKHR"}
# Recorded as the newer command whose one structure has their parameters as members, of the same names.
WIDENED = {f"vkCmd{name}": f"vkCmd{name}2" for name in
           ("BlitImage", "CopyBuffer", "CopyBufferToImage", "CopyImage", "CopyImageToBuffer", "ResolveImage")}
# Commands that have no structure of their own when they are recorded, and whose structure they have.
RECORDED_AS = {**WIDENED, "vkCmdPushDescriptorSetWithTemplateKHR": "vkCmdPushDescriptorSetKHR"}
# Of the chains of recorded structures, what the queue reads.
KEPT_IN_CHAIN = {"VkRenderPassBeginInfo": ["VkRenderPassAttachmentBeginInfo"]}
# Objects without which a command does nothing, and commands for which having none means something.
NEEDED = {"VkBuffer", "VkImage", "VkQueryPool", "VkEvent", "VkRenderPass", "VkFramebuffer", "VkCommandBuffer"}
MAY_LACK = {"vkCmdBindIndexBuffer"}
GLOBAL = {"vkCreateInstance", "vkEnumerateInstanceVersion", "vkEnumerateInstanceExtensionProperties",
          "vkEnumerateInstanceLayerProperties", "vkGetInstanceProcAddr"}
HEADER = "// Written by src/vulkan/api/generate.py.\n"


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

    def signature(self, name):
        return f"VKAPI_ATTR {self.result} VKAPI_CALL {name}({', '.join(p.declaration for p in self.parameters)})"


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


def level_of(command):
    if command.name in GLOBAL:
        return "Global"
    first = command.parameters[0].type
    if first == "VkInstance":
        return "Instance"
    return "PhysicalDevice" if first == "VkPhysicalDevice" else "Device"


def write_entry_points(registry, offered, out):
    entries = registry.entries(offered)
    canonical = {}
    for name, (core, extensions) in entries.items():
        command = registry.command(name)
        canonical[command.name] = canonical.get(command.name, False) or core != ""
    text = HEADER + "#pragma once\n#include <vulkan/vk_icd.h>\n\n#include \"vulkan/api/window_system.hpp\"\n\nnamespace heddle::vulkan::entry {\n\n"
    for name in sorted(canonical):
        text += registry.commands[name].signature(registry.commands[name].short) + ";\n"
    text += "\n}  // namespace heddle::vulkan::entry\n"
    (out / "entry_points.hpp").write_text(text)

    text = HEADER + '#include "vulkan/generated/entry_points.hpp"\n#include "vulkan/api/entry_table.hpp"\n\nnamespace heddle::vulkan {\n'
    text += "namespace entry {\n\n// Commands of the versions offered that this driver does not have yet; others take their place when they exist.\n"
    for name in sorted(canonical):
        command = registry.commands[name]
        if not canonical[name] or command.short.startswith("Cmd"):
            continue
        text += '__attribute__((weak)) ' + command.signature(command.short) + " {\n"
        text += "".join(f"  (void){p.name};\n" for p in command.parameters)
        if command.result == "VkResult":
            text += f'  return refuse_command("{name}");\n'
        else:
            text += f'  refuse_command("{name}");\n' + ("" if command.result == "void" else "  return {};\n")
        text += "}\n"
    text += "\n}  // namespace entry\n\nnamespace {\nconst EntryPoint kEntryPoints[] = {\n"
    for name in sorted(entries):
        core, extensions = entries[name]
        command = registry.command(name)
        ids = "{" + ", ".join(f"Extension::{e[3:]}" for e in extensions[:2]) + "}"
        minor = core.split(".")[1] if core else "EntryPoint::kNoCore"
        text += (f'    {{"{name}", EntryPoint::Level::{level_of(command)}, {minor}, {len(extensions[:2])}, {ids},\n'
                 f"     reinterpret_cast<PFN_vkVoidFunction>(entry::{command.short})}},\n")
    text += "};\n}  // namespace\n\nstd::span<const EntryPoint> entry_points() { return kEntryPoints; }\n\n"
    for which, kind in (("instance", "Instance"), ("device", "Device")):
        text += f"namespace {{\nconst OfferedExtension k{kind}Extensions[] = {{\n"
        for name in offered[which]:
            text += f'    {{Extension::{name[3:]}, {{"{name}", {registry.versions[name]}}}}},\n'
        text += f"}};\n}}  // namespace\nstd::span<const OfferedExtension> {which}_extensions() {{ return k{kind}Extensions; }}\n\n"
    text += "}  // namespace heddle::vulkan\n"
    (out / "entry_points.cpp").write_text(text)

    names = [n[3:] for n in offered["instance"] + offered["device"]]
    text = HEADER + "#pragma once\n#include <cstdint>\n\nnamespace heddle::vulkan {\n\nenum class Extension : std::uint8_t {\n"
    text += "".join(f"  {n},\n" for n in names) + "};\n"
    text += f"inline constexpr unsigned kExtensions = {len(names)};\n"
    text += f"inline constexpr unsigned kApiMinor = {registry.minor};  ///< of the version 1.x that is offered\n\n}}  // namespace heddle::vulkan\n"
    (out / "extensions.hpp").write_text(text)


class CommandWriter:
    """Structures of recorded commands, and the functions that fill them."""

    def __init__(self, registry):
        self.registry = registry
        self.deep = {}  # structures with something to copy behind them, in order of need
        self.widened = {}  # structures that are recorded as newer ones

    def needs_copy(self, struct):
        members = self.registry.structs.get(struct)
        return members is not None and any(
            m.pointers or (not m.array and self.needs_copy(m.type)) for m in members)

    def require(self, struct):
        if struct in self.deep:
            return
        for m in self.registry.structs[struct]:
            if m.name != "pNext" and self.needs_copy(m.type):
                self.require(m.type)
        self.deep[struct] = True

    def pointer(self, member, source, prefix, where):
        """The expression that copies what `source` points to."""
        count = member.length
        if count == "null-terminated":
            return f"arena.text({source})"
        if not re.fullmatch(r"[\w +/()]*", count):
            sys.exit(f"generate.py: {where}: a length that is no member: {count}")
        if member.pointers > 1:
            sys.exit(f"generate.py: {where}: pointers to pointers must be written by hand")
        number = re.sub(r"[A-Za-z_]\w*", lambda m: prefix + m.group(), count) if count else "1"
        if member.stride:
            return f"arena.strided({source}, {number}, {prefix}{member.stride})"
        if member.type == "void":
            return f"arena.bytes({source}, {number})"
        if self.needs_copy(member.type):
            self.require(member.type)
            return f"copy_array(arena, {source}, {number})"
        return f"arena.array({source}, {number})"

    def copies(self):
        text = ""
        declarations = ""
        done = set()
        while len(done) < len(self.deep):
            for struct in list(self.deep):
                if struct in done:
                    continue
                done.add(struct)
                declarations += f"{struct} copy(Arena& arena, const {struct}& from);\n"
                text += f"{struct} copy(Arena& arena, const {struct}& from) {{\n  (void)arena;\n  {struct} to = from;\n"
                for m in self.registry.structs[struct]:
                    if m.name == "pNext":
                        text += "  to.pNext = nullptr;\n"
                        for kept in KEPT_IN_CHAIN.get(struct, []):
                            self.require(kept)
                            text += (f"  if (const auto* more = find_in_chain<{kept}>(from.pNext, {self.registry.stypes[kept]})) {{\n"
                                     f"    auto* next = copy_array(arena, more, 1);\n    next->pNext = to.pNext;\n    to.pNext = next;\n  }}\n")
                    elif m.pointers:
                        text += f"  to.{m.name} = {self.pointer(m, 'from.' + m.name, 'from.', struct)};\n"
                    elif not m.array and self.needs_copy(m.type):
                        self.require(m.type)
                        text += f"  to.{m.name} = copy(arena, from.{m.name});\n"
                text += "  return to;\n}\n"
        return declarations, text

    def missing(self, command):
        """The statements that pass over a command whose objects are not there."""
        text = ""
        if command.name in MAY_LACK:
            return text

        def check(condition, what):
            return f'  if ({condition}) return pass_over(commandBuffer, "{command.name}", "{what}");\n'
        for p in command.parameters[1:]:
            if p.type in NEEDED and not p.optional:
                text += check(f"has_null({p.name}, {p.length})" if p.pointers else f"{p.name} == VK_NULL_HANDLE", p.name)
            elif p.pointers == 1 and not p.length:
                for m in self.registry.structs.get(p.type, []):
                    if m.type in NEEDED and not m.optional and not m.pointers:
                        text += check(f"{p.name}->{m.name} == VK_NULL_HANDLE", m.name)
        return text

    def widening(self, command):
        """Records a command as its newer form, under its own type: messages name what the application called."""
        newer = self.registry.commands[WIDENED[command.name]]
        info, given = newer.parameters[1], {p.name: p for p in command.parameters}
        text = (f"{command.signature(command.short)} {{\n{self.missing(command)}"
                f"  record<commands::{newer.short[3:]}>(commandBuffer, [&](Arena& arena, commands::{newer.short[3:]}& to) {{\n"
                f"    to.type = CommandType::{command.short[3:]};\n    auto* info = arena.make<{info.type}>();\n"
                f"    info->sType = {self.registry.stypes[info.type]};\n")
        for m in self.registry.structs[info.type]:
            if m.name in ("sType", "pNext"):
                continue
            if m.pointers:
                self.widened[given[m.name].type] = m.type
                text += f"    info->{m.name} = widen_array<{m.type}>(arena, {m.name}, {m.length});\n"
            else:
                text += f"    info->{m.name} = {m.name};\n"
        return text + f"    to.{info.name} = info;\n  }});\n}}\n"

    def widenings(self):
        text = ""
        for struct, newer in self.widened.items():
            text += f"{newer} widen(const {struct}& from) {{\n  {newer} to{{{self.registry.stypes[newer]}}};\n"
            for m in self.registry.structs[struct]:
                text += (f"  std::copy_n(from.{m.name}, {m.array}, to.{m.name});\n" if m.array
                         else f"  to.{m.name} = from.{m.name};\n")
            text += "  return to;\n}\n"
        return text

    def write(self, names, out):
        commands = [self.registry.commands[n] for n in names]
        types = [c.short[3:] for c in commands]
        structs = {c.short[3:]: RECORDED_AS.get(c.name, c.name)[5:] for c in commands}
        head = HEADER + '#pragma once\n#include <vulkan/vulkan.h>\n\n#include "vulkan/commands/command.hpp"\n\nnamespace heddle::vulkan::commands {\n\n'
        body = ""
        for c in commands:
            name = c.short[3:]
            if c.name in RECORDED_AS:
                body += self.widening(c) if c.name in WIDENED else ""
                continue
            head += f"struct {name} : Command {{\n  static constexpr CommandType kType = CommandType::{name};\n"
            if c.name in BY_HAND:
                head += "  const PushedDescriptors* pushed = nullptr;\n};\n"
                continue
            body += c.signature(c.short) + " {\n" + self.missing(c)
            body += f"  record<commands::{name}>(commandBuffer, [&](Arena& arena, commands::{name}& to) {{\n    (void)arena, (void)to;\n"
            strides = ""
            for p in c.parameters[1:]:
                if p.array:
                    element = re.sub(r"\bconst\b", "", p.type).strip()
                    head += f"  {element} {p.name}[{p.array}]{{}};\n"
                    body += f"    for (int i = 0; i < {p.array}; ++i) to.{p.name}[i] = {p.name}[i];\n"
                elif p.pointers:
                    head += f"  {p.declaration} = nullptr;\n"
                    body += f"    to.{p.name} = {self.pointer(p, p.name, '', c.name)};\n"
                    # A copy lies without gaps.
                    strides += f"    to.{p.stride} = sizeof *{p.name};\n" if p.stride else ""
                else:
                    head += f"  {p.declaration}{{}};\n"
                    body += f"    to.{p.name} = {p.name};\n"
            head += "};\n"
            body += strides + "  });\n}\n"
        head += "\n/// visitor.run(the command as what it is).\ntemplate <typename V>\nvoid visit(const Command& command, V& visitor) {\n  switch (command.type) {\n"
        for name in types:
            head += f"    case CommandType::{name}:\n      return visitor.run(static_cast<const {structs[name]}&>(command));\n"
        head += "  }\n}\n\n}  // namespace heddle::vulkan::commands\n"
        (out / "commands.hpp").write_text(head)
        (out / "command_types.hpp").write_text(
            HEADER + "#pragma once\n#include <cstdint>\n\nnamespace heddle::vulkan {\n\nenum class CommandType : std::uint16_t {\n" +
            "".join(f"  {n},\n" for n in types) + "};\n\nnamespace commands {\n" +
            "".join(f"struct {n};\n" for n in types if structs[n] == n) + "}\n\n/// Vulkan's name of the command.\n[[nodiscard]] const char* command_name(CommandType type);\n\n}  // namespace heddle::vulkan\n")
        declarations, copies = self.copies()
        text = HEADER + '#include "vulkan/generated/commands.hpp"\n\n#include "vulkan/generated/entry_points.hpp"\n#include "vulkan/commands/record.hpp"\n\nnamespace heddle::vulkan {\n\n'
        text += "const char* command_name(CommandType type) {\n  switch (type) {\n"
        text += "".join(f'    case CommandType::{c.short[3:]}:\n      return "{c.name}";\n' for c in commands)
        text += '  }\n  return "";\n}\n\nnamespace {\n\n' + declarations
        text += """
template <typename T>
T* copy_array(Arena& arena, const T* from, std::uint64_t count) {
  T* to = arena.array(from, count);
  if (to != nullptr)
    for (std::uint64_t i = 0; i < count; ++i) to[i] = copy(arena, from[i]);
  return to;
}

""" + copies + self.widenings() + """
template <typename To, typename From>
To* widen_array(Arena& arena, const From* from, std::uint64_t count) {
  if (from == nullptr || count == 0) return nullptr;
  auto* to = static_cast<To*>(arena.take(sizeof(To) * count, alignof(To)));
  for (std::uint64_t i = 0; i < count; ++i) to[i] = widen(from[i]);
  return to;
}
""" + "\n}  // namespace\n\nnamespace entry {\n\n" + body + "\n}  // namespace entry\n}  // namespace heddle::vulkan\n"
        (out / "commands.cpp").write_text(text)


def offered_structs(registry, offered):
    """Structures of the offered version and extensions, by the names that stand for them."""
    requires = [f for f in registry.root.findall("feature") if f.get("number") in registry.core and "vulkan" in f.get("api").split(",")]
    requires += [registry.extensions[name] for name in offered["instance"] + offered["device"]]
    names = {t.get("name") for r in requires for t in r.findall("require/type")}
    return names | {registry.struct_alias.get(name, name) for name in names}


def write_features(registry, offered, out):
    wanted, seen = set(offered["features"]), set()
    # Every structure that the headers have, also of extensions that are not offered: its features are refused.
    known = {s for f in registry.root.findall("feature") if "vulkan" in f.get("api").split(",")
             for s in (t.get("name") for t in f.findall("require/type"))}
    for extension in registry.extensions.values():
        if not extension.get("platform") and "vulkan" in extension.get("supported").split(","):
            known |= {t.get("name") for t in extension.findall("require/type")}
    text = HEADER + '#include "vulkan/device/features.hpp"\n\nnamespace heddle::vulkan {\n\nvoid set_features(VkPhysicalDeviceFeatures& to) {\n  to = {};\n'
    core = [m.name for m in registry.structs["VkPhysicalDeviceFeatures"]]
    for name in core:
        if name in wanted:
            seen.add(name)
            text += f"  to.{name} = VK_TRUE;\n"
    text += "}\n\nbool has_features(const VkPhysicalDeviceFeatures& wanted) {\n  (void)wanted;\n  return true"
    for name in core:
        if name not in wanted:
            text += f" && wanted.{name} == VK_FALSE"
    text += ";\n}\n"
    structs = [s for s, extends in registry.extends.items() if "VkPhysicalDeviceFeatures2" in extends and s in known]
    fill, check = "", ""
    here = offered_structs(registry, offered)
    for struct in sorted(structs):
        had = wanted if struct in here else set()  # extensions may share a feature's name
        stype = registry.stypes[struct]
        members = [m.name for m in registry.structs[struct] if m.type == "VkBool32"]
        fill += f"    case {stype}: {{\n      auto& s = reinterpret_cast<{struct}&>(*chain);\n"
        check += f"    case {stype}: {{\n      [[maybe_unused]] const auto& s = reinterpret_cast<const {struct}&>(*chain);\n      return true"
        for name in members:
            fill += f"      s.{name} = {'VK_TRUE' if name in had else 'VK_FALSE'};\n"
            if name in had:
                seen.add(name)
            else:
                check += f" && s.{name} == VK_FALSE"
        fill += "      break;\n    }\n"
        check += ";\n    }\n"
    if wanted - seen:
        sys.exit(f"generate.py: offered.txt: no feature of the registry: {' '.join(sorted(wanted - seen))}")
    text += "\nvoid set_features(VkBaseOutStructure* chain) {\n  switch (static_cast<int>(chain->sType)) {\n" + fill + "    default:\n      break;\n  }\n}\n"
    text += "\nbool has_features(const VkBaseInStructure* chain) {\n  switch (static_cast<int>(chain->sType)) {\n" + check + "    default:\n      return true;\n  }\n}\n\n}  // namespace heddle::vulkan\n"
    (out / "features.cpp").write_text(text)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    offered = read_offered(sys.argv[2])
    registry = Registry(sys.argv[1], offered)
    out = Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    write_entry_points(registry, offered, out)
    recorded = sorted({registry.command(n).name for n in registry.entries(offered)
                       if registry.command(n).short.startswith("Cmd")})
    CommandWriter(registry).write(recorded, out)
    write_features(registry, offered, out)


main()
