// SPDX-License-Identifier: MIT
#pragma once
// Buffers and images without memory of their own in places, as the queue sees them between commands.

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace heddle::vulkan {

/// What a sparse object has to do after commands.
class SparseObject {
 public:
  virtual ~SparseObject() = default;
  /// What commands wrote to places without memory is gone, and what they wrote to memory that is bound twice is seen at
  /// both places. Whether memory changed, which another object may have to see. On the queue's thread.
  virtual bool settle() = 0;
};

/// Those of a device that have something to settle.
class SparseObjects {
 public:
  void add(SparseObject* object) {
    const std::lock_guard guard(mutex_);
    if (std::ranges::find(objects_, object) == objects_.end()) objects_.push_back(object);
    any_ = true;
  }
  void remove(SparseObject* object) {
    const std::lock_guard guard(mutex_);
    std::erase(objects_, object);
    any_ = !objects_.empty();
  }
  void settle() {
    if (!any_) return;
    const std::lock_guard guard(mutex_);
    // What one changed in memory is seen by those before it in the second round.
    bool changed = true;
    for (int round = 0; round < 2 && changed; ++round) {
      changed = false;
      for (SparseObject* object : objects_) changed = object->settle() || changed;
    }
  }

 private:
  std::atomic<bool> any_ = false;
  std::mutex mutex_;
  std::vector<SparseObject*> objects_;
};

}  // namespace heddle::vulkan
