// SPDX-License-Identifier: MIT
#pragma once
// What compute and pixel dispatch share while a program runs: the prepared kernel, its budget and reports, who watches,
// what is counted.

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "base/fixed_limits.hpp"
#include "engine/jit/runtime/runtime.hpp"
#include "engine/reference/run.hpp"
#include "machine/observer.hpp"
#include "machine/report.hpp"
#include "machine/sanitizer/memory_watch.hpp"

namespace heddle::pipeline {

/// What a thread of pixels or vertices may spill: what the kernel asks for, and what kernels get that do not say.
inline constexpr std::uint64_t kMinScratch = 65536;
[[nodiscard]] std::uint64_t scratch_of(const isa::Object& kernel);

struct Counters {
  std::uint64_t groups = 0;   ///< thread groups that ended; pixels: triangles
  std::uint64_t threads = 0;  ///< hardware threads run
  std::uint64_t texels_read = 0, texels_written = 0;
  // Of draws (FBO-4):
  std::uint64_t input_vertices = 0, input_primitives = 0, vertex_invocations = 0;
  using OfStreams = std::array<std::uint64_t, base::kMaxVertexStreams>;
  OfStreams generated{};               ///< primitives that the last stage made
  OfStreams captured{}, capturable{};  ///< by transform feedback: written, and with room enough
  std::uint64_t control_patches = 0, evaluation_invocations = 0;
  std::uint64_t geometry_invocations = 0, geometry_primitives = 0;
  std::uint64_t task_invocations = 0, mesh_invocations = 0;
  std::uint64_t mesh_primitives = 0;  ///< that groups of mesh shaders made, culled ones too
  std::uint64_t clipping_invocations = 0, clipping_primitives = 0;  ///< primitives before and after clipping
  std::uint64_t fragment_invocations = 0;
  std::uint64_t samples_passed = 0;  ///< with RunContext::count_samples (FBO-3)
};

/// Of one run; several that belong together may share its budget.
struct RunContext {
  machine::Reports& reports;
  engine::reference::Budget& budget;  ///< cancel() ends the run from any thread
  bool count_samples = false;         ///< Counters::samples_passed is wanted
  bool reference = false;             ///< the reference engine runs, as it does where there is an observer
  /// Counters of threads and fragments may leave out what nobody sees (FBO-5).
  bool may_skip = false;
  unsigned workers = 1;       ///< threads of the computer that may work on it, with the caller's
  bool owns_memory = false;   ///< nobody else uses what is bound while it runs: one worker's atomics need not be atomic
  bool ended_arrive = false;  ///< threads that ended count as arrived at barriers of their group (SPV-38)
  std::uint64_t memory_bytes = 0;         ///< that registers, scratch and shared memory may take
  machine::Observer* observer = nullptr;  ///< of the caller; called under `lock`
  machine::MemoryWatch* watch = nullptr;  ///< of the caller, where `reports` are checked; called from all workers
  std::function<void(double)> progress;   ///< part done, 0 to 1; called from one thread at a time
  std::mutex lock;

  [[nodiscard]] bool wants_reference() const { return reference || observer != nullptr; }
};

/// One for each worker: counts texels and hands everything on to the caller's observer.
class WorkerObserver final : public machine::Observer, public machine::Watched {
 public:
  explicit WorkerObserver(RunContext& context) : context_(context) {}
  void instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) override {
    const std::lock_guard guard(context_.lock);
    context_.observer->instruction(thread, d, lanes);
  }
  void memory(const machine::Thread& thread, const machine::Decoded& d, const machine::MemoryAccess& access) override {
    const std::lock_guard guard(context_.lock);
    context_.observer->memory(thread, d, access);
  }
  void texel(const texture::TexelTouch& touch) override {
    ++(touch.written ? counters.texels_written : counters.texels_read);
    if (context_.observer == nullptr || !context_.observer->wants_texels()) return;
    const std::lock_guard guard(context_.lock);
    context_.observer->texel(touch);
  }
  void footprint(const machine::FootprintTouch& touch) override {
    if (context_.observer == nullptr || !context_.observer->wants_texels()) return;
    const std::lock_guard guard(context_.lock);
    context_.observer->footprint(touch);
  }
  void barrier(const machine::Thread& thread, std::uint32_t id) override {
    if (context_.observer == nullptr) return;
    const std::lock_guard guard(context_.lock);
    context_.observer->barrier(thread, id);
  }
  void raw_result(const machine::Thread& thread, const machine::Decoded& d, const machine::Operand& operand,
                  std::uint32_t at, std::uint32_t size) override {
    const std::lock_guard guard(context_.lock);
    context_.observer->raw_result(thread, d, operand, at, size);
  }
  [[nodiscard]] bool wants_instructions() const override {
    return context_.observer != nullptr && context_.observer->wants_instructions();
  }
  [[nodiscard]] bool wants_raw_results() const override {
    return context_.observer != nullptr && context_.observer->wants_raw_results();
  }
  [[nodiscard]] bool wants_memory() const override {
    return context_.observer != nullptr && context_.observer->wants_memory();
  }
  [[nodiscard]] machine::MemoryWatch* watch() const override { return context_.watch; }
  Counters counters;

 private:
  RunContext& context_;
};

/// Processors that this process may run on: its affinity counts, not the computer's number.
[[nodiscard]] unsigned available_processors();

/// Calls work(worker, item) for every item 0 ... count - 1, `workers` of them at a time on oneTBB's threads, each with
/// a number of its own below `workers`; one worker takes them in order, on the caller's thread. Stops early when work
/// returns false; then it is false.
bool share_items(RunContext& context, unsigned workers, std::uint64_t count,
                 const std::function<bool(unsigned, std::uint64_t)>& work);
template <typename Work>
bool for_each_item(RunContext& context, unsigned workers, std::uint64_t count, const Work& work) {
  if (workers > 1 && count > 1) return share_items(context, workers, count, work);
  for (std::uint64_t item = 0; item < count; ++item) {
    if (!work(0, item)) return false;
    if (context.progress) context.progress(static_cast<double>(item + 1) / static_cast<double>(count));
  }
  return true;
}

}  // namespace heddle::pipeline
