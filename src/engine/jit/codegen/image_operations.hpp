#pragma once
// The image operations of a kernel whose surface and sampler are known when it is compiled.

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
  [[nodiscard]] const machine::jit::ImageUse* at(std::uint32_t instruction) const {
    return instruction < uses_.size() && !uses_[instruction].function.empty() ? &uses_[instruction] : nullptr;
  }
  /// ThreadContext::images
  [[nodiscard]] const void* const* table() const { return table_.data(); }

  /// Code that differs: entry point, and the state that decides which code runs.
  struct Function {
    std::string name, entry;
    std::span<const std::uint8_t> static_state;  ///< bytes of StaticState, TargetFixed, FootprintStaticState,
                                                 ///< UnormStaticState or TypedStaticState
    bool writes = false;                         ///< no output words
    unsigned lanes =
        0;  ///< of an operation of `StaticState`, whose output is four channels of so many words; 0: another
  };
  [[nodiscard]] const std::vector<Function>& functions() const { return functions_; }

 private:
  [[nodiscard]] const std::string& function_for(const std::string& entry, std::span<const std::uint8_t> static_state,
                                                bool writes, unsigned lanes = 0);
  std::vector<machine::jit::ImageUse> uses_;
  std::vector<std::unique_ptr<texture::simd::PreparedOperation>> states_;
  std::vector<std::unique_ptr<render_target::simd::PreparedWrite>> targets_;
  std::vector<std::unique_ptr<texture::simd::PreparedFootprint>> footprints_;
  std::vector<std::unique_ptr<texture::simd::PreparedUnorm>> unorms_;
  std::vector<std::unique_ptr<texture::simd::PreparedTyped>> typed_;
  std::vector<const void*> table_;
  std::vector<Function> functions_;
};

}  // namespace heddle::engine::jit
