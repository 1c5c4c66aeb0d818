// SPDX-License-Identifier: MIT
// Resident memory of a process that makes one pipeline after the other, each of a module that was never there, runs it
// and destroys it: what a driver keeps of programs that are gone. Each driver has a process of its own.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include "support/measure.hpp"
#include "support/process.hpp"
#include "vulkan/bench_vulkan.hpp"

namespace heddle::bench {
namespace {

namespace fs = std::filesystem;
using test::VulkanDevice;

constexpr std::array<std::uint32_t, 5> kCounts = {100, 500, 2000, 10000, 86400};
constexpr std::size_t kShort = 4;            ///< without the last: a day in which each second brings a new one
constexpr std::uint32_t kMark = 0x5eed1234;  ///< the constant by which modules differ
const char* const kShader =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
    "layout(binding = 1) uniform sampler2D t;\n"
    "void main() {\n  vec4 sum = vec4(0);\n"
    "  for (int i = 0; i < 8; ++i) sum += textureLod(t, vec2(i) / 8.0, 0.0);\n"
    "  o[gl_GlobalInvocationID.x] = 0x5eed1234u + uint(sum.x);\n}\n";

/// 0: unknown.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Whether the pipeline of these words wrote the constant that is theirs; it is gone then.
bool run_once(VulkanDevice& v, const std::vector<std::uint32_t>& words, VkPipelineLayout layout, VkDescriptorSet set,
              const VulkanDevice::Buffer& out, std::uint32_t constant) {
  const VkShaderModule module = v.module(words);
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                module,
                "main",
                nullptr};
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline) != VK_SUCCESS) return false;
  const VkResult done = v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  });
  vkDestroyPipeline(v.device, pipeline, nullptr);
  vkDestroyShaderModule(v.device, module, nullptr);
  return done == VK_SUCCESS && out.word(63) == constant;
}

}  // namespace

int count_memory(const std::string& manifest, const std::string& figures, bool day) {
  std::vector<std::uint32_t> words = test::compile_compute(kShader);
  const auto mark = std::ranges::find(words, kMark);
  if (mark == words.end()) return 1;
  VulkanDevice v({}, manifest == "own" ? std::string() : manifest);
  const VkImage image = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, 4)).image;
  const VulkanDevice::Buffer out = v.buffer(4096);
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const VkDescriptorSetLayout sets = v.set_layout(bindings);
  const VkDescriptorSet set = v.set(sets, bindings);
  const VkPipelineLayout layout = v.layout({sets});
  v.write(set, 0, kStorage, out);
  v.write(set, 1, bindings[1].type, v.view(image, VK_FORMAT_R8G8B8A8_UNORM), v.sampler(VK_FILTER_LINEAR));
  if (v.run([&](VkCommandBuffer c) {
        const VkClearColorValue black{};
        const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdClearColorImage(c, image, VK_IMAGE_LAYOUT_GENERAL, &black, 1, &whole);
      }) != VK_SUCCESS)
    return 1;
  std::ostringstream text;
  std::uint32_t made = 0;
  for (const std::uint32_t count : std::span(kCounts).first(day ? kCounts.size() : kShort)) {
    for (; made < count; ++made) {
      *mark = kMark + made;
      if (!run_once(v, words, layout, set, out, *mark)) return 1;
    }
    text << resident_bytes() << '\n';
  }
  test::write_text(figures, text.str());
  std::fflush(nullptr);
  _exit(0);
}

void add_memory(Section& section, const std::vector<std::pair<std::string, std::string>>& drivers, bool day) {
  section.heading("Memory of many pipelines");
  section.paragraph(
      "Resident memory of a process that has made so many compute pipelines, each of a module of its own with eight "
      "samples, has run each once, and has destroyed it. Caches on disk begin empty.");
  const test::TemporaryFolder folder;
  std::vector<std::vector<std::string>> columns;
  for (const auto& [name, manifest] : drivers) {
    const fs::path caches = folder.path() / name, figures = folder.path() / (name + ".txt");
    fs::create_directories(caches);
    for (const char* variable : kCacheVariables) setenv(variable, caches.c_str(), 1);
    std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string(), "--memory",
                                   manifest.empty() ? "own" : manifest, "--figures", figures.string()};
    if (day) words.emplace_back("--all");
    const Usage usage = run_process(words, fs::current_path().string());
    for (const char* variable : kCacheVariables) unsetenv(variable);
    std::vector<std::string>& column = columns.emplace_back();
    if (usage.exit_code != 0) continue;
    std::istringstream lines(test::read_text(figures));
    for (double bytes = 0; lines >> bytes;) column.push_back(format_bytes(bytes));
    column.push_back(format_seconds(usage.cpu_seconds));
  }
  std::vector<std::vector<std::string>> rows{{"pipelines"}};
  for (const auto& [name, manifest] : drivers) rows[0].push_back(name);
  const std::size_t counts = day ? kCounts.size() : kShort;
  for (std::size_t k = 0; k <= counts; ++k) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(k < counts ? std::to_string(kCounts[k]) : "processor time of all");
    for (const std::vector<std::string>& column : columns) row.push_back(k < column.size() ? column[k] : "-");
  }
  section.table(rows);
}

}  // namespace heddle::bench
