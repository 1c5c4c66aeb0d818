// heddle footprint --view plane: a perspective view of a textured plane beside the texels that its pixels touch.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "image/files/files.hpp"
#include "texture/footprint.hpp"
#include "texture/request.hpp"
#include "tools/pictures/footprint.hpp"
#include "tools/pictures/image_input.hpp"
#include "tools/pictures/picture.hpp"
#include "tools/support/progress.hpp"

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
    const double angle = 0.5;  // the plane is turned, so that footprints lie obliquely
    const double px = across, pz = depth - 0.5;
    u = 0.5 + 0.30 * (px * std::cos(angle) - (pz - 1.2) * std::sin(angle));
    v = 0.5 - 0.30 * (px * std::sin(angle) + (pz - 1.2) * std::cos(angle));
    return u >= 0 && u < 1 && v >= 0 && v < 1;
  }
};

Rgb colour_of(const texture::LaneResult& r) {
  Rgb c{};
  for (unsigned k = 0; k < 3; ++k)
    c[k] = static_cast<std::uint8_t>(
        std::lround(std::clamp(__builtin_bit_cast(float, r.channels[k][0]), 0.0f, 1.0f) * 255));
  return c;
}

}  // namespace

base::ExitCode run_footprint_view(const FootprintOptions& options) {
  if (options.output.empty()) throw UsageError{"--view needs -o FILE for the picture"};
  const auto [width, height] = size_of("--size", options.size);
  ImageOptions image_options;
  image_options.common = options.common;
  image_options.image = options.image;
  image_options.sampler = options.sampler;
  image_options.mips = true;
  base::ExitCode code = base::ExitCode::Done;
  auto input = open_image(image_options, code);
  if (!input) return code;
  if (input->surface.type != image::SurfaceType::Dim2) throw UsageError{"--view: a 2D image is expected"};
  const texture::FootprintView view = texture::footprint_view(input->surface);
  const texture::FootprintSampler sampler = texture::footprint_sampler(input->sampler.sampler);
  texture::FootprintOptions rules;
  rules.mode = *find_footprint_mode(options.mode);
  const Plane plane{static_cast<double>(width), static_cast<double>(height)};

  constexpr std::int64_t kGap = 12, kLegend = 64;
  // The heat map: how often each texel of the first level is under a touched texel of any level.
  const double map_scale = static_cast<double>(height) / std::max(view.size[0], view.size[1]);
  const auto map_width = static_cast<std::int64_t>(view.size[0] * map_scale),
             map_height = static_cast<std::int64_t>(view.size[1] * map_scale);
  const std::size_t columns = view.size[0], rows = view.size[1];
  std::vector<float> counts(columns * rows);
  Picture picture(static_cast<std::uint32_t>(width + kGap * 3 + map_width),
                  static_cast<std::uint32_t>(height + kGap * 2 + kLegend), {250, 249, 246});
  std::uint64_t texels = 0, pixels = 0;
  Progress progress("footprint", height);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      double u = 0, v = 0, ux = 0, vx = 0, uy = 0, vy = 0;
      const bool inside = plane.at(x + 0.5, y + 0.5, u, v);
      if (!inside) {
        const double sky = static_cast<double>(y) / height;
        picture.set(kGap + x, kGap + y,
                    {static_cast<std::uint8_t>(214 + 30 * sky), static_cast<std::uint8_t>(222 + 22 * sky),
                     static_cast<std::uint8_t>(232 + 10 * sky)});
        continue;
      }
      plane.at(x + 1.5, y + 0.5, ux, vx);
      plane.at(x + 0.5, y + 1.5, uy, vy);
      texture::FootprintQuery q;
      q.coordinate = {static_cast<float>(u), static_cast<float>(v), 0};
      q.granularity = options.granularity;
      q.operand = texture::FootprintOperand::Grad;
      q.gradients.dx = {static_cast<float>(ux - u), static_cast<float>(vx - v), 0};
      q.gradients.dy = {static_cast<float>(uy - u), static_cast<float>(vy - v), 0};
      texture::LaneRequest request;
      request.op = texture::Op::SampleD;
      request.active = 1;
      request.surface = &input->surface;
      request.sampler = &input->sampler.sampler;
      std::array<texture::LaneWords, 6> words{};
      const float values[6] = {q.coordinate[0], q.gradients.dx[0], q.gradients.dy[0],
                               q.coordinate[1], q.gradients.dx[1], q.gradients.dy[1]};
      const texture::Param params[6] = {texture::Param::U, texture::Param::DuDx, texture::Param::DuDy,
                                        texture::Param::V, texture::Param::DvDx, texture::Param::DvDy};
      for (std::size_t k = 0; k < 6; ++k) {
        words[k].fill(__builtin_bit_cast(std::uint32_t, values[k]));
        request.set(params[k], words[k]);
      }
      picture.set(kGap + x, kGap + y, colour_of(texture::execute(request, input->context)));
      ++pixels;
      for (const bool coarse : {false, true}) {
        q.coarse = coarse;
        const auto set = texture::footprint_set(view, sampler, q, rules, true);
        if (!set.ok()) {
          progress.finish();
          print_diagnostics(set.diagnostics());
          return base::ExitCode::WrongInput;
        }
        texels += set->texels.size();
        for (const texture::Coordinates3& t : set->texels) {
          // The texel's area in the first level.
          const std::size_t step = std::size_t{1} << set->lod, x0 = t[0] * step, y0 = t[1] * step;
          const std::size_t x1 = std::min(x0 + step, columns), y1 = std::min(y0 + step, rows);
          const float part = 1.0f / static_cast<float>(step * step);
          for (std::size_t my = y0; my < y1; ++my)
            for (std::size_t mx = x0; mx < x1; ++mx) counts[my * columns + mx] += part;
        }
        if (set->single) break;
      }
    }
    progress.at(y);
  }
  progress.finish();
  // Each pixel of the map is the mean over the texels that it covers.
  const auto covered = [&](std::int64_t i, std::int64_t pixels_of_map, std::size_t texels_of_image) {
    const double from =
        static_cast<double>(i) * static_cast<double>(texels_of_image) / static_cast<double>(pixels_of_map);
    const double to =
        static_cast<double>(i + 1) * static_cast<double>(texels_of_image) / static_cast<double>(pixels_of_map);
    return std::pair(from, std::min(to, static_cast<double>(texels_of_image)));
  };
  std::vector<double> map(static_cast<std::size_t>(map_width * map_height));
  double most = 1e-9;
  for (std::int64_t y = 0; y < map_height; ++y)
    for (std::int64_t x = 0; x < map_width; ++x) {
      const auto [x0, x1] = covered(x, map_width, columns);
      const auto [y0, y1] = covered(y, map_height, rows);
      double sum = 0, area = 0;
      for (auto ty = static_cast<std::size_t>(y0); ty < std::min(static_cast<std::size_t>(std::ceil(y1)), rows); ++ty)
        for (auto tx = static_cast<std::size_t>(x0); tx < std::min(static_cast<std::size_t>(std::ceil(x1)), columns);
             ++tx) {
          const double w = (std::min(x1, static_cast<double>(tx + 1)) - std::max(x0, static_cast<double>(tx))) *
                           (std::min(y1, static_cast<double>(ty + 1)) - std::max(y0, static_cast<double>(ty)));
          sum += w * static_cast<double>(counts[ty * columns + tx]);
          area += w;
        }
      map[static_cast<std::size_t>(y * map_width + x)] = area > 0 ? sum / area : 0;
      most = std::max(most, map[static_cast<std::size_t>(y * map_width + x)]);
    }
  const std::int64_t left = kGap * 2 + width;
  for (std::int64_t y = 0; y < map_height; ++y)
    for (std::int64_t x = 0; x < map_width; ++x) {
      const double c = map[static_cast<std::size_t>(y * map_width + x)];
      picture.set(left + x, kGap + y, heat(c <= 0 ? 0 : 0.12 + 0.88 * std::log1p(20 * c / most) / std::log1p(20.0)));
    }
  const Rgb ink = {40, 38, 34};
  const std::int64_t line = kGap * 2 + height;
  std::string about =
      fmt::format("the view: {} pixels, {:.2f} texels read for each", pixels,
                  static_cast<double>(texels) / static_cast<double>(std::max<std::uint64_t>(pixels, 1)));
  std::string state = "sampler: " + options.sampler;  // long ones are cut at the right
  for (std::string* text : {&about, &state})
    while (text->size() > 4 && Picture::caption_width(*text) > width) *text = text->substr(0, text->size() - 4) + "...";
  picture.caption(kGap, line, about, ink);
  picture.caption(kGap, line + 22, state, ink);
  picture.caption(left, line, "texels of the image that it touches", ink);
  for (std::int64_t i = 0; i < 160; ++i)
    picture.fill(left + 66 + i, line + 22, 1, 14, heat(static_cast<double>(i) / 159));
  picture.caption(left, line + 22, "never", ink);
  picture.caption(left + 234, line + 22, "often", ink);
  const auto surface = picture.surface();
  const auto saved =
      surface.ok() ? image::save_image(options.output, *surface) : base::Result<base::Done>(surface.failure());
  if (!saved.ok()) {
    print_diagnostics(saved.diagnostics());
    return exit_code(saved.diagnostics());
  }
  return base::ExitCode::Done;
}

}  // namespace heddle::tools
