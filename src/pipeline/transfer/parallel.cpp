// SPDX-License-Identifier: MIT
#include "pipeline/transfer/parallel.hpp"

#include <algorithm>

#include "base/arenas.hpp"

namespace heddle::pipeline::transfer {

void for_ranges(std::uint64_t count, std::uint64_t cost, unsigned workers,
                const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  if (count == 0) return;
  const std::uint64_t grain = std::max<std::uint64_t>(1, kBytesOfAThread / std::max<std::uint64_t>(1, cost));
  if (workers <= 1 || count <= grain) return work(0, count);
  base::share_range(workers, count, grain, [&](unsigned, std::uint64_t begin, std::uint64_t end) { work(begin, end); });
}

}  // namespace heddle::pipeline::transfer
