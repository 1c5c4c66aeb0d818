// SPDX-License-Identifier: MIT
#pragma once
// A kernel of the fast engine: machine code for what it is bound to, made when it is first needed.

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "engine/jit/cache/kernel_cache.hpp"
#include "engine/jit/cache/tiered_code.hpp"
#include "engine/jit/codegen/compile.hpp"
#include "engine/jit/runtime/background.hpp"
#include "engine/jit/runtime/prepared_kernel.hpp"
#include "engine/reference/resolved_kernel.hpp"
#include "engine/reference/run.hpp"

namespace heddle::engine::jit {

/// Machine code as assembler text, made for whoever asks.
struct CodeListing {
  std::string assembly;
  Tier tier = Tier::First;
  bool bound = false;   ///< made for what was bound in a run; else for images of no known kind
  std::string problem;  ///< not empty: there is no code, and why
};

class CompiledKernel {
 public:
  /// Nothing, with the reason, when it is known that the program cannot be compiled or this build has no compiler: it
  /// then runs on the reference engine. Where code is made late (PreparedKernel::compiles_late), what cannot be
  /// compiled shows then, and is interpreted. `kernel` and `bindings` must outlive it.
  static std::unique_ptr<CompiledKernel> prepare(const reference::ResolvedKernel& kernel,
                                                 const machine::Bindings& bindings, const KernelOptions& options,
                                                 std::string& why_not);
  /// The same of what was prepared for many: `images` are its messages with what is bound, of which only static state
  /// counts.
  static std::unique_ptr<CompiledKernel> prepare(std::shared_ptr<const PreparedKernel> prepared, Images images,
                                                 std::string& why_not);
  ~CompiledKernel();

