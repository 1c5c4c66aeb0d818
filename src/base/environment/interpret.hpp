// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_INTERPRET: whether programs begin interpreted. Results are the same with either.

namespace heddle::base {

[[nodiscard]] bool may_interpret();

}  // namespace heddle::base
