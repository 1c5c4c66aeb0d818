// SPDX-License-Identifier: MIT
// VK_EXT_descriptor_buffer: sets that lie in the application's memory, whatever is in it.

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "vulkan/checks.hpp"
#include "vulkan/descriptor_kit.hpp"
#include "vulkan/dynamic_states.hpp"
#include "vulkan/feature_kit.hpp"
#include "vulkan/object_kit.hpp"

namespace heddle::test {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr const char* kStores = VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME;
constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr auto kDraws = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
constexpr std::uint32_t kGreen = 0xff00ff00, kRed = 0xff0000ff;

/// A device whose pipelines read their sets from buffers.
struct StoringDevice : VulkanDevice {
  explicit StoringDevice(std::vector<const char*> more = {}) : VulkanDevice(with(std::move(more))) {
    pipeline_flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  }
  static std::vector<const char*> with(std::vector<const char*> more) {
    more.push_back(kStores);
    return more;
  }
};

void dispatch(VkCommandBuffer c, VkPipeline pipeline) {
  vkCmdBindPipeline(c, kCompute, pipeline);
  vkCmdDispatch(c, 1, 1, 1);
}

/// What a dispatch writes of what stands behind a shader's write, and a draw's or dispatch's reads of descriptors.
void order_descriptors(VkCommandBuffer c) {
  barrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
          VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

VulkanDevice::Image words_image(VulkanDevice& v, std::uint32_t word, VkImageUsageFlags usage) {
  return make_image(v, {VK_FORMAT_R32_UINT, 1, 1, 1, usage, 0, {bytes_of(std::vector<std::uint32_t>{word})}});
}

// A shader that reads a descriptor of every type that dispatches have.
TEST(VulkanDescriptorBuffers, EveryTypeIsRead) {
  HEDDLE_NEED_SHADERS();
  StoringDevice v({VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
  DescriptorBuffer sets(v, 4096);
  const auto out = addressed_buffer(v, 64), data = addressed_buffer(v, 64);
  for (std::uint32_t i = 0; i < 16; ++i) data.set(i, 100 + i);
  const auto sampled = words_image(v, 201, VK_IMAGE_USAGE_SAMPLED_BIT),
             stored = words_image(v, 202, VK_IMAGE_USAGE_STORAGE_BIT),
             combined = words_image(v, 203, VK_IMAGE_USAGE_SAMPLED_BIT);
  const auto view = [&](const VulkanDevice::Image& of) { return v.view(of.image, VK_FORMAT_R32_UINT); };
  const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
  const VkDescriptorSetLayout layout = sets.layout({{0, kStorage},
                                                    {1, kUniform},
                                                    {2, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER},
                                                    {3, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER},
                                                    {4, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                                    {5, VK_DESCRIPTOR_TYPE_SAMPLER},
                                                    {6, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                                    {7, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                    {8, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK, 16}});
  constexpr std::uint64_t kAt = 128;  // of the set
  sets.put(kAt, layout, 0, sets.buffer(kStorage, out));
  sets.put(kAt, layout, 1, sets.buffer(kUniform, data.address + 16, 16));
  sets.put(kAt, layout, 2, sets.buffer(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, data, VK_FORMAT_R32_UINT));
  sets.put(kAt, layout, 3, sets.buffer(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, data, VK_FORMAT_R32_UINT));
  sets.put(kAt, layout, 4, sets.image(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, view(sampled)));
  sets.put(kAt, layout, 5, sets.sampler(sampler));
  sets.put(kAt, layout, 6, sets.image(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view(stored)));
  sets.put(kAt, layout, 7, sets.image(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view(combined), sampler));
  const std::uint32_t block[] = {301, 302, 303, 304};
  std::memcpy(sets.memory.bytes + kAt + sets.offset_of(layout, 8), block, sizeof block);
  const VkPipelineLayout of = v.layout({layout});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "layout(binding = 1) uniform U { uvec4 u; };\nlayout(binding = 2) uniform utextureBuffer t;\n"
      "layout(binding = 3, r32ui) uniform uimageBuffer s;\nlayout(binding = 4) uniform utexture2D i;\n"
      "layout(binding = 5) uniform sampler n;\nlayout(binding = 6, r32ui) uniform uimage2D w;\n"
      "layout(binding = 7) uniform usampler2D c;\nlayout(binding = 8) uniform B { uvec4 b; };\nvoid main() {\n"
      "  o[0] = u.y;\n  o[1] = texelFetch(t, 9).r;\n  o[2] = imageLoad(s, 10).r;\n"
      "  o[3] = texture(usampler2D(i, n), vec2(0.5)).r;\n  o[4] = imageLoad(w, ivec2(0)).r;\n"
      "  o[5] = texture(c, vec2(0.5)).r;\n  o[6] = b.z;\n  o[7] = uint(o.length());\n"
      "  imageStore(s, 15, uvec4(777));\n  imageStore(w, ivec2(0), uvec4(888));\n}\n",
      of);
  const auto run = [&] {
    return v.run([&](VkCommandBuffer c) {
      sets.bind(c);
      sets.place(c, kCompute, of, 0, {kAt});
      dispatch(c, pipeline);
    });
  };
  ASSERT_EQ(run(), VK_SUCCESS);
  const auto words = [&] {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < 8; ++i) found.push_back(out.word(i));
    return found;
  };
  EXPECT_THAT(words(), ElementsAre(105, 109, 110, 201, 202, 203, 303, 16));
  EXPECT_EQ(data.word(15), 777u);
  // The host writes between two submissions: another buffer, another word of the block, and no image.
  const auto other = addressed_buffer(v, 32);
  other.set(1, 11);
  sets.put(kAt, layout, 1, sets.buffer(kUniform, other));
  sets.put(kAt, layout, 4, sets.image(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_NULL_HANDLE));
  const std::uint32_t changed = 999;
  std::memcpy(sets.memory.bytes + kAt + sets.offset_of(layout, 8) + 8, &changed, 4);
  ASSERT_EQ(run(), VK_SUCCESS);
  EXPECT_THAT(words(), ElementsAre(11, 109, 110, 0, 888, 203, 999, 16));
}

// Sets of several buffers; offsets change between dispatches; a layout may go once commands are recorded.
TEST(VulkanDescriptorBuffers, OffsetsChooseSets) {
  HEDDLE_NEED_SHADERS();
  StoringDevice v;
  DescriptorBuffer sets(v, 4096), more(v, 256);
  const auto out = addressed_buffer(v, 64), a = addressed_buffer(v, 64), b = addressed_buffer(v, 64);
  a.set(0, 5), b.set(0, 7);
  const VkDescriptorSetLayout layout = sets.layout({{0, kStorage}});
  const std::uint64_t step = sets.limits.descriptorBufferOffsetAlignment;
  ASSERT_LE(step, 256u);
  sets.put(0, layout, 0, sets.buffer(kStorage, a));
  sets.put(step, layout, 0, sets.buffer(kStorage, b));
  more.put(256 - step, layout, 0, more.buffer(kStorage, out));
  VkPipelineLayout of = VK_NULL_HANDLE;
  const VkDescriptorSetLayout both[] = {layout, layout};
  const VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 2, both, 0, nullptr};
  ASSERT_EQ(vkCreatePipelineLayout(v.device, &info, nullptr, &of), VK_SUCCESS);
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer I { uint i[]; };\n"
      "layout(set = 1, binding = 0) buffer O { uint o[]; };\n"
      "void main() { uint at = atomicAdd(o[15], 1u); o[at] = i[0]; }\n",
      of);
  const VkCommandBuffer c = v.commands();
  v.begin(c);
  // The last of as many buffers as there may be.
  std::vector<VkDeviceAddress> buffers(sets.limits.maxDescriptorBufferBindings, sets.memory.address);
  buffers.back() = more.memory.address;
  const auto last = static_cast<std::uint32_t>(buffers.size() - 1);
  sets.bind(c, buffers);
  sets.place(c, kCompute, of, 0, {0, 256 - step}, {0, last});
  dispatch(c, pipeline);
  order_descriptors(c);
  sets.place(c, kCompute, of, 0, {step}, {1});
  dispatch(c, pipeline);
  order_descriptors(c);
  sets.place(c, kCompute, of, 0, {0});
  dispatch(c, pipeline);
  vkDestroyPipelineLayout(v.device, of, nullptr);
  ASSERT_EQ(v.submit(c), VK_SUCCESS);
  EXPECT_EQ(out.word(15), 3u);
  EXPECT_THAT((std::vector{out.word(0), out.word(1), out.word(2)}), ElementsAre(5, 7, 5));
}

// Commands write descriptors as they write other memory: what a copy wrote is read behind a barrier.
TEST(VulkanDescriptorBuffers, CommandsWriteDescriptors) {
  HEDDLE_NEED_SHADERS();
  StoringDevice v;
  DescriptorBuffer sets(v, 256), source(v, 256);
  const auto out = addressed_buffer(v, 64), a = addressed_buffer(v, 64), b = addressed_buffer(v, 64);
  a.set(0, 5), b.set(0, 7);
  const VkDescriptorSetLayout layout = sets.layout({{0, kStorage}, {1, kStorage}});
  sets.put(0, layout, 0, sets.buffer(kStorage, a));
  sets.put(0, layout, 1, sets.buffer(kStorage, out));
  source.put(0, layout, 0, sets.buffer(kStorage, b));
  const VkPipelineLayout of = v.layout({layout});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer I { uint i[]; };\n"
      "layout(binding = 1) buffer O { uint o[]; };\nvoid main() { o[atomicAdd(o[15], 1u)] = i[0]; }\n",
      of);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    sets.bind(c);
    sets.place(c, kCompute, of, 0, {0});
    dispatch(c, pipeline);
    order_descriptors(c);
    const VkBufferCopy region{0, sets.offset_of(layout, 0), sets.bytes_of(kStorage)};
    vkCmdCopyBuffer(c, source.memory.buffer, sets.memory.buffer, 1, &region);
    order_descriptors(c);
    dispatch(c, pipeline);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(0), 5u);
  EXPECT_EQ(out.word(1), 7u);
}

// Sizes are those that the limits say, elements of arrays follow each other, bindings do not overlap.
TEST(VulkanDescriptorBuffers, LayoutsSayWhereDescriptorsAre) {
  StoringDevice v({VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME});
  DescriptorBuffer sets(v, 64);
  const auto& l = sets.limits;
  EXPECT_GE(l.maxDescriptorBufferBindings, 3u);
  EXPECT_GE(l.maxResourceDescriptorBufferBindings, 1u);
  EXPECT_GE(l.maxEmbeddedImmutableSamplers, 2032u);
  EXPECT_GE(l.maxSamplerDescriptorBufferRange, std::uint64_t{1 << 11} * l.samplerDescriptorSize);
  EXPECT_GE(l.maxResourceDescriptorBufferRange, std::uint64_t{(1 << 20) - (1 << 15)} * l.storageBufferDescriptorSize);
  constexpr VkDescriptorType kTypes[] = {VK_DESCRIPTOR_TYPE_SAMPLER,
                                         VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                         VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                                         VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                         VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                         VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
                                         kUniform,
                                         kStorage,
                                         VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT};
  std::vector<VulkanDevice::Binding> bindings;
  for (const VkDescriptorType type : kTypes) {
    ASSERT_GT(sets.bytes_of(type), 0u);
    ASSERT_LE(sets.bytes_of(type), 256u);
    bindings.push_back({static_cast<std::uint32_t>(3 * bindings.size() + 1), type, 5});
  }
  v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  const VkDescriptorSetLayout layout = sets.layout(bindings);
  std::uint64_t end = 0;
  for (const VulkanDevice::Binding& b : bindings) {
    EXPECT_GE(sets.offset_of(layout, b.binding), end) << b.type;
    end = sets.offset_of(layout, b.binding) + 5 * sets.bytes_of(b.type);
  }
  EXPECT_EQ(sets.size_of(layout), end);
  EXPECT_EQ(sets.size_of(sets.layout({})), 0u);
  EXPECT_EQ(sets.size_of(sets.layout({{0, kStorage, 1 << 20}})),
            std::uint64_t{1 << 20} * l.storageBufferDescriptorSize);
  // A mutable descriptor has the size of its greatest type.
  const VkDescriptorType small[] = {VK_DESCRIPTOR_TYPE_SAMPLER}, great[] = {VK_DESCRIPTOR_TYPE_SAMPLER, kStorage};
  for (const VkMutableDescriptorTypeListEXT& list :
       {VkMutableDescriptorTypeListEXT{1, small}, VkMutableDescriptorTypeListEXT{2, great}}) {
    const VkMutableDescriptorTypeCreateInfoEXT of{VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, nullptr, 1,
                                                  &list};
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 3, VK_SHADER_STAGE_COMPUTE_BIT,
                                               nullptr};
    const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &of,
                                               VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, 1, &binding};
    VkDescriptorSetLayout made = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateDescriptorSetLayout(v.device, &info, nullptr, &made), VK_SUCCESS);
    const std::size_t one = list.descriptorTypeCount == 1
                                ? l.samplerDescriptorSize
                                : std::max(l.samplerDescriptorSize, l.storageBufferDescriptorSize);
    EXPECT_EQ(sets.size_of(made), 3 * one);
    vkDestroyDescriptorSetLayout(v.device, made, nullptr);
  }
}

