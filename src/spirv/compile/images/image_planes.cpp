// SPDX-License-Identifier: MIT
// Combined image samplers whose image has planes, or whose colors are converted: samples of each plane, then sums.
// Rules: C26, CRD-1, FLT-1, FLT-3, SPR-3, SPV-39, VKF-8.

#include "spirv/compile/images/image.hpp"

namespace heddle::spirv::compiler::image {
namespace {

/// The same samplers on another plane's surfaces.
std::vector<GuardedImage> plane_targets(ShaderContext& t, const Image& image, std::span<const GuardedImage> targets,
                                        std::uint32_t plane) {
  using Part = DescriptorPart;
  const std::string name =
      t.descriptors.element_name(image.handle.image.variable, static_cast<std::uint32_t>(image.handle.image.index.bits),
                                 plane == 1 ? Part::Plane1 : Part::Plane2);
  std::vector<GuardedImage> list(targets.begin(), targets.end());
  for (GuardedImage& target : list) target.surface = name;
  return list;
}

/// The two axes of a plane's texels.
using Axes = std::array<Part, 2>;

/// Width and height of a plane, as binary32.
Axes size_of(ShaderContext& t, std::span<const GuardedImage> plane) {
  VisaWriter& b = t.b;
  constexpr unsigned kInfoLanes = 16;
  const Part lod = zeros(t, isa::Type::UD);
  const std::vector<Part> sizes =
      receive(t, plane, kInfoLanes, 2, isa::Type::UD,
              [&](const GuardedImage& target, const LaneRange& range, const VisaOperand& dst) {
                b.instruction("resinfo.RG", range, {target.surface, raw(t, lod, range), dst});
              });
  return {b.convert(sizes[0], isa::Type::F, "size"), b.convert(sizes[1], isa::Type::F, "size")};
}

using Message = std::function<SamplerMessage(const Sampling&)>;
using Filter = SampledPlanes::Filter;
using Texel = std::vector<Part>;  // four channels, and the residency code where it was asked for

/// Samples one plane in ways that the sampler's own filter does not have. In the middle of a texel every filter gives
/// that texel, so samples there are what others are made of.
class PlaneSampler {
 public:
  PlaneSampler(ShaderContext& t, const SampledPlanes& planes, std::span<const GuardedImage> targets,
               const Sampling& sampling, const Message& message, bool residency)
      : t_(t), planes_(planes), targets_(targets), sampling_(sampling), message_(message), residency_(residency) {}

  [[nodiscard]] const Axes& size() {
    if (size_[0].kind == Part::Kind::Undefined) size_ = size_of(t_, targets_);
    return size_;
  }
  /// By the sampler's own filter.
  [[nodiscard]] Texel sampled() const { return send(t_, targets_, message_(sampling_), 4, isa::Type::F, residency_); }
  /// By that filter, whatever the sampler's are.
  [[nodiscard]] Texel filtered(const Axes& coordinates, Filter filter) {
    if (planes_.magnify == filter && planes_.minify == filter) return at(coordinates);
    if (filter == Filter::Linear) return linear(coordinates, [&](const Axes& texel) { return at(middle(texel)); });
    return at(middle(nearest(coordinates)));
  }
  /// The texel that the nearest filter takes, not clamped.
  [[nodiscard]] Axes nearest(const Axes& coordinates) {
    Axes texel;
    for (std::size_t axis = 0; axis < texel.size(); ++axis)
      texel[axis] = b_.make("rndd", isa::Type::F, {times(coordinates[axis], size()[axis])}, "texel");
    return texel;
  }
  /// CRD-1, FLT-3: of the texels that the linear filter takes, which `texel_at` gives.
  template <typename TexelAt>
  [[nodiscard]] Texel linear(const Axes& coordinates, TexelAt&& texel_at) {
    std::array<Axes, 2> texels;  // the lower and the upper one of both axes
    Axes weights;
    for (std::size_t axis = 0; axis < weights.size(); ++axis) {
      const Part fixed = times(times(coordinates[axis], size()[axis]), real(256));
      const Part rounded = b_.make("rndd", isa::Type::F, {plus(fixed, real(0.5f))}, "fixed");
      const Part from = times(plus(rounded, real(-128)), real(1.0f / 256));
      texels[0][axis] = b_.make("rndd", isa::Type::F, {from}, "texel");
      texels[1][axis] = plus(texels[0][axis], real(1));
      weights[axis] = b_.make("add", isa::Type::F, {from, negated(texels[0][axis])}, "weight");
    }
    std::array<Texel, 2> rows;
    for (std::size_t row = 0; row < rows.size(); ++row)
      rows[row] =
          lerp(texel_at(Axes{texels[0][0], texels[row][1]}), texel_at(Axes{texels[1][0], texels[row][1]}), weights[0]);
    return lerp(rows[0], rows[1], weights[1]);
  }
  /// Normalized coordinates of a texel's middle.
  [[nodiscard]] Axes middle(const Axes& texel) {
    Axes to;
    for (std::size_t axis = 0; axis < to.size(); ++axis)
      to[axis] = b_.make("div", isa::Type::F, {plus(texel[axis], real(0.5f)), size()[axis]}, "middle");
    return to;
  }

