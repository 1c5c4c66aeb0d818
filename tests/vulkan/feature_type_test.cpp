// SPDX-License-Identifier: MIT
// Features of types, layouts, atomics and subgroups, each in a shader that needs it.

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/process.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

/// A shader of a version line, extensions and a body; what it writes.
std::vector<std::uint32_t> run_on(VulkanDevice& v, const std::vector<const char*>& extensions, const std::string& body,
                                  VkPipelineShaderStageCreateFlags flags = 0) {
  std::string glsl = "#version 460\n";
  for (const char* name : extensions) glsl += "#extension " + std::string(name) + " : require\n";
  FeatureRun run(v);
  run.stage_flags = flags;
  return run.run(glsl + kFeatureHead + body);
}

constexpr std::uint32_t sign_extend(std::uint64_t value, unsigned bits) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << (32 - bits)) >>
                                    (32 - bits));
}

TEST(VulkanTypes, StorageOf16Bits) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  FeatureRun run(v);
  const auto o =
      run.run("#version 460\n#extension GL_EXT_shader_16bit_storage : require\n" + kFeatureHead +
              "layout(binding = 1, std430) buffer D { int16_t d[]; };\n"
              "layout(binding = 2) uniform U { uint16_t u0, u1; u16vec2 u2; };\n"
              "layout(push_constant) uniform P { uint16_t p0, p1; };\n"
              "void main() { uint n = gl_LocalInvocationIndex; o[n] = uint(int(d[n + 3]));\n"
              "  d[n + 100] = int16_t(int(n) * 3000); barrier();\n"
              "  if (n == 0u) { o[16] = uint(u1); o[17] = uint(u2.y); o[18] = uint(p0) | uint(p1) << 16; } }\n");
  for (std::size_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], sign_extend(pattern(2 * n + 6, 2), 16)) << n;
    std::uint16_t stored = 0;
    std::memcpy(&stored, run.data.bytes + 200 + 2 * n, 2);
    EXPECT_EQ(stored, static_cast<std::uint16_t>(n * 3000)) << n;
  }
  EXPECT_EQ(run.data.bytes[198], pattern_byte(198));
  EXPECT_EQ(run.data.bytes[232], pattern_byte(232));
  EXPECT_EQ(o[16], pattern(2, 2));
  EXPECT_EQ(o[17], pattern(6, 2));
  EXPECT_EQ(o[18], pattern(0, 4));
}

TEST(VulkanTypes, StorageOf8Bits) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  FeatureRun run(v);
  const auto o =
      run.run("#version 460\n#extension GL_EXT_shader_8bit_storage : require\n" + kFeatureHead +
              "layout(binding = 1, std430) buffer D { int8_t d[]; };\n"
              "layout(binding = 2) uniform U { uint8_t u0, u1; u8vec2 u2; };\n"
              "layout(push_constant) uniform P { uint8_t p0, p1; };\n"
              "void main() { uint n = gl_LocalInvocationIndex; o[n] = uint(int(d[n + 3]));\n"
              "  d[n + 101] = int8_t(int(n) * 30); barrier();\n"
              "  if (n == 0u) { o[16] = uint(u1); o[17] = uint(u2.y); o[18] = uint(p0) | uint(p1) << 8; } }\n");
  for (std::size_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], sign_extend(pattern(n + 3, 1), 8)) << n;
    EXPECT_EQ(run.data.bytes[101 + n], static_cast<std::uint8_t>(n * 30)) << n;
  }
  EXPECT_EQ(run.data.bytes[100], pattern_byte(100));
  EXPECT_EQ(run.data.bytes[117], pattern_byte(117));
  EXPECT_EQ(o[16], pattern(1, 1));
  EXPECT_EQ(o[17], pattern(3, 1));
  EXPECT_EQ(o[18], pattern(0, 2));
}

