// SPDX-License-Identifier: MIT
// heddle info: what resinfo and sampleinfo answer about an image file.

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/image_input.hpp"

namespace heddle::tools {
namespace {

/// The four results of resinfo (RES-1).
std::array<std::uint32_t, 4> words_of(const ImageSize& size, ImageType type) {
  switch (type) {
    case ImageType::Dim1:
      return {size.width, size.layers, 0, size.levels};
    case ImageType::Dim3:
      return {size.width, size.height, size.depth, size.levels};
    default:
      return {size.width, size.height, size.layers, size.levels};
  }
}

/// What they mean for the type.
std::array<std::string_view, 4> meanings(ImageType type) {
  switch (type) {
    case ImageType::Dim1:
      return {"width", "array size", "", "levels"};
    case ImageType::Dim3:
      return {"width", "height", "depth", "levels"};
    case ImageType::Cube:
      return {"width", "height", "cubes", "levels"};
    default:
      return {"width", "height", "array size", "levels"};
  }
}

/// The levels of --lod, or all.
std::vector<std::uint32_t> levels_of(const ImageOptions& options, const Image& image) {
  std::vector<std::uint32_t> lods;
  if (options.lod.empty()) {
    for (std::uint32_t l = 0; l < image.levels(); ++l) lods.push_back(l);
    return lods;
  }
  for (const float value : numbers("--lod", options.lod, 1, 64)) {
    if (value != static_cast<float>(static_cast<std::int64_t>(value)) || value < -2147483648.0f ||
        value > 4294967040.0f)
      throw UsageError{fmt::format("--lod: {} is no whole number", value)};
    lods.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(value)));
  }
  return lods;
}

/// What the messages answer.
struct Answers {
  std::vector<std::uint32_t> lods;
  std::vector<std::array<std::uint32_t, 4>> sizes;  ///< resinfo of each
  SampleInfo samples;
};

std::string json_of(const std::string& file, const Image& image, const Answers& answers) {
  const std::uint32_t slices = image.layers() * (image.type() == ImageType::Cube ? 6 : 1);
  std::string text = fmt::format(
      "{{\"file\":{},\"type\":\"{}\",\"format\":\"{}\",\"width\":{},\"height\":{},\"depth\":{},\"layers\":{},"
      "\"array\":{},\"levels\":{},\"samples\":{},\"resinfo\":[",
      base::json_quote(file), to_string(image.type()), image.format(), image.width(), image.height(), image.depth(),
      slices, image.is_array(), image.levels(), image.samples());
  for (std::size_t i = 0; i < answers.lods.size(); ++i) {
    const auto& r = answers.sizes[i];
    text += fmt::format("{}{{\"lod\":{},\"R\":{},\"G\":{},\"B\":{},\"A\":{}}}", i == 0 ? "" : ",",
                        static_cast<std::int32_t>(answers.lods[i]), r[0], r[1], r[2], r[3]);
  }
  return fmt::format("{}],\"sampleinfo\":{{\"R\":{},\"G\":0,\"B\":0,\"A\":{}}}}}\n", text, answers.samples.samples,
                     answers.samples.palette);
}

std::string text_of(const std::string& file, const Image& image, const Answers& answers) {
  const ImageType type = image.type();
  std::string text =
      fmt::format("{}: {} {}, {}{}{}, {} level{}{}\n", file, to_string(type), image.format(), image.width(),
                  type == ImageType::Dim1 ? "" : fmt::format(" x {}", image.height()),
                  type == ImageType::Dim3 ? fmt::format(" x {}", image.depth()) : "", image.levels(),
                  image.levels() == 1 ? "" : "s", image.is_array() ? fmt::format(", array of {}", image.layers()) : "");
  const auto words = meanings(type);
  for (std::size_t i = 0; i < answers.lods.size(); ++i) {
    text += fmt::format("  resinfo lod {}:", static_cast<std::int32_t>(answers.lods[i]));
    for (unsigned c = 0; c < 4; ++c)
      text += fmt::format("  {} {}{}", "RGBA"[c], answers.sizes[i][c],
                          words[c].empty() ? "" : fmt::format(" ({})", words[c]));
    text += '\n';
  }
  return text + fmt::format("  sampleinfo:  R {} (samples)  A {} (position palette)\n", answers.samples.samples,
                            answers.samples.palette);
}

base::ExitCode run_info(const ImageOptions& options) {
  try {
    base::ExitCode code = base::ExitCode::Done;
    auto input = open_image(options, code);
    if (!input) return code;
    const Image& image = input->image;
    Reports reports;
    Diagnostics warnings;
    input->options.warnings = &warnings;
    Answers answers;
    answers.lods = levels_of(options, image);
    answers.samples = reports.value(query_samples(image, input->options));
    for (const std::uint32_t lod : answers.lods)
      answers.sizes.push_back(words_of(reports.value(query_size(image, lod, input->options)), image.type()));
    reports.add(warnings);
    print(options.format == OutputFormat::Json ? json_of(options.image, image, answers)
                                               : text_of(options.image, image, answers));
    return reports.print(options.common.quiet) ? base::ExitCode::WrongInput : base::ExitCode::Done;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.message.c_str());
    return base::ExitCode::Usage;
  }
}

}  // namespace

void add_info(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("info", "what resinfo and sampleinfo answer about an image");
  c.example("heddle info brick.png", "size, levels and format");
  c.option("--lod", o->lod, "levels, separated by commas; default all");
  image_options(c, *o);
  c.runs([o] { return run_info(*o); });
}

}  // namespace heddle::tools
