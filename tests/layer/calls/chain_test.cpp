// SPDX-License-Identifier: MIT
// Chains of the application, which may be constant: these lie in memory that cannot be written.

#include "layer/chain.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <vulkan/vk_layer.h>

#include <cstring>
#include <thread>

#include "layer/calls/fake_driver.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace entry = layer::entry;
using layer::ChainEdit;

constexpr auto kFootprints = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV;
constexpr auto kFlags = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
constexpr auto kNobodys = static_cast<VkStructureType>(2000000000);

/// Structures in a page that is then made read-only.
class ConstantMemory {
 public:
  ConstantMemory()
      : page_(static_cast<std::uint8_t*>(
            mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~ConstantMemory() { munmap(page_, kBytes); }
  ConstantMemory(const ConstantMemory&) = delete;
  ConstantMemory& operator=(const ConstantMemory&) = delete;

  template <typename T>
  const T* put(const T& value) {
    std::uint8_t* at = page_ + used_;
    std::memcpy(at, &value, sizeof value);
    used_ += (sizeof value + 15) / 16 * 16;
    return reinterpret_cast<const T*>(at);
  }
  void seal() { ASSERT_EQ(mprotect(page_, kBytes, PROT_READ), 0); }

 private:
  static constexpr std::size_t kBytes = 4096;
  std::uint8_t* page_;
  std::size_t used_ = 0;
};

void* behind(const void* structure) { return const_cast<void*>(structure); }
const VkBaseInStructure* as_base(const void* structure) { return static_cast<const VkBaseInStructure*>(structure); }

/// Vulkan 1.2's features with its last one on, the footprint's, Vulkan 1.1's.
struct FeatureChain {
  ConstantMemory memory;
  const VkPhysicalDeviceVulkan11Features* last =
      memory.put(VkPhysicalDeviceVulkan11Features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES});
  const VkPhysicalDeviceShaderImageFootprintFeaturesNV* footprints =
      memory.put(VkPhysicalDeviceShaderImageFootprintFeaturesNV{kFootprints, behind(last), VK_TRUE});
  const VkPhysicalDeviceVulkan12Features* first = memory.put(features());

  FeatureChain() { memory.seal(); }
  [[nodiscard]] VkPhysicalDeviceVulkan12Features features() const {
    VkPhysicalDeviceVulkan12Features f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, behind(footprints)};
    f.subgroupBroadcastDynamicId = VK_TRUE;
    return f;
  }
  /// Without the footprint's.
  void expect_edited(const void* head) const {
    ASSERT_EQ(as_base(head)->sType, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    EXPECT_NE(head, first);
    const auto* copy = static_cast<const VkPhysicalDeviceVulkan12Features*>(head);
    EXPECT_EQ(copy->subgroupBroadcastDynamicId, VK_TRUE) << "whole";
    EXPECT_EQ(copy->pNext, last);
  }
};

TEST(LayerChains, WhatStandsBeforeIsCopied) {
  const FeatureChain chain;
  const ChainEdit edit(chain.first, kFootprints);
  chain.expect_edited(edit.head());
  EXPECT_FALSE(edit.obstacle());
  EXPECT_EQ(chain.first->pNext, chain.footprints);
}

TEST(LayerChains, NothingIsCopiedWhereItIsFirstOrNotThere) {
  const FeatureChain chain;
  EXPECT_EQ(ChainEdit(chain.footprints, kFootprints).head(), chain.last);
  EXPECT_EQ(ChainEdit(chain.last, kFootprints).head(), chain.last);
  EXPECT_EQ(ChainEdit(nullptr, kFootprints).head(), nullptr);
}

TEST(LayerChains, AnotherOneTakesThePlace) {
  const FeatureChain chain;
  VkPhysicalDeviceVulkan13Features other{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  const ChainEdit edit(chain.first, kFootprints, reinterpret_cast<VkBaseInStructure*>(&other));
  EXPECT_EQ(as_base(edit.head())->pNext, reinterpret_cast<VkBaseInStructure*>(&other));
  EXPECT_EQ(other.pNext, chain.last);
}

TEST(LayerChains, StayBehindAStructureThatNobodyKnows) {
  const FeatureChain chain;
  const VkBaseInStructure unknown{kNobodys, as_base(chain.first)};
  const ChainEdit edit(&unknown, kFootprints);
  EXPECT_EQ(edit.head(), &unknown);
  EXPECT_EQ(edit.obstacle(), kNobodys);
  const VkBaseInStructure harmless{kNobodys, as_base(chain.last)};
  EXPECT_FALSE(ChainEdit(&harmless, kFootprints).obstacle()) << "nothing is to be taken out";
}

// The loader puts structures of its own in front, which layers do write to.
VkResult create_device(FakeDriver& driver, const void* chain) {
  VkLayerDeviceLink below{nullptr, FakeDriver::instance_address(),
                          [](VkDevice, const char*) -> PFN_vkVoidFunction { return nullptr; }};
  VkLayerDeviceCreateInfo link{VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, chain, VK_LAYER_LINK_INFO, {}};
  link.u.pLayerInfo = &below;
  const char* name = VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME;
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &link};
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &name;
  VkDevice made = VK_NULL_HANDLE;
  return entry::CreateDevice(driver.physical(), &info, nullptr, &made);
}

TEST(LayerChains, DevicesAreMadeFromConstantFeatures) {
  FakeDriver driver;
  const FeatureChain chain;
  unsigned made = 0;
  driver.on_create_device = [&](const VkDeviceCreateInfo& info) {
    ++made;
    EXPECT_EQ(info.enabledExtensionCount, 0u);
    ASSERT_EQ(as_base(info.pNext)->sType, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    EXPECT_EQ(static_cast<const VkLayerDeviceCreateInfo*>(info.pNext)->u.pLayerInfo, nullptr) << "the next layer's";
    chain.expect_edited(as_base(info.pNext)->pNext);
  };
  EXPECT_EQ(create_device(driver, chain.first), VK_SUCCESS);
  EXPECT_EQ(made, 1u);
}

TEST(LayerChains, DevicesGetAChainThatCannotBeEditedAsItIs) {
  FakeDriver driver;
  const FeatureChain chain;
  const VkBaseInStructure unknown{kNobodys, as_base(chain.first)};
  const void* got = nullptr;
  driver.on_create_device = [&](const VkDeviceCreateInfo& info) { got = as_base(info.pNext)->pNext; };
  testing::internal::CaptureStderr();
  EXPECT_EQ(create_device(driver, &unknown), VK_SUCCESS);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("2000000000"), std::string::npos);
  EXPECT_EQ(got, &unknown);
}

/// Flags of one binding behind the types of mutable descriptors.
struct LayoutChain {
  ConstantMemory memory;
  const VkDescriptorBindingFlags* flags =
      memory.put(VkDescriptorBindingFlags{VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT});
  const VkDescriptorSetLayoutBindingFlagsCreateInfo* last =
      memory.put(VkDescriptorSetLayoutBindingFlagsCreateInfo{kFlags, nullptr, 1, flags});
  const VkMutableDescriptorTypeCreateInfoEXT* first = memory.put(VkMutableDescriptorTypeCreateInfoEXT{
      VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, last, 0, nullptr});

