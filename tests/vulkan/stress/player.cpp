// SPDX-License-Identifier: MIT
#include "vulkan/stress/player.hpp"

#include <algorithm>
#include <array>

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

const std::string kHead =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint w[]; } b[4];\n"
    "layout(binding = 1, r32ui) uniform uimage2D stored;\nlayout(binding = 2) uniform usampler2D sampled;\n"
    "layout(push_constant) uniform P { uint from, to, value, count; };\n"
    "uint id() { return gl_GlobalInvocationID.x + gl_GlobalInvocationID.y * gl_NumWorkGroups.x * 64u; }\n";

/// One for each Shader. What invocations do to one word commutes.
const std::array<std::string, kShaders> kBodies{
    "void main() { uint i = id(); if (i < count) b[to].w[i] = b[from].w[i] * value + i; }\n",
    "void main() { uint i = id(); if (i < count) { atomicAdd(b[to].w[b[from].w[i] % 4096u], i);\n"
    "  atomicXor(b[to].w[(b[from].w[i] >> 7) % 4096u], 0u); atomicAdd(b[to].w[value % 4096u], 1u); } }\n",
    "shared uint s[64];\nvoid main() { uint i = id(), k = gl_LocalInvocationIndex; s[k] = b[from].w[i % 4096u];\n"
    "  for (uint step = 1u; step < 64u; step *= 2u) { barrier(); uint before = k >= step ? s[k - step] : 0u; "
    "barrier();\n"
    "    s[k] += before; }\n  barrier(); if (i < count) b[to].w[i] = s[63u - k] ^ value; }\n",
    "void main() { uint i = id(), n = (b[from].w[i % 4096u] ^ value) & 0xffffu, steps = 0u;\n"
    "  while (n > 1u && steps < 500u) { n = n % 2u == 0u ? n / 2u : 3u * n + 1u; ++steps; }\n"
    "  if (i < count) b[to].w[i] = steps | n << 16; }\n",
    "void main() { uint i = id(); ivec2 size = textureSize(sampled, 0);\n"
    "  ivec2 at = ivec2(int(i) % size.x, int(i) / size.x % size.y);\n"
    "  if (i < count) b[to].w[i] = texelFetch(sampled, at, 0).r + value; }\n",
    "void main() { uint i = id(); ivec2 size = imageSize(stored); ivec2 at = ivec2(int(i) % size.x, int(i) / size.x);\n"
    "  if (at.y < size.y) { uint old = imageLoad(stored, at).r;\n"
    "    imageStore(stored, at, uvec4(old * 5u + b[from].w[i % 4096u])); } }\n",
};

VkImageSubresourceLayers layers_of(const TexelBox& box) { return {VK_IMAGE_ASPECT_COLOR_BIT, box.level, box.layer, 1}; }

constexpr std::uint64_t kReadbackBytes = 128 << 10;

std::uint64_t bytes_of(const ImageSpec& spec) {
  std::uint64_t bytes = 0;
  for (std::uint32_t level = 0; level < spec.levels; ++level) {
    const VkExtent3D e = spec.level(level);
    bytes += std::uint64_t{e.width} * e.height * e.depth * spec.layers * spec.texel_bytes;
    bytes = (bytes + 15) / 16 * 16;
  }
  return bytes;
}

}  // namespace

Player::Player(const std::string& manifest)
    : v({VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME}, manifest) {
  v.stages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
  for (std::uint32_t i = 0; i < kStressBuffers; ++i) buffers_.push_back(v.buffer(std::uint64_t{kStressWords} * 4));
  indirect_ = v.buffer(12);
  for (std::uint32_t i = 0; i < kMaxImages; ++i) {
    readback_.push_back(v.buffer(kReadbackBytes));
    std::fill_n(readback_.back().bytes, kReadbackBytes, std::uint8_t{0});  // what lies between levels stays as it is
  }
  sampler_ = v.sampler(VK_FILTER_NEAREST);
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage, kStressBuffers},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                                    {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const auto set_layout = v.set_layout(bindings);
  set_ = v.set(set_layout, bindings);
  for (std::uint32_t i = 0; i < kStressBuffers; ++i) v.write(set_, 0, kStorage, buffers_[i], 0, VK_WHOLE_SIZE, i);
  layout_ = v.layout({set_layout}, 16);
  for (const std::string& body : kBodies) pipelines_.push_back(v.pipeline(kHead + body, layout_));
  draws_ = std::make_unique<Draws>(v, set_layout);
}

