// SPDX-License-Identifier: MIT
// heddle/run.hpp: drawings: targets, inputs, meshes, vertex shaders, the output merger; wrong arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/run.hpp"
#include "library/ids.hpp"
#include "library/programs.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

using test::id_of;

/// Stores (s, s, s, s) in T6, s the pixel input.
const std::string kGray = R"(.version 4.1
.kernel "gray"
.decl s v_type=G type=f num_elts=16 align=GRF
.decl T6 v_type=T num_elts=1
.input s offset=64 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "gray_main"
gray_main:
    rt_write_3d.<LRTW> (M1, 16) T6 %null.0 s.0 s.0 s.0 s.0
    ret (M1_NM, 1)
)";

/// The color at location 0 in red.
const std::string kFragment = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %color %out
               OpExecutionMode %main OriginUpperLeft
               OpName %color "color"
               OpName %out "out"
               OpDecorate %color Location 0
               OpDecorate %out Location 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
       %vec4 = OpTypeVector %float 4
    %p_float = OpTypePointer Input %float
     %p_vec4 = OpTypePointer Output %vec4
      %color = OpVariable %p_float Input
        %out = OpVariable %p_vec4 Output
       %zero = OpConstant %float 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %c = OpLoad %float %color
          %v = OpCompositeConstruct %vec4 %c %zero %zero %zero
               OpStore %out %v
               OpReturn
               OpFunctionEnd
)";

/// Vertex i of a triangle over everything: (-1,-1), (3,-1), (-1,3); color: the instance's number and one half.
const std::string kVertex = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main "main" %position %index %instance %color
               OpDecorate %position BuiltIn Position
               OpDecorate %index BuiltIn VertexIndex
               OpDecorate %instance BuiltIn InstanceIndex
               OpDecorate %color Location 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
        %int = OpTypeInt 32 1
      %float = OpTypeFloat 32
       %vec4 = OpTypeVector %float 4
      %p_int = OpTypePointer Input %int
    %p_float = OpTypePointer Output %float
     %p_vec4 = OpTypePointer Output %vec4
   %position = OpVariable %p_vec4 Output
      %index = OpVariable %p_int Input
   %instance = OpVariable %p_int Input
      %color = OpVariable %p_float Output
      %one_i = OpConstant %int 1
      %two_i = OpConstant %int 2
       %half = OpConstant %float 0.5
       %zero = OpConstant %float 0
        %one = OpConstant %float 1
      %three = OpConstant %float 3
      %minus = OpConstant %float -1
       %main = OpFunction %void None %fn
      %entry = OpLabel
          %i = OpLoad %int %index
      %right = OpIEqual %bool %i %one_i
      %below = OpIEqual %bool %i %two_i
          %x = OpSelect %float %right %three %minus
          %y = OpSelect %float %below %three %minus
          %p = OpCompositeConstruct %vec4 %x %y %zero %one
               OpStore %position %p
          %n = OpLoad %int %instance
          %f = OpConvertSToF %float %n
          %c = OpFAdd %float %f %half
               OpStore %color %c
               OpReturn
               OpFunctionEnd
)";

Image target(std::uint32_t size = 8, const char* format = "R32_FLOAT") {
  return *Image::create({.format = format, .width = size, .height = size});
}

class LibraryDraw : public testing::Test {
 protected:
  Program gray = *Program::parse(kGray, "gray.visaasm");
  Image picture = target();
  float red(std::uint32_t x, std::uint32_t y) const { return picture.texel({.x = x, .y = y})[0]; }
  Drawing drawing() const {
    Drawing d;
    d.targets = {Slot{6}};
    d.inputs = {{"s", std::vector<double>{1}}};
    return d;
  }
  Result<RunReport> draw(const Drawing& d) const {
    heddle::Run run(gray);
    run.bind(Slot{6}, picture);
    return run.draw(d);
  }
};

