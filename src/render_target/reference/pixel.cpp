// SPDX-License-Identifier: MIT
#include "base/half.hpp"
#include "render_target/render_target.hpp"

namespace heddle::render_target {

void write_pixel(image::Surface& target, std::uint32_t x, std::uint32_t y, const std::array<float, 4>& rgba,
                 const image::OutputState& state, OperationContext* context) {
  RenderTargetMessage message;
  message.active = message.header.enables = 1u
                                            << ((x & 1) | (y & 1) << 1);  // RTW-5: the slot of the pixel in its subspan
  message.header.x[0] = x & ~1u;
  message.header.y[0] = y & ~1u;
  message.last = true;
  message.r = RenderTargetMessage::filled(base::bits_of(rgba[0]));
  message.g = RenderTargetMessage::filled(base::bits_of(rgba[1]));
  message.b = RenderTargetMessage::filled(base::bits_of(rgba[2]));
  message.a = RenderTargetMessage::filled(base::bits_of(rgba[3]));
  OutputTargets targets;
  targets.color.push_back(&target);
  OperationContext own;
  write_render_target(context != nullptr ? *context : own, targets, state, message);
}

}  // namespace heddle::render_target
