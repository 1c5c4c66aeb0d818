// heddle footprint --view plane: a perspective view of a textured plane beside the texels that its pixels touch.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "image/files/files.hpp"
#include "tools/footprint.hpp"
#include "tools/image_input.hpp"
#include "tools/picture.hpp"
#include "tools/progress.hpp"
#include "unit/footprint.hpp"
#include "unit/request.hpp"

namespace heddle::tools {
namespace {

/// Texture coordinates of the plane under a pixel; the plane shows exactly one copy of the image.
struct Plane {
  double width, height;
  /// False above the horizon and outside the image.
  bool at(double x, double y, double& u, double& v) const {
    const double sx = (x - width / 2) / height, sy = y / height - 0.16;  // the horizon lies at 16 % of the height
    if (sy <= 0.012) return false;
    const double depth = 0.42 / sy;         // camera height over slope
    const double across = sx * depth;
    const double angle = 0.5;               // the plane is turned, so that footprints lie obliquely
    const double px = across, pz = depth - 0.5;
    u = 0.5 + 0.30 * (px * std::cos(angle) - (pz - 1.2) * std::sin(angle));
    v = 0.5 - 0.30 * (px * std::sin(angle) + (pz - 1.2) * std::cos(angle));
    return u >= 0 && u < 1 && v >= 0 && v < 1;
  }
};

Rgb colour_of(const unit::LaneResult& r) {
  Rgb c{};
  for (unsigned k = 0; k < 3; ++k) c[k] = static_cast<std::uint8_t>(std::lround(std::clamp(__builtin_bit_cast(float, r.channels[k][0]), 0.0f, 1.0f) * 255));
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
  const unit::FootprintView view = unit::footprint_view(input->surface);
  const unit::FootprintSampler sampler = unit::footprint_sampler(input->sampler.sampler);
  unit::FootprintOptions rules;
  rules.mode = *find_footprint_mode(options.mode);
  const Plane plane{static_cast<double>(width), static_cast<double>(height)};

  constexpr std::int64_t kGap = 12, kLegend = 64;
  // The heat map: how often each texel of the first level is under a touched texel of any level.
  const double map_scale = static_cast<double>(height) / std::max(view.size[0], view.size[1]);
  const auto map_width = static_cast<std::int64_t>(view.size[0] * map_scale), map_height = static_cast<std::int64_t>(view.size[1] * map_scale);
  std::vector<double> counts(static_cast<std::size_t>(map_width * map_height));
  Picture picture(static_cast<std::uint32_t>(width + kGap * 3 + map_width), static_cast<std::uint32_t>(height + kGap * 2 + kLegend), {250, 249, 246});
  std::uint64_t texels = 0, pixels = 0;
  Progress progress("footprint", height);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      double u = 0, v = 0, ux = 0, vx = 0, uy = 0, vy = 0;
      const bool inside = plane.at(x + 0.5, y + 0.5, u, v);
      if (!inside) {
        const double sky = static_cast<double>(y) / height;
        picture.set(kGap + x, kGap + y, {static_cast<std::uint8_t>(214 + 30 * sky), static_cast<std::uint8_t>(222 + 22 * sky), static_cast<std::uint8_t>(232 + 10 * sky)});
        continue;
      }
      plane.at(x + 1.5, y + 0.5, ux, vx);
      plane.at(x + 0.5, y + 1.5, uy, vy);
      unit::FootprintQuery q;
      q.coordinate = {static_cast<float>(u), static_cast<float>(v), 0};
      q.granularity = options.granularity;
      q.operand = unit::FootprintOperand::Grad;
      q.gradients.dx = {static_cast<float>(ux - u), static_cast<float>(vx - v), 0};
      q.gradients.dy = {static_cast<float>(uy - u), static_cast<float>(vy - v), 0};
      unit::LaneRequest request;
      request.op = unit::Op::SampleD;
      request.active = 1;
      request.surface = &input->surface;
      request.sampler = &input->sampler.sampler;
      std::array<unit::LaneWords, 6> words{};
      const float values[6] = {q.coordinate[0], q.gradients.dx[0], q.gradients.dy[0], q.coordinate[1], q.gradients.dx[1], q.gradients.dy[1]};
      const unit::Param params[6] = {unit::Param::U, unit::Param::DuDx, unit::Param::DuDy, unit::Param::V, unit::Param::DvDx, unit::Param::DvDy};
      for (std::size_t k = 0; k < 6; ++k) {
        words[k].fill(__builtin_bit_cast(std::uint32_t, values[k]));
        request.set(params[k], words[k]);
      }
      picture.set(kGap + x, kGap + y, colour_of(unit::execute(request, input->context)));
      ++pixels;
      for (const bool coarse : {false, true}) {
        q.coarse = coarse;
        const auto set = unit::footprint_set(view, sampler, q, rules, true);
        if (!set.ok()) {
          progress.finish();
          print_diagnostics(set.diagnostics());
          return base::ExitCode::WrongInput;
        }
        texels += set->texels.size();
        for (const unit::Coordinates3& t : set->texels) {
          // The texel's area in the first level.
          const double step = map_scale * static_cast<double>(1u << set->lod);
          const auto mx0 = static_cast<std::int64_t>(t[0] * step), mx1 = std::max(mx0 + 1, static_cast<std::int64_t>((t[0] + 1) * step));
          const auto my0 = static_cast<std::int64_t>(t[1] * step), my1 = std::max(my0 + 1, static_cast<std::int64_t>((t[1] + 1) * step));
          for (std::int64_t my = my0; my < std::min(my1, map_height); ++my)
            for (std::int64_t mx = mx0; mx < std::min(mx1, map_width); ++mx) counts[static_cast<std::size_t>(my * map_width + mx)] += 1.0 / static_cast<double>((mx1 - mx0) * (my1 - my0));
        }
        if (set->single) break;
      }
    }
    progress.at(y);
  }
  progress.finish();
  double most = 1;
  for (const double c : counts) most = std::max(most, c);
  const std::int64_t left = kGap * 2 + width;
  for (std::int64_t y = 0; y < map_height; ++y)
    for (std::int64_t x = 0; x < map_width; ++x) {
      const double c = counts[static_cast<std::size_t>(y * map_width + x)];
      picture.set(left + x, kGap + y, heat(c == 0 ? 0 : 0.12 + 0.88 * std::log1p(c) / std::log1p(most)));
    }
  const Rgb ink = {40, 38, 34};
  const std::int64_t line = kGap * 2 + height;
  picture.caption(kGap, line, fmt::format("the view: {} pixels, {}", pixels, options.sampler), ink);
  picture.caption(kGap, line + 22, fmt::format("{:.2f} texels read for each pixel", static_cast<double>(texels) / static_cast<double>(std::max<std::uint64_t>(pixels, 1))), ink);
  picture.caption(left, line, fmt::format("texels of the image that it touches"), ink);
  for (std::int64_t i = 0; i < 160; ++i) picture.fill(left + 66 + i, line + 22, 1, 14, heat(static_cast<double>(i) / 159));
  picture.caption(left, line + 22, "never", ink);
  picture.caption(left + 234, line + 22, "often", ink);
  const auto surface = picture.surface();
  const auto saved = surface.ok() ? image::save_image(options.output, *surface) : base::Result<base::Done>(surface.failure());
  if (!saved.ok()) {
    print_diagnostics(saved.diagnostics());
    return exit_code(saved.diagnostics());
  }
  return base::ExitCode::Done;
}

}  // namespace heddle::tools
