// SPDX-License-Identifier: MIT
#pragma once
// Shareable bytes (base/pages.hpp) that are a file's: where the system maps no mapping a second time.

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace heddle::base {

/// The files of this process, by the place where they are mapped. May be used by several threads.
class PageFiles {
 public:
  static PageFiles& all();
  /// As mmap, with zeros of a file of their own, which is kept until `forget`, or until others are mapped at the place.
  void* map(void* wanted, std::size_t bytes, int flags);
  void forget(const std::uint8_t* at);
  /// Nothing where the bytes are no file's; else whether they are at `to` too.
  std::optional<bool> show(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes);
  /// The file has a hole there. False: it is no file's.
  bool clear(const std::uint8_t* at, std::size_t bytes);

 private:
  struct File {
    std::size_t bytes = 0;
    int number = -1;
  };
  struct Place {
    int file = -1;
    off_t offset = 0;
  };
  std::optional<Place> find_locked(const std::uint8_t* at) const;
  /// Its file, which is nobody's any more; -1: there is none.
  int take_locked(const std::uint8_t* at);
  std::atomic<bool> any_ = false;  ///< there ever were some: on most systems there never are
  std::mutex mutex_;
  std::map<const std::uint8_t*, File> files_;
};

/// As `shareable_zero_bytes`, which gives these where it must: a file's, which `show_pages` maps.
[[nodiscard]] std::shared_ptr<std::uint8_t> zero_bytes_of_a_file(std::size_t bytes);
/// Gives whole pages of shareable bytes back to the system, wherever they stand: they are zeros again. What the system
/// can't give back stays.
void clear_shareable_pages(std::uint8_t* at, std::size_t bytes);

}  // namespace heddle::base
