#include "base/pages.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace heddle::base {

std::shared_ptr<std::uint8_t> zero_bytes(std::size_t bytes) {
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20;
  if (bytes == 0) return nullptr;
  auto* memory = static_cast<std::uint8_t*>(std::calloc(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
  // A wish: without it everything is the same but slower.
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  return {memory, std::free};
}

}  // namespace heddle::base
