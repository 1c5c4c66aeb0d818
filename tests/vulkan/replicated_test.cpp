// SPDX-License-Identifier: MIT
// VK_EXT_shader_replicated_composites: composites whose parts are all one value, as constants, as constants that are
// specialized, and made by instructions. The assembler of Debian 12 does not know them: their words are numbers.

#include "vulkan/canvas.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

// 4 words, and OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT, OpCompositeConstructReplicateEXT.
const std::string kConstant = "!266605 ", kSpecialized = "!266606 ", kConstructed = "!266607 ";

/// A shader of 16 invocations: `types` behind the constants, `body` with %n, their number, and pointers %o0 and %o1.
std::string module_of(const std::string& types, const std::string& body,
                      const std::string& capability = "OpCapability !6024\n") {
  return "OpCapability Shader\n" + capability +
         "OpExtension \"SPV_EXT_replicated_composites\"\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint GLCompute %main \"main\" %id\nOpExecutionMode %main LocalSize 16 1 1\n"
         "OpDecorate %id BuiltIn LocalInvocationIndex\nOpDecorate %words ArrayStride 4\nOpDecorate %block Block\n"
         "OpMemberDecorate %block 0 Offset 0\nOpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n"
         "OpDecorate %len SpecId 3\nOpDecorate %value SpecId 4\n%void = OpTypeVoid\n%f = OpTypeFunction %void\n"
         "%u = OpTypeInt 32 0\n%r = OpTypeFloat 32\n%words = OpTypeRuntimeArray %u\n%block = OpTypeStruct %words\n"
         "%pb = OpTypePointer StorageBuffer %block\n%pu = OpTypePointer StorageBuffer %u\n"
         "%pi = OpTypePointer Input %u\n%id = OpVariable %pi Input\n%out = OpVariable %pb StorageBuffer\n"
         "%c0 = OpConstant %u 0\n%c1 = OpConstant %u 1\n%c2 = OpConstant %u 2\n%c3 = OpConstant %u 3\n"
         "%c7 = OpConstant %u 7\n%c16 = OpConstant %u 16\n%half = OpConstant %r 0.5\n"
         "%len = OpSpecConstant %u 4\n%value = OpSpecConstant %u 9\n" +
         types +
         "%main = OpFunction %void None %f\n%l = OpLabel\n%n = OpLoad %u %id\n%n16 = OpIAdd %u %n %c16\n"
         "%o0 = OpAccessChain %pu %out %c0 %n\n%o1 = OpAccessChain %pu %out %c0 %n16\n" +
         body + "OpReturn\nOpFunctionEnd\n";
}

/// What the invocations wrote, or nothing where the assembler is missing.
std::vector<std::uint32_t> run_module(const std::string& text, const VkSpecializationInfo* special = nullptr) {
  const auto words = assemble(text);
  if (words.empty()) return {};
  VulkanDevice v({"VK_EXT_shader_replicated_composites"});
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout set_layout = v.set_layout(bindings);
  const VkPipelineLayout layout = v.layout({set_layout}, 0);
  const VkDescriptorSet set = v.set(set_layout, bindings);
  const VulkanDevice::Buffer out = v.buffer(128);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  const VkPipeline pipeline = v.pipeline_of(words, layout, special);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  std::vector<std::uint32_t> o(32);
  for (std::uint32_t n = 0; n < 32; ++n) o[n] = out.word(n);
  return o;
}

TEST(VulkanReplicated, ConstantsOfVectorsMatricesAndArrays) {
  HEDDLE_NEED_NEWER();
  // A matrix of 3 columns and 2 rows, all 0.5, times (0.5, 0.5, 0.5) is (0.75, 0.75).
  const auto o = run_module(module_of(
      "%v4 = OpTypeVector %u 4\n%r2 = OpTypeVector %r 2\n%r3 = OpTypeVector %r 3\n%m = OpTypeMatrix %r2 3\n"
      "%a = OpTypeArray %v4 %c3\n" +
          kConstant + "%v4 %sevens %c7\n" + kConstant + "%r2 %halves %half\n" + kConstant + "%r3 %three %half\n" +
          kConstant + "%m %matrix %halves\n" + kConstant + "%a %array %sevens\n%eight = OpConstant %r 8\n",
      "%x = OpCompositeExtract %u %array 2 3\n%y = OpCompositeExtract %u %array 0 0\n%xy = OpIMul %u %x %y\n"
      "%sum = OpIAdd %u %xy %n\nOpStore %o0 %sum\n%h = OpCompositeExtract %r %matrix 2 1\n"
      "%product = OpMatrixTimesVector %r2 %matrix %three\n%p = OpCompositeExtract %r %product 1\n"
      "%hp = OpFAdd %r %h %p\n%times = OpFMul %r %hp %eight\n%bits = OpConvertFToU %u %times\nOpStore %o1 %bits\n"));
  if (o.empty()) GTEST_SKIP() << "spirv-as is not installed";
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], 49 + n);
    EXPECT_EQ(o[16 + n], 10u) << "8 * (0.5 + 0.75)";
  }
}

