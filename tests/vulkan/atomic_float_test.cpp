// SPDX-License-Identifier: MIT
// VK_EXT_shader_atomic_float and VK_EXT_shader_atomic_float2: sums and bounds of all invocations, in every memory and
// width; VK_KHR_shader_clock.

#include <cmath>

#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

const std::string kExtensions =
    "#extension GL_EXT_shader_atomic_float : require\n#extension GL_EXT_shader_atomic_float2 : require\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n#extension GL_KHR_memory_scope_semantics : "
    "require\n";

/// Of a binary16 that is positive and normal.
float of_half(std::uint16_t bits) { return std::ldexp(1 + static_cast<float>(bits & 0x3ff) / 1024, (bits >> 10) - 15); }

/// What sixteen invocations leave that add, take the least and the greatest of 1 to 16 and exchange, begun with 8.5.
template <typename T>
void check(const T* got, const char* where) {
  EXPECT_EQ(got[0], T(8.5 + 136)) << where;
  EXPECT_EQ(got[1], T(1)) << where;
  EXPECT_EQ(got[2], T(16)) << where;
  EXPECT_GE(got[3], T(1)) << where;
  EXPECT_LE(got[3], T(16)) << where;
}

/// `type` in a buffer, or in shared memory that is copied into one.
std::string shader(const std::string& type, bool shared) {
  const std::string cells = shared ? "s" : "r";
  return "#version 450\n" + kExtensions + "layout(local_size_x = 16) in;\nlayout(binding = 0, std430) buffer O { " +
         type + " r[]; };\nshared " + type + " s[4];\nvoid main() { uint n = gl_LocalInvocationIndex; " + type +
         " v = " + type + "(n + 1u);\n  if (n < 4u) " + cells + "[n] = " + type +
         "(8.5);\n  memoryBarrierBuffer(); barrier();\n" + "  atomicAdd(" + cells + "[0], v); atomicMin(" + cells +
         "[1], v); atomicMax(" + cells + "[2], v); atomicExchange(" + cells + "[3], v);\n  barrier();\n" +
         (shared ? "  if (n < 4u) r[n] = s[n];\n" : "") + "}\n";
}

TEST(VulkanFloatAtomics, SumsAndBounds) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME});
  for (const bool shared : {false, true}) {
    FeatureRun run(v);
    const char* const where = shared ? "shared memory" : "a buffer";
    (void)run.run(shader("float", shared));
    check(reinterpret_cast<const float*>(run.out.bytes), where);
    (void)run.run(shader("double", shared));
    check(reinterpret_cast<const double*>(run.out.bytes), where);
    (void)run.run(shader("float16_t", shared));
    float halves[4];
    for (int i = 0; i < 4; ++i) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, run.out.bytes + 2 * i, 2);
      halves[i] = of_half(bits);
    }
    check(halves, where);
  }
}

TEST(VulkanFloatAtomics, TexelsOfImages) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME});
  VkFormatProperties can;
  vkGetPhysicalDeviceFormatProperties(v.physical, VK_FORMAT_R32_SFLOAT, &can);
  EXPECT_NE(can.optimalTilingFeatures & VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT, 0u);
  const auto image = make_image(v, {.format = VK_FORMAT_R32_SFLOAT,
                                    .width = 4,
                                    .height = 1,
                                    .usage = VK_IMAGE_USAGE_STORAGE_BIT,
                                    .levels = {bytes_of(std::vector<float>{8.5f, 8.5f, 8.5f, 8.5f})}});
  FeatureRun run(v);
  run.image(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, v.view(image.image, VK_FORMAT_R32_SFLOAT));
  const auto o = run.run("#version 450\n" + kExtensions + kFeatureHead +
                         "layout(binding = 3, r32f) uniform image2D i;\nvoid main() { float v = "
                         "float(gl_LocalInvocationIndex + 1u);\n  imageAtomicAdd(i, ivec2(0, 0), v); imageAtomicMin(i, "
                         "ivec2(1, 0), v); imageAtomicMax(i, ivec2(2, 0), v); imageAtomicExchange(i, ivec2(3, 0), v);\n"
                         "  memoryBarrierImage(); barrier(); uint n = gl_LocalInvocationIndex;\n"
                         "  if (n < 4u) o[n] = floatBitsToUint(imageLoad(i, ivec2(n, 0)).r); }\n");
  check(reinterpret_cast<const float*>(o.data()), "an image");
}

TEST(VulkanClock, GoesOnWithTheInvocation) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_SHADER_CLOCK_EXTENSION_NAME});
  FeatureRun run(v);
  const auto o = run.run(
      "#version 450\n#extension GL_ARB_shader_clock : require\n#extension GL_ARB_gpu_shader_int64 : "
      "require\n" +
      kFeatureHead +
      "layout(binding = 1) buffer D { uint d[]; };\nvoid main() { uint n = gl_LocalInvocationIndex;\n"
      "  uvec2 a = clock2x32ARB(); uint sum = 0u; for (uint k = 0u; k < 10u + (d[0] & 1u); ++k) sum += "
      "d[k];\n  uint64_t b = clockARB(); o[n] = a.x; o[16 + n] = uint(b); o[32 + n] = sum; }\n");
  for (std::size_t n = 0; n < 16; ++n) {
    EXPECT_GT(o[16 + n], o[n]) << n;
    EXPECT_EQ(o[n], o[0]) << "the same for the subgroup";
  }
}

}  // namespace
}  // namespace heddle::test
