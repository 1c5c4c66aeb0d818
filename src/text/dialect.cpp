// The paired-surface dialect of newer tools (TXT-31). Every sampler instruction is read in the 12504 form; when the
// file is known, the first parameter becomes the paired surface or stays a parameter.
// Rules: TXT-31.
#include <fmt/format.h>

#include <algorithm>

#include "text/parser.hpp"

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

/// True when the file must be read again in another dialect: other_dialect() says which.
bool Parser::settle_dialect() {
  if (options_.dialect == DialectChoice::Auto) {
    if (in_.dialect_comment() != DialectComment::None) {
      other_dialect_ = in_.dialect_comment() == DialectComment::Newer ? DialectChoice::Newer : DialectChoice::Igc12504;
      return true;
    }
    bool all = !paired_.empty();
    for (const Paired& p : paired_) {
      const isa::Object& object = program_.objects[p.object];
      all = all && looks_paired(object, object.instructions[p.instruction], options_.platform);
      if (!all) break;
    }
    if (all || needs_newer_) {
      other_dialect_ = DialectChoice::Newer;
      return true;
    }
    return false;
  }
  if (options_.dialect == DialectChoice::Igc12504) {
    if (needs_newer_)
      error("visa-text-dialect", {1, 1, 0},
            "the file has operands that only the newer dialect can hold; --dialect newer reads it");
    return false;
  }
  // the newer dialect: the first parameter of each is the paired surface
  std::size_t dropped = 0, kept = 0;
  Span first_dropped, first_kept;
  for (const Paired& p : paired_) {
    isa::Object& object = program_.objects[p.object];
    isa::Instruction& i = object.instructions[p.instruction];
    const auto operands = object.operands_of(i);
    const std::size_t fixed = i.description->fixed_slots();
    const Span span{i.position.line, operands[fixed].at, operands[fixed].length};
    if (operands.size() < fixed + 2) {
      error("visa-sampler-param-count", span,
            fmt::format("{} needs parameters behind the paired surface of the newer dialect", i.description->mnemonic));
      if (problems_.size() > 64) flush();
      continue;
    }
    const bool null = operands[fixed].id == 0 && operands[fixed].offset == 0;
    std::rotate(operands.begin() + static_cast<std::ptrdiff_t>(fixed) - 1,
                operands.begin() + static_cast<std::ptrdiff_t>(fixed), operands.end());
    --i.operand_count;  // the empty slot went to the end
    if (null && dropped++ == 0) first_dropped = span;
    if (!null && kept++ == 0) first_kept = span;
  }
  if (dropped != 0 && kept == 0) {
    remark("visa-text-paired-surface", first_dropped,
           dropped == 1
               ? "null paired surface is dropped"
               : fmt::format("null paired surfaces are dropped, here and in {} more instructions", dropped - 1));
  }
  if (kept != 0) {
    remark("visa-text-paired-surface", first_kept, "paired surface is kept; only the newer binary dialect can hold it");
    needs_newer_ = true;
  }
  if (needs_newer_) {
    program_.dialect = isa::Dialect::Newer;
    for (isa::Object& object : program_.objects)
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
    return false;
  }
  for (const Paired& p : paired_) {
    isa::Object& object = program_.objects[p.object];
    const isa::Instruction& i = object.instructions[p.instruction];
    object.operands_of(i)[i.description->fixed_slots() - 1] = isa::Operand{};
  }
  return false;
}

}  // namespace heddle::text
