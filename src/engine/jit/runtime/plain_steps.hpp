// SPDX-License-Identifier: MIT
#pragma once
// How threads that are interpreted run most of a kernel: instructions on whole words in a form made once
// (instructions/plain.hpp), messages to the texture unit by their vector functions, for what is bound.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/jit/analysis/control_flow_graph.hpp"
#include "engine/jit/analysis/image_operations.hpp"
#include "engine/reference/run.hpp"
#include "instructions/plain.hpp"
#include "instructions/sampler/jit_image.hpp"

namespace heddle::engine::jit {

/// Of one kernel. Never changed.
class PlainSteps {
 public:
  PlainSteps(const machine::Code& code, const ControlFlowGraph& graph, std::span<const MessageSite> sites);
  /// As reference::Shortcut::run. `calls`: of each site, for what is bound.
  [[nodiscard]] std::uint64_t run(machine::Thread& thread, const machine::jit::MessageCall* calls,
                                  std::uint64_t most) const;
  /// Instructions and messages that have such a form.
  [[nodiscard]] std::uint64_t steps() const { return steps_.size(); }
  [[nodiscard]] std::uint64_t messages() const { return messages_.size(); }

 private:
  enum class Kind : std::uint8_t { Other, Nothing, Step, Message };
  struct Place {
    Kind kind = Kind::Other;
    bool joins = false;       ///< lanes may wait there
    std::uint32_t index = 0;  ///< of the step or message
  };
  struct Message {
    std::uint32_t site = 0;
    instructions::PlainLanes lanes;
    instructions::PlainMessage message;
  };
  [[nodiscard]] static bool run_message(const instructions::PlainMessage& message,
                                        const machine::jit::MessageCall& call, machine::Thread& thread,
                                        std::uint32_t lanes);

  std::vector<Place> places_;  ///< by instruction
  std::vector<instructions::PlainStep> steps_;
  std::vector<Message> messages_;
};

/// Of one Runner: for the kernel that it runs, with what is bound.
class PlainThreads final : public reference::Shortcut {
 public:
  void begin_run(const PlainSteps& steps, const machine::jit::MessageCall* calls) {
    steps_ = &steps;
    calls_ = calls;
  }
  [[nodiscard]] std::uint64_t run(machine::Thread& thread, std::uint64_t most) override {
    return steps_->run(thread, calls_, most);
  }

 private:
  const PlainSteps* steps_ = nullptr;
  const machine::jit::MessageCall* calls_ = nullptr;
};

}  // namespace heddle::engine::jit
