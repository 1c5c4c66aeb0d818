// SPDX-License-Identifier: MIT
// The footprint query: footprint.md sections 3, 4, 6 and 8.
// Rules: CRD-1, FC1 to FC3, FC7 to FC15, FP-1, FP-4 to FP-8, FP-15, FP-21, FP-22, LOD-4.

#include "texture/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "texture/taps.hpp"

namespace heddle::texture {
namespace {

using image::AddressMode;

constexpr double kMaxLod = 4096;              // beyond every level; keeps fixed point inside 32 bits
constexpr std::uint32_t kMaxSize = 1u << 21;  // CRD-1 saturates at 2^22 texels

/// One texel of T with its index before the address mode.
struct FoundTexel {
  Coordinates3 at{};
  std::array<std::int32_t, 3> unwrapped{};
};

/// The evaluated query, before a report is chosen.
struct Evaluation {
  unsigned dim = 2;
  bool single = true;
  bool empty_coarse = false;  ///< coarse and single: nothing to report (FC8)
  bool border = false;
  std::uint32_t level = 0;  ///< relative to the view
  std::uint32_t lod = 0;    ///< as reported (FC7)
  std::uint32_t granularity = 1;
  Coordinates3 size{1, 1, 1};
  std::array<bool, 3> repeat{};
  std::vector<FoundTexel> texels;
};

/// Nearest multiple of 2^-bits, ties to even (FC13).
std::int32_t fixed(double x, unsigned bits) {
  if (std::isnan(x)) return 0;
  return static_cast<std::int32_t>(std::nearbyint(std::clamp(x, -kMaxLod, kMaxLod) * static_cast<double>(1u << bits)));
}

bool is_finite(const FootprintQuery& q, unsigned dim) {
  bool finite = true;
  for (unsigned k = 0; k < dim; ++k) finite &= std::isfinite(q.coordinate[k]);
  if (q.operand == FootprintOperand::Lod)
    finite &= std::isfinite(q.lod);
  else
    for (unsigned k = 0; k < dim; ++k) finite &= std::isfinite(q.gradients.dx[k]) && std::isfinite(q.gradients.dy[k]);
  return finite && std::isfinite(q.bias.value_or(0)) && std::isfinite(q.min_lod.value_or(0));
}

/// What strict mode refuses or lenient and extended mode correct (FC11, FP-21).
class Rules {
 public:
  Rules(const FootprintOptions& options, base::Diagnostics* warnings) : options_(options), warnings_(warnings) {}

  /// An error in strict mode, a warning otherwise.
  void lenient(std::string_view id, std::string message) {
    if (options_.mode == FootprintMode::Strict)
      errors_.push_back(base::error(std::string(id), std::move(message)));
    else if (warnings_ != nullptr)
      warnings_->add(base::warning(std::string(id), std::move(message)));
  }
  void error(std::string_view id, std::string message) {
    errors_.push_back(base::error(std::string(id), std::move(message)));
  }
  [[nodiscard]] bool failed() const { return !errors_.empty(); }
  [[nodiscard]] base::Failure failure() const { return base::Failure(errors_); }

