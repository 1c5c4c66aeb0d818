// SPDX-License-Identifier: MIT
#include "vulkan/texels/plane_record.hpp"

#include <utility>

namespace heddle::vulkan {

std::uint32_t* PlaneRecord::counters(std::size_t use) {
  Counters& counts = unit[use];
  if (counts.empty()) counts = Counters(shape.counters);
  counted[use] = true;
  return counts.data();
}

void PlaneRecord::take(std::size_t use, Counters& counts) {
  (void)counters(use);
  std::swap(unit[use], counts);
  changed = changed || is_write(use);
}

void PlaneRecord::count(std::size_t use, std::uint64_t first, CounterRow row) {
  add_row(counters(use) + first, row);
  changed = changed || is_write(use);
  if (unwritten == 0 || !(is_write(use) || is_shader_read(use))) return;
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (row[k] == 0) continue;
    if (is_write(use))
      write(first + k, 1);
    else if ((state[first + k] & kWritten) == 0)
      state[first + k] |= kEarly;
  }
}

void PlaneRecord::count(std::size_t use, std::uint64_t first, std::uint64_t texels, std::uint32_t by) {
  add_to_row({counters(use) + first, texels}, by);
  if (is_write(use)) write(first, texels);
}

void PlaneRecord::write(std::uint64_t first, std::uint64_t texels) {
  changed = true;
  if (unwritten == 0) return;
  std::uint64_t newly = 0;
  for (std::uint64_t at = first; at < first + texels; ++at) {
    newly += (state[at] & kWritten) == 0 ? 1u : 0u;
    state[at] |= kWritten;
  }
  unwritten -= newly;
}

}  // namespace heddle::vulkan
