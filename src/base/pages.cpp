// SPDX-License-Identifier: MIT
#include "base/pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace heddle::base {

std::shared_ptr<std::uint8_t> zero_bytes(std::size_t bytes) {
  constexpr std::uintptr_t kPage = std::uintptr_t{2} << 20, kLine = 64;
  if (bytes == 0) return nullptr;
  if (bytes > SIZE_MAX - kLine) throw std::bad_alloc();
  void* const block = std::calloc(bytes + kLine - 1, 1);
  if (block == nullptr) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  auto* const memory = static_cast<std::uint8_t*>(block) + ((address + kLine - 1) / kLine * kLine - address);
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / kPage * kPage;
  // A wish: without it everything is the same but slower.
  if (begin < end) (void)madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  return {std::shared_ptr<void>(block, std::free), memory};
}

}  // namespace heddle::base
