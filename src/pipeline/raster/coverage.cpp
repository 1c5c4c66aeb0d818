// SPDX-License-Identifier: MIT
// Coverage of a primitive tile by tile.
// Rules: MSP-1, PIX-8, PIX-9, RAS-1 to RAS-4, RAS-7 to RAS-9, RAS-11.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "pipeline/raster/edge.hpp"
#include "pipeline/raster/kept_pixels.hpp"
#include "pipeline/raster/lines.hpp"
#include "pipeline/raster/raster.hpp"
#include "pipeline/raster/spans.hpp"

namespace heddle::pipeline {

std::vector<SamplePosition> sample_positions(std::uint32_t samples) {
  switch (samples) {  // MSP-1
    case 2:
      return {{12, 12}, {4, 4}};
    case 4:
      return {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
    case 8:
      return {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
    case 16:
      return {{9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
              {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};
    default:
      return {{8, 8}};
  }
}

CoverageScan::CoverageScan(const Primitive& primitive, const RasterState& state)
    : primitive_(primitive),
      state_(state),
      mask_(static_cast<std::uint16_t>(all_samples(state) & state.sample_mask)),
      whole_(mask_ == all_samples(state)) {
  if (primitive.shape == Primitive::Shape::Triangle || primitive.shape == Primitive::Shape::Conservative) {
    set_edges(primitive.x.data(), primitive.y.data(), 3, primitive.area);
    return;
  }
  whole_ = whole_ && (primitive.is_point || !state.line_stipple);
  if (primitive.shape == Primitive::Shape::Bresenham) return;
  const auto &x = primitive.outline_x, &y = primitive.outline_y;
  const std::int64_t area = (std::int64_t{x[1]} - x[0]) * (std::int64_t{y[2]} - y[0]) -
                            (std::int64_t{y[1]} - y[0]) * (std::int64_t{x[2]} - x[0]);
  set_edges(x.data(), y.data(), 4, area);
}

/// Edge functions of a convex outline: those of edges from one corner to the next, positive inside.
void CoverageScan::set_edges(const std::int32_t* x, const std::int32_t* y, std::size_t corners, std::int64_t area) {
  const std::int64_t sign = area > 0 ? 1 : -1;
  edges_ = corners;
  for (std::size_t i = 0; i < corners; ++i) {
    const std::size_t next = i + 1 == corners ? 0 : i + 1;
    const auto edge = edge_between<std::int64_t>(x[i], y[i], x[next], y[next], sign);
    dx_[i] = edge.dx;
    dy_[i] = edge.dy;
    at_[i] = edge.at;
    bias_[i] = edge.bias;
  }
  if (area == 0) bias_[0] = INT64_MIN / 2;  // a line that is too narrow to have a width
}

/// Which samples of a pixel a stippled line has, of those that it covers (RAS-4).
std::uint16_t CoverageScan::stippled(std::int32_t x, std::int32_t y, std::uint16_t covered) const {
  const Primitive& p = primitive_;
  const LineStipple& stipple = *state_.line_stipple;
  const auto draws = [&](double counter) {
    const auto s = static_cast<std::int64_t>(std::max(counter, 0.0));
    return (stipple.pattern >> s / std::max(1u, stipple.factor) % 16 & 1) != 0;
  };
  if (p.shape == Primitive::Shape::Bresenham)
    return draws(p.stipple_at + static_cast<double>(BresenhamLine(p).step(x, y))) ? covered : std::uint16_t{0};
  const double scale = 1 / (std::sqrt(static_cast<double>(p.area)) * kPixel);
  const std::int64_t dx = std::int64_t{p.x[1]} - p.x[0], dy = std::int64_t{p.y[1]} - p.y[0];
  const auto drawn_at = [&](std::int64_t in_x, std::int64_t in_y) {
    const std::int64_t px = x * kPixel + in_x - p.x[0], py = y * kPixel + in_y - p.y[0];
    return draws(p.stipple_at + static_cast<double>(px * dx + py * dy) * scale);
  };
  if (p.shape == Primitive::Shape::Smooth) return drawn_at(kPixel / 2, kPixel / 2) ? covered : std::uint16_t{0};
  for (std::size_t s = 0; s < state_.samples.size(); ++s) {
    if (!drawn_at(state_.samples[s].x * 16, state_.samples[s].y * 16))
      covered = static_cast<std::uint16_t>(covered & ~(1u << s));
  }
  return covered;
}

/// How edge functions change over the pixels of a part.
template <std::size_t kEdges>
struct CoverageScan::Steps {
  using Values = std::array<std::int64_t, kEdges>;
  Values x, y;                                ///< from one pixel to the next
  std::array<Values, kMaxSamples> at_sample;  ///< from the first sample to each
};

/// The samples of four pixels; `first`: the edge functions at the upper left one's first sample.
template <std::size_t kEdges>
void CoverageScan::cover(const std::array<std::int64_t, kEdges>& first, const Steps<kEdges>& steps,
                         Subspan& subspan) const {
  const std::size_t samples = state_.samples.size();
  std::array<std::uint32_t, 4> covered{};
  for (std::size_t s = 0; s < samples; ++s) {
    std::int64_t o0 = 0, o1 = 0, o2 = 0, o3 = 0;  // negative outside
    for (std::size_t i = 0; i < kEdges; ++i) {
      const std::int64_t e = s == 0 ? first[i] : first[i] + steps.at_sample[s][i], below = e + steps.y[i];
      o0 |= e;
      o1 |= e + steps.x[i];
      o2 |= below;
      o3 |= below + steps.x[i];
    }
    const auto bit = [&](std::int64_t outside) { return static_cast<std::uint32_t>(~outside >> 63 & 1) << s; };
    covered[0] |= bit(o0);
    covered[1] |= bit(o1);
    covered[2] |= bit(o2);
    covered[3] |= bit(o3);
  }
  for (std::size_t pixel = 0; pixel < 4; ++pixel)
    subspan.coverage[pixel] = static_cast<std::uint16_t>(covered[pixel] & mask_);
}

/// Of shapes whose pixels are looked at one by one.
bool CoverageScan::covers_pixel(std::int32_t x, std::int32_t y) const {
  switch (primitive_.shape) {
    case Primitive::Shape::Smooth:
      return covered_part(primitive_, x, y) > 0;
    case Primitive::Shape::Conservative:
      return covers_conservatively(x, y);
    default:
      return BresenhamLine(primitive_).covers(x, y);
  }
}

std::uint16_t CoverageScan::line_coverage(std::int32_t x, std::int32_t y) const {
  if (!covers_pixel(x, y)) return 0;
  if (primitive_.shape == Primitive::Shape::Conservative) return mask_;
  return state_.line_stipple ? stippled(x, y, mask_) : mask_;
}

/// Whether all of a tile lies beyond one edge.
bool CoverageScan::is_outside(std::int32_t tile_x, std::int32_t tile_y) const {
  for (std::size_t i = 0; i < edges_; ++i) {
    const std::int64_t corner = at_[i] + dx_[i] * tile_x * kPixel + dy_[i] * tile_y * kPixel;
    const std::int64_t best = corner + std::max<std::int64_t>(0, dx_[i]) * kTile * kPixel +
                              std::max<std::int64_t>(0, dy_[i]) * kTile * kPixel;
    if (best < 0) return true;
  }
  return false;
}

bool CoverageScan::tile(std::int32_t x, std::int32_t y, SubspanSink& sink) const {
  if (!state_.discards) return covered(x, y, sink);
  KeptPixels kept(*state_.discards, all_samples(state_), sink);  // RAS-11
  return covered(x, y, kept);
}

/// What the primitive covers of a tile.
bool CoverageScan::covered(std::int32_t tile_x, std::int32_t tile_y, SubspanSink& sink) const {
  const Primitive& t = primitive_;
  if (t.shape == Primitive::Shape::Bresenham)
    return !BresenhamLine(t).may_touch(tile_x, tile_y, kTile) || line_pixels(tile_x, tile_y, sink);
  const std::int32_t left = std::max(tile_x, t.left), top = std::max(tile_y, t.top),
                     right = std::min(tile_x + kTile, t.right), bottom = std::min(tile_y + kTile, t.bottom);
  if (t.shape == Primitive::Shape::Smooth || t.shape == Primitive::Shape::Conservative)
    return is_outside(tile_x, tile_y) || line_pixels(tile_x, tile_y, sink);
  constexpr std::int32_t kFew = 64;  // pixels that are looked at one by one
  const bool simple = state_.samples.size() == 1 && t.shape == Primitive::Shape::Triangle;
  if ((right - left) * (bottom - top) <= kFew)
    return simple ? few({left, top, right, bottom}, sink) : parts({left, top, right, bottom}, sink);
  if (is_outside(tile_x, tile_y)) return true;
  bool inside = whole_ && ((left | top | right | bottom) & 1) == 0;
  // No sample lies at its pixel's lower or right border.
  const std::int64_t from_x = (left - tile_x) * kPixel, from_y = (top - tile_y) * kPixel,
                     to_x = (right - tile_x) * kPixel - 16, to_y = (bottom - tile_y) * kPixel - 16;
  for (std::size_t i = 0; i < edges_; ++i) {
    const std::int64_t corner = at_[i] + dx_[i] * tile_x * kPixel + dy_[i] * tile_y * kPixel;
    const std::int64_t worst =
        corner + bias_[i] + std::min(dx_[i] * from_x, dx_[i] * to_x) + std::min(dy_[i] * from_y, dy_[i] * to_y);
    inside = inside && worst >= 0;
  }
  if (inside)
    return sink.rectangle(static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(top),
                          static_cast<std::uint32_t>(right - left) / 2, static_cast<std::uint32_t>(bottom - top) / 2);
  return simple ? spans({left, top, right, bottom}, sink) : parts({left, top, right, bottom}, sink);
}

/// A part of a tile, four pixels at a time.
template <std::size_t kEdges>
bool CoverageScan::pixels(const Part& part, SubspanSink& sink) const {
  const std::int32_t x0 = part.left & ~1, y0 = part.top & ~1;
  const SamplePosition& one = state_.samples[0];
  Steps<kEdges> steps;
  std::array<std::int64_t, kEdges> row;
  for (std::size_t i = 0; i < kEdges; ++i) {
    steps.x[i] = dx_[i] * kPixel;
    steps.y[i] = dy_[i] * kPixel;
    row[i] = at_[i] + dx_[i] * (x0 * kPixel + one.x * 16) + dy_[i] * (y0 * kPixel + one.y * 16) + bias_[i];
  }
  for (std::size_t s = 1; s < state_.samples.size(); ++s)
    for (std::size_t i = 0; i < kEdges; ++i)
      steps.at_sample[s][i] = dx_[i] * (state_.samples[s].x - one.x) * 16 + dy_[i] * (state_.samples[s].y - one.y) * 16;
  for (std::int32_t y = y0; y < part.bottom; y += 2) {
    std::array<std::int64_t, kEdges> first = row;
    const bool upper = y >= part.top, lower = y + 1 < part.bottom;
    for (std::int32_t x = x0; x < part.right; x += 2) {
      Subspan subspan;
      subspan.x = static_cast<std::uint16_t>(x);
      subspan.y = static_cast<std::uint16_t>(y);
      cover(first, steps, subspan);
      const bool left = x >= part.left, right = x + 1 < part.right;
      if (!(upper && lower && left && right)) {
        if (!upper || !left) subspan.coverage[0] = 0;
        if (!upper || !right) subspan.coverage[1] = 0;
        if (!lower || !left) subspan.coverage[2] = 0;
        if (!lower || !right) subspan.coverage[3] = 0;
      }
      if (!whole_) stipple_subspan(subspan);
      if (subspan.any() && !sink.subspan(subspan)) return false;
      for (std::size_t i = 0; i < kEdges; ++i) first[i] += 2 * steps.x[i];
    }
    for (std::size_t i = 0; i < kEdges; ++i) row[i] += 2 * steps.y[i];
  }
  return true;
}

namespace {

/// The subspans of a tile's rows, until there are enough.
class SubspanList {
 public:
  explicit SubspanList(SubspanSink& sink) : sink_(sink) {}

  /// Two rows from (x, y) on: a bit for each covered pixel. Those of each lie side by side.
  bool add(std::uint32_t x, std::uint32_t y, std::uint32_t upper, std::uint32_t lower) {
    constexpr std::uint32_t kEven = 0x55555555;
    const std::uint32_t any = upper | lower, all = upper & lower;
    // Bits 2n: subspan n has a covered pixel, and all of its pixels are covered.
    std::uint32_t some = (any | any >> 1) & kEven;
    const std::uint32_t whole = all & all >> 1 & kEven;
    const auto run = static_cast<std::uint32_t>(std::popcount(whole));
    if (run >= kLongRun) {
      const auto first = static_cast<std::uint32_t>(std::countr_zero(whole));
      const std::uint32_t before = some & ((1u << first) - 1);
      append(x, y, upper, lower, before);
      if (!finish() || !sink_.rectangle(x + first, y, run, 1)) return false;
      some &= ~(before | whole);
    }
    append(x, y, upper, lower, some);
    return true;
  }
  void add_one(std::uint32_t place, std::uint32_t pixels) {
    places_[count_] = place;
    pixels_[count_] = static_cast<std::uint8_t>(pixels);
    ++count_;
  }
  bool finish() {
    const std::size_t count = std::exchange(count_, 0);
    return count == 0 || sink_.list(places_.data(), pixels_.data(), count);
  }

 private:
  static constexpr std::uint32_t kLongRun = 8;  ///< subspans that are told as a rectangle
  void append(std::uint32_t x, std::uint32_t y, std::uint32_t upper, std::uint32_t lower, std::uint32_t which) {
    for (; which != 0; which &= which - 1) {
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(which));
      add_one((x + bit) | y << 16, (upper >> bit & 3u) | (lower >> bit & 3u) << 2);
    }
  }

  SubspanSink& sink_;
  static constexpr std::size_t kMax = std::size_t{CoverageScan::kTile} * CoverageScan::kTile / 4;
  std::array<std::uint32_t, kMax> places_;
  std::array<std::uint8_t, kMax> pixels_;
  std::size_t count_ = 0;
};

}  // namespace

/// The same of a triangle with one sample, two rows at a time.
bool CoverageScan::spans(const Part& part, SubspanSink& sink) const {
  if (mask_ == 0) return true;
  const std::int32_t x0 = part.left & ~1, y0 = part.top & ~1;
  const SamplePosition& sample = state_.samples[0];
  const auto rows = static_cast<std::uint32_t>(part.bottom - y0);
  std::array<std::int32_t, kTile + 1> begin, end;
  std::fill_n(begin.begin(), rows, part.left - x0);
  std::fill_n(end.begin(), rows, part.right - x0);
  if (y0 < part.top) end[0] = begin[0];
  for (std::size_t i = 0; i < 3; ++i)
    RowEdge(at_[i] + dx_[i] * (x0 * kPixel + sample.x * 16) + dy_[i] * (y0 * kPixel + sample.y * 16) + bias_[i],
            dx_[i] * kPixel, dy_[i] * kPixel)
        .cut(begin.data(), end.data(), rows);
  begin[rows] = end[rows] = 0;
  SubspanList list(sink);
  for (std::uint32_t r = 0; r < rows; r += 2) {
    const auto y = static_cast<std::uint32_t>(y0) + r;
    if (!list.add(static_cast<std::uint32_t>(x0), y, bits_between(begin[r], end[r]),
                  bits_between(begin[r + 1], end[r + 1])))
      return false;
  }
  return list.finish();
}

/// The same where there are few pixels: each is looked at.
bool CoverageScan::few(const Part& part, SubspanSink& sink) const {
  if (mask_ == 0) return true;
  const std::int32_t x0 = part.left & ~1, y0 = part.top & ~1;
  const SamplePosition& sample = state_.samples[0];
  std::array<std::int64_t, 3> row, right, down;
  for (std::size_t i = 0; i < 3; ++i) {
    row[i] = at_[i] + dx_[i] * (x0 * kPixel + sample.x * 16) + dy_[i] * (y0 * kPixel + sample.y * 16) + bias_[i];
    right[i] = dx_[i] * kPixel;
    down[i] = dy_[i] * kPixel;
  }
  SubspanList list(sink);
  for (std::int32_t y = y0; y < part.bottom; y += 2) {
    std::array<std::int64_t, 3> at = row;
    std::uint32_t rows = y >= part.top ? 15u : 12u;
    if (y + 1 >= part.bottom) rows &= 3u;
    for (std::int32_t x = x0; x < part.right; x += 2) {
      std::int64_t o0 = 0, o1 = 0, o2 = 0, o3 = 0;  // negative outside
      for (std::size_t i = 0; i < 3; ++i) {
        o0 |= at[i];
        o1 |= at[i] + right[i];
        o2 |= at[i] + down[i];
        o3 |= at[i] + right[i] + down[i];
        at[i] += 2 * right[i];
      }
      const auto bit = [](std::int64_t outside) { return static_cast<std::uint32_t>(~outside >> 63 & 1); };
      std::uint32_t pixels = rows & (bit(o0) | bit(o1) << 1 | bit(o2) << 2 | bit(o3) << 3);
      if (x < part.left) pixels &= 10u;
      if (x + 1 >= part.right) pixels &= 5u;
      if (pixels != 0) list.add_one(static_cast<std::uint32_t>(x) | static_cast<std::uint32_t>(y) << 16, pixels);
    }
    for (std::size_t i = 0; i < 3; ++i) row[i] += 2 * down[i];
  }
  return list.finish();
}

bool CoverageScan::parts(const Part& part, SubspanSink& sink) const {
  return edges_ == 3 ? pixels<3>(part, sink) : pixels<4>(part, sink);
}

void CoverageScan::stipple_subspan(Subspan& subspan) const {
  if (primitive_.is_point || primitive_.shape == Primitive::Shape::Triangle || !state_.line_stipple) return;
  for (std::int32_t pixel = 0; pixel < 4; ++pixel) {
    std::uint16_t& samples = subspan.coverage[static_cast<std::size_t>(pixel)];
    if (samples != 0) samples = stippled(subspan.x + (pixel & 1), subspan.y + (pixel >> 1), samples);
  }
}

/// A tile of a Bresenham or smooth line, or of a conservative triangle.
bool CoverageScan::line_pixels(std::int32_t tile_x, std::int32_t tile_y, SubspanSink& sink) const {
  const Primitive& t = primitive_;
  const std::int32_t left = std::max(tile_x, t.left), top = std::max(tile_y, t.top),
                     right = std::min(tile_x + kTile, t.right), bottom = std::min(tile_y + kTile, t.bottom);
  for (std::int32_t y = top & ~1; y < bottom; y += 2) {
    for (std::int32_t x = left & ~1; x < right; x += 2) {
      Subspan subspan;
      subspan.x = static_cast<std::uint16_t>(x);
      subspan.y = static_cast<std::uint16_t>(y);
      for (std::int32_t pixel = 0; pixel < 4; ++pixel) {
        const std::int32_t px = x + (pixel & 1), py = y + (pixel >> 1);
        if (px >= left && px < right && py >= top && py < bottom)
          subspan.coverage[static_cast<std::size_t>(pixel)] = line_coverage(px, py);
      }
      if (subspan.any() && !sink.subspan(subspan)) return false;
    }
  }
  return true;
}

bool CoverageScan::row(std::int32_t row, SubspanSink& sink) const {
  for (std::int32_t x = primitive_.left / kTile * kTile; x < primitive_.right; x += kTile)
    if (!tile(x, row * kTile, sink)) return false;
  return true;
}

std::uint64_t CoverageScan::count(std::int32_t row) const {
  struct Counter final : SubspanSink {
    std::uint64_t found = 0;
    bool subspan(const Subspan&) override { return ++found, true; }
    bool rectangle(std::uint32_t, std::uint32_t, std::uint32_t columns, std::uint32_t rows) override {
      return found += std::uint64_t{columns} * rows, true;
    }
    bool list(const std::uint32_t*, const std::uint8_t*, std::size_t count) override { return found += count, true; }
  } counter;
  (void)this->row(row, counter);
  return counter.found;
}

void scan(const Primitive& primitive, const RasterState& state, const std::function<bool(const Subspan&)>& visit) {
  struct Visitor final : SubspanSink {
    const std::function<bool(const Subspan&)>& visit;
    std::uint16_t all;
    Visitor(const std::function<bool(const Subspan&)>& f, std::uint16_t samples) : visit(f), all(samples) {}
    bool subspan(const Subspan& s) override { return visit(s); }
    bool rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) override {
      Subspan s;
      s.coverage.fill(all);
      for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t column = 0; column < columns; ++column) {
          s.x = static_cast<std::uint16_t>(x + 2 * column);
          s.y = static_cast<std::uint16_t>(y + 2 * row);
          if (!visit(s)) return false;
        }
      return true;
    }
  } visitor{visit, all_samples(state)};
  const CoverageScan scanning(primitive, state);
  for (std::int32_t row = scanning.first_row(); row < scanning.last_row(); ++row)
    if (!scanning.row(row, visitor)) return;
}

}  // namespace heddle::pipeline
