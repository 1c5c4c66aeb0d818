// SPDX-License-Identifier: MIT
#pragma once
// Reads whose lanes chose a buffer each, by handles.

#include <span>

#include "instructions/data_port/jit_memory.hpp"

namespace heddle::instructions::jit_memory {

/// What handles name, one in each lane (I32), as FunctionState::chosen; and for which of the enabled lanes that is
/// known, and something is there.
struct ChosenBytes {
  machine::jit::FunctionState::Chosen bytes;
  Value known;
};
[[nodiscard]] ChosenBytes chosen_by_handles(CodegenContext& e, Value handles, Value enabled);
/// Whether a scattered read is emitted for them: it is never left to the reference function then.
[[nodiscard]] bool can_read_chosen(CodegenContext& e);
/// The read, of some components: every lane from its own bytes; what is not there reads 0.
[[nodiscard]] bool read_chosen(CodegenContext& e, const MemoryBytes& target, const MemoryMessage& message,
                               std::span<const unsigned> components);
/// The enabled lanes (and some others) before which no enabled one has the same handle. Handles are less than 2^31.
[[nodiscard]] Value first_of_each(Builder& b, Value handles, Value enabled);

}  // namespace heddle::instructions::jit_memory
