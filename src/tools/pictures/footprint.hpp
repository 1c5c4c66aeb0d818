// SPDX-License-Identifier: MIT
#pragma once
// Pieces of `heddle footprint`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/footprint.hpp"
#include "tools/command_line/console.hpp"

namespace heddle::tools {

/// `heddle footprint`.
struct FootprintFlags {
  Common common;
  std::string image;
  std::string batch;  ///< JSON lines
  std::string sampler = "linear,clamp,mip=linear";
  std::vector<std::string> uv;
  std::string lod, gradient, bias, min_lod;
  unsigned granularity = 1;
  bool coarse = false, conservative = false;
  std::string mode = "strict", report = "struct";
  std::string output;  ///< picture of the level with the touched groups marked
  std::string view;  ///< "plane": a perspective view of a plane; the picture is the view beside its footprint heat map
  std::string size = "960x540";  ///< of the view
  bool mips = true;
  OutputFormat format = OutputFormat::Text;
};

std::optional<FootprintMode> find_footprint_mode(std::string_view word);

// Members of a JSON answer, in the forms of --report: struct, list, set. `dim`: 2 or 3.
std::string answer_members(const Footprint& footprint, unsigned dim);
std::string answer_members(const FootprintList& list, unsigned dim);
std::string answer_members(const FootprintTexels& set, unsigned dim);

/// Adds the answer to line `number` of a batch; false where it is an error record.
bool answer_footprint_line(std::string_view text, std::uint64_t number, const FootprintFlags& flags,
                           std::string& answer);

base::ExitCode run_footprint_batch(const FootprintFlags& options);
base::ExitCode run_footprint_view(const FootprintFlags& options);

}  // namespace heddle::tools
