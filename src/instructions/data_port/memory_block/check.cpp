// SPDX-License-Identifier: MIT
// oword and media block messages: visa-oword-*, visa-media-*.
#include <fmt/format.h>

#include <bit>

#include "instructions/data_port/memory_check.hpp"

namespace heddle::instructions::memory_block {
namespace {

using isa::Operand;
using isa::Platform;
using isa::PlatformSet;

void check_oword(Check& check) {
  const isa::InstructionDescription& description = check.description();
  const Operand* surface = check.operand("surface");
  const bool slm = Check::is_surface(surface, kSlm);
  // visa-oword-size
  if (const Operand* size = check.operand("size"); size != nullptr && size->value > 3) {
    if (size->value > 4 || !slm)
      check.error(
          "visa-oword-size", size,
          size->value > 4 ? fmt::format("size code {} means nothing", size->value) : "16 owords are for %slm only");
    else
      check.error("visa-oword-size", size, "16 owords came with XeHP_SDV", PlatformSet::before(Platform::XeHP_SDV));
  }
  if (const Operand* modified = check.operand("modified"); modified != nullptr && modified->value != 0)
    check.warning("visa-oword-size", modified,
                  fmt::format("the modified form of {} is a leftover", description.mnemonic));
  // visa-oword-slm
  if (slm)
    check.error("visa-oword-slm", surface, fmt::format("{} of %slm came with ICLLP", description.mnemonic),
                PlatformSet::before(Platform::ICLLP));
  // visa-surface-special
  if (Check::is_surface(surface, kScratch))
    check.warning("visa-surface-special", surface,
                  fmt::format("{} uses %scratch, which is for scattered messages", description.mnemonic));
  check_memory_surface(check);
}

void check_media(Check& check) {
  const isa::InstructionDescription& description = check.description();
  const std::uint64_t width = check.integer("width"), height = check.integer("height");
  // visa-media-size
  const std::uint64_t rows = width <= 4 ? 64 : width <= 8 ? 32 : width <= 16 ? 16 : width <= 32 ? 8 : 4;
  if (width < 1 || width > 64)
    check.error("visa-media-size", check.operand("width"),
                fmt::format("a block {} bytes wide, possible are 1 to 64", width));
  else if (height < 1 || height > rows)
    check.error("visa-media-size", check.operand("height"),
                fmt::format("{} rows of {} bytes, possible are 1 to {}", height, width, rows));
  if (check.integer("plane") > 3)
    check.error("visa-media-size", check.operand("plane"),
                fmt::format("plane {} is none of 0 to 3", check.integer("plane")));
  const Operand* surface = check.operand("surface");
  if (Check::is_surface(surface, kSlm)) check.error("visa-media-size", surface, "%slm has no media blocks");
  check_memory_surface(check);
  // visa-media-modifier
  const std::uint64_t modifier = check.integer("modifier");
  const Operand *read = check.operand("dst"), *written = check.operand("src");
  const bool store = read == nullptr;
  if (!store && read->is_null())  // visa-raw-null: Intel's tool fails on it
    check.error("visa-raw-null", read, fmt::format("dst of {} is %null", description.mnemonic));
  if (modifier > 5 || (store && modifier != 0 && modifier != 2 && modifier != 3))
    check.error("visa-media-modifier", check.operand("modifier"),
                fmt::format("{} cannot be {}", description.mnemonic, check.code("modifier")));
  // The rows of a block are a power of two of bytes apart in the registers, at least four.
  const Operand* data = store ? written : read;
  if (data != nullptr && width >= 1 && width <= 64)
    check.raw_bytes(*data, std::bit_ceil(std::max<std::uint64_t>(width, 4)) * height, "visa-media-size");
}

constexpr CheckHook kHooks[] = {{"oword_ld", check_oword},
                                {"oword_st", check_oword},
                                {"oword_ld_unaligned", check_oword},
                                {"media_ld", check_media},
                                {"media_st", check_media}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::memory_block
