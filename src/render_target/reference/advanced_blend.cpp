// SPDX-License-Identifier: MIT
// Advanced blend operations as functions of values: OM-26.

#include "render_target/reference/advanced_blend.hpp"

#include <algorithm>
#include <cmath>

#include "base/half.hpp"
#include "texture/filter.hpp"

namespace heddle::render_target {
namespace {

using image::AdvancedBlend;
using image::AdvancedBlendOp;
using image::BlendOverlap;
using texture::rule_max;
using texture::rule_min;
using Rgb = std::array<float, 3>;

/// X, Y and Z: whether what both cover, the source alone and the destination alone have a part.
struct Parts {
  float both, source, destination;
};

Parts parts_of(AdvancedBlendOp op) {
  switch (op) {
    case AdvancedBlendOp::Zero:
      return {0, 0, 0};
    case AdvancedBlendOp::Src:
    case AdvancedBlendOp::DstAtop:
      return {1, 1, 0};
    case AdvancedBlendOp::Dst:
    case AdvancedBlendOp::SrcAtop:
    case AdvancedBlendOp::Invert:
    case AdvancedBlendOp::InvertRgb:
      return {1, 0, 1};
    case AdvancedBlendOp::SrcIn:
    case AdvancedBlendOp::DstIn:
      return {1, 0, 0};
    case AdvancedBlendOp::SrcOut:
      return {0, 1, 0};
    case AdvancedBlendOp::DstOut:
      return {0, 0, 1};
    case AdvancedBlendOp::Xor:
      return {0, 1, 1};
    default:
      return {1, 1, 1};
  }
}

/// p0, p1 and p2: how much of the pixel each of those parts is.
Parts weights_of(BlendOverlap overlap, float s, float d) {
  switch (overlap) {
    case BlendOverlap::Conjoint:
      return {rule_min(s, d), rule_max(s - d, 0.0f), rule_max(d - s, 0.0f)};
    case BlendOverlap::Disjoint:
      return {rule_max(s + d - 1.0f, 0.0f), rule_min(s, 1.0f - d), rule_min(d, 1.0f - s)};
    case BlendOverlap::Uncorrelated:
      break;
  }
  return {s * d, s * (1.0f - d), d * (1.0f - s)};
}

float hard_light(float s, float d) { return s <= 0.5f ? 2.0f * s * d : 1.0f - 2.0f * (1.0f - s) * (1.0f - d); }

float soft_light(float s, float d) {
  if (s <= 0.5f) return d - (1.0f - 2.0f * s) * d * (1.0f - d);
  if (d <= 0.25f) return d + (2.0f * s - 1.0f) * d * ((16.0f * d - 12.0f) * d + 3.0f);
  return d + (2.0f * s - 1.0f) * (std::sqrt(d) - d);
}

float color_dodge(float s, float d) {
  if (d <= 0.0f) return 0.0f;
  return s < 1.0f ? rule_min(1.0f, d / (1.0f - s)) : 1.0f;
}

float color_burn(float s, float d) {
  if (d >= 1.0f) return 1.0f;
  return s > 0.0f ? 1.0f - rule_min(1.0f, (1.0f - d) / s) : 0.0f;
}

float vivid_light(float s, float d) {
  if (s <= 0.0f) return 0.0f;
  if (s < 0.5f) return 1.0f - rule_min(1.0f, (1.0f - d) / (2.0f * s));
  return s < 1.0f ? rule_min(1.0f, d / (2.0f * (1.0f - s))) : 1.0f;
}

float pin_light(float s, float d) {
  if (2.0f * s - 1.0f > d) return s < 0.5f ? 0.0f : 2.0f * s - 1.0f;
  return s < 0.5f * d ? 2.0f * s : d;
}

/// f of one component, for the operations that take them one by one.
float mix(AdvancedBlendOp op, float s, float d) {
  switch (op) {
    case AdvancedBlendOp::Src:
    case AdvancedBlendOp::SrcOver:
    case AdvancedBlendOp::SrcIn:
    case AdvancedBlendOp::SrcAtop:
      return s;
    case AdvancedBlendOp::Dst:
    case AdvancedBlendOp::DstOver:
    case AdvancedBlendOp::DstIn:
    case AdvancedBlendOp::DstAtop:
      return d;
    case AdvancedBlendOp::Multiply:
      return s * d;
    case AdvancedBlendOp::Screen:
      return s + d - s * d;
    case AdvancedBlendOp::Overlay:
      return hard_light(d, s);
    case AdvancedBlendOp::Darken:
      return rule_min(s, d);
    case AdvancedBlendOp::Lighten:
      return rule_max(s, d);
    case AdvancedBlendOp::ColorDodge:
      return color_dodge(s, d);
    case AdvancedBlendOp::ColorBurn:
      return color_burn(s, d);
    case AdvancedBlendOp::HardLight:
      return hard_light(s, d);
    case AdvancedBlendOp::SoftLight:
      return soft_light(s, d);
    case AdvancedBlendOp::Difference:
      return std::fabs(d - s);
    case AdvancedBlendOp::Exclusion:
      return s + d - 2.0f * s * d;
    case AdvancedBlendOp::Invert:
      return 1.0f - d;
    case AdvancedBlendOp::InvertRgb:
      return s * (1.0f - d);
    case AdvancedBlendOp::LinearDodge:
      return s + d <= 1.0f ? s + d : 1.0f;
    case AdvancedBlendOp::LinearBurn:
      return s + d > 1.0f ? s + d - 1.0f : 0.0f;
    case AdvancedBlendOp::VividLight:
      return vivid_light(s, d);
    case AdvancedBlendOp::LinearLight:
      return 2.0f * s + d > 2.0f ? 1.0f : 2.0f * s + d > 1.0f ? 2.0f * s + d - 1.0f : 0.0f;
    case AdvancedBlendOp::PinLight:
      return pin_light(s, d);
    case AdvancedBlendOp::HardMix:
      return s + d < 1.0f ? 0.0f : 1.0f;
    default:
      return 0.0f;  // Zero, Xor, and what is out
  }
}

float least(const Rgb& c) { return rule_min(rule_min(c[0], c[1]), c[2]); }
float greatest(const Rgb& c) { return rule_max(rule_max(c[0], c[1]), c[2]); }
float luminosity(const Rgb& c) { return 0.30f * c[0] + 0.59f * c[1] + 0.11f * c[2]; }
float saturation(const Rgb& c) { return greatest(c) - least(c); }

/// Colors outside of 0 to 1 come nearer to their luminosity.
Rgb inside(Rgb color) {
  const float l = luminosity(color), low = least(color), high = greatest(color);
  for (float& c : color) {
    if (low < 0.0f) c = l + (c - l) * l / (l - low);
    if (high > 1.0f) c = l + (c - l) * (1.0f - l) / (high - l);
  }
  return color;
}

Rgb with_luminosity(Rgb color, const Rgb& of) {
  const float more = luminosity(of) - luminosity(color);
  for (float& c : color) c += more;
  return inside(color);
}

/// The hue of `color`, the saturation of `saturated`.
Rgb with_saturation(Rgb color, const Rgb& saturated, const Rgb& luminous) {
  const float low = least(color), own = saturation(color), wanted = saturation(saturated);
  for (float& c : color) c = own > 0.0f ? (c - low) * wanted / own : 0.0f;
  return with_luminosity(color, luminous);
}

/// f of a color.
Rgb mix(AdvancedBlendOp op, const Rgb& s, const Rgb& d) {
  switch (op) {
    case AdvancedBlendOp::HslHue:
      return with_saturation(s, d, d);
    case AdvancedBlendOp::HslSaturation:
      return with_saturation(d, s, d);
    case AdvancedBlendOp::HslColor:
      return with_luminosity(s, d);
    case AdvancedBlendOp::HslLuminosity:
      return with_luminosity(d, s);
    default:
      return {mix(op, s[0], d[0]), mix(op, s[1], d[1]), mix(op, s[2], d[2])};
  }
}

/// The color alone, and the color times its alpha. A color without alpha has none.
Rgb straight(const std::array<float, 4>& color, bool is_straight) {
  if (is_straight) return {color[0], color[1], color[2]};
  if (color[3] == 0.0f) return {0, 0, 0};
  return {color[0] / color[3], color[1] / color[3], color[2] / color[3]};
}
Rgb multiplied(const std::array<float, 4>& color, bool is_straight) {
  if (!is_straight) return {color[0], color[1], color[2]};
  return {color[0] * color[3], color[1] * color[3], color[2] * color[3]};
}

std::array<float, 4> by_coverage(const AdvancedBlend& how, const BlendColors& colors) {
  const Rgb s = straight(colors.source, how.straight_source),
            d = straight(colors.destination, how.straight_destination), both = mix(how.op, s, d);
  const Parts parts = parts_of(how.op), weights = weights_of(how.overlap, colors.source[3], colors.destination[3]);
  std::array<float, 4> result{};
  for (unsigned c = 0; c < 3; ++c)
    result[c] =
        both[c] * weights.both + parts.source * s[c] * weights.source + parts.destination * d[c] * weights.destination;
  result[3] = parts.both * weights.both + parts.source * weights.source + parts.destination * weights.destination;
  return result;
}

/// The operations without a coverage: one component with its alphas.
float component(AdvancedBlendOp op, unsigned c, float s, float d, float s_alpha, float d_alpha) {
  const float alpha = rule_min(1.0f, s_alpha + d_alpha);
  switch (op) {
    case AdvancedBlendOp::Plus:
      return s + d;
    case AdvancedBlendOp::PlusClamped:
      return rule_min(1.0f, s + d);
    case AdvancedBlendOp::PlusClampedAlpha:
      return rule_min(alpha, s + d);
    case AdvancedBlendOp::PlusDarker:
      return rule_max(0.0f, alpha - ((s_alpha - s) + (d_alpha - d)));
    case AdvancedBlendOp::Minus:
      return d - s;
    case AdvancedBlendOp::MinusClamped:
      return rule_max(0.0f, d - s);
    case AdvancedBlendOp::Contrast:
      return 0.5f * d_alpha + 2.0f * (d - 0.5f * d_alpha) * (s - 0.5f * s_alpha);
    case AdvancedBlendOp::InvertOvg:
      return s_alpha * (1.0f - d) + (1.0f - s_alpha) * d;
    case AdvancedBlendOp::Red:
      return c == 0 ? s : d;
    case AdvancedBlendOp::Green:
      return c == 1 ? s : d;
    default:
      return c == 2 ? s : d;
  }
}
float alpha_of(AdvancedBlendOp op, float s, float d) {
  switch (op) {
    case AdvancedBlendOp::Plus:
      return s + d;
    case AdvancedBlendOp::PlusClamped:
    case AdvancedBlendOp::PlusClampedAlpha:
    case AdvancedBlendOp::PlusDarker:
      return rule_min(1.0f, s + d);
    case AdvancedBlendOp::Minus:
      return d - s;
    case AdvancedBlendOp::MinusClamped:
      return rule_max(0.0f, d - s);
    case AdvancedBlendOp::InvertOvg:
      return s + d - s * d;
    default:
      return d;
  }
}

std::array<float, 4> by_component(const AdvancedBlend& how, const BlendColors& colors) {
  const Rgb s = multiplied(colors.source, how.straight_source),
            d = multiplied(colors.destination, how.straight_destination);
  const float s_alpha = colors.source[3], d_alpha = colors.destination[3];
  std::array<float, 4> result{};
  for (unsigned c = 0; c < 3; ++c) result[c] = component(how.op, c, s[c], d[c], s_alpha, d_alpha);
  result[3] = alpha_of(how.op, s_alpha, d_alpha);
  return result;
}

}  // namespace

std::array<float, 4> advanced_blend(const AdvancedBlend& how, const BlendColors& colors) {
  std::array<float, 4> result = how.op < AdvancedBlendOp::Plus ? by_coverage(how, colors) : by_component(how, colors);
  if (how.straight_destination && result[3] != 0.0f)
    for (unsigned c = 0; c < 3; ++c) result[c] /= result[3];
  for (float& c : result) {
    if (how.clamped) c = rule_min(rule_max(c, 0.0f), 1.0f);
    c = base::canonical(c);
  }
  return result;
}

}  // namespace heddle::render_target
