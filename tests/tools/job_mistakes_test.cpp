// SPDX-License-Identifier: MIT
// Mistakes in jobs that heddle run must report: wrong shapes of images, filters that cannot apply, broken values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>

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

/// A fragment shader that samples `sky`, an image of a GLSL type, at a coordinate.
std::string fragment(const std::string& type, const std::string& coordinate) {
  return "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\nlayout(binding = 0) "
         "uniform " +
         type + " sky;\nvoid main() { color = textureLod(sky, " + coordinate + ", 0); }\n";
}

class JobMistakes : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;
  std::string six;  ///< files of one color each

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
                               "color=o.pfm:r32f:4x4", "-q"});
    return heddle(more);
  }
  Outcome compute(std::vector<std::string> more) const {
    more.insert(more.begin(), {"b.comp", "--groups", "1", "-q"});
    return heddle(more);
  }
};

TEST_F(JobMistakes, ImagesOfAnotherShapeAreRefused) {
  const struct {
    const char *shader, *image, *said;
  } wrong[] = {
      {"array.frag", "SIX", "the shader's 'sky' is an array of 2D images; a cube is bound to it [bind-type]"},
      {"array.frag", "SIX", "type=2d-array makes its faces layers"},
      {"plain.frag", "SIX", "is a 2D image; a cube is bound to it [bind-type]"},
      {"plain.frag", "a.pfm,b.pfm", "is a 2D image; an array of 2 2D layers is bound to it [bind-type]"},
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

TEST_F(JobMistakes, FiltersOfATraceNeedATrace) {
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

TEST_F(JobMistakes, LevelsAndSlicesThatAnImageHasNot) {
  for (const char* place : {"level=99", "slice=1"}) {
    const Outcome o = draw("plain.frag", "a.pfm", {"--texels", std::string("sky=t.png:") + place});
    EXPECT_EQ(o.exit_code, 2) << o.err;
    EXPECT_THAT(o.err, HasSubstr("'sky' has the"));
    EXPECT_FALSE(fs::exists(folder / "t.png") || fs::exists(folder / "o.pfm"));
  }
}

TEST_F(JobMistakes, SheetsOfTexelsShowFootprints) {  // FP-23
  const auto shader = [](const std::string& body) {
    return "#version 450\n#extension GL_NV_shader_texture_footprint : require\nlayout(location = 0) in vec2 uv;\n"
           "layout(location = 0) out vec4 color;\nlayout(binding = 0) uniform sampler2D sky;\n"
           "void main() { gl_TextureFootprint2DNV f; bool b = textureFootprintNV(sky, uv, 1, false, f); color = " +
           body + "; }\n";
  };
  write_text(folder / "query.frag", shader("vec4(b)"));
  write_text(folder / "both.frag", shader("texelFetch(sky, ivec2(1, 0), 0) * float(f.anchor.x)"));
  const auto pixels = [&](const std::string& name, std::array<int, 3> color) {
    const Outcome o = draw(name, "r32f:8x4:levels=2", {"--texels", "sky=t.png"});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    const auto sheet = heddle::image::load_image((folder / "t.png").string());
    EXPECT_TRUE(sheet.ok());
    std::size_t count = 0;
    for (std::size_t i = 0; sheet.ok() && i < sheet->memory->size(); i += 4)
      count += std::ranges::equal(color, std::span(sheet->memory->data() + i, 3)) ? 1 : 0;
    return count;
  };
  constexpr std::array<int, 3> kQueried{64, 128, 232};
  // Level 0 is named whole, darker for twice; a line around it has the color itself.
  EXPECT_GT(pixels("query.frag", kQueried), 4000u);
  EXPECT_EQ(pixels("plain.frag", kQueried), 0u);
  EXPECT_GT(pixels("both.frag", kQueried), 4000u);
}

TEST_F(JobMistakes, TracesOfShadersSayWhoseLinesTheyShow) {
  const std::vector<std::string> words{
      "plain.frag",           "--image",      "sky=a.pfm", "--sampler", "sky=nearest,clamp", "--target",
      "color=o.pfm:r32f:4x4", "--trace-file", "t.txt"};
  EXPECT_THAT(heddle(words).err, HasSubstr("note: 'plain.frag.visaasm' is the compiled shader; --keep FILE writes it"));
  std::vector<std::string> kept = words;
  kept.insert(kept.end(), {"--keep", "k.visaasm"});
  EXPECT_THAT(heddle(kept).err, Not(HasSubstr("--keep FILE")));
}

TEST_F(JobMistakes, BlocksByTheNamesOfTheirTypes) {
  EXPECT_EQ(compute({"--buffer", "B=f32:8:save=-", "--arg", "P={scale=2}"}).out,
            "[2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]\n");
  // Two buffers of one type: its name says neither.
  write_text(folder / "two.comp",
             "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { float y[]; } b[2];\n"
             "void main() { b[0].y[0] = 1; b[1].y[0] = 2; }\n");
  const Outcome o =
      heddle({"two.comp", "--groups", "1", "-q", "--buffer", "B[0]=f32:1:save=-", "--buffer", "b[1]=f32:1:save=-"});
  EXPECT_EQ(o.out, "[1.0]\n[2.0]\n") << o.err;
}

TEST_F(JobMistakes, WhatIsMissingIsNamedAsFlags) {
  const auto said = [&](std::vector<std::string> words) { return heddle(words).err; };
  EXPECT_THAT(said({"b.comp", "--arg", "p={scale=1}", "--buffer", "b=f32:8"}),
              HasSubstr("a compute kernel needs --global or --groups; a pixel shader needs --target or --size"));
  const std::string nothing = said({"b.comp", "--groups", "1"});
  EXPECT_THAT(nothing, HasSubstr("expected: --buffer b=... ({ y = f32[] }); set 0, binding 0"));
  EXPECT_THAT(nothing, HasSubstr("expected: --arg push={ scale = f32 }"));
  EXPECT_THAT(said({"plain.frag", "--target", "color=o.pfm:r32f:4x4"}), HasSubstr("expected: --image sky=..."));
  EXPECT_THAT(said({"b.comp", "--groups", "1", "--buffer", "b=f32:8", "--arg", "scale=1"}),
              HasSubstr("'scale' is a member of 'push': --arg push={ scale = ... }"));
  EXPECT_THAT(said({"b.comp", "--groups", "1", "--buffer", "y=f32:8", "--arg", "p={scale=1}"}),
              HasSubstr("'y' is a member of 'b': --buffer b=..."));
  // A key is meant by one binding at most.
  write_text(folder / "ab.comp",
             "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer A { float a[]; };\n"
             "layout(binding = 1) buffer B { float b[]; };\nvoid main() { b[0] = a[0]; }\n");
  const std::string once = said({"ab.comp", "--groups", "1", "--buffer", "a=f32:1"});
  const std::size_t meant = once.find("'a' of the job is bound to nothing");
  EXPECT_NE(meant, std::string::npos) << once;
  EXPECT_EQ(once.find("'a' of the job is bound to nothing", meant + 1), std::string::npos) << once;
}

TEST_F(JobMistakes, FormatsAndWordsThatAreNearlyRight) {
  Outcome o = draw("plain.frag", "a.pfm:mip");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("'mip' is no format, no size and no MEMBER=VALUE; did you mean 'mips'?"));
  o = heddle({"plain.frag", "--image", "sky=a.pfm", "--target", "color=o.png:rgba9:4x4"});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("'rgba9' is no format, no size and no MEMBER=VALUE; did you mean 'rgba8'?"));
}

TEST_F(JobMistakes, BrokenValuesAndListsOfFlags) {
  Outcome o = compute({"--buffer", "b=f32:8", "--arg", "p={scale="});
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.err, HasSubstr("--arg p={scale=: '{scale=' is no value of TOML: "));
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

TEST_F(JobMistakes, SourcesInOtherClothes) {
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
