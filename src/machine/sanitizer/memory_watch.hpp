// SPDX-License-Identifier: MIT
#pragma once
// The texels that the texture unit reads and a render target stores, passed to the thread's MemoryWatch.

#include <cstdint>

#include "machine/observer.hpp"
#include "texture/context.hpp"

namespace heddle::machine {

/// While it lives, it passes the texels that the texture unit reads for the instruction to the thread's MemoryWatch.
class WatchedTexels final : public texture::TexelObserver {
 public:
  /// `index`: of the surface in the binding table.
  WatchedTexels(ExecutionContext& context, std::uint32_t index);
  ~WatchedTexels() override;
  WatchedTexels(const WatchedTexels&) = delete;
  WatchedTexels& operator=(const WatchedTexels&) = delete;
  void texel(const texture::TexelTouch& touch) override;

 private:
  ExecutionContext& context_;
  MemoryWatch* watch_;
  texture::TexelObserver* next_;
  const std::uint32_t index_;
};

/// While it lives, it passes the texels that a render-target write stores to the thread's MemoryWatch.
class WatchedTarget final : public texture::TexelObserver {
 public:
  /// `target`: may be null.
  WatchedTarget(ExecutionContext& context, const image::Surface* target);
  ~WatchedTarget() override;
  WatchedTarget(const WatchedTarget&) = delete;
  WatchedTarget& operator=(const WatchedTarget&) = delete;
  void texel(const texture::TexelTouch& touch) override;

 private:
  ExecutionContext& context_;
  MemoryWatch* watch_;
  texture::TexelObserver* next_;
};

}  // namespace heddle::machine
