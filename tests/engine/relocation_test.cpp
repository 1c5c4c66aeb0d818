// SPDX-License-Identifier: MIT
// Relocations of both processors, whichever this is. Expected words: Arm's manual of the instructions (ADRP, LDR, B,
// BL, TBZ, CBZ) and the ABIs of ELF.
#include "engine/jit/cache/relocation.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace heddle::engine::jit {
namespace {

constexpr std::uint64_t kHere = 0x7f0000001ff0, kFar = std::uint64_t{1} << 40;

/// The word after a relocation; 0: it was refused.
std::uint32_t word_after(Machine machine, std::uint64_t kind, std::uint32_t word, std::uint64_t value) {
  std::uint8_t place[8] = {};
  std::memcpy(place, &word, 4);
  if (!relocate(machine, kind, place, kHere, value)) return 0;
  std::memcpy(&word, place, 4);
  return word;
}
std::uint32_t arm_word(std::uint64_t kind, std::uint32_t word, std::uint64_t value) {
  return word_after(Machine::Arm64, kind, word, value);
}

}  // namespace

TEST(Relocation, ArmPages) {
  constexpr std::uint32_t kAdrp = 0x90000010;                                           // adrp x16
  EXPECT_EQ(arm_word(R_AARCH64_ADR_PREL_PG_HI21, kAdrp, 0x7f0000001000), kAdrp);        // its own page
  EXPECT_EQ(arm_word(R_AARCH64_ADR_PREL_PG_HI21, kAdrp, 0x7f0000002abc), 0xb0000010u);  // the next: bits 29, 30
  EXPECT_EQ(arm_word(R_AARCH64_ADR_PREL_PG_HI21, kAdrp, 0x7f0000005000), 0x90000030u);  // four on: bits 5 to 23
  EXPECT_EQ(arm_word(R_AARCH64_ADR_PREL_PG_HI21, kAdrp, 0x7f0000000ff8), 0xf0fffff0u);  // the one before
  EXPECT_EQ(arm_word(R_AARCH64_ADR_PREL_PG_HI21, kAdrp, kHere + (std::uint64_t{1} << 33)), 0u);  // too far: 4 GiB
  EXPECT_EQ(arm_word(R_AARCH64_ADR_PREL_LO21, 0x10000000, kHere + 5), 0x30000020u);
}

TEST(Relocation, ArmPlacesInPages) {
  EXPECT_EQ(arm_word(R_AARCH64_ADD_ABS_LO12_NC, 0x91000210, 0x7f0000002abc), 0x912af210u);
  EXPECT_EQ(arm_word(R_AARCH64_LDST8_ABS_LO12_NC, 0x39400210, 0x7f0000002abd), 0x396af610u);
  EXPECT_EQ(arm_word(R_AARCH64_LDST16_ABS_LO12_NC, 0x79400210, 0x7f0000002006), 0x79400e10u);
  EXPECT_EQ(arm_word(R_AARCH64_LDST32_ABS_LO12_NC, 0xb9400210, 0x7f000000200c), 0xb9400e10u);
  EXPECT_EQ(arm_word(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400210, 0x7f0000002018), 0xf9400e10u);
  EXPECT_EQ(arm_word(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00200, 0x7f0000002030), 0x3dc00e00u);
  EXPECT_EQ(arm_word(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400210, 0x7f000000201c), 0u);  // no multiple of 8
}

TEST(Relocation, ArmBranches) {
  EXPECT_EQ(arm_word(R_AARCH64_CALL26, 0x94000000, kHere + 4), 0x94000001u);
  EXPECT_EQ(arm_word(R_AARCH64_JUMP26, 0x14000000, kHere - 4), 0x17ffffffu);
  EXPECT_EQ(arm_word(R_AARCH64_CALL26, 0x94000000, kHere + (1 << 27) - 4), 0x95ffffffu);
  EXPECT_EQ(arm_word(R_AARCH64_CALL26, 0x94000000, kHere + (1 << 27)), 0u);
  EXPECT_EQ(arm_word(R_AARCH64_CALL26, 0x94000000, kHere + 2), 0u);
  EXPECT_EQ(arm_word(R_AARCH64_CONDBR19, 0xb4000010, kHere + 8), 0xb4000050u);
  EXPECT_EQ(arm_word(R_AARCH64_TSTBR14, 0x36000010, kHere - 8), 0x3607ffd0u);
}

TEST(Relocation, AddressesAndDistances) {
  const std::uint64_t value = kHere + 0x123456789;
  std::uint64_t word = 0;
  for (const auto& [machine, absolute, distance] :
       {std::tuple{Machine::X86_64, R_X86_64_64, R_X86_64_PC64}, {Machine::Arm64, R_AARCH64_ABS64, R_AARCH64_PREL64}}) {
    std::uint8_t place[8] = {};
    EXPECT_EQ(relocation_kind(machine, static_cast<std::uint64_t>(absolute)).bytes, 8);
    ASSERT_TRUE(relocate(machine, static_cast<std::uint64_t>(absolute), place, kHere, value));
    std::memcpy(&word, place, 8);
    EXPECT_EQ(word, value);
    ASSERT_TRUE(relocate(machine, static_cast<std::uint64_t>(distance), place, kHere, value));
    std::memcpy(&word, place, 8);
    EXPECT_EQ(word, 0x123456789u);
  }
  for (const auto& [machine, kind] : {std::pair{Machine::X86_64, R_X86_64_PLT32}, {Machine::Arm64, R_AARCH64_PREL32}}) {
    EXPECT_EQ(word_after(machine, static_cast<std::uint64_t>(kind), 7, kHere - 16), 0xfffffff0u);
    EXPECT_EQ(word_after(machine, static_cast<std::uint64_t>(kind), 7, kHere + kFar), 0u);
  }
}

TEST(Relocation, KindsThatAreNotKnown) {
  EXPECT_EQ(relocation_kind(Machine::X86_64, R_X86_64_TPOFF32).bytes, 0);
  EXPECT_EQ(relocation_kind(Machine::Arm64, R_AARCH64_TLSLE_ADD_TPREL_LO12).bytes, 0);
  EXPECT_TRUE(relocation_kind(Machine::X86_64, R_X86_64_GOTPCREL).through_table);
  EXPECT_TRUE(relocation_kind(Machine::Arm64, R_AARCH64_ADR_GOT_PAGE).through_table);
}

TEST(Relocation, JumpsThroughTheTable) {
  std::uint8_t stub[kStubBytes] = {};
  write_stub(Machine::X86_64, stub, 0x1000, 0x2008);
  const std::uint8_t x86[] = {0xff, 0x25, 0x02, 0x10, 0x00, 0x00};  // jmp *0x1002(%rip), from 0x1006
  EXPECT_EQ(std::memcmp(stub, x86, sizeof x86), 0);
  write_stub(Machine::Arm64, stub, 0x1000, 0x2008);
  const std::uint32_t arm[] = {0xb0000010, 0xf9400610, 0xd61f0200};  // adrp x16; ldr x16, [x16, 8]; br x16
  EXPECT_EQ(std::memcmp(stub, arm, sizeof arm), 0);
}

}  // namespace heddle::engine::jit
