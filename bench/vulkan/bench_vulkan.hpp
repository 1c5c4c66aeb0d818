// SPDX-License-Identifier: MIT
#pragma once
// What the rows of bench_vulkan are made of: a driver with everything in place, and what is measured on it.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vulkan/canvas.hpp"

namespace heddle::bench {

class Section;

inline constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
inline constexpr std::uint32_t kSide = 2048, kCount = 1024;
inline constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;

/// Where drivers keep what they compiled.
inline constexpr std::array<const char*, 2> kCacheVariables = {"HEDDLE_CACHE_DIR", "MESA_SHADER_CACHE_DIR"};

/// Of all threads of the process.
[[nodiscard]] double processor_seconds();
[[nodiscard]] double seconds_of(const std::function<void()>& work);

/// What draws need; made when the first of them comes.
struct DrawBench;

/// A driver with everything in place.
struct Bench {
  Bench(std::string driver, std::string driver_manifest);
  [[nodiscard]] VkPipeline pipeline(const std::string& body, std::uint32_t local = 64);
  /// Seconds of a command buffer, recorded before.
  double run(const std::function<void(VkCommandBuffer)>& record);
  void bind(VkCommandBuffer c, VkPipeline p) const;

  std::string name, manifest;
  test::VulkanDevice v;
  test::VulkanDevice::Buffer a, b;
  VkImage first = VK_NULL_HANDLE, second = VK_NULL_HANDLE, half = VK_NULL_HANDLE;
  std::vector<test::VulkanDevice::Binding> bindings;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  std::map<std::string, VkPipeline> kept;
  std::uint32_t unique = 0;
  std::shared_ptr<DrawBench> draws;
  std::map<std::string, std::shared_ptr<void>> rows;  ///< what rows have for themselves
};

/// One line of the table. `measure` gives seconds; the figure is seconds for each of `items`, or GB/s of `bytes`.
struct Item {
  std::string name;
  double items = 1;
  double bytes = 0;
  std::function<double(Bench&)> measure;
  double wanted = 0;      ///< ratio; 0: 1.0
  bool parallel = false;  ///< enough work for two threads
};

/// Frames, many triangles, many draws.
void add_draws(std::vector<Item>& items);
/// Meshlets, memory in parts, shader objects, file descriptors, matrices.
void add_newer(std::vector<Item>& items);

/// A table: frames whose texels are counted beside the same frames without counts, in processes of their own.
void add_counted(Section& section, int rounds);
/// "-" where a driver does not have what the row needs.
[[nodiscard]] std::string ratio_text(double peer, double own);
/// A table: how long a process takes to its first result; `drivers`: names and manifests, Heddle's first.
void add_start(Section& section, const std::vector<std::pair<std::string, std::string>>& drivers, int rounds);
/// One such process; `words_path`: SPIR-V. An exit code.
[[nodiscard]] int start_once(const std::string& manifest, const std::string& words_path);
/// A table: resident memory over many pipelines. Minutes; `drivers` as above. `day`: over 86,400, an hour with all
/// peers.
void add_memory(Section& section, const std::vector<std::pair<std::string, std::string>>& drivers, bool day);
/// One such process, which writes its figures. An exit code.
[[nodiscard]] int count_memory(const std::string& manifest, const std::string& figures, bool day);
/// A table: queries through the footprint layer on lavapipe beside its samples, in processes of their own.
void add_layer(Section& section, int rounds);
[[nodiscard]] int measure_layer(const std::string& name, int rounds, const std::string& figures);
/// A process of add_counted: draws the frame of that name, and writes what it took, and the picture's hash. An exit
/// code.
[[nodiscard]] int draw_counted(const std::string& name, int rounds, const std::string& figures);

}  // namespace heddle::bench
