// SPDX-License-Identifier: MIT
// Rules: MSH-5, PIX-3.
#include "pipeline/primitives/records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "machine/memory.hpp"

namespace heddle::pipeline {
namespace {

/// Reads the records of the slots from `first` to `last`, one dword of each vertex after the other. `places`: the
/// record of each slot, where it is not that of its number.
class RecordReader {
 public:
  RecordReader(std::span<const std::uint8_t> bytes, std::size_t stride, std::span<const std::uint32_t> places,
               std::size_t first, std::size_t last)
      : bytes_(bytes), stride_(stride), places_(places), first_(first), last_(last) {
    if (first_ >= last_) return;
    const auto range = places_.empty() ? places_ : places_.subspan(first_, last_ - first_);
    const std::size_t greatest = places_.empty() ? last_ - 1 : *std::ranges::max_element(range);
    inside_ = (greatest + 1) * stride_ <= bytes_.size();
  }
  template <typename Take>
  void each(std::uint32_t offset, ComponentType type, const Take& take) const {
    if (type == ComponentType::F32) return each_of<float>(offset, take);
    if (type == ComponentType::I32) return each_of<std::int32_t>(offset, take);
    each_of<std::uint32_t>(offset, take);
  }
  /// Numbers that are not finite read 0.
  void positions(const std::array<std::uint32_t, 4>& offsets, std::array<double, 4>* to) const {
    const bool together = offsets[1] == offsets[0] + 4 && offsets[2] == offsets[0] + 8 && offsets[3] == offsets[0] + 12;
    if (together && inside_ && stride_ >= 16 && offsets[0] <= stride_ - 16) return finite_fours(offsets[0], to);
    for (std::size_t c = 0; c < 4; ++c)
      each(offsets[c], ComponentType::F32, [=](std::size_t slot, double p) { to[slot][c] = std::isfinite(p) ? p : 0; });
  }
  void distances(const std::vector<std::uint32_t>& offsets, std::vector<std::vector<double>>& out) const {
    for (std::size_t k = 0; k < offsets.size(); ++k)
      each(offsets[k], ComponentType::F32,
           [&](std::size_t slot, double d) { out[k][slot] = std::isnan(d) ? -1 : std::clamp(d, -1e30, 1e30); });
  }

 private:
  void finite_fours(std::uint32_t offset, std::array<double, 4>* to) const {
    typedef std::int32_t Words __attribute__((vector_size(16)));
    typedef float Floats __attribute__((vector_size(16)));
    typedef double Doubles __attribute__((vector_size(32)));
    constexpr std::int32_t kExponent = 0x7f800000;
    const std::uint8_t* const from = bytes_.data() + offset;
    for (std::size_t slot = first_; slot < last_; ++slot) {
      Words bits;
      std::memcpy(&bits, from + (places_.empty() ? slot : places_[slot]) * stride_, sizeof bits);
      bits &= (bits & kExponent) != kExponent;
      const auto p = __builtin_convertvector(reinterpret_cast<const Floats&>(bits), Doubles);
      std::memcpy(to[slot].data(), &p, sizeof p);
    }
  }

  template <typename T, typename Take>
  void each_of(std::uint32_t offset, const Take& take) const {
    if (first_ == last_) return;
    if (!places_.empty()) return each_listed<T>(offset, take);
    const std::size_t last = (last_ - 1) * stride_ + offset;
    if (last + 4 > bytes_.size()) {  // records are not that long
      for (std::size_t slot = first_; slot < last_; ++slot) take(slot, 0.0);
      return;
    }
    const std::uint8_t* from = bytes_.data() + first_ * stride_ + offset;
    for (std::size_t slot = first_; slot < last_; ++slot, from += stride_) {
      T value;
      std::memcpy(&value, from, 4);
      take(slot, static_cast<double>(value));
    }
  }

