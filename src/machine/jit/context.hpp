// SPDX-License-Identifier: MIT
#pragma once
// What compiled code and the program around it share while a thread runs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::machine::jit {

/// Bytes behind a binding-table index. Without data: nothing is bound there, or too much to be reached with 31 bits;
/// the reference engine then says what happens.
struct View {
  std::uint8_t* data = nullptr;
  std::uint32_t size = 0;
  std::uint32_t unused = 0;
};
inline constexpr unsigned kViews = 256;

/// Bytes of the surface that a handle names (%bss), found when it was first asked for.
struct HandleView {
  std::uint8_t* data = nullptr;  ///< as View
  std::uint32_t size = 0;
  std::uint32_t run = 0;  ///< ThreadContext::run of that time; another: they may be others now
};

/// A piece of 64-bit address space.
struct FlatView {
  std::uint64_t address = 0, size = 0;
  std::uint8_t* data = nullptr;
};

/// Of atomics.hpp: the operations need not be atomic.
inline constexpr std::uint32_t kAlone = 1u << 16;

/// Bytes of ThreadContext::shared that can be read in any case.
inline constexpr std::size_t kSharedBytes = 256;

/// Of the memory in which a function that waits keeps what it needs.
inline constexpr std::size_t kFrameAlignment = 64;

/// Stands for a vector function and its static state, of which code that was made for one state knows nothing else, in
/// this process or, from the disk, in another. Two that differ have different numbers: 128 bits of two mixers, each of
/// which loses nothing of what it has while a byte is added. Among a million states two are alike by chance once in
/// 10^26 processes; whoever looks for such a pair on purpose, from both ends, tries some 2^64.
struct StateNumber {
  std::uint64_t low = 0, high = 0;
  friend bool operator==(const StateNumber&, const StateNumber&) = default;
};
[[nodiscard]] constexpr StateNumber state_number(std::string_view name, std::span<const std::uint8_t> state) {
  StateNumber number{0xcbf29ce484222325, 0x9ae16a3b2f90404f};
  const auto add = [&number](std::uint8_t byte) {
    number.low = (number.low ^ byte) * 0x100000001b3;
    number.low ^= number.low >> 29;
    number.high = (number.high + byte) * 0x9e3779b97f4a7c15;
    number.high ^= number.high >> 32;
  };
  for (const char c : name) add(static_cast<std::uint8_t>(c));
  for (const std::uint8_t byte : state) add(byte);
  return number;
}

/// What code that knows no state calls for a message: a vector function, and the states that it reads.
struct MessageCall {
  const void* dynamic_state = nullptr;
  const void* static_state = nullptr;
  void* kernels[2] = {};  ///< of x86-64-v3 and of v4
  StateNumber state;      ///< of the two
};

/// Lanes whose messages one call does, and how many bytes from its texels those of each lane lie (signed; 0 elsewhere).
struct SharedCall {
  std::uint32_t lanes = 0;
  std::uint32_t apart[32] = {};
};

struct ThreadContext {
  const View* views = nullptr;            ///< kViews of them
  const std::uint8_t* payload = nullptr;  ///< readable as far as any `.input` reaches
  std::uint64_t steps = 0;                ///< instructions executed so far
  std::uint64_t granted = 0;              ///< a look at the budget is due from here on
  std::uint32_t dispatch_mask = 0;
  std::uint32_t state0 = 0;             ///< %sr0 element 0
  void* runner = nullptr;               ///< what the runtime functions need
  const void* const* images = nullptr;  ///< PreparedMessage::dynamic_state by MessageUse::slot
  const MessageCall* calls = nullptr;   ///< MessageUse::slot of code that knows no state
  const void* pixels = nullptr;         ///< machine::PixelInput of a pixel thread
  void* unit_context = nullptr;         ///< texture::OperationContext, for the texture unit's fallback
  std::uint32_t hardware_id = 0;        ///< %hw_id
  // Pixel threads side by side that one call runs (engine/jit KernelVariant::row):
  std::uint32_t place = 0;  ///< of the first subspan of the thread that runs: x | y << 16
  std::uint32_t left = 0;   ///< threads, with the one that runs
  std::uint32_t stop = 0;   ///< not zero: the call ends behind the thread that runs
  /// Writes what else differs from thread to thread into the payload, where R1 and R2 have the places; null: nothing.
  void (*fill)(void* filler) = nullptr;
  void* filler = nullptr;
  // Of a function that runs threads of compute groups one after another (KernelVariant::own_bytes): those from
  // thread_begin to thread_end of each of the groups from group[0] to group_end in x. `payload` is the first thread's
  // own record; thread and group[0] say which one runs wherever a runtime function is called.
  const std::uint8_t* shared = nullptr;  ///< a payload, of which the bytes behind the own ones are read
  std::uint32_t stride = 0;              ///< bytes of a record
  std::uint32_t thread = 0, thread_begin = 0, thread_end = 0;
  std::uint32_t group[3] = {}, group_end = 0;
  std::uint32_t alone = 0;  ///< kAlone: no other thread of the host touches the same memory
  /// The piece of address space that each message with 64-bit addresses used last; the last one is shared.
  static constexpr std::uint32_t kFlatViews = 8;
  FlatView flat[kFlatViews];
  const HandleView* handles = nullptr;  ///< by handle
  std::uint64_t handle_count = 0;
  std::uint32_t run = 0;  ///< changes where what is bound may have; never 0
  // Of a function that can wait (Builder::wait):
  void* frame = nullptr;         ///< what it keeps, of heddle_jit_frame
  std::uint32_t resume = 0;      ///< where it goes on; 0: at its start
  std::uint32_t result = 0;      ///< Result
  std::uint32_t waiting_at = 0;  ///< Result::Barrier: the instruction
};

/// What the compiled function returns.
enum class Result : std::uint32_t {
  Finished = 0,
  Failed = 1,
  Limit = 2,
  Waiting = 3,  ///< as machine::Thread::waiting says
  Barrier = 4,  ///< has come to the group's own barrier, and waits there
};

}  // namespace heddle::machine::jit
