// SPDX-License-Identifier: MIT
// Which texels of a texture does a view need? A plain Vulkan program for VK_NV_shader_image_footprint, written as for
// an NVIDIA card: one compute shader asks for the footprint of each pixel's trilinear sample and marks it in an image
// with atomics. Writes a picture: the view, and beside it the texture's levels with the marked groups bright.

// title: Vulkan: footprints of a view
// about: A Vulkan program on the driver: one compute shader looks at a floor and marks the 4 x 4 groups of texels that
// about: each pixel's trilinear sample reads, in an image with atomics. Right: the texture's levels, bright where
// about: they were marked.

// usage: vulkan_footprint PICTURE.png [TURN]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "program.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

using namespace example;

namespace {

constexpr std::uint32_t kWidth = 720, kHeight = 480, kTexture = 512, kLevels = 7, kMarks = kTexture / 32;

const std::array<VkDescriptorType, 3> kTypes{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                             VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE};

VkPipeline make_pipeline(const Program& p, VkPipelineLayout layout) {
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                nullptr,
                0,
                VK_SHADER_STAGE_COMPUTE_BIT,
                p.load_shader("footprint.comp"),
                "main",
                nullptr};
  info.layout = layout;
  VkPipeline pipeline{};
  check(vkCreateComputePipelines(p.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), "vkCreateComputePipelines");
  return pipeline;
}

/// Tiles of a color each, with joints; level after level, RGBA8.
std::vector<std::uint8_t> draw_texture() {
  std::vector<std::uint8_t> all;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t edge = kTexture >> level;
    for (std::uint32_t y = 0; y < edge; ++y)
      for (std::uint32_t x = 0; x < edge; ++x) {
        const std::uint32_t scale = 1u << level, u = x * scale, v = y * scale, tile = u / 32 * 7 + v / 32 * 13;
        const bool joint = level < 4 && (u % 32 < 2 || v % 32 < 2);
        const double shade = joint ? 0.45 : 0.75 + 0.25 * std::sin(tile * 1.7);
        all.push_back(static_cast<std::uint8_t>(205 * shade));
        all.push_back(static_cast<std::uint8_t>((150 + tile % 5 * 14) * shade));
        all.push_back(static_cast<std::uint8_t>((95 + tile % 3 * 30) * shade));
        all.push_back(255);
      }
  }
  return all;
}

