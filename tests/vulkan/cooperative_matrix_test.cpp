// SPDX-License-Identifier: MIT
// VK_KHR_cooperative_matrix (SPV-55): what the driver lists, and the bounds of buffers. tests/compile has the rest.

#include <cmath>
#include <cstring>

#include "support/matrix_module.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

std::vector<VkCooperativeMatrixPropertiesKHR> listed(const VulkanDevice& v) {
  const auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR>(
      vkGetInstanceProcAddr(v.instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  std::uint32_t count = 0;
  EXPECT_EQ(get(v.physical, &count, nullptr), VK_SUCCESS);
  std::vector<VkCooperativeMatrixPropertiesKHR> list(count, {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR});
  EXPECT_EQ(get(v.physical, &count, list.data()), VK_SUCCESS);
  std::uint32_t one = 1;
  EXPECT_EQ(get(v.physical, &one, list.data()), VK_INCOMPLETE);
  EXPECT_EQ(one, 1u);
  return list;
}

std::string word_of(VkComponentTypeKHR type) {
  switch (static_cast<int>(type)) {
    case VK_COMPONENT_TYPE_FLOAT16_KHR:
      return "f16";
    case VK_COMPONENT_TYPE_FLOAT32_KHR:
      return "f32";
    case VK_COMPONENT_TYPE_SINT8_KHR:
      return "s8";
    case VK_COMPONENT_TYPE_UINT8_KHR:
      return "u8";
    case VK_COMPONENT_TYPE_SINT32_KHR:
      return "s32";
    case VK_COMPONENT_TYPE_UINT32_KHR:
      return "u32";
    default:
      return {};
  }
}

/// A small whole number as an element.
std::uint32_t bits_of(int number, const std::string& type) {
  if (type[0] != 'f') return static_cast<std::uint32_t>(number);
  std::uint32_t bits = 0;
  const auto real = static_cast<float>(number);
  std::memcpy(&bits, &real, 4);
  if (type == "f32" || number == 0) return bits;
  return (bits >> 16 & 0x8000u) | ((bits >> 23 & 0xffu) - 112) << 10 | (bits >> 13 & 0x3ffu);
}

/// Whole numbers that halves hold exactly, as do all sums of their products.
int number_at(unsigned which, unsigned row, unsigned column) {
  return static_cast<int>((row * 5 + column * 3 + which * 2) % 7) - (which == 2 ? 3 : 0);
}

/// Buffers for a module's matrices, filled, and D of zeros.
class MatrixRun {
 public:
  MatrixRun(VulkanDevice& device, const MatrixModule& module) : v(device), m(module) {
    for (unsigned which = 0; which < 4; ++which) {
      const unsigned bytes = MatrixModule::bytes(m.type_of(which));
      buffers_[which] = v.buffer(std::uint64_t{m.size(which)} * bytes + 64);
      std::memset(buffers_[which].bytes, 0, buffers_[which].size);
      for (unsigned r = 0; r < m.rows(which) && which < 3; ++r)
        for (unsigned c = 0; c < m.columns(which); ++c) {
          const std::uint32_t bits = bits_of(number_at(which, r, c), m.type_of(which));
          std::memcpy(buffers_[which].bytes + std::size_t{m.index(which, r, c)} * bytes, &bits, bytes);
        }
    }
  }
  /// `bytes`: of each buffer that descriptors reach. False: the assembler is missing.
  bool run(const std::array<std::uint64_t, 4>& bytes, std::uint32_t subgroup = 0) {
    const auto words = assemble(m.text());
    if (words.empty()) return false;
    std::vector<VulkanDevice::Binding> bindings;
    for (std::uint32_t b = 0; b < 4; ++b) bindings.push_back({b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER});
    const VkDescriptorSetLayout set_layout = v.set_layout(bindings);
    const VkPipelineLayout layout = v.layout({set_layout}, 0);
    const VkDescriptorSet set = v.set(set_layout, bindings);
    for (unsigned which = 0; which < 4; ++which)
      v.write(set, (which + 1) % 4, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers_[which], 0, bytes[which]);
    const VkPipeline pipeline = pipeline_of(words, layout, subgroup);
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    return true;
  }
  /// An element of D.
  [[nodiscard]] std::uint32_t d(unsigned row, unsigned column) const {
    const unsigned bytes = MatrixModule::bytes(m.c);
    std::uint32_t bits = 0;
    std::memcpy(&bits, buffers_[3].bytes + std::size_t{m.index(3, row, column)} * bytes, bytes);
    return bits;
  }

  VulkanDevice& v;
  MatrixModule m;

 private:
  VkPipeline pipeline_of(const std::vector<std::uint32_t>& words, VkPipelineLayout layout, std::uint32_t subgroup) {
    if (subgroup == 0) return v.pipeline_of(words, layout);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    size.requiredSubgroupSize = subgroup;
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.pNext = &size;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = v.module(words);
    info.stage.pName = "main";
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    vkDestroyShaderModule(v.device, info.stage.module, nullptr);
    v.later([device = v.device, pipeline] { vkDestroyPipeline(device, pipeline, nullptr); });
    return pipeline;
  }
  std::array<VulkanDevice::Buffer, 4> buffers_;
};

constexpr std::array<std::uint64_t, 4> kWhole{VK_WHOLE_SIZE, VK_WHOLE_SIZE, VK_WHOLE_SIZE, VK_WHOLE_SIZE};

TEST(VulkanCooperativeMatrices, ProductsThatAreListed_SPV55) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_KHR_cooperative_matrix", VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME});
  const auto list = listed(v);
  ASSERT_GE(list.size(), 20u);
  std::uint32_t number = 0;
  for (const VkCooperativeMatrixPropertiesKHR& p : list) {
    EXPECT_EQ(p.scope, VK_SCOPE_SUBGROUP_KHR);
    EXPECT_EQ(p.CType, p.ResultType);
    MatrixModule m;
    m.m = p.MSize;
    m.n = p.NSize;
    m.k = p.KSize;
    m.a = word_of(p.AType);
    m.b = word_of(p.BType);
    m.c = word_of(p.CType);
    m.saturates = p.saturatingAccumulation == VK_TRUE;
    for (unsigned which = 0; which < 4; ++which) m.layouts[which] = number >> which & 1u;
    const std::array<std::uint32_t, 3> sizes{0, 8, 32};
    const std::uint32_t subgroup = sizes[++number % 3];
    m.lanes = subgroup == 0 ? 16 : subgroup;
    MatrixRun run(v, m);
    if (!run.run(kWhole, subgroup)) GTEST_SKIP() << "spirv-as is not installed";
    for (unsigned r = 0; r < m.m; ++r)
      for (unsigned c = 0; c < m.n; ++c) {
        int sum = number_at(2, r, c);
        for (unsigned k = 0; k < m.k; ++k) sum += number_at(0, r, k) * number_at(1, k, c);
        // Below 0 a saturating sum of unsigned numbers stays, where C is one: C is 4294967293 then.
        const bool high = m.saturates && m.c == "u32" && number_at(2, r, c) < 0;
        const std::uint32_t top = 0xffffffffu;
        ASSERT_EQ(run.d(r, c), high && sum >= 0 ? top : bits_of(sum, m.c))
            << number << ": row " << r << ", column " << c;
      }
  }
}

// Elements beyond what a descriptor reaches are 0, and are not stored.
TEST(VulkanCooperativeMatrices, AreBounded_SPV55) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_KHR_cooperative_matrix"});
  for (const char* type : {"f16", "f32"})
    for (const unsigned layout : {0u, 1u}) {
      MatrixModule m;
      m.a = m.b = m.c = type;
      m.layouts = {layout, layout, layout, layout};
      const unsigned bytes = MatrixModule::bytes(type);
      // In the middle of a row, and for halves in the middle of a word.
      const std::array<unsigned, 4> elements{16 * 9 + 5, 16 * 13 + 7, 16 * 6 + 11, 16 * 11 + 3};
      MatrixRun run(v, m);
      std::array<std::uint64_t, 4> reached{};
      for (unsigned which = 0; which < 4; ++which) reached[which] = std::uint64_t{elements[which]} * bytes;
      if (!run.run(reached)) GTEST_SKIP() << "spirv-as is not installed";
      const auto at = [&](unsigned which, unsigned row, unsigned column) {
        return m.index(which, row, column) < elements[which] ? number_at(which, row, column) : 0;
      };
      for (unsigned r = 0; r < 16; ++r)
        for (unsigned c = 0; c < 16; ++c) {
          int sum = at(2, r, c);
          for (unsigned k = 0; k < 16; ++k) sum += at(0, r, k) * at(1, k, c);
          ASSERT_EQ(run.d(r, c), m.index(3, r, c) < elements[3] ? bits_of(sum, m.c) : 0)
              << type << ", layout " << layout << ": row " << r << ", column " << c;
        }
    }
}

TEST(VulkanCooperativeMatrices, StagesAndFeatures) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v;
  VkPhysicalDeviceCooperativeMatrixPropertiesKHR matrices{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &matrices};
  vkGetPhysicalDeviceProperties2(v.physical, &properties);
  EXPECT_EQ(matrices.cooperativeMatrixSupportedStages, static_cast<VkShaderStageFlags>(VK_SHADER_STAGE_COMPUTE_BIT));
  VkPhysicalDeviceCooperativeMatrixFeaturesKHR features{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features};
  vkGetPhysicalDeviceFeatures2(v.physical, &all);
  EXPECT_EQ(features.cooperativeMatrix, VK_TRUE);
  EXPECT_EQ(features.cooperativeMatrixRobustBufferAccess, VK_TRUE);
}

}  // namespace
}  // namespace heddle::test
