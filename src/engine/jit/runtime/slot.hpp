// SPDX-License-Identifier: MIT
#pragma once
// What one thread of a Runner needs: registers, what compiled code sees, and a way to wait.

#include <array>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "engine/jit/runtime/runtime.hpp"
#include "texture/touches.hpp"

namespace heddle::engine::jit {

/// Without data where there are more bytes than offsets reach.
[[nodiscard]] machine::jit::View view_of(std::uint8_t* data, std::uint64_t size);

struct Runner::Slot {
  Slot(const machine::Code& code, const machine::Bindings& bindings, machine::Reports& reports, Runner& owner)
      : thread(code, bindings, reports), runner(owner) {
    context.runner = this;
    context.views = views.data();
    context.unit_context = &thread.unit_context();
  }
  machine::Thread thread;
  Runner& runner;
  machine::jit::ThreadContext context;
  std::array<machine::jit::View, machine::jit::kViews> views{};
  std::vector<std::uint64_t> identities;  ///< of the surfaces that `views` shows
  std::uint64_t run = 0;                  ///< of the runner, that it was made ready for
  bool touched = true;                    ///< the thread's own state has changed since it began
  // Of run_groups: what the running thread is made from when the reference engine asks for it.
  const GroupThreads* threads = nullptr;
  machine::Group* group = nullptr;
  std::vector<std::uint8_t> payload, scratch;
  std::uint32_t known_thread = kNobody, known_group = 0;
  static constexpr std::uint32_t kNobody = 0xffffffffu;
  void know_thread() {
    if (known_thread != context.thread || known_group != context.group[0]) learn_thread();
  }
  void learn_thread();
  /// The thread was interpreted, which has left modes and demoted lanes that code does not look for.
  bool interpreted = false;
  void forget_interpreted() {
    if (!interpreted) return;
    interpreted = false;
    thread.set_request_runner(nullptr);
    thread.start(machine::ThreadStart(thread.setup()));
  }
  /// Texels that no kernel counts are told to whoever counts in this process.
  void watch_texels() {
    if (texture::TouchSink* const sink = texture::touch_sink(); sink != nullptr) thread.unit_context().observer = sink;
  }
  // Where it can wait:
  Function function = nullptr;  ///< that began it, and goes on with it
  bool partial = false;         ///< the function is that of threads with fewer lanes
  std::unique_ptr<void, decltype(&std::free)> frame{nullptr, &std::free};
  std::size_t frame_bytes = 0;  ///< taken from the budget
  void drop_frame(reference::Budget& budget) {
    frame.reset();
    budget.give_back_memory(std::exchange(frame_bytes, 0));
  }
  std::uint64_t phase = 0;                  ///< of the group's own barrier that it waits for
  std::uint32_t lanes = 0;                  ///< that it starts with
  std::array<std::uint32_t, 3> refueled{};  ///< group, thread, threads left when the budget was asked last
  bool started = false, done = false;
};

}  // namespace heddle::engine::jit
