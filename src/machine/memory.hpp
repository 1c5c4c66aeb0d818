// SPDX-License-Identifier: MIT
#pragma once
// Bytes behind surfaces, shared local memory, scratch and 64-bit addresses: bounds, alignment, races, observers in one
// place. Out of range a read gives 0 and a write is dropped (run-surface-bounds); both are
// reported.

#include <cstdint>
#include <optional>
#include <string_view>

#include "machine/execution_context.hpp"

namespace heddle::machine {

/// The name of the surface with the records that a stage writes and the one behind it reads. While a run is checked, as
/// many bytes follow them: those of dwords that the shader did not write are not 0.
inline constexpr std::string_view kVertexRecords = "vertex outputs";
/// How many vertices each invocation of a stage emitted: as records, the place of a later one's.
inline constexpr std::string_view kVertexCounts = "vertex counts";

/// Numbers of surfaces in findings and for observers: indices in the binding table are plain, the handle of a surface
/// that %bss names has this bit set as well.
inline constexpr std::uint32_t kByHandle = 1u << 31;

/// What a message accesses.
struct MemoryTarget {
  MemoryKind kind = MemoryKind::Surface;
  std::uint8_t* data = nullptr;
  std::uint64_t size = 0;
  std::uint32_t index = 0;  ///< binding-table index, or kByHandle and a handle
  std::string_view name;
};
/// "b", or what else is known of it.
[[nodiscard]] std::string_view name_of(const MemoryTarget& target);

/// The number of an operand's surface; nothing where nothing says which one it is.
[[nodiscard]] std::optional<std::uint32_t> surface_number(ExecutionContext& context, const Operand& operand);

/// The bytes of a surface operand: a buffer, %slm, %scratch, or the packed bytes of an image. Nothing after a refusal.
[[nodiscard]] std::optional<MemoryTarget> target_of(ExecutionContext& context, const Operand& surface);
/// By binding-table index (LSC): 254 is SLM, 255 and 253 scratch.
[[nodiscard]] std::optional<MemoryTarget> target_of_index(ExecutionContext& context, std::uint32_t index,
                                                          const Operand* operand);
[[nodiscard]] MemoryTarget bytes_of(const image::Surface& surface, std::uint32_t index);
[[nodiscard]] MemoryTarget shared_memory(ExecutionContext& context);
[[nodiscard]] MemoryTarget scratch_memory(ExecutionContext& context);
/// The kernel's arguments, as the dispatch laid them into the payload (LSC "arg"); to be read only.
[[nodiscard]] MemoryTarget argument_memory(ExecutionContext& context);
[[nodiscard]] inline MemoryTarget flat_memory() { return {MemoryKind::Flat, nullptr, 0, 0, "memory"}; }

/// One access of `bytes` bytes for a lane. `alignment` 1 = any; a misaligned address is reported and rounded down.
void load(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes, void* out,
          unsigned lane, unsigned alignment = 1);
void store(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes,
           const void* data, unsigned lane, unsigned alignment = 1);

/// DWORD_ATOMIC's operations, then those that only LSC or raw messages have.
enum class AtomicOp : std::uint8_t {
  Add = 0,
  Sub,
  Inc,
  Dec,
  Min,
  Max,
  Xchg,
  CmpXchg,
  And,
  Or,
  Xor,
  IMin,
  IMax,
  PreDec,
  FMax = 0x10,
  FMin,
  FCmpWr,
  FAdd,
  FSub,
  Load = 0x20,
  Store,
  RevSub,
  BfAdd,  ///< of two bytes: BF
  BfSub,
  BfMin,
  BfMax,
  BfCmpWr,
};
/// Read-modify-write of 2, 4 or 8 bytes; returns what the instruction returns (the old value; the new one for predec).
/// CmpXchg stores src0 where old == src1; FCmpWr and BfCmpWr store src1 where old == src0.
[[nodiscard]] std::uint64_t atomic(ExecutionContext& context, const MemoryTarget& target, AtomicOp op,
                                   std::uint64_t address, unsigned bytes, std::uint64_t src0, std::uint64_t src1,
                                   unsigned lane);
/// Reports what races with an access to bytes of a buffer or an image. Done by load, store and atomic; for texels the
/// caller's. `same_value`: a write that changes nothing.
void watch_access(ExecutionContext& context, const MemoryTarget& target, const std::uint8_t* at, std::uint64_t offset,
                  unsigned bytes, AccessKind kind, unsigned lane, bool same_value = false);
/// Around an atomic operation on such bytes (docs/checks.md: what orders accesses).
void before_atomic(ExecutionContext& context);
void after_atomic(ExecutionContext& context);
/// The same on bytes that the caller has found (a texel).
[[nodiscard]] std::uint64_t atomic_at(std::uint8_t* at, AtomicOp op, unsigned bytes, std::uint64_t src0,
                                      std::uint64_t src1);

}  // namespace heddle::machine
