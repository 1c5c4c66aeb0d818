// SPDX-License-Identifier: MIT
// VK_KHR_pipeline_binary: pipelines made of what the application stored of others.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/process.hpp"
#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* kExtension = "VK_KHR_pipeline_binary";
constexpr const char
    *kFirst =
        "#version 450\nlayout(constant_id = 0) const uint c = 7u;\nlayout(binding = 0) buffer B { uint b[]; };\n"
        "void main() { b[0] = c; }\n",
    *kSecond = "#version 450\nlayout(binding = 0) buffer B { uint b[]; };\nvoid main() { b[0] = 9u; }\n";

constexpr VkPipelineCreateFlags2CreateInfo kCaptures{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, nullptr,
                                                     VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR};

struct Key {
  std::vector<std::uint8_t> bytes;
  explicit Key(const VkPipelineBinaryKeyKHR& key) : bytes(key.key, key.key + key.keySize) {}
  bool operator==(const Key&) const = default;
};

struct Stored {
  VkPipelineBinaryKeyKHR key{VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
  std::vector<std::uint8_t> data;
};

struct Binaries {
  explicit Binaries(VulkanDevice& device)
      : v(device),
        create_binaries(v.proc<PFN_vkCreatePipelineBinariesKHR>("vkCreatePipelineBinariesKHR")),
        data_of(v.proc<PFN_vkGetPipelineBinaryDataKHR>("vkGetPipelineBinaryDataKHR")),
        key_of(v.proc<PFN_vkGetPipelineKeyKHR>("vkGetPipelineKeyKHR")),
        destroy(v.proc<PFN_vkDestroyPipelineBinaryKHR>("vkDestroyPipelineBinaryKHR")) {}
  VulkanDevice& v;
  PFN_vkCreatePipelineBinariesKHR create_binaries;
  PFN_vkGetPipelineBinaryDataKHR data_of;
  PFN_vkGetPipelineKeyKHR key_of;
  PFN_vkDestroyPipelineBinaryKHR destroy;

