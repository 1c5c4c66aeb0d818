// The module is never closed, and LLVM makes statics as it goes: the background compiler may use them while the host
// program ends. So none of them is ever destroyed: what the module registers to be called at the end is forgotten.
#ifndef HEDDLE_JIT_STATIC  // there they are the program's own

extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

#endif
