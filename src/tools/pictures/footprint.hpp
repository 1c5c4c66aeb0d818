#pragma once
// Pieces of `heddle footprint`.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "texture/footprint.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {

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
