// SPDX-License-Identifier: MIT
#pragma once
// Bars of ratios, as an SVG picture.

#include <string>
#include <vector>

namespace heddle::bench {

struct Bar {
  std::string name;
  double ratio = 0, second = 0;  ///< 0: none
  double wanted = 0;             ///< 0: none
};

/// Two bars for each case, a line at 1 and a mark at what is wanted.
[[nodiscard]] std::string plot_bars(const std::vector<Bar>& bars, const std::string& title, const std::string& first,
                                    const std::string& second);

}  // namespace heddle::bench
