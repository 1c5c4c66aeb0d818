// SPDX-License-Identifier: MIT
// Rules: ENC-27, ENC-28, ENC-32 to ENC-35.
#include "instructions/registry.hpp"

#include "instructions/families.hpp"

namespace heddle::instructions {

const isa::Registry& registry() {
  static const isa::Registry kRegistry([] {
    static const std::vector<isa::Family> kFamilies = {
#define HEDDLE_LIST_FAMILY(name, has_check, has_reference, has_jit) name::family(),
        HEDDLE_FAMILIES(HEDDLE_LIST_FAMILY)
#undef HEDDLE_LIST_FAMILY
    };
    return std::span<const isa::Family>(kFamilies);
  }());
  return kRegistry;
}

}  // namespace heddle::instructions
