// SPDX-License-Identifier: MIT
// dpas, dpasw: visa-dpas.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::dpas {
namespace {

using isa::Operand;
using isa::Platform;
using isa::PlatformSet;
using isa::Type;

enum Precision : unsigned { kU1 = 1, kS2 = 4, kU4 = 5, kS4 = 6, kS8 = 8, kBf = 9, kHf = 10, kTf32 = 12 };

bool is_integer(std::uint64_t precision) { return precision >= kU1 && precision <= kS8; }
unsigned bits(std::uint64_t precision) {
  if (precision <= 2) return 1;
  if (precision <= kS2) return 2;
  if (precision <= kS4) return 4;
  if (precision == kBf || precision == kHf) return 16;
  if (precision == kTf32) return 32;
  return precision == 15 ? 4 : 8;
}
// Products that one step of one channel adds up.
unsigned products(std::uint64_t first, std::uint64_t second) {
  if (first == kBf || first == kHf) return 2;
  if (first == kTf32) return 1;
  return is_integer(first) && bits(first) <= 4 && bits(second) <= 4 ? 8 : 4;
}

std::uint64_t byte_of(const Check& check, const Operand& o) {
  const Storage& s = check.storage(o.id);
  if (o.kind == isa::OperandKind::Raw) return s.root_offset + static_cast<std::uint32_t>(o.offset);
  return s.root_offset + std::uint64_t{o.row} * check.grf() + std::uint64_t{o.col} * isa::type_bytes(s.type);
}

void place(Check& check, const Operand* o, std::uint64_t alignment, std::uint64_t bytes) {
  if (o == nullptr || o->id == 0 || !check.storage(o->id).valid) return;
  const Storage& s = check.storage(o->id);
  const std::uint64_t at = byte_of(check, *o);
  if (at % alignment != 0)
    check.error("visa-dpas", o, fmt::format("{} is not aligned to {} bytes", check.text(*o), alignment));
  if (at + bytes > s.root_bytes)
    check.error(o->kind == isa::OperandKind::Raw ? "visa-raw-bounds" : "visa-region-bounds", o,
                fmt::format("{} needs {} bytes, {} are there", check.text(*o), bytes,
                            s.root_bytes > at ? s.root_bytes - at : 0));
}

void check_product(Check& check, bool half_wide) {
  const std::string_view word = check.description().mnemonic;
  const std::uint64_t first = check.integer("p1"), second = check.integer("p2"), depth = check.integer("depth"),
                      count = check.integer("count");
  const Operand *dst = check.operand("dst"), *src0 = check.operand("src0"), *src1 = check.operand("src1"),
                *src2 = check.operand("src2");
  const auto type = [&](const Operand* o) { return o != nullptr && !o->is_null() ? check.type_of(*o) : std::nullopt; };
  const auto dword = [](Type t) { return t == Type::D || t == Type::UD; };
  // precisions and the types that go with them
  const bool integers = is_integer(first) && is_integer(second);
  if (!integers && first != second) {
    check.error("visa-dpas", check.operand("p2"),
                fmt::format("{} of precisions {} and {}", word, check.code("p1"), check.code("p2")));
  } else if (first == kTf32) {
    check.error("visa-dpas", check.operand("p1"), "tf32 came with PVC", PlatformSet::before(Platform::PVC));
  } else if (!integers && first != kBf && first != kHf) {
    check.error("visa-dpas", check.operand("p1"), fmt::format("precision {} came with XE3P", check.code("p1")),
                PlatformSet::before(Platform::XE3P));
  }
  for (const Operand* o : {dst, src0}) {
    const auto t = type(o);
    if (!t) continue;
    const bool half = (first == kBf && *t == Type::BF) || (first == kHf && *t == Type::HF);
    if (integers ? !dword(*t) : *t != Type::F && !half)
      check.error("visa-dpas", o,
                  fmt::format("{} is {}, precision {} needs {}", check.text(*o), isa::type_name(*t), check.code("p1"),
                              integers ? "d or ud" : "f"));
    else if (half)
      check.error("visa-dpas", o, fmt::format("{} as {} came with PVC", check.text(*o), isa::type_name(*t)),
                  PlatformSet::before(Platform::PVC));
  }
  for (const Operand* o : {src1, src2})
    if (const auto t = type(o); t && !dword(*t))
      check.error("visa-dpas", o, fmt::format("{} is {}, must be d or ud", check.text(*o), isa::type_name(*t)));
  if (dst != nullptr && dst->is_null())  // visa-raw-null: Intel's tool fails on it
    check.error("visa-raw-null", dst, fmt::format("dst of {} is %null", word));
  // shape
  if (depth != 8)
    check.error("visa-dpas", check.operand("depth"), fmt::format("systolic depth {}, possible is 8", depth));
  if (count < 1 || count > 8)
    check.error("visa-dpas", check.operand("count"), fmt::format("repeat count {}, possible are 1 to 8", count));
  const unsigned exec = check.exec_size();
  const PlatformSet wide = PlatformSet::from(Platform::PVC).without(PlatformSet::only(Platform::ARL));
  if (exec == 8)
    check.error("visa-dpas", nullptr, fmt::format("{} has 16 channels from PVC on", word), wide);
  else if (exec == 16)
    check.error("visa-dpas", nullptr, fmt::format("{} has 8 channels before PVC", word),
                PlatformSet::all().without(wide));
  else
    check.error("visa-dpas", nullptr, fmt::format("{} with execution size {}", word, exec));
  if (depth != 8 || count < 1 || count > 8) return;
  // alignment and size
  const auto element = [&](const Operand* o) { return type(o) ? isa::type_bytes(*type(o)) : 4u; };
  const std::uint64_t step =
      std::uint64_t{depth} * products(first, second) * bits(second) / 8;  // bytes of src2 for one row
  place(check, dst, std::uint64_t{exec} * element(dst), count * exec * element(dst));
  place(check, src0, std::uint64_t{exec} * element(src0), count * exec * element(src0));
  place(check, src1, check.grf(), std::uint64_t{depth} * exec * products(first, second) * bits(first) / 8);
  place(check, src2, std::max<std::uint64_t>(step, 1), (half_wide ? (count + 1) / 2 : count) * step);
}

void check_dpas(Check& check) { check_product(check, false); }
void check_dpasw(Check& check) { check_product(check, true); }

constexpr CheckHook kHooks[] = {{"dpas", check_dpas}, {"dpasw", check_dpasw}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::dpas
