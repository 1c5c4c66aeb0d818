#pragma once
// The interface of an observer of memory that outlives a run: what was written before, and by which command. Only a
// driver has one.

#include <cstdint>

#include "machine/races.hpp"
#include "texture/context.hpp"

namespace heddle::machine {

class ExecutionContext;
class Thread;
struct MemoryTarget;

class MemoryWatch {
 public:
  virtual ~MemoryWatch() = default;
  /// A lane of the instruction accesses `bytes` bytes of a buffer, of 64-bit memory or of a texel; before it does.
  virtual void access(ExecutionContext& context, const MemoryTarget& target, const std::uint8_t* at,
                      std::uint32_t bytes, AccessKind kind, unsigned lane) = 0;
  /// A texel of the surface at `index` of the binding table is accessed, with or without a sampler.
  virtual void texel(ExecutionContext& context, const image::Surface& surface, std::uint32_t level, std::uint32_t slice,
                     std::uint32_t index, unsigned lane) = 0;
  /// Whether render-target writes report the texels of this surface; those of other surfaces are not followed.
  [[nodiscard]] virtual bool follows(const image::Surface& surface) const = 0;
  /// A lane of a render-target write stores a texel of such a surface.
  virtual void drawn(ExecutionContext& context, const std::uint8_t* at, std::uint32_t bytes, unsigned lane) = 0;
};

/// An observer of a run whose memory is watched.
class Watched {
 public:
  virtual ~Watched() = default;
  [[nodiscard]] virtual MemoryWatch* watch() const = 0;
};

/// Null where the thread's memory is not watched.
[[nodiscard]] MemoryWatch* watch_of(const Thread& thread);

/// Whether the primitive covers no sample of this lane of a pixel thread, or the lane was demoted: nobody sees what it
/// reads (PIX-12).
[[nodiscard]] bool is_helper(const Thread& thread, unsigned lane);

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
