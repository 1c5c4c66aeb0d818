// SPDX-License-Identifier: MIT
#pragma once
// Whether lanes reach memory in steps.

namespace llvm {
class Function;
}

namespace heddle::engine::jit {

/// Marks the comparisons of Builder::in_steps. The pass runs before equal calculations become one: a comparison of the
/// program's own never gets the mark.
inline constexpr const char* kStepsMark = "heddle.steps";

/// Where the integers of Builder::in_steps are made of a vector by adding, shifting and multiplying what every lane has
/// alike, the question is asked of that vector, which other messages share, and their first lane is calculated as a
/// number. True when something changed.
bool ask_where_offsets_come_from(llvm::Function& function);

}  // namespace heddle::engine::jit
