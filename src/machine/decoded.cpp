// SPDX-License-Identifier: MIT
#include "machine/decoded.hpp"

#include "isa/source_map.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace heddle::machine {
namespace {

/// NUM-91: the widest source type; a floating destination takes part where the sources are floating.
Arithmetic arithmetic_of(const Decoded& d, const std::vector<Operand>& operands) {
  bool half = false, single = false, twice = false;
  const auto count = [&](isa::Type type) {
    half = half || type == isa::Type::HF;
    single = single || type == isa::Type::F || type == isa::Type::BF || type == isa::Type::VF;
    twice = twice || type == isa::Type::DF;
  };
  for (const std::int8_t s : d.sources)
    if (s >= 0) count(operands[d.first_operand + static_cast<std::uint32_t>(s)].type);
  if (!half && !single && !twice) return Arithmetic::Integer;
  if (d.destination >= 0) {
    const Operand& dst = operands[d.first_operand + static_cast<std::uint32_t>(d.destination)];
    if (dst.is_register()) count(dst.type);
  }
  return twice ? Arithmetic::Double : single ? Arithmetic::Single : Arithmetic::Half;
}

bool names(const isa::Operand& operand, std::uint32_t variable, const Layout& layout) {
  if (operand.kind != isa::OperandKind::General && operand.kind != isa::OperandKind::Raw) return false;
  const VariablePlacement* place = layout.place(operand.id);
  return place != nullptr && place->root == variable;
}

}  // namespace

const Operand* Operands::named(std::string_view slot) const {
  const int index = d_.description->slot_index(slot);
  if (index < 0 || index >= d_.operand_count || operands_[index].kind == isa::OperandKind::Absent) return nullptr;
  return &operands_[index];
}

const Operand* Operands::of_kind(isa::OperandKind kind) const {
  for (unsigned i = 0; i < d_.operand_count; ++i)
    if (operands_[i].kind == kind) return &operands_[i];
  return nullptr;
}

std::uint64_t Operands::integer(std::string_view slot) const {
  const Operand* operand = named(slot);
  return operand != nullptr ? operand->value : 0;
}

base::Result<PreparedObject> prepare(const isa::Program& program, const isa::Object& object, isa::Platform platform,
                                     Lookup lookup, const base::Limits& limits) {
  const unsigned grf_bytes = isa::platform_info(platform).grf_bytes;
  auto layout = Layout::make(program, object, grf_bytes, limits);
  if (!layout) return layout.failure();
  PreparedObject out;
  out.object = &object;
  out.layout = std::move(layout).value();
  out.code.reserve(object.instructions.size());
  out.operands.reserve(object.operands.size());

  bool atomic = false;
  for (const isa::Instruction& instruction : object.instructions) {
    const isa::InstructionDescription& description = *instruction.description;
    if (const std::string_view remark = isa::remark_of(object, instruction); !remark.empty())
      atomic = remark == isa::kAtomicRemark || (atomic && remark != isa::kPlainRemark);
    Decoded d;
    d.instruction = &instruction;
    d.description = &description;
    d.execute = lookup(description);
    d.first_operand = static_cast<std::uint32_t>(out.operands.size());
    d.operand_count = instruction.operand_count;
    d.lanes = static_cast<std::uint8_t>(std::min(description.has_exec ? instruction.exec.size() : 1u, kMaxLanes));
    d.mask_offset = static_cast<std::uint8_t>(description.has_exec ? instruction.exec.mask_offset() : 0);
    d.no_mask = !description.has_exec || instruction.exec.no_mask();
    d.predicate = instruction.predicate;
    std::size_t sources = 0, integers = 0;
    const auto operands = object.operands_of(instruction);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const isa::Operand& operand = operands[i];
      const isa::Slot* slot = description.slot_of(i);
      const bool vector = slot != nullptr && slot->kind == isa::SlotKind::Vector;
      const bool written =
          slot != nullptr && (slot->access == isa::Access::Write || slot->access == isa::Access::ReadWrite);
      Operand resolved =
          resolve(operand, out.layout, slot != nullptr && slot->scalar ? 1u : d.lanes, vector && written);
      if (operand.kind == isa::OperandKind::Label) {
        if (operand.id >= object.labels.size() || !object.labels[operand.id].instruction)
          return base::error("visa-text-label", "label is never defined",
                             isa::place_of(program, object, instruction, operand));
        resolved.id = *object.labels[operand.id].instruction;
      }
      if (vector && written && operand.kind != isa::OperandKind::Absent) {
        (d.destination < 0 ? d.destination : d.second_destination) = static_cast<std::int8_t>(i);
        if (operand.modifier == isa::Modifier::Sat) d.saturate = true;
      } else if (vector && sources < d.sources.size()) {
        d.sources[sources++] = static_cast<std::int8_t>(i);
      } else if (slot != nullptr && slot->kind == isa::SlotKind::Integer && integers < d.integers.size()) {
        d.integers[integers++] = static_cast<std::int8_t>(i);
      }
      d.reads_live =
          d.reads_live || names(operand, predefined::kCe0, out.layout) || names(operand, predefined::kTsc, out.layout);
      d.writes_control = d.writes_control || names(operand, predefined::kCr0, out.layout);
      out.operands.push_back(resolved);
    }
    d.arithmetic = arithmetic_of(d, out.operands);
    d.atomic = atomic;
    out.code.push_back(d);
  }
  return out;
}

}  // namespace heddle::machine
