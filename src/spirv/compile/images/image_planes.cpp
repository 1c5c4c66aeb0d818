// SPDX-License-Identifier: MIT
// Combined image samplers whose image has planes, or whose colors are converted: a sample of each plane, then sums.
// Rule: SPV-39.

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

/// Coordinates whose first axes lie a quarter of the plane's texel further: half a texel of the image.
Sampling shifted(ShaderContext& t, const Sampling& sampling, const std::array<std::uint32_t, 2>& axes,
                 std::span<const GuardedImage> plane) {
  Sampling moved = sampling;
  if (axes[0] + axes[1] == 0) return moved;
  VisaWriter& b = t.b;
  constexpr unsigned kInfoLanes = 16;
  const Part lod = zeros(t, isa::Type::UD);
  const std::vector<Part> sizes =
      receive(t, plane, kInfoLanes, 2, isa::Type::UD,
              [&](const GuardedImage& target, const Piece& piece, const VisaOperand& dst) {
                b.instruction("resinfo.RG", piece, {target.surface, raw(t, lod, piece), dst});
              });
  for (std::size_t axis = 0; axis < axes.size() && axis < moved.direction.size(); ++axis) {
    if (axes[axis] == 0) continue;
    const Part size = b.convert(sizes[axis], isa::Type::F, "size");
    const Part step = b.make("div", isa::Type::F, {b.in_register(real(0.25f)), size}, "step");
    moved.direction[axis] = b.make("add", isa::Type::F, {moved.direction[axis], step}, "chroma");
  }
  return moved;
}

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
  std::vector<std::vector<Part>> texels;
  texels.push_back(send(t, targets, message(sampling), 4, isa::Type::F, residency));
  for (std::uint32_t plane = 1; plane < planes.planes; ++plane) {
    const std::vector<GuardedImage> surfaces = plane_targets(t, image, targets, plane);
    texels.push_back(
        send(t, surfaces, message(shifted(t, sampling, planes.shifted, surfaces)), 4, isa::Type::F, false));
  }
  std::vector<Part> channels;
  for (const auto& [plane, channel] : planes.sources) channels.push_back(texels[plane][channel]);
  std::vector<Part> result;
  for (const std::array<float, 5>& row : planes.rows) result.push_back(sum_of(t, row, channels));
  if (residency) result.push_back(texels[0].back());
  return result;
}

}  // namespace heddle::spirv::compiler::image
