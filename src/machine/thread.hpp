// SPDX-License-Identifier: MIT
#pragma once
// One hardware thread: its registers, its execution mask and control flow, and what surrounds it.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine/bindings.hpp"
#include "machine/decoded.hpp"
#include "machine/flow.hpp"
#include "machine/invocations.hpp"
#include "machine/numbers/number.hpp"
#include "machine/observer.hpp"
#include "machine/registers.hpp"
#include "machine/report.hpp"
#include "texture/context.hpp"

namespace heddle::texture {
class RequestRunner;
}

namespace heddle::machine {

/// The prepared objects of a program; objects[0] is the kernel, then the functions it may call, by name.
struct Code {
  const isa::Program* program = nullptr;
  isa::Platform platform = isa::Platform::SKL;
  unsigned grf_bytes = 32;
  std::vector<PreparedObject> objects;
  /// Functions have addresses (faddr, ifcall): kFunctionBase + index * 64.
  static constexpr std::uint64_t kFunctionBase = 0xffff'8000'0000'0000u;
  [[nodiscard]] const PreparedObject* function(std::string_view name) const;
};

/// The platform as the texture unit names it (it only checks against these).
[[nodiscard]] texture::UnitPlatform unit_platform(isa::Platform platform);

struct PixelInput;  // machine/pixels.hpp: what the pixel dispatch knows beside the payload

/// Bytes of the payload that say which group a compute thread belongs to: r0.1, r0.6, r0.7.
inline constexpr std::array<std::uint32_t, 3> kGroupPlaces{4, 24, 28};

/// How a thread starts.
struct ThreadStart {
  std::span<const std::uint8_t>
      payload;  ///< register-file image: byte 0 is r0; `.input`s lie at their offsets. May be short: zeros follow
  std::uint32_t arguments = 0;  ///< byte of the payload where the kernel's arguments start (LSC "arg")
  std::uint32_t dispatch_mask = 0xffffffffu;
  std::uint32_t thread = 0;                 ///< index in the group
  std::array<std::uint32_t, 3> group_id{};  ///< for messages
  std::uint32_t state0 = 0;                 ///< %sr0 element 0 (10.6)
  std::uint32_t hardware_id = 0;            ///< %hw_id: different for threads that run at the same time
  std::span<std::uint8_t> scratch;          ///< bytes behind %scratch (offset 0 = the thread's own base)
  Group* group = nullptr;
  Observer* observer = nullptr;
  const PixelInput* pixels = nullptr;
  const Invocations* invocations = nullptr;  ///< of compute, where it is known
};

class Thread {
 public:
  Thread(const Code& code, const Bindings& bindings, Reports& reports);

  /// (Re)starts with fresh registers.
  void start(const ThreadStart& start);
  /// The same for compiled code, which fills the registers itself: their contents are left as they are.
  void start_bare(const ThreadStart& start);
  /// The same once more for the next group. `touched`: instructions or the texture unit have seen the thread since.
  void start_again(std::uint32_t dispatch_mask, std::uint32_t x, std::uint32_t y, std::uint32_t z, bool touched) {
    start_.dispatch_mask = dispatch_mask;
    start_.group_id[0] = x;
    start_.group_id[1] = y;
    start_.group_id[2] = z;
    if (touched) restart_bare();
  }

  /// What the next start is for.
  void rebind(const Bindings& bindings, Reports& reports) {
    bindings_ = &bindings;
    reports_ = &reports;
    if (!unit_context_.reports.empty()) unit_context_.reports = base::Diagnostics{};
  }
  /// The thread that runs is the one at this place.
  void place_at(std::uint32_t x, std::uint32_t y) {
    start_.group_id[0] = x;
    start_.group_id[1] = y;
  }

