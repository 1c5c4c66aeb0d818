// SPDX-License-Identifier: MIT
#pragma once
// Intel's finalizer as a judge of vISA text.

#include <string>
#include <string_view>
#include <vector>

namespace heddle::test {

struct ToolCase {
  std::string text;      ///< a whole program
  std::string platform;  ///< a name that GenX_IR has
};

/// What GenX_IR says against each program; empty where it makes Gen code of it. Several run at a time.
[[nodiscard]] std::vector<std::string> tool_objections(const std::vector<ToolCase>& cases);

}  // namespace heddle::test
