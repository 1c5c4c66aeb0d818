// SPDX-License-Identifier: MIT
// OpImageSampleFootprintNV in shaders: every module of the corpus, as Heddle's instruction and as plain vISA, at every
// width; compute and vertex shaders, both engines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <filesystem>
#include <set>

#include "footprint_scene.hpp"
#include "support/process.hpp"
#include "text/text.hpp"
#include "verify/verify.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr const char* kValid[] = {"a_all_2d.frag",    "a_all_3d.frag",     "b_vertex_lod.vert",
                                  "c_compute.comp",   "e_bindless.frag",   "e_separate.frag",
                                  "g_aggregate.frag", "g_mip_region.frag", "h_varying_arrays.frag"};
struct Quirk {
  const char* name;
  const char* id;
};

constexpr Quirk kLenient[] = {{"c_compute_bias.comp", "spirv-footprint-operands"},
                              {"c_compute_clamp.comp", "spirv-footprint-operands"},
                              {"d_coarse_nonconst.frag", "spirv-footprint-coarse"},
                              {"d_gran_reserved.frag", "spirv-footprint-granularity-value"}};
std::string verdict(const std::string& text) {
  base::Diagnostics found;
  text::ParseOptions parse;
  parse.platform = isa::Platform::SKL;
  parse.rules_are_errors = true;
  const auto program = text::parse(text, "shader.visaasm", parse, found);
  if (!program) return "not parsed: " + messages(found);
  verify::Options rules;
  rules.platform = isa::Platform::SKL;
  verify::check(*program, rules, found);
  return found.has_errors() ? messages(found) : std::string();
}

TEST(FootprintShaders, EveryShaderOfTheCorpusCompilesAndIsVerified) {
  for (const Variant& v : kVariants) {
    const auto expect_good = [&](const std::string& name, bool lenient) {
      SCOPED_TRACE(fmt::format("{} simd {} portable {}", name, v.simd, v.portable));
      const CompiledShader c = compile_shader(corpus(name), options_of(v, lenient));
      ASSERT_TRUE(c.ok) << c.messages;
      EXPECT_EQ(verdict(c.text), "");
      EXPECT_EQ(c.text.find("heddle_footprint") == std::string::npos, v.portable);
      EXPECT_EQ(c.text.find("Heddle's own") == std::string::npos, v.portable);  // the header says so
    };
    for (const char* name : kValid) expect_good(name, false);
    for (const Quirk& q : kLenient) {
      const CompiledShader strict = compile_shader(corpus(q.name), options_of(v));
      EXPECT_FALSE(strict.ok) << q.name;
      EXPECT_THAT(strict.messages, testing::HasSubstr(q.id));
      expect_good(q.name, true);
    }
  }
}

/// The modules made for the rules: valid ones compile and run, of the others only those that lenient mode takes
/// (section 9.3).
TEST(FootprintShaders, ModulesOfTheRulesCompileAsTheyAreJudged) {
  const std::set<std::string> lenient = {"d_compute_none", "g_const_0",  "g_const_3d_5",  "g_const_8",   "k_nonconst",
                                         "o_3d_grad",      "o_bias_lod", "o_constoffset", "o_lod_minlod"};
  unsigned valid = 0, taken = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_TEST_DIR "/data/footprint/validation")) {
    if (entry.path().extension() != ".spvasm") continue;
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const auto module = spirv::assemble(read_text(entry.path()), name, "vulkan1.3");
    if (!module.ok()) continue;  // R25: the text does not assemble
    const bool good = name.starts_with("ok_");
    valid += good;
    for (const Variant& v : kVariants) {
      EXPECT_EQ(compile_shader(*module, options_of(v)).ok, good);
      const CompiledShader c = compile_shader(*module, options_of(v, true));
      EXPECT_EQ(c.ok, good || lenient.contains(name)) << c.messages;
      EXPECT_EQ(c.ok ? verdict(c.text) : "", "");
      taken += c.ok;
      const bool fragment =
          good && name != "ok_vertex_lod" && name != "ok_compute_quads" && name != "ok_implied_shader";
      if (!fragment || v.simd != 16) continue;
      Scene scene;
      if (name.find("3d") != std::string::npos) scene.dim = 3, scene.size = {20, 18, 33};
      const std::string target =
          fmt::format("[images.\"out.0\"]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [{}, {}]\n", kWidth, kHeight);
      const std::string input = "[pixels]\n[pixels.inputs]\n\"in.0\" = [[0, 0, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]]\n";
      const job::RunResult outcome =
          run_shader(*module, scene.toml("\"0.0\"", name == "ok_separate" ? "\"0.1\"" : "\"0.0\"") + target + input,
                     options_of(v));
      EXPECT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
    }
  }
  EXPECT_GE(valid, 12u);
  EXPECT_EQ(taken, (valid + lenient.size()) * std::size(kVariants));
}

