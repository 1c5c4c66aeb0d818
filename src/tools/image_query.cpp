// SPDX-License-Identifier: MIT
// heddle gather, heddle sample: values at coordinates, or a picture over a grid.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <tuple>

#include "base/half.hpp"
#include "heddle/texture.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/image_input.hpp"

namespace heddle::tools {
namespace {

constexpr std::string_view kLetters = "RGBA";
constexpr unsigned kLanes = 8;

/// Everything about the operation that is the same at each coordinate.
struct Query {
  OperationInfo op;
  std::array<bool, 4> channels{true, true, true, true};
  unsigned source_channel = 0;
  std::optional<float> lod, bias, ref;
  std::vector<float> gradient;  ///< dudx, dvdx[, drdx], dudy, dvdy[, drdy]
};

/// The operation that the options mean, where --op does not name it.
std::string usual_operation(const Query& q, bool gather) {
  if (gather) return q.lod ? (q.ref ? "gather4_l_c" : "gather4_l") : q.ref ? "gather4_c" : "gather4";
  if (!q.gradient.empty()) return q.ref ? "sample_d_c" : "sample_d";
  if (q.lod) return q.ref ? "sample_l_c" : "sample_l";
  return q.ref ? "sample_c_lz" : "sample_lz";
}

std::vector<std::string_view> operation_names(bool gather) {
  std::vector<std::string_view> names;
  for (const OperationInfo& o : operations())
    if (o.family == (gather ? OperationKind::Gather : OperationKind::Sample) && !o.packed) names.push_back(o.name);
  return names;
}

OperationInfo operation_of(const std::string& name, bool gather) {
  const OperationKind wanted = gather ? OperationKind::Gather : OperationKind::Sample;
  auto op = find_operation(name);
  if (!op || (op->family != wanted && !(op->family == OperationKind::Load && !gather))) {
    const std::string_view near = base::nearest(name, operation_names(gather));
    throw UsageError{fmt::format("--op: no such operation '{}'{}", name,
                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near))};
  }
  if (op->packed) throw UsageError{fmt::format("--op: {} takes packed operands; use 'heddle batch' for it", name)};
  return *op;
}

std::array<int, 3> offset_of(const std::string& text) {
  std::array<int, 3> result{};
  if (text.empty()) return result;
  const std::vector<float> offset = numbers("--offset", text, 1, 3);
  for (std::size_t i = 0; i < offset.size(); ++i) {
    result[i] = static_cast<int>(offset[i]);
    if (static_cast<float>(result[i]) != offset[i] || result[i] < -8 || result[i] > 7)
      throw UsageError{fmt::format("--offset: {} is not a whole number from -8 to 7 (SAM-3)", offset[i])};
  }
  return result;
}

/// What is given and the operation does not take would change nothing; what it takes and is not given is 0.
void check_flags(const Query& q, const ImageOptions& options) {
  const auto takes = [&](std::string_view name) {
    return std::ranges::find(q.op.parameters, name) != q.op.parameters.end();
  };
  const auto refuse = [&](std::string_view flag, std::string_view what, std::string_view other) {
    throw UsageError{fmt::format("{}: {} takes no {}; {} does", flag, q.op.name, what, other)};
  };
  const bool gather = q.op.family == OperationKind::Gather;
  if (q.lod && !takes("lod") && !takes("mlod")) refuse("--lod", "level", gather ? "--op gather4_l" : "--op sample_l");
  if (q.bias && !takes("bias")) refuse("--bias", "bias", gather ? "--op gather4_b" : "--op sample_b");
  if (q.ref && !takes("ref")) refuse("--ref", "reference value", gather ? "--op gather4_c" : "--op sample_c");
  if (!q.gradient.empty() && !takes("dudx")) refuse("--grad", "gradients", "--op sample_d");
  if (takes("ref") && options.sampler.find("compare") == std::string::npos)
    throw UsageError{
        fmt::format("{} compares, and the sampler does not say how; such as --sampler {}compare_op=less_or_equal",
                    q.op.name, options.sampler.empty() ? "" : options.sampler + ",")};
  if (takes("ref") && !q.ref) throw UsageError{fmt::format("{} compares with a reference value: --ref", q.op.name)};
}

Query make_query(const ImageOptions& options, ImageInput& input, bool gather) {
  Query q;
  q.lod = optional_number("--lod", options.lod);
  q.bias = optional_number("--bias", options.bias);
  q.ref = optional_number("--ref", options.ref);
  const unsigned axes = coordinate_count(input.image.type());
  if (!options.gradient.empty()) q.gradient = numbers("--grad", options.gradient, 2 * axes, 2 * axes);
  input.options.offset = offset_of(options.offset);
  if (options.channel.size() != 1 || kLetters.find(options.channel[0]) == std::string_view::npos)
    throw UsageError{fmt::format("--channel: '{}' is not R, G, B or A", options.channel)};
  q.source_channel = static_cast<unsigned>(kLetters.find(options.channel[0]));
  q.channels = channel_mask(options.channels);
  if (q.channels == std::array<bool, 4>{} || gather) q.channels.fill(true);
  q.op = operation_of(options.op.empty() ? usual_operation(q, gather) : options.op, gather);
  check_flags(q, options);
  return q;
}

/// A level that changes nothing: which flag gives it, and why it does nothing; nothing is said where it may do
/// something.
std::optional<base::Diagnostic> idle_level(const Query& q, const ImageOptions& options, const ImageInput& input) {
  const auto has = [&](std::string_view word) { return options.sampler.find(word) != std::string::npos; };
  const char* flag = q.lod && *q.lod != 0 ? "--lod" : q.bias && *q.bias != 0 ? "--bias" : nullptr;
  // The level chooses between two filters of their own, too, and is the whole of a load.
  if (flag == nullptr || q.op.family == OperationKind::Load || has("min=") || has("mag=") || has("state"))
    return std::nullopt;
  if (input.image.levels() == 1)
    return base::remark("query-level", fmt::format("{} changes nothing: the image has one level", flag))
        .note("--mips makes the others");
  // A gather reads the level that it is given, whatever the filters are (LOD-11).
  if (q.op.family == OperationKind::Gather || has("mip=") || has("trilinear")) return std::nullopt;
  return base::remark("query-level", fmt::format("{} changes nothing: the sampler reads the first level alone", flag))
      .note(fmt::format("--sampler {},mip=linear reads between two levels, mip=nearest one", options.sampler));
}

/// The value of a parameter at u, v, r and array index `at`.
float parameter_value(const Query& q, std::string_view name, const std::array<float, 4>& at, unsigned axes) {
  const auto gradient = [&](std::size_t axis, std::size_t y) {
    return axis < axes && !q.gradient.empty() ? q.gradient[y * axes + axis] : 0.0f;
  };
  if (name == "u") return at[0];
  if (name == "v") return axes == 1 ? at[3] : at[1];  // 1D arrays: the index (CRD-5)
  if (name == "r") return axes == 2 ? at[3] : at[2];
  if (name == "ai") return at[3];
  if (name == "lod" || name == "mlod") return q.lod.value_or(0);
  if (name == "bias") return q.bias.value_or(0);
  if (name == "ref") return q.ref.value_or(0);
  if (name == "dudx") return gradient(0, 0);
  if (name == "dvdx") return gradient(1, 0);
  if (name == "drdx") return gradient(2, 0);
  if (name == "dudy") return gradient(0, 1);
  if (name == "dvdy") return gradient(1, 1);
  if (name == "drdy") return gradient(2, 1);
  return 0;
}

/// Runs up to kLanes coordinates. `points` hold u, v, r and the array index.
LaneResults run_lanes(const Query& q, const ImageInput& input, const std::vector<std::array<float, 4>>& points,
                      Reports& reports) {
  LaneOperation operation;
  operation.name = q.op.name;
  operation.lanes = kLanes;
  operation.active = (1u << points.size()) - 1;
  operation.channel = q.source_channel;
  const unsigned axes = coordinate_count(input.image.type());
  const bool load = q.op.family == OperationKind::Load;
  for (const std::string_view name : q.op.parameters) {
    std::vector<std::uint32_t>& words = operation.parameters.emplace_back(name, kLanes).second;
    for (std::size_t i = 0; i < kLanes; ++i) {
      const float value = parameter_value(q, name, points[std::min(i, points.size() - 1)], axes);
      words[i] = load ? static_cast<std::uint32_t>(static_cast<std::int32_t>(value)) : base::bits_of(value);
    }
  }
  Diagnostics warnings;
  OperationOptions options = input.options;
  options.warnings = &warnings;
  const LaneResults results = reports.value(execute(input.image, input.sampler, operation, options));
  reports.add(warnings);
  return results;
}

std::string number_text(std::uint32_t word, NumberClass number_class) {
  if (number_class == NumberClass::Uint) return fmt::format("{}", word);
  if (number_class == NumberClass::Sint) return fmt::format("{}", static_cast<std::int32_t>(word));
  return fmt::format("{}", base::float_from_bits(word));
}
/// JSON has no NaN and no infinities: those are given as bits.
std::string number_json(std::uint32_t word, NumberClass number_class) {
  const float value = base::float_from_bits(word);
  if (number_class == NumberClass::Float && !(value - value == 0)) return fmt::format("\"0x{:08x}\"", word);
  return number_text(word, number_class);
}

/// The answer of one lane at `uv`.
std::string answer_text(const ImageOptions& options, const Query& q, const LaneResults& r, std::size_t lane,
                        const std::string& uv) {
  const bool json = options.format == OutputFormat::Json;
  std::string text;
  for (unsigned c = 0; c < 4; ++c) {
    if (!q.channels[c]) continue;
    const std::uint32_t word = r.channels[c][lane];
    text += json ? fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", kLetters[c], number_json(word, r.number_class))
                 : fmt::format("  {} {}", kLetters[c], number_text(word, r.number_class));
  }
  return json ? fmt::format("{{\"op\":\"{}\",\"uv\":[{}],\"values\":{{{}}}}}\n", q.op.name, uv, text)
              : fmt::format("{} at ({}):{}\n", q.op.name, uv, text);
}

base::ExitCode print_points(const ImageOptions& options, const Query& q, const ImageInput& input) {
  const unsigned axes = coordinate_count(input.image.type());
  std::vector<std::array<float, 4>> points;
  for (const std::string& text : options.uv) {
    const std::vector<float> values = numbers("--uv", text, axes, input.image.is_array() ? axes + 1 : axes);
    std::array<float, 4> at{};
    for (unsigned i = 0; i < axes; ++i) at[i] = values[i];
    at[3] = values.size() > axes ? values[axes] : 0;
    points.push_back(at);
  }
  Reports reports;
  for (std::size_t first = 0; first < points.size(); first += kLanes) {
    const std::vector<std::array<float, 4>> some(
        points.begin() + static_cast<std::ptrdiff_t>(first),
        points.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(first + kLanes, points.size())));
    const LaneResults r = run_lanes(q, input, some, reports);
    if (reports.failed()) break;
    for (std::size_t i = 0; i < some.size(); ++i) print(answer_text(options, q, r, i, options.uv[first + i]));
  }
  return reports.print(options.common.quiet) ? base::ExitCode::WrongInput : base::ExitCode::Done;
}

