// SPDX-License-Identifier: MIT
// Shaders of patches and of groups in jobs: `heddle run` draws with them, on both engines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::have_program;
using heddle::test::Outcome;
using heddle::test::write_text;
using ::testing::HasSubstr;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

std::vector<float> floats(const std::string& bytes) {
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

class Stages : public ::testing::Test {
 protected:
  heddle::test::TemporaryFolder folder;

  void SetUp() override {
    if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  }
  Outcome run(std::vector<std::string> words) const {
    words.insert(words.begin(), {kProgram, "run", "-q"});
    return heddle::test::run(words, {}, folder.path());
  }
  /// On both engines; the same bytes.
  std::vector<float> draw(const std::vector<std::string>& words) const {
    std::string first;
    for (const char* engine : {"reference", "fast"}) {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--target", "c=-:rgba32f:4x4", "--engine", engine});
      const Outcome o = run(all);
      EXPECT_EQ(o.exit_code, 0) << o.err;
      EXPECT_TRUE(first.empty() || first == o.out) << engine;
      first = o.out;
    }
    return floats(first);
  }

  void write_patches(const std::string& modes = "quads, equal_spacing, ccw") const {
    write_text(folder / "q.vert",
               "#version 450\n"
               "void main() { gl_Position = vec4(gl_VertexIndex % 2 * 2.0 - 1.0, gl_VertexIndex / 2 * 2.0 - 1.0, 0.5, "
               "1.0); }\n");
    write_text(folder / "q.tesc",
               "#version 450\nlayout(vertices = 4) out;\n"
               "void main() {\n"
               "  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
               "  for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = 2.0;\n"
               "  for (int i = 0; i < 2; ++i) gl_TessLevelInner[i] = 2.0;\n"
               "}\n");
    write_text(folder / "q.tese", "#version 450\nlayout(" + modes +
                                      ") in;\nlayout(location = 0) out vec2 uv;\n"
                                      "void main() {\n"
                                      "  uv = gl_TessCoord.xy;\n"
                                      "  gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, uv.x),\n"
                                      "                    mix(gl_in[2].gl_Position, gl_in[3].gl_Position, uv.x), "
                                      "uv.y);\n"
                                      "}\n");
    write_text(folder / "q.frag",
               "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\n"
               "void main() { color = vec4(uv, gl_FrontFacing ? 1.0 : 0.0, 1.0); }\n");
  }
  const std::vector<std::string> patches{"q.frag", "--vertex",
                                         "q.vert", "--tessellation-control",
                                         "q.tesc", "--tessellation-evaluation",
                                         "q.tese", "--patch-vertices",
                                         "4",      "--vertices",
                                         "4"};

  void write_groups() const {
    write_text(folder / "m.task",
               "#version 450\n#extension GL_EXT_mesh_shader : require\n"
               "struct Payload { uint first; };\ntaskPayloadSharedEXT Payload payload;\n"
               "void main() { payload.first = gl_WorkGroupID.x * 2u; EmitMeshTasksEXT(2, 1, 1); }\n");
    write_text(folder / "m.mesh",
               "#version 450\n#extension GL_EXT_mesh_shader : require\n"
               "layout(local_size_x = 4) in;\nlayout(triangles, max_vertices = 4, max_primitives = 2) out;\n"
               "struct Payload { uint first; };\ntaskPayloadSharedEXT Payload payload;\n"
               "layout(location = 0) out vec2 uv[];\nlayout(location = 1) perprimitiveEXT flat out uint number[];\n"
               "void main() {\n"
               "  SetMeshOutputsEXT(4, 2);\n"
               "  uint i = gl_LocalInvocationIndex, column = payload.first + gl_WorkGroupID.x;\n"
               "  vec2 at = vec2(float(column) + float(i & 1u), float(i >> 1u) * 4.0) / 2.0 - 1.0;\n"
               "  gl_MeshVerticesEXT[i].gl_Position = vec4(at, 0.5, 1.0);\n"
               "  uv[i] = vec2(float(i & 1u), float(i >> 1u));\n"
               "  if (i < 2u) {\n"
               "    gl_PrimitiveTriangleIndicesEXT[i] = i == 0u ? uvec3(0, 1, 2) : uvec3(2, 1, 3);\n"
               "    number[i] = column;\n"
               "  }\n"
               "}\n");
    write_text(folder / "m.frag",
               "#version 450\n#extension GL_EXT_mesh_shader : require\n"
               "layout(location = 0) in vec2 uv;\nlayout(location = 1) perprimitiveEXT flat in uint number;\n"
               "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(uv, number, 1.0); }\n");
  }
};

// The domain is stretched over the target: a pixel's coordinates are those of its center.
TEST_F(Stages, PatchesAreDivided_TES12) {
  write_patches();
  const std::vector<float> colors = draw(patches);
  ASSERT_EQ(colors.size(), 64u);
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_NEAR(colors[4 * i], (i % 4 + 0.5) / 4, 1e-6) << i;
    EXPECT_NEAR(colors[4 * i + 1], (i / 4 + 0.5) / 4, 1e-6) << i;
    EXPECT_EQ(colors[4 * i + 2], colors[2]) << i;
  }
}

