// SPDX-License-Identifier: MIT
#include "pipeline/run_context.hpp"

#include <algorithm>

#include <oneapi/tbb/info.h>

#include "base/arenas.hpp"

namespace heddle::pipeline {

std::uint64_t scratch_of(const isa::Object& kernel) {
  const std::int64_t own = kernel.integer_attribute("SpillMemOffset").value_or(0);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(own, kMinScratch, 1 << 24));
}

unsigned available_processors() { return static_cast<unsigned>(std::max(1, oneapi::tbb::info::default_concurrency())); }

bool share_items(RunContext& context, unsigned workers, std::uint64_t count,
                 const std::function<bool(unsigned, std::uint64_t)>& work) {
  const auto part = [count](std::uint64_t done) { return static_cast<double>(done) / static_cast<double>(count); };
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> good{true};
  std::mutex showing;
  base::share_range(std::min<std::uint64_t>(workers, count), count, 1,
                    [&](unsigned worker, std::uint64_t begin, std::uint64_t end) {
                      for (std::uint64_t item = begin; item < end && good.load(std::memory_order_relaxed); ++item) {
                        if (!work(worker, item)) return good.store(false);
                        const std::uint64_t finished = done.fetch_add(1, std::memory_order_relaxed) + 1;
                        if (!context.progress) continue;
                        if (const std::unique_lock shown(showing, std::try_to_lock); shown)
                          context.progress(part(finished));
                      }
                    });
  return good.load();
}

}  // namespace heddle::pipeline
