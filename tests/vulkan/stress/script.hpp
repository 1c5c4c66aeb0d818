// SPDX-License-Identifier: MIT
#pragma once
// A random sequence of commands over random resources: the same on every driver, and with the same results wherever
// Vulkan defines them. Integers only; every command is followed by a barrier.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test {

struct ImageSpec {
  VkFormat format = VK_FORMAT_R32_UINT;
  std::uint32_t texel_bytes = 4;
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkExtent3D extent{1, 1, 1};
  std::uint32_t levels = 1, layers = 1;
  [[nodiscard]] VkExtent3D level(std::uint32_t n) const {
    const auto size = [n](std::uint32_t side) { return side >> n == 0 ? 1 : side >> n; };
    return {size(extent.width), size(extent.height), size(extent.depth)};
  }
};

/// A box of texels of one level.
struct TexelBox {
  std::uint32_t image = 0, level = 0, layer = 0;
  VkOffset3D offset{};
  VkExtent3D extent{1, 1, 1};
};

enum class Shader : std::uint8_t { Mix, Scatter, Scan, Steps, Texels, Store };
inline constexpr std::size_t kShaders = 6, kDrawKinds = 7;

struct StressCommand {
  enum class Kind : std::uint8_t {
    Fill,
    Update,
    CopyBuffer,
    ToImage,
    FromImage,
    CopyImage,
    Clear,
    Blit,
    Dispatch,
    Indirect,
    Draw,
    DrawIndexed
  } kind = Kind::Fill;
  std::uint32_t from = 0, to = 0;                  ///< buffers
  std::uint32_t source = 0, target = 0, size = 4;  ///< bytes
  std::uint32_t value = 0;
  TexelBox box, other;
  std::uint32_t row = 0, rows = 0;  ///< texels of a row and rows of a slice in the buffer; 0: tight
  bool mirrored = false;
  Shader shader = Shader::Mix;
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::uint32_t draws = 0;  ///< which pipeline
  std::uint32_t vertices = 3, instances = 1;
  bool clears = false, dynamic = false;  ///< the attachments; a pass without a render pass object
  bool direct = false;                   ///< indexed draws have their numbers in the command
};

struct Script {
  std::vector<ImageSpec> images;  ///< the first is R32_UINT, 2D, for storage
  std::vector<StressCommand> commands;
};

inline constexpr std::uint32_t kStressBuffers = 4, kStressWords = 4096, kMaxImages = 5;

[[nodiscard]] Script make_script(std::uint32_t seed);
/// For messages: the command's kind and its numbers.
[[nodiscard]] std::string describe(const StressCommand& command);

}  // namespace heddle::test
