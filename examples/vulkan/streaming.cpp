// SPDX-License-Identifier: MIT
// Streaming of a texture's tiles by footprints, as a program for an NVIDIA card would do it. For each frame of a walk
// through a town, the first pass marks the tiles of one large texture that its pixels would read, the second loads
// those that are not there yet, the third draws. Where the device has sparse textures, only the pages of loaded tiles
// have memory. Writes a picture: the last frame, beside it the levels of the texture with the tiles that were loaded,
// and below what the first pass shows.

// title: Vulkan: texture streaming by footprints
// about: A Vulkan program on the driver. The first pass marks the 64 x 64 tiles of a 4096 x 4096 texture that the
// about: pixels would read (textureFootprintNV, 8x anisotropic; below: hues are levels, squares are tiles), the second
// about: loads the marked tiles that are not there yet, the third draws with them. Right: the texture's levels after
// about: four frames; gray tiles were never needed, the color of a tile's border says in which frame it came. The
// texture about: is sparse: light green tiles lie in pages of 128 x 128 texels that have memory, gray ones have none.

// usage: vulkan_streaming PICTURE.png [--check] [--trilinear]     (--check: draws again with every tile, which must
// change no pixel; --trilinear: without anisotropy)
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "sparse_texture.hpp"
#include "town.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

using namespace example;

namespace {

constexpr std::uint32_t kWidth = 720, kHeight = 405, kFrames = 4;
constexpr std::uint32_t kMarks = kTexture / kTile / 8;  // squares of 8 x 8 tiles in a row of level 0: 64 bits each
constexpr VkFormat kColor = VK_FORMAT_R8G8B8A8_UNORM, kDepth = VK_FORMAT_D32_SFLOAT;

using Matrix = std::array<float, 16>;  // columns

struct Tile {
  std::uint32_t level, x, y;
};

/// What is seen from the eye that looks at a point: x to the right, y down, depth 0 to 1.
Matrix camera(const std::array<float, 3>& eye, const std::array<float, 3>& at) {
  std::array<float, 3> forward{at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]};
  const float length = std::sqrt(forward[0] * forward[0] + forward[1] * forward[1] + forward[2] * forward[2]);
  for (float& f : forward) f /= length;
  const float flat = std::sqrt(forward[0] * forward[0] + forward[2] * forward[2]);
  const std::array<float, 3> right{-forward[2] / flat, 0, forward[0] / flat};
  const std::array<float, 3> down{right[2] * forward[1], right[0] * forward[2] - right[2] * forward[0],
                                  -right[0] * forward[1]};
  const float zoom = 1.5f, near = 0.1f, far = 100, scale = far / (far - near);
  const auto distance = [&](const std::array<float, 3>& axis) {
    return -(axis[0] * eye[0] + axis[1] * eye[1] + axis[2] * eye[2]);
  };
  Matrix m{};
  for (std::size_t k = 0; k < 3; ++k) {
    m[4 * k] = right[k] * zoom * kHeight / kWidth;
    m[4 * k + 1] = down[k] * zoom;
    m[4 * k + 2] = forward[k] * scale;
    m[4 * k + 3] = forward[k];
  }
  m[12] = distance(right) * zoom * kHeight / kWidth;
  m[13] = distance(down) * zoom;
  m[14] = distance(forward) * scale - near * scale;
  m[15] = distance(forward);
  return m;
}

/// One step of the walk.
Matrix camera_of_frame(std::uint32_t frame) {
  const float t = static_cast<float>(frame) / (kFrames - 1);
  return camera({0.9f - 1.4f * t, 1.7f + 1.6f * t, 21 - 11 * t}, {-1.5f + 4 * t, 1.8f - 0.3f * t, 4 - 5 * t});
}

class Streaming {
 public:
  void open(bool anisotropic);
  std::vector<Tile> mark(const Matrix& to_clip);  ///< first pass: the tiles that the frame needs
  void load(const std::vector<Tile>& tiles);      ///< second pass
  void draw(const Matrix& to_clip);               ///< third pass

