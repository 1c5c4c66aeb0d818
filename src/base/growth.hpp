// SPDX-License-Identifier: MIT
#pragma once
// Growth of long vectors that are filled while an input is read.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace heddle::base {

/// Makes room for `more` elements at the end of a vector that is filled in step with an input of which `done` of
/// `total` bytes were read. When it has to grow, it grows to what the whole input will need at the ratio so far,
/// between 1.5 and 8 times its size: few copies, and no twofold memory at the end. Pages of the room that are never
/// used cost nothing.
template <typename T>
void make_room(std::vector<T>& vector, std::size_t more, std::size_t done, std::size_t total) {
  const std::size_t needed = vector.size() + more;
  if (needed <= vector.capacity()) return;
  const double whole = 1.05 * static_cast<double>(total) / static_cast<double>(std::max<std::size_t>(1, done));
  // What is too far for one step is done in equal ones: the last step should not be a small one that copies much.
  const double factor = whole <= 8 ? std::max(whole, 1.5) : std::min(std::sqrt(whole), 8.0);
  vector.reserve(static_cast<std::size_t>(static_cast<double>(needed) * factor) + 16);
}

}  // namespace heddle::base
