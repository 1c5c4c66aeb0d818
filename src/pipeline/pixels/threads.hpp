// SPDX-License-Identifier: MIT
#pragma once
// Subspans to threads (PIX-11): each takes the next ones, as many as fit.

#include <algorithm>
#include <cstring>
#include <optional>

#include "pipeline/pixels/plan.hpp"

namespace heddle::pipeline {

/// Calls take(const PixelThread&) for each thread of a primitive; it returns false to stop. Where take.has_rows() says
/// so, take.row(at, count) stands for whole threads side by side, the first of them at `at`.
template <typename Take>
class ThreadMaker final : public SubspanSink {
 public:
  ThreadMaker(const PixelPlan& plan, std::uint32_t primitive, Take take)
      : plan_(plan),
        take_(std::move(take)),
        most_(plan.subspans_of_half() * plan.halves()),
        passes_(plan.passes()),
        all_(all_samples(plan.positions.size())) {
    thread_.primitive = primitive;
    thread_.whole = true;
  }

  /// Rectangles that lie side by side may run row by row across all of them: the threads stay the same, only their
  /// order changes, and the targets are written in long runs. end_row() is then due behind each row of tiles.
  void join_rectangles() { joins_ = true; }
  bool end_row() {
    if (joined_.columns == 0) return true;
    const Rectangle all = joined_;
    joined_ = {};
    return run(all);
  }
  /// The next subspans are another's.
  void skip(std::uint32_t subspans) { skip_ = subspans; }
  /// No thread begins any more.
  void stop_when_full() { last_ = true; }
  /// The primitive's end: the thread that has begun is run. False when `take` stopped.
  bool finish() {
    (void)end_row();
    if (good_ && thread_.count != 0) (void)flush();
    return good_;
  }
  [[nodiscard]] bool pending() const { return thread_.count != 0; }
  [[nodiscard]] bool good() const { return good_; }

  bool subspan(const Subspan& s) override {
    return end_row() && add(s.x | static_cast<std::uint32_t>(s.y) << 16, s.coverage, kUnlisted);
  }

  bool list(const std::uint32_t* places, const std::uint8_t* pixels, std::size_t count) override {
    if (!end_row()) return false;
    std::size_t at = 0;
    for (; at < count && (thread_.count != 0 || skip_ != 0 || last_ || passes_ != 1); ++at)
      if (!add(places[at], kCoverageOfOne[pixels[at]], pixels[at])) return false;
    for (; count - at >= most_; at += most_)
      if (!run_listed(places + at, pixels + at)) return false;
    for (; at < count; ++at)
      if (!add(places[at], kCoverageOfOne[pixels[at]], pixels[at])) return false;
    return true;
  }

  bool rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) override {
    const Rectangle next{x, y, columns, rows};
    if (joined_.columns != 0 && columns % most_ == 0 && x == joined_.x + 2 * joined_.columns && y == joined_.y &&
        rows == joined_.rows) {
      joined_.columns += columns;
      return true;
    }
    if (!end_row()) return false;
    if (!joins_ || thread_.count != 0 || skip_ != 0 || columns % most_ != 0) return run(next);
    joined_ = next;
    return true;
  }

 private:
  struct Rectangle {
    std::uint32_t x = 0, y = 0, columns = 0, rows = 0;
  };

  bool run(const Rectangle& rectangle) {
    const std::array<std::uint16_t, 4> covered{all_, all_, all_, all_};
    for (std::uint32_t row = 0; row < rectangle.rows; ++row) {
      std::uint32_t at = rectangle.x | (rectangle.y + 2 * row) << 16, left = rectangle.columns;
      while (left != 0) {
        if (thread_.count == 0 && skip_ == 0 && left >= most_) {
          if constexpr (requires { take_.row(at, left); }) {
            if (!last_ && has_rows()) {
              const std::uint32_t threads = left / most_;
              good_ = take_.row(at, threads);
              if (!good_) return false;
              at += 2 * most_ * threads;
              left %= most_;
              continue;
            }
          }
          row_of(thread_.subspans.data(), at);
          thread_.count = most_;
          at += 2 * most_;
          left -= most_;
          if (!flush()) return false;
        } else {
          if (!add(at, covered, all_ == 1 ? 15u : kUnlisted)) return false;
          at += 2;
          --left;
        }
      }
    }
    return true;
  }

  /// Asked when the first row comes: many primitives have none, or cover nothing.
  bool has_rows() {
    if (!rows_) {
      rows_ = false;
      if constexpr (requires { take_.has_rows(thread_.primitive); })
        rows_ = passes_ == 1 && take_.has_rows(thread_.primitive);
    }
    return *rows_;
  }

