// SPDX-License-Identifier: MIT
#include "machine/sanitizer/memory_watch.hpp"

#include "machine/memory.hpp"

namespace heddle::machine {

WatchedTexels::WatchedTexels(ExecutionContext& context, std::uint32_t index)
    : context_(context),
      watch_(context.checking() ? watch_of(context.thread()) : nullptr),
      next_(context.thread().unit_context().observer),
      index_(index) {
  if (watch_ != nullptr) context_.thread().unit_context().observer = this;
}

WatchedTexels::~WatchedTexels() {
  if (watch_ != nullptr) context_.thread().unit_context().observer = next_;
}

void WatchedTexels::texel(const texture::TexelTouch& t) {
  if (next_ != nullptr) next_->texel(t);
  // A lane that is not active, and a texel without weight, take no part in any result.
  if (!t.weighted || !context_.is_enabled(t.lane)) return;
  if (is_helper(context_.thread(), t.lane + context_.instruction().mask_offset)) return;
  const image::Surface& surface = *t.surface;
  const std::uint8_t* at = surface.is_buffer() ? image::entry_bytes(surface, t.x)
                                               : image::element_bytes(surface, t.level, t.slice, t.x, t.y);
  if (at == nullptr) return;
  if (!surface.is_buffer()) watch_->texel(context_, surface, t.level, t.slice, index_, t.lane);
  watch_->access(context_, {.kind = MemoryKind::Surface, .index = index_, .name = surface.name}, at,
                 surface.info().bytes_per_element(), AccessKind::Read, t.lane);
}

WatchedTarget::WatchedTarget(ExecutionContext& context, const image::Surface* target)
    : context_(context),
      watch_(target != nullptr && context.checking() ? watch_of(context.thread()) : nullptr),
      next_(context.thread().unit_context().observer) {
  if (watch_ != nullptr && !watch_->follows(*target)) watch_ = nullptr;
  if (watch_ != nullptr) context_.thread().unit_context().observer = this;
}

WatchedTarget::~WatchedTarget() {
  if (watch_ != nullptr) context_.thread().unit_context().observer = next_;
}

void WatchedTarget::texel(const texture::TexelTouch& t) {
  if (next_ != nullptr) next_->texel(t);
  if (!t.written) return;
  const std::uint8_t* at = image::element_bytes(*t.surface, t.level, t.slice, t.x, t.y);
  if (at != nullptr) watch_->drawn(context_, at, t.surface->info().bytes_per_element(), t.lane);
}

}  // namespace heddle::machine
