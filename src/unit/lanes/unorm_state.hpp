#pragma once
// SAMPLE_UNORM as the lane kernels read it: like state.hpp.

#include "unit/lanes/state.hpp"

namespace heddle::unit::lanes {

struct UnormFixed {
  Fixed state;  ///< a sample of one level with the magnification filter; channels are 8-bit UNORM, Zero or One
  std::uint8_t channels = 15;  ///< results that somebody wants
  std::uint8_t linear = 0;
  std::uint8_t planar = 0;  ///< state's element is luma (HW-45)
  std::uint8_t joined = 0;  ///< U and V are neighbours in memory
};

struct UnormVarying {
  Varying sample;
  // Chroma planes, U then V:
  std::uint64_t chroma_offset[2]{};  ///< from Varying::memory; joined: [0] is where the pair begins
  std::uint32_t chroma_pitch[2]{}, chroma_step[2]{};
  std::int32_t chroma_limit[2]{};   ///< as Level::limit
  std::uint32_t chroma_shift[2]{};  ///< of the byte in the word at chroma_offset
};

struct UnormInputs {
  float u, v, du, dv;
};

}  // namespace heddle::unit::lanes

// `out`: four channels of 32 words of 16 bits, pixel 8y + x; only those of UnormFixed::channels are written. Mask and
// thread are not looked at: every pixel is made.
#define HEDDLE_LANES_UNORM_ENTRY(name)                                                                      \
  void name(const heddle::unit::lanes::UnormFixed* fixed, const heddle::unit::lanes::UnormVarying* varying, \
            const heddle::unit::lanes::UnormInputs* inputs, std::uint32_t mask, std::uint32_t* out, void* thread)
extern "C" {
HEDDLE_LANES_UNORM_ENTRY(heddle_lanes_unorm);
}
