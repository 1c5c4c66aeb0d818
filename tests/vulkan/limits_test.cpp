// SPDX-License-Identifier: MIT
// Limits: no lower than those of the other drivers of processors, and what they allow works.

#include <array>
#include <cstdlib>
#include <cstring>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr std::uint32_t kPeers = 1'000'000;  // descriptors of lavapipe 25 and SwiftShader

VkPhysicalDeviceLimits limits_of(const VulkanDevice& v) {
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(v.physical, &properties);
  return properties.limits;
}

TEST(VulkanLimits, AreNoLowerThanThoseOfPeers) {
  const VulkanDevice v;
  const VkPhysicalDeviceLimits l = limits_of(v);
  for (const std::uint32_t limit :
       {l.maxPerStageDescriptorSamplers, l.maxPerStageDescriptorUniformBuffers, l.maxPerStageDescriptorStorageBuffers,
        l.maxPerStageDescriptorSampledImages, l.maxPerStageDescriptorStorageImages,
        l.maxPerStageDescriptorInputAttachments, l.maxPerStageResources, l.maxDescriptorSetSamplers,
        l.maxDescriptorSetUniformBuffers, l.maxDescriptorSetStorageBuffers, l.maxDescriptorSetSampledImages,
        l.maxDescriptorSetStorageImages, l.maxDescriptorSetInputAttachments})
    EXPECT_GE(limit, kPeers);
  EXPECT_GE(l.maxDescriptorSetUniformBuffersDynamic, 256u);
  EXPECT_GE(l.maxDescriptorSetStorageBuffersDynamic, 256u);
  EXPECT_GE(l.maxBoundDescriptorSets, 32u);
  EXPECT_GE(l.maxPushConstantsSize, 128u);
  EXPECT_GE(l.maxStorageBufferRange, 1u << 27);
  EXPECT_GE(l.maxTexelBufferElements, 1u << 27);
  EXPECT_GE(l.maxComputeSharedMemorySize, 32768u);
  for (const std::uint32_t size : l.maxComputeWorkGroupSize) EXPECT_GE(size, 1024u);
  for (const std::uint32_t count : l.maxComputeWorkGroupCount) EXPECT_GE(count, 65535u);
  EXPECT_GE(l.maxImageDimension2D, 16384u);
  EXPECT_GE(l.maxImageArrayLayers, 2048u);
  EXPECT_GE(l.maxFramebufferLayers, 2048u);
  EXPECT_GE(l.maxFragmentCombinedOutputResources, 104u);
  EXPECT_GE(l.maxVertexOutputComponents, 128u);
  EXPECT_GE(l.maxViewports, 16u);
}

/// Dispatches one group with `set`.
void dispatch(VulkanDevice& v, VkPipeline pipeline, VkPipelineLayout layout, VkDescriptorSet set,
              const std::vector<std::uint32_t>& offsets = {}) {
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set,
                            static_cast<std::uint32_t>(offsets.size()), offsets.data());
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
}

// A layout of as many sampled images as a stage may have, of the usual kind: not updated after it was bound.
TEST(VulkanLimits, AsManySampledImagesAsAStageMayHave) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer wants every one written";
  VulkanDevice v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME});
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kCombined, kPeers}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto set = v.set(set_layout, bindings);
  const auto out = v.buffer(256);
  v.write(set, 0, kStorage, out);
  const auto sampler = v.sampler(VK_FILTER_NEAREST);
  constexpr std::uint32_t kAt[] = {0, 229, 230, 65536, kPeers - 1};
  for (std::uint32_t k = 0; k < std::size(kAt); ++k) {
    const auto image = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 1, 1));
    const VkClearColorValue color{{static_cast<float>(k + 1) / 255, 0, 0, 1}};
    const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &whole);
    }),
              VK_SUCCESS);
    v.write(set, 1, kCombined, v.view(image.image, VK_FORMAT_R8G8B8A8_UNORM), sampler, kAt[k]);
    out.set(k, kAt[k]);
  }
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(binding = 0) buffer Out { uint o[]; };\nlayout(binding = 1) uniform sampler2D t[" +
          std::to_string(kPeers) +
          "];\nvoid main() { for (uint k = 0u; k < 5u; ++k) o[8u + k] = uint(textureLod(t[o[k]], vec2(0.5), 0.0).x * "
          "255.0 + 0.5); }\n",
      layout);
  dispatch(v, pipeline, layout, set);
  for (std::uint32_t k = 0; k < std::size(kAt); ++k) EXPECT_EQ(out.word(8 + k), k + 1) << kAt[k];
}