TEST(VulkanTypes, ArithmeticOfOtherWidths) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto o = run_on(v, {"GL_EXT_shader_explicit_arithmetic_types"},
                        "void main() { uint n = gl_LocalInvocationIndex;\n"
                        "  int16_t a = int16_t(n) * int16_t(3000); o[n] = uint(int(a / int16_t(7)));\n"
                        "  int8_t b = int8_t(n) * int8_t(30); o[16 + n] = uint(int(b >> int8_t(1)));\n"
                        "  float16_t h = float16_t(n) + float16_t(2048); o[32 + n] = floatBitsToUint(float(h));\n"
                        "  uint64_t l = uint64_t(n) * 0x123456789abUL; o[48 + n] = uint(l >> 20);\n"
                        "  double d = 1.0lf + double(n) * 9.094947017729282e-13lf;\n"
                        "  o[64 + n] = uint((d - 1.0lf) * 1099511627776.0lf); }\n");
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], static_cast<std::uint32_t>(static_cast<std::int16_t>(n * 3000) / 7)) << n;
    EXPECT_EQ(o[16 + n], static_cast<std::uint32_t>(static_cast<std::int8_t>(n * 30) >> 1)) << n;
    EXPECT_EQ(o[32 + n], std::bit_cast<std::uint32_t>(2048 + 2 * std::nearbyint(static_cast<float>(n) / 2))) << n;
    EXPECT_EQ(o[48 + n], static_cast<std::uint32_t>(n * 0x123456789abULL >> 20)) << n;
    EXPECT_EQ(o[64 + n], n) << n;
  }
}

/// Execution modes in GLSL: capability and mode of a width.
std::string float_mode(unsigned capability, unsigned mode, unsigned width) {
  return "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [" +
         std::to_string(capability) + "], " + std::to_string(mode) + ", " + std::to_string(width) + ");\n";
}
constexpr std::pair<unsigned, unsigned> kDenormPreserve{4464, 4459}, kToZero{4468, 4463};

/// Every mode that the driver reports, for each width.
TEST(VulkanTypes, FloatControls_SPV40) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  VkPhysicalDeviceFloatControlsProperties reported{};
  reported.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &reported, {}};
  vkGetPhysicalDeviceProperties2(v.physical, &all);
  EXPECT_EQ(reported.denormBehaviorIndependence, VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL);
  EXPECT_EQ(reported.roundingModeIndependence, VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL);
  ASSERT_TRUE(reported.shaderDenormPreserveFloat16 && reported.shaderDenormPreserveFloat32 &&
              reported.shaderDenormPreserveFloat64 && reported.shaderRoundingModeRTZFloat16 &&
              reported.shaderRoundingModeRTZFloat32 && reported.shaderRoundingModeRTZFloat64);
  // Subnormal numbers, so small that doubling them is exact; 1 + an ulp's three quarters.
  const std::string body =
      "void main() { if (gl_LocalInvocationIndex != 0u) return;\n"
      "  uint n = gl_LocalInvocationIndex;\n"
      "  float16_t a = uint16BitsToHalf(uint16_t(0x3ffu - n)), h = uint16BitsToHalf(uint16_t(0x3800u + n));\n"
      "  o[0] = uint(halfBitsToUint16(a + a)); o[1] = uint(halfBitsToUint16(a * h)); o[2] = uint(a > 0.0hf);\n"
      "  o[3] = uint(halfBitsToUint16(max(a, -h))); o[4] = uint(halfBitsToUint16(fma(a, h, a)));\n"
      "  o[5] = uint(halfBitsToUint16(float16_t(uintBitsToFloat(0x3f801800u + n))));\n"
      "  float b = uintBitsToFloat(0x7fffffu - n), c = uintBitsToFloat(0x3f000000u + n);\n"
      "  o[6] = floatBitsToUint(b + b); o[7] = floatBitsToUint(b * c); o[8] = uint(b > 0.0);\n"
      "  o[9] = floatBitsToUint(1.0 + uintBitsToFloat(0x33c00000u + n));\n"
      "  double d = packDouble2x32(uvec2(3u + n, 0u)), e = packDouble2x32(uvec2(n, 0x3fe00000u));\n"
      "  o[10] = unpackDouble2x32(d + d).x; o[11] = unpackDouble2x32(d * e).x;\n"
      "  o[12] = unpackDouble2x32(1.0lf + packDouble2x32(uvec2(n, 0x3ca80000u))).x; }\n";
  // GLSL can name one width for each mode.
  for (const bool to_zero : {false, true})
    for (const unsigned width : {16u, 32u, 64u}) {
      SCOPED_TRACE(std::to_string(width) + (to_zero ? " to zero" : ""));
      std::string modes = float_mode(kDenormPreserve.first, kDenormPreserve.second, width);
      if (to_zero) modes += float_mode(kToZero.first, kToZero.second, width);
      const auto o = run_on(v, {"GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_spirv_intrinsics"}, modes + body);
      ASSERT_GE(o.size(), 13u);
      const auto up = [&](unsigned of) -> std::uint32_t { return to_zero && of == width ? 0 : 1; };
      const std::uint32_t want[] = {
          0x7fe, 0x1ff + up(16),       1, 0x3ff,      0x5fe, 0x3c00 + up(16), 0xfffffe, 0x3fffff + up(32),
          1,     0x3f800000u + up(32), 6, 1 + up(64), up(64)};
      for (std::size_t k = 0; k < std::size(want); ++k) EXPECT_EQ(o[k], want[k]) << k;
    }
}