  /// Asks for their number, then for as many as that, or as many as are said.
  VkResult create(const VkPipelineBinaryCreateInfoKHR& info, std::vector<VkPipelineBinaryKHR>& made,
                  std::optional<std::uint32_t> room = std::nullopt) const {
    VkPipelineBinaryHandlesInfoKHR handles{VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
    if (const VkResult counted = create_binaries(v.device, &info, nullptr, &handles); counted != VK_SUCCESS)
      return counted;
    made.assign(room.value_or(handles.pipelineBinaryCount), VkPipelineBinaryKHR{});
    handles.pipelineBinaryCount = static_cast<std::uint32_t>(made.size());
    VkPipelineBinaryKHR nothing = VK_NULL_HANDLE;
    handles.pPipelineBinaries = made.empty() ? &nothing : made.data();
    const VkResult result = create_binaries(v.device, &info, nullptr, &handles);
    EXPECT_EQ(handles.pipelineBinaryCount, made.size());
    for (const VkPipelineBinaryKHR one : made)
      v.later([d = v.device, destroyer = destroy, one] { destroyer(d, one, nullptr); });
    return result;
  }
  [[nodiscard]] std::vector<VkPipelineBinaryKHR> of(VkPipeline pipeline) const {
    VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pipeline = pipeline;
    std::vector<VkPipelineBinaryKHR> made;
    EXPECT_EQ(create(info, made), VK_SUCCESS);
    return made;
  }
  VkResult of(const std::vector<Stored>& stored, std::vector<VkPipelineBinaryKHR>& made) const {
    std::vector<VkPipelineBinaryKeyKHR> keys;
    std::vector<VkPipelineBinaryDataKHR> data;
    for (const Stored& s : stored) {
      keys.push_back(s.key);
      data.push_back({s.data.size(), const_cast<std::uint8_t*>(s.data.data())});
    }
    const VkPipelineBinaryKeysAndDataKHR all{static_cast<std::uint32_t>(stored.size()), keys.data(), data.data()};
    VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pKeysAndDataInfo = &all;
    return create(info, made);
  }
  /// Of one, which the caller destroys.
  [[nodiscard]] VkPipelineBinaryKHR make(const Stored& stored) const {
    const VkPipelineBinaryDataKHR data{stored.data.size(), const_cast<std::uint8_t*>(stored.data.data())};
    const VkPipelineBinaryKeysAndDataKHR all{1, &stored.key, &data};
    VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pKeysAndDataInfo = &all;
    VkPipelineBinaryKHR made = VK_NULL_HANDLE;
    VkPipelineBinaryHandlesInfoKHR handles{VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR, nullptr, 1, &made};
    EXPECT_EQ(create_binaries(v.device, &info, nullptr, &handles), VK_SUCCESS);
    return made;
  }
  [[nodiscard]] Stored store(VkPipelineBinaryKHR binary) const {
    const VkPipelineBinaryDataInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_DATA_INFO_KHR, nullptr, binary};
    Stored stored;
    std::size_t size = 0;
    EXPECT_EQ(data_of(v.device, &info, &stored.key, &size, nullptr), VK_SUCCESS);
    EXPECT_GT(stored.key.keySize, 0u);
    EXPECT_LE(stored.key.keySize, VK_MAX_PIPELINE_BINARY_KEY_SIZE_KHR);
    stored.data.assign(size, 0xee);
    std::size_t less = size - 1;
    EXPECT_EQ(data_of(v.device, &info, &stored.key, &less, stored.data.data()), VK_ERROR_NOT_ENOUGH_SPACE_KHR);
    EXPECT_EQ(less, size);
    EXPECT_EQ(std::ranges::count(stored.data, 0xee), static_cast<std::ptrdiff_t>(size));
    VkPipelineBinaryKeyKHR again{VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
    EXPECT_EQ(data_of(v.device, &info, &again, &size, stored.data.data()), VK_SUCCESS);
    EXPECT_EQ(Key(again), Key(stored.key));
    return stored;
  }
  [[nodiscard]] Key key(const void* create_info) const {
    VkPipelineCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR, const_cast<void*>(create_info)};
    VkPipelineBinaryKeyKHR made{VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
    EXPECT_EQ(key_of(v.device, create_info != nullptr ? &info : nullptr, &made), VK_SUCCESS);
    EXPECT_GT(made.keySize, 0u);
    return Key(made);
  }
};

/// Compute pipelines that write a word.
struct Words {
  explicit Words(VulkanDevice& device)
      : v(device),
        sets(v.set_layout(bindings)),
        layout(v.layout({sets})),
        set(v.set(sets, bindings)),
        out(v.buffer(64)) {
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  }
  [[nodiscard]] VkComputePipelineCreateInfo info(const void* chain, VkShaderModule module,
                                                 const VkSpecializationInfo* special = nullptr) const {
    VkComputePipelineCreateInfo made{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, chain};
    made.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  special};
    made.layout = layout;
    return made;
  }
  [[nodiscard]] VkShaderModule module(const char* glsl) const {
    const VkShaderModule made = v.module(glsl, "comp");
    v.later([d = v.device, made] { vkDestroyShaderModule(d, made, nullptr); });
    return made;
  }
  [[nodiscard]] VkPipeline pipeline(const VkComputePipelineCreateInfo& info) const {
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
    v.later([d = v.device, made] { vkDestroyPipeline(d, made, nullptr); });
    return made;
  }
  [[nodiscard]] std::uint32_t written(VkPipeline pipeline) const {
    out.set(0, 0);
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    return out.word(0);
  }
  const std::vector<VulkanDevice::Binding> bindings = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  VulkanDevice& v;
  const VkDescriptorSetLayout sets;
  const VkPipelineLayout layout;
  const VkDescriptorSet set;
  const VulkanDevice::Buffer out;
};

/// A pipeline that draws to 4x4 pixels.
struct DrawInfo {
  DrawInfo(VkPipelineLayout layout, VkShaderModule vertices, VkShaderModule pixels, float width = 1)
      : stages{stage(VK_SHADER_STAGE_VERTEX_BIT, vertices), stage(VK_SHADER_STAGE_FRAGMENT_BIT, pixels)} {
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    raster.lineWidth = width;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    blend.colorWriteMask = 15;
    colors.attachmentCount = 1;
    colors.pAttachments = &blend;
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &colors;
    info.layout = layout;
  }
  DrawInfo(const DrawInfo&) = delete;
  DrawInfo& operator=(const DrawInfo&) = delete;
  [[nodiscard]] static VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits flag, VkShaderModule module) {
    return {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, flag, module, "main", nullptr};
  }
  [[nodiscard]] VkPipeline make(VulkanDevice& v, const void* chain) {
    rendering.pNext = chain;
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateGraphicsPipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
    v.later([d = v.device, made] { vkDestroyPipeline(d, made, nullptr); });
    return made;
  }

