#pragma once
// What is known at every label of a kernel: control register, state variables, address variables.

#include "engine/jit/shape.hpp"
#include "machine/bindings.hpp"
#include "machine/jit/emit.hpp"

namespace heddle::engine::jit {

struct FactMap {
  machine::jit::Facts initial;
  std::vector<std::optional<machine::jit::Facts>> at;  ///< by instruction, for leaders that can be reached
};

[[nodiscard]] FactMap find_facts(const machine::Prepared& object, const machine::StateIndex& states, const Shape& shape,
                                 const machine::Bindings& bindings);

}  // namespace heddle::engine::jit
