// SPDX-License-Identifier: MIT
// What a query of a footprint costs through the layer: on lavapipe, which lacks the extension, beside its own samples.
// Each row is a process of its own, since the loader looks for layers once.
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "support/lavapipe.hpp"
#include "support/measure.hpp"
#include "support/process.hpp"
#include "vulkan/bench_vulkan.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using test::VulkanDevice;

struct Row {
  const char* name;
  const char* body;  ///< of the place `p`; sets `result`
  bool is_query;
};
constexpr std::array kRows{
    Row{"bilinear sample", "result = packUnorm4x8(textureLod(t, p, 0.0));", false},
    Row{"query, of a level", "textureFootprintLodNV(t, p, 0.0, 1, false, f); result = f.mask.x ^ f.anchor.x;", true},
    Row{"query, of gradients",
        "textureFootprintGradNV(t, p, vec2(0.002, 0.0), vec2(0.0, 0.002), 1, false, f); result = f.mask.x ^ "
        "f.anchor.x;",
        true},
};

std::string shader_of(const Row& row) {
  return fmt::format(
      "#version 450\n{}layout(local_size_x = 64) in;\nlayout(binding = 0) buffer B {{ uint o[]; }};\n"
      "layout(binding = 1) uniform sampler2D t;\nvoid main() {{ uint n = gl_GlobalInvocationID.x, result; {}\n"
      "  vec2 p = (vec2(n % 1024u, n / 1024u) + 0.3) / 1024.0; {}\n  o[n] = result; }}\n",
      row.is_query ? "#extension GL_NV_shader_texture_footprint : require\n" : "",
      row.is_query ? "gl_TextureFootprint2DNV f;" : "", row.body);
}

/// Processor time of the best of `rounds` dispatches over 1024 x 1024 invocations.
double best_dispatch(const Row& row, int rounds) {
  std::vector<const char*> extensions;
  if (row.is_query) extensions.push_back(VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME);
  VulkanDevice v(extensions, test::kLavapipeManifest);
  const VkImage image = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, kCount, kCount)).image;
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const VkDescriptorSetLayout sets = v.set_layout(bindings);
  const VkDescriptorSet set = v.set(sets, bindings);
  const VkPipelineLayout layout = v.layout({sets});
  v.write(set, 0, kStorage, v.buffer(std::uint64_t{4} * kCount * kCount));
  v.write(set, 1, bindings[1].type, v.view(image, VK_FORMAT_R8G8B8A8_UNORM), v.sampler(VK_FILTER_LINEAR));
  const VkPipeline pipeline = v.pipeline(shader_of(row), layout);
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < rounds; ++k) {
    const double start = processor_seconds();
    const VkResult done = v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, kCount * kCount / 64, 1, 1);
    });
    if (done != VK_SUCCESS) return std::numeric_limits<double>::infinity();
    best = std::min(best, processor_seconds() - start);
  }
  return best;
}

std::optional<double> measure_apart(const Row& row, int rounds) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "seconds").string();
  setenv("VK_ADD_LAYER_PATH", fs::absolute(fs::path(HEDDLE_VULKAN_MANIFEST).parent_path()).c_str(), 1);
  if (row.is_query) setenv("VK_INSTANCE_LAYERS", "VK_LAYER_HEDDLE_footprint", 1);
  setenv("LP_NUM_THREADS", "1", 1);
  const Usage usage = run_process({fs::read_symlink("/proc/self/exe").string(), "--layer", row.name, "--rounds",
                                   std::to_string(rounds), "--figures", path},
                                  fs::current_path().string());
  for (const char* name : {"VK_ADD_LAYER_PATH", "VK_INSTANCE_LAYERS", "LP_NUM_THREADS"}) unsetenv(name);
  if (usage.exit_code != 0) return std::nullopt;
  const double seconds = std::strtod(test::read_text(path).c_str(), nullptr);
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace

int measure_layer(const std::string& name, int rounds, const std::string& figures) {
  for (const Row& row : kRows)
    if (row.name == name) return test::write_text(figures, fmt::format("{}\n", best_dispatch(row, rounds))), 0;
  return 2;
}

void add_layer(Section& section, int rounds) {
  section.heading("Queries through the footprint layer");
  section.paragraph("Processor time of one invocation on Debian's lavapipe, the best of several dispatches.");
  std::vector<std::vector<std::string>> rows{{"what", "time", "of a bilinear sample", "wanted"}};
  std::optional<double> sample;
  for (const Row& row : kRows) {
    const std::optional<double> seconds = measure_apart(row, rounds * 3);
    if (!row.is_query) sample = seconds;
    rows.push_back({row.name, seconds ? format_seconds(*seconds / kCount / kCount) : "-",
                    seconds && sample ? fmt::format("{:.2f}", *seconds / *sample) : "-",
                    row.is_query ? "at most 3" : ""});
  }
  section.table(rows);
}

}  // namespace heddle::bench
