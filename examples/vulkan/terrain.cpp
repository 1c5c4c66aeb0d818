// SPDX-License-Identifier: MIT
// A landscape of 256 patches that shaders divide by how large their edges are on the screen, and lift by a texture of
// heights. Writes a picture: the landscape, with the triangles that were made drawn over half of it, and beside it how
// often each texel of the heights was read.

// title: Vulkan: a landscape of patches
// about: A Vulkan program on the driver: a tessellation control shader gives each edge of 256 patches a level by its
// about: length on the screen, the tessellator divides them with fractional odd spacing, an evaluation shader lifts the
// about: vertices by a texture of 256 x 256 heights (left, with the triangles). Right: how often each texel of it was
// about: read by the vertices, the nearest rows below.

// usage: vulkan_terrain PICTURE.png
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "program.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

using namespace example;

namespace {

constexpr std::uint32_t kWidth = 768, kHeight = 512, kHeights = 256, kPatches = 16;
constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_UNORM, kDepth = VK_FORMAT_D32_SFLOAT;

using Vector = std::array<float, 3>;

/// What the shaders see of the camera.
struct View {
  std::array<float, 16> to_clip;  ///< columns
  Vector eye;
};

float dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector normalized(const Vector& a) {
  const float length = std::sqrt(dot(a, a));
  return {a[0] / length, a[1] / length, a[2] / length};
}

View look(const Vector& eye, const Vector& at) {
  const Vector forward = normalized({at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]});
  const Vector right = normalized(cross({0, 1, 0}, forward)), down = cross(right, forward);
  constexpr float kZoom = 1.6f, kNear = 0.01f, kFar = 4, kScale = kFar / (kFar - kNear);
  View view{{}, eye};
  const auto row = [&](std::size_t r, const Vector& axis, float scale, float offset) {
    for (std::size_t k = 0; k < 3; ++k) view.to_clip[4 * k + r] = axis[k] * scale;
    view.to_clip[12 + r] = -dot(axis, eye) * scale + offset;
  };
  row(0, right, kZoom * kHeight / kWidth, 0);
  row(1, down, kZoom, 0);
  row(2, forward, kScale, -kNear * kScale);
  row(3, forward, 1, 0);
  return view;
}

/// A number from 0 to 1 for each point of a lattice that repeats.
float lattice(std::uint32_t x, std::uint32_t y, std::uint32_t octave) {
  std::uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ octave * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return static_cast<float>((h ^ h >> 15) & 0xffffff) / 0xffffff;
}

/// Ridges of several octaves.
float height_at(float u, float v) {
  float sum = 0, weight = 0.5f;
  for (std::uint32_t octave = 0; octave < 6; ++octave, weight /= 2) {
    const float scale = static_cast<float>(3u << octave), x = u * scale, y = v * scale;
    const auto i = static_cast<std::uint32_t>(x), j = static_cast<std::uint32_t>(y);
    const auto ease = [](float t) { return t * t * (3 - 2 * t); };
    const float s = ease(x - static_cast<float>(i)), t = ease(y - static_cast<float>(j));
    const float above = lattice(i, j, octave) * (1 - s) + lattice(i + 1, j, octave) * s,
                below = lattice(i, j + 1, octave) * (1 - s) + lattice(i + 1, j + 1, octave) * s;
    sum += weight * (1 - std::abs(2 * (above * (1 - t) + below * t) - 1));
  }
  return std::clamp(sum * sum * 1.25f, 0.0f, 1.0f);
}

class Terrain {
 public:
  void open();
  void draw(const View& view) const;
  [[nodiscard]] const std::uint8_t* picture() const { return picture_.bytes; }
  [[nodiscard]] std::vector<std::uint32_t> counts() const {
    std::vector<std::uint32_t> all(std::size_t{kHeights} * kHeights);
    std::memcpy(all.data(), counts_.bytes, all.size() * 4);
    return all;
  }

 private:
  void make_heights();
  void make_descriptors();
  [[nodiscard]] VkPipeline make_pipeline(bool lines) const;

  Program p_;
  Image heights_, color_, depth_;
  Buffer upload_, picture_, counts_;
  VkSampler sampler_{};
  VkPipelineLayout layout_{};
  VkDescriptorSet set_{};
  VkPipeline filled_{}, lines_{};
};

constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
                                       VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