  VkPipelineShaderStageCreateInfo stages[2];
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, nullptr,
                                                  0, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_FALSE};
  VkViewport viewport{0, 0, 4, 4, 0, 1};
  VkRect2D scissor{{0, 0}, {4, 4}};
  VkPipelineViewportStateCreateInfo viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  VkPipelineColorBlendAttachmentState blend{};
  VkPipelineColorBlendStateCreateInfo colors{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
};

// On another device, from bytes, without a module; specialization constants are those that the pipeline had.
TEST(VulkanPipelineBinaries, MakePipelinesWithoutShaders) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  Stored stored;
  const std::uint32_t value = 5;
  {
    VulkanDevice v({kExtension});
    const Binaries binaries(v);
    const Words words(v);
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo special{1, &entry, 4, &value};
    const auto made = binaries.of(words.pipeline(words.info(&kCaptures, words.module(kFirst), &special)));
    ASSERT_EQ(made.size(), 1u);
    stored = binaries.store(made.front());
  }
  VulkanDevice v({kExtension});
  const Binaries binaries(v);
  const Words words(v);
  std::vector<VkPipelineBinaryKHR> made;
  ASSERT_EQ(binaries.of({stored}, made), VK_SUCCESS);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(Key(binaries.store(made.front()).key), Key(stored.key));
  EXPECT_EQ(binaries.store(made.front()).data, stored.data);
  const VkPipelineBinaryInfoKHR from{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 1, made.data()};
  EXPECT_EQ(words.written(words.pipeline(words.info(&from, VK_NULL_HANDLE))), value);
  // The binary may go before the pipeline runs.
  VkPipelineBinaryKHR brief = binaries.make(stored);
  const VkPipelineBinaryInfoKHR from_brief{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 1, &brief};
  const VkPipeline outlives = words.pipeline(words.info(&from_brief, VK_NULL_HANDLE));
  binaries.destroy(v.device, brief, nullptr);
  EXPECT_EQ(words.written(outlives), value);
  // A pipeline of binaries gives them again.
  VkPipelineBinaryInfoKHR again = from;
  again.pNext = &kCaptures;
  const VkPipeline second = words.pipeline(words.info(&again, VK_NULL_HANDLE));
  const auto copies = binaries.of(second);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(binaries.store(copies.front()).data, stored.data);
  // None at all: the module is compiled.
  const VkPipelineBinaryInfoKHR none{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 0, nullptr};
  EXPECT_EQ(words.written(words.pipeline(words.info(&none, words.module(kSecond)))), 9u);
}

// The shaders that stand beside binaries are not looked at.
TEST(VulkanPipelineBinaries, AreTheStagesOfADraw) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, {kExtension});
  const Binaries binaries(c.v);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.chain = &kCaptures;
  const VkPipeline captured = c.pipeline(s);
  const auto made = binaries.of(captured);
  ASSERT_EQ(made.size(), 2u);
  EXPECT_NE(Key(binaries.store(made[0]).key), Key(binaries.store(made[1]).key));
  // Room for one of two: the first is made.
  VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
  info.pipeline = captured;
  std::vector<VkPipelineBinaryKHR> first;
  EXPECT_EQ(binaries.create(info, first, 1), VK_INCOMPLETE);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_NE(first[0], VkPipelineBinaryKHR{});
  EXPECT_EQ(Key(binaries.store(first[0]).key), Key(binaries.store(made[0]).key));
  const VkPipelineBinaryInfoKHR from{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 2, made.data()};
  s.chain = &from;
  s.fragment = one_color("vec4(1, 0, 0, 1)");
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), testing::Each(0xff00ff00u));
}

