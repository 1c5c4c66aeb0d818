// SPDX-License-Identifier: MIT
// Compiled into the program and into the compiler module.
#ifdef HEDDLE_HAS_LLVM

#include "engine/jit/codegen/module.hpp"
#include "engine/jit/headers_hash.hpp"

namespace heddle::engine::jit {

const char* build_identity() { return "LLVM " HEDDLE_LLVM_VERSION ", " __VERSION__ ", " HEDDLE_HEADERS_HASH; }

}  // namespace heddle::engine::jit

#endif
