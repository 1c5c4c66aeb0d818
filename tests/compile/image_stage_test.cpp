// SPDX-License-Identifier: MIT
// Image instructions in whole shaders, written in GLSL: derivatives of pixels, discarded and helper pixels, input
// attachments, separate images and samplers, arrays of them, push constants.
// Rules: SPV-17.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "image_shader.hpp"

using namespace heddle;
using namespace heddle::test;
using texture::Op;
using texture::Param;

namespace {

class ImageStages : public ::testing::TestWithParam<unsigned> {
 protected:
  static job::RunResult run(const char* shader, const std::string& toml) {
    spirv::CompileOptions options;
    options.simd = GetParam();
    job::RunResult o = run_shader(load_shader(std::string("image/") + shader + ".spvasm"), toml, options);
    EXPECT_TRUE(o.succeeded) << messages(o.diagnostics);
    return o;
  }
};
INSTANTIATE_TEST_SUITE_P(Simd, ImageStages, ::testing::Values(8u, 16u, 32u));

std::string target(const char* name, unsigned w, unsigned h) {
  return fmt::format(
      "[images.{}]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [{}, {}]\nfill = [9, 9, 9, 9]\nsave = \"{}.bin\"\n", name,
      w, h, name);
}

TEST_P(ImageStages, DerivativesOfPixelsAtEdgesAndBesideDiscardedOnes) {
  constexpr unsigned kWidth = 13, kHeight = 7;  // quads reach over the right and lower edge
  Picture picture;
  picture.width = picture.height = 16;
  picture.levels = 5;
  const ImageJob job{image_words(picture), "filter = \"linear\"\nmip = \"linear\"\naddress = \"repeat\"", {}};
  const job::RunResult o =
      run("textured", "[images.\"0.0\"]\n" + job.image + "[samplers.\"0.0\"]\n" + job.sampler + "\n" +
                          target("color", kWidth, kHeight) + target("facts", kWidth, kHeight) +
                          fmt::format("[pixels]\nsize = [{}, {}]\n", kWidth, kHeight));
  const auto color = output_as<std::uint32_t>(o, "color.bin"), facts = output_as<std::uint32_t>(o, "facts.bin");
  ASSERT_EQ(color.size(), kWidth * kHeight * 4);
  const Bound bound = bind_images(job);
  for (unsigned y = 0; y < kHeight; y += 2)
    for (unsigned x = 0; x < kWidth; x += 2) {
      std::vector<Operands> quad(kInvocations);
      for (unsigned k = 0; k < 4; ++k) {
        const float u = (static_cast<float>(x + k % 2) + 0.5f) * 0.0825f,
                    v = (static_cast<float>(y + k / 2) + 0.5f) * 0.15625f;
        quad[k].p = {u * u, v, 0, 0};
      }
      UnitCall call;
      call.params = {{Param::U, real([](const Operands& p) { return p.p[0]; })},
                     {Param::V, real([](const Operands& p) { return p.p[1]; })}};
      call.op = Op::Sample;
      const Words texels = call_unit(call, bound.surface(), bound.sampler(), quad);
      call.op = Op::Lod;
      const Words lods = call_unit(call, bound.surface(), bound.sampler(), quad);
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned px = x + k % 2, py = y + k / 2;
        if (px >= kWidth || py >= kHeight) continue;
        const std::size_t at = (py * kWidth + px) * 4;
        const std::uint32_t nine = std::bit_cast<std::uint32_t>(9.0f), eight = std::bit_cast<std::uint32_t>(8.0f);
        for (unsigned c = 0; c < 4; ++c)
          EXPECT_EQ(color[at + c], px < 3 ? nine : texels[k][c]) << px << " " << py << " " << c;
        const std::uint32_t expected[] = {lods[k][0], lods[k][1], eight, eight};
        for (unsigned c = 0; c < 4; ++c)
          EXPECT_EQ(facts[at + c], px < 3 ? nine : expected[c]) << px << " " << py << " " << c;
      }
    }
}

