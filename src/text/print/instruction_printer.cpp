// SPDX-License-Identifier: MIT
// One instruction in canonical form (visa 1.6): the same template that the parser interprets, the other way round.
// Rules: TXT-25, TXT-34, TXT-35, TXT-38.
#include <algorithm>

#include "isa/description.hpp"
#include "isa/modifier.hpp"
#include "text/print/canonical_names.hpp"
#include "text/print/instruction_printer.hpp"
#include "text/print/numbers.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

void add_part(std::string& out, int part) {
  if (part < 0)
    out += "null";
  else
    add_number(out, static_cast<std::uint64_t>(part));
}

void add_destination_region(std::string& out, isa::Region region) {
  out += '<';
  if ((region.bits & 0xffu) != 0) {  // never written by a tool; shown as it is
    add_part(out, region.v());
    out += ';';
    add_part(out, region.w());
    out += ',';
  }
  add_part(out, region.h());
  out += '>';
}

void add_source_region(std::string& out, isa::Region region, bool indirect) {
  out += '<';
  if (indirect && region.v() == -1 && region.w() == -1) {  // visa-text-region: the tool takes it
    add_part(out, region.h());
  } else {
    if (!(indirect && region.v() == -1)) {
      add_part(out, region.v());
      out += ';';
    }
    add_part(out, region.w());
    out += ',';
    add_part(out, region.h());
  }
  out += '>';
}

}  // namespace

void InstructionText::exec(const isa::Exec& e) {
  out_ += "(M";
  add_number(out_, (e.bits >> 4 & 7u) + 1);
  if (e.no_mask()) out_ += "_NM";
  out_ += ", ";
  add_number(out_, e.size());
  out_ += ')';
}

void InstructionText::predicate(const isa::PredicateUse& p) {
  out_ += p.inverse() ? "(!" : "(";
  out_ += names_.predicate_name(p.id());
  if (p.combine() == 1) out_ += ".any";
  if (p.combine() == 2) out_ += ".all";
  out_ += ") ";
}

void InstructionText::raw(const Operand& o, bool bare) {
  out_ += names_.general_name(o.id);
  if (bare && o.offset == 0) return;
  out_ += '.';
  add_number(out_, static_cast<std::uint64_t>(o.offset));
}

void InstructionText::label(const Operand& o) {
  const std::string name = o.id < names_.labels.size() ? names_.labels[o.id].text : "L" + std::to_string(o.id);
  out_ += is_identifier(name) && !is_keyword(name) ? name : quoted(name);
}

void InstructionText::string_operand(const Operand& o, bool as_name) {
  const std::string_view text =
      o.id < object_.strings.size() ? std::string_view(object_.strings[o.id]) : std::string_view();
  if (as_name && is_identifier(text) && !is_keyword(text))
    out_ += text;
  else
    out_ += quoted(text);
}

void InstructionText::integer(const Slot& slot, const Operand& o) {
  if (const isa::Code* code = slot.codes == nullptr ? nullptr : slot.codes->find(o.value))
    out_ += code->name;
  else if (slot.is_signed)
    add_signed(out_, static_cast<std::int64_t>(o.value));
  else
    add_number(out_, o.value);
}

/// V32(r,c) and its region; a variable that is declared or whose lifetime is marked: V32.
void InstructionText::general(const Slot& slot, const Operand& o) {
  if (slot.kind == isa::SlotKind::Variable) {
    out_ += names_.general_name(o.id);
    return;
  }
  out_ += isa::modifier_text(o.modifier);
  out_ += names_.general_name(o.id);
  add_origin(out_, o);
  region(slot, o);
}

void InstructionText::region(const Slot& slot, const Operand& o) {
  if (slot.access == isa::Access::Write)
    add_destination_region(out_, o.region);
  else
    add_source_region(out_, o.region, o.kind == OperandKind::Indirect);
}

