// SPDX-License-Identifier: MIT
#pragma once

namespace heddle::engine::jit {

/// Whether code of the second tier is being made: a process that ends waits until LLVM's pass that runs is through,
/// unless it leaves by std::_Exit.
[[nodiscard]] bool has_unfinished_code();

}  // namespace heddle::engine::jit
