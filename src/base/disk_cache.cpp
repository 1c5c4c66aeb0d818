// SPDX-License-Identifier: MIT
#include "base/disk_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <sstream>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/variable.hpp"

namespace heddle::base {

namespace fs = std::filesystem;

namespace {

/// What stands before the bytes in a file.
struct Header {
  char magic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'K', '2'};
  std::uint64_t bytes = 0;
  KeyMaker::Sum check;
};

Header header_of(std::string_view kind, const std::string& key, const std::vector<std::uint8_t>& object) {
  Header header;
  header.bytes = object.size();
  KeyMaker sum;
  sum.text(kind);
  sum.text(key);
  sum.add(object.data(), object.size());
  header.check = sum.sum();
  return header;
}

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// The same, but one that was there is taken to stay: the system takes microseconds to say so.
bool was_folder(const std::string& path) {
  static std::mutex& mutex = *new std::mutex;  // never destroyed: who ends last may ask
  static std::string& known = *new std::string;
  {
    const std::lock_guard guard(mutex);
    if (path == known) return true;
  }
  if (!is_folder(path)) return false;
  const std::lock_guard guard(mutex);
  known = path;
  return true;
}

/// The folder of somebody who names none when a cache is made, and the one that it is made in, which is never made;
/// that is empty where everything may be.
struct UsualFolder {
  std::string path, above;
};

UsualFolder usual_folder() {
  if (auto own = read_text_variable(Variable::CacheFolder)) return {*std::move(own), ""};
  // A folder of caches may be made, the home that it is in may not.
  if (const auto cache = read_text_variable(Variable::UserCaches); cache && cache->starts_with('/'))
    return {*cache + "/heddle/kernels", fs::path(*cache).parent_path()};
  if (const auto home = read_text_variable(Variable::Home); home && home->starts_with('/'))
    return {*home + "/.cache/heddle/kernels", *home};
  return {};
}

std::string default_folder() {
  UsualFolder usual = usual_folder();
  return usual.above.empty() || was_folder(usual.above) ? std::move(usual.path) : std::string();
}

/// An open file; closed at the end.
struct File {
  explicit File(int descriptor) : fd(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (fd >= 0) ::close(fd);
  }
  [[nodiscard]] bool read(void* to, std::size_t bytes) const {
    auto* at = static_cast<char*>(to);
    while (bytes != 0) {
      const ssize_t got = ::read(fd, at, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  [[nodiscard]] bool write(const void* from, std::size_t bytes) const {
    const auto* at = static_cast<const char*>(from);
    while (bytes != 0) {
      const ssize_t done = ::write(fd, at, bytes);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      at += done;
      bytes -= static_cast<std::size_t>(done);
    }
    return true;
  }
  int fd;
};

/// A file that was used lately stays longer; that it was is written down this often.
constexpr std::int64_t kTouchSeconds = 3600;

/// The file that holds how many bytes trim() found and left, and for how long that is believed.
constexpr const char* kCounted = "/counted";
constexpr std::int64_t kCountSeconds = 60;

}  // namespace

void KeyMaker::add(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const std::uint8_t*>(data);
  length_ += bytes;
  const auto load = [](const std::uint8_t* from, std::size_t n) {
    std::uint64_t w = 0;
    std::memcpy(&w, from, n);
    return w;
  };
  if (bytes >= 64) {  // four at a time
    std::uint64_t lanes[4] = {a_, b_, ~a_, ~b_};
    for (; bytes >= 32; at += 32, bytes -= 32)
      for (unsigned i = 0; i < 4; ++i) {
        lanes[i] = (lanes[i] ^ load(at + 8 * i, 8)) * 0x9fb21c651e98df25u;
        lanes[i] ^= lanes[i] >> 31;
      }
    for (const std::uint64_t lane : lanes) word(lane);
  }
  for (; bytes >= 8; at += 8, bytes -= 8) word(load(at, 8) ^ std::uint64_t{8} << 59);
  if (bytes != 0) word(load(at, bytes) ^ static_cast<std::uint64_t>(bytes) << 59);
}

KeyMaker::Sum KeyMaker::sum() const { return {mixed(a_ + length_), mixed(b_ ^ (a_ + 0x589965cc75374cc3u))}; }

std::string KeyMaker::hex() const {
  const Sum s = sum();
  return fmt::format("{:016x}{:016x}", s.low, s.high);
}

DiskCache::DiskCache(std::string_view kind) : DiskCache(kind, default_folder(), kMaxBytes) {}

DiskCache::DiskCache(std::string_view kind, std::string folder, std::uint64_t most_bytes)
    : kind_(kind), folder_(std::move(folder)), most_bytes_(most_bytes) {}

std::string DiskCache::path_of(const std::string& key) const { return fmt::format("{}/{}.{}", folder_, key, kind_); }

std::optional<std::vector<std::uint8_t>> DiskCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const File file(::open(path_of(key).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  Header header;
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode) || !file.read(&header, sizeof header))
    return std::nullopt;
  if (status.st_uid != ::geteuid() && status.st_uid != 0) return std::nullopt;  // it may be code, which will run
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (std::memcmp(header.magic, Header{}.magic, sizeof header.magic) != 0 || size < sizeof header ||
      header.bytes != size - sizeof header || header.bytes > most_bytes_)
    return std::nullopt;
  std::vector<std::uint8_t> object(static_cast<std::size_t>(header.bytes));
  if (!file.read(object.data(), object.size())) return std::nullopt;
  if (!(header_of(kind_, key, object).check == header.check)) return std::nullopt;
  if (const std::time_t now = std::time(nullptr); now > status.st_mtim.tv_sec + kTouchSeconds) {
    const struct timespec times[2] = {{0, UTIME_OMIT}, {now, 0}};
    (void)::futimens(file.fd, times);
  }
  return object;
}

void DiskCache::store(const std::string& key, const std::vector<std::uint8_t>& object) const {
  if (folder_.empty() || object.size() > most_bytes_ / 4) return;
  // Where there was a home there may be none now.
  if (const UsualFolder usual = usual_folder();
      folder_ == usual.path && !usual.above.empty() && !is_folder(usual.above))
    return;
  if (!make_folders(folder_)) return;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::string part = fmt::format("{}/{}.{}.{:x}.part", folder_, key, ::getpid(), now);
  bool good = false;
  {
    const File file(::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file.fd < 0) return;
    const Header header = header_of(kind_, key, object);
    good = file.write(&header, sizeof header) && file.write(object.data(), object.size());
  }
  if (!good || ::rename(part.c_str(), path_of(key).c_str()) != 0) ::unlink(part.c_str());
  // Looking at every file takes milliseconds where there are thousands: one store in 16 does it, so that processes that
  // store little do their part, and every time when much came in; not where somebody has just seen that there is room.
  static std::atomic<std::uint64_t> unseen = 0;
  const std::uint64_t since = unseen += object.size();
  if ((since <= most_bytes_ / 16 && !key.ends_with('0')) || has_room(since)) return;
  unseen = 0;
  trim();
}

/// Whether the last trim() was not long ago, and its files and `more` bytes are not more than there may be.
bool DiskCache::has_room(std::uint64_t more) const {
  const File file(::open((folder_ + kCounted).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  std::uint64_t counted = 0;
  if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || status.st_size != sizeof counted ||
      !file.read(&counted, sizeof counted))
    return false;
  const std::int64_t age = std::time(nullptr) - status.st_mtim.tv_sec;
  return age >= 0 && age < kCountSeconds && counted <= most_bytes_ && more <= most_bytes_ &&
         counted + more <= most_bytes_;
}

void DiskCache::trim() const {
  struct Entry {
    std::string name;
    std::int64_t seconds, nanoseconds;  // of the last change
    std::uint64_t bytes;
  };
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(folder_.c_str()), &::closedir);
  if (!folder) return;
  const int at = ::dirfd(folder.get());
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  const std::int64_t stale = std::time(nullptr) - 3600;
  while (const dirent* next = ::readdir(folder.get())) {
    const std::string_view name = next->d_name;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) continue;
    const std::string_view ending = name.substr(dot + 1);
    const bool ours = std::ranges::find(kKinds, ending) != std::end(kKinds), part = ending == "part";
    struct stat status{};
    if ((!ours && !part) || ::fstatat(at, next->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (part) {  // left by a process that died
      if (status.st_mtim.tv_sec < stale) ::unlinkat(at, next->d_name, 0);
      continue;
    }
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    total += bytes;
    entries.push_back({std::string(name), status.st_mtim.tv_sec, status.st_mtim.tv_nsec, bytes});
  }
  if (total > most_bytes_) {
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.seconds, e.nanoseconds); });
    for (const Entry& entry : entries) {
      if (total <= most_bytes_ / 4 * 3) break;
      if (::unlinkat(at, entry.name.c_str(), 0) == 0) total -= entry.bytes;
    }
  }
  const File counted(::open((folder_ + kCounted).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (counted.fd >= 0) (void)counted.write(&total, sizeof total);
}

namespace {

/// A line of /proc/self/maps: the part of a file that holds this code.
struct MappedFile {
  std::string device, inode, path;
};

MappedFile file_of_this_code() {
  const auto wanted = reinterpret_cast<std::uintptr_t>(&build_name);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string rights, offset;
    MappedFile file;
    words >> std::hex >> begin >> dash >> end >> rights >> offset >> file.device >> file.inode >> std::ws;
    std::getline(words, file.path);
    if (wanted >= begin && wanted < end) return file;
  }
  return {};
}

}  // namespace

std::string build_name() {
  static const std::string name = [] {
    const MappedFile file = file_of_this_code();
    struct stat status{};
    // The kernel knows the whole path, whatever name the loader was given. A file that was replaced has none.
    if (::stat(file.path.c_str(), &status) != 0) return file.device + "." + file.inode;
    return fmt::format("{}.{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }();
  return name;
}

}  // namespace heddle::base
