// SPDX-License-Identifier: MIT
// Limits have room for a hidden uniform buffer in each set that a pipeline can have.

#include <gtest/gtest.h>

#include "layer/calls/fake_driver.hpp"

namespace heddle::test {
namespace {

namespace entry = layer::entry;

/// What the driver says of descriptors, in each structure that says it.
struct Answers {
  VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceMaintenance3Properties maintenance{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, &v11};
  VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES, &maintenance};
  VkPhysicalDeviceDescriptorIndexingProperties indexing{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES, &v12};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &indexing, {}};

  void fill() {
    v11.maxPerSetDescriptors = maintenance.maxPerSetDescriptors = 2000;
    v12.maxPerStageDescriptorUpdateAfterBindUniformBuffers = 400;
    v12.maxDescriptorSetUpdateAfterBindUniformBuffers = 500;
    v12.maxPerStageUpdateAfterBindResources = 600;
    indexing.maxPerStageDescriptorUpdateAfterBindUniformBuffers = 700;
    indexing.maxDescriptorSetUpdateAfterBindUniformBuffers = 800;
    indexing.maxPerStageUpdateAfterBindResources = 5;  // less than Vulkan demands
  }
};

TEST(LayerLimits, AreLowerByTheHiddenBuffers) {
  FakeDriver driver;
  VkPhysicalDeviceProperties properties{};
  entry::GetPhysicalDeviceProperties(driver.physical(), &properties);
  EXPECT_EQ(properties.limits.maxPerStageDescriptorUniformBuffers, 92u);
  EXPECT_EQ(properties.limits.maxDescriptorSetUniformBuffers, 192u);
  EXPECT_EQ(properties.limits.maxPerStageResources, 292u);
  EXPECT_EQ(properties.limits.maxBoundDescriptorSets, 8u);
}

TEST(LayerLimits, AreLowerInEveryStructure) {
  FakeDriver driver;
  Answers answers;
  driver.fill_chain = [&](void*) { answers.fill(); };
  for (const auto ask : {entry::GetPhysicalDeviceProperties2, entry::GetPhysicalDeviceProperties2KHR}) {
    ask(driver.physical(), &answers.all);
    EXPECT_EQ(answers.all.properties.limits.maxPerStageDescriptorUniformBuffers, 92u);
    EXPECT_EQ(answers.all.properties.limits.maxDescriptorSetUniformBuffers, 192u);
    EXPECT_EQ(answers.v11.maxPerSetDescriptors, 1999u);
    EXPECT_EQ(answers.maintenance.maxPerSetDescriptors, 1999u);
    EXPECT_EQ(answers.v12.maxPerStageDescriptorUpdateAfterBindUniformBuffers, 392u);
    EXPECT_EQ(answers.v12.maxDescriptorSetUpdateAfterBindUniformBuffers, 492u);
    EXPECT_EQ(answers.v12.maxPerStageUpdateAfterBindResources, 592u);
    EXPECT_EQ(answers.indexing.maxPerStageDescriptorUpdateAfterBindUniformBuffers, 692u);
    EXPECT_EQ(answers.indexing.maxDescriptorSetUpdateAfterBindUniformBuffers, 792u);
    EXPECT_EQ(answers.indexing.maxPerStageUpdateAfterBindResources, 5u);  // never below what Vulkan demands
  }
}

TEST(LayerLimits, OfDevicesThatHaveTheExtensionStay) {
  FakeDriver driver;
  driver.extensions.push_back({VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME, 2});
  VkPhysicalDeviceProperties properties{};
  entry::GetPhysicalDeviceProperties(driver.physical(), &properties);
  EXPECT_EQ(properties.limits.maxPerStageDescriptorUniformBuffers, 100u);
  Answers answers;
  driver.fill_chain = [&](void*) { answers.fill(); };
  entry::GetPhysicalDeviceProperties2(driver.physical(), &answers.all);
  EXPECT_EQ(answers.all.properties.limits.maxDescriptorSetUniformBuffers, 200u);
  EXPECT_EQ(answers.v12.maxPerStageUpdateAfterBindResources, 600u);
  EXPECT_EQ(answers.v11.maxPerSetDescriptors, 2000u);
}

}  // namespace
}  // namespace heddle::test
