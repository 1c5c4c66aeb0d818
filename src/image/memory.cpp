// SPDX-License-Identifier: MIT
#include "image/memory.hpp"

#include <algorithm>
#include "base/pages.hpp"

namespace heddle::image {

Memory::Memory(std::size_t bytes) {
  auto zeros = base::zero_bytes(bytes);
  bytes_ = {zeros.get(), bytes};
  owner_ = std::move(zeros);
}

void Memory::resize(std::size_t bytes) {
  Memory next(bytes);
  std::ranges::copy(bytes_.first(std::min(bytes, bytes_.size())), next.begin());
  *this = std::move(next);
}

bool operator==(const Memory& a, const Memory& b) { return std::ranges::equal(a.bytes_, b.bytes_); }

}  // namespace heddle::image
