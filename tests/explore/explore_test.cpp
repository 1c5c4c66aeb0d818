// SPDX-License-Identifier: MIT
// What a report says of a run is what the run left.

#include "explore/exploration.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

#include "base/bits/sha256.hpp"
#include "base/half.hpp"
#include "explore/trace_view.hpp"
#include "kernels.hpp"
#include "support.hpp"

namespace heddle::explore {
namespace {

using test::History;
using test::kJob;
using test::kKernel;
using test::place_of_variable;
using test::random_texture;
using test::replayed;
using test::Small;
using test::word_at;

Documents explored(const Small& small, std::vector<Rectangle> traced = {{0, 0, 10, 6}}) {
  Exploration exploration("test");
  exploration.add(small.input);
  ExploreOptions options;
  options.traced = std::move(traced);
  auto documents = exploration.explore(options);
  EXPECT_TRUE(documents.ok()) << (documents.ok() ? "" : documents.diagnostics()[0].message);
  return documents.ok() ? std::move(*documents) : Documents();
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
      EXPECT_EQ(history.at(row, 8 + c), stored);   // as it was sent
      EXPECT_EQ(history.at(row, 12 + c), 0u);      // before
      EXPECT_EQ(history.at(row, 16 + c), stored);  // after
      if (c > 0) EXPECT_EQ(word_at(file, texel + 64 * c + 4 * lane), stored);
    }
  }
}

// The same draw twice. The picture is whole behind the first one; no picture is what neither leaves.
TEST(Explore, BeginsAtThePixelThatIsAskedFor) {
  Small small(kKernel, kJob);
  small.image("T6", random_texture());
  const auto picture = test::words_of(explored(small), "image/0/1/after/0/0");
  std::vector<std::uint8_t> texels;
  for (std::size_t at = 0; at < 60; ++at)
    for (std::size_t channel = 0; channel < 4; ++channel)
      for (unsigned k = 0; k < 4; ++k) texels.push_back(static_cast<std::uint8_t>(picture[channel * 60 + at] >> 8 * k));
  Exploration twice("test");
  for (int k = 0; k < 2; ++k) twice.add(small.input);
  const auto start_of = [&](const Beginning& begin) {
    std::optional<Start> told;
    ExploreOptions options;
    options.begin = begin;
    options.started = [&](const Start& start) { told = start; };
    const auto documents = twice.explore(options);
    EXPECT_TRUE(documents.ok());
    auto index = test::json_of(*documents, "index");
    EXPECT_EQ(told.has_value(), index.contains("start"));
    if (told) EXPECT_EQ(index["start"]["draw"], told->command);
    return index;
  };
  const std::string whole = base::sha256(texels), other(64, '0');
  for (const auto& [hash, draw] : {std::pair{whole, 0}, {other, 1}}) {
    const auto index = start_of({7, 3, 10, 6, hash});
    EXPECT_EQ(index["start"], nlohmann::json({{"draw", draw}, {"image", "T7"}, {"pixel", {7, 3}}}));
    EXPECT_EQ(index["commands"][0]["traced"], nlohmann::json({{0, 0, 10, 6}})) << "the square's side is 24";
  }
  EXPECT_FALSE(start_of({7, 3, 10, 7, whole}).contains("start")) << "no image has seven rows";
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
  for (std::size_t row = 0; row < history.count; ++row) {
    EXPECT_EQ(history.at(row, 3) >> 16 & 255, static_cast<std::uint32_t>(Fate::Failed));
    EXPECT_EQ(history.at(row, 3) >> 24, static_cast<std::uint32_t>(Reason::AlphaTest));
  }
  for (const std::uint32_t word : test::words_of(documents, "image/0/1/after/0/0")) EXPECT_EQ(word, 0u);
}

const std::string kDepth = R"(
[images.z]
format = "R32_FLOAT"
size = [10, 6]
fill = [0.25]
)";

// OM-6: with what a depth was compared, and the words of the test.
TEST(Explore, ADepthTestSaysWhatItCompared) {
  std::string job = kJob;
  job.insert(job.find("[pixels]"), kDepth);
  job.insert(job.find("[pixels.inputs]"), "depth = \"z\"\n");
  const Small small(kKernel, job + "[pixels.state]\ndepth_test = true\ndepth_func = \"greater\"\n");
  const History history(explored(small), "history/0/0/0");
  ASSERT_EQ(history.count, 60u);
  for (std::size_t row = 0; row < history.count; ++row) {
    EXPECT_EQ(history.at(row, 3) >> 16 & 255, static_cast<std::uint32_t>(Fate::Failed));
    EXPECT_EQ(history.at(row, 3) >> 24, static_cast<std::uint32_t>(Reason::Depth));
    EXPECT_EQ(history.at(row, 7), base::bits_of(0.25f));
  }
}

