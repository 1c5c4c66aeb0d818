// SPDX-License-Identifier: MIT
// Data and addresses of LSC messages.
// Rules: TXT-36.
#include "isa/description.hpp"
#include "text/print/instruction_printer.hpp"
#include "text/print/numbers.hpp"

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;
using isa::TextKind;

constexpr std::uint64_t kFlat = 1, kSurf = 6;  // address models

/// The operand of part `n` of a composite element.
const Operand& operand_of(const TextElement& e, std::size_t n, std::span<const Operand> operands) {
  return operands[static_cast<std::size_t>(e.parts[n])];
}

}  // namespace

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

/// A scalar of LSC text: an immediate as plain hexadecimal, a variable without its region; other operands in full.
void InstructionText::lsc_vector(const Operand& o, bool wide) {
  if (o.kind == OperandKind::Immediate && o.type == (wide ? isa::Type::UQ : isa::Type::UD)) {
    add_hex(out_, o.value);
    return;
  }
  if (o.kind != OperandKind::General || o.modifier != isa::Modifier::None || o.region != isa::Region::source(0, 1, 0)) {
    Slot source;
    source.access = isa::Access::Read;
    operand(source, o);
    return;
  }
  out_ += names_.general_name(o.id);
  if (o.row == 0 && o.col == 0) return;
  add_origin(out_, o);
}

/// A coordinate and its offset. A number before an offset has its type, or the two would be read as a sum.
void InstructionText::lsc_origin(const Operand& coordinate, const Operand* offset) {
  lsc_vector(coordinate, offset != nullptr && coordinate.type == isa::Type::UD);
  if (offset != nullptr) lsc_offset(*offset, true);
}

void InstructionText::lsc_offset(const Operand& o, bool always) {
  const auto value = static_cast<std::int32_t>(o.value);
  if (value == 0 && !always) return;
  out_ += value < 0 ? '-' : '+';
  add_hex(out_, value < 0 ? 0u - static_cast<std::uint32_t>(value) : static_cast<std::uint32_t>(value));
}

void InstructionText::lsc_model(const isa::InstructionDescription& description, const TextElement& e, std::size_t type,
                                std::size_t surface, std::size_t index, std::span<const Operand> operands) {
  code(description, e, type, operands);
  const std::uint64_t model = operands[static_cast<std::size_t>(e.parts[type])].value;
  const bool wide = model == kFlat || model == kSurf;
  if (!(model >= 2 && model <= 4) && !wide) return;
  if (model == kFlat &&
      (e.parts[surface] < 0 || description.has_default(static_cast<std::size_t>(e.parts[surface]), operands)))
    return;
  out_ += '(';
  lsc_vector(operands[static_cast<std::size_t>(e.parts[surface])], wide);
  if (e.parts[index] >= 0 && operands[static_cast<std::size_t>(e.parts[index])].kind != OperandKind::Absent &&
      operands[static_cast<std::size_t>(e.parts[index])].value != 0) {
    out_ += ", ";
    add_hex(out_, operands[static_cast<std::size_t>(e.parts[index])].value);
  }
  out_ += ')';
}

/// V40:d16.2x8x8nn: blocks, width, height, transposed, VNNI.
void InstructionText::lsc_block(const isa::InstructionDescription& description, const TextElement& e,
                                std::span<const Operand> operands) {
  const auto part = [&](std::size_t n) -> const Operand& { return operand_of(e, n, operands); };
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
}

/// MODEL[scale*V40+immediate,pitch]:a32; a pitch only in strided messages.
void InstructionText::lsc_address(const isa::InstructionDescription& description, const TextElement& e,
                                  std::span<const Operand> operands) {
  const auto part = [&](std::size_t n) -> const Operand& { return operand_of(e, n, operands); };
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
}

/// MODEL[U,V,R,LOD]:a32.
void InstructionText::lsc_typed(const isa::InstructionDescription& description, const TextElement& e,
                                std::span<const Operand> operands) {
  const auto part = [&](std::size_t n) -> const Operand& { return operand_of(e, n, operands); };
  lsc_model(description, e, 1, 3, 7, operands);
  out_ += '[';
  constexpr std::size_t kParts[4] = {0, 4, 5, 6};
  std::size_t count = 4;  // missing coordinates at the end are not printed (TXT-36)
  const auto offset = [&](std::size_t n) {
    return n < 3 && e.parts[8 + n] >= 0 && part(8 + n).kind != OperandKind::Absent && part(8 + n).value != 0;
  };
  while (count > 1 && part(kParts[count - 1]).is_null() && part(kParts[count - 1]).offset == 0 && !offset(count - 1))
    --count;
  for (std::size_t n = 0; n < count; ++n) {
    if (n != 0) out_ += ',';
    raw(part(kParts[n]), true);
    if (offset(n)) lsc_offset(part(8 + n));
  }
  out_ += "]:";
  code(description, e, 2, operands);
}

void InstructionText::lsc(const isa::InstructionDescription& description, const TextElement& e,
                          std::span<const Operand> operands) {
  const auto part = [&](std::size_t n) -> const Operand& { return operand_of(e, n, operands); };
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
      return lsc_block(description, e, operands);
    case TextKind::LscAddress:
    case TextKind::LscStrided:
      return lsc_address(description, e, operands);
    case TextKind::LscTyped:
      return lsc_typed(description, e, operands);
    case TextKind::LscSurface:
      return lsc_model(description, e, 1, 0, 2, operands);
    case TextKind::LscBlockAddress:
      out_ += "flat[";
      for (std::size_t n = 0; n < 6; ++n) {
        if (n != 0) out_ += ',';
        lsc_origin(part(n), n >= 4 && e.parts[n + 2] >= 0 ? &part(n + 2) : nullptr);
      }
      out_ += ']';
      return;
    case TextKind::LscBlockPayload:
      out_ += "flat[";
      lsc_vector(part(0));
      out_ += "+(";
      add_signed(out_, static_cast<std::int32_t>(part(1).value));
      out_ += ',';
      add_signed(out_, static_cast<std::int32_t>(part(2).value));
      out_ += ")]";
      return;
    case TextKind::LscRows:
      raw(part(0), true);
      out_ += ':';
      add_number(out_, part(1).value);
      out_ += 'x';
      add_number(out_, part(2).value);
      return;
    case TextKind::LscRowsAddress:
      lsc_model(description, e, 2, 3, 4, operands);
      out_ += '[';
      for (std::size_t n = 0; n < 2; ++n) {
        if (n != 0) out_ += ',';
        lsc_origin(part(n), e.parts[n + 5] >= 0 ? &part(n + 5) : nullptr);
      }
      out_ += ']';
      return;
    default:
      return;
  }
}

}  // namespace heddle::text