// A draw whose stages have no modules; its captured job has the vISA of both, and draws the same.
TEST(VulkanPipelineBinaries, DrawsAreCapturedWithoutModules) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  const TemporaryFolder folder;
  setenv("HEDDLE_CAPTURE", (folder / "jobs").string().c_str(), 1);
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, {kExtension});
  unsetenv("HEDDLE_CAPTURE");
  const Binaries binaries(c.v);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(gl_FragCoord.xy / 4.0, 0, 1)");
  s.chain = &kCaptures;
  const auto made = binaries.of(c.pipeline(s));
  ASSERT_EQ(made.size(), 2u);
  const VkPipelineBinaryInfoKHR from{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 2, made.data()};
  DrawInfo draw(c.plain_layout, VK_NULL_HANDLE, VK_NULL_HANDLE);
  const VkPipeline pipeline = draw.make(c.v, &from);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  const std::vector<std::uint8_t> drawn = c.read(c.colors[0]);
  EXPECT_EQ(drawn[0], 32u);
  const std::filesystem::path job = folder / "jobs" / "000001.toml";
  ASSERT_TRUE(std::filesystem::exists(job));
  const Outcome outcome = run({HEDDLE_PROGRAM, "run", job.string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::size_t outputs = 0, texts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "jobs")) {
    const std::string name = entry.path().filename();
    EXPECT_FALSE(name.ends_with(".spv")) << name;
    texts += name.ends_with(".visaasm") ? 1 : 0;
    if (!name.ends_with(".out.bin")) continue;
    ++outputs;
    EXPECT_EQ(read_bytes(entry.path()), drawn) << name;
  }
  EXPECT_EQ(outputs, 1u);
  EXPECT_EQ(texts, 2u);
}

// A library gives the binaries of its own stages, and is made of them again; so does the pipeline that is linked.
TEST(VulkanPipelineBinaries, AreThoseOfLibraries) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {kExtension, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME});
  const Binaries binaries(c.v);
  const auto module = [&](const std::string& glsl, const char* of) {
    const VkShaderModule made = c.v.module(glsl, of);
    c.v.later([d = c.v.device, made] { vkDestroyShaderModule(d, made, nullptr); });
    return made;
  };
  const VkShaderModule vertices = module(covering_vertices(), "vert"),
                       pixels = module(one_color("vec4(0, 0, 1, 1)"), "frag");
  const auto libraries = [&](const VkPipelineBinaryInfoKHR* from) {
    DrawInfo draw(c.plain_layout, from == nullptr ? vertices : VK_NULL_HANDLE,
                  from == nullptr ? pixels : VK_NULL_HANDLE);
    VkPipelineCreateFlags2CreateInfo flags = kCaptures;
    flags.flags |= VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    flags.pNext = from;
    draw.rendering.pNext = &flags;
    const std::vector<VkPipeline> made = c.libraries(draw.info);
    for (const VkPipeline one : made) c.v.later([d = c.v.device, one] { vkDestroyPipeline(d, one, nullptr); });
    return made;
  };
  const auto link = [&](const std::vector<VkPipeline>& parts) {
    const VkPipelineLibraryCreateInfoKHR linked{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, &kCaptures,
                                                static_cast<std::uint32_t>(parts.size()), parts.data()};
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &linked};
    info.layout = c.plain_layout;
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateGraphicsPipelines(c.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
    c.v.later([d = c.v.device, made] { vkDestroyPipeline(d, made, nullptr); });
    return made;
  };
  const std::vector<VkPipeline> parts = libraries(nullptr);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(binaries.of(parts[0]).size(), 0u);  // vertex input
  const auto front = binaries.of(parts[1]), middle = binaries.of(parts[2]);
  ASSERT_EQ(front.size(), 1u);
  ASSERT_EQ(middle.size(), 1u);
  EXPECT_EQ(binaries.of(parts[3]).size(), 0u);  // colors
  const auto whole = binaries.of(link(parts));
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_EQ(binaries.store(whole[0]).data, binaries.store(front[0]).data);
  EXPECT_EQ(binaries.store(whole[1]).data, binaries.store(middle[0]).data);
  const VkPipelineBinaryKHR both[] = {front[0], middle[0]};
  const VkPipelineBinaryInfoKHR from{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 2, both};
  const VkPipeline again = link(libraries(&from));
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, again);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), testing::Each(0xffff0000u));
}