// More bindings than a binding table has entries: those behind are found by handles.
TEST(VulkanLimits, HundredsOfBindings) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kBindings = 300;
  VulkanDevice v;
  std::vector<VulkanDevice::Binding> bindings;
  std::string text = "#version 450\n", sum;
  for (std::uint32_t k = 0; k < kBindings; ++k) {
    const std::string n = std::to_string(k);
    bindings.push_back({k, k % 2 == 0 ? kStorage : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER});
    text += "layout(binding = " + n + (k % 2 == 0 ? ") buffer B" : ") uniform B") + n + " { uint b" + n + "; };\n";
    if (k != 0) sum += " + b" + n;
  }
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto set = v.set(set_layout, bindings);
  const auto memory = v.buffer(std::uint64_t{kBindings} * 64, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  std::uint32_t wanted = 0;
  for (std::uint32_t k = 0; k < kBindings; ++k) {
    memory.set(std::size_t{k} * 16, k * k);
    v.write(set, k, bindings[k].type, memory, std::uint64_t{k} * 64, 64);
    wanted += k * k;
  }
  dispatch(v, v.pipeline(text + "void main() { b0 = 0u" + sum + "; }\n", layout), layout, set);
  EXPECT_EQ(memory.word(0), wanted);
}

// Every number of a set that a layout may have, in a dispatch; some are bound anew, and one is pushed, between two.
TEST(VulkanLimits, AsManySetsAsALayoutMayHave) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME});
  const std::uint32_t count = limits_of(v).maxBoundDescriptorSets, pushed = count - 2;
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
  const auto plain = v.set_layout(bindings);
  const auto push_layout = v.set_layout(bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  std::vector<VkDescriptorSetLayout> layouts(count, plain);
  layouts[pushed] = push_layout;
  const auto layout = v.layout(layouts);
  const auto memory = v.buffer(std::uint64_t{count + 2} * 64);
  const auto set_of = [&](std::uint32_t place) {
    const auto set = v.set(plain, bindings);
    v.write(set, 0, kStorage, memory, std::uint64_t{place} * 64, 64);
    return set;
  };
  std::string text = "#version 450\n", sum;
  std::vector<VkDescriptorSet> sets;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "layout(set = " + n + ", binding = 0) buffer B" + n + " { uint b" + n + "; uint c" + n + "; };\n";
    sum += " + b" + n + " * " + std::to_string(k + 1) + "u";
    memory.set(std::size_t{k} * 16, k + 3);
    sets.push_back(set_of(k));
  }
  memory.set(std::size_t{count} * 16, 1000);
  memory.set(std::size_t{count + 1} * 16, 50000);
  const auto pipeline =
      v.pipeline(text + "void main() { if (c0 == 0u) c0 = 0u" + sum + "; else c1 = 0u" + sum + "; }\n", layout);
  const auto push = v.proc<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR");
  const auto last = set_of(count);
  const auto push_buffer = [&](VkCommandBuffer c, std::uint32_t place) {
    const VkDescriptorBufferInfo info{memory.buffer, std::uint64_t{place} * 64, 64};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.descriptorCount = 1;
    write.descriptorType = kStorage;
    write.pBufferInfo = &info;
    push(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, pushed, 1, &write);
  };
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, pushed, sets.data(), 0, nullptr);
    push_buffer(c, pushed);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, count - 1, 1, &sets[count - 1], 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, count - 1, 1, &last, 0, nullptr);
    push_buffer(c, count + 1);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  std::uint32_t first = 0;
  for (std::uint32_t k = 0; k < count; ++k) first += (k + 3) * (k + 1);
  EXPECT_EQ(memory.word(1), first);
  EXPECT_EQ(memory.word(17),
            first - (count + 2) * count + 1000 * count - (pushed + 3) * (pushed + 1) + 50000 * (pushed + 1));
}