/// A grid of coordinates.
struct Grid {
  std::uint32_t width = 0, height = 0;
  float u = 0, v = 0, du = 0, dv = 0;  ///< corner, and steps
  float fixed = 0;                     ///< third coordinate or array index
};

Grid grid_of(const ImageOptions& options, const ImageInput& input) {
  Grid grid;
  std::tie(grid.width, grid.height) = size_of("--grid", options.grid);
  std::vector<float> range = {0, 0, 1, 1};
  if (input.sampler.unnormalized())
    range = {0, 0, static_cast<float>(input.image.width()), static_cast<float>(input.image.height())};
  if (!options.range.empty()) range = numbers("--range", options.range, 4, 4);
  grid.u = range[0], grid.v = range[1];
  grid.du = (range[2] - range[0]) / static_cast<float>(grid.width);
  grid.dv = (range[3] - range[1]) / static_cast<float>(grid.height);
  if (options.uv.empty()) return grid;
  if (options.uv.size() > 1 || (coordinate_count(input.image.type()) < 3 && !input.image.is_array()))
    throw UsageError{"--uv: beside --grid it gives, once, the depth of a volume or the layer of an array"};
  grid.fixed = numbers("--uv", options.uv[0], 1, 4).back();
  return grid;
}

/// Runs the operation over the grid. Gathered values are no color: the picture is opaque.
void draw_grid(const Grid& grid, const Query& q, const ImageInput& input, bool gather, Image& picture,
               Reports& reports) {
  const bool floats = picture.number_class() == NumberClass::Float;
  const std::uint32_t opaque = floats ? 0x3f800000u : 1u;
  Progress progress(gather ? "gather" : "sample", grid.height);
  for (std::uint32_t y = 0; y < grid.height && !reports.failed(); ++y) {
    for (std::uint32_t x = 0; x < grid.width; x += kLanes) {
      std::vector<std::array<float, 4>> points;
      for (std::uint32_t i = x; i < std::min(x + kLanes, grid.width); ++i)
        points.push_back({grid.u + (static_cast<float>(i) + 0.5f) * grid.du,
                          grid.v + (static_cast<float>(y) + 0.5f) * grid.dv, grid.fixed, grid.fixed});
      const LaneResults r = run_lanes(q, input, points, reports);
      for (std::uint32_t i = 0; i < points.size(); ++i) {
        Color color;
        color.number_class = picture.number_class();
        for (unsigned c = 0; c < 4; ++c) color.words[c] = q.channels[c] ? r.channels[c][i] : c == 3 ? opaque : 0u;
        if (gather && floats) color.words[3] = opaque;
        picture.set_texel({.x = x + i, .y = y}, color);
      }
    }
    progress.at(y);
  }
}