  template <typename T, typename Take>
  void each_listed(std::uint32_t offset, const Take& take) const {
    if (inside_ && stride_ >= 4 && offset <= stride_ - 4) {
      const std::uint8_t* const from = bytes_.data() + offset;
      for (std::size_t slot = first_; slot < last_; ++slot) {
        T value;
        std::memcpy(&value, from + places_[slot] * stride_, 4);
        take(slot, static_cast<double>(value));
      }
      return;
    }
    for (std::size_t slot = first_; slot < last_; ++slot) {
      const std::size_t at = places_[slot] * stride_ + offset;
      T value{};  // records are not that long
      if (at + 4 <= bytes_.size()) std::memcpy(&value, bytes_.data() + at, 4);
      take(slot, static_cast<double>(value));
    }
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t stride_;
  std::span<const std::uint32_t> places_;
  std::size_t first_, last_;
  bool inside_ = false;  ///< all records are there, whole
};

}  // namespace

void make_records(machine::SurfaceResource& records, std::uint64_t bytes, bool checked) {
  if (records && records->entries >= bytes && (!checked || records->memory->size() >= 2 * records->entries)) {
    std::fill_n(records->memory->data(), checked ? records->memory->size() : bytes, std::uint8_t{0});
    return;
  }
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = image::Format::RAW;
  surface->entries = std::max<std::uint64_t>(bytes, 4096);
  surface->name = machine::kVertexRecords;
  surface->memory = std::make_shared<image::Memory>(static_cast<std::size_t>(surface->entries * (checked ? 2 : 1)));
  if (!image::lay_out(*surface).ok()) surface->layout.clear();
  records = std::move(surface);
}

void make_room_for_records(machine::SurfaceResource& records, std::uint64_t bytes) {
  if (!records || records->entries < bytes) make_records(records, bytes, false);
}

void mark_all_unwritten(const image::Surface& records) {
  const auto entries = static_cast<std::size_t>(records.entries);
  std::fill_n(records.memory->data() + entries, entries, std::uint8_t{1});
}

void RecordMesh::make_room(const PrimitiveState& state, std::uint32_t corners, std::size_t primitives,
                           std::size_t slots) {
  mesh_.positions.resize(slots);
  mesh_.of_primitives = layout_.primitives.stride != 0;
  const auto entries = [&](const MeshAttribute& a) {
    if (a.source == MeshAttribute::Source::Weight) return std::size_t{0};
    return a.source == MeshAttribute::Source::Primitives ? primitives : slots;
  };
  for (std::size_t a = 0; a < mesh_.attributes.size() && a < from_.size(); ++a)
    mesh_.attributes[a].values.resize(entries(mesh_.attributes[a]));
  for (MeshAttribute& a : mesh_.attributes) a.records = nullptr;
  const auto room = [&](std::size_t planes, std::vector<std::vector<double>>& out) {
    out.resize(planes);
    for (std::vector<double>& plane : out) plane.resize(slots);
  };
  room(layout_.clip.size(), mesh_.clip_distances);
  room(layout_.cull.size(), mesh_.cull_distances);
  mesh_.point_sizes.resize(layout_.point_size && (corners != 3 || state.with_points) ? slots : 0);
  const bool own = mesh_.of_primitives;
  const std::size_t choices = own ? primitives : slots;
  mesh_.layers.resize((own ? layout_.primitives.layer : layout_.layer) ? choices : 0);
  mesh_.viewports.resize((own ? layout_.primitives.viewport : layout_.viewport) ? choices : 0);
  mesh_.shading_rates.resize((own ? layout_.primitives.shading_rate : layout_.shading_rate) ? choices : 0);
  mesh_.provoking_last = state.provoking_last && corners != 1;
  mesh_.full_screen = false;
  const std::size_t checked = checked_ ? slots : 0;
  mesh_.unwritten_positions.assign(checked, 0);
  for (MeshAttribute& a : mesh_.attributes) a.unwritten.assign(checked_ ? entries(a) : 0, 0);
  mesh_.triangles.resize(corners == 3 ? primitives : 0);
  mesh_.lines.resize(corners == 2 ? primitives : 0);
  mesh_.points.resize(corners == 1 ? primitives : 0);
  mesh_.numbers.resize(primitives);
}

inline void RecordMesh::set_primitive(std::uint32_t corners, std::size_t k, const std::uint32_t* at,
                                      const PrimitiveTag& tag) const {
  mesh_.numbers[k] = tag.number;
  if (corners == 3)
    mesh_.triangles[k] = {at[0], at[1], at[2]};
  else if (corners == 2)
    mesh_.lines[k] = {at[0], at[1], tag.continues};
  else
    mesh_.points[k] = at[0];
}

void RecordMesh::begin(const PrimitiveState& state, std::span<const ListedPrimitive> primitives,
                       const image::Surface& records, std::size_t slots, std::size_t base) {
  const std::uint32_t corners = corners_of(state.topology);
  base_ = base;
  make_room(state, corners, primitives.size(), slots);
  for (std::size_t k = 0; k < primitives.size(); ++k)
    set_primitive(corners, k, primitives[k].at.data(), {primitives[k].number, primitives[k].continues});
  note_records(records, {}, slots);
  if (state.records_stay) refer_to(records, slots);
}

void RecordMesh::begin(const PrimitiveState& state, const PrimitiveStream& stream) {
  base_.reset();
  if (stream.places.empty())
    base_ = 0;
  else if (in_a_row(stream.places))
    base_ = stream.places.front();
  make_room(state, stream.corners, stream.size(), stream.vertices);
  note_records(*stream.records, stream.places, stream.vertices);
  if (state.records_stay) refer_to(*stream.records, stream.vertices);
}

/// Of attributes that can be read where they lie nothing is taken.
void RecordMesh::refer_to(const image::Surface& records, std::size_t slots) {
  if (!base_ || checked_ || observed_) return;
  const std::size_t stride = layout_.stride, first = *base_ * stride;
  if (first + slots * stride > records.memory->size()) return;
  for (std::size_t a = 0; a < mesh_.attributes.size() && a < from_.size(); ++a) {
    MeshAttribute& of = mesh_.attributes[a];
    const bool of_vertices =
        of.source == MeshAttribute::Source::Vertices || of.source == MeshAttribute::Source::AtVertex;
    if (!of_vertices || from_[a].of_primitive || from_[a].type != ComponentType::F32 || of.components != 1 ||
        from_[a].offset + 4 > stride)
      continue;
    of.records = records.memory->data() + first + from_[a].offset;
    of.record_bytes = stride;
  }
}

void RecordMesh::set_primitives(const PrimitiveStream& stream, std::size_t first, std::size_t last) const {
  if (stream.corners == 3 && first < last) {
    std::memcpy(mesh_.triangles[first].data(), stream.at.data() + 3 * first,
                (last - first) * sizeof mesh_.triangles[0]);
    for (std::size_t k = first; k < last; ++k) mesh_.numbers[k] = stream.tags[k].number;
    return;
  }
  for (std::size_t k = first; k < last; ++k)
    set_primitive(stream.corners, k, stream.at.data() + k * stream.corners, stream.tags[k]);
}

void RecordMesh::note_records(const image::Surface& records, std::span<const std::uint32_t> places, std::size_t slots) {
  mesh_.record_surface = observed_ ? &records : nullptr;
  mesh_.records.resize(observed_ ? slots : 0);
  for (std::size_t slot = 0; slot < mesh_.records.size(); ++slot)
    mesh_.records[slot] =
        std::uint64_t{places.empty() ? static_cast<std::uint32_t>(slot) : places[slot]} * layout_.stride +
        layout_.position[0];
}

template <typename Reader>
void RecordMesh::take_attributes(const Reader& records, bool of_primitives) const {
  for (std::size_t a = 0; a < mesh_.attributes.size() && a < from_.size(); ++a)
    if (mesh_.attributes[a].source != MeshAttribute::Source::Weight && mesh_.attributes[a].records == nullptr &&
        from_[a].of_primitive == of_primitives)
      records.each(from_[a].offset, from_[a].type,
                   [to = mesh_.attributes[a].values.data()](std::size_t slot, double value) { to[slot] = value; });
}

template <typename Reader>
void RecordMesh::take_choices(const Reader& records, const std::optional<std::uint32_t>& layer,
                              const std::optional<std::uint32_t>& viewport,
                              const std::optional<std::uint32_t>& rate) const {
  const auto take = [&](const std::optional<std::uint32_t>& at, std::vector<std::uint32_t>& out) {
    if (at && !out.empty())
      records.each(*at, ComponentType::U32,
                   [&](std::size_t slot, double value) { out[slot] = static_cast<std::uint32_t>(value); });
  };
  take(layer, mesh_.layers);
  take(viewport, mesh_.viewports);
  take(rate, mesh_.shading_rates);
}

template <typename Reader>
void RecordMesh::take_vertices(const Reader& records) const {
  records.positions(layout_.position, mesh_.positions.data());
  take_attributes(records, false);
  records.distances(layout_.clip, mesh_.clip_distances);
  records.distances(layout_.cull, mesh_.cull_distances);
  if (!mesh_.point_sizes.empty())
    records.each(*layout_.point_size, ComponentType::F32,
                 [&](std::size_t slot, double value) { mesh_.point_sizes[slot] = std::isfinite(value) ? value : 0; });
  if (!mesh_.of_primitives) take_choices(records, layout_.layer, layout_.viewport, layout_.shading_rate);
}

void RecordMesh::take(const image::Surface& surface, std::span<const std::uint32_t> places, std::size_t first,
                      std::size_t last) const {
  if (base_) {
    const std::span<const std::uint8_t> all(*surface.memory);
    take_vertices(
        RecordReader(all.subspan(std::min(all.size(), *base_ * layout_.stride)), layout_.stride, {}, first, last));
  } else {
    take_vertices(RecordReader(*surface.memory, layout_.stride, places, first, last));
  }
  if (checked_) take_unwritten(surface, places, first, last);
}

void RecordMesh::take_primitives(const PrimitiveStream& stream, std::size_t first, std::size_t last) const {
  const PrimitiveLayout& layout = layout_.primitives;
  const image::Surface& surface = *stream.primitive_records;
  const RecordReader records(*surface.memory, layout.stride, stream.primitive_places, first, last);
  take_attributes(records, true);
  take_choices(records, layout.layer, layout.viewport, layout.shading_rate);
  if (!checked_) return;
  const std::uint8_t* const marks = surface.memory->data() + surface.entries;
  for (std::size_t a = 0; a < mesh_.attributes.size() && a < from_.size(); ++a)
    if (from_[a].of_primitive && !mesh_.attributes[a].unwritten.empty())
      for (std::size_t k = first; k < last; ++k)
        mesh_.attributes[a].unwritten[k] =
            marks[std::size_t{stream.primitive_places[k]} * layout.stride + from_[a].offset];
}

/// run-undefined-register: what the shader did not write, of the slots from `first` to `last`. Attributes beyond the
/// record are no outputs of it.
void RecordMesh::take_unwritten(const image::Surface& records, std::span<const std::uint32_t> places, std::size_t first,
                                std::size_t last) const {
  const std::uint8_t* marks = records.memory->data() + records.entries;
  for (std::size_t slot = first; slot < last; ++slot) {
    const std::size_t record = (places.empty() ? slot : places[slot]) * layout_.stride;
    const auto unwritten = [&](std::uint32_t offset) {
      return static_cast<std::uint8_t>(offset + 4 > layout_.stride || marks[record + offset] != 0 ? 1 : 0);
    };
    for (const std::uint32_t offset : layout_.position) mesh_.unwritten_positions[slot] |= unwritten(offset);
    for (std::size_t a = 0; a < mesh_.attributes.size() && a < from_.size(); ++a)
      if (!mesh_.attributes[a].unwritten.empty() && !from_[a].of_primitive)
        mesh_.attributes[a].unwritten[slot] = unwritten(from_[a].offset);
  }
}

}  // namespace heddle::pipeline
