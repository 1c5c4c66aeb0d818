// SPDX-License-Identifier: MIT
#include "texture/touches.hpp"

#include <atomic>

namespace heddle::texture {
namespace {

std::atomic<TouchSink*>& sink() {
  static std::atomic<TouchSink*> one = nullptr;
  return one;
}

}  // namespace

TouchSink* touch_sink() { return sink().load(std::memory_order_acquire); }
void set_touch_sink(TouchSink* to) { sink().store(to, std::memory_order_release); }

TouchSink::Kind touch_kind(const image::Surface& surface) {
  TouchSink* const one = touch_sink();
  return one == nullptr ? TouchSink::Kind::None : one->kind_of(surface);
}

}  // namespace heddle::texture
