// SPDX-License-Identifier: MIT
// Rules: TXT-31.
#include "text/statements/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace heddle::text {

/// TXT-31: %null.0 directly after dst with at least one parameter behind it; on XE2 and later also any raw without
/// which alone the number of parameters fits.
bool looks_paired(const isa::Object& object, const isa::Instruction& i, std::optional<isa::Platform> platform) {
  const auto operands = object.operands_of(i);
  const std::size_t fixed = i.description->fixed_slots();
  if (operands.size() < fixed + 2) return false;
  if (operands[fixed].kind == isa::OperandKind::Raw && operands[fixed].id == 0 && operands[fixed].offset == 0)
    return true;
  const std::size_t count = operands.size() - fixed;
  return platform && *platform >= isa::Platform::XE2 && count > i.description->traits.max_params &&
         count - 1 <= i.description->traits.max_params;
}

std::optional<DialectChoice> Dialect::settle() {
  switch (c_.options.dialect) {
    case DialectChoice::Auto:
      return detect();
    case DialectChoice::Igc12504:
      if (c_.needs_newer)
        error("visa-text-dialect", {1, 1, 0},
              "the file has operands that only the newer dialect can hold; --dialect newer reads it");
      break;
    case DialectChoice::Newer:
      pair_surfaces();
      if (c_.needs_newer)
        make_newer();
      else
        drop_surfaces();
      break;
  }
  return std::nullopt;
}

std::optional<DialectChoice> Dialect::detect() const {
  if (in_.dialect_comment() != DialectComment::None)
    return in_.dialect_comment() == DialectComment::Newer ? DialectChoice::Newer : DialectChoice::Igc12504;
  const auto paired = [&](const ParseContext::Paired& p) {
    const isa::Object& object = c_.program.objects[p.object];
    return looks_paired(object, object.instructions[p.instruction], c_.options.platform);
  };
  const bool all = !c_.paired.empty() && std::ranges::all_of(c_.paired, paired);
  if (all || c_.needs_newer) return DialectChoice::Newer;
  return std::nullopt;
}

/// The first parameter of each is the paired surface.
void Dialect::pair_surfaces() {
  for (const ParseContext::Paired& p : c_.paired) pair_surface(p);
  if (dropped_.count != 0 && kept_.count == 0)
    remark("visa-text-paired-surface", dropped_.first,
           dropped_.count == 1
               ? "null paired surface is dropped"
               : fmt::format("null paired surfaces are dropped, here and in {} more instructions", dropped_.count - 1));
  if (kept_.count != 0) {
    remark("visa-text-paired-surface", kept_.first,
           "paired surface is kept; only the newer binary dialect can hold it");
    c_.needs_newer = true;
  }
}

void Dialect::pair_surface(const ParseContext::Paired& p) {
  isa::Object& object = c_.program.objects[p.object];
  isa::Instruction& i = object.instructions[p.instruction];
  const auto operands = object.operands_of(i);
  const std::size_t fixed = i.description->fixed_slots();
  const Span span{i.position.line, operands[fixed].at, operands[fixed].length};
  if (operands.size() < fixed + 2) {
    error("visa-sampler-param-count", span,
          fmt::format("{} needs parameters behind the paired surface of the newer dialect", i.description->mnemonic));
    problems_.flush_flood();
    return;
  }
  const bool null = operands[fixed].id == 0 && operands[fixed].offset == 0;
  std::rotate(operands.begin() + static_cast<std::ptrdiff_t>(fixed) - 1,
              operands.begin() + static_cast<std::ptrdiff_t>(fixed), operands.end());
  --i.operand_count;  // the empty slot went to the end
  (null ? dropped_ : kept_).add(span);
}

void Dialect::make_newer() {
  c_.program.dialect = isa::Dialect::Newer;
  for (isa::Object& object : c_.program.objects)
    for (isa::Instruction& i : object.instructions) {
      if (!i.description->in_newer)
        error("visa-text-dialect", {i.position.line, i.position.column, i.length},
              fmt::format("this form of {} does not exist in the newer dialect", i.description->mnemonic));
      const auto operands = object.operands_of(i);
      for (std::size_t n = 0; n < i.description->fixed_slots(); ++n) {
        const isa::Slot& slot = i.description->slots[n];
        if (!slot.newer_only || operands[n].kind != isa::OperandKind::Absent) continue;
        operands[n].kind = slot.kind == isa::SlotKind::Raw ? isa::OperandKind::Raw : isa::OperandKind::Integer;
      }
    }
}

/// Nothing needs the newer dialect: no instruction keeps a paired surface.
void Dialect::drop_surfaces() {
  for (const ParseContext::Paired& p : c_.paired) {
    isa::Object& object = c_.program.objects[p.object];
    const isa::Instruction& i = object.instructions[p.instruction];
    object.operands_of(i)[i.description->fixed_slots() - 1] = isa::Operand{};
  }
}

}  // namespace heddle::text