// Elements of one mutable binding are a buffer and an image; a type that the layout does not list is none.
TEST(VulkanDescriptorBuffers, MutableDescriptorsAreWhatTheirBytesSay) {
  HEDDLE_NEED_SHADERS();
  StoringDevice v({VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME});
  DescriptorBuffer sets(v, 256);
  const auto out = addressed_buffer(v, 64), data = addressed_buffer(v, 64);
  data.set(0, 31);
  const auto stored = words_image(v, 32, VK_IMAGE_USAGE_STORAGE_BIT);
  const VkDescriptorType types[] = {kStorage, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
  const VkMutableDescriptorTypeListEXT lists[] = {{0, nullptr}, {2, types}};
  const VkMutableDescriptorTypeCreateInfoEXT of{VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, nullptr, 2,
                                                lists};
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, kStorage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &of,
                                             VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, 2, bindings};
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorSetLayout(v.device, &info, nullptr, &layout), VK_SUCCESS);
  v.later([d = v.device, layout] { vkDestroyDescriptorSetLayout(d, layout, nullptr); });
  const VkPipelineLayout pipelines = v.layout({layout});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "layout(binding = 1) buffer I { uint i[]; } b[2];\nlayout(binding = 1, r32ui) uniform uimage2D w[2];\n"
      "void main() { o[0] = b[0].i[0]; o[1] = imageLoad(w[1], ivec2(0)).r; }\n",
      pipelines);
  const auto run = [&] {
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      sets.bind(c);
      sets.place(c, kCompute, pipelines, 0, {0});
      dispatch(c, pipeline);
    }),
              VK_SUCCESS);
  };
  const auto image = sets.image(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, v.view(stored.image, VK_FORMAT_R32_UINT));
  sets.put(0, layout, 0, sets.buffer(kStorage, out));
  sets.put(0, layout, 1, sets.buffer(kStorage, data), 0);
  sets.put(0, layout, 1, image, 1);
  run();
  EXPECT_EQ(out.word(0), 31u);
  EXPECT_EQ(out.word(1), 32u);
  sets.put(0, layout, 1, sets.buffer(kUniform, data), 0);
  run();
  EXPECT_EQ(out.word(0), 0u);
  EXPECT_EQ(out.word(1), 32u);
}

