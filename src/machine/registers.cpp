// SPDX-License-Identifier: MIT
#include "machine/registers.hpp"

#include <algorithm>

namespace heddle::machine {
namespace {
/// Elements of one state variable that are kept (arrays of surfaces are short; the rest cannot be addressed).
constexpr std::uint32_t kStateElements = 256;

}  // namespace

StateIndex::Range StateIndex::take(std::uint32_t count) {
  const Range range{size_, std::min(count, kStateElements)};
  size_ += range.count;
  return range;
}

StateIndex::StateIndex(const isa::Object& object) {
  for (std::uint32_t s = 0; s < isa::kFirstSurface; ++s) surfaces_.push_back(take(1));
  for (const isa::PlainVariable& v : object.surfaces) surfaces_.push_back(take(v.elements));
  for (const isa::PlainVariable& v : object.samplers) samplers_.push_back(take(v.elements));
  samplers_.resize(std::max<std::size_t>(samplers_.size(), isa::kBindlessSampler + 1));
  if (samplers_[isa::kBindlessSampler].count == 0) samplers_[isa::kBindlessSampler] = take(1);
}

Registers::Registers(const isa::Object& object, const Layout& layout)
    : bytes_(layout.bytes(), 0),
      defined_(layout.bytes(), 0),
      predicates_(object.predicates.size() + 1, 0),
      predicate_defined_(object.predicates.size() + 1, 0),
      addresses_(object.addresses.size() * kAddressElements),
      index_(object),
      states_(index_.size()) {}

void Registers::clear() {
  std::ranges::fill(bytes_, std::uint8_t{0});
  std::ranges::fill(defined_, std::uint8_t{0});
  std::ranges::fill(predicates_, 0u);
  std::ranges::fill(predicate_defined_, 0u);
  std::ranges::fill(addresses_, AddressRegister{});
  std::ranges::fill(states_, StateRegister{});
}

}  // namespace heddle::machine
