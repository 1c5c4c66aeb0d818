// SPDX-License-Identifier: MIT
// Bits and shifts.
#include <bit>

#include "instructions/alu/lanes.hpp"
#include "instructions/reference.hpp"

namespace heddle::instructions::logic {
namespace {

using namespace alu;
using machine::Lanes;

bool on_predicates(const ExecutionContext& s) { return s.destination().kind == isa::OperandKind::Predicate; }

template <typename Op>
void bitwise(ExecutionContext& s, Op op) {
  if (on_predicates(s)) {
    const std::uint32_t needed = s.checked_lanes();
    const std::uint32_t a = s.read_predicate(s.source(0), needed), b = s.read_predicate(s.source(1), needed);
    s.write_predicate(s.destination().id, op(a, b), s.enabled());
    return;
  }
  integers<2>(s, op);
}

void bit_and(ExecutionContext& s) {
  bitwise(s, [](auto a, auto b) { return a & b; });
}
void bit_or(ExecutionContext& s) {
  bitwise(s, [](auto a, auto b) { return a | b; });
}
void bit_xor(ExecutionContext& s) {
  bitwise(s, [](auto a, auto b) { return a ^ b; });
}
void bit_not(ExecutionContext& s) {
  if (on_predicates(s))
    s.write_predicate(s.destination().id, ~s.read_predicate(s.source(0), s.checked_lanes()), s.enabled());
  else
    integers<1>(s, [](auto a) { return ~a; });
}

/// Low 5 bits of the count, 6 when the destination is 64 bits wide (NUM, "shifts").
unsigned count_mask(const ExecutionContext& s) { return s.destination().size == 8 ? 63 : 31; }

void shl(ExecutionContext& s) {
  const unsigned mask = count_mask(s);
  wide_integers<2>(s, [mask](Wide a, Wide n) {
    return static_cast<Wide>(static_cast<UnsignedWide>(a) << (static_cast<unsigned>(n) & mask));
  });
}

/// The value shifted is src0 in the width of the execution type: the widest source, at least a word.
unsigned execution_bits(const ExecutionContext& s) {
  const unsigned bytes = std::max<unsigned>({s.source(0).size, s.source(1).size, 2u});
  return 8 * bytes;
}

void shr(ExecutionContext& s) {
  const unsigned mask = count_mask(s), bits = execution_bits(s);
  const UnsignedWide low = (UnsignedWide{1} << bits) - 1;
  wide_integers<2>(s, [=](Wide a, Wide n) {
    return static_cast<Wide>((static_cast<UnsignedWide>(a) & low) >> (static_cast<unsigned>(n) & mask));
  });
}

void asr(ExecutionContext& s) {
  const unsigned mask = count_mask(s);
  wide_integers<2>(s, [mask](Wide a, Wide n) { return a >> (static_cast<unsigned>(n) & mask); });
}

/// Counts are taken modulo the width of the source.
template <bool Left>
void rotate(ExecutionContext& s) {
  Lanes value{}, count{}, out{};
  s.read_bits(s.source(0), value);
  s.read_bits(s.source(1), count);
  const unsigned bits = 8u * s.source(0).size;
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  for (unsigned k = 0; k < s.lanes(); ++k) {
    const unsigned n = static_cast<unsigned>(count[k]) & (bits - 1), left = Left ? n : (bits - n) & (bits - 1);
    const std::uint64_t x = value[k] & mask;
    out[k] = left == 0 ? x : (x << left | x >> (bits - left)) & mask;
  }
  s.write_bits(s.destination(), out);
}

template <typename Op>
void on_bits(ExecutionContext& s, Op op) {
  Lanes in{}, out{};
  s.read_bits(s.source(0), in);
  for (unsigned k = 0; k < s.lanes(); ++k) out[k] = op(in[k]);
  s.write_bits(s.destination(), out);
}

void cbit(ExecutionContext& s) {
  on_bits(s, [](std::uint64_t x) { return static_cast<std::uint64_t>(std::popcount(x)); });
}
void lzd(ExecutionContext& s) {
  on_bits(s,
          [](std::uint64_t x) { return static_cast<std::uint64_t>(std::countl_zero(static_cast<std::uint32_t>(x))); });
}
void fbl(ExecutionContext& s) {
  on_bits(s, [](std::uint64_t x) {
    return static_cast<std::uint32_t>(x) == 0
               ? 0xffffffffu
               : static_cast<std::uint64_t>(std::countr_zero(static_cast<std::uint32_t>(x)));
  });
}

/// Unsigned: leading zeros. Signed: leading copies of the sign bit. No such bit at all: FFFFFFFFh.
void fbh(ExecutionContext& s) {
  const bool is_signed = isa::is_signed(s.source(0).type);
  on_bits(s, [is_signed](std::uint64_t bits) -> std::uint64_t {
    auto x = static_cast<std::uint32_t>(bits);
    if (is_signed && (x >> 31) != 0) x = ~x;
    return x == 0 ? 0xffffffffu : static_cast<std::uint64_t>(std::countl_zero(x));
  });
}

void bfrev(ExecutionContext& s) {
  on_bits(s, [](std::uint64_t bits) {
    std::uint64_t out = 0;
    for (unsigned i = 0; i < 32; ++i) out |= (bits >> i & 1u) << (31 - i);
    return out;
  });
}

/// src0 width, src1 offset, src2 value; D sign-extends.
void bfe(ExecutionContext& s) {
  Lanes width{}, offset{}, value{}, out{};
  s.read_bits(s.source(0), width);
  s.read_bits(s.source(1), offset);
  s.read_bits(s.source(2), value);
  const bool is_signed = isa::is_signed(s.destination().type);
  for (unsigned k = 0; k < s.lanes(); ++k) {
    const unsigned w = width[k] & 31u, o = offset[k] & 31u;
    const auto x = static_cast<std::uint32_t>(value[k]);
    if (w == 0) {
      out[k] = 0;
    } else if (w + o >= 32) {  // the field reaches the top: a plain shift
      out[k] = is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> o) : x >> o;
    } else {
      const std::uint32_t up = x << (32 - w - o);
      out[k] = is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(up) >> (32 - w)) : up >> (32 - w);
    }
  }
  s.write_bits(s.destination(), out);
}

