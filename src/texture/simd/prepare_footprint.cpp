// SPDX-License-Identifier: MIT
// From view and footprint sampler to the functions' state, and the way back to footprint().

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "base/half.hpp"
#include "texture/simd/log2_table.hpp"
#include "texture/simd/prepared_footprint.hpp"

namespace heddle::texture::simd {

static_assert(std::has_unique_object_representations_v<FootprintStaticState>,
              "the bytes of FootprintStaticState are a key");

namespace {

constexpr std::uint32_t kMaxSize = 1u << 20;  // sizes as binary32 with 256 parts

/// FC13, as the reference rounds state.
std::int32_t fixed_point(double x) {
  if (std::isnan(x)) return 0;
  return static_cast<std::int32_t>(std::nearbyint(std::clamp(x, -4096.0, 4096.0) * 256.0));
}

bool set_state(const FootprintView& view, const FootprintSampler& sampler, const FootprintShape& shape,
               const FootprintOptions& options, FootprintStaticState& f, FootprintDynamicState& v) {
  if (view.dim != 2 && view.dim != 3) return false;
  if (options.sub_texel_bits != 8 || options.mipmap_bits != 8 || options.weighted_only || options.conservative)
    return false;
  if (sampler.unnormalized || !(sampler.min_lod <= sampler.max_lod) || view.levels < 1 || view.levels > 16)
    return false;
  const bool lod = shape.operand == FootprintOperand::Lod, grad = shape.operand == FootprintOperand::Grad;
  if ((lod && (shape.bias || shape.min_lod)) || (grad && (shape.bias || view.dim == 3))) return false;  // R19
  if (!lod && view.dim == 2 && sampler.max_anisotropy > 1) return false;
  for (unsigned k = 0; k < view.dim; ++k) {
    if (sampler.address[k] != image::AddressMode::Clamp || view.size[k] < 1 || view.size[k] > kMaxSize) return false;
    v.size[k] = static_cast<std::int32_t>(view.size[k]);
  }
  f.dim = static_cast<std::uint8_t>(view.dim);
  f.source = lod ? FootprintSource::Lod : grad ? FootprintSource::Gradient : FootprintSource::Derivatives;
  f.bias = shape.bias;
  f.min_lod = shape.min_lod;
  f.offset = shape.offset;
  f.linear_mag = sampler.mag_linear;
  f.linear_min = sampler.min_linear;
  f.mip = sampler.mip;
  v.levels = static_cast<std::int32_t>(view.levels);
  v.bias = fixed_point(sampler.bias);
  v.most_bias = std::abs(fixed_point(options.max_lod_bias));
  v.min_lod = fixed_point(sampler.min_lod);
  v.max_lod = fixed_point(sampler.max_lod);
  v.base_level = options.absolute_lod ? view.base_level : 0;
  v.log2 = log2_table();
  for (std::uint32_t g = 0; g < 16; ++g) {
    v.group[g] = ~0u;
    const auto size = granularity_size(view.dim, g);
    if (!size) continue;
    v.group[g] = 0;
    for (unsigned k = 0; k < view.dim; ++k)
      v.group[g] |= static_cast<std::uint32_t>(std::countr_zero((*size)[k])) << (8 * k);
  }
  return true;
}

}  // namespace

std::unique_ptr<PreparedFootprint> prepare_footprint(const FootprintView& view, const FootprintSampler& sampler,
                                                     const FootprintShape& shape, const FootprintOptions& options) {
  auto out = std::make_unique<PreparedFootprint>();
  out->view = view;
  out->sampler = sampler;
  out->options = options;
  out->dynamic_state.fallback = query_reference;
  out->bind();
  out->static_state.fast = set_state(view, sampler, shape, options, out->static_state, out->dynamic_state);
  // What the fallback has to know of the lanes too.
  out->static_state.source = shape.operand == FootprintOperand::Lod    ? FootprintSource::Lod
                             : shape.operand == FootprintOperand::Grad ? FootprintSource::Gradient
                                                                       : FootprintSource::Derivatives;
  return out;
}

void query_reference(const FootprintDynamicState* dynamic_state, const FootprintInputs* in, std::uint32_t width,
                     std::uint32_t mask, std::uint32_t* out, void* thread) {
  const auto& prepared = *static_cast<const PreparedFootprint*>(dynamic_state->owner);
  auto* diagnostics = static_cast<base::Diagnostics*>(thread);
  const unsigned dim = prepared.view.dim == 3 ? 3 : 2;
  const auto value = [](const std::uint32_t* from, std::uint32_t lane) {
    return from != nullptr ? base::float_from_bits(from[lane]) : 0.0f;
  };
  for (std::uint32_t lane = 0; lane < width; ++lane) {
    if (!(mask >> lane & 1u)) continue;
    FootprintQuery q;
    q.granularity = in->granularity != nullptr ? in->granularity[lane] : 0;
    q.coarse = in->coarse != nullptr && in->coarse[lane] != 0;
    q.operand = prepared.static_state.source == FootprintSource::Lod        ? FootprintOperand::Lod
                : prepared.static_state.source == FootprintSource::Gradient ? FootprintOperand::Grad
                                                                            : FootprintOperand::Derivatives;
    q.lod = value(in->lod, lane);
    if (in->bias != nullptr) q.bias = value(in->bias, lane);
    if (in->min_lod != nullptr) q.min_lod = value(in->min_lod, lane);
    for (unsigned k = 0; k < dim; ++k) {
      q.coordinate[k] = value(in->coordinate[k], lane);
      q.offset[k] = in->offset[k] != nullptr ? static_cast<std::int32_t>(in->offset[k][lane]) : 0;
      if (prepared.static_state.source == FootprintSource::Gradient) {
        q.gradients.dx[k] = value(in->dx[k], lane);
        q.gradients.dy[k] = value(in->dy[k], lane);
      } else if (prepared.static_state.source == FootprintSource::Derivatives) {  // LOD-2, EXE-5
        const float upper_left = value(in->coordinate[k], lane & ~3u);
        q.gradients.dx[k] = value(in->coordinate[k], (lane & ~3u) + 1) - upper_left;
        q.gradients.dy[k] = value(in->coordinate[k], (lane & ~3u) + 2) - upper_left;
      }
    }
    base::Diagnostics warnings;
    const auto answer = footprint(prepared.view, prepared.sampler, q, prepared.options, &warnings);
    if (diagnostics != nullptr) {
      for (const base::Diagnostic& d : warnings.all()) diagnostics->add(d);
      if (!answer.ok())
        for (const base::Diagnostic& d : answer.diagnostics()) diagnostics->add(d);
    }
    const Footprint f = answer.ok() ? *answer : Footprint{};  // FC11
    unsigned member = 0;
    const auto store = [&](std::uint32_t word) { out[member++ * width + lane] = word; };
    store(f.single ? 1 : 0);
    for (unsigned k = 0; k < dim; ++k) store(f.anchor[k]);
    for (unsigned k = 0; k < dim; ++k) store(f.offset[k]);
    store(static_cast<std::uint32_t>(f.mask));
    store(static_cast<std::uint32_t>(f.mask >> 32));
    store(f.lod);
    store(f.granularity);
  }
}

}  // namespace heddle::texture::simd