  /// Whether the texels of a tile have memory.
  bool is_resident(const Tile& t) const { return !sparse_ || pages_.is_resident(t.level, t.x * kTile, t.y * kTile); }
  void tell_memory() const;

  std::vector<std::uint8_t> seen() const { return {picture_.bytes, picture_.bytes + kWidth * kHeight * 4}; }

 private:
  void make_images();
  void make_sampler(bool anisotropic);
  void make_descriptors();
  void clear_texture();
  [[nodiscard]] VkPipeline make_pipeline(const char* fragment, VkCompareOp compare) const;
  void begin_pass(const Matrix& to_clip, const VkClearColorValue& sky, bool keep_depth) const;
  void draw_with(VkPipeline pipeline) const;
  void read_picture() const;

  Program p_;
  Image texture_, marks_, color_, depth_;
  bool sparse_ = false;
  SparseTexture pages_;  ///< whose image is `texture_` where the device has such textures
  Buffer vertices_, picture_, bits_, upload_;
  std::uint32_t vertex_count_ = 0;
  VkSampler sampler_{};
  VkPipelineLayout layout_{};
  VkDescriptorSetLayout set_layout_{};
  VkDescriptorSet set_{};
  VkPipeline depths_{}, mark_{}, draw_{};
};

void Streaming::open(bool anisotropic) {
  VkPhysicalDeviceVulkan13Features newer{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  newer.dynamicRendering = VK_TRUE;
  Wishes wishes;
  wishes.version = VK_API_VERSION_1_3;
  wishes.queue = VK_QUEUE_GRAPHICS_BIT;
  wishes.features.samplerAnisotropy = VK_TRUE;
  wishes.features.fragmentStoresAndAtomics = VK_TRUE;
  wishes.next = &newer;
  wishes.when_there.sparseBinding = wishes.when_there.sparseResidencyImage2D = VK_TRUE;
  p_.open(wishes);
  const std::vector<Vertex> town = build_town();
  vertex_count_ = static_cast<std::uint32_t>(town.size());
  vertices_ = p_.make_buffer(town.size() * sizeof(Vertex), VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::memcpy(vertices_.bytes, town.data(), town.size() * sizeof(Vertex));
  picture_ = p_.make_buffer(kWidth * kHeight * 4);
  bits_ = p_.make_buffer(kMarks * kMarks * kLevels * 8);
  upload_ = p_.make_buffer(std::size_t{512} * kTile * kTile * 4);
  make_images();
  make_sampler(anisotropic);
  make_descriptors();
  depths_ = make_pipeline(nullptr, VK_COMPARE_OP_LESS);
  mark_ = make_pipeline("streaming-mark.frag", VK_COMPARE_OP_EQUAL);
  draw_ = make_pipeline("streaming-draw.frag", VK_COMPARE_OP_EQUAL);
  clear_texture();
}

void Streaming::make_images() {
  constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  sparse_ = SparseTexture::is_possible(p_, kColor);
  if (sparse_) pages_.open(p_, kColor, kTexture, kLevels, kUsage);
  texture_ =
      sparse_ ? pages_.image() : p_.make_image(kColor, kTexture, kTexture, kLevels, 1, VK_IMAGE_VIEW_TYPE_2D, kUsage);
  marks_ =
      p_.make_image(VK_FORMAT_R32_UINT, 2 * kMarks, kMarks, 1, kLevels, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                    VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  color_ = p_.make_image(kColor, kWidth, kHeight, 1, 1, VK_IMAGE_VIEW_TYPE_2D,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT);
  depth_ =
      p_.make_image(kDepth, kWidth, kHeight, 1, 1, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
}

void Streaming::make_sampler(bool anisotropic) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(p_.physical, &properties);
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  info.magFilter = info.minFilter = VK_FILTER_LINEAR;
  info.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.anisotropyEnable = anisotropic ? VK_TRUE : VK_FALSE;
  info.maxAnisotropy = std::min(8.0f, properties.limits.maxSamplerAnisotropy);
  info.maxLod = VK_LOD_CLAMP_NONE;
  check(vkCreateSampler(p_.device, &info, nullptr, &sampler_), "vkCreateSampler");
}

void Streaming::make_descriptors() {
  constexpr std::array<VkDescriptorType, 2> kTypes{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                   VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};
  std::array<VkDescriptorSetLayoutBinding, 2> slots{};
  std::array<VkDescriptorPoolSize, 2> sizes{};
  for (std::uint32_t k = 0; k < 2; ++k) {
    slots[k] = {k, kTypes[k], 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr};
    sizes[k] = {kTypes[k], 1};
  }
  VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set_info.bindingCount = slots.size();
  set_info.pBindings = slots.data();
  check(vkCreateDescriptorSetLayout(p_.device, &set_info, nullptr, &set_layout_), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange push{VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(Matrix)};
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout_;
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
                                             &set_layout_};
  check(vkAllocateDescriptorSets(p_.device, &allocate, &set_), "vkAllocateDescriptorSets");
  const std::array<VkDescriptorImageInfo, 2> images{
      {{sampler_, texture_.view, VK_IMAGE_LAYOUT_GENERAL}, {VK_NULL_HANDLE, marks_.view, VK_IMAGE_LAYOUT_GENERAL}}};
  for (std::uint32_t k = 0; k < 2; ++k) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set_;
    write.dstBinding = k;
    write.descriptorCount = 1;
    write.descriptorType = kTypes[k];
    write.pImageInfo = &images[k];
    vkUpdateDescriptorSets(p_.device, 1, &write, 0, nullptr);
  }
}

/// The town seen with a fragment shader, or its depths alone.
VkPipeline Streaming::make_pipeline(const char* fragment, VkCompareOp compare) const {
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{};
  for (std::uint32_t k = 0; k < (fragment != nullptr ? 2u : 1u); ++k) {
    stages[k].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    stages[k].stage = k == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
    stages[k].module = p_.load_shader(k == 0 ? "streaming.vert" : fragment);
    stages[k].pName = "main";
  }
  const VkVertexInputBindingDescription binding{0, sizeof(Vertex), VK_VERTEX_INPUT_RATE_VERTEX};
  const std::array<VkVertexInputAttributeDescription, 2> attributes{
      {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, position)},
       {1, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Vertex, coordinate)}}};
  VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  input.vertexBindingDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = attributes.size();
  input.pVertexAttributeDescriptions = attributes.data();
  VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, kWidth, kHeight, 0, 1};
  const VkRect2D scissor{{0, 0}, {kWidth, kHeight}};
  VkPipelineViewportStateCreateInfo view{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
  view.viewportCount = view.scissorCount = 1;
  view.pViewports = &viewport;
  view.pScissors = &scissor;
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = fragment == nullptr ? VK_TRUE : VK_FALSE;
  depth.depthCompareOp = compare;
  VkPipelineColorBlendAttachmentState target{};
  target.colorWriteMask = fragment == nullptr ? 0 : 0xf;
  VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
  blend.attachmentCount = 1;
  blend.pAttachments = &target;
  VkPipelineRenderingCreateInfo targets{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  targets.colorAttachmentCount = 1;
  targets.pColorAttachmentFormats = &kColor;
  targets.depthAttachmentFormat = kDepth;
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &targets};
  info.stageCount = fragment != nullptr ? 2 : 1;
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
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

/// No tile is there: every texel is magenta, without alpha. What has no memory stays black, without alpha.
void Streaming::clear_texture() {
  p_.begin();
  p_.change_layout(texture_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
  p_.change_layout(marks_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
  const VkClearColorValue magenta{{1, 0, 1, 0}};
  const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, kLevels, 0, 1};
  vkCmdClearColorImage(p_.commands, texture_.image, VK_IMAGE_LAYOUT_GENERAL, &magenta, 1, &whole);
  p_.run();
}

void Streaming::begin_pass(const Matrix& to_clip, const VkClearColorValue& sky, bool keep_depth) const {
  p_.change_layout(color_, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_READ_BIT,
                   VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
  p_.change_layout(depth_, keep_depth ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL,
                   VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                   VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                   VK_IMAGE_ASPECT_DEPTH_BIT);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = color_.view;
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  color.clearValue.color = sky;
  VkRenderingAttachmentInfo depth = color;
  depth.imageView = depth_.view;
  depth.loadOp = keep_depth ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth.clearValue.depthStencil = {1, 0};
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {kWidth, kHeight}};
  info.layerCount = 1;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  info.pDepthAttachment = &depth;
  vkCmdBeginRendering(p_.commands, &info);
  vkCmdBindDescriptorSets(p_.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(p_.commands, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof(Matrix), to_clip.data());
  const VkDeviceSize zero = 0;
  vkCmdBindVertexBuffers(p_.commands, 0, 1, &vertices_.buffer, &zero);
}

void Streaming::draw_with(VkPipeline pipeline) const {
  vkCmdBindPipeline(p_.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdDraw(p_.commands, vertex_count_, 1, 0, 0);
}

void Streaming::read_picture() const {
  p_.change_layout(color_, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                   VK_ACCESS_TRANSFER_READ_BIT);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {kWidth, kHeight, 1};
  vkCmdCopyImageToBuffer(p_.commands, color_.image, VK_IMAGE_LAYOUT_GENERAL, picture_.buffer, 1, &copy);
}

std::vector<Tile> Streaming::mark(const Matrix& to_clip) {
  p_.begin();
  const VkClearColorValue zero{};
  const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, kLevels};
  vkCmdClearColorImage(p_.commands, marks_.image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &whole);
  p_.change_layout(marks_, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT,
                   VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  begin_pass(to_clip, {{0.16f, 0.17f, 0.2f, 1}}, false);
  draw_with(depths_);
  draw_with(mark_);  // what is hidden marks nothing
  vkCmdEndRendering(p_.commands);
  read_picture();
  p_.change_layout(marks_, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_SHADER_WRITE_BIT,
                   VK_ACCESS_TRANSFER_READ_BIT);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, kLevels};
  copy.imageExtent = {2 * kMarks, kMarks, 1};
  vkCmdCopyImageToBuffer(p_.commands, marks_.image, VK_IMAGE_LAYOUT_GENERAL, bits_.buffer, 1, &copy);
  p_.run();
  std::vector<Tile> tiles;
  for (std::uint32_t level = 0; level < kLevels; ++level)
    for (std::uint32_t y = 0; y < tiles_across(level); ++y)
      for (std::uint32_t x = 0; x < tiles_across(level); ++x) {
        std::uint64_t word = 0;
        std::memcpy(&word, bits_.bytes + 8 * ((std::size_t{level} * kMarks + y / 8) * kMarks + x / 8), 8);
        if ((word >> (y % 8 * 8 + x % 8) & 1) != 0) tiles.push_back({level, x, y});
      }
  return tiles;
}

void Streaming::load(const std::vector<Tile>& tiles) {
  constexpr std::size_t kBytes = std::size_t{kTile} * kTile * 4, kAtOnce = 512;
  if (sparse_) {
    for (const Tile& t : tiles) pages_.want(t.level, t.x * kTile, t.y * kTile);
    pages_.bind();
  }
  for (std::size_t first = 0; first < tiles.size(); first += kAtOnce) {
    std::vector<VkBufferImageCopy> copies;
    for (std::size_t k = first; k < std::min(tiles.size(), first + kAtOnce); ++k) {
      const Tile& tile = tiles[k];
      VkBufferImageCopy copy{};
      copy.bufferOffset = copies.size() * kBytes;
      copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, tile.level, 0, 1};
      copy.imageOffset = {static_cast<std::int32_t>(tile.x * kTile), static_cast<std::int32_t>(tile.y * kTile), 0};
      copy.imageExtent = {tile_edge(tile.level), tile_edge(tile.level), 1};
      read_tile(tile.level, tile.x, tile.y, upload_.bytes + copy.bufferOffset);
      copies.push_back(copy);
    }
    p_.begin();
    p_.change_layout(texture_, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_SHADER_READ_BIT,
                     VK_ACCESS_TRANSFER_WRITE_BIT);
    vkCmdCopyBufferToImage(p_.commands, upload_.buffer, texture_.image, VK_IMAGE_LAYOUT_GENERAL,
                           static_cast<std::uint32_t>(copies.size()), copies.data());
    p_.change_layout(texture_, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT,
                     VK_ACCESS_SHADER_READ_BIT);
    p_.run();
  }
}

void Streaming::tell_memory() const {
  if (!sparse_) return;
  std::printf("memory: %zu of %zu pages of 64 KiB, %.1f of %.1f MiB\n", pages_.bound(), pages_.total(),
              static_cast<double>(pages_.bound()) / 16, static_cast<double>(pages_.total()) / 16);
}

void Streaming::draw(const Matrix& to_clip) {
  p_.begin();
  begin_pass(to_clip, {{0.62f, 0.74f, 0.86f, 1}}, true);
  draw_with(draw_);
  vkCmdEndRendering(p_.commands);
  read_picture();
  p_.run();
}

/// In which frame each tile was loaded, 0 for those that were not.
class Ledger {
 public:
  Ledger() {
    for (std::uint32_t level = 0; level < kLevels; ++level)
      frames_.emplace_back(std::size_t{tiles_across(level)} * tiles_across(level), 0);
  }
  std::uint8_t& of(const Tile& t) { return frames_[t.level][std::size_t{t.y} * tiles_across(t.level) + t.x]; }
  /// Those of `wanted` that are not there, which come in this frame.
  std::vector<Tile> add(const std::vector<Tile>& wanted, std::uint32_t frame) {
    std::vector<Tile> fresh;
    for (const Tile& t : wanted)
      if (std::uint8_t& of_tile = of(t); of_tile == 0) {
        of_tile = static_cast<std::uint8_t>(frame);
        fresh.push_back(t);
      }
    return fresh;
  }
  [[nodiscard]] std::vector<Tile> missing() const {
    std::vector<Tile> tiles;
    for (std::uint32_t level = 0; level < kLevels; ++level)
      for (std::size_t k = 0; k < frames_[level].size(); ++k)
        if (frames_[level][k] == 0)
          tiles.push_back({level, static_cast<std::uint32_t>(k) % tiles_across(level),
                           static_cast<std::uint32_t>(k) / tiles_across(level)});
    return tiles;
  }
  [[nodiscard]] std::size_t total() const {
    std::size_t sum = 0;
    for (const auto& level : frames_) sum += level.size();
    return sum;
  }

 private:
  std::vector<std::vector<std::uint8_t>> frames_;
};

struct Canvas {
  static constexpr std::uint32_t kAcross = kWidth + 512 + 48, kDown = 2 * kHeight + 48;
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(std::size_t{kAcross} * kDown * 4, 255);

  void dot(std::uint32_t x, std::uint32_t y, const std::array<std::uint8_t, 3>& color) {
    std::copy(color.begin(), color.end(), &bytes[(std::size_t{y} * kAcross + x) * 4]);
  }
  void put(std::uint32_t left, std::uint32_t top, const std::vector<std::uint8_t>& picture) {
    for (std::uint32_t y = 0; y < kHeight; ++y)
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        const std::uint8_t* at = &picture[(std::size_t{y} * kWidth + x) * 4];
        dot(left + x, top + y, {at[0], at[1], at[2]});
      }
  }
  /// A level, 8 pixels for a tile: its texels where it is loaded, in a frame whose color says when.
  void put(std::uint32_t left, std::uint32_t top, std::uint32_t level, Ledger& ledger, const Streaming& town) {
    constexpr std::array<std::array<std::uint8_t, 3>, kFrames> kHues{
        {{40, 110, 200}, {30, 160, 90}, {225, 160, 20}, {205, 50, 45}}};
    constexpr std::array<std::uint8_t, 3> kGrid{205, 205, 205}, kAbsent{226, 226, 226}, kBound{200, 226, 200};
    for (std::uint32_t y = 0; y < 8 * tiles_across(level); ++y)
      for (std::uint32_t x = 0; x < 8 * tiles_across(level); ++x) {
        const std::uint8_t frame = ledger.of({level, x / 8, y / 8});
        const bool edge = x % 8 == 7 || y % 8 == 7;
        if (frame == 0)
          dot(left + x, top + y, edge ? kGrid : town.is_resident({level, x / 8, y / 8}) ? kBound : kAbsent);
        else  // a pixel is a texel of the level after the next two
          dot(left + x, top + y, edge ? kHues[frame - 1u] : texel_of_town(level + 3, x, y));
      }
  }
};

void write_picture(const char* path, const std::vector<std::uint8_t>& drawn, const std::vector<std::uint8_t>& marked,
                   Ledger& ledger, const Streaming& town) {
  Canvas canvas;
  canvas.put(16, 16, drawn);
  canvas.put(16, 32 + kHeight, marked);
  std::uint32_t left = kWidth + 32, top = 16;
  for (std::uint32_t level = 0; tiles_across(level) > 2; ++level) {
    canvas.put(left, top, level, ledger, town);
    if (level == 0)
      top += 512 + 16;
    else
      left += 8 * tiles_across(level) + 8;
  }
  if (stbi_write_png(path, Canvas::kAcross, Canvas::kDown, 4, canvas.bytes.data(), Canvas::kAcross * 4) == 0)
    fail(std::string("cannot write ") + path);
}

std::size_t without_tile(const std::vector<std::uint8_t>& picture) {
  std::size_t count = 0;
  for (std::size_t k = 3; k < picture.size(); k += 4) count += picture[k] != 255 ? 1 : 0;
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  bool checked = false, anisotropic = true, good = argc >= 2;
  for (int k = 2; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--check")
      checked = true;
    else if (word == "--trilinear")
      anisotropic = false;
    else
      good = false;
  }
  if (!good) {
    std::fprintf(stderr, "usage: vulkan_streaming PICTURE.png [--check] [--trilinear]\n");
    return 2;
  }
  Streaming town;
  town.open(anisotropic);
  Ledger ledger;
  std::vector<std::uint8_t> marked, drawn;
  std::size_t loaded = 0;
  for (std::uint32_t frame = 0; frame < kFrames; ++frame) {
    const Matrix to_clip = camera_of_frame(frame);
    const std::vector<Tile> needed = town.mark(to_clip);
    marked = town.seen();
    const std::vector<Tile> fresh = ledger.add(needed, frame + 1);
    town.load(fresh);
    loaded += fresh.size();
    town.draw(to_clip);
    drawn = town.seen();
    std::printf("frame %u: needs %zu tiles, loads %zu; %zu of %zu are there\n", frame + 1, needed.size(), fresh.size(),
                loaded, ledger.total());
    if (const std::size_t count = without_tile(drawn); count != 0)
      fail(std::to_string(count) + " pixels read a tile that was not loaded");
  }
  town.tell_memory();
  write_picture(argv[1], drawn, marked, ledger, town);
  if (checked) {
    town.load(ledger.missing());
    town.draw(camera_of_frame(kFrames - 1));
    if (town.seen() != drawn) fail("the picture is another one with every tile loaded");
    std::printf("the same picture with every tile loaded\n");
  }
  return 0;
}
