// SPDX-License-Identifier: MIT
// BLEND_STATE, COLOR_CALC_STATE, 3DSTATE_WM_DEPTH_STENCIL, CC_VIEWPORT <-> OutputState: HW-13, HW-14.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "image/hardware/state.hpp"

namespace heddle::image::hardware {
namespace {

/// The positions are the same on all generations.
constexpr Generation kAny = Generation::Gen9;

base::Diagnostic reserved_code(std::string_view name, std::uint64_t value) {
  return base::error("state-value", fmt::format("{} = {} is reserved", name, value));
}

bool factor_valid(std::uint64_t code) {
  return (code >= 0x01 && code <= 0x0A) || (code >= 0x11 && code <= 0x15) || (code >= 0x17 && code <= 0x1A);
}

/// A disabled entry may hold anything in its blend fields; only what is in use is checked.
base::Result<BlendEntry> to_entry(const DecodedState& state) {
  BlendEntry entry;
  entry.enable = state.get("enable") != 0;
  const auto factor = [&](std::string_view name, BlendFactor& out) {
    if (factor_valid(state.get(name))) out = static_cast<BlendFactor>(state.get(name));
    return factor_valid(state.get(name)) || !entry.enable;
  };
  const auto function = [&](std::string_view name, BlendFunction& out) {
    if (state.get(name) <= 4) out = static_cast<BlendFunction>(state.get(name));
    return state.get(name) <= 4 || !entry.enable;
  };
  for (const auto& [name, out] : {std::pair{"src_color", &entry.src_color}, std::pair{"dst_color", &entry.dst_color},
                                  std::pair{"src_alpha", &entry.src_alpha}, std::pair{"dst_alpha", &entry.dst_alpha}})
    if (!factor(name, *out)) return reserved_code(name, state.get(name));
  for (const auto& [name, out] :
       {std::pair{"color_func", &entry.color_func}, std::pair{"alpha_blend_func", &entry.alpha_blend_func}})
    if (!function(name, *out)) return reserved_code(name, state.get(name));
  entry.write_disable = {state.get("write_disable_r") != 0, state.get("write_disable_g") != 0,
                         state.get("write_disable_b") != 0, state.get("write_disable_a") != 0};
  entry.logic_op_enable = state.get("logic_op_enable") != 0;
  entry.logic_op = static_cast<LogicOp>(state.get("logic_op"));
  entry.pre_blend_src_only_clamp = state.get("pre_blend_src_only_clamp") != 0;
  entry.pre_blend_clamp = state.get("pre_blend_clamp") != 0;
  entry.post_blend_clamp = state.get("post_blend_clamp") != 0;
  if (state.get("clamp_range") == 3) return reserved_code("clamp_range", 3);
  entry.clamp_range = static_cast<ClampRange>(state.get("clamp_range"));
  return entry;
}

DecodedState from_entry(const BlendEntry& entry) {
  DecodedState state;
  state.kind = StateKind::BlendStateEntry;
  state.generation = kAny;
  state.set("enable", entry.enable);
  state.set("src_color", static_cast<std::uint64_t>(entry.src_color));
  state.set("dst_color", static_cast<std::uint64_t>(entry.dst_color));
  state.set("color_func", static_cast<std::uint64_t>(entry.color_func));
  state.set("src_alpha", static_cast<std::uint64_t>(entry.src_alpha));
  state.set("dst_alpha", static_cast<std::uint64_t>(entry.dst_alpha));
  state.set("alpha_blend_func", static_cast<std::uint64_t>(entry.alpha_blend_func));
  constexpr std::array<std::string_view, 4> disables{"write_disable_r", "write_disable_g", "write_disable_b",
                                                     "write_disable_a"};
  for (unsigned c = 0; c < 4; ++c) state.set(disables[c], entry.write_disable[c]);
  state.set("logic_op_enable", entry.logic_op_enable);
  state.set("logic_op", static_cast<std::uint64_t>(entry.logic_op));
  state.set("pre_blend_src_only_clamp", entry.pre_blend_src_only_clamp);
  state.set("clamp_range", static_cast<std::uint64_t>(entry.clamp_range));
  state.set("pre_blend_clamp", entry.pre_blend_clamp);
  state.set("post_blend_clamp", entry.post_blend_clamp);
  return state;
}

float as_float(const DecodedState& state, std::string_view name) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(state.get(name)));
}

