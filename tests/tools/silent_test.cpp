// SPDX-License-Identifier: MIT
// Values that would change an answer, and are told: formats of storage images, coordinates, comparisons, depth targets,
// binaries of other devices.
// Rules: bind-type, batch-operand, zeinfo-platform, usage-flag.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

class Silent : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Outcome run(std::vector<std::string> words, const std::string& input = {}) const {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, input);
  }
  TemporaryFolder folder_;
};

TEST_F(Silent, AStorageImageHasTheFormatThatTheShaderDeclares) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  // GLSL's word, the class of its image type, the same format in a job's words, another one of the same size.
  struct Format {
    const char *glsl, *prefix, *right, *wrong;
  };
  const Format formats[] = {{"rgba8", "", "rgba8", "r32f"},
                            {"rgba8", "", "r8g8b8a8_srgb", "r8g8b8a8_snorm"},
                            {"r32f", "", "r32f", "rgba8"},
                            {"rgba32f", "", "rgba32f", "r32g32b32a32_uint"},
                            {"r32ui", "u", "r32_uint", "r32_sint"},
                            {"rgba16i", "i", "r16g16b16a16_sint", "r16g16b16a16_uint"},
                            {"rg16f", "", "r16g16_sfloat", "r16g16_unorm"},
                            {"r11f_g11f_b10f", "", "R11G11B10_FLOAT", "r32f"},
                            {"r64ui", "u64", "r32g32_uint", "r16g16b16a16_uint"},
                            {"r64i", "i64", "r32g32_uint", "r32_uint"}};
  for (const Format& f : formats) {
    const std::string prefix = f.prefix, vector = prefix + "vec4";
    write_text(folder_ / "s.comp", std::string("#version 450\n#extension GL_EXT_shader_image_int64 : enable\n"
                                               "#extension GL_EXT_shader_explicit_arithmetic_types : enable\n"
                                               "layout(local_size_x = 1) in;\nlayout(binding = 0, ") +
                                       f.glsl + ") uniform writeonly " + prefix +
                                       "image2D im;\nvoid main() { imageStore(im, ivec2(0), " + vector + "(0)); }\n");
    const auto with = [&](const std::string& format) {
      return run({"run", path("s.comp"), "--image", "im=" + format + ":4x4", "--groups", "1", "-q"});
    };
    EXPECT_EQ(with(f.right).exit_code, 0) << f.glsl << with(f.right).err;
    const Outcome other = with(f.wrong);
    EXPECT_EQ(other.exit_code, 1) << f.glsl;
    EXPECT_THAT(other.err, HasSubstr("'im' is a storage image of ")) << f.glsl;
    EXPECT_THAT(other.err, HasSubstr("[bind-type]")) << f.glsl;
  }
}

// Integers are read of formats of integers, and nothing else is.
TEST_F(Silent, AnImageHasTheNumbersThatTheShaderReads) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const std::string head =
      "#version 450\n#extension GL_EXT_shader_image_load_formatted : require\nlayout(local_size_x = 1) in;\n"
      "layout(binding = 1) buffer O { vec4 o[]; };\nlayout(binding = 0) uniform ";
  const struct {
    const char *declared, *read, *right, *wrong, *said;
  } cases[] = {
      {"sampler2D", "textureLod(t, vec2(0.5), 0.0)", "rgba8", "r32ui", "'t' is an image of floats in the shader"},
      {"sampler2D", "texelFetch(t, ivec2(0), 0)", "d32", "rgba16i", "what is bound has R16G16B16A16_SINT"},
      {"usampler2D", "vec4(texelFetch(t, ivec2(0), 0))", "r32ui", "rgba8", "is an image of integers"},
      {"isampler2D", "vec4(textureLod(t, vec2(0.5), 0.0))", "r16_sint", "r16_snorm", "is an image of integers"},
      {"readonly image2D", "imageLoad(t, ivec2(0))", "rg16f", "rg32ui", "'t' is a storage image of floats"},
      {"readonly uimage2D", "vec4(imageLoad(t, ivec2(0)))", "r8ui", "r8", "a storage image of integers"}};
  for (const auto& c : cases) {
    write_text(folder_ / "s.comp", head + c.declared + " t;\nvoid main() { o[0] = " + c.read + "; }\n");
    const auto with = [&](const std::string& format) {
      std::vector<std::string> words{
          "run", path("s.comp"), "--image", "t=" + format + ":4x4", "--buffer", "O=f32:4", "--groups", "1", "-q"};
      if (std::string(c.declared).ends_with("sampler2D")) words.insert(words.end(), {"--sampler", "t=nearest"});
      return run(words);
    };
    EXPECT_EQ(with(c.right).exit_code, 0) << c.declared << with(c.right).err;
    const Outcome other = with(c.wrong);
    EXPECT_EQ(other.exit_code, 1) << c.declared;
    EXPECT_THAT(other.err, HasSubstr(c.said)) << c.declared;
    EXPECT_THAT(other.err, HasSubstr("[bind-type]")) << c.declared;
  }
}