  [[nodiscard]] const std::shared_ptr<const PreparedKernel>& prepared() const { return prepared_; }
  [[nodiscard]] const machine::Code& code() const { return code_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const std::string& listing() const { return listing_; }
  [[nodiscard]] const std::string& assembly() const { return assembly_; }
  [[nodiscard]] bool has_barrier() const { return graph_.has_barrier; }
  /// Whether a thread may arrive at the group's barrier without waiting.
  [[nodiscard]] bool has_signal() const { return graph_.has_signal; }
  [[nodiscard]] std::uint32_t own_bytes() const { return options_.own_bytes; }
  /// Whether it may look at shared local memory.
  [[nodiscard]] bool uses_shared_memory() const { return prepared_->uses_shared_memory(); }
  /// How many threads one call may run, so that it comes back soon; one, where they can see how long they run.
  [[nodiscard]] std::uint32_t threads_at_once() const { return prepared_->threads_at_once(); }
  /// Bytes of a thread's payload that compiled code reads.
  [[nodiscard]] std::size_t payload_bytes() const { return prepared_->payload_bytes(); }
  /// Whether a variable is used that an `.input` fills from one of these bytes of the payload.
  [[nodiscard]] bool reads_input(std::uint32_t offset, std::uint32_t size) const {
    return prepared_->reads_input(offset, size);
  }
  [[nodiscard]] const Images& images() const { return images_; }
  /// ThreadContext::calls, of a kernel that was prepared for one state.
  [[nodiscard]] const machine::jit::MessageCall* calls() const { return calls_.data(); }
  /// Where the code that was made first came from.
  enum class Origin : std::uint8_t { Compiled, Memory, Disk, None };
  [[nodiscard]] Origin origin() const { return origin_; }
  /// What runs a thread.
  enum class Way : std::uint8_t { Threads, Rows };
  /// Whether a thread that starts with these lanes has no code and is to be interpreted: compiling it has not been
  /// worth it yet, somebody else does it just now, or it cannot be compiled. Where it is worth it now, this compiles.
  [[nodiscard]] bool interprets(std::uint32_t dispatch_mask, Way way, reference::Budget& budget) const {
    Part& part = part_of(dispatch_mask, way);
    return part.state.load(std::memory_order_acquire) != State::Code && still_interprets(part, budget);
  }
  /// Steps of threads that were interpreted.
  void interpreted(std::uint32_t dispatch_mask, Way way, std::uint64_t steps) const;
  /// So many full threads are going to run: where that is more than is interpreted anyway, none of them is, and their
  /// code is for running. Where it is long enough for the second tier, that is asked for sooner.
  void expect(std::uint64_t threads) const;
  /// The same of a part of a run, such as a primitive of a draw: what comes behind it is not known.
  void expect_at_least(std::uint64_t threads) const;
  /// How many steps an interpreted thread may take before it is left and runs from its start in code; 0: any number.
  [[nodiscard]] std::uint64_t steps_before_restart(std::uint32_t dispatch_mask, Way way) const {
    const bool restarts = prepared_->restarts() && part_of(dispatch_mask, way).state != State::Failed;
    return restarts ? std::min(kMaxUnwatched, prepared_->interpreted_steps()) : 0;
  }
  /// Steps in which a thread that may restart looks at no limit and no clock.
  static constexpr std::uint64_t kMaxUnwatched = 1'000'000;
  /// The function for a thread that starts with these lanes; null, when it cannot be made.
  /// Compiling it, which happens when it is first asked for, is no part of the run: the budget gets that time back.
  [[nodiscard]] Function function(std::uint32_t dispatch_mask, reference::Budget& budget,
                                  Way way = Way::Threads) const {
    return function_of(part_of(dispatch_mask, way), budget);
  }
  /// Whether that is the function for threads with fewer lanes.
  [[nodiscard]] bool is_partial(std::uint32_t dispatch_mask, Way way) const {
    return &part_of(dispatch_mask, way) == &partial_;
  }
  /// Time that compiling took after prepare().
  [[nodiscard]] double late_seconds() const { return late_seconds_; }
  /// Why function() gave none.
  [[nodiscard]] std::string problem() const {
    const std::lock_guard guard(jobs_);
    return problem_;
  }
  /// Instructions were executed, by the function of full threads and by that of others: the one that runs often is made
  /// again, better, on a thread of its own. Any thread may call it.
  void ran(std::uint64_t instructions, std::uint64_t partial = 0) const;
  /// The run that expect() told of is over, whether or not it took as long.
  void run_ended() const { left_.store(0, std::memory_order_relaxed); }
  /// So many instructions in a function's first tier make its second worth it.
  [[nodiscard]] std::uint64_t worth_second_tier() const;
  /// Whether the second tier is there, or was asked for.
  [[nodiscard]] bool asked_second_tier() const;
  /// Says for sites by handle what they called, before ran(): the second tier has code for what they are likely given.
  /// Where it is there already, and calls of others become many, it is made again.
  void met(std::span<const MetState> states) const;
  /// Such calls of others, of those that met() heard of.
  [[nodiscard]] std::uint64_t unknown_calls() const { return unknown_calls_; }
  /// Asks for the second tier of what was made so far, and waits for it. False: there is none.
  [[nodiscard]] bool finish_second_tier() const;
  /// Instructions that ran in it, about.
  [[nodiscard]] std::uint64_t executed() const;
  /// The code of full threads in the tier that runs now. It is compiled again to be listed.
  [[nodiscard]] CodeListing list() const;
  /// The code of full threads that the first tier has before anything is bound.
  [[nodiscard]] static CodeListing list_unbound(std::shared_ptr<const PreparedKernel> prepared);
  /// Pixels from one of its threads to the next.
  [[nodiscard]] std::uint32_t columns() const { return options_.simd / 2; }
  [[nodiscard]] std::uint32_t full_mask() const { return full_mask_; }

 private:
  CompiledKernel(std::shared_ptr<const PreparedKernel> prepared, Images images)
      : prepared_(std::move(prepared)),
        code_(prepared_->code()),
        options_(prepared_->options()),
        graph_(prepared_->graph()),
        known_(prepared_->known()),
        images_(std::move(images)),
        full_mask_(prepared_->full_mask()) {}
  /// What a function is for.
  enum class For : std::uint8_t { Some, Full, Row };
  enum class State : std::uint8_t { None, Code, Failed };
  /// One function of the kernel, in both tiers.
  struct Made {
    std::string key;                   ///< of the second tier
    std::shared_ptr<TieredCode> code;  ///< null: not made (yet)
    std::shared_ptr<SecondTierJob> job;
  };
  /// A function that is made once, when it is needed.
  struct Part {
    For what = For::Some;
    Made made;  ///< written before `state` is, but for its job
    std::atomic<State> state = State::None;
    [[nodiscard]] bool has_code() const { return state.load(std::memory_order_acquire) == State::Code; }
    std::once_flag looked, compiled;
    std::atomic<bool> claimed = false;  ///< somebody who interpreted so far compiles it
    /// Where kernels for other states of what is bound count their steps too, and leave their code; of parts that are
    /// looked at.
    std::shared_ptr<TieredCode> shared;
  };
  [[nodiscard]] Part& part_of(std::uint32_t dispatch_mask, Way way) const {
    return way == Way::Rows || (dispatch_mask == full_mask_ && !options_.row) ? main_ : partial_;
  }
  /// Whose code tells how often it was made again; null: there is none.
  [[nodiscard]] const Part* counting_part() const;
  /// Takes what the memory or the disk has; nothing is compiled.
  void look(Part& part) const;
  /// Whether this call has compiled it, or tried to.
  bool compile_part(Part& part) const;
  [[nodiscard]] bool still_interprets(Part& part, reference::Budget& budget) const;
  [[nodiscard]] Function function_of(Part& part, reference::Budget& budget) const;
  /// Without `compiles`: what the memory or the disk has.
  [[nodiscard]] Made make(For what, bool compiles, std::string& error) const;
  /// A listing is of the best tier, which is waited for, and of full threads alone.
  [[nodiscard]] bool wants_listing(For what) const { return options_.compile.keep_listing && what != For::Some; }
  [[nodiscard]] CodeListing list(Tier tier) const;
  [[nodiscard]] CompileOutput compile_for(For what, const CompileOptions& options) const;
  [[nodiscard]] std::shared_ptr<const LoadedCode> compile_now(For what, Tier tier, const std::string& key,
                                                              std::string& error) const;
  [[nodiscard]] std::shared_ptr<const LoadedCode> first_code(For what, bool compiles, Origin& origin,
                                                             std::string& error) const;
  void ran(Part& part, std::uint64_t instructions, std::uint64_t worth) const;
  [[nodiscard]] std::uint64_t left_after(std::uint64_t instructions) const;
  void ask_second_tier(For what, Made& made) const;
  void ask(For what, Made& made, bool again) const;
  [[nodiscard]] base::KeyMaker function_key(For what) const;
  [[nodiscard]] std::string first_key(For what) const;
  [[nodiscard]] std::string second_key(For what) const;

  std::shared_ptr<const PreparedKernel> prepared_;
  const machine::Code& code_;
  const KernelOptions& options_;
  const ControlFlowGraph& graph_;
  const KnownValueMap& known_;
  Images images_;
  std::vector<machine::jit::MessageCall> calls_;
  std::uint32_t full_mask_ = 0;
  mutable Part main_;        ///< full threads or rows of them
  mutable Part partial_;     ///< other threads
  mutable std::mutex jobs_;  ///< guards the jobs, the problem and what is likely
  /// By site, the state that most calls have, as a vote finds it: who has another one takes a voice away.
  struct Guess {
    Images::Message message;
    std::uint64_t votes = 0;
    std::uint64_t unknown = 0;  ///< calls by code that did not know it
    void hear(const MetState& met);
  };
  mutable std::vector<Guess> likely_;
  mutable std::atomic<std::uint64_t> unknown_calls_ = 0;
  mutable unsigned times_again_ = 0;  ///< of the code that counted Guess::unknown
  mutable std::string problem_;
  mutable std::atomic<double> late_seconds_ = 0;
  mutable std::atomic<bool> large_ = false;      ///< full threads are expected to run for long
  mutable std::atomic<bool> long_ = false;       ///< so long that the second tier is worth it
  mutable std::atomic<std::uint64_t> left_ = 0;  ///< instructions of the run that expect() told of
  mutable std::atomic<Origin> origin_ = Origin::Compiled;
  mutable Counts counts_;
  mutable std::string listing_, assembly_;
};

}  // namespace heddle::engine::jit
