// SPDX-License-Identifier: MIT
#include "engine/jit/cache/kernel_cache.hpp"

#include "engine/jit/cache/tiered_code.hpp"

#include <fmt/format.h>

#if defined(__x86_64__)
#include <cpuid.h>
#if __has_include(<sys/platform/x86.h>)
#define _Bool bool  // the header is C
#include <sys/platform/x86.h>
#undef _Bool
#define HEDDLE_CPUID_FROM_LIBRARY
#endif
#endif

namespace heddle::engine::jit {

std::shared_ptr<TieredCode> MemoryCache::find_or_add(const std::string& key) {
  const std::lock_guard guard(mutex_);
  if (const auto found = codes_.find(key); found != codes_.end()) return found->second;
  if (codes_.size() >= most_) codes_.clear();
  return codes_[key] = std::make_shared<TieredCode>();
}

std::string processor_name() {
#if defined(HEDDLE_CPUID_FROM_LIBRARY)
  // What the C library asked for when the program started: the instruction takes microseconds on virtual machines.
  // 27 of leaf 1: whether the system saves wide registers, which its second half (what can be used) says as well.
  unsigned most = 0, b = 0, c = 0, d = 0;
  __cpuid(0, most, b, c, d);  // the vendor
  std::string name = fmt::format("{:x}.{:x}.{:x} ", b, c, d);
  for (const unsigned leaf :
       {CPUID_INDEX_1, CPUID_INDEX_7, CPUID_INDEX_7_ECX_1, CPUID_INDEX_80000001, CPUID_INDEX_D_ECX_1}) {
    const struct cpuid_feature* f = __x86_get_cpuid_feature_leaf(leaf);
    for (unsigned r = 0; r < 4; ++r) {
      const bool core = leaf == CPUID_INDEX_1 && r == 1;  // which core it was asked on
      name += fmt::format("{:x}.{:x} ", core ? 0 : f->cpuid_array[r], core ? 0 : f->active_array[r]);
    }
  }
  return name;
#elif defined(__x86_64__)
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
