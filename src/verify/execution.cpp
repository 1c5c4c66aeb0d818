// SPDX-License-Identifier: MIT
// Platform, execution size, mask, predicate, saturation of one instruction.

#include <fmt/format.h>

#include <algorithm>

#include "verify/phases.hpp"

namespace heddle::verify {
namespace {

using instructions::Check;
using isa::Operand;
using isa::OperandKind;
using isa::PlatformSet;

std::string sizes_text(std::uint64_t sizes) {
  std::string text;
  for (unsigned code = 0; code < 6; ++code)
    if ((sizes >> code & 1u) != 0) text += (text.empty() ? "" : ", ") + std::to_string(1u << code);
  return text;
}

/// A message of the sampler with packed texel offsets for each lane, which came with XE2 (PKO-1).
bool has_lane_offsets(const isa::InstructionDescription& description) {
  return description.sampler_op && std::ranges::any_of(description.parameters, [](std::string_view parameter) {
           return parameter.find("offuv") != std::string_view::npos;
         });
}

void check_platform(Check& check) {
  const isa::InstructionDescription& description = check.description();
  if (description.traits.unverified)  // visa-op-unverified
    check.note("visa-op-unverified", nullptr,
               fmt::format("the encoding of {} is known from source only", description.mnemonic));
  if (description.traits.unimplemented)  // visa-op-unimplemented
    check.warning("visa-op-unimplemented", nullptr, fmt::format("no public tool implements {}", description.mnemonic));
  if (description.traits.extension)  // visa-heddle-extension
    check.note("visa-heddle-extension", nullptr,
               fmt::format("{} is Heddle's own instruction, Intel's tools refuse it", description.mnemonic));
  // visa-platform, visa-sampler-op; a family whose platform rule is a warning is marked soft.
  const PlatformSet missing = check.platforms().without(description.platforms);
  if (description.traits.soft_platform || missing.empty()) return;
  const bool sampler = description.sampler_op;
  if (has_lane_offsets(description) && check.object().attribute("HeddleLaneOffsets") != nullptr)
    return check.note("visa-heddle-extension", nullptr,
                      fmt::format("{} exists on {} only, the kernel asks for it elsewhere: Intel's tools refuse it",
                                  description.mnemonic, description.platforms.describe()));
  check.error(sampler ? "visa-sampler-op" : "visa-platform", nullptr,
              fmt::format("{} exists on {} only", description.mnemonic, description.platforms.describe()), missing);
}

void check_exec(Check& check, std::int64_t simd_size) {
  const isa::InstructionDescription& description = check.description();
  if (!description.has_exec) return;
  const isa::Exec exec = check.instruction().exec;
  const unsigned size = exec.size(), offset = exec.mask_offset();
  unsigned code = exec.bits & 7u;
  // visa-exec-size
  if (code > 5 || (description.traits.exec_sizes >> code & 1u) == 0)
    check.error("visa-exec-size", nullptr,
                fmt::format("{} has execution size {}, legal are {}", description.mnemonic, size,
                            sizes_text(description.traits.exec_sizes)));
  if (code > 5) return;
  // visa-mask-range, visa-mask-align, visa-simd-width
  if (offset + size > 32) {
    check.error("visa-mask-range", nullptr,
                fmt::format("channels {} to {} of a mask that has 32", offset, offset + size - 1));
  } else if (offset % size != 0) {
    check.error("visa-mask-align", nullptr,
                fmt::format("mask offset {} is no multiple of the execution size {}", offset, size));
  } else if (simd_size > 0 && !exec.no_mask() && offset + size > static_cast<std::uint64_t>(simd_size)) {
    check.warning("visa-simd-width", nullptr,
                  fmt::format("channels {} to {} of a kernel with SimdSize {}", offset, offset + size - 1, simd_size));
  }
}

bool declared(const Check& check, std::uint32_t predicate) {
  return predicate >= 1 && predicate - 1 < check.object().predicates.size();
}

// visa-pred-width: one element for each channel from the mask offset on.
void check_width(Check& check, std::uint32_t predicate, const Operand* where) {
  const isa::PlainVariable& p = check.object().predicates[predicate - 1];
  const unsigned needed = check.instruction().exec.mask_offset() + check.exec_size();
  if (p.elements < needed)
    check.error("visa-pred-width", where,
                fmt::format("predicate {} has {} elements, {} are needed", p.name, p.elements, needed));
}

void check_predicate(Check& check) {
  const isa::InstructionDescription& description = check.description();
  const isa::PredicateUse predicate = check.instruction().predicate;
  bool logic = false, copy = false;  // predicates as operands
  for (const Operand& o : check.operands()) {
    if (o.kind != OperandKind::Predicate) continue;
    // visa-pred-kind
    if (!declared(check, o.id))
      check.error("visa-pred-kind", &o, fmt::format("predicate {} is not declared", o.id));
    else if (description.traits.predicate_copy)
      copy = true;
    else
      check_width(check, o.id, &o);
    logic = true;
  }
  if (!predicate.present()) return;
  if (!declared(check, predicate.id())) {
    check.error("visa-pred-kind", nullptr, fmt::format("predicate {} is not declared", predicate.id()));
    return;
  }
  // visa-pred-allowed; a predicated copy of a predicate is visa-mov-predicate.
  const bool encodable = description.has_predicate &&
                         (!description.predicate_newer_only || check.program().dialect == isa::Dialect::Newer);
  if (!encodable)
    check.error("visa-pred-allowed", nullptr, fmt::format("{} cannot be predicated", description.mnemonic));
  else if (logic && !copy && description.has_predicate)
    check.error("visa-pred-allowed", nullptr,
                fmt::format("{} of predicates cannot be predicated", description.mnemonic));
  if (description.has_exec) check_width(check, predicate.id(), nullptr);
}

void check_saturation(Check& check) {
  const isa::InstructionDescription& description = check.description();
  for (std::size_t i = 0; i < check.operands().size(); ++i) {
    const Operand& o = check.operands()[i];
    if (o.modifier != isa::Modifier::Sat) continue;
    const isa::Slot* slot = description.slot_of(i);
    const bool written = slot != nullptr && slot->access == isa::Access::Write;
    if (!written) {
      check.error("visa-modifier", &o, fmt::format("{} is a source and cannot saturate", check.text(o)));
    } else if (description.traits.saturate == isa::Saturate::No) {
      check.error("visa-saturation", &o, fmt::format("{} cannot saturate", description.mnemonic));
    } else if (description.traits.saturate == isa::Saturate::Float) {
      const auto type = check.type_of(o);
      if (type && !isa::is_float(*type))
        check.warning(
            "visa-saturation", &o,
            fmt::format("{} saturates floating results only, not {}", description.mnemonic, isa::type_name(*type)));
    }
  }
}

}  // namespace

void check_execution(Check& check, std::int64_t simd_size) {
  check_platform(check);
  check_exec(check, simd_size);
  check_predicate(check);
  check_saturation(check);
}

}  // namespace heddle::verify
