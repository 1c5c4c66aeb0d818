// SPDX-License-Identifier: MIT
// Rules: OM-4 to OM-6, OM-24.
#include "explore/recording/failed_test.hpp"

#include <algorithm>
#include <array>

#include "base/half.hpp"
#include "render_target/reference/output_merger.hpp"

namespace heddle::explore {
namespace {

std::uint32_t slice_at(const image::Surface& surface, const FragmentPlace& at) {
  return render_target::target_slice(surface, at.header.layer) * surface.cells() * surface.samples + at.sample;
}

/// The texel of a depth or stencil surface.
image::Texel stored_at(const image::Surface& surface, const FragmentPlace& at) {
  return image::fetch(surface, surface.rt_level, slice_at(surface, at), at.x, at.y).texel;
}

/// A depth as the surface would store it.
float as_stored(const image::Surface& surface, float depth) {
  std::array<std::uint8_t, 16> element{};
  image::Texel texel;
  texel.set(0, depth);
  image::encode_texel(surface.info(), texel, element.data());
  return image::decode_texel(surface.info(), element.data()).f(0);
}

/// OM-6: clamped to the viewport's range.
float clamped(const image::OutputState& output, const FragmentPlace& at) {
  const auto& range =
      at.header.viewport < output.viewport_count ? output.viewports[at.header.viewport & 15] : output.depth_range;
  return at.depth < range[0] ? range[0] : at.depth > range[1] ? range[1] : at.depth;
}

bool changes(const image::OutputState& output, const image::StencilFace& face) {
  using enum image::StencilOp;
  return output.stencil_write && (face.fail_op != Keep || face.zfail_op != Keep || face.pass_op != Keep);
}

}  // namespace

FailedTest find_failed_test(const machine::PixelState& state, const FragmentPlace& at) {
  const image::OutputState& output = state.output;
  FailedTest failed;
  if (at.late && output.alpha_test && output.alpha_format == image::AlphaFormat::Float32 &&
      !render_target::compare_values(output.alpha_func, at.alpha, output.alpha_ref)) {  // OM-4
    failed.reason = Reason::AlphaTest;
    return failed;
  }
  float stored = 0;
  if (state.depth) {
    stored = stored_at(*state.depth, at).f(0);
    failed.stored = base::bits_of(stored);
    failed.slice = slice_at(*state.depth, at);
    failed.own = base::bits_of(as_stored(*state.depth, clamped(output, at)));
    if (output.depth_bounds_test && (stored < output.depth_bounds[0] || stored > output.depth_bounds[1])) {  // OM-24
      failed.reason = Reason::DepthBounds;
      return failed;
    }
  }
  const bool depth_fails =
      state.depth && output.depth_test &&
      !render_target::compare_values(output.depth_func, as_stored(*state.depth, clamped(output, at)), stored);
  if (state.stencil && output.stencil_test) {  // OM-5
    const image::StencilFace& face = output.double_sided && at.header.back ? output.back : output.front;
    const std::uint32_t value = stored_at(*state.stencil, at).bits[0];
    const bool fails = !render_target::compare_values(face.func, face.ref & face.test_mask, value & face.test_mask);
    if (changes(output, face))
      failed.reason = depth_fails ? Reason::StencilOrDepth : Reason::Stencil;
    else if (fails)
      failed.reason = Reason::Stencil;
    else if (depth_fails)
      failed.reason = Reason::Depth;
    return failed;
  }
  if (depth_fails) failed.reason = Reason::Depth;
  return failed;
}

}  // namespace heddle::explore
