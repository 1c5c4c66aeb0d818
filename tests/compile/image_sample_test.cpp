// SPDX-License-Identifier: MIT
// OpImageSample*: every dimension and operand, against the texture unit with the same coordinates.
// Rules: SPV-23 to SPV-29.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>

#include "base/half.hpp"
#include "image_shader.hpp"

using namespace heddle;
using namespace heddle::test;
using texture::Op;
using texture::Param;

namespace {

struct Kind {
  const char* dim;
  bool arrayed;
};
const Kind kKinds[] = {{"1D", false}, {"1D", true},    {"2D", false}, {"2D", true},
                       {"3D", false}, {"Cube", false}, {"Cube", true}};

void PrintTo(const Kind& k, std::ostream* out) { *out << k.dim << (k.arrayed ? "Array" : ""); }

unsigned axes(const Kind& k) { return std::string(k.dim) == "1D" ? 1 : std::string(k.dim) == "2D" ? 2 : 3; }
bool is_cube(const Kind& k) { return std::string(k.dim) == "Cube"; }
std::string name(const Kind& k) { return std::string(k.dim) + (k.arrayed ? "Array" : ""); }

Picture picture(const Kind& k, const char* format = "R8G8B8A8_UNORM", unsigned bytes = 4) {
  Picture p;
  p.dim = k.dim;
  p.format = format;
  p.texel_bytes = bytes;
  p.array = k.arrayed;
  p.height = is_cube(k) ? 16 : 8;
  p.depth = 8;
  p.levels = 4;
  p.layers = (is_cube(k) ? 6 : 1) * (k.arrayed ? 3 : 1);
  return p;
}

const char* kLinear = "filter = \"linear\"\nmip = \"linear\"\naddress = \"repeat\"\nlod_bias = 0.25";

ImageShader shader(const Kind& k, const std::string& body, unsigned results = 4) {
  ImageShader s;
  s.dim = k.dim;
  s.arrayed = k.arrayed;
  s.body = body;
  for (unsigned c = 0; c < results; ++c) {
    s.body += results == 1 ? "" : fmt::format("%r{0} = OpCompositeExtract %float %r {0}\n", c);
    s.results.emplace_back(results == 1 ? "%r" : fmt::format("%r{}", c), "float");
  }
  return s;
}

Value component(unsigned index) {
  return real([index](const Operands& o) { return o.p[index]; });
}

/// Coordinates as the unit names them (CRD-5), with gradients between them when wanted.
void add_coordinates(UnitCall& call, const Kind& k, bool gradients = false) {
  const Param kAxes[] = {Param::U, Param::V, Param::R};
  const Param kDx[] = {Param::DuDx, Param::DvDx, Param::DrDx}, kDy[] = {Param::DuDy, Param::DvDy, Param::DrDy};
  for (unsigned a = 0; a < axes(k); ++a) {
    call.params.emplace_back(kAxes[a], component(a));
    if (!gradients) continue;
    call.params.emplace_back(kDx[a], real([a](const Operands& o) { return o.x[a]; }));
    call.params.emplace_back(kDy[a], real([a](const Operands& o) { return o.y[a]; }));
  }
  if (k.arrayed) call.params.emplace_back(is_cube(k) ? Param::Ai : kAxes[axes(k)], component(axes(k)));
}

std::vector<Operands> operands_for(const Kind& k, unsigned seed) {
  std::vector<Operands> list = random_operands(seed);
  if (k.arrayed)
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i].p[axes(k)] = static_cast<float>(i / 4 % 5) - 0.6f;  // below 0, halves, above the last
  return list;
}

struct InstructionDescription {
  const char* operands;  // of the image instruction, after the coordinate (and reference)
  Op plain, compare;
  bool explicit_lod, gradients, offset;
  std::vector<std::pair<Param, Value>> params;  // first ones, behind the reference
};

const Value kE1 = real([](const Operands& o) { return o.e[1]; });

