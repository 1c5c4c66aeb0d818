// One instruction in canonical form (visa 1.6): the same template that the parser interprets, the other way round.
// Rules: TXT-34, TXT-35.
#include <algorithm>
#include <array>
#include <charconv>

#include "isa/description.hpp"
#include "isa/modifier.hpp"
#include "text/canonical_names.hpp"
#include "text/instruction_printer.hpp"
#include "text/vocabulary.hpp"

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

void add_number(std::string& out, std::uint64_t value, int base = 10) {
  std::array<char, 24> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, base);
  out.append(buffer.data(), end);
}
void add_hex(std::string& out, std::uint64_t value) {
  out += "0x";
  add_number(out, value, 16);
}
void add_signed(std::string& out, std::int64_t value) {
  if (value < 0) out += '-';
  add_number(out, value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
}
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

void InstructionText::operand(const Slot& slot, const Operand& o) {
  const bool write = slot.access == isa::Access::Write;
  switch (o.kind) {
    case OperandKind::Absent:
      break;
    case OperandKind::Integer:
      if (const isa::Code* code = slot.codes == nullptr ? nullptr : slot.codes->find(o.value))
        out_ += code->name;
      else if (slot.is_signed)
        add_signed(out_, static_cast<std::int64_t>(o.value));
      else
        add_number(out_, o.value);
      break;
    case OperandKind::Raw:
      raw(o, bare_raw_);
      break;
    case OperandKind::General:
      if (slot.kind == isa::SlotKind::Variable) {
        out_ += names_.general_name(o.id);
        break;
      }
      out_ += isa::modifier_text(o.modifier);
      out_ += names_.general_name(o.id);
      out_ += '(';
      add_number(out_, o.row);
      out_ += ',';
      add_number(out_, o.col);
      out_ += ')';
      if (write)
        add_destination_region(out_, o.region);
      else
        add_source_region(out_, o.region, false);
      break;
    case OperandKind::Address:
      out_ += names_.address_name(o.id);
      if (slot.kind == isa::SlotKind::Variable) break;
      out_ += '(';
      add_number(out_, o.row);
      out_ += ")<";
      add_number(out_, std::uint64_t{1} << (o.col & 31u));
      out_ += '>';
      break;
    case OperandKind::Predicate:
      out_ += names_.predicate_name(o.id);
      break;
    case OperandKind::Indirect:
      out_ += isa::modifier_text(o.modifier);
      out_ += "r[";
      out_ += names_.address_name(o.id);
      out_ += '(';
      add_number(out_, o.row);
      out_ += "),";
      add_signed(out_, o.offset);
      out_ += ']';
      if (write)
        add_destination_region(out_, o.region);
      else
        add_source_region(out_, o.region, true);
      out_ += ':';
      out_ += isa::type_name(o.type);
      break;
    case OperandKind::Immediate:
      add_hex(out_, o.value);
      out_ += ':';
      out_ += isa::type_name(o.type);
      break;
    case OperandKind::State:
      if (!slot.kinds.has(OperandKind::State)) out_ += '&';
      out_ +=
          o.state == isa::StateClass::Surface ? CanonicalNames::surface_name(o.id) : CanonicalNames::sampler_name(o.id);
      if (!slot.kinds.has(OperandKind::State)) break;
      out_ += '(';
      add_number(out_, static_cast<std::uint64_t>(o.offset));
      out_ += ')';
      break;
    case OperandKind::AddressOf:
      out_ += '&';
      out_ += names_.general_name(o.id);
      if (o.offset == 0) break;
      out_ += '[';
      add_number(out_, static_cast<std::uint64_t>(o.offset));
      out_ += ']';
      break;
    case OperandKind::Surface:
      out_ += CanonicalNames::surface_name(o.id);
      break;
    case OperandKind::Sampler:
      out_ += CanonicalNames::sampler_name(o.id);
      break;
    case OperandKind::Label:
      label(o);
      break;
    case OperandKind::String:
      string_operand(o, false);
      break;
  }
}

void InstructionText::mask(std::uint64_t value) {
  for (unsigned channel = 0; channel < 4; ++channel)
    if ((value >> channel & 1u) != 0) out_ += "RGBA"[channel];
  if ((value & 0xfu) == 0) out_ += '0';
}

/// An element with `?` is left out when it has its default, unless one behind it has not.
bool InstructionText::left_out(const isa::InstructionDescription& description, const TextElement& e,
                               std::span<const Operand> operands) const {
  if (!e.omit_default) return false;
  for (const TextElement* t = &e;
       t != description.text.data() + description.text.size() && t->omit_default && t->kind == TextKind::Suffix; ++t)
    if (operands[static_cast<std::size_t>(t->slot)].value !=
        static_cast<std::uint64_t>(description.slots[static_cast<std::size_t>(t->slot)].default_value))
      return false;
  return e.kind == TextKind::Suffix;
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
    if (!joined) out_ += ' ';
    joined = false;
    element(description, e, operands, i);
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
      out_ += '(';
      add_number(out_, o.row);
      out_ += ',';
      add_number(out_, o.col);
      out_ += ')';
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

void InstructionText::code(const isa::InstructionDescription& description, const TextElement& e, std::size_t part,
                           std::span<const Operand> operands) {
  const auto slot = static_cast<std::size_t>(e.parts[part]);
  const isa::Code* known =
      description.slots[slot].codes == nullptr ? nullptr : description.slots[slot].codes->find(operands[slot].value);
  if (known != nullptr)
    out_ += known->name;
  else
    add_number(out_, operands[slot].value);
}

/// A scalar of LSC text: an immediate as plain hexadecimal, a variable without its region.
void InstructionText::lsc_vector(const Operand& o) {
  if (o.kind == OperandKind::Immediate) {
    add_hex(out_, o.value);
    return;
  }
  out_ += names_.general_name(o.id);
  if (o.row == 0 && o.col == 0) return;
  out_ += '(';
  add_number(out_, o.row);
  out_ += ',';
  add_number(out_, o.col);
  out_ += ')';
}

void InstructionText::lsc_offset(const Operand& o) {
  const auto value = static_cast<std::int32_t>(o.value);
  if (value == 0) return;
  out_ += value < 0 ? '-' : '+';
  add_hex(out_, value < 0 ? 0u - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value));
}

void InstructionText::lsc_model(const isa::InstructionDescription& description, const TextElement& e, std::size_t type,
                                std::size_t surface, std::size_t index, std::span<const Operand> operands) {
  code(description, e, type, operands);
  const std::uint64_t model = operands[static_cast<std::size_t>(e.parts[type])].value;
  if (model < 2 || model > 4) return;
  out_ += '(';
  lsc_vector(operands[static_cast<std::size_t>(e.parts[surface])]);
  if (e.parts[index] >= 0 && operands[static_cast<std::size_t>(e.parts[index])].kind != OperandKind::Absent &&
      operands[static_cast<std::size_t>(e.parts[index])].value != 0) {
    out_ += ", ";
    add_hex(out_, operands[static_cast<std::size_t>(e.parts[index])].value);
  }
  out_ += ')';
}

void InstructionText::lsc(const isa::InstructionDescription& description, const TextElement& e,
                          std::span<const Operand> operands) {
  const auto part = [&](std::size_t n) -> const Operand& { return operands[static_cast<std::size_t>(e.parts[n])]; };
  switch (e.kind) {
    case TextKind::LscData:
      raw(part(0), true);
      out_ += ':';
      code(description, e, 1, operands);
      if (part(3).value != 1) {
        out_ += 'x';
        code(description, e, 3, operands);
      }
      if (part(2).value == 2) out_ += 't';
      return;
    case TextKind::LscQuad:
      raw(part(0), true);
      out_ += ':';
      code(description, e, 1, operands);
      out_ += '.';
      for (unsigned channel = 0; channel < 4; ++channel)
        if ((part(2).value >> channel & 1u) != 0) out_ += "xyzw"[channel];
      return;
    case TextKind::LscBlock:
      raw(part(0), true);
      out_ += ':';
      code(description, e, 1, operands);
      out_ += '.';
      if (part(2).value != 1) {
        add_number(out_, part(2).value);
        out_ += 'x';
      }
      add_number(out_, part(3).value);
      out_ += 'x';
      add_number(out_, part(4).value);
      out_ += part(5).value == 2 ? 't' : 'n';
      out_ += part(6).value != 0 ? 't' : 'n';
      return;
    case TextKind::LscAddress:
    case TextKind::LscStrided:
      lsc_model(description, e, 1, 5, 6, operands);
      out_ += '[';
      if (part(2).value != 1) {
        add_number(out_, part(2).value);
        out_ += '*';
      }
      raw(part(0), true);
      lsc_offset(part(3));
      if (e.kind == TextKind::LscStrided) {
        out_ += ',';
        lsc_vector(part(7));
      }
      out_ += "]:";
      code(description, e, 4, operands);
      return;
    case TextKind::LscTyped: {
      lsc_model(description, e, 1, 3, 7, operands);
      out_ += '[';
      constexpr std::size_t kParts[4] = {0, 4, 5, 6};
      std::size_t count = 4;  // missing coordinates at the end are not printed (TXT-36)
      const auto offset = [&](std::size_t n) {
        return n < 3 && e.parts[8 + n] >= 0 && part(8 + n).kind != OperandKind::Absent && part(8 + n).value != 0;
      };
      while (count > 1 && part(kParts[count - 1]).is_null() && part(kParts[count - 1]).offset == 0 &&
             !offset(count - 1))
        --count;
      for (std::size_t n = 0; n < count; ++n) {
        if (n != 0) out_ += ',';
        raw(part(kParts[n]), true);
        if (offset(n)) lsc_offset(part(8 + n));
      }
      out_ += "]:";
      code(description, e, 2, operands);
      return;
    }
    case TextKind::LscSurface:
      lsc_model(description, e, 1, 0, 2, operands);
      return;
    case TextKind::LscBlockAddress:
      out_ += "flat[";
      for (std::size_t n = 0; n < 6; ++n) {
        if (n != 0) out_ += ',';
        lsc_vector(part(n));
      }
      out_ += ']';
      return;
    default:
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
