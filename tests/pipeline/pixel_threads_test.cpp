// SPDX-License-Identifier: MIT
// Threads of a triangle and their registers: the ways that are only quicker leave the same.
// Rules: PIX-11 to PIX-13.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "pipeline/pixels/payload.hpp"
#include "pipeline/pixels/threads.hpp"

namespace heddle::pipeline {
namespace {

struct Planned : PixelPlan {
  RasterState raster;
};

Planned plan_of(std::uint32_t width, std::uint32_t height, unsigned simd, std::uint32_t samples) {
  Planned plan;
  plan.raster.width = width;
  plan.raster.height = height;
  plan.raster.viewports[0] = {0, 0, static_cast<double>(width), static_cast<double>(height), 0, 1};
  plan.raster.samples = plan.positions = sample_positions(samples);
  plan.samples = samples;
  plan.simd = simd;
  return plan;
}

struct Record {
  std::uint32_t sspi, count;
  bool whole;
  std::vector<std::uint32_t> subspans;
  bool operator==(const Record&) const = default;
};

Record record_of(const PixelThread& t) {
  return {t.sspi, t.count, t.whole, {t.subspans.begin(), t.subspans.begin() + t.count}};
}

/// A primitive and the values at its corners.
struct Shown {
  Primitive primitive;
  std::vector<std::array<double, 3>> values;
};

Shown shown(const Mesh& mesh, const Planned& plan) {
  const PrimitiveList list = set_up(mesh, plan.raster);
  Shown result;
  if (list.size() == 0) return result;
  result.primitive = list[0];
  list.values(list[0], result.values);
  return result;
}

Shown triangle_of(const Planned& plan, std::mt19937& random) {
  Mesh mesh;
  const auto number = [&] { return static_cast<double>(random() % 4001) / 1000 - 2; };
  for (int tries = 0; tries < 100; ++tries) {
    mesh.positions.clear();
    for (int k = 0; k < 3; ++k) {
      const double w = 1 + static_cast<double>(random() % 3);
      mesh.positions.push_back({number() * w, number() * w, static_cast<double>(random() % 8) / 8 * w, w});
    }
    mesh.triangles = {{0, 1, 2}};
    mesh.attributes = {{2, false, false, {0, 1, 1, 0.25, -3, 7}}};
    if (Shown made = shown(mesh, plan); !made.values.empty()) return made;
  }
  return shown(full_screen_triangle(), plan);
}

TEST(PixelThreads, RowsOfTilesMakeTheThreadsOfTheWholeTriangle) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    const unsigned simd = std::array{8u, 16u, 32u}[random() % 3];
    Planned plan = plan_of(33 + random() % 150, 1 + random() % 150, simd, std::array{1u, 4u, 8u}[random() % 3]);
    plan.per_sample = random() % 3 == 0;
    const Primitive t = (round % 4 == 0 ? shown(full_screen_triangle(), plan) : triangle_of(plan, random)).primitive;
    std::vector<Record> expected, rows;
    const auto to = [](std::vector<Record>& list) {
      return [&list](const PixelThread& thread) { return list.push_back(record_of(thread)), true; };
    };
    const CoverageScan scan(t, plan.raster);
    ThreadMaker maker(plan, 0, to(expected));
    for (std::int32_t row = scan.first_row(); row < scan.last_row(); ++row) EXPECT_TRUE(scan.row(row, maker));
    EXPECT_TRUE(maker.finish());
    const std::vector<std::uint32_t> taken = subspans_taken(plan, scan);
    std::vector<Record> joined;
    for (std::size_t k = 0; k < taken.size(); ++k) {
      const std::int32_t row = scan.first_row() + static_cast<std::int32_t>(k);
      EXPECT_TRUE(make_row(plan, scan, 0, row, taken[k], false, to(rows)));
      EXPECT_TRUE(make_row(plan, scan, 0, row, taken[k], true, to(joined)));
    }
    EXPECT_EQ(rows, expected) << round;
    // Rectangles that are joined give the same threads in another order.
    const auto order = [](const Record& r) { return std::tie(r.subspans, r.sspi); };
    std::ranges::sort(rows, {}, order);
    std::ranges::sort(joined, {}, order);
    EXPECT_EQ(joined, rows) << round;
    // Every thread but the last is full.
    for (std::size_t k = 0; k + plan.passes() < expected.size(); ++k)
      EXPECT_EQ(expected[k].count, plan.subspans_of_half() * plan.halves());
  }
}

