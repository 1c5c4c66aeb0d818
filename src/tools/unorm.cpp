// SPDX-License-Identifier: MIT
// heddle unorm: the 8 x 4 block of sample_unorm, or a picture made of such blocks.

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/image_input.hpp"

namespace heddle::tools {
namespace {

void print_block(const ImageOptions& options, const UnormRequest& request, const UnormBlock& block) {
  if (options.format == OutputFormat::Json) {
    std::string text = fmt::format(
        "{{\"op\":\"sample_unorm\",\"u\":{},\"v\":{},\"du\":{},\"dv\":{},\"output_format\":\"{}\",\"channels\":{{",
        request.u, request.v, request.du, request.dv, to_string(block.format));
    bool first = true;
    for (unsigned c = 0; c < 4; ++c) {
      if (!request.channels[c]) continue;
      text += fmt::format("{}\"{}\":[{}]", first ? "" : ",", "RGBA"[c], fmt::join(block.channels[c], ","));
      first = false;
    }
    std::string hex;
    for (const std::uint8_t b : block.bytes) hex += fmt::format("{:02x}", b);
    print(fmt::format("{}}},\"dst\":\"{}\"}}\n", text, hex));
    return;
  }
  for (unsigned c = 0; c < 4; ++c) {
    if (!request.channels[c]) continue;
    print(fmt::format("{} (16 bit, ff00 = 1.0):\n", "RGBA"[c]));
    for (unsigned y = 0; y < UnormBlock::kHeight; ++y) {
      std::string line = " ";
      for (unsigned x = 0; x < UnormBlock::kWidth; ++x)
        line += fmt::format(" {:04x}", block.channels[c][UnormBlock::kWidth * y + x]);
      print(fmt::format("{}\n", line));
    }
  }
}

/// The pixels of a block with (x, y) as the upper left one; those outside the picture are left out.
void store_block(Image& picture, std::uint32_t x, std::uint32_t y, const UnormRequest& request,
                 const UnormBlock& block) {
  for (unsigned p = 0; p < UnormBlock::kWidth * UnormBlock::kHeight; ++p) {
    std::array<float, 4> rgba{0, 0, 0, 1};
    for (unsigned c = 0; c < 4; ++c)
      if (request.channels[c]) rgba[c] = static_cast<float>(block.channels[c][p]) / 65280.0f;
    picture.set_texel({.x = x + p % UnormBlock::kWidth, .y = y + p / UnormBlock::kWidth}, rgba);
  }
}

base::ExitCode write_blocks(const ImageOptions& options, UnormRequest request, ImageInput& input) {
  if (options.output.empty()) throw UsageError{"--grid needs -o FILE for the picture"};
  if (!options.uv.empty()) throw UsageError{"--uv: --grid has coordinates of its own"};
  if (const auto problem = picture_problem(options.output)) return *problem;
  const auto [width, height] = size_of("--grid", options.grid);
  auto picture = Image::create({.width = width, .height = height}, library_limits(options.common));
  if (!picture.ok()) {
    print_diagnostics(picture.diagnostics());
    return exit_code(picture.diagnostics());
  }
  request.du = 1.0f / static_cast<float>(width);
  request.dv = 1.0f / static_cast<float>(height);
  Reports reports;
  Diagnostics warnings;
  input.options.warnings = &warnings;
  Progress progress("unorm", height);
  for (std::uint32_t y = 0; y < height && !reports.failed(); y += UnormBlock::kHeight) {
    for (std::uint32_t x = 0; x < width && !reports.failed(); x += UnormBlock::kWidth) {
      request.u = (static_cast<float>(x) + 0.5f) * request.du;
      request.v = (static_cast<float>(y) + 0.5f) * request.dv;
      store_block(*picture, x, y, request,
                  reports.value(sample_unorm(input.image, input.sampler, request, input.options)));
      reports.add(std::exchange(warnings, {}));
    }
    progress.at(y);
  }
  progress.finish();
  if (reports.print(options.common.quiet)) return base::ExitCode::WrongInput;
  const auto saved = picture->save(options.output);
  print_diagnostics(saved.diagnostics());
  return exit_code(saved.diagnostics());
}

base::ExitCode print_blocks(const ImageOptions& options, UnormRequest request, ImageInput& input) {
  const std::vector<float> delta = options.delta.empty()
                                       ? std::vector<float>{1.0f / static_cast<float>(input.image.width()),
                                                            1.0f / static_cast<float>(input.image.height())}
                                       : numbers("--delta", options.delta, 2, 2);
  request.du = delta[0];
  request.dv = delta[1];
  Reports reports;
  Diagnostics warnings;
  input.options.warnings = &warnings;
  for (const std::string& text : options.uv) {
    const std::vector<float> at = numbers("--uv", text, 2, 2);
    request.u = at[0];
    request.v = at[1];
    const auto block = sample_unorm(input.image, input.sampler, request, input.options);
    reports.add(block.diagnostics());
    if (!block.ok()) break;
    print_block(options, request, *block);
  }
  reports.add(warnings);
  return reports.print(options.common.quiet) ? base::ExitCode::WrongInput : base::ExitCode::Done;
}

base::ExitCode run_unorm(const ImageOptions& options) {
  return run_at_points(options, "a block", [&](auto& input) {
    UnormRequest request;
    request.channels = channel_mask(options.channels);
    if (request.channels == std::array<bool, 4>{}) throw UsageError{"--channels: at least one channel (UNO-8)"};
    const auto format = find_unorm_format(options.output_format);
    if (!format)
      throw UsageError{fmt::format("--output-format: '{}' is not 16-full, 16-downsampled, 8-full or 8-downsampled",
                                   options.output_format)};
    request.format = *format;
    return options.grid.empty() ? print_blocks(options, request, input) : write_blocks(options, request, input);
  });
}

}  // namespace

void add_unorm(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("unorm", "sample_unorm: a block of 8 x 4 pixels in 8.8 fixed point");
  c.example("heddle unorm brick.png --uv 0.3,0.4", "8 x 4 pixels from there on");
  grid_options(c, *o);
  c.option("--delta", o->delta, "step between pixels, default one texel").value_name("DU,DV").not_beside({"--grid"});
  c.option("--channels", o->channels, "channel mask").shows_default();
  c.option("--output-format", o->output_format, "16-full, 16-downsampled, 8-full, 8-downsampled")
      .shows_default()
      .offers({"16-full", "16-downsampled", "8-full", "8-downsampled"});
  image_options(c, *o);
  c.runs([o] { return run_unorm(*o); });
}

}  // namespace heddle::tools
