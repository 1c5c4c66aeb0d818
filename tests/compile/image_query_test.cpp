// SPDX-License-Identifier: MIT
// Image queries, and what is refused.
// Rules: SPV-23 to SPV-29.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "image_shader.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

struct Case {
  const char* dim;
  bool arrayed, multisampled, storage;
  const char* instruction;  ///< of result %r
  unsigned results;
  std::vector<std::uint32_t> (*expected)(std::uint32_t lod);
};

TEST(Query, SizesLevelsAndSamples) {
  using V = std::vector<std::uint32_t>;
  static const auto at = [](std::uint32_t n, std::uint32_t lod) { return lod > 2 ? 0u : std::max(1u, n >> lod); };
  const Case cases[] = {
      {"1D", false, false, false, "OpImageQuerySizeLod %int %bare %EI_0", 1,
       [](std::uint32_t l) { return V{at(12, l)}; }},
      {"1D", true, false, false, "OpImageQuerySizeLod %v2int %bare %EI_0", 2,
       [](std::uint32_t l) { return V{at(12, l), 3}; }},
      {"2D", false, false, false, "OpImageQuerySizeLod %v2int %bare %EI_0", 2,
       [](std::uint32_t l) { return V{at(12, l), at(8, l)}; }},
      {"2D", true, false, false, "OpImageQuerySizeLod %v3int %bare %EI_0", 3,
       [](std::uint32_t l) { return V{at(12, l), at(8, l), 3}; }},
      {"3D", false, false, false, "OpImageQuerySizeLod %v3int %bare %EI_0", 3,
       [](std::uint32_t l) { return V{at(12, l), at(8, l), at(6, l)}; }},
      {"Cube", false, false, false, "OpImageQuerySizeLod %v2int %bare %EI_0", 2,
       [](std::uint32_t l) { return V{at(12, l), at(12, l)}; }},
      {"Cube", true, false, false, "OpImageQuerySizeLod %v3int %bare %EI_0", 3,
       [](std::uint32_t l) { return V{at(12, l), at(12, l), 3}; }},
      {"2D", false, false, false, "OpImageQueryLevels %int %bare", 1, [](std::uint32_t) { return V{3}; }},
      {"Cube", true, false, false, "OpImageQueryLevels %int %bare", 1, [](std::uint32_t) { return V{3}; }},
      {"2D", false, true, false, "OpImageQuerySize %v2int %bare", 2, [](std::uint32_t) { return V{12, 8}; }},
      {"2D", true, true, false, "OpImageQuerySize %v3int %bare", 3, [](std::uint32_t) { return V{12, 8, 3}; }},
      {"2D", false, true, false, "OpImageQuerySamples %int %bare", 1, [](std::uint32_t) { return V{4}; }},
      {"2D", false, false, true, "OpImageQuerySize %v2int %bare", 2, [](std::uint32_t) { return V{12, 8}; }},
      {"3D", false, false, true, "OpImageQuerySize %v3int %bare", 3, [](std::uint32_t) { return V{12, 8, 6}; }},
      {"Cube", true, false, true, "OpImageQuerySize %v3int %bare", 3, [](std::uint32_t) { return V{12, 12, 3}; }},
      {"Buffer", false, false, false, "OpImageQuerySize %int %bare", 1, [](std::uint32_t) { return V{64}; }},
      {"Buffer", false, false, true, "OpImageQuerySize %int %bare", 1, [](std::uint32_t) { return V{64}; }},
  };
  for (const Case& c : cases) {
    Picture p;
    p.dim = c.dim;
    p.array = c.arrayed;
    p.width = p.dim == "Buffer" ? 64 : 12;
    p.height = p.dim == "Cube" ? 12 : p.dim == "Buffer" ? 1 : 8;
    p.depth = 6;
    p.layers = (p.dim == "Cube" ? 6 : 1) * (c.arrayed ? 3 : 1);
    p.levels = c.multisampled || c.storage || p.dim == "Buffer" ? 1 : 3;
    p.samples = c.multisampled ? 4 : 1;
    ImageShader s;
    s.dim = c.dim;
    s.arrayed = c.arrayed;
    s.multisampled = c.multisampled;
    s.storage = c.storage;
    s.quads = false;
    s.body = fmt::format("%r = {}\n", c.instruction);
    for (unsigned k = 0; k < c.results; ++k) {
      if (c.results > 1) s.body += fmt::format("%r{0} = OpCompositeExtract %int %r {0}\n", k);
      s.results.emplace_back(c.results > 1 ? fmt::format("%r{}", k) : "%r", "int");
    }
    std::vector<Operands> operands(kInvocations);
    Words expected;
    for (unsigned i = 0; i < kInvocations; ++i) {
      operands[i].e[0] = static_cast<float>(i % 4);
      expected.push_back(c.expected(i % 4));
    }
    std::string words = image_words(p);
    if (p.dim == "Buffer")
      words.replace(words.find("size"), words.find('\n', words.find("size")) - words.find("size"), "size = [64]");
    expect_words(s, {words, c.storage || p.dim == "Buffer" ? "" : "filter = \"nearest\"", {}}, operands, expected);
  }
}

