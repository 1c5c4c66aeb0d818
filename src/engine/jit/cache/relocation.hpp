// SPDX-License-Identifier: MIT
#pragma once
// What of a relocatable ELF file depends on the processor: x86-64 and arm64, each as it is laid down in its ABI.

#include <cstddef>
#include <cstdint>

namespace heddle::engine::jit {

enum class Machine : std::uint8_t { X86_64, Arm64 };

/// The one that this program runs on.
#if defined(__aarch64__)
inline constexpr Machine kMachine = Machine::Arm64;
#else
inline constexpr Machine kMachine = Machine::X86_64;
#endif

/// Of the file's header (EM_X86_64 ...).
[[nodiscard]] std::uint16_t elf_machine(Machine machine);

/// Bytes of a jump to a function outside, and of the place that each begins at a multiple of.
inline constexpr std::size_t kStubBytes = 16;
/// A jump, which runs at `here`, to the address that stands at `entry`, a multiple of 8.
void write_stub(Machine machine, std::uint8_t* stub, std::uint64_t here, std::uint64_t entry);

/// What a relocation writes: the distance to its symbol or to a table's entry with the symbol's address, or an address.
struct RelocationKind {
  std::uint8_t bytes = 0;      ///< that it changes; 0: it is not known
  bool through_table = false;  ///< the symbol's address stands in a table
};
[[nodiscard]] RelocationKind relocation_kind(Machine machine, std::uint64_t kind);
/// `place` has the bytes that run at `here`; `value` is the symbol with the addend. False where it is too far away.
[[nodiscard]] bool relocate(Machine machine, std::uint64_t kind, std::uint8_t* place, std::uint64_t here,
                            std::uint64_t value);

}  // namespace heddle::engine::jit
