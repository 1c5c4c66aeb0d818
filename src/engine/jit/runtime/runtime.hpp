// SPDX-License-Identifier: MIT
#pragma once
// What runs compiled threads.

#include <array>
#include <memory>
#include <span>
#include <utility>

#include "engine/jit/runtime/compiled_kernel.hpp"
#include "engine/jit/runtime/group_threads.hpp"
#include "engine/jit/runtime/handle_messages.hpp"
#include "engine/jit/runtime/interpreted_messages.hpp"
#include "engine/jit/runtime/kernel_variants.hpp"
#include "engine/reference/run.hpp"
#include "machine/jit/context.hpp"

namespace heddle::engine::jit {

/// Runs the threads of one group after another; belongs to one worker.
class Runner {
 public:
  /// `alone`: no other thread of the host uses what is bound, so that atomic operations need not be atomic.
  Runner(const CompiledKernel& kernel, const machine::Bindings& bindings, machine::Reports& reports,
         reference::Budget& budget, bool alone = false);
  /// For kernels of one program, one after another: begin_run() comes before anything runs, end_run() behind.
  explicit Runner(const machine::Code& code);
  /// `kernel` is what the family found for `bindings`. `ended_arrive`: threads that ended count as arrived at barriers
  /// of their group (SPV-38); otherwise a barrier that not all reach is refused.
  void begin_run(const BoundKernel& kernel, const machine::Bindings& bindings, machine::Reports& reports,
                 reference::Budget& budget, bool alone = false, bool ended_arrive = false);
  /// Gives steps and memory back to the budget.
  void end_run();
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Runs the threads of one group to their end. Payloads must be readable as far as CompiledKernel::payload_bytes.
  [[nodiscard]] reference::Outcome run_group(std::span<const machine::ThreadStart> starts, machine::Group& group);
  /// The same for kernels with KernelOptions::own_bytes: `count` groups from `first` on in x. `group` is made as each
  /// of them begins.
  [[nodiscard]] reference::Outcome run_groups(const GroupThreads& threads, machine::Group& group,
                                              std::array<std::uint32_t, 3> first, std::uint32_t count);
  /// How many of them ended, of the last call.
  [[nodiscard]] std::uint32_t groups_done() const { return groups_done_; }
  /// One thread after another, each a group of its own, that start alike but for what `next` names: what `start` points
  /// to must outlive them, and its contents may change between them. Without barriers that wait for others.
  void begin(const machine::ThreadStart& start);
  [[nodiscard]] reference::Outcome next(std::uint32_t dispatch_mask, std::uint32_t x, std::uint32_t y, std::uint32_t z);
  /// Threads side by side, the first one's place at (x, y): `count` of them, or fewer where one fails; `done` counts
  /// them. With CompiledKernel::row(). `payload`: what begin() was given, to be written. `fill`: ThreadContext::fill.
  [[nodiscard]] reference::Outcome next_row(std::uint8_t* payload, std::uint32_t x, std::uint32_t y, std::uint32_t z,
                                            std::uint32_t count, void (*fill)(void*), void* filler,
                                            std::uint64_t& done);
  /// The thread that ran last of a group of one; its registers are those of its end with KernelOptions::keep_registers.
  [[nodiscard]] machine::Thread& thread();
  /// Instructions that ran by the reference engine's functions so far, since the code could not do them.
  [[nodiscard]] std::uint64_t reference_calls() const { return reference_calls_; }
  /// Instructions that ran since begin_run(), about.
  [[nodiscard]] std::uint64_t steps_of_run() const { return steps_of_run_ + used_; }

