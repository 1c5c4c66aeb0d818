// SPDX-License-Identifier: MIT
// HEDDLE_CAPTURE: `heddle run` repeats a dispatch bit for bit.

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "support/process.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

TEST(VulkanCapture, AJobRepeatsTheDispatch) {
  HEDDLE_NEED_SHADERS();
  const TemporaryFolder folder;
  setenv("HEDDLE_CAPTURE", (folder / "jobs").string().c_str(), 1);
  VulkanDevice v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME});
  unsetenv("HEDDLE_CAPTURE");
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage},
                                                    {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2},
                                                    {2, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                                    {3, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC},
                                                    {4, kStorage, 3},
                                                    {5, VK_DESCRIPTOR_TYPE_SAMPLER, 20},
                                                    {6, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 20}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout}, 16);
  const auto out = v.buffer(4096), more = v.buffer(1024), texels = v.buffer(16 * 16 * 8);
  for (std::uint32_t i = 0; i < 256; ++i) more.set(i, i * i);
  std::uint32_t random = 7;
  for (std::uint32_t i = 0; i < texels.size / 4; ++i) texels.set(i, random = random * 1664525 + 1013904223);
  for (std::uint32_t i = 0; i < 1024; ++i) out.set(i, i);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 16);
  info.mipLevels = 3;
  info.arrayLayers = 2;
  info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  const auto image = v.image(info);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    for (std::uint32_t level = 0; level < 3; ++level) {
      const VkBufferImageCopy region{
          0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 2}, {}, {16u >> level, 16u >> level, 1}};
      vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }
  }),
            VK_SUCCESS);
  const auto color = VkImageAspectFlags{VK_IMAGE_ASPECT_COLOR_BIT};
  const VkComponentMapping swizzle{VK_COMPONENT_SWIZZLE_B, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_R,
                                   VK_COMPONENT_SWIZZLE_IDENTITY};
  const auto sampled =
      v.view(image.image, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {color, 1, 2, 1, 1}, swizzle);
  const auto other = v.image(VulkanDevice::image_info(VK_FORMAT_R32_SFLOAT, 4, 4));
  const auto plain = v.view(other.image, VK_FORMAT_R32_SFLOAT);
  const auto stored = v.view(image.image, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {color, 0, 1, 0, 1});
  const auto linear = v.sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT);
  const auto nearest = v.sampler(VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT);
  v.write(set, 0, kStorage, out);
  v.write(set, 1, bindings[1].type, sampled, linear, 0);
  v.write(set, 1, bindings[1].type, plain, nearest, 1);
  v.write(set, 2, bindings[2].type, stored, VK_NULL_HANDLE);
  v.write(set, 3, bindings[3].type, more, 0, 64);
  for (std::uint32_t k = 0; k < 3; ++k) v.write(set, 4, kStorage, more, 256 * k, 256, k);
  for (std::uint32_t k = 0; k < 20; ++k) {
    v.write(set, 5, bindings[5].type, VK_NULL_HANDLE, k % 2 == 0 ? linear : nearest, k);
    v.write(set, 6, bindings[6].type, sampled, VK_NULL_HANDLE, k);
  }
  const VkSpecializationMapEntry entry{3, 0, 4};
  const std::uint32_t constant = 9;
  const VkSpecializationInfo special{1, &entry, 4, &constant};
  const auto pipeline = v.pipeline(
      "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x = 64) in;\n"
      "layout(constant_id = 3) const uint special = 1u;\nlayout(push_constant) uniform P { vec2 at; uint add; } p;\n"
      "layout(binding = 0) buffer Out { uint o[]; };\nlayout(binding = 1) uniform sampler2D image[2];\n"
      "layout(binding = 2, rgba8) uniform image2D stored;\nlayout(binding = 3) uniform U { uvec4 u; };\n"
      "layout(binding = 4) buffer More { uint m[]; } more[3];\nlayout(binding = 5) uniform sampler s[20];\n"
      "layout(binding = 6) uniform texture2D t[20];\n"
      "void main() { uint n = gl_GlobalInvocationID.x;\n"
      "  vec4 c = textureLod(image[0], p.at * float(n), float(n % 32u) / 16.0) + textureLod(image[1], p.at, 0.0);\n"
      "  c += textureLod(sampler2D(t[nonuniformEXT(n % 20u)], s[nonuniformEXT(n % 19u)]), p.at * float(n), 0.5);\n"
      "  o[4u * n] += floatBitsToUint(c.x); o[4u * n + 1u] = floatBitsToUint(c.z) + p.add * special;\n"
      "  o[4u * n + 2u] = u.y + more[n % 3u].m[n]; more[2].m[n % 50u] = n / 50u == 0u ? n : more[2].m[n % 50u];\n"
      "  imageStore(stored, ivec2(n % 16u, n / 16u), c / 4.0); }\n",
      layout, &special);
  const struct {
    float at[2];
    std::uint32_t add;
  } push{{0.037f, 0.011f}, 5};
  const std::uint32_t offset = 128;
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 1, &offset);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, &push);
    vkCmdDispatch(c, 4, 1, 1);
  }),
            VK_SUCCESS);
  const auto image_after = v.buffer(16 * 16 * 4);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {16, 16, 1}};
    vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, image_after.buffer, 1, &region);
  }),
            VK_SUCCESS);
  const auto same = [&](const std::string& name, const VulkanDevice::Buffer& buffer, std::size_t first,
                        std::size_t size) {
    const std::vector<std::uint8_t> bytes = read_bytes(folder / "jobs" / name);
    ASSERT_GE(bytes.size(), size) << name;
    EXPECT_EQ(std::memcmp(bytes.data(), buffer.bytes + first, size), 0) << name;
  };
  for (const char* engine : {"fast", "reference"}) {
    const Outcome outcome =
        run({HEDDLE_PROGRAM, "run", (folder / "jobs" / "000001.toml").string(), "--engine", engine});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    same("000001.Out.out.bin", out, 0, 4096);
    same("000001.more[2].out.bin", more, 512, 256);
    same("000001.image[0].out.bin", image_after, 0, 16 * 16 * 4);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "jobs" / "000002.toml"));
  EXPECT_TRUE(std::filesystem::exists(folder / "jobs" / "000001.spv"));
}

