// SPDX-License-Identifier: MIT
// For modules that are never closed: none of their statics is ever destroyed. Their threads, and the host program's,
// may use them while the process ends: what a module registers to be called at the end is forgotten.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