// The same in draws: a fragment shader reads the last set, a vertex shader the one before.
TEST(VulkanLimits, DrawsReadTheLastSets) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4);
  const std::uint32_t count = limits_of(c.v).maxBoundDescriptorSets;
  constexpr VkDescriptorType kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  const std::vector<VulkanDevice::Binding> bindings{{0, kUniform}};
  const auto set_layout = c.v.set_layout(bindings);
  const auto layout = c.v.layout(std::vector(count, set_layout));
  const auto memory = c.v.buffer(128, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  const float values[] = {0.25f, 0.75f};
  std::array<VkDescriptorSet, 2> sets{};
  for (std::uint32_t k = 0; k < 2; ++k) {
    std::memcpy(memory.bytes + std::size_t{64} * k, &values[k], 4);
    sets[k] = c.v.set(set_layout, bindings);
    c.v.write(sets[k], 0, kUniform, memory, std::uint64_t{64} * k, 64);
  }
  const auto block = [&](std::uint32_t set) {
    return "#version 450\nlayout(set = " + std::to_string(set) + ", binding = 0) uniform U { float u; };\n";
  };
  PipelineState s;
  s.layout = layout;
  s.vertex = block(count - 2) +
             "layout(location = 0) out float x;\nvoid main() { x = u; gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, "
             "gl_VertexIndex == 2 ? 3 : -1, 0.5, 1); }\n";
  s.fragment =
      block(count - 1) +
      "layout(location = 0) in float x;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(x, u, 0, 1); "
      "}\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, count - 2, 2, sets.data(), 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  for (const std::uint32_t pixel : c.pixels()) EXPECT_EQ(pixel, 0xff00bf40u);
}

TEST(VulkanLimits, AsManyDynamicBuffersAsASetMayHave) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::uint32_t count = limits_of(v).maxDescriptorSetStorageBuffersDynamic;
  constexpr VkDescriptorType kDynamic = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
  const std::vector<VulkanDevice::Binding> bindings{{0, kDynamic, count}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto set = v.set(set_layout, bindings);
  const auto memory = v.buffer(std::uint64_t{count} * 16);
  std::vector<std::uint32_t> offsets(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    v.write(set, 0, kDynamic, memory, 0, 16, k);
    offsets[k] = (count - 1 - k) * 16;
  }
  const auto pipeline =
      v.pipeline("#version 450\nlayout(binding = 0) buffer B { uint w; } b[" + std::to_string(count) +
                     "];\nvoid main() { for (uint k = 0u; k < " + std::to_string(count) + "u; ++k) b[k].w = k; }\n",
                 layout);
  dispatch(v, pipeline, layout, set, offsets);
  for (std::uint32_t k = 0; k < count; ++k) ASSERT_EQ(memory.word(std::size_t{4} * (count - 1 - k)), k);
}

TEST(VulkanLimits, GroupsAsDeepAsTheyAreWide) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto set = v.set(set_layout, bindings);
  const std::uint32_t depth = limits_of(v).maxComputeWorkGroupSize[2];
  const auto out = v.buffer(std::uint64_t{depth} * 4);
  v.write(set, 0, kStorage, out);
  // glslang knows the limits of OpenGL: a constant passes it.
  const VkSpecializationMapEntry entry{0, 0, 4};
  const VkSpecializationInfo special{1, &entry, 4, &depth};
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(local_size_z_id = 0) in;\nlayout(binding = 0) buffer B { uint o[]; };\nshared uint s;\n"
      "void main() {\n  if (gl_LocalInvocationID.z == 0u) s = 5u;\n  barrier();\n"
      "  o[gl_LocalInvocationID.z] = gl_LocalInvocationID.z * s; }\n",
      layout, &special);
  dispatch(v, pipeline, layout, set);
  for (std::uint32_t k = 0; k < depth; ++k) ASSERT_EQ(out.word(k), k * 5);
}

TEST(VulkanLimits, AsManyLayersAsAFramebufferMayHave) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME});
  c.v.expects_messages = true;  // glslang asks for the geometry stage's capability
  const std::uint32_t layers = limits_of(c.v).maxFramebufferLayers;
  c.colors[0] = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, layers);
  PipelineState s;
  s.vertex =
      "#version 450\n#extension GL_ARB_shader_viewport_layer_array : require\n"
      "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);\n"
      "  gl_Layer = gl_InstanceIndex; }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(float(gl_Layer & 255) / 255.0, float(gl_Layer >> 8) / 255.0, 0, 1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = c.colors[0].view;
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {4, 4}};
  info.layerCount = layers;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
    c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR")(b, &info);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 3, layers, 0, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  for (const std::uint32_t layer : {0u, 255u, 256u, layers - 1}) {
    const std::vector<std::uint8_t> bytes = c.read(c.colors[0], 4, 0, layer);
    EXPECT_EQ(bytes[0] | bytes[1] << 8, static_cast<int>(layer));
    EXPECT_EQ(bytes[3], 255);
  }
}