  // --- what instructions see ---
  [[nodiscard]] const Code& code() const { return *code_; }
  [[nodiscard]] const Bindings& bindings() const { return *bindings_; }
  [[nodiscard]] Reports& reports() const { return *reports_; }
  [[nodiscard]] const ThreadStart& setup() const { return start_; }
  [[nodiscard]] const PreparedObject& object() const { return *activations_.back().object; }
  [[nodiscard]] Registers& registers() { return activations_.back().registers; }
  [[nodiscard]] const Registers& registers() const { return activations_.back().registers; }
  [[nodiscard]] Flow& flow() { return flow_; }
  [[nodiscard]] const Flow& flow() const { return flow_; }
  [[nodiscard]] const Modes& modes() const { return modes_; }
  [[nodiscard]] texture::OperationContext& unit_context() { return unit_context_; }
  /// Null: texture::execute runs the messages.
  [[nodiscard]] texture::RequestRunner* request_runner() const { return request_runner_; }
  void set_request_runner(texture::RequestRunner* runner) { request_runner_ = runner; }
  [[nodiscard]] Observer* observer() const { return start_.observer; }
  // Those of its observer's calls that come often, each null where nobody wants it.
  [[nodiscard]] Observer* instruction_observer() const { return instruction_observer_; }
  [[nodiscard]] Observer* memory_observer() const { return memory_observer_; }
  [[nodiscard]] Observer* raw_result_observer() const { return raw_result_observer_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  void count_step() { ++steps_; }
  void set_steps(std::uint64_t steps) { steps_ = steps; }
  /// The payload's bytes [offset, offset + n), zeros where it is short.
  void payload(std::uint32_t offset, std::span<std::uint8_t> out) const;

  // --- transitions ---
  void refresh_live();  ///< %ce0 and %tsc
  void reload_modes();  ///< after a write to %cr0
  void finish() { finished_ = true; }
  void fail() { failed_ = true; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] bool failed() const { return failed_; }
  /// fcall: a new register file; copies %arg (first `args` registers), %sp, %fp, %r0 and the state registers.
  [[nodiscard]] bool enter_function(const PreparedObject& callee, std::uint32_t lanes, unsigned args, unsigned rets);
  void leave_function();

  /// Lanes that have become helper invocations: nobody sees what they read.
  [[nodiscard]] std::uint32_t demoted() const { return demoted_; }
  void demote(std::uint32_t lanes) { demoted_ |= lanes; }

  // --- what orders accesses of a group ---
  /// A fence; of buffers and images, or of shared memory alone.
  void pass_fence(bool buffers) {
    ++order_;
    if (buffers && start_.group != nullptr) ++start_.group->order.fences;
  }
  void pass_barrier() { ++order_; }
  [[nodiscard]] std::uint32_t order() const { return order_; }

  /// Barrier that the thread waits for.
  struct Waiting {
    bool active = false;
    std::uint32_t id = 0;
    std::uint64_t phase = 0;
    const Decoded* at = nullptr;
  };
  Waiting waiting;
  std::unordered_map<std::uint32_t, std::uint64_t> signaled;  ///< split and named barriers: phase of the last signal

 private:
  struct Activation {
    const PreparedObject* object = nullptr;
    Registers registers;
    unsigned rets = 0;
  };
  void load_inputs();
  void find_observers() {
    Observer* all = start_.observer;
    instruction_observer_ = all != nullptr && all->wants_instructions() ? all : nullptr;
    memory_observer_ = all != nullptr && all->wants_memory() ? all : nullptr;
    raw_result_observer_ = all != nullptr && all->wants_raw_results() ? all : nullptr;
  }
  void restart_bare() {
    finished_ = failed_ = false;
    waiting = {};
    if (!signaled.empty()) signaled.clear();
    steps_ = 0;
    unit_context_.observer = nullptr;
    if (flow_.depth() != 1) flow_.start(start_.dispatch_mask, 0);
  }
  const Code* code_;
  const Bindings* bindings_;
  Reports* reports_;
  ThreadStart start_;
  std::vector<Activation> activations_;
  Flow flow_;
  Modes modes_;
  texture::OperationContext unit_context_;
  class TexelForwarder final : public texture::TexelObserver {
   public:
    Observer* to = nullptr;
    void texel(const texture::TexelTouch& touch) override { to->texel(touch); }
  };
  texture::RequestRunner* request_runner_ = nullptr;
  Observer *instruction_observer_ = nullptr, *memory_observer_ = nullptr, *raw_result_observer_ = nullptr;
  std::unique_ptr<TexelForwarder> forwarder_ = std::make_unique<TexelForwarder>();
  std::uint64_t steps_ = 0;
  std::uint32_t order_ = 0, demoted_ = 0;
  bool finished_ = false, failed_ = false;
};

/// Null where the thread's memory is not watched.
[[nodiscard]] MemoryWatch* watch_of(const Thread& thread);

/// Whether the primitive covers no sample of this lane of a pixel thread, or the lane was demoted: nobody sees what it
/// reads (PIX-12).
[[nodiscard]] bool is_helper(const Thread& thread, unsigned lane);

}  // namespace heddle::machine