void Terrain::open() {
  VkPhysicalDeviceVulkan13Features newer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  newer.dynamicRendering = VK_TRUE;
  Wishes wishes;
  wishes.version = VK_API_VERSION_1_3;
  wishes.queue = VK_QUEUE_GRAPHICS_BIT;
  wishes.features.tessellationShader = VK_TRUE;
  wishes.features.fillModeNonSolid = VK_TRUE;
  wishes.features.vertexPipelineStoresAndAtomics = VK_TRUE;
  wishes.next = &newer;
  p_.open(wishes);
  picture_ = p_.make_buffer(std::size_t{kWidth} * kHeight * 4);
  upload_ = p_.make_buffer(std::size_t{kHeights} * kHeights * 4);
  counts_ = p_.make_buffer(std::size_t{kHeights} * kHeights * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  color_ = p_.make_image(kColor, kWidth, kHeight, 1, 1, VK_IMAGE_VIEW_TYPE_2D,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  depth_ =
      p_.make_image(kDepth, kWidth, kHeight, 1, 1, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
  make_heights();
  make_descriptors();
  filled_ = make_pipeline(false);
  lines_ = make_pipeline(true);
}

void Terrain::make_heights() {
  heights_ = p_.make_image(VK_FORMAT_R32_SFLOAT, kHeights, kHeights, 1, 1, VK_IMAGE_VIEW_TYPE_2D,
                           VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  for (std::uint32_t y = 0; y < kHeights; ++y)
    for (std::uint32_t x = 0; x < kHeights; ++x) {
      const float height =
          height_at((static_cast<float>(x) + 0.5f) / kHeights, (static_cast<float>(y) + 0.5f) / kHeights);
      std::memcpy(upload_.bytes + 4 * (std::size_t{y} * kHeights + x), &height, 4);
    }
  p_.begin();
  p_.change_layout(heights_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {kHeights, kHeights, 1};
  vkCmdCopyBufferToImage(p_.commands, upload_.buffer, heights_.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
  p_.change_layout(heights_, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT,
                   VK_ACCESS_SHADER_READ_BIT);
  p_.run();
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  check(vkCreateSampler(p_.device, &info, nullptr, &sampler_), "vkCreateSampler");
}

void Terrain::make_descriptors() {
  constexpr std::array<VkDescriptorType, 2> kTypes{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                   VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  std::array<VkDescriptorSetLayoutBinding, 2> slots{};
  std::array<VkDescriptorPoolSize, 2> sizes{};
  for (std::uint32_t k = 0; k < 2; ++k) {
    slots[k] = {k, kTypes[k], 1, kStages, nullptr};
    sizes[k] = {kTypes[k], 1};
  }
  VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set_info.bindingCount = slots.size();
  set_info.pBindings = slots.data();
  VkDescriptorSetLayout set_layout{};
  check(vkCreateDescriptorSetLayout(p_.device, &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange push{kStages, 0, sizeof(View)};
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push;
  check(vkCreatePipelineLayout(p_.device, &layout_info, nullptr, &layout_), "vkCreatePipelineLayout");
  VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = sizes.size();
  pool_info.pPoolSizes = sizes.data();
  VkDescriptorPool pool{};
  check(vkCreateDescriptorPool(p_.device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
  const VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 1,
                                             &set_layout};
  check(vkAllocateDescriptorSets(p_.device, &allocate, &set_), "vkAllocateDescriptorSets");
  const VkDescriptorImageInfo image{sampler_, heights_.view, VK_IMAGE_LAYOUT_GENERAL};
  const VkDescriptorBufferInfo buffer{counts_.buffer, 0, VK_WHOLE_SIZE};
  for (std::uint32_t k = 0; k < 2; ++k) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set_;
    write.dstBinding = k;
    write.descriptorCount = 1;
    write.descriptorType = kTypes[k];
    write.pImageInfo = &image;
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(p_.device, 1, &write, 0, nullptr);
  }
}

/// The landscape, or the edges of its triangles.
VkPipeline Terrain::make_pipeline(bool lines) const {
  const VkBool32 constant = lines ? VK_TRUE : VK_FALSE;
  const VkSpecializationMapEntry entry{0, 0, sizeof constant};
  const VkSpecializationInfo constants{1, &entry, sizeof constant, &constant};
  constexpr std::array<std::pair<VkShaderStageFlagBits, const char*>, 4> kShaders{
      {{VK_SHADER_STAGE_VERTEX_BIT, "terrain.vert"},
       {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "terrain.tesc"},
       {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "terrain.tese"},
       {VK_SHADER_STAGE_FRAGMENT_BIT, "terrain.frag"}}};
  std::array<VkPipelineShaderStageCreateInfo, 4> stages{};
  for (std::size_t k = 0; k < stages.size(); ++k) {
    stages[k].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[k].stage = kShaders[k].first;
    stages[k].module = p_.load_shader(kShaders[k].second);
    stages[k].pName = "main";
    if (kShaders[k].first == VK_SHADER_STAGE_FRAGMENT_BIT) stages[k].pSpecializationInfo = &constants;
  }
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  VkPipelineTessellationStateCreateInfo patches{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  patches.patchControlPoints = 4;
  const VkViewport viewport{0, 0, kWidth, kHeight, 0, 1};
  const VkRect2D scissor{{0, 0}, {lines ? kWidth / 2 : kWidth, kHeight}};
  VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  view.viewportCount = view.scissorCount = 1;
  view.pViewports = &viewport;
  view.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  raster.polygonMode = lines ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_FILL;
  raster.depthBiasEnable = lines ? VK_TRUE : VK_FALSE;  // edges lie in front of what they bound
  raster.depthBiasConstantFactor = -16;
  raster.depthBiasSlopeFactor = -1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = lines ? VK_FALSE : VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  VkPipelineColorBlendAttachmentState target{};
  target.colorWriteMask = 0xf;
  target.blendEnable = lines ? VK_TRUE : VK_FALSE;
  target.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  target.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  target.dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &target;
  VkPipelineRenderingCreateInfo targets{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  targets.colorAttachmentCount = 1;
  targets.pColorAttachmentFormats = &kColor;
  targets.depthAttachmentFormat = kDepth;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &targets};
  info.stageCount = stages.size();
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pTessellationState = &patches;
  info.pViewportState = &view;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.layout = layout_;
  VkPipeline pipeline{};
  check(vkCreateGraphicsPipelines(p_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
        "vkCreateGraphicsPipelines");
  return pipeline;
}

void Terrain::draw(const View& seen) const {
  std::memset(counts_.bytes, 0, std::size_t{kHeights} * kHeights * 4);
  p_.begin();
  p_.change_layout(color_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
  p_.change_layout(depth_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0,
                   VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = color_.view;
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  color.clearValue.color = {{0.7f, 0.8f, 0.9f, 1}};
  VkRenderingAttachmentInfo depth = color;
  depth.imageView = depth_.view;
  depth.clearValue.depthStencil = {1, 0};
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {kWidth, kHeight}};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  info.pDepthAttachment = &depth;
  vkCmdBeginRendering(p_.commands, &info);
  vkCmdBindDescriptorSets(p_.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(p_.commands, layout_, kStages, 0, sizeof(View), &seen);
  for (const VkPipeline pipeline : {filled_, lines_}) {
    vkCmdBindPipeline(p_.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(p_.commands, kPatches * kPatches * 4, 1, 0, 0);
  }
  vkCmdEndRendering(p_.commands);
  p_.change_layout(color_, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                   VK_ACCESS_TRANSFER_READ_BIT);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {kWidth, kHeight, 1};
  vkCmdCopyImageToBuffer(p_.commands, color_.image, VK_IMAGE_LAYOUT_GENERAL, picture_.buffer, 1, &copy);
  p_.run();
}

/// From black by violet and orange to white, as the logarithm of the count rises.
std::array<std::uint8_t, 3> heat(std::uint32_t count, std::uint32_t most) {
  const double t = count == 0 ? 0 : (1 + std::log2(count)) / (1 + std::log2(std::max(2u, most)));
  const auto channel = [&](double begin, double end) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp((t - begin) / (end - begin), 0.0, 1.0)));
  };
  return {channel(0.1, 0.6), channel(0.45, 0.95),
          static_cast<std::uint8_t>(t < 0.5 ? channel(0, 0.9) : channel(0.1, 1))};
}

void write_picture(const char* path, const Terrain& terrain) {
  constexpr std::uint32_t kMap = 2 * kHeights, kAcross = kWidth + kMap + 48, kDown = kHeight + 32;
  std::vector<std::uint8_t> bytes(std::size_t{kAcross} * kDown * 4, 255);
  const auto at = [&](std::uint32_t x, std::uint32_t y) { return &bytes[(std::size_t{y} * kAcross + x) * 4]; };
  for (std::uint32_t y = 0; y < kHeight; ++y)
    std::memcpy(at(16, y + 16), terrain.picture() + std::size_t{y} * kWidth * 4, std::size_t{kWidth} * 4);
  const std::vector<std::uint32_t> counts = terrain.counts();
  const std::uint32_t most = *std::ranges::max_element(counts);
  for (std::uint32_t y = 0; y < kMap; ++y)
    for (std::uint32_t x = 0; x < kMap; ++x)  // the nearest rows lie below
      std::ranges::copy(heat(counts[std::size_t{kHeights - 1 - y / 2} * kHeights + x / 2], most),
                        at(kWidth + 32 + x, y + 16));
  if (stbi_write_png(path, kAcross, kDown, 4, bytes.data(), kAcross * 4) == 0)
    fail(std::string("cannot write ") + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: vulkan_terrain PICTURE.png\n");
    return 2;
  }
  Terrain terrain;
  terrain.open();
  terrain.draw(look({0.5f, 0.3f, -0.25f}, {0.52f, 0.05f, 0.45f}));
  std::uint64_t reads = 0;
  std::size_t texels = 0;
  for (const std::uint32_t count : terrain.counts()) {
    reads += count;
    texels += count != 0 ? 1 : 0;
  }
  if (reads == 0) fail("no vertex was made");
  std::printf("%llu vertices (with their lines) read %zu of %u texels\n", static_cast<unsigned long long>(reads / 4),
              texels, kHeights * kHeights);
  write_picture(argv[1], terrain);
  return 0;
}
