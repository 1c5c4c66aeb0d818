// SPDX-License-Identifier: MIT
#pragma once
// What bench_quick counts.

#include <functional>
#include <string>
#include <vector>

namespace heddle::bench {

struct Item {
  std::string name, of;
  double small = 0, large = 0;                     ///< how many `of`
  std::function<std::string(bool large)> prepare;  ///< both sizes; error texts, empty when all went well
  std::function<std::string(bool large)> run;
  bool tiers = false;  ///< it begins in the first tier, and has to run often until there is a second
};

/// Draws, and calls of the Vulkan driver; nothing where that is not built.
void add_driver(std::vector<Item>& list);

}  // namespace heddle::bench
