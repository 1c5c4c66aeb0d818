// SPDX-License-Identifier: MIT
// debugPrintfEXT in the driver: messages to the application and to standard error. Rules: SPV-37.

#include <algorithm>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

const std::string kHead = "#version 450\n#extension GL_EXT_debug_printf : enable\n";

/// Listens to information.
class Listener {
 public:
  explicit Listener(VulkanDevice& v) {
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = [](VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                              const VkDebugUtilsMessengerCallbackDataEXT* data, void* user) -> VkBool32 {
      if (data->pMessageIdName != nullptr && std::string(data->pMessageIdName) == "shader-printf")
        static_cast<Listener*>(user)->texts.emplace_back(data->pMessage);
      return VK_FALSE;
    };
    info.pUserData = this;
    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    const VkInstance instance = v.instance;
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance, "vkCreateDebugUtilsMessengerEXT"));
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance, "vkDestroyDebugUtilsMessengerEXT"));
    EXPECT_EQ(create(instance, &info, nullptr, &messenger), VK_SUCCESS);
    v.later([=] { destroy(instance, messenger, nullptr); });
  }
  std::vector<std::string> texts;
};

TEST(VulkanPrint, DispatchesTellTheApplication) {
  HEDDLE_NEED_SHADERS();
  for (const bool checks : {false, true}) {
    if (checks) setenv("HEDDLE_CHECK", "warn", 1);
    VulkanDevice v;
    unsetenv("HEDDLE_CHECK");
    Listener heard(v);
    const VkPipelineLayout layout = v.layout({});
    const VkPipeline pipeline = v.pipeline(kHead +
                                               "layout(local_size_x = 4) in;\n"
                                               "void main() { debugPrintfEXT(\"%u of %u\", gl_GlobalInvocationID.x, "
                                               "gl_NumWorkGroups.x * 4u); }\n",
                                           layout);
    testing::internal::CaptureStderr();
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdDispatch(c, 2, 1, 1);
    }),
              VK_SUCCESS);
    const std::string text = testing::internal::GetCapturedStderr();
    std::ranges::sort(heard.texts);
    EXPECT_EQ(heard.texts, (std::vector<std::string>{"0 of 8", "1 of 8", "2 of 8", "3 of 8", "4 of 8", "5 of 8",
                                                     "6 of 8", "7 of 8"}));
    EXPECT_NE(text.find("5 of 8\n"), std::string::npos) << text;
    EXPECT_TRUE(v.messages.empty());
  }
}

TEST(VulkanPrint, DrawsToo) {
  HEDDLE_NEED_SHADERS();
  Canvas t(2, 1);
  Listener heard(t.v);
  PipelineState state;
  state.vertex = kHead +
                 "void main() { debugPrintfEXT(\"vertex %d\", gl_VertexIndex);\n"
                 "gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1); }\n";
  state.fragment = kHead +
                   "layout(location = 0) out vec4 color;\n"
                   "void main() { debugPrintfEXT(\"pixel %v2f\", gl_FragCoord.xy); color = vec4(1); }\n";
  state.layout = t.plain_layout;
  const VkPipeline pipeline = t.pipeline(state);
  t.draw([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(c, 3, 1, 0, 0);
  });
  std::ranges::sort(heard.texts);
  EXPECT_EQ(heard.texts, (std::vector<std::string>{"pixel 0.500000, 0.500000", "pixel 1.500000, 0.500000", "vertex 0",
                                                   "vertex 1", "vertex 2"}));
}

}  // namespace
}  // namespace heddle::test