TEST_F(Silent, ATargetHasTheNumbersThatTheShaderWrites) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const auto with = [&](const std::string& type, const std::string& format) {
    write_text(folder_ / "t.frag",
               "#version 450\nlayout(location = 0) out " + type + " c;\nvoid main() { c = " + type + "(1); }\n");
    const Outcome o = run({"run", path("t.frag"), "--target", "c=" + path("o.bin") + ":" + format + ":4x4"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o.err;
  };
  for (const auto& [type, format] :
       {std::pair("vec4", "rgba8"), std::pair("vec4", "rgba16f"), std::pair("uvec4", "rgba8ui"),
        std::pair("ivec2", "rg32i"), std::pair("uvec4", "rgba16i")})
    EXPECT_THAT(with(type, format), Not(HasSubstr("bind-numbers"))) << type << format;
  EXPECT_THAT(with("uvec4", "rgba8"), HasSubstr("output 'c' writes integers, and its target has R8G8B8A8_UNORM"));
  EXPECT_THAT(with("vec2", "rg32ui"), HasSubstr("output 'c' writes floats, and its target has R32G32_UINT"));
}

TEST_F(Silent, QueriesTakeWhatTheImageHas) {
  write_text(folder_ / "i.pfm", "Pf\n2 2\n-1.0\n" + std::string(16, '1'));
  const auto query = [&](const std::string& command, std::vector<std::string> more) {
    more.insert(more.begin(), {command, path("i.pfm")});
    return run(more);
  };
  const std::pair<std::vector<std::string>, const char*> wrong[] = {
      {{"gather", "--uv", "0.3,0.4,0.5"}, "2 numbers are expected, not 3"},
      {{"sample", "--uv", "0.3,0.4,0.5"}, "2 numbers are expected, not 3"},
      {{"sample", "--uv", "0.3"}, "2 numbers are expected, not 1"},
      {{"sample", "--uv", "0.3,0.4", "--op", "sample_c", "--ref", "0.5"},
       "sample_c compares, and the sampler does not say how"},
      {{"gather", "--uv", "0.3,0.4", "--ref", "0.5"}, "gather4_c compares, and the sampler does not say how"},
      {{"sample", "--uv", "0.3,0.4", "--op", "sample_c", "--sampler", "compare_op=less"},
       "compares with a reference value: --ref"},
      {{"sample", "--uv", "0.3,0.4", "--bias", "1"}, "sample_lz takes no bias"},
      {{"sample", "--uv", "0.3,0.4", "--op", "sample", "--lod", "1"}, "sample takes no level"},
      {{"gather", "--uv", "0.3,0.4", "--op", "gather4", "--ref", "1"}, "gather4 takes no reference value"}};
  for (const auto& [words, message] : wrong) {
    const Outcome o = query(words[0], {words.begin() + 1, words.end()});
    EXPECT_EQ(o.exit_code, 2) << message;
    EXPECT_THAT(o.err, HasSubstr(message));
  }
  EXPECT_EQ(query("gather", {"--uv", "0.3,0.4"}).exit_code, 0);
  EXPECT_EQ(query("gather", {"--uv", "0.3,0.4", "--ref", "0.5", "--sampler", "linear,compare_op=less"}).exit_code, 0);
  EXPECT_EQ(query("sample", {"--uv", "0.3,0.4", "--lod", "0"}).exit_code, 0);
}

// query-level: a level that is asked for and not read. LOD-5: without a mip filter it is the first one; LOD-11: a
// gather reads its own.
TEST_F(Silent, ALevelThatChangesNothingIsSaid) {
  write_text(folder_ / "i.pfm", "Pf\n2 2\n-1.0\n" + std::string(16, '1'));
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, {path("i.pfm"), "--uv", "0.3,0.4"});
    const Outcome o = run(words);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return o.err;
  };
  EXPECT_THAT(said({"sample", "--lod", "1"}),
              HasSubstr("--lod changes nothing: the image has one level [query-level]"));
  EXPECT_THAT(said({"gather", "--lod", "1"}), HasSubstr("the image has one level"));
  EXPECT_THAT(said({"sample", "--mips", "--lod", "1"}), HasSubstr("the sampler reads the first level alone"));
  EXPECT_THAT(said({"sample", "--mips", "--op", "sample_b", "--bias", "1"}), HasSubstr("--bias changes nothing"));
  EXPECT_EQ(said({"sample", "--mips", "--lod", "1", "-q"}), "");
  EXPECT_EQ(said({"sample", "--mips", "--lod", "1", "--sampler", "linear,mip=linear"}), "");
  EXPECT_EQ(said({"sample", "--mips", "--lod", "1", "--sampler", "trilinear"}), "");
  EXPECT_EQ(said({"sample", "--mips", "--lod", "1", "--sampler", "min=linear,mag=nearest"}), "");
  EXPECT_EQ(said({"gather", "--mips", "--lod", "1"}), "");
  EXPECT_EQ(said({"sample", "--lod", "0"}), "");
}

