// SPDX-License-Identifier: MIT
// Task and mesh shaders: the lines that they say of themselves, and what is refused.
// Rules: MSH-1 to MSH-5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shader.hpp"
#include "support/process.hpp"

using namespace heddle;
using namespace heddle::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string text_of(const char* name) {
  return read_text(std::string(HEDDLE_SOURCE_DIR) + "/tests/data/spirv/mesh/" + name);
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Mesh, SaysWhatItReadsAndWrites_MSH4_MSH5) {
  for (const unsigned simd : {8u, 16u, 32u}) {
    spirv::CompileOptions options;
    options.simd = simd;
    const CompiledShader compiled = compile_shader(load_shader("mesh/meshlet.spvasm"), options);
    ASSERT_TRUE(compiled.ok) << compiled.messages;
    // A vertex: position, size, a clip and a cull distance; color; uv and n. A primitive: indices; numbers and flags;
    // id; w.
    for (const char* line : {"stage mesh 32 1 1 triangles 64 124",
                             "work_groups",
                             "group_counts",
                             "task_payload 52",
                             "vertex_outputs 56",
                             "primitive_outputs 48",
                             "output 0 position 0 f32",
                             "output 20 clip_distance 0 f32",
                             "output 28 0 0 f32 smooth color",
                             "output 44 1 0 f32",
                             "output 52 2 0 i32",
                             "primitive_output 0 index 0 u32",
                             "primitive_output 8 index 2 u32",
                             "primitive_output 12 primitive 0 i32",
                             "primitive_output 16 layer 0 i32",
                             "primitive_output 24 cull_primitive 0 u32",
                             "primitive_output 32 4 0 i32 id",
                             "primitive_output 36 5 0 f32 w",
                             "first_group",
                             " draw",
                             " view"})
      EXPECT_THAT(compiled.text, HasSubstr(line)) << line;
    for (const char* word : {"point_size", "cull_distance", "viewport", "shading_rate"})
      EXPECT_THAT(compiled.text, Not(HasSubstr(word))) << "nothing writes it";
  }
}

TEST(Mesh, TasksSayHowManyGroupsFollow_MSH2) {
  const CompiledShader compiled = compile_shader(load_shader("mesh/tasks.spvasm"), {});
  ASSERT_TRUE(compiled.ok) << compiled.messages;
  for (const char* line : {"stage task 32 1 1", "work_groups", "group_counts", "task_payload 52", "first_group"})
    EXPECT_THAT(compiled.text, HasSubstr(line)) << line;
  EXPECT_THAT(compiled.text, Not(HasSubstr("vertex_outputs")));
}

TEST(Mesh, MakesNoMoreThanThereIsRoomFor_MSH4) {
  const std::string file = text_of("meshlet.spvasm");
  const auto with = [&](const std::string& vertices) {
    return compile_shader(assemble_shader(replaced(file, "OutputVertices 64", "OutputVertices " + vertices)), {});
  };
  EXPECT_TRUE(with("1024").ok);
  const CompiledShader compiled = with("1025");
  EXPECT_FALSE(compiled.ok);
  EXPECT_THAT(compiled.messages, HasSubstr("a group makes 1025 vertices and 124 primitives: there are 1 to 1024"));
}

}  // namespace
