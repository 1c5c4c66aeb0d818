// SPDX-License-Identifier: MIT
#pragma once
// Transform feedback: which buffers capture, and how far each is filled.

#include "vulkan/commands/command.hpp"

namespace heddle::vulkan {

struct CommandContext;

class TransformFeedback {
 public:
  explicit TransformFeedback(CommandContext& context) : context_(context) {}

  void run(const commands::BindTransformFeedbackBuffersEXT& c);
  void run(const commands::BeginTransformFeedbackEXT& c);
  void run(const commands::EndTransformFeedbackEXT& c);

 private:
  CommandContext& context_;
};

}  // namespace heddle::vulkan
