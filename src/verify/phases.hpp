// SPDX-License-Identifier: MIT
#pragma once
// The phases of verify::check, each in its own file.

#include <string_view>
#include <unordered_map>

#include "instructions/check.hpp"
#include "verify/findings.hpp"

namespace heddle::verify {

class FlowGraph;

/// Declarations, aliases, inputs, attributes of one object.
void check_declarations(const isa::Object& object, Findings& findings);
using FunctionIndex = std::unordered_map<std::string_view, const isa::Object*>;
/// fcall against the callee's attributes.
void check_calls(const isa::Object& object, const FunctionIndex& functions, Findings& findings);

/// Execution size, mask, predicate, saturation, platform of one instruction.
/// `simd_size`: the kernel's SimdSize attribute, 0 when there is none.
void check_execution(instructions::Check& check, std::int64_t simd_size);
/// Class, type, region, bounds, modifier of each operand, then the types together.
void check_operands(instructions::Check& check);
void check_type_mix(instructions::Check& check);

/// Labels, subroutine ends, recursion, divergent barriers; visa-rt-last, visa-lifetime.
void check_flow(const isa::Object& object, const FlowGraph& graph, Findings& findings);
/// visa-uninitialized, visa-unused-declaration.
void check_uses(const isa::Object& object, const FlowGraph& graph, Findings& findings);

}  // namespace heddle::verify
