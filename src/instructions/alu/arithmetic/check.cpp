// SPDX-License-Identifier: MIT
// Extended mathematics by platform, plane, madw.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "instructions/checks.hpp"

namespace heddle::instructions::arithmetic {
namespace {

using isa::Operand;
using isa::Platform;
using isa::PlatformSet;

bool any_operand_is(const Check& check, bool (*is)(isa::Type), const Operand*& which) {
  for (const Operand& o : check.operands()) {
    const auto type = check.type_of(o);
    if (type && is(*type)) {
      which = &o;
      return true;
    }
  }
  return false;
}

PlatformSet without_df_division() {
  return PlatformSet::only(Platform::ICLLP) | PlatformSet::only(Platform::TGLLP) | PlatformSet::only(Platform::DG2) |
         PlatformSet::only(Platform::MTL) | PlatformSet::only(Platform::ARL);
}

// The high words of madw start at the next register behind the low ones.
void check_madw(Check& check) {
  const Operand* dst = check.operand("dst");
  if (dst == nullptr || dst->kind != isa::OperandKind::General || dst->id == 0) return;
  const Storage& s = check.storage(dst->id);
  if (!s.valid) return;
  const std::uint64_t start =
      s.root_offset + std::uint64_t{dst->row} * check.grf() + std::uint64_t{dst->col} * isa::type_bytes(s.type);
  const std::uint64_t end = start + check.channel_bytes(2, check.exec_size(), isa::type_bytes(s.type));
  if (end > s.root_bytes)
    check.error("visa-region-bounds", dst,
                fmt::format("{} with its high words ends at byte {}, variable has {}", check.text(*dst),
                            end - s.root_offset, s.bytes));
}

// visa-math-type
void refuse_integers(Check& check) {
  const Operand* which = nullptr;
  if (any_operand_is(check, [](isa::Type t) { return isa::is_integer(t); }, which))
    check.error("visa-math-type", which,
                fmt::format("integer {} does not exist from XeHP_SDV on", check.description().mnemonic),
                PlatformSet::from(Platform::XeHP_SDV));
}

void refuse_df(Check& check) {
  const Operand* which = nullptr;
  if (any_operand_is(check, [](isa::Type t) { return t == isa::Type::DF; }, which))
    check.error("visa-math-type", which,
                fmt::format("{} of df is not in the hardware and not emulated", check.description().mnemonic),
                without_df_division());
}

void check_div(Check& check) {
  refuse_integers(check);
  refuse_df(check);
}

// visa-platform: the hardware lost it before Intel's tool did
void check_lost(Check& check) {
  const PlatformSet later = PlatformSet::from(Platform::ICLLP) & check.description().platforms & check.platforms();
  if (!later.empty())
    check.warning("visa-platform", nullptr,
                  fmt::format("{} is not in the hardware from ICLLP on", check.description().mnemonic), later);
}

// visa-type: products of 64 bits have 32-bit factors
void check_mul(Check& check) {
  for (const std::string_view source : {"src0", "src1"}) {
    const Operand* o = check.operand(source);
    const auto type = o != nullptr ? check.type_of(*o) : std::nullopt;
    if (type && (*type == isa::Type::Q || *type == isa::Type::UQ))
      check.error("visa-type", o,
                  fmt::format("{} of mul is {}, only its destination can be", source, isa::type_name(*type)));
  }
}

void check_plane(Check& check) {
  check_lost(check);
  // visa-plane-src1
  constexpr unsigned kOword = 16;
  const auto byte = [&](const Operand& o, const Storage& s) {
    return s.root_offset + std::uint64_t{o.row} * check.grf() + std::uint64_t{o.col} * isa::type_bytes(s.type);
  };
  if (const Operand* plane = check.operand("src0");
      plane != nullptr && plane->kind == isa::OperandKind::General && check.storage(plane->id).valid) {
    const Storage& s = check.storage(plane->id);
    if (byte(*plane, s) % kOword != 0)
      check.error("visa-plane-src1", plane,
                  fmt::format("{} does not start at a multiple of 16 bytes", check.text(*plane)));
    else if (byte(*plane, s) + kOword > s.root_bytes)
      check.error("visa-plane-src1", plane, fmt::format("{} needs 4 elements", check.text(*plane)));
  }
  if (const Operand* points = check.operand("src1");
      points != nullptr && points->kind == isa::OperandKind::General && check.storage(points->id).valid) {
    const Storage& s = check.storage(points->id);
    const std::uint64_t needed = 2ull * check.exec_size();
    if (byte(*points, s) % check.grf() != 0)
      check.error("visa-plane-src1", points, fmt::format("{} does not start at a register", check.text(*points)));
    else if (byte(*points, s) + needed * isa::type_bytes(s.type) > s.root_bytes)
      check.error("visa-plane-src1", points,
                  fmt::format("{} needs {} elements, two for each channel", check.text(*points), needed));
  }
  if (check.exec_size() != 8 && check.exec_size() != 16)
    check.error("visa-plane-src1", nullptr, fmt::format("plane with execution size {}", check.exec_size()));
}

constexpr CheckHook kHooks[] = {{"div", check_div},      {"mod", refuse_integers}, {"inv", refuse_df},
                                {"madw", check_madw},    {"mul", check_mul},       {"sad2", check_lost},
                                {"sad2add", check_lost}, {"plane", check_plane}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::arithmetic
