// heddle gather, heddle sample: values at coordinates, or a picture over a grid.

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/half.hpp"
#include "image/files/files.hpp"
#include "texture/request.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/image_input.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/progress.hpp"

namespace heddle::tools {
namespace {

using texture::LaneRequest;
using texture::LaneWords;
using texture::Op;
using texture::Param;

constexpr std::string_view kLetters = "RGBA";

/// Everything about the operation that is the same at each coordinate.
struct Query {
  const texture::Operation* op = nullptr;
  std::uint8_t channels = 15, source_channel = 0;
  std::array<std::int32_t, 3> offset{};
  std::optional<float> lod, bias, ref;
  std::vector<float> gradient;  ///< dudx, dvdx[, drdx], dudy, dvdy[, drdy]
};

Query make_query(const ImageOptions& options, const ImageInput& input, bool gather) {
  Query q;
  q.lod = optional_number("--lod", options.lod);
  q.bias = optional_number("--bias", options.bias);
  q.ref = optional_number("--ref", options.ref);
  const unsigned axes = coordinate_count(input.surface);
  if (!options.gradient.empty()) q.gradient = numbers("--grad", options.gradient, 2 * axes, 2 * axes);
  if (!options.offset.empty()) {
    const std::vector<float> offset = numbers("--offset", options.offset, 1, 3);
    for (std::size_t i = 0; i < offset.size(); ++i) {
      q.offset[i] = static_cast<std::int32_t>(offset[i]);
      if (static_cast<float>(q.offset[i]) != offset[i] || q.offset[i] < -8 || q.offset[i] > 7)
        throw UsageError{fmt::format("--offset: {} is not a whole number from -8 to 7 (SAM-3)", offset[i])};
    }
  }
  if (options.channel.size() != 1 || kLetters.find(options.channel[0]) == std::string_view::npos)
    throw UsageError{fmt::format("--channel: '{}' is not R, G, B or A", options.channel)};
  q.source_channel = static_cast<std::uint8_t>(kLetters.find(options.channel[0]));
  q.channels = 0;
  for (const char c : options.channels) {
    if (kLetters.find(c) == std::string_view::npos)
      throw UsageError{fmt::format("--channels: '{}' has a letter that is not R, G, B or A", options.channels)};
    q.channels = static_cast<std::uint8_t>(q.channels | 1u << kLetters.find(c));
  }
  if (q.channels == 0 || gather) q.channels = 15;
  std::string name = options.op;
  if (name.empty()) {
    if (gather)
      name = q.lod ? (q.ref ? "gather4_l_c" : "gather4_l") : q.ref ? "gather4_c" : "gather4";
    else if (!q.gradient.empty())
      name = q.ref ? "sample_d_c" : "sample_d";
    else if (q.lod)
      name = q.ref ? "sample_l_c" : "sample_l";
    else
      name = q.ref ? "sample_c_lz" : "sample_lz";
  }
  q.op = texture::find_operation(name);
  const texture::OpFamily wanted = gather ? texture::OpFamily::Gather4 : texture::OpFamily::Sample;
  if (q.op == nullptr || (q.op->family != wanted && !(q.op->family == texture::OpFamily::Load && !gather))) {
    std::vector<std::string_view> names;
    for (const texture::Operation& o : texture::all_operations())
      if (o.family == wanted) names.push_back(o.name);
    const std::string_view near = base::nearest(name, names);
    throw UsageError{fmt::format("--op: no such operation '{}'{}", name,
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near))};
  }
  if (q.op->packed()) throw UsageError{fmt::format("--op: {} takes packed operands; use 'heddle batch' for it", name)};
  return q;
}

/// Runs up to 8 coordinates. `points` hold u, v, r and the array index.
texture::LaneResult run_lanes(const Query& q, ImageInput& input, const std::vector<std::array<float, 4>>& points) {
  LaneRequest request;
  request.op = q.op->op;
  request.simd = 8;
  request.active = (1u << points.size()) - 1;
  request.surface = &input.surface;
  request.sampler = &input.sampler.sampler;
  request.channels = q.channels;
  request.source_channel = q.source_channel;
  request.offset = q.offset;
  std::array<LaneWords, texture::kParamCount> words{};
  const unsigned axes = coordinate_count(input.surface);
  const bool load = q.op->family == texture::OpFamily::Load;
  for (const Param p : q.op->parameters()) {
    LaneWords& lane = words[static_cast<std::size_t>(p)];
    for (std::size_t i = 0; i < 8; ++i) {
      const std::array<float, 4>& at = points[std::min(i, points.size() - 1)];
      float value = 0;
      switch (p) {
        case Param::U:
          value = at[0];
          break;
        case Param::V:
          value = axes == 1 ? at[3] : at[1];
          break;  // 1D arrays: the index (CRD-5)
        case Param::R:
          value = axes == 2 ? at[3] : at[2];
          break;
        case Param::Ai:
          value = at[3];
          break;
        case Param::Lod:
        case Param::Mlod:
          value = q.lod.value_or(0);
          break;
        case Param::Bias:
          value = q.bias.value_or(0);
          break;
        case Param::Ref:
          value = q.ref.value_or(0);
          break;
        case Param::DuDx:
          value = q.gradient.empty() ? 0 : q.gradient[0];
          break;
        case Param::DvDx:
          value = q.gradient.size() > 3 ? q.gradient[1] : 0;
          break;
        case Param::DrDx:
          value = q.gradient.size() > 4 ? q.gradient[2] : 0;
          break;
        case Param::DuDy:
          value = q.gradient.empty() ? 0 : q.gradient[axes];
          break;
        case Param::DvDy:
          value = q.gradient.size() > 3 ? q.gradient[axes + 1] : 0;
          break;
        case Param::DrDy:
          value = q.gradient.size() > 4 ? q.gradient[axes + 2] : 0;
          break;
        default:
          break;
      }
      lane[i] = load ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) : base::bits_of(value);
    }
    request.set(p, lane);
  }
  return texture::execute(request, input.context);
}