  LayoutChain() { memory.seal(); }
};

// Two threads share the chain; each gets flags for the hidden binding.
TEST(LayerChains, SetLayoutsAreMadeFromConstantFlags) {
  FakeDriver driver;
  const LayoutChain chain;
  unsigned made = 0;  // the layer calls under its lock
  driver.on_create_set_layout = [&](const VkDescriptorSetLayoutCreateInfo& info) {
    ++made;
    EXPECT_EQ(info.bindingCount, 2u);
    EXPECT_EQ(as_base(info.pNext)->sType, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
    const auto* flags = layer::find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(info.pNext, kFlags);
    ASSERT_NE(flags, nullptr);
    ASSERT_EQ(flags->bindingCount, 2u);
    EXPECT_EQ(flags->pBindingFlags[0], VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT);
    EXPECT_EQ(flags->pBindingFlags[1], 0u);
  };
  const auto make = [&] {
    for (unsigned k = 0; k < 100; ++k) EXPECT_NE(driver.make_set_layout(chain.first), VkDescriptorSetLayout{});
  };
  std::thread other(make);
  make();
  other.join();
  EXPECT_EQ(made, 200u);
}

TEST(LayerChains, SetLayoutsWhoseFlagsCannotBeEditedGetNoBuffer) {
  FakeDriver driver;
  const LayoutChain chain;
  const VkBaseInStructure unknown{kNobodys, as_base(chain.last)};
  unsigned made = 0;
  driver.on_create_set_layout = [&](const VkDescriptorSetLayoutCreateInfo& info) {
    ++made;
    EXPECT_EQ(info.bindingCount, 1u);
    EXPECT_EQ(info.pNext, &unknown);
  };
  const VkDescriptorSetLayout layout = driver.make_set_layout(&unknown);
  EXPECT_EQ(made, 1u);
  EXPECT_FALSE(driver.kept().set_layouts.at(layout)->hidden);
}

VkResult create_pipeline(FakeDriver& driver, const void* chain) {
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.pNext = chain;
  VkPipeline made = VK_NULL_HANDLE;
  return entry::CreateComputePipelines(driver.device(), VK_NULL_HANDLE, 1, &info, nullptr, &made);
}

TEST(LayerChains, PipelinesAreMadeFromConstantModules) {
  FakeDriver driver;
  const std::vector<std::uint8_t> words = read_bytes(HEDDLE_TEST_DIR "/data/footprint/glsl/a_all_2d.frag.spv");
  ConstantMemory memory;
  const auto* code =
      memory.put(VkShaderModuleCreateInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size(),
                                          reinterpret_cast<const std::uint32_t*>(words.data())});
  const auto* size = memory.put(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, behind(code), 16});
  memory.seal();
  unsigned made = 0;
  driver.on_create_pipeline = [&](const VkComputePipelineCreateInfo& info) {
    ++made;
    EXPECT_NE(info.stage.module, VkShaderModule{});
    ASSERT_EQ(as_base(info.stage.pNext)->sType, size->sType);
    const auto* copy = static_cast<const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo*>(info.stage.pNext);
    EXPECT_EQ(copy->requiredSubgroupSize, 16u);
    EXPECT_EQ(copy->pNext, nullptr);
  };
  EXPECT_EQ(create_pipeline(driver, size), VK_SUCCESS);
  EXPECT_EQ(made, 1u);
  EXPECT_EQ(driver.modules, 0) << "the module was of the moment";
}

}  // namespace
}  // namespace heddle::test
