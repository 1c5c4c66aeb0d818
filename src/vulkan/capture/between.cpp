// SPDX-License-Identifier: MIT
#include "vulkan/capture/between.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/diagnostic.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/images/image.hpp"

namespace heddle::vulkan {
namespace {

/// The line of a command; empty: it has none.
class Describer {
 public:
  explicit Describer(Device& device) : device_(device) {}
  std::string line;

  template <typename C>
  void run(const C&) {}  // all others

  void run(const commands::BeginRenderPass& c) { begin(c.pRenderPassBegin->renderArea.extent); }
  void run(const commands::BeginRenderPass2& c) { begin(c.pRenderPassBegin->renderArea.extent); }
  void run(const commands::BeginRendering& c) { begin(c.pRenderingInfo->renderArea.extent); }
  void run(const commands::NextSubpass&) { line = "next subpass"; }
  void run(const commands::NextSubpass2&) { line = "next subpass"; }
  void run(const commands::EndRenderPass&) { line = kEnds; }
  void run(const commands::EndRenderPass2&) { line = kEnds; }
  void run(const commands::EndRendering&) { line = kEnds; }
  void run(const commands::EndRendering2KHR&) { line = kEnds; }

  void run(const commands::CopyBuffer2& c) {
    move("copy", buffer(c.pCopyBufferInfo->srcBuffer), buffer(c.pCopyBufferInfo->dstBuffer));
  }
  void run(const commands::CopyImage2& c) {
    move("copy", image(c.pCopyImageInfo->srcImage), image(c.pCopyImageInfo->dstImage));
  }
  void run(const commands::CopyBufferToImage2& c) {
    move("copy", buffer(c.pCopyBufferToImageInfo->srcBuffer), image(c.pCopyBufferToImageInfo->dstImage));
  }
  void run(const commands::CopyMemoryIndirectKHR& c) {
    const std::uint32_t count = c.pCopyMemoryIndirectInfo->copyCount;
    line = fmt::format("copy {} region{} between addresses in memory", count, count == 1 ? "" : "s");
  }
  void run(const commands::CopyMemoryToImageIndirectKHR& c) {
    move("copy", "addresses in memory", image(c.pCopyMemoryToImageIndirectInfo->dstImage));
  }
  void run(const commands::CopyImageToBuffer2& c) {
    move("copy", image(c.pCopyImageToBufferInfo->srcImage), buffer(c.pCopyImageToBufferInfo->dstBuffer));
  }
  void run(const commands::BlitImage2& c) {
    move("blit", image(c.pBlitImageInfo->srcImage), image(c.pBlitImageInfo->dstImage));
  }
  void run(const commands::ResolveImage2& c) {
    move("resolve", image(c.pResolveImageInfo->srcImage), image(c.pResolveImageInfo->dstImage));
  }
  void run(const commands::ClearColorImage& c) { line = "clear " + image(c.image); }
  void run(const commands::ClearDepthStencilImage& c) { line = "clear " + image(c.image); }
  void run(const commands::ClearAttachments& c) {
    line = fmt::format("clear {} attachment{}", c.attachmentCount, c.attachmentCount == 1 ? "" : "s");
  }
  void run(const commands::FillBuffer& c) { line = "fill " + buffer(c.dstBuffer); }
  void run(const commands::UpdateBuffer& c) {
    line = fmt::format("update {} bytes of {}", c.dataSize, buffer(c.dstBuffer));
  }

 private:
  static constexpr const char* kEnds = "pass ends";

  void begin(const VkExtent2D& extent) { line = fmt::format("pass begins, {}x{}", extent.width, extent.height); }
  void move(const char* what, const std::string& from, const std::string& to) {
    line = fmt::format("{} {} to {}", what, from, to);
  }
  template <typename Handle>
  [[nodiscard]] std::string named(const char* what, Handle handle) {
    const std::string name = device_.name_of(std::bit_cast<std::uint64_t>(handle));
    return name.empty() ? what : fmt::format("{} {}", what, name);
  }
  [[nodiscard]] std::string buffer(VkBuffer handle) { return named("buffer", handle); }
  [[nodiscard]] std::string image(VkImage handle) {
    const VkExtent3D& extent = from_handle(handle)->extent;
    return fmt::format("{} ({}x{})", named("image", handle), extent.width, extent.height);
  }

  Device& device_;
};

}  // namespace

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\'; }, ' ');
  const std::string quoted = base::json_quote(text);  // puts something in the place of wrong bytes
  return quoted.substr(1, quoted.size() - 2);
}

void Between::note(const Command& command, std::uint64_t frame) {
  if (frame > std::exchange(frame_, frame) + 1) (void)take();
  Describer describer(device_);
  commands::visit(command, describer);
  if (describer.line.empty()) return;
  if (lines_.size() < kMaxLines)
    lines_.push_back(one_line(std::move(describer.line)));
  else
    ++more_;
}

std::vector<std::string> Between::take() {
  if (more_ != 0) lines_.push_back(fmt::format("and {} more", std::exchange(more_, 0)));
  return std::exchange(lines_, {});
}

}  // namespace heddle::vulkan
