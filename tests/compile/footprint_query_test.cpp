// SPDX-License-Identifier: MIT
// Footprint queries of every operand form with random operands: the shader's answers are the texture unit's, in both
// forms and at every width, and keep the invariants of the instruction.
// Rules: SPV-30.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "base/half.hpp"
#include "image_shader.hpp"
#include "texture/footprint.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

struct InstructionDescription {
  const char* name;
  const char* operands;  ///< after Coarse
  unsigned dims;         ///< 2, 3, or 23: both
  bool lenient;
};
constexpr InstructionDescription kForms[] = {
    {"None", "", 23, false},
    {"Bias", " Bias %E_1", 23, false},
    {"MinLod", " MinLod %E_2", 23, false},
    {"BiasMinLod", " Bias|MinLod %E_1 %E_2", 23, false},
    {"Lod", " Lod %E_0", 23, false},
    {"Grad", " Grad %X2 %Y2", 2, false},
    {"GradMinLod", " Grad|MinLod %X2 %Y2 %E_2", 2, false},
    {"Grad3D", " Grad %X3 %Y3", 3, true},
    {"BiasLod", " Bias|Lod %E_1 %E_0", 23, true},
    {"LodMinLod", " Lod|MinLod %E_0 %E_2", 23, true},
    {"BiasGrad", " Bias|Grad %E_1 %X2 %Y2", 2, true},
    {"ConstOffset", " Lod|ConstOffset %E_0 %away", 23, true},
    {"Offset", " Grad|Offset|MinLod %X2 %Y2 %I2 %E_2", 2, true},
};

void PrintTo(const InstructionDescription& f, std::ostream* out) { *out << f.name; }

bool has(const InstructionDescription& f, std::string_view word) {
  const std::string words = std::string("|") + std::string(f.operands).substr(f.operands[0] == 0 ? 0 : 1);
  const std::string list = words.substr(0, words.find(' ')) + "|";
  return list.find(fmt::format("|{}|", word)) != std::string::npos;
}

constexpr unsigned kMembers2 = 9, kMembers3 = 11;

/// Asks fine, then coarse; with `computed` Coarse is so, and there is one answer.
ImageShader shader_of(const InstructionDescription& form, unsigned dim, const std::string& granularity, bool computed) {
  ImageShader s;
  s.dim = dim == 3 ? "3D" : "2D";
  s.capabilities = "OpCapability ImageFootprintNV\n";
  s.extensions = "OpExtension \"SPV_NV_shader_image_footprint\"\n";
  s.globals = fmt::format(
      "%true = OpConstantTrue %bool\n%false = OpConstantFalse %bool\n%Foot = OpTypeStruct %bool %v{0}uint %v{0}uint "
      "%v2uint %uint %uint\n"
      "%int_m3 = OpConstant %int -3\n%away = OpConstantComposite %v{0}int {1}\n",
      dim, dim == 3 ? "%int_m3 %int_2 %int_1" : "%int_m3 %int_2");
  if (computed) s.body = "%chosen_coarse = OpFOrdLessThan %bool %E_2 %E_1\n";
  const std::vector<std::string> coarse =
      computed ? std::vector<std::string>{"%chosen_coarse"} : std::vector<std::string>{"%false", "%true"};
  unsigned n = 0;
  for (const std::string& c : coarse) {
    s.body += fmt::format(
        "%f{0} = OpImageSampleFootprintNV %Foot %image %P{1} {2} {3}{4}\n%b{0} = OpCompositeExtract %bool %f{0} 0\n"
        "%s{0} = OpSelect %uint %b{0} %uint_1 %uint_0\n",
        n, dim, granularity, c, form.operands);
    s.results.emplace_back(fmt::format("%s{}", n), "uint");
    const auto take = [&](const std::string& name, const std::string& path) {
      s.body += fmt::format("%{}{} = OpCompositeExtract %uint %f{} {}\n", name, n, n, path);
      s.results.emplace_back(fmt::format("%{}{}", name, n), "uint");
    };
    for (unsigned k = 0; k < dim; ++k) take(fmt::format("anchor{}_", k), fmt::format("1 {}", k));
    for (unsigned k = 0; k < dim; ++k) take(fmt::format("offset{}_", k), fmt::format("2 {}", k));
    take("low", "3 0");
    take("high", "3 1");
    take("lod", "4");
    take("gran", "5");
    ++n;
  }
  return s;
}

