// SPDX-License-Identifier: MIT
#pragma once
// Counting the texels that programs touch while compiled code runs them. Who counts is set once for the process, as
// HEDDLE_TEXELS of the driver is; without one nothing is counted and nothing costs time. What compiled code reads by
// vector functions is counted by vector functions too (texture/touch/), everything else is told texel by texel, as an
// observer hears it.

#include <cstdint>

#include "texture/context.hpp"
#include "texture/enumerations.hpp"

namespace heddle::image {
struct Sampler;
}

namespace heddle::texture {

struct LaneRequest;

/// Where a thread counts what it does with one plane of an image: a counter for each of its elements, in the order of
/// their bytes. A square is its texel, the next one in its row, and the two behind them in the next row: what a
/// bilinear filter mostly reads.
struct TouchCounts {
  std::uint32_t* texels = nullptr;   ///< null: the surface isn't counted
  std::uint32_t* squares = nullptr;  ///< null where nothing has squares
  std::uint64_t* lanes = nullptr;    ///< of samples: how many lanes asked for one; null: nobody wants to know
  std::uint64_t base = 0;            ///< byte of the surface's memory whose element has the first counter
  std::uint32_t shift = 0;           ///< log2 of the bytes of an element
};

/// Called from every thread that runs programs.
class TouchSink : public TexelObserver {
 public:
  enum class Kind : std::uint8_t {
    None,   ///< the surface isn't counted
    Plain,  ///< an element is a texel of 1, 2, 4, 8 or 16 bytes: kernels may count
    Other,  ///< each texel is told
  };
  [[nodiscard]] virtual Kind kind_of(const image::Surface& surface) = 0;
  /// Operations of this family read texels; `sampler` may be null. What is given stays as it is as long as the code
  /// that asks runs.
  [[nodiscard]] virtual TouchCounts reads(const image::Surface& surface, OperationKind family,
                                          const image::Sampler* sampler) = 0;
  /// Render-target writes store texels. The same holds.
  [[nodiscard]] virtual TouchCounts writes(const image::Surface& surface) = 0;
  /// The texels that this thread tells from here on are those of the request.
  virtual void begin(const LaneRequest& request) = 0;
  /// There was no memory to count something in.
  virtual void lose_counts() = 0;
};

/// Null: nobody counts. Set before anything is prepared, and never changed.
[[nodiscard]] TouchSink* touch_sink();
void set_touch_sink(TouchSink* sink);
[[nodiscard]] TouchSink::Kind touch_kind(const image::Surface& surface);

}  // namespace heddle::texture