/// A fragment shader that reads a sampled image of set 0 by a sampler of set 1, and adds what set 2 pushes.
constexpr const char* kReadsThreeSets =
    "#version 450\nlayout(location = 0) out vec4 o;\nlayout(set = 0, binding = 0) uniform texture2D t;\n"
    "layout(set = 1, binding = 0) uniform sampler s;\nlayout(set = 2, binding = 0) uniform U { vec4 u; };\n"
    "void main() { o = texture(sampler2D(t, s), vec2(7.5)) + u; }\n";

/// What the shader reads: green where coordinates wrap, as the embedded sampler does; without the pushed buffer's red.
class ThreeSets {
 public:
  explicit ThreeSets(Canvas& canvas)
      : v(canvas.v), sets(v, 256), red(addressed_buffer(v, 16)), image(make_image(v, texels())) {
    const float color[] = {1, 0, 0, 0};
    std::memcpy(red.bytes, color, sizeof color);
    resource = sets.layout({{0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE}});
    const VkSampler repeats = v.sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT);
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, VK_SHADER_STAGE_ALL_GRAPHICS,
                                               &repeats};
    const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr,
                                               VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT |
                                                   VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT,
                                               1, &binding};
    EXPECT_EQ(vkCreateDescriptorSetLayout(v.device, &info, nullptr, &embedded), VK_SUCCESS);
    v.later([d = v.device, l = embedded] { vkDestroyDescriptorSetLayout(d, l, nullptr); });
    EXPECT_EQ(sets.size_of(embedded), 0u);
    pushed = sets.layout({{0, kUniform}}, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    layout = v.layout({resource, embedded, pushed});
    sets.put(0, resource, 0,
             sets.image(VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, v.view(image.image, VK_FORMAT_R8G8B8A8_UNORM)));
  }
  /// 2x2 texels, green in the last one: at (7.5, 7.5) where coordinates repeat.
  static TexelImage texels() {
    TexelImage of;
    of.format = VK_FORMAT_R8G8B8A8_UNORM;
    of.width = of.height = 2;
    of.levels = {bytes_of(std::vector<std::uint32_t>{0xff000000, 0xff000000, 0xff000000, kGreen})};
    return of;
  }
  void bind(VkCommandBuffer c, bool by_newer_commands) const {
    sets.bind(c);
    if (by_newer_commands) {
      const std::uint32_t buffer = 0;
      const VkDeviceSize offset = 0;
      const VkSetDescriptorBufferOffsetsInfoEXT offsets{VK_STRUCTURE_TYPE_SET_DESCRIPTOR_BUFFER_OFFSETS_INFO_EXT,
                                                        nullptr,
                                                        VK_SHADER_STAGE_FRAGMENT_BIT,
                                                        layout,
                                                        0,
                                                        1,
                                                        &buffer,
                                                        &offset};
      v.proc<PFN_vkCmdSetDescriptorBufferOffsets2EXT>("vkCmdSetDescriptorBufferOffsets2EXT")(c, &offsets);
      const VkBindDescriptorBufferEmbeddedSamplersInfoEXT samplers{
          VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_BUFFER_EMBEDDED_SAMPLERS_INFO_EXT, nullptr, VK_SHADER_STAGE_FRAGMENT_BIT,
          layout, 1};
      v.proc<PFN_vkCmdBindDescriptorBufferEmbeddedSamplers2EXT>("vkCmdBindDescriptorBufferEmbeddedSamplers2EXT")(
          c, &samplers);
    } else {
      sets.place(c, kDraws, layout, 0, {0});
      v.proc<PFN_vkCmdBindDescriptorBufferEmbeddedSamplersEXT>("vkCmdBindDescriptorBufferEmbeddedSamplersEXT")(
          c, kDraws, layout, 1);
    }
    const VkDescriptorBufferInfo info{red.buffer, 0, 16};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.descriptorCount = 1;
    write.descriptorType = kUniform;
    write.pBufferInfo = &info;
    v.proc<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR")(c, kDraws, layout, 2, 1, &write);
  }

  VulkanDevice& v;
  DescriptorBuffer sets;
  AddressedBuffer red;
  VulkanDevice::Image image;
  VkDescriptorSetLayout resource = VK_NULL_HANDLE, embedded = VK_NULL_HANDLE, pushed = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

