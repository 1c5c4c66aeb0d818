// SPDX-License-Identifier: MIT
#include "heddle/sampler.hpp"

#include <fmt/format.h>

#include <cmath>

#include "image/objects/sampler_text.hpp"
#include "library/image/impl.hpp"

namespace heddle {
namespace {

constexpr std::array<std::string_view, 3> kFilters{"nearest", "linear", "anisotropic"};
constexpr std::array<std::string_view, 3> kMipFilters{"none", "nearest", "linear"};
constexpr std::array<std::string_view, 5> kAddressModes{"repeat", "mirrored_repeat", "clamp_to_edge", "clamp_to_border",
                                                        "mirror_clamp_to_edge"};
constexpr std::array<std::string_view, 8> kCompareOps{
    "never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal", "always"};

template <typename Words, typename Value>
std::string_view word(const Words& words, Value value) {
  const auto index = static_cast<std::size_t>(value);
  return index < words.size() ? words[index] : "?";
}

/// A number as the sampler's words have it: those without a decimal form as their bits.
std::string number(float value) {
  return std::isfinite(value) ? fmt::to_string(value) : fmt::format("{:#x}", __builtin_bit_cast(std::uint32_t, value));
}

}  // namespace

Sampler::Sampler() : impl_(std::make_shared<Impl>()) {}

Result<Sampler> Sampler::parse(std::string_view words) {
  return library::map(image::parse_sampler(words), [](image::SamplerMembers&& members) {
    return Sampler(std::make_shared<Impl>(Impl{std::move(members)}));
  });
}

Result<Sampler> Sampler::create(const SamplerOptions& o) {
  std::string text = fmt::format("min={},mag={},mip={},address={}:{}:{},lod_bias={},min_lod={},max_lod={}",
                                 word(kFilters, o.min), word(kFilters, o.mag), word(kMipFilters, o.mip),
                                 word(kAddressModes, o.address[0]), word(kAddressModes, o.address[1]),
                                 word(kAddressModes, o.address[2]), o.lod_bias, o.min_lod, o.max_lod);
  if (o.min == Filter::Anisotropic || o.mag == Filter::Anisotropic)
    text += fmt::format(",max_anisotropy={}", o.max_anisotropy);
  if (o.border != std::array<float, 4>{})
    text += fmt::format(",border={}:{}:{}:{}", number(o.border[0]), number(o.border[1]), number(o.border[2]),
                        number(o.border[3]));
  if (o.compare) text += fmt::format(",compare_op={}", word(kCompareOps, *o.compare));
  if (o.reduction != Reduction::WeightedAverage)
    text += o.reduction == Reduction::Min ? ",reduction=minimum" : ",reduction=maximum";
  if (o.unnormalized) text += ",unnormalized";
  if (!o.seamless_cube) text += ",seamless_cube=false";
  return parse(text);
}

bool Sampler::unnormalized() const { return impl_->members.sampler.non_normalized; }

namespace library {

image::Sampler sampler_for(const Sampler& sampler, const image::Surface& surface) {
  const image::SamplerMembers& members = sampler.impl()->members;
  image::Sampler state = members.sampler;
  if (members.integer_border && surface.info().value_class != image::ValueClass::Float)
    state.border = *members.integer_border;
  if (surface.type == image::SurfaceType::Cube) state.cube_override = members.seamless_cube.value_or(true);
  return state;
}

}  // namespace library
}  // namespace heddle
