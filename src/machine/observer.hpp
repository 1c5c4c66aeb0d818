#pragma once
// Who watches a run: traces, coverage, counts. Without an observer nothing is collected and nothing costs time.

#include <cstdint>

#include "texture/context.hpp"

namespace heddle::machine {

class Thread;
struct Decoded;
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

}  // namespace heddle::machine
