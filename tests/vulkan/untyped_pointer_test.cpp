// SPDX-License-Identifier: MIT
// VK_KHR_shader_untyped_pointers (SPV-54): shaders with pointers that say what they point to, and the same without.

#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "vulkan/descriptor_kit.hpp"
#include "vulkan/feature_kit.hpp"
#include "vulkan/newer_modules.hpp"

namespace heddle::test {
namespace {

using Words = std::vector<std::uint32_t>;

// Numbers of SPIR-V's registry.
constexpr std::uint32_t kName = 5, kTypePointer = 32, kForwardPointer = 39, kConstant = 43, kConstantNull = 46,
                        kVariable = 59, kLoad = 61, kStore = 62, kCopyMemory = 63, kCopyMemorySized = 64,
                        kAccessChain = 65, kInBoundsAccessChain = 66, kPtrAccessChain = 67, kArrayLength = 68,
                        kSubtract = 130, kFirstAtomic = 227, kAtomicStore = 228, kLastAtomic = 242, kPtrDiff = 403;
constexpr std::uint32_t kUntypedPointer = 4417, kUntypedVariable = 4418, kUntypedChain = 4419,
                        kUntypedInBoundsChain = 4420, kUntypedPtrChain = 4423, kUntypedLength = 4425;
constexpr std::uint32_t kUniform = 2, kWorkgroup = 4, kPushConstant = 9, kStorageBuffer = 12, kAddresses = 5349;
constexpr std::uint32_t kCapability = 4473;

struct Change {
  /// Chains from one variable that begin at another instead, by their names: the same bytes as another type.
  std::map<std::string, std::string> bases;
  bool shortens = false;  ///< chains of zeros alone are left out
  bool sized = false;     ///< copies of memory have the size that the constant "size" says
};

/// The module with untyped pointers to all memory that others see.
class Untyped {
 public:
  Untyped(const Words& words, const Change& change) : words_(words), change_(change) {
    each_instruction(words, [&](std::uint32_t opcode, const std::uint32_t* at) { learn(opcode, at); });
  }
  [[nodiscard]] Words made() {
    out_.assign(words_.begin(), words_.begin() + 5);
    each_instruction(words_, [&](std::uint32_t opcode, const std::uint32_t* at) { put(opcode, at); });
    return with_more(out_, {kCapability}, {"SPV_KHR_untyped_pointers"}, {});
  }

