// SPDX-License-Identifier: MIT
#pragma once
// Checks of transfers outside of render passes. Rules: run-memory-unwritten, run-image-layout, run-barrier-missing.

#include <memory>

#include "vulkan/execution/context/observers.hpp"
#include "vulkan/sanitizer/command_watch.hpp"

namespace heddle::vulkan {

class TransferChecks final : public TransferObserver {
 public:
  explicit TransferChecks(std::shared_ptr<CommandWatch> watch) : watch_(std::move(watch)) {}

  void declare(const Image& image, const VkImageSubresourceLayers& at, VkImageLayout declared,
               const char* who) override;
  void copy(const Buffer& from, Bytes source, const Buffer& to, Bytes target) override;
  void copy(const TransferredSurface& from, const pipeline::transfer::ImageBox& box, const TransferredSurface& to,
            const pipeline::transfer::ImageOrigin& at) override;
  void copy(const Buffer& from, const pipeline::transfer::BufferLayout& layout, const TransferredSurface& to,
            const pipeline::transfer::ImageBox& box) override;
  void copy(const TransferredSurface& from, const pipeline::transfer::ImageBox& box, const Buffer& to,
            const pipeline::transfer::BufferLayout& layout) override;
  void resolve(const TransferredSurface& from, const pipeline::transfer::ImageBox& box, const TransferredSurface& to,
               const pipeline::transfer::ImageOrigin& at) override;
  void blit(const TransferredSurface& from, const pipeline::transfer::BlitBox& source, const TransferredSurface& to,
            const pipeline::transfer::BlitBox& target) override;
  void clear(const TransferredSurface& to, const pipeline::transfer::ImageBox& box) override;
  void fill(const Buffer& to, Bytes target) override;
  void copy_results(const Buffer& to, Bytes target) override;

 private:
  std::shared_ptr<CommandWatch> watch_;
};

}  // namespace heddle::vulkan