std::vector<std::uint32_t> encode_known(const DecodedState& state) {
  auto words = encode_state(state);  // every value comes from a typed field that fits
  return words.ok() ? *words : std::vector<std::uint32_t>(dword_count(state.kind));
}

}  // namespace

base::Result<base::Done> apply_blend_state(OutputState& output, std::span<const std::uint32_t> words) {
  if (words.empty() || words.size() % 2 == 0 || words.size() > 17)
    return base::error(
        "state-size",
        fmt::format("BLEND_STATE has one dword and two for each of up to 8 targets, not {} dwords", words.size()));
  auto header = decode_state(StateKind::BlendStateHeader, kAny, words.first(1));
  if (!header.ok()) return header.failure();
  OutputState result = output;
  result.alpha_to_coverage = header->get("alpha_to_coverage") != 0;
  result.independent_alpha = header->get("independent_alpha") != 0;
  result.alpha_to_one = header->get("alpha_to_one") != 0;
  result.alpha_to_coverage_dither = header->get("alpha_to_coverage_dither") != 0;
  result.alpha_test = header->get("alpha_test") != 0;
  result.alpha_func = static_cast<CompareFunction>(header->get("alpha_func"));
  result.dither = header->get("dither") != 0;
  result.dither_x = static_cast<std::uint8_t>(header->get("dither_x"));
  result.dither_y = static_cast<std::uint8_t>(header->get("dither_y"));
  for (std::size_t target = 0; target * 2 + 2 < words.size(); ++target) {
    auto decoded = decode_state(StateKind::BlendStateEntry, kAny, words.subspan(1 + target * 2, 2));
    if (!decoded.ok()) return decoded.failure();
    auto entry = to_entry(*decoded);
    if (!entry.ok()) return entry.failure();
    result.blend[target] = *entry;
  }
  output = result;
  return base::Done{};
}

base::Result<base::Done> apply_color_calc_state(OutputState& output, std::span<const std::uint32_t> words) {
  auto state = decode_state(StateKind::ColorCalcState, kAny, words);
  if (!state.ok()) return state.failure();
  output.alpha_format = static_cast<AlphaFormat>(state->get("alpha_format"));
  // A UNORM8 reference is an integer in the low byte; OutputState holds its real value.
  output.alpha_ref = output.alpha_format == AlphaFormat::Unorm8
                         ? static_cast<float>(state->get("alpha_ref") & 0xFF) / 255.0f
                         : as_float(*state, "alpha_ref");
  constexpr std::array<std::string_view, 4> names{"constant_r", "constant_g", "constant_b", "constant_a"};
  for (unsigned c = 0; c < 4; ++c) output.constant[c] = as_float(*state, names[c]);
  return base::Done{};
}

base::Result<base::Done> apply_wm_depth_stencil(OutputState& output, std::span<const std::uint32_t> words) {
  auto state = decode_state(StateKind::WmDepthStencil, kAny, words);
  if (!state.ok()) return state.failure();
  output.depth_write = state->get("depth_write") != 0;
  output.depth_test = state->get("depth_test") != 0;
  output.stencil_write = state->get("stencil_write") != 0;
  output.stencil_test = state->get("stencil_test") != 0;
  output.double_sided = state->get("double_sided") != 0;
  output.depth_func = static_cast<CompareFunction>(state->get("depth_func"));
  const auto byte = [&](std::string_view name) { return static_cast<std::uint8_t>(state->get(name)); };
  output.front = {static_cast<CompareFunction>(byte("stencil_func")),
                  static_cast<StencilOp>(byte("fail_op")),
                  static_cast<StencilOp>(byte("zfail_op")),
                  static_cast<StencilOp>(byte("pass_op")),
                  byte("test_mask"),
                  byte("write_mask"),
                  byte("ref")};
  output.back = {static_cast<CompareFunction>(byte("back_func")),
                 static_cast<StencilOp>(byte("back_fail_op")),
                 static_cast<StencilOp>(byte("back_zfail_op")),
                 static_cast<StencilOp>(byte("back_pass_op")),
                 byte("back_test_mask"),
                 byte("back_write_mask"),
                 byte("back_ref")};
  return base::Done{};
}

base::Result<base::Done> apply_cc_viewports(OutputState& output, std::span<const std::uint32_t> words) {
  if (words.empty() || words.size() % 2 != 0 || words.size() > 32)
    return base::error(
        "state-size",
        fmt::format("CC_VIEWPORT has two dwords for each of up to 16 viewports, not {} dwords", words.size()));
  output.viewport_count = static_cast<std::uint8_t>(words.size() / 2);
  for (std::size_t i = 0; i < words.size() / 2; ++i)
    output.viewports[i] = {std::bit_cast<float>(words[2 * i]), std::bit_cast<float>(words[2 * i + 1])};
  output.depth_range = output.viewports[0];
  return base::Done{};
}

