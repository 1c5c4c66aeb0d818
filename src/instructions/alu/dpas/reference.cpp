// SPDX-License-Identifier: MIT
// DPAS: dst = src0 + src2 x src1, integer dot products of packed elements or float ones of 16 bits.
#include <cmath>

#include <fmt/format.h>

#include "instructions/reference.hpp"

namespace heddle::instructions::dpas {
namespace {

using machine::ExecutionContext;
using machine::Operand;
using machine::Wide;

struct Precision {
  unsigned bits = 0;
  bool is_signed = false, is_float = false;
  isa::Type type = isa::Type::HF;
};

std::optional<Precision> precision(std::uint64_t code) {
  switch (code) {
    case 1:
      return Precision{1, false};
    case 2:
      return Precision{1, true};
    case 3:
      return Precision{2, false};
    case 4:
      return Precision{2, true};
    case 5:
      return Precision{4, false};
    case 6:
      return Precision{4, true};
    case 7:
      return Precision{8, false};
    case 8:
      return Precision{8, true};
    case 9:
      return Precision{16, true, true, isa::Type::BF};
    case 10:
      return Precision{16, true, true, isa::Type::HF};
    case 12:
      return Precision{32, true, true, isa::Type::F};  // tf32: an F whose low fraction bits are not used
    default:
      return std::nullopt;
  }
}

/// Element `index` of a packed row of dwords that starts at byte `at`.
std::uint64_t element(ExecutionContext& s, const Operand& operand, unsigned at, unsigned index, const Precision& p) {
  const unsigned bit = index * p.bits;
  std::uint64_t word = 0;
  s.read_raw(operand, at + bit / 32 * 4, 4, 1, &word, 1);
  if (p.bits == 32) return word & 0xffffe000u;
  return word >> (bit % 32) & ((1u << p.bits) - 1);
}

std::int64_t integer(std::uint64_t bits, const Precision& p) {
  const std::uint64_t sign = std::uint64_t{1} << (p.bits - 1);
  return p.is_signed ? static_cast<std::int64_t>((bits ^ sign) - sign) : static_cast<std::int64_t>(bits);
}

void execute(ExecutionContext& s) {
  const auto p1 = precision(s.integer("p1")), p2 = precision(s.integer("p2"));
  if (!p1 || !p2 || p1->is_float != p2->is_float) {
    s.refuse(nullptr, "visa-dpas",
             fmt::format("dpas of precisions {} and {} is not executed", s.integer("p1"), s.integer("p2")));
    return;
  }
  const auto depth = static_cast<unsigned>(s.integer("depth")), count = static_cast<unsigned>(s.integer("count"));
  const Operand &dst = *s.named("dst"), &src0 = *s.named("src0"), &src1 = *s.named("src1"), &src2 = *s.named("src2");
  const unsigned lanes = s.lanes();
  const unsigned ops = p1->is_float ? 32 / p1->bits : p1->bits == 8 || p2->bits == 8 ? 4 : 8;
  const unsigned per_dword =
      p1->is_float ? 1 : 32 / (ops * p1->bits);  // steps of the depth that one dword of src1 feeds
  const unsigned in_bytes = src0.null ? 4 : isa::type_bytes(src0.type), out_bytes = isa::type_bytes(dst.type);
  for (unsigned r = 0; r < count && r < 8; ++r) {
    for (unsigned i = 0; i < lanes; ++i) {
      if (!s.is_enabled(i)) continue;
      std::uint64_t start = 0;
      if (!src0.null) s.read_raw(src0, (r * lanes + i) * in_bytes, in_bytes, 1, &start, 1);
      std::uint64_t result = 0;
      std::int64_t total = 0;
      float sum = 0;
      if (p1->is_float)
        sum = static_cast<float>(machine::widen(start, src0.null ? isa::Type::F : src0.type));
      else
        total = static_cast<std::int64_t>(machine::wide_of(start, src0.type));
      for (unsigned d = 0; d < depth && d < 8; ++d) {
        const unsigned column = (d / per_dword * lanes + i) * 4, first = d % per_dword * ops;
        for (unsigned o = 0; o < ops; ++o) {
          const std::uint64_t b = element(s, src1, column, first + o, *p1),
                              a = element(s, src2, 0, (r * depth + d) * ops + o, *p2);
          if (p1->is_float)
            sum = std::fma(static_cast<float>(machine::widen(a, p2->type)),
                           static_cast<float>(machine::widen(b, p1->type)), sum);
          else
            total += integer(a, *p2) * integer(b, *p1);
        }
      }
      if (p1->is_float)
        result = machine::element_of(static_cast<double>(base::canonical(sum)), dst.type, false,
                                     machine::Rounding::NearestEven);
      else
        result = static_cast<std::uint32_t>(total);
      s.write_raw(dst, (r * lanes + i) * out_bytes, out_bytes, 1, &result, 1);
    }
  }
}

constexpr ReferenceHook kHooks[] = {{"dpas", execute}, {"dpasw", nullptr}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::dpas
