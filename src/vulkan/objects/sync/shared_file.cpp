// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/shared_file.hpp"

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::vulkan {
namespace {

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

constexpr const char* kDmaBufMaker = "/dev/udmabuf";

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}
int FileHandle::duplicate() const { return ::fcntl(fd_, F_DUPFD_CLOEXEC, 0); }

FileHandle make_file(std::size_t bytes) {
  FileHandle file(::memfd_create("heddle", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(whole_pages(bytes))) != 0) return {};
  // What others have mapped must not go.
  (void)::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK);
  return file;
}

std::uint64_t file_size(int fd) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) return 0;
  if (about.st_size > 0) return static_cast<std::uint64_t>(about.st_size);
  const off_t end = ::lseek(fd, 0, SEEK_END);  // a dma-buf says it in this way alone
  return end > 0 ? static_cast<std::uint64_t>(end) : 0;
}

std::shared_ptr<void> map_file(int fd, std::size_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) return nullptr;
  return {at, [bytes](void* mapped) { ::munmap(mapped, bytes); }};
}

FileHandle make_dma_buf(const FileHandle& file, std::size_t bytes) {
  const FileHandle maker(::open(kDmaBufMaker, O_RDWR | O_CLOEXEC));
  if (!maker) return {};
  udmabuf_create wanted{};
  wanted.memfd = static_cast<__u32>(file.get());
  wanted.flags = UDMABUF_FLAGS_CLOEXEC;
  wanted.size = whole_pages(bytes);
  return FileHandle(::ioctl(maker.get(), UDMABUF_CREATE, &wanted));
}

}  // namespace heddle::vulkan
