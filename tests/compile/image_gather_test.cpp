// SPDX-License-Identifier: MIT
// OpImageGather, OpImageDrefGather: every dimension and operand, against the texture unit with the same coordinates.
// Rules: SPV-23 to SPV-29.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <stdexcept>

#include "image_shader.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::test;
using texture::Op;
using texture::Param;

namespace {

struct Kind {
  const char* dim;
  bool arrayed;
};
const Kind kKinds[] = {{"2D", false}, {"2D", true}, {"Cube", false}, {"Cube", true}};
bool is_cube(const Kind& k) { return k.dim[0] == 'C'; }
unsigned axes(const Kind& k) { return is_cube(k) ? 3 : 2; }

Picture picture(const Kind& k, const char* format, unsigned bytes) {
  Picture p;
  p.dim = k.dim;
  p.format = format;
  p.texel_bytes = bytes;
  p.array = k.arrayed;
  p.height = is_cube(k) ? 16 : 8;
  p.levels = 3;  // level 0 is gathered from
  p.layers = (is_cube(k) ? 6 : 1) * (k.arrayed ? 3 : 1);
  return p;
}

const char* kSampler = "filter = \"linear\"\naddress = \"mirrored_repeat\"\ncompare_op = \"greater_or_equal\"";

ImageShader shader(const Kind& k, const std::string& body, const char* texel = "float") {
  ImageShader s;
  s.dim = k.dim;
  s.arrayed = k.arrayed;
  s.texel = texel;
  s.quads = false;
  s.body = body;
  for (unsigned c = 0; c < 4; ++c) {
    s.body += fmt::format("%r{0} = OpCompositeExtract %{1} %r {0}\n", c, texel);
    s.results.emplace_back(fmt::format("%r{}", c), texel);
  }
  return s;
}

std::vector<Operands> operands_for(const Kind& k, unsigned seed) {
  std::vector<Operands> list = random_operands(seed);
  if (k.arrayed)
    for (std::size_t i = 0; i < list.size(); ++i) list[i].p[axes(k)] = static_cast<float>(i % 5) - 0.6f;
  return list;
}

UnitCall call_for(const Kind& k, bool compare, bool offsets = false) {
  UnitCall call;
  call.op = offsets ? (compare ? Op::Gather4PoC : Op::Gather4Po) : (compare ? Op::Gather4C : Op::Gather4);
  if (compare) call.params.emplace_back(Param::Ref, real([](const Operands& o) { return o.e[2] / 4; }));
  const Param kAxes[] = {Param::U, Param::V, Param::R};
  for (unsigned a = 0; a < axes(k); ++a)
    call.params.emplace_back(kAxes[a], real([a](const Operands& o) { return o.p[a]; }));
  if (k.arrayed)
    call.params.emplace_back(is_cube(k) ? Param::Ai : Param::R, real([k](const Operands& o) { return o.p[axes(k)]; }));
  return call;
}

std::string instruction(const Kind& k, bool compare, const std::string& component, const std::string& operands,
                        const char* texel = "float") {
  const unsigned n = axes(k) + (k.arrayed ? 1 : 0);
  if (!compare) return fmt::format("%r = OpImageGather %v4{} %image %P{} {} {}\n", texel, n, component, operands);
  return fmt::format("%ref = OpFDiv %float %E_2 %float_4\n%r = OpImageDrefGather %v4float %image %P{} %ref {}\n", n,
                     operands);
}

TEST(Gather, EveryComponentOfEveryDimension) {
  for (const Kind& k : kKinds)
    for (unsigned c = 0; c < 4; ++c) {
      UnitCall call = call_for(k, false);
      call.channel = c;
      expect_like_unit(shader(k, instruction(k, false, fmt::format("%uint_{}", c), "")),
                       {image_words(picture(k, "R8G8B8A8_UNORM", 4)), kSampler, {}}, operands_for(k, c), call);
    }
}

TEST(Gather, IntegerTexels) {
  for (const char* texel : {"int", "uint"}) {
    const Kind k{"2D", true};
    UnitCall call = call_for(k, false);
    call.channel = 1;
    expect_like_unit(shader(k, instruction(k, false, "%uint_1", "", texel), texel),
                     {image_words(picture(k, *texel == 'i' ? "R16G16_SINT" : "R16G16_UINT", 4)), kSampler, {}},
                     operands_for(k, 5), call);
  }
}

TEST(Gather, Reference) {
  for (const Kind& k : kKinds) {
    ImageShader s = shader(k, instruction(k, true, "", ""));
    s.globals = "%float_4 = OpConstant %float 4\n";
    expect_like_unit(s, {image_words(picture(k, "R16_UNORM", 2)), kSampler, {}}, operands_for(k, 6), call_for(k, true));
  }
}

// SPV-24, CUB-4: cubes are seamless whatever the address mode, unless the job asks for the mode inside the face.
TEST(Gather, CubesReadAcrossFacesWhateverTheAddressMode) {
  const TemporaryFolder folder;
  std::string texels;
  for (const char face : {10, 20, 30, 40, 50, 60}) texels += std::string(16, face);
  write_text(folder / "faces.bin", texels);
  const std::string image =
      fmt::format("type = \"cube\"\nformat = \"R8_UNORM\"\nsize = [4, 4]\nlayers = 6\nraw = \"{}\"\n",
                  (folder / "faces.bin").string());
  // The left edge of face +X, where +Z adjoins: the tap left of it lies outside.
  std::vector<Operands> operands(kInvocations);
  for (Operands& o : operands) o.p = {1, 0.1f, 0.99f, 0};
  const Kind k{"Cube", false};
  ImageShader gather = shader(k, instruction(k, false, "%uint_0", "")), sample = gather;
  sample.body =
      "%s = OpImageSampleExplicitLod %v4float %image %P3 Lod %float_0\n%r0 = OpCompositeExtract %float %s 0\n";
  sample.results.resize(1);
  const auto value = [&](const ImageShader& s, const ImageJob& job, unsigned result) {
    const Words words = run_image_shader(s, job, operands, {});
    return words.empty() ? -1.0f : std::bit_cast<float>(words[0].at(result)) * 255;
  };
  for (const char* address : {"clamp_to_edge", "repeat", "mirrored_repeat", "clamp_to_border"}) {
    const std::string sampler = fmt::format("filter = \"linear\"\naddress = \"{}\"\n", address);
    const float border = address == std::string("clamp_to_border") ? 0 : 10;
    for (const char* seamless : {"", "seamless_cube = true\n", "seamless_cube = false\n", "cube_override = false\n"}) {
      SCOPED_TRACE(sampler + seamless);
      const ImageJob job{image, sampler + seamless, {}};
      const float outside = std::string(seamless).find("false") == std::string::npos ? 50 : border;
      EXPECT_FLOAT_EQ(value(gather, job, 0), outside);  // GA-4: the left ones are the first and the last
      EXPECT_FLOAT_EQ(value(gather, job, 1), 10);
      EXPECT_FLOAT_EQ(value(gather, job, 3), outside);
      EXPECT_NEAR(value(sample, job, 0), 10 + (outside - 10) * 0.48f, 0.1f);
    }
    // A vISA kernel's sampler is the state as it is given.
    EXPECT_FALSE(bind_images({image, sampler, {}}).resources.samplers[0].sampler->cube_override);
  }
  EXPECT_THROW((void)bind_images({image, "seamless_cube = true\ncube_override = true\n", {}}), std::runtime_error);
}

// Small constant offsets stand in the message; others, and those computed for each invocation, are operands (GA-8).
TEST(Gather, Offsets) {
  for (const bool arrayed : {false, true})
    for (const bool compare : {false, true}) {
      const Kind k{"2D", arrayed};
      const ImageJob job{
          image_words(compare ? picture(k, "R16_UNORM", 2) : picture(k, "R8G8B8A8_UNORM", 4)), kSampler, {}};
      const std::vector<Operands> operands = operands_for(k, 7);
      const std::string globals =
          "%float_4 = OpConstant %float 4\n%minus_5 = OpConstant %int -5\n%minus_30 = OpConstant %int -30\n"
          "%near = OpConstantComposite %v2int %minus_5 %int_7\n%far = OpConstantComposite %v2int %minus_30 %int_16\n";
      {
        UnitCall call = call_for(k, compare);
        call.offset = {-5, 7, 0};
        ImageShader s = shader(k, instruction(k, compare, "%uint_0", "ConstOffset %near"));
        s.globals = globals;
        expect_like_unit(s, job, operands, call);
      }
      {
        UnitCall call = call_for(k, compare, true);
        call.params.emplace_back(Param::OffU, integer([](const Operands&) { return -30; }));
        call.params.emplace_back(Param::OffV, integer([](const Operands&) { return 16; }));
        ImageShader s = shader(k, instruction(k, compare, "%uint_0", "ConstOffset %far"));
        s.lane_offsets = true;
        s.globals = globals;
        expect_like_unit(s, job, operands, call);
      }
      {
        UnitCall call = call_for(k, compare, true);
        call.params.emplace_back(Param::OffU, integer([](const Operands& o) { return static_cast<int>(o.e[0]) - 5; }));
        call.params.emplace_back(Param::OffV, integer([](const Operands& o) { return static_cast<int>(o.e[1]); }));
        ImageShader s =
            shader(k, "%offu = OpIAdd %int %EI_0 %minus_5\n%off = OpCompositeConstruct %v2int %offu %EI_1\n" +
                          instruction(k, compare, "%uint_0", "Offset %off"));
        s.lane_offsets = true;
        s.globals = globals;
        expect_like_unit(s, job, operands, call);
      }
    }
}

// The texel at (i0, j0) of four gathers.
TEST(Gather, ConstantOffsetsForEachTexel) {
  const int offsets[4][2] = {{-2, 1}, {7, -8}, {-20, 31}, {3, 3}};
  for (const bool arrayed : {false, true})
    for (const bool compare : {false, true}) {
      const Kind k{"2D", arrayed};
      const ImageJob job{
          image_words(compare ? picture(k, "R16_UNORM", 2) : picture(k, "R8G8B8A8_UNORM", 4)), kSampler, {}};
      const std::vector<Operands> operands = operands_for(k, 8);
      const Bound bound = bind_images(job);
      Words expected(kInvocations);
      std::string globals = "%float_4 = OpConstant %float 4\n%offsets_type = OpTypeArray %v2int %uint_4\n", list;
      for (unsigned n = 0; n < 4; ++n) {
        UnitCall call = call_for(k, compare, true);
        call.channel = compare ? 0 : 2;
        call.take = {3};
        call.params.emplace_back(Param::OffU, integer([&](const Operands&) { return offsets[n][0]; }));
        call.params.emplace_back(Param::OffV, integer([&](const Operands&) { return offsets[n][1]; }));
        const Words one = call_unit(call, bound.surface(), bound.sampler(), operands);
        for (unsigned i = 0; i < kInvocations; ++i) expected[i].push_back(one[i][0]);
        globals += fmt::format(
            "%x{0} = OpConstant %int {1}\n%y{0} = OpConstant %int {2}\n%o{0} = OpConstantComposite %v2int %x{0} "
            "%y{0}\n",
            n, offsets[n][0], offsets[n][1]);
        list += fmt::format(" %o{}", n);
      }
      ImageShader s = shader(k, instruction(k, compare, "%uint_2", "ConstOffsets %offsets"));
      s.lane_offsets = true;
      s.globals = globals + "%offsets = OpConstantComposite %offsets_type" + list + "\n";
      expect_words(s, job, operands, expected);
    }
}

// LOD-11: another level than the first, from XE2 on.
TEST(Gather, LevelsOfDetail) {
  const Kind k{"2D", true};
  for (const bool bias : {false, true}) {
    UnitCall call = call_for(k, false);
    call.op = bias ? Op::Gather4B : Op::Gather4L;
    call.params.emplace_back(bias ? Param::Bias : Param::Lod, real([](const Operands& o) { return o.e[1]; }));
    ImageShader s = shader(k, instruction(k, false, "%uint_0", bias ? "Bias %E_1" : "Lod %E_1"));
    s.quads = bias;
    s.capabilities = "OpCapability ImageGatherBiasLodAMD\n";
    s.extensions = "OpExtension \"SPV_AMD_texture_gather_bias_lod\"\n";
    const ImageJob job{image_words(picture(k, "R8G8B8A8_UNORM", 4)), kSampler, {}};
    const std::vector<Operands> operands = operands_for(k, 10);
    const Bound bound = bind_images(job);
    spirv::CompileOptions options;
    EXPECT_THAT(compile_shader(assemble_shader(s.text()), options).messages, ::testing::HasSubstr("came with XE2"));
    options.platform = isa::Platform::XE2;
    EXPECT_EQ(run_image_shader(s, job, operands, options), call_unit(call, bound.surface(), bound.sampler(), operands))
        << s.body;
  }
}

// GA-9: all four texels count.
TEST(Gather, Residency) {
  const Kind k{"2D", false};
  Picture p = picture(k, "R8G8B8A8_UNORM", 4);
  p.levels = 1;
  p.more = "null_texels = [[0, 0, 3, 2], [0, 0, 4, 2], [0, 0, 9, 6], [0, 0, 0, 0], [0, 0, 12, 1], [0, 0, 7, 7]]\n";
  UnitCall call = call_for(k, false);
  call.null_mask = true;
  ImageShader s =
      shader(k,
             "%s = OpImageSparseGather %Sparse %image %P2 %uint_0\n%code = OpCompositeExtract %int %s 0\n%r = "
             "OpCompositeExtract %v4float %s 1\n"
             "%resident = OpImageSparseTexelsResident %bool %code\n%word = OpSelect %uint %resident %uint_1 %uint_0\n");
  s.globals = "%Sparse = OpTypeStruct %int %v4float\n";
  s.results.insert(s.results.begin(), {"%word", "uint"});
  expect_like_unit(s, {image_words(p), kSampler, {}}, operands_for(k, 9), call);
}

}  // namespace
