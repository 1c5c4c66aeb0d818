// SPDX-License-Identifier: MIT
#include "machine/operand.hpp"

namespace heddle::machine {
namespace {

/// Region steps (ENC-19): source lane k is element (k / w) * v + (k % w) * h, destination lane k element k * h.
/// Multi-address regions <w,h> (v null) take a new address every w lanes.
void set_region(Operand& out, const isa::Region& region, unsigned lanes, bool destination) {
  const auto known = [](int value, int fallback) { return value < 0 ? fallback : value; };
  const int h = known(region.h(), 1);
  const int w = destination ? 1 : known(region.w(), 1);
  const int v = destination ? h : known(region.v(), 0);
  const bool multi = !destination && region.v() < 0 && out.kind == isa::OperandKind::Indirect;
  out.width = static_cast<std::uint8_t>(multi ? (w == 0 ? 1 : w) : 0);
  const unsigned columns = w <= 0 ? 1u : static_cast<unsigned>(w);
  out.contiguous = true;
  out.scalar = true;
  for (unsigned k = 0; k < kMaxLanes; ++k) {
    const unsigned row = k / columns, column = k % columns;
    const unsigned element =
        (multi ? 0u : row * static_cast<unsigned>(v)) + (destination ? 0u : column * static_cast<unsigned>(h));
    out.lane[k] = static_cast<std::uint16_t>(element * out.size);
    if (k < lanes && out.lane[k] != k * out.size) out.contiguous = false;
    if (k < lanes && out.lane[k] != 0) out.scalar = false;
  }
  if (multi) out.scalar = out.contiguous = false;
}

void set_bounds(Operand& out, const VariablePlacement& place, unsigned lanes) {
  out.root_begin = place.root_begin;
  out.root_end = place.root_end;
  out.in_bounds = out.base >= out.root_begin;
  for (unsigned k = 0; k < lanes; ++k)
    if (static_cast<std::uint64_t>(out.base) + out.lane[k] + out.size > out.root_end) out.in_bounds = false;
}

}  // namespace

Operand resolve(const isa::Operand& operand, const Layout& layout, unsigned lanes, bool destination) {
  using isa::OperandKind;
  Operand out;
  out.kind = operand.kind;
  out.modifier = operand.modifier;
  out.id = operand.id;
  out.value = operand.value;
  out.offset = operand.offset;
  out.element = operand.row;
  out.source = &operand;
  out.null = operand.is_null();
  switch (operand.kind) {
    case OperandKind::General:
    case OperandKind::Raw:
    case OperandKind::AddressOf: {
      const VariablePlacement* place = layout.place(operand.id);
      if (place == nullptr) {
        out.null = true;
        break;
      }
      out.type = place->type;
      out.size = static_cast<std::uint8_t>(isa::type_bytes(place->type));
      if (operand.kind == OperandKind::General) {
        out.base = place->begin + operand.row * layout.grf_bytes() + operand.col * out.size;
        set_region(out, operand.region, lanes, destination);
      } else {
        out.base = place->begin + static_cast<std::uint32_t>(operand.offset);
        out.contiguous = true;
        for (unsigned k = 0; k < kMaxLanes; ++k) out.lane[k] = static_cast<std::uint16_t>(k * out.size);
      }
      set_bounds(out, *place, lanes);
      break;
    }
    case OperandKind::Indirect:
      out.type = operand.type;
      out.size = static_cast<std::uint8_t>(isa::type_bytes(operand.type));
      set_region(out, operand.region, lanes, destination);
      break;
    case OperandKind::Immediate:
      out.type = operand.type;
      out.scalar = operand.type != isa::Type::V && operand.type != isa::Type::UV && operand.type != isa::Type::VF;
      if (operand.type == isa::Type::V) out.type = isa::Type::W;  // NUM-91: counts as W, UW, F
      if (operand.type == isa::Type::UV) out.type = isa::Type::UW;
      if (operand.type == isa::Type::VF) out.type = isa::Type::F;
      out.size = static_cast<std::uint8_t>(isa::type_bytes(out.type));
      if (out.scalar && out.size < 8)
        out.value &= (std::uint64_t{1} << (8 * out.size)) - 1;  // stored sign-extended (ENC-22)
      break;
    case OperandKind::Address:
      out.type = isa::Type::UW;
      out.size = 2;
      out.width = static_cast<std::uint8_t>(1u << (operand.col & 7u));
      break;
    case OperandKind::State:
      out.element = static_cast<std::uint8_t>(operand.offset);
      break;
    case OperandKind::Absent:
    case OperandKind::Integer:
    case OperandKind::Predicate:
    case OperandKind::Surface:
    case OperandKind::Sampler:
    case OperandKind::Label:
    case OperandKind::String:
      break;
  }
  return out;
}

}  // namespace heddle::machine
