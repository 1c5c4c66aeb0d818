// SPDX-License-Identifier: MIT
// Any view, sampler and query of a footprint: no crash; struct, list and set tell of the same texels; the conservative
// set holds the exact one.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "base/byte_cursor.hpp"
#include "base/half.hpp"
#include "texture/footprint_map.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  base::ByteCursor in({data, size});
  texture::FootprintView view;
  view.dim = 2 + in.u8() % 2;
  for (unsigned k = 0; k < view.dim; ++k) view.size[k] = 1 + in.u16() % (view.dim == 2 ? 40000 : 3000);
  view.levels = 1 + in.u8() % 16;
  texture::FootprintSampler sampler;
  const unsigned flags = in.u16();
  sampler.mag_linear = flags & 1;
  sampler.min_linear = flags & 2;
  sampler.mip = flags & 4 ? image::MipFilter::Linear : image::MipFilter::Nearest;
  sampler.unnormalized = (flags & 0x78) == 0x78;
  sampler.max_anisotropy = in.u8() % 20;
  sampler.bias = static_cast<double>(base::float_from_bits(in.u32()));
  sampler.min_lod = static_cast<double>(base::half_to_float(in.u16()));
  sampler.max_lod = static_cast<double>(base::half_to_float(in.u16()));
  for (auto& mode : sampler.address) mode = static_cast<image::AddressMode>(in.u8() % 8);
  texture::FootprintQuery query;
  for (auto& c : query.coordinate) c = base::float_from_bits(in.u32());
  query.granularity = in.u8() % 18;
  query.coarse = flags & 0x80;
  query.operand = static_cast<texture::FootprintOperand>((flags >> 8) % 3);
  query.lod = base::float_from_bits(in.u32());
  if (flags & 0x1000) query.bias = base::float_from_bits(in.u32());
  if (flags & 0x2000) query.min_lod = base::float_from_bits(in.u32());
  for (unsigned k = 0; k < view.dim; ++k) {
    query.gradients.dx[k] = base::float_from_bits(in.u32());
    query.gradients.dy[k] = base::float_from_bits(in.u32());
  }
  if (flags & 0x400)
    for (auto& offset : query.offset) offset = static_cast<std::int32_t>(in.u32());
  texture::FootprintOptions options;
  options.mode = flags & 0x4000 ? texture::FootprintMode::Extended : texture::FootprintMode::Lenient;
  options.conservative = flags & 0x8000;
  options.sub_texel_bits = 1 + in.u8() % 16;
  options.mipmap_bits = 1 + in.u8() % 16;

  const auto set = texture::footprint_set(view, sampler, query, options, true);
  const auto one = texture::footprint(view, sampler, query, options);
  const auto list = texture::footprint_list(view, sampler, query, options);
  if (!set.ok()) return 0;
  if (one.ok() && (one->mask != 0) == set->texels.empty()) std::abort();
  if (list.ok() && list->footprints.empty() != set->texels.empty()) std::abort();
  if (set->groups.size() > set->texels.size()) std::abort();
  for (const auto& t : set->texels)
    for (unsigned k = 0; k < view.dim; ++k)
      if (t[k] >= (view.size[k] >> set->lod ? view.size[k] >> set->lod : 1)) std::abort();
  if (!options.conservative) return 0;
  options.conservative = false;
  const auto exact = texture::footprint_set(view, sampler, query, options, true);
  if (!exact.ok() || exact->lod != set->lod) return 0;
  for (const auto& t : exact->texels)
    if (std::ranges::find(set->texels, t) == set->texels.end()) std::abort();
  return 0;
}