// LD-10: levels that a view leaves out stay left out.
TEST(VulkanCapture, AJobKnowsTheLeastLevelOfAView) {
  HEDDLE_NEED_SHADERS();
  const TemporaryFolder folder;
  setenv("HEDDLE_CAPTURE", (folder / "jobs").string().c_str(), 1);
  VulkanDevice v({VK_EXT_IMAGE_VIEW_MIN_LOD_EXTENSION_NAME});
  unsetenv("HEDDLE_CAPTURE");
  TexelImage from;
  for (std::uint32_t level = 0; level < 3; ++level)
    from.levels.push_back(bytes_of(std::vector<float>(16u >> 2 * level, 5 + static_cast<float>(level))));
  const VkImageViewMinLodCreateInfoEXT least{VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT, nullptr, 1};
  VkImageViewCreateInfo views{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                              &least,
                              0,
                              make_image(v, from).image,
                              VK_IMAGE_VIEW_TYPE_2D,
                              from.format};
  views.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
  VkImageView view = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImageView(v.device, &views, nullptr, &view), VK_SUCCESS);
  v.later([d = v.device, view] { vkDestroyImageView(d, view, nullptr); });
  FeatureRun shader(v);
  shader.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, v.sampler(VK_FILTER_NEAREST));
  const auto words =
      shader.run("#version 460\n" + kFeatureHead + "layout(binding = 3) uniform sampler2D t;\nvoid main() { uint n = " +
                 "gl_LocalInvocationIndex; if (n < 3u) o[n] = uint(texelFetch(t, ivec2(0), int(n)).r); }\n");
  EXPECT_EQ(words[0], 0u);
  EXPECT_EQ(words[1], 6u);
  for (const char* engine : {"fast", "reference"}) {
    const Outcome outcome =
        run({HEDDLE_PROGRAM, "run", (folder / "jobs" / "000001.toml").string(), "--engine", engine});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    EXPECT_EQ(read_bytes(folder / "jobs" / "000001.Out.out.bin"), bytes_of(words)) << engine;
  }
}