 private:
  static constexpr std::uint64_t kChunk = 65536;  ///< steps between looks at the clock
  struct Slot;
  friend struct Access;
  [[nodiscard]] Slot& slot(std::size_t index);
  [[nodiscard]] reference::Outcome run_thread(Slot& slot, const machine::ThreadStart& start);
  void tell_kernel() noexcept;
  void count_used(const Slot& slot, std::uint64_t steps);
  // Threads without code, which are interpreted (interpret.cpp) and take their steps from the budget themselves:
  void give_back_steps() {
    if (left_ != 0) budget_->give_back(std::exchange(left_, 0));
  }
  /// One of a group of its own, from its start to its end; false: code has to run it.
  [[nodiscard]] bool interpret(Slot& slot, const machine::ThreadStart& start, CompiledKernel::Way way,
                               reference::Outcome& outcome);
  /// What the slot's thread is to run, once it is set up.
  [[nodiscard]] static machine::ThreadStart start_of(Slot& slot, const GroupThreads& threads, std::uint32_t thread);
  /// Whether all of the first `count` slots are interpreted.
  [[nodiscard]] bool interprets(std::size_t count);
  /// The first `count` slots, which are started, in turns.
  [[nodiscard]] reference::Outcome interpret_together(std::size_t count, machine::Group& group);
  /// The places and centers of the next thread of a row, as code writes them.
  void put_row(std::uint8_t* payload, std::uint32_t place, void (*fill)(void*), void* filler) const;
  void set_up(Slot& slot, const machine::ThreadStart& start);
  void set_up(Slot& slot, const GroupThreads& threads, machine::Group& group, std::array<std::uint32_t, 3> number);
  /// Threads [begin, end) of `groups` groups, all with the same lanes.
  [[nodiscard]] reference::Outcome run_row(Slot& slot, const GroupThreads& threads, std::uint32_t begin,
                                           std::uint32_t end, std::uint32_t groups);
  /// From the start to the end; no other thread reaches its barriers.
  [[nodiscard]] reference::Outcome enter(Slot& slot, CompiledKernel::Way way, std::uint32_t dispatch_mask);
  /// From the start, or on from where it waits, to the next wait or the end.
  [[nodiscard]] reference::Outcome begin(Slot& slot, CompiledKernel::Way way, std::uint32_t dispatch_mask);
  [[nodiscard]] reference::Outcome go_on(Slot& slot);
  [[nodiscard]] reference::Outcome account(Slot& slot, std::uint32_t result);
  /// A barrier: whether the slot's thread may go on.
  void arrive(Slot& slot, machine::Group* group);
  [[nodiscard]] static bool may_go_on(Slot& slot, const machine::Group* group);
  void refuse_unreached(Slot& slot, std::size_t threads);
  [[nodiscard]] bool comes_to_barrier(Slot& slot, reference::Outcome& outcome);
  [[nodiscard]] reference::Outcome run_in_step(std::size_t count, std::size_t& first, std::size_t& arrived);
  /// Those of the first `count` slots that wait may go on, as the others have ended.
  [[nodiscard]] bool pass_without_ended(std::size_t count, machine::Group& group);
  /// The first `count` slots, which are set up, in turns.
  [[nodiscard]] reference::Outcome run_together(std::size_t count, machine::Group& group);

  /// Steps of the budget, which hears whether threads have ended since it was asked last.
  [[nodiscard]] std::uint64_t grant(std::uint64_t wanted) {
    if (std::exchange(ended_, false)) budget_->progress();
    return budget_->take(wanted);
  }

  /// So that there is one of this handle; may throw std::bad_alloc.
  void grow_handle_views(std::size_t handle);
  void show_handle_views(machine::jit::ThreadContext& context) const;
  [[nodiscard]] const CompiledKernel& kernel() const { return *kernel_; }
  [[nodiscard]] reference::Budget& budget() const { return *budget_; }
  /// What is bound, for both tiers.
  struct Tables {
    const void* const* images = nullptr;               ///< ThreadContext::images
    const machine::jit::MessageCall* calls = nullptr;  ///< ThreadContext::calls
  };
  void begin_run(const CompiledKernel& kernel, const Tables& tables, const machine::Bindings& bindings,
                 machine::Reports& reports, reference::Budget& budget, bool alone);
  /// Its first use in this run.
  void begin_run(Slot& slot);

  const machine::Code& code_;
  const CompiledKernel* kernel_ = nullptr;
  Tables tables_;
  const machine::Bindings* bindings_ = nullptr;
  machine::Reports* reports_ = nullptr;
  reference::Budget* budget_ = nullptr;
  std::vector<std::unique_ptr<Slot>> slots_;
  HandleMessages handles_;
  InterpretedMessages interpreted_messages_;
  std::unique_ptr<class PlainThreads> plain_;
  /// That of threads that are interpreted.
  [[nodiscard]] reference::Shortcut* shortcut();
  /// ThreadContext::handles of all slots; larger handles are asked for each time.
  /// There is one at least: compiled code looks at the first.
  std::vector<machine::jit::HandleView> handle_views_ = std::vector<machine::jit::HandleView>(1);
  static constexpr std::size_t kMaxHandleViews = 65536;
  machine::jit::HandleView far_view_;  ///< of a larger one
  std::uint64_t reference_calls_ = 0;
  std::uint64_t run_ = 0;  ///< counts begin_run()
  bool alone_ = false, ended_arrive_ = false;
  bool ended_ = false;  ///< a thread has, which the budget does not know
  std::uint32_t groups_done_ = 0;
  std::uint64_t left_ = 0;          ///< steps granted and not used
  std::uint64_t used_ = 0;          ///< steps that the kernel was not told of
  std::uint64_t used_partial_ = 0;  ///< those of them in the code of threads with fewer lanes
  std::uint64_t steps_of_run_ = 0;
};

}  // namespace heddle::engine::jit
