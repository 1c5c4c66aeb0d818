// SPDX-License-Identifier: MIT
// From the start of a process to its first result: the loader, a device, a pipeline of one texture operation, a
// dispatch, and the word that it wrote. Each run is a process of its own.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "support/measure.hpp"
#include "support/process.hpp"
#include "vulkan/bench_vulkan.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using test::VulkanDevice;

constexpr std::uint32_t kTexel = 0xffc08040;
const char* const kShader =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
    "layout(binding = 1) uniform sampler2D t;\n"
    "void main() { o[gl_GlobalInvocationID.x] = packUnorm4x8(textureLod(t, vec2(0.5), 0.0)); }\n";

double run_apart(const std::string& manifest, const fs::path& words, const fs::path& caches) {
  for (const char* name : kCacheVariables) setenv(name, caches.c_str(), 1);
  const Usage usage = run_process({fs::read_symlink("/proc/self/exe").string(), "--start",
                                   manifest.empty() ? "own" : manifest, "--figures", words.string()},
                                  fs::current_path().string());
  for (const char* name : kCacheVariables) unsetenv(name);
  return usage.exit_code == 0 ? usage.seconds : std::numeric_limits<double>::infinity();
}

}  // namespace

int start_once(const std::string& manifest, const std::string& words_path) {
  const std::string text = test::read_text(words_path);
  std::vector<std::uint32_t> words(text.size() / 4);
  std::copy_n(text.data(), words.size() * 4, reinterpret_cast<char*>(words.data()));
  VulkanDevice v({}, manifest == "own" ? std::string() : manifest);
  const VkImage image = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 1, 1)).image;
  const VulkanDevice::Buffer out = v.buffer(4096), texel = v.buffer(4096);
  texel.set(0, kTexel);
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const VkDescriptorSetLayout sets = v.set_layout(bindings);
  const VkDescriptorSet set = v.set(sets, bindings);
  const VkPipelineLayout layout = v.layout({sets});
  v.write(set, 0, kStorage, out);
  v.write(set, 1, bindings[1].type, v.view(image, VK_FORMAT_R8G8B8A8_UNORM), v.sampler(VK_FILTER_LINEAR));
  const VkPipeline pipeline = v.pipeline_of(words, layout);
  const VkResult done = v.run([&](VkCommandBuffer c) {
    const VkBufferImageCopy whole{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {1, 1, 1}};
    vkCmdCopyBufferToImage(c, texel.buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
    const VkMemoryBarrier written{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_TRANSFER_WRITE_BIT,
                                  VK_ACCESS_SHADER_READ_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &written, 0,
                         nullptr, 0, nullptr);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  });
  std::fflush(nullptr);
  _exit(done == VK_SUCCESS && out.word(63) == kTexel ? 0 : 1);  // what ends a process is not measured
}

void add_start(Section& section, const std::vector<std::pair<std::string, std::string>>& drivers, int rounds) {
  section.heading("A process, to its first result");
  section.paragraph(
      "From the start of a process to the word that its shader wrote: the loader, a device, a pipeline of one texture "
      "operation, a dispatch. The best of several, drivers in turns. Without caches: each process finds an empty "
      "folder for what is compiled.");
  const test::TemporaryFolder folder;
  const fs::path words = folder.path() / "words";
  const std::vector<std::uint32_t> compiled = test::compile_compute(kShader);
  test::write_text(words, std::string(reinterpret_cast<const char*>(compiled.data()), compiled.size() * 4));
  std::vector<std::vector<std::string>> rows{{"what"}};
  for (const auto& [name, manifest] : drivers) rows[0].push_back(name);
  rows[0].insert(rows[0].end(), {"better peer / Heddle", "wanted"});
  for (const bool cached : {false, true}) {
    std::vector<double> best(drivers.size(), std::numeric_limits<double>::infinity());
    for (int round = 0; round < 3 * rounds; ++round)
      for (std::size_t d = 0; d < drivers.size(); ++d) {
        const fs::path caches =
            folder.path() / (cached ? "kept" : "empty") / std::to_string(cached ? d : 1000 * round + d);
        fs::create_directories(caches);
        const double seconds = run_apart(drivers[d].second, words, caches);
        if (round > 0) best[d] = std::min(best[d], seconds);
      }
    std::vector<std::string> row{cached ? "with what an earlier process compiled" : "without caches"};
    for (const double seconds : best) row.push_back(std::isfinite(seconds) ? format_seconds(seconds) : "-");
    row.push_back(best.size() > 1 ? ratio_text(*std::min_element(best.begin() + 1, best.end()), best[0]) : "-");
    row.emplace_back("1.0");
    rows.push_back(std::move(row));
  }
  section.table(rows);
}

}  // namespace heddle::bench