 private:
  struct Type {
    std::uint32_t storage, pointee;
  };
  void learn(std::uint32_t opcode, const std::uint32_t* at) {
    const std::uint32_t count = at[0] >> 16;
    if (opcode == kName) named_[reinterpret_cast<const char*>(at + 2)] = at[1];
    if (opcode == kTypePointer)
      for (const std::uint32_t storage : {kUniform, kWorkgroup, kPushConstant, kStorageBuffer, kAddresses})
        if (at[2] == storage) types_[at[1]] = {at[2], at[3]};
    if (opcode == kForwardPointer) forward_.insert(at[1]);
    if (opcode == kConstant && count == 4) zero_[at[2]] = at[3] == 0;
    if (opcode == kConstantNull) zero_[at[2]] = true;
    if (opcode != kTypePointer && count > 2 && types_.contains(at[1])) pointers_[at[2]] = at[1];
    const bool chain = opcode == kAccessChain || opcode == kInBoundsAccessChain;
    if (!chain || !change_.shortens || !pointers_.contains(at[2])) return;
    for (std::uint32_t k = 4; k < count; ++k)
      if (!zero_.contains(at[k]) || !zero_[at[k]]) return;
    short_[at[2]] = rebased(at[3]);
  }
  [[nodiscard]] std::uint32_t rebased(std::uint32_t base) const {
    for (const auto& [from, to] : change_.bases)
      if (named_.contains(from) && named_.at(from) == base) return named_.at(to);
    return base;
  }
  [[nodiscard]] std::uint32_t through(std::uint32_t pointer) const {
    const auto at = short_.find(pointer);
    return at != short_.end() ? at->second : pointer;
  }
  void emit(std::uint32_t opcode, std::initializer_list<std::uint32_t> first, const std::uint32_t* more = nullptr,
            const std::uint32_t* end = nullptr) {
    const auto count = static_cast<std::uint32_t>(1 + first.size() + static_cast<std::size_t>(end - more));
    out_.push_back(count << 16 | opcode);
    out_.insert(out_.end(), first);
    out_.insert(out_.end(), more, end);
  }
  void put(std::uint32_t opcode, const std::uint32_t* at) {
    const std::uint32_t* const end = at + (at[0] >> 16);
    const bool points = end - at > 2 && pointers_.contains(at[2]);
    const auto pointee = [&](std::uint32_t pointer) { return types_.at(pointers_.at(pointer)).pointee; };
    switch (opcode) {
      case kForwardPointer:
        return emit(kUntypedPointer, {at[1], at[2]});
      case kTypePointer:
        if (!types_.contains(at[1])) break;
        if (!forward_.contains(at[1])) emit(kUntypedPointer, {at[1], at[2]});
        return;
      case kVariable:
        if (!points) break;
        return emit(kUntypedVariable, {at[1], at[2], at[3], pointee(at[2])}, at + 4, end);
      case kAccessChain:
      case kInBoundsAccessChain:
        if (!points || !pointers_.contains(at[3])) break;
        if (short_.contains(at[2])) return;
        return emit(opcode == kAccessChain ? kUntypedChain : kUntypedInBoundsChain,
                    {at[1], at[2], pointee(at[3]), rebased(at[3])}, at + 4, end);
      case kPtrAccessChain:
        if (!points) break;
        return emit(kUntypedPtrChain, {at[1], at[2], pointee(at[3]), at[3]}, at + 4, end);
      case kArrayLength:
        return emit(kUntypedLength, {at[1], at[2], pointee(at[3]), rebased(at[3])}, at + 4, end);
      case kCopyMemory:
        if (!change_.sized) break;
        return emit(kCopyMemorySized, {at[1], at[2], named_.at("size")}, at + 3, end);
      case kLoad:
        return emit(kLoad, {at[1], at[2], through(at[3])}, at + 4, end);
      case kStore:
      case kAtomicStore:
        return emit(opcode, {through(at[1])}, at + 2, end);
      default:
        if (opcode < kFirstAtomic || opcode > kLastAtomic) break;
        return emit(opcode, {at[1], at[2], through(at[3])}, at + 4, end);
    }
    out_.insert(out_.end(), at, end);
  }

