#pragma once
// Pieces of `heddle footprint`.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "texture/footprint.hpp"
#include "tools/support/console.hpp"

namespace heddle::tools {

/// `heddle footprint`.
struct FootprintOptions {
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

std::optional<texture::FootprintMode> find_footprint_mode(std::string_view word);
/// `"anchor":[..],"offset":[..],"mask":[low,high],"lod":..,"granularity":..`
std::string footprint_members(const texture::Footprint& footprint, unsigned dim);

struct FootprintAnswer {
  std::string members;
  std::optional<base::Diagnostic> error;
};
/// One query in the form of `report` (struct, list, set).
FootprintAnswer answer_footprint(const texture::FootprintView& view, const texture::FootprintSampler& sampler,
                                 const texture::FootprintQuery& query, const texture::FootprintOptions& options,
                                 std::string_view report, base::Diagnostics* warnings);
std::string answer_footprint_line(std::string_view text, const FootprintOptions& flags, bool& good);

base::ExitCode run_footprint_batch(const FootprintOptions& options);
base::ExitCode run_footprint_view(const FootprintOptions& options);

/// Answers every line of `input` that is not blank, in order, to a file or standard output. Exit code 1 when a line was
/// not answered.
base::ExitCode answer_lines(std::string_view input, const std::string& output, const std::string& what,
                            const std::function<std::string(std::string_view line, bool& good)>& answer);

}  // namespace heddle::tools
