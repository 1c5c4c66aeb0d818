// SPDX-License-Identifier: MIT
// Marks for people and for the register allocator: nothing to execute.
#include "instructions/reference.hpp"

namespace heddle::instructions::misc {
namespace {
constexpr ReferenceHook kHooks[] = {{"misc", does_nothing}};
}

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::misc
