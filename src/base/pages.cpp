// SPDX-License-Identifier: MIT
#include "base/pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <optional>

#include "base/pages/page_files.hpp"

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

namespace {

constexpr int kReadWrite = PROT_READ | PROT_WRITE;

/// Maps the pages of a shared mapping a second time. Of size 0: the mapping stays where it is (mremap(2)).
bool map_again(std::uint8_t* to, std::uint8_t* from, std::size_t bytes) {
  return mremap(from, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

/// Not all do: qemu's emulation of programs refuses.
bool system_maps_again() {
  static const bool does = [] {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const one = mmap(nullptr, page, kReadWrite, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
    void* const other = mmap(nullptr, page, kReadWrite, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    if (one == MAP_FAILED || other == MAP_FAILED) return true;
    const bool again = map_again(static_cast<std::uint8_t*>(other), static_cast<std::uint8_t*>(one), page);
    (void)munmap(one, page);
    (void)munmap(other, page);
    return again;
  }();
  return does;
}

/// As mmap, with zeros.
void* map_zeros(void* wanted, std::size_t bytes, int flags, bool file) {
  if (file) return PageFiles::all().map(wanted, bytes, flags);
  return mmap(wanted, bytes, kReadWrite, flags | MAP_ANONYMOUS, -1, 0);
}
void unmap(std::uint8_t* at, std::size_t bytes) {
  PageFiles::all().forget(at);
  (void)munmap(at, bytes);
}

std::shared_ptr<std::uint8_t> map_pages(std::size_t bytes, int flags, bool file) {
  if (bytes == 0) return nullptr;
  void* const at = map_zeros(nullptr, bytes, flags, file);
  if (at == MAP_FAILED) return nullptr;
  constexpr std::size_t kLarge = std::size_t{2} << 20;
  if (bytes >= kLarge) (void)madvise(at, bytes, MADV_HUGEPAGE);  // a wish, as above
  return {static_cast<std::uint8_t*>(at), [bytes](std::uint8_t* pages) { unmap(pages, bytes); }};
}

}  // namespace

std::shared_ptr<std::uint8_t> shareable_zero_bytes(std::size_t bytes) {
  return map_pages(bytes, MAP_SHARED, !system_maps_again());
}

std::shared_ptr<std::uint8_t> reserve_addresses(std::size_t bytes) {
  return map_pages(bytes, MAP_PRIVATE | MAP_NORESERVE, false);
}

namespace {

/// Far from where programs, libraries and heaps lie: 32 TiB and up.
std::atomic<std::uintptr_t> next_place{std::uintptr_t{0x2000} << 32};

std::uint8_t* take_place(std::size_t bytes) {
  constexpr std::uintptr_t kStep = std::uintptr_t{1} << 21;  // of large pages
  return reinterpret_cast<std::uint8_t*>(next_place.fetch_add((bytes + kStep - 1) / kStep * kStep));
}

/// What zero_bytes_at gave, and nobody has unmapped yet.
class PlacedRanges {
 public:
  static PlacedRanges& all() {
    static auto* const ranges = new PlacedRanges;  // bytes may outlive every static object
    return *ranges;
  }
  std::shared_ptr<std::uint8_t> keep(std::uint8_t* at, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    return keep_locked(at, bytes);
  }
  void give_up(const std::uint8_t* at) {
    const std::lock_guard lock(mutex_);
    if (const auto found = ranges_.find(at); found != ranges_.end()) found->second.given_up = true;
  }
  /// New zeros where given-up bytes lie; null where there are none of that size.
  std::shared_ptr<std::uint8_t> replace(std::uint8_t* at, std::size_t bytes, int flags, bool file) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(at);
    if (found == ranges_.end() || !found->second.given_up || pages_of(found->second.bytes) != pages_of(bytes))
      return nullptr;
    if (map_zeros(at, bytes, flags | MAP_FIXED, file) != at) return nullptr;
    return keep_locked(at, bytes);
  }

 private:
  struct Range {
    std::size_t bytes = 0;
    std::uint64_t number = 0;
    bool given_up = false;
  };
  static std::size_t pages_of(std::size_t bytes) {
    static const auto kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (bytes + kPage - 1) / kPage;
  }
  std::shared_ptr<std::uint8_t> keep_locked(std::uint8_t* at, std::size_t bytes) {
    const std::uint64_t number = ++last_;
    ranges_[at] = {bytes, number, false};
    return {at, [this, number](std::uint8_t* pages) { remove(pages, number); }};
  }
  /// Unless others stand there by now.
  void remove(std::uint8_t* at, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = ranges_.find(at);
    if (found == ranges_.end() || found->second.number != number) return;
    unmap(at, found->second.bytes);
    ranges_.erase(found);
  }

  std::mutex mutex_;
  std::map<const std::uint8_t*, Range> ranges_;
  std::uint64_t last_ = 0;
};

}  // namespace

void give_up_bytes_at(const std::uint8_t* address) { PlacedRanges::all().give_up(address); }

std::shared_ptr<std::uint8_t> zero_bytes_at(std::uint8_t* address, std::size_t bytes, PlacedPages how) {
  constexpr int kTries = 64;  // an address may be one that a replay has asked for
  constexpr std::size_t kMax = std::size_t{1} << 46;
  if (bytes == 0 || bytes > kMax) return nullptr;
  const int flags = (how.shareable ? MAP_SHARED : MAP_PRIVATE) | (how.reserved ? MAP_NORESERVE : 0);
  const bool file = how.shareable && !system_maps_again();
  for (int k = 0; k < (address != nullptr ? 1 : kTries); ++k) {
    std::uint8_t* const wanted = address != nullptr ? address : take_place(bytes);
    void* const at = map_zeros(wanted, bytes, flags | MAP_FIXED_NOREPLACE, file);
    if (at == wanted) return PlacedRanges::all().keep(wanted, bytes);
    // Kernels before 4.17 take the address for a wish.
    if (at != MAP_FAILED) unmap(static_cast<std::uint8_t*>(at), bytes);
  }
  if (address != nullptr) return PlacedRanges::all().replace(address, bytes, flags, file);
  // Not so high on this machine: anywhere, which a replay may find taken.
  return map_pages(bytes, flags, file);
}

bool show_pages(std::uint8_t* to, std::uint8_t* from, std::size_t bytes) {
  const std::optional<bool> shown = PageFiles::all().show(to, from, bytes);
  return shown ? *shown : map_again(to, from, bytes);
}

bool hide_pages(std::uint8_t* at, std::size_t bytes) {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  return mmap(at, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0) != MAP_FAILED;
}

}  // namespace heddle::base