TEST_P(ImageStages, SideEffectsOfCoveredPixelsOnly) {
  constexpr unsigned kWidth = 7, kHeight = 5, kPitch = 8;
  const job::RunResult o =
      run("count",
          "[images.counts]\nformat = \"R32_UINT\"\nsize = [8, 8]\nfill = [100, 0, 0, 0]\nsave = \"counts.bin\"\n"
          "[images.drawn]\nformat = \"R8G8B8A8_UNORM\"\nsize = [8, 8]\nsave = \"drawn.bin\"\n" +
              target("color", kWidth, kHeight) + fmt::format("[pixels]\nsize = [{}, {}]\n", kWidth, kHeight));
  const auto counts = output_as<std::uint32_t>(o, "counts.bin"), drawn = output_as<std::uint32_t>(o, "drawn.bin");
  const auto color = output_as<float>(o, "color.bin");
  ASSERT_EQ(counts.size(), 64u);
  for (unsigned y = 0; y < 8; ++y)
    for (unsigned x = 0; x < 8; ++x) {
      const bool covered = x < kWidth && y < kHeight && (x + y) % 3 != 0;
      EXPECT_EQ(counts[y * kPitch + x], covered ? 105u : 100u) << x << " " << y;
      EXPECT_EQ(drawn[y * kPitch + x], covered ? 0xff0080ffu : 0u) << x << " " << y;
      if (covered) {
        EXPECT_EQ(color[(y * kWidth + x) * 4], 100.0f);
      }
    }
}

TEST_P(ImageStages, InputAttachmentsAreReadAtThePixel) {
  constexpr unsigned kWidth = 11, kHeight = 6;
  Picture before, mask;
  before.width = mask.width = kWidth;
  before.height = mask.height = kHeight;
  mask.format = "R8G8B8A8_UINT";
  mask.seed = 2;
  const ImageJob job{image_words(before), "", {}}, second{image_words(mask), "", {}};
  const job::RunResult o = run("subpass", "[images.\"0.0\"]\n" + job.image + "[images.\"0.1\"]\n" + second.image +
                                              target("color", kWidth, kHeight) +
                                              fmt::format("[pixels]\nsize = [{}, {}]\n", kWidth, kHeight));
  const auto color = output_as<float>(o, "color.bin");
  const Bound a = bind_images(job), b = bind_images(second);
  ASSERT_EQ(color.size(), kWidth * kHeight * 4);
  for (unsigned y = 0; y < kHeight; ++y)
    for (unsigned x = 0; x < kWidth; ++x) {
      const image::Texel t = image::fetch(a.surface(), 0, 0, x, y).texel;
      for (unsigned c = 0; c < 3; ++c) EXPECT_EQ(color[(y * kWidth + x) * 4 + c], std::bit_cast<float>(t.bits[c]));
      EXPECT_EQ(color[(y * kWidth + x) * 4 + 3],
                static_cast<float>(image::fetch(b.surface(), 0, 0, x, y).texel.bits[0]));
    }
}

// A thread of several samples: each lane reads its own sample of its own pixel, so the copy equals the attachment.
TEST_P(ImageStages, SamplesOfInputAttachments) {
  Picture before;
  before.width = 7;
  before.height = 5;
  before.samples = 4;
  const ImageJob job{image_words(before), "", {}};
  const job::RunResult o =
      run("subpass_samples", "[images.\"0.0\"]\n" + job.image +
                                 "[images.color]\nformat = \"R8G8B8A8_UNORM\"\nsize = [7, 5]\nsamples = 4\nsave = "
                                 "\"color.bin\"\n[pixels]\nsamples = 4\n");
  const Bound bound = bind_images(job);
  EXPECT_EQ(output_as<std::uint8_t>(o, "color.bin"), *bound.surface().memory);
}