std::vector<const char*> of_draws() {
  return {kStores, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
          VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME};
}

TEST(VulkanDescriptorBuffers, DrawsReadEmbeddedAndPushedSetsBesideThem) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, of_draws());
  const ThreeSets of(c);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = kReadsThreeSets;
  s.layout = of.layout;
  s.flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, kDraws, pipeline);
    of.bind(b, false);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), Each(kGreen | kRed));
}

TEST(VulkanDescriptorBuffers, ShaderObjectsReadThem) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  std::vector<const char*> names = dynamic_state_extensions();
  for (const char* name : of_draws())
    if (std::none_of(names.begin(), names.end(), [&](const char* n) { return std::strcmp(n, name) == 0; }))
      names.push_back(name);
  names.push_back("VK_EXT_shader_object");
  names.push_back("VK_KHR_maintenance6");
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, names);
  const ThreeSets of(c);
  ShaderObjects objects(c.v, {of.resource, of.embedded, of.pushed});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = kReadsThreeSets;
  c.draw([&](VkCommandBuffer b) {
    objects.bind_all(b, s);
    set_states(c, b, s);
    of.bind(b, true);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), Each(kGreen | kRed));
}

// Descriptors have no layout: whatever is said is no finding of the sanitizer.
TEST(VulkanDescriptorBuffers, LayoutsOfImagesNeedNotBeSaid) {
  HEDDLE_NEED_SHADERS();
  const ChecksOn checks;
  StoringDevice v;
  v.expects_messages = true;
  DescriptorBuffer sets(v, 256);
  const auto out = addressed_buffer(v, 64);
  const auto image = words_image(v, 44, VK_IMAGE_USAGE_SAMPLED_BIT);
  const VkDescriptorSetLayout layout = sets.layout({{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
  const VkPipelineLayout of = v.layout({layout});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "layout(binding = 1) uniform usampler2D s;\nvoid main() { o[0] = textureLod(s, vec2(0.5), 0).r; }\n",
      of);
  sets.put(0, layout, 0, sets.buffer(kStorage, out));
  const VkImageView view = v.view(image.image, VK_FORMAT_R32_UINT);
  const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
  for (const VkImageLayout said : {VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL}) {
    sets.put(0, layout, 1, sets.image(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler, said));
    out.set(0, 0);
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      sets.bind(c);
      sets.place(c, kCompute, of, 0, {0});
      dispatch(c, pipeline);
    }),
              VK_SUCCESS);
    EXPECT_EQ(out.word(0), 44u) << said;
  }
  expect_found(v.messages, {});
}

// --- what is not a descriptor ---

