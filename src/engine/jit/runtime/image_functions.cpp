// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/image_functions.hpp"

#include <mutex>
#include <unordered_map>

#include "base/disk_cache.hpp"

namespace heddle::engine::jit {
namespace {

constexpr std::string_view kKind = "image";

struct Memory {
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const KeptFunctions::Code>> codes;
  std::size_t bytes = 0;
  std::atomic<std::uint64_t> found = 0;

  void add(const std::string& key, std::shared_ptr<const KeptFunctions::Code> code) {
    const std::scoped_lock lock(mutex);
    if (bytes + code->size() > kMaxBytes) codes.clear(), bytes = 0;
    bytes += code->size();
    if (!codes.emplace(key, code).second) bytes -= code->size();
  }
};

/// Never destroyed: the compiler's thread may use it while the process ends.
Memory& memory() {
  static Memory& one = *new Memory;
  return one;
}

std::string key_of(const std::string& what) {
  base::KeyMaker key;
  key.text("heddle image function");
  key.text(base::build_name());
  key.text(compiler_name());
  key.text(what);
  return key.hex();
}

}  // namespace

std::shared_ptr<const KeptFunctions::Code> ImageFunctions::find(const std::string& what) {
  const std::string key = key_of(what);
  Memory& m = memory();
  {
    const std::scoped_lock lock(m.mutex);
    if (const auto known = m.codes.find(key); known != m.codes.end()) return ++m.found, known->second;
  }
  auto kept = disk_ ? base::DiskCache(kKind).find(key) : std::nullopt;
  if (!kept) return nullptr;
  const auto code = std::make_shared<const Code>(std::move(*kept));
  m.add(key, code);
  ++m.found;
  return code;
}

void ImageFunctions::keep(const std::string& what, Code code) {
  const std::string key = key_of(what);
  if (disk_) base::DiskCache(kKind).store(key, code);
  memory().add(key, std::make_shared<const Code>(std::move(code)));
}

std::uint64_t ImageFunctions::found() { return memory().found; }

}  // namespace heddle::engine::jit
