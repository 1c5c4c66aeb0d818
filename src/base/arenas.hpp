#pragma once
// oneTBB's arenas, used again. An arena that is destroyed lives on until the workers that it asked for have come: where
// they have no time, as many would lie about as were made, and each call would walk their list.

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>

namespace heddle::base {

/// An arena that nobody else works in, for as long as this lives.
class ArenaLease {
 public:
  explicit ArenaLease(int threads) : threads_(threads) {
    const std::lock_guard guard(free_.mutex);
    if (std::list<oneapi::tbb::task_arena>& free = free_.by_size[threads]; !free.empty()) {
      one_.splice(one_.end(), free, free.begin());
    } else {
      one_.emplace_back(threads);
      one_.front().initialize();
    }
  }
  ~ArenaLease() {
    const std::lock_guard guard(free_.mutex);
    std::list<oneapi::tbb::task_arena>& free = free_.by_size.at(threads_);
    free.splice(free.begin(), one_);
  }
  ArenaLease(const ArenaLease&) = delete;
  ArenaLease& operator=(const ArenaLease&) = delete;

  oneapi::tbb::task_arena& arena() { return one_.front(); }

 private:
  struct Free {
    std::mutex mutex;
    std::map<int, std::list<oneapi::tbb::task_arena>> by_size;  ///< by their number of threads
  };
  /// Never destroyed: a process may end while others work.
  static Free& all_free() {
    static Free& all = *new Free;
    return all;
  }

  Free& free_ = all_free();
  int threads_;
  std::list<oneapi::tbb::task_arena> one_;
};

/// Makes oneTBB ready, for the rest of the process: where it begins while a process ends, the process is aborted.
inline void open_arenas() { const ArenaLease lease(1); }

/// Calls work() in an arena of `threads` threads, the caller's among them. They have numbers 0 ... threads - 1 there
/// (tbb::this_task_arena::current_thread_index). There are no more of them than processors: they would wait for each
/// other, and oneTBB would warn of each.
template <typename Work>
void run_in_arena(std::uint64_t threads, const Work& work) {
  const int most = std::max(1, oneapi::tbb::info::default_concurrency());
  ArenaLease lease(static_cast<int>(std::clamp<std::uint64_t>(threads, 1, static_cast<std::uint64_t>(most))));
  lease.arena().execute(work);
}

}  // namespace heddle::base