std::vector<std::uint32_t> blend_state_words(const OutputState& output, unsigned targets) {
  DecodedState header;
  header.kind = StateKind::BlendStateHeader;
  header.generation = kAny;
  header.set("alpha_to_coverage", output.alpha_to_coverage);
  header.set("independent_alpha", output.independent_alpha);
  header.set("alpha_to_one", output.alpha_to_one);
  header.set("alpha_to_coverage_dither", output.alpha_to_coverage_dither);
  header.set("alpha_test", output.alpha_test);
  header.set("alpha_func", static_cast<std::uint64_t>(output.alpha_func));
  header.set("dither", output.dither);
  header.set("dither_x", output.dither_x & 3u);
  header.set("dither_y", output.dither_y & 3u);
  std::vector<std::uint32_t> words = encode_known(header);
  for (unsigned target = 0; target < std::min(targets, 8u); ++target) {
    const auto entry = encode_known(from_entry(output.blend[target]));
    words.insert(words.end(), entry.begin(), entry.end());
  }
  return words;
}

std::vector<std::uint32_t> color_calc_state_words(const OutputState& output) {
  std::vector<std::uint32_t> words(6);
  words[0] = static_cast<std::uint32_t>(output.alpha_format);
  words[1] = std::bit_cast<std::uint32_t>(output.alpha_ref);
  if (output.alpha_format == AlphaFormat::Unorm8) {
    const float clamped = output.alpha_ref > 0 ? std::min(output.alpha_ref, 1.0f) : 0.0f;
    words[1] = static_cast<std::uint32_t>(std::lround(clamped * 255.0f));
  }
  for (unsigned c = 0; c < 4; ++c) words[2 + c] = std::bit_cast<std::uint32_t>(output.constant[c]);
  return words;
}

std::vector<std::uint32_t> wm_depth_stencil_words(const OutputState& output, std::uint32_t header) {
  DecodedState state;
  state.kind = StateKind::WmDepthStencil;
  state.generation = kAny;
  state.reserved = {header, 0, 0, 0};
  state.set("depth_write", output.depth_write);
  state.set("depth_test", output.depth_test);
  state.set("stencil_write", output.stencil_write);
  state.set("stencil_test", output.stencil_test);
  state.set("double_sided", output.double_sided);
  state.set("depth_func", static_cast<std::uint64_t>(output.depth_func));
  state.set("stencil_func", static_cast<std::uint64_t>(output.front.func));
  state.set("fail_op", static_cast<std::uint64_t>(output.front.fail_op));
  state.set("zfail_op", static_cast<std::uint64_t>(output.front.zfail_op));
  state.set("pass_op", static_cast<std::uint64_t>(output.front.pass_op));
  state.set("test_mask", output.front.test_mask);
  state.set("write_mask", output.front.write_mask);
  state.set("ref", output.front.ref);
  state.set("back_func", static_cast<std::uint64_t>(output.back.func));
  state.set("back_fail_op", static_cast<std::uint64_t>(output.back.fail_op));
  state.set("back_zfail_op", static_cast<std::uint64_t>(output.back.zfail_op));
  state.set("back_pass_op", static_cast<std::uint64_t>(output.back.pass_op));
  state.set("back_test_mask", output.back.test_mask);
  state.set("back_write_mask", output.back.write_mask);
  state.set("back_ref", output.back.ref);
  return encode_known(state);
}

std::optional<Format> depth_format(std::uint32_t code) {
  switch (code) {
    case 1:
      return Format::R32_FLOAT;  // D32_FLOAT
    case 3:
      return static_cast<Format>(0x0D9);  // D24_UNORM_X8_UINT as R24_UNORM_X8_TYPELESS
    case 5:
      return static_cast<Format>(0x10A);  // D16_UNORM as R16_UNORM
    default:
      return std::nullopt;
  }
}

PixelShaderExtra decode_ps_extra(std::uint32_t dword1, Generation generation) {
  const auto bit = [&](unsigned index) { return (dword1 >> index & 1) != 0; };
  return {bit(7), bit(6), bit(5), generation != Generation::Gen9 && bit(4), bit(29), bit(30)};
}

}  // namespace heddle::image::hardware