TEST(VulkanTypes, SignsOfZerosAndNaN_SPV41) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto o = run_on(v, {},
                        "void main() { if (gl_LocalInvocationIndex != 0u) return;\n"
                        "  uint n = gl_LocalInvocationIndex; float whole;\n"
                        "  o[0] = floatBitsToUint(modf(uintBitsToFloat(0xbf800000u + n), whole));\n"
                        "  o[1] = floatBitsToUint(whole);\n"
                        "  o[2] = floatBitsToUint(modf(uintBitsToFloat(0x80000000u + n), whole));\n"
                        "  o[3] = floatBitsToUint(whole);\n"
                        "  o[4] = floatBitsToUint(modf(uintBitsToFloat(0xff800000u + n), whole));\n"
                        "  o[5] = floatBitsToUint(whole); float x = 1.5 + float(n);\n"
                        "  o[6] = uint(isnan(asin(x))); o[7] = uint(isnan(acos(-x))); o[8] = uint(isnan(atanh(x)));\n"
                        "  o[9] = uint(isnan(acosh(x - 1.0))); o[10] = uint(isnan(log(-x))); o[11] = "
                        "uint(isnan(sqrt(-x))); }\n");
  ASSERT_GE(o.size(), 12u);
  const std::uint32_t want[] = {0x80000000u, 0xbf800000u, 0x80000000u, 0x80000000u, 0x80000000u, 0xff800000u,
                                1,           1,           1,           1,           1,           1};
  for (std::size_t k = 0; k < std::size(want); ++k) EXPECT_EQ(o[k], want[k]) << k;
}

TEST(VulkanTypes, LayoutsOfBlocks) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto o = run_on(v, {"GL_EXT_scalar_block_layout"},
                        "layout(binding = 1, scalar) buffer D { uint first; uvec3 d[]; };\n"
                        "layout(binding = 2, std430) uniform U { uint u[20]; };\n"
                        "void main() { uint n = gl_LocalInvocationIndex; uvec3 t = d[n]; o[n] = t.x ^ t.y * 3u ^ t.z * "
                        "5u; o[16 + n] = u[n + 3]; }\n");
  for (std::size_t n = 0; n < 16; ++n) {
    const auto word = [](std::size_t at) { return static_cast<std::uint32_t>(pattern(at, 4)); };
    EXPECT_EQ(o[n], word(4 + 12 * n) ^ word(8 + 12 * n) * 3 ^ word(12 + 12 * n) * 5) << n;
    EXPECT_EQ(o[16 + n], word(4 * n + 12)) << n;
  }
}

TEST(VulkanTypes, WorkgroupMemoryInBlocks) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME});
  const auto o =
      run_on(v, {"GL_EXT_shared_memory_block", "GL_EXT_scalar_block_layout", "GL_EXT_shader_explicit_arithmetic_types"},
             "shared A { uint a[64]; };\nshared B { uint16_t b[128]; };\nshared C { uint8_t c[256]; };\n"
             "layout(scalar) shared D { uint skipped; u8vec3 d[20]; };\n"
             "void main() { uint n = gl_LocalInvocationIndex; a[n] = n * 0x01020304u; barrier();\n"
             "  o[n] = uint(b[2u * n + 1u]); o[16 + n] = uint(c[4u * n + 3u]); o[32 + n] = uint(d[n].z); }\n");
  for (std::uint32_t n = 0; n < 16; ++n) {
    const auto byte = [](std::uint32_t at) { return static_cast<std::uint8_t>(at / 4 * 0x01020304u >> (at % 4 * 8)); };
    EXPECT_EQ(o[n], n * 0x01020304u >> 16) << n;
    EXPECT_EQ(o[16 + n], n) << n;
    EXPECT_EQ(o[32 + n], byte(4 + 3 * n + 2)) << n;
  }
}

