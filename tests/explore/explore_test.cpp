// SPDX-License-Identifier: MIT
// What a report says of a run is what the run left.

#include "explore/exploration.hpp"

#include <random>

#include "base/half.hpp"
#include "explore/trace_view.hpp"
#include "support.hpp"

namespace heddle::explore {
namespace {

using test::Small;

// Two samples of a texture, added; the target's format is binary32.
const std::string kKernel = R"(.version 4.1
.kernel "first"
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl texel v_type=G type=f num_elts=64 align=GRF
.decl sum v_type=G type=f num_elts=16 align=GRF
.decl never v_type=G type=f num_elts=16 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input u offset=64 size=64
.input v offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "first_main"
first_main:
    sample_3d.RGBA (M1, 16) 0x0:uw S0 T6 texel.0 u.0 v.0
    add (M1, 16) sum(0,0)<1> texel(0,0)<1;1,0> texel(2,0)<1;1,0>
    rt_write_3d.<LRTW> (M1, 16) T7 %null.0 sum.0 texel.64 texel.128 texel.192
    ret (M1_NM, 1)
)";
const std::string kJob = R"(
[images.T6]
format = "R8G8B8A8_UNORM"
size = [4, 4]
fill = [1, 2, 3, 4]
[images.T7]
format = "R32G32B32A32_FLOAT"
size = [10, 6]
[samplers.S0]
filter = "linear"
address = "repeat"
[pixels]
targets = ["T7"]
[pixels.inputs]
u = "uv.x"
v = "uv.y"
)";

Documents explored(const Small& small, std::vector<Rectangle> traced = {{0, 0, 10, 6}}) {
  Exploration exploration("test");
  exploration.add(small.input);
  ExploreOptions options;
  options.traced = std::move(traced);
  auto documents = exploration.explore(options);
  EXPECT_TRUE(documents.ok()) << (documents.ok() ? "" : documents.diagnostics()[0].message);
  return documents.ok() ? std::move(*documents) : Documents();
}

std::shared_ptr<image::Surface> random_texture() {
  auto surface = std::make_shared<image::Surface>();
  surface->width = surface->height = 4;
  EXPECT_TRUE(image::allocate(*surface).ok());
  std::mt19937 random(5);
  for (std::uint8_t& byte : *surface->memory) byte = static_cast<std::uint8_t>(random());
  return surface;
}

/// The rows of a tile of history.
struct History {
  explicit History(const Documents& documents, const std::string& name)
      : words(test::words_of(documents, name)), count(words.size() / kFragmentColumns) {}
  [[nodiscard]] std::uint32_t at(std::size_t row, std::size_t column) const { return words[column * count + row]; }
  std::vector<std::uint32_t> words;
  std::size_t count;
};

/// The register file behind the last step of a trace.
std::vector<std::uint8_t> replayed(const nlohmann::json& trace) {
  std::vector<std::uint8_t> file;
  const auto write = [&](const nlohmann::json& runs) {
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      const auto at = runs[i].get<std::size_t>();
      const auto hex = runs[i + 1].get<std::string>();
      file.resize(std::max(file.size(), at + hex.size() / 2));
      for (std::size_t k = 0; k < hex.size() / 2; ++k)
        file[at + k] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * k, 2), nullptr, 16));
    }
  };
  write(trace["start"]);
  for (const auto& step : trace["steps"]) write(step[3]);
  return file;
}

std::uint32_t word_at(const std::vector<std::uint8_t>& file, std::size_t at) {
  std::uint32_t word = 0;
  EXPECT_LE(at + 4, file.size());
  if (at + 4 <= file.size()) std::memcpy(&word, file.data() + at, 4);
  return word;
}

std::size_t place_of_variable(const nlohmann::json& program, const std::string& name) {
  for (const auto& variable : program["objects"][0]["variables"])
    if (variable[0] == name) return variable[2];
  ADD_FAILURE() << name;
  return 0;
}

TEST(Explore, TheLastTracedValueIsThePictures) {
  Small small(kKernel, kJob);
  small.image("T6", random_texture());
  const Documents documents = explored(small);
  const auto index = test::json_of(documents, "index"), program = test::json_of(documents, "program/0");
  EXPECT_TRUE(index["commands"][0]["differs"].empty());
  const auto picture = test::words_of(documents, "image/0/1/after/0/0");
  ASSERT_EQ(picture.size(), 4u * 60);
  const History history(documents, "history/0/0/0");
  ASSERT_EQ(history.count, 60u);
  const std::size_t sum = place_of_variable(program, "sum"), texel = place_of_variable(program, "texel");
  for (std::size_t row = 0; row < history.count; ++row) {
    const std::uint32_t x = history.at(row, 0) & 0xffff, y = history.at(row, 0) >> 16;
    const std::uint32_t lane = history.at(row, 3) >> 8 & 255;
    EXPECT_EQ(history.at(row, 3) >> 16 & 255, 0u);  // written
    const auto trace = test::json_of(documents, "trace/0/" + std::to_string(history.at(row, 1)));
    EXPECT_EQ(trace["places"][lane], nlohmann::json({x, y, 0}));
    const auto file = replayed(trace);
    EXPECT_EQ(word_at(file, sum + 4 * lane), picture[y * 10 + x]);
    for (std::size_t c = 0; c < 4; ++c) {
      const std::uint32_t stored = picture[c * 60 + y * 10 + x];
      EXPECT_EQ(history.at(row, 7 + c), stored);   // as it was sent
      EXPECT_EQ(history.at(row, 11 + c), 0u);      // before
      EXPECT_EQ(history.at(row, 15 + c), stored);  // after
      if (c > 0) EXPECT_EQ(word_at(file, texel + 64 * c + 4 * lane), stored);
    }
  }
}