// VK_EXT_frame_boundary: a job names the application's frame, and is one that runs.
TEST(VulkanCapture, AJobNamesTheFrameOfTheApplication) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  const TemporaryFolder folder;
  setenv("HEDDLE_CAPTURE", (folder / "jobs").string().c_str(), 1);
  VulkanDevice v({"VK_EXT_frame_boundary", VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME});
  unsetenv("HEDDLE_CAPTURE");
  const auto set_layout = v.set_layout({{0, kStorage}});
  const auto set = v.set(set_layout, {{0, kStorage}});
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(64);
  v.write(set, 0, kStorage, out);
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 16) in;\nlayout(binding = 0) buffer Out { uint o[]; };\n"
      "void main() { o[gl_LocalInvocationIndex] = 3u; }\n",
      layout);
  for (const bool named : {true, false}) {
    const VkCommandBuffer buffer = v.commands();
    v.begin(buffer);
    vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(buffer, 1, 1, 1);
    vkEndCommandBuffer(buffer);
    VkFrameBoundaryEXT frame{VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT};
    frame.frameID = 77777777777;
    const VkCommandBufferSubmitInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, buffer, 0};
    VkSubmitInfo2 work{VK_STRUCTURE_TYPE_SUBMIT_INFO_2, named ? &frame : nullptr};
    work.commandBufferInfoCount = 1;
    work.pCommandBufferInfos = &one;
    ASSERT_EQ(v.proc<PFN_vkQueueSubmit2KHR>("vkQueueSubmit2KHR")(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
    vkQueueWaitIdle(v.queue);
  }
  const std::string first = read_text(folder / "jobs" / "000001.toml"),
                    second = read_text(folder / "jobs" / "000002.toml");
  EXPECT_TRUE(first.starts_with("# Of the application's frame 77777777777.\n")) << first;
  EXPECT_EQ(second.find("frame"), std::string::npos) << second;
  EXPECT_EQ(run({HEDDLE_PROGRAM, "run", (folder / "jobs" / "000001.toml").string()}).exit_code, 0);
}

// vulkan-capture: what can't be written is said, and the dispatch runs all the same.
TEST(VulkanCapture, SaysWhatItCannotWrite) {
  HEDDLE_NEED_SHADERS();
  const TemporaryFolder folder;
  write_text(folder / "file", "");
  for (const char* place : {"file/jobs", "jobs"}) {
    setenv("HEDDLE_CAPTURE", (folder / place).string().c_str(), 1);
    VulkanDevice v;
    unsetenv("HEDDLE_CAPTURE");
    v.expects_messages = true;
    const auto out = v.buffer(64);
    const auto set_layout = v.set_layout({{0, kStorage}});
    const auto set = v.set(set_layout, {{0, kStorage}});
    v.write(set, 0, kStorage, out);
    const auto layout = v.layout({set_layout});
    const auto pipeline = v.pipeline(
        "#version 450\nlayout(binding = 0) buffer Out { uint o[]; };\nvoid main() { o[gl_WorkGroupID.x] = 5u; }\n",
        layout);
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatchBase(c, 2, 0, 0, 1, 1, 1);
      if (std::string(place) != "jobs") vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    EXPECT_EQ(out.word(2), 5u);
    const std::size_t told = std::erase_if(
        v.messages, [](const std::string& m) { return m.starts_with("environment-value: HEDDLE_CAPTURE "); });
    EXPECT_EQ(told, std::string(place) == "jobs" ? 0u : 1u) << "a folder below a file cannot be made";
    ASSERT_FALSE(v.messages.empty());
    EXPECT_EQ(v.messages[0], "vulkan-capture: a dispatch of 'main' is not written: job files have no base group");
    EXPECT_EQ(v.messages.size(), std::string(place) == "jobs" ? 1u : 2u);
    EXPECT_TRUE(v.messages.back().starts_with("vulkan-capture: ")) << v.messages.back();
  }
}

// vulkan-capture: what came behind the last command is told once where it can't be written, and nothing ends for it.
TEST(VulkanCapture, SaysThatItCannotWriteWhatCameBehind) {
  const TemporaryFolder folder;
  write_text(folder / "file", "");
  setenv("HEDDLE_CAPTURE", (folder / "file").string().c_str(), 1);
  VulkanDevice v;
  unsetenv("HEDDLE_CAPTURE");
  v.expects_messages = true;
  const auto out = v.buffer(64);
  for (std::uint32_t times = 1; times < 3; ++times) {
    ASSERT_EQ(v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, out.buffer, 0, 64, times); }), VK_SUCCESS);
    EXPECT_EQ(out.word(3), times);
  }
  std::erase_if(v.messages, [](const std::string& m) { return m.starts_with("environment-value: "); });
  ASSERT_EQ(v.messages.size(), 1u);
  EXPECT_TRUE(v.messages[0].starts_with("vulkan-capture: cannot write '")) << v.messages[0];
}