  const Words& words_;
  const Change& change_;
  Words out_;
  std::map<std::string, std::uint32_t> named_;
  std::map<std::uint32_t, Type> types_;
  std::set<std::uint32_t> forward_;
  std::map<std::uint32_t, std::uint32_t> pointers_, short_;
  std::map<std::uint32_t, bool> zero_;
};

constexpr const char* kHead =
    "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
    "#extension GL_EXT_shared_memory_block : enable\n#extension GL_EXT_shader_16bit_storage : require\n"
    "#extension GL_EXT_shader_8bit_storage : require\n#extension GL_EXT_shader_atomic_int64 : require\n"
    "layout(local_size_x = 16) in;\nlayout(binding = 0, std430) buffer Out { uint o[]; } out1;\n"
    "layout(binding = 1, std430) readonly buffer In { uint a[]; } in1;\n";
/// What shader bodies call `o` and `n`.
std::string shader(const std::string& declarations, const std::string& body) {
  return kHead + declarations + "void main() { uint n = gl_LocalInvocationIndex;\n" + body + "}\n";
}

class UntypedPointers : public ::testing::Test {
 protected:
  void SetUp() override {
    HEDDLE_NEED_NEWER();
    HEDDLE_NEED_SHADERS();
  }
  /// What the shader writes, and the same with untyped pointers, which must agree.
  Words both(const Words& words, const Change& change = {}) {
    VulkanDevice v({"VK_KHR_shader_untyped_pointers"});
    FeatureRun plain(v), untyped(v);
    const Words expected = plain.run("typed", words);
    EXPECT_EQ(untyped.run("untyped", Untyped(words, change).made()), expected);
    EXPECT_THAT(v.messages, testing::IsEmpty());
    return expected;
  }
  Words both(const std::string& glsl, const Change& change = {}) {
    SCOPED_TRACE(glsl);
    return both(compile_shader(glsl, "comp", false, "vulkan1.3"), change);
  }
};

TEST_F(UntypedPointers, ReachWhatTypedOnesReach_SPV54) {
  const Words o = both(
      shader("layout(binding = 2, std140) uniform U { uint first; layout(row_major) mat3 m; vec3 last; } u;\n"
             "layout(push_constant) uniform P { uvec2 a; uint16_t h; uint8_t b; uint w[4]; } p;\n"
             "shared S { uint s[16]; };\n",
             "s[n] = in1.a[n] + p.w[n & 3u]; barrier();\n"
             "out1.o[n] = s[15u - n]; out1.o[16u + n] = p.a.y + uint(p.h) + uint(p.b);\n"
             "out1.o[32u + n] = floatBitsToUint(u.m[n % 3u][n & 1u]); out1.o[48u + n] = u.first + in1.a.length();\n"
             "atomicAdd(out1.o[64], n); if (n == 0u) out1.o[65] = atomicMax(out1.o[66], 7u);\n"));
  EXPECT_EQ(o[15], static_cast<std::uint32_t>(pattern(0, 4) + pattern(12, 4)));
  EXPECT_EQ(o[16], static_cast<std::uint32_t>(pattern(4, 4) + pattern(8, 2) + pattern(10, 1)));
  EXPECT_EQ(o[64], 120u);
}

// Memory that is declared as words is read as floats, vectors, matrices, halves, bytes and integers of 64 bits.
TEST_F(UntypedPointers, ReadMemoryAsOtherTypes_SPV54) {
  const Words o = both(
      shader(
          "layout(binding = 1, std430) readonly buffer F { vec4 f[]; } as_vectors;\n"
          "layout(binding = 1, std430) readonly buffer M { uint one; layout(row_major) mat3 m; uint8_t b[]; } mixed;\n"
          "layout(binding = 1, std430) readonly buffer H { f16vec2 h[8]; uint64_t q[]; } wide;\n",
          "for (uint k = 0u; k < 4u; ++k) out1.o[4u * n + k] = floatBitsToUint(as_vectors.f[n][k]);\n"
          "out1.o[64u + n] = floatBitsToUint(mixed.m[n % 3u][n / 6u]); out1.o[80u + n] = uint(mixed.b[n]);\n"
          "out1.o[96u + n] = packFloat2x16(wide.h[n & 7u]); out1.o[112u + n] = uint(wide.q[n] >> 24);\n"
          "out1.o[128u + n] = as_vectors.f.length(); vec4 whole = as_vectors.f[0];\n"
          "out1.o[144u + n] = floatBitsToUint(whole[n & 3u]);\n"),
      {.bases = {{"as_vectors", "in1"}, {"mixed", "in1"}, {"wide", "in1"}}, .shortens = true});
  for (std::uint32_t k = 0; k < 64; ++k) EXPECT_EQ(o[k], pattern(4 * k, 4)) << k;
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[64 + n], pattern(16 + 16 * (n / 6) + 4 * (n % 3), 4)) << n;
    EXPECT_EQ(o[80 + n], pattern(64 + n, 1)) << n;
    EXPECT_EQ(o[96 + n], pattern(4 * (n & 7), 4)) << n;
    EXPECT_EQ(o[112 + n], pattern(32 + 8 * n + 3, 4)) << n;
    EXPECT_EQ(o[144 + n], pattern(4 * (n & 3), 4)) << n;
  }
}

TEST_F(UntypedPointers, WriteMemoryAsOtherTypes_SPV54) {
  const Words o = both(
      shader("layout(binding = 0, std430) buffer F { vec4 f[]; } as_vectors;\n"
             "layout(binding = 0, std430) buffer H { uint skip[64]; u16vec4 h[16]; uint8_t b[64]; } small;\n"
             "layout(binding = 0, std430) buffer Q { uint64_t skip[96]; uint64_t q; int d; } counts;\n",
             "as_vectors.f[n] = vec4(n, 1, 2, uintBitsToFloat(in1.a[n]));\n"
             "small.h[n] = u16vec4(n, 2, 3, 4); for (uint k = 0u; k < 4u; ++k) small.b[4u * n + k] = uint8_t(n + k);\n"
             "atomicAdd(counts.q, 0x100000001ul * uint64_t(n)); atomicMax(counts.d, int(n) - 5);\n"),
      {.bases = {{"as_vectors", "out1"}, {"small", "out1"}, {"counts", "out1"}}, .shortens = true});
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(o[4 * n + 3], pattern(4 * n, 4)) << n;
    EXPECT_EQ(o[64 + 2 * n], n | 2u << 16) << n;
    EXPECT_EQ(o[96 + n], n | (n + 1) << 8 | (n + 2) << 16 | (n + 3) << 24) << n;
  }
  EXPECT_EQ(o[192], 120u);
  EXPECT_EQ(o[193], 120u);
  EXPECT_EQ(o[194], 10u);
}

