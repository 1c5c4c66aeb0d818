// SPDX-License-Identifier: MIT
#include "texture/sampler_record.hpp"

#include <bit>

#include "texture/footprint.hpp"

namespace heddle::texture::sampler_record {

Record record(const image::Sampler& sampler) {
  const FootprintSampler f = footprint_sampler(sampler);
  Record r{};
  r[kFlags] = (f.mag_linear ? kMagLinear : 0) | (f.min_linear ? kMinLinear : 0) |
              static_cast<std::uint32_t>(f.mip) << kMipShift | (f.unnormalized ? kUnnormalized : 0) |
              (f.max_anisotropy > 1 ? kAnisotropic : 0) | (sampler.disable ? kDisabled : 0);
  for (unsigned k = 0; k < 3; ++k) r[kFlags] |= static_cast<std::uint32_t>(f.address[k]) << (kAddressShift + 3 * k);
  const auto put = [&r](unsigned at, double value) { r[at] = std::bit_cast<std::uint32_t>(static_cast<float>(value)); };
  put(kBias, f.bias);
  put(kMinLod, f.min_lod);
  put(kMaxLod, f.max_lod);
  put(kMaxAnisotropy, f.max_anisotropy);
  return r;
}

}  // namespace heddle::texture::sampler_record