/// Reads one descriptor of each type that can be damaged, and an array of each kind; writes what the first ones show.
struct DamagedSets : StoringDevice {
  DamagedSets()
      : sets(*this, 8192),
        out(addressed_buffer(*this, 256)),
        data(addressed_buffer(*this, 256)),
        image(words_image(*this, 77, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT)),
        out_layout(sets.layout({{0, kStorage}})),
        layout(sets.layout({{0, kStorage, 4},
                            {1, kUniform, 4},
                            {2, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 4},
                            {3, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 4},
                            {4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4},
                            {5, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 4}})),
        of(this->VulkanDevice::layout({out_layout, layout})) {
    for (std::uint32_t i = 0; i < 64; ++i) data.set(i, 100 + i);
    sets.put(0, out_layout, 0, sets.buffer(kStorage, out));
    pipeline = this->VulkanDevice::pipeline(
        "#version 450\nlayout(local_size_x = 1) in;\nlayout(set = 0, binding = 0) buffer O { uint o[]; };\n"
        "layout(set = 1, binding = 0) buffer S { uint s[]; } s[4];\n"
        "layout(set = 1, binding = 1) uniform U { uvec4 u; } u[4];\n"
        "layout(set = 1, binding = 2) uniform utextureBuffer t[4];\n"
        "layout(set = 1, binding = 3, r32ui) uniform uimageBuffer b[4];\n"
        "layout(set = 1, binding = 4) uniform usampler2D c[4];\n"
        "layout(set = 1, binding = 5, r32ui) uniform uimage2D w[4];\nvoid main() {\n"
        "  for (int k = 0; k < 4; ++k) {\n    o[6 * k] = s[k].s[3];\n    o[6 * k + 1] = u[k].u.y;\n"
        "    o[6 * k + 2] = texelFetch(t[k], 2).r;\n    o[6 * k + 3] = imageLoad(b[k], 2).r;\n"
        "    o[6 * k + 4] = textureLod(c[k], vec2(0.5), 0).r;\n    o[6 * k + 5] = imageLoad(w[k], ivec2(0)).r;\n"
        "    s[k].s[60] = 1u;\n    imageStore(b[k], 61, uvec4(2));\n    imageStore(w[k], ivec2(0), uvec4(77));\n  "
        "}\n}\n",
        of);
  }
  [[nodiscard]] DescriptorBuffer::Bytes good(std::uint32_t binding, VkImageView view, VkSampler sampler) const {
    switch (binding) {
      case 0:
        return sets.buffer(kStorage, data);
      case 1:
        return sets.buffer(kUniform, data);
      case 2:
        return sets.buffer(VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, data, VK_FORMAT_R32_UINT);
      case 3:
        return sets.buffer(VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, data, VK_FORMAT_R32_UINT);
      case 4:
        return sets.image(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
      default:
        return sets.image(VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view);
    }
  }
  void put_all(VkImageView view, VkSampler sampler) const {
    for (std::uint32_t b = 0; b < 6; ++b)
      for (std::uint32_t k = 0; k < 4; ++k) sets.put(kAt, layout, b, good(b, view, sampler), k);
  }
  VkResult read(VkDeviceSize at = kAt, std::uint32_t buffer = 0) {
    return run([&](VkCommandBuffer c) {
      sets.bind(c);
      sets.place(c, kCompute, of, 0, {0, at}, {0, buffer});
      dispatch(c, pipeline);
    });
  }
  [[nodiscard]] std::vector<std::uint32_t> shown(std::uint32_t element) const {
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0; i < 6; ++i) words.push_back(out.word(6 * element + i));
    return words;
  }
  static constexpr std::uint64_t kAt = 1024;
  DescriptorBuffer sets;
  AddressedBuffer out, data;
  VulkanDevice::Image image;
  VkDescriptorSetLayout out_layout, layout;
  VkPipelineLayout of;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

// Objects and memory that are gone, sets outside of their buffer, buffers that are not bound: all read as nothing.
TEST(VulkanDescriptorBuffers, WhatIsGoneReadsAsNothing) {
  HEDDLE_NEED_SHADERS();
  DamagedSets d;
  d.expects_messages = true;
  VkImageViewCreateInfo views{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  views.image = d.image.image;
  views.viewType = VK_IMAGE_VIEW_TYPE_2D;
  views.format = VK_FORMAT_R32_UINT;
  views.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView view = VK_NULL_HANDLE, again = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImageView(d.device, &views, nullptr, &view), VK_SUCCESS);
  d.put_all(view, d.sampler(VK_FILTER_NEAREST));
  ASSERT_EQ(d.read(), VK_SUCCESS);
  for (std::uint32_t k = 0; k < 4; ++k) EXPECT_THAT(d.shown(k), ElementsAre(103, 101, 102, 102, 77, 77)) << k;
  EXPECT_EQ(d.data.word(60), 1u);
  EXPECT_EQ(d.data.word(61), 2u);
  // Another view gets no number that one had before, wherever it lies.
  vkDestroyImageView(d.device, view, nullptr);
  ASSERT_EQ(vkCreateImageView(d.device, &views, nullptr, &again), VK_SUCCESS);
  ASSERT_EQ(d.read(), VK_SUCCESS);
  EXPECT_THAT(d.shown(0), ElementsAre(103, 101, 102, 102, 0, 0));
  vkDestroyImageView(d.device, again, nullptr);
  // A buffer that ends within the set, one that is not bound, an offset that goes round.
  const std::uint64_t last = d.sets.memory.size - d.sets.limits.descriptorBufferOffsetAlignment;
  for (const auto& [at, buffer] : std::vector<std::pair<VkDeviceSize, std::uint32_t>>{{last, 0},
                                                                                      {d.sets.memory.size, 0},
                                                                                      {0, 5},
                                                                                      {0, UINT32_MAX},
                                                                                      {~VkDeviceSize{63}, 0},
                                                                                      {VkDeviceSize{1} << 40, 0}}) {
    ASSERT_EQ(d.read(at, buffer), VK_SUCCESS) << at;
    for (std::uint32_t k = 0; k < 4; ++k) EXPECT_THAT(d.shown(k), Each(0)) << at;
  }
}

// Memory that comes to an address shows, though the descriptor's bytes are the same as when there was none.
TEST(VulkanDescriptorBuffers, MemoryMayComeLater) {
  HEDDLE_NEED_SHADERS();
  StoringDevice v;
  DescriptorBuffer sets(v, 256);
  const auto out = addressed_buffer(v, 64);
  const VkDescriptorSetLayout layout = sets.layout({{0, kStorage}, {1, kStorage}});
  const VkPipelineLayout of = v.layout({layout});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "layout(binding = 1) buffer I { uint i[]; };\nvoid main() { o[0] = i[0] + 1; }\n",
      of);
  alignas(64) static std::array<std::uint32_t, 1024> pages{};  // of the application, at an address it knows
  pages[0] = 41;
  sets.put(0, layout, 0, sets.buffer(kStorage, out));
  sets.put(0, layout, 1, sets.buffer(kStorage, reinterpret_cast<VkDeviceAddress>(pages.data()), 64));
  const auto read = [&] {
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      sets.bind(c);
      sets.place(c, kCompute, of, 0, {0});
      dispatch(c, pipeline);
    }),
              VK_SUCCESS);
    return out.word(0);
  };
  EXPECT_EQ(read(), 1u);
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  const VkImportMemoryHostPointerInfoEXT host{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, &flags,
                                              VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages.data()};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &host, sizeof pages, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  EXPECT_EQ(read(), 42u);
  vkFreeMemory(v.device, memory, nullptr);
}

