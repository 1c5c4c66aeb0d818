// SPDX-License-Identifier: MIT
#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/byte_cursor.hpp"
#include "base/variable.hpp"

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

/// Standard output, a device or a pipe: nothing that a file could be renamed over.
bool is_stream(const std::string& path) {
  struct stat info{};
  return path == "-" || (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode));
}

Result<Done> write_stream(const std::string& path, std::span<const std::uint8_t> bytes) {
  const bool standard = path == "-";
  const int fd = standard ? STDOUT_FILENO : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return file_error("file-write", "write", path, errno);
  const bool good = write_all(fd, bytes);
  const int code = errno;
  if (!standard) ::close(fd);
  if (!good)
    return file_error(standard && code == EPIPE ? "file-pipe" : "file-write", "write",
                      standard ? "standard output" : path, code);
  return Done{};
}

/// An empty file beside `path`, with the rights of a new file; negative where there can be none (errno).
int make_temporary(const std::string& path, std::string& temporary) {
  struct stat info{};
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    errno = EISDIR;
    return -1;
  }
  temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return fd;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(fd, 0666 & ~mask);
  return fd;
}

/// Writes and closes; 0 or the error's number.
int fill(int fd, std::span<const std::uint8_t> bytes) {
  const int code = write_all(fd, bytes) ? 0 : errno;
  const int closed = ::close(fd) == 0 ? 0 : errno;
  return code != 0 ? code : closed;
}

/// Disks, /dev/zero and the like; not files, pipes, sockets, terminals, and what has nothing in it.
bool is_endless(int fd, const struct stat& info) {
  struct stat null{};
  if (S_ISBLK(info.st_mode)) return true;
  return S_ISCHR(info.st_mode) && ::isatty(fd) == 0 &&
         !(::stat("/dev/null", &null) == 0 && null.st_rdev == info.st_rdev);
}

}  // namespace

Result<int> open_input(const std::string& path) {
  const bool standard = path == "-";
  const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_error("file-open", "open", path, errno);
  struct stat info{};
  const bool known = ::fstat(fd, &info) == 0;
  const bool folder = known && S_ISDIR(info.st_mode);
  if (!folder && !is_endless(fd, info)) return fd;
  if (!standard) ::close(fd);
  if (folder) return file_error("file-read", "read", path, EISDIR);
  return error("file-read", fmt::format("cannot read '{}': a device has no end", path), Place::in_file(path));
}

namespace {

/// Bytes: a vector of bytes, or a string. Read in place, so that a file is in memory once.
template <typename Bytes>
Result<Bytes> read_whole(const std::string& path, const Limits& limits) {
  const bool standard = path == "-";
  const Result<int> opened = open_input(path);
  if (!opened.ok()) return opened.failure();
  const int fd = *opened;
  struct stat info{};
  if (::fstat(fd, &info) != 0) info = {};
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
  if (is_stream(path)) return write_stream(path, bytes);
  std::string temporary;
  const int fd = make_temporary(path, temporary);
  if (fd < 0) return file_error("file-write", "write", path, errno);
  int code = fill(fd, bytes);
  if (code == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return Done{};
  ::unlink(temporary.c_str());
  return file_error("file-write", "write", path, code);
}

Result<Done> check_writable(const std::string& path) {
  if (is_stream(path)) {
    if (path == "-" || ::access(path.c_str(), W_OK) == 0) return Done{};
    return file_error("file-write", "write", path, errno);
  }
  std::string temporary;
  const int fd = make_temporary(path, temporary);
  if (fd < 0) return file_error("file-write", "write", path, errno);
  ::close(fd);
  ::unlink(temporary.c_str());
  return Done{};
}

Result<Done> write_file(const std::string& path, std::string_view text) { return write_file(path, as_bytes(text)); }

OutputFiles::~OutputFiles() {
  for (const File& file : files_)
    if (!file.temporary.empty()) ::unlink(file.temporary.c_str());
}

Result<Done> OutputFiles::add(const std::string& path, std::span<const std::uint8_t> bytes) {
  if (is_stream(path)) {
    files_.push_back({path, {}, {bytes.begin(), bytes.end()}});
    return Done{};
  }
  const Result<int> fd = open(path);
  if (!fd.ok()) return fd.failure();
  if (const int code = fill(*fd, bytes); code != 0) return file_error("file-write", "write", path, code);
  return Done{};
}

namespace {

/// Without dots and without a slash at its end.
std::filesystem::path plain(const std::filesystem::path& path) {
  const std::filesystem::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_at_or_below(const std::filesystem::path& path, const std::filesystem::path& top) {
  const auto [of_path, of_top] = std::mismatch(path.begin(), path.end(), top.begin(), top.end());
  return of_top == top.end();
}

}  // namespace

bool make_folders(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return true;
  const std::filesystem::path wanted = plain(std::filesystem::absolute(folder, error));
  const std::optional<std::string> home = read_text_variable(Variable::Home);
  if (home && home->starts_with('/') && !std::filesystem::is_directory(*home, error) &&
      is_at_or_below(wanted, plain(*home)))
    return false;
  std::filesystem::create_directories(wanted, error);
  return std::filesystem::is_directory(wanted, error);
}

Result<Done> OutputFiles::add(const std::string& path, std::string_view text) { return add(path, as_bytes(text)); }

Result<int> OutputFiles::open(const std::string& path) {
  if (is_stream(path)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return file_error("file-write", "write", path, errno);
    return fd;
  }
  // A folder that cannot be made is reported by the file that cannot be written.
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    (void)make_folders(folder.string());
  File file{path, {}, {}};
  const int fd = make_temporary(path, file.temporary);
  if (fd < 0) return file_error("file-write", "write", path, errno);
  files_.push_back(std::move(file));
  return fd;
}

Result<Done> OutputFiles::commit() {
  for (const File& file : files_)
    if (file.temporary.empty())
      if (auto done = write_stream(file.path, file.bytes); !done.ok()) return done;
  std::vector<Diagnostic> problems;
  for (File& file : files_) {
    if (file.temporary.empty()) continue;
    if (::rename(file.temporary.c_str(), file.path.c_str()) == 0)
      file.temporary.clear();
    else
      problems.push_back(file_error("file-write", "write", file.path, errno));
  }
  std::erase_if(files_, [](const File& file) { return file.temporary.empty(); });
  if (!problems.empty()) return Failure(std::move(problems));
  return Done{};
}

bool is_file_error(const Diagnostic& diagnostic) { return diagnostic.id.rfind("file-", 0) == 0; }

}  // namespace heddle::base
