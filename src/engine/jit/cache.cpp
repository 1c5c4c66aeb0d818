#include "engine/jit/cache.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace heddle::engine::jit {

namespace fs = std::filesystem;

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 29;
  x *= 0xa0761d6478bd642fu;
  return x ^ x >> 32;
}

/// What stands before the machine code in a file.
struct Header {
  char magic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'K', '1'};
  std::uint64_t bytes = 0;
  std::uint64_t check[2] = {};
};

Header header_of(const std::string& key, const std::vector<std::uint8_t>& object) {
  Header header;
  header.bytes = object.size();
  KeyMaker sum;
  sum.text(key);
  sum.add(object.data(), object.size());
  const std::string hex = sum.hex();
  header.check[0] = std::strtoull(hex.substr(0, 16).c_str(), nullptr, 16);
  header.check[1] = std::strtoull(hex.substr(16, 16).c_str(), nullptr, 16);
  return header;
}

std::string default_folder() {
  if (const char* own = std::getenv("HEDDLE_CACHE_DIR")) return own;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/')
    return std::string(cache) + "/heddle/kernels";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.cache/heddle/kernels";
  return {};
}

}  // namespace

void KeyMaker::add(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const std::uint8_t*>(data);
  length_ += bytes;
  while (bytes != 0) {
    std::uint64_t word = 0;
    const std::size_t take = std::min<std::size_t>(bytes, 8);
    std::memcpy(&word, at, take);
    word ^= static_cast<std::uint64_t>(take) << 59;
    a_ = mixed(a_ ^ word) + b_;
    b_ = mixed(b_ + word * 0x9fb21c651e98df25u) ^ (a_ << 23 | a_ >> 41);
    at += take;
    bytes -= take;
  }
}

std::string KeyMaker::hex() const {
  return fmt::format("{:016x}{:016x}", mixed(a_ + length_), mixed(b_ ^ (a_ + 0x589965cc75374cc3u)));
}

DiskCache::DiskCache(std::uint64_t most_bytes) : folder_(default_folder()), most_bytes_(most_bytes) {}

std::optional<std::vector<std::uint8_t>> DiskCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = fs::path(folder_) / (key + ".kernel");
  std::ifstream file(path, std::ios::binary);
  Header header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || std::memcmp(header.magic, Header{}.magic, sizeof header.magic) != 0 || size < sizeof header ||
      header.bytes != size - sizeof header || header.bytes > most_bytes_)
    return std::nullopt;
  std::vector<std::uint8_t> object(static_cast<std::size_t>(header.bytes));
  if (!file.read(reinterpret_cast<char*>(object.data()), static_cast<std::streamsize>(object.size())))
    return std::nullopt;
  const Header wanted = header_of(key, object);
  if (wanted.check[0] != header.check[0] || wanted.check[1] != header.check[1]) return std::nullopt;
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);  // used lately: it stays longer
  return object;
}

void DiskCache::store(const std::string& key, const std::vector<std::uint8_t>& object) const {
  if (folder_.empty() || object.size() > most_bytes_ / 4) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const fs::path part = fs::path(folder_) / fmt::format("{}.{}.{:x}.part", key, ::getpid(), now);
  {
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    const Header header = header_of(key, object);
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    file.write(reinterpret_cast<const char*>(object.data()), static_cast<std::streamsize>(object.size()));
    file.flush();
    if (!file) {
      file.close();
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, fs::path(folder_) / (key + ".kernel"), error);
  if (error) fs::remove(part, error);
  trim();
}

void DiskCache::trim() const {
  struct Entry {
    fs::path path;
    fs::file_time_type time;
    std::uint64_t bytes;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  const auto stale = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code one;
    const Entry entry{at->path(), at->last_write_time(one), at->file_size(one)};
    if (one) continue;
    if (entry.path.extension() == ".part") {  // left by a process that died
      if (entry.time < stale) fs::remove(entry.path, one);
      continue;
    }
    if (entry.path.extension() != ".kernel") continue;
    total += entry.bytes;
    entries.push_back(entry);
  }
  if (total <= most_bytes_) return;
  std::ranges::sort(entries, {}, &Entry::time);
  for (const Entry& entry : entries) {
    if (total <= most_bytes_ / 4 * 3) break;
    if (fs::remove(entry.path, error)) total -= entry.bytes;
  }
}

std::shared_ptr<const LoadedCode> MemoryCache::find(const std::string& key) {
  const std::lock_guard guard(mutex_);
  const auto found = codes_.find(key);
  return found != codes_.end() ? found->second : nullptr;
}

void MemoryCache::store(const std::string& key, const std::shared_ptr<const LoadedCode>& code) {
  constexpr std::size_t kMost = 1024;
  const std::lock_guard guard(mutex_);
  if (codes_.size() >= kMost) codes_.clear();
  codes_[key] = code;
}

std::string build_name() {
  struct stat status{};
  if (::stat("/proc/self/exe", &status) != 0) return "unknown";
  return fmt::format("{}.{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string processor_name() {
#if defined(__x86_64__)
  std::string name;
  for (const auto& [leaf, sub] : {std::pair{0u, 0u}, {1u, 0u}, {7u, 0u}, {7u, 1u}, {0x80000001u, 0u}}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, sub, &a, &b, &c, &d) == 0) continue;
    if (leaf == 1) b = 0, c &= ~(1u << 27);  // which core it was asked on; whether the system saves wide registers
    name += fmt::format("{:x}.{:x}.{:x}.{:x} ", a, b, c, d);
  }
  unsigned low = 0, high = 0;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 27 & 1u) != 0) __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return name + fmt::format("{:x}", low);
#else
  return "unknown";
#endif
}

}  // namespace heddle::engine::jit