/// A0(element)<width>.
void InstructionText::address(const Slot& slot, const Operand& o) {
  out_ += names_.address_name(o.id);
  if (slot.kind == isa::SlotKind::Variable) return;
  add_element(out_, o);
  out_ += '<';
  add_number(out_, std::uint64_t{1} << (o.col & 31u));
  out_ += '>';
}

/// r[A0(element),immediate], its region and type.
void InstructionText::indirect(const Slot& slot, const Operand& o) {
  out_ += isa::modifier_text(o.modifier);
  out_ += "r[";
  out_ += names_.address_name(o.id);
  add_element(out_, o);
  out_ += ',';
  add_signed(out_, o.offset);
  out_ += ']';
  region(slot, o);
  out_ += ':';
  out_ += isa::type_name(o.type);
}

/// The bits in hexadecimal. All eight digits when the container's four bytes are not what the type makes of its own
/// bits (TXT-25).
void InstructionText::immediate(const Operand& o) {
  const unsigned width = isa::type_bytes(o.type) * 8;
  if (width < 32 && o.value != isa::stored_immediate(o.type, o.value)) {
    out_ += "0x";
    for (int shift = 28; shift >= 0; shift -= 4) add_number(out_, o.value >> shift & 15u, 16);
  } else {
    add_hex(out_, o.value);
  }
  out_ += ':';
  out_ += isa::type_name(o.type);
}

/// T6(element); in address arithmetic &T6, the address of the state.
void InstructionText::state(const Slot& slot, const Operand& o) {
  const bool is_address = slot.kinds.has(OperandKind::AddressOf);
  if (is_address) out_ += '&';
  out_ += o.state == isa::StateClass::Surface ? CanonicalNames::surface_name(o.id) : CanonicalNames::sampler_name(o.id);
  if (is_address && o.offset == 0) return;
  out_ += is_address ? '[' : '(';
  add_number(out_, static_cast<std::uint64_t>(o.offset));
  out_ += is_address ? ']' : ')';
}

/// &V32[byte offset].
void InstructionText::address_of(const Operand& o) {
  out_ += '&';
  out_ += names_.general_name(o.id);
  if (o.offset == 0) return;
  out_ += '[';
  add_number(out_, static_cast<std::uint64_t>(o.offset));
  out_ += ']';
}

void InstructionText::operand(const Slot& slot, const Operand& o) {
  switch (o.kind) {
    case OperandKind::Absent:
      return;
    case OperandKind::Integer:
      return integer(slot, o);
    case OperandKind::Raw:
      return raw(o, bare_raw_);
    case OperandKind::General:
      return general(slot, o);
    case OperandKind::Address:
      return address(slot, o);
    case OperandKind::Predicate:
      out_ += names_.predicate_name(o.id);
      return;
    case OperandKind::Indirect:
      return indirect(slot, o);
    case OperandKind::Immediate:
      return immediate(o);
    case OperandKind::State:
      return state(slot, o);
    case OperandKind::AddressOf:
      return address_of(o);
    case OperandKind::Surface:
      out_ += CanonicalNames::surface_name(o.id);
      return;
    case OperandKind::Sampler:
      out_ += CanonicalNames::sampler_name(o.id);
      return;
    case OperandKind::Label:
      return label(o);
    case OperandKind::String:
      return string_operand(o, false);
  }
}

void InstructionText::mask(std::uint64_t value) {
  for (unsigned channel = 0; channel < 4; ++channel)
    if ((value >> channel & 1u) != 0) out_ += "RGBA"[channel];
  if ((value & 0xfu) == 0) out_ += '0';
}

/// An element with `?` is left out when it has its default, unless one of its kind behind it has not.
bool InstructionText::left_out(const isa::InstructionDescription& description, const TextElement& e,
                               std::span<const Operand> operands) {
  if (!e.omit_default || (e.kind != TextKind::Suffix && e.kind != TextKind::Operand)) return false;
  for (const TextElement* t = &e;
       t != description.text.data() + description.text.size() && t->omit_default && t->kind == e.kind; ++t)
    if (!description.has_default(static_cast<std::size_t>(t->slot), operands)) return false;
  return true;
}