  /// The subspans of a row, also beyond `most_`. Stored as they are read later, 16 bytes together.
  static void row_of(std::uint32_t* to, std::uint32_t at) {
    typedef std::uint32_t Four __attribute__((vector_size(16)));
    const Four first = at + Four{0, 2, 4, 6}, second = first + 8;
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + 4, &second, sizeof second);
  }

  /// A thread of subspans that stand side by side.
  bool run_listed(const std::uint32_t* places, const std::uint8_t* pixels) {
    thread_.pixels = 0;
    std::memcpy(thread_.subspans.data(), places, most_ * sizeof *places);
    for (std::uint32_t s = 0; s < most_; ++s) {
      thread_.pixels |= std::uint32_t{pixels[s]} << 4 * s;
      thread_.coverage[s] = kCoverageOfOne[pixels[s]];
    }
    const std::uint32_t every = most_ == 8 ? ~0u : (1u << 4 * most_) - 1;
    thread_.whole = thread_.pixels == every;
    thread_.count = most_;
    thread_.listed = true;
    return flush();
  }

  /// `pixels`: a bit for each covered one, where they have one sample.
  bool add(std::uint32_t at, const std::array<std::uint16_t, 4>& coverage, std::uint32_t pixels) {
    if (skip_ != 0) return --skip_, true;
    if (thread_.count == 0) {
      whole_ = thread_.listed = true;
      thread_.pixels = 0;
    }
    thread_.subspans[thread_.count] = at;
    thread_.coverage[thread_.count] = coverage;
    if (pixels == kUnlisted) {
      thread_.listed = false;
      whole_ &= coverage == std::array{all_, all_, all_, all_};
    } else {
      thread_.pixels |= pixels << 4 * thread_.count;
      whole_ &= pixels == 15;
    }
    if (++thread_.count < most_) return true;
    thread_.whole = whole_;
    return flush();
  }

  bool flush() {
    if (thread_.count < most_) thread_.whole = false;
    for (std::uint32_t pass = 0; good_ && pass < passes_; ++pass) {
      thread_.sspi = pass * (plan_.slots() / 8);
      good_ = take_(std::as_const(thread_));
    }
    thread_.count = 0;
    thread_.whole = true;
    thread_.listed = false;
    return good_ && !last_;
  }

  static constexpr std::uint32_t kUnlisted = ~0u;
  const PixelPlan& plan_;
  Take take_;
  const std::uint32_t most_, passes_;
  const std::uint16_t all_;
  PixelThread thread_;
  std::uint32_t skip_ = 0;
  bool whole_ = true, good_ = true, last_ = false, joins_ = false;
  std::optional<bool> rows_;
  Rectangle joined_;  ///< rectangles that wait for the next one
};

/// For each row of tiles: how many of its first subspans belong to a thread that began in an earlier row.
[[nodiscard]] inline std::vector<std::uint32_t> subspans_taken(const PixelPlan& plan, const CoverageScan& scan) {
  const std::uint32_t most = plan.subspans_of_half() * plan.halves();
  std::vector<std::uint32_t> taken;
  std::uint64_t before = 0;
  for (std::int32_t row = scan.first_row(); row < scan.last_row(); ++row) {
    taken.push_back(static_cast<std::uint32_t>((most - before % most) % most));
    before += scan.count(row);
  }
  return taken;
}

/// Threads of primitives that are not large stay in bins of kBin x kBinHeight pixels (PIX-11).
inline constexpr std::int32_t kBin = 2 * CoverageScan::kTile, kBinHeight = CoverageScan::kTile;
/// Pixels of a primitive's bounds from which on it is large.
inline constexpr std::int64_t kLarge = 4 * CoverageScan::kTile * CoverageScan::kTile;
[[nodiscard]] inline bool is_large(const Primitive& p) {
  return std::int64_t{p.right - p.left} * (p.bottom - p.top) >= kLarge;
}

/// The pixels that a primitive may cover.
[[nodiscard]] inline Bounds<std::int32_t> pixels_of(const Primitive& p) { return {p.left, p.top, p.right, p.bottom}; }
/// Those of them that lie in the bin with that pixel as its upper left one.
[[nodiscard]] inline Bounds<std::int32_t> pixels_in_bin(const Primitive& p, std::int32_t x, std::int32_t y) {
  return {std::max(p.left, x), std::max(p.top, y), std::min(p.right, x + kBin), std::min(p.bottom, y + kBinHeight)};
}

/// The threads of a primitive that is not large, in some of its pixels: all of them, or those of a bin. `hides(x, y)`:
/// nothing shows in that tile. False when `take` stopped.
template <typename Take, typename Hides>
bool make_small(const PixelPlan& plan, const Primitive& p, const Bounds<std::int32_t>& part, const RasterState& state,
                std::uint32_t number, Take take, const Hides& hides) {
  constexpr std::int32_t kTile = CoverageScan::kTile;
  const CoverageScan scan(p, state);
  ThreadMaker maker(plan, number, std::move(take));
  for (std::int32_t y = part.top / kTile * kTile; y < part.bottom; y += kTile)
    for (std::int32_t x = part.left / kTile * kTile; x < part.right; x += kTile) {
      if (!hides(x, y) && !scan.tile(x, y, maker)) return false;
      const bool last = x + kTile >= p.right || (x + kTile) % kBin == 0;
      if (last && !maker.finish()) return false;
    }
  return true;
}

/// The threads of one row of tiles, which end with it. `hides` as above. False when `take` stopped.
template <typename Take, typename Hides>
bool make_own_row(const PixelPlan& plan, const CoverageScan& scan, const Primitive& p, std::uint32_t number,
                  std::int32_t row, Take take, const Hides& hides) {
  constexpr std::int32_t kTile = CoverageScan::kTile;
  ThreadMaker maker(plan, number, std::move(take));
  maker.join_rectangles();
  for (std::int32_t x = p.left / kTile * kTile; x < p.right; x += kTile)
    if (!hides(x, row * kTile) && !scan.tile(x, row * kTile, maker)) return false;
  return maker.finish();
}

/// The threads whose first subspan lies in one row of tiles. `joins`: join_rectangles(). False when `take` stopped.
template <typename Take>
bool make_row(const PixelPlan& plan, const CoverageScan& scan, std::uint32_t primitive, std::int32_t row,
              std::uint32_t taken, bool joins, Take take) {
  ThreadMaker maker(plan, primitive, std::move(take));
  maker.skip(taken);
  if (joins) maker.join_rectangles();
  (void)scan.row(row, maker);
  (void)maker.end_row();
  maker.stop_when_full();
  while (maker.good() && maker.pending() && ++row < scan.last_row()) (void)scan.row(row, maker);
  return maker.finish();
}

}  // namespace heddle::pipeline