// An array whose length is a specialization constant has so many parts as the pipeline says.
TEST(VulkanReplicated, SpecializedValuesAndLengths) {
  HEDDLE_NEED_NEWER();
  const std::string types =
      "%b = OpTypeBool\n%a = OpTypeArray %u %len\n%pa = OpTypePointer Function %a\n%pf = OpTypePointer Function %u\n" +
      kSpecialized + "%a %array %value\n";
  const std::string body =  // the sum of all parts, by a loop over the array in a variable, and its last part
      "%total0 = OpCompositeExtract %u %array 0\n%whole = OpIMul %u %total0 %len\nOpStore %o0 %whole\n"
      "OpStore %copy %array\n%last = OpISub %u %len %c1\n%place = OpAccessChain %pf %copy %last\n"
      "%z = OpLoad %u %place\n%zn = OpIAdd %u %z %n\nOpStore %o1 %zn\n";
  std::string text = module_of(types, body);
  text.insert(text.find("%n = OpLoad"), "%copy = OpVariable %pa Function\n");
  const std::uint32_t data[] = {6, 11};
  const VkSpecializationMapEntry entries[] = {{3, 0, 4}, {4, 4, 4}};
  const VkSpecializationInfo special{2, entries, sizeof data, data};
  const auto own = run_module(text), changed = run_module(text, &special);
  if (own.empty()) GTEST_SKIP() << "spirv-as is not installed";
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(own[n], 4u * 9);
    EXPECT_EQ(own[16 + n], 9 + n);
    EXPECT_EQ(changed[n], 6u * 11);
    EXPECT_EQ(changed[16 + n], 11 + n);
  }
}

TEST(VulkanReplicated, InstructionsMakeThemOfAnyValue) {
  HEDDLE_NEED_NEWER();
  const auto o = run_module(
      module_of("%v3 = OpTypeVector %u 3\n%a = OpTypeArray %v3 %c7\n%s = OpTypeStruct %a %a\n",
                // The assembler takes a bare number for an operand more where an instruction may have any number.
                "%fixed = OpIAdd %u %n %c0\n" + kConstructed + "%v3 %vector %n\n" + kConstructed +
                    "%a %array %vector\n" + kConstructed +
                    "%s %both %array\n%x = OpCompositeExtract %u %both 1 6 2\n%y = OpCompositeExtract %u %both 0 0 0\n"
                    "%sum = OpIAdd %u %x %y\nOpStore %o0 %sum\n%z = OpCompositeExtract %u %array 3 1\n"
                    "%zz = OpIMul %u %z %c7\nOpStore %o1 %zz\n"));
  if (o.empty()) GTEST_SKIP() << "spirv-as is not installed";
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], 2 * n);
    EXPECT_EQ(o[16 + n], 7 * n);
  }
}

// spirv-replicated: SPIRV-Tools does not look at them.
TEST(VulkanReplicated, WrongOnesAreRefused) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_EXT_shader_replicated_composites"});
  const VkPipelineLayout layout = v.layout({v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}})}, 0);
  const auto result = [&](const std::string& types, const std::string& body,
                          const std::string& capability = "OpCapability !6024\n") {
    const auto words = assemble(module_of("%v3 = OpTypeVector %u 3\n" + types, body, capability));
    if (words.empty()) return VK_INCOMPLETE;
    const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, words.size() * 4,
                                        words.data()};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.stage.pNext = &code;
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult made = vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    vkDestroyPipeline(v.device, pipeline, nullptr);
    return made;
  };
  const std::string use = "%x = OpCompositeExtract %u %vector 1\nOpStore %o0 %x\n";
  if (result("", "") == VK_INCOMPLETE) GTEST_SKIP() << "spirv-as is not installed";
  EXPECT_EQ(result(kConstant + "%v3 %vector %c7\n", use), VK_SUCCESS);
  EXPECT_EQ(result(kConstant + "%v3 %vector %half\n", use), VK_ERROR_UNKNOWN) << "a value of another type";
  EXPECT_EQ(result(kConstant + "%v3 %vector %nowhere\n", use), VK_ERROR_UNKNOWN) << "no value";
  EXPECT_EQ(result(kConstant + "%u %vector %c7\n", "OpStore %o0 %vector\n"), VK_ERROR_UNKNOWN) << "no composite";
  EXPECT_EQ(result(kConstant + "%v3 %vector %id\n", use), VK_ERROR_UNKNOWN) << "a variable";
  EXPECT_EQ(result("", kConstructed + "%v3 %vector %o0\n" + use), VK_ERROR_UNKNOWN) << "a pointer";
  EXPECT_EQ(result("!201069 %v3 %vector\n", use), VK_ERROR_UNKNOWN) << "no operand";
  EXPECT_EQ(result(kConstant + "%v3 %vector %c7\n", use, ""), VK_ERROR_UNKNOWN) << "no capability";
}

}  // namespace
}  // namespace heddle::test
