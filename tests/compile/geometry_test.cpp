// SPDX-License-Identifier: MIT
// Geometry shaders: the lines that they say of themselves, and draws of jobs with one.
// Rules: SPV-42, SPV-43, SPV-44, PRM-9, PRM-10.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shader.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

using namespace heddle;
using namespace heddle::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

spirv::CompileOptions with(unsigned simd) {
  spirv::CompileOptions o;
  o.simd = simd;
  return o;
}

TEST(Geometry, SaysWhatItReadsAndWrites_SPV42) {
  const CompiledShader compiled = compile_shader(load_shader("geometry/fins.spvasm"), with(16));
  ASSERT_TRUE(compiled.ok) << compiled.messages;
  for (const char* line :
       {"stage geometry triangles line_strip 6 2", "vertex_inputs 48", "primitive_vertices", "emitted_counts",
        "record_input 0 0 0 f32 normal", "record_input 8 0 2 f32 normal", "record_input 12 position 0 f32 gl_Position",
        "record_input 24 position 3 f32 gl_Position", "record_input 40 1 0 i32 ids", "output 12 position 0 f32 smooth",
        "vertex_outputs 32", "vertex_header 28", "capture_buffer 1 32 0", "capture 1 8 0", "capture 1 16 8"})
    EXPECT_THAT(compiled.text, HasSubstr(line)) << line;
  EXPECT_THAT(compiled.text, Not(HasSubstr("record_input 28"))) << "nothing reads the point size";
  EXPECT_THAT(compiled.text, Not(HasSubstr("capture 0")));
  for (const char* word : {"point_size", "clip_distance", "cull_distance"})
    EXPECT_THAT(compiled.text, Not(HasSubstr(word))) << "nothing writes it";
}

// What an invocation may emit has a limit, so that a window of a draw has one.
TEST(Geometry, EmitsNoMoreThanThereIsRoomFor_SPV44) {
  const std::string file = read_text(std::string(HEDDLE_SOURCE_DIR) + "/tests/data/spirv/geometry/fins.spvasm");
  const auto with_vertices = [&](const std::string& count) {
    std::string text = file;
    text.replace(text.find("OutputVertices 6"), 16, "OutputVertices " + count);
    return compile_shader(assemble_shader(text), with(8));
  };
  EXPECT_TRUE(with_vertices("1024").ok);
  const CompiledShader compiled = with_vertices("1025");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr("1025 vertices of 8 dwords are more than an invocation may emit"));
}

/// The programs of a draw; they must live as long as it runs.
struct Stages {
  std::optional<isa::Program> vertex, geometry;
  job::RunHooks hooks;

  explicit Stages(unsigned simd) {
    read("geometry/squares.vert.spvasm", simd, isa::ShaderStage::Vertex, vertex);
    read("geometry/squares.geom.spvasm", simd, isa::ShaderStage::Geometry, geometry);
  }

 private:
  void read(const char* file, unsigned simd, isa::ShaderStage stage, std::optional<isa::Program>& to) {
    const CompiledShader compiled = compile_shader(load_shader(file), with(simd));
    ASSERT_TRUE(compiled.ok) << compiled.messages;
    base::Diagnostics diagnostics;
    to = text::parse(compiled.text, file, {}, diagnostics);
    ASSERT_TRUE(to) << messages(diagnostics);
    hooks.stages[stage] = &*to;
  }
};

std::string job_of(const std::string& more) {
  return "[images.color]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [8, 8]\nsave = \"color.bin\"\n"
         "[pixels]\ntargets = [\"color\"]\nvertex = \"v\"\ngeometry_shader = \"g\"\nvertices = 16\ntopology = "
         "\"point_list\"\n" +
         more;
}

class GeometryDraws : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Simd, GeometryDraws, ::testing::Values(8u, 16u, 32u));

// Each point is a square of two pixels; the second invocation draws over the right half of what the first drew.
TEST_P(GeometryDraws, InvocationsInTheirOrder_PRM9) {
  Stages stages(GetParam());
  ASSERT_FALSE(HasFatalFailure());
  std::string first;
  for (const char* engine : {"reference", "fast"}) {
    const std::string head = std::string(engine) == "fast" ? "check = \"off\"\nengine = \"fast\"\n" : "";
    const job::RunResult outcome =
        run_shader(load_shader("geometry/squares.frag.spvasm"), head + job_of(""), with(GetParam()), stages.hooks);
    ASSERT_TRUE(outcome.succeeded) << messages(outcome.diagnostics);
    const std::vector<float> color = output_as<float>(outcome, "color.bin");
    ASSERT_EQ(color.size(), 256u);
    for (unsigned y = 0; y < 8; ++y)
      for (unsigned x = 0; x < 8; ++x) {
        const auto point = static_cast<float>(y / 2 * 4 + x / 2);
        EXPECT_THAT(std::vector<float>(&color[4 * (8 * y + x)], &color[4 * (8 * y + x)] + 4),
                    ::testing::ElementsAre(point, static_cast<float>(x % 2), 10 * point, 1.0f))
            << x << " " << y;
      }
    if (first.empty()) first = output_bytes(outcome, "color.bin");
    EXPECT_EQ(first, output_bytes(outcome, "color.bin"));
  }
}

TEST(Geometry, FitsTheTopology_PRM9) {
  Stages stages(16);
  std::string lines = job_of("");
  lines.replace(lines.find("point_list"), 10, "line_strip");
  const job::RunResult outcome = run_shader(load_shader("geometry/squares.frag.spvasm"), lines, with(16), stages.hooks);
  EXPECT_FALSE(outcome.succeeded);
  EXPECT_THAT(messages(outcome.diagnostics),
              HasSubstr("the geometry shader takes primitives of 1 vertices, the topology has 2"));
}

TEST(Geometry, IsNoProgramByItself) {
  const job::RunResult outcome = run_shader(load_shader("geometry/squares.geom.spvasm"), "groups = [1]\n", with(16));
  EXPECT_FALSE(outcome.succeeded);
  EXPECT_THAT(messages(outcome.diagnostics), HasSubstr("'geometry_shader' of [pixels]"));
}

}  // namespace
