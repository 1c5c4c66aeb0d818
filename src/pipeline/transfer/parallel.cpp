#include "pipeline/transfer/parallel.hpp"

#include <algorithm>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "base/arenas.hpp"
#include "base/handover.hpp"

namespace heddle::pipeline::transfer {

void for_ranges(std::uint64_t count, std::uint64_t cost, unsigned workers,
                const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  if (count == 0) return;
  const std::uint64_t grain = std::max<std::uint64_t>(1, kBytesOfAThread / std::max<std::uint64_t>(1, cost));
  if (workers <= 1 || count <= grain) return work(0, count);
  using Range = oneapi::tbb::blocked_range<std::uint64_t>;
  base::Handover handover;
  base::run_in_arena(workers, [&] {
    oneapi::tbb::parallel_for(Range(0, count, grain), [&](const Range& part) {
      const base::Handover::Part mine(handover);
      work(part.begin(), part.end());
    });
  });
}

}  // namespace heddle::pipeline::transfer