texture::FootprintQuery query_of(const InstructionDescription& form, unsigned dim, const std::vector<Operands>& list,
                                 unsigned lane, std::uint32_t granularity, bool coarse) {
  const Operands& o = list[lane];
  texture::FootprintQuery q;
  for (unsigned k = 0; k < dim; ++k) q.coordinate[k] = o.p[k];
  q.granularity = granularity;
  q.coarse = coarse;
  q.lod = o.e[0];
  if (has(form, "Bias")) q.bias = o.e[1];
  if (has(form, "MinLod")) q.min_lod = o.e[2];
  if (has(form, "ConstOffset")) q.offset = {-3, 2, dim == 3 ? 1 : 0};
  if (has(form, "Offset")) q.offset = {static_cast<std::int32_t>(o.p[0]), static_cast<std::int32_t>(o.p[1]), 0};
  if (has(form, "Grad")) {
    q.operand = texture::FootprintOperand::Grad;
    for (unsigned k = 0; k < dim; ++k) q.gradients.dx[k] = o.x[k], q.gradients.dy[k] = o.y[k];
  } else if (!has(form, "Lod")) {
    q.operand = texture::FootprintOperand::Derivatives;
    const Operands* quad = &list[lane / 4 * 4];
    for (unsigned k = 0; k < dim; ++k)
      q.gradients.dx[k] = quad[1].p[k] - quad[0].p[k], q.gradients.dy[k] = quad[2].p[k] - quad[0].p[k];
  }
  return q;
}

texture::Footprint footprint_in(const std::vector<std::uint32_t>& w, unsigned first, unsigned dim) {
  texture::Footprint f;
  f.single = w[first] != 0;
  for (unsigned k = 0; k < dim; ++k) f.anchor[k] = w[first + 1 + k], f.offset[k] = w[first + 1 + dim + k];
  const unsigned m = first + 1 + 2 * dim;
  f.mask = w[m] | std::uint64_t{w[m + 1]} << 32;
  f.lod = w[m + 2];
  f.granularity = w[m + 3];
  return f;
}

/// I5 to I11, I14, I15: one answer against the texels that the sampler reads.
void expect_invariants(const texture::Footprint& f, const texture::FootprintSet& set,
                       const texture::FootprintView& view, std::uint32_t requested, bool anisotropic) {
  const std::uint32_t width = texture::set_width(view.dim);
  EXPECT_LT(f.lod, view.levels);  // I5
  for (unsigned k = 0; k < view.dim; ++k) {
    EXPECT_LT(f.offset[k], width);  // I6
    if (f.anchor[k] == 0) {
      EXPECT_EQ(f.offset[k], 0u);  // I15
    }
  }
  if (f.granularity != 0) {  // I7
    EXPECT_TRUE(anisotropic);
    EXPECT_GT(f.granularity, requested);
  }
  const texture::Coordinates3 size =
      *texture::granularity_size(view.dim, f.granularity != 0 ? f.granularity : requested);
  const std::vector<texture::Group> groups = texture::decode(f, view.dim);
  EXPECT_EQ(groups.size(), static_cast<std::size_t>(std::popcount(f.mask)));  // I9
  const std::set<texture::Group> found(groups.begin(), groups.end());
  EXPECT_EQ(found.size(), groups.size());
  std::set<texture::Group> expected;  // I10, I11
  texture::Coordinates3 highest{};
  for (const texture::Coordinates3& t : set.texels) {
    texture::Group g{};
    for (unsigned k = 0; k < view.dim; ++k) {
      g[k] = static_cast<std::int32_t>(t[k] / size[k]);
      highest[k] = std::max(highest[k], t[k] / size[k]);
      EXPECT_LT(t[k], std::max(1u, view.size[k] >> f.lod));  // I8
    }
    expected.insert(g);
  }
  EXPECT_EQ(found, expected);
  for (unsigned k = 0; k < view.dim; ++k) EXPECT_EQ(f.anchor[k], highest[k] / width);  // I14
}