// TES-9: the winding that the shader asks for, and the origin of the domain, each turn all faces around.
TEST_F(Stages, WindingsOfPatches_TES9) {
  std::vector<float> fronts;
  for (const char* modes : {"quads, ccw", "quads, cw"})
    for (const char* origin : {"upper_left", "lower_left"}) {
      write_patches(modes);
      write_text(folder / "job.toml",
                 "program = \"q.frag\"\n[images.color]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [4, 4]\nsave = "
                 "\"color.bin\"\n[pixels]\ntargets = [\"color\"]\nvertex = \"q.vert\"\ntessellation_control = "
                 "\"q.tesc\"\ntessellation_evaluation = \"q.tese\"\nvertices = 4\npatch_vertices = 4\ntopology = "
                 "\"patch_list\"\ndomain_origin = \"" +
                     std::string(origin) + "\"\n");
      const Outcome o = run({"job.toml"});
      ASSERT_EQ(o.exit_code, 0) << o.err;
      const std::vector<std::uint8_t> bytes = heddle::test::read_bytes(folder / "color.bin");
      fronts.push_back(floats({bytes.begin(), bytes.end()}).at(2));
    }
  // Vulkan: with the origin above, "ccw" is what goes around counterclockwise where v points down; y points down in
  // the target, too, and a counterclockwise triangle is a front face.
  EXPECT_THAT(fronts, ::testing::ElementsAre(1, 0, 0, 1));
}

TEST_F(Stages, TasksAndMeshesMakePrimitives_MSH5) {
  write_groups();
  const std::vector<float> colors =
      draw({"m.frag", "--task-shader", "m.task", "--mesh-shader", "m.mesh", "--groups", "2"});
  ASSERT_EQ(colors.size(), 64u);
  for (unsigned i = 0; i < 16; ++i) {
    EXPECT_NEAR(colors[4 * i], 0.5, 1e-6) << i;  // a group is a column of pixels
    EXPECT_NEAR(colors[4 * i + 1], (i / 4 + 0.5) / 4, 1e-6) << i;
    EXPECT_EQ(colors[4 * i + 2], static_cast<float>(i % 4)) << i;
  }
}