 private:
  [[nodiscard]] Texel at(const Axes& coordinates) const {
    Sampling moved = sampling_;
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis) moved.direction[axis] = coordinates[axis];
    return send(t_, targets_, message_(moved), 4, isa::Type::F, residency_);
  }
  [[nodiscard]] Part times(const Part& a, const Part& b) { return b_.make("mul", isa::Type::F, {a, b}, "scaled"); }
  [[nodiscard]] Part plus(const Part& a, const Part& b) { return b_.make("add", isa::Type::F, {a, b}, "moved"); }
  /// FLT-1; SPR-3: the residency code is that of all texels that are read; C26: which are those with weight. (Planes
  /// have no infinities, which would have to be left out of the values too.)
  [[nodiscard]] Texel lerp(const Texel& from, const Texel& to, const Part& weight) {
    Texel mixed;
    for (std::size_t c = 0; c < 4; ++c) {
      const Part far = b_.make("add", isa::Type::F, {to[c], negated(from[c])}, "difference");
      mixed.push_back(plus(from[c], times(far, weight)));
    }
    if (residency_) {
      const Part read = b_.select(b_.compare("eq", weight, real(0), "unread"), from[4], to[4], "read");
      mixed.push_back(b_.make("and", isa::Type::UD, {from[4], read}, "residency"));
    }
    return mixed;
  }

  ShaderContext& t_;
  VisaWriter& b_ = t_.b;
  const SampledPlanes& planes_;
  std::span<const GuardedImage> targets_;
  const Sampling& sampling_;
  const Message& message_;
  const bool residency_;  // whether texels have a fifth part, the residency code
  Axes size_;
};

/// Coordinates whose axes lie a quarter of the plane's texel further where it is cosited: half a texel of the image.
Axes shifted(ShaderContext& t, Axes coordinates, const SampledPlanes& planes, PlaneSampler& plane) {
  for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
    if (planes.shifted[axis] == 0) continue;
    const Part step = t.b.make("div", isa::Type::F, {t.b.in_register(real(0.25f)), plane.size()[axis]}, "step");
    coordinates[axis] = t.b.make("add", isa::Type::F, {coordinates[axis], step}, "chroma");
  }
  return coordinates;
}

/// Coordinates in a halved plane of the middle of a texel of the first one, which is clamped to the edge.
Axes in_plane(ShaderContext& t, const Axes& texel, const SampledPlanes& planes, PlaneSampler& first,
              PlaneSampler& plane) {
  VisaWriter& b = t.b;
  Axes to;
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    const Part last = b.make("add", isa::Type::F, {first.size()[axis], real(-1)}, "last");
    const Part low = b.make("max", isa::Type::F, {texel[axis], real(0)}, "texel");
    const Part inside = b.make("min", isa::Type::F, {low, last}, "texel");
    const float scale = planes.halved[axis] != 0 ? 0.5f : 1.0f;
    const Part scaled = b.make("mul", isa::Type::F, {inside, real(scale)}, "scaled");
    const float middle = 0.5f * scale + (planes.shifted[axis] != 0 ? 0.25f : 0.0f);
    const Part place = b.make("add", isa::Type::F, {scaled, real(middle)}, "place");
    to[axis] = b.make("div", isa::Type::F, {place, plane.size()[axis]}, "chroma");
  }
  return to;
}

/// Whether the sampler magnifies, lane by lane.
Part magnifies(ShaderContext& t, const SampledPlanes& planes, std::span<const GuardedImage> targets,
               const Sampling& sampling) {
  VisaWriter& b = t.b;
  const bool given = sampling.lod.kind != Part::Kind::Undefined;
  Part lod =
      given ? b.make("add", isa::Type::F, {parameter(t, sampling.lod, isa::Type::F, "lod"), real(planes.bias)}, "lod")
            : level_of_detail(t, targets, sampling);
  if (sampling.bias.kind != Part::Kind::Undefined) lod = b.make("add", isa::Type::F, {lod, sampling.bias}, "lod");
  const Part low = b.make("max", isa::Type::F, {lod, real(planes.least_lod)}, "lod");
  return b.compare("le", b.make("min", isa::Type::F, {low, real(planes.most_lod)}, "lod"), real(0), "magnifies");
}