/// What a viewer shows of floats: 8 bits a channel.
Result<Image> eight_bits(const Image& picture, const Limits& limits) {
  auto bytes = Image::create({.width = picture.width(), .height = picture.height()}, limits);
  if (!bytes.ok()) return bytes;
  for (std::uint32_t y = 0; y < picture.height(); ++y)
    for (std::uint32_t x = 0; x < picture.width(); ++x)
      bytes->set_texel({.x = x, .y = y}, picture.texel({.x = x, .y = y}));
  return bytes;
}

/// Four channels of 32 bits of the class of the results.
const char* grid_format(bool floats, NumberClass image) {
  if (floats) return "R32G32B32A32_FLOAT";
  return image == NumberClass::Sint ? "R32G32B32A32_SINT" : "R32G32B32A32_UINT";
}

base::ExitCode write_grid(const ImageOptions& options, Query& q, ImageInput& input, bool gather) {
  if (options.output.empty()) throw UsageError{"--grid needs -o FILE for the picture"};
  if (const auto problem = picture_problem(options.output)) return *problem;
  const Limits limits = library_limits(options.common);
  const Grid grid = grid_of(options, input);
  if (options.op.empty() && !gather && !q.lod && q.gradient.empty() && coordinate_count(input.image.type()) == 2) {
    q.op = *find_operation(q.ref ? "sample_d_c"
                                 : "sample_d");  // the grid's own step chooses the level, as a pixel shader's would
    q.gradient = {grid.du, 0, 0, grid.dv};
  }
  const bool floats = input.image.number_class() == NumberClass::Float || q.ref;
  auto picture = Image::create(
      {.format = grid_format(floats, input.image.number_class()), .width = grid.width, .height = grid.height}, limits);
  if (picture.ok()) {
    Reports reports;
    draw_grid(grid, q, input, gather, *picture, reports);
    if (reports.print(options.common.quiet)) return base::ExitCode::WrongInput;
    if (floats && image_file_kind(options.output) == ImageFile::Png) picture = eight_bits(*picture, limits);
  }
  Diagnostics notes;
  const Result<Done> saved =
      picture.ok() ? picture->save(options.output, {.notes = &notes}) : Result<Done>(picture.diagnostics());
  if (!options.common.quiet) print_diagnostics(notes);
  print_diagnostics(saved.diagnostics());
  return exit_code(saved.diagnostics());
}