/// A buffer of a name that is filled, and one in pages of the application, which are gone when it gets the name.
TEST(VulkanCaptureProgram, DISABLED_NamedBuffers) {
  VulkanDevice v({VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME});
  const auto name = [&](VkBuffer buffer) {
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = VK_OBJECT_TYPE_BUFFER;
    info.objectHandle = reinterpret_cast<std::uint64_t>(buffer);
    info.pObjectName = "sums";
    v.proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(v.device, &info);
  };
  constexpr std::size_t kBytes = 1 << 16;
  void* const pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  const VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external};
  info.size = kBytes;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  VkBuffer gone = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &gone), VK_SUCCESS);
  v.later([d = v.device, gone] { vkDestroyBuffer(d, gone, nullptr); });
  const VkImportMemoryHostPointerInfoEXT host{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                              VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pages};
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &host, kBytes, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  ASSERT_EQ(vkBindBufferMemory(v.device, gone, memory, 0), VK_SUCCESS);
  vkFreeMemory(v.device, memory, nullptr);
  ASSERT_EQ(munmap(pages, kBytes), 0);
  name(gone);

  const auto out = v.buffer(64);
  name(out.buffer);
  for (const std::uint32_t value : {0u, 5u, 5u, 6u})
    v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, out.buffer, 0, 64, value); });
}

/// Images of 8 x 2 texels, 4:2:2 in one plane: 8 bits with luma and with blue first, and 16 bits.
TEST(VulkanCaptureProgram, DISABLED_NamedPairs) {
  VulkanDevice v;
  const auto in = v.buffer(64);
  for (std::uint32_t i = 0; i < 16; ++i) in.set(i, 0x04030201u * (i + 1));
  struct Pairs {
    VkFormat format;
    const char* name;
  };
  for (const auto& [format, name] :
       {Pairs{VK_FORMAT_G8B8G8R8_422_UNORM, "luma"}, Pairs{VK_FORMAT_B8G8R8G8_422_UNORM, "blue"},
        Pairs{VK_FORMAT_G16B16G16R16_422_UNORM, "wide"}}) {
    const VkImage image = v.image(VulkanDevice::image_info(format, 8, 2)).image;
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = VK_OBJECT_TYPE_IMAGE;
    info.objectHandle = reinterpret_cast<std::uint64_t>(image);
    info.pObjectName = name;
    v.proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(v.device, &info);
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {8, 2, 1}};
    v.run([&, to = image](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, in.buffer, to, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    });
  }
}

// VKF-3: golden frames of pairs of 8 bits have the image's width, and the format of their order.
TEST(VulkanCapture, NamedPairsAreTexels_VKF3) {
  if (std::getenv("HEDDLE_TEST_CHECKS") != nullptr) GTEST_SKIP() << "a process of its own";
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "golden");
  const Outcome outcome =
      run({"env", "HEDDLE_GOLDEN=" + (folder / "golden").string(), "HEDDLE_FRAME_PLAN=objects=luma,blue,wide",
           std::filesystem::read_symlink("/proc/self/exe").string(), "--gtest_also_run_disabled_tests",
           "--gtest_filter=VulkanCaptureProgram.DISABLED_NamedPairs"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  ASSERT_EQ(read_text(folder / "golden" / "count"), "3");
  const std::pair<std::string, std::string> notes[] = {
      {"YCRCB_NORMAL 8 2 ", " luma\n"}, {"YCRCB_SWAPY 8 2 ", " blue\n"}, {"R16G16B16A16_UNORM 4 2 ", " wide\n"}};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string note = read_text(folder / "golden" / ("00000" + std::to_string(k) + ".txt"));
    EXPECT_TRUE(note.starts_with(notes[k].first) && note.ends_with(notes[k].second)) << note;
  }
}

// Golden frames of named objects and a capture go together; memory that is gone has no frame.
TEST(VulkanCapture, NamedObjectsAreRecordedBesideIt) {
  if (std::getenv("HEDDLE_TEST_CHECKS") != nullptr) GTEST_SKIP() << "a process of its own";
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "golden");
  const Outcome outcome =
      run({"env", "HEDDLE_CAPTURE=" + (folder / "jobs").string(), "HEDDLE_GOLDEN=" + (folder / "golden").string(),
           "HEDDLE_FRAME_PLAN=objects=sums", std::filesystem::read_symlink("/proc/self/exe").string(),
           "--gtest_also_run_disabled_tests", "--gtest_filter=VulkanCaptureProgram.DISABLED_NamedBuffers"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  EXPECT_EQ(read_text(folder / "golden" / "count"), "2") << "zeros are no frame, and each value is one";
  EXPECT_EQ(read_text(folder / "jobs" / "behind.txt"),
            "fill buffer sums\nfill buffer sums\nfill buffer sums\nfill buffer sums\n");
}

}  // namespace
}  // namespace heddle::test