TEST_F(LibraryDraw, ThePixelsOfATargetByNameOrSlot) {
  const auto program = Program::parse(test::kNegative, "negative.visaasm");
  ASSERT_TRUE(program.ok()) << to_text(program.diagnostics());
  Image source = target(8, "R8G8B8A8_UNORM");
  source.set_texel({.x = 3, .y = 5}, {1, 0, 0, 0});
  std::vector<std::vector<std::uint8_t>> results;
  for (const bool by_name : {true, false}) {
    const Image result = target(8, "R8G8B8A8_UNORM");
    heddle::Run run(*program);
    Drawing d;
    d.inputs = {{"u", "uv.x"}, {"v", "uv.y"}};
    if (by_name) {
      run.bind("T6", source).bind("T7", result).bind("S0", Sampler());
      d.targets = {"T7"};
    } else {
      run.bind(Slot{6}, source).bind(Slot{7}, result).bind(Slot{0}, Sampler());
      d.targets = {Slot{7}};
    }
    const auto report = run.draw(d);
    ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
    EXPECT_EQ(result.texel({.x = 3, .y = 5})[0], 0.0f);
    EXPECT_EQ(result.texel({.x = 4, .y = 5})[0], 1.0f);
    results.push_back(result.packed());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_F(LibraryDraw, InputsAreConstantsCornersOrAttributes) {
  ASSERT_TRUE(draw(drawing()).ok());
  EXPECT_EQ(red(7, 7), 1.0f);
  Drawing corners = drawing();
  corners.inputs = {{"s", PixelInput({0}, {8}, {0})}};
  ASSERT_TRUE(draw(corners).ok());
  EXPECT_EQ(red(0, 3), 0.5f);
  EXPECT_EQ(red(7, 3), 7.5f);
  Drawing attribute = drawing();
  attribute.inputs = {{"s", "uv.y"}};
  ASSERT_TRUE(draw(attribute).ok());
  EXPECT_EQ(red(5, 4), 4.5f / 8);
}

TEST_F(LibraryDraw, SizeScissorAndViewport) {
  Drawing d = drawing();
  d.size = {4, 2};
  ASSERT_TRUE(draw(d).ok());
  EXPECT_EQ(red(3, 1), 1.0f);
  EXPECT_EQ(red(4, 1), 0.0f);
  EXPECT_EQ(red(3, 2), 0.0f);
  d = drawing();
  d.scissor = {6, 6, 1, 2};
  ASSERT_TRUE(draw(d).ok());
  EXPECT_EQ(red(6, 7), 1.0f);
  EXPECT_EQ(red(7, 7), 0.0f);
}

/// The left half of the target, counter-clockwise on the screen (y down).
TEST_F(LibraryDraw, AMeshCoversItsTriangles) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "left.obj",
                   "v -1 -1 0.5\nv -1 1 0.5\nv 0 1 0.5\nv 0 -1 0.5\nvt 0 0\nvt 0 1\nvt 1 1\nvt 1 0\n"
                   "f 1/1 2/2 3/3 4/4\n");
  Drawing d = drawing();
  d.mesh = (folder / "left.obj").string();
  auto report = draw(d);
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(report->groups, 2u);  // triangles
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(red(i % 8, i / 8), i % 8 < 4 ? 1.0f : 0.0f) << i;
  d.inputs = {{"s", "uv.x"}};
  ASSERT_TRUE(draw(d).ok());
  EXPECT_EQ(red(1, 0), 1.5f / 4);

  d.inputs = {{"s", std::vector<double>{2}}};
  d.cull = Cull::Front;
  d.front_ccw = true;
  ASSERT_TRUE(draw(d).ok());
  const float front_culled = red(1, 1);
  d.cull = Cull::Back;
  d.inputs = {{"s", std::vector<double>{3}}};
  ASSERT_TRUE(draw(d).ok());
  EXPECT_NE(front_culled == 2.0f, red(1, 1) == 3.0f);  // one of the two is left out
  d.front_ccw = false;
  d.inputs = {{"s", std::vector<double>{4}}};
  ASSERT_TRUE(draw(d).ok());
  EXPECT_EQ(red(1, 1) == 4.0f, front_culled == 2.0f);

  d.mesh = "/nowhere/mesh.obj";
  EXPECT_EQ(id_of(draw(d)), "file-open");
}

TEST_F(LibraryDraw, TheOutputMergerTestsDepthAndBlends) {
  const test::TemporaryFolder folder;
  test::write_text(folder / "all.obj", "v -1 -1 0.5\nv 3 -1 0.5\nv -1 3 0.5\nf 1 2 3\n");
  Image depth = target();
  for (std::uint32_t i = 0; i < 64; ++i) depth.set_texel({.x = i % 8, .y = i / 8}, {i % 8 < 4 ? 0.25f : 1.0f, 0, 0, 0});
  heddle::Run run(gray);
  run.bind("T6", picture).bind("z", depth);
  Drawing d = drawing();
  d.mesh = (folder / "all.obj").string();
  d.depth = "z";
  d.output.emplace();
  d.output->depth_test = d.output->depth_write = true;
  auto report = run.draw(d);
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(red(0, 0), 0.0f);
  EXPECT_EQ(red(7, 0), 1.0f);
  EXPECT_EQ(depth.texel({.x = 7})[0], 0.5f);
  EXPECT_EQ(depth.texel({.x = 0})[0], 0.25f);

  d = drawing();
  d.output.emplace();
  d.output->blend = {{.enable = true, .dst_color = BlendFactor::One}};
  ASSERT_TRUE(draw(d).ok());
  EXPECT_EQ(red(0, 0), 1.0f);
  EXPECT_EQ(red(7, 0), 2.0f);
}

