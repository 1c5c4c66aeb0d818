// SPDX-License-Identifier: MIT
// Programs with more conditions than instructions can name.
// Rules: SPV-3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "shader.hpp"
#include "spirv/compile/writer/shared_predicates.hpp"

using namespace heddle;
using namespace heddle::test;
using spirv::compiler::NamedPredicate;
using spirv::compiler::renamed_predicates;
using spirv::compiler::share_predicates;
using spirv::compiler::SharedPredicates;

namespace {

std::vector<NamedPredicate> named(std::initializer_list<const char*> names) {
  std::vector<NamedPredicate> list;
  for (const char* name : names) list.push_back({name, name[0] == 'q' ? 1u : 0u, 0});
  return list;
}

std::string shared(const std::vector<NamedPredicate>& predicates, std::string_view text, std::size_t most = 100) {
  const std::string_view texts[] = {text};
  const SharedPredicates s = share_predicates(predicates, texts, most);
  return s.homeless ? "no room for " + predicates[*s.homeless].name : renamed_predicates(predicates, s, text);
}

TEST(SharedPredicates, OneAfterTheOther) {
  EXPECT_EQ(shared(named({"p", "p2", "p3"}),
                   "    // p2\n    cmp.eq (M1, 16) p a b\n    (p) mov (M1, 16) x y\n    cmp.eq (M1, 16) p2 a b\n"
                   "    not (M1, 16) p3 p2\n    (!p3) mov (M1, 16) x p22\n"),
            "    // p2\n    cmp.eq (M1, 16) p a b\n    (p) mov (M1, 16) x y\n    cmp.eq (M1, 16) p a b\n"
            "    not (M1, 16) p3 p\n    (!p3) mov (M1, 16) x p22\n");
}

TEST(SharedPredicates, LivesThatCrossALoopLastForAllOfIt) {
  // p is read in the loop, p2 behind it, p4 in the next round: only p3 lives within a round, and p5 after all.
  const std::string_view loop =
      "    cmp.eq (M1, 16) p a b\nloop:\n    (p) mov (M1, 16) x y\n    cmp.eq (M1, 16) p3 a b\n"
      "    (p3) mov (M1, 16) x y\n    (p4) mov (M1, 16) x y\n    cmp.eq (M1, 16) p4 a b\n"
      "    cmp.eq (M1, 16) p2 a b\n    goto (M1, 16) loop\n    (p2) mov (M1, 16) x y\n"
      "    cmp.eq (M1, 16) p5 a b\n";
  const SharedPredicates s =
      share_predicates(named({"p", "p2", "p3", "p4", "p5"}), std::array<std::string_view, 1>{loop}, 100);
  EXPECT_THAT(std::vector<std::uint32_t>(s.home.begin(), s.home.begin() + 4), ::testing::ElementsAre(0, 1, 2, 3));
  EXPECT_NE(s.home[4], 4u);
}

TEST(SharedPredicates, KindsMixOnlyWhereTheyMust) {
  const std::string_view text =
      "    cmp.eq (M1, 16) p a b\n    cmp.eq (M1, 16) q a b\n    cmp.eq (M1, 16) p2 a b\n    cmp.eq (M1, 16) q2 a b\n";
  EXPECT_EQ(share_predicates(named({"p", "q", "p2", "q2"}), std::array{text}, 100).home,
            (std::vector<std::uint32_t>{0, 1, 0, 1}));
  EXPECT_EQ(share_predicates(named({"p", "q", "p2", "q2"}), std::array{text}, 1).home,
            (std::vector<std::uint32_t>{0, 0, 0, 0}));
  EXPECT_EQ(
      shared(named({"p", "p2"}), "    cmp.eq (M1, 16) p a b\n    cmp.eq (M1, 16) p2 a b\n    and (M1, 16) p p p2\n", 1),
      "no room for p2");
}

std::string head() {
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %gid %out\n"
         "OpExecutionMode %main LocalSize 32 1 1\nOpDecorate %gid BuiltIn GlobalInvocationId\n"
         "OpDecorate %list ArrayStride 4\nOpMemberDecorate %block 0 Offset 0\nOpDecorate %block Block\n"
         "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
         "%bool = OpTypeBool\n%u = OpTypeInt 32 0\n%uvec = OpTypeVector %u 3\n%list = OpTypeRuntimeArray %u\n"
         "%block = OpTypeStruct %list\n%pb = OpTypePointer StorageBuffer %block\n%pu = OpTypePointer StorageBuffer %u\n"
         "%out = OpVariable %pb StorageBuffer\n%pi = OpTypePointer Input %uvec\n%gid = OpVariable %pi Input\n"
         "%pf = OpTypePointer Function %u\n";
}

std::string number(std::size_t n) { return "%k" + std::to_string(n); }

std::string constants_to(std::size_t n) {
  std::string text;
  for (std::size_t k = 0; k <= n; ++k) text += number(k) + " = OpConstant %u " + std::to_string(k) + "\n";
  return text;
}

constexpr const char* kBegin = "%main = OpFunction %void None %fn\n%l = OpLabel\n";
constexpr const char* kIndex = "%id3 = OpLoad %uvec %gid\n%x = OpCompositeExtract %u %id3 0\n";

std::string end_with(const std::string& result) {
  return "%po = OpAccessChain %pu %out %k0 %x\nOpStore %po " + result + "\nOpReturn\nOpFunctionEnd\n";
}

/// y += a[(y + k) % size], `count` times.
std::string reads(std::size_t count, std::size_t size) {
  std::string text = head() + constants_to(std::max(count, size)) + "%array = OpTypeArray %u " + number(size) +
                     "\n%pa = OpTypePointer Function %array\n" + kBegin + "%a = OpVariable %pa Function\n" + kIndex;
  for (std::size_t k = 0; k < size; ++k) {
    const std::string n = std::to_string(k);
    text += "%v" + n + " = OpIMul %u %x " + number(k) + "\n%e" + n + " = OpAccessChain %pf %a " + number(k) +
            "\nOpStore %e" + n + " %v" + n + "\n";
  }
  std::string y = "%x";
  for (std::size_t k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "%s" + n + " = OpIAdd %u " + y + " " + number(k) + "\n%i" + n + " = OpBitwiseAnd %u %s" + n + " " +
            number(size - 1) + "\n%p" + n + " = OpAccessChain %pf %a %i" + n + "\n%r" + n + " = OpLoad %u %p" + n +
            "\n%y" + n + " = OpIAdd %u " + y + " %r" + n + "\n";
    y = "%y" + n;
  }
  return text + end_with(y);
}

std::vector<std::uint32_t> run(const std::string& text, const spirv::CompileOptions& options, const char* engine) {
  const job::RunResult outcome =
      run_shader(assemble_shader(text),
                 "engine = \"" + std::string(engine) +
                     "\"\ngroups = [1]\n[buffers.\"0.0\"]\ntype = \"u32\"\ncount = 32\nsave = \"out.bin\"\n",
                 options);
  EXPECT_TRUE(outcome.succeeded) << messages(outcome.diagnostics).substr(0, 1000);
  return output_as<std::uint32_t>(outcome, "out.bin");
}

std::vector<std::uint32_t> expected_reads(std::size_t count, std::uint32_t size) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t x = 0; x < 32; ++x) {
    std::uint32_t y = x;
    for (std::uint32_t k = 0; k < count; ++k) y += ((y + k) & (size - 1)) * x;
    list.push_back(y);
  }
  return list;
}

