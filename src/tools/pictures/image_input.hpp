#pragma once
// What the image commands share: the image as a surface, its sampler, lists of numbers.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/object.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/numbers.hpp"

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
  std::string behaviour, platform;
  bool srgb = false, mips = false;
  OutputFormat format = OutputFormat::Text;
};
/// Options that gather, sample, unorm and info share.
void image_options(Command& command, ImageOptions& options);
/// Those of a grid of coordinates.
void grid_options(Command& command, ImageOptions& options);

struct ImageInput {
  image::Surface surface;
  image::SamplerMembers sampler;
  texture::OperationContext context;
};

/// Loads the image (mips generated on request), reads the sampler words and the context. nullopt after printing; `code`
/// is the exit code.
std::optional<ImageInput> open_image(const ImageOptions& options, base::ExitCode& code);

/// Prints the reports of a context; true when there was an error.
bool print_reports(const texture::OperationContext& context, bool quiet);
/// Number of coordinates that the surface takes (the array index not counted).
unsigned coordinate_count(const image::Surface& surface);

}  // namespace heddle::tools