/// The view, and beside it the levels of the texture: a group of 4 x 4 texels is bright where it is marked.
std::vector<std::uint8_t> compose(const std::uint8_t* view, const std::uint64_t* marks,
                                  const std::vector<std::uint8_t>& texture, std::uint32_t width) {
  std::vector<std::uint8_t> picture(std::size_t{width} * kHeight * 4, 255);
  for (std::uint32_t y = 0; y < kHeight; ++y)
    std::memcpy(&picture[std::size_t{y} * width * 4], view + std::size_t{y} * kWidth * 4, kWidth * 4);
  std::uint32_t left = kWidth + 16, top = 16;
  std::size_t first = 0;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t edge = kTexture >> level, shown = std::max(8u, edge * 3 / 5);
    for (std::uint32_t y = 0; y < shown && top + y < kHeight; ++y)
      for (std::uint32_t x = 0; x < shown && left + x < width; ++x) {
        const std::uint32_t u = x * edge / shown, v = y * edge / shown;
        const std::uint64_t word = marks[(std::size_t{level} * kMarks + v / 32) * kMarks + u / 32];
        const bool marked = (word >> (v / 4 % 8 * 8 + u / 4 % 8) & 1) != 0;
        const std::uint8_t* texel = &texture[first + (std::size_t{v} * edge + u) * 4];
        std::uint8_t* at = &picture[(std::size_t{top + y} * width + left + x) * 4];
        for (int c = 0; c < 3; ++c) at[c] = static_cast<std::uint8_t>(marked ? texel[c] : 200 + texel[c] / 12);
      }
    first += std::size_t{edge} * edge * 4;
    if (level == 0)
      top += shown + 12;
    else
      left += shown + 8;
  }
  return picture;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: vulkan_footprint PICTURE.png [TURN]\n");
    return 2;
  }
  const float camera[2] = {argc > 2 ? std::strtof(argv[2], nullptr) : 0.5f, 0.6f};
  Program p;
  Wishes wishes;
  wishes.wide_integers = false;
  p.open(wishes);
  const std::vector<std::uint8_t> texels = draw_texture();
  const Image texture = p.make_image(VK_FORMAT_R8G8B8A8_UNORM, kTexture, kTexture, kLevels, 1, VK_IMAGE_VIEW_TYPE_2D,
                                     VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  constexpr VkImageUsageFlags kWritten =
      VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  const Image marks =
      p.make_image(VK_FORMAT_R32_UINT, 2 * kMarks, kMarks, 1, kLevels, VK_IMAGE_VIEW_TYPE_2D_ARRAY, kWritten);
  const Image view = p.make_image(VK_FORMAT_R8G8B8A8_UNORM, kWidth, kHeight, 1, 1, VK_IMAGE_VIEW_TYPE_2D, kWritten);
  const Buffer upload = p.make_buffer(texels.size());
  std::memcpy(upload.bytes, texels.data(), texels.size());
  const Buffer picture = p.make_buffer(kWidth * kHeight * 4), bits = p.make_buffer(kMarks * kMarks * kLevels * 8);

  VkSamplerCreateInfo trilinear{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
  trilinear.magFilter = trilinear.minFilter = VK_FILTER_LINEAR;
  trilinear.mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR;
  trilinear.addressModeU = trilinear.addressModeV = trilinear.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  trilinear.maxLod = VK_LOD_CLAMP_NONE;
  VkSampler sampler{};
  check(vkCreateSampler(p.device, &trilinear, nullptr, &sampler), "vkCreateSampler");

  std::array<VkDescriptorSetLayoutBinding, 3> slots{};
  for (std::uint32_t k = 0; k < slots.size(); ++k) slots[k] = {k, kTypes[k], 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set_info.bindingCount = slots.size();
  set_info.pBindings = slots.data();
  VkDescriptorSetLayout set_layout{};
  check(vkCreateDescriptorSetLayout(p.device, &set_info, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof camera};
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_info.setLayoutCount = 1;
  layout_info.pSetLayouts = &set_layout;
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &push;
  VkPipelineLayout layout{};
  check(vkCreatePipelineLayout(p.device, &layout_info, nullptr, &layout), "vkCreatePipelineLayout");
  const std::array<VkDescriptorPoolSize, 2> sizes{
      {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}, {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 2}}};
  VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool_info.maxSets = 1;
  pool_info.poolSizeCount = sizes.size();
  pool_info.pPoolSizes = sizes.data();
  VkDescriptorPool descriptors{};
  check(vkCreateDescriptorPool(p.device, &pool_info, nullptr, &descriptors), "vkCreateDescriptorPool");
  const VkDescriptorSetAllocateInfo set_allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, descriptors,
                                                 1, &set_layout};
  VkDescriptorSet set{};
  check(vkAllocateDescriptorSets(p.device, &set_allocate, &set), "vkAllocateDescriptorSets");
  const std::array<VkDescriptorImageInfo, 3> images{{{sampler, texture.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                                     {VK_NULL_HANDLE, marks.view, VK_IMAGE_LAYOUT_GENERAL},
                                                     {VK_NULL_HANDLE, view.view, VK_IMAGE_LAYOUT_GENERAL}}};
  for (std::uint32_t k = 0; k < images.size(); ++k) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = k;
    write.descriptorCount = 1;
    write.descriptorType = kTypes[k];
    write.pImageInfo = &images[k];
    vkUpdateDescriptorSets(p.device, 1, &write, 0, nullptr);
  }
  const VkPipeline pipeline = make_pipeline(p, layout);

  p.begin();
  p.change_layout(texture, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                  VK_ACCESS_TRANSFER_WRITE_BIT);
  std::array<VkBufferImageCopy, kLevels> copies{};
  VkDeviceSize offset = 0;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t edge = kTexture >> level;
    copies[level].bufferOffset = offset;
    copies[level].imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
    copies[level].imageExtent = {edge, edge, 1};
    offset += VkDeviceSize{edge} * edge * 4;
  }
  vkCmdCopyBufferToImage(p.commands, upload.buffer, texture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, kLevels,
                         copies.data());
  p.change_layout(texture, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                  VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT);
  p.change_layout(marks, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                  VK_ACCESS_TRANSFER_WRITE_BIT);
  const VkClearColorValue zero{};
  const VkImageSubresourceRange whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, kLevels};
  vkCmdClearColorImage(p.commands, marks.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &zero, 1, &whole);
  p.change_layout(marks, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT,
                  VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  p.change_layout(view, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL, 0, VK_ACCESS_SHADER_WRITE_BIT);
  vkCmdBindPipeline(p.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(p.commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdPushConstants(p.commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof camera, camera);
  vkCmdDispatch(p.commands, (kWidth + 7) / 8, (kHeight + 7) / 8, 1);
  for (const Image& image : {marks, view})
    p.change_layout(image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_ACCESS_TRANSFER_READ_BIT);
  VkBufferImageCopy back{};
  back.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  back.imageExtent = {kWidth, kHeight, 1};
  vkCmdCopyImageToBuffer(p.commands, view.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture.buffer, 1, &back);
  back.imageSubresource.layerCount = kLevels;
  back.imageExtent = {2 * kMarks, kMarks, 1};  // two texels are a word of 64 bits
  vkCmdCopyImageToBuffer(p.commands, marks.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, bits.buffer, 1, &back);
  p.run();

  std::vector<std::uint64_t> words(kMarks * kMarks * kLevels);
  std::memcpy(words.data(), bits.bytes, words.size() * 8);
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    std::uint64_t count = 0;
    for (std::uint32_t k = 0; k < kMarks * kMarks; ++k)
      count += __builtin_popcountll(words[level * kMarks * kMarks + k]);
    const std::uint64_t groups = std::uint64_t{kTexture >> level} * (kTexture >> level) / 16;
    std::printf("level %u: %llu of %llu groups of 4 x 4 texels are needed\n", level,
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(groups));
  }
  constexpr std::uint32_t kPicture = kWidth + 16 + kTexture * 3 / 5 + 16;
  const std::vector<std::uint8_t> composed = compose(picture.bytes, words.data(), texels, kPicture);
  if (stbi_write_png(argv[1], kPicture, kHeight, 4, composed.data(), kPicture * 4) == 0)
    fail(std::string("cannot write ") + argv[1]);
  return 0;
}
