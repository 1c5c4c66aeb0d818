// SPDX-License-Identifier: MIT
// Comparisons, minimum, maximum, setp.
#include "instructions/reference.hpp"
#include "instructions/alu/lanes.hpp"

namespace heddle::instructions::compare {
namespace {

using namespace alu;
using machine::Lanes;
using machine::Operand;

enum class Relation : std::uint8_t { Eq, Ne, Gt, Ge, Lt, Le };

/// Any NaN is unordered: only ne holds.
template <typename T>
bool holds(Relation relation, T a, T b) {
  switch (relation) {
    case Relation::Eq:
      return a == b;
    case Relation::Ne:
      return a != b;
    case Relation::Gt:
      return a > b;
    case Relation::Ge:
      return a >= b;
    case Relation::Lt:
      return a < b;
    case Relation::Le:
      return a <= b;
  }
  return false;
}

template <typename T>
std::uint32_t compare(ExecutionContext& s, Relation relation) {
  std::array<T, kMaxLanes> a, b;
  s.read(s.source(0), a.data());
  s.read(s.source(1), b.data());
  std::uint32_t result = 0;
  for (unsigned k = 0; k < s.lanes(); ++k)
    if (holds(relation, a[k], b[k])) result |= 1u << k;
  return result;
}

/// An integer register compared with itself: what it holds does not matter, so it may never have been written
/// (compilers make a constant predicate that way).
bool compares_with_itself(const ExecutionContext& s) {
  const Operand &a = s.source(0), &b = s.source(1);
  return s.instruction().arithmetic == Arithmetic::Integer && a.kind == isa::OperandKind::General && a.kind == b.kind &&
         a.in_bounds && a.base == b.base && a.type == b.type && a.modifier == b.modifier && a.lane == b.lane;
}

void cmp(ExecutionContext& s) {
  if (s.integer(0) > 5) {
    s.refuse(nullptr, "visa-cmp-condition", "cmp has no condition");
    return;
  }
  const auto relation = static_cast<Relation>(s.integer(0));
  std::uint32_t result = 0;
  if (compares_with_itself(s)) {
    if (relation == Relation::Eq || relation == Relation::Ge || relation == Relation::Le) result = s.all_lanes();
  } else
    switch (s.instruction().arithmetic) {
      case Arithmetic::Integer:
        result = needs_wide<2>(s) ? compare<Wide>(s, relation) : compare<std::int64_t>(s, relation);
        break;
      case Arithmetic::Single:
        result = compare<float>(s, relation);
        break;
      case Arithmetic::Half:
      case Arithmetic::Double:
        result = compare<double>(s, relation);
        break;
    }
  const Operand& to = s.destination();
  if (to.kind == isa::OperandKind::Predicate) {
    s.write_predicate(to.id, result, s.enabled());
    return;
  }
  Lanes bits{};
  for (unsigned k = 0; k < s.lanes(); ++k) bits[k] = (result >> k & 1u) != 0 ? ~std::uint64_t{0} : 0;
  s.write_bits(to, bits);
}

/// NUM-4; of two NaNs the second operand.
template <bool Max>
void extreme(ExecutionContext& s) {
  any_type<2>(s, [](auto a, auto b) {
    if (a != a) return b;
    return (Max ? b > a : b < a) ? b : a;
  });
}

/// From a scalar or immediate: source bit k to element o + k whatever the execution mask says. From a vector: each
/// element's low bit.
void setp(ExecutionContext& s) {
  const Operand& from = s.source(0);
  Lanes bits{};
  s.read_bits(from, bits);
  std::uint32_t result = 0;
  if (from.scalar) {
    s.write_predicate(s.destination().id, static_cast<std::uint32_t>(bits[0]), s.all_lanes());
    return;
  }
  for (unsigned k = 0; k < s.lanes(); ++k) result |= static_cast<std::uint32_t>(bits[k] & 1u) << k;
  s.write_predicate(s.destination().id, result, s.enabled());
}

constexpr ReferenceHook kHooks[] = {{"cmp", cmp}, {"min", extreme<false>}, {"max", extreme<true>}, {"setp", setp}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::compare
