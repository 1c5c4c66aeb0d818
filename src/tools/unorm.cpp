// heddle unorm: the 8 x 4 block of sample_unorm, or a picture made of such blocks.

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "image/files/files.hpp"
#include "texture/sample_unorm.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/image_input.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/progress.hpp"

namespace heddle::tools {
namespace {

std::uint8_t channel_mask(const std::string& letters) {
  std::uint8_t mask = 0;
  for (const char c : letters) {
    const std::size_t at = std::string_view("RGBA").find(c);
    if (at == std::string_view::npos)
      throw UsageError{fmt::format("--channels: '{}' has a letter that is not R, G, B or A", letters)};
    mask = static_cast<std::uint8_t>(mask | 1u << at);
  }
  if (mask == 0) throw UsageError{"--channels: at least one channel (UNO-8)"};
  return mask;
}

void print_block(const ImageOptions& options, const texture::UnormRequest& request,
                 texture::OperationContext& context) {
  const texture::UnormResult r = texture::sample_unorm(request, context);
  const texture::UnormOutput output = texture::effective_output(request.output, context.sample_unorm_behaviour);
  std::vector<std::uint8_t> bytes(texture::unorm_bytes(request.channels, output));
  texture::write_unorm(bytes, r, request.channels, output, request.order);
  if (options.format == OutputFormat::Json) {
    std::string text = fmt::format(
        "{{\"op\":\"sample_unorm\",\"u\":{},\"v\":{},\"du\":{},\"dv\":{},\"output_format\":\"{}\",\"channels\":{{",
        request.u, request.v, request.du, request.dv, texture::unorm_output_name(output));
    bool first = true;
    for (unsigned c = 0; c < 4; ++c) {
      if ((request.channels >> c & 1) == 0) continue;
      text += fmt::format("{}\"{}\":[{}]", first ? "" : ",", "RGBA"[c], fmt::join(r.channels[c], ","));
      first = false;
    }
    std::string hex;
    for (const std::uint8_t b : bytes) hex += fmt::format("{:02x}", b);
    print(fmt::format("{}}},\"dst\":\"{}\"}}\n", text, hex));
    return;
  }
  for (unsigned c = 0; c < 4; ++c) {
    if ((request.channels >> c & 1) == 0) continue;
    print(fmt::format("{} (16 bit, ff00 = 1.0):\n", "RGBA"[c]));
    for (unsigned y = 0; y < texture::kUnormHeight; ++y) {
      std::string line = " ";
      for (unsigned x = 0; x < texture::kUnormWidth; ++x) line += fmt::format(" {:04x}", r.channels[c][8 * y + x]);
      print(fmt::format("{}\n", line));
    }
  }
}

base::ExitCode write_blocks(const ImageOptions& options, texture::UnormRequest request, ImageInput& input) {
  if (options.output.empty()) throw UsageError{"--grid needs -o FILE for the picture"};
  const auto [width, height] = size_of("--grid", options.grid);
  image::Surface picture;
  picture.width = width;
  picture.height = height;
  if (const auto done = image::allocate(picture, options.common.limits); !done.ok()) {
    print_diagnostics(done.diagnostics());
    return exit_code(done.diagnostics());
  }
  request.du = 1.0f / static_cast<float>(width);
  request.dv = 1.0f / static_cast<float>(height);
  Progress progress("unorm", height);
  for (std::uint32_t y = 0; y < height; y += texture::kUnormHeight) {
    for (std::uint32_t x = 0; x < width; x += texture::kUnormWidth) {
      request.u = (static_cast<float>(x) + 0.5f) * request.du;
      request.v = (static_cast<float>(y) + 0.5f) * request.dv;
      const texture::UnormResult r = texture::sample_unorm(request, input.context);
      for (unsigned p = 0; p < texture::kUnormPixels; ++p) {
        const std::uint32_t px = x + p % texture::kUnormWidth, py = y + p / texture::kUnormWidth;
        if (px >= width || py >= height) continue;
        image::Texel texel;
        for (unsigned c = 0; c < 4; ++c)
          texel.set(static_cast<int>(c), (request.channels >> c & 1) != 0
                                             ? static_cast<float>(r.channels[c][p]) / 65280.0f
                                         : c == 3 ? 1.0f
                                                  : 0.0f);
        image::store(picture, 0, 0, px, py, texel);
      }
    }
    progress.at(y);
  }
  progress.finish();
  if (print_reports(input.context, options.common.quiet)) return base::ExitCode::WrongInput;
  const auto saved = image::save_image(options.output, picture);
  if (!saved.ok()) {
    print_diagnostics(saved.diagnostics());
    return exit_code(saved.diagnostics());
  }
  return base::ExitCode::Done;
}

base::ExitCode run_unorm(const ImageOptions& options) {
  try {
    if (options.uv.empty() && options.grid.empty())
      throw UsageError{"give --uv U,V for a block, or --grid WxH -o FILE for a picture"};
    base::ExitCode code = base::ExitCode::Done;
    auto input = open_image(options, code);
    if (!input) return code;
    texture::UnormRequest request;
    request.surface = &input->surface;
    request.sampler = &input->sampler.sampler;
    request.channels = channel_mask(options.channels);
    const auto output = texture::find_unorm_output(options.output_format);
    if (!output)
      throw UsageError{fmt::format("--output-format: '{}' is not 16-full, 16-downsampled, 8-full or 8-downsampled",
                                   options.output_format)};
    request.output = *output;
    if (!options.grid.empty()) return write_blocks(options, request, *input);
    const std::vector<float> delta = options.delta.empty()
                                         ? std::vector<float>{1.0f / static_cast<float>(input->surface.width),
                                                              1.0f / static_cast<float>(input->surface.height)}
                                         : numbers("--delta", options.delta, 2, 2);
    request.du = delta[0];
    request.dv = delta[1];
    for (const std::string& text : options.uv) {
      const std::vector<float> at = numbers("--uv", text, 2, 2);
      request.u = at[0];
      request.v = at[1];
      print_block(options, request, input->context);
    }
    return print_reports(input->context, options.common.quiet) ? base::ExitCode::WrongInput : base::ExitCode::Done;
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.message.c_str());
    return base::ExitCode::Usage;
  }
}

}  // namespace

void add_unorm(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("unorm", "sample_unorm: a block of 8 x 4 pixels in 8.8 fixed point");
  grid_options(c, *o);
  c.option("--delta", o->delta, "step between pixels, default one texel").value_name("DU,DV");
  c.option("--channels", o->channels, "channel mask").shows_default();
  c.option("--output-format", o->output_format, "16-full, 16-downsampled, 8-full, 8-downsampled").shows_default();
  image_options(c, *o);
  c.runs([o] { return run_unorm(*o); });
}

}  // namespace heddle::tools
