#pragma once
// How work goes from one thread to others and comes back, told to ThreadSanitizer where oneTBB carries it: oneTBB's
// library is not instrumented. In other builds this is nothing.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_THREAD_SANITIZER 1
#include <sanitizer/tsan_interface.h>
#endif
#endif

namespace heddle::base {

/// Made by the thread that hands out the work, after all that its workers read; it ends when they are done. Each worker
/// has a Part while it works.
class Handover {
 public:
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
#ifdef HEDDLE_THREAD_SANITIZER
  Handover() { __tsan_release(&out_); }
  ~Handover() { __tsan_acquire(&back_); }
#else
  Handover() = default;
  ~Handover() = default;
#endif

  class Part {
   public:
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
#ifdef HEDDLE_THREAD_SANITIZER
    explicit Part(Handover& of) : of_(of) { __tsan_acquire(&of.out_); }
    ~Part() { __tsan_release(&of_.back_); }

   private:
    Handover& of_;
#else
    explicit Part(Handover&) {}
    ~Part() = default;
#endif
  };

#ifdef HEDDLE_THREAD_SANITIZER
 private:
  char out_ = 0, back_ = 0;
#endif
};

}  // namespace heddle::base