TEST(VulkanTypes, WorkgroupMemoryBeginsAsZeros) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  for (const bool zero : {false, true, true}) {
    const auto o = run_on(v, {"GL_EXT_null_initializer"},
                          std::string("shared uint s[400]") + (zero ? " = {}" : "") +
                              ";\nvoid main() { uint n = gl_LocalInvocationIndex; " +
                              (zero ? "" : "for (uint i = n; i < 400u; i += 16u) s[i] = i + 1u; barrier(); ") +
                              "uint t = 0u; for (uint i = n; i < 400u; i += 16u) t |= s[i]; o[n] = t; barrier(); s[n] "
                              "= 7u; barrier(); o[16 + n] = s[15u - n]; }\n");
    for (std::size_t n = 0; n < 16; ++n) {
      EXPECT_EQ(o[n] == 0, zero) << n;
      EXPECT_EQ(o[16 + n], 7u) << n;
    }
  }
}

TEST(VulkanTypes, VulkansMemoryModel) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto o =
      run_on(v, {"GL_KHR_memory_scope_semantics"},
             "#pragma use_vulkan_memory_model\nlayout(binding = 1) buffer D { uint sum, count; } d;\n"
             "void main() { uint n = gl_LocalInvocationIndex;\n"
             "  if (n == 0u) { atomicStore(d.sum, 100u, gl_ScopeDevice, gl_StorageSemanticsBuffer, "
             "gl_SemanticsRelease); }\n"
             "  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer, "
             "gl_SemanticsAcquireRelease);\n"
             "  atomicAdd(d.sum, n, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);\n"
             "  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, "
             "gl_SemanticsAcquireRelease);\n"
             "  o[n] = atomicLoad(d.sum, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, "
             "gl_SemanticsAcquire); }\n");
  for (std::size_t n = 0; n < 16; ++n) EXPECT_EQ(o[n], 100u + 120) << n;
}

// Invocation 0 makes its word available to its workgroup alone; invocation 5, which saw that, to the device; invocation
// 10 saw the second only, and reads the word (vulkanMemoryModelAvailabilityVisibilityChains). The barriers between
// order the steps, and no memory. Shown is that shaders with such chains are compiled and carry the values; that a
// chain which is broken loses them cannot be, as all memory here is coherent.
TEST(VulkanTypes, AvailabilityGoesOnInChains) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto o = run_on(
      v, {"GL_KHR_memory_scope_semantics"},
      "#pragma use_vulkan_memory_model\nlayout(binding = 1) nonprivate buffer D { uint word, first, second; } d;\n"
      "const int kRelease = gl_SemanticsRelease | gl_SemanticsMakeAvailable;\n"
      "const int kAcquire = gl_SemanticsAcquire | gl_SemanticsMakeVisible;\n"
      "void main() { uint n = gl_LocalInvocationIndex; \n"
      "  if (n == 0u) { d.word = 4711u; atomicStore(d.first, 1u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, "
      "kRelease); }\n"
      "  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, 0);\n"
      "  if (n == 5u) { o[16] = atomicLoad(d.first, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, kAcquire);\n"
      "    atomicStore(d.second, 2u, gl_ScopeDevice, gl_StorageSemanticsBuffer, kRelease); }\n"
      "  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, 0, 0);\n"
      "  if (n == 10u) { o[17] = atomicLoad(d.second, gl_ScopeDevice, gl_StorageSemanticsBuffer, kAcquire);\n"
      "    o[18] = d.word; } }\n");
  EXPECT_EQ(o[16], 1u);
  EXPECT_EQ(o[17], 2u);
  EXPECT_EQ(o[18], 4711u);
}

