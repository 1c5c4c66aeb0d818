// Slips of the hand and of the mind that heddle run must say: shapes of images, filters of nothing, broken values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::have_program;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

/// A fragment shader that samples `sky`, an image of a GLSL type, at a coordinate.
std::string fragment(const std::string& type, const std::string& coordinate) {
  return "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 colour;\nlayout(binding = 0) "
         "uniform " +
         type + " sky;\nvoid main() { colour = textureLod(sky, " + coordinate + ", 0); }\n";
}

class Slips : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;
  std::string six;  ///< files of one colour each

  void SetUp() override {
    if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
    for (int i = 0; i < 6; ++i) {
      const std::string name = std::string(1, static_cast<char>('a' + i)) + ".pfm";
      std::string file = "Pf\n2 2\n-1.0\n";
      const float value = static_cast<float>(i);
      for (int k = 0; k < 4; ++k) file.append(reinterpret_cast<const char*>(&value), 4);
      write_text(folder / name, file);
      six += (six.empty() ? "" : ",") + name;
    }
    write_text(folder / "array.frag", fragment("sampler2DArray", "vec3(uv, 1)"));
    write_text(folder / "plain.frag", fragment("sampler2D", "uv"));
    write_text(folder / "cube.frag", fragment("samplerCube", "vec3(uv, 1)"));
    write_text(folder / "cubes.frag", fragment("samplerCubeArray", "vec4(uv, 1, 0)"));
    write_text(folder / "volume.frag", fragment("sampler3D", "vec3(uv, 0.5)"));
    write_text(folder / "line.frag", fragment("sampler1D", "uv.x"));
    write_text(folder / "b.comp",
               "#version 450\nlayout(local_size_x = 8) in;\nlayout(binding = 0) buffer B { float y[]; } b;\n"
               "layout(push_constant) uniform P { float scale; } p;\n"
               "void main() { b.y[gl_GlobalInvocationID.x] = p.scale; }\n");
  }
  Outcome heddle(std::vector<std::string> words) const {
    words.insert(words.begin(), {kProgram, "run"});
    return heddle::test::run(words, {}, folder.path());
  }
  Outcome draw(const std::string& shader, const std::string& image, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {shader, "--image", "sky=" + image, "--sampler", "sky=nearest,clamp", "--target",
                               "colour=o.pfm:r32f:4x4", "-q"});
    return heddle(more);
  }
  Outcome compute(std::vector<std::string> more) const {
    more.insert(more.begin(), {"b.comp", "--groups", "1", "-q"});
    return heddle(more);
  }
};

TEST_F(Slips, ImagesOfAnotherShapeAreRefused) {
  const struct {
    const char *shader, *image, *said;
  } wrong[] = {
      {"array.frag", "SIX", "the shader's 'sky' is an array of 2D images; a cube is bound to it [bind-type]"},
      {"array.frag", "SIX", "type=2d-array makes its faces layers"},
      {"plain.frag", "SIX", "is a 2D image; a cube is bound to it [bind-type]"},
      {"plain.frag", "a.pfm,b.pfm", "is a 2D image; 2 2D layers is bound to it [bind-type]"},
      {"cube.frag", "a.pfm", "is a cube; a 2D image is bound to it [bind-type]"},
      {"cube.frag", "SIX:type=2d", "type=cube makes its layers faces"},
      {"volume.frag", "a.pfm", "is a 3D image; a 2D image is bound to it [bind-type]"},
      {"line.frag", "a.pfm", "is a 1D image; a 2D image is bound to it [bind-type]"},
      {"line.frag", "r32f:8x1", "type=1d reads its texels so"},
      {"plain.frag", "r32f:8x8:samples=4", "a 2D image of 4 samples is bound to it [bind-type]"},
  };
  for (const auto& w : wrong) {
    std::string image = w.image;
    if (image.starts_with("SIX")) image.replace(0, 3, six);
    const Outcome o = draw(w.shader, image);
    EXPECT_EQ(o.exit_code, 1) << w.shader << " " << image;
    EXPECT_THAT(o.err, HasSubstr(w.said)) << w.shader << " " << image;
  }
  EXPECT_FALSE(fs::exists(folder / "o.pfm"));
  const struct {
    const char *shader, *image;
  } good[] = {{"array.frag", "SIX:type=2d-array"},
              {"array.frag", "SIX:type=2d"},
              {"array.frag", "a.pfm"},
              {"cube.frag", "SIX"},
              {"cubes.frag", "SIX"},
              {"volume.frag", "r32f:4x4x4"},
              {"line.frag", "r32f:8:type=1d"},
              {"plain.frag", "r32f:8x8:type=2d-array:layers=1"}};
  for (const auto& g : good) {
    std::string image = g.image;
    if (image.starts_with("SIX")) image.replace(0, 3, six);
    const Outcome o = draw(g.shader, image);
    EXPECT_EQ(o.exit_code, 0) << g.shader << " " << image << o.err;
  }
}