TEST(VulkanPipelineBinaries, KeysSayWhatAPipelineIsMadeOf) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({kExtension}), other({kExtension});
  const Binaries binaries(v);
  const Words words(v);
  EXPECT_EQ(binaries.key(nullptr), Binaries(other).key(nullptr));
  const VkShaderModule first = words.module(kFirst), same = words.module(kFirst), second = words.module(kSecond);
  const auto key = [&](VkShaderModule module, const VkSpecializationInfo* special = nullptr) {
    const VkComputePipelineCreateInfo info = words.info(nullptr, module, special);
    return binaries.key(&info);
  };
  const std::uint32_t values[] = {5, 6};
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo five{1, &entry, 4, &values[0]}, six{1, &entry, 4, &values[1]};
  EXPECT_EQ(key(first), key(same));
  EXPECT_NE(key(first), key(second));
  EXPECT_EQ(key(first, &five), key(same, &five));
  EXPECT_NE(key(first, &five), key(first, &six));
  EXPECT_NE(key(first), binaries.key(nullptr));
  // Of a draw: the shaders count, where it draws to does not.
  const auto module = [&](const std::string& glsl, const char* of) {
    const VkShaderModule made = v.module(glsl, of);
    v.later([d = v.device, made] { vkDestroyShaderModule(d, made, nullptr); });
    return made;
  };
  const VkShaderModule vertices = module(covering_vertices(), "vert");
  const auto drawn = [&](const char* color, float width) {
    const DrawInfo draw(words.layout, vertices, module(one_color(color), "frag"), width);
    return binaries.key(&draw.info);
  };
  EXPECT_EQ(drawn("vec4(1)", 1), drawn("vec4(1)", 2));
  EXPECT_NE(drawn("vec4(1)", 1), drawn("vec4(0)", 1));
}

// A captured job has the vISA alone; that its shader uses addresses is seen there too.
TEST(VulkanPipelineBinaries, AreCapturedWithoutModules) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  const TemporaryFolder folder;
  setenv("HEDDLE_CAPTURE", (folder / "jobs").string().c_str(), 1);
  VulkanDevice v({kExtension, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
  unsetenv("HEDDLE_CAPTURE");
  const Binaries binaries(v);
  Words words(v);
  const auto again = [&](const char* glsl) {
    const auto made = binaries.of(words.pipeline(words.info(&kCaptures, words.module(glsl))));
    const VkPipelineBinaryInfoKHR from{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 1, made.data()};
    return words.pipeline(words.info(&from, VK_NULL_HANDLE));
  };
  EXPECT_EQ(words.written(again(kFirst)), 7u);
  EXPECT_TRUE(std::filesystem::exists(folder / "jobs" / "000001.visaasm"));
  EXPECT_FALSE(std::filesystem::exists(folder / "jobs" / "000001.spv"));
  v.expects_messages = true;
  EXPECT_EQ(words.written(again("#version 450\n#extension GL_EXT_buffer_reference : require\n"
                                "#extension GL_EXT_buffer_reference_uvec2 : require\n"
                                "layout(buffer_reference) buffer A { uint a; };\n"
                                "layout(binding = 0) buffer B { uint b[]; };\n"
                                "void main() { A a = A(uvec2(b[0])); b[0] = 3u + a.a; }\n")),
            3u);
  EXPECT_THAT(v.messages, Contains(HasSubstr("its shader reaches memory by device addresses")));
  // A name is no message.
  v.messages.clear();
  EXPECT_EQ(words.written(again("#version 450\nlayout(binding = 0) buffer svm_block { uint svm_gather4scaled[]; };\n"
                                "void main() { svm_gather4scaled[0] = 4u; }\n")),
            4u);
  EXPECT_TRUE(v.messages.empty());
}

// Each binary of a list by itself: the others are made.
TEST(VulkanPipelineBinaries, DamagedDataIsRefused) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({kExtension});
  const Binaries binaries(v);
  const Words words(v);
  const Stored good = binaries.store(binaries.of(words.pipeline(words.info(&kCaptures, words.module(kFirst)))).front());
  Stored cut = good, changed = good, other = good, longer = good;
  cut.data.pop_back();
  changed.data.back() ^= 1;
  other.key.key[0] ^= 1;
  longer.data.push_back(0);
  Stored none = good, of_no_stage = good;
  none.data.clear();
  of_no_stage.data[16] ^= 0x80;  // behind the build's 16 bytes
  for (const Stored* bad : {&cut, &changed, &other, &longer, &none, &of_no_stage}) {
    std::vector<VkPipelineBinaryKHR> made;
    EXPECT_EQ(binaries.of({good, *bad, good}, made), VK_ERROR_INITIALIZATION_FAILED);
    ASSERT_EQ(made.size(), 3u);
    EXPECT_NE(made[0], VkPipelineBinaryKHR{});
    EXPECT_EQ(made[1], VkPipelineBinaryKHR{});
    EXPECT_NE(made[2], VkPipelineBinaryKHR{});
  }
}

