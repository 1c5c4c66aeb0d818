// SPDX-License-Identifier: MIT
#include "tools/pictures/texel_sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "machine/numbers/math.hpp"

namespace heddle::tools {
namespace {

using Plane = job::TexelCoverage::Plane;

constexpr Rgb kPaper{250, 250, 248}, kInk{30, 30, 34}, kFaint{120, 120, 124}, kUntouched{216, 216, 212},
    kWritten{0, 150, 136}, kQueried{64, 128, 232}, kLight{255, 255, 255};
constexpr std::int64_t kGap = 18, kCaption = 30, kTitle = 34, kLegend = 48;
constexpr std::int64_t kMaxSide = 384, kMinSide = 72;  // of a picture's longer side

/// Pixels of a texel; below 1 several texels share one.
double zoom_of(const Plane& plane) {
  const double longer = std::max(plane.width, plane.height);
  const double wanted = std::max<double>(kMinSide, std::ldexp(kMaxSide, -static_cast<int>(plane.level)));
  const double zoom = wanted / longer;
  return zoom >= 1 ? std::floor(zoom) : zoom;
}
std::int64_t drawn(std::uint32_t texels, double zoom) { return std::max<std::int64_t>(1, std::llround(texels * zoom)); }

std::uint64_t sum(const std::vector<std::uint32_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}
std::string caption(const Plane& plane) {
  const auto touched = [](const std::vector<std::uint32_t>& counts) {
    return std::ranges::count_if(counts, [](std::uint32_t c) { return c != 0; });
  };
  std::vector<std::string> parts;
  if (const std::uint64_t reads = sum(plane.reads); reads != 0)
    parts.push_back(fmt::format("{} reads of {} texels", reads, touched(plane.reads)));
  if (const std::uint64_t writes = sum(plane.writes); writes != 0) parts.push_back(fmt::format("{} writes", writes));
  if (const auto named = touched(plane.queries); named != 0)
    parts.push_back(fmt::format("{} texels in footprints", named));
  return parts.empty() ? "not touched" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string heading(const Plane& plane, bool slices) {
  return fmt::format("level {}{}: {} x {}", plane.level, slices ? fmt::format(", slice {}", plane.slice) : "",
                     plane.width, plane.height);
}

/// How often something happened to one texel.
struct Counts {
  std::uint32_t read = 0, written = 0, queried = 0;
  [[nodiscard]] bool none() const { return read == 0 && written == 0 && queried == 0; }
};
Counts counts_of(const Plane& plane, std::size_t i) {
  return {plane.reads[i], plane.writes[i], plane.queries.empty() ? 0 : plane.queries[i]};
}

double log2_of(std::uint32_t count) { return machine::math::log2(static_cast<float>(count)); }

/// The color, darker the nearer `count` comes to the greatest.
Rgb darkened(Rgb color, std::uint32_t count, std::uint32_t greatest) {
  const double dark = greatest <= 1 ? 0 : log2_of(count) / log2_of(greatest);
  for (std::uint8_t& part : color) part = static_cast<std::uint8_t>(part * (1 - 0.5 * dark));
  return color;
}

/// The greatest counts of all pictures.
struct Scale {
  std::uint32_t reads = 0, writes = 0, queries = 0;
  [[nodiscard]] Rgb color(const Counts& c) const {
    if (c.none()) return kUntouched;
    if (c.read != 0) return heat(position(c.read));
    return c.written != 0 ? darkened(kWritten, c.written, writes) : darkened(kQueried, c.queried, queries);
  }
  /// Of a number of reads in the colors: 1 is violet, the greatest white; each doubling a step.
  [[nodiscard]] double position(std::uint32_t read) const {
    return reads <= 1 ? 0.6 : 0.25 + 0.75 * log2_of(read) / log2_of(reads);
  }
};

void draw_number(Picture& picture, std::int64_t x, std::int64_t y, std::int64_t cell, std::uint32_t count,
                 std::string_view before, Rgb ink) {
  const std::string text = fmt::format("{}{}", before, count);
  if (Picture::caption_width(text, 1) + 4 > cell) return;
  picture.caption(x + (cell - Picture::caption_width(text, 1)) / 2, y, text, ink, 1);
}

/// A line around the texels that footprints name, so that it can be seen which of them were read or written too.
void outline_queries(Picture& picture, const Plane& plane, double zoom, std::int64_t left, std::int64_t top) {
  if (plane.queries.empty()) return;
  const auto cell = static_cast<std::int64_t>(std::ceil(zoom)), line = std::clamp<std::int64_t>(cell / 8, 1, 4);
  const auto named = [&](std::size_t column, std::size_t row) {  // beyond the edges: no
    return column < plane.width && row < plane.height && plane.queries[row * plane.width + column] != 0;
  };
  for (std::size_t row = 0; row < plane.height; ++row)
    for (std::size_t column = 0; column < plane.width; ++column) {
      if (!named(column, row)) continue;
      const auto x = left + static_cast<std::int64_t>(static_cast<double>(column) * zoom),
                 y = top + static_cast<std::int64_t>(static_cast<double>(row) * zoom);
      if (!named(column - 1, row)) picture.fill(x, y, line, cell, kQueried);
      if (!named(column + 1, row)) picture.fill(x + cell - line, y, line, cell, kQueried);
      if (!named(column, row - 1)) picture.fill(x, y, cell, line, kQueried);
      if (!named(column, row + 1)) picture.fill(x, y + cell - line, cell, line, kQueried);
    }
}

void draw_plane(Picture& picture, const Plane& plane, const Scale& scale, std::int64_t left, std::int64_t top) {
  const double zoom = zoom_of(plane);
  const std::int64_t width = drawn(plane.width, zoom), height = drawn(plane.height, zoom);
  picture.fill(left, top, width, height, kUntouched);
  const auto cell = static_cast<std::int64_t>(std::ceil(zoom));
  for (std::size_t i = 0; i < plane.reads.size(); ++i) {
    const Counts c = counts_of(plane, i);
    if (c.none()) continue;
    const std::size_t column = i % plane.width, row = i / plane.width;
    const auto x = left + static_cast<std::int64_t>(static_cast<double>(column) * zoom),
               y = top + static_cast<std::int64_t>(static_cast<double>(row) * zoom);
    const Rgb color = scale.color(c);
    picture.fill(x, y, cell, cell, color);
    const std::int64_t edge = std::max<std::int64_t>(1, cell / 8);
    if (c.written != 0 && c.read != 0) picture.frame(x, y, cell, cell, kWritten, edge);
    if (cell < 14) continue;
    const bool bright = color[0] + color[1] + color[2] > 420;
    const Rgb ink = bright ? kInk : kLight;
    if (c.read != 0) draw_number(picture, x, y + cell / 2 - 4, cell, c.read, "", ink);
    if (c.written != 0 && (c.read == 0 || cell >= 30))
      draw_number(picture, x, y + cell / 2 + (c.read == 0 ? -4 : 6), cell, c.written, "w", ink);
    const bool alone = c.read == 0 && c.written == 0;
    if (c.queried != 0 && (alone || cell >= 30))
      draw_number(picture, x, y + cell / 2 + (alone ? -4 : -14), cell, c.queried, "f", ink);
  }
  outline_queries(picture, plane, zoom, left, top);
  picture.frame(left - 1, top - 1, width + 2, height + 2, kFaint);
}

/// The colors with numbers: 1, powers of two, the greatest.
void draw_legend(Picture& picture, const Scale& scale, std::int64_t top) {
  std::int64_t x = kGap;
  picture.fill(x, top, 14, 14, kUntouched);
  x += 20 + picture.caption(x + 20, top + 3, "not touched", kInk, 1) + kGap;
  if (scale.reads != 0) {
    x += picture.caption(x, top + 3, "reads", kInk, 1) + 8;
    constexpr std::int64_t kBar = 220;
    const auto at = [&](std::uint32_t count) {
      return scale.reads <= 1 ? kBar / 2 : std::llround(kBar * log2_of(count) / log2_of(scale.reads));
    };
    for (std::int64_t i = 0; i < kBar; ++i)
      picture.fill(x + i, top, 1, 14, heat(scale.reads <= 1 ? 0.6 : 0.25 + 0.75 * static_cast<double>(i) / kBar));
    std::int64_t free = 0;  // numbers do not overlap
    std::vector<std::uint32_t> marks{scale.reads};
    for (std::uint32_t mark = 1; mark != 0 && mark < scale.reads; mark *= 2) marks.push_back(mark);
    std::ranges::sort(marks);
    for (const std::uint32_t mark : marks) {
      const std::string text = fmt::format("{}", mark);
      const std::int64_t middle = at(mark), begin = middle - Picture::caption_width(text, 1) / 2;
      const std::int64_t last = at(scale.reads) - Picture::caption_width(fmt::format("{}", scale.reads), 1);
      if ((begin < free && mark != 1) || (mark != scale.reads && begin + Picture::caption_width(text, 1) > last))
        continue;
      picture.fill(x + middle, top + 14, 1, 3, kInk);
      picture.caption(x + begin, top + 20, text, kInk, 1);
      free = begin + Picture::caption_width(text, 1) + 6;
    }
    x += kBar + kGap + 12;
  }
  const auto key = [&](std::uint32_t greatest, Rgb color, std::string_view word) {
    if (greatest == 0) return;
    picture.fill(x, top, 14, 14, color);
    const std::string text =
        greatest == 1 ? fmt::format("{} once", word) : fmt::format("{}, 1 to {} times", word, greatest);
    x += 20 + picture.caption(x + 20, top + 3, text, kInk, 1) + kGap;
  };
  key(scale.writes, kWritten, "written");
  key(scale.queries, kQueried, "in a footprint");
  if (scale.queries != 0 && (scale.reads != 0 || scale.writes != 0))
    picture.caption(x, top + 3, "(a line around: read or written too)", kFaint, 1);
}

}  // namespace

Picture texel_sheet(const std::vector<Plane>& planes, const std::string& title) {
  Scale scale;
  std::map<std::uint32_t, std::int64_t> widths, heights;  // of the columns by level, of the rows by slice
  for (const Plane& plane : planes) {
    for (const std::uint32_t c : plane.reads) scale.reads = std::max(scale.reads, c);
    for (const std::uint32_t c : plane.writes) scale.writes = std::max(scale.writes, c);
    for (const std::uint32_t c : plane.queries) scale.queries = std::max(scale.queries, c);
    const double zoom = zoom_of(plane);
    std::int64_t& width = widths[plane.level];
    width = std::max({width, drawn(plane.width, zoom), Picture::caption_width(caption(plane), 1),
                      Picture::caption_width(heading(plane, true), 1)});
    std::int64_t& height = heights[plane.slice];
    height = std::max(height, drawn(plane.height, zoom));
  }
  std::map<std::uint32_t, std::int64_t> lefts, tops;
  std::int64_t right = kGap, bottom = kTitle + kGap / 2;
  for (const auto& [level, width] : widths) {
    lefts[level] = right;
    right += width + kGap;
  }
  for (const auto& [slice, height] : heights) {
    tops[slice] = bottom + kCaption;
    bottom += kCaption + height + kGap;
  }
  const std::int64_t legend = scale.queries != 0 ? 1000 : 720;
  const std::int64_t wide = std::max({right, Picture::caption_width(title) + 2 * kGap, legend});
  Picture picture(static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(bottom + kLegend), kPaper);
  picture.caption(kGap, 14, title, kInk);
  const bool slices = heights.size() > 1;
  for (const Plane& plane : planes) {
    const std::int64_t left = lefts[plane.level], top = tops[plane.slice];
    picture.caption(left, top - 24, heading(plane, slices), kInk, 1);
    picture.caption(left, top - 12, caption(plane), plane.reads.empty() ? kFaint : kInk, 1);
    draw_plane(picture, plane, scale, left, top);
  }
  draw_legend(picture, scale, bottom);
  return picture;
}

}  // namespace heddle::tools
