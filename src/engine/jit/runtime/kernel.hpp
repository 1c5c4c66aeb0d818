#pragma once
// A kernel of the fast engine: machine code for what it is bound to, made when it is first needed.

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/jit/cache/kernel_cache.hpp"
#include "engine/jit/cache/loader.hpp"
#include "engine/jit/codegen/compile.hpp"
#include "engine/reference/kernel.hpp"
#include "engine/reference/run.hpp"

namespace heddle::engine::jit {

struct KernelOptions {
  unsigned simd = 32;                           ///< lanes that may be active
  const machine::PixelState* pixels = nullptr;  ///< of a pixel dispatch; must outlive the kernel
  CompileOptions compile;
  bool disk_cache = true;
  MemoryCache* memory = nullptr;  ///< asked first; must outlive the kernel
  bool keep_registers = false;    ///< see Specialisation
  /// Pixel threads mostly come side by side: row() is made at once, anything else runs in the code for some lanes.
  std::optional<RowLayout> row;
  std::uint32_t own_bytes = 0;  ///< see Specialisation: then Runner::run_groups runs it, and nothing else
};

class Kernel {
 public:
  /// Nothing, with the reason, when the program cannot be compiled or this build has no compiler: it then runs on the
  /// reference engine. `kernel` and `bindings` must outlive it.
  static std::unique_ptr<Kernel> prepare(const reference::Kernel& kernel, const machine::Bindings& bindings,
                                         const KernelOptions& options, std::string& why_not);
  ~Kernel();

  [[nodiscard]] const machine::Code& code() const { return code_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] const std::string& listing() const { return listing_; }
  [[nodiscard]] const std::string& assembly() const { return assembly_; }
  [[nodiscard]] bool has_barrier() const { return graph_.has_barrier; }
  /// Whether a thread may arrive at the group's barrier without waiting.
  [[nodiscard]] bool has_signal() const { return graph_.has_signal; }
  [[nodiscard]] std::uint32_t own_bytes() const { return options_.own_bytes; }
  /// Whether it may look at shared local memory.
  [[nodiscard]] bool uses_shared_memory() const { return uses_shared_memory_; }
  /// How many threads one call may run, so that it comes back soon; one, where they can see how long they run.
  [[nodiscard]] std::uint32_t threads_at_once() const { return threads_at_once_; }
  /// Bytes of a thread's payload that compiled code reads.
  [[nodiscard]] std::size_t payload_bytes() const { return payload_bytes_; }
  /// Whether a variable is used that an `.input` fills from one of these bytes of the payload.
  [[nodiscard]] bool reads_input(std::uint32_t offset, std::uint32_t size) const;
  [[nodiscard]] const Images& images() const { return images_; }
  /// Where the code that was made first came from.
  enum class Origin : std::uint8_t { Compiled, Memory, Disk };
  [[nodiscard]] Origin origin() const { return origin_; }
  /// The function for a thread that starts with these lanes; null, reported, when it cannot be made.
  /// Compiling it, which happens when it is first asked for, is no part of the run: the budget gets that time back.
  [[nodiscard]] Function function(std::uint32_t dispatch_mask, reference::Budget& budget) const {
    return dispatch_mask == full_mask_ && full_ != nullptr ? full_ : partial(budget);
  }
  /// Time that compiling took after prepare().
  [[nodiscard]] double late_seconds() const { return late_seconds_; }
  /// Why function() gave none.
  [[nodiscard]] const std::string& partial_problem() const { return partial_problem_; }
  /// The function for full threads side by side; null: there is none.
  [[nodiscard]] Function row() const { return row_; }
  /// Pixels from one of its threads to the next.
  [[nodiscard]] std::uint32_t columns() const { return options_.simd / 2; }
  [[nodiscard]] std::uint32_t full_mask() const { return full_mask_; }

 private:
  explicit Kernel(const machine::Code& code) : code_(code) {}
  /// What a function is for.
  enum class For : std::uint8_t { Some, Full, Row };
  [[nodiscard]] std::shared_ptr<const LoadedCode> make(For what, std::string& error) const;
  [[nodiscard]] std::string key_of(For what) const;
  [[nodiscard]] Function partial(reference::Budget& budget) const;

  const machine::Code& code_;
  KernelOptions options_;
  ControlFlowGraph graph_;
  KnownValueMap known_;
  Images images_;
  std::size_t payload_bytes_ = 0;
  bool uses_shared_memory_ = true;
  std::uint32_t threads_at_once_ = 1;
  std::uint32_t full_mask_ = 0;
  Function full_ = nullptr, row_ = nullptr;
  std::shared_ptr<const LoadedCode> first_code_;
  mutable std::once_flag partial_once_;
  mutable std::shared_ptr<const LoadedCode> partial_code_;
  mutable std::string partial_problem_;
  mutable double late_seconds_ = 0;
  mutable Origin origin_ = Origin::Compiled;
  mutable Counts counts_;
  mutable std::string listing_, assembly_;
};

}  // namespace heddle::engine::jit
