// SPDX-License-Identifier: MIT
#pragma once
// Tests that run on lavapipe and on SwiftShader, which lack the extension, and on Heddle's own device, which is made to
// do without it.

#include <filesystem>
#include <memory>
#include <string>

#include "layer/query_kit.hpp"

namespace heddle::test {

/// Of Debian's Chromium.
constexpr const char* kSwiftShaderManifest = "/usr/lib/chromium/vk_swiftshader_icd.json";
inline bool has_swiftshader() {
#if defined(HEDDLE_EMULATED)
  return false;  // it is for the machine at hand
#else
  return std::filesystem::exists(kSwiftShaderManifest);
#endif
}

class LayerTest : public testing::TestWithParam<LayerDevice> {
 protected:
  void SetUp() override {
    HEDDLE_NEED_SHADERS();
    if (GetParam() == LayerDevice::Lavapipe) HEDDLE_NEED_LAVAPIPE();
    if (GetParam() == LayerDevice::SwiftShader && !has_swiftshader())
      GTEST_SKIP() << kSwiftShaderManifest << " is not there, or not for this program";
    layer_ = std::make_unique<WithLayer>(GetParam() == LayerDevice::Heddle);
    device_ = open();
  }
  [[nodiscard]] static std::string manifest() {
    switch (GetParam()) {
      case LayerDevice::Lavapipe:
        return lavapipe_manifest();
      case LayerDevice::SwiftShader:
        return kSwiftShaderManifest;
      case LayerDevice::Heddle:
        break;
    }
    return HEDDLE_VULKAN_MANIFEST;
  }
  [[nodiscard]] static std::unique_ptr<VulkanDevice> open(std::vector<const char*> more = {}) {
    more.push_back(VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME);
    return std::make_unique<VulkanDevice>(more, manifest());
  }
  VulkanDevice& device() { return *device_; }

  std::unique_ptr<WithLayer> layer_;
  std::unique_ptr<VulkanDevice> device_;
};

inline std::string name_of(LayerDevice device) {
  return device == LayerDevice::Lavapipe ? "Lavapipe" : device == LayerDevice::SwiftShader ? "SwiftShader" : "Heddle";
}
#define HEDDLE_LAYER_SUITE(suite)                                                                                 \
  INSTANTIATE_TEST_SUITE_P(On, suite,                                                                             \
                           testing::Values(LayerDevice::Lavapipe, LayerDevice::SwiftShader, LayerDevice::Heddle), \
                           [](const auto& info) { return name_of(info.param); })

}  // namespace heddle::test