class Queries : public testing::TestWithParam<InstructionDescription> {};
INSTANTIATE_TEST_SUITE_P(Forms, Queries, testing::ValuesIn(kForms),
                         [](const auto& p) { return std::string(p.param.name); });

struct Sampler {
  const char* words;
  bool anisotropic;
};
constexpr Sampler kSamplers[] = {
    {"filter = \"linear\"\nmip = \"linear\"\naddress = \"clamp_to_edge\"", false},
    {"filter = \"anisotropic\"\nmax_anisotropy = 16\nmip = \"linear\"\naddress = \"clamp_to_edge\"\nlod_bias = -0.5",
     true},
    {"filter = \"anisotropic\"\nmax_anisotropy = 6\nmip = \"nearest\"\naddress = \"clamp_to_edge\"\nmin_lod = "
     "0.3\nmax_lod = 2.6",
     true},
    {"min = \"linear\"\nmag = \"nearest\"\nmip = \"none\"\naddress = \"clamp_to_edge\"", false},
};

Picture flat_picture() {
  Picture picture;
  picture.format = "R8_UNORM";
  picture.texel_bytes = 1;
  picture.width = 150;
  picture.height = 90;
  picture.levels = 8;
  return picture;
}

TEST_P(Queries, ShadersAnswerAsTheUnit) {
  const InstructionDescription& form = GetParam();
  unsigned seed = 40, coarsened = 0;
  for (const unsigned dim : {2u, 3u}) {
    if (form.dims != 23 && form.dims != dim) continue;
    for (const Sampler& words : kSamplers) {
      SCOPED_TRACE(fmt::format("{}D {}", dim, words.words));
      Picture picture = flat_picture();
      if (dim == 3) picture.dim = "3D", picture.height = 37, picture.depth = 21;
      const ImageJob job{image_words(picture), words.words, {}};
      const Bound bound = bind_images(job);
      const texture::FootprintView view = texture::footprint_view(bound.surface());
      const texture::FootprintSampler sampler = texture::footprint_sampler(bound.sampler());
      std::vector<Operands> operands = random_operands(++seed);
      constexpr std::uint32_t kFlat[] = {1, 2, 3, 4, 5, 11}, kVolume[] = {1, 3, 10, 14};
      const bool from_lane = seed % 2 == 0, computed = form.lenient && seed % 3 == 0;
      for (std::size_t i = 0; i < operands.size(); ++i) {
        operands[i].e[3] = static_cast<float>(dim == 3 ? kVolume[i % 4] : kFlat[i % 6]);
        for (unsigned k = 0; k < 3; ++k) operands[i].x[k] *= 24;  // anisotropic
      }
      const std::uint32_t constant = dim == 3 ? 3 : 1;
      const ImageShader shader = shader_of(form, dim, from_lane ? "%EI_3" : fmt::format("%int_{}", constant), computed);
      for (const unsigned simd : {8u, 16u, 32u})
        for (const bool portable : {false, true})
          for (const isa::Platform platform : {isa::Platform::SKL, isa::Platform::XE2}) {
            if (platform == isa::Platform::XE2 && simd != 16) continue;
            SCOPED_TRACE(fmt::format("simd {} portable {} {}", simd, portable, isa::platform_info(platform).name));
            spirv::CompileOptions options;
            options.simd = simd;
            options.portable = portable;
            options.lenient = form.lenient;
            options.platform = platform;
            const Words results = run_image_shader(shader, job, operands, options);
            ASSERT_EQ(results.size(), kInvocations);
            for (unsigned lane = 0; lane < kInvocations; ++lane) {
              SCOPED_TRACE(fmt::format("lane {}", lane));
              const std::uint32_t granularity = from_lane ? static_cast<std::uint32_t>(operands[lane].e[3]) : constant;
              texture::FootprintOptions how;
              how.mode = form.lenient ? texture::FootprintMode::Lenient : texture::FootprintMode::Strict;
              std::array<texture::Footprint, 2> both;
              for (unsigned n = 0; n < (computed ? 1u : 2u); ++n) {
                const bool coarse = computed ? operands[lane].e[2] < operands[lane].e[1] : n == 1;
                const texture::FootprintQuery q = query_of(form, dim, operands, lane, granularity, coarse);
                const auto expected = texture::footprint(view, sampler, q, how);
                ASSERT_TRUE(expected.ok());
                both[n] = footprint_in(results[lane], n * (dim == 3 ? kMembers3 : kMembers2), dim);
                ASSERT_EQ(both[n], *expected);
                coarsened += both[n].granularity != 0;
                if (coarse && both[n].single) continue;
                const auto set = texture::footprint_set(view, sampler, q, how, true);
                ASSERT_TRUE(set.ok());
                expect_invariants(both[n], *set, view, granularity, words.anisotropic && dim == 2 && !has(form, "Lod"));
              }
              if (computed) continue;
              EXPECT_EQ(both[0].single, both[1].single);     // I1
              EXPECT_NE(both[0].mask, 0u);                   // I3
              EXPECT_EQ(both[0].single, both[1].mask == 0);  // I2, I3
              if (!both[0].single) {
                EXPECT_EQ(both[1].lod, both[0].lod + 1);  // I4
              }
            }
            if (HasFailure()) return;
          }
    }
  }
  if (std::string(form.name) == "Grad") {
    EXPECT_GT(coarsened, 0u);
  }
}

