// SPDX-License-Identifier: MIT
#pragma once
// What the image commands share: the image, its sampler, lists of numbers, what the operations reported.

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/image.hpp"
#include "heddle/sampler.hpp"
#include "heddle/texture.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/numbers.hpp"

namespace heddle::tools {

/// `heddle info|gather|sample|unorm IMAGE`.
struct ImageOptions {
  Common common;
  std::string image;
  std::string sampler = "linear,repeat";
  std::vector<std::string> uv;  ///< each "u,v[,r[,index]]"
  std::string grid;             ///< "WxH": a whole grid into a picture
  std::string range;            ///< "u0,v0,u1,v1" of the grid; default the whole image
  std::string output;           ///< of the grid: PNG, EXR, PFM, KTX2
  std::string op;               ///< an operation by name; default by the other options
  std::string lod, bias, ref, gradient, offset, delta;
  std::string channel = "R", channels = "RGBA";
  std::string output_format = "16-full";
  std::string swizzle;
  std::string behavior, platform;
  bool srgb = false, mips = false, bc7 = false;
  OutputFormat format = OutputFormat::Text;
};
/// Options that gather, sample, unorm and info share.
void image_options(Command& command, ImageOptions& options);
/// Those of a grid of coordinates.
void grid_options(Command& command, ImageOptions& options);

/// The exit code where no picture can be written there, said before the work and not behind it.
[[nodiscard]] std::optional<base::ExitCode> picture_problem(const std::string& path);

/// What many operations reported: the same message once.
class Reports {
 public:
  void add(const Diagnostics& found);
  /// The value, or a default one with its errors added.
  template <typename T>
  T value(Result<T>&& result) {
    add(result.diagnostics());
    return result.ok() ? std::move(*result) : T{};
  }
  [[nodiscard]] bool failed() const { return has_errors(all_); }
  /// Prints them; true when there was an error.
  bool print(bool quiet) const;

 private:
  Diagnostics all_;
};

struct ImageInput {
  Image image;
  Sampler sampler;
  OperationOptions options;  ///< behavior and platform
};

/// Loads the image (mips generated on request), reads the sampler words and the options. nullopt after printing; `code`
/// is the exit code.
std::optional<ImageInput> open_image(const ImageOptions& options, base::ExitCode& code);

/// Opens the image and calls `run(input)`, which may throw a UsageError; `what` is what one coordinate gives.
template <typename Run>
base::ExitCode run_at_points(const ImageOptions& options, std::string_view what, Run&& run) {
  try {
    if (options.uv.empty() && options.grid.empty())
      throw UsageError{"give --uv U,V for " + std::string(what) + ", or --grid WxH -o FILE for a picture"};
    base::ExitCode code = base::ExitCode::Done;
    auto input = open_image(options, code);
    return input ? run(*input) : code;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.message.c_str());
    return base::ExitCode::Usage;
  }
}

/// Number of coordinates that an image takes (the array index not counted).
unsigned coordinate_count(ImageType type);
/// --channels: which of R, G, B, A are among the letters. Throws UsageError.
std::array<bool, 4> channel_mask(const std::string& letters);

}  // namespace heddle::tools
