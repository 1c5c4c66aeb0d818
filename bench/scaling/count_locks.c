/* SPDX-License-Identifier: MIT */
/* A library that stands before the C library (LD_PRELOAD) and counts the locks that a program takes and how long it has them, by lock
 * and by the place in the code; its sleeps and wake-ups; count_locks.h is how the program asks. It also makes the process believe in
 * any number of processors. Locks inside the C library (those of malloc among them) go past it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>

#include "count_locks.h"

#define EXPORT __attribute__((visibility("default")))

enum { kThreads = 1024, kSites = 1024, kDepth = 32 };

struct Held {
  const void* lock;
  struct HeddleLockSite* site;
  uint64_t since;
};

/* What one thread counts; nobody else writes it. */
struct Mine {
  struct HeddleLockTotals totals;
  struct HeddleLockSite sites[kSites]; /* by hash */
  struct Held held[kDepth];
  int depth;
} __attribute__((aligned(128)));

static struct Mine all[kThreads];
static _Atomic int made;
static __thread struct Mine* own __attribute__((tls_model("initial-exec")));
static _Atomic int counting;
static int processors;
static struct timespec began, ended;

static struct Mine* mine(void) {
  if (own == NULL) {
    const int number = atomic_fetch_add(&made, 1);
    own = &all[number < kThreads ? number : kThreads - 1];
  }
  return own;
}

static uint64_t nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
/* A clock that costs little, and when counting began and ended by both. */
#if defined(__x86_64__)
static uint64_t now(void) { return __builtin_ia32_rdtsc(); }
#else
static uint64_t now(void) { return nanoseconds(); }
#endif
static uint64_t begin_ticks, begin_time;
static double of_tick; /* nanoseconds */

/* --- the C library's own --- */

#define REAL(name) ((__typeof__(&name))real(&real_##name, #name))
static void* real(_Atomic(void*)* kept, const char* name) {
  void* found = atomic_load_explicit(kept, memory_order_acquire);
  if (found != NULL) return found;
  /* Condition variables have two versions, of which the older has no clocks. */
  if (strncmp(name, "pthread_cond_", 13) == 0) found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
  if (found == NULL) found = dlsym(RTLD_NEXT, name);
  atomic_store_explicit(kept, found, memory_order_release);
  return found;
}
#define DECLARE(name) static _Atomic(void*) real_##name;
DECLARE(pthread_mutex_lock)
DECLARE(pthread_mutex_trylock)
DECLARE(pthread_mutex_timedlock)
DECLARE(pthread_mutex_unlock)
DECLARE(pthread_rwlock_rdlock)
DECLARE(pthread_rwlock_tryrdlock)
DECLARE(pthread_rwlock_wrlock)
DECLARE(pthread_rwlock_trywrlock)
DECLARE(pthread_rwlock_unlock)
DECLARE(pthread_cond_wait)
DECLARE(pthread_cond_timedwait)
DECLARE(pthread_cond_clockwait)
DECLARE(pthread_cond_signal)
DECLARE(pthread_cond_broadcast)
DECLARE(pthread_create)
DECLARE(sem_wait)
DECLARE(sem_post)
DECLARE(sched_yield)
DECLARE(sched_getaffinity)
DECLARE(sysconf)
DECLARE(syscall)

/* --- counting --- */

static struct HeddleLockSite* site_of(struct Mine* m, const void* lock, const void* from) {
  uint64_t hash = ((uint64_t)(uintptr_t)lock >> 3) * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)from * 0xc2b2ae3d27d4eb4fu;
  for (int look = 0; look < kSites; ++look, ++hash) {
    struct HeddleLockSite* const site = &m->sites[(hash ^ hash >> 32) % kSites];
    if (site->from == NULL) {
      site->lock = lock;
      site->from = from;
    }
    if (site->lock == lock && site->from == from) return site;
  }
  return &m->sites[0]; /* there are more than anybody reads */
}

