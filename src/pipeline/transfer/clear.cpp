// SPDX-License-Identifier: MIT
// Clears and fills as blocks of memory: TRF-17 to TRF-19.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "pipeline/transfer/parallel.hpp"
#include "pipeline/transfer/region.hpp"

namespace heddle::pipeline::transfer {
namespace {

/// From here on stores go past the caches: they would throw everything else out.
constexpr std::size_t kStreamBytes = std::size_t{1} << 20;

/// Fills memory with copies of an element, as fast as memory takes them.
class Filler {
 public:
  /// `bytes`: 1 to 32.
  Filler(const std::uint8_t* element, std::size_t bytes);
  /// `size` is a multiple of the element's bytes.
  void operator()(std::uint8_t* to, std::size_t size) const;

 private:
  void stream(std::uint8_t* to, std::size_t size) const;

  static constexpr std::size_t kMaxBytes = 32, kLine = 64;
  /// Whole elements and whole cache lines at once, and a line more, so that a line can start at any byte of it.
  std::array<std::uint8_t, kMaxBytes * kLine + kLine> pattern_{};
  std::size_t period_ = 0;    ///< bytes after which elements and lines start together again
  bool one_byte_ = false;     ///< all bytes of the element are the same
  bool eight_bytes_ = false;  ///< elements start together again after eight bytes
};

Filler::Filler(const std::uint8_t* element, std::size_t bytes) : period_(std::lcm(bytes, kLine)) {
  for (std::size_t i = 0; i < period_ + kLine; ++i) pattern_[i] = element[i % bytes];
  one_byte_ = std::all_of(element, element + bytes, [&](std::uint8_t byte) { return byte == element[0]; });
  eight_bytes_ = 8 % bytes == 0;
}

void Filler::operator()(std::uint8_t* to, std::size_t size) const {
  if (one_byte_) {
    std::memset(to, pattern_[0], size);
    return;
  }
  if (size >= kStreamBytes) return stream(to, size);
  for (std::size_t done = 0; done < size; done += period_)
    std::memcpy(to + done, pattern_.data(), std::min(period_, size - done));
}

void Filler::stream(std::uint8_t* to, std::size_t size) const {
#if defined(__SSE2__)
  const std::size_t before = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
  std::memcpy(to, pattern_.data(), before);
  std::size_t done = before, at = before % period_;
#if defined(__x86_64__)
  // Eight bytes again and again: the processor's own instruction chooses between its caches and memory.
  if (eight_bytes_) {
    std::uint64_t word;
    std::memcpy(&word, pattern_.data() + at, sizeof word);
    std::size_t words = (size - done) / sizeof word;
    std::uint8_t* place = to + done;
    done += words * sizeof word;
    asm volatile("rep stosq" : "+D"(place), "+c"(words) : "a"(word) : "memory");
    std::memcpy(to + done, &word, size - done);
    return;
  }
#endif
  for (; done + kLine <= size; done += kLine) {
    for (std::size_t i = 0; i < kLine; i += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + done + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(pattern_.data() + at + i)));
    at = at + kLine >= period_ ? at + kLine - period_ : at + kLine;
  }
  _mm_sfence();
  std::memcpy(to + done, pattern_.data() + at, size - done);
#else
  for (std::size_t done = 0; done < size; done += period_)
    std::memcpy(to + done, pattern_.data(), std::min(period_, size - done));
#endif
}

void fill_plane(const Plane& plane, const Region& region, const Filler& filler, Work work) {
  const std::size_t bytes = region.format->bytes_per_element(), row_bytes = bytes * region.columns;
  if (plane.row_pitch == row_bytes && (region.slices == 1 || plane.slice_pitch == region.rows * plane.row_pitch)) {
    const std::uint64_t texels = std::uint64_t{region.columns} * region.rows * region.slices;
    return for_ranges(texels, bytes, work.workers, [&](std::uint64_t begin, std::uint64_t end) {
      filler(plane.first + begin * bytes, (end - begin) * bytes);
    });
  }
  for_ranges(
      std::uint64_t{region.rows} * region.slices, row_bytes, work.workers, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i)
          filler(plane.row(static_cast<std::uint32_t>(i / region.rows), static_cast<std::uint32_t>(i % region.rows)),
                 row_bytes);
      });
}

}  // namespace

base::Result<base::Done> clear(image::Surface& image, const ImageBox& box, const image::Texel& value, Work work) {
  const auto region = cleared_region(image, box);
  if (!region.ok()) return region.failure();
  const auto plane = plane_of(*region);
  if (!plane || region->format->block_width != 1) return reference::clear(image, box, value);
  std::array<std::uint8_t, 32> element{};
  image::encode_texel(*region->format, value, element.data());
  fill_plane(*plane, *region, Filler(element.data(), region->format->bytes_per_element()), work);
  return base::Done{};
}

base::Result<base::Done> clear_depth(image::Surface& image, const ImageBox& box, float depth, Work work) {
  image::Texel value;
  value.set(0, depth);
  return clear(image, box, value, work);
}

base::Result<base::Done> clear_stencil(image::Surface& image, const ImageBox& box, std::uint32_t stencil, Work work) {
  image::Texel value;
  value.bits[0] = stencil & 0xFFu;  // TRF-18
  return clear(image, box, value, work);
}

void fill(std::span<std::uint8_t> memory, std::uint32_t word, Work work) {
  std::array<std::uint8_t, 4> element{};
  for (unsigned i = 0; i < 4; ++i) element[i] = static_cast<std::uint8_t>(word >> (8 * i));
  const Filler filler(element.data(), element.size());
  for_ranges(memory.size() / 4, 4, work.workers,
             [&](std::uint64_t begin, std::uint64_t end) { filler(memory.data() + begin * 4, (end - begin) * 4); });
}

}  // namespace heddle::pipeline::transfer
