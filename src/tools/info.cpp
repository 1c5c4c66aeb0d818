// heddle info: what resinfo and sampleinfo answer about an image file.

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "image/names.hpp"
#include "texture/request.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/image_input.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"

namespace heddle::tools {
namespace {

texture::LaneResult query(texture::Op op, std::uint32_t lod, ImageInput& input) {
  texture::LaneRequest request;
  request.op = op;
  request.surface = &input.surface;
  texture::LaneWords lods;
  lods.fill(lod);
  request.set(texture::Param::Lod, lods);
  return texture::execute(request, input.context);
}

/// What the four results mean for the type (RES-1).
std::array<std::string_view, 4> meanings(const image::Surface& surface) {
  switch (surface.type) {
    case image::SurfaceType::Dim1:
      return {"width", "array size", "", "levels"};
    case image::SurfaceType::Dim3:
      return {"width", "height", "depth", "levels"};
    case image::SurfaceType::Cube:
      return {"width", "height", "cubes", "levels"};
    default:
      return {"width", "height", "array size", "levels"};
  }
}

base::ExitCode run_info(const ImageOptions& options) {
  try {
    base::ExitCode code = base::ExitCode::Done;
    auto input = open_image(options, code);
    if (!input) return code;
    const image::Surface& s = input->surface;
    std::vector<std::uint32_t> lods;
    if (options.lod.empty()) {
      for (std::uint32_t l = 0; l < s.levels; ++l) lods.push_back(l);
    } else {
      for (const float value : numbers("--lod", options.lod, 1, 64)) {
        if (value != static_cast<float>(static_cast<std::int64_t>(value)) || value < -2147483648.0f ||
            value > 4294967040.0f)
          throw UsageError{fmt::format("--lod: {} is no whole number", value)};
        lods.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
      }
    }
    const texture::LaneResult samples = query(texture::Op::Sampleinfo, 0, *input);
    if (options.format == OutputFormat::Json) {
      std::string text = fmt::format(
          "{{\"file\":{},\"type\":\"{}\",\"format\":\"{}\",\"width\":{},\"height\":{},\"depth\":{},\"layers\":{},"
          "\"array\":{},\"levels\":{},\"samples\":{},\"resinfo\":[",
          base::json_quote(options.image), image::name_of(s.type), s.info().name, s.width, s.height, s.depth, s.layers,
          s.array, s.levels, s.samples);
      for (std::size_t i = 0; i < lods.size(); ++i) {
        const texture::LaneResult r = query(texture::Op::Resinfo, lods[i], *input);
        text += fmt::format("{}{{\"lod\":{},\"R\":{},\"G\":{},\"B\":{},\"A\":{}}}", i == 0 ? "" : ",",
                            static_cast<std::int32_t>(lods[i]), r.channels[0][0], r.channels[1][0], r.channels[2][0],
                            r.channels[3][0]);
      }
      print(fmt::format("{}],\"sampleinfo\":{{\"R\":{},\"G\":{},\"B\":{},\"A\":{}}}}}\n", text, samples.channels[0][0],
                        samples.channels[1][0], samples.channels[2][0], samples.channels[3][0]));
    } else {
      print(fmt::format("{}: {} {}, {}{}{}, {} level{}{}\n", options.image, image::name_of(s.type), s.info().name,
                        s.width, s.type == image::SurfaceType::Dim1 ? "" : fmt::format(" x {}", s.height),
                        s.type == image::SurfaceType::Dim3 ? fmt::format(" x {}", s.depth) : "", s.levels,
                        s.levels == 1 ? "" : "s", s.array ? fmt::format(", array of {}", s.view_layers) : ""));
      const auto words = meanings(s);
      for (const std::uint32_t lod : lods) {
        const texture::LaneResult r = query(texture::Op::Resinfo, lod, *input);
        std::string text = fmt::format("  resinfo lod {}:", static_cast<std::int32_t>(lod));
        for (unsigned c = 0; c < 4; ++c)
          text += fmt::format("  {} {}{}", "RGBA"[c], r.channels[c][0],
                              words[c].empty() ? "" : fmt::format(" ({})", words[c]));
        print(fmt::format("{}\n", text));
      }
      print(fmt::format("  sampleinfo:  R {} (samples)  A {} (position palette)\n", samples.channels[0][0],
                        samples.channels[3][0]));
    }
    return print_reports(input->context, options.common.quiet) ? base::ExitCode::WrongInput : base::ExitCode::Done;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.message.c_str());
    return base::ExitCode::Usage;
  }
}

}  // namespace

void add_info(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("info", "what resinfo and sampleinfo answer about an image");
  c.option("--lod", o->lod, "levels, separated by commas; default all");
  image_options(c, *o);
  c.runs([o] { return run_info(*o); });
}

}  // namespace heddle::tools
