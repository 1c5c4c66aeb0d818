#include "machine/registers.hpp"

#include <algorithm>

namespace heddle::machine {
namespace {
/// Elements of one state variable that are kept (arrays of surfaces are short; the rest cannot be addressed).
constexpr std::uint32_t kStateElements = 256;

std::vector<StateRegister> state_elements(std::uint32_t count) {
  return std::vector<StateRegister>(std::min(count, kStateElements));
}
}  // namespace

Registers::Registers(const isa::Object& object, const Layout& layout)
    : bytes_(layout.bytes(), 0),
      defined_(layout.bytes(), 0),
      predicates_(object.predicates.size() + 1, 0),
      predicate_defined_(object.predicates.size() + 1, 0),
      addresses_(object.addresses.size() * kAddressElements) {
  for (std::uint32_t s = 0; s < isa::kFirstSurface; ++s) surfaces_.push_back(state_elements(1));
  for (const isa::PlainVariable& v : object.surfaces) surfaces_.push_back(state_elements(v.elements));
  for (const isa::PlainVariable& v : object.samplers) samplers_.push_back(state_elements(v.elements));
  samplers_.resize(std::max<std::size_t>(samplers_.size(), isa::kBindlessSampler + 1));
  if (samplers_[isa::kBindlessSampler].empty()) samplers_[isa::kBindlessSampler] = state_elements(1);
}

void Registers::clear() {
  std::ranges::fill(bytes_, std::uint8_t{0});
  std::ranges::fill(defined_, std::uint8_t{0});
  std::ranges::fill(predicates_, 0u);
  std::ranges::fill(predicate_defined_, 0u);
  std::ranges::fill(addresses_, AddressRegister{});
  for (auto* file : {&surfaces_, &samplers_})
    for (auto& elements : *file) std::ranges::fill(elements, StateRegister{});
}

}  // namespace heddle::machine
