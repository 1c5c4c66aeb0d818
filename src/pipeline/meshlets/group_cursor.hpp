// SPDX-License-Identifier: MIT
#pragma once
// The groups that tasks ask for, one after the other: x fastest, then y, then z (MSH-1).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/meshlets/group_runner.hpp"
#include "pipeline/meshlets/task.hpp"

namespace heddle::pipeline {

class GroupCursor {
 public:
  explicit GroupCursor(std::span<const GroupCount> tasks) : tasks_(tasks) {}
  /// The next groups, `most` of them or fewer; none: there are no more.
  void next(std::size_t most, std::vector<GroupEntry>& window);

 private:
  void add_row(std::size_t most, std::vector<GroupEntry>& window);

  std::span<const GroupCount> tasks_;
  std::size_t task_ = 0;
  std::array<std::uint32_t, 3> at_{};  ///< the next group of the task
};

}  // namespace heddle::pipeline