// FBO-1: a draw that stores depths alone: early tests let its fragments through, and what was there is known.
TEST(Explore, ADrawOfDepthsAloneIsWritten) {
  std::string job = kJob;
  const std::string target = "format = \"R32G32B32A32_FLOAT\"\nsize = [10, 6]\n";
  job.replace(job.find(target), target.size(), "type = \"null\"\n");
  job.insert(job.find("[pixels]"), kDepth);
  job.insert(job.find("[pixels.inputs]"), "depth = \"z\"\nsize = [10, 6]\n");
  const Small small(kKernel, job + "[pixels.state]\ndepth_test = true\ndepth_write = true\ndepth_func = \"less\"\n");
  const Documents documents = explored(small);
  const auto images = test::json_of(documents, "index")["commands"][0]["images"];
  std::size_t z = 0;
  while (z < images.size() && images[z]["name"] != "z") ++z;
  ASSERT_LT(z, images.size());
  const auto depths = test::words_of(documents, fmt::format("image/0/{}/after/0/0", z));
  const History history(documents, "history/0/0/0");
  ASSERT_EQ(history.count, 60u);
  for (std::size_t row = 0; row < history.count; ++row) {
    const std::uint32_t x = history.at(row, 0) & 0xffff, y = history.at(row, 0) >> 16;
    EXPECT_EQ(history.at(row, 3) >> 16 & 255, static_cast<std::uint32_t>(Fate::Written));
    EXPECT_EQ(history.at(row, 3) & 255, z);
    EXPECT_EQ(history.at(row, 12), base::bits_of(0.25f));
    EXPECT_EQ(history.at(row, 16), depths[y * 10 + x]);
    EXPECT_NE(history.at(row, 16), base::bits_of(0.25f));
  }
}

// PRM-2: which vertices a primitive has, and where they are.
TEST(Explore, PrimitivesHaveTheirCorners) {
  const Documents documents = explored(Small(kKernel, kJob));
  const auto words = test::words_of(documents, "primitives/0");
  ASSERT_EQ(words.size() % 17, 0u);
  const std::size_t count = words.size() / 17;
  ASSERT_GE(count, 1u);
  const History history(documents, "history/0/0/0");
  for (std::size_t row = 0; row < history.count; ++row)
    EXPECT_NE(std::find(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count), history.at(row, 2)),
              words.begin() + static_cast<std::ptrdiff_t>(count));
}

// FP-11, FP-12: a footprint names the groups of 2x2 texels that a sample read, and no others.
TEST(Explore, FootprintsNameTheTexelsOfASample) {
  std::string job = kJob;
  job.replace(job.find("size = [4, 4]"), 13, "size = [36, 36]");  // more texels than a set of 8x8 groups has
  const Documents documents = explored(Small(kKernel, job));
  std::size_t seen = 0, over_two_sets = 0;
  const auto index = test::json_of(documents, "index");
  for (const auto& thread : index["commands"][0]["tracedThreads"]) {
    const auto trace = test::json_of(documents, fmt::format("trace/0/{}", thread.get<int>()));
    for (const auto& step : trace["steps"]) {
      if (step.size() < 6) continue;
      for (const auto& lane : step[5]["lanes"]) {
        const auto& level = lane["levels"][0];
        std::set<std::array<int, 2>> read, named;
        for (const auto& tap : level["probes"][0]["taps"]) read.insert({tap[1].get<int>() / 2, tap[2].get<int>() / 2});
        const auto& f = level["footprint"];
        EXPECT_EQ(f["granularity"], 1);
        EXPECT_EQ(f["group"], nlohmann::json({2, 2}));
        const std::uint64_t mask = std::stoull(f["mask"].get<std::string>(), nullptr, 16);
        for (int bit = 0; bit < 64; ++bit) {
          if ((mask >> bit & 1) == 0) continue;
          std::array<int, 2> group{bit % 8, bit / 8};
          for (std::size_t k = 0; k < 2; ++k) {
            const bool before = group[k] + f["offset"][k].get<int>() >= 8;
            group[k] += 8 * f["anchor"][k].get<int>() - (before ? 8 : 0);
          }
          named.insert(group);
        }
        EXPECT_EQ(named, read);
        std::set<std::array<int, 2>> listed;
        for (const auto& group : f["groups"]) listed.insert({group[0].get<int>(), group[1].get<int>()});
        EXPECT_EQ(listed, read);
        ++seen;
        if (f["offset"][0] != 0 || f["offset"][1] != 0) ++over_two_sets;
      }
    }
  }
  EXPECT_GE(seen, 60u);
  EXPECT_GE(over_two_sets, 6u);  // 3.6 texels a pixel: texels 15 and 16 of each row
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