// Any bytes: random ones, and good descriptors with some bits the other way round. Nothing ends, nothing is lost, and
// undamaged sets are read as ever.
TEST(VulkanDescriptorBuffers, AnyBytesAreRead) {
  HEDDLE_NEED_SHADERS();
  DamagedSets d;
  d.expects_messages = true;
  const VkImageView view = d.view(d.image.image, VK_FORMAT_R32_UINT);
  const VkSampler sampler = d.sampler(VK_FILTER_NEAREST);
  std::mt19937 random(20261128);
  const std::uint64_t bytes = d.sets.size_of(d.layout);
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    d.put_all(view, sampler);
    std::uint8_t* const set = d.sets.memory.bytes + DamagedSets::kAt;
    if (round % 2 == 0) {
      for (std::uint64_t i = 0; i < bytes; ++i) set[i] = static_cast<std::uint8_t>(random());
    } else {
      for (int flips = 0; flips < 200; ++flips) set[random() % bytes] ^= static_cast<std::uint8_t>(1u << random() % 8);
    }
    ASSERT_EQ(d.read(), VK_SUCCESS);
    // Damage may have made stores go elsewhere within the buffers of this device.
    for (std::uint32_t i = 0; i < 64; ++i) d.data.set(i, 100 + i);
    std::fill_n(d.sets.memory.bytes, d.sets.memory.size, std::uint8_t{0});
    d.sets.put(0, d.out_layout, 0, d.sets.buffer(kStorage, d.out));
    d.put_all(view, sampler);
    ASSERT_EQ(d.read(), VK_SUCCESS);
    for (std::uint32_t k = 0; k < 4; ++k) ASSERT_THAT(d.shown(k), ElementsAre(103, 101, 102, 102, 77, 77)) << k;
  }
}

// --- what a replay needs ---