std::string number_text(std::uint32_t word, image::ValueClass value_class) {
  if (value_class == image::ValueClass::Uint) return fmt::format("{}", word);
  if (value_class == image::ValueClass::Sint) return fmt::format("{}", static_cast<std::int32_t>(word));
  const float value = base::float_from_bits(word);
  return fmt::format("{}", value);
}
/// JSON has no NaN and no infinities: those are given as bits.
std::string number_json(std::uint32_t word, image::ValueClass value_class) {
  const float value = base::float_from_bits(word);
  if (value_class == image::ValueClass::Float && !(value - value == 0)) return fmt::format("\"0x{:08x}\"", word);
  return number_text(word, value_class);
}

base::ExitCode print_points(const ImageOptions& options, const Query& q, ImageInput& input) {
  const unsigned axes = coordinate_count(input.surface);
  std::vector<std::array<float, 4>> points;
  for (const std::string& text : options.uv) {
    const std::vector<float> values = numbers("--uv", text, axes, axes + 1);
    std::array<float, 4> at{};
    for (unsigned i = 0; i < axes; ++i) at[i] = values[i];
    at[3] = values.size() > axes ? values[axes] : 0;
    points.push_back(at);
  }
  for (std::size_t first = 0; first < points.size(); first += 8) {
    const std::vector<std::array<float, 4>> some(
        points.begin() + static_cast<std::ptrdiff_t>(first),
        points.begin() + static_cast<std::ptrdiff_t>(std::min(first + 8, points.size())));
    const texture::LaneResult r = run_lanes(q, input, some);
    if (input.context.reports.has_errors()) break;
    for (std::size_t i = 0; i < some.size(); ++i) {
      std::string text;
      for (unsigned c = 0; c < 4; ++c) {
        if ((q.channels >> c & 1) == 0) continue;
        if (options.format == OutputFormat::Json)
          text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", kLetters[c],
                              number_json(r.channels[c][i], r.value_class));
        else
          text += fmt::format("  {} {}", kLetters[c], number_text(r.channels[c][i], r.value_class));
      }
      if (options.format == OutputFormat::Json)
        print(
            fmt::format("{{\"op\":\"{}\",\"uv\":[{}],\"values\":{{{}}}}}\n", q.op->name, options.uv[first + i], text));
      else
        print(fmt::format("{} at ({}):{}\n", q.op->name, options.uv[first + i], text));
    }
  }
  return print_reports(input.context, options.common.quiet) ? base::ExitCode::WrongInput : base::ExitCode::Done;
}

