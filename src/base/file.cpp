#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/byte_cursor.hpp"

namespace heddle::base {
namespace {

Diagnostic file_error(const char* id, const char* action, const std::string& path, int code) {
  return error(id, fmt::format("cannot {} '{}': {}", action, path, std::strerror(code)), Place::in_file(path));
}

bool write_all(int fd, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Result<std::vector<std::uint8_t>> read_file(const std::string& path, const Limits& limits) {
  const bool standard = path == "-";
  const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error("file-open", "open", path, errno);
  struct stat info {};
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    if (!standard) ::close(fd);
    return file_error("file-read", "read", path, EISDIR);
  }
  std::vector<std::uint8_t> bytes;
  if (S_ISREG(info.st_mode) && info.st_size > 0 && static_cast<std::uint64_t>(info.st_size) <= limits.input_bytes)
    bytes.reserve(static_cast<std::size_t>(info.st_size) + 1);
  std::vector<std::uint8_t> block(1 << 16);
  for (;;) {
    const ssize_t n = ::read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int code = errno;
      if (!standard) ::close(fd);
      return file_error("file-read", "read", path, code);
    }
    if (n == 0) break;
    if (bytes.size() + static_cast<std::size_t>(n) > limits.input_bytes) {
      if (!standard) ::close(fd);
      return limit_error("limit-input", fmt::format("'{}' is larger than {} bytes; --max-input raises the limit", path, limits.input_bytes),
                         Place::in_file(path));
    }
    bytes.insert(bytes.end(), block.begin(), block.begin() + n);
  }
  if (!standard) ::close(fd);
  return bytes;
}

Result<Done> write_file(const std::string& path, std::span<const std::uint8_t> bytes) {
  if (path == "-") {
    if (!write_all(STDOUT_FILENO, bytes)) return file_error("file-write", "write", "standard output", errno);
    return Done{};
  }
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {  // a device or pipe: nothing to rename over
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return file_error("file-write", "write", path, errno);
    const bool good = write_all(fd, bytes);
    const int code = errno;
    ::close(fd);
    if (!good) return file_error("file-write", "write", path, code);
    return Done{};
  }
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) return file_error("file-write", "write", path, errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  bool good = write_all(fd, bytes) && ::fchmod(fd, 0666 & ~mask) == 0;
  int code = errno;
  if (::close(fd) != 0 && good) {
    good = false;
    code = errno;
  }
  if (good && ::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    code = errno;
  }
  if (!good) {
    ::unlink(temporary.c_str());
    return file_error("file-write", "write", path, code);
  }
  return Done{};
}

Result<Done> write_file(const std::string& path, std::string_view text) { return write_file(path, as_bytes(text)); }

bool is_file_error(const Diagnostic& diagnostic) { return diagnostic.id.rfind("file-", 0) == 0; }

}  // namespace heddle::base
