// SPDX-License-Identifier: MIT
#pragma once
// Locks that are held for a moment only, less long than waking a thread takes: who slept for one would leave it to
// nobody while he wakes, and many threads would sleep one behind another.

#include <mutex>

namespace heddle::base {

/// For loops that wait: a moment in which the processor does nothing, and leaves more to who shares it.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Takes a lock that is free soon. False: it was not, and the thread slept. Always inlined, as std::mutex's functions
/// are: who counts locks (bench/scaling) names them by who takes them.
template <typename Lock>
[[gnu::always_inline]] inline bool take_soon(Lock& lock) {
  constexpr int kMaxPauses = 128;
  for (int pauses = 1; pauses <= kMaxPauses; pauses *= 2) {
    if (lock.try_lock()) return true;
    for (int k = 0; k < pauses; ++k) pause_processor();
  }
  lock.lock();
  return false;
}

/// The same of one that condition variables need too.
[[nodiscard]] [[gnu::always_inline]] inline std::unique_lock<std::mutex> lock_soon(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  (void)take_soon(lock);
  return lock;
}

class BriefMutex {
 public:
  [[gnu::always_inline]] void lock() { (void)take_soon(mutex_); }
  [[nodiscard]] bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace heddle::base