TEST(VulkanTypes, SubgroupOperationsOfOtherTypes) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const auto o =
      run_on(v,
             {"GL_EXT_shader_explicit_arithmetic_types", "GL_KHR_shader_subgroup_arithmetic",
              "GL_EXT_shader_subgroup_extended_types_int8", "GL_EXT_shader_subgroup_extended_types_int16",
              "GL_EXT_shader_subgroup_extended_types_int64", "GL_EXT_shader_subgroup_extended_types_float16"},
             "void main() { uint n = gl_LocalInvocationIndex;\n"
             "  int8_t a = subgroupMin(int8_t(int(n) * 9)); o[n] = uint(int(a));\n"
             "  o[16 + n] = uint(int(subgroupAdd(int16_t(int(n) * 1000))));\n"
             "  uint64_t l = subgroupMax(uint64_t(n) << 33); o[32 + n] = uint(l >> 32);\n"
             "  o[48 + n] = floatBitsToUint(float(subgroupInclusiveAdd(float16_t(n) * float16_t(0.5)))); }\n");
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[n], static_cast<std::uint32_t>(-121)) << n;  // 15 * 9 = 135 is -121
    EXPECT_EQ(o[16 + n], static_cast<std::uint32_t>(static_cast<std::int16_t>(120 * 1000))) << n;
    EXPECT_EQ(o[32 + n], 30u) << n;
    EXPECT_EQ(o[48 + n], std::bit_cast<std::uint32_t>(static_cast<float>(n * (n + 1) / 2) * 0.5f)) << n;
  }
}

// Lanes that hold the same number: reductions and scans among them.
TEST(VulkanTypes, SubgroupsArePartitioned) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME});
  VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroups};
  vkGetPhysicalDeviceProperties2(v.physical, &properties);
  EXPECT_NE(subgroups.supportedOperations & VK_SUBGROUP_FEATURE_PARTITIONED_BIT_NV, 0u);
  const auto o = run_on(v, {"GL_NV_shader_subgroup_partitioned", "GL_KHR_shader_subgroup_basic"},
                        "void main() { uint n = gl_LocalInvocationIndex; uvec4 same = subgroupPartitionNV(n % 3u);\n"
                        "  o[n] = same.x; o[16 + n] = subgroupPartitionedAddNV(n, same);\n"
                        "  o[32 + n] = subgroupPartitionedExclusiveAddNV(n, same);\n"
                        "  o[48 + n] = floatBitsToUint(subgroupPartitionedMaxNV(float(n), same)); }\n");
  ASSERT_GE(o.size(), 64u);
  for (std::uint32_t n = 0; n < 16; ++n) {
    std::uint32_t lanes = 0, sum = 0, before = 0, most = 0;
    for (std::uint32_t k = n % 3; k < 16; k += 3) {
      lanes |= 1u << k;
      sum += k;
      before += k < n ? k : 0;
      most = k;
    }
    EXPECT_EQ(o[n], lanes) << n;
    EXPECT_EQ(o[16 + n], sum) << n;
    EXPECT_EQ(o[32 + n], before) << n;
    EXPECT_EQ(o[48 + n], std::bit_cast<std::uint32_t>(static_cast<float>(most))) << n;
  }
}

// SPV-21: zeros of both signs are the same value; a NaN equals nothing, and its lane is in its own part all the same.
TEST(VulkanTypes, SubgroupsArePartitionedByFloats) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_NV_SHADER_SUBGROUP_PARTITIONED_EXTENSION_NAME});
  const auto o = run_on(v, {"GL_NV_shader_subgroup_partitioned", "GL_KHR_shader_subgroup_basic"},
                        "void main() { uint n = gl_LocalInvocationIndex;\n"
                        "  uint bits = n < 4u ? 0x7fc00000u : n < 8u ? 0x80000000u : n < 12u ? 0u : 0x3f800000u;\n"
                        "  o[n] = subgroupPartitionNV(uintBitsToFloat(bits)).x;\n"
                        "  o[16 + n] = subgroupPartitionNV(vec2(n & 1u, uintBitsToFloat(bits))).x; }\n");
  ASSERT_GE(o.size(), 32u);
  for (std::uint32_t n = 0; n < 16; ++n) {
    const std::uint32_t same = n < 4 ? 1u << n : n < 12 ? 0x0ff0u : 0xf000u;
    EXPECT_EQ(o[n], same) << n;
    EXPECT_EQ(o[16 + n], same & (n % 2 == 0 ? 0x5555u : 0xaaaau)) << n;
  }
}

TEST(VulkanTypes, SubgroupsAreFull) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  FeatureRun run(v);
  run.stage_flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  const auto o = run.run(
      "#version 460\n#extension GL_KHR_shader_subgroup_ballot : require\nlayout(local_size_x = 64) in;\n"
      "layout(binding = 0) buffer Out { uint o[]; };\n"
      "void main() { o[gl_LocalInvocationIndex] = subgroupBallotBitCount(subgroupBallot(true)) * 1000u + "
      "gl_NumSubgroups * gl_SubgroupSize; }\n");
  for (std::size_t n = 0; n < 64; ++n) EXPECT_EQ(o[n], 16064u) << n;
}