/// What the sampler gives of planes of which some are halved, and get the first one's size before it filters them.
class Reconstruction {
 public:
  Reconstruction(ShaderContext& t, const SampledPlanes& planes, std::span<const GuardedImage> targets,
                 const Sampling& sampling, PlaneSampler& first)
      : t_(t), planes_(planes), first_(first), own_{sampling.direction[0], sampling.direction[1]} {
    if (planes.magnify != planes.minify) magnifies_ = magnifies(t, planes, targets, sampling);
  }
  [[nodiscard]] Texel first() {
    if (planes_.magnify == planes_.minify) return first_.sampled();
    return chosen([&](Filter filter) { return first_.filtered(own_, filter); });
  }
  [[nodiscard]] Texel halved(PlaneSampler& plane) {
    const auto texel_at = [&](const Axes& texel) {
      return plane.filtered(in_plane(t_, texel, planes_, first_, plane), planes_.chroma);
    };
    return chosen([&](Filter filter) {
      return filter == Filter::Linear ? first_.linear(own_, texel_at) : texel_at(first_.nearest(own_));
    });
  }

 private:
  template <typename By>
  [[nodiscard]] Texel chosen(By&& by) {
    if (planes_.magnify == planes_.minify) return by(planes_.magnify);
    const Texel large = by(planes_.magnify), small = by(planes_.minify);
    Texel to;
    for (std::size_t c = 0; c < large.size(); ++c) to.push_back(t_.b.select(magnifies_, large[c], small[c], "texel"));
    return to;
  }
  ShaderContext& t_;
  const SampledPlanes& planes_;
  PlaneSampler& first_;
  const Axes own_;
  Part magnifies_;  // where the two filters differ
};

/// row[0] * R + row[1] * G + row[2] * B + row[3] * A + row[4].
Part sum_of(ShaderContext& t, const std::array<float, 5>& row, std::span<const Part> channels) {
  VisaWriter& b = t.b;
  Part sum;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (row[c] == 0) continue;
    const Part term = row[c] == 1 ? channels[c] : b.make("mul", isa::Type::F, {channels[c], real(row[c])}, "weighted");
    sum = sum.kind == Part::Kind::Undefined ? term : b.make("add", isa::Type::F, {sum, term}, "sum");
  }
  if (sum.kind == Part::Kind::Undefined) return b.in_register(real(row[4]));
  return row[4] == 0 ? sum : b.make("add", isa::Type::F, {sum, real(row[4])}, "sum");
}

/// A texel of each plane, that of the first one with the residency code, which is that of all planes together.
std::vector<Texel> texels_of(ShaderContext& t, const Image& image, const SampledPlanes& planes,
                             std::span<const GuardedImage> targets, const Sampling& sampling, const Message& message,
                             bool residency) {
  const bool halved = planes.halved[0] + planes.halved[1] != 0;
  PlaneSampler first(t, planes, targets, sampling, message, residency);
  std::optional<Reconstruction> whole;
  if (halved && planes.reconstructed != 0) whole.emplace(t, planes, targets, sampling, first);
  std::vector<Texel> texels{whole ? whole->first() : first.sampled()};
  for (std::uint32_t n = 1; n < planes.planes; ++n) {
    const std::vector<GuardedImage> surfaces = plane_targets(t, image, targets, n);
    PlaneSampler plane(t, planes, surfaces, sampling, message, residency);
    const Axes own{sampling.direction[0], sampling.direction[1]};
    texels.push_back(!halved ? plane.sampled()
                     : whole ? whole->halved(plane)
                             : plane.filtered(shifted(t, own, planes, plane), planes.chroma));
    if (residency) texels[0].back() = t.b.make("and", isa::Type::UD, {texels[0].back(), texels[n].back()}, "residency");
  }
  return texels;
}

}  // namespace

const SampledPlanes* planes_of(ShaderContext& t, const Image& image) {
  const Descriptor& of = image.handle.image;
  if (of.variable == 0) return nullptr;
  const DescriptorVariable& d = t.descriptors.of(of.variable);
  if (d.conversions.empty()) return nullptr;
  const std::size_t element = of.index.constant() ? of.index.bits : 0;
  if (!of.index.constant()) t.refuse("an element of an array with color conversions must be constant");
  return element < d.conversions.size() && d.conversions[element].planes != 0 ? &d.conversions[element] : nullptr;
}

std::vector<Part> sample_planes(ShaderContext& t, const Image& image, const SampledPlanes& planes,
                                std::span<const GuardedImage> targets, const Sampling& sampling,
                                const std::function<SamplerMessage(const Sampling&)>& message, bool residency) {
  const std::vector<Texel> texels =
      planes.planes == 1 ? std::vector<Texel>{send(t, targets, message(sampling), 4, isa::Type::F, residency)}
                         : texels_of(t, image, planes, targets, sampling, message, residency);
  std::vector<Part> channels;
  for (const auto& [plane, channel] : planes.sources) channels.push_back(texels[plane][channel]);
  std::vector<Part> result;
  for (const std::array<float, 5>& row : planes.rows) result.push_back(sum_of(t, row, channels));
  if (residency) result.push_back(texels[0].back());
  return result;
}

}  // namespace heddle::spirv::compiler::image