static void taken(const void* lock, const void* from, int waited) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
  struct Mine* const m = mine();
  struct HeddleLockSite* const site = site_of(m, lock, from);
  ++m->totals.taken;
  ++site->taken;
  m->totals.waited += (uint64_t)waited;
  site->waited += (uint64_t)waited;
  if (m->depth < kDepth) m->held[m->depth++] = (struct Held){lock, site, now()};
}

/* The site where it was taken; null where that is not known. */
static struct HeddleLockSite* given_back(const void* lock) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return NULL;
  struct Mine* const m = mine();
  for (int k = m->depth - 1; k >= 0; --k) {
    if (m->held[k].lock != lock) continue;
    struct HeddleLockSite* const site = m->held[k].site;
    site->held_nanoseconds += now() - m->held[k].since;
    memmove(&m->held[k], &m->held[k + 1], sizeof m->held[0] * (size_t)(m->depth - 1 - k));
    --m->depth;
    return site;
  }
  return NULL;
}

static void taken_again(const void* lock, struct HeddleLockSite* site) {
  struct Mine* const m = mine();
  if (site != NULL && m->depth < kDepth) m->held[m->depth++] = (struct Held){lock, site, now()};
}

#define COUNT(what) \
  do { \
    if (atomic_load_explicit(&counting, memory_order_relaxed)) ++mine()->totals.what; \
  } while (0)
#define FROM __builtin_return_address(0)

/* --- locks --- */

EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!atomic_load_explicit(&counting, memory_order_relaxed)) return REAL(pthread_mutex_lock)(mutex);
  int result = REAL(pthread_mutex_trylock)(mutex);
  const int waits = result == EBUSY;
  if (waits) result = REAL(pthread_mutex_lock)(mutex);
  if (result == 0) taken(mutex, FROM, waits);
  return result;
}
EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  const int result = REAL(pthread_mutex_trylock)(mutex);
  if (result == 0) taken(mutex, FROM, 0);
  return result;
}
EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const struct timespec* until) {
  const int result = REAL(pthread_mutex_timedlock)(mutex, until);
  if (result == 0) taken(mutex, FROM, 0);
  return result;
}
EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  (void)given_back(mutex);
  return REAL(pthread_mutex_unlock)(mutex);
}
EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  int result = REAL(pthread_rwlock_tryrdlock)(lock);
  const int waits = result == EBUSY;
  if (waits) result = REAL(pthread_rwlock_rdlock)(lock);
  if (result == 0) taken(lock, FROM, waits);
  return result;
}
EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  const int result = REAL(pthread_rwlock_tryrdlock)(lock);
  if (result == 0) taken(lock, FROM, 0);
  return result;
}
EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  int result = REAL(pthread_rwlock_trywrlock)(lock);
  const int waits = result == EBUSY;
  if (waits) result = REAL(pthread_rwlock_wrlock)(lock);
  if (result == 0) taken(lock, FROM, waits);
  return result;
}
EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  const int result = REAL(pthread_rwlock_trywrlock)(lock);
  if (result == 0) taken(lock, FROM, 0);
  return result;
}
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  (void)given_back(lock);
  return REAL(pthread_rwlock_unlock)(lock);
}

/* --- sleeps and wake-ups --- */

EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  COUNT(sleeps);
  struct HeddleLockSite* const site = given_back(mutex);
  const int result = REAL(pthread_cond_wait)(condition, mutex);
  taken_again(mutex, site);
  return result;
}
EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const struct timespec* until) {
  COUNT(sleeps);
  struct HeddleLockSite* const site = given_back(mutex);
  const int result = REAL(pthread_cond_timedwait)(condition, mutex, until);
  taken_again(mutex, site);
  return result;
}
EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* until) {
  COUNT(sleeps);
  struct HeddleLockSite* const site = given_back(mutex);
  const int result = REAL(pthread_cond_clockwait)(condition, mutex, clock, until);
  taken_again(mutex, site);
  return result;
}
EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  COUNT(wakes);
  return REAL(pthread_cond_signal)(condition);
}
EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  COUNT(wakes);
  return REAL(pthread_cond_broadcast)(condition);
}
EXPORT int sem_wait(sem_t* semaphore) {
  COUNT(sleeps);
  return REAL(sem_wait)(semaphore);
}
EXPORT int sem_post(sem_t* semaphore) {
  COUNT(wakes);
  return REAL(sem_post)(semaphore);
}
EXPORT int sched_yield(void) {
  COUNT(yields);
  return REAL(sched_yield)();
}
EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*begin)(void*), void* argument) {
  COUNT(threads);
  return REAL(pthread_create)(thread, attributes, begin, argument);
}

/* Futexes of oneTBB and of the C++ library. */
EXPORT long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int k = 0; k < 6; ++k) a[k] = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex) {
    const long what = a[1] & FUTEX_CMD_MASK;
    if (what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET) COUNT(sleeps);
    if (what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET) COUNT(wakes);
  }
  return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* --- processors --- */

EXPORT int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t* set) {
  if (processors == 0) return REAL(sched_getaffinity)(process, bytes, set);
  memset(set, 0, bytes);
  for (int k = 0; k < processors && (size_t)k < 8 * bytes; ++k) CPU_SET_S((size_t)k, bytes, set);
  return 0;
}
EXPORT long sysconf(int name) {
  if (processors != 0 && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) return processors;
  return REAL(sysconf)(name);
}

/* --- what the program asks --- */

static void pretend(int count) { processors = count; }

static void begin_counting(void) {
  for (int k = 0; k < kThreads && k < atomic_load(&made); ++k) memset(&all[k], 0, sizeof all[k]);
  (void)mine();
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
  begin_time = nanoseconds();
  begin_ticks = now();
  atomic_store(&counting, 1);
}
static void end_counting(void) {
  atomic_store(&counting, 0);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
  of_tick = (double)(nanoseconds() - begin_time) / (double)(now() - begin_ticks + 1);
}

static struct HeddleLockTotals totals(int only_own) {
  struct HeddleLockTotals sum = {0};
  for (int k = 0; k < kThreads && k < atomic_load(&made); ++k) {
    const struct HeddleLockTotals* const t = &all[k].totals;
    if (only_own && own != &all[k]) continue;
    sum.taken += t->taken;
    sum.waited += t->waited;
    sum.sleeps += t->sleeps;
    sum.wakes += t->wakes;
    sum.yields += t->yields;
    sum.threads += t->threads;
  }
  sum.nanoseconds = (uint64_t)((int64_t)(ended.tv_sec - began.tv_sec) * 1000000000 + (ended.tv_nsec - began.tv_nsec));
  return sum;
}

static int all_sites(struct HeddleLockSite* sites, int room) {
  int count = 0;
  for (int k = 0; k < kThreads && k < atomic_load(&made); ++k)
    for (int s = 0; s < kSites; ++s) {
      const struct HeddleLockSite* const one = &all[k].sites[s];
      if (one->taken == 0) continue;
      int at = 0;
      while (at < count && at < room && (sites[at].lock != one->lock || sites[at].from != one->from)) ++at;
      if (at >= count) {
        ++count;
        if (at < room) sites[at] = *one;
      } else if (at < room) {
        sites[at].taken += one->taken;
        sites[at].waited += one->waited;
        sites[at].held_nanoseconds += one->held_nanoseconds;
      }
    }
  for (int at = 0; at < count && at < room; ++at)
    sites[at].held_nanoseconds = (uint64_t)((double)sites[at].held_nanoseconds * of_tick);
  return count;
}

EXPORT const struct HeddleLockCounter heddle_lock_counter = {pretend, begin_counting, end_counting, totals, all_sites};
