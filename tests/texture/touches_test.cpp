// SPDX-License-Identifier: MIT
// The kernels that count texels against what the reference unit tells its observer, over random operations, states and
// lanes. A failure prints its seed; HEDDLE_SIMD_SEED=seed runs that case alone.
// Rules: FC1, GA-3, FLT-2, FLT-3, FLT-4, ANI-1, LD-2, LD-3.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <string>
#include <vector>

#include "texture/simd_ways.hpp"
#include "texture/support.hpp"
#include "texture/touch/count_touches.hpp"
#include "texture/touches.hpp"

namespace heddle::texture::test {
namespace {

/// Counts one surface; elements are numbered from the first byte of its memory.
class OneSurface final : public TouchSink {
 public:
  explicit OneSurface(const image::Surface& surface) : surface_(surface) {
    bytes_ = surface.info().bytes_per_element();
    const std::size_t elements = surface.memory->size() / bytes_ + 1;
    for (auto* counts : {&told, &texels, &squares}) counts->resize(elements);
    set_touch_sink(this);
  }
  ~OneSurface() override { set_touch_sink(nullptr); }
  OneSurface(const OneSurface&) = delete;
  OneSurface& operator=(const OneSurface&) = delete;

  Kind kind_of(const image::Surface& surface) override { return &surface == &surface_ ? Kind::Plain : Kind::None; }
  TouchCounts reads(const image::Surface& surface, OperationKind, const image::Sampler* by) override {
    EXPECT_EQ(&surface, &surface_);
    sampler = by;
    return {texels.data(), squares.data(), &lanes, 0, static_cast<std::uint32_t>(std::countr_zero(bytes_))};
  }
  TouchCounts writes(const image::Surface&) override { return {}; }
  void begin(const LaneRequest&) override {}
  void lose_counts() override {}
  /// Of the reference unit.
  void texel(const TexelTouch& touch) override {
    const auto byte = image::element_offset(surface_, touch.level, touch.slice, touch.x, touch.y);
    ASSERT_TRUE(byte.has_value());
    ++told[*byte / bytes_];
  }

  /// What the kernels have counted, each square as its four texels.
  [[nodiscard]] std::vector<std::uint32_t> counted() const {
    std::vector<std::uint32_t> all = texels;
    for (std::size_t at = 0; at < squares.size(); ++at) {
      if (squares[at] == 0) continue;
      const std::size_t row = row_of(at * bytes_) / bytes_;
      for (const std::size_t of : {at, at + 1, at + row, at + row + 1}) all.at(of) += squares[at];
    }
    return all;
  }
  void clear() {
    std::ranges::fill(texels, 0u);
    std::ranges::fill(squares, 0u);
  }

  std::vector<std::uint32_t> told, texels, squares;
  const image::Sampler* sampler = nullptr;
  std::uint64_t lanes = 0;

