#pragma once
// One element over and over.

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::pipeline::transfer {

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

}  // namespace heddle::pipeline::transfer
