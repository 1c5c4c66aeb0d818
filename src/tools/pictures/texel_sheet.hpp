// SPDX-License-Identifier: MIT
#pragma once
// How often the texels of an image were touched, as one picture: all levels and slices, counts, a legend.

#include <optional>
#include <string>
#include <vector>

#include "job/run/texel_coverage.hpp"
#include "tools/pictures/picture.hpp"

namespace heddle::tools {

/// Rows are slices, columns levels. Each picture is drawn as large as it can be read; where there is room, a texel
/// bears its number of reads (below it, of writes). `title` stands above.
[[nodiscard]] Picture texel_sheet(const std::vector<job::TexelCoverage::Plane>& planes, const std::string& title);

}  // namespace heddle::tools