 private:
  [[nodiscard]] std::size_t row_of(std::size_t byte) const {
    for (const image::LevelLayout& l : surface_.layout)
      if (byte >= surface_.base + l.offset && byte < surface_.base + l.offset + l.slice_pitch * l.slices)
        return l.row_pitch;
    return 0;
  }
  const image::Surface& surface_;
  std::size_t bytes_ = 1;
};

bool has_counters(const image::Surface& s) {
  return s.type != image::SurfaceType::Null && !s.is_buffer() && s.memory && s.info().block_width == 1 &&
         std::has_single_bit(s.info().bytes_per_element());
}

/// False when the case shows a difference. `counted`: how many cases of each operation the kernels counted.
bool check(std::uint64_t seed, std::map<std::string, unsigned>& counted) {
  Random random(seed);
  LaneCase c;
  if (!make_case(random, c) || !has_counters(c.surface)) return true;
  OneSurface sink(c.surface);
  OperationContext context = c.context;
  const auto prepared = simd::prepare(c.request, context);
  if (!kernels_count(prepared->static_state)) return true;
  OperationContext told = c.context;
  told.observer = &sink;
  (void)execute(c.request, told);
  simd::Inputs inputs{};
  for (std::size_t p = 0; p < kParamCount; ++p)
    inputs.param[p] = c.request.params[p] != nullptr ? c.request.params[p]->data() : nullptr;
  bool same = true;
  for (const Way& way : all_ways()) {
    sink.clear();
    count_touches(*prepared, inputs, c.request.simd, c.request.active, way.target);
    const std::vector<std::uint32_t> all = sink.counted();
    for (std::size_t at = 0; at < all.size() && same; ++at)
      if (all[at] != sink.told[at]) {
        ADD_FAILURE() << fmt::format("HEDDLE_SIMD_SEED={} {} {}: element {} has {}, the reference {}", seed, way.name(),
                                     operation(c.request.op).name, at, all[at], sink.told[at]);
        same = false;
      }
  }
  ++counted[std::string(operation(c.request.op).name)];
  return same;
}

TEST(Touches, KernelsCountWhatTheReferenceUnitTells) {
  std::map<std::string, unsigned> counted;
  const Seeds seeds(6000, 400000);
  unsigned failures = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.end() && failures < 10; ++seed)
    if (!check(seed, counted)) ++failures;
  if (seeds.alone) return;
  for (const char* name : {"sample", "sample_lz", "sample_l", "sample_b", "sample_d", "sample_c", "gather4", "ld"})
    EXPECT_GT(counted[name], seeds.count / 1500) << name;
}

/// A point between four texels: each is read once by each lane, as one square. At the right edge two of them fall
/// together with CLAMP, so that they are counted twice.
TEST(Touches, BilinearTapsAreASquare) {
  image::Surface s;
  s.width = 8;
  s.height = 8;
  ASSERT_TRUE(image::allocate(s).ok());
  image::Sampler sampler;
  sampler.min_filter = sampler.mag_filter = image::Filter::Linear;
  LaneRequest r;
  r.op = Op::SampleLz;
  r.simd = 8;
  r.active = 0x7;
  r.surface = &s;
  r.sampler = &sampler;
  LaneWords u{}, v{};
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  u.fill(bits(3.0f / 8));  // between columns 2 and 3
  v.fill(bits(5.0f / 8));  // between rows 4 and 5
  u[2] = bits(1.0f);       // between column 7 and the next one, which is column 7
  r.set(Param::U, u);
  r.set(Param::V, v);
  OneSurface sink(s);
  OperationContext context;
  const auto prepared = simd::prepare(r, context);
  ASSERT_TRUE(kernels_count(prepared->static_state));
  simd::Inputs inputs{};
  inputs.param[static_cast<std::size_t>(Param::U)] = u.data();
  inputs.param[static_cast<std::size_t>(Param::V)] = v.data();
  count_touches(*prepared, inputs, 8, r.active);
  EXPECT_EQ(sink.lanes, 3u);
  EXPECT_EQ(sink.sampler, &sampler);
  EXPECT_EQ(sink.squares[4 * 8 + 2], 2u);
  const std::vector<std::uint32_t> all = sink.counted();
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) {
      const bool rows = y == 4 || y == 5;
      const std::uint32_t expected = !rows ? 0 : x == 2 || x == 3 ? 2 : x == 7 ? 2 : 0;
      EXPECT_EQ(all[y * 8 + x], expected) << x << ' ' << y;
    }
}

