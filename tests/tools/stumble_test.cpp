// SPDX-License-Identifier: MIT
// What people stumbled over: typing errors in flags, outputs that cannot be written, stages that are not compiled,
// pictures whose words were cut, long work that looked dead.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "image/files/files.hpp"
#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::have_program;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

class Stumbles : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;
  Outcome heddle(std::vector<std::string> words, const std::string& input = {}) const {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, input, folder.path());
  }
};

TEST_F(Stumbles, EveryCommandSuggestsTheFlagThatIsMeant) {
  const struct {
    std::vector<std::string> words;
    std::string wrong, meant;
  } typing_errors[] = {
      {{"run", "--smapler", "a=linear", "x.frag"}, "--smapler", "--sampler"},
      {{"run", "x.frag", "--traget=c=o.png"}, "--traget", "--target"},
      {{"gather", "x.png", "--smapler", "linear", "--uv", "-0.5,0.5"}, "--smapler", "--sampler"},
      {{"sample", "x.png", "--uv", "-0.5,0.5", "--gard", "0,0,0,0"}, "--gard", "--grad"},
      {{"compile", "x.frag", "--simdd", "8"}, "--simdd", "--simd"},
      {{"val", "x.visaasm", "--platfrom", "SKL"}, "--platfrom", "--platform"},
      {{"footprint", "x.png", "--granularty", "3"}, "--granularty", "--granularity"},
      {{"info", "-lod", "1"}, "-lod", "--lod"},
  };
  for (const auto& error : typing_errors) {
    const Outcome o = heddle(error.words);
    EXPECT_EQ(o.exit_code, 2) << error.wrong;
    EXPECT_THAT(o.err, HasSubstr("there is no flag '" + error.wrong + "'; did you mean '" + error.meant + "'?"));
    EXPECT_THAT(o.err, HasSubstr("heddle help " + error.words[0]));
  }
  EXPECT_THAT(heddle({"run", "--qqqqqqqqqq"}).err, Not(HasSubstr("did you mean")));
}

// Nothing is computed for a file that cannot be written: no line of the input is read.
TEST_F(Stumbles, OutputsAreTriedBeforeTheWork) {
  const std::string request = "{\"op\":\"decode_texel\",\"format\":\"rgba8\",\"bytes\":\"ff800000\"}\n";
  for (const char* out : {"no/such/folder/a.jsonl", "/proc/a.jsonl"}) {
    const Outcome o = heddle({"batch", "missing.jsonl", "-o", out}, request);
    EXPECT_EQ(o.exit_code, 3);
    EXPECT_THAT(o.err, HasSubstr(std::string("cannot write '") + out + "'"));
    EXPECT_THAT(o.err, Not(HasSubstr("missing.jsonl")));
  }
  EXPECT_EQ(heddle({"batch", "-o", "a.jsonl"}, request).exit_code, 0);
  EXPECT_EQ(heddle::test::read_text(folder / "a.jsonl"),
            "{\"id\":null,\"rgba\":[\"3f800000\",\"3f008081\",\"00000000\",\"00000000\"]}\n");
  EXPECT_EQ(heddle({"footprint", "--batch", "-", "-o", "/proc/a"}, "{}").exit_code, 3);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);  // nothing is left
}

// Limits that the work itself would hit: what is said comes before it.
TEST_F(Stumbles, PicturesAreTriedBeforeTheWork) {
  heddle::test::write_text(folder / "i.pfm", "Pf\n2 2\n-1.0\n" + std::string(16, '1'));
  const std::vector<std::string> commands[] = {
      {"sample", "i.pfm", "--grid", "512x512", "--max-surface", "1000", "-o"},
      {"gather", "i.pfm", "--grid", "512x512", "--max-surface", "1000", "-o"},
      {"unorm", "i.pfm", "--grid", "512x512", "--max-surface", "1000", "-o"},
      {"footprint", "i.pfm", "--uv", "none", "-o"},
  };
  for (std::vector<std::string> words : commands) {
    words.emplace_back();
    for (const auto& [file, code, said] : {std::tuple("/proc/a.png", 3, "cannot write '/proc/a.png'"),
                                           std::tuple("a.jpg", 1, "JPEG files are read, not written"),
                                           std::tuple("a.xyz", 1, "'a.xyz' has no extension of an image file")}) {
      words.back() = file;
      const Outcome o = heddle(words);
      EXPECT_EQ(o.exit_code, code) << words[0] << ' ' << file << o.err;
      EXPECT_THAT(o.err, HasSubstr(said)) << words[0];
    }
  }
  const std::string first = fs::absolute("examples/first.visaasm").string();
  const auto run = [&](const std::string& target, const std::string& texels) {
    return heddle({"run", first, "--image", "T6=rgba8:8x8", "--sampler", "S0=nearest,repeat", "--input", "u=uv.x",
                   "--input", "v=uv.y", "--max-steps", "1", "--target", "T7=" + target + ":rgba8:8x8", "--texels",
                   "T6=" + texels});
  };
  EXPECT_EQ(run("o.png", "t.png").exit_code, 4);
  EXPECT_THAT(run("o.jpg", "t.png").err, HasSubstr("o.jpg: error: JPEG files are read, not written"));
  EXPECT_THAT(run("o.xyz", "t.png").err, HasSubstr("'o.xyz' has no extension of an image file"));
  EXPECT_THAT(run("o.png", "t.tga").err, HasSubstr("TGA files are read, not written"));
  EXPECT_THAT(run("o.png", "t.xyz").err, HasSubstr("'t.xyz' has no extension of an image file"));
}

