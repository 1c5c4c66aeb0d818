#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what follows from Vulkan's registry (vk.xml): entry points, recorded commands, feature structures.

usage: generate.py VK_XML OFFERED OUT_FOLDER

OFFERED (offered.txt) says which version, extensions and features the driver has; everything else comes from the registry,
and from newer.txt where that is newer.
The text is that of templates/, whose expressions see what is collected here.
"""
import re
import sys
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
from newer import declarations, read_registry  # noqa: E402
from registry import Registry, of_vulkan, read_offered  # noqa: E402
from template import render, write_changed  # noqa: E402

# Recorded by hand, as what their arguments point to depends on objects; and what their structures hold.
BY_HAND = {**{f"vkCmdPushDescriptorSet{name}": "const PushedDescriptors* pushed = nullptr"
              for name in ("", "WithTemplate", "2", "WithTemplate2")},
           **{f"vkCmd{name}": "const PlacedSets* placed = nullptr" for name in
              ("SetDescriptorBufferOffsetsEXT", "SetDescriptorBufferOffsets2EXT", "BindDescriptorBufferEmbeddedSamplersEXT",
               "BindDescriptorBufferEmbeddedSamplers2EXT")}}
# Recorded as the newer command whose one structure has their parameters as members, of the same names.
WIDENED = {f"vkCmd{name}": f"vkCmd{name}2" for name in
           ("BlitImage", "CopyBuffer", "CopyBufferToImage", "CopyImage", "CopyImageToBuffer", "ResolveImage")}
# Commands that have no structure of their own when they are recorded, and whose structure they have.
RECORDED_AS = {**WIDENED, **{f"vkCmdPushDescriptorSet{name}": "vkCmdPushDescriptorSet"
                            for name in ("WithTemplate", "2", "WithTemplate2")},
               **{f"vkCmd{name}": "vkCmdSetDescriptorBufferOffsetsEXT" for name in
                  ("SetDescriptorBufferOffsets2EXT", "BindDescriptorBufferEmbeddedSamplersEXT",
                   "BindDescriptorBufferEmbeddedSamplers2EXT")}}
# Of the chains of recorded structures, what the queue reads.
KEPT_IN_CHAIN = {"VkRenderPassBeginInfo": ["VkRenderPassAttachmentBeginInfo"],
                 "VkRenderingInfo": ["VkRenderingFragmentShadingRateAttachmentInfoKHR",
                                     "VkMultisampledRenderToSingleSampledInfoEXT"],
                 "VkRenderingAttachmentInfo": ["VkRenderingAttachmentFlagsInfoKHR"],
                 "VkDepthBiasInfoEXT": ["VkDepthBiasRepresentationInfoEXT"],
                 "VkResolveImageInfo2": ["VkResolveImageModeInfoKHR"]}
# Objects without which a command does nothing, and commands for which having none means something.
NEEDED = {"VkBuffer", "VkImage", "VkQueryPool", "VkEvent", "VkRenderPass", "VkFramebuffer", "VkCommandBuffer"}
MAY_LACK = {"vkCmdBindIndexBuffer", "vkCmdBindIndexBuffer2", "vkCmdBeginTransformFeedbackEXT", "vkCmdEndTransformFeedbackEXT"}
GLOBAL = {"vkCreateInstance", "vkEnumerateInstanceVersion", "vkEnumerateInstanceExtensionProperties",
          "vkEnumerateInstanceLayerProperties", "vkGetInstanceProcAddr"}


def level_of(command):
    if command.name in GLOBAL:
        return "Global"
    first = command.parameters[0].type
    if first == "VkInstance":
        return "Instance"
    return "PhysicalDevice" if first == "VkPhysicalDevice" else "Device"


def collect_entry_points(registry, offered):
    """What templates/entry_points.* and extensions.hpp.in see."""
    found = registry.entries(offered)
    in_core = {}  # command -> whether a version of Vulkan has it, under any name
    entries = []
    for name, (core, extensions) in sorted(found.items()):
        command = registry.command(name)
        in_core[command.name] = in_core.get(command.name, False) or core != ""
        entries.append(SimpleNamespace(
            name=name, level=level_of(command), function=command.short,
            core=core.split(".")[1] if core else "EntryPoint::kNoCore",
            extensions=[f"Extension::{e[3:]}" for e in extensions[:2]]))
    commands = [registry.commands[name] for name in sorted(in_core)]
    return {
        "commands": commands,
        "refused": [c for c in commands if in_core[c.name] and not c.short.startswith("Cmd")],
        "entries": entries,
        "offered": offered,
        "versions": registry.versions,
        "names": [n[3:] for n in offered["instance"] + offered["device"]],
        "minor": registry.minor,
        "patch": registry.patch,
    }


class CommandCollector:
    """Recorded commands, and the structures behind their arguments that are copied."""

    def __init__(self, registry):
        self.registry = registry
        self.deep = []  # structures with something to copy behind them, in order of need
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
        self.deep.append(struct)

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

    def copy(self, struct):
        """How a structure is copied: what of its chain is kept, and its members that are more than bits."""
        made = SimpleNamespace(struct=struct, chained=False, kept=[], members=[])
        for m in self.registry.structs[struct]:
            if m.name == "pNext":
                made.chained = True
                for kept in KEPT_IN_CHAIN.get(struct, []):
                    self.require(kept)
                    made.kept.append((kept, self.registry.stypes[kept]))
            elif m.pointers:
                made.members.append((m.name, self.pointer(m, "from." + m.name, "from.", struct)))
            elif not m.array and self.needs_copy(m.type):
                self.require(m.type)
                made.members.append((m.name, f"copy(arena, from.{m.name})"))
        return made

    def copies(self):
        made = []
        while len(made) < len(self.deep):  # a copy may need others
            made.append(self.copy(self.deep[len(made)]))
        return made

    def missing(self, command):
        """Conditions under which the command is passed over, as an object is not there, and what lacks it."""
        found = []
        if command.name in MAY_LACK:
            return found
        for p in command.parameters[1:]:
            if p.type in NEEDED and not p.optional:
                found.append((f"has_null({p.name}, {p.length})" if p.pointers else f"{p.name} == VK_NULL_HANDLE", p.name))
            elif p.pointers == 1 and not p.length:
                for m in self.registry.structs.get(p.type, []):
                    if m.type in NEEDED and not m.optional and not m.pointers:
                        found.append((f"{p.name}->{m.name} == VK_NULL_HANDLE", m.name))
        return found

    def widening(self, command):
        """How a command is recorded as its newer form, under its own type: messages name what the application called."""
        info = self.registry.commands[WIDENED[command.name]].parameters[1]
        given = {p.name: p for p in command.parameters}
        made = SimpleNamespace(member=info.name, info=info.type, stype=self.registry.stypes[info.type], members=[])
        for m in self.registry.structs[info.type]:
            if m.name in ("sType", "pNext"):
                continue
            if m.pointers:
                self.widened[given[m.name].type] = m.type
                made.members.append((m.name, f"widen_array<{m.type}>(arena, {m.name}, {m.length})"))
            else:
                made.members.append((m.name, m.name))
        return made

    def widenings(self):
        """The functions that make a newer structure of an older one."""
        return [SimpleNamespace(struct=struct, newer=newer, stype=self.registry.stypes[newer],
                                members=self.registry.structs[struct]) for struct, newer in self.widened.items()]

    def collect(self, command):
        """A command as what its structure holds and what fills it."""
        made = SimpleNamespace(name=command.name, type=command.short[3:], signature=command.signature(),
                               by_hand=command.name in BY_HAND, struct=RECORDED_AS.get(command.name, command.name)[5:],
                               members=[], statements=[], missing=self.missing(command), widening=None)
        if made.by_hand:
            made.members.append(BY_HAND[command.name])
            return made
        if command.name in WIDENED:
            made.widening = self.widening(command)
            return made
        strides = []
        for p in command.parameters[1:]:
            if p.array:
                element = re.sub(r"\bconst\b", "", p.type).strip()
                made.members.append(f"{element} {p.name}[{p.array}]{{}}")
                made.statements.append(f"for (int i = 0; i < {p.array}; ++i) to.{p.name}[i] = {p.name}[i]")
            elif p.pointers:
                made.members.append(f"{p.declaration} = nullptr")
                made.statements.append(f"to.{p.name} = {self.pointer(p, p.name, '', command.name)}")
                if p.stride:  # a copy lies without gaps
                    strides.append(f"to.{p.stride} = sizeof *{p.name}")
            else:
                made.members.append(f"{p.declaration}{{}}")
                made.statements.append(f"to.{p.name} = {p.name}")
        made.statements += strides
        return made


def collect_commands(registry, offered):
    """What templates/command*.in see."""
    names = sorted({registry.command(n).name for n in registry.entries(offered)
                    if registry.command(n).short.startswith("Cmd")})
    collector = CommandCollector(registry)
    commands = [collector.collect(registry.commands[n]) for n in names]
    return {"commands": commands, "copies": collector.copies(), "widenings": collector.widenings()}


def offered_structs(registry, offered):
    """Structures of the offered version and extensions, by the names that stand for them."""
    requires = [f for f in registry.root.findall("feature") if f.get("number") in registry.core and of_vulkan(f)]
    requires += [registry.extensions[name] for name in offered["instance"] + offered["device"]]
    names = {t.get("name") for r in requires for t in r.findall("require/type")}
    return names | {registry.struct_alias.get(name, name) for name in names}


def known_structs(registry):
    """Every structure that the headers have, also of extensions that are not offered: its features are refused."""
    known = {t.get("name") for f in registry.root.findall("feature") if of_vulkan(f)
             for t in f.findall("require/type")}
    for extension in registry.extensions.values():
        if not extension.get("platform") and "vulkan" in extension.get("supported").split(","):
            known |= {t.get("name") for t in extension.findall("require/type")}
    return known


def collect_features(registry, offered):
    """What templates/features.cpp.in sees."""
    wanted, seen = set(offered["features"]), set()
    here, known = offered_structs(registry, offered), known_structs(registry)

    def collect(struct, had):
        members = [m.name for m in registry.structs[struct] if m.type == "VkBool32"]
        seen.update(name for name in members if name in had)
        return SimpleNamespace(name=struct, stype=registry.stypes.get(struct), members=members,
                               offered=[name for name in members if name in had],
                               refused=[name for name in members if name not in had])

    core = collect("VkPhysicalDeviceFeatures", wanted)
    structs = [collect(s, wanted if s in here else set())  # extensions may share a feature's name
               for s, extends in sorted(registry.extends.items()) if "VkPhysicalDeviceFeatures2" in extends and s in known]
    if wanted - seen:
        sys.exit(f"generate.py: offered.txt: no feature of the registry: {' '.join(sorted(wanted - seen))}")
    return {"core": core, "structs": structs,
            "all_false": lambda of, names: "".join(f" && {of}.{name} == VK_FALSE" for name in names)}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    offered = read_offered(sys.argv[2])
    root, newer = read_registry(sys.argv[1])
    registry = Registry(root, offered)
    out = Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    seen = collect_entry_points(registry, offered)
    commands = collect_commands(registry, offered)
    for names, see in ((("entry_points.hpp", "entry_points.cpp", "extensions.hpp"), seen),
                       (("command_types.hpp", "commands.hpp", "commands.cpp"), commands),
                       (("features.cpp",), collect_features(registry, offered)),
                       (("newer.hpp",), declarations(root, newer))):
        for name in names:
            write_changed(out / name, render(Path(__file__).parent / "templates" / f"{name}.in", **see))


main()
