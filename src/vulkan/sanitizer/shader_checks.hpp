// SPDX-License-Identifier: MIT
#pragma once
// Checks of shaders that run: what they do with memory, and what the engine finds. Rules: run-memory-unwritten,
// run-image-layout, run-barrier-missing.

#include <memory>
#include <vector>

#include "vulkan/execution/context/observers.hpp"
#include "vulkan/sanitizer/command_watch.hpp"

namespace heddle::vulkan {

struct CommandContext;

class ShaderChecks final : public ShaderObserver {
 public:
  ShaderChecks(const CommandContext& context, std::shared_ptr<CommandWatch> watch)
      : context_(context), watch_(std::move(watch)) {}

  void begin_stage(isa::ShaderStage stage, const Shader& shader, const BindPoint& point) override;
  void end_stage() override { watch_->end_stage(); }
  [[nodiscard]] machine::MemoryWatch& memory() override { return *watch_; }
  void report(isa::ShaderStage stage, const Shader& shader, const BindPoint& point,
              const machine::Reports& reports) override;

 private:
  [[nodiscard]] std::vector<Bytes> ordered_attachments() const;

  const CommandContext& context_;
  std::shared_ptr<CommandWatch> watch_;
};

}  // namespace heddle::vulkan
