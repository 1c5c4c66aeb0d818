// SPDX-License-Identifier: MIT
#pragma once
// Numbers that stand for image views and samplers in descriptor buffers, whose bytes an application copies, keeps
// longer than the objects, and may damage: a number is looked up, never believed.

#include <cstdint>
#include <unordered_map>

namespace heddle::vulkan {

struct ImageView;
struct Sampler;

/// Under Device::descriptors.
template <typename Object>
class NumberedObjects {
 public:
  /// A number that no object ever had; `replayable`: which another run of the application may ask for again.
  [[nodiscard]] std::uint64_t add(const Object* object, bool replayable) {
    for (;;) {
      const std::uint64_t number = replayable ? kReplayable | next_replayable_++ : next_++;
      if (objects_.emplace(number, object).second) return number;
    }
  }
  /// False where the number is none that another run was given, or belongs to another object.
  [[nodiscard]] bool add_as(std::uint64_t number, const Object* object) {
    const std::uint64_t counted = number & ~kReplayable;
    if ((number & kReplayable) == 0 || counted == 0 || counted > kMaxCounted ||
        !objects_.emplace(number, object).second)
      return false;
    if (counted >= next_replayable_) next_replayable_ = counted + 1;
    return true;
  }
  void remove(std::uint64_t number) { objects_.erase(number); }
  /// Null where nothing has the number (any more).
  [[nodiscard]] const Object* find(std::uint64_t number) const {
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : found->second;
  }

 private:
  static constexpr std::uint64_t kReplayable = std::uint64_t{1} << 62;
  static constexpr std::uint64_t kMaxCounted = std::uint64_t{1} << 48;  ///< beyond, nobody has counted
  std::unordered_map<std::uint64_t, const Object*> objects_;
  std::uint64_t next_ = 1, next_replayable_ = 1;  // 0 stands for nothing
};

struct DescriptorObjects {
  NumberedObjects<ImageView> views;
  NumberedObjects<Sampler> samplers;
  /// Counts what may have come to where descriptors point that showed nothing: memory, objects of a replay.
  std::uint64_t arrivals = 0;
  /// Counts what is gone, which descriptors that were read may still show.
  std::uint64_t departures = 0;
};

}  // namespace heddle::vulkan
