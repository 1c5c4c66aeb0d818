// SPDX-License-Identifier: MIT
#pragma once
// A footprint query as JSON members: what `heddle footprint --batch` and the operation `footprint` of `heddle batch`
// share. docs/batch.md describes the members.

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/node.hpp"
#include "base/result.hpp"
#include "texture/footprint.hpp"

namespace heddle::tools {

/// One query while it is read.
struct FootprintLine {
  texture::FootprintView view;
  texture::FootprintSampler sampler;
  texture::FootprintQuery query;
  texture::FootprintOptions options;
  std::string report = "struct";  ///< struct, list or set
};

/// A rule of the extension that a query breaks, beside what its members have wrong; no id: none.
struct BrokenRule {
  std::string id, message;
  [[nodiscard]] bool broken() const { return !id.empty(); }
};

/// The first three numbers of a list, as binary32; nothing after a report on member `name`.
[[nodiscard]] std::optional<std::array<float, 3>> read_numbers(base::TableReader& reader, std::string_view name,
                                                               const base::Node& list);
/// `image`: {dim, size, levels}, a view without texels.
void read_footprint_image(base::TableReader& reader, const base::NodeContext& nodes, FootprintLine& line,
                          BrokenRule& rule);
/// `granularity` and `coarse`, one of `lod`, `grad` and `derivatives`, `bias`, `min_lod`, `limits`, `mode` and
/// `report`. Needs the number of dimensions of line.view.
void read_footprint_operands(base::TableReader& reader, const base::NodeContext& nodes, const base::Node& query,
                             FootprintLine& line);
/// The members of the answer, in the form that the line asks for.
[[nodiscard]] base::Result<std::string> answer_footprint(const FootprintLine& line);

}  // namespace heddle::tools
