// SPDX-License-Identifier: MIT
#pragma once
// Random surfaces, samplers and lanes for the vector functions, from any source of 32-bit words (a seed, a fuzzer's
// bytes).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "image/surface.hpp"
#include "support/number_variable.hpp"
#include "texture/request.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::texture::test {

/// Seeds of a random test: the one that HEDDLE_SIMD_SEED says; else as many from 1 on as HEDDLE_SIMD_CASES says, else
/// `usual` of them, or `all` with HEDDLE_TEST_ALL.
struct Seeds {
  Seeds(std::uint64_t usual, std::uint64_t all) {
    const auto seed = heddle::test::number_variable("HEDDLE_SIMD_SEED");
    alone = seed.has_value();
    first = seed.value_or(1);
    const auto cases = heddle::test::number_variable("HEDDLE_SIMD_CASES");
    count = alone ? 1 : cases.value_or(std::getenv("HEDDLE_TEST_ALL") != nullptr ? all : usual);
  }
  std::uint64_t first, count;
  bool alone;
  [[nodiscard]] std::uint64_t end() const { return first + count; }
};

/// `Source::word()` gives 32 bits.
template <typename Source>
class Cases {
 public:
  explicit Cases(Source& source) : source_(source) {}

  std::uint32_t below(std::uint32_t n) { return source_.word() % n; }
  bool chance(std::uint32_t one_in) { return below(one_in) == 0; }

  image::Format format() {
    static constexpr std::string_view kCommon[] = {"R8G8B8A8_UNORM",     "R8G8B8A8_UNORM_SRGB",
                                                   "B8G8R8A8_UNORM",     "R32_FLOAT",
                                                   "R16G16B16A16_FLOAT", "R32G32B32A32_FLOAT",
                                                   "R8_UNORM",           "R8G8_UNORM",
                                                   "R16_FLOAT",          "R16_UNORM",
                                                   "R10G10B10A2_UNORM",  "R11G11B10_FLOAT",
                                                   "R8G8B8A8_UINT",      "R8G8B8A8_SNORM",
                                                   "R32_UINT",           "R32G32_FLOAT",
                                                   "R9G9B9E5_SHAREDEXP", "R24_UNORM_X8_TYPELESS",
                                                   "A8_UNORM",           "L8_UNORM",
                                                   "R16G16B16A16_SINT",  "R16G16_SNORM",
                                                   "B5G6R5_UNORM"};
    if (chance(4)) {
      const auto all = image::all_formats();
      return all[below(static_cast<std::uint32_t>(all.size()))].format;
    }
    const image::FormatInfo* info = image::find_format(kCommon[below(std::size(kCommon))]);
    return info != nullptr ? info->format : image::Format::R8G8B8A8_UNORM;
  }

  std::uint32_t side(std::uint32_t most) {
    const std::uint32_t kind = below(4);
    if (kind == 0) return 1u << below(6);
    return 1 + below(kind == 1 ? 4 : most);
  }