// A draw in pieces tells one progress: the pixels of a piece count as far as its vertices go.
TEST_F(LibraryDraw, ProgressOfVertexShadersIsOne) {
  const auto fragment = test::compile(kFragment), vertex = test::compile(kVertex);
  ASSERT_TRUE(fragment.ok() && vertex.ok());
  for (const std::uint32_t instances : {1u, 20000u}) {
    std::vector<double> parts;
    RunOptions options;
    options.progress = [&](double part) { parts.push_back(part); };
    heddle::Run run(*fragment, options);
    run.bind("out", picture);
    Drawing d;
    d.vertex = *vertex;
    d.vertices = 3;
    d.instances = instances;
    const auto report = run.draw(d);
    ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
    ASSERT_FALSE(parts.empty());
    if (instances > 1) EXPECT_LT(parts.front(), 0.9);
    EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end()));
    EXPECT_LE(parts.back(), 1.0);
  }
}

TEST_F(LibraryDraw, AVertexShaderFeedsAFragmentShader) {
  const auto fragment = test::compile(kFragment), vertex = test::compile(kVertex);
  ASSERT_TRUE(fragment.ok()) << to_text(fragment.diagnostics());
  ASSERT_TRUE(vertex.ok()) << to_text(vertex.diagnostics());
  heddle::Run run(*fragment);
  run.bind("out", picture);
  Drawing d;
  d.vertex = *vertex;
  d.vertices = 3;
  auto report = run.draw(d);
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(red(0, 0), 0.5f);
  EXPECT_EQ(red(7, 7), 0.5f);
  d.instances = 3;
  report = run.draw(d);
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(red(7, 7), 2.5f);  // the last instance is on top
  // Once more, until something else is bound.
  for (int again = 0; again < 2; ++again) {
    picture.set_texel({}, {7, 0, 0, 0});
    report = run.again();
    ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
    EXPECT_EQ(red(0, 0), 2.5f);
    EXPECT_EQ(report->groups, 3u);
    EXPECT_EQ(report->compile_seconds, 0);
  }
  run.bind("out", picture);
  EXPECT_EQ(id_of(run.again()), "usage-argument");
  d.topology = Topology::TriangleStrip;
  d.vertices = 2;  // no triangle
  picture.set_texel({}, {7, 0, 0, 0});
  report = run.draw(d);
  ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
  EXPECT_EQ(red(0, 0), 7.0f);
  d.vertex_inputs = {{"nothing", "uv"}};
  EXPECT_EQ(id_of(run.draw(d)), "bind-unknown");
}

TEST_F(LibraryDraw, AFragmentShaderAloneTakesInputsByNameOrLocation) {
  const auto fragment = test::compile(kFragment);
  ASSERT_TRUE(fragment.ok());
  for (const char* name : {"color", "in.0"}) {
    heddle::Run run(*fragment);
    run.bind("out.0", picture);
    Drawing d;
    d.inputs = {{name, std::vector<double>{0.75}}};
    const auto report = run.draw(d);
    ASSERT_TRUE(report.ok()) << to_text(report.diagnostics());
    EXPECT_EQ(red(2, 2), 0.75f);
    picture.set_texel({.x = 2, .y = 2}, {0, 0, 0, 0});
  }
}

TEST_F(LibraryDraw, WrongArguments) {
  const auto id = [&](auto change) {
    Drawing d = drawing();
    change(d);
    return id_of(draw(d));
  };
  EXPECT_EQ(id([](Drawing&) {}), "ok");
  EXPECT_EQ(id([](Drawing& d) { d.targets.assign(9, Slot{6}); }), "usage-argument");
  EXPECT_EQ(id([](Drawing& d) { d.output.emplace().blend.resize(9); }), "usage-argument");
  EXPECT_EQ(id([](Drawing& d) { d.size = {0, 4}; }), "usage-argument");
  EXPECT_EQ(id([](Drawing& d) { d.samples = 3; }), "usage-argument");
  EXPECT_EQ(id([](Drawing& d) { d.vertices = 3; }), "usage-argument");
  EXPECT_EQ(id([](Drawing& d) { d.instances = 2; }), "usage-argument");
  EXPECT_EQ(id([](Drawing& d) { d.inputs = {{"s", std::vector<double>{}}}; }), "usage-argument");
  EXPECT_EQ(id([](Drawing& d) { d.inputs = {{"s", PixelInput({1}, {1, 2}, {1})}}; }), "usage-argument");
  EXPECT_NE(id([](Drawing& d) { d.inputs = {}; }), "ok");
  EXPECT_NE(id([](Drawing& d) { d.inputs = {{"s", "color.x"}}; }), "ok");
  EXPECT_NE(id([](Drawing& d) { d.targets = {"T9"}; }), "ok");
  EXPECT_NE(id([](Drawing& d) { d.depth = "z"; }), "ok");
  EXPECT_NE(id([](Drawing& d) { d.size = {UINT32_MAX, UINT32_MAX}; }), "ok");
}

}  // namespace
}  // namespace heddle
