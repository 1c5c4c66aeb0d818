// SPDX-License-Identifier: MIT
// Rules: MSH-1.
#include "pipeline/meshlets/group_cursor.hpp"

#include <algorithm>

namespace heddle::pipeline {

void GroupCursor::next(std::size_t most, std::vector<GroupEntry>& window) {
  window.clear();
  while (window.size() < most && task_ < tasks_.size()) {
    const GroupCount& count = tasks_[task_];
    if (std::min({count[0], count[1], count[2]}) == 0 || at_[2] == count[2]) {
      ++task_;
      at_ = {};
      continue;
    }
    add_row(most, window);
  }
}

/// Groups from the next one on that have the same y and z.
void GroupCursor::add_row(std::size_t most, std::vector<GroupEntry>& window) {
  const GroupCount& count = tasks_[task_];
  const auto groups = static_cast<std::uint32_t>(std::min<std::size_t>(count[0] - at_[0], most - window.size()));
  for (std::uint32_t k = 0; k < groups; ++k, ++at_[0])
    window.push_back({.number = at_, .task = static_cast<std::uint32_t>(task_), .count = count});
  if (at_[0] != count[0]) return;
  at_[0] = 0;
  if (++at_[1] != count[1]) return;
  at_[1] = 0;
  ++at_[2];
}

}  // namespace heddle::pipeline