TEST_F(Silent, BatchTellsOperandsThatAreMissing) {
  const auto answer = [&](const std::string& type, const std::string& more, const std::string& op = "sample_lz") {
    const std::string layers = type == "3d" ? ",\"depth\":2" : "";
    return run({"batch"}, "{\"op\":\"" + op + "\",\"surface\":{\"type\":\"" + type + "\",\"width\":2" +
                              (type == "1d" ? "" : ",\"height\":2") + layers +
                              ",\"format\":\"R32_FLOAT\",\"levels\":1,\"fill\":\"0000003f\"}," + more + "}\n")
        .out;
  };
  const std::string uv = "\"uv\":[[0.1,0.2]]", uvr = "\"uvr\":[[0.1,0.2,0.3]]";
  EXPECT_THAT(answer("cube", uv), HasSubstr("a cube takes three coordinates (uvr), and 'r' is left out"));
  EXPECT_THAT(answer("3d", uv), HasSubstr("a 3D image takes three coordinates (uvr), and 'r' is left out"));
  EXPECT_THAT(answer("2d", uvr), HasSubstr("the third takes part in nothing"));
  EXPECT_THAT(answer("1d", uv), HasSubstr("the second takes part in nothing"));
  EXPECT_THAT(answer("2d", uv + ",\"params\":{\"ref\":[0.5]}", "sample_c_lz"),
              HasSubstr("the sampler names no comparison"));
  for (const std::string& sound :
       {answer("cube", uvr), answer("3d", uvr), answer("2d", uv), answer("1d", "\"params\":{\"u\":[0.5]}"),
        answer("2d", uv + ",\"params\":{\"ref\":[0.5]},\"sampler\":{\"compare_op\":\"LESS\"}", "sample_c_lz")}) {
    EXPECT_THAT(sound, HasSubstr("\"channels\"")) << sound;
    EXPECT_THAT(sound, Not(HasSubstr("warnings"))) << sound;
  }
}

