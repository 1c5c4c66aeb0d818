// SPDX-License-Identifier: MIT
// heddle footprint --view plane: a perspective view of a textured plane beside the texels that its pixels touch.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/numbers/math.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/pictures/footprint.hpp"
#include "tools/pictures/image_input.hpp"
#include "tools/pictures/picture.hpp"

namespace heddle::tools {
namespace {

/// Texture coordinates of the plane under a pixel; the plane shows exactly one copy of the image.
struct Plane {
  double width, height;
  /// False above the horizon and outside the image.
  bool at(double x, double y, double& u, double& v) const {
    const double sx = (x - width / 2) / height, sy = y / height - 0.16;  // the horizon lies at 16 % of the height
    if (sy <= 0.012) return false;
    const double depth = 0.42 / sy;  // camera height over slope
    const double across = sx * depth;
    constexpr float kAngle = 0.5f;  // the plane is turned, so that footprints lie obliquely
    const double sine = machine::math::sine(kAngle), cosine = machine::math::cosine(kAngle);
    const double px = across, pz = depth - 0.5;
    u = 0.5 + 0.30 * (px * cosine - (pz - 1.2) * sine);
    v = 0.5 - 0.30 * (px * sine + (pz - 1.2) * cosine);
    return u >= 0 && u < 1 && v >= 0 && v < 1;
  }
};

Rgb color_of(const Color& color) {
  Rgb c{};
  for (unsigned k = 0; k < 3; ++k)
    c[k] =
        static_cast<std::uint8_t>(std::lround(std::clamp(__builtin_bit_cast(float, color.words[k]), 0.0f, 1.0f) * 255));
  return c;
}

constexpr std::int64_t kGap = 12, kColumn = 200;  // a column is wide enough for its words
constexpr Rgb kInk = {40, 38, 34}, kPaper = {250, 249, 246};

/// The picture while it is drawn, and what was counted for it.
struct View {
  const FootprintFlags& options;
  ImageInput& input;
  std::uint32_t width, height;
  heddle::FootprintOptions rules;
  std::int64_t map_width, map_height;
  std::vector<float> counts;  ///< how often each texel of the first level is under a touched texel of any level
  Picture picture;
  std::uint64_t texels = 0, pixels = 0;