std::vector<InstructionDescription> forms() {
  return {
      {"", Op::Sample, Op::SampleC, false, false, false, {}},
      {"Bias %E_1", Op::SampleB, Op::SampleBC, false, false, false, {{Param::Bias, kE1}}},
      {"ConstOffset %offset", Op::Sample, Op::SampleC, false, false, true, {}},
      {"Bias|ConstOffset %E_1 %offset", Op::SampleB, Op::SampleBC, false, false, true, {{Param::Bias, kE1}}},
      {"Lod %E_1", Op::SampleL, Op::SampleLC, true, false, false, {{Param::Lod, kE1}}},
      {"Lod %float_0", Op::SampleL, Op::SampleLC, true, false, false, {{Param::Lod, real([](const Operands&) {
                                                                          return 0.0f;
                                                                        })}}},
      {"Lod|ConstOffset %E_1 %offset", Op::SampleL, Op::SampleLC, true, false, true, {{Param::Lod, kE1}}},
      {"Grad %X# %Y#", Op::SampleD, Op::SampleDC, true, true, false, {}},
      {"Grad|ConstOffset %X# %Y# %offset", Op::SampleD, Op::SampleDC, true, true, true, {}},
  };
}

std::string offset_constant(const Kind& k) {
  if (axes(k) == 1) return "%minus_3 = OpConstant %int -3\n%offset = OpCopyObject %int %minus_3\n";
  return fmt::format("%minus_3 = OpConstant %int -3\n%offset = OpConstantComposite %v{}int %minus_3 %int_2{}\n",
                     axes(k), axes(k) == 3 ? " %int_7" : "");
}

std::string with_axes(std::string text, const Kind& k) {
  for (std::size_t at; (at = text.find('#')) != std::string::npos;) text.replace(at, 1, std::to_string(axes(k)));
  if (axes(k) == 1)
    for (std::size_t at; (at = text.find("%offset")) != std::string::npos;) text.replace(at, 7, "%minus_3");
  return text;
}

class Sampling : public ::testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Sampling, ::testing::ValuesIn(kKinds), [](const auto& i) { return name(i.param); });

TEST_P(Sampling, EveryOperand) {
  const Kind k = GetParam();
  for (const InstructionDescription& f : forms()) {
    if (f.offset && is_cube(k)) continue;
    UnitCall call;
    call.op = f.plain;
    call.params = f.params;
    add_coordinates(call, k, f.gradients);
    if (f.offset) call.offset = {-3, axes(k) > 1 ? 2 : 0, axes(k) > 2 ? 7 : 0};
    ImageShader s = shader(
        k, with_axes(fmt::format("%r = OpImageSample{}Lod %v4float %image %P{} {}\n",
                                 f.explicit_lod ? "Explicit" : "Implicit", axes(k) + (k.arrayed ? 1 : 0), f.operands),
                     k));
    if (f.offset) s.globals = axes(k) == 1 ? "%minus_3 = OpConstant %int -3\n" : offset_constant(k);
    expect_like_unit(s, {image_words(picture(k)), kLinear, {}}, operands_for(k, 3), call);
  }
}

TEST_P(Sampling, EveryOperandWithReference) {
  const Kind k = GetParam();
  if (std::string(k.dim) == "3D") GTEST_SKIP() << "depth images have at most two dimensions";
  for (const InstructionDescription& f : forms()) {
    if (f.offset && is_cube(k)) continue;
    UnitCall call;
    call.op = f.compare;
    call.take = {0};
    call.params = {{Param::Ref, real([](const Operands& o) { return o.e[2] / 4; })}};
    call.params.insert(call.params.end(), f.params.begin(), f.params.end());
    add_coordinates(call, k, f.gradients);
    if (f.offset) call.offset = {-3, axes(k) > 1 ? 2 : 0, 0};
    ImageShader s = shader(
        k,
        with_axes(fmt::format(
                      "%four = OpFDiv %float %E_2 %float_4\n%r = OpImageSampleDref{}Lod %float %image %P{} %four {}\n",
                      f.explicit_lod ? "Explicit" : "Implicit", axes(k) + (k.arrayed ? 1 : 0), f.operands),
                  k),
        1);
    s.globals = "%float_4 = OpConstant %float 4\n";
    if (f.offset) s.globals += axes(k) == 1 ? "%minus_3 = OpConstant %int -3\n" : offset_constant(k);
    expect_like_unit(
        s, {image_words(picture(k, "R16_UNORM", 2)), std::string(kLinear) + "\ncompare_op = \"less_or_equal\"", {}},
        operands_for(k, 4), call);
  }
}

