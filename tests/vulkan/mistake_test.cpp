// What an application must not do, and what a cheap check keeps from being a crash: the driver goes on, and so does its
// next work. Nothing is said of what such commands do.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kFar = 1ull << 40;
constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;

/// Things that are made right, for commands that use them wrongly.
struct Things {
  Things() : c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT), v(c.v) {
    small = v.buffer(
        64, VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
    info.mipLevels = 2;
    info.arrayLayers = 2;
    image = v.image(info).image;
    info.format = VK_FORMAT_BC1_RGBA_UNORM_BLOCK;
    info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    blocks = v.image(info).image;
    VkBufferCreateInfo bare{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    bare.size = 64;
    bare.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
    EXPECT_EQ(vkCreateBuffer(v.device, &bare, nullptr, &unbound), VK_SUCCESS);
    info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
    info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &unbound_image), VK_SUCCESS);
    v.later([device = v.device, b = unbound, i = unbound_image] {
      vkDestroyBuffer(device, b, nullptr);
      vkDestroyImage(device, i, nullptr);
    });
    set_layout = v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
    set = v.set(set_layout, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
    layout = v.layout({set_layout}, 16);
    compute = v.pipeline(
        "#version 450\nlayout(set = 0, binding = 0) buffer B { uint word[]; };\n"
        "layout(set = 0, binding = 1) uniform sampler2D t;\nlayout(push_constant) uniform P { uint p; };\n"
        "void main() { word[0] = p + uint(textureLod(t, vec2(0.5), 0.0).x); }\n",
        layout);
    PipelineState s;
    s.vertex =
        "#version 450\nlayout(location = 0) in vec4 at;\nlayout(set = 0, binding = 0) buffer B { uint word[]; };\n"
        "void main() { gl_Position = at + vec4(word[0] == 7u ? 1.0 : 0.0); }\n";
    s.fragment = one_color("vec4(1)");
    s.layout = layout;
    s.bindings = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX}};
    s.attributes = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
    draw = c.pipeline(s);
    PipelineState plain;
    plain.vertex = covering_vertices();
    plain.fragment = one_color("vec4(1)");
    covering = c.pipeline(plain);
    plain.dynamic = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_LINE_WIDTH,
                     VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_DEPTH_BIAS};
    dynamic = c.pipeline(plain);
    VkQueryPoolCreateInfo q{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    q.queryType = VK_QUERY_TYPE_OCCLUSION;
    q.queryCount = 2;
    EXPECT_EQ(vkCreateQueryPool(v.device, &q, nullptr, &occlusion), VK_SUCCESS);
    q.queryType = VK_QUERY_TYPE_TIMESTAMP;
    EXPECT_EQ(vkCreateQueryPool(v.device, &q, nullptr, &times), VK_SUCCESS);
    v.later([device = v.device, a = occlusion, b = times] {
      vkDestroyQueryPool(device, a, nullptr);
      vkDestroyQueryPool(device, b, nullptr);
    });
  }
  /// In rendering to the canvas.
  void render(VkCommandBuffer b, const std::function<void()>& record) {
    c.begin(b, true);
    record();
    c.end(b);
  }
  Canvas c;
  VulkanDevice& v;
  VulkanDevice::Buffer small;
  VkImage image = VK_NULL_HANDLE, blocks = VK_NULL_HANDLE, unbound_image = VK_NULL_HANDLE;
  VkBuffer unbound = VK_NULL_HANDLE;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline compute = VK_NULL_HANDLE, draw = VK_NULL_HANDLE, covering = VK_NULL_HANDLE, dynamic = VK_NULL_HANDLE;
  VkQueryPool occlusion = VK_NULL_HANDLE, times = VK_NULL_HANDLE;
};

struct Mistake {
  const char* name;
  void (*make)(Things& t, VkCommandBuffer b);
};

void bind(VkCommandBuffer b, VkPipeline pipeline) { vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }
void bind_set(Things& t, VkCommandBuffer b, VkPipelineBindPoint point) {
  vkCmdBindDescriptorSets(b, point, t.layout, 0, 1, &t.set, 0, nullptr);
}
void copy(Things& t, VkCommandBuffer b, VkBufferCopy region) {
  vkCmdCopyBuffer(b, t.small.buffer, t.small.buffer, 1, &region);
}
void both_ways(VkCommandBuffer b, VkBuffer buffer, VkImage image, const VkBufferImageCopy& region) {
  vkCmdCopyBufferToImage(b, buffer, image, kGeneral, 1, &region);
  vkCmdCopyImageToBuffer(b, image, kGeneral, buffer, 1, &region);
}
VkBufferImageCopy region(VkOffset3D offset, VkExtent3D extent, VkImageSubresourceLayers layers = kColor) {
  return {0, 0, 0, layers, offset, extent};
}
void copy_images(VkCommandBuffer b, VkImage from, VkImage to, const VkImageCopy& r) {
  vkCmdCopyImage(b, from, kGeneral, to, kGeneral, 1, &r);
}
void blit(VkCommandBuffer b, VkImage from, VkImage to, VkOffset3D a, VkOffset3D z,
          VkImageSubresourceLayers layers = kColor) {
  const VkImageBlit r{layers, {a, z}, kColor, {{0, 0, 0}, {8, 8, 1}}},
      back{kColor, {{0, 0, 0}, {8, 8, 1}}, layers, {a, z}};
  vkCmdBlitImage(b, from, kGeneral, to, kGeneral, 1, &r, VK_FILTER_LINEAR);
  vkCmdBlitImage(b, from, kGeneral, to, kGeneral, 1, &back, VK_FILTER_NEAREST);
}

