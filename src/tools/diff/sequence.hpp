// SPDX-License-Identifier: MIT
#pragma once
// The instructions of an object as they are compared: names and numbers of variables and labels aside.

#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.hpp"

namespace heddle::tools {

enum class ReferenceKind : std::uint8_t { General, Address, Predicate, Label };
inline constexpr std::size_t kReferenceKinds = 4;
inline constexpr std::uint32_t kNothing = 0xffffffffu;

/// A variable or label that an operand names: general variables by the one that owns the storage.
struct Reference {
  ReferenceKind kind = ReferenceKind::General;
  std::uint32_t id = 0;
  bool written = false;
};

struct Step {
  const isa::Instruction* instruction = nullptr;
  std::uint64_t shape = 0;  ///< hash of everything but the references
  std::uint32_t first = 0, count = 0;
};

/// Without remarks (FILE, LOC, lifetimes) and labels that nothing jumps to: they change nothing that is executed.
struct Sequence {
  const isa::Program* program = nullptr;
  const isa::Object* object = nullptr;
  std::vector<Step> steps;
  std::vector<Reference> references;
  [[nodiscard]] std::span<const Reference> of(const Step& step) const {
    return {references.data() + step.first, step.count};
  }
};

[[nodiscard]] Sequence make_sequence(const isa::Program& program, const isa::Object& object, unsigned grf_bytes);

}  // namespace heddle::tools
