#pragma once
// Work on oneTBB's threads.

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

}  // namespace heddle::base
