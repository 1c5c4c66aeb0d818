/* SPDX-License-Identifier: MIT */
#pragma once
/* What the library count_locks.c, loaded before all others (LD_PRELOAD), counts for the program that it is in. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct HeddleLockTotals {
  uint64_t taken;        /* mutexes, and rwlocks for reading or writing */
  uint64_t waited;       /* of them those that another thread had */
  uint64_t sleeps;       /* waits of condition variables, futexes and semaphores, of the C++ library and oneTBB too */
  uint64_t wakes;        /* calls that wake one who sleeps, or all */
  uint64_t yields;       /* sched_yield */
  uint64_t threads;      /* that were made */
  uint64_t nanoseconds;  /* of processor time, between begin and end */
};

/* Locks of one place in the code: a lock that is taken at several places is several of them. */
struct HeddleLockSite {
  const void* lock;
  const void* from; /* where the call returns to */
  uint64_t taken, waited, held_nanoseconds;
};

/* The library's one symbol, HEDDLE_LOCK_COUNTER, which dlsym finds where it is loaded. */
struct HeddleLockCounter {
  /* The process believes that it may run on so many processors. To be called before anybody asks. */
  void (*pretend)(int processors);
  void (*begin)(void);
  void (*end)(void);
  /* Of all threads, or of the calling one, between begin and end. */
  struct HeddleLockTotals (*totals)(int own);
  /* Of all threads, by lock and place; at most `room` of them. Returns how many there are. */
  int (*sites)(struct HeddleLockSite* sites, int room);
};
#define HEDDLE_LOCK_COUNTER "heddle_lock_counter"

#ifdef __cplusplus
}
#endif