base::ExitCode run_query(const ImageOptions& options, bool gather) {
  return run_at_points(options, "values", [&](auto& input) {
    Query q = make_query(options, input, gather);
    if (auto idle = idle_level(q, options, input); idle && !options.common.quiet) print_diagnostics({*std::move(idle)});
    return options.grid.empty() ? print_points(options, q, input) : write_grid(options, q, input, gather);
  });
}

/// Options that gather and sample share.
void query_options(Command& c, ImageOptions& o, bool gather) {
  grid_options(c, o);
  c.option("--lod", o.lod, "level of detail");
  c.option("--bias", o.bias, "LOD bias, for operations that take one");
  c.option("--ref", o.ref, "reference value: compare (set compare_op in --sampler)");
  c.option("--offset", o.offset, "immediate texel offsets").value_name("U,V");
  c.option("--op", o.op, "the operation by name, for example gather4_l or sample_d_c").offers(operation_names(gather));
}

}  // namespace

void add_gather(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("gather", "gather4: the four texels around coordinates");
  c.example("heddle gather brick.png --sampler linear,repeat --uv 0.3,0.4", "red of four texels");
  c.example("heddle gather brick.png --grid 64x64 -o red.png", "a grid of them as a picture");
  query_options(c, *o, true);
  c.option("--channel", o->channel, "source channel").shows_default().offers({"R", "G", "B", "A"});
  image_options(c, *o);
  c.runs([o] { return run_query(*o, true); });
}

void add_sample(Commands& commands) {
  const auto o = std::make_shared<ImageOptions>();
  Command c = commands.add("sample", "filtered samples at coordinates");
  c.example("heddle sample brick.png --mips --uv 0.3,0.4 --lod 1.5 --sampler trilinear,repeat",
            "one sample, between two levels");
  c.example(
      "heddle sample brick.png --mips --uv 0.3,0.4 --grad 0.1,0,0,0.01 --sampler "
      "anisotropic,repeat,mip=linear,max_anisotropy=16",
      "anisotropic");
  query_options(c, *o, false);
  c.option("--grad", o->gradient, "gradients dudx,dvdx,dudy,dvdy").value_name("LIST");
  c.option("--channels", o->channels, "channels returned").shows_default();
  image_options(c, *o);
  c.runs([o] { return run_query(*o, false); });
}

}  // namespace heddle::tools
