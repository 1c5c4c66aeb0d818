// SPDX-License-Identifier: MIT
#pragma once
// A sampler: state as in SAMPLER_STATE (HW-11, HW-12).

#include <array>
#include <cstdint>

#include "image/enumerations.hpp"

namespace heddle::image {

struct Sampler {
  Filter min_filter = Filter::Nearest, mag_filter = Filter::Nearest;
  MipFilter mip_filter = MipFilter::None;
  AddressMode tcx = AddressMode::Clamp, tcy = AddressMode::Clamp, tcz = AddressMode::Clamp;
  bool cube_override = false;
  std::array<std::uint32_t, 4>
      border{};  ///< binary32 bits, or integer words for UINT/SINT formats; DX9: UNORM8 values 0..255
  BorderMode border_mode = BorderMode::Dx10;
  std::int32_t lod_bias = 0;                     ///< S4.8
  std::int32_t min_lod = 0, max_lod = 14 * 256;  ///< U4.8
  LodPreClamp preclamp = LodPreClamp::Ogl;
  LodClampMag lod_clamp_mag = LodClampMag::MipNone;
  std::uint8_t max_anisotropy = 0;     ///< Maximum Anisotropy field: ratio 2 * (field + 1)
  std::uint8_t trilinear_quality = 0;  ///< 0 full, 1 high, 2 medium, 3 low
  bool non_normalized = false;
  bool disable = false;
  bool srgb_decode = true;
  CompareFunction compare = CompareFunction::Always;
  bool reduction_enable = false;
  Reduction reduction = Reduction::Std;
  std::array<bool, 3> round_min{}, round_mag{};  ///< address rounding enables of u, v, r
  bool cps_lod_compensation = false;

  /// CRD-6: rounding enables of an API sampler: on for a filter other than nearest.
  void set_api_rounding() {
    round_min.fill(min_filter != Filter::Nearest);
    round_mag.fill(mag_filter != Filter::Nearest);
  }
};

}  // namespace heddle::image
