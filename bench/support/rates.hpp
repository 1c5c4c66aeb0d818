// SPDX-License-Identifier: MIT
#pragma once
// google-benchmark programs whose results become a table: what, time for each item, items a second.

#include <string>
#include <vector>

#include "support/measure.hpp"

namespace heddle::bench {

struct Rate {
  std::string name;
  std::string item;    ///< the benchmark's label: "lane", "pixel" ...
  double seconds = 0;  ///< for each item: median of the repetitions
};

/// Runs every registered benchmark (SetItemsProcessed and SetLabel say what is counted). Other words of the command
/// line go to google-benchmark. Repetitions and their length have quick defaults.
[[nodiscard]] std::vector<Rate> run_rates(const Options& options, const char* program);

/// Adds the table of `rates` to a section.
void add_rates(Section& section, const std::vector<Rate>& rates);

}  // namespace heddle::bench
