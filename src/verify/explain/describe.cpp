// SPDX-License-Identifier: MIT
#include "verify/explain/describe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::verify {
namespace {

using isa::FieldKind;
using isa::OperandKind;
using isa::Slot;
using isa::SlotKind;
using isa::TextKind;

bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string codes_text(const isa::CodeTable& codes, std::size_t most) {
  std::string text;
  std::size_t count = 0;
  for (const isa::Code& c : codes.codes) {
    if (c.alias || c.name.empty()) continue;
    if (++count > most) return {};
    text += (text.empty() ? "" : "|") + std::string(c.name);
  }
  return text;
}

std::string slot_name(const isa::InstructionDescription& description, int slot) {
  return slot < 0 ? std::string() : std::string(description.slots[static_cast<std::size_t>(slot)].name);
}

std::string suffix_text(const isa::InstructionDescription& description, const isa::TextElement& e) {
  const Slot* slot = e.slot < 0 ? nullptr : &description.slots[static_cast<std::size_t>(e.slot)];
  switch (e.kind) {
    case TextKind::Literal:
      return std::string(e.word);
    case TextKind::Saturation:  // the text has it for every destination, the page where it is allowed
      return description.traits.saturate == isa::Saturate::No ? "" : "[.sat]";
    case TextKind::SuffixHex:
      return ".xHH";
    case TextKind::SuffixFlag:
      return fmt::format("[.{}]", e.word);
    case TextKind::SuffixFlags:
      return "[.<FLAG>...]";
    case TextKind::SuffixLetters:
      return "[.LETTERS]";
    case TextKind::SuffixCache:
      return "[.L1[.L2].L3]";
    case TextKind::SuffixChannel:
      return ".(R|G|B|A)";
    default:
      break;
  }
  if (slot == nullptr) return {};
  std::string text = slot->kind == SlotKind::ChannelMask ? ".RGBA" : std::string();
  if (text.empty() && slot->codes != nullptr) {
    const std::string names = codes_text(*slot->codes, 6);
    text = names.empty() ? std::string() : fmt::format(".({})", names);
  }
  if (text.empty()) text = fmt::format(".<{}>", slot->name);
  return e.omit_default || e.optional ? "[" + text + "]" : text;
}

std::string operand_text(const isa::InstructionDescription& description, const isa::TextElement& e) {
  const std::string name = slot_name(description, e.slot);
  switch (e.kind) {
    case TextKind::Literal:
      return std::string(e.word);
    case TextKind::Exec:
      return "(E)";
    case TextKind::Hex:
      return "0x<" + name + ">";
    case TextKind::LabelList:
      return "(" + name + ", ...)";
    case TextKind::Origin:
      return name + "(r,c)";
    case TextKind::LscData:
      return name + ":dN[xK][t]";
    case TextKind::LscQuad:
      return name + ":dN.xyzw";
    case TextKind::LscBlock:
      return name + ":dN.[Bx]WxH[n|t][n|t]";
    case TextKind::LscAddress:
      return "[MODEL][[scale*]" + name + "[+offset]]:aN";
    case TextKind::LscStrided:
      return "MODEL[" + name + "[+offset][,pitch]]:aN";
    case TextKind::LscTyped:
      return "MODEL[u[,v[,r[,lod]]]]:aN";
    case TextKind::LscSurface:
      return "MODEL(surface)";
    case TextKind::LscBlockAddress:
      return e.parts[6] < 0 ? "flat[base,width,height,pitch,x,y]" : "flat[base,width,height,pitch,x+offset,y+offset]";
    case TextKind::LscBlockPayload:
      return "flat[payload+(x,y)]";
    case TextKind::LscRows:
      return name + ":WxH";
    case TextKind::LscRowsAddress:
      return e.parts[5] < 0 ? "MODEL[x,y]" : "MODEL[x+offset,y+offset]";
    default:
      break;
  }
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  if (slot.repeated) {
    std::string parameters;
    for (const std::string_view p : description.parameters)
      parameters += (parameters.empty() ? "" : " ") + std::string(p);
    return parameters.empty() ? name + "..." : parameters;
  }
  return slot.condition.slot >= 0 || slot.newer_only ? "[" + name + "]" : name;
}

std::string kind_text(const Slot& slot) {
  switch (slot.kind) {
    case SlotKind::Integer:
      return "encoded field";
    case SlotKind::ChannelMask:
      return "channel mask";
    case SlotKind::Surface:
      return "surface";
    case SlotKind::Sampler:
      return "sampler";
    case SlotKind::Label:
      return "label";
    case SlotKind::String:
      return "string";
    case SlotKind::Variable:
      return "variable";
    case SlotKind::Raw:
      return slot.access == isa::Access::Write       ? "raw, written"
             : slot.access == isa::Access::ReadWrite ? "raw, read and written"
                                                     : "raw, read";
    case SlotKind::Vector:
      break;
  }
  std::string text = slot.access == isa::Access::Write ? "written: " : slot.scalar ? "scalar: " : "read: ";
  constexpr std::pair<OperandKind, std::string_view> kNames[] = {{OperandKind::General, "variable"},
                                                                 {OperandKind::Indirect, "indirect"},
                                                                 {OperandKind::Immediate, "immediate"},
                                                                 {OperandKind::Address, "address"},
                                                                 {OperandKind::Predicate, "predicate"},
                                                                 {OperandKind::State, "state"},
                                                                 {OperandKind::AddressOf, "address of a variable"}};
  bool first = true;
  for (const auto& [kind, name] : kNames) {
    if (!slot.kinds.has(kind)) continue;
    text += (first ? "" : ", ") + std::string(name);
    first = false;
  }
  return text;
}

std::string types_text(const Slot& slot) {
  std::string text;
  for (const isa::TypesOn& t : slot.types) {
    std::string names;
    for (unsigned i = 0; i < isa::kTypeCount; ++i)
      if (t.types.has(static_cast<isa::Type>(i)))
        names += (names.empty() ? "" : " ") + std::string(isa::type_name(static_cast<isa::Type>(i)));
    if (names.empty()) continue;
    text += (text.empty() ? "" : "; ") + names;
    if (t.platforms != isa::PlatformSet::all()) text += " on " + t.platforms.describe();
  }
  return text.empty() ? "-" : text;
}

std::string notes_text(const isa::InstructionDescription& description, const Slot& slot) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (slot.null_allowed) add("may be %null");
  if (slot.repeated && description.traits.max_params != 255)
    add(fmt::format("{} to {} of them", description.traits.min_params, description.traits.max_params));
  else if (slot.repeated)
    add("any number");
  if (slot.condition.slot >= 0)
    add(fmt::format("only with bit {} of {}", slot.condition.bit,
                    description.slots[static_cast<std::size_t>(slot.condition.slot)].name));
  if (slot.newer_only) add("newer dialect only");
  if (slot.codes != nullptr) {
    std::string codes;
    for (const isa::Code& c : slot.codes->codes)
      if (!c.alias && !c.name.empty()) codes += (codes.empty() ? "" : ", ") + fmt::format("{:x} {}", c.code, c.name);
    add(codes);
  }
  const std::string of = slot.extent.slot < description.slots.size()
                             ? std::string(description.slots[slot.extent.slot].name)
                             : std::string();
  if (slot.kind == SlotKind::Raw) {
    switch (slot.extent.kind) {
      case isa::Extent::Kind::Any:
        break;
      case isa::Extent::Kind::Fixed:
        add(fmt::format("{} elements", slot.extent.count));
        break;
      case isa::Extent::Kind::Exec:
        add("one element a channel");
        break;
      case isa::Extent::Kind::ExecMask:
        add("one element a channel for each bit of " + of + ", each group from the next register on");
        break;
      case isa::Extent::Kind::ExecCount:
        add("one element a channel, " + of + " times, each group from the next register on");
        break;
      case isa::Extent::Kind::Registers:
        add(of + " registers");
        break;
      case isa::Extent::Kind::Owords:
        add("owords by " + of);
        break;
      case isa::Extent::Kind::Count:
        add("elements by " + of);
        break;
    }
  }
  return text;
}

