// SPDX-License-Identifier: MIT
// What several workers draw reaches each bin in the order of the primitives.
// Rules: PIX-11.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "pipeline/tiles/draw_order.hpp"

namespace heddle::pipeline {
namespace {

std::vector<std::uint32_t> primitives_of(const Stretch& stretch, std::uint32_t part) {
  std::vector<std::uint32_t> all;
  (void)stretch.visit(part, [&](std::uint32_t primitive) { return all.push_back(primitive), true; });
  return all;
}

TEST(DrawOrder, PartsHaveThePrimitivesOfTheirBins) {
  Stretch::Places places;
  Stretch stretch;
  for (int round = 0; round < 2; ++round) {  // the second time in the same memory
    stretch.clear();
    places.begin(8);
    stretch.add(places, 5, 0, 10);
    stretch.add(places, 2, 0, 1);
    stretch.add(places, 5, 1, 20);
    stretch.add(places, 5, 3, 30);
    ASSERT_EQ(stretch.parts().size(), 2u);
    EXPECT_EQ(stretch.parts()[0].bin, 5u);
    EXPECT_EQ(stretch.parts()[0].cost, 60u);
    EXPECT_EQ(stretch.cost(), 61u);
    EXPECT_EQ(primitives_of(stretch, 0), (std::vector<std::uint32_t>{0, 1, 3}));
    EXPECT_EQ(primitives_of(stretch, 1), (std::vector<std::uint32_t>{0}));
  }
  unsigned seen = 0;
  EXPECT_FALSE(stretch.visit(0, [&](std::uint32_t) { return ++seen < 2; }));
  EXPECT_EQ(seen, 2u);
}

TEST(DrawOrder, WhatIsTakenAtOnceHasABound) {
  Stretch::Places places;
  Stretch stretch;
  places.begin(8);
  for (std::uint32_t bin = 0; bin < 8; ++bin) stretch.add(places, bin, bin, 10);
  DrawOrder order;
  order.begin(8);
  order.enter(stretch);
  std::vector<std::uint32_t> parts;
  stretch.take_ready(25, false, parts);
  EXPECT_EQ(parts, (std::vector<std::uint32_t>{0, 1, 2}));
  stretch.take_ready(0, true, parts);
  EXPECT_EQ(parts, (std::vector<std::uint32_t>{7}));
  stretch.take_ready(1000, true, parts);
  EXPECT_EQ(parts, (std::vector<std::uint32_t>{6, 5, 4, 3}));
  EXPECT_FALSE(stretch.has_ready());
}

// Stretches over the same bins, whose parts are drawn in any order that is allowed.
TEST(DrawOrder, EachBinIsDrawnInOrder) {
  constexpr std::uint32_t kBins = 6, kStretches = 40;
  std::mt19937 random(11);
  DrawOrder order;
  for (int round = 0; round < 20; ++round) {
    Stretch::Places places;
    std::deque<Stretch> stretches(kStretches);
    std::vector<std::vector<std::size_t>> wanted(kBins), drawn(kBins);
    order.begin(kBins);
    std::size_t entered = 0;
    std::vector<std::pair<std::size_t, std::uint32_t>> in_work;
    const auto number_of = [&](const Stretch* stretch) {
      return static_cast<std::size_t>(std::ranges::find_if(stretches, [&](const Stretch& s) { return &s == stretch; }) -
                                      stretches.begin());
    };
    while (true) {
      const bool enters = entered < kStretches && random() % 4 == 0;
      if (enters) {
        Stretch& stretch = stretches[entered];
        places.begin(kBins);
        const auto wide = static_cast<std::uint32_t>(random() % 3 == 0 ? 2 + random() % (kBins - 1) : 0);
        if (wide != 0) stretch.add_wide(0, wide, 0, 1);
        for (std::uint32_t bin = 0; bin < wide; ++bin) wanted[bin].push_back(entered);
        for (std::uint32_t bin = wide; bin < kBins; ++bin)
          if (random() % 2 == 0) {
            stretch.add(places, bin, 0, 1);
            wanted[bin].push_back(entered);
          }
        order.enter(stretch);
        ++entered;
      }
      for (std::size_t s = 0; s < entered; ++s)
        if (stretches[s].has_ready() && random() % 2 == 0) {
          std::vector<std::uint32_t> parts;
          stretches[s].take_ready(1 + random() % 2, random() % 2 == 0, parts);
          for (const std::uint32_t part : parts) in_work.emplace_back(s, part);
        }
      if (!in_work.empty()) {
        const std::size_t at = random() % in_work.size();
        const auto [s, part] = in_work[at];
        in_work.erase(in_work.begin() + static_cast<std::ptrdiff_t>(at));
        const Stretch::Part& of = stretches[s].parts()[part];
        for (std::uint32_t bin = of.bin; bin < of.bin + of.bins; ++bin) drawn[bin].push_back(s);
        order.leave(stretches[s], part, [&, from = s](const Stretch& next) {
          EXPECT_GT(number_of(&next), from);
          EXPECT_TRUE(next.has_ready());
        });
      } else if (entered == kStretches &&
                 std::ranges::all_of(stretches, [](const Stretch& s) { return s.is_drawn(); })) {
        break;
      }
    }
    EXPECT_EQ(drawn, wanted);
  }
}

}  // namespace
}  // namespace heddle::pipeline