// Through pointers that begin at a variable of another type: loads, stores and atomics say the type themselves.
TEST_F(UntypedPointers, ThroughPointersToAnything_SPV54) {
  const Words o = both(shader("layout(binding = 0, std430) buffer C { int count; } first;\n"
                              "layout(binding = 1, std430) readonly buffer F { uvec4 f; } in4;\n",
                              "atomicMin(first.count, -int(n)); uvec4 v = in4.f; out1.o[16u + n] = v[n & 3u];\n"),
                       {.bases = {{"first", "out1"}, {"in4", "in1"}}, .shortens = true});
  EXPECT_EQ(o[0], static_cast<std::uint32_t>(-15));
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[16 + n], pattern(4 * (n & 3), 4)) << n;
}

TEST_F(UntypedPointers, OfDeviceAddresses_SPV54) {
  const std::string glsl =
      "#version 450\n#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_buffer_reference_uvec2 : require\n"
      "layout(local_size_x = 16) in;\nlayout(binding = 0) buffer Out { uint o[]; };\n"
      "layout(buffer_reference) buffer Node;\n"
      "layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node { uint value; Node next; uint more[]; "
      "};\n"
      "layout(push_constant) uniform P { Node first; };\n"
      "void main() { uint n = gl_LocalInvocationIndex; Node at = first;\n"
      "  o[n] = at.value; o[16u + n] = at.more[n]; at = at.next; o[32u + n] = at.value; at.more[n] = n; }\n";
  const Words typed = compile_shader(glsl, "comp", false, "vulkan1.3");
  for (const bool untyped : {false, true}) {
    VulkanDevice v({"VK_KHR_shader_untyped_pointers", VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const VkDescriptorSetLayout sets = v.set_layout(bindings);
    const VkPipelineLayout layout = v.layout({sets}, 8);
    const VkDescriptorSet set = v.set(sets, bindings);
    const auto out = v.buffer(256);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
    AddressedBuffer nodes[2] = {addressed_buffer(v, 256), addressed_buffer(v, 256)};
    for (std::uint32_t k = 0; k < 2; ++k) {
      for (std::uint32_t i = 0; i < 64; ++i) nodes[k].set(i, 1000 * k + i);
      std::memcpy(nodes[k].bytes + 8, &nodes[1 - k].address, 8);
    }
    const VkPipeline pipeline = v.pipeline_of(untyped ? Untyped(typed, {}).made() : typed, layout);
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &nodes[0].address);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    for (std::uint32_t n = 0; n < 16; ++n) {
      EXPECT_EQ(out.word(n), 0u) << untyped;
      EXPECT_EQ(out.word(16 + n), n + 4) << untyped;
      EXPECT_EQ(out.word(32 + n), 1000u) << untyped;
      EXPECT_EQ(nodes[1].word(4 + n), n) << untyped;
    }
  }
}

/// Pointers that are chosen and walk through an array; `copied`: what else is done with them.
std::string variable_pointers(const std::string& copied, const std::string& interface = "%id") {
  return R"(
               OpCapability Shader
               OpCapability VariablePointers
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" )" +
         interface +
         R"(
               OpExecutionMode %main LocalSize 16 1 1
               OpName %size "size"
               OpDecorate %id BuiltIn LocalInvocationIndex
               OpDecorate %words ArrayStride 4
               OpDecorate %word_pointer ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpMemberDecorate %pair 0 Offset 0
               OpMemberDecorate %pair 1 Offset 4
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
               OpDecorate %in DescriptorSet 0
               OpDecorate %in Binding 1
       %void = OpTypeVoid
    %no_args = OpTypeFunction %void
       %uint = OpTypeInt 32 0
        %int = OpTypeInt 32 1
       %bool = OpTypeBool
          %0 = OpConstant %uint 0
          %1 = OpConstant %uint 1
          %2 = OpConstant %uint 2
         %16 = OpConstant %uint 16
         %32 = OpConstant %uint 32
         %40 = OpConstant %uint 40
       %size = OpConstant %uint 12
      %three = OpTypeVector %uint 3
       %pair = OpTypeStruct %uint %uint
      %words = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %words
%block_pointer = OpTypePointer StorageBuffer %block
%word_pointer = OpTypePointer StorageBuffer %uint
   %id_pointer = OpTypePointer Input %uint
         %id = OpVariable %id_pointer Input
        %out = OpVariable %block_pointer StorageBuffer
         %in = OpVariable %block_pointer StorageBuffer
       %main = OpFunction %void None %no_args
      %label = OpLabel
          %n = OpLoad %uint %id
        %odd = OpBitwiseAnd %uint %n %1
     %is_odd = OpIEqual %bool %odd %1
     %in_one = OpAccessChain %word_pointer %in %0 %1
    %out_two = OpAccessChain %word_pointer %out %0 %40
     %chosen = OpSelect %word_pointer %is_odd %in_one %out_two
       %last = OpPtrAccessChain %word_pointer %chosen %2
      %value = OpLoad %uint %last
   %out_zero = OpAccessChain %word_pointer %out %0 %0
         %to = OpPtrAccessChain %word_pointer %out_zero %n
               OpStore %to %value
)" + copied +
         R"(
               OpReturn
               OpFunctionEnd
)";
}

