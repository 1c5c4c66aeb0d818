// SPDX-License-Identifier: MIT
// Render-target writes through the vector functions against the reference, byte for byte, over random targets, states
// and messages. HEDDLE_SIMD_SEED=seed runs one case, HEDDLE_SIMD_CASES=n more of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "render_target/simd/prepared.hpp"
#include "texture/simd_cases.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

using namespace render_target;

using image::Surface;

struct TargetCase {
  Surface color, depth, stencil;
  bool with_color = true, with_depth = false, with_stencil = false;
  OutputState state;
  std::vector<RenderTargetMessage> messages;
  std::vector<std::uint32_t> sample_depths;  ///< of 16 samples, the rows 32 words apart; of all messages
  OperationContext context;
};

class TargetCases {
 public:
  explicit TargetCases(Random& random) : random_(random), cases_(random) {}

  bool make(TargetCase& out) {
    const std::uint32_t samples = one_in(3) ? 1u << below(5) : 1;
    out.with_color = !one_in(10);
    if (!surface(out.color, color_format(), samples, 0)) return false;
    out.with_depth = one_in(2);
    constexpr std::string_view kDepth[] = {"R32_FLOAT", "R24_UNORM_X8_TYPELESS", "R16_UNORM"};
    if (out.with_depth && !surface(out.depth, kDepth[below(3)], samples, 1)) return false;
    out.with_stencil = one_in(3);
    if (out.with_stencil && !surface(out.stencil, "R8_UINT", samples, 1)) return false;
    state(out.state);
    if (one_in(6)) out.context.set_behavior(Behavior::Document);
    const RenderTargetMessage shape = message();
    for (unsigned k = 0; k < 3; ++k) out.messages.push_back(lanes_of(shape));
    if (one_in(2)) return true;
    for (unsigned k = 0; k < 16 * 32; ++k)
      out.sample_depths.push_back(one_in(6) ? cases_.odd_bits() : base::bits_of(random_.unit()));
    for (RenderTargetMessage& m : out.messages) {
      m.sample_depths = out.sample_depths.data();
      m.sample_depth_pitch = 32;
    }
    return true;
  }

