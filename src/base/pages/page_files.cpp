// SPDX-License-Identifier: MIT
#include "base/pages/page_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <iterator>

namespace heddle::base {
namespace {
constexpr int kReadWrite = PROT_READ | PROT_WRITE;
}

PageFiles& PageFiles::all() {
  static auto* const files = new PageFiles;  // bytes may outlive every static object
  return *files;
}

void* PageFiles::map(void* wanted, std::size_t bytes, int flags) {
  const int file = memfd_create("heddle-pages", MFD_CLOEXEC);
  if (file < 0) return MAP_FAILED;
  void* at = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0) at = mmap(wanted, bytes, kReadWrite, flags, file, 0);
  if (at == MAP_FAILED) {
    (void)close(file);
    return at;
  }
  any_ = true;
  int before = -1;
  {
    const std::lock_guard lock(mutex_);
    before = take_locked(static_cast<std::uint8_t*>(at));
    files_[static_cast<std::uint8_t*>(at)] = {bytes, file};
  }
  if (before >= 0) (void)close(before);
  return at;
}

void PageFiles::forget(const std::uint8_t* at) {
  if (!any_) return;
  int file = -1;
  {
    const std::lock_guard lock(mutex_);
    file = take_locked(at);
  }
  if (file >= 0) (void)close(file);  // others need not wait for the system
}

std::optional<bool> PageFiles::show(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::optional<Place> place = find_locked(from);
  if (!place) return std::nullopt;
  return mmap(to, bytes, kReadWrite, MAP_SHARED | MAP_FIXED, place->file, place->offset) == to;
}

bool PageFiles::clear(const std::uint8_t* at, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::optional<Place> place = find_locked(at);
  constexpr int kHole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  return place && fallocate(place->file, kHole, place->offset, static_cast<off_t>(bytes)) == 0;
}

std::optional<PageFiles::Place> PageFiles::find_locked(const std::uint8_t* at) const {
  const auto behind = files_.upper_bound(at);
  if (behind == files_.begin()) return std::nullopt;
  const auto& [begin, file] = *std::prev(behind);
  const auto offset = static_cast<std::size_t>(at - begin);
  return offset < file.bytes ? std::optional(Place{file.number, static_cast<off_t>(offset)}) : std::nullopt;
}

int PageFiles::take_locked(const std::uint8_t* at) {
  const auto found = files_.find(at);
  if (found == files_.end()) return -1;
  const int file = found->second.number;
  files_.erase(found);
  return file;
}

std::shared_ptr<std::uint8_t> zero_bytes_of_a_file(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* const at = PageFiles::all().map(nullptr, bytes, MAP_SHARED);
  if (at == MAP_FAILED) return nullptr;
  return {static_cast<std::uint8_t*>(at), [bytes](std::uint8_t* pages) {
            PageFiles::all().forget(pages);
            (void)munmap(pages, bytes);
          }};
}

void clear_shareable_pages(std::uint8_t* at, std::size_t bytes) {
  if (!PageFiles::all().clear(at, bytes)) (void)madvise(at, bytes, MADV_REMOVE);
}

}  // namespace heddle::base
