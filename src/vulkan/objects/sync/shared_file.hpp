// SPDX-License-Identifier: MIT
#pragma once
// Files without a name, which processes share by their descriptors: memory, and the state of semaphores and fences.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::vulkan {

/// A file descriptor that is closed when nobody has it any more.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& from) noexcept {
    std::swap(fd_, from.fd_);
    return *this;
  }
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  ~FileHandle();
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  /// Another descriptor of the file, for somebody who closes it; -1: there can't be more.
  [[nodiscard]] int duplicate() const;
  /// It is somebody else's to close from here on.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// A new file of zeros; none: the system has no room.
[[nodiscard]] FileHandle make_file(std::size_t bytes);
/// Bytes of a file, of memory that others have made; 0: it is none that has bytes.
[[nodiscard]] std::uint64_t file_size(int fd);
/// The first bytes of a file, mapped as long as the pointer lives; null: it can't be.
[[nodiscard]] std::shared_ptr<void> map_file(int fd, std::size_t bytes);

/// A buffer of the kind that devices share (dma-buf) over all of a file of make_file; none: it can't be.
[[nodiscard]] FileHandle make_dma_buf(const FileHandle& file, std::size_t bytes);

}  // namespace heddle::vulkan
