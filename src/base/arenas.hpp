// SPDX-License-Identifier: MIT
#pragma once
// Work on oneTBB's threads, and the name of threads that the library starts for itself.

#include <pthread.h>

#include <cstdint>
#include <functional>

namespace heddle::base {

/// Makes oneTBB ready, for the rest of the process: where it begins while a process ends, the process is aborted.
void open_arenas();

/// Calls work(thread, begin, end) for parts of 0 ... count - 1 that cover it once. A part of more than `grain` items
/// may be divided. The work is done by `threads` threads, the caller's among them, whose numbers are 0 ... threads - 1;
/// by as many as there are processors where those are fewer: more would wait for each other, and oneTBB would warn of
/// each.
void share_range(std::uint64_t threads, std::uint64_t count, std::uint64_t grain,
                 const std::function<void(unsigned, std::uint64_t, std::uint64_t)>& work);

/// By it threads of the library are told from an application's; at most 15 characters.
inline constexpr const char* kOwnThreadName = "heddle-worker";
/// Of the calling thread, and so of those that it starts.
inline void name_own_thread() { (void)pthread_setname_np(pthread_self(), kOwnThreadName); }

}  // namespace heddle::base