TEST(FootprintShaders, BothEnginesAnswerAlike) {
  Scene s;
  s.anisotropy = 16;
  s.size = {300, 24, 1};
  s.levels = 9;
  const std::string toml = s.toml("tex", "smp") + integer_target() + kFlatInput;
  for (const Variant& v : kVariants) {
    if (v.simd == 32) continue;  // 8 and 16 are lanes of one message, 32 is two of them
    std::vector<std::string> colors;
    for (const char* engine : {"reference", "fast"}) {
      const job::RunResult o =
          run_shader(corpus("e_separate.frag"), fmt::format("engine = \"{}\"\n", engine) + toml, options_of(v));
      ASSERT_TRUE(o.succeeded) << messages(o.diagnostics);
      EXPECT_EQ(o.summary.engine, engine) << messages(o.diagnostics);
      colors.push_back(output_bytes(o, "color.bin"));
    }
    EXPECT_FALSE(colors[0].empty());
    EXPECT_EQ(colors[0] == colors[1], true) << v.simd << " " << v.portable;
  }
}

TEST(FootprintShaders, ComputeTakesExplicitForms) {
  Scene flat, volume;
  volume.dim = 3;
  volume.size = {20, 18, 33};
  const auto outputs = run_all(corpus("c_compute.comp"),
                               "groups = [1]\n" + flat.toml("tex2") + volume.toml("tex3") +
                                   "[buffers.Out]\ntype = \"u32\"\ncount = 256\nsave = \"out.bin\"\n",
                               {"out.bin"});
  ASSERT_EQ(outputs.size(), 1u);
  texture::FootprintQuery q;
  q.coordinate = {.5f, .5f, .5f};
  const auto fine = ask(flat, q);
  q.lod = 1.5f;
  q.coarse = true;
  const auto at_lod = ask(flat, q), in_volume = ask(volume, q);
  q.operand = texture::FootprintOperand::Grad;
  q.gradients = {{.1f, .1f, 0}, {.1f, .1f, 0}};
  const auto grad = ask(flat, q);
  const std::uint32_t singles = fine.single + at_lod.single + grad.single + in_volume.single;
  const std::uint64_t last = grad.mask;  // `f` was overwritten by the third query
  const std::vector<std::uint32_t> expected = {
      static_cast<std::uint32_t>(last) + singles, static_cast<std::uint32_t>(last >> 32) + singles,
      static_cast<std::uint32_t>(in_volume.mask) + singles, static_cast<std::uint32_t>(in_volume.mask >> 32) + singles};
  const auto found = words(outputs[0]);
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(found[i], expected[i % 4]) << i;
}

TEST(FootprintShaders, LenientFormsRun) {
  const Scene s;
  Scene volume;
  volume.dim = 3;
  volume.size = {20, 18, 33};
  const std::string out = "[buffers.Out]\ntype = \"u32\"\ncount = 256\nsave = \"out.bin\"\n";
  for (const char* name : {"c_compute_bias.comp", "c_compute_clamp.comp"})
    run_all(corpus(name), "groups = [1]\n" + s.toml("tex") + out, {"out.bin"}, true);
  const std::string target = integer_target();
  run_all(corpus("d_coarse_nonconst.frag"), s.toml("tex") + target + kFlatInput + "gran = 3\n", {"color.bin"}, true);
  run_all(corpus("d_gran_reserved.frag"), s.toml("tex2") + volume.toml("tex3") + target + kVolumeInput, {"color.bin"},
          true);
}

TEST(FootprintShaders, AVertexShaderAsksAtAGivenLevel) {
  const Scene s;
  const spirv::Module show = assemble_shader(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %color
OpExecutionMode %main OriginUpperLeft
OpName %color "color"
OpDecorate %in Location 0
OpDecorate %in Flat
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %uint 4
%pin = OpTypePointer Input %v4
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%color = OpVariable %pout Output
%main = OpFunction %void None %fn
%start = OpLabel
%v = OpLoad %v4 %in
OpStore %color %v
OpReturn
OpFunctionEnd
)");
  // Three vertices around the target; the first one's footprint is everywhere.
  const TemporaryFolder folder;
  write_text(folder / "mesh.json",
             R"({"position": [[-1,-1,0.5,1],[3,-1,0.5,1],[-1,3,0.5,1]], "triangles": [[0,1,2]]})");
  const std::string toml = s.toml("tex") + integer_target() + "[pixels]\nvertex = \"v\"\ngeometry = \"" +
                           (folder / "mesh.json").string() + "\"\n";
  texture::FootprintQuery q;
  q.coordinate = {-1, -1, 0};
  q.granularity = 5;
  q.lod = 2;
  const texture::Footprint f = ask(s, q);
  for (const Variant& v : kVariants) {
    SCOPED_TRACE(fmt::format("simd {} portable {}", v.simd, v.portable));
    const CompiledShader vertex = compile_shader(corpus("b_vertex_lod.vert"), options_of(v));
    ASSERT_TRUE(vertex.ok) << vertex.messages;
    base::Diagnostics found;
    const auto program = text::parse(vertex.text, "v", {}, found);
    ASSERT_TRUE(program.has_value());
    job::RunHooks hooks;
    hooks.stages[isa::ShaderStage::Vertex] = &*program;
    const job::RunResult outcome = run_shader(show, toml, options_of(v), hooks);
    ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
    const auto color = output_as<std::uint32_t>(outcome, "color.bin");
    EXPECT_EQ(std::vector(color.begin(), color.begin() + 4),
              (std::vector{static_cast<std::uint32_t>(f.mask), static_cast<std::uint32_t>(f.mask >> 32), f.lod,
                           f.single ? 1u : 0u}));
  }
}
}  // namespace