 private:
  const FootprintOptions& options_;
  base::Diagnostics* warnings_;
  std::vector<base::Diagnostic> errors_;
};

void check_operands(const FootprintView& view, const FootprintQuery& q, Rules& rules) {  // R19
  const bool lod = q.operand == FootprintOperand::Lod, grad = q.operand == FootprintOperand::Grad;
  const auto refuse = [&](std::string_view what) {
    rules.lenient("spirv-footprint-operands", fmt::format("image operands {} are not allowed here", what));
  };
  if (lod && q.bias) refuse("Bias and Lod");
  if (grad && q.bias) refuse("Bias and Grad");
  if (lod && q.min_lod) refuse("Lod and MinLod");
  if (grad && view.dim == 3) refuse("Grad in 3D");
  if (q.offset != std::array<std::int32_t, 3>{}) refuse("ConstOffset or Offset");
}

void check_query(const FootprintView& view, const FootprintSampler& sampler, const FootprintQuery& q,
                 const FootprintOptions& options, Rules& rules) {
  if (view.dim != 2 && view.dim != 3) {
    rules.error("spirv-footprint-dim", fmt::format("Dim must be 2D or 3D, found {}D", view.dim));
    return;
  }
  bool sizes = view.levels >= 1 && view.levels <= 32;
  for (unsigned k = 0; k < view.dim; ++k) sizes &= view.size[k] >= 1 && view.size[k] <= kMaxSize;
  if (!sizes)
    rules.error("footprint-query", fmt::format("an image has 1 to {} texels a side and 1 to 32 levels", kMaxSize));
  if (options.sub_texel_bits < 1 || options.sub_texel_bits > 16 || options.mipmap_bits < 1 || options.mipmap_bits > 16)
    rules.error("footprint-query", "sub-texel and mipmap bits are 1 to 16");
  check_operands(view, q, rules);
  if (!granularity_size(view.dim, q.granularity))  // V8
    rules.lenient("footprint-granularity-value",
                  fmt::format("granularity {} is not defined for Dim {}D", q.granularity, view.dim));
  if (options.mode != FootprintMode::Extended)
    for (unsigned k = 0; k < view.dim; ++k)
      if (sampler.address[k] != AddressMode::Clamp) {  // V2
        rules.lenient("footprint-address-mode", fmt::format("address mode of {} must be clamp_to_edge", "uvw"[k]));
        break;
      }
  if (sampler.unnormalized &&  // V3
      (q.operand != FootprintOperand::Lod || !(q.lod == 0) || q.bias || q.min_lod || view.levels != 1 || view.dim != 2))
    rules.error("footprint-unnormalized", "unnormalized coordinates allow only Lod 0 on a 2D view of one level");
  if (!is_finite(q, view.dim)) rules.lenient("footprint-undefined-input", "an operand is NaN or infinite");
  if (sampler.min_lod > sampler.max_lod)
    rules.lenient("footprint-undefined-input",
                  fmt::format("min_lod {} exceeds max_lod {}", sampler.min_lod, sampler.max_lod));
}

/// floor(2^bits log2 x) of a positive finite x: squaring doubles the logarithm, so its digits come one by one.
std::int32_t floor_log2(float x, unsigned bits) {
  int exponent = 0;
  double rest = 2 * std::frexp(static_cast<double>(x), &exponent);  // 1 <= rest < 2
  std::int32_t digits = exponent - 1;
  for (unsigned i = 0; i < bits; ++i) {
    rest *= rest;
    const bool one = rest >= 2;
    digits = 2 * digits + (one ? 1 : 0);
    if (one) rest /= 2;
  }
  return digits;
}

/// log2 sqrt(rho squared) to the nearest 2^-bits (FC13); 8 bits exactly as the sampler (LOD-4).
std::int32_t rho_lod(float rho_squared, unsigned bits) {
  if (bits == kLodBits) return implicit_lod(rho_squared);
  if (!(rho_squared > 0)) return fixed(-64, bits);
  if (std::isinf(rho_squared)) return fixed(64, bits);
  return std::clamp((floor_log2(rho_squared, bits) + 1) >> 1, fixed(-64, bits), fixed(64, bits));
}

float no_nan(float x) { return std::isnan(x) ? 0.0f : x; }

struct LevelPlan {
  LodChoice choice;
  std::int32_t lambda = 0;
  ProbeLine line;
  bool linear = true;
};

/// Section 3.
LevelPlan choose(const FootprintView& view, const FootprintSampler& sampler, const FootprintQuery& q,
                 const FootprintOptions& options) {
  const unsigned m = options.mipmap_bits;
  LevelPlan plan;
  std::int32_t base = 0;
  if (q.operand == FootprintOperand::Lod) {
    base = fixed(static_cast<double>(q.lod), m);
  } else {
    Gradients g = q.gradients;
    for (unsigned k = 0; k < 3; ++k) {
      g.dx[k] = no_nan(g.dx[k]);
      g.dy[k] = no_nan(g.dy[k]);
    }
    const Spread spread = spread_of(g, view.size, view.dim, sampler.unnormalized);
    const float ratio = view.dim == 2 && sampler.max_anisotropy > 1
                            ? static_cast<float>(std::min(sampler.max_anisotropy, 16.0))
                            : 1.0f;  // FC15
    base = rho_lod(anisotropic_rho(spread, ratio), m);
    plan.line.count = probe_count(spread, ratio);  // FC10
    const auto& axis = spread.x_is_longer() ? g.dx : g.dy;
    plan.line.gradient = {axis[0], axis[1]};
  }
  const std::int32_t most = fixed(options.max_lod_bias, m);
  const std::int32_t bias = std::clamp(fixed(sampler.bias, m) + fixed(static_cast<double>(q.bias.value_or(0)), m),
                                       -std::abs(most), std::abs(most));
  LodState state;
  state.bits = m;
  state.min_lod = std::max(fixed(sampler.min_lod, m), q.min_lod ? fixed(static_cast<double>(*q.min_lod), m)
                                                                : std::numeric_limits<std::int32_t>::min());
  state.max_lod = fixed(sampler.max_lod, m);
  state.mip_count = static_cast<std::int32_t>(view.levels) - 1;
  state.preclamp = true;
  state.mag_filter = sampler.mag_linear ? image::Filter::Linear : image::Filter::Nearest;
  state.min_filter = sampler.min_linear ? image::Filter::Linear : image::Filter::Nearest;
  state.mip_filter = sampler.mip;
  plan.choice = choose_level(state, base + bias);
  plan.lambda = std::max(std::min(base + bias, state.max_lod), state.min_lod);
  plan.linear = plan.choice.filter == image::Filter::Linear;

  if (options.conservative && sampler.mip == image::MipFilter::Linear && plan.choice.level_count == 1) {
    // A lambda close to a whole number may touch the next level too.
    const double lambda = static_cast<double>(plan.lambda) / (1u << m);
    const double pad = options.pad_lod >= 0 ? options.pad_lod : 1.0 / (1u << m);
    const double whole = std::nearbyint(lambda);
    if (std::fabs(lambda - whole) <= pad && whole >= 0 && whole < static_cast<double>(view.levels - 1)) {
      plan.choice.level_count = 2;
      plan.choice.level = {static_cast<std::uint32_t>(whole), static_cast<std::uint32_t>(whole) + 1};
    }
    if (std::fabs(lambda) <= pad) plan.linear = sampler.mag_linear || sampler.min_linear;
  }
  return plan;
}

/// A surface that has the view's shape and no texels: the tap list asks for nothing more.
image::Surface shape_of(const FootprintView& view) {
  image::Surface s;
  s.type = view.dim == 3 ? image::SurfaceType::Dim3 : image::SurfaceType::Dim2;
  s.width = view.size[0];
  s.height = view.size[1];
  s.depth = view.dim == 3 ? view.size[2] : 1;
  s.levels = view.levels;
  s.mip_count = view.levels - 1;
  return s;
}

Coordinates3 position(const TexelPosition& at, unsigned dim) { return {at.x, at.y, dim == 3 ? at.slice : 0}; }

bool before(const Coordinates3& a, const Coordinates3& b) {
  return a[2] != b[2] ? a[2] < b[2] : a[1] != b[1] ? a[1] < b[1] : a[0] < b[0];
}

/// Section 4: T from the sampler's tap list.
void exact_texels(const TapState& taps, const TapPoint& point, const LevelPlan& plan, bool weighted_only,
                  Evaluation& e) {
  LevelTaps list;
  const std::array<bool, 3> round{plan.linear, plan.linear, plan.linear};  // FC9
  build_taps(taps, point, e.level, plan.linear, round, plan.line, list);
  for (unsigned p = 0; p < list.probes; ++p)
    for (unsigned t = 0; t < list.taps_per_probe; ++t) {
      const Tap& tap = list.probe[p].tap[t];
      if (weighted_only && !tap.weighted) continue;  // FC1
      e.border |= tap.kind == TapKind::Border || tap.kind == TapKind::Half;
      if (tap.kind != TapKind::Border) e.texels.push_back({position(tap.at, e.dim), tap.unwrapped});
    }
}

/// Section 6.2, conservative: an index range for each axis.
void conservative_texels(const TapState& taps, const TapPoint& point, const LevelPlan& plan,
                         const FootprintOptions& options, Evaluation& e) {
  const double unit = 1.0 / static_cast<double>(1u << options.sub_texel_bits);
  const double pad = options.pad_texels >= 0 ? options.pad_texels : unit;
  ProbeLine line = plan.line;
  while ((line.count & (line.count - 1)) != 0) ++line.count;
  const double scale = line.count > 1 ? static_cast<double>(probe_scale(line, e.size, taps.non_normalized)) : 0;
  std::array<std::int32_t, 3> low{}, high{};
  for (unsigned k = 0; k < e.dim; ++k) {
    const double texels = taps.non_normalized ? 1 : e.size[k];
    constexpr double kFar = 0x1p24;       // beyond every index
    constexpr double kFarthest = 0x1p22;  // CRD-1: where coordinates are held, before LINEAR's half texel
    double center = std::clamp(static_cast<double>(no_nan(point.coordinate[k])) * texels, -kFar, kFar);
    double reach = 0;
    if (k < 2 && line.count > 1) {
      // probe_scale keeps finite lines below this. Probes along an infinite one are nowhere: at 0, as the sampler's.
      const double longest = line.count;
      reach = std::min(0.5 * std::fabs(static_cast<double>(line.gradient[k]) * texels * scale), longest);
      if (std::isinf(line.gradient[k])) center = reach = 0;
    }
    reach += pad;
    const auto index = [&](double u) {
      const double held = std::clamp(u, -kFarthest, kFarthest);
      const double i = std::floor(plan.linear ? held - 0.5 : held);
      return offset_index(static_cast<std::int32_t>(i), point.offset[k]);
    };
    // Half a sub-texel unit covers FC9's rounding, one in 2^20 of a texel the binary32 arithmetic of the sampler.
    const double slack = 0.5 * unit + 0x1p-20 * (1 + std::fabs(center));
    low[k] = index(center - reach - slack);
    high[k] = std::min(index(center + reach + slack) + (plan.linear ? 1 : 0), low[k] + 4096);
  }
  for (std::int32_t z = low[2]; z <= high[2]; ++z)
    for (std::int32_t y = low[1]; y <= high[1]; ++y)
      for (std::int32_t x = low[0]; x <= high[0]; ++x) {
        FoundTexel found;
        found.unwrapped = {x, y, z};
        bool border = false;
        for (unsigned k = 0; k < e.dim; ++k) {
          const Address a = apply_address_mode(taps.mode[k], found.unwrapped[k], static_cast<std::int32_t>(e.size[k]));
          border |= a.kind == AddressKind::Border;
          e.border |= a.kind != AddressKind::Texel;
          found.at[k] = static_cast<std::uint32_t>(a.index);
        }
        if (!border) e.texels.push_back(found);
      }
}

base::Result<Evaluation> evaluate(const FootprintView& view, const FootprintSampler& sampler, FootprintQuery q,
                                  const FootprintOptions& options, base::Diagnostics* warnings) {
  Rules rules(options, warnings);
  check_query(view, sampler, q, options, rules);
  if (rules.failed()) return rules.failure();
  Evaluation e;
  e.dim = view.dim;
  e.granularity = nearest_granularity(view.dim, q.granularity);  // FC11
  for (float& c : q.coordinate) c = no_nan(c);

  LevelPlan plan = choose(view, sampler, q, options);
  e.single = plan.choice.level_count == 1;
  e.empty_coarse = q.coarse && e.single;
  if (e.empty_coarse) return e;
  e.level = plan.choice.level[q.coarse ? 1 : 0];
  e.lod = e.level + (options.absolute_lod ? view.base_level : 0);  // FC7

  const image::Surface shape = shape_of(view);
  image::Sampler modes;
  if (options.mode == FootprintMode::Extended) {  // FC14; otherwise clamp
    modes.tcx = sampler.address[0];
    modes.tcy = sampler.address[1];
    modes.tcz = sampler.address[2];
  }
  TapState taps = tap_state(shape, modes);
  taps.non_normalized = sampler.unnormalized;
  taps.bits = options.sub_texel_bits;
  e.size = sampled_size(shape, e.level);
  for (unsigned k = 0; k < e.dim; ++k) e.repeat[k] = taps.mode[k] == AddressMode::Wrap;
  TapPoint point;
  point.coordinate = q.coordinate;
  point.offset = q.offset;
  if (options.conservative)
    conservative_texels(taps, point, plan, options, e);
  else
    exact_texels(taps, point, plan, options.weighted_only, e);
  return e;
}

std::vector<Coordinates3> wrapped_texels(const Evaluation& e) {
  std::vector<Coordinates3> texels;
  texels.reserve(e.texels.size());
  for (const auto& t : e.texels) texels.push_back(t.at);
  std::ranges::sort(texels, before);
  const auto tail = std::ranges::unique(texels);
  texels.erase(tail.begin(), tail.end());
  return texels;
}

/// Section 8, `struct`: ordinary or toroidal on every axis, at the first granularity where that works.
std::optional<Footprint> encode_toroidal(std::span<const Coordinates3> texels, const Evaluation& e) {
  const std::uint32_t w = set_width(e.dim);
  for (std::uint32_t g = e.granularity; g <= 15; ++g) {
    const auto size = granularity_size(e.dim, g);
    if (!size) continue;
    Footprint result;
    bool fits = true;
    for (unsigned k = 0; k < e.dim && fits; ++k) {
      std::uint32_t low = ~0u, high = 0;
      for (const auto& t : texels) {
        low = std::min(low, t[k] / (*size)[k]);
        high = std::max(high, t[k] / (*size)[k]);
      }
      if (high - low < w) {
        result.anchor[k] = high / w;
        result.offset[k] = w * result.anchor[k] > low ? w * result.anchor[k] - low : 0;
        continue;
      }
      const std::uint32_t groups = e.size[k] / (*size)[k];
      fits = e.repeat[k] && e.size[k] % (*size)[k] == 0 && groups % w == 0;
      if (!fits) break;
      std::uint32_t largest_low = 0, smallest_high = groups;
      for (const auto& t : texels) {
        const std::uint32_t group = t[k] / (*size)[k];
        if (group < w)
          largest_low = std::max(largest_low, group);
        else if (group >= groups - w)
          smallest_high = std::min(smallest_high, group);
        else
          fits = false;
      }
      fits = fits && largest_low + groups - smallest_high < w;
      result.anchor[k] = 0;
      result.offset[k] = groups - smallest_high;
    }
    if (!fits) continue;
    for (const auto& t : texels) {
      unsigned bit = 0, scale = 1;
      for (unsigned k = 0; k < e.dim; ++k, scale *= w) bit += t[k] / (*size)[k] % w * scale;
      result.mask |= std::uint64_t{1} << bit;
    }
    result.granularity = g == e.granularity ? 0 : g;
    return result;
  }
  return std::nullopt;
}

base::Failure not_encodable() {
  return base::error("footprint-not-encodable",
                     "the texels fit no structure of any granularity; the reports list and set hold them");
}

/// Section 8, `list`: the seam cell of a texel on REPEAT axes.
std::vector<std::pair<Group, Coordinates3>> by_cell(const Evaluation& e) {
  std::array<bool, 3> cut{};
  for (unsigned k = 0; k < e.dim; ++k) {
    if (!e.repeat[k] || e.texels.empty()) continue;
    const auto [low, high] = std::ranges::minmax(e.texels, {}, [k](const FoundTexel& t) { return t.unwrapped[k]; });
    cut[k] = static_cast<std::int64_t>(high.unwrapped[k]) - low.unwrapped[k] < static_cast<std::int64_t>(e.size[k]);
  }
  std::vector<std::pair<Group, Coordinates3>> cells;
  for (const auto& t : e.texels) {
    Group cell{};
    for (unsigned k = 0; k < e.dim; ++k)
      if (cut[k])
        cell[k] =
            static_cast<std::int32_t>(std::floor(static_cast<double>(t.unwrapped[k]) / static_cast<double>(e.size[k])));
    cells.emplace_back(cell, t.at);
  }
  std::ranges::sort(cells, [](const auto& a, const auto& b) {
    return std::array{a.first[2], a.first[1], a.first[0]} < std::array{b.first[2], b.first[1], b.first[0]};
  });
  return cells;
}

}  // namespace

FootprintView footprint_view(const image::Surface& s) {
  FootprintView v;
  v.dim = s.type == image::SurfaceType::Dim3 ? 3 : s.type == image::SurfaceType::Dim2 ? 2 : 0;
  v.size = sampled_size(s, s.surf_min_lod);
  v.levels = s.mip_count + 1;
  v.base_level = s.surf_min_lod;
  return v;
}

FootprintSampler footprint_sampler(const image::Sampler& s) {
  FootprintSampler f;
  f.mag_linear = s.mag_filter != image::Filter::Nearest;
  f.min_linear = s.min_filter != image::Filter::Nearest;
  f.mip = s.mip_filter;
  f.bias = s.lod_bias / 256.0;
  f.min_lod = s.min_lod / 256.0;
  f.max_lod = s.max_lod / 256.0;
  f.max_anisotropy =
      s.min_filter == image::Filter::Anisotropic ? 2.0 * (std::min<unsigned>(s.max_anisotropy, 7) + 1) : 0;
  f.address = {s.tcx, s.tcy, s.tcz};
  f.unnormalized = s.non_normalized;
  return f;
}

base::Result<Footprint> footprint(const FootprintView& view, const FootprintSampler& sampler,
                                  const FootprintQuery& query, const FootprintOptions& options,
                                  base::Diagnostics* warnings) {
  const auto evaluated = evaluate(view, sampler, query, options, warnings);
  if (!evaluated.ok()) return evaluated.failure();
  const Evaluation& e = *evaluated;
  Footprint result;
  if (!e.empty_coarse && !e.texels.empty()) {
    const auto encoded = encode_toroidal(wrapped_texels(e), e);
    if (!encoded) return not_encodable();
    result = *encoded;
  }
  result.single = e.single;
  result.lod = e.lod;
  return result;
}

base::Result<FootprintList> footprint_list(const FootprintView& view, const FootprintSampler& sampler,
                                           const FootprintQuery& query, const FootprintOptions& options,
                                           base::Diagnostics* warnings) {
  const auto evaluated = evaluate(view, sampler, query, options, warnings);
  if (!evaluated.ok()) return evaluated.failure();
  const Evaluation& e = *evaluated;
  FootprintList list;
  list.single = e.single;
  const auto cells = by_cell(e);
  std::vector<Coordinates3> texels;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    texels.push_back(cells[k].second);
    if (k + 1 < cells.size() && cells[k + 1].first == cells[k].first) continue;
    auto encoded = encode(texels, e.dim, e.granularity);
    if (!encoded) return not_encodable();
    encoded->single = e.single;
    encoded->lod = e.lod;
    list.footprints.push_back(*encoded);
    texels.clear();
  }
  return list;
}

