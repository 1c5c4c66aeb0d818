// SPDX-License-Identifier: MIT
#pragma once
// Functions that wait: they return where a thread waits, and go on there when they are called again.

namespace llvm {
class Function;
}

namespace heddle::engine::jit {

/// The function that Builder::wait calls: it stands for the place, and takes the result that is returned there.
inline constexpr const char* kWaitMark = "heddle_wait";

/// Metadata of storage that is not read after the instruction that it was made for (Builder::temporary).
inline constexpr const char* kTemporaryMark = "heddle.temporary";

/// `kernel` becomes a switch over ThreadContext::resume: 0 is its start, others are the places behind its waits. What
/// is needed behind a wait lies in the thread's frame (heddle_jit_frame). The time grows with the function's length.
/// Gives the function that has the code: `kernel`, or, where it waits, one that it calls.
llvm::Function& lower_waits(llvm::Function& kernel);

}  // namespace heddle::engine::jit
