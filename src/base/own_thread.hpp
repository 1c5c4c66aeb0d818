#pragma once
// The name of threads that the library starts for itself, by which they are told from an application's.

#include <pthread.h>

namespace heddle::base {

inline constexpr const char* kOwnThreadName = "heddle-worker";  // at most 15 characters

/// Of the calling thread, and so of those that it starts.
inline void name_own_thread() { (void)pthread_setname_np(pthread_self(), kOwnThreadName); }

}  // namespace heddle::base
