// SPDX-License-Identifier: MIT
#include "engine/jit/cache/relocation.hpp"

#include <elf.h>

#include <cstring>
#include <limits>

namespace heddle::engine::jit {
namespace {

template <typename T>
void put(std::uint8_t* place, T value) {
  std::memcpy(place, &value, sizeof value);
}

/// False where `distance` has more bits than T.
template <typename T>
bool put_distance(std::uint8_t* place, std::int64_t distance) {
  if (distance > std::numeric_limits<T>::max() || distance < std::numeric_limits<T>::min()) return false;
  put(place, static_cast<T>(distance));
  return true;
}

std::int64_t distance_of(std::uint64_t to, std::uint64_t from) { return static_cast<std::int64_t>(to - from); }

// --- x86-64 ---

RelocationKind x86_kind(std::uint64_t kind) {
  switch (kind) {
    case R_X86_64_64:
    case R_X86_64_PC64:
      return {8, false};
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      return {4, false};
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return {4, true};
    default:
      return {};
  }
}

bool relocate_x86(std::uint64_t kind, std::uint8_t* place, std::uint64_t here, std::uint64_t value) {
  if (kind == R_X86_64_64) return put(place, value), true;
  if (kind == R_X86_64_PC64) return put(place, value - here), true;
  return put_distance<std::int32_t>(place, distance_of(value, here));
}

/// jmp *entry(%rip)
void write_x86_stub(std::uint8_t* stub, std::uint64_t here, std::uint64_t entry) {
  stub[0] = 0xff;
  stub[1] = 0x25;
  put(stub + 2, static_cast<std::int32_t>(distance_of(entry, here + 6)));
}

// --- arm64 ---
// Instructions address in two steps: ADRP the page of 4 KiB, which is the instruction's own unit whatever pages the
// system has, and the next instruction the place in it.

constexpr std::uint64_t page_of(std::uint64_t address) { return address & ~std::uint64_t{0xfff}; }

std::uint32_t word_at(const std::uint8_t* place) {
  std::uint32_t word = 0;
  std::memcpy(&word, place, sizeof word);
  return word;
}

/// `value` in the field of `bits` bits from bit `at` of the instruction.
void put_field(std::uint8_t* place, unsigned at, unsigned bits, std::uint64_t value) {
  const std::uint32_t mask = ((1u << bits) - 1u) << at;
  put(place, (word_at(place) & ~mask) | (static_cast<std::uint32_t>(value << at) & mask));
}

/// A distance in units of 1 << `shift` bytes.
bool put_signed_field(std::uint8_t* place, unsigned at, unsigned bits, std::int64_t distance, unsigned shift) {
  const std::int64_t most = std::int64_t{1} << (bits - 1 + shift);
  if (distance >= most || distance < -most || (distance & ((std::int64_t{1} << shift) - 1)) != 0) return false;
  put_field(place, at, bits, static_cast<std::uint64_t>(distance >> shift));
  return true;
}

/// The two parts that ADR and ADRP have.
bool put_page_distance(std::uint8_t* place, std::int64_t units) {
  if (units >= 1 << 20 || units < -(1 << 20)) return false;
  put_field(place, 29, 2, static_cast<std::uint64_t>(units));
  put_field(place, 5, 19, static_cast<std::uint64_t>(units >> 2));
  return true;
}

/// The place in its page, of what is loaded or stored in units of 1 << `shift` bytes.
bool put_page_offset(std::uint8_t* place, std::uint64_t value, unsigned shift) {
  const std::uint64_t offset = value & 0xfff;
  if ((offset & ((std::uint64_t{1} << shift) - 1)) != 0) return false;
  put_field(place, 10, 12, offset >> shift);
  return true;
}

RelocationKind arm_kind(std::uint64_t kind) {
  switch (kind) {
    case R_AARCH64_ABS64:
    case R_AARCH64_PREL64:
      return {8, false};
    case R_AARCH64_PREL32:
    case R_AARCH64_ADR_PREL_LO21:
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:
    case R_AARCH64_LDST16_ABS_LO12_NC:
    case R_AARCH64_LDST32_ABS_LO12_NC:
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LDST128_ABS_LO12_NC:
    case R_AARCH64_TSTBR14:
    case R_AARCH64_CONDBR19:
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26:
      return {4, false};
    case R_AARCH64_ADR_GOT_PAGE:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return {4, true};
    default:
      return {};
  }
}

bool relocate_arm(std::uint64_t kind, std::uint8_t* place, std::uint64_t here, std::uint64_t value) {
  const std::int64_t distance = distance_of(value, here);
  switch (kind) {
    case R_AARCH64_ABS64:
      return put(place, value), true;
    case R_AARCH64_PREL64:
      return put(place, distance), true;
    case R_AARCH64_PREL32:
      return put_distance<std::int32_t>(place, distance);
    case R_AARCH64_ADR_PREL_LO21:
      return put_page_distance(place, distance);
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE:
      return put_page_distance(place, distance_of(page_of(value), page_of(here)) >> 12);
    case R_AARCH64_LDST16_ABS_LO12_NC:
      return put_page_offset(place, value, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:
      return put_page_offset(place, value, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC:
      return put_page_offset(place, value, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC:
      return put_page_offset(place, value, 4);
    case R_AARCH64_TSTBR14:
      return put_signed_field(place, 5, 14, distance, 2);
    case R_AARCH64_CONDBR19:
      return put_signed_field(place, 5, 19, distance, 2);
    case R_AARCH64_JUMP26:
    case R_AARCH64_CALL26:
      return put_signed_field(place, 0, 26, distance, 2);
    default:  // ADD, bytes
      return put_page_offset(place, value, 0);
  }
}

/// adrp x16, entry; ldr x16, [x16, entry]; br x16
void write_arm_stub(std::uint8_t* stub, std::uint64_t here, std::uint64_t entry) {
  put(stub, std::uint32_t{0x90000010});
  put(stub + 4, std::uint32_t{0xf9400210});
  put(stub + 8, std::uint32_t{0xd61f0200});
  (void)relocate_arm(R_AARCH64_ADR_PREL_PG_HI21, stub, here, entry);  // both lie in one block of memory
  (void)relocate_arm(R_AARCH64_LDST64_ABS_LO12_NC, stub + 4, here + 4, entry);
}

}  // namespace

std::uint16_t elf_machine(Machine machine) { return machine == Machine::X86_64 ? EM_X86_64 : EM_AARCH64; }

void write_stub(Machine machine, std::uint8_t* stub, std::uint64_t here, std::uint64_t entry) {
  (machine == Machine::X86_64 ? write_x86_stub : write_arm_stub)(stub, here, entry);
}

RelocationKind relocation_kind(Machine machine, std::uint64_t kind) {
  return machine == Machine::X86_64 ? x86_kind(kind) : arm_kind(kind);
}

bool relocate(Machine machine, std::uint64_t kind, std::uint8_t* place, std::uint64_t here, std::uint64_t value) {
  return (machine == Machine::X86_64 ? relocate_x86 : relocate_arm)(kind, place, here, value);
}

}  // namespace heddle::engine::jit