  /// A surface with texels; false when the state does not fit together.
  bool surface(image::Surface& s) {
    using image::SurfaceType;
    constexpr SurfaceType kTypes[] = {SurfaceType::Dim2, SurfaceType::Dim2, SurfaceType::Dim2, SurfaceType::Dim1,
                                      SurfaceType::Dim3, SurfaceType::Cube, SurfaceType::Cube, SurfaceType::Buffer};
    s = {};
    s.type = chance(60) ? SurfaceType::Null : kTypes[below(8)];
    s.format = format();
    s.width = chance(3) ? (chance(2) ? 32u << below(3) : 17 + below(90)) : side(40);  // wide enough for runs of lanes
    s.height = s.type == SurfaceType::Dim1 ? 1 : s.type == SurfaceType::Cube ? s.width : side(40);
    s.depth = s.type == SurfaceType::Dim3 ? side(9) : 1;
    s.levels = chance(2) ? 1 : 1 + below(6);
    const bool cube = s.type == SurfaceType::Cube, deep = s.type == SurfaceType::Dim3;
    s.array = !deep && chance(3);
    const std::uint32_t elements = s.array ? 1 + below(4) : 1;
    s.min_array_element = chance(4) && !deep ? below(3) : 0;
    s.layers = deep ? 1 : cube ? 6 * elements + s.min_array_element : elements + s.min_array_element;
    if (cube) s.layers = (s.layers + 5) / 6 * 6;
    s.view_layers = elements;
    s.surf_min_lod = chance(4) ? below(s.levels) : 0;
    s.mip_count = s.levels - 1 - s.surf_min_lod;
    if (chance(20)) s.mip_count = below(16);  // beyond the memory
    if (chance(6)) s.resource_min_lod = static_cast<std::int32_t>(below(5 * 256));
    if (chance(8)) s.unread_levels = below(4);
    if (chance(6)) s.base_mip_level = static_cast<std::int32_t>(below(6));
    if (s.type == SurfaceType::Dim2 && s.levels == 1 && chance(8)) s.samples = 1u << below(5);
    if (cube && chance(12)) s.cube_faces = below(64);
    if (chance(4))
      for (auto& select : s.swizzle) {
        constexpr image::ChannelSelect kSelects[] = {image::ChannelSelect::Zero, image::ChannelSelect::One,
                                                     image::ChannelSelect::Red,  image::ChannelSelect::Green,
                                                     image::ChannelSelect::Blue, image::ChannelSelect::Alpha};
        select = kSelects[below(6)];
      }
    if (s.is_buffer()) {
      s.levels = 1, s.mip_count = s.surf_min_lod = 0;
      s.entries = 1 + below(100);
      s.width = s.height = s.depth = s.layers = s.view_layers = 1;
      s.array = false;
      if (chance(3)) s.structure_size = 16 + 4 * below(4);
    }
    if (chance(12)) s.tile_mode = static_cast<image::TileMode>(1 + below(5));
    if (!image::allocate(s).ok()) return false;
    if (s.memory) {
      const std::uint32_t kind = below(4);
      for (auto& byte : *s.memory) byte = static_cast<std::uint8_t>(source_.word());
      if (kind != 0 && s.memory->size() >= 4 && s.info().value_class == image::ValueClass::Float) tame_floats(s, kind);
      if (chance(30) && s.memory->size() != 0) s.memory->resize(s.memory->size() - 1);  // C22
    }
    if (chance(20) && !s.is_buffer() && s.memory) s.null_texels = {{0, 0, 0, 0}};
    return true;
  }

  image::Sampler sampler() {
    image::Sampler s;
    constexpr image::MipFilter kMips[] = {image::MipFilter::None, image::MipFilter::Nearest, image::MipFilter::Linear};
    const auto filter = [&] { return static_cast<image::Filter>(chance(5) ? 2 : below(4) == 0 ? 0 : 1); };
    s.min_filter = filter();
    s.mag_filter = chance(2) ? s.min_filter : filter();
    s.mip_filter = kMips[below(3)];
    const auto mode = [&] { return static_cast<image::AddressMode>(below(8)); };
    s.tcx = mode();
    s.tcy = chance(2) ? s.tcx : mode();
    s.tcz = chance(2) ? s.tcx : mode();
    if (chance(4)) s.tcx = s.tcy = s.tcz = image::AddressMode::Cube;
    s.cube_override = chance(6);
    for (auto& word : s.border) word = chance(3) ? source_.word() : bits(unit());
    if (chance(4)) s.border_mode = image::BorderMode::Dx9;
    if (chance(3)) s.lod_bias = static_cast<std::int32_t>(below(8 * 256)) - 4 * 256;
    if (chance(3)) s.min_lod = static_cast<std::int32_t>(below(4 * 256));
    if (chance(3)) s.max_lod = static_cast<std::int32_t>(below(6 * 256));
    if (chance(2)) s.preclamp = image::LodPreClamp::None;
    if (chance(2)) s.lod_clamp_mag = image::LodClampMag::MipFilter;
    s.max_anisotropy = static_cast<std::uint8_t>(below(8));
    s.trilinear_quality = static_cast<std::uint8_t>(chance(3) ? below(4) : 0);
    s.non_normalized = chance(10);
    s.disable = chance(80);
    s.srgb_decode = !chance(6);
    s.compare = static_cast<image::CompareFunction>(below(8));
    s.reduction_enable = chance(6);
    s.reduction = static_cast<image::Reduction>(below(4));
    s.set_api_rounding();
    if (chance(4))
      for (unsigned axis = 0; axis < 3; ++axis) s.round_min[axis] = chance(2), s.round_mag[axis] = chance(2);
    s.cps_lod_compensation = chance(12);
    return s;
  }

