// SPDX-License-Identifier: MIT
// Rules: C43, C48, FP-5, FP-6, FP-8, LOD-1, LOD-4 to LOD-7, SAM-7.
#include "texture/lod.hpp"

#include <algorithm>
#include <cmath>

#include "base/half.hpp"

namespace heddle::texture {
namespace {

// clang-format off
// LOD-1: T[k] = ceil(2^(23 + k/256)).
constexpr std::array<std::uint32_t, 256> kLog2Thresholds{
    0x800000, 0x8058d8, 0x80b1ee, 0x810b41, 0x8164d2, 0x81bea2, 0x8218b0, 0x8272fc, 0x82cd87, 0x832851, 0x83835a, 0x83dea2, 0x843a29, 0x8495f0,
    0x84f1f7, 0x854e3d, 0x85aac4, 0x86078b, 0x866492, 0x86c1da, 0x871f62, 0x877d2b, 0x87db36, 0x883982, 0x88980f, 0x88f6de, 0x8955ef, 0x89b541,
    0x8a14d6, 0x8a74ad, 0x8ad4c7, 0x8b3523, 0x8b95c2, 0x8bf6a5, 0x8c57ca, 0x8cb933, 0x8d1ae0, 0x8d7cd0, 0x8ddf05, 0x8e417d, 0x8ea43a, 0x8f073b,
    0x8f6a82, 0x8fce0d, 0x9031dd, 0x9095f2, 0x90fa4d, 0x915eee, 0x91c3d4, 0x922900, 0x928e73, 0x92f42c, 0x935a2c, 0x93c072, 0x942700, 0x948dd4,
    0x94f4f0, 0x955c54, 0x95c3ff, 0x962bf2, 0x96942e, 0x96fcb1, 0x97657e, 0x97ce93, 0x9837f1, 0x98a198, 0x990b88, 0x9975c2, 0x99e046, 0x9a4b14,
    0x9ab62b, 0x9b218e, 0x9b8d3a, 0x9bf932, 0x9c6574, 0x9cd201, 0x9d3eda, 0x9dabfe, 0x9e196f, 0x9e872b, 0x9ef533, 0x9f6387, 0x9fd229, 0xa04117,
    0xa0b052, 0xa11fda, 0xa18faf, 0xa1ffd2, 0xa27044, 0xa2e103, 0xa35210, 0xa3c36c, 0xa43516, 0xa4a710, 0xa51958, 0xa58bf0, 0xa5fed7, 0xa6720e,
    0xa6e595, 0xa7596d, 0xa7cd94, 0xa8420c, 0xa8b6d6, 0xa92bf0, 0xa9a15b, 0xaa1718, 0xaa8d27, 0xab0387, 0xab7a3a, 0xabf13f, 0xac6897, 0xace042,
    0xad583f, 0xadd090, 0xae4935, 0xaec22d, 0xaf3b79, 0xafb51a, 0xb02f0e, 0xb0a958, 0xb123f6, 0xb19ee9, 0xb21a32, 0xb295d0, 0xb311c5, 0xb38e0f,
    0xb40aaf, 0xb487a6, 0xb504f4, 0xb58298, 0xb60094, 0xb67ee7, 0xb6fd92, 0xb77c95, 0xb7fbf0, 0xb87ba4, 0xb8fbb0, 0xb97c15, 0xb9fcd3, 0xba7dea,
    0xbaff5b, 0xbb8126, 0xbc034b, 0xbc85ca, 0xbd08a4, 0xbd8bd9, 0xbe0f69, 0xbe9354, 0xbf179a, 0xbf9c3d, 0xc0213b, 0xc0a696, 0xc12c4d, 0xc1b261,
    0xc238d3, 0xc2bfa1, 0xc346cd, 0xc3ce57, 0xc4563f, 0xc4de86, 0xc5672b, 0xc5f02e, 0xc67991, 0xc70353, 0xc78d75, 0xc817f7, 0xc8a2d9, 0xc92e1b,
    0xc9b9be, 0xca45c2, 0xcad227, 0xcb5eed, 0xcbec15, 0xcc79a0, 0xcd078c, 0xcd95db, 0xce248d, 0xceb3a1, 0xcf4319, 0xcfd2f5, 0xd06334, 0xd0f3d8,
    0xd184e0, 0xd2164d, 0xd2a81e, 0xd33a55, 0xd3ccf1, 0xd45ff3, 0xd4f35b, 0xd5872a, 0xd61b5e, 0xd6affa, 0xd744fd, 0xd7da68, 0xd8703a, 0xd90674,
    0xd99d16, 0xda3421, 0xdacb95, 0xdb6372, 0xdbfbb8, 0xdc9468, 0xdd2d82, 0xddc706, 0xde60f5, 0xdefb4f, 0xdf9613, 0xe03144, 0xe0ccdf, 0xe168e7,
    0xe2055b, 0xe2a23c, 0xe33f8a, 0xe3dd45, 0xe47b6d, 0xe51a03, 0xe5b907, 0xe6587a, 0xe6f85b, 0xe798ab, 0xe8396b, 0xe8da9a, 0xe97c39, 0xea1e48,
    0xeac0c7, 0xeb63b8, 0xec0719, 0xecaaec, 0xed4f31, 0xedf3e7, 0xee9910, 0xef3eac, 0xefe4ba, 0xf08b3c, 0xf13231, 0xf1d99a, 0xf28178, 0xf329ca,
    0xf3d290, 0xf47bcc, 0xf5257e, 0xf5cfa5, 0xf67a42, 0xf72556, 0xf7d0e0, 0xf87ce1, 0xf9295a, 0xf9d64b, 0xfa83b3, 0xfb3194, 0xfbdfee, 0xfc8ec1,
    0xfd3e0d, 0xfdedd2, 0xfe9e12, 0xff4ecc,};
// clang-format on

std::int32_t floor_level(std::int32_t lod, unsigned bits) { return (lod >> bits) * (1 << bits); }
std::int32_t ceil_level(std::int32_t lod, unsigned bits) { return floor_level(lod + (1 << bits) - 1, bits); }

/// One squared length of LOD-4.
float squared_length(const std::array<float, 3>& d, const std::array<std::uint32_t, 3>& size, unsigned axes,
                     bool non_normalized) {
  float sum = 0;
  for (unsigned k = 0; k < axes; ++k) {
    float m = non_normalized ? d[k] : d[k] * static_cast<float>(size[k]);
    if (std::isnan(m)) m = 0;
    sum = k == 0 ? m * m : sum + m * m;
  }
  return sum;
}

/// LOD-5, trilinear quality: fractions near a whole level snap to it; 256 means only the coarser level.
std::uint32_t snap_fraction(std::uint32_t beta, unsigned quality) {
  if (quality == 2) return beta < 64 ? 0 : beta > 192 ? 256 : beta;
  if (quality == 3) return beta < 96 ? 0 : beta > 160 ? 256 : beta;
  return beta;
}

}  // namespace

std::int32_t log2fx(float x) {
  if (std::isnan(x) || x < 0x1p-126f) return -32768;
  if (std::isinf(x)) return 32768;
  const std::uint32_t bits = base::bits_of(x);
  const std::int32_t exponent = static_cast<std::int32_t>(bits >> 23) - 127;
  const std::uint32_t mantissa = (bits & 0x7fffffu) | 0x800000u;
  const auto above = std::upper_bound(kLog2Thresholds.begin(), kLog2Thresholds.end(), mantissa);
  return 256 * exponent + static_cast<std::int32_t>(above - kLog2Thresholds.begin()) - 1;
}

std::span<const std::uint32_t, 256> log2_thresholds() { return kLog2Thresholds; }

Spread spread_of(const Gradients& gradients, const std::array<std::uint32_t, 3>& size, unsigned axes,
                 bool non_normalized) {
  return {squared_length(gradients.dx, size, axes, non_normalized),
          squared_length(gradients.dy, size, axes, non_normalized)};
}

std::int32_t implicit_lod(float rho_squared) { return (log2fx(rho_squared) + 1) >> 1; }

float anisotropic_rho(const Spread& spread, float ratio) {
  if (!(ratio > 1)) return spread.big();
  const float reduced = spread.big() / (ratio * ratio);
  return reduced > spread.small() ? reduced : spread.small();
}

unsigned probe_count(const Spread& spread, float ratio) {
  if (!(ratio > 1) || spread.big() <= spread.small()) return 1;
  const auto most = static_cast<unsigned>(std::ceil(ratio));
  for (unsigned n = 2; n < most; ++n)
    if (static_cast<float>(n * n) * spread.small() >= spread.big()) return n;
  return most;
}

LodState lod_state(const image::Surface& surface, const image::Sampler& sampler) {
  LodState s;
  s.bias = sampler.lod_bias;
  s.min_lod = sampler.min_lod;
  s.max_lod = sampler.max_lod;
  s.base_mip_level = surface.base_mip_level * 128;  // U4.1
  s.mip_count = static_cast<std::int32_t>(std::min<std::uint32_t>(surface.mip_count, 31));
  s.resource_min_lod =
      surface.resource_min_lod - static_cast<std::int32_t>(std::min<std::uint32_t>(surface.surf_min_lod, 31)) * 256;
  s.preclamp = sampler.preclamp == image::LodPreClamp::Ogl;
  s.min_filter = sampler.min_filter;
  s.mag_filter = sampler.mag_filter;
  s.mip_filter = sampler.mip_filter;
  s.clamp_mag = sampler.lod_clamp_mag;
  s.trilinear_quality = sampler.trilinear_quality;
  return s;
}

LodChoice choose_level(const LodState& s, std::int32_t lod, LodBranch branch) {
  using image::MipFilter;
  const unsigned bits = s.bits;
  const std::int32_t last = s.mip_count * (1 << bits);
  LodChoice c;
  c.unclamped = lod;
  // LOD-5, LOD-6: the printed steps. Min wins over Max.
  if (s.preclamp && branch != LodBranch::Base) lod = std::max(std::min(lod, s.max_lod), s.min_lod);
  c.magnify = lod - s.base_mip_level <= 0;
  const std::int32_t adjusted_max = std::min(s.max_lod, last);
  const std::int32_t adjusted_min = std::max(std::min(s.min_lod, last), s.resource_min_lod);
  c.out_of_bounds = s.resource_min_lod > last;
  c.filter = c.magnify ? s.mag_filter : s.min_filter;
  MipFilter mip = c.magnify && s.clamp_mag == image::LodClampMag::MipNone ? MipFilter::None : s.mip_filter;
  if (branch == LodBranch::State) {
    if (c.magnify || mip == MipFilter::None) lod = 0;
  } else {
    mip = branch == LodBranch::Nearest ? MipFilter::Nearest : MipFilter::None;
  }

  std::int32_t fine = 0;
  std::uint32_t beta = 0;
  if (mip == MipFilter::Linear) {
    lod = std::max(std::min(lod, adjusted_max), adjusted_min);
    fine = lod >> bits;
    beta = static_cast<std::uint32_t>(lod) & ((1u << bits) - 1);
  } else {
    lod = std::max(std::min(lod, ceil_level(adjusted_max, bits)), floor_level(adjusted_min, bits));
    fine = mip == MipFilter::Nearest ? (lod + (1 << (bits - 1)) - 1) >> bits : lod >> bits;  // LOD-7 [C43]
  }
  fine = std::clamp(fine, 0, s.mip_count);
  const std::int32_t coarse = std::min(fine + 1, s.mip_count);
  c.chosen = mip == MipFilter::Linear ? lod : fine * (1 << bits);  // SAM-7 [C48]
  if (coarse == fine) beta = 0;
  if (bits == kLodBits) beta = snap_fraction(beta, s.trilinear_quality);
  c.level = {static_cast<std::uint32_t>(fine), static_cast<std::uint32_t>(coarse)};
  if (beta == 256) {
    c.level[0] = c.level[1];
    beta = 0;
  }
  c.level_count = beta == 0 ? 1 : 2;
  c.beta = beta;
  return c;
}

}  // namespace heddle::texture
