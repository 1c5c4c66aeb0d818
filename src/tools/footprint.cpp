// SPDX-License-Identifier: MIT
// heddle footprint: one query over an image file, as values or as a picture of the touched texel groups.

#include "tools/pictures/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/pictures/image_input.hpp"
#include "tools/pictures/picture.hpp"

namespace heddle::tools {
namespace {

struct Input {
  Image image;
  Sampler sampler;
  unsigned dim = 2;
};

/// What is asked at one coordinate. Without Lod and Grad the level is 0, as textureFootprintLodNV(…, 0) asks.
FootprintRequest make_request(const FootprintFlags& options, unsigned dim, const std::string& uv) {
  FootprintRequest r;
  const std::vector<float> at = numbers("--uv", uv, dim, dim);
  std::copy(at.begin(), at.end(), r.coordinate.begin());
  r.granularity = options.granularity;
  r.coarse = options.coarse;
  r.bias = optional_number("--bias", options.bias);
  r.min_lod = optional_number("--min-lod", options.min_lod);
  if (!options.lod.empty() && !options.gradient.empty()) throw UsageError{"--lod and --grad exclude each other"};
  if (!options.gradient.empty()) {
    const std::vector<float> g = numbers("--grad", options.gradient, 2 * dim, 2 * dim);
    r.gradients.emplace();
    for (unsigned i = 0; i < dim; ++i) {
      r.gradients->dx[i] = g[i];
      r.gradients->dy[i] = g[dim + i];
    }
  } else {
    r.lod = optional_number("--lod", options.lod).value_or(0);
  }
  return r;
}

std::string describe(const FootprintTexels& set, const Footprint& f, const Input& input,
                     const FootprintFlags& options) {
  const unsigned dim = input.dim;
  const auto list = [&](const GridPlace& v) {
    return fmt::format("({})", fmt::join(v.begin(), v.begin() + dim, ", "));
  };
  const auto group = group_size(dim, set.granularity);
  const bool one = set.single_level;
  std::string text = fmt::format("  {} level{}; level {} ", one ? "one" : "two", one ? "" : "s", set.lod);
  if (set.groups.empty())
    return text +
           (options.coarse && one ? "(the coarse query is empty)\n" : "(no texel: all taps lie on the border)\n");
  text += fmt::format("of {} x {} texels{}\n", input.image.width(set.lod), input.image.height(set.lod),
                      dim == 3 ? fmt::format(" x {}", input.image.depth(set.lod)) : "");
  text += fmt::format("  {} groups of {} touched{}:", set.groups.size(),
                      group ? fmt::format("{}", fmt::join(group->begin(), group->begin() + dim, " x ")) : "",
                      set.border ? ", and the border" : "");
  for (std::size_t i = 0; i < std::min<std::size_t>(set.groups.size(), 12); ++i)
    text += fmt::format(" ({})", fmt::join(set.groups[i].begin(), set.groups[i].begin() + dim, ","));
  if (set.groups.size() > 12) text += " ...";
  return text + fmt::format("\n  anchor {}  offset {}  mask {:016x}  lod {}  granularity {}{}\n", list(f.anchor),
                            list(f.offset), f.mask, f.lod, f.granularity, f.granularity == 0 ? " (as requested)" : "");
}

constexpr Rgb kPaper = {250, 249, 246}, kInk = {40, 38, 34}, kTexel = {20, 20, 20};
constexpr Rgb kColors[6] = {{255, 92, 0}, {0, 130, 220}, {0, 160, 90}, {190, 40, 160}, {210, 170, 0}, {90, 90, 200}};

/// Where the picture shows which texels of the level: texel (x0, y0) at (kMargin, kMargin), each `scale` pixels wide.
struct Window {
  std::array<std::uint32_t, 3> group{};  ///< texels of a group
  std::uint32_t level = 0, width = 1, height = 1;
  std::int64_t x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  std::int64_t scale = 1;
  static constexpr std::int64_t kMargin = 16;

