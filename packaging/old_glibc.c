// SPDX-License-Identifier: MIT
// What objects made with newer headers of the C library ask for, and the oldest one that the archive runs on (glibc 2.31)
// does not have.
#include <malloc.h>
#include <sys/random.h>

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
  const struct mallinfo2 wide = {.arena = (unsigned)narrow.arena,       .ordblks = (unsigned)narrow.ordblks,
                                 .smblks = (unsigned)narrow.smblks,     .hblks = (unsigned)narrow.hblks,
                                 .hblkhd = (unsigned)narrow.hblkhd,     .usmblks = (unsigned)narrow.usmblks,
                                 .fsmblks = (unsigned)narrow.fsmblks,   .uordblks = (unsigned)narrow.uordblks,
                                 .fordblks = (unsigned)narrow.fordblks, .keepcost = (unsigned)narrow.keepcost};
  return wide;
}