  float unit() { return static_cast<float>(source_.word() >> 8) / 16777216.0f; }

  /// Coordinates of many kinds, far out and tiny ones among them; NaN, infinities, subnormals and any bits at times.
  LaneWords coordinates(float scale) {
    LaneWords words{};
    const std::uint32_t kind = below(6);
    // Around a power of two, from its neighbors in binary32 to half of it.
    const float power = std::ldexp(chance(2) ? 1.0f : -1.0f, static_cast<int>(below(46)) - 20);
    const float spread = std::ldexp(1.0f, -static_cast<int>(below(23)));
    const float start = unit() * 2 - 0.5f, step = kind == 0 ? 1.0f / 16 : (unit() - 0.5f) * 0.3f;
    for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
      float x = kind <= 1 ? start + static_cast<float>(kind == 0 ? k : k & 3) * step : unit() * 3 - 1;
      x *= scale;
      if (kind == 5) x = power * (1.0f + (unit() - 0.5f) * spread);
      words[k] = bits(x);
      if (kind == 4 && chance(3)) words[k] = odd_bits();
    }
    return words;
  }
  /// Lanes on neighboring texels of one row, or closer: `size` texels, in texels when `scale` is not 1.
  void make_run(LaneWords& u, std::uint32_t size, float scale) {
    const float start = static_cast<float>(below(3 * size)) - static_cast<float>(size) + unit();
    const float step = chance(3) ? unit() : 1.0f;
    for (std::uint32_t k = 0; k < kMaxLanes; ++k)
      u[k] = bits((start + static_cast<float>(k) * step) / (scale != 1.0f ? 1.0f : static_cast<float>(size)));
    if (chance(4)) u[below(kMaxLanes)] = odd_bits();
  }
  void make_even(LaneWords& words) {
    if (!chance(16)) words.fill(words[0]);
  }
  std::uint32_t odd_bits() {
    static constexpr std::uint32_t kOdd[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00000001,
                                             0x80000000, 0x00000000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x7f7fffff,
                                             0xff7fffff, 0x4b000000, 0xcb800001, 0x3efffffe, 0x3f000000, 0x807fffff};
    return chance(3) ? source_.word() : kOdd[below(std::size(kOdd))];
  }
  LaneWords integers(std::uint32_t most) {
    LaneWords words{};
    const bool wild = chance(5), even = chance(3);
    const std::uint32_t same = below(most + 1);
    for (auto& word : words) word = wild && chance(3) ? source_.word() : even ? same : below(most + 1);
    return words;
  }

  static std::uint32_t bits(float x) { return __builtin_bit_cast(std::uint32_t, x); }

 private:
  /// Most texels of float formats become ordinary numbers, so that filters are met with more than NaN.
  void tame_floats(image::Surface& s, std::uint32_t kind) {
    const image::FormatInfo& info = s.info();
    const std::uint32_t width = info.channels[0].bits / 8u;
    if (info.channels[0].type != image::ChannelType::Float || (width != 2 && width != 4)) return;
    for (std::size_t at = 0; at + width <= s.memory->size(); at += width) {
      if (chance(kind == 1 ? 1000 : 16)) continue;
      if (width == 4) {
        const float x = chance(2) ? unit() : unit() * 100 - 50;
        std::memcpy(s.memory->data() + at, &x, 4);
      } else {
        (*s.memory)[at + 1] &= 0xbb;  // no exponent of all ones
      }
    }
  }
  Source& source_;
};