  [[nodiscard]] std::int64_t view_column() const { return std::max<std::int64_t>(width, kColumn); }
  [[nodiscard]] std::int64_t map_column() const { return std::max(map_width, kColumn); }
  [[nodiscard]] std::size_t columns() const { return input.image.width(); }
  [[nodiscard]] std::size_t rows() const { return input.image.height(); }
};

View make_view(const FootprintFlags& options, ImageInput& input) {
  const auto [width, height] = size_of("--size", options.size);
  const std::uint32_t columns = input.image.width(), rows = input.image.height();
  const double scale = static_cast<double>(height) / std::max(columns, rows);
  const auto map_width = static_cast<std::int64_t>(columns * scale),
             map_height = static_cast<std::int64_t>(rows * scale);
  heddle::FootprintOptions rules;
  rules.mode = *find_footprint_mode(options.mode);
  return {options,
          input,
          width,
          height,
          rules,
          map_width,
          map_height,
          std::vector<float>(std::size_t{columns} * rows),
          Picture(static_cast<std::uint32_t>(std::max<std::int64_t>(width, kColumn) + kGap * 3 +
                                             std::max(map_width, kColumn)),
                  static_cast<std::uint32_t>(std::max<std::int64_t>(height, map_height) + kGap * 2), kPaper)};
}

/// The request of one pixel: gradients are the differences to the pixels right of it and below it. Nothing off the
/// plane.
std::optional<FootprintRequest> request_at(const Plane& plane, std::uint32_t x, std::uint32_t y, unsigned granularity) {
  double u = 0, v = 0, ux = 0, vx = 0, uy = 0, vy = 0;
  if (!plane.at(x + 0.5, y + 0.5, u, v)) return std::nullopt;
  plane.at(x + 1.5, y + 0.5, ux, vx);
  plane.at(x + 0.5, y + 1.5, uy, vy);
  FootprintRequest r;
  r.coordinate = {static_cast<float>(u), static_cast<float>(v), 0};
  r.granularity = granularity;
  r.gradients = {.dx = {static_cast<float>(ux - u), static_cast<float>(vx - v), 0},
                 .dy = {static_cast<float>(uy - u), static_cast<float>(vy - v), 0}};
  return r;
}

Rgb sky(double part) {
  return {static_cast<std::uint8_t>(214 + 30 * part), static_cast<std::uint8_t>(222 + 22 * part),
          static_cast<std::uint8_t>(232 + 10 * part)};
}

/// The color that a sample with the request's gradients gives; black where it is refused.
Rgb sampled(const View& view, const FootprintRequest& r) {
  SampleOptions options;
  options.gradients = r.gradients;
  const auto color =
      sample(view.input.image, view.input.sampler, {.u = r.coordinate[0], .v = r.coordinate[1]}, options);
  return color.ok() ? color_of(*color) : Rgb{};
}

/// Counts the texels of the request's one or two levels.
Result<Done> count_texels(View& view, FootprintRequest r) {
  for (const bool coarse : {false, true}) {
    r.coarse = coarse;
    const auto set = footprint_texels(view.input.image, view.input.sampler, r, view.rules);
    if (!set.ok()) return set.diagnostics();
    view.texels += set->texels.size();
    for (const GridPlace& t : set->texels) {
      // The texel's area in the first level.
      const std::size_t step = std::size_t{1} << set->lod, x0 = t[0] * step, y0 = t[1] * step;
      const std::size_t x1 = std::min(x0 + step, view.columns()), y1 = std::min(y0 + step, view.rows());
      const float part = 1.0f / static_cast<float>(step * step);
      for (std::size_t my = y0; my < y1; ++my)
        for (std::size_t mx = x0; mx < x1; ++mx) view.counts[my * view.columns() + mx] += part;
    }
    if (set->single_level) break;
  }
  return Done{};
}

/// The perspective view; counts what its pixels touch.
Result<Done> draw_plane(View& view) {
  const Plane plane{static_cast<double>(view.width), static_cast<double>(view.height)};
  Progress progress("footprint", view.height);
  for (std::uint32_t y = 0; y < view.height; ++y) {
    for (std::uint32_t x = 0; x < view.width; ++x) {
      const auto q = request_at(plane, x, y, view.options.granularity);
      if (!q) {
        view.picture.set(kGap + x, kGap + y, sky(static_cast<double>(y) / view.height));
        continue;
      }
      view.picture.set(kGap + x, kGap + y, sampled(view, *q));
      ++view.pixels;
      if (const auto counted = count_texels(view, *q); !counted.ok()) {
        progress.finish();
        return counted;
      }
    }
    progress.at(y);
  }
  progress.finish();
  return Done{};
}

/// The part of the image's texels that pixel `i` of the map covers on one axis.
std::pair<double, double> covered(std::int64_t i, std::int64_t map_pixels, std::size_t texels) {
  const double from = static_cast<double>(i) * static_cast<double>(texels) / static_cast<double>(map_pixels);
  const double to = static_cast<double>(i + 1) * static_cast<double>(texels) / static_cast<double>(map_pixels);
  return {from, std::min(to, static_cast<double>(texels))};
}

/// The mean of the counts over the texels under one pixel of the map.
double mean_count(const View& view, std::int64_t x, std::int64_t y) {
  const auto [x0, x1] = covered(x, view.map_width, view.columns());
  const auto [y0, y1] = covered(y, view.map_height, view.rows());
  const std::size_t right = std::min(static_cast<std::size_t>(std::ceil(x1)), view.columns()),
                    bottom = std::min(static_cast<std::size_t>(std::ceil(y1)), view.rows());
  double sum = 0, area = 0;
  for (auto ty = static_cast<std::size_t>(y0); ty < bottom; ++ty)
    for (auto tx = static_cast<std::size_t>(x0); tx < right; ++tx) {
      const double w = (std::min(x1, static_cast<double>(tx + 1)) - std::max(x0, static_cast<double>(tx))) *
                       (std::min(y1, static_cast<double>(ty + 1)) - std::max(y0, static_cast<double>(ty)));
      sum += w * static_cast<double>(view.counts[ty * view.columns() + tx]);
      area += w;
    }
  return area > 0 ? sum / area : 0;
}

/// The heat map right of the view.
void draw_map(View& view) {
  std::vector<double> map;
  map.reserve(static_cast<std::size_t>(view.map_width * view.map_height));
  double most = 1e-9;
  for (std::int64_t y = 0; y < view.map_height; ++y)
    for (std::int64_t x = 0; x < view.map_width; ++x) {
      map.push_back(mean_count(view, x, y));
      most = std::max(most, map.back());
    }
  const std::int64_t left = kGap * 2 + view.view_column();
  for (std::int64_t y = 0; y < view.map_height; ++y)
    for (std::int64_t x = 0; x < view.map_width; ++x) {
      const double c = map[static_cast<std::size_t>(y * view.map_width + x)];
      view.picture.set(left + x, kGap + y,
                       heat(c <= 0 ? 0
                                   : 0.12 + 0.88 * machine::math::log2(static_cast<float>(1 + 20 * c / most)) /
                                                machine::math::log2(21)));
    }
}

/// Under the view what it is, under the map its scale; as many lines as the words need.
void draw_legend(View& view) {
  constexpr std::int64_t kLine = 22, kText = 18;
  const std::int64_t left = kGap * 2 + view.view_column(), top = kGap * 2 + view.height;
  const std::string about =
      fmt::format("the view: {} pixels, {:.2f} texels read for each", view.pixels,
                  static_cast<double>(view.texels) / static_cast<double>(std::max<std::uint64_t>(view.pixels, 1)));
  std::string sampler = "sampler: " + view.options.sampler;
  for (std::size_t comma = sampler.find(','); comma != std::string::npos; comma = sampler.find(',', comma + 2))
    sampler.insert(comma + 1, " ");  // where a line may end
  std::vector<std::string> of_view = Picture::caption_lines(about, view.view_column());
  for (std::string& line : Picture::caption_lines(sampler, view.view_column())) of_view.push_back(std::move(line));
  const std::vector<std::string> of_map =
      Picture::caption_lines("texels of the image that it touches", view.map_column());
  Picture& picture = view.picture;
  const auto lines = static_cast<std::int64_t>(std::max(of_view.size(), of_map.size() + 1));
  picture.grow(static_cast<std::uint32_t>(kGap + lines * kLine), kPaper);
  for (std::size_t i = 0; i < of_view.size(); ++i)
    picture.caption(kGap, top + static_cast<std::int64_t>(i) * kLine, of_view[i], kInk);
  for (std::size_t i = 0; i < of_map.size(); ++i)
    picture.caption(left, top + static_cast<std::int64_t>(i) * kLine, of_map[i], kInk);
  const std::int64_t scale = top + static_cast<std::int64_t>(of_map.size()) * kLine;
  const std::int64_t never = Picture::caption_width("never") + 8, often = Picture::caption_width("often") + 8;
  const std::int64_t bar = std::min<std::int64_t>(160, view.map_column() - never - often);
  picture.caption(left, scale, "never", kInk);
  for (std::int64_t i = 0; i < bar; ++i)
    picture.fill(left + never + i, scale, 1, kText - 4, heat(static_cast<double>(i) / static_cast<double>(bar - 1)));
  picture.caption(left + never + bar + 8, scale, "often", kInk);
}

}  // namespace

base::ExitCode run_footprint_view(const FootprintFlags& options) {
  if (options.output.empty()) throw UsageError{"--view needs -o FILE for the picture"};
  (void)size_of("--size", options.size);  // said before the image is read
  ImageOptions image_options;
  image_options.common = options.common;
  image_options.image = options.image;
  image_options.sampler = options.sampler;
  image_options.mips = true;
  base::ExitCode code = base::ExitCode::Done;
  auto input = open_image(image_options, code);
  if (!input) return code;
  if (input->image.type() != ImageType::Dim2) throw UsageError{"--view: a 2D image is expected"};
  if (const auto problem = picture_problem(options.output)) return *problem;
  View view = make_view(options, *input);
  if (const auto drawn = draw_plane(view); !drawn.ok()) {
    print_diagnostics(drawn.diagnostics());
    return base::ExitCode::WrongInput;
  }
  draw_map(view);
  draw_legend(view);
  const auto saved = view.picture.save(options.output);
  print_diagnostics(saved.diagnostics());
  return exit_code(saved.diagnostics());
}

}  // namespace heddle::tools
