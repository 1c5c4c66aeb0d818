// SPDX-License-Identifier: MIT
// Samplers followed through descriptors: written, written again, copied, by templates, in sets that come and go.

#include <gtest/gtest.h>

#include <thread>

#include "layer/layer_test.hpp"

namespace heddle::test {
namespace {

constexpr auto kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

class LayerDescriptors : public LayerTest {
 protected:
  void SetUp() override {
    LayerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    kit_ = std::make_unique<QueryKit>(device(), QueryKit::Image{2, {64, 64, 1}, 7}, samplers());
  }
  void TearDown() override { kit_.reset(); }

  /// Their answers differ: texels of a level, levels of a query.
  static std::vector<VkSamplerCreateInfo> samplers() {
    std::vector<VkSamplerCreateInfo> all{
        sampler_info(VK_FILTER_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR),
        sampler_info(VK_FILTER_NEAREST, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST),
        sampler_info(VK_FILTER_LINEAR, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR)};
    all[2].mipLodBias = 1;
    return all;
  }
  static LayerQuery query() {
    LayerQuery q;
    q.p = {0.5f, 0.5f, 0};
    q.lod = 1.5f;
    return q;
  }
  /// The descriptor at `element` acts as the sampler `index`.
  void expect(std::uint32_t element, std::uint32_t index, const char* why) {
    texture::FootprintOptions options;
    options.mode = texture::FootprintMode::Lenient;
    const AnswerPair expected = kit_->expected(Form::Lod, index, query(), options);
    EXPECT_EQ(kit_->ask(Form::Lod, element, {query()})[0], expected) << why;
  }

  std::unique_ptr<QueryKit> kit_;
};
HEDDLE_LAYER_SUITE(LayerDescriptors);

TEST_P(LayerDescriptors, TheLastWriteCounts) {
  for (std::uint32_t k = 0; k < 3; ++k) expect(k, k, "as it was written");
  device().write(kit_->set(), 0, kCombined, kit_->view(), kit_->sampler(1), 0);
  expect(0, 1, "written again");
  expect(2, 2, "another element");
}

TEST_P(LayerDescriptors, CopiesTakeTheSamplersAlong) {
  const VkDescriptorSet first = kit_->set(), second = kit_->make_set();
  VkCopyDescriptorSet copy{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET};
  copy.srcSet = first;
  copy.dstSet = second;
  copy.descriptorCount = 2;
  copy.dstArrayElement = 1;
  vkUpdateDescriptorSets(device().device, 0, nullptr, 1, &copy);
  device().write(second, 0, kCombined, kit_->view(), kit_->sampler(2), 0);
  kit_->use(second);
  expect(0, 2, "written");
  expect(1, 0, "copied");
  expect(2, 1, "copied");
}

TEST_P(LayerDescriptors, TemplatesWriteThemToo) {
  const VkDescriptorSet set = kit_->make_set();
  const VkDescriptorUpdateTemplateEntry entry{0, 0, 3, kCombined, 8, 32};
  VkDescriptorUpdateTemplateCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
  info.descriptorUpdateEntryCount = 1;
  info.pDescriptorUpdateEntries = &entry;
  info.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET;
  info.descriptorSetLayout = kit_->set_layout();
  VkDescriptorUpdateTemplate made = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorUpdateTemplate(device().device, &info, nullptr, &made), VK_SUCCESS);
  std::vector<std::uint8_t> data(128);
  for (std::uint32_t k = 0; k < 3; ++k) {
    const VkDescriptorImageInfo image{kit_->sampler(2 - k), kit_->view(), VK_IMAGE_LAYOUT_GENERAL};
    std::memcpy(&data[8 + 32 * k], &image, sizeof image);
  }
  vkUpdateDescriptorSetWithTemplate(device().device, set, made, data.data());
  vkDestroyDescriptorUpdateTemplate(device().device, made, nullptr);
  kit_->use(set);
  for (std::uint32_t k = 0; k < 3; ++k) expect(k, 2 - k, "by a template");
}

/// A pool of `sets` sets, whose sets are freed one by one.
VkDescriptorPool make_pool(VkDevice device, std::uint32_t sets) {
  const VkDescriptorPoolSize sizes[] = {{kCombined, 3 * sets}, {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * sets}};
  VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  info.flags = VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT;
  info.maxSets = sets;
  info.poolSizeCount = 2;
  info.pPoolSizes = sizes;
  VkDescriptorPool pool = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateDescriptorPool(device, &info, nullptr, &pool), VK_SUCCESS);
  return pool;
}

/// Makes pools, allocates, writes and frees sets, over and over.
void turn_over(VkDevice device, VkDescriptorSetLayout layout, VkImageView view, VkSampler sampler) {
  const VkDescriptorSetLayout layouts[] = {layout, layout, layout, layout};
  VkDescriptorPool pool = VK_NULL_HANDLE;
  for (unsigned turn = 0; turn < 300; ++turn) {
    if (turn % 4 == 0) {
      vkDestroyDescriptorPool(device, pool, nullptr);  // at the first turn: none
      pool = make_pool(device, 4);
    }
    const VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, nullptr, pool, 4, layouts};
    VkDescriptorSet sets[4] = {};
    ASSERT_EQ(vkAllocateDescriptorSets(device, &info, sets), VK_SUCCESS);
    const VkDescriptorImageInfo images[] = {{sampler, view, VK_IMAGE_LAYOUT_GENERAL},
                                            {sampler, view, VK_IMAGE_LAYOUT_GENERAL}};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = sets[turn % 4];
    write.dstArrayElement = 1;
    write.descriptorCount = 2;
    write.descriptorType = kCombined;
    write.pImageInfo = images;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
    if (turn % 4 == 3) continue;  // the pool goes with its sets
    if (turn % 3 == 0)
      EXPECT_EQ(vkResetDescriptorPool(device, pool, 0), VK_SUCCESS);
    else
      EXPECT_EQ(vkFreeDescriptorSets(device, pool, 4, sets), VK_SUCCESS);
  }
  vkDestroyDescriptorPool(device, pool, nullptr);
}

TEST_P(LayerDescriptors, SetsComeAndGoOnSeveralThreads) {
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < 4; ++k)
    threads.emplace_back(
        [&, k] { turn_over(device().device, kit_->set_layout(), kit_->view(), kit_->sampler(k % 3)); });
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t k = 0; k < 3; ++k) expect(k, k, "a set that stayed");
}

}  // namespace
}  // namespace heddle::test