TEST(VulkanTypes, AtomicsOf64BitsOnImages) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_SHADER_IMAGE_ATOMIC_INT64_EXTENSION_NAME});
  FeatureRun run(v);
  TexelImage from;
  from.format = VK_FORMAT_R64_UINT;
  from.usage = VK_IMAGE_USAGE_STORAGE_BIT;
  from.levels = {bytes_of(std::vector<std::uint64_t>(16, 5))};
  run.image(3, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, v.view(make_image(v, from).image, from.format));
  const auto o = run.run(
      "#version 460\n#extension GL_EXT_shader_image_int64 : require\n"
      "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n" +
      kFeatureHead +
      "layout(binding = 3, r64ui) uniform u64image2D i;\n"
      "void main() { uint n = gl_LocalInvocationIndex; imageAtomicAdd(i, ivec2(1, 2), uint64_t(n) "
      "<< 31);\n  imageAtomicMax(i, ivec2(2, 2), uint64_t(n) << 40); memoryBarrierImage(); "
      "barrier();\n  uint64_t a = imageLoad(i, ivec2(1, 2)).x, b = imageLoad(i, ivec2(2, 2)).x;\n"
      "  if (n == 0u) { o[0] = uint(a); o[1] = uint(a >> 32); o[2] = uint(b >> 32); } }\n");
  EXPECT_EQ(o[0] | std::uint64_t{o[1]} << 32, 5 + (std::uint64_t{120} << 31));
  EXPECT_EQ(o[2], 15u << 8);
}

// glslang 12 writes neither: the pointer of another buffer or place by OpSelect, and products of integers.
const std::string kAssemblyHead =
    "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id\nOpExecutionMode %main LocalSize 16 1 1\n"
    "OpDecorate %id BuiltIn LocalInvocationIndex\nOpDecorate %words ArrayStride 4\nOpDecorate %block Block\n"
    "OpMemberDecorate %block 0 Offset 0\nOpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n"
    "OpDecorate %data DescriptorSet 0\nOpDecorate %data Binding 1\n%void = OpTypeVoid\n%f = OpTypeFunction %void\n"
    "%u = OpTypeInt 32 0\n%i = OpTypeInt 32 1\n%b = OpTypeBool\n%words = OpTypeRuntimeArray %u\n"
    "%block = OpTypeStruct %words\n"
    "%pb = OpTypePointer StorageBuffer %block\n%pu = OpTypePointer StorageBuffer %u\n%pi = OpTypePointer Input %u\n"
    "%id = OpVariable %pi Input\n%out = OpVariable %pb StorageBuffer\n%data = OpVariable %pb StorageBuffer\n"
    "%c0 = OpConstant %u 0\n%c1 = OpConstant %u 1\n%c4 = OpConstant %u 4\n%c8 = OpConstant %u 8\n%c16 = OpConstant %u "
    "16\n%c32 = OpConstant %u 32\n%c99 = OpConstant %i -99\n";
const std::string kAssemblyMain =
    "%main = OpFunction %void None %f\n%l = OpLabel\n%n = OpLoad %u %id\n%small = OpULessThan %b %n %c8\n"
    "%n16 = OpIAdd %u %n %c16\n%n32 = OpIAdd %u %n %c32\n%n4 = OpIAdd %u %n %c4\n"
    "%o0 = OpAccessChain %pu %out %c0 %n\n%o1 = OpAccessChain %pu %out %c0 %n16\n"
    "%d0 = OpAccessChain %pu %data %c0 %n\n%d4 = OpAccessChain %pu %data %c0 %n4\n";
const std::string kAssemblyEnd = "OpReturn\nOpFunctionEnd\n";

