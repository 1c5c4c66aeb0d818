// Compiled into the program and into the compiler module.
#ifdef HEDDLE_HAS_LLVM

#include "engine/jit/headers_hash.hpp"
#include "engine/jit/module.hpp"

namespace heddle::engine::jit {

const char* build_identity() { return "LLVM " HEDDLE_LLVM_VERSION ", " __VERSION__ ", " HEDDLE_HEADERS_HASH; }

}  // namespace heddle::engine::jit

#endif