base::Result<FootprintSet> footprint_set(const FootprintView& view, const FootprintSampler& sampler,
                                         const FootprintQuery& query, const FootprintOptions& options, bool with_texels,
                                         base::Diagnostics* warnings) {
  const auto evaluated = evaluate(view, sampler, query, options, warnings);
  if (!evaluated.ok()) return evaluated.failure();
  const Evaluation& e = *evaluated;
  FootprintSet set;
  set.single = e.single;
  set.border = e.border;
  set.lod = e.lod;
  set.granularity = e.granularity;
  const Coordinates3 size = *granularity_size(e.dim, e.granularity);
  std::vector<Coordinates3> texels = wrapped_texels(e);
  std::vector<Coordinates3> groups;
  for (const auto& t : texels) groups.push_back({t[0] / size[0], t[1] / size[1], t[2] / size[2]});
  std::ranges::sort(groups, before);
  const auto tail = std::ranges::unique(groups);
  groups.erase(tail.begin(), tail.end());
  for (const auto& g : groups)
    set.groups.push_back(
        {static_cast<std::int32_t>(g[0]), static_cast<std::int32_t>(g[1]), static_cast<std::int32_t>(g[2])});
  if (with_texels) set.texels = std::move(texels);
  return set;
}

}  // namespace heddle::texture