// A view and a sampler that are made again with what was said of them have the same descriptors; memory has the same
// address. What another one has can't be had.
TEST(VulkanDescriptorBuffers, ReplaysHaveTheSameBytes) {
  StoringDevice v;
  DescriptorBuffer sets(v, 64);
  const auto image = words_image(v, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
  VkImageViewCreateInfo views{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  views.flags = VK_IMAGE_VIEW_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT;
  views.image = image.image;
  views.viewType = VK_IMAGE_VIEW_TYPE_2D;
  views.format = VK_FORMAT_R32_UINT;
  views.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkSamplerCreateInfo samplers{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  samplers.flags = VK_SAMPLER_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT;
  VkImageView view = VK_NULL_HANDLE, other = VK_NULL_HANDLE;
  VkSampler sampler = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
  ASSERT_EQ(vkCreateSampler(v.device, &samplers, nullptr, &sampler), VK_SUCCESS);
  const auto descriptor = [&] { return sets.image(VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler); };
  const auto first = descriptor();
  std::vector<std::uint8_t> of_view(sets.limits.imageViewCaptureReplayDescriptorDataSize),
      of_sampler(sets.limits.samplerCaptureReplayDescriptorDataSize);
  const VkImageViewCaptureDescriptorDataInfoEXT ask_view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CAPTURE_DESCRIPTOR_DATA_INFO_EXT,
                                                         nullptr, view};
  const VkSamplerCaptureDescriptorDataInfoEXT ask_sampler{VK_STRUCTURE_TYPE_SAMPLER_CAPTURE_DESCRIPTOR_DATA_INFO_EXT,
                                                          nullptr, sampler};
  ASSERT_EQ(v.proc<PFN_vkGetImageViewOpaqueCaptureDescriptorDataEXT>("vkGetImageViewOpaqueCaptureDescriptorDataEXT")(
                v.device, &ask_view, of_view.data()),
            VK_SUCCESS);
  ASSERT_EQ(v.proc<PFN_vkGetSamplerOpaqueCaptureDescriptorDataEXT>("vkGetSamplerOpaqueCaptureDescriptorDataEXT")(
                v.device, &ask_sampler, of_sampler.data()),
            VK_SUCCESS);
  VkOpaqueCaptureDescriptorDataCreateInfoEXT data{VK_STRUCTURE_TYPE_OPAQUE_CAPTURE_DESCRIPTOR_DATA_CREATE_INFO_EXT,
                                                  nullptr, of_view.data()};
  views.pNext = samplers.pNext = &data;
  EXPECT_EQ(vkCreateImageView(v.device, &views, nullptr, &other), VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
  vkDestroyImageView(v.device, view, nullptr);
  vkDestroySampler(v.device, sampler, nullptr);
  // Others come between.
  (void)v.view(image.image, VK_FORMAT_R32_UINT);
  (void)v.sampler(VK_FILTER_NEAREST);
  ASSERT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
  data.opaqueCaptureDescriptorData = of_sampler.data();
  ASSERT_EQ(vkCreateSampler(v.device, &samplers, nullptr, &sampler), VK_SUCCESS);
  EXPECT_EQ(descriptor(), first);
  vkDestroyImageView(v.device, view, nullptr);
  vkDestroySampler(v.device, sampler, nullptr);
  // What no run was ever given.
  std::ranges::fill(of_view, std::uint8_t{0});
  data.opaqueCaptureDescriptorData = of_view.data();
  EXPECT_EQ(vkCreateImageView(v.device, &views, nullptr, &other), VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
}

struct ReplayedMemory {
  explicit ReplayedMemory(VulkanDevice& of) : v(of) {}
  /// `address`: of another run, or 0. What vkAllocateMemory answers.
  VkResult allocate(std::uint64_t address) {
    const VkMemoryOpaqueCaptureAddressAllocateInfo earlier{
        VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO, nullptr, address};
    const VkMemoryAllocateFlagsInfo flags{
        VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, &earlier,
        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT | VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT, 0};
    const VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, kBytes, 0};
    return vkAllocateMemory(v.device, &info, nullptr, &memory);
  }
  [[nodiscard]] std::uint64_t captured() const {
    const VkDeviceMemoryOpaqueCaptureAddressInfo ask{VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO,
                                                     nullptr, memory};
    return v.proc<PFN_vkGetDeviceMemoryOpaqueCaptureAddress>("vkGetDeviceMemoryOpaqueCaptureAddress")(v.device, &ask);
  }
  void free() {
    vkFreeMemory(v.device, memory, nullptr);
    memory = VK_NULL_HANDLE;
  }
  static constexpr std::uint64_t kBytes = 1 << 20;
  VulkanDevice& v;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};

// An allocation of a replay lies where it lay, in another device as well, full of zeros; a buffer in it has the same
// address. What is taken is refused.
TEST(VulkanDescriptorBuffers, ReplayedMemoryHasItsAddress) {
  std::uint64_t address = 0;
  {
    StoringDevice v;
    ReplayedMemory m(v), taken(v), own(v);
    ASSERT_EQ(m.allocate(0), VK_SUCCESS);
    address = m.captured();
    ASSERT_NE(address, 0u);
    EXPECT_EQ(taken.allocate(address), VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
    ASSERT_EQ(own.allocate(0), VK_SUCCESS);
    EXPECT_TRUE(own.captured() >= address + ReplayedMemory::kBytes ||
                own.captured() + ReplayedMemory::kBytes <= address);
    void* bytes = nullptr;
    ASSERT_EQ(vkMapMemory(v.device, m.memory, 0, VK_WHOLE_SIZE, 0, &bytes), VK_SUCCESS);
    std::memset(bytes, 0xab, ReplayedMemory::kBytes);
    m.free();
    own.free();
  }
  StoringDevice v;
  ReplayedMemory m(v);
  ASSERT_EQ(m.allocate(address), VK_SUCCESS);
  EXPECT_EQ(m.captured(), address);
  void* bytes = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, m.memory, 0, VK_WHOLE_SIZE, 0, &bytes), VK_SUCCESS);
  EXPECT_EQ(static_cast<std::uint8_t*>(bytes)[ReplayedMemory::kBytes - 1], 0u);
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.flags = VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
  info.size = 256;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &buffer), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(v.device, buffer, &needs);
  ASSERT_EQ(vkBindBufferMemory(v.device, buffer, m.memory, needs.alignment), VK_SUCCESS);
  const VkBufferDeviceAddressInfo of{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
  const std::uint64_t at = vkGetBufferDeviceAddress(v.device, &of);
  EXPECT_EQ(at, address + needs.alignment);
  EXPECT_EQ(vkGetBufferOpaqueCaptureAddress(v.device, &of), at);
  vkDestroyBuffer(v.device, buffer, nullptr);
  m.free();
}

// The same within one device, while a pipeline still knows what it read there.
TEST(VulkanDescriptorBuffers, ReplayedMemoryComesBackUnderAPipeline) {
  HEDDLE_NEED_SHADERS();
  StoringDevice v;
  DescriptorBuffer sets(v, 256);
  const auto out = addressed_buffer(v, 64);
  const VkDescriptorSetLayout layout = sets.layout({{0, kStorage}, {1, kStorage}});
  const VkPipelineLayout of = v.layout({layout});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "layout(binding = 1) buffer I { uint i[]; };\nvoid main() { o[0] = i[0] + 1; o[1] = i[1]; }\n",
      of);
  std::uint64_t address = 0;
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    ReplayedMemory m(v);
    ASSERT_EQ(m.allocate(address), VK_SUCCESS) << turn;
    EXPECT_TRUE(turn == 0 || m.captured() == address) << turn;
    address = m.captured();
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.flags = VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    info.size = 256;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &buffer), VK_SUCCESS);
    ASSERT_EQ(vkBindBufferMemory(v.device, buffer, m.memory, 0), VK_SUCCESS);
    const VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    EXPECT_EQ(vkGetBufferDeviceAddress(v.device, &ask), address);
    void* bytes = nullptr;
    ASSERT_EQ(vkMapMemory(v.device, m.memory, 0, VK_WHOLE_SIZE, 0, &bytes), VK_SUCCESS);
    auto* const words = static_cast<std::uint32_t*>(bytes);
    EXPECT_EQ(words[1], 0u) << "new memory, " << turn;
    words[0] = 40 + turn;
    words[1] = 70 + turn;
    sets.put(0, layout, 0, sets.buffer(kStorage, out));
    sets.put(0, layout, 1, sets.buffer(kStorage, address, 256));
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      sets.bind(c);
      sets.place(c, kCompute, of, 0, {0});
      dispatch(c, pipeline);
    }),
              VK_SUCCESS);
    EXPECT_EQ(out.word(0), 41 + turn);
    EXPECT_EQ(out.word(1), 70 + turn);
    vkDestroyBuffer(v.device, buffer, nullptr);
    m.free();
  }
}

