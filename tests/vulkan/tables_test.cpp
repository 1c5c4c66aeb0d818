// SPDX-License-Identifier: MIT
// docs/vulkan-tables.md says what the driver reports. `HEDDLE_UPDATE_TABLES=1` writes it anew.

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "support/process.hpp"
#include "vulkan/device.hpp"
#include "vulkan/generated/names.hpp"

namespace heddle::test {
namespace {

/// What the physical device says of every feature that the registry names.
std::map<std::string, bool> features_of(VkPhysicalDevice physical) {
  std::map<std::string, bool> features;
  for (const registry::Member& bit : registry::kFeatures) {
    if (bit.of_version) continue;  // it repeats what extensions have
    std::vector<std::uint64_t> memory(bit.size / 8 + 1);
    auto* structure = reinterpret_cast<VkBaseOutStructure*>(memory.data());
    structure->sType = bit.structure;
    VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    if (bit.structure == all.sType)
      vkGetPhysicalDeviceFeatures2(physical, reinterpret_cast<VkPhysicalDeviceFeatures2*>(structure));
    else
      all.pNext = structure, vkGetPhysicalDeviceFeatures2(physical, &all);
    VkBool32 value = VK_FALSE;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(memory.data()) + bit.offset, sizeof value);
    features[bit.name] = features[bit.name] || value == VK_TRUE;
  }
  return features;
}

std::string wrapped(const std::set<std::string>& words) {
  std::string text;
  std::size_t column = 0;
  for (const std::string& word : words) {
    if (column != 0 && column + word.size() > 150) text += '\n', column = 0;
    text += (column == 0 ? "`" : " `") + word + "`";
    column += word.size() + 3;
  }
  return text + "\n";
}

std::set<std::string> extensions_of(VkPhysicalDevice physical) {
  std::uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> list(count);
  vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, list.data());
  std::set<std::string> names;
  for (const VkExtensionProperties& e : list) names.insert(e.extensionName);
  return names;
}

/// Those of offered.txt: a loader adds some of its own, and hides others.
std::set<std::string> instance_extensions() {
  std::istringstream lines(read_text(std::filesystem::path(HEDDLE_SOURCE_DIR) / "src/vulkan/api/offered.txt"));
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) inside = line == "[instance]";
    std::istringstream words(line);
    for (std::string word; inside && words >> word;)
      if (word.starts_with("VK_")) names.insert(word);
  }
  return names;
}

/// The reason of each extension of not_offered.txt.
std::map<std::string, std::string> reasons() {
  std::istringstream lines(read_text(std::filesystem::path(HEDDLE_SOURCE_DIR) / "src/vulkan/api/not_offered.txt"));
  std::map<std::string, std::string> found;
  std::string reason;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("[")) {
      reason = line.substr(1, line.find(']') - 1);
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;) EXPECT_TRUE(found.emplace(word, reason).second) << word << " is there twice";
  }
  return found;
}

/// What the registry has and the driver has not, under the reasons.
std::string absent_extensions(const std::set<std::string>& offered) {
  const std::map<std::string, std::string> all = reasons();
  std::map<std::string, std::set<std::string>> by_reason;
  for (const char* name : registry::kExtensions) {
    if (offered.contains(name)) continue;
    const auto found = all.find(name);
    EXPECT_NE(found, all.end()) << name << " is not offered, and not_offered.txt does not say why";
    if (found != all.end()) by_reason[found->second].insert(name);
  }
  std::string text;
  for (const auto& [reason, names] : by_reason) text += "\n" + reason + ":\n\n" + wrapped(names);
  return text;
}

struct Column {
  const char* head;
  VkFormatFeatureFlags bits;
  bool buffer = false;
};
constexpr Column kColumns[] = {
    {"sampled", VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT},
    {"linear", VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT},
    {"min/max", VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT},
    {"storage", VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT},
    {"atomic", VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT},
    {"color", VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT},
    {"blend", VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT},
    {"depth, stencil", VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT},
    {"blit from", VK_FORMAT_FEATURE_BLIT_SRC_BIT},
    {"blit to", VK_FORMAT_FEATURE_BLIT_DST_BIT},
    {"vertex", VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT, true},
    {"texel buffer", VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT, true},
    {"storage texel buffer", VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT, true},
    {"atomic texel buffer", VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT, true},
};

std::string format_table(VkPhysicalDevice physical) {
  std::string text = "| format |", line = "|---|";
  for (const Column& column : kColumns) {
    text += std::string(" ") + column.head + " |";
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const registry::Value& format : registry::kFormats) {
    VkFormatProperties can;
    vkGetPhysicalDeviceFormatProperties(physical, static_cast<VkFormat>(format.value), &can);
    if ((can.optimalTilingFeatures | can.bufferFeatures) == 0) continue;
    text += std::string("| ") + format.name + " |";
    for (const Column& column : kColumns) {
      const VkFormatFeatureFlags bits = column.buffer ? can.bufferFeatures : can.optimalTilingFeatures;
      text += (bits & column.bits) != 0 ? " x |" : " |";
    }
    text += "\n";
  }
  return text;
}

