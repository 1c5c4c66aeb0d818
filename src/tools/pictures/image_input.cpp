// SPDX-License-Identifier: MIT
#include "tools/pictures/image_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/file.hpp"
#include "image/files/files.hpp"

namespace heddle::tools {

namespace {

/// The value; or nothing, after the diagnostics are printed.
template <typename T>
std::optional<T> value_or_code(Result<T>&& result, base::ExitCode& code) {
  if (result.ok()) return std::move(*result);
  print_diagnostics(result.diagnostics());
  code = exit_code(result.diagnostics());
  return std::nullopt;
}

}  // namespace

std::optional<ImageInput> open_image(const ImageOptions& options, base::ExitCode& code) {
  const Limits limits = library_limits(options.common);
  Diagnostics notes;
  auto image = value_or_code(
      Image::load(options.image, {.srgb = options.srgb, .bc7 = options.bc7, .notes = &notes}, limits), code);
  if (!options.common.quiet) print_diagnostics(notes);
  if (!image) return std::nullopt;
  if (!options.swizzle.empty()) {
    auto swizzled = image->with_swizzle(options.swizzle);
    if (!swizzled.ok())
      throw UsageError{fmt::format("--swizzle: '{}' is not four letters of R G B A 0 1", options.swizzle)};
    image = std::move(*swizzled);
  }
  if (options.mips) image = value_or_code(image->with_mips(limits), code);
  if (!image) return std::nullopt;
  const auto sampler = Sampler::parse(options.sampler);
  if (!sampler.ok()) {
    print_diagnostics(sampler.diagnostics());
    code = base::ExitCode::Usage;
    return std::nullopt;
  }
  ImageInput input{*image, *sampler, {}};
  if (!options.behavior.empty())
    input.options.behavior = options.behavior == "document" ? Behavior::Document : Behavior::Hardware;
  const auto platforms = operation_platforms();
  if (!options.platform.empty() && std::ranges::find(platforms, options.platform) == platforms.end())
    throw UsageError{fmt::format("--platform: '{}' is not one of {}", options.platform, fmt::join(platforms, ", "))};
  input.options.platform = options.platform;
  return input;
}

void Reports::add(const Diagnostics& found) {
  for (const Diagnostic& d : found)
    if (std::ranges::none_of(all_, [&](const Diagnostic& o) { return o.id == d.id && o.message == d.message; }))
      all_.push_back(d);
}

bool Reports::print(bool quiet) const {
  print_diagnostics(all_, OutputFormat::Text, quiet);
  return failed();
}

unsigned coordinate_count(ImageType type) {
  switch (type) {
    case ImageType::Dim1:
    case ImageType::Buffer:
      return 1;
    case ImageType::Dim2:
      return 2;
    case ImageType::Dim3:
    case ImageType::Cube:
      return 3;
  }
  return 2;
}

std::array<bool, 4> channel_mask(const std::string& letters) {
  std::array<bool, 4> mask{};
  for (const char c : letters) {
    const std::size_t at = std::string_view("RGBA").find(c);
    if (at == std::string_view::npos)
      throw UsageError{fmt::format("--channels: '{}' has a letter that is not R, G, B or A", letters)};
    mask[at] = true;
  }
  return mask;
}

std::optional<base::ExitCode> picture_problem(const std::string& path) {
  const auto file = image::written_picture(path);
  if (!file.ok()) {
    print_diagnostics(file.diagnostics());
    return exit_code(file.diagnostics());
  }
  const auto writable = base::check_writable(file->path);
  if (writable.ok()) return std::nullopt;
  print_diagnostics(writable.diagnostics());
  return base::ExitCode::File;
}

void image_options(Command& c, ImageOptions& o) {
  c.option("image", o.image, "PNG, JPEG, WebP, BMP, TGA, KTX2, DDS, EXR, HDR or PFM").required();
  c.flag("--srgb", o.srgb, "a PNG's colors are sRGB");
  c.flag("--bc7", o.bc7, "UASTC in a KTX2 becomes BC7, not RGBA8");
  c.flag("--mips", o.mips, "make the mip levels from the first one");
  c.option("--swizzle", o.swizzle, "channel selects, four letters of R G B A 0 1");
  c.option("--behavior", o.behavior, "where documents and hardware differ").one_of({"hardware", "document"});
  c.option("--platform", o.platform, "check for skl, icllp, tgllp, dg2, pvc or xe2").offers(operation_platforms());
  c.json(o.format).not_beside({"--grid"});
  common_options(c, o.common);
  surface_limits(c, o.common);
}

void grid_options(Command& c, ImageOptions& o) {
  c.option("--sampler", o.sampler, "words: a filter, an address mode (either vocabulary), NAME=VALUE").shows_default();
  c.repeated("--uv", o.uv, "coordinates U,V (3D, cube: U,V,R; arrays: and the index); may be given often")
      .value_name("U,V");
  c.option("--grid", o.grid, "a whole grid of coordinates into a picture").value_name("WxH");
  c.option("--range", o.range, "corners of the grid, default the whole image")
      .value_name("U0,V0,U1,V1")
      .belongs_to({"--grid"});
  c.option("-o,--output", o.output, "the picture: PNG, EXR, PFM or KTX2; - for PNG on standard output")
      .value_name("FILE")
      .belongs_to({"--grid"});
}

}  // namespace heddle::tools