TEST(Sampling, ProjectionDividesCoordinatesAndReference) {
  for (const Kind& k : kKinds) {
    if (k.arrayed || is_cube(k)) continue;
    const unsigned n = axes(k);
    std::vector<Operands> operands = random_operands(5), divided = operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const float q = 0.5f + static_cast<float>(i % 4) * 0.3f;
      operands[i].p[n] = q;
      for (unsigned a = 0; a < n; ++a) divided[i].p[a] = operands[i].p[a] / q;
      divided[i].e[2] = operands[i].e[2] / q;
    }
    for (const bool compare : {false, true}) {
      if (compare && n == 3) continue;
      for (const bool lod : {false, true}) {
        UnitCall call;
        call.op = compare ? (lod ? Op::SampleLC : Op::SampleC) : (lod ? Op::SampleL : Op::Sample);
        if (compare) call.params.emplace_back(Param::Ref, real([](const Operands& o) { return o.e[2]; }));
        if (compare) call.take = {0};
        if (lod) call.params.emplace_back(Param::Lod, kE1);
        add_coordinates(call, k);
        const ImageShader s =
            shader(k,
                   fmt::format("%r = OpImageSampleProj{}{}Lod %{} %image %P{}{}{}\n", compare ? "Dref" : "",
                               lod ? "Explicit" : "Implicit", compare ? "float" : "v4float", n + 1,
                               compare ? " %E_2" : "", lod ? " Lod %E_1" : ""),
                   compare ? 1 : 4);
        const ImageJob job{image_words(compare ? picture(k, "R16_UNORM", 2) : picture(k)),
                           std::string(kLinear) + "\ncompare_op = \"greater\"",
                           {}};
        const Bound bound = bind_images(job);
        expect_words(s, job, operands, call_unit(call, bound.surface(), bound.sampler(), divided));
      }
    }
  }
}

TEST(Sampling, IntegerTexels) {
  for (const char* texel : {"int", "uint"}) {
    const Kind k{"2D", false};
    ImageShader s;
    s.texel = texel;
    s.body = fmt::format("%r = OpImageSampleImplicitLod %v4{} %image %P2\n", texel);
    for (unsigned c = 0; c < 4; ++c) {
      s.body += fmt::format("%r{0} = OpCompositeExtract %{1} %r {0}\n", c, texel);
      s.results.emplace_back(fmt::format("%r{}", c), texel);
    }
    UnitCall call;
    call.op = Op::Sample;
    add_coordinates(call, k);
    const char* format = *texel == 'i' ? "R8G8B8A8_SINT" : "R8G8B8A8_UINT";
    expect_like_unit(
        s,
        {image_words(picture(k, format)), "filter = \"nearest\"\nmip = \"nearest\"\naddress = \"mirrored_repeat\"", {}},
        operands_for(k, 6), call);
  }
}

// A minimum for each lane: the unit's own operation of XE2, whatever the platform compiled for.
TEST_P(Sampling, MinLod) {
  const Kind k = GetParam();
  std::vector<Operands> operands = operands_for(k, 7);
  for (std::size_t i = 8; i < 12; ++i)  // derivatives of zero: more than a bias can make up for
    for (unsigned a = 0; a < axes(k); ++a) operands[i].p[a] = 0.3f;
  for (const bool compare : {false, true}) {
    if (compare && (std::string(k.dim) == "3D" || is_cube(k))) continue;
    UnitCall call;
    call.op = compare ? Op::SampleCMlod : Op::SampleMlod;
    call.params.emplace_back(Param::Mlod, kE1);
    if (compare) call.params.emplace_back(Param::Ref, real([](const Operands& o) { return o.e[2]; }));
    if (compare) call.take = {0};
    add_coordinates(call, k);
    const ImageShader s =
        shader(k,
               fmt::format("%r = OpImageSample{}ImplicitLod %{} %image %P{}{} MinLod %E_1\n", compare ? "Dref" : "",
                           compare ? "float" : "v4float", axes(k) + (k.arrayed ? 1 : 0), compare ? " %E_2" : ""),
               compare ? 1 : 4);
    expect_like_unit(s,
                     {image_words(compare ? picture(k, "R16_UNORM", 2) : picture(k)),
                      std::string(kLinear) + "\ncompare_op = \"less\"",
                      {}},
                     operands, call);
  }
}