/// One operation with its lanes.
struct LaneCase {
  image::Surface surface;
  image::Sampler sampler;
  std::vector<LaneWords> words;
  LaneRequest request;
  OperationContext context;
};

template <typename Source>
bool make_case(Source& source, LaneCase& out) {
  Cases<Source> cases(source);
  if (!cases.surface(out.surface)) return false;
  out.sampler = cases.sampler();
  const auto operations = all_operations();
  const Operation& op = operations[cases.below(static_cast<std::uint32_t>(operations.size()))];
  LaneRequest& r = out.request;
  r = {};
  r.op = op.op;
  r.simd = 8u << cases.below(3);
  r.active = cases.chance(3) ? source.word() : ~0u;
  r.surface = &out.surface;
  r.sampler = &out.sampler;
  r.source_channel = static_cast<std::uint8_t>(cases.below(4));
  r.half_parameters = !op.packed() && cases.chance(8);
  if (cases.chance(3))
    for (auto& offset : r.offset) offset = static_cast<std::int32_t>(cases.below(16)) - 8;
  if (cases.chance(12)) {
    r.cps_compensation = true;
    r.coarse_width = 1 + cases.below(4);
    r.coarse_height = 1 + cases.below(4);
  }
  out.context = OperationContext();
  if (cases.chance(5)) out.context.set_behavior(Behavior::Document);
  if (cases.chance(6)) out.context.platform = UnitPlatform::Xe2;
  out.words.assign(kParamCount, {});
  const float scale = out.sampler.non_normalized ? 40.0f : 1.0f;
  const bool run = (op.family == OperationKind::Sample || op.family == OperationKind::Gather4) && cases.chance(3);
  std::size_t next = 0;
  for (const Param p : parameters(op, r.half_parameters).all()) {
    if (cases.chance(12)) continue;  // EXE-6
    LaneWords& words = out.words[next++];
    const bool load = op.family == OperationKind::Load || op.family == OperationKind::Info;
    switch (p) {
      case Param::U:
      case Param::V:
      case Param::R:
        words = load ? cases.integers(p == Param::U ? 45 : p == Param::V ? 30 : 4) : cases.coordinates(scale);
        if (run && p == Param::U) cases.make_run(words, std::max(1u, out.surface.width >> cases.below(2)), scale);
        if (run && p != Param::U) cases.make_even(words);
        break;
      case Param::Ai:
        words = cases.coordinates(3.0f);
        if (run) cases.make_even(words);
        break;
      case Param::Lod:
      case Param::Bias:
      case Param::Mlod:
        words = load ? cases.integers(5) : cases.coordinates(4.0f);
        if (run) cases.make_even(words);
        break;
      case Param::Ref:
        words = cases.coordinates(1.0f);
        break;
      case Param::DuDx:
      case Param::DuDy:
      case Param::DvDx:
      case Param::DvDy:
      case Param::DrDx:
      case Param::DrDy:
        words = cases.coordinates(0.2f);
        break;
      default:
        for (auto& word : words) word = source.word();
        break;
    }
    r.set(p, words);
  }
  return true;
}

/// The first lane and channel that differ, or nothing; NaN must have the same bits too.
struct Difference {
  bool found = false;
  unsigned channel = 0, lane = 0;
  std::uint32_t expected = 0, actual = 0;
};
inline Difference compare_results(const LaneResult& expected, const LaneResult& actual, unsigned simd) {
  for (unsigned c = 0; c < 4; ++c)
    for (unsigned k = 0; k < simd; ++k)
      if (expected.channels[c][k] != actual.channels[c][k])
        return {true, c, k, expected.channels[c][k], actual.channels[c][k]};
  if (expected.null_mask != actual.null_mask) return {true, 4, 0, expected.null_mask, actual.null_mask};
  if (expected.value_class != actual.value_class)
    return {true, 5, 0, static_cast<std::uint32_t>(expected.value_class),
            static_cast<std::uint32_t>(actual.value_class)};
  return {};
}

}  // namespace heddle::texture::test
