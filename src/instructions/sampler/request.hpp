// SPDX-License-Identifier: MIT
#pragma once
// Image instructions: operands become a request of the texture unit, its result becomes destination bytes
// (docs/rules/lanes-and-results.md).

#include "instructions/sampler/message.hpp"
#include "machine/execution_context.hpp"
#include "texture/sample_unorm.hpp"

namespace heddle::instructions {

[[nodiscard]] const machine::Operand* operand_of_kind(machine::ExecutionContext& step, isa::OperandKind kind);
/// Surface and sampler of the instruction; nullptr after a refusal.
[[nodiscard]] const image::Surface* surface_of(machine::ExecutionContext& step);
[[nodiscard]] const image::Sampler* sampler_of(machine::ExecutionContext& step);

/// One raw parameter: simd elements of its variable's width; HF is widened (NUM-33), 16-bit integers are zero-extended.
void read_parameter(machine::ExecutionContext& step, const machine::Operand& operand, std::uint32_t needed,
                    texture::LaneWords& words);

/// Instructions whose row names an operation of the texture unit: 3D_SAMPLE, 3D_LOAD, 3D_SAMPLE4, INFO.
void run_sampler_message(machine::ExecutionContext& step);

/// The legacy forms (opcodes 40, 42): what the finalizer makes of them is a plain sample or ld message of 8 or 16 lanes
/// with u, v, r; lod and array index are 0.
void run_legacy_message(machine::ExecutionContext& step, texture::OperationKind family);

/// SAMPLE_UNORM: the block, whatever the execution mask says.
void execute_unorm(machine::ExecutionContext& step, const texture::UnormRequest& request, texture::UnormOutput output,
                   const machine::Operand& destination);

/// Reads the parameters of the enabled lanes, runs the operation, writes channels (and the null mask) to the raw
/// destination. The request has its surface and sampler.
void run_message(machine::ExecutionContext& step, SamplerMessage& message, const machine::Operand& destination);

}  // namespace heddle::instructions
