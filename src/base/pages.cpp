#include "base/pages.hpp"

#include <sys/mman.h>

namespace heddle::base {

std::vector<std::uint8_t> zero_bytes(std::size_t bytes) {
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
  std::vector<std::uint8_t> memory;
  memory.reserve(bytes);
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory.data()) + bytes) / kPage * kPage;
  // A wish: without it everything is the same but slower.
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  memory.resize(bytes);
  return memory;
}

}  // namespace heddle::base