base::ExitCode write_grid(const ImageOptions& options, Query& q, ImageInput& input, bool gather) {
  if (options.output.empty()) throw UsageError{"--grid needs -o FILE for the picture"};
  const auto [width, height] = size_of("--grid", options.grid);
  std::vector<float> range = {0, 0, 1, 1};
  if (input.sampler.sampler.non_normalized)
    range = {0, 0, static_cast<float>(input.surface.width), static_cast<float>(input.surface.height)};
  if (!options.range.empty()) range = numbers("--range", options.range, 4, 4);
  const float du = (range[2] - range[0]) / static_cast<float>(width),
              dv = (range[3] - range[1]) / static_cast<float>(height);
  if (options.op.empty() && !gather && !q.lod && q.gradient.empty() && coordinate_count(input.surface) == 2) {
    q.op = texture::find_operation(
        q.ref ? "sample_d_c" : "sample_d");  // the grid's own step chooses the level, as a pixel shader's would
    q.gradient = {du, 0, 0, dv};
  }
  const bool float_class = input.surface.info().value_class == image::ValueClass::Float || q.ref;
  image::Surface picture;
  picture.format = float_class ? image::Format::R32G32B32A32_FLOAT : image::Format::R32G32B32A32_UINT;
  picture.width = width;
  picture.height = height;
  picture.name = options.output;
  if (const auto done = image::allocate(picture, options.common.limits); !done.ok()) {
    print_diagnostics(done.diagnostics());
    return exit_code(done.diagnostics());
  }
  Progress progress(gather ? "gather" : "sample", height);
  const float fixed =
      options.uv.empty()
          ? 0
          : numbers("--uv", options.uv[0], 1, 4).back();  // third coordinate or array index of the whole grid
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; x += 8) {
      std::vector<std::array<float, 4>> points;
      for (std::uint32_t i = x; i < std::min(x + 8, width); ++i)
        points.push_back({range[0] + (static_cast<float>(i) + 0.5f) * du,
                          range[1] + (static_cast<float>(y) + 0.5f) * dv, fixed, fixed});
      const texture::LaneResult r = run_lanes(q, input, points);
      for (std::uint32_t i = 0; i < points.size(); ++i) {
        image::Texel texel;
        for (unsigned c = 0; c < 4; ++c)
          texel.bits[c] = (q.channels >> c & 1) != 0 ? r.channels[c][i]
                          : c == 3                   ? (float_class ? 0x3f800000u : 1u)
                                                     : 0u;
        image::store(picture, 0, 0, x + i, y, texel);
      }
    }
    if (input.context.reports.has_errors()) break;
    progress.at(y);
  }
  progress.finish();
  if (print_reports(input.context, options.common.quiet)) return base::ExitCode::WrongInput;
  if (gather && float_class)  // four gathered values: the picture is opaque
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        image::Texel texel = image::fetch(picture, 0, 0, x, y).texel;
        texel.set(3, 1);
        image::store(picture, 0, 0, x, y, texel);
      }
  base::Diagnostics notes;
  // A PNG of floats has 8 bits a channel: what a viewer shows.
  if (float_class && image::kind_of_path(options.output) == image::FileKind::Png) {
    image::Surface bytes = picture;
    bytes.format = image::Format::R8G8B8A8_UNORM;
    bytes.memory = nullptr;
    if (const auto done = image::allocate(bytes, options.common.limits); !done.ok()) {
      print_diagnostics(done.diagnostics());
      return exit_code(done.diagnostics());
    }
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x)
        image::store(bytes, 0, 0, x, y, image::fetch(picture, 0, 0, x, y).texel);
    picture = std::move(bytes);
  }
  const auto saved = image::save_image(options.output, picture, {}, &notes);
  if (!options.common.quiet) print_diagnostics(notes.all());
  if (!saved.ok()) {
    print_diagnostics(saved.diagnostics());
    return exit_code(saved.diagnostics());
  }
  return base::ExitCode::Done;
}

base::ExitCode run_query(const ImageOptions& options, bool gather) {
  try {
    if (options.uv.empty() && options.grid.empty())
      throw UsageError{"give --uv U,V for values, or --grid WxH -o FILE for a picture"};
    base::ExitCode code = base::ExitCode::Done;
    auto input = open_image(options, code);
    if (!input) return code;
    Query q = make_query(options, *input, gather);
    return options.grid.empty() ? print_points(options, q, *input) : write_grid(options, q, *input, gather);
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.message.c_str());
    return base::ExitCode::Usage;
  }
}

/// Options that gather and sample share.
void query_options(Command& c, ImageOptions& o) {
  grid_options(c, o);
  c.option("--lod", o.lod, "level of detail");
  c.option("--bias", o.bias, "LOD bias, for operations that take one");
  c.option("--ref", o.ref, "reference value: compare (set compare_op in --sampler)");
  c.option("--offset", o.offset, "immediate texel offsets").value_name("U,V");
  c.option("--op", o.op, "the operation by name, for example gather4_l or sample_d_c");
}

}  // namespace

void add_gather(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("gather", "gather4: the four texels around coordinates");
  query_options(c, *o);
  c.option("--channel", o->channel, "source channel").shows_default();
  image_options(c, *o);
  c.runs([o] { return run_query(*o, true); });
}

void add_sample(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("sample", "filtered samples at coordinates");
  query_options(c, *o);
  c.option("--grad", o->gradient, "gradients dudx,dvdx,dudy,dvdy").value_name("LIST");
  c.option("--channels", o->channels, "channels returned").shows_default();
  image_options(c, *o);
  c.runs([o] { return run_query(*o, false); });
}

}  // namespace heddle::tools