  [[nodiscard]] std::int64_t left(std::int64_t x) const { return kMargin + (x - x0) * scale; }
  [[nodiscard]] std::int64_t top(std::int64_t y) const { return kMargin + (y - y0) * scale; }
  [[nodiscard]] std::int64_t shown_width() const { return (x1 - x0) * scale; }
  [[nodiscard]] std::int64_t shown_height() const { return (y1 - y0) * scale; }
};

/// All of the level up to 256 texels, else the part around the groups.
Window window_of(const FootprintFlags& options, const Input& input, const std::vector<FootprintTexels>& sets) {
  const auto group = group_size(2, sets.front().granularity);
  if (!group) throw UsageError{fmt::format("--granularity: {} is not defined in 2D", options.granularity)};
  Window w;
  std::copy(group->begin(), group->end(), w.group.begin());
  w.level = sets.front().lod;
  w.width = input.image.width(w.level);
  w.height = input.image.height(w.level);
  w.x1 = w.width;
  w.y1 = w.height;
  const auto cut = [](std::int64_t& from, std::int64_t& to, std::int64_t size, std::int64_t low, std::int64_t high) {
    const std::int64_t want = std::min<std::int64_t>(size, std::max<std::int64_t>(256, (high - low) + 64));
    from = std::clamp<std::int64_t>((low + high) / 2 - want / 2, 0, size - want);
    to = from + want;
  };
  std::int64_t low_x = w.width, high_x = 0, low_y = w.height, high_y = 0;
  for (const FootprintTexels& set : sets)
    for (const auto& g : set.groups) {
      low_x = std::min<std::int64_t>(low_x, std::int64_t{g[0]} * w.group[0]);
      high_x = std::max<std::int64_t>(high_x, (std::int64_t{g[0]} + 1) * w.group[0]);
      low_y = std::min<std::int64_t>(low_y, std::int64_t{g[1]} * w.group[1]);
      high_y = std::max<std::int64_t>(high_y, (std::int64_t{g[1]} + 1) * w.group[1]);
    }
  if (high_x > low_x) {
    cut(w.x0, w.x1, w.width, low_x, std::min<std::int64_t>(high_x, w.width));
    cut(w.y0, w.y1, w.height, low_y, std::min<std::int64_t>(high_y, w.height));
  }
  w.scale = std::clamp<std::int64_t>(1024 / std::max(w.x1 - w.x0, w.y1 - w.y0), 1, 48);
  return w;
}

/// The texels of the level, dimmed so that the groups stand out.
void draw_level(Picture& picture, const Window& w, const Input& input) {
  for (std::int64_t y = w.y0; y < w.y1; ++y)
    for (std::int64_t x = w.x0; x < w.x1; ++x) {
      const Color texel = input.image.texel(
          {.x = static_cast<std::uint32_t>(x), .y = static_cast<std::uint32_t>(y), .slice = 0, .level = w.level});
      Rgb c{};
      for (unsigned k = 0; k < 3; ++k)
        c[k] = texel.number_class == NumberClass::Float
                   ? static_cast<std::uint8_t>(std::lround(std::clamp(texel[k], 0.0f, 1.0f) * 255))
                   : static_cast<std::uint8_t>(std::min(texel.words[k], 255u));
      picture.fill(w.left(x), w.top(y), w.scale, w.scale, c);
    }
  picture.fill(Window::kMargin, Window::kMargin, w.shown_width(), w.shown_height(), kPaper, 0.35);
}

/// The groups of one query in its color, and the texels that it reads.
void draw_set(Picture& picture, const Window& w, const FootprintTexels& set, const Rgb& color) {
  for (const auto& g : set.groups) {
    const std::int64_t x = std::int64_t{g[0]} * w.group[0], y = std::int64_t{g[1]} * w.group[1];
    const std::int64_t width = (std::min<std::int64_t>(x + w.group[0], w.width) - x) * w.scale,
                       height = (std::min<std::int64_t>(y + w.group[1], w.height) - y) * w.scale;
    picture.fill(w.left(x), w.top(y), width, height, color, 0.5);
    picture.frame(w.left(x), w.top(y), width, height, color, std::max<std::int64_t>(1, w.scale / 8));
  }
  if (w.scale < 4) return;
  for (const GridPlace& t : set.texels)
    picture.frame(w.left(t[0]) + w.scale / 4, w.top(t[1]) + w.scale / 4, w.scale / 2, w.scale / 2, kTexel, 1);
}

/// Below the level what it is and what the colors mean, in as many lines as the words need.
void draw_legend(Picture& picture, const Window& w, const FootprintFlags& options, const Input& input,
                 const std::vector<FootprintTexels>& sets, const std::vector<std::string>& places) {
  constexpr std::int64_t kLeft = Window::kMargin, kIndent = 24, kLine = 22;
  std::int64_t y = picture.height();
  const auto write = [&](std::int64_t indent, const std::string& text) {
    for (const std::string& line : Picture::caption_lines(text, picture.width() - 2 * kLeft - indent)) {
      picture.grow(kLine, kPaper);
      picture.caption(kLeft + indent, y, line, kInk);
      y += kLine;
    }
  };
  const bool part = w.x1 - w.x0 < w.width || w.y1 - w.y0 < w.height;
  write(0, fmt::format("{}: level {} of {}, {} x {} texels{}", options.image, w.level, input.image.levels(), w.width,
                       w.height, part ? fmt::format(" (shown: {}-{} x {}-{})", w.x0, w.x1 - 1, w.y0, w.y1 - 1) : ""));
  for (std::size_t s = 0; s < std::min<std::size_t>(sets.size(), 3); ++s) {
    const std::int64_t top = y;
    write(kIndent, fmt::format("uv {}: {} groups of {} x {} texels, {} texels read", places[s], sets[s].groups.size(),
                               w.group[0], w.group[1], sets[s].texels.size()));
    picture.fill(kLeft, top, 16, 14, kColors[s % 6], 0.5);
    picture.frame(kLeft, top, 16, 14, kColors[s % 6], 2);
  }
  const std::int64_t top = y;
  write(kIndent, "a texel that the sample reads");
  picture.frame(kLeft + 4, top + 3, 8, 8, kTexel, 1);
  picture.grow(kLine / 2, kPaper);
}

/// The level with its touched groups marked, enlarged so that texels can be seen, cut to the neighborhood of the
/// footprint when it is large.
base::ExitCode draw(const FootprintFlags& options, const Input& input, const std::vector<FootprintTexels>& sets,
                    const std::vector<std::string>& places) {
  if (input.dim != 2) throw UsageError{"-o: pictures are drawn of 2D images"};
  const Window w = window_of(options, input, sets);
  Picture picture(static_cast<std::uint32_t>(std::max<std::int64_t>(w.shown_width(), 760) + 32),
                  static_cast<std::uint32_t>(w.shown_height() + 32), kPaper);
  draw_level(picture, w, input);
  for (std::size_t s = 0; s < sets.size(); ++s) draw_set(picture, w, sets[s], kColors[s % 6]);
  picture.frame(Window::kMargin - 1, Window::kMargin - 1, w.shown_width() + 2, w.shown_height() + 2, {60, 60, 60}, 1);
  draw_legend(picture, w, options, input, sets, places);
  const auto saved = picture.save(options.output);
  print_diagnostics(saved.diagnostics());
  return exit_code(saved.diagnostics());
}

/// The image with its levels, and its sampler. nullopt after printing; `code` is the exit code.
std::optional<Input> open_input(const FootprintFlags& options, base::ExitCode& code) {
  ImageOptions image_options;
  image_options.common = options.common;
  image_options.image = options.image;
  image_options.sampler = options.sampler;
  auto opened = open_image(image_options, code);
  if (!opened) return std::nullopt;
  if (opened->image.levels() == 1)
    if (auto mips = opened->image.with_mips(library_limits(options.common)); mips.ok()) opened->image = *mips;
  const ImageType type = opened->image.type();
  if (type != ImageType::Dim2 && type != ImageType::Dim3)
    throw UsageError{"footprints are asked of 2D and 3D images (R13)"};
  return Input{opened->image, opened->sampler, type == ImageType::Dim3 ? 3u : 2u};
}

/// The members of a JSON answer in the form of --report.
Result<std::string> json_members(const FootprintFlags& options, const Input& input, const FootprintRequest& request,
                                 const FootprintOptions& rules) {
  const auto members = [&](const auto& answer) -> Result<std::string> {
    return answer.ok() ? answer_members(*answer, input.dim) : Result<std::string>(answer.diagnostics());
  };
  if (options.report == "list") return members(footprint_list(input.image, input.sampler, request, rules));
  if (options.report == "set") return members(footprint_texels(input.image, input.sampler, request, rules));
  return members(footprint(input.image, input.sampler, request, rules));
}

/// Answers one --uv. The groups and texels for the picture; nothing where there is no answer.
std::optional<FootprintTexels> answer_query(const FootprintFlags& options, const Input& input, const std::string& uv,
                                            bool& good) {
  const FootprintRequest request = make_request(options, input.dim, uv);
  FootprintOptions rules;
  rules.mode = *find_footprint_mode(options.mode);
  rules.conservative = options.conservative;
  Diagnostics warnings;
  rules.warnings = &warnings;
  const auto members = json_members(options, input, request, rules);
  if (!members.ok()) {
    print_diagnostics(members.diagnostics());
    good = false;
    return std::nullopt;
  }
  if (!options.common.quiet) print_diagnostics(warnings);
  rules.warnings = nullptr;
  auto set = footprint_texels(input.image, input.sampler, request, rules);
  const auto f = footprint(input.image, input.sampler, request, rules);
  if (options.format == OutputFormat::Json)
    print(fmt::format("{{\"uv\":[{}],{}}}\n", uv, *members));
  else if (set.ok())
    print(fmt::format("footprint at ({}):\n{}", uv, describe(*set, f.ok() ? *f : Footprint{}, input, options)));
  return set.ok() ? std::optional(std::move(*set)) : std::nullopt;
}

base::ExitCode run_queries(const FootprintFlags& options) {
  base::ExitCode code = base::ExitCode::Done;
  const auto input = open_input(options, code);
  if (!input) return code;
  if (!options.output.empty())
    if (const auto problem = picture_problem(options.output)) return *problem;
  bool good = true;
  std::vector<FootprintTexels> sets;
  for (const std::string& uv : options.uv)
    if (auto set = answer_query(options, *input, uv, good)) sets.push_back(std::move(*set));
  if (!good) return base::ExitCode::WrongInput;
  if (!options.output.empty() && !sets.empty()) return draw(options, *input, sets, options.uv);
  return base::ExitCode::Done;
}

base::ExitCode run_footprint(const FootprintFlags& options) {
  try {
    if (!options.batch.empty() && !options.image.empty())
      throw UsageError{"--batch: each query names its own image; leave IMAGE out"};
    if (!options.batch.empty()) return run_footprint_batch(options);
    if (options.image.empty()) throw UsageError{"give an image, or --batch FILE"};
    if (!options.view.empty()) return run_footprint_view(options);
    if (options.uv.empty()) throw UsageError{"give --uv U,V for a query, or --view plane -o FILE for a heat map"};
    return run_queries(options);
  } catch (const UsageError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.message.c_str());
    return base::ExitCode::Usage;
  }
}

}  // namespace