/// A query that only some lanes of a quad reach: gotos inside gotos, and a structure as the value of a phi.
TEST(FootprintShaders, QueriesInBranchesAndLoops) {
  ImageShader s;
  s.capabilities = "OpCapability ImageFootprintNV\n";
  s.extensions = "OpExtension \"SPV_NV_shader_image_footprint\"\n";
  s.globals =
      "%false = OpConstantFalse %bool\n%Foot = OpTypeStruct %bool %v2uint %v2uint %v2uint %uint %uint\n"
      "%nothing = OpConstantNull %Foot\n";
  // Lanes with P1 < 0.5 ask twice, the second time for another granularity; masks are added up.
  s.body = R"(%half = OpFDiv %float %E_0 %E_0
%half2 = OpFAdd %float %half %half
%limit = OpFDiv %float %half %half2
%near = OpFOrdLessThan %bool %P1 %limit
OpSelectionMerge %after None
OpBranchConditional %near %then %after
%then = OpLabel
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %uint_0 %then %next %again
%sum = OpPhi %uint %uint_0 %then %more %again
%last = OpPhi %Foot %nothing %then %f %again
OpLoopMerge %out_of_loop %again None
OpBranch %test
%test = OpLabel
%go = OpULessThan %bool %i %uint_2
OpBranchConditional %go %work %out_of_loop
%work = OpLabel
%granularity = OpIAdd %uint %i %uint_1
%f = OpImageSampleFootprintNV %Foot %image %P2 %granularity %false Grad %X2 %Y2
%low = OpCompositeExtract %uint %f 3 0
%high = OpCompositeExtract %uint %f 3 1
%both = OpBitwiseXor %uint %low %high
%more = OpIAdd %uint %sum %both
OpBranch %again
%again = OpLabel
%next = OpIAdd %uint %i %uint_1
OpBranch %head
%out_of_loop = OpLabel
OpBranch %after
%after = OpLabel
%total = OpPhi %uint %uint_7 %start %sum %out_of_loop
%final = OpPhi %Foot %nothing %start %last %out_of_loop
%single = OpCompositeExtract %bool %final 0
%s = OpSelect %uint %single %uint_1 %uint_0
%lod = OpCompositeExtract %uint %final 4
%gran = OpCompositeExtract %uint %final 5
)";
  for (const char* id : {"%total", "%s", "%lod", "%gran"}) s.results.emplace_back(id, "uint");
  const ImageJob job{image_words(flat_picture()), kSamplers[1].words, {}};
  const Bound bound = bind_images(job);
  std::vector<Operands> operands = random_operands(77);
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (unsigned k = 0; k < 2; ++k) operands[i].x[k] *= 24, operands[i].p[k] += static_cast<float>(i % 3) * 0.2f;
  Words expected;
  unsigned asked = 0;
  for (const Operands& o : operands) {
    std::uint32_t total = 7;
    texture::Footprint last;
    if (o.p[0] < 0.5f) {
      total = 0;
      ++asked;
      for (const std::uint32_t granularity : {1u, 2u}) {
        texture::FootprintQuery q;
        q.coordinate = {o.p[0], o.p[1], 0};
        q.granularity = granularity;
        q.operand = texture::FootprintOperand::Grad;
        q.gradients = {{o.x[0], o.x[1], 0}, {o.y[0], o.y[1], 0}};
        last = *texture::footprint(texture::footprint_view(bound.surface()),
                                   texture::footprint_sampler(bound.sampler()), q);
        total += static_cast<std::uint32_t>(last.mask) ^ static_cast<std::uint32_t>(last.mask >> 32);
      }
    }
    expected.push_back({total, last.single ? 1u : 0u, last.lod, last.granularity});
  }
  EXPECT_GT(asked, 4u);
  EXPECT_LT(asked, 28u);
  for (const unsigned simd : {8u, 16u, 32u})
    for (const bool portable : {false, true}) {
      spirv::CompileOptions options;
      options.simd = simd;
      options.portable = portable;
      EXPECT_EQ(run_image_shader(s, job, operands, options), expected) << simd << " " << portable;
    }
}