TEST(VulkanPipelineBinaries, WhereThereAreNone) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({kExtension});
  v.expects_messages = true;
  const Binaries binaries(v);
  const Words words(v);
  VkPipelineBinaryCreateInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
  std::vector<VkPipelineBinaryKHR> made;
  // The driver has no cache of its own.
  VkPhysicalDevicePipelineBinaryPropertiesKHR properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_BINARY_PROPERTIES_KHR, nullptr, 2, 2, 2, 2, 2};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
  vkGetPhysicalDeviceProperties2(v.physical, &all);
  EXPECT_EQ(properties.pipelineBinaryInternalCache, VK_FALSE);
  EXPECT_EQ(properties.pipelineBinaryInternalCacheControl, VK_FALSE);
  EXPECT_EQ(properties.pipelineBinaryPrefersInternalCache, VK_FALSE);
  EXPECT_EQ(properties.pipelineBinaryPrecompiledInternalCache, VK_FALSE);
  EXPECT_EQ(properties.pipelineBinaryCompressedData, VK_FALSE);
  const VkComputePipelineCreateInfo create = words.info(nullptr, words.module(kFirst));
  const VkPipelineCreateInfoKHR probe{VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR,
                                      const_cast<VkComputePipelineCreateInfo*>(&create)};
  info.pPipelineCreateInfo = &probe;
  EXPECT_EQ(binaries.create(info, made), VK_PIPELINE_BINARY_MISSING_KHR);
  info.pPipelineCreateInfo = nullptr;
  EXPECT_TRUE(v.messages.empty());
  // A pipeline that was not made for it, and one whose data was released.
  const VkPipeline captured = words.pipeline(words.info(&kCaptures, words.module(kFirst)));
  info.pipeline = captured;
  EXPECT_EQ(binaries.create(info, made, 0), VK_INCOMPLETE);
  EXPECT_EQ(binaries.create(info, made), VK_SUCCESS);
  const VkReleaseCapturedPipelineDataInfoKHR release{VK_STRUCTURE_TYPE_RELEASE_CAPTURED_PIPELINE_DATA_INFO_KHR, nullptr,
                                                     captured};
  EXPECT_EQ(
      v.proc<PFN_vkReleaseCapturedPipelineDataKHR>("vkReleaseCapturedPipelineDataKHR")(v.device, &release, nullptr),
      VK_SUCCESS);
  for (const VkPipeline without : {captured, words.pipeline(create)}) {
    v.messages.clear();
    info.pipeline = without;
    EXPECT_EQ(binaries.create(info, made), VK_ERROR_INITIALIZATION_FAILED);
    EXPECT_THAT(v.messages, Contains(HasSubstr("VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR")));
    EXPECT_EQ(words.written(without), 7u);
  }
}

}  // namespace
}  // namespace heddle::test