TEST(VulkanTypes, PointersAreChosenAtRunTime) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  FeatureRun run(v);
  const auto words =
      assemble("OpCapability Shader\nOpCapability VariablePointers\n" + kAssemblyHead + kAssemblyMain +
               "%p = OpSelect %pu %small %d0 %d4\n%x = OpLoad %u %p\nOpStore %o0 %x\n"
               "%q = OpSelect %pu %small %d0 %o0\n%y = OpLoad %u %q\n%y1 = OpIAdd %u %y %c1\nOpStore %o1 "
               "%y1\n" +
               kAssemblyEnd);
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  const auto o = run.run({}, words);
  for (std::size_t n = 0; n < 16; ++n) {
    const auto own = static_cast<std::uint32_t>(pattern(4 * n, 4));
    EXPECT_EQ(o[n], n < 8 ? own : pattern(4 * n + 16, 4)) << "within one buffer, " << n;
    EXPECT_EQ(o[16 + n], (n < 8 ? own : o[n]) + 1) << "of two buffers, " << n;
  }
}

TEST(VulkanTypes, ProductsOfIntegers) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  FeatureRun run(v);
  const auto words = assemble(
      "OpCapability Shader\nOpCapability DotProduct\nOpCapability DotProductInput4x8BitPacked\n"
      "OpExtension \"SPV_KHR_integer_dot_product\"\n" +
      kAssemblyHead + kAssemblyMain +
      "%x = OpLoad %u %d0\n%y = OpLoad %u %d4\n"
      "%s = OpSDotKHR %i %x %y PackedVectorFormat4x8BitKHR\n%su = OpBitcast %u %s\nOpStore %o0 %su\n"
      "%t = OpSUDotAccSatKHR %i %x %y %c99 PackedVectorFormat4x8BitKHR\n%tu = OpBitcast %u %t\nOpStore %o1 %tu\n" +
      kAssemblyEnd);
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  const auto o = run.run({}, words);
  for (std::size_t n = 0; n < 16; ++n) {
    std::int32_t both = 0, mixed = -99;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint8_t x = pattern_byte(4 * n + k), y = pattern_byte(4 * n + 16 + k);
      both += static_cast<std::int8_t>(x) * static_cast<std::int8_t>(y);
      mixed += static_cast<std::int8_t>(x) * y;
    }
    EXPECT_EQ(o[n], static_cast<std::uint32_t>(both)) << n;
    EXPECT_EQ(o[16 + n], static_cast<std::uint32_t>(mixed)) << n;
  }
}

// Three stages have an entry point "main": the pipeline's stage says which is meant (SPV-1).
TEST(VulkanTypes, TheStageChoosesAmongEntryPointsOfOneName) {
  VulkanDevice v;
  FeatureRun run(v);
  std::string text = read_text("tests/data/spirv/samename.spvasm");
  for (std::size_t at = text.find("\" %O\n"); at != std::string::npos; at = text.find("\" %O\n"))
    text.replace(at + 1, 3, "");  // before SPIR-V 1.4 an interface has inputs and outputs alone
  const auto words = assemble(text);
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  const auto o = run.run({}, words);
  EXPECT_EQ(o[0], 3u);  // the defaults of its constants
  EXPECT_EQ(o[1], 4u);
}

// What lies outside a descriptor reads as zeros and keeps what it has.
TEST(VulkanTypes, AccessesOutsideBuffers) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                    {2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}};
  const auto set_layout = v.set_layout(bindings);
  const auto set = v.set(set_layout, bindings);
  const auto layout = v.layout({set_layout});
  const auto out = v.buffer(256), data = v.buffer(256);
  std::memset(data.bytes, 0x55, 256);
  v.write(set, 0, bindings[0].type, out);
  v.write(set, 1, bindings[1].type, data, 16, 20);
  v.write(set, 2, bindings[2].type, data, 0, 36);
  const auto pipeline =
      v.pipeline("#version 460\n" + kFeatureHead +
                     "layout(binding = 1) buffer D { uint d[]; };\nlayout(binding = 2) uniform U { uvec4 u[16]; };\n"
                     "void main() { uint n = gl_LocalInvocationIndex; o[n] = d[n]; o[16 + n] = u[n].x; "
                     "barrier(); d[n + 4u] = n; }\n",
                 layout);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  for (std::size_t n = 0; n < 16; ++n) {
    EXPECT_EQ(out.word(n), n < 5 ? 0x55555555u : 0u) << n;
    EXPECT_EQ(out.word(16 + n), n < 3 ? 0x55555555u : 0u) << n;
  }
  EXPECT_EQ(data.word(8), 0u) << "the one element of the descriptor that is written";
  for (std::size_t n = 9; n < 64; ++n) EXPECT_EQ(data.word(n), 0x55555555u) << n;
}

}  // namespace
}  // namespace heddle::test