// Behind patches, and what is traced.
TEST_F(Stages, AGeometryShaderTakesWhatPatchesAreDividedInto) {
  write_patches("quads");
  write_text(folder / "q.geom",
             "#version 450\nlayout(triangles) in;\nlayout(triangle_strip, max_vertices = 3) out;\n"
             "layout(location = 0) in vec2 before[];\nlayout(location = 0) out vec2 uv;\n"
             "void main() { for (int i = 0; i < 3; ++i) { uv = before[i] * 2.0; gl_Position = gl_in[i].gl_Position; "
             "EmitVertex(); } }\n");
  std::vector<std::string> words = patches;
  words.insert(words.end(), {"--geometry-shader", "q.geom"});
  const std::vector<float> colors = draw(words);
  ASSERT_EQ(colors.size(), 64u);
  for (unsigned i = 0; i < 16; ++i) EXPECT_NEAR(colors[4 * i], (i % 4 + 0.5) / 2, 1e-6) << i;
  write_patches("isolines");
  const Outcome lines =
      run({"q.frag", "--vertex", "q.vert", "--tessellation-control", "q.tesc", "--tessellation-evaluation", "q.tese",
           "--geometry-shader", "q.geom", "--vertices", "4", "--patch-vertices", "4", "--target", "c=-:r8:1x1"});
  EXPECT_EQ(lines.exit_code, 1);
  EXPECT_THAT(lines.err, HasSubstr("takes primitives of 3 vertices, the tessellation makes them of 2"));
}

TEST_F(Stages, WhatDoesNotFitIsSaid) {
  write_patches();
  write_groups();
  struct Case {
    std::vector<std::string> words;
    int code;
    const char* message;
  };
  const std::vector<std::string> target{"--target", "c=-:r8:1x1"};
  for (const Case& c : std::vector<Case>{
           {{"m.frag", "--task-shader", "m.task", "--groups", "1"}, 2, "there is no 'mesh_shader' behind it"},
           {{"m.frag", "--mesh-shader", "m.mesh"}, 2, "a draw of a mesh shader lacks 'groups'"},
           {{"m.frag", "--mesh-shader", "m.mesh", "--groups", "1", "--vertex", "q.vert", "--vertices", "3"},
            2,
            "'mesh_shader' makes the primitives, in place of all stages of vertices"},
           {{"m.frag", "--mesh-shader", "m.mesh", "--groups", "65536"}, 1, "more than 65535 in a dimension"},
           {{"q.frag", "--vertex", "q.vert", "--vertices", "4", "--tessellation-control", "q.tesc"},
            2,
            "there is no 'tessellation_evaluation' behind it"},
           {{"q.frag", "--vertex", "q.vert", "--vertices", "4", "--tessellation-evaluation", "q.tese"},
            2,
            "there is no 'tessellation_control' before it"},
           {{"q.frag", "--vertex", "q.vert", "--vertices", "4", "--patch-vertices", "4"},
            2,
            "there are no tessellation shaders"},
           {{"q.frag", "--mesh-shader", "m.task", "--groups", "1"}, 1, ""}}) {
    std::vector<std::string> words = c.words;
    words.insert(words.end(), target.begin(), target.end());
    const Outcome o = run(words);
    EXPECT_EQ(o.exit_code, c.code) << o.err;
    EXPECT_THAT(o.err, HasSubstr(c.message));
  }
  const Outcome alone = run({"m.mesh", "--groups", "1"});
  EXPECT_EQ(alone.exit_code, 1);
  EXPECT_THAT(alone.err, HasSubstr("it stands before a fragment shader as 'mesh_shader' of [pixels]"));
}

// The sanitizer sees what a group declares too little of.
TEST_F(Stages, OutputsBeyondThoseDeclaredAreReported) {
  write_groups();
  write_text(folder / "n.mesh",
             "#version 450\n#extension GL_EXT_mesh_shader : require\n"
             "layout(triangles, max_vertices = 3, max_primitives = 1) out;\n"
             "layout(location = 0) out vec2 uv[];\nlayout(location = 1) perprimitiveEXT flat out uint number[];\n"
             "void main() { SetMeshOutputsEXT(3, 1); uint i = 0u;\n"
             "  for (; i < 3u; ++i) { gl_MeshVerticesEXT[i].gl_Position = vec4(1); uv[i] = vec2(0); }\n"
             "  number[0] = 0u; gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 7); }\n");
  const Outcome o = heddle::test::run({kProgram, "run", "m.frag", "--mesh-shader", "n.mesh", "--groups", "1", "--check",
                                       "warn", "--target", "c=-:rgba32f:4x4"},
                                      {}, folder.path());
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_THAT(o.err, HasSubstr("run-mesh-index"));
}

}  // namespace