TEST_F(UntypedPointers, AreChosenAndWalk_SPV54) {
  const Words words = assemble(variable_pointers(""));
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  const Words o = both(words);
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[n], n % 2 == 1 ? pattern(12, 4) : 0u) << n;
}

// A pointer goes through an array, round by round.
TEST_F(UntypedPointers, GoRoundInLoops_SPV54) {
  const Words words = assemble(variable_pointers(R"(
               OpBranch %loop
       %loop = OpLabel
          %p = OpPhi %word_pointer %in_one %label %q %next
          %k = OpPhi %uint %0 %label %k1 %next
       %done = OpUGreaterThanEqual %bool %k %n
               OpLoopMerge %end %next None
               OpBranchConditional %done %end %next
       %next = OpLabel
          %q = OpPtrAccessChain %word_pointer %p %1
         %k1 = OpIAdd %uint %k %1
               OpBranch %loop
        %end = OpLabel
       %word = OpLoad %uint %p
         %at = OpIAdd %uint %n %40
      %place = OpAccessChain %word_pointer %out %0 %at
               OpStore %place %word
)"));
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  const Words o = both(words);
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[40 + n], pattern(4 + 4 * n, 4)) << n;
}

// Of untyped pointers the difference is in bytes.
TEST_F(UntypedPointers, CountBytesBetweenThem_SPV54) {
  Words words = assemble(variable_pointers(R"(
         %at = OpPtrAccessChain %word_pointer %out_zero %16
      %bytes = OpISub %int %to %out_zero
   %unsigned = OpBitcast %uint %bytes
      %place = OpPtrAccessChain %word_pointer %at %n
               OpStore %place %unsigned
)",
                                           "%id %out %in"));
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  // The assembler is asked for SPIR-V 1.3, and OpPtrDiff came with 1.4.
  words[1] = 0x00010400;
  for (std::size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffffu) == kSubtract) words[at] = 5u << 16 | kPtrDiff;
  VulkanDevice v({"VK_KHR_shader_untyped_pointers"});
  FeatureRun typed(v), untyped(v);
  const Words elements = typed.run("typed", words), bytes = untyped.run("untyped", Untyped(words, {}).made());
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_EQ(elements[16 + n], n) << n;
    EXPECT_EQ(bytes[16 + n], 4 * n) << n;
  }
}