std::string operand_bytes(const Slot& slot, unsigned width) {
  if (slot.kind == SlotKind::Raw) return slot.repeated ? "6 each" : "6";
  if (slot.kind == SlotKind::Vector) return "2 to 10";
  return slot.repeated ? fmt::format("{} each", width) : std::to_string(width);
}

}  // namespace

std::string syntax(const isa::InstructionDescription& description) {
  std::string text = description.has_predicate && !description.predicate_newer_only ? "[(P)] " : "";
  text += description.mnemonic;
  std::size_t group = 0;
  bool glue = false;
  for (const isa::TextElement& e : description.text) {
    if (e.suffix) {
      text += e.kind == TextKind::Literal ? std::string()
                                          : suffix_text(description, e);  // literal suffixes are part of the mnemonic
      continue;
    }
    if (group != 0 && e.group != group) text += ']';
    const bool punctuation = e.kind == TextKind::Literal;
    const bool closes = punctuation && (e.word == ")" || e.word == "," || e.word == "/");
    if (!closes && !glue) text += ' ';
    if (e.group != 0 && e.group != group) text += '[';
    group = e.group;
    text += operand_text(description, e);
    glue = punctuation && (e.word == "(" || e.word == "/");
  }
  if (group != 0) text += ']';
  return text;
}

