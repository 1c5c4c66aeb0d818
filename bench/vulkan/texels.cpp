// SPDX-License-Identifier: MIT
// What counting texels costs (HEDDLE_TEXELS): frames drawn by a process of its own, without counts and with them. A
// row says nothing unless both draw the same picture, and the counts are those that arithmetic says.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/measure.hpp"
#include "support/process.hpp"
#include "vulkan/bench_vulkan.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using test::VulkanDevice;

constexpr std::uint32_t kPixels = 1024, kLevels = 11;

/// A frame of 1024 x 1024 pixels that reads an image of as many texels eight times for each.
struct Frame {
  const char* name;
  const char* read;  ///< of the place `p`
  VkFilter filter;
  VkSamplerMipmapMode mip;
  const char* use;         ///< as texels.json has it
  std::uint64_t of_pixel;  ///< texels that a pixel reads
};
constexpr std::array kFrames{
    Frame{"bilinear", "textureLod(t, p, 0.0)", VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, "sampled", 32},
    Frame{"nearest", "textureLod(t, p, 0.0)", VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, "sampled", 8},
    Frame{"trilinear", "textureLod(t, p, 0.5)", VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, "sampled", 64},
    Frame{"bilinear, of derivatives", "texture(t, p)", VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, "sampled", 32},
    Frame{"gather", "textureGather(t, p)", VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, "gathered", 32},
    Frame{"fetch", "texelFetch(t, ivec2(p * 1024.0) & 1023, 0)", VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
          "loaded", 8},
};

std::string shader_of(const Frame& frame) {
  return fmt::format(
      "#version 450\nlayout(binding = 0) uniform sampler2D t;\nlayout(location = 0) out vec4 o;\n"
      "void main() {{ vec4 sum = vec4(0.0);\n"
      "  for (int k = 0; k < 8; ++k) {{ vec2 p = (gl_FragCoord.xy + vec2(k * 17, k * 5) + 0.3) / 1024.0;\n"
      "    sum += {}; }}\n  o = sum * 0.125; }}\n",
      frame.read);
}

/// A canvas, and an image with all its levels.
struct Scene {
  explicit Scene(const Frame& frame) : canvas(kPixels, kPixels) {
    VulkanDevice& v = canvas.v;
    v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kPixels, kPixels);
    info.mipLevels = kLevels;
    const VkImage image = v.image(info).image;
    fill(image);
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    set = v.set(sets, bindings);
    VkSamplerCreateInfo sampler{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    sampler.minFilter = sampler.magFilter = frame.filter;
    sampler.mipmapMode = frame.mip;
    sampler.addressModeU = sampler.addressModeV = VK_SAMPLER_ADDRESS_MODE_REPEAT;
    sampler.maxLod = VK_LOD_CLAMP_NONE;
    VkSampler made = VK_NULL_HANDLE;
    (void)vkCreateSampler(v.device, &sampler, nullptr, &made);
    v.later([device = v.device, made] { vkDestroySampler(device, made, nullptr); });
    v.write(set, 0, bindings[0].type, v.view(image, VK_FORMAT_R8G8B8A8_UNORM), made);
    test::PipelineState state;
    state.vertex = test::covering_vertices();
    state.fragment = shader_of(frame);
    state.layout = layout = v.layout({sets});
    pipeline = canvas.pipeline(state);
  }
  void fill(VkImage image) {
    const auto texels = canvas.v.buffer(std::uint64_t{4} * kPixels * kPixels);
    for (std::uint32_t k = 0; k < kPixels * kPixels; ++k) texels.set(k, k * 2654435761u);
    canvas.v.run([&](VkCommandBuffer c) {
      for (std::uint32_t level = 0; level < kLevels; ++level) {
        VkBufferImageCopy region{};
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
        region.imageExtent = {kPixels >> level, kPixels >> level, 1};
        vkCmdCopyBufferToImage(c, texels.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
      }
    });
  }
  /// Processor time of a frame.
  double draw() {
    const VkCommandBuffer c = canvas.v.commands();
    canvas.v.begin(c);
    canvas.begin(c, true);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(c, 3, 1, 0, 0);
    canvas.end(c);
    const double start = processor_seconds();
    (void)canvas.v.submit(c);
    const double seconds = processor_seconds() - start;
    vkFreeCommandBuffers(canvas.v.device, canvas.v.pool, 1, &c);
    return seconds;
  }

  test::Canvas canvas;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// What a process that draws says.
struct Drawn {
  double seconds = 0;      ///< of the best frame
  std::uint64_t hash = 0;  ///< of the picture
};

std::optional<Drawn> draw_apart(const Frame& frame, int rounds, const std::string& texels) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "drawn").string();
  texels.empty() ? unsetenv("HEDDLE_TEXELS") : setenv("HEDDLE_TEXELS", texels.c_str(), 1);
  const Usage usage = run_process({fs::read_symlink("/proc/self/exe").string(), "--counted", frame.name, "--rounds",
                                   std::to_string(rounds), "--figures", path},
                                  fs::current_path().string());
  unsetenv("HEDDLE_TEXELS");
  if (usage.exit_code != 0) return std::nullopt;
  Drawn drawn;
  std::istringstream words(test::read_text(path));
  return words >> drawn.seconds >> drawn.hash ? std::optional(drawn) : std::nullopt;
}