TEST(ManyPredicates, ReadsOfArrays) {
  EXPECT_EQ(run(reads(140, 32), {}, "reference"), expected_reads(140, 32));
  EXPECT_EQ(run(reads(600, 8), {}, "reference"), expected_reads(600, 8));
  spirv::CompileOptions few;
  few.predicates = 10;
  for (const unsigned simd : {8u, 16u, 32u}) {
    few.simd = simd;
    EXPECT_EQ(run(reads(6, 8), few, "reference"), expected_reads(6, 8));
    EXPECT_EQ(run(reads(6, 8), few, "fast"), expected_reads(6, 8));
  }
}

TEST(ManyPredicates, Ifs) {
  constexpr std::size_t kCount = 4100;
  std::string text =
      head() + constants_to(kCount) + kBegin + "%v = OpVariable %pf Function\n" + kIndex + "OpStore %v %x\n";
  for (std::size_t k = 0; k < kCount; ++k) {
    const std::string n = std::to_string(k);
    text += "%c" + n + " = OpUGreaterThan %bool %x " + number(k) + "\nOpSelectionMerge %m" + n +
            " None\nOpBranchConditional %c" + n + " %t" + n + " %m" + n + "\n%t" + n + " = OpLabel\n%o" + n +
            " = OpLoad %u %v\n%y" + n + " = OpIAdd %u %o" + n + " %x\nOpStore %v %y" + n + "\nOpBranch %m" + n +
            "\n%m" + n + " = OpLabel\n";
  }
  text += "%result = OpLoad %u %v\n" + end_with("%result");
  std::vector<std::uint32_t> expected;
  for (std::uint32_t x = 0; x < 32; ++x) expected.push_back(x + x * x);
  EXPECT_EQ(run(text, {}, "reference"), expected);
  EXPECT_EQ(run(text, {}, "fast"), expected);
}

/// Booleans that are all needed at the end.
TEST(ManyPredicates, ThatAreNeededAtOnceAreRefused) {
  constexpr std::size_t kCount = 4100;
  std::string text = head() + constants_to(kCount) + kBegin + kIndex, sum;
  for (std::size_t k = 0; k < kCount; ++k) {
    const std::string n = std::to_string(k), before = k == 0 ? "%x" : "%y" + std::to_string(k - 1);
    text += "%c" + n + " = OpUGreaterThan %bool %x " + number(k) + "\n";
    sum += "%z" + n + " = OpSelect %u %c" + n + " %x %k1\n%y" + n + " = OpIAdd %u " + before + " %z" + n + "\n";
  }
  const std::string last = "%c4095 = OpUGreaterThan";
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(last)), '\n') + 1;
  text += sum + end_with("%y" + std::to_string(kCount - 1));
  const CompiledShader c = compile_shader(assemble_shader(text));
  EXPECT_FALSE(c.ok);
  EXPECT_THAT(c.messages, ::testing::HasSubstr("test.spvasm:" + std::to_string(line) + ":"));
  EXPECT_THAT(c.messages, ::testing::HasSubstr("more than 4095 booleans and conditions are needed at once"));
  EXPECT_THAT(c.messages, ::testing::HasSubstr("compile-limit"));
}

}  // namespace
