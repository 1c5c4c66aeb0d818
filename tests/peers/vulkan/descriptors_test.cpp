// SPDX-License-Identifier: MIT
// Whole shaders with descriptors of every kind against lavapipe: separate images and samplers and arrays of them, texel
// buffers, uniform blocks, push constants, several sets.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "compile/image_shader.hpp"
#include "peers/vulkan/surface_image.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

#define HEDDLE_NEED_LAVAPIPE()                    \
  std::string why_not;                            \
  VulkanClient* const vulkan = lavapipe(why_not); \
  if (vulkan == nullptr) GTEST_SKIP() << "lavapipe: " << why_not

template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

/// Vulkan's way to say that there is no mip filter.
VkSamplerCreateInfo without_levels(VkSamplerCreateInfo info) {
  info.maxLod = 0.25f;
  return info;
}

/// An image for both sides.
struct Shared {
  explicit Shared(const Picture& picture)
      : job{image_words(picture), "", {}}, bound(bind_images(job)), peer(peer_image(bound.surface())) {}
  ImageJob job;
  Bound bound;
  PeerImage peer;
};

TEST(LavapipeDescriptors, SeparateImagesAndSamplers) {
  HEDDLE_NEED_LAVAPIPE();
  const spirv::Module module =
      load_shader("image/separate.spvasm");  // without run-time indices, at which lavapipe 22.3 crashes
  Picture picture, depths, sky;
  picture.levels = 3;
  depths.format = "R16_UNORM";
  depths.texel_bytes = 2;
  depths.array = true;
  depths.layers = 3;
  sky.dim = "Cube";
  sky.layers = 6;
  sky.height = 16;
  sky.levels = 4;
  std::vector<Shared> images;
  for (unsigned k = 0; k < 3; ++k) {
    picture.seed = 60 + k;
    images.emplace_back(picture);
  }
  images.emplace_back(depths);
  images.emplace_back(sky);
  const char* nearest =
      "filter = \"nearest\"\naddress = \"repeat\"";  // also of a gather, which wants no mip filter (GA-12)
  const char* linear = "filter = \"linear\"\nmip = \"linear\"\naddress = \"clamp_to_edge\"";
  const char* compare = "filter = \"linear\"\naddress = \"repeat\"\ncompare_op = \"less\"";
  // Positions stay clear of texel edges and of gathers' decisions.
  const std::vector<std::uint8_t> push = bytes_of(std::vector<float>{0.0625f * 1.25f, 0.1875f, 0.02f, 0.05f, 0.75f});
  std::string toml = "groups = [1]\n[args]\npush = { bytes = \"" + hex(push) + "\" }\n";
  for (unsigned k = 0; k < 3; ++k) toml += fmt::format("[images.\"0.0[{}]\"]\n{}", k, images[k].job.image);
  toml += fmt::format(
      "[samplers.\"0.1[0]\"]\n{}\n[samplers.\"0.1[1]\"]\n{}\n[samplers.\"0.2\"]\n{}\n[images.\"0.3\"]\n{}[images.\"0."
      "4\"]\n{}",
      nearest, linear, compare, images[3].job.image, images[4].job.image);
  toml += "[images.\"1.0\"]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [8, 4]\nsave = \"result.bin\"\n";
  const job::RunResult o = run_shader(module, toml);
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
  const auto ours = output_as<float>(o, "result.bin");

  PeerImage target;
  target.format = VK_FORMAT_R32G32B32A32_SFLOAT;
  target.width = 8;
  target.height = 4;
  target.data.resize(512);
  std::vector<std::uint8_t> result;
  std::vector<PeerBinding> bindings;
  const auto add = [&](std::uint32_t set, std::uint32_t binding, std::uint32_t element,
                       VkDescriptorType type) -> PeerBinding& {
    PeerBinding b;
    b.set = set;
    b.binding = binding;
    b.element = element;
    b.type = type;
    bindings.push_back(b);
    return bindings.back();
  };
  for (unsigned k = 0; k < 3; ++k) add(0, 0, k, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE).image = &images[k].peer;
  add(0, 1, 0, VK_DESCRIPTOR_TYPE_SAMPLER).sampler =
      without_levels(peer_sampler(VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT));
  add(0, 1, 1, VK_DESCRIPTOR_TYPE_SAMPLER).sampler =
      peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
  VkSamplerCreateInfo& comparing = add(0, 2, 0, VK_DESCRIPTOR_TYPE_SAMPLER).sampler;
  comparing = peer_sampler(VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT);
  comparing.compareEnable = VK_TRUE;
  comparing.compareOp = VK_COMPARE_OP_LESS;
  add(0, 3, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE).image = &images[3].peer;
  add(0, 4, 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE).image = &images[4].peer;
  PeerBinding& stored = add(1, 0, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE);
  stored.image = &target;
  stored.texels = &result;
  ASSERT_EQ(vulkan->compute(module.words, bindings, 1, push), "");
  ASSERT_EQ(result.size(), ours.size() * 4);
  std::vector<float> theirs(ours.size());
  std::memcpy(theirs.data(), result.data(), result.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_NEAR(ours[i], theirs[i], 0.05) << "pixel " << i / 4 << " component " << i % 4;
}

TEST(LavapipeDescriptors, BlocksBuffersAndStorageImages) {
  HEDDLE_NEED_LAVAPIPE();
  const spirv::Module module = load_shader("image/blocks.spvasm");
  Picture lines, volume;
  lines.dim = "1D";
  lines.format = "R32G32_FLOAT";
  lines.texel_bytes = 8;
  lines.array = true;
  lines.width = 12;
  lines.layers = 2;
  lines.more = "fill = [1.5, -2.25, 0, 0]\n";
  volume.dim = "3D";
  volume.format = "R32_SINT";
  volume.width = 4;
  volume.depth = 2;
  std::string line_words = image_words(lines);
  line_words.erase(line_words.find("raw"), line_words.find('\n', line_words.find("raw")) - line_words.find("raw") + 1);
  const ImageJob line_job{line_words, "", {}};
  const Bound line_bound = bind_images(line_job);
  const PeerImage line_peer = peer_image(line_bound.surface());
  const Shared cells(volume);
  std::vector<std::int32_t> numbers(40);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i * i) - 300;
  std::vector<std::uint8_t> small(32 * 4);
  for (std::size_t i = 0; i < small.size(); ++i) small[i] = static_cast<std::uint8_t>(i * 37);
  // std140: ivec4, float[3] 16 apart, mat2x3 columns 16 apart.
  std::vector<float> params(4 + 12 + 8);
  const std::int32_t origin[] = {3, -4, 500, -6};
  std::memcpy(params.data(), origin, 16);
  for (unsigned k = 0; k < 3; ++k) params[4 + 4 * k] = 0.25f * static_cast<float>(k + 1);
  for (unsigned k = 0; k < 8; ++k) params[16 + k] = 0.1f * static_cast<float>(k);
  std::vector<std::uint8_t> push(16), param_bytes = bytes_of(params), number_bytes = bytes_of(numbers),
                                      peer_small = small, sums(32 * 16);
  const std::int32_t shift = 5;
  const float scale[] = {0.5f, 1.0f};
  std::memcpy(push.data(), &shift, 4);
  std::memcpy(push.data() + 8, scale, 8);
  const auto list = [](const std::vector<std::uint8_t>& bytes) {
    std::string text;
    for (const std::uint8_t b : bytes) text += (text.empty() ? "" : ", ") + std::to_string(b);
    return text;
  };
  const TemporaryFolder folder;
  write_bytes(folder / "bytes.bin", small);
  write_bytes(folder / "numbers.bin", number_bytes);
  const job::RunResult o = run_shader(
      module, "groups = [2]\n[args]\npush = { bytes = \"" + hex(push) + "\" }\n[buffers.\"0.0\"]\ndata = [" +
                  list(param_bytes) + "]\n[buffers.\"0.1\"]\nformat = \"R32_SINT\"\nfile = \"" +
                  (folder / "numbers.bin").string() + "\"\n[buffers.\"0.2\"]\nformat = \"R8G8B8A8_UNORM\"\nfile = \"" +
                  (folder / "bytes.bin").string() + "\"\nsave = \"bytes.bin\"\n[images.\"0.3\"]\n" + line_words +
                  "save = \"lines.bin\"\n[images.\"0.4\"]\n" + cells.job.image +
                  "save = \"volume.bin\"\n[buffers.\"1.2\"]\ntype = \"i32\"\ncount = 128\nsave = \"sums.bin\"\n");
  ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);

  std::vector<std::uint8_t> their_lines, their_volume;
  std::vector<PeerBinding> bindings(6);
  bindings[0].buffer = &param_bytes;
  bindings[0].type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  bindings[1].buffer = &number_bytes;
  bindings[1].type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
  bindings[1].texel_format = VK_FORMAT_R32_SINT;
  bindings[2].buffer = &peer_small;
  bindings[2].type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  bindings[2].texel_format = VK_FORMAT_R8G8B8A8_UNORM;
  bindings[3].image = &line_peer;
  bindings[3].texels = &their_lines;
  bindings[4].image = &cells.peer;
  bindings[4].texels = &their_volume;
  bindings[3].type = bindings[4].type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  bindings[5].buffer = &sums;
  bindings[5].set = 1;
  bindings[5].binding = 2;
  ASSERT_EQ(vulkan->compute(module.words, bindings, 2, push), "");
  EXPECT_EQ(output_as<std::uint8_t>(o, "sums.bin"), sums);
  EXPECT_EQ(output_as<std::uint8_t>(o, "lines.bin"), their_lines);
  EXPECT_EQ(output_as<std::uint8_t>(o, "volume.bin"), their_volume);
  EXPECT_EQ(output_as<std::uint8_t>(o, "bytes.bin"), peer_small);
}

}  // namespace
}  // namespace heddle::test
