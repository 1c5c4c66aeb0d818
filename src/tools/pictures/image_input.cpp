#include "tools/pictures/image_input.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "image/files/files.hpp"
#include "image/names.hpp"
#include "image/sampler_text.hpp"

namespace heddle::tools {

std::optional<ImageInput> open_image(const ImageOptions& options, base::ExitCode& code) {
  ImageInput input;
  base::Result<image::Surface> surface = image::load_image(options.image, {options.srgb}, options.common.limits);
  if (!surface.ok()) {
    print_diagnostics(surface.diagnostics());
    code = exit_code(surface.diagnostics());
    return std::nullopt;
  }
  input.surface = std::move(*surface);
  if (!options.swizzle.empty()) {
    const auto swizzle = image::find_swizzle(options.swizzle);
    if (!swizzle) throw UsageError{fmt::format("--swizzle: '{}' is not four letters of R G B A 0 1", options.swizzle)};
    input.surface.swizzle = *swizzle;
  }
  if (options.mips) {
    base::Result<image::Surface> mips = image::with_mip_chain(input.surface, options.common.limits);
    if (!mips.ok()) {
      print_diagnostics(mips.diagnostics());
      code = exit_code(mips.diagnostics());
      return std::nullopt;
    }
    input.surface = std::move(*mips);
  }
  base::Result<image::SamplerMembers> sampler = image::parse_sampler(options.sampler);
  if (!sampler.ok()) {
    print_diagnostics(sampler.diagnostics());
    code = base::ExitCode::Usage;
    return std::nullopt;
  }
  input.sampler = *sampler;
  if (input.surface.info().value_class != image::ValueClass::Float && input.sampler.integer_border)
    input.sampler.sampler.border = *input.sampler.integer_border;
  if (input.surface.type == image::SurfaceType::Cube)
    input.sampler.sampler.cube_override = input.sampler.seamless_cube.value_or(true);
  if (!options.behaviour.empty())
    input.context.set_behaviour(options.behaviour == "document" ? texture::Behaviour::Document
                                                                : texture::Behaviour::Hardware);
  if (!options.platform.empty()) {
    const auto platform = texture::find_platform(options.platform);
    if (!platform)
      throw UsageError{
          fmt::format("--platform: '{}' is not one of skl, icllp, tgllp, dg2, pvc, xe2", options.platform)};
    input.context.platform = *platform;
  }
  return input;
}

bool print_reports(const texture::OperationContext& context, bool quiet) {
  print_diagnostics(context.reports, "", "", OutputFormat::Text, quiet);
  return context.reports.has_errors();
}

unsigned coordinate_count(const image::Surface& surface) {
  switch (surface.type) {
    case image::SurfaceType::Dim1:
    case image::SurfaceType::Buffer:
    case image::SurfaceType::StrBuf:
    case image::SurfaceType::Scratch:
      return 1;
    case image::SurfaceType::Dim2:
      return 2;
    case image::SurfaceType::Dim3:
    case image::SurfaceType::Cube:
      return 3;
    case image::SurfaceType::Null:
      break;
  }
  return 2;
}

void image_options(Command& c, ImageOptions& o) {
  c.option("image", o.image, "PNG, KTX2, DDS, EXR or PFM").required();
  c.flag("--srgb", o.srgb, "a PNG's colours are sRGB");
  c.flag("--mips", o.mips, "make the mip levels from the first one");
  c.option("--swizzle", o.swizzle, "channel selects, four letters of R G B A 0 1");
  c.option("--behaviour", o.behaviour, "where documents and hardware differ").one_of({"hardware", "document"});
  c.option("--platform", o.platform, "check for skl, icllp, tgllp, dg2, pvc or xe2");
  c.json(o.format);
  common_options(c, o.common);
  surface_limits(c, o.common);
}

void grid_options(Command& c, ImageOptions& o) {
  c.option("--sampler", o.sampler, "words: a filter, an address mode (either vocabulary), NAME=VALUE").shows_default();
  c.repeated("--uv", o.uv, "coordinates U,V (3D, cube: U,V,R; arrays: and the index); may be given often")
      .value_name("U,V");
  c.option("--grid", o.grid, "a whole grid of coordinates into a picture").value_name("WxH");
  c.option("--range", o.range, "corners of the grid, default the whole image").value_name("U0,V0,U1,V1");
  c.option("-o,--output", o.output, "the picture: PNG, EXR, PFM or KTX2");
}

}  // namespace heddle::tools
