// SPDX-License-Identifier: MIT
#pragma once
// Tests that run on lavapipe, which lacks the extension, and on Heddle's own device, which is made to do without it.

#include <memory>

#include "layer/query_kit.hpp"

namespace heddle::test {

class LayerTest : public testing::TestWithParam<LayerDevice> {
 protected:
  void SetUp() override {
    HEDDLE_NEED_SHADERS();
    if (GetParam() == LayerDevice::Lavapipe) HEDDLE_NEED_LAVAPIPE();
    layer_ = std::make_unique<WithLayer>(GetParam() == LayerDevice::Heddle);
    device_ = open();
  }
  [[nodiscard]] static std::string manifest() {
    return GetParam() == LayerDevice::Lavapipe ? lavapipe_manifest() : std::string(HEDDLE_VULKAN_MANIFEST);
  }
  [[nodiscard]] static std::unique_ptr<VulkanDevice> open(std::vector<const char*> more = {}) {
    more.push_back(VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME);
    return std::make_unique<VulkanDevice>(more, manifest());
  }
  VulkanDevice& device() { return *device_; }

  std::unique_ptr<WithLayer> layer_;
  std::unique_ptr<VulkanDevice> device_;
};

#define HEDDLE_LAYER_SUITE(suite)                                             \
  INSTANTIATE_TEST_SUITE_P(                                                   \
      On, suite, testing::Values(LayerDevice::Lavapipe, LayerDevice::Heddle), \
      [](const auto& info) { return info.param == LayerDevice::Lavapipe ? std::string("Lavapipe") : "Heddle"; })

}  // namespace heddle::test
