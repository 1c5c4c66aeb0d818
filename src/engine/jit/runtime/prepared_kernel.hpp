// SPDX-License-Identifier: MIT
#pragma once
// What a program and its slots decide, whatever stands in them.

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/disk_cache.hpp"
#include "engine/jit/analysis/control_flow_graph.hpp"
#include "engine/jit/analysis/image_operations.hpp"
#include "engine/jit/analysis/interpretation.hpp"
#include "engine/jit/analysis/known_values.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "engine/jit/codegen/compile.hpp"
#include "engine/reference/resolved_kernel.hpp"

namespace heddle::engine::jit {

class PlainSteps;

struct KernelOptions {
  unsigned simd = 32;                           ///< lanes that may be active
  const machine::PixelState* pixels = nullptr;  ///< of a pixel dispatch; must outlive prepare()
  CompileOptions compile;                       ///< its tier, cancel and translated do not count
  Tiers tiers = Tiers::Both;
  bool disk_cache = true;
  MemoryCache* memory = nullptr;  ///< asked first; must outlive the kernel
  bool keep_registers = false;    ///< see KernelVariant
  bool in_memory = false;         ///< the first tier, however short and large the run (KernelVariant; for tests)
  /// Threads are interpreted for so much of the time that compiling takes, before they are compiled; 0: at once.
  double interpret = 0;
  /// See interpretation_of.
  std::vector<std::uint32_t> own_surfaces = {};
  /// Pixel threads mostly come side by side: row() is made at once, anything else runs in the code for some lanes.
  std::optional<RowLayout> row;
  std::uint32_t own_bytes = 0;  ///< see KernelVariant: then Runner::run_groups runs it, and nothing else
};

/// Never changed; shared by the kernels that are made of it.
class PreparedKernel {
 public:
  ~PreparedKernel();
  PreparedKernel(const PreparedKernel&) = delete;
  PreparedKernel& operator=(const PreparedKernel&) = delete;
  /// Nothing, with the reason, when the program cannot be compiled or this build has no compiler: it then runs on the
  /// reference engine. `slots`: what its surface and sampler variables stand for. The
  /// kernel's program must outlive it.
  static std::shared_ptr<const PreparedKernel> create(const reference::ResolvedKernel& kernel,
                                                      const machine::Bindings& slots, const KernelOptions& options,
                                                      std::string& why_not);

  [[nodiscard]] const machine::Code& code() const { return code_; }
  [[nodiscard]] const KernelOptions& options() const { return options_; }
  [[nodiscard]] const ControlFlowGraph& graph() const { return graph_; }
  [[nodiscard]] const KnownValueMap& known() const { return known_; }
  [[nodiscard]] const std::vector<MessageSite>& sites() const { return sites_; }
  /// The message of a site for what is bound; null where the reference function is called.
  [[nodiscard]] Images::Message prepare_message(std::size_t site, const machine::Bindings& bindings,
                                                const machine::PixelState* pixels) const;
  /// The message of a site by handle for the handles that it meets; null where the reference function is called.
  [[nodiscard]] std::unique_ptr<machine::jit::PreparedMessage> prepare_by_handle(
      const MessageSite& site, const Handles& handles, const machine::Bindings& bindings) const;
  /// Those of all sites.
  [[nodiscard]] Images prepare_messages(const machine::Bindings& bindings, const machine::PixelState* pixels) const;
  /// Of all sites, before anything is bound: for images of no known kind.
  [[nodiscard]] Images example_messages() const;
  [[nodiscard]] Images images_of(std::span<const Images::Message> messages,
                                 Images::Knows knows = Images::Knows::States) const;
  /// Everything that decides about code but what is bound and which function it is.
  [[nodiscard]] const base::KeyMaker& program_key() const;
  /// Where the first tier's code is found, which all kernels of the program share that have the same forms.
  [[nodiscard]] MemoryCache& first_codes() const {
    return options_.memory != nullptr ? *options_.memory : first_codes_;
  }
  /// Steps that threads without code may run altogether (Interpretation); 0: none, they are compiled before they run.
  [[nodiscard]] std::uint64_t interpreted_steps() const { return interpreted_steps_; }
  /// For threads that are interpreted; null where none are.
  [[nodiscard]] const PlainSteps* plain_steps() const { return plain_.get(); }
  /// Steps that are worth making code for, whether they can be interpreted or not.
  [[nodiscard]] std::uint64_t worth_compiling() const { return worth_compiling_; }
  /// Steps that the reference functions take as long for as the first tier takes to compile the kernel.
  [[nodiscard]] std::uint64_t compiling_steps() const { return compiling_steps_; }
  /// Steps that a thread is expected to run: all of them where nothing branches, else half of the program, of which
  /// branches may leave out the rest.
  [[nodiscard]] std::uint64_t expected_steps() const { return expected_steps_; }
  /// Whether code is made when a thread needs it, for full threads, rows or some lanes each by itself; else that of
  /// full threads is made before the first one.
  [[nodiscard]] bool compiles_late() const { return compiles_late_; }
  /// Behind it a thread that restarts() does so no more.
  [[nodiscard]] std::uint32_t last_branch_back() const { return last_branch_back_; }
  [[nodiscard]] bool restarts() const { return interpretation_ == Interpretation::Restarting; }
  [[nodiscard]] bool uses_shared_memory() const { return uses_shared_memory_; }
  /// Whether it may look at its scratch memory.
  [[nodiscard]] bool uses_scratch() const { return uses_scratch_; }
  [[nodiscard]] std::uint32_t threads_at_once() const { return threads_at_once_; }
  [[nodiscard]] std::size_t payload_bytes() const { return payload_bytes_; }
  [[nodiscard]] std::uint32_t full_mask() const { return full_mask_; }
  /// Whether a variable is used that an `.input` fills from one of these bytes of the payload.
  [[nodiscard]] bool reads_input(std::uint32_t offset, std::uint32_t size) const;

 private:
  static constexpr std::size_t kMaxForms = 32;
  PreparedKernel(const reference::ResolvedKernel& kernel, const KernelOptions& options);
  void look_at_instructions(const machine::Bindings& slots);
  void decide_interpretation(const machine::Bindings& slots, std::uint64_t instructions, Tiers tiers);

  const reference::ResolvedKernel kernel_;
  const machine::Code& code_;
  KernelOptions options_;
  bool of_pixels_;
  machine::StateIndex states_;
  ControlFlowGraph graph_;
  KnownValueMap known_;
  std::vector<MessageSite> sites_;
  std::size_t payload_bytes_ = 0;
  bool uses_shared_memory_ = true, uses_scratch_ = true;
  std::uint32_t threads_at_once_ = 1;
  Interpretation interpretation_ = Interpretation::Never;
  bool compiles_late_ = false;
  std::uint32_t last_branch_back_ = 0;
  std::uint64_t interpreted_steps_ = 0, worth_compiling_ = 0, compiling_steps_ = 1, expected_steps_ = 1;
  std::uint32_t full_mask_ = 0;
  std::unique_ptr<const PlainSteps> plain_;
  mutable MemoryCache first_codes_{kMaxForms};
  mutable std::once_flag key_once_;
  mutable base::KeyMaker program_key_;
};

}  // namespace heddle::engine::jit
