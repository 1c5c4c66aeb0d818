// SPDX-License-Identifier: MIT
// The one file with oneTBB's templates. Its library has no ThreadSanitizer, which would see how the templates use what
// the library hands from thread to thread, and not how: this file has none either, and says how the work goes.

#include "base/arenas.hpp"

#include <algorithm>
#include <list>
#include <map>
#include <mutex>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#ifdef HEDDLE_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

namespace heddle::base {
namespace {

/// An arena that nobody else works in, for as long as this lives; then it is used again. One that is destroyed lives on
/// until the workers that it asked for have come: where they have no time, as many would lie about as were made, and
/// each call would walk their list.
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

/// Made by the thread that hands out the work; it ends when that is done. Each worker has a Part while it works.
class Handover {
 public:
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
#ifdef HEDDLE_THREAD_SANITIZER
  Handover() { __tsan_release(&out_); }
  ~Handover() { __tsan_acquire(&back_); }

  class Part {
   public:
    explicit Part(Handover& of) : of_(of) { __tsan_acquire(&of.out_); }
    ~Part() { __tsan_release(&of_.back_); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    Handover& of_;
  };

 private:
  char out_ = 0, back_ = 0;
#else
  Handover() = default;
  ~Handover() = default;
  struct Part {
    explicit Part(Handover&) {}
    ~Part() = default;
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
  };
#endif
};

}  // namespace

void open_arenas() { const ArenaLease lease(1); }

void share_range(std::uint64_t threads, std::uint64_t count, std::uint64_t grain,
                 const std::function<void(unsigned, std::uint64_t, std::uint64_t)>& work) {
  using Range = oneapi::tbb::blocked_range<std::uint64_t>;
  const int most = std::max(1, oneapi::tbb::info::default_concurrency());
  ArenaLease lease(static_cast<int>(std::clamp<std::uint64_t>(threads, 1, static_cast<std::uint64_t>(most))));
  Handover handover;
  lease.arena().execute([&] {
    oneapi::tbb::parallel_for(Range(0, count, grain), [&](const Range& part) {
      const Handover::Part mine(handover);
      work(static_cast<unsigned>(oneapi::tbb::this_task_arena::current_thread_index()), part.begin(), part.end());
    });
  });
}

}  // namespace heddle::base