TEST_F(Stumbles, StagesThatAreNotCompiledAreNamed) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const std::string head = "#version 450\n", body = "void main() { gl_Position = vec4(0); }\n";
  const std::pair<const char*, const char*> names[] = {
      {"a.rgen", "a ray generation shader"}, {"a.rmiss", "a miss shader"}, {"a.rint.glsl", "an intersection shader"}};
  for (const auto& [name, what] : names) {
    write_text(folder / name, head + body);
    for (const char* command : {"compile", "run", "val"}) {
      const Outcome o = heddle({command, name});
      EXPECT_EQ(o.exit_code, 1) << name;
      EXPECT_THAT(o.err, HasSubstr(std::string("this is ") + what)) << command;
      EXPECT_THAT(o.err, HasSubstr("mesh, fragment and compute shaders are compiled")) << command;
    }
  }
  write_text(folder / "b.glsl", head + "void main() { traceRayEXT(); }\n");
  EXPECT_THAT(heddle({"compile", "b.glsl"}).err, HasSubstr("this is a ray generation shader"));
  write_text(folder / "c.glsl", head + body);  // the stage is said, and holds
  EXPECT_EQ(heddle({"compile", "c.glsl", "--stage", "vert"}).exit_code, 0);
}

// Their names and words choose the stage; the compiler of HLSL has none of them.
TEST_F(Stumbles, MeshShadersAreGlslOrSpirv) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const std::string mesh =
      "#version 460\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 1) in;\n"
      "layout(points, max_vertices = 1, max_primitives = 1) out;\nvoid main() { SetMeshOutputsEXT(1, 1);\n"
      "  gl_MeshVerticesEXT[0].gl_Position = vec4(0, 0, 0, 1); gl_PrimitivePointIndicesEXT[0] = 0; }\n";
  for (const char* name : {"a.mesh", "b.glsl"}) {
    write_text(folder / name, mesh);
    EXPECT_EQ(heddle({"val", name}).exit_code, 0);
    const Outcome o = heddle({"compile", name, "-o", "-"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("stage mesh 1 1 1 points 1 1"));
  }
  write_text(folder / "c.task",
             "#version 460\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 4) in;\n"
             "void main() { EmitMeshTasksEXT(1, 2, 3); }\n");
  EXPECT_THAT(heddle({"compile", "c.task", "-o", "-"}).out, HasSubstr("stage task 4 1 1"));
  write_text(folder / "d.hlsl", "[numthreads(1, 1, 1)] void main() { SetMeshOutputCounts(1, 1); }\n");
  const Outcome o = heddle({"compile", "d.hlsl"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("this is a mesh shader of HLSL, which glslangValidator does not compile"));
}

// The rightmost and lowest pixels of a picture whose captions fit are paper.
TEST_F(Stumbles, CaptionsAreNotCut) {
  write_text(folder / "i.pfm", std::string("Pf\n2 2\n-1.0\n") + std::string(16, '\0'));
  for (const char* size : {"480x270", "64x64", "960x540"}) {
    const Outcome o = heddle({"footprint", "i.pfm", "--view", "plane", "--size", size, "-o", "o.png", "--sampler",
                              "anisotropic,clamp,mip=linear,max_anisotropy=16"});
    ASSERT_EQ(o.exit_code, 0) << o.err;
    const auto read = heddle::image::load_image(folder / "o.png");
    ASSERT_TRUE(read.ok());
    const std::vector<std::uint8_t> texels = heddle::image::packed_texels(*read);
    for (std::uint32_t y = 0; y < read->height; ++y)
      for (std::uint32_t x = read->width - 6; x < read->width; ++x)
        ASSERT_EQ(texels[4 * (std::size_t{y} * read->width + x)], 250) << size << " at " << x << ", " << y;
  }
}

// A bar on a terminal although the work reports nothing until its end: the one group of a compute shader.
TEST_F(Stumbles, LongWorkShowsThatItGoesOn) {
  if (!have_program("script") || !have_program("glslangValidator")) GTEST_SKIP() << "script or glslang is missing";
  write_text(folder / "long.comp",
             "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { uint x[]; };\n"
             "void main() { uint a = x[0]; for (uint i = 0u; i < 4000000u; ++i) a = a * 1664525u + i; x[0] = a; }\n");
  const Outcome o = heddle::test::run(
      {"script", "-qec", kProgram + " run long.comp --buffer B=u32:1 --groups 1 --engine reference", "/dev/null"}, {},
      folder.path());
  EXPECT_THAT(o.out, HasSubstr("running [")) << o.err;
  EXPECT_THAT(o.out, HasSubstr("s so far"));
}

}  // namespace
