// SPDX-License-Identifier: MIT
#pragma once
// One image operation over the lanes of an instruction: what goes in and what comes out (EXE-1..6, RET-1..9).

#include <array>
#include <cstdint>

#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"
#include "texture/operations.hpp"

namespace heddle::texture {

inline constexpr unsigned kMaxLanes = 32;
/// One 32-bit word for each lane: binary32 bits for coordinates (halves already widened, NUM-33), integers for loads
/// and offsets.
using LaneWords = std::array<std::uint32_t, kMaxLanes>;

struct LaneRequest {
  Op op = Op::Sample;
  unsigned simd = 8;                   ///< 8, 16 or 32
  std::uint32_t active = 0xffffffffu;  ///< bit k: lane k is active (EXE-2); bits >= simd are ignored
  const image::Surface* surface = nullptr;
  const image::Sampler* sampler = nullptr;  ///< not needed by loads and info
  /// By Param; nullptr = absent, every lane 0 (EXE-6). All `simd` lanes are read where derivatives are needed (EXE-5).
  std::array<const LaneWords*, kParamCount> params{};
  bool half_parameters = false;          ///< the operands are HF or UW (PKO-3, PKO-4)
  std::array<std::int32_t, 3> offset{};  ///< immediate texel offsets u, v, r (SAM-3)
  std::uint8_t channels = 15;            ///< bit 0 R ... bit 3 A (SAM-2); only tells write_destination what to place
  std::uint8_t source_channel = 0;       ///< gather4: 0 R ... 3 A (GA-1)
  bool null_mask = false;                ///< op bit 8
  bool cps_compensation = false;         ///< op bit 9 (LOD-12)
  std::uint32_t coarse_width = 1, coarse_height = 1;

  void set(Param param, const LaneWords& words) { params[static_cast<std::size_t>(param)] = &words; }
  [[nodiscard]] bool has(Param param) const { return params[static_cast<std::size_t>(param)] != nullptr; }
  [[nodiscard]] std::uint32_t word(Param param, unsigned lane) const {
    const LaneWords* words = params[static_cast<std::size_t>(param)];
    return words ? (*words)[lane] : 0;
  }
  [[nodiscard]] float value(Param param, unsigned lane) const { return __builtin_bit_cast(float, word(param, lane)); }
  [[nodiscard]] std::uint32_t lanes() const { return simd >= 32 ? 0xffffffffu : (1u << simd) - 1; }
  [[nodiscard]] bool is_active(unsigned lane) const { return (active & lanes()) >> lane & 1u; }
};

struct LaneResult {
  /// R, G, B, A after channel selects; lanes that are not active hold 0 and are not to be written (EXE-3).
  std::array<LaneWords, 4> channels{};
  image::ValueClass value_class =
      image::ValueClass::Float;           ///< NUM-30; Float for compares and lod, Uint for info and ld_mcs
  std::uint32_t null_mask = 0xffffffffu;  ///< RET-5, DWord 0
};

/// Runs any operation. Refusals go to the context's reports (RET-9, LD-4 ...); the result is then 0 with all mask
/// bits 1. Where no lane is active nothing is looked at and nothing is refused (EXE-3): the surface may be of any kind.
[[nodiscard]] LaneResult execute(const LaneRequest& request, OperationContext& context);

/// The same, but what is refused is refused without an active lane too: what there is to say of a state alone.
[[nodiscard]] LaneResult execute_any(const LaneRequest& request, OperationContext& context);

// By family; `execute_any` chooses among them.
[[nodiscard]] LaneResult sample(const LaneRequest& request, OperationContext& context);   ///< SAM
[[nodiscard]] LaneResult load(const LaneRequest& request, OperationContext& context);     ///< LD
[[nodiscard]] LaneResult gather4(const LaneRequest& request, OperationContext& context);  ///< GA
[[nodiscard]] LaneResult info(const LaneRequest& request, OperationContext& context);     ///< RES, SIN

}  // namespace heddle::texture
