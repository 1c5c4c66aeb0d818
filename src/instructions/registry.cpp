// Rules: ENC-27, ENC-28, ENC-32 to ENC-35.
#include "instructions/registry.hpp"

#include "instructions/families.hpp"

namespace heddle::instructions {

const isa::Registry& registry() {
  static const isa::Registry kRegistry([] {
    static const std::vector<isa::Family> kFamilies = {
#define HEDDLE_LIST_ROOM(name) name::family(),
        HEDDLE_ROOMS(HEDDLE_LIST_ROOM)
#undef HEDDLE_LIST_ROOM
    };
    return std::span<const isa::Family>(kFamilies);
  }());
  return kRegistry;
}

}  // namespace heddle::instructions