/// src0 width, src1 offset, src2 the bits, src3 what they are put into.
void bfi(ExecutionContext& s) {
  Lanes width{}, offset{}, insert{}, into{}, out{};
  s.read_bits(s.source(0), width);
  s.read_bits(s.source(1), offset);
  s.read_bits(s.source(2), insert);
  s.read_bits(s.source(3), into);
  for (unsigned k = 0; k < s.lanes(); ++k) {
    const unsigned w = width[k] & 31u, o = offset[k] & 31u;
    const std::uint32_t mask = ((1u << w) - 1u) << o;
    out[k] = ((static_cast<std::uint32_t>(insert[k]) << o) & mask) | (static_cast<std::uint32_t>(into[k]) & ~mask);
  }
  s.write_bits(s.destination(), out);
}

/// Result bit = bit (s0 + 2 s1 + 4 s2) of the function byte.
void bfn(ExecutionContext& s) {
  const auto table = static_cast<unsigned>(s.integer(0));
  integers<3>(s, [table](auto a, auto b, auto c) {
    decltype(a) out = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if ((table >> i & 1u) == 0) continue;
      out |= ((i & 1u) != 0 ? a : ~a) & ((i & 2u) != 0 ? b : ~b) & ((i & 4u) != 0 ? c : ~c);
    }
    return out;
  });
}

constexpr ReferenceHook kHooks[] = {
    {"lzd", lzd}, {"and", bit_and}, {"or", bit_or},        {"xor", bit_xor},       {"not", bit_not}, {"shl", shl},
    {"shr", shr}, {"asr", asr},     {"cbit", cbit},        {"fbl", fbl},           {"fbh", fbh},     {"bfe", bfe},
    {"bfi", bfi}, {"bfrev", bfrev}, {"rol", rotate<true>}, {"ror", rotate<false>}, {"bfn", bfn},
};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::logic