/// TXT-38: nothing when all levels have their defaults; L2 only when it has not.
void InstructionText::cache_levels(const isa::InstructionDescription& description, const TextElement& e,
                                   std::span<const Operand> operands) {
  const auto level = [&](std::size_t n) { return operands[static_cast<std::size_t>(e.parts[n])].value; };
  if (level(0) == 0 && level(1) == 0 && level(2) == 0) return;
  for (std::size_t n = 0; n < 3; ++n) {
    if (n == 1 && level(1) == 0) continue;
    out_ += '.';
    code(description, e, n, operands);
  }
}

void InstructionText::suffix(const isa::InstructionDescription& description, const TextElement& e,
                             std::span<const Operand> operands) {
  if (e.kind == TextKind::Saturation) {
    for (const Operand& o : operands)
      if (o.modifier == isa::Modifier::Sat) {
        out_ += ".sat";
        break;
      }
    return;
  }
  const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
  const Operand& o = operands[static_cast<std::size_t>(e.slot)];
  switch (e.kind) {
    case TextKind::Suffix:
      if (left_out(description, e, operands)) return;
      out_ += '.';
      if (slot.kind == isa::SlotKind::ChannelMask)
        mask(o.value);
      else if (const isa::Code* code = slot.codes == nullptr ? nullptr : slot.codes->find(o.value))
        out_ += code->name;
      else
        add_number(out_, o.value);
      break;
    case TextKind::SuffixHex:
      out_ += ".x";
      if (o.value < 16) out_ += '0';
      add_number(out_, o.value, 16);
      break;
    case TextKind::SuffixFlag:
      if (o.value == 0) return;
      out_ += '.';
      out_ += e.word;
      break;
    case TextKind::SuffixFlags: {
      bool first = true;
      for (const isa::Code& c : slot.codes->codes) {
        if ((o.value & c.code) == 0) continue;
        if (first) out_ += '.';
        first = false;
        out_ += '<';
        out_ += c.name;
        out_ += '>';
      }
      break;
    }
    case TextKind::SuffixLetters: {
      bool first = true;
      for (const isa::Code& c : slot.codes->codes) {
        if ((o.value & c.code) == 0) continue;
        if (first) out_ += '.';
        first = false;
        out_ += c.name;
      }
      break;
    }
    case TextKind::SuffixCache:
      cache_levels(description, e, operands);
      break;
    case TextKind::SuffixChannel:
      out_ += '.';
      out_ += "RGBA"[o.value & 3u];
      break;
    default:
      break;
  }
}

std::string InstructionText::print(const isa::Instruction& i) {
  out_.clear();
  const isa::InstructionDescription& description = *i.description;
  const std::span<const Operand> operands = object_.operands_of(i);
  bare_raw_ = std::any_of(description.text.begin(), description.text.end(),
                          [](const TextElement& e) { return e.kind >= TextKind::LscData; });
  if (i.predicate.present()) predicate(i.predicate);
  out_ += description.word;
  bool joined = false;  // no blank after "(", "/" and a comma of the template
  for (const TextElement& e : description.text) {
    if (e.suffix) {
      if (e.kind == TextKind::Literal)
        out_ += e.word;
      else
        suffix(description, e, operands);
      continue;
    }
    const Slot* slot = e.slot >= 0 ? &description.slots[static_cast<std::size_t>(e.slot)] : nullptr;
    if (e.kind == TextKind::Literal) {
      const bool opens = e.word == "(";
      if (opens && !joined) out_ += ' ';
      out_ += e.word;
      joined = opens || e.word == "," || e.word == "/";
      continue;
    }
    if (e.kind >= TextKind::Suffix && e.kind <= TextKind::SuffixChannel) {  // gather's ".mod" after the execution size
      if (e.kind != TextKind::SuffixFlag || operands[static_cast<std::size_t>(e.slot)].value == 0) continue;
      out_ += ' ';
      suffix(description, e, operands);
      continue;
    }
    if (slot != nullptr && slot->newer_only) {
      if (!newer_) continue;
      const Operand& o = operands[static_cast<std::size_t>(e.slot)];
      if (slot->kind == isa::SlotKind::Raw && o.kind == OperandKind::Absent) {
        out_ += " %null.0";
        continue;
      }
    }
    if (slot != nullptr && !slot->repeated && operands[static_cast<std::size_t>(e.slot)].kind == OperandKind::Absent)
      continue;
    if (left_out(description, e, operands)) continue;
    if (!joined) out_ += ' ';
    joined = false;
    element(description, e, operands, i);
  }
  // TXT-35: another code has the same text
  if (description.traits.decode_only || description.traits.from_xe2) {
    out_ += " // op=";
    add_number(out_, static_cast<std::uint64_t>(description.selector), 16);
  }
  return out_;
}