/// Whether the folder counts what `frames` frames read.
bool counts_all(const Frame& frame, int frames, const fs::path& folder) {
  const auto summary = nlohmann::json::parse(test::read_text(folder / "texels.json"), nullptr, false);
  if (summary.is_discarded()) return false;
  std::uint64_t sum = 0;
  for (const auto& image : summary["images"]) sum += image["counts"].value(frame.use, std::uint64_t{0});
  return sum == frame.of_pixel * kPixels * kPixels * static_cast<std::uint64_t>(frames);
}

}  // namespace

int draw_counted(const std::string& name, int rounds, const std::string& figures) {
  const auto* const frame = std::ranges::find(kFrames, name, &Frame::name);
  if (frame == kFrames.end()) return 2;
  Scene scene(*frame);
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < rounds; ++k) best = std::min(best, scene.draw());
  std::uint64_t hash = 14695981039346656037u;
  for (const std::uint32_t pixel : scene.canvas.pixels()) hash = (hash ^ pixel) * 1099511628211u;
  test::write_text(figures, fmt::format("{} {}\n", best, hash));
  return 0;
}

void add_counted(Section& section, int rounds) {
  section.heading("Texels counted");
  section.paragraph(
      "Processor time of the best frame, without counts and with them (HEDDLE_TEXELS), where both draw the same "
      "picture and "
      "every read is counted.");
  // Both tiers of code, and some frames with the second one.
  const int frames = std::max(rounds, 1) * 6;
  std::vector<std::vector<std::string>> rows{
      {"eight reads for each of 1024 x 1024 pixels", "plain", "counted", "counted / plain", "wanted"}};
  for (const Frame& frame : kFrames) {
    const test::TemporaryFolder folder;
    const fs::path texels = folder.path() / "texels";
    const std::optional<Drawn> plain = draw_apart(frame, frames, ""),
                               counted = draw_apart(frame, frames, texels.string());
    std::vector<std::string> row{frame.name};
    if (plain && counted && plain->hash == counted->hash && counts_all(frame, frames, texels))
      row.insert(row.end(), {format_seconds(plain->seconds), format_seconds(counted->seconds),
                             fmt::format("{:.2f}", counted->seconds / plain->seconds)});
    else
      row.insert(row.end(), {"-", "-", "wrong"});
    row.emplace_back("at most 2");
    rows.push_back(std::move(row));
  }
  section.table(rows);
}

}  // namespace heddle::bench