// FLT-3: the lerps of the texels that are shown give what the instruction returned.
TEST(Explore, TexelsHaveTheWeightsOfTheirSum) {
  Small small(kKernel, kJob);
  small.image("T6", random_texture());
  const Documents documents = explored(small);
  const auto program = test::json_of(documents, "program/0");
  const auto trace = test::json_of(documents, "trace/0/0");
  const auto& texels = trace["steps"][0][5];
  EXPECT_EQ(texels["name"], "T6");
  EXPECT_EQ(texels["surface"], 0);
  const auto file = replayed(trace);
  const std::size_t texel = place_of_variable(program, "texel");
  ASSERT_FALSE(texels["lanes"].empty());
  for (const auto& lane : texels["lanes"]) {
    const auto& probe = lane["levels"][0]["probes"][0];
    ASSERT_EQ(probe["taps"].size(), 4u);
    for (std::size_t c = 0; c < 4; ++c) {
      const auto value = [&](std::size_t tap) {
        return base::float_from_bits(probe["taps"][tap][5 + c].get<std::uint32_t>());
      };
      const auto lerp = [](float a, float b, float w) { return w == 0 ? a : a + (b - a) * (w / 256.0f); };
      const float wu = probe["weight"][0], wv = probe["weight"][1];
      const float sum = lerp(lerp(value(0), value(1), wu), lerp(value(2), value(3), wu), wv);
      EXPECT_EQ(base::bits_of(sum), lane["result"][c].get<std::uint32_t>());
      EXPECT_EQ(word_at(file, texel + 64 * c + 4 * lane["lane"].get<std::size_t>()),
                lane["result"][c].get<std::uint32_t>());
    }
  }
}

TEST(Explore, OnlyChosenPixelsAreTraced) {
  Small small(kKernel, kJob);
  const Documents documents = explored(small, {{3, 2, 1, 1}});
  unsigned traces = 0;
  for (const Document& document : documents)
    if (document.name.starts_with("trace/")) ++traces;
  EXPECT_EQ(traces, 1u);
  const auto index = test::json_of(documents, "index");
  const auto trace =
      test::json_of(documents, fmt::format("trace/0/{}", index["commands"][0]["tracedThreads"][0].get<int>()));
  bool found = false;
  for (const auto& place : trace["places"]) found = found || place == nlohmann::json({3, 2, 0});
  EXPECT_TRUE(found);
}

// OM-4: the alpha test keeps fragments away; the history says so.
TEST(Explore, TestsThatFailAreSeen) {
  Small small(kKernel, kJob + "[pixels.state]\nalpha_test = true\nalpha_func = \"never\"\n");
  const Documents documents = explored(small);
  const History history(documents, "history/0/0/0");
  ASSERT_EQ(history.count, 60u);
  for (std::size_t row = 0; row < history.count; ++row)
    EXPECT_EQ(history.at(row, 3) >> 16 & 255, static_cast<std::uint32_t>(Fate::Failed));
  for (const std::uint32_t word : test::words_of(documents, "image/0/1/after/0/0")) EXPECT_EQ(word, 0u);
}

TEST(Explore, AVariableThatNobodyWroteHasNoBytes) {
  Small small(kKernel, kJob);
  const Documents documents = explored(small, {{0, 0, 1, 1}});
  const auto trace = test::json_of(documents, "trace/0/0"), program = test::json_of(documents, "program/0");
  const std::size_t never = place_of_variable(program, "never");
  const auto touches = [&](const nlohmann::json& runs) {
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2)
      if (runs[i].get<std::size_t>() < never + 64 &&
          never < runs[i].get<std::size_t>() + runs[i + 1].get<std::string>().size() / 2)
        return true;
    return false;
  };
  EXPECT_FALSE(touches(trace["start"]));
  for (const auto& step : trace["steps"]) EXPECT_FALSE(touches(step[3]));
}

TEST(Explore, FindingsNameTheirPixelAndAreTraced) {
  std::string kernel = kKernel;
  kernel.replace(kernel.find("texel(2,0)"), 10, "never(0,0)");
  Small small(kernel, kJob);
  const Documents documents = explored(small, {{9, 5, 1, 1}});
  const auto index = test::json_of(documents, "index");
  const auto& findings = index["commands"][0]["findings"];
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0]["id"], "run-undefined-register");
  EXPECT_EQ(findings[0]["pixel"], nlohmann::json({0, 0}));
  EXPECT_NE(test::find(documents, "trace/0/0"), nullptr);
}

TEST(Explore, WhatARunRefusesIsSaid) {
  Small small(kKernel, kJob);
  small.input.job.samplers.clear();
  Exploration exploration("test");
  exploration.add(small.input);
  const auto documents = exploration.explore({});
  ASSERT_FALSE(documents.ok());
  EXPECT_FALSE(documents.diagnostics().empty());
}

}  // namespace
}  // namespace heddle::explore