std::string tables() {
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  std::set<std::string> has, lacks;
  for (const auto& [name, value] : features_of(physical)) (value ? has : lacks).insert(name);
  std::string text =
      "# The driver's tables\n\nWritten by `HEDDLE_UPDATE_TABLES=1 build/dev/tests/test_vulkan "
      "--gtest_filter='VulkanTables.*'` from what the driver reports; a test compares.\nCopies (`transfer`) work with "
      "every format here, and linear tiling has what optimal tiling has.\n";
  text += "\n## Extensions\n\n" + wrapped(extensions_of(physical));
  std::set<std::string> offered = extensions_of(physical);
  offered.merge(instance_extensions());
  text += "\n### Not offered\n" + absent_extensions(offered);
  text += "\n## Features\n\n" + wrapped(has);
  text += "\nNot offered:\n\n" + wrapped(lacks);
  text += "\n## Formats\n\n" + format_table(physical);
  vkDestroyInstance(instance, nullptr);
  return text;
}

TEST(VulkanTables, TheDocumentSaysWhatTheDriverReports) {
  const std::filesystem::path path = std::filesystem::path(HEDDLE_SOURCE_DIR) / "docs/vulkan-tables.md";
  const std::string now = tables();
  if (std::getenv("HEDDLE_UPDATE_TABLES") != nullptr) write_text(path, now);
  EXPECT_EQ(read_text(path), now) << "HEDDLE_UPDATE_TABLES=1 writes it anew";
}

// Each name of offered.txt is in some structure that an application may ask with.
TEST(VulkanTables, EveryOfferedFeatureIsReported) {
  std::istringstream lines(read_text(std::filesystem::path(HEDDLE_SOURCE_DIR) / "src/vulkan/api/offered.txt"));
  const VkInstance instance = make_instance();
  const std::map<std::string, bool> features = features_of(physical_device(instance));
  bool inside = false;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[")) inside = line == "[features]";
    if (!inside || line.starts_with("[") || line.starts_with("#")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word; ++count) {
      const auto found = features.find(word);
      // Sums of several features and whole extensions, which only the structure of a version has.
      static const std::set<std::string> later{
          "descriptorIndexing",        "samplerMirrorClampToEdge", "samplerFilterMinmax",        "drawIndirectCount",
          "shaderOutputViewportIndex", "shaderOutputLayer",        "subgroupBroadcastDynamicId", "pushDescriptor"};
      if (later.contains(word)) continue;
      EXPECT_TRUE(found != features.end() && found->second) << word;
    }
  }
  EXPECT_GT(count, 60u);
  vkDestroyInstance(instance, nullptr);
}

/// Sums of several features and whole extensions, which only the structures of Vulkan 1.2 and 1.4 have.
std::map<std::string, bool> features_of_versions(VkPhysicalDevice physical) {
  VkPhysicalDeviceVulkan14Features fourth{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES};
  VkPhysicalDeviceVulkan12Features f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &fourth};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f, {}};
  vkGetPhysicalDeviceFeatures2(physical, &all);
  return {{"descriptorIndexing", f.descriptorIndexing == VK_TRUE},
          {"samplerMirrorClampToEdge", f.samplerMirrorClampToEdge == VK_TRUE},
          {"samplerFilterMinmax", f.samplerFilterMinmax == VK_TRUE},
          {"drawIndirectCount", f.drawIndirectCount == VK_TRUE},
          {"shaderOutputViewportIndex", f.shaderOutputViewportIndex == VK_TRUE},
          {"shaderOutputLayer", f.shaderOutputLayer == VK_TRUE},
          {"subgroupBroadcastDynamicId", f.subgroupBroadcastDynamicId == VK_TRUE},
          {"pushDescriptor", fourth.pushDescriptor == VK_TRUE}};
}

// tests/vulkan/feature_tests.txt names a test of this program for each feature that is reported, and no other.
TEST(VulkanTables, EveryReportedFeatureHasItsTest) {
  std::set<std::string> tests;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s)
    for (int t = 0; t < all.GetTestSuite(s)->total_test_count(); ++t)
      tests.insert(std::string(all.GetTestSuite(s)->name()) + "." + all.GetTestSuite(s)->GetTestInfo(t)->name());
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  std::map<std::string, bool> features = features_of(physical);
  features.merge(features_of_versions(physical));
  vkDestroyInstance(instance, nullptr);
  std::istringstream lines(read_text(std::filesystem::path(HEDDLE_SOURCE_DIR) / "tests/vulkan/feature_tests.txt"));
  std::set<std::string> tested;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string feature, test;
    words >> feature >> test;
    EXPECT_TRUE(tests.contains(test)) << feature << ": there is no test " << test;
    EXPECT_TRUE(tested.insert(feature).second) << feature << " is there twice";
    const auto found = features.find(feature);
    EXPECT_TRUE(found != features.end() && found->second) << feature << " is not reported";
  }
  for (const auto& [feature, reported] : features) {
    EXPECT_TRUE(!reported || tested.contains(feature)) << feature << " has no test in feature_tests.txt";
  }
  EXPECT_GT(tested.size(), 120u);
}

}  // namespace
}  // namespace heddle::test
