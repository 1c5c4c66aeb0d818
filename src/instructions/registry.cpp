#include "instructions/registry.hpp"

#include "instructions/rooms.hpp"

namespace heddle::instructions {

const isa::Registry& registry() {
  static const isa::Registry kRegistry([] {
    static const std::vector<isa::Room> kRooms = {
#define HEDDLE_LIST_ROOM(name) name::room(),
        HEDDLE_ROOMS(HEDDLE_LIST_ROOM)
#undef HEDDLE_LIST_ROOM
    };
    return std::span<const isa::Room>(kRooms);
  }());
  return kRegistry;
}

}  // namespace heddle::instructions
