// SPDX-License-Identifier: MIT
// VK_KHR_shader_fma: OpFmaKHR, in the place of GLSL's fma, which glslang 12 writes.

#include <bit>
#include <cmath>

#include "vulkan/feature_kit.hpp"
#include "vulkan/newer_modules.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kExtInst = 12, kFma = 4427, kGlslFma = 50, kCapability = 6030;

/// The module with OpFmaKHR where it has fma of GLSL.std.450; how many: `replaced`.
std::vector<std::uint32_t> with_fma(const std::vector<std::uint32_t>& words, unsigned& replaced) {
  std::vector<std::uint32_t> out(words.begin(), words.begin() + 5);
  each_instruction(words, [&](std::uint32_t opcode, const std::uint32_t* at) {
    if (opcode != kExtInst || at[4] != kGlslFma) return void(out.insert(out.end(), at, at + (*at >> 16)));
    out.insert(out.end(), {6u << 16 | kFma, at[1], at[2], at[5], at[6], at[7]});
    ++replaced;
  });
  return out;
}

const std::string kShader =
    "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n" + kFeatureHead +
    "void main() { uint i = gl_LocalInvocationIndex;\n"
    "  float x = uintBitsToFloat(0x3f800001u + i * 977u), y = uintBitsToFloat(0x3f800003u + i * 1231u);\n"
    "  o[i] = floatBitsToUint(fma(x, y, uintBitsToFloat(0xbf800000u + i)));\n"
    "  double a = packDouble2x32(uvec2(i * 7919u + 1u, 0x3ff00000u)), b = packDouble2x32(uvec2(i * 977u + 3u, "
    "0x3ff00000u));\n"
    "  uvec2 wide = unpackDouble2x32(fma(a, b, packDouble2x32(uvec2(i, 0xbff00000u))));\n"
    "  o[16u + 2u * i] = wide.x; o[17u + 2u * i] = wide.y;\n"
    "  f16vec2 h = uint16BitsToFloat16(u16vec2(0x3c01us + uint16_t(i * 37u), 0x3c03us + uint16_t(i * 53u)));\n"
    "  f16vec2 r = fma(h, h.yx, uint16BitsToFloat16(u16vec2(0xbc00us + uint16_t(i), 0x3c00us)));\n"
    "  o[48u + i] = uint(float16BitsToUint16(r.x)); o[64u + i] = uint(float16BitsToUint16(r.y)); }\n";

float half_of(std::uint32_t bits) {  // a normal one
  return std::bit_cast<float>((bits & 0x8000u) << 16 | ((bits & 0x7fffu) << 13) + (112u << 23));
}

TEST(VulkanFma, IsRoundedOnce) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({"VK_KHR_shader_fma"});
  unsigned replaced = 0;
  const auto words = with_more(with_fma(compile_compute(kShader), replaced), {kCapability}, {"SPV_KHR_fma"}, {});
  ASSERT_EQ(replaced, 3u);
  const auto o = FeatureRun(v).run("", words);
  ASSERT_GE(o.size(), 80u);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const auto number = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
    EXPECT_EQ(number(o[i]),
              std::fma(number(0x3f800001u + i * 977), number(0x3f800003u + i * 1231), number(0xbf800000u + i)));
    const auto wide = [](std::uint32_t low, std::uint32_t high) {
      return std::bit_cast<double>(std::uint64_t{high} << 32 | low);
    };
    EXPECT_EQ(wide(o[16 + 2 * i], o[17 + 2 * i]),
              std::fma(wide(i * 7919 + 1, 0x3ff00000u), wide(i * 977 + 3, 0x3ff00000u), wide(i, 0xbff00000u)));
    // Exact in binary64; the nearest half is less than 2^-11 of it away, and halves are 2^-10 of their power apart.
    const double x = half_of(0x3c01u + i * 37), y = half_of(0x3c03u + i * 53);
    for (const auto& [bits, exact] :
         {std::pair{o[48 + i], x * y + half_of(0xbc00u + i)}, std::pair{o[64 + i], x * y + 1.0}}) {
      const double unit = std::ldexp(1.0, std::ilogb(exact) - 10);
      EXPECT_EQ(half_of(bits), std::nearbyint(exact / unit) * unit) << i;
    }
  }
}

// SPIRV-Tools, which does not know the instruction, says so where the capability is missing.
TEST(VulkanFma, NeedsItsCapability) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({"VK_KHR_shader_fma"});
  v.expects_messages = true;
  unsigned replaced = 0;
  const auto words = with_fma(compile_compute(kShader), replaced);
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = v.module(words);
  info.stage.pName = "main";
  info.layout = v.layout({v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}})});
  VkPipeline pipeline = VK_NULL_HANDLE;
  EXPECT_NE(vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
  vkDestroyShaderModule(v.device, info.stage.module, nullptr);
  ASSERT_FALSE(v.messages.empty());
  EXPECT_NE(v.messages[0].find("nvalid opcode"), std::string::npos) << v.messages[0];
}

}  // namespace
}  // namespace heddle::test