TEST_P(ImageStages, SeparateImagesAndSamplersWithIndicesOfTheirOwn) {
  std::vector<Picture> pictures(3);
  for (unsigned k = 0; k < 3; ++k) pictures[k].seed = 30 + k, pictures[k].levels = 3;
  Picture depths;
  depths.format = "R16_UNORM";
  depths.texel_bytes = 2;
  depths.array = true;
  depths.layers = 3;
  Picture sky;
  sky.dim = "Cube";
  sky.layers = 6;
  sky.height = 16;
  sky.levels = 4;
  const char* nearest = "filter = \"nearest\"\naddress = \"repeat\"";
  const char* linear = "filter = \"linear\"\nmip = \"linear\"\naddress = \"clamp_to_edge\"";
  const char* compare = "filter = \"linear\"\naddress = \"repeat\"\ncompare_op = \"less\"";
  const ImageJob jobs[] = {{image_words(pictures[0]), nearest, {}},
                           {image_words(pictures[1]), linear, {}},
                           {image_words(pictures[2]), nearest, {}},
                           {image_words(depths), compare, {}},
                           {image_words(sky), linear, {}}};
  std::string toml = "groups = [1]\n[args]\npush = { scale = [0.0715, 0.113], shift = [-0.1, 0.05], lod = 0.75 }\n";
  for (unsigned k = 0; k < 3; ++k) toml += fmt::format("[images.\"0.0[{}]\"]\n{}", k, jobs[k].image);
  toml += fmt::format(
      "[samplers.\"0.1[0]\"]\n{}\n[samplers.\"0.1[1]\"]\n{}\n[samplers.\"0.2\"]\n{}\n[images.\"0.3\"]\n{}[images.\"0."
      "4\"]\n{}",
      nearest, linear, compare, jobs[3].image, jobs[4].image);
  toml += "[images.\"1.0\"]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [8, 4]\nsave = \"result.bin\"\n";
  const job::RunResult o = run("samplers", toml);
  const auto result = output_as<float>(o, "result.bin");
  ASSERT_EQ(result.size(), 128u);
  std::vector<Operands> operands(kInvocations);
  for (unsigned i = 0; i < kInvocations; ++i) {
    const float x = static_cast<float>(i % 8), y = static_cast<float>(i / 8);
    operands[i].p = {std::fma(x, 0.0715f, -0.1f), std::fma(y, 0.113f, 0.05f), static_cast<float>(i % 8 % 3), 0.75f};
  }
  std::vector<Bound> bound;
  for (const ImageJob& job : jobs) bound.push_back(bind_images(job));
  const Value u = real([](const Operands& p) { return p.p[0]; }), v = real([](const Operands& p) { return p.p[1]; });
  const auto constant = [](float f) { return real([f](const Operands&) { return f; }); };
  UnitCall lod;
  lod.op = Op::SampleL;
  lod.params = {{Param::Lod, constant(0.75f)}, {Param::U, u}, {Param::V, v}};
  UnitCall shadow;
  shadow.op = Op::SampleLC;
  shadow.params = {{Param::Ref, constant(0.5f)},
                   {Param::Lod, constant(0)},
                   {Param::U, u},
                   {Param::V, v},
                   {Param::R, real([](const Operands& p) { return p.p[2]; })}};
  UnitCall gather;
  gather.op = Op::Gather4;
  gather.channel = 2;
  gather.params = {{Param::U, u}, {Param::V, v}};
  UnitCall cube;
  cube.op = Op::SampleD;
  cube.params = {{Param::U, u},
                 {Param::V, v},
                 {Param::R, constant(0.75f)},
                 {Param::DuDx, constant(0.01f)},
                 {Param::DvDy, constant(0.02f)}};
  const image::Sampler filters[] = {bound[0].sampler(), bound[1].sampler()};
  std::vector<Words> sampled;
  for (unsigned k = 0; k < 3; ++k)
    for (const image::Sampler& filter : filters)
      sampled.push_back(call_unit(lod, bound[k].surface(), filter, operands));
  const Words lit = call_unit(shadow, bound[3].surface(), bound[3].sampler(), operands),
              four = call_unit(gather, bound[1].surface(), filters[0], operands),
              above = call_unit(cube, bound[4].surface(), filters[1], operands);
  for (unsigned i = 0; i < kInvocations; ++i)
    for (unsigned c = 0; c < 4; ++c) {
      const auto number = [&](const Words& w) { return std::bit_cast<float>(w[i][c]); };
      float sum = number(sampled[i % 8 % 3 * 2 + i / 8 % 2]);
      if (c == 0) sum += number(lit);
      EXPECT_NEAR(result[4 * i + c], sum + number(four) + number(above), 1e-6) << i << " " << c;
    }
}

}  // namespace