// With a bias or gradients: a sampler whose minimum is the same for all lanes.
TEST_P(Sampling, MinLodWithBiasAndWithGradients) {
  const Kind k = GetParam();
  std::vector<Operands> operands = operands_for(k, 8);
  for (std::size_t i = 4; i < 8; ++i) operands[i].x = operands[i].y = {};
  for (Operands& o : operands) {
    o.e[1] = 1.375f;
    o.e[0] -= 2;
  }
  for (const bool gradients : {false, true}) {
    UnitCall call;
    call.op = gradients ? Op::SampleD : Op::SampleB;
    if (!gradients) call.params.emplace_back(Param::Bias, real([](const Operands& o) { return o.e[0]; }));
    add_coordinates(call, k, gradients);
    const ImageShader s = shader(
        k, fmt::format("%r = OpImageSample{}Lod %v4float %image %P{} {}\n", gradients ? "Explicit" : "Implicit",
                       axes(k) + (k.arrayed ? 1 : 0),
                       gradients ? fmt::format("Grad|MinLod %X{0} %Y{0} %E_1", axes(k)) : "Bias|MinLod %E_0 %E_1"));
    const ImageJob job{image_words(picture(k)), kLinear, {}};
    const Bound bound = bind_images(job);
    image::Sampler sampler = bound.sampler();
    sampler.min_lod = 352;  // 1.375
    expect_words(s, job, operands, call_unit(call, bound.surface(), sampler, operands));
  }
}

TEST(Sampling, LodQuery) {
  for (const Kind& k : kKinds) {
    UnitCall call;
    call.op = Op::Lod;
    call.take = {0, 1};
    add_coordinates(call, {k.dim, false});
    ImageShader s = shader(k, fmt::format("%r = OpImageQueryLod %v2float %image %P{}\n", axes(k)), 2);
    expect_like_unit(s, {image_words(picture(k)), kLinear, {}}, operands_for(k, 9), call);
  }
}

// Half coordinates are widened, half results rounded (NUM-31, NUM-33).
TEST(Sampling, Halves) {
  ImageShader s;
  s.texel = "half";
  s.capabilities = "OpCapability Float16\nOpCapability Float16ImageAMD\n";
  s.extensions = "OpExtension \"SPV_AMD_gpu_shader_half_float_fetch\"\n";
  s.types = "%half = OpTypeFloat 16\n%v2half = OpTypeVector %half 2\n%v4half = OpTypeVector %half 4\n";
  s.body =
      "%at = OpFConvert %v2half %P2\n%h = OpImageSampleImplicitLod %v4half %image %at\n%r = OpFConvert %v4float %h\n";
  for (unsigned c = 0; c < 4; ++c) {
    s.body += fmt::format("%r{0} = OpCompositeExtract %float %r {0}\n", c);
    s.results.emplace_back(fmt::format("%r{}", c), "float");
  }
  const auto rounded = [](float f) { return base::half_to_float(base::float_to_half(f)); };
  std::vector<Operands> operands = operands_for({"2D", false}, 12), halves = operands;
  for (Operands& o : halves)
    for (float& f : o.p) f = rounded(f);
  UnitCall call;
  call.op = Op::Sample;
  add_coordinates(call, {"2D", false});
  const ImageJob job{image_words(picture({"2D", false})), kLinear, {}};
  const Bound bound = bind_images(job);
  Words expected = call_unit(call, bound.surface(), bound.sampler(), halves);
  for (auto& row : expected)
    for (std::uint32_t& word : row) word = std::bit_cast<std::uint32_t>(rounded(std::bit_cast<float>(word)));
  s.target_env = "universal1.6";
  expect_words(s, job, operands, expected);
}

// RET-5: null texels are read as zero and reported for each lane.
TEST(Sampling, ResidencyComesFromTheNullMask) {
  const Kind k{"2D", false};
  Picture p = picture(k);
  p.levels = 1;
  p.more = "null_texels = [[0, 0, 3, 2], [0, 0, 4, 2], [0, 0, 9, 6], [0, 0, 0, 0], [0, 0, 12, 1], [0, 0, 7, 7]]\n";
  UnitCall call;
  call.op = Op::Sample;
  call.null_mask = true;
  add_coordinates(call, k);
  ImageShader s;
  s.globals = "%Sparse = OpTypeStruct %int %v4float\n";
  s.body =
      "%s = OpImageSparseSampleImplicitLod %Sparse %image %P2\n%code = OpCompositeExtract %int %s 0\n%r = "
      "OpCompositeExtract %v4float %s 1\n"
      "%resident = OpImageSparseTexelsResident %bool %code\n%word = OpSelect %uint %resident %uint_1 %uint_0\n";
  s.results.emplace_back("%word", "uint");
  for (unsigned c = 0; c < 4; ++c) {
    s.body += fmt::format("%r{0} = OpCompositeExtract %float %r {0}\n", c);
    s.results.emplace_back(fmt::format("%r{}", c), "float");
  }
  expect_like_unit(s, {image_words(p), "filter = \"linear\"\naddress = \"repeat\"", {}}, operands_for(k, 10), call);
}