void add_footprint(Commands& commands) {
  const auto o = std::make_shared<FootprintFlags>();
  Command c =
      commands.add("footprint", "which texels a sample touches (OpImageSampleFootprintNV): values, pictures, batches");
  c.example("heddle footprint brick.png --uv 0.4,0.6 --grad 0.1,0.02,0,0.03", "the texels of one sample");
  c.example("heddle footprint brick.png --uv 0.4,0.6 --grad 0.1,0.02,0,0.03 -o footprint.png", "as a picture");
  const std::vector<std::string> whole{"--batch", "--view"};  // they ask for every pixel or line themselves
  c.example("heddle footprint brick.png --view plane -o plane.png", "of a plane in perspective");
  c.option("image", o->image, "PNG, JPEG, WebP, BMP, TGA, KTX2, DDS, EXR, HDR or PFM");
  c.option("--batch", o->batch,
           "queries, one JSON object a line, as docs/batch.md has them under footprint; - for standard input")
      .value_name("FILE")
      .not_beside({"--view"});
  c.option("--sampler", o->sampler, "words: filter, address mode, NAME=VALUE").shows_default().not_beside({"--batch"});
  c.repeated("--uv", o->uv, "coordinates U,V or U,V,R; may be given often").value_name("U,V").not_beside(whole);
  c.option("--lod", o->lod, "operand Lod").not_beside(whole);
  c.option("--grad", o->gradient, "operand Grad: dudx,dvdx,dudy,dvdy").value_name("LIST").not_beside(whole);
  c.option("--bias", o->bias, "operand Bias").not_beside(whole);
  c.option("--min-lod", o->min_lod, "operand MinLod").not_beside(whole);
  c.option("--granularity", o->granularity, "1 to 15: texels of a group").shows_default().not_beside({"--batch"});
  c.flag("--coarse", o->coarse, "the coarser of two levels").not_beside(whole);
  c.flag("--conservative", o->conservative, "a superset that holds for other samplers too").not_beside({"--view"});
  c.option("--mode", o->mode, "rules").one_of({"strict", "lenient", "extended"}).shows_default();
  c.option("--report", o->report, "form of the answers in JSON")
      .one_of({"struct", "list", "set"})
      .shows_default()
      .belongs_to({"--json", "--batch"});
  c.option(
       "-o,--output", o->output,
       "picture of the level with the touched groups marked; - for PNG on standard output; of --batch the answers, one "
       "JSON object a line")
      .value_name("FILE");
  c.option("--view", o->view, "plane: a perspective view of the image, beside a heat map of the texels that it touches")
      .one_of({"plane"});
  c.option("--size", o->size, "size of the view").value_name("WxH").shows_default().belongs_to({"--view"});
  c.json(o->format).not_beside(whole);
  common_options(c, o->common);
  surface_limits(c, o->common);
  c.runs([o] { return run_footprint(*o); });
}

}  // namespace heddle::tools
