// SPDX-License-Identifier: MIT
// Comparisons of whole words: the same as reference.cpp beside it.
#include <functional>

#include "instructions/alu/words.hpp"

namespace heddle::instructions::compare {
namespace {

using namespace alu;

/// NUM-4; of two NaNs the second operand.
template <bool Max>
struct Extreme {
  template <typename T>
  T operator()(T a, T b) const {
    if (a != a) return b;
    return (Max ? b > a : b < a) ? b : a;
  }
};

template <bool Max>
bool extreme(const machine::Operands& o, PlainStep& step) {
  if (single<2, Extreme<Max>>(o, step)) return true;
  if (!is_integer(o)) return false;
  const Sign sign = sign_of_two(o, step);
  if (sign == Sign::Unsigned) return choose<OfWords<std::uint32_t, 2, Extreme<Max>>>(o, step);
  return sign == Sign::Signed && choose<OfWords<std::int32_t, 2, Extreme<Max>>>(o, step);
}

template <typename T, typename Relation>
struct Compared {
  template <unsigned N>
  static void run(const PlainStep& step, machine::Registers& registers, std::uint32_t lanes, std::uint32_t /*chosen*/) {
    std::array<T, N> a, b;
    load_words<T, N>(step.source[0], registers, a);
    load_words<T, N>(step.source[1], registers, b);
    std::uint32_t result = 0;
    for (unsigned k = 0; k < N; ++k) result |= (Relation{}(a[k], b[k]) ? 1u : 0u) << k;
    const unsigned offset = step.lanes.mask_offset;
    registers.set_predicate(step.to, result << offset, lanes << offset);
  }
};

template <typename Relation>
bool compare(const machine::Operands& o, PlainStep& step) {
  if (is_single(o)) return choose<Compared<float, Relation>>(o, step);
  if (!is_integer(o)) return false;
  const Sign sign = sign_of_two(o, step);
  if (sign == Sign::Unsigned) return choose<Compared<std::uint32_t, Relation>>(o, step);
  return sign == Sign::Signed && choose<Compared<std::int32_t, Relation>>(o, step);
}

/// Any NaN is unordered: only ne holds.
bool cmp(const machine::Operands& o, PlainStep& step) {
  if (o.destination().kind != isa::OperandKind::Predicate) return false;
  constexpr PlainChoice kRelations[] = {compare<std::equal_to<>>, compare<std::not_equal_to<>>,
                                        compare<std::greater<>>,  compare<std::greater_equal<>>,
                                        compare<std::less<>>,     compare<std::less_equal<>>};
  const std::uint64_t relation = o.integer(0);
  return relation < std::size(kRelations) && kRelations[relation](o, step);
}

constexpr PlainHook kHooks[] = {{"cmp", cmp}, {"min", extreme<false>}, {"max", extreme<true>}};

}  // namespace

std::span<const PlainHook> plain() { return kHooks; }

}  // namespace heddle::instructions::compare