 private:
  std::uint32_t below(std::uint32_t n) { return random_.below(n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

  std::string_view color_format() {
    constexpr std::string_view kFormats[] = {"R8G8B8A8_UNORM",     "R8G8B8A8_UNORM_SRGB",
                                             "B8G8R8A8_UNORM",     "B8G8R8X8_UNORM",
                                             "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT",
                                             "R32_FLOAT",          "R10G10B10A2_UNORM",
                                             "R11G11B10_FLOAT",    "R8G8B8A8_UINT",
                                             "R16G16B16A16_SINT",  "R32_UINT",
                                             "R8G8B8A8_SNORM",     "R8_UNORM",
                                             "R16G16_UNORM",       "B5G6R5_UNORM",
                                             "A8_UNORM",           "R16_FLOAT",
                                             "R32G32_UINT",        "R9G9B9E5_SHAREDEXP"};
    if (!one_in(6)) return kFormats[below(std::size(kFormats))];
    const auto all = image::all_formats();
    return all[below(static_cast<std::uint32_t>(all.size()))].name;
  }

  bool surface(Surface& s, std::string_view format, std::uint32_t samples, std::uint32_t extra) {
    s.type = samples == 1 && one_in(8) ? image::SurfaceType::Dim3 : image::SurfaceType::Dim2;
    s.format = image::find_format(format)->format;
    s.width = 12 + extra * 4 + below(8);
    s.height = 6 + extra * 4 + below(4);
    if (s.type == image::SurfaceType::Dim3) s.depth = 3;
    s.samples = samples;
    if (s.type == image::SurfaceType::Dim2 && one_in(3)) {
      s.array = true;
      s.layers = s.view_layers = 3;
      s.min_array_element = below(2);
    }
    s.rt_extent = s.type == image::SurfaceType::Dim3 ? 2 : s.layers - 1 - s.min_array_element;
    if (samples == 1 && one_in(4)) {
      s.levels = 2;
      s.mip_count = 1;
      s.rt_level = extra == 0 ? below(2) : 0;
    }
    if (one_in(10)) s.rotation = 90 * below(4);
    if (one_in(10)) s.tile_mode = static_cast<image::TileMode>(1 + below(5));
    if (one_in(5)) {
      constexpr image::ChannelSelect kSelects[] = {image::ChannelSelect::Zero, image::ChannelSelect::Red,
                                                   image::ChannelSelect::Green, image::ChannelSelect::Blue,
                                                   image::ChannelSelect::Alpha};
      for (auto& select : s.swizzle) select = kSelects[below(5)];
    }
    if (!image::allocate(s).ok() || !s.memory) return false;
    for (auto& byte : *s.memory) byte = static_cast<std::uint8_t>(random_.word());
    if (format == "R32_FLOAT" && !one_in(3))
      for (std::size_t at = 0; at + 4 <= s.memory->size(); at += 4) {
        const float x = random_.unit();
        std::memcpy(s.memory->data() + at, &x, 4);
      }
    return true;
  }

  void state(OutputState& s) {
    for (BlendEntry& entry : s.blend) {
      constexpr BlendFactor kFactors[] = {
          BlendFactor::One,         BlendFactor::SrcColor,         BlendFactor::SrcAlpha,      BlendFactor::DstAlpha,
          BlendFactor::DstColor,    BlendFactor::SrcAlphaSaturate, BlendFactor::ConstColor,    BlendFactor::ConstAlpha,
          BlendFactor::Zero,        BlendFactor::InvSrcColor,      BlendFactor::InvSrcAlpha,   BlendFactor::InvDstAlpha,
          BlendFactor::InvDstColor, BlendFactor::InvConstColor,    BlendFactor::InvConstAlpha, BlendFactor::Src1Color};
      const auto factor = [&] { return kFactors[below(one_in(10) ? 16 : 15)]; };
      entry.enable = one_in(2);
      entry.src_color = factor();
      entry.dst_color = factor();
      entry.src_alpha = factor();
      entry.dst_alpha = factor();
      entry.color_func = static_cast<BlendFunction>(below(5));
      entry.alpha_blend_func = static_cast<BlendFunction>(below(5));
      if (one_in(3))
        for (bool& disabled : entry.write_disable) disabled = one_in(2);
      entry.logic_op_enable = one_in(20);
      entry.logic_op = static_cast<LogicOp>(below(16));
      entry.pre_blend_clamp = one_in(3);
      entry.pre_blend_src_only_clamp = one_in(2);
      entry.post_blend_clamp = one_in(3);
      entry.clamp_range = static_cast<image::ClampRange>(below(3));
    }
    s.independent_alpha = one_in(2);
    s.alpha_to_coverage = one_in(4);
    s.alpha_to_coverage_single = one_in(2);
    s.alpha_to_one = one_in(6);
    s.alpha_test = one_in(4);
    s.alpha_func = static_cast<image::CompareFunction>(below(8));
    s.alpha_ref = random_.unit();
    s.alpha_format = static_cast<image::AlphaFormat>(below(2));
    s.dither = one_in(20);
    for (float& c : s.constant) c = random_.between(-1, 2);
    s.depth_test = one_in(2);
    s.depth_write = one_in(2);
    s.depth_func = static_cast<image::CompareFunction>(below(8));
    if (one_in(3)) s.depth_range = {0.25f, 0.75f};
    if (one_in(4)) {
      s.viewport_count = static_cast<std::uint8_t>(1 + below(16));
      for (auto& v : s.viewports) v = {random_.unit() * 0.5f, 0.5f + random_.unit() * 0.5f};
    }
    s.stencil_test = one_in(2);
    s.stencil_write = one_in(2);
    s.double_sided = one_in(2);
    for (image::StencilFace* face : {&s.front, &s.back}) {
      face->func = static_cast<image::CompareFunction>(below(8));
      face->fail_op = static_cast<StencilOp>(below(8));
      face->zfail_op = static_cast<StencilOp>(below(8));
      face->pass_op = static_cast<StencilOp>(below(8));
      face->test_mask = static_cast<std::uint8_t>(one_in(2) ? 255 : random_.word());
      face->write_mask = static_cast<std::uint8_t>(one_in(2) ? 255 : random_.word());
      face->ref = static_cast<std::uint8_t>(random_.word());
    }
  }

  RenderTargetMessage message() {
    RenderTargetMessage m;
    m.simd = one_in(2) ? 8 : 16;
    m.rti = below(8);
    m.last = !one_in(4);
    m.per_sample = one_in(10);
    m.coarse = one_in(20);
    m.coarse_size = {2, 2};
    m.null_rt = one_in(20);
    m.type = one_in(4) ? PayloadType::HF : PayloadType::F;
    for (auto* slot : {&m.r, &m.g, &m.b, &m.a})
      if (!one_in(10)) slot->emplace();
    if (one_in(4)) m.s0a.emplace();
    if (one_in(4)) m.omask.emplace();
    if (one_in(3)) m.z.emplace();
    if (one_in(4)) m.stencil.emplace();
    return m;
  }

  RenderTargetMessage lanes_of(RenderTargetMessage m) {
    m.active = one_in(2) ? 0xffff : random_.word() & 0xffff;
    m.header.enables = one_in(2) ? 0xffff : random_.word() & 0xffff;
    const bool row = one_in(2);
    const std::uint32_t x = below(7) * 2, y = below(4) * 2;
    for (std::uint32_t k = 0; k < 4; ++k) {
      m.header.x[k] = row ? x + 2 * k : below(9) * 2;
      m.header.y[k] = row ? y : below(5) * 2;
    }
    if (one_in(3)) {  // the last thread of a primitive: subspans that are not there have place 0 (PIX-15)
      const std::uint32_t count = 1 + below(4);
      m.header.enables &= (1u << 4 * count) - 1;
      for (std::uint32_t k = count; k < 4; ++k) m.header.x[k] = m.header.y[k] = 0;
    }
    m.header.array_index = one_in(2) ? 0 : below(5);
    m.header.back = one_in(2);
    m.header.viewport = below(16);
    m.header.sspi = below(8);
    const auto fill = [&](std::optional<SlotWords>& words, bool float_lane) {
      if (!words) return;
      for (auto& word : *words) {
        if (!float_lane) {
          word = random_.word();
        } else if (m.type == PayloadType::HF) {
          word = one_in(6) ? random_.word() & 0xffff : base::float_to_half(random_.between(-0.5f, 1.5f));
        } else {
          word = one_in(6) ? cases_.odd_bits() : base::bits_of(random_.between(-0.5f, 1.5f));
        }
      }
    };
    for (auto* slot : {&m.r, &m.g, &m.b, &m.a, &m.s0a}) fill(*slot, true);
    fill(m.omask, false);
    fill(m.stencil, false);
    if (m.z)
      for (auto& word : *m.z) word = one_in(6) ? cases_.odd_bits() : base::bits_of(random_.unit());
    for (auto& depth : m.frag_depth) depth = random_.unit();
    if (one_in(2))
      for (auto& mask : m.sample_mask) mask = random_.word() & 0xffff;
    return m;
  }

  Random& random_;
  Cases<Random> cases_;
};

OutputTargets targets_of(TargetCase& c) {
  OutputTargets t;
  if (c.with_color) t.color.push_back(&c.color);
  if (c.with_depth) t.depth = &c.depth;
  if (c.with_stencil) t.stencil = &c.stencil;
  return t;
}

std::string first_difference(const TargetCase& a, const TargetCase& b) {
  const auto differ = [](std::string_view name, const Surface& x, const Surface& y) -> std::string {
    if (!x.memory) return {};
    for (std::size_t k = 0; k < x.memory->size(); ++k)
      if ((*x.memory)[k] != (*y.memory)[k])
        return fmt::format("{} byte {} of {}: {:02x}, reference {:02x}", name, k, x.info().name, (*y.memory)[k],
                           (*x.memory)[k]);
    return {};
  };
  std::string text = differ("color", a.color, b.color);
  if (text.empty() && a.with_depth) text = differ("depth", a.depth, b.depth);
  if (text.empty() && a.with_stencil) text = differ("stencil", a.stencil, b.stencil);
  return text;
}

bool check(std::uint64_t seed, unsigned& fast, unsigned& all) {
  for (unsigned target = 0; target <= static_cast<unsigned>(texture::simd::best_instruction_set()); ++target) {
    Random random(seed), again(seed);
    TargetCase expected, actual;
    if (!TargetCases(random).make(expected) || !TargetCases(again).make(actual)) return true;
    for (const RenderTargetMessage& m : expected.messages)
      write_render_target(expected.context, targets_of(expected), expected.state, m);
    const auto prepared =
        render_target::simd::prepare(targets_of(actual), actual.state, actual.messages[0], actual.context);
    if (target == 0) {
      ++all;
      fast += render_target::simd::is_fast(*prepared);
    }
    for (const RenderTargetMessage& m : actual.messages)
      render_target::simd::write(*prepared, m, actual.context, static_cast<texture::simd::InstructionSet>(target));
    const std::string difference = first_difference(expected, actual);
    const bool reports = expected.context.reports.all().size() == actual.context.reports.all().size();
    if (!difference.empty() || !reports) {
      const RenderTargetMessage& m = expected.messages[0];
      ADD_FAILURE() << fmt::format(
          "HEDDLE_SIMD_SEED={} target {} (fast {}): {}{}; simd {} half {} samples {} depth {} stencil {} blend {} "
          "last {}",
          seed, target, render_target::simd::is_fast(*prepared), difference, reports ? "" : " other reports", m.simd,
          m.type == PayloadType::HF, expected.color.samples, expected.with_depth, expected.with_stencil,
          expected.state.blend[m.rti].enable, m.last);
      return false;
    }
  }
  return true;
}

TEST(Lanes, RandomTargetWritesGiveTheBytesOfTheReference) {
  unsigned fast = 0, all = 0, failures = 0;
  const Seeds seeds(8000, 300000);
  for (std::uint64_t seed = seeds.first; seed < seeds.end() && failures < 10; ++seed)
    if (!check(seed, fast, all)) ++failures;
  if (!seeds.alone) EXPECT_GT(fast, all / 5);
}

// RTW-16: what changes no target is never left to the reference, but where samples that pass are counted.
TEST(Lanes, AMessageWithoutATargetDoesNothing) {
  Surface none;
  none.type = image::SurfaceType::Null;
  std::atomic<std::uint64_t> passed = 0;
  for (const bool counts : {false, true}) {
    OutputTargets targets;
    targets.color.push_back(&none);
    if (counts) targets.samples_passed = &passed;
    RenderTargetMessage m;
    m.simd = 16;
    m.last = true;
    m.active = 0xffff;
    m.header.enables = 0xffff;
    for (auto* slot : {&m.r, &m.g, &m.b, &m.a}) slot->emplace();
    OperationContext context;
    const auto prepared = render_target::simd::prepare(targets, {}, m, context);
    EXPECT_EQ(render_target::simd::is_fast(*prepared), !counts);
    render_target::simd::write(*prepared, m, context);
  }
  EXPECT_EQ(passed, 16u);
}

/// How often a message of these subspans was left to the reference.
unsigned fallbacks(std::vector<std::uint32_t> places, std::uint32_t enables = 0xffff) {
  Surface color;
  color.format = image::Format::R8G8B8A8_UNORM;
  color.width = color.height = 16;
  EXPECT_TRUE(image::allocate(color).ok());
  OutputTargets targets;
  targets.color.push_back(&color);
  RenderTargetMessage m;
  m.simd = 16;
  m.last = true;
  for (auto* slot : {&m.r, &m.g, &m.b, &m.a}) slot->emplace();
  m.header.enables = enables & ((1u << 4 * places.size()) - 1);
  for (std::size_t k = 0; k < places.size(); ++k) {
    m.header.x[k] = places[k] & 0xffffu;
    m.header.y[k] = places[k] >> 16;
  }
  OperationContext context;
  const auto prepared = render_target::simd::prepare(targets, {}, m, context);
  EXPECT_TRUE(render_target::simd::is_fast(*prepared));
  static unsigned calls;
  calls = 0;
  prepared->dynamic_state.fallback = [](const render_target::simd::DynamicState*, const render_target::simd::Inputs*,
                                        std::uint32_t, std::uint32_t, void*) { ++calls; };
  render_target::simd::write(*prepared, m, context);
  return calls;
}

TEST(Lanes, ThreadsWithFewSubspansAreNotLeftToTheReference) {
  EXPECT_EQ(fallbacks({4 | 2 << 16}), 0u);  // places 1 to 3 read 0
  EXPECT_EQ(fallbacks({0}), 0u);            // the same place, but with lanes
  EXPECT_EQ(fallbacks({4 | 2 << 16, 8 | 2 << 16}), 0u);
  EXPECT_EQ(fallbacks({4 | 2 << 16, 8 | 6 << 16, 0, 2}), 0u);
  EXPECT_EQ(fallbacks({4 | 2 << 16, 8 | 2 << 16, 4 | 2 << 16}), 1u);         // the order of the slots decides
  EXPECT_EQ(fallbacks({4 | 2 << 16, 8 | 2 << 16, 4 | 2 << 16}, 0xcf3), 0u);  // no pixel is there twice
  EXPECT_EQ(fallbacks({4 | 2 << 16, 8 | 2 << 16, 4 | 2 << 16}, 0xef3), 1u);
}

}  // namespace
}  // namespace heddle::texture::test
