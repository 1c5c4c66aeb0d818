// SPDX-License-Identifier: MIT
#pragma once
// Who watches a run: traces, coverage, counts. Without an observer nothing is collected and nothing costs time.

#include <cstdint>

#include "machine/races.hpp"
#include "texture/context.hpp"

namespace heddle::machine {

class ExecutionContext;
class Thread;
struct Decoded;
struct MemoryTarget;
struct Operand;

enum class MemoryKind : std::uint8_t { Surface, Shared, Scratch, Flat };

struct MemoryAccess {
  MemoryKind kind = MemoryKind::Surface;
  bool write = false, atomic = false;
  std::uint32_t lane = 0;
  std::uint32_t surface = 0;  ///< binding-table index
  std::uint64_t address = 0;  ///< byte offset in the surface, or the 64-bit address
  std::uint32_t bytes = 0;
};

/// Texels that the answer of a footprint query names: a rectangle of one level and slice. Nothing is read (FP-23).
struct FootprintTouch {
  const image::Surface* surface = nullptr;
  std::uint32_t level = 0;                            ///< absolute
  std::uint32_t slice = 0;                            ///< stored 2D slice, or z of a 3D level
  std::uint32_t x = 0, y = 0, width = 0, height = 0;  ///< texels; within the level
  std::uint32_t lane = 0;
};

/// Called from the threads that run the program; one observer may serve several of them only if it locks.
class Observer {
 public:
  virtual ~Observer() = default;
  /// After an instruction was executed for `lanes` (bit k = lane k of the thread).
  virtual void instruction(const Thread&, const Decoded&, std::uint32_t /*lanes*/) {}
  virtual void memory(const Thread&, const Decoded&, const MemoryAccess&) {}
  virtual void texel(const texture::TexelTouch&) {}
  virtual void footprint(const FootprintTouch&) {}  ///< to those that want texels
  /// Bytes of a raw operand were written: the result of a message, by lanes or whole.
  virtual void raw_result(const Thread&, const Decoded&, const Operand&, std::uint32_t /*at*/, std::uint32_t /*size*/) {
  }
  virtual void barrier(const Thread&, std::uint32_t /*id*/) {}
  /// Asked once, when a thread starts. False: instruction(), memory() ... are not wanted; each call costs time.
  [[nodiscard]] virtual bool wants_instructions() const { return true; }
  [[nodiscard]] virtual bool wants_memory() const { return true; }
  [[nodiscard]] virtual bool wants_texels() const { return true; }
  [[nodiscard]] virtual bool wants_raw_results() const { return false; }
};

/// The interface of an observer of memory that outlives a run: what was written before, and by which command. Only a
/// driver has one.
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

}  // namespace heddle::machine