/// 16 lanes that are a block of 8 x 2 pixels from texel (5, 3) on, pixel on texel: 3/4 of a texel behind its left and
/// upper edge, so that the bilinear taps are that texel, the next ones, and those below. `moved`: the sixth lane asks
/// where the fifth does.
void check_block(image::Filter filter, bool moved) {
  constexpr std::uint32_t kWidth = 64, kHeight = 16, kLeft = 5, kTop = 3;
  image::Surface s;
  s.width = kWidth;
  s.height = kHeight;
  ASSERT_TRUE(image::allocate(s).ok());
  image::Sampler sampler;
  sampler.min_filter = sampler.mag_filter = filter;
  LaneRequest r;
  r.op = Op::SampleLz;
  r.simd = 16;
  r.active = 0xffff;
  r.surface = &s;
  r.sampler = &sampler;
  LaneWords u{}, v{};
  std::vector<std::uint32_t> expected(std::size_t{kWidth} * kHeight);
  for (std::uint32_t lane = 0; lane < 16; ++lane) {
    const std::uint32_t pixel = moved && lane == 5 ? 4 : lane;
    const std::uint32_t x = kLeft + pixel / 4 * 2 + pixel % 2, y = kTop + pixel / 2 % 2;
    u[lane] = std::bit_cast<std::uint32_t>((static_cast<float>(x) + 0.75f) / kWidth);
    v[lane] = std::bit_cast<std::uint32_t>((static_cast<float>(y) + 0.75f) / kHeight);
    ++expected[y * kWidth + x];
  }
  r.set(Param::U, u);
  r.set(Param::V, v);
  OneSurface sink(s);
  OperationContext context;
  const auto prepared = simd::prepare(r, context);
  prepared->static_state.quads = 1;
  ASSERT_TRUE(kernels_count(prepared->static_state));
  simd::Inputs inputs{};
  inputs.param[static_cast<std::size_t>(Param::U)] = u.data();
  inputs.param[static_cast<std::size_t>(Param::V)] = v.data();
  for (const Way& way : all_ways()) {
    sink.clear();
    count_touches(*prepared, inputs, 16, r.active, way.target);
    expected.resize(sink.texels.size());
    EXPECT_EQ(filter == image::Filter::Linear ? sink.squares : sink.texels, expected) << way.name();
    EXPECT_EQ(filter == image::Filter::Linear ? sink.texels : sink.squares,
              std::vector<std::uint32_t>(expected.size()));
  }
  EXPECT_EQ(sink.lanes, 16 * all_ways().size());
}
TEST(Touches, BlocksOfPixelsOnTexels) {
  for (const image::Filter filter : {image::Filter::Linear, image::Filter::Nearest})
    for (const bool moved : {false, true}) check_block(filter, moved);
}

/// The counters of 16 lanes lie as those of a block of 8 x 2 pixels do, but in an image of 4 columns the second half of
/// the upper row is the first half of the lower one: those texels count twice.
TEST(Touches, BlocksThatRunIntoTheNextRow) {
  constexpr std::uint32_t kWidth = 4, kHeight = 8;
  image::Surface s;
  s.width = kWidth;
  s.height = kHeight;
  ASSERT_TRUE(image::allocate(s).ok());
  const std::uint32_t pitch = static_cast<std::uint32_t>(s.layout[0].row_pitch) / 4;
  image::Sampler sampler;
  LaneRequest r;
  r.op = Op::SampleLz;
  r.simd = 16;
  r.active = 0xffff;
  r.surface = &s;
  r.sampler = &sampler;
  LaneWords u{}, v{};
  std::vector<std::uint32_t> expected(std::size_t{pitch} * kHeight);
  for (std::uint32_t lane = 0; lane < 16; ++lane) {
    const std::uint32_t column = lane / 4 * 2 + lane % 2, row = lane / 2 % 2;
    const std::uint32_t x = column % kWidth, y = 2 + row + column / kWidth;
    u[lane] = std::bit_cast<std::uint32_t>((static_cast<float>(x) + 0.5f) / kWidth);
    v[lane] = std::bit_cast<std::uint32_t>((static_cast<float>(y) + 0.5f) / kHeight);
    ++expected[y * pitch + x];
  }
  EXPECT_EQ(expected[3 * pitch], 2u);
  r.set(Param::U, u);
  r.set(Param::V, v);
  OneSurface sink(s);
  OperationContext context;
  const auto prepared = simd::prepare(r, context);
  prepared->static_state.quads = 1;
  simd::Inputs inputs{};
  inputs.param[static_cast<std::size_t>(Param::U)] = u.data();
  inputs.param[static_cast<std::size_t>(Param::V)] = v.data();
  for (const Way& way : all_ways()) {
    sink.clear();
    count_touches(*prepared, inputs, 16, r.active, way.target);
    expected.resize(sink.texels.size());
    EXPECT_EQ(sink.texels, expected) << way.name();
  }
}

// Nothing is counted, and nothing costs time, without a sink.
TEST(Touches, WithoutASinkNothingIsCounted) {
  image::Surface s;
  ASSERT_TRUE(image::allocate(s).ok());
  image::Sampler sampler;
  LaneRequest r;
  r.op = Op::SampleLz;
  r.simd = 8;
  r.surface = &s;
  r.sampler = &sampler;
  OperationContext context;
  const auto prepared = simd::prepare(r, context);
  EXPECT_FALSE(kernels_count(prepared->static_state));
  EXPECT_EQ(touch_kind(s), TouchSink::Kind::None);
}

}  // namespace
}  // namespace heddle::texture::test
