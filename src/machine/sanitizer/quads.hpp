// SPDX-License-Identifier: MIT
#pragma once
// Derivatives need the whole quad: lanes 4k to 4k + 3 (EXE-4).

#include "machine/execution_context.hpp"

namespace heddle::machine {

/// A remark of the program is reached. Where it announces a derivative, and some lanes of a quad are active and others
/// are not, that is reported (run-derivative-undefined). Helper lanes are active like all others. Where it says that
/// lanes become helpers, the thread knows it from then on. Values that stand for what the shader does not write are
/// passed over. `carries`: whether the instructions from here on only carry values on.
void pass_remark(Thread& thread, const Decoded& remark, bool& carries);

/// The lanes whose first source has been written: what a move that carries values on takes. In the others its
/// destination is as unwritten as the source.
[[nodiscard]] std::uint32_t written_lanes(ExecutionContext& context);

}  // namespace heddle::machine
