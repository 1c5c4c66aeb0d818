// SPDX-License-Identifier: MIT
// What objects made with newer headers of the C library ask for, and the oldest one that the archive runs on
// (glibc 2.31) does not have.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/random.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/platform/x86.h>
#endif

#define HIDDEN __attribute__((visibility("hidden")))

// glibc 2.32: libstdc++ leaves atomic operations out where a process has one thread. False is always right.
HIDDEN char __libc_single_threaded = 0;

// glibc 2.36: std::random_device.
HIDDEN unsigned arc4random(void) {
  unsigned value = 0;
  while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {
  }
  return value;
}

// glibc 2.33: LLVM's statistics of memory.
HIDDEN struct mallinfo2 mallinfo2(void) {
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const struct mallinfo narrow = mallinfo();
  const struct mallinfo2 wide = {.arena = (unsigned)narrow.arena,
                                 .ordblks = (unsigned)narrow.ordblks,
                                 .smblks = (unsigned)narrow.smblks,
                                 .hblks = (unsigned)narrow.hblks,
                                 .hblkhd = (unsigned)narrow.hblkhd,
                                 .usmblks = (unsigned)narrow.usmblks,
                                 .fsmblks = (unsigned)narrow.fsmblks,
                                 .uordblks = (unsigned)narrow.uordblks,
                                 .fordblks = (unsigned)narrow.fordblks,
                                 .keepcost = (unsigned)narrow.keepcost};
  return wide;
}

#if defined(__x86_64__)

// glibc 2.33: what the processor can do, by which Heddle names it in its cache. The C library's own answer where it has
// one; asking the processor takes microseconds on virtual machines.
static void ask_processor(unsigned index, struct cpuid_feature* one) {
  static const unsigned leaves[][2] = {[CPUID_INDEX_1] = {1, 0},
                                       [CPUID_INDEX_7] = {7, 0},
                                       [CPUID_INDEX_80000001] = {0x80000001u, 0},
                                       [CPUID_INDEX_D_ECX_1] = {13, 1},
                                       [CPUID_INDEX_7_ECX_1] = {7, 1}};
  unsigned* r = one->cpuid_array;
  if (index >= sizeof leaves / sizeof leaves[0] || leaves[index][0] == 0 ||
      __get_cpuid_count(leaves[index][0], leaves[index][1], &r[0], &r[1], &r[2], &r[3]) == 0)
    return;
  for (unsigned i = 0; i < 4; ++i) one->active_array[i] = r[i];
  if (index != CPUID_INDEX_1 || (r[2] >> 27 & 1) == 0) return;
  unsigned low = 0, high = 0;  // which registers the system saves
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  one->active_array[0] = low;
}

HIDDEN const struct cpuid_feature* __x86_get_cpuid_feature_leaf(unsigned index) {
  typedef const struct cpuid_feature* Function(unsigned);
  Function* const library = (Function*)dlsym(RTLD_DEFAULT, "__x86_get_cpuid_feature_leaf");
  if (library != NULL) return library(index);
  static _Thread_local struct cpuid_feature answers[CPUID_INDEX_7_ECX_1 + 1];
  struct cpuid_feature* one = &answers[index <= CPUID_INDEX_7_ECX_1 ? index : CPUID_INDEX_7_ECX_1];
  ask_processor(index, one);
  return one;
}

#endif