TEST(PixelThreads, WholeThreadsHaveTheRegistersOfOthers) {
  std::mt19937 random(4);
  using Source = LaneInput::Source;
  for (int round = 0; round < 60; ++round) {
    const unsigned simd = std::array{8u, 16u, 32u}[random() % 3];
    Planned plan = plan_of(96, 64, simd, round % 2 == 0 ? 1 : 4);
    std::uint32_t at = 128;
    const auto add = [&](Source source, bool half, std::vector<std::uint32_t> components) {
      LaneInput n;
      n.source = source;
      n.half = half;
      n.element_bytes = half ? 2 : 4;
      n.components = std::move(components);
      n.interpolation.linear = random() % 2 == 0;
      n.interpolation.point = random() % 4 == 0 ? InterpolationPoint::Centroid : InterpolationPoint::Center;
      n.offset = at;
      at += simd * 4 * 2;
      plan.inputs.push_back(n);
    };
    add(Source::PositionX, random() % 5 == 0, {});
    add(Source::PositionY, false, {});
    add(Source::PositionZ, false, {});
    add(Source::PositionW, false, {});
    add(Source::Attribute, random() % 5 == 0, {0, 1});
    if (random() % 3 == 0) add(Source::Coverage, false, {});
    const Shown t = triangle_of(plan, random);
    PixelPayload quick(plan, {}, 0, {}), slow(plan, {}, 0, {});
    quick.begin(t.primitive, t.values);
    slow.begin(t.primitive, t.values);
    for (int k = 0; k < 20; ++k) {
      PixelThread thread;
      thread.count = simd / 4;
      thread.whole = random() % 4 != 0;
      for (std::uint32_t s = 0; s < thread.count; ++s) {
        thread.subspans[s] = (random() % 48 * 2) | (random() % 32 * 2) << 16;
        thread.coverage[s].fill(all_samples(plan.raster));
        if (!thread.whole) thread.coverage[s][random() % 4] = 0;
      }
      PixelThread again = thread;
      again.whole = false;
      if (plan.raster.samples.size() == 1 && k % 2 == 0) {  // as lists give them, and with fewer subspans than fit
        thread.count = again.count = 1 + random() % thread.count;
        thread.whole = false;
        thread.listed = true;
        for (std::uint32_t s = 0; s < thread.count; ++s)
          thread.pixels |= covered_pixels(thread.coverage[s].data()) << 4 * s;
      }
      EXPECT_EQ(quick.fill(thread), slow.fill(again));
      EXPECT_TRUE(std::ranges::equal(quick.bytes(), slow.bytes())) << round;
      EXPECT_EQ(quick.input().coverage, slow.input().coverage);
    }
  }
}

// Plain work gives the bits of any other.
TEST(PixelThreads, PlainLanesAreThoseOfOthers) {
  std::mt19937 random(9);
  const auto number = [&] { return static_cast<double>(static_cast<std::int32_t>(random())) / 7e5; };
  for (int round = 0; round < 200; ++round) {
    constexpr std::size_t kSteps = 7;
    alignas(64) std::array<std::array<float, 16>, kSteps> plain{}, other{};
    std::array<std::uint32_t, 4> subspans{};
    for (std::uint32_t& s : subspans) s = (random() % 4096 * 2) | (random() % 4096 * 2) << 16;
    std::array<LaneStep, kSteps> steps;
    LaneWork work;
    for (std::size_t k = 0; k < kSteps; ++k) {
      constexpr std::array kKinds{LaneStep::Kind::PixelX, LaneStep::Kind::PixelY, LaneStep::Kind::Linear,
                                  LaneStep::Kind::Perspective};
      steps[k].kind = kKinds[random() % kKinds.size()];
      steps[k].plane = {number(), number(), number()};
      steps[k].base = number();
    }
    work.steps = steps.data();
    work.count = kSteps;
    work.subspans = subspans.data();
    work.centers = true;
    work.weighted = 1;
    work.left = static_cast<std::int32_t>(random() % 4096);
    work.top = static_cast<std::int32_t>(random() % 4096);
    work.inverse_w = {number(), number(), number()};
    const auto run = [&](bool is_plain, auto& to) {
      for (std::size_t k = 0; k < kSteps; ++k) steps[k].to = reinterpret_cast<std::uint8_t*>(to[k].data());
      work.plain = is_plain;
      lane_function()(work);
    };
    run(true, plain);
    run(false, other);
    EXPECT_EQ(std::memcmp(plain.data(), other.data(), sizeof plain), 0) << round;
  }
}

TEST(Pixels, SlotMapOfPerSampleThreads_RTW6) {
  PixelPlan plan;
  plan.per_sample = true;
  plan.simd = 16;
  plan.samples = 2;
  EXPECT_EQ(plan.slot(5, 0).subspan, 0u);
  EXPECT_EQ(plan.slot(5, 0).sample, 1u);
  EXPECT_EQ(plan.slot(9, 0).subspan, 1u);
  EXPECT_EQ(plan.slot(9, 0).sample, 0u);
  EXPECT_EQ(plan.passes(), 1u);
  plan.samples = 4;
  EXPECT_EQ(plan.slot(13, 0).sample, 3u);
  EXPECT_EQ(plan.slot(13, 0).pixel, 1u);
  plan.samples = 8;
  EXPECT_EQ(plan.passes(), 2u);
  EXPECT_EQ(plan.slot(13, 2).sample, 7u);
  plan.simd = 8;
  plan.samples = 4;
  EXPECT_EQ(plan.passes(), 2u);
  EXPECT_EQ(plan.slot(5, 1).sample, 3u);
}

}  // namespace
}  // namespace heddle::pipeline