bool Player::make_images(const Script& script) {
  for (const ImageSpec& spec : script.images) {
    Target& made = images_.emplace_back();
    VkImageCreateInfo info = VulkanDevice::image_info(spec.format, spec.extent.width, spec.extent.height);
    info.imageType = spec.type;
    info.extent = spec.extent;
    info.mipLevels = spec.levels;
    info.arrayLayers = spec.layers;
    if (images_.size() == 1) info.usage |= VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (vkCreateImage(v.device, &info, nullptr, &made.image) != VK_SUCCESS) return false;
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(v.device, made.image, &needs);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
    if (vkAllocateMemory(v.device, &allocate, nullptr, &made.memory) != VK_SUCCESS) return false;
    if (vkBindImageMemory(v.device, made.image, made.memory, 0) != VK_SUCCESS) return false;
    if (images_.size() > 1) continue;
    VkImageViewCreateInfo view{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    view.image = made.image;
    view.viewType = VK_IMAGE_VIEW_TYPE_2D;
    view.format = spec.format;
    view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    if (vkCreateImageView(v.device, &view, nullptr, &made.view) != VK_SUCCESS) return false;
  }
  return true;
}

void Player::destroy_images() {
  for (const Target& t : images_) {
    vkDestroyImageView(v.device, t.view, nullptr);
    vkDestroyImage(v.device, t.image, nullptr);
    vkFreeMemory(v.device, t.memory, nullptr);
  }
  images_.clear();
}

void Player::transfer(VkCommandBuffer c, const StressCommand& s) {
  using Kind = StressCommand::Kind;
  const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
  const VkBufferImageCopy region{s.source, s.row, s.rows, layers_of(s.box), s.box.offset, s.box.extent};
  const VkImage image = images_[s.box.image].image, other = images_[s.other.image].image;
  switch (s.kind) {
    case Kind::ToImage:
      return vkCmdCopyBufferToImage(c, buffers_[s.from].buffer, image, general, 1, &region);
    case Kind::FromImage:
      return vkCmdCopyImageToBuffer(c, image, general, buffers_[s.from].buffer, 1, &region);
    case Kind::CopyImage: {
      const VkImageCopy copy{layers_of(s.box), s.box.offset, layers_of(s.other), s.other.offset, s.box.extent};
      return vkCmdCopyImage(c, image, general, other, general, 1, &copy);
    }
    case Kind::Clear: {
      VkClearColorValue color{};
      for (std::uint32_t& word : color.uint32) word = s.value;
      const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, s.box.level, 1, s.box.layer, 1};
      return vkCmdClearColorImage(c, image, general, &color, 1, &range);
    }
    default: {
      const auto end = [](const TexelBox& box) {
        return VkOffset3D{box.offset.x + static_cast<std::int32_t>(box.extent.width),
                          box.offset.y + static_cast<std::int32_t>(box.extent.height),
                          box.offset.z + static_cast<std::int32_t>(box.extent.depth)};
      };
      VkImageBlit blit{
          layers_of(s.box), {s.box.offset, end(s.box)}, layers_of(s.other), {s.other.offset, end(s.other)}};
      if (s.mirrored) std::swap(blit.dstOffsets[0].x, blit.dstOffsets[1].x);
      return vkCmdBlitImage(c, image, general, other, general, 1, &blit, VK_FILTER_NEAREST);
    }
  }
}