// A storage image is one level of the image, whichever member of the job names it.
TEST(Query, AStorageImageHasTheSizeOfItsLevel_VKF10) {
  for (const char* const member :
       {"rt_level = 1\n", "surf_min_lod = 1\n", "rt_level = 2\n", "surf_min_lod = 1\nrt_level = 2\n"})
    for (const bool deep : {false, true}) {
      SCOPED_TRACE(member);
      const unsigned level = std::string(member).find("rt_level = 2") != std::string::npos ? 2 : 1;
      Picture p;
      p.dim = deep ? "3D" : "2D";
      p.width = 16;
      p.height = 24;
      p.depth = deep ? 9 : 1;
      p.levels = 3;
      p.format = "R32_UINT";
      p.more = member;
      ImageShader s;
      s.dim = p.dim;
      s.texel = "uint";
      s.storage = true;
      s.quads = false;
      const std::string axes = deep ? "3" : "2";
      s.body = "%size = OpImageQuerySize %v" + axes + "int %bare\n%read = OpImageRead %v4uint %bare %I" + axes +
               "\n%red = OpCompositeExtract %uint %read 0\n"
               "%nothing = OpIEqual %bool %red %uint_0\n%inside = OpSelect %uint %nothing %uint_0 %uint_1\n";
      for (unsigned k = 0; k < (deep ? 3u : 2u); ++k) {
        s.body += fmt::format("%r{0} = OpCompositeExtract %int %size {0}\n", k);
        s.results.emplace_back(fmt::format("%r{}", k), "int");
      }
      s.results.emplace_back("%inside", "uint");
      std::vector<Operands> operands(kInvocations);
      Words expected;
      for (unsigned i = 0; i < kInvocations; ++i) {
        operands[i].p = {static_cast<float>(i % (16u >> level)), 1, 0, 0};
        expected.push_back({16u >> level, 24u >> level});
        if (deep) expected.back().push_back(9u >> level);
        expected.back().push_back(1);  // a random word, which is not 0
      }
      expect_words(s, {image_words(p), "", {}}, operands, expected);
    }
}

TEST(Query, ArraysOfDescriptorsTakeNoPredicate) {
  std::vector<Picture> pictures(3);
  for (unsigned i = 0; i < 3; ++i) pictures[i].width = 10 + i;
  ImageShader s;
  s.body = "%r = OpImageQuerySizeLod %v2int %bare %int_0\n%r0 = OpCompositeExtract %int %r 0\n";
  s.results = {{"%r0", "int"}};
  s.quads = false;
  s.elements = 3;
  s.capabilities = "OpCapability SampledImageArrayDynamicIndexing\n";
  std::vector<Operands> operands(kInvocations);
  Words expected;
  for (unsigned i = 0; i < kInvocations; ++i) {
    operands[i].e[3] = static_cast<float>(i * 7 % 3);
    expected.push_back({10 + i * 7 % 3});
  }
  expect_words(s,
               {image_words(pictures[0]), "filter = \"nearest\"", {image_words(pictures[1]), image_words(pictures[2])}},
               operands, expected);
}

/// The messages came with XE2; before, Heddle alone has them, where the kernel says so.
TEST(ImageOffsets, OfLanesAreMessagesOfXe2_SPV53) {
  ImageShader s;
  s.capabilities = "OpCapability ImageGatherExtended\n";
  s.body =
      "%near = OpImageSampleExplicitLod %v4float %image %P2 Lod|Offset %E_0 %I2\n"
      "%r = OpCompositeExtract %float %near 0\n";
  s.results = {{"%r", "float"}};
  s.quads = false;
  const spirv::Module module = assemble_shader(s.text());
  for (const isa::Platform platform : {isa::Platform::SKL, isa::Platform::XE2}) {
    spirv::CompileOptions options;
    options.platform = platform;
    const CompiledShader compiled = compile_shader(module, options);
    ASSERT_TRUE(compiled.ok) << compiled.messages;
    EXPECT_THAT(compiled.text, ::testing::HasSubstr("sample_po_l"));
    const bool said = compiled.text.find(".kernel_attr HeddleLaneOffsets") != std::string::npos;
    EXPECT_EQ(said, platform == isa::Platform::SKL);
  }
  spirv::CompileOptions portable;
  portable.portable = true;
  const CompiledShader refused = compile_shader(module, portable);
  EXPECT_FALSE(refused.ok);
  EXPECT_THAT(refused.messages, ::testing::HasSubstr("texel offset must be constant"));
}

TEST(ImageRefusals, NameTheInstructionAndTheReason) {
  struct Refused {
    const char *dim, *body, *reason, *globals;
  };
  const Refused cases[] = {
      {"2D", "%far = OpImageSampleExplicitLod %v4float %image %P2 Lod|ConstOffset %E_0 %nines\n",
       "a sample's texel offset lies outside -8 to 7",
       "%nine = OpConstant %int 9\n%nines = OpConstantComposite %v2int %nine %nine\n"},
  };
  for (const Refused& c : cases) {
    ImageShader s;
    s.dim = c.dim;
    s.body = c.body;
    s.globals = c.globals;
    s.quads = false;
    const CompiledShader compiled = compile_shader(assemble_shader(s.text()));
    EXPECT_FALSE(compiled.ok);
    EXPECT_THAT(compiled.messages, ::testing::HasSubstr(c.reason));
    EXPECT_THAT(compiled.messages, ::testing::HasSubstr("compile-unsupported"));
  }
}

}  // namespace
