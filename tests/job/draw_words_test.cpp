// SPDX-License-Identifier: MIT
// The words of jobs that draws are made of: vertex buffers, indices, the rasterizer's state. Rules: PIX-3.

#include <gtest/gtest.h>

#include <random>

#include "image/objects/output_object.hpp"
#include "job/formats/toml.hpp"
#include "job/job.hpp"

namespace heddle::job {
namespace {

base::Result<Job> read(const std::string& pixels) {
  return read_job("program = \"f.visaasm\"\n[pixels]\n" + pixels + "\n[images.a]\nformat = \"r8\"\nsize = [4, 4]\n",
                  "j.toml");
}

TEST(DrawWords, VerticesIndicesAndTheRasterizer) {
  const auto job = read(
      "targets = [\"a\"]\nvertex = \"v.visaasm\"\nvertices = 9\nfirst_vertex = 2\nfirst_instance = 3\nvertex_offset = "
      "-4\ndraw = 5\ntopology = \"line_strip_adjacency\"\nprovoking = \"last\"\ncull = \"front_and_back\"\n"
      "indices = { file = \"i.bin\", bytes = 2, restart = true }\n"
      "[pixels.vertex_buffers.3]\nfile = \"b.bin\"\nstride = 12\n[pixels.vertex_buffers.1]\nfile = \"c.bin\"\n"
      "divisor = 0\n[pixels.vertex_inputs]\n\"in.0\" = { buffer = \"1\", offset = 8, component = 1, format = "
      "\"R16G16_SSCALED\" }\nn = [[1, 2]]\n"
      "[pixels.raster]\nviewports = [[0, 0, 4, 4.5, 0, 1], [1, 2, 3, -4, 0.5, 0.25]]\nscissors = [[0, -1, 2, 3]]\n"
      "layer = 1\nlayers = 6\nview = 2\nsample_mask = 4294967295\ndepth_clip = false\nnegative_one_to_one = true\n"
      "conservative = \"under\"\ndepth_bias = [1, 0.5, -2, 24]\npolygon_mode = \"line\"\nline_mode = "
      "\"bresenham\"\nline_width = 2.5\n"
      "line_stipple = [3, 21845]\ndiscard_rectangles = [[1, 2, 3, 4], [-5, 6, 7, 8]]\ndiscard_mode = \"exclusive\"\n");
  ASSERT_TRUE(job.ok()) << job.diagnostics().front().message;
  const PixelsJob& p = *job->pixels;
  EXPECT_EQ(p.vertices, 9u);
  EXPECT_EQ(p.first_vertex, 2u);
  EXPECT_EQ(p.first_instance, 3u);
  EXPECT_EQ(p.vertex_offset, -4);
  EXPECT_EQ(p.draw, 5u);
  EXPECT_EQ(p.topology, pipeline::Topology::LineStripAdjacency);
  EXPECT_TRUE(p.provoking_last);
  EXPECT_EQ(p.cull, pipeline::Cull::FrontAndBack);
  ASSERT_TRUE(p.indices);
  EXPECT_TRUE(p.indices->restart && p.indices->bytes == 2);
  ASSERT_EQ(p.vertex_buffers.size(), 2u);
  EXPECT_EQ(p.vertex_buffers[0].stride, 12u);
  EXPECT_FALSE(p.vertex_buffers[0].divisor);
  EXPECT_EQ(p.vertex_buffers[1].divisor, 0u);
  ASSERT_EQ(p.vertex_inputs.size(), 2u);
  ASSERT_TRUE(p.vertex_inputs[0].elements);
  EXPECT_EQ(p.vertex_inputs[0].elements->buffer, 1u);
  EXPECT_EQ(p.vertex_inputs[0].elements->offset, 8u);
  EXPECT_EQ(p.vertex_inputs[0].elements->component, 1u);
  ASSERT_TRUE(p.raster);
  const pipeline::RasterState& r = *p.raster;
  EXPECT_EQ(r.viewport_count, 2u);
  EXPECT_EQ(r.viewports[1], (pipeline::Viewport{1, 2, 3, -4, 0.5, 0.25}));
  EXPECT_EQ(r.scissors[0], (pipeline::Scissor{0, -1, 2, 3}));
  EXPECT_EQ(r.scissors[1], pipeline::RasterState::kNoScissor);
  EXPECT_EQ(r.layer + 10 * r.layers + 100 * r.view, 261u);
  EXPECT_TRUE(!r.depth_clip && r.negative_one_to_one);
  EXPECT_EQ(r.depth_bias->bits, 24u);
  EXPECT_EQ(r.depth_bias->clamp, -2);
  EXPECT_EQ(r.polygon_mode, pipeline::PolygonMode::Line);
  EXPECT_EQ(r.conservative, pipeline::Conservative::Under);
  EXPECT_EQ(r.line_mode, pipeline::LineMode::Bresenham);
  EXPECT_EQ(r.line_width, 2.5);
  EXPECT_EQ(r.line_stipple->pattern, 0x5555);
  ASSERT_TRUE(r.discards);
  EXPECT_EQ(r.discards->count, 2u);
  EXPECT_EQ(r.discards->at[1], (pipeline::Scissor{-5, 6, 7, 8}));
  EXPECT_EQ(r.discards->mode, pipeline::DiscardMode::Exclusive);
}

// RAS-11: a list of no rectangle is one, too.
TEST(DrawWords, DiscardsWithoutRectangles) {
  const auto job = read("[pixels.raster]\ndiscard_rectangles = []\n");
  ASSERT_TRUE(job.ok()) << job.diagnostics().front().message;
  ASSERT_TRUE(job->pixels->raster && job->pixels->raster->discards);
  EXPECT_EQ(job->pixels->raster->discards->count, 0u);
  EXPECT_EQ(job->pixels->raster->discards->mode, pipeline::DiscardMode::Inclusive);
}

// Each is one mistake, said with its way out.
TEST(DrawWords, MistakesAreNamed) {
  const std::string vertex = "vertex = \"v.visaasm\"\nvertices = 3\n";
  const std::pair<std::string, const char*> cases[] = {
      {"topology = \"point_list\"", "there is no 'vertex' shader that it belongs to"},
      {"vertex = \"v.visaasm\"\nfirst_vertex = 1", "'vertices' must say how many there are"},
      {vertex + "indices = { bytes = 2 }", "'indices' of [pixels] lacks 'file'"},
      {vertex + "indices = { file = \"i\", bytes = 3 }", "an index has 1, 2 or 4 bytes"},
      {vertex + "[pixels.vertex_buffers.0]\nstride = 4", "[pixels.vertex_buffers.0] lacks 'file'"},
      {vertex + "[pixels.vertex_inputs]\nx = { buffer = \"0\", format = \"R32_FLOAT\" }",
       "there is no vertex buffer '0'"},
      {vertex + "[pixels.vertex_inputs]\nx = { format = \"R32_FLOAT\" }", "vertex input 'x' lacks 'buffer'"},
      {vertex + "[pixels.vertex_buffers.0]\nfile = \"b\"\n[pixels.vertex_inputs]\nx = { buffer = \"0\" }",
       "vertex input 'x' lacks 'format'"},
      {vertex + "[pixels.vertex_buffers.0]\nfile = \"b\"\n[pixels.vertex_inputs]\nx = { buffer = \"0\", format = "
                "\"BC1_UNORM\" }",
       "it is no format of vertices"},
      {vertex + "[pixels.vertex_inputs]\nx = [[1], [2], [3]]",
       "vertex input 'x' takes an attribute's name or one value"},
      {"[pixels.raster]\nviewports = [[0, 0, 4]]", "one to 16 lists of 6 numbers are expected"},
      {"[pixels.raster]\nscissors = 3", "an array"},
      {"[pixels.raster]\nline_stipple = [0, 1]", "a factor from 1 to 256 and a pattern of 16 bits are expected"},
      {"[pixels.raster]\ndepth_bias = [1, 1, 1, 7]", "bits of a fixed-point depth"},
      {"[pixels.raster]\npolygon_mode = \"lines\"", "unknown word 'lines'"},
      {"[pixels.raster]\ndiscard_rectangles = [[1, 2, 3]]", "none to 16 lists of 4 numbers are expected"},
      {"[pixels.raster]\ndiscard_mode = \"exclusive\"", "'discard_rectangles' must say which ones"},
      {"[pixels.raster]\nwidth = 3", "unknown key 'width'"},
  };
  for (const auto& [pixels, message] : cases) {
    const auto job = read(pixels);
    ASSERT_FALSE(job.ok()) << pixels;
    EXPECT_EQ(job.diagnostics().size(), 1u) << pixels;
    EXPECT_NE(job.diagnostics().front().message.find(message), std::string::npos)
        << pixels << ": " << job.diagnostics().front().message;
    EXPECT_NE(job.diagnostics().front().place.line, 0u) << pixels;
  }
}

// What a state is written as is read back as that state.
TEST(DrawWords, StatesAsText) {
  std::mt19937 random(7);
  const auto pick = [&](unsigned below) { return random() % below; };
  for (int i = 0; i < 300; ++i) {
    image::OutputState s;
    for (image::BlendEntry& e : s.blend) {
      if (pick(2) == 0) continue;
      e.enable = pick(2) != 0;
      e.src_color = std::array{image::BlendFactor::SrcAlpha, image::BlendFactor::InvConstColor}[pick(2)];
      e.dst_alpha = std::array{image::BlendFactor::Src1Alpha, image::BlendFactor::One}[pick(2)];
      e.color_func = std::array{image::BlendFunction::Min, image::BlendFunction::ReverseSubtract}[pick(2)];
      for (bool& disabled : e.write_disable) disabled = pick(2) != 0;
      e.logic_op_enable = pick(2) != 0;
      e.logic_op = std::array{image::LogicOp::Xor, image::LogicOp::Copy, image::LogicOp::OrInverted}[pick(3)];
      e.pre_blend_clamp = pick(2) != 0;
      e.post_blend_clamp = pick(2) != 0;
      e.clamp_range = std::array{image::ClampRange::Snorm, image::ClampRange::Target}[pick(2)];
    }
    s.alpha_to_coverage = pick(2) != 0;
    s.alpha_to_coverage_single = pick(2) != 0;
    s.alpha_to_one = pick(2) != 0;
    s.independent_alpha = pick(2) != 0;
    s.logic_op_integers = pick(2) != 0;
    s.alpha_ref = static_cast<float>(pick(100)) * 0.013f;
    for (float& c : s.constant) c = static_cast<float>(pick(3)) * 0.37f - 0.2f;
    s.depth_test = pick(2) != 0;
    s.depth_write = pick(2) != 0;
    s.depth_func = std::array{image::CompareFunction::Lequal, image::CompareFunction::Never}[pick(2)];
    s.viewport_count = static_cast<std::uint8_t>(pick(3) == 0 ? 0 : pick(17));
    for (std::size_t v = 0; v < s.viewport_count; ++v) s.viewports[v] = {0.1f * static_cast<float>(v), 0.9f};
    s.depth_bounds_test = pick(2) != 0;
    s.depth_bounds = {0.1f, static_cast<float>(pick(4)) * 0.3f};
    s.stencil_test = s.double_sided = pick(2) != 0;
    s.front.pass_op = std::array{image::StencilOp::Incr, image::StencilOp::DecrSat}[pick(2)];
    s.front.ref = static_cast<std::uint8_t>(pick(256));
    s.back.func = std::array{image::CompareFunction::Gequal, image::CompareFunction::Always}[pick(2)];
    s.back.write_mask = static_cast<std::uint8_t>(pick(256));
    const std::string text = "state = " + image::output_state_text(s);
    const auto node = parse_toml(text, "s.toml");
    ASSERT_TRUE(node.ok()) << text;
    base::Diagnostics diagnostics;
    const base::NodeContext context{"s.toml", "job", &diagnostics};
    base::TableReader reader(*node->find("state"), context, "state");
    const image::OutputState back = image::read_output_state(reader);
    reader.finish();
    EXPECT_TRUE(diagnostics.empty()) << diagnostics.all().front().message << '\n' << text;
    EXPECT_TRUE(back == s) << text;
  }
}

}  // namespace
}  // namespace heddle::job