TEST_F(Slips, FiltersOfATraceNeedATrace) {
  for (const char* flag : {"--trace-lane=3", "--trace-group=0,0,0", "--trace-thread=0", "--trace-lines=1-9"}) {
    const Outcome o = draw("plain.frag", "a.pfm", {flag});
    EXPECT_EQ(o.exit_code, 2) << flag;
    EXPECT_THAT(o.err, HasSubstr("chooses what --trace, --trace-file or --dump-registers shows")) << flag;
  }
  const Outcome pixel = compute({"--buffer", "b=f32:8", "--arg", "p={scale=2}", "--trace", "--trace-pixel", "1,1"});
  EXPECT_EQ(pixel.exit_code, 2);
  EXPECT_THAT(pixel.err, HasSubstr("--trace-pixel: this job shades no pixels"));
  // The last instruction belongs to the thread, whichever lane is asked for.
  EXPECT_THAT(draw("plain.frag", "a.pfm", {"--dump-registers", "end", "--trace-lane", "3"}).out,
              HasSubstr("registers of group 0,0,0 thread 0 at the end:"));
  EXPECT_THAT(draw("plain.frag", "a.pfm", {"--dump-registers", "end", "--trace-pixel", "3,3"}).out,
              HasSubstr("at the end:"));
}

TEST_F(Slips, LevelsAndSlicesThatAnImageHasNot) {
  for (const char* place : {"level=99", "slice=1"}) {
    const Outcome o = draw("plain.frag", "a.pfm", {"--texels", std::string("sky=t.png:") + place});
    EXPECT_EQ(o.exit_code, 2) << o.err;
    EXPECT_THAT(o.err, HasSubstr("'sky' has the"));
    EXPECT_FALSE(fs::exists(folder / "t.png") || fs::exists(folder / "o.pfm"));
  }
}

TEST_F(Slips, BrokenValuesAndListsOfFlags) {
  Outcome o = compute({"--buffer", "b=f32:8", "--arg", "p={scale="});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("--arg {scale=: this is no value of TOML: "));
  EXPECT_THAT(o.err, Not(HasSubstr("must be a number")));
  o = compute({"--buffer", "b=f33:8", "--arg", "p={scale=2}"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("'f33' is no file, and no type or format; did you mean 'f32'?"));
  o = draw("plain.frag", "rgba9:4x4");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("did you mean 'rgba8'?"));
  for (const char* list : {"a.pfm,", ",a.pfm", "a.pfm,,b.pfm"}) {
    o = draw("array.frag", list);
    EXPECT_EQ(o.exit_code, 2);
    EXPECT_THAT(o.err, HasSubstr("a file is missing beside a comma")) << list;
  }
  o = draw("plain.frag", "a.pfm", {"--geometry", "no.obj"});
  EXPECT_EQ(o.exit_code, 3);
  EXPECT_THAT(o.err, HasSubstr("cannot open 'no.obj'"));
  EXPECT_THAT(o.err, Not(HasSubstr("bind-missing")));
}

TEST_F(Slips, SourcesInOtherClothes) {
  write_text(folder / "h.comp",
             "RWStructuredBuffer<float> y : register(u0);\n[numthreads(4, 1, 1)]\nvoid main(uint3 id : "
             "SV_DispatchThreadID) { y[id.x] = id.x; }\n");
  EXPECT_EQ(heddle({"h.comp", "--groups", "1", "--buffer", "y=f32:4:save=-", "-q"}).out, "[0.0, 1.0, 2.0, 3.0]\n");
  write_text(folder / "size.glsl", "#define SIZE 4\n");
  write_text(folder / "marked.comp",
             "\xef\xbb\xbf#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"size.glsl\"\n"
             "layout(local_size_x = SIZE) in;\nlayout(binding = 0) buffer B { float y[]; } b;\n"
             "void main() { b.y[gl_GlobalInvocationID.x + 9] = 1.0; }\n");
  EXPECT_EQ(heddle({"marked.comp", "--groups", "1", "--buffer", "b=f32:4:save=-", "-q"}).out, "[0.0, 0.0, 0.0, 0.0]\n");
  EXPECT_THAT(heddle({"marked.comp", "--groups", "1", "--buffer", "b=f32:4", "--check", "warn", "-q"}).err,
              Not(HasSubstr("/text:")));
  EXPECT_THAT(heddle({"marked.comp", "--groups", "1", "--buffer", "b=f32:4", "--check", "warn"}).err,
              HasSubstr("marked.comp:6:"));
  write_text(folder / "broken.comp", "\xef\xbb\xbf#version 450\nvoid main() { x; }\n");
  EXPECT_THAT(heddle({"broken.comp", "--groups", "1"}).err, HasSubstr("broken.comp:2:1: error: 'x'"));
}

}  // namespace