TEST(FootprintShaders, OperandsOfSixteenBits) {
  ImageShader s;
  s.capabilities = "OpCapability ImageFootprintNV\nOpCapability Float16\nOpCapability Int16\n";
  s.extensions = "OpExtension \"SPV_NV_shader_image_footprint\"\n";
  s.globals =
      "%false = OpConstantFalse %bool\n%Foot = OpTypeStruct %bool %v2uint %v2uint %v2uint %uint %uint\n"
      "%half = OpTypeFloat 16\n%v2half = OpTypeVector %half 2\n%short = OpTypeInt 16 1\n"
      "%level = OpConstant %half 1.5\n";
  s.body =
      "%P2h = OpFConvert %v2half %P2\n%granularity = OpSConvert %short %EI_3\n"
      "%f = OpImageSampleFootprintNV %Foot %image %P2h %granularity %false Lod %level\n"
      "%low = OpCompositeExtract %uint %f 3 0\n%high = OpCompositeExtract %uint %f 3 1\n";
  s.results = {{"%low", "uint"}, {"%high", "uint"}};
  const ImageJob job{image_words(flat_picture()), kSamplers[0].words, {}};
  const Bound bound = bind_images(job);
  std::vector<Operands> operands = random_operands(78);
  Words expected;
  for (Operands& o : operands) {
    o.e[3] = 3;
    texture::FootprintQuery q;
    for (unsigned k = 0; k < 2; ++k) q.coordinate[k] = base::half_to_float(base::float_to_half(o.p[k]));
    q.granularity = 3;
    q.lod = 1.5f;
    const auto f =
        texture::footprint(texture::footprint_view(bound.surface()), texture::footprint_sampler(bound.sampler()), q);
    ASSERT_TRUE(f.ok());
    expected.push_back({static_cast<std::uint32_t>(f->mask), static_cast<std::uint32_t>(f->mask >> 32)});
  }
  for (const bool portable : {false, true}) {
    spirv::CompileOptions options;
    options.portable = portable;
    EXPECT_EQ(run_image_shader(s, job, operands, options), expected) << portable;
  }
}

}  // namespace