std::vector<OperandRow> operand_rows(const isa::InstructionDescription& description) {
  std::vector<OperandRow> rows;
  for (const Slot& slot : description.slots)
    rows.push_back({std::string(slot.name), kind_text(slot), types_text(slot), notes_text(description, slot)});
  return rows;
}

std::vector<EncodingRow> encoding_rows(const isa::InstructionDescription& description) {
  std::vector<EncodingRow> rows = {{"1", "opcode", fmt::format("{:02x}", description.opcode)}};
  for (const isa::Field& field : description.fields) {
    EncodingRow row;
    switch (field.kind) {
      case FieldKind::Exec:
        row = {"1", "execution", "size code 3:0, mask 7:4"};
        break;
      case FieldKind::ExecGather:
        row = {"1", "execution", "0 8, 1 16, 2 1 channels; mask 7:4"};
        break;
      case FieldKind::Predicate:
        row = {"2", "predicate", "id 11:0, any 01 or all 10 in 14:13, inverse 15"};
        break;
      case FieldKind::Count:
        row = {"1", "count", "number of repeated operands"};
        break;
      case FieldKind::Operand: {
        const Slot& slot = description.slots[static_cast<std::size_t>(field.slot)];
        row = {operand_bytes(slot, field.bytes), std::string(slot.name),
               slot.kind == SlotKind::Vector ? "vector operand"
               : slot.kind == SlotKind::Raw  ? "raw operand"
                                             : kind_text(slot)};
        if (slot.condition.slot >= 0) row.content += ", when its flag is set";
        break;
      }
      case FieldKind::Bits: {
        row.bytes = std::to_string(field.bytes);
        for (unsigned p = 0; p < field.part_count; ++p) {
          const isa::BitPart& part = description.parts[field.first_part + p];
          const bool whole = part.width == field.bytes * 8;
          const std::string bits = whole ? ""
                                   : part.width == 1
                                       ? fmt::format("bit {} ", part.shift)
                                       : fmt::format("bits {}:{} ", part.shift + part.width - 1, part.shift);
          const std::string value = part.slot < 0 ? fmt::format("= {:0{}x}", part.value, whole ? field.bytes * 2 : 2)
                                                  : slot_name(description, part.slot);
          row.content += fmt::format("{}{}{}", row.content.empty() ? "" : ", ", bits, value);
          if (part.slot >= 0 && row.field.empty()) row.field = slot_name(description, part.slot);
        }
        if (row.field.empty()) row.field = "code";
        if (field.sampler_op) row.field = "operation", row.content += "; one byte before version 4.0";
        break;
      }
    }
    if (field.newer_only) row.content += " (newer dialect only)";
    if (field.since_minor != 0) row.content += fmt::format(" (from version 3.{} on)", field.since_minor);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string exec_sizes(const isa::InstructionDescription& description) {
  if (!description.has_exec) return "-";
  if ((description.traits.exec_sizes & 0x3fu) == 0x3fu) return "any";
  std::string text;
  for (unsigned code = 0; code < 6; ++code)
    if ((description.traits.exec_sizes >> code & 1u) != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(1u << code);
  return text;
}

std::vector<const Rule*> family_rules(const isa::InstructionDescription& description) {
  std::vector<const Rule*> found;
  for (unsigned area = 0; area < kAreaCount; ++area)
    for (const Rule& rule : rules(static_cast<Area>(area))) {
      if (lists(rule.concerns, description.family) || lists(rule.concerns, description.mnemonic))
        found.push_back(&rule);
    }
  return found;
}

std::string_view severity_name(base::Severity severity) {
  switch (severity) {
    case base::Severity::Note:
      return "note";
    case base::Severity::Warning:
      return "warning";
    case base::Severity::Error:
      return "error";
  }
  return "error";
}

std::string severity_text(const Rule& rule) {
  std::string text(severity_name(rule.severity));
  if (rule.milder) text += " or " + std::string(severity_name(*rule.milder));
  return text;
}

}  // namespace heddle::verify