// Which of two variables it is, a branch says.
TEST_F(UntypedPointers, ComeFromBranches_SPV54) {
  const Words words = assemble(variable_pointers(R"(
         %n1 = OpIAdd %uint %n %1
               OpStore %to %n1
               OpSelectionMerge %joined None
               OpBranchConditional %is_odd %left %right
       %left = OpLabel
               OpBranch %joined
      %right = OpLabel
               OpBranch %joined
     %joined = OpLabel
      %which = OpPhi %block_pointer %in %left %out %right
    %word_at = OpAccessChain %word_pointer %which %0 %n
       %word = OpLoad %uint %word_at
         %at = OpIAdd %uint %n %16
      %place = OpAccessChain %word_pointer %out %0 %at
               OpStore %place %word
)"));
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  const Words o = both(words);
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(o[16 + n], n % 2 == 1 ? pattern(4 * n, 4) : n + 1) << n;
}

TEST_F(UntypedPointers, CopyBytes_SPV54) {
  const Words words = assemble(variable_pointers(R"(
     %target = OpAccessChain %word_pointer %out %0 %32
               OpCopyMemory %target %in_one
)"));
  if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
  VulkanDevice v({"VK_KHR_shader_untyped_pointers"});
  FeatureRun run(v);
  const Words o = run.run("untyped", Untyped(words, {.bases = {}, .sized = true}).made());
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(o[32 + k], pattern(4 + 4 * k, 4)) << k;
  EXPECT_EQ(o[35], 0u);
}

/// Copies a byte, or a half: the fifth one of a buffer, to the third one of another.
std::string small_copy(unsigned bytes) {
  std::string text = R"(
               OpCapability Shader
               OpCapability StorageBufferBITSBitAccess
               OpExtension "SPV_KHR_BITSbit_storage"
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpName %size "size"
               OpDecorate %smalls ArrayStride BYTES
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 0
               OpDecorate %in DescriptorSet 0
               OpDecorate %in Binding 1
       %void = OpTypeVoid
    %no_args = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %small = OpTypeInt BITS 0
          %0 = OpConstant %uint 0
          %3 = OpConstant %uint 3
          %5 = OpConstant %uint 5
       %size = OpConstant %uint 12
     %smalls = OpTypeRuntimeArray %small
      %block = OpTypeStruct %smalls
%block_pointer = OpTypePointer StorageBuffer %block
%small_pointer = OpTypePointer StorageBuffer %small
        %out = OpVariable %block_pointer StorageBuffer
         %in = OpVariable %block_pointer StorageBuffer
       %main = OpFunction %void None %no_args
      %label = OpLabel
         %to = OpAccessChain %small_pointer %out %0 %3
       %from = OpAccessChain %small_pointer %in %0 %5
               OpCopyMemory %to %from
               OpReturn
               OpFunctionEnd
)";
  const auto replace = [&](std::string_view word, unsigned value) {
    for (std::size_t at; (at = text.find(word)) != std::string::npos;)
      text.replace(at, word.size(), std::to_string(value));
  };
  replace("BITS", 8 * bytes);
  replace("BYTES", bytes);
  return text;
}

// A copy that says nothing of alignment may begin at any byte, or half, that the module may access.
TEST_F(UntypedPointers, CopyFromWhereverTheyPoint_SPV54) {
  for (const unsigned unit : {1u, 2u}) {
    const Words words = assemble(small_copy(unit));
    if (words.empty()) GTEST_SKIP() << "spirv-as is not installed";
    VulkanDevice v({"VK_KHR_shader_untyped_pointers"});
    FeatureRun run(v);
    const Words o = run.run("untyped", Untyped(words, {.bases = {}, .sized = true}).made());
    EXPECT_THAT(v.messages, testing::IsEmpty());
    const auto byte = [&](std::uint32_t k) { return o[k / 4] >> (8 * (k % 4)) & 0xffu; };
    EXPECT_EQ(byte(3 * unit - 1), 0u) << unit;
    for (std::uint32_t k = 0; k < 12; ++k) EXPECT_EQ(byte(3 * unit + k), pattern(5 * unit + k, 1)) << unit << " " << k;
    EXPECT_EQ(byte(3 * unit + 12), 0u) << unit;
  }
}

// Words that are cut off or name nothing: a message, and no crash.
TEST_F(UntypedPointers, DamagedModulesAreRefused_SPV54) {
  VulkanDevice v({"VK_KHR_shader_untyped_pointers"});
  v.expects_messages = true;
  const Words good =
      Untyped(compile_shader(shader("", "out1.o[n] = in1.a[n];\n"), "comp", false, "vulkan1.3"), {}).made();
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkPipelineLayout layout = v.layout({v.set_layout(bindings)});
  std::size_t refused = 0, tried = 0;
  for (std::size_t at = 5; at < good.size(); at += good[at] >> 16) {
    const std::uint32_t opcode = good[at] & 0xffffu;
    if (opcode < kUntypedPointer || opcode > kUntypedLength) continue;
    for (std::uint32_t k = 1; k < good[at] >> 16; ++k) {
      Words bad = good;
      bad[at + k] = bad[3] + 5;
      const VkShaderModule module = v.module(bad);
      VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
      info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    nullptr,
                    0,
                    VK_SHADER_STAGE_COMPUTE_BIT,
                    module,
                    "main",
                    nullptr};
      info.layout = layout;
      VkPipeline made = VK_NULL_HANDLE;
      refused += vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made) != VK_SUCCESS ? 1 : 0;
      ++tried;
      vkDestroyPipeline(v.device, made, nullptr);
      vkDestroyShaderModule(v.device, module, nullptr);
    }
  }
  EXPECT_GT(tried, 20u);
  EXPECT_EQ(refused, tried);
}

}  // namespace
}  // namespace heddle::test
