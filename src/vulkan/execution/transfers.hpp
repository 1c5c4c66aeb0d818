// SPDX-License-Identifier: MIT
#pragma once
// Copies, blits, resolves, clears and fills outside of render passes.

#include "vulkan/commands/command.hpp"

namespace heddle::vulkan {

struct QueueContext;

class Transfers {
 public:
  explicit Transfers(QueueContext& context) : context_(context) {}

  void run(const commands::CopyBuffer2& c);
  void run(const commands::CopyImage2& c);
  void run(const commands::CopyBufferToImage2& c);
  void run(const commands::CopyImageToBuffer2& c);
  void run(const commands::BlitImage2& c);
  void run(const commands::ResolveImage2& c);
  void run(const commands::ClearColorImage& c);
  void run(const commands::ClearDepthStencilImage& c);
  void run(const commands::CopyMemoryIndirectKHR& c);
  void run(const commands::CopyMemoryToImageIndirectKHR& c);
  void run(const commands::FillBuffer& c);
  void run(const commands::UpdateBuffer& c);

 private:
  QueueContext& context_;
};

}  // namespace heddle::vulkan
