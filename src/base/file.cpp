#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

/// Bytes: a vector of bytes, or a string. Read in place, so that a file is in memory once.
template <typename Bytes>
Result<Bytes> read_whole(const std::string& path, const Limits& limits) {
  const bool standard = path == "-";
  const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error("file-open", "open", path, errno);
  struct stat info{};
  if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
    if (!standard) ::close(fd);
    return file_error("file-read", "read", path, EISDIR);
  }
  constexpr std::size_t kBlock = 1 << 16;
  Bytes bytes;
  if (S_ISREG(info.st_mode) && info.st_size > 0 && static_cast<std::uint64_t>(info.st_size) <= limits.input_bytes)
    bytes.resize(static_cast<std::size_t>(info.st_size) +
                 1);  // one more: the read that fills it shows that the file is longer
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(used + std::max(kBlock, used / 2));
    const ssize_t n = ::read(fd, bytes.data() + used, bytes.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int code = errno;
      if (!standard) ::close(fd);
      return file_error("file-read", "read", path, code);
    }
    if (n == 0) break;
    used += static_cast<std::size_t>(n);
    if (used > limits.input_bytes) {
      if (!standard) ::close(fd);
      return limit_error(
          "limit-input",
          fmt::format("'{}' is larger than {} bytes; --max-input raises the limit", path, limits.input_bytes),
          Place::in_file(path));
    }
  }
  if (!standard) ::close(fd);
  bytes.resize(used);
  return bytes;
}

}  // namespace

Result<std::vector<std::uint8_t>> read_file(const std::string& path, const Limits& limits) {
  return read_whole<std::vector<std::uint8_t>>(path, limits);
}
Result<std::string> read_text(const std::string& path, const Limits& limits) {
  return read_whole<std::string>(path, limits);
}

Result<Done> write_file(const std::string& path, std::span<const std::uint8_t> bytes) {
  if (path == "-") {
    if (!write_all(STDOUT_FILENO, bytes)) return file_error("file-write", "write", "standard output", errno);
    return Done{};
  }
  struct stat info{};
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
