// SPDX-License-Identifier: MIT
// The values of primitives. Rules: MSH-5, PIX-20, PRM-2.
#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {

void PrimitiveList::begin(const Mesh& mesh) {
  clear();
  mesh_ = &mesh;
  components_.clear();
  for (const MeshAttribute& a : mesh.attributes)
    for (std::uint32_t c = 0; c < a.components; ++c) {
      const bool of_corners = !a.flat && a.source == MeshAttribute::Source::Vertices;
      const bool narrow = a.records != nullptr;
      const std::uint8_t* const first = narrow ? a.records : reinterpret_cast<const std::uint8_t*>(a.values.data() + c);
      components_.push_back(
          {&a, c, of_corners ? first : nullptr, narrow ? a.record_bytes : a.components * sizeof(double), narrow, 0});
    }
  for (std::size_t c = components_.size(); c-- > 0;) {
    Component& of = components_[c];
    if (of.values == nullptr || !of.is_narrow) continue;
    of.beside = 1;
    if (c + 1 == components_.size()) continue;
    const Component& next = components_[c + 1];
    if (next.beside != 0 && next.step == of.step && next.values == of.values + sizeof(float)) of.beside += next.beside;
  }
}

std::array<std::uint32_t, 3> PrimitiveList::vertices(std::uint32_t source) const {
  if (!mesh_->triangles.empty()) return mesh_->triangles[source];
  if (!mesh_->lines.empty()) {
    const MeshLine& line = mesh_->lines[source];
    return {line.from, line.to, line.to};
  }
  const std::uint32_t point = mesh_->points[source];
  return {point, point, point};
}

std::uint32_t PrimitiveList::provoking(std::uint32_t source) const {
  return vertices(source)[mesh_->provoking_last ? 2 : 0];
}

double PrimitiveList::value(std::uint32_t source, std::uint32_t vertex, std::size_t component) const {
  const MeshAttribute& a = *components_[component].attribute;
  if (a.source == MeshAttribute::Source::Weight) {  // what a line or a point does not have weighs nothing
    const unsigned has = !mesh_->triangles.empty() ? 3 : !mesh_->lines.empty() ? 2 : 1;
    return a.vertex < has && vertices(source)[a.vertex] == vertex ? 1.0 : 0.0;
  }
  const std::size_t entry = a.source == MeshAttribute::Source::Primitives ? source : vertex;
  return a.value(entry, components_[component].index);
}

std::array<double, 3> PrimitiveList::other_values(const Primitive& p, std::size_t component) const {
  const MeshAttribute& a = *components_[component].attribute;
  if (a.flat || a.source == MeshAttribute::Source::AtVertex || a.source == MeshAttribute::Source::Primitives) {
    const std::uint32_t vertex =
        a.source == MeshAttribute::Source::AtVertex ? vertices(p.source)[a.vertex] : provoking(p.source);
    const double same = value(p.source, vertex, component);
    return {same, same, same};
  }
  std::array<double, 3> v{};
  for (std::size_t k = 0; k < 3; ++k)
    v[k] = (p.corners[k] & kCut) != 0 ? cut_values_[(p.corners[k] & ~kCut) * components_.size() + component]
                                      : value(p.source, p.corners[k], component);
  return v;
}

bool PrimitiveList::unwritten(const Primitive& p, std::size_t component) const {
  const MeshAttribute& a = *components_[component].attribute;
  if (a.unwritten.empty()) return false;
  if (a.source == MeshAttribute::Source::Primitives) return a.unwritten[p.source] != 0;
  if (a.source == MeshAttribute::Source::AtVertex) return a.unwritten[vertices(p.source)[a.vertex]] != 0;
  if (a.flat) return a.unwritten[provoking(p.source)] != 0;
  for (const std::uint32_t vertex : vertices(p.source))
    if (a.unwritten[vertex] != 0) return true;
  return false;
}

void PrimitiveList::values(const Primitive& primitive, std::vector<std::array<double, 3>>& out) const {
  out.resize(components_.size());
  for (std::size_t c = 0; c < out.size(); ++c) out[c] = values(primitive, c);
}

std::uint32_t PrimitiveList::add_cut(const double* values) {
  const std::size_t count = components_.size();
  if (cut_values_.size() < (cuts_ + 1) * count) cut_values_.resize(2 * (cuts_ + 1) * count);
  std::copy_n(values, count, cut_values_.data() + cuts_ * count);
  return static_cast<std::uint32_t>(cuts_++) | kCut;
}

}  // namespace heddle::pipeline
