#include "dispatch/run_context.hpp"

#include <algorithm>
#include <thread>

namespace heddle::dispatch {

void for_each_item(RunContext& context, std::uint64_t count, const std::function<bool(unsigned, std::uint64_t)>& work) {
  std::atomic<std::uint64_t> next{0}, done{0};
  std::atomic<bool> stop{false};
  const auto loop = [&](unsigned worker) {
    while (!stop.load(std::memory_order_relaxed)) {
      const std::uint64_t item = next.fetch_add(1, std::memory_order_relaxed);
      if (item >= count) return;
      if (!work(worker, item)) stop.store(true, std::memory_order_relaxed);
      const std::uint64_t finished = done.fetch_add(1, std::memory_order_relaxed) + 1;
      if (worker == 0 && context.progress) context.progress(static_cast<double>(finished) / static_cast<double>(count));
    }
  };
  const unsigned workers =
      static_cast<unsigned>(std::min<std::uint64_t>(std::max(1u, context.workers), std::max<std::uint64_t>(1, count)));
  std::vector<std::thread> threads;
  for (unsigned w = 1; w < workers; ++w) threads.emplace_back(loop, w);
  loop(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace heddle::dispatch