void InstructionText::element(const isa::InstructionDescription& description, const TextElement& e,
                              std::span<const Operand> operands, const isa::Instruction& i) {
  switch (e.kind) {
    case TextKind::Exec:
      exec(i.exec);
      return;
    case TextKind::Hex:
      add_hex(out_, operands[static_cast<std::size_t>(e.slot)].value);
      return;
    case TextKind::Hex64:
      add_hex(out_, (operands[static_cast<std::size_t>(e.parts[0])].value & 0xffffffffu) |
                        operands[static_cast<std::size_t>(e.parts[1])].value << 32);
      return;
    case TextKind::LabelList:
      out_ += '(';
      for (std::size_t n = description.fixed_slots(); n < operands.size(); ++n) {
        if (n != description.fixed_slots()) out_ += ", ";
        label(operands[n]);
      }
      out_ += ')';
      return;
    case TextKind::Name:
      string_operand(operands[static_cast<std::size_t>(e.slot)], true);
      return;
    case TextKind::Origin: {
      const Operand& o = operands[static_cast<std::size_t>(e.slot)];
      out_ += names_.general_name(o.id);
      add_origin(out_, o);
      return;
    }
    case TextKind::Operand: {
      const Slot& slot = description.slots[static_cast<std::size_t>(e.slot)];
      if (!slot.repeated) {
        operand(slot, operands[static_cast<std::size_t>(e.slot)]);
        return;
      }
      for (std::size_t n = description.fixed_slots(); n < operands.size(); ++n) {
        if (n != description.fixed_slots()) out_ += ' ';
        operand(slot, operands[n]);
      }
      return;
    }
    default:
      lsc(description, e, operands);
      return;
  }
}

struct InstructionPrinter::Impl {
  Impl(const isa::Object& o, bool is_newer) : object(o), newer(is_newer), names(o) {}
  const isa::Object& object;
  bool newer;
  CanonicalNames names;
};

InstructionPrinter::InstructionPrinter(const isa::Program& program, const isa::Object& object)
    : impl_(std::make_unique<Impl>(object, program.dialect == isa::Dialect::Newer)) {}
InstructionPrinter::~InstructionPrinter() = default;

std::string InstructionPrinter::print(const isa::Instruction& instruction) const {
  if (instruction.description == label_description() || instruction.description == subroutine_description()) {
    const auto operands = impl_->object.operands_of(instruction);
    const std::uint32_t id = operands.empty() ? 0 : operands[0].id;
    const std::string name = id < impl_->names.labels.size() ? impl_->names.labels[id].text : "L" + std::to_string(id);
    return instruction.description == label_description() ? name + ":" : ".function " + quoted(name);
  }
  return InstructionText(impl_->object, impl_->names, impl_->newer).print(instruction);
}

std::string InstructionPrinter::variable_name(std::uint32_t index) const { return impl_->names.general_name(index); }

}  // namespace heddle::text
