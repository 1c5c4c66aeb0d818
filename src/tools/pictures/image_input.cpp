#include "tools/pictures/image_input.hpp"

#include <fmt/format.h>

#include <charconv>
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

std::vector<float> numbers(const std::string& flag, std::string_view text, std::size_t least, std::size_t most) {
  std::vector<float> values;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string_view part = text.substr(at, end - at);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty() && part.front() == '+') part.remove_prefix(1);
    float value = 0;
    const auto [stop, problem] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (problem != std::errc() || stop != part.data() + part.size() || part.empty())
      throw UsageError{fmt::format("{}: '{}' is no number", flag, part)};
    values.push_back(value);
    at = end + 1;
  }
  if (values.size() < least || values.size() > most)
    throw UsageError{least == most
                         ? fmt::format("{}: {} numbers are expected, not {}", flag, least, values.size())
                         : fmt::format("{}: {} to {} numbers are expected, not {}", flag, least, most, values.size())};
  return values;
}

std::pair<std::uint32_t, std::uint32_t> size_of(const std::string& flag, std::string_view text) {
  const std::size_t x = text.find('x');
  std::uint32_t width = 0, height = 0;
  const auto read = [](std::string_view part, std::uint32_t& value) {
    const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), value);
    return problem == std::errc() && end == part.data() + part.size() && value >= 1 && value <= 16384;
  };
  if (x == std::string_view::npos || !read(text.substr(0, x), width) || !read(text.substr(x + 1), height))
    throw UsageError{fmt::format("{}: '{}' is no size like 512x256 (each side 1 to 16384)", flag, text)};
  return {width, height};
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

}  // namespace heddle::tools
