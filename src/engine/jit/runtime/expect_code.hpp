// SPDX-License-Identifier: MIT
#pragma once

namespace heddle::engine::jit {

/// Something is going to be compiled: the compiler's module is opened on the background thread, while the program is
/// still being read. Returns at once; nothing happens in a build without a compiler.
void expect_code();

}  // namespace heddle::engine::jit