// Each element's message has a mask of its own.
TEST(Sampling, ResidencyOfArraysOfDescriptors) {
  const Kind k{"2D", false};
  std::vector<Picture> pictures(3, picture(k));
  const char* null_texels[] = {"[[0, 0, 3, 2], [0, 0, 4, 2], [0, 0, 9, 6]]", "[[0, 0, 0, 0], [0, 0, 12, 1]]",
                               "[[0, 0, 7, 7], [0, 0, 4, 4], [0, 0, 8, 3], [0, 0, 1, 6]]"};
  for (unsigned i = 0; i < 3; ++i) {
    pictures[i].seed = 40 + i;
    pictures[i].levels = 1;
    pictures[i].more = fmt::format("null_texels = {}\n", null_texels[i]);
  }
  const ImageJob job{image_words(pictures[0]),
                     "filter = \"linear\"\naddress = \"repeat\"",
                     {image_words(pictures[1]), image_words(pictures[2])}};
  std::vector<Operands> operands = random_operands(13);
  for (std::size_t i = 0; i < operands.size(); ++i) operands[i].e[3] = static_cast<float>(i / 4 * 5 % 3);
  const Bound bound = bind_images(job);
  UnitCall call;
  call.op = Op::Sample;
  call.null_mask = true;
  add_coordinates(call, k);
  Words expected(kInvocations);
  for (unsigned e = 0; e < 3; ++e) {
    const Words one = call_unit(call, bound.surface(e), bound.sampler(), operands);
    for (unsigned i = 0; i < kInvocations; ++i)
      if (operands[i].e[3] == static_cast<float>(e)) expected[i] = one[i];
  }
  ImageShader s =
      shader(k,
             "%s = OpImageSparseSampleImplicitLod %Sparse %image %P2\n%code = OpCompositeExtract %int %s 0\n%r = "
             "OpCompositeExtract %v4float %s 1\n"
             "%resident = OpImageSparseTexelsResident %bool %code\n%word = OpSelect %uint %resident %uint_1 %uint_0\n");
  s.globals = "%Sparse = OpTypeStruct %int %v4float\n";
  s.results.insert(s.results.begin(), {"%word", "uint"});
  s.elements = 3;
  s.capabilities =
      "OpCapability SampledImageArrayDynamicIndexing\nOpCapability ShaderNonUniform\nOpCapability "
      "SampledImageArrayNonUniformIndexing\n";
  expect_words(s, job, operands, expected);
}

// One message for each element of an array, for the lanes that mean it.
TEST(Sampling, ArraysOfDescriptors) {
  const Kind k{"2D", false};
  std::vector<Picture> pictures(3, picture(k));
  for (unsigned i = 0; i < 3; ++i) pictures[i].seed = 20 + i;
  const ImageJob job{image_words(pictures[0]), kLinear, {image_words(pictures[1]), image_words(pictures[2])}};
  std::vector<Operands> operands = random_operands(11);
  for (std::size_t i = 0; i < operands.size(); ++i) operands[i].e[3] = static_cast<float>(i / 4 * 7 % 3);
  const Bound bound = bind_images(job);
  UnitCall call;
  call.op = Op::Sample;
  add_coordinates(call, k);
  Words expected(kInvocations);
  for (unsigned e = 0; e < 3; ++e) {
    const Words one = call_unit(call, bound.surface(e), bound.sampler(), operands);
    for (unsigned i = 0; i < kInvocations; ++i)
      if (operands[i].e[3] == static_cast<float>(e)) expected[i] = one[i];
  }
  ImageShader s = shader(k, "%r = OpImageSampleImplicitLod %v4float %image %P2\n");
  s.elements = 3;
  s.capabilities =
      "OpCapability SampledImageArrayDynamicIndexing\nOpCapability ShaderNonUniform\nOpCapability "
      "SampledImageArrayNonUniformIndexing\n";
  expect_words(s, job, operands, expected);
}

}  // namespace