void Player::dispatch(VkCommandBuffer c, const StressCommand& s) {
  const std::uint32_t push[4] = {s.from, s.to, s.value, 64 * s.groups[0] * s.groups[1]};
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_[static_cast<std::size_t>(s.shader)]);
  vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout_, 0, 1, &set_, 0, nullptr);
  vkCmdPushConstants(c, layout_, v.stages, 0, sizeof push, push);
  if (s.kind == StressCommand::Kind::Dispatch) return vkCmdDispatch(c, s.groups[0], s.groups[1], s.groups[2]);
  vkCmdUpdateBuffer(c, indirect_.buffer, 0, 12, s.groups.data());
  barrier(c);
  vkCmdDispatchIndirect(c, indirect_.buffer, 0);
}

void Player::record(VkCommandBuffer c, const StressCommand& s) {
  using Kind = StressCommand::Kind;
  switch (s.kind) {
    case Kind::Fill:
      vkCmdFillBuffer(c, buffers_[s.to].buffer, s.target, s.size, s.value);
      break;
    case Kind::Update: {
      std::vector<std::uint32_t> words(s.size / 4);
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = s.value + static_cast<std::uint32_t>(i * 2654435761u);
      vkCmdUpdateBuffer(c, buffers_[s.to].buffer, s.target, s.size, words.data());
      break;
    }
    case Kind::CopyBuffer: {
      const VkBufferCopy region{s.source, s.target, s.size};
      vkCmdCopyBuffer(c, buffers_[s.from].buffer, buffers_[s.to].buffer, 1, &region);
      break;
    }
    case Kind::Dispatch:
    case Kind::Indirect:
      dispatch(c, s);
      break;
    case Kind::Draw:
    case Kind::DrawIndexed:
      draws_->record(c, s, set_, buffers_);
      break;
    default:
      transfer(c, s);
  }
  barrier(c);
}

std::optional<std::vector<std::vector<std::uint8_t>>> Player::play(const Script& script) {
  if (!make_images(script)) {
    destroy_images();
    return std::nullopt;
  }
  v.write(set_, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, images_[0].view, VK_NULL_HANDLE);
  v.write(set_, 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, images_[0].view, sampler_);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    for (const VulkanDevice::Buffer& buffer : buffers_) vkCmdFillBuffer(c, buffer.buffer, 0, VK_WHOLE_SIZE, 0);
    for (const Target& t : images_) {
      VkImageMemoryBarrier into{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
      into.newLayout = VK_IMAGE_LAYOUT_GENERAL;
      into.dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
      into.srcQueueFamilyIndex = into.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
      into.image = t.image;
      into.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS};
      vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                           nullptr, 1, &into);
      const VkClearColorValue zero{};
      vkCmdClearColorImage(c, t.image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &into.subresourceRange);
    }
    barrier(c);
    draws_->begin(c, images_[0].view, script.images[0].extent.width, script.images[0].extent.height);
    barrier(c);
    for (const StressCommand& command : script.commands) record(c, command);
    draws_->read(c);
    for (std::size_t i = 0; i < images_.size(); ++i) {
      std::uint64_t at = 0;
      for (std::uint32_t level = 0; level < script.images[i].levels; ++level) {
        const VkExtent3D e = script.images[i].level(level);
        const VkBufferImageCopy region{at, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, script.images[i].layers}, {}, e};
        vkCmdCopyImageToBuffer(c, images_[i].image, VK_IMAGE_LAYOUT_GENERAL, readback_[i].buffer, 1, &region);
        at += std::uint64_t{e.width} * e.height * e.depth * script.images[i].layers * script.images[i].texel_bytes;
        at = (at + 15) / 16 * 16;
      }
    }
    barrier(c);
  }),
            VK_SUCCESS);
  std::vector<std::vector<std::uint8_t>> contents;
  for (const VulkanDevice::Buffer& buffer : buffers_) contents.emplace_back(buffer.bytes, buffer.bytes + buffer.size);
  for (std::size_t i = 0; i < images_.size(); ++i)
    contents.emplace_back(readback_[i].bytes, readback_[i].bytes + bytes_of(script.images[i]));
  for (std::vector<std::uint8_t> attachment : draws_->contents()) contents.push_back(std::move(attachment));
  draws_->end();
  destroy_images();
  return contents;
}

}  // namespace heddle::test
