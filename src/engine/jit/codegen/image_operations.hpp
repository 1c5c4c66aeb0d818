#pragma once
// The messages of a kernel whose surface and sampler are known when it is compiled.

#include <map>
#include <memory>
#include <span>

#include "engine/jit/analysis/known_values.hpp"
#include "machine/pixels.hpp"

namespace heddle::engine::jit {

class Images {
 public:
  Images() = default;
  Images(const machine::Code& code, const machine::StateIndex& states, const ControlFlowGraph& graph,
         const KnownValueMap& known, const machine::Bindings& bindings, const machine::PixelState* pixels);

  /// Of an instruction, or nullptr.
  [[nodiscard]] const machine::jit::MessageUse* at(std::uint32_t instruction) const {
    return instruction < uses_.size() && uses_[instruction].message != nullptr ? &uses_[instruction] : nullptr;
  }
  /// ThreadContext::images
  [[nodiscard]] const void* const* table() const { return table_.data(); }

  /// Code that differs: entry point, and the state that decides which code runs.
  struct Function {
    std::string name;
    machine::jit::PreparedMessage::Kernel kernel;
    const machine::jit::PreparedMessage* message = nullptr;  ///< the first that uses it
  };
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }

 private:
  [[nodiscard]] const std::string& function_for(const machine::jit::PreparedMessage& message);
  [[nodiscard]] std::uint32_t slot_for(const machine::jit::PreparedMessage& message);

  std::vector<machine::jit::MessageUse> uses_;  ///< by instruction
  std::vector<std::unique_ptr<machine::jit::PreparedMessage>> messages_;
  std::vector<const void*> table_;
  std::map<std::string, std::uint32_t> shared_slots_;  ///< by PreparedMessage::place_key
  std::vector<Function> functions_;
};

}  // namespace heddle::engine::jit