// Two triangles over everything, the nearer one first: red is 0.25 with a test and 0.75 without.
TEST_F(Silent, ADepthTargetMeansATest) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  write_text(folder_ / "d.vert",
             "#version 450\nvoid main() { int t = gl_VertexIndex / 3, k = gl_VertexIndex % 3;\n"
             "  gl_Position = vec4(k == 1 ? 3 : -1, k == 2 ? 3 : -1, t == 0 ? 0.25 : 0.75, 1); }\n");
  write_text(folder_ / "d.frag",
             "#version 450\nlayout(location = 0) out vec4 color;\n"
             "void main() { color = vec4(gl_FragCoord.z, 0, 0, 1); }\n");
  const auto red = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{
        "run", path("d.frag"), "--vertex", path("d.vert"), "--vertices",
        "6",   "--size",       "4x4",      "--target",     "color=" + path("o.bin") + ":rgba8:4x4",
        "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome o = run(words);
    EXPECT_EQ(o.exit_code, 0) << o.err;
    return read_bytes(folder_ / "o.bin").at(0);
  };
  EXPECT_EQ(red({}), 191);
  EXPECT_EQ(red({"--depth", "z=d32"}), 64);
  EXPECT_EQ(red({"--depth", "z=d32", "--state", "blend={enable=false}"}), 64);
  EXPECT_EQ(red({"--depth", "z=d32", "--state", "depth_test=false"}), 191);
  EXPECT_EQ(red({"--depth", "z=d32:fill=0.5", "--state", "depth_test=true", "--state", "depth_func=\"GREATER\""}), 191);
  write_text(folder_ / "d.toml",
             "program = \"d.frag\"\n[pixels]\nvertex = \"d.vert\"\nvertices = 6\nsize = [4, 4]\ntargets = [\"color\"]\n"
             "depth = \"z\"\n[images.color]\nformat = \"rgba8\"\nsave = \"o.bin\"\n[images.z]\nformat = \"d32\"\nfill "
             "= 1.0\n");
  const Outcome job = run({"run", path("d.toml"), "-q"});
  EXPECT_EQ(job.exit_code, 0) << job.err;
  EXPECT_EQ(read_bytes(folder_ / "o.bin").at(0), 64);
}

TEST_F(Silent, ANumberThatItsTypeCannotHoldIsRefused) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  write_text(
      folder_ / "s.comp",
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(push_constant) uniform P { float f; int i; uint u; };\n"
      "layout(binding = 0) buffer O { float o[]; };\nvoid main() { o[0] = f + float(i) + float(u); }\n");
  const auto with = [&](const std::string& push, const std::string& buffer) {
    return run(
        {"run", path("s.comp"), "--arg", "push={" + push + "}", "--buffer", "O=" + buffer, "--groups", "1", "-q"});
  };
  EXPECT_EQ(with("f=3e38,i=-1,u=4294967295", "f32:4:fill=-3e38").exit_code, 0);
  EXPECT_EQ(with("f=inf,i=1,u=1", "f32:4").exit_code, 0);
  for (const auto& [push, buffer, message] :
       {std::tuple("f=1e40,i=1,u=1", "f32:4", "1e+40 is too large for f32"),
        std::tuple("f=1,i=1,u=1", "f32:4:fill=-1e39", "-1e+39 is too large for f32"),
        std::tuple("f=1,i=1,u=1", "f16:4:data=[1, 65536]", "65536 is too large for f16"),
        std::tuple("f=1,i=2147483648,u=1", "f32:4", "2147483648 does not fit i32"),
        std::tuple("f=1,i=1,u=-1", "f32:4", "-1 does not fit u32")}) {
    const Outcome o = with(push, buffer);
    EXPECT_NE(o.exit_code, 0) << push << buffer;
    EXPECT_THAT(o.err, HasSubstr(message));
  }
}

TEST_F(Silent, ABinaryOfAnotherDeviceIsRefused) {
  const std::string base = fs::absolute("tests/data/opencl/cst/skl.simd16").string();
  const auto with = [&](const std::string& platform) {
    return run({"run", base + ".visaasm", "--zeinfo", base + ".bin", "--platform", platform, "--global", "32",
                "--local", "32", "--buffer", "c=f32:32:fill=2", "--buffer", "o=f32:32", "--image", "im=rgba8:8x1",
                "-q"});
  };
  for (const char* same : {"SKL", "BXT"}) EXPECT_EQ(with(same).exit_code, 0) << with(same).err;
  for (const char* other : {"ICLLP", "TGLLP"}) {
    const Outcome o = with(other);
    EXPECT_EQ(o.exit_code, 1) << other;
    EXPECT_THAT(o.err, HasSubstr("is a binary for SKL, and the kernel runs as one of " + std::string(other)));
    EXPECT_THAT(o.err, HasSubstr("[zeinfo-platform]"));
  }
}

}  // namespace
}  // namespace heddle::test