// Pages that nobody touches cost nothing.
TEST(VulkanLimits, ABufferAsLargeAsTheyMayBe) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  VkPhysicalDeviceMaintenance4Properties most{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, &most};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &memory, {}};
  vkGetPhysicalDeviceProperties2(v.physical, &properties);
  const std::uint64_t size = most.maxBufferSize, range = properties.properties.limits.maxStorageBufferRange;
  if (memory.maxMemoryAllocationSize < size) GTEST_SKIP() << "this machine has less memory than a buffer may have";
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto set = v.set(set_layout, bindings);
  const auto buffer = v.buffer(size);
  v.write(set, 0, kStorage, buffer, size - range, range);
  dispatch(v,
           v.pipeline("#version 450\nlayout(binding = 0) buffer B { uint o[]; };\nvoid main() { o[o.length() - 1] = "
                      "uint(o.length()); }\n",
                      layout),
           layout, set);
  EXPECT_EQ(buffer.word(size / 4 - 1), range / 4);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    const VkBufferCopy copy{size - 4, size - 8, 4};
    vkCmdCopyBuffer(c, buffer.buffer, buffer.buffer, 1, &copy);
  }),
            VK_SUCCESS);
  EXPECT_EQ(buffer.word(size / 4 - 2), range / 4);
}

// 32 attributes of four components, as many outputs, and built-ins beside them: more than registers hold for 16 lanes.
// A quarter for each component makes all numbers exact.
TEST(VulkanLimits, AllInputsOfVerticesAndFragments_SPV52) {
  HEDDLE_NEED_SHADERS();
  Canvas c(3, 2);
  constexpr std::uint32_t kInputs = 32;
  PipelineState s;
  s.bindings = {{0, 16 * kInputs, VK_VERTEX_INPUT_RATE_INSTANCE}};
  std::string in, passed, tests;
  const auto numbered = [](const char* text, std::uint32_t i) {
    std::string out;
    for (const char* at = text; *at != 0; ++at) out += *at == '#' ? std::to_string(i) : std::string(1, *at);
    return out;
  };
  const auto values = c.v.buffer(16 * kInputs);
  for (std::uint32_t i = 0; i < kInputs; ++i) {
    s.attributes.push_back({i, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16 * i});
    const float four[4] = {1.0f * static_cast<float>(i), static_cast<float>(i) + 0.25f, static_cast<float>(i) + 0.5f,
                           static_cast<float>(i) + 0.75f};
    std::memcpy(values.bytes + 16 * i, four, 16);
    in += numbered("layout(location = #) in vec4 a#; layout(location = #) out vec4 m#;\n", i);
    passed += numbered("m# = 2 * a#; ", i);
  }
  s.vertex = "#version 450\n" + in + "void main() { " + passed +
             "gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1); }\n";
  s.fragment = "#version 450\n";
  for (std::uint32_t i = 0; i < kInputs; ++i) {
    s.fragment += numbered("layout(location = #) in vec4 m#;\n", i);
    tests += numbered("&& m# == 2 * vec4(#, #.25, #.5, #.75) ", i);
  }
  s.fragment += "layout(location = 0) out vec4 o;\nvoid main() { bool same = gl_FrontFacing || !gl_FrontFacing " +
                tests + ";\n  o = vec4(same ? 1 : 0, (gl_FragCoord.xy - 0.5) / 255, 1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    constexpr VkDeviceSize kBegin = 0;
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindVertexBuffers(b, 0, 1, &values.buffer, &kBegin);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  const auto pixels = c.pixels();
  for (std::uint32_t p = 0; p < 6; ++p) EXPECT_EQ(pixels[p], 0xff0000ffu | p % 3 << 8 | p / 3 << 16) << p;
}

}  // namespace
}  // namespace heddle::test