const Mistake kMistakes[] = {
    // Buffers.
    {"CopyBeyondTheSource", [](Things& t, VkCommandBuffer b) { copy(t, b, {32, 0, 64}); }},
    {"CopyBeyondTheDestination", [](Things& t, VkCommandBuffer b) { copy(t, b, {0, 60, 8}); }},
    {"CopyFromFarAway", [](Things& t, VkCommandBuffer b) { copy(t, b, {kFar, 0, 8}); }},
    {"CopyToFarAway", [](Things& t, VkCommandBuffer b) { copy(t, b, {0, ~std::uint64_t{7}, 16}); }},
    {"CopyOfEverything", [](Things& t, VkCommandBuffer b) { copy(t, b, {0, 0, VK_WHOLE_SIZE}); }},
    {"FillBeyond", [](Things& t, VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, 32, kFar, 1); }},
    {"FillFarAway", [](Things& t, VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, kFar, VK_WHOLE_SIZE, 1); }},
    {"FillUnaligned", [](Things& t, VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, 3, 7, 1); }},
    {"UpdateBeyond",
     [](Things& t, VkCommandBuffer b) {
       const std::array<std::uint32_t, 8> words{};
       vkCmdUpdateBuffer(b, t.small.buffer, 48, sizeof words, words.data());
     }},
    {"BuffersWithoutMemory",
     [](Things& t, VkCommandBuffer b) {
       const VkBufferCopy r{0, 0, 64};
       vkCmdCopyBuffer(b, t.unbound, t.small.buffer, 1, &r);
       vkCmdCopyBuffer(b, t.small.buffer, t.unbound, 1, &r);
       vkCmdFillBuffer(b, t.unbound, 0, VK_WHOLE_SIZE, 1);
       both_ways(b, t.unbound, t.image, region({}, {4, 4, 1}));
     }},
    {"NullBuffers",
     [](Things& t, VkCommandBuffer b) {
       const VkBufferCopy r{0, 0, 64};
       vkCmdCopyBuffer(b, VK_NULL_HANDLE, t.small.buffer, 1, &r);
       vkCmdCopyBuffer(b, t.small.buffer, VK_NULL_HANDLE, 1, &r);
       vkCmdFillBuffer(b, VK_NULL_HANDLE, 0, VK_WHOLE_SIZE, 1);
     }},
    // Images.
    {"ImageCopyBeyond",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.image, region({6, 6, 0}, {8, 8, 1})); }},
    {"ImageCopyLargerThanTheBuffer",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.image, region({}, {8, 8, 1})); }},
    {"ImageCopyBefore",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.image, region({-4, -4, 0}, {4, 4, 1})); }},
    {"ImageCopyOfAHugeExtent",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}));
     }},
    {"ImageCopyOfAnotherLevel",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 7, 0, 1}));
     }},
    {"ImageCopyOfOtherLayers",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 9}));
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, UINT32_MAX, 2}));
     }},
    {"ImageCopyOfAnotherAspect",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1}));
     }},
    {"ImageCopyOfBlocksAcrossTheirEdges",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.blocks, region({3, 1, 0}, {5, 9, 1})); }},
    {"ImageCopyFromFarAway",
     [](Things& t, VkCommandBuffer b) {
       VkBufferImageCopy r = region({}, {4, 4, 1});
       r.bufferOffset = kFar;
       both_ways(b, t.small.buffer, t.image, r);
       r.bufferOffset = ~std::uint64_t{3};
       both_ways(b, t.small.buffer, t.image, r);
     }},
    {"ImageCopyWithShortRows",
     [](Things& t, VkCommandBuffer b) {
       VkBufferImageCopy r = region({}, {4, 4, 1});
       r.bufferRowLength = r.bufferImageHeight = 1;
       both_ways(b, t.small.buffer, t.image, r);
       r.bufferRowLength = r.bufferImageHeight = UINT32_MAX;
       both_ways(b, t.small.buffer, t.image, r);
     }},
    {"CopyOfImagesBeyond",
     [](Things& t, VkCommandBuffer b) {
       copy_images(b, t.image, t.image, {kColor, {6, 6, 0}, kColor, {0, 0, 0}, {8, 8, 1}});
       copy_images(b, t.image, t.image, {kColor, {0, 0, 0}, kColor, {-3, 700, 0}, {8, 8, 9}});
       copy_images(b, t.image, t.blocks, {kColor, {0, 0, 0}, kColor, {0, 0, 0}, {8, 8, 1}});
     }},
    {"CopyOfOtherLayers",
     [](Things& t, VkCommandBuffer b) {
       constexpr VkImageSubresourceLayers none{VK_IMAGE_ASPECT_COLOR_BIT, 9, 9, 9};
       copy_images(b, t.image, t.image, {none, {0, 0, 0}, kColor, {0, 0, 0}, {4, 4, 1}});
       copy_images(b, t.image, t.image, {kColor, {0, 0, 0}, none, {0, 0, 0}, {4, 4, 1}});
     }},
    {"ImagesWithoutMemory",
     [](Things& t, VkCommandBuffer b) {
       const VkClearColorValue clear{};
       const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
       vkCmdClearColorImage(b, t.unbound_image, kGeneral, &clear, 1, &all);
       copy_images(b, t.image, t.unbound_image, {kColor, {}, kColor, {}, {8, 8, 1}});
       copy_images(b, t.unbound_image, t.image, {kColor, {}, kColor, {}, {8, 8, 1}});
       both_ways(b, t.small.buffer, t.unbound_image, region({}, {4, 4, 1}));
       blit(b, t.unbound_image, t.image, {0, 0, 0}, {8, 8, 1});
       blit(b, t.image, t.unbound_image, {0, 0, 0}, {8, 8, 1});
     }},
    {"NullImages",
     [](Things& t, VkCommandBuffer b) {
       const VkClearColorValue clear{};
       const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
       vkCmdClearColorImage(b, VK_NULL_HANDLE, kGeneral, &clear, 1, &all);
       copy_images(b, VK_NULL_HANDLE, t.image, {kColor, {}, kColor, {}, {8, 8, 1}});
       copy_images(b, t.image, VK_NULL_HANDLE, {kColor, {}, kColor, {}, {8, 8, 1}});
       both_ways(b, t.small.buffer, VK_NULL_HANDLE, region({}, {4, 4, 1}));
       blit(b, VK_NULL_HANDLE, t.image, {0, 0, 0}, {8, 8, 1});
     }},
    {"BlitsBeyond",
     [](Things& t, VkCommandBuffer b) {
       blit(b, t.image, t.image, {-100, -100, -5}, {900, 900, 9});
       blit(b, t.image, t.image, {INT32_MIN, INT32_MIN, 0}, {INT32_MAX, INT32_MAX, 1});
       blit(b, t.image, t.image, {0, 0, 0}, {0, 0, 0});
       blit(b, t.image, t.image, {0, 0, 0}, {8, 8, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 5, 7, 3});
       blit(b, t.image, t.blocks, {0, 0, 0}, {8, 8, 1});
       blit(b, t.blocks, t.image, {0, 0, 0}, {8, 8, 1});
     }},
    {"ResolvesBeyond",
     [](Things& t, VkCommandBuffer b) {
       const VkImageResolve r{kColor, {4, 4, 0}, kColor, {-9, 90, 0}, {90, 90, 1}};
       vkCmdResolveImage(b, t.image, kGeneral, t.image, kGeneral, 1, &r);
     }},
    {"ClearsBeyond",
     [](Things& t, VkCommandBuffer b) {
       const VkClearColorValue clear{};
       const VkClearDepthStencilValue depth{};
       const VkImageSubresourceRange ranges[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 1, 9, 1, 9},
                                                 {VK_IMAGE_ASPECT_COLOR_BIT, 9, 1, 9, 1},
                                                 {VK_IMAGE_ASPECT_COLOR_BIT, UINT32_MAX, 2, UINT32_MAX, 2},
                                                 {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}};
       vkCmdClearColorImage(b, t.image, kGeneral, &clear, 4, ranges);
       vkCmdClearDepthStencilImage(b, t.image, kGeneral, &depth, 4, ranges);
       vkCmdClearColorImage(b, t.c.depth.image.image, kGeneral, &clear, 4, ranges);
       vkCmdClearColorImage(b, t.blocks, kGeneral, &clear, 1, ranges);
     }},
    // Dispatches.
    {"DispatchWithoutPipeline", [](Things&, VkCommandBuffer b) { vkCmdDispatch(b, 1, 1, 1); }},
    {"DispatchWithoutSets",
     [](Things& t, VkCommandBuffer b) {
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"DispatchWithUnwrittenSets",
     [](Things& t, VkCommandBuffer b) {
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"DispatchWithANullSet",
     [](Things& t, VkCommandBuffer b) {
       const VkDescriptorSet none = VK_NULL_HANDLE;
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 1, &none, 0, nullptr);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"DispatchWithAnotherLayoutsSet",
     [](Things& t, VkCommandBuffer b) {
       const auto other = t.v.set_layout({{3, VK_DESCRIPTOR_TYPE_SAMPLER}});
       const auto set = t.v.set(other, {{3, VK_DESCRIPTOR_TYPE_SAMPLER}});
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 1, &set, 0, nullptr);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"SetsBeyondTheLayout",
     [](Things& t, VkCommandBuffer b) {
       const std::array<VkDescriptorSet, 3> sets{t.set, t.set, t.set};
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 0, 3, sets.data(), 0, nullptr);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, 1000, 3, sets.data(), 0, nullptr);
       vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.layout, UINT32_MAX, 1, sets.data(), 0, nullptr);
     }},
    {"BuffersWithoutMemoryInSets",
     [](Things& t, VkCommandBuffer b) {
       VulkanDevice::Buffer bare;
       bare.buffer = t.unbound;
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bare);
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"RangesBeyondTheBufferInSets",
     [](Things& t, VkCommandBuffer b) {
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small, kFar, VK_WHOLE_SIZE);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small, 0, kFar);
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatch(b, 1, 1, 1);
     }},
    {"UpdatesBeyondTheLayout",
     [](Things& t, VkCommandBuffer) {
       t.v.write(t.set, 9, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small, 0, VK_WHOLE_SIZE, 1000000);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_NULL_HANDLE, VK_NULL_HANDLE);
       t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_NULL_HANDLE, VK_NULL_HANDLE);
       VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
       write.dstSet = t.set;
       write.descriptorCount = 1;
       write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
       vkUpdateDescriptorSets(t.v.device, 1, &write, 0, nullptr);
       write.dstSet = VK_NULL_HANDLE;
       vkUpdateDescriptorSets(t.v.device, 1, &write, 0, nullptr);
       VkCopyDescriptorSet copied{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET};
       copied.srcSet = copied.dstSet = t.set;
       copied.dstBinding = 7;
       copied.descriptorCount = 100000;
       vkUpdateDescriptorSets(t.v.device, 0, nullptr, 1, &copied);
     }},
    {"IndirectBeyond",
     [](Things& t, VkCommandBuffer b) {
       vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
       bind_set(t, b, VK_PIPELINE_BIND_POINT_COMPUTE);
       vkCmdDispatchIndirect(b, t.small.buffer, 60);
       vkCmdDispatchIndirect(b, t.small.buffer, kFar);
       vkCmdDispatchIndirect(b, t.unbound, 0);
       vkCmdDispatchIndirect(b, VK_NULL_HANDLE, 0);
     }},
    {"PushConstantsBeyond",
     [](Things& t, VkCommandBuffer b) {
       const std::array<std::uint32_t, 256> words{};
       vkCmdPushConstants(b, t.layout, VK_SHADER_STAGE_COMPUTE_BIT, 128, sizeof words, words.data());
       vkCmdPushConstants(b, t.layout, VK_SHADER_STAGE_COMPUTE_BIT, UINT32_MAX - 3, 16, words.data());
     }},
    // Draws.
    {"DrawWithoutPipeline", [](Things& t, VkCommandBuffer b) { t.render(b, [&] { vkCmdDraw(b, 3, 1, 0, 0); }); }},
    {"DrawOutsideRendering",
     [](Things& t, VkCommandBuffer b) {
       bind(b, t.covering);
       vkCmdDraw(b, 3, 1, 0, 0);
     }},
    {"DrawWithoutBuffers",
     [](Things& t, VkCommandBuffer b) {
       t.render(b, [&] {
         bind(b, t.draw);
         vkCmdDraw(b, 3, 1, 0, 0);
         vkCmdDrawIndexed(b, 3, 1, 0, 0, 0);
       });
     }},
    {"DrawFromBuffersWithoutMemory",
     [](Things& t, VkCommandBuffer b) {
       const VkDeviceSize zero = 0;
       t.render(b, [&] {
         bind(b, t.draw);
         vkCmdBindVertexBuffers(b, 0, 1, &t.unbound, &zero);
         vkCmdBindIndexBuffer(b, t.unbound, 0, VK_INDEX_TYPE_UINT32);
         vkCmdDrawIndexed(b, 3, 1, 0, 0, 0);
         vkCmdDrawIndirect(b, t.unbound, 0, 1, 16);
       });
     }},
    {"DrawBeyondTheBuffers",
     [](Things& t, VkCommandBuffer b) {
       const std::array<VkDeviceSize, 2> offsets{kFar, 60};
       const std::array<VkBuffer, 2> buffers{t.small.buffer, t.small.buffer};
       t.render(b, [&] {
         bind(b, t.draw);
         vkCmdBindVertexBuffers(b, 0, 2, buffers.data(), offsets.data());
         vkCmdBindVertexBuffers(b, UINT32_MAX, 2, buffers.data(), offsets.data());
         vkCmdDraw(b, 3, 1, UINT32_MAX - 1, UINT32_MAX);
         vkCmdBindIndexBuffer(b, t.small.buffer, kFar, VK_INDEX_TYPE_UINT32);
         vkCmdDrawIndexed(b, 3, 1, UINT32_MAX - 1, INT32_MIN, 0);
         vkCmdBindIndexBuffer(b, t.small.buffer, 62, VK_INDEX_TYPE_UINT16);
         vkCmdDrawIndexed(b, 300, 1, 0, INT32_MAX, 0);
       });
     }},
    {"IndirectDrawsBeyond",
     [](Things& t, VkCommandBuffer b) {
       t.render(b, [&] {
         bind(b, t.covering);
         vkCmdDrawIndirect(b, t.small.buffer, 56, 4, 16);
         vkCmdDrawIndirect(b, t.small.buffer, kFar, 1, 16);
         vkCmdDrawIndirect(b, t.small.buffer, 0, UINT32_MAX, UINT32_MAX);
         vkCmdDrawIndirect(b, t.small.buffer, 0, 3, 0);
         vkCmdDrawIndexedIndirect(b, t.small.buffer, 0, 1, 20);
         vkCmdDrawIndirect(b, VK_NULL_HANDLE, 0, 1, 16);
       });
     }},
    {"ClearsOfAttachmentsBeyond",
     [](Things& t, VkCommandBuffer b) {
       t.render(b, [&] {
         const VkClearAttachment clears[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}},
                                             {VK_IMAGE_ASPECT_COLOR_BIT, 9, {}},
                                             {VK_IMAGE_ASPECT_STENCIL_BIT, 0, {}},
                                             {VK_IMAGE_ASPECT_DEPTH_BIT, 0, {}}};
         const VkClearRect rects[] = {{{{-5, -5}, {900, 900}}, 0, 9},
                                      {{{INT32_MAX, INT32_MAX}, {UINT32_MAX, UINT32_MAX}}, UINT32_MAX, 3},
                                      {{{2, 2}, {0, 0}}, 0, 0}};
         vkCmdClearAttachments(b, 4, clears, 3, rects);
       });
     }},
    {"StrangeDynamicState",
     [](Things& t, VkCommandBuffer b) {
       const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
       const VkViewport viewports[] = {{nan, nan, nan, nan, nan, nan},
                                       {0, 0, inf, inf, -inf, inf},
                                       {-1e38f, 1e38f, 1e38f, -1e38f, 5, -5},
                                       {0, 0, 0, 0, 0, 0}};
       const VkRect2D scissors[] = {{{INT32_MIN, INT32_MIN}, {UINT32_MAX, UINT32_MAX}},
                                    {{INT32_MAX, INT32_MAX}, {UINT32_MAX, UINT32_MAX}},
                                    {{-3, -3}, {2, 2}}};
       t.render(b, [&] {
         bind(b, t.dynamic);
         vkCmdDraw(b, 3, 1, 0, 0);  // nothing was set
         for (const VkViewport& v : viewports)
           for (const VkRect2D& s : scissors) {
             vkCmdSetViewport(b, 0, 1, &v);
             vkCmdSetScissor(b, 0, 1, &s);
             vkCmdSetLineWidth(b, nan);
             vkCmdSetDepthBias(b, nan, inf, -inf);
             vkCmdSetBlendConstants(b, std::array{nan, inf, -inf, 0.0f}.data());
             vkCmdDraw(b, 3, 1, 0, 0);
           }
         vkCmdSetViewport(b, 15, 3, viewports);
         vkCmdSetScissor(b, UINT32_MAX, 3, scissors);
       });
     }},
    {"RenderingBeyondTheAttachments",
     [](Things& t, VkCommandBuffer b) {
       t.c.width = t.c.height = 10000;
       t.render(b, [&] {
         bind(b, t.covering);
         vkCmdDraw(b, 3, 1, 0, 0);
       });
       t.c.width = t.c.height = 8;
     }},
    {"RenderingOfNothing",
     [](Things& t, VkCommandBuffer b) {
       VkRenderingAttachmentInfo none{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
       VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
       info.renderArea = {{-7, 3}, {UINT32_MAX, UINT32_MAX}};
       info.layerCount = 0;
       info.colorAttachmentCount = 1;
       info.pColorAttachments = &none;
       info.pDepthAttachment = &none;
       t.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRendering")(b, &info);
       bind(b, t.covering);
       vkCmdDraw(b, 3, 1, 0, 0);
       t.v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRendering")(b);
     }},
    {"EndsWithoutBeginnings",
     [](Things& t, VkCommandBuffer b) {
       t.v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRendering")(b);
       vkCmdEndRenderPass(b);
       vkCmdNextSubpass(b, VK_SUBPASS_CONTENTS_INLINE);
       vkCmdEndQuery(b, t.occlusion, 0);
     }},
    // Queries.
    {"QueriesBeyondTheirPool",
     [](Things& t, VkCommandBuffer b) {
       vkCmdResetQueryPool(b, t.occlusion, 1, 900);
       vkCmdResetQueryPool(b, t.occlusion, UINT32_MAX, 2);
       vkCmdBeginQuery(b, t.occlusion, 9, 0);
       vkCmdEndQuery(b, t.occlusion, 9);
       vkCmdWriteTimestamp(b, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, t.times, 77);
       vkCmdCopyQueryPoolResults(b, t.occlusion, 0, 90, t.small.buffer, 0, 8, VK_QUERY_RESULT_64_BIT);
       vkCmdCopyQueryPoolResults(b, t.occlusion, 0, 2, t.small.buffer, 60, 8, VK_QUERY_RESULT_64_BIT);
       vkCmdCopyQueryPoolResults(b, t.occlusion, 0, 2, t.small.buffer, kFar, kFar, 0);
       vkCmdCopyQueryPoolResults(b, t.occlusion, UINT32_MAX, 2, t.unbound, 0, 8, 0);
       std::array<std::uint64_t, 4> words{};
       (void)vkGetQueryPoolResults(t.v.device, t.occlusion, 1, 50, sizeof words, words.data(), 8,
                                   VK_QUERY_RESULT_64_BIT);
       (void)vkGetQueryPoolResults(t.v.device, t.occlusion, UINT32_MAX, 2, sizeof words, words.data(), 8, 0);
       (void)vkGetQueryPoolResults(t.v.device, t.occlusion, 0, 2, 4, words.data(), 8, VK_QUERY_RESULT_64_BIT);
     }},
    // Command buffers and memory.
    {"NothingIsExecuted",
     [](Things& t, VkCommandBuffer b) {
       const VkCommandBuffer never = t.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY), none = VK_NULL_HANDLE;
       vkCmdExecuteCommands(b, 1, &never);
       vkCmdExecuteCommands(b, 1, &none);
       vkCmdExecuteCommands(b, 1, &b);
     }},
    {"CommandsThatNeverBegan",
     [](Things& t, VkCommandBuffer) {
       const VkCommandBuffer never = t.v.commands();
       VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
       info.commandBufferCount = 1;
       info.pCommandBuffers = &never;
       (void)vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE);
       (void)vkEndCommandBuffer(never);
       vkCmdDispatch(never, 1, 1, 1);
       (void)vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE);
       (void)vkQueueWaitIdle(t.v.queue);
     }},
    {"MapsBeyond",
     [](Things& t, VkCommandBuffer) {
       void* at = nullptr;
       VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, 4096, 0};
       VkDeviceMemory memory = VK_NULL_HANDLE;
       EXPECT_EQ(vkAllocateMemory(t.v.device, &info, nullptr, &memory), VK_SUCCESS);
       EXPECT_NE(vkMapMemory(t.v.device, memory, kFar, VK_WHOLE_SIZE, 0, &at), VK_SUCCESS);
       EXPECT_NE(vkMapMemory(t.v.device, memory, 0, kFar, 0, &at), VK_SUCCESS);
       vkUnmapMemory(t.v.device, memory);
       (void)vkBindBufferMemory(t.v.device, t.unbound, memory, kFar);
       (void)vkBindBufferMemory(t.v.device, t.unbound, VK_NULL_HANDLE, 0);
       (void)vkBindImageMemory(t.v.device, t.unbound_image, memory, kFar);
       const VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE, nullptr, memory, kFar, kFar};
       (void)vkFlushMappedMemoryRanges(t.v.device, 1, &range);
       info.memoryTypeIndex = 17;
       VkDeviceMemory other = VK_NULL_HANDLE;
       (void)vkAllocateMemory(t.v.device, &info, nullptr, &other);
       vkFreeMemory(t.v.device, other, nullptr);
       vkFreeMemory(t.v.device, memory, nullptr);
     }},
    {"ViewsBeyondTheImage",
     [](Things& t, VkCommandBuffer b) {
       VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
       info.image = t.image;
       info.viewType = VK_IMAGE_VIEW_TYPE_2D;
       info.format = VK_FORMAT_R8G8B8A8_UNORM;
       const VkImageSubresourceRange ranges[] = {
           {VK_IMAGE_ASPECT_COLOR_BIT, 5, 1, 0, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 9, 0, 1},
           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 7, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1, 9},
           {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 0, 0}, {VK_IMAGE_ASPECT_COLOR_BIT, UINT32_MAX, 2, UINT32_MAX, 2}};
       const VkSampler sampler = t.v.sampler(VK_FILTER_LINEAR);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       for (const VkImageViewType type : {VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE, VK_IMAGE_VIEW_TYPE_3D,
                                          VK_IMAGE_VIEW_TYPE_2D_ARRAY, VK_IMAGE_VIEW_TYPE_1D})
         for (const VkImageSubresourceRange& range : ranges) {
           info.viewType = type;
           info.subresourceRange = range;
           VkImageView view = VK_NULL_HANDLE;
           if (vkCreateImageView(t.v.device, &info, nullptr, &view) != VK_SUCCESS) continue;
           t.v.later([device = t.v.device, view] { vkDestroyImageView(device, view, nullptr); });
           t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
           const VkCommandBuffer own = t.v.commands();
           t.v.begin(own);
           vkCmdBindPipeline(own, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
           bind_set(t, own, VK_PIPELINE_BIND_POINT_COMPUTE);
           vkCmdDispatch(own, 1, 1, 1);
           (void)t.v.submit(own);
         }
       (void)b;
     }},
    {"ViewsOfOtherFormats",
     [](Things& t, VkCommandBuffer) {
       VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
       info.image = t.image;
       info.viewType = VK_IMAGE_VIEW_TYPE_2D;
       info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
       const VkSampler sampler = t.v.sampler(VK_FILTER_LINEAR);
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       for (const VkFormat format : {VK_FORMAT_UNDEFINED, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_BC7_UNORM_BLOCK,
                                     VK_FORMAT_D32_SFLOAT, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_FORMAT_MAX_ENUM}) {
         info.format = format;
         VkImageView view = VK_NULL_HANDLE;
         if (vkCreateImageView(t.v.device, &info, nullptr, &view) != VK_SUCCESS) continue;
         t.v.later([device = t.v.device, view] { vkDestroyImageView(device, view, nullptr); });
         t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
         const VkCommandBuffer own = t.v.commands();
         t.v.begin(own);
         vkCmdBindPipeline(own, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
         bind_set(t, own, VK_PIPELINE_BIND_POINT_COMPUTE);
         vkCmdDispatch(own, 1, 1, 1);
         (void)t.v.submit(own);
       }
     }},
    {"ResourcesOfNoSize",
     [](Things& t, VkCommandBuffer) {
       VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 0, 0);
       VkImage made = VK_NULL_HANDLE;
       const auto attempt = [&] {
         made = VK_NULL_HANDLE;
         if (vkCreateImage(t.v.device, &info, nullptr, &made) != VK_SUCCESS) return;
         VkMemoryRequirements needs;
         vkGetImageMemoryRequirements(t.v.device, made, &needs);
         vkDestroyImage(t.v.device, made, nullptr);
       };
       attempt();
       info.extent = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
       attempt();
       info.extent = {8, 8, 1};
       info.mipLevels = 99;
       attempt();
       info.mipLevels = info.arrayLayers = 0;
       attempt();
       info.mipLevels = 1;
       info.arrayLayers = UINT32_MAX;
       attempt();
       info.arrayLayers = 1;
       info.format = VK_FORMAT_MAX_ENUM;
       attempt();
       info.format = VK_FORMAT_R8G8B8A8_UNORM;
       info.samples = static_cast<VkSampleCountFlagBits>(3);
       attempt();
       for (const std::uint64_t size : {std::uint64_t{0}, kFar, UINT64_MAX}) {
         VkBufferCreateInfo buffer{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
         buffer.size = size;
         buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
         VkBuffer b = VK_NULL_HANDLE;
         if (vkCreateBuffer(t.v.device, &buffer, nullptr, &b) != VK_SUCCESS) continue;
         VkMemoryRequirements needs;
         vkGetBufferMemoryRequirements(t.v.device, b, &needs);
         vkDestroyBuffer(t.v.device, b, nullptr);
       }
     }},
    {"SamplersOfStrangeNumbers",
     [](Things& t, VkCommandBuffer) {
       const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
       t.v.write(t.set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, t.small);
       const VkImageView view =
           t.v.view(t.image, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 1});
       for (const float number : {nan, inf, -inf, 1e38f, -1e38f}) {
         VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
         info.magFilter = info.minFilter = VK_FILTER_LINEAR;
         info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
         info.minLod = info.maxLod = info.mipLodBias = info.maxAnisotropy = number;
         info.anisotropyEnable = VK_TRUE;
         VkSampler sampler = VK_NULL_HANDLE;
         ASSERT_EQ(vkCreateSampler(t.v.device, &info, nullptr, &sampler), VK_SUCCESS);
         t.v.later([device = t.v.device, sampler] { vkDestroySampler(device, sampler, nullptr); });
         t.v.write(t.set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
         const VkCommandBuffer own = t.v.commands();
         t.v.begin(own);
         vkCmdBindPipeline(own, VK_PIPELINE_BIND_POINT_COMPUTE, t.compute);
         bind_set(t, own, VK_PIPELINE_BIND_POINT_COMPUTE);
         vkCmdDispatch(own, 1, 1, 1);
         (void)t.v.submit(own);
       }
     }},
    {"PipelinesOfNothing",
     [](Things& t, VkCommandBuffer) {
       VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
       info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
       info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
       info.stage.pName = "main";
       info.layout = t.layout;
       VkPipeline made = VK_NULL_HANDLE;
       EXPECT_NE(vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
       info.stage.module = t.v.module("#version 450\nvoid main() {}\n", "comp");
       info.stage.pName = "another";
       EXPECT_NE(vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
       info.stage.pName = "main";
       info.layout = VK_NULL_HANDLE;
       (void)vkCreateComputePipelines(t.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made);
       vkDestroyPipeline(t.v.device, made, nullptr);
       VkGraphicsPipelineCreateInfo graphics{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
       VkPipelineShaderStageCreateInfo stage = info.stage;
       stage.stage = VK_SHADER_STAGE_VERTEX_BIT;
       graphics.stageCount = 1;
       graphics.pStages = &stage;
       graphics.layout = t.layout;
       made = VK_NULL_HANDLE;
       (void)vkCreateGraphicsPipelines(t.v.device, VK_NULL_HANDLE, 1, &graphics, nullptr, &made);
       vkDestroyPipeline(t.v.device, made, nullptr);
       graphics.stageCount = 0;
       made = VK_NULL_HANDLE;
       (void)vkCreateGraphicsPipelines(t.v.device, VK_NULL_HANDLE, 1, &graphics, nullptr, &made);
       vkDestroyPipeline(t.v.device, made, nullptr);
     }},
    {"NothingIsDestroyed",
     [](Things& t, VkCommandBuffer) {
       VkDevice d = t.v.device;
       vkDestroyBuffer(d, VK_NULL_HANDLE, nullptr);
       vkDestroyBufferView(d, VK_NULL_HANDLE, nullptr);
       vkDestroyCommandPool(d, VK_NULL_HANDLE, nullptr);
       vkDestroyDescriptorPool(d, VK_NULL_HANDLE, nullptr);
       vkDestroyDescriptorSetLayout(d, VK_NULL_HANDLE, nullptr);
       vkDestroyEvent(d, VK_NULL_HANDLE, nullptr);
       vkDestroyFence(d, VK_NULL_HANDLE, nullptr);
       vkDestroyFramebuffer(d, VK_NULL_HANDLE, nullptr);
       vkDestroyImage(d, VK_NULL_HANDLE, nullptr);
       vkDestroyImageView(d, VK_NULL_HANDLE, nullptr);
       vkDestroyPipeline(d, VK_NULL_HANDLE, nullptr);
       vkDestroyPipelineCache(d, VK_NULL_HANDLE, nullptr);
       vkDestroyPipelineLayout(d, VK_NULL_HANDLE, nullptr);
       vkDestroyQueryPool(d, VK_NULL_HANDLE, nullptr);
       vkDestroyRenderPass(d, VK_NULL_HANDLE, nullptr);
       vkDestroySampler(d, VK_NULL_HANDLE, nullptr);
       vkDestroySemaphore(d, VK_NULL_HANDLE, nullptr);
       vkDestroyShaderModule(d, VK_NULL_HANDLE, nullptr);
       vkFreeMemory(d, VK_NULL_HANDLE, nullptr);
       const VkCommandBuffer none = VK_NULL_HANDLE;
       vkFreeCommandBuffers(d, t.v.pool, 1, &none);
     }},
};

class VulkanMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(VulkanMistakes, DoNoHarm) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "mistakes are what the layer is for";
  Things t;
  t.v.expects_messages = true;
  (void)t.v.run([&](VkCommandBuffer b) { GetParam().make(t, b); });
  // What comes behind it is right.
  EXPECT_EQ(t.v.run([&](VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, 0, VK_WHOLE_SIZE, 5); }), VK_SUCCESS)
      << testing::PrintToString(t.v.messages);
  EXPECT_EQ(t.small.word(15), 5u);
  t.c.draw([&](VkCommandBuffer b) {
    bind(b, t.covering);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(t.c.pixels()[63], 0xffffffffu);
}

INSTANTIATE_TEST_SUITE_P(All, VulkanMistakes, testing::ValuesIn(kMistakes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
