#pragma once
// Where variables live while the function runs, and what they hold at its start.

#include "engine/jit/shape.hpp"
#include "machine/jit/emit.hpp"

namespace heddle::engine::jit {

/// A home for every variable that reachable instructions name.
void make_homes(machine::jit::Builder& b, machine::jit::Frame& frame, const Shape& shape);

/// The thread's payload and state in the variables that take them.
void load_inputs(machine::jit::Builder& b, machine::jit::Frame& frame, machine::jit::Value payload);

/// A word of a predefined variable, where the kernel names it.
void store_predefined(machine::jit::Builder& b, machine::jit::Frame& frame, std::uint32_t variable,
                      std::uint32_t offset, machine::jit::Value value);

}  // namespace heddle::engine::jit