// The address of a buffer in parts is its own: what descriptors need of it brings it back.
TEST(VulkanDescriptorBuffers, SparseBuffersComeBackByTheirData) {
  StoringDevice v;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
               VK_BUFFER_CREATE_DESCRIPTOR_BUFFER_CAPTURE_REPLAY_BIT_EXT;
  info.size = 1 << 17;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  VkPhysicalDeviceDescriptorBufferPropertiesEXT limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 ask{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(v.physical, &ask);
  std::vector<std::uint8_t> data(limits.bufferCaptureReplayDescriptorDataSize);
  const auto address_of = [&](VkBuffer buffer) {
    const VkBufferDeviceAddressInfo of{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    return vkGetBufferDeviceAddress(v.device, &of);
  };
  VkBuffer first = VK_NULL_HANDLE, other = VK_NULL_HANDLE, again = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &first), VK_SUCCESS);
  const std::uint64_t address = address_of(first);
  const VkBufferCaptureDescriptorDataInfoEXT of_first{VK_STRUCTURE_TYPE_BUFFER_CAPTURE_DESCRIPTOR_DATA_INFO_EXT,
                                                      nullptr, first};
  ASSERT_EQ(v.proc<PFN_vkGetBufferOpaqueCaptureDescriptorDataEXT>("vkGetBufferOpaqueCaptureDescriptorDataEXT")(
                v.device, &of_first, data.data()),
            VK_SUCCESS);
  vkDestroyBuffer(v.device, first, nullptr);
  ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &other), VK_SUCCESS);
  EXPECT_NE(address_of(other), address);
  const VkOpaqueCaptureDescriptorDataCreateInfoEXT earlier{
      VK_STRUCTURE_TYPE_OPAQUE_CAPTURE_DESCRIPTOR_DATA_CREATE_INFO_EXT, nullptr, data.data()};
  info.pNext = &earlier;
  ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &again), VK_SUCCESS);
  EXPECT_EQ(address_of(again), address);
  vkDestroyBuffer(v.device, other, nullptr);
  vkDestroyBuffer(v.device, again, nullptr);
}

// --- the sanitizer ---

void check_reads(const std::function<void(DescriptorBuffer&, VkCommandBuffer, VkDescriptorSetLayout)>& before,
                 const Expected& expected) {
  const ChecksOn checks;
  StoringDevice v;
  v.expects_messages = true;
  DescriptorBuffer sets(v, 256, false);  // that the host never writes
  const auto out = addressed_buffer(v, 64);
  const VkDescriptorSetLayout layout = sets.layout({{0, kStorage}});
  const VkPipelineLayout of = v.layout({layout});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "void main() { o[0] = 5u; }\n",
      of);
  const auto descriptor = sets.buffer(kStorage, out);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdUpdateBuffer(c, sets.memory.buffer, 0, descriptor.size(), descriptor.data());
    before(sets, c, layout);
    sets.bind(c);
    sets.place(c, kCompute, of, 0, {expected.id != nullptr && expected.words[0] == "a descriptor" ? 64u : 0u});
    dispatch(c, pipeline);
  }),
            VK_SUCCESS);
  // Bytes of zero are a null descriptor, outside of which the shader writes.
  std::erase_if(v.messages, [](const std::string& m) { return m.starts_with("run-surface-bounds"); });
  expect_found(v.messages, expected);
}

TEST(VulkanDescriptorBuffers, ChecksFollowTheirBytes) {
  HEDDLE_NEED_SHADERS();
  const auto order = [](VkPipelineStageFlags2 to, VkAccessFlags2 access) {
    return [=](DescriptorBuffer& sets, VkCommandBuffer c, VkDescriptorSetLayout) {
      const VkMemoryBarrier2 b{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, VK_PIPELINE_STAGE_2_TRANSFER_BIT,
                               VK_ACCESS_2_TRANSFER_WRITE_BIT,     to,      access};
      const VkDependencyInfo all{VK_STRUCTURE_TYPE_DEPENDENCY_INFO, nullptr, 0, 1, &b, 0, nullptr, 0, nullptr};
      sets.v.proc<PFN_vkCmdPipelineBarrier2>("vkCmdPipelineBarrier2")(c, &all);
    };
  };
  check_reads(order(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT), {});
  check_reads([](DescriptorBuffer&, VkCommandBuffer, VkDescriptorSetLayout) {},
              {"run-barrier-missing", {"read of", "vkCmdUpdateBuffer"}});
  check_reads(order(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_READ_BIT),
              {"run-barrier-missing", {"read of", "vkCmdUpdateBuffer"}});
  check_reads(order(VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT),
              {"run-memory-unwritten", {"a descriptor"}});
}

}  // namespace
}  // namespace heddle::test
