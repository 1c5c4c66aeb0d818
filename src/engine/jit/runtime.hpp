#pragma once
// What runs compiled threads, and the functions that compiled code calls.

#include <array>
#include <memory>
#include <span>

#include "engine/jit/kernel.hpp"
#include "engine/reference/run.hpp"
#include "machine/jit/context.hpp"

namespace heddle::engine::jit {

/// Runs the threads of one group after another; belongs to one worker.
class Runner {
 public:
  Runner(const Kernel& kernel, const machine::Bindings& bindings, machine::Reports& reports, reference::Budget& budget);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Runs the threads of one group to their end. Payloads must be readable as far as Kernel::payload_bytes.
  [[nodiscard]] reference::Outcome run_group(std::span<const machine::ThreadStart> starts, machine::Group& group);
  /// One thread after another, each a group of its own, that start alike but for what `next` names: what `start` points
  /// to must outlive them, and its contents may change between them. Without barriers that wait for others.
  void begin(const machine::ThreadStart& start);
  [[nodiscard]] reference::Outcome next(std::uint32_t dispatch_mask, std::uint32_t x, std::uint32_t y, std::uint32_t z);
  /// Threads side by side, the first one's place at (x, y): `count` of them, or fewer where one fails; `done` counts
  /// them. With Kernel::row(). `fill`: Context::fill.
  [[nodiscard]] reference::Outcome next_row(std::uint32_t x, std::uint32_t y, std::uint32_t z, std::uint32_t count,
                                            void (*fill)(void*), void* filler, std::uint64_t& done);
  /// The thread that ran last of a group of one; its registers are those of its end with KernelOptions::keep_registers.
  [[nodiscard]] machine::Thread& thread();

 private:
  struct Slot;
  struct Fibers;
  friend struct Access;
  [[nodiscard]] Slot& slot(std::size_t index);
  [[nodiscard]] reference::Outcome run_thread(Slot& slot, const machine::ThreadStart& start);
  void set_up(Slot& slot, const machine::ThreadStart& start);
  [[nodiscard]] reference::Outcome enter(Slot& slot, Function function, std::uint32_t dispatch_mask);
  [[nodiscard]] reference::Outcome run_fibers(std::span<const machine::ThreadStart> starts, machine::Group& group);

  const Kernel& kernel_;
  const machine::Bindings& bindings_;
  machine::Reports& reports_;
  reference::Budget& budget_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<Fibers> fibers_;
  std::uint64_t left_ = 0;  ///< steps granted and not used
};

}  // namespace heddle::engine::jit
