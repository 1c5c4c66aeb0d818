// SPDX-License-Identifier: MIT
#pragma once
// The primitives that lanes of a geometry shader emitted (PRM-9, PRM-10).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/fixed_limits.hpp"
#include "pipeline/primitives/geometry.hpp"
#include "pipeline/primitives/stream.hpp"
#include "pipeline/primitives/topology.hpp"

namespace heddle::pipeline {

/// Primitives of one stream: of some lanes, or of a window.
struct Emitted {
  std::vector<std::uint32_t> places, at;
  std::vector<PrimitiveTag> tags;

  void clear() {
    places.clear();
    at.clear();
    tags.clear();
  }
  void add(const Emitted& more) {
    const auto first = static_cast<std::uint32_t>(places.size());
    places.insert(places.end(), more.places.begin(), more.places.end());
    at.reserve(at.size() + more.at.size());
    for (const std::uint32_t vertex : more.at) at.push_back(first + vertex);
    tags.insert(tags.end(), more.tags.begin(), more.tags.end());
  }
};
using EmittedStreams = std::array<Emitted, base::kMaxVertexStreams>;

/// The lanes of a run: as many invocations of each primitive as the shader asks for, one behind the other.
struct GeometryWindow {
  const PrimitiveStream* in = nullptr;
  std::uint64_t first = 0, lanes = 0;  ///< of all lanes of the stream
  std::uint64_t slot = 0;              ///< of the first one: where it counts, and its records lie
  bool provoking_last = false;
};

/// Reads what they emitted.
class GeometryAssembler {
 public:
  GeometryAssembler(const GeometryPlan& plan, const GeometryWindow& window, const std::uint8_t* records,
                    const std::uint8_t* counts)
      : plan_(plan),
        window_(window),
        records_(records + window.slot * plan.max_vertices * plan.stride),
        counts_(counts + 4 * window.slot),
        corners_(corners_of(plan.made)),
        first_record_(static_cast<std::uint32_t>(window.slot * plan.max_vertices)) {}

  /// The lanes of the window from `first` to `last`, in their order.
  void read(std::uint64_t first, std::uint64_t last, EmittedStreams& to) const {
    for (std::size_t stream = 1; stream < to.size(); ++stream) to[stream].clear();
    if (read_single_stream(first, last, to[0])) return;
    to[0].clear();
    const PrimitiveAssembly<std::uint32_t> none(plan_.made, window_.provoking_last);
    Assemblies assembly{none, none, none, none};
    for (std::uint64_t lane = first; lane < last; ++lane) read_lane(static_cast<std::uint32_t>(lane), assembly, to);
  }

  /// Vertices that a lane of the window emitted.
  [[nodiscard]] std::uint32_t emitted(std::uint64_t lane) const { return dword_at(counts_ + 4 * lane); }

 private:
  using Assemblies = std::array<PrimitiveAssembly<std::uint32_t>, base::kMaxVertexStreams>;

  static std::uint32_t dword_at(const std::uint8_t* bytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes, 4);
    return word;
  }

  /// The same where all vertices are of stream 0; false: they are not, and `made` is of no use.
  bool read_single_stream(std::uint64_t first, std::uint64_t last, Emitted& made) const {
    switch (plan_.made) {
      case Topology::PointList:
        return read_strips<1>(first, last, made);
      case Topology::LineStrip:
        return read_strips<2>(first, last, made);
      case Topology::TriangleStrip:
        return read_strips<3>(first, last, made);
      default:
        return false;
    }
  }
  /// Strips of primitives with so many corners: each is made of vertices that follow each other (PRM-2).
  template <std::uint32_t kCorners>
  bool read_strips(std::uint64_t first, std::uint64_t last, Emitted& made) const {
    std::size_t most = 0;
    for (std::uint64_t lane = first; lane < last; ++lane) most += count_of(lane);
    made.places.resize(most);
    made.at.resize(most * kCorners);
    made.tags.resize(most);
    const bool provoking_last = window_.provoking_last, numbers = plan_.primitive.has_value();
    const std::uint32_t turned = provoking_last ? 0 : 1;  // of the odd triangles of a strip two vertices turn round
    const std::size_t stride = plan_.stride;
    std::uint32_t vertex = 0, *at = made.at.data(), *const places = made.places.data();
    PrimitiveTag* tag = made.tags.data();
    for (std::uint64_t lane = first; lane < last; ++lane) {
      const std::uint32_t number = numbers ? 0 : number_of(lane), end = vertex + count_of(lane);
      const auto record = static_cast<std::uint32_t>(lane * plan_.max_vertices);
      const std::uint8_t* header = this->at(record) + plan_.header;
      for (std::uint32_t in_strip = 0, place = first_record_ + record; vertex != end;
           ++vertex, ++place, header += stride) {
        const std::uint32_t word = dword_at(header);
        if ((word >> kStreamShift & (base::kMaxVertexStreams - 1)) != 0) return false;
        places[vertex] = place;
        if ((word & kBeginsStrip) != 0) in_strip = 0;
        const std::uint32_t n = in_strip++;
        if (n + 1 < kCorners) continue;
        for (std::uint32_t k = 0; k < kCorners; ++k) at[k] = vertex + 1 - kCorners + k;
        if (kCorners == 3 && n % 2 != 0) std::swap(at[turned], at[turned + 1]);
        const std::uint32_t provoking = at[provoking_last ? kCorners - 1 : 0];
        *tag++ = {numbers ? number_given(places[provoking]) : number, kCorners == 2 && n >= 2};
        at += kCorners;
      }
    }
    made.at.resize(static_cast<std::size_t>(at - made.at.data()));
    made.tags.resize(static_cast<std::size_t>(tag - made.tags.data()));
    return true;
  }

  void read_lane(std::uint32_t lane, Assemblies& assembly, EmittedStreams& to) const {
    for (auto& stream : assembly) stream.restart();
    std::uint32_t record = lane * plan_.max_vertices;
    for (const std::uint32_t end = record + count_of(lane); record != end; ++record) {
      const std::uint32_t header = dword_at(at(record) + plan_.header);
      const std::uint32_t stream = header >> kStreamShift & (base::kMaxVertexStreams - 1);
      if ((header & kBeginsStrip) != 0) assembly[stream].restart();
      Emitted& made = to[stream];
      const auto vertex = static_cast<std::uint32_t>(made.places.size());
      made.places.push_back(first_record_ + record);
      const auto primitive = assembly[stream].add(vertex);
      if (!primitive.made) continue;
      made.at.insert(made.at.end(), primitive.at.begin(), primitive.at.begin() + corners_);
      const std::uint32_t provoking = made.places[primitive.at[window_.provoking_last ? corners_ - 1 : 0]];
      made.tags.push_back({plan_.primitive ? number_given(provoking) : number_of(lane), primitive.continues});
    }
  }

  /// Vertices that it emitted, and has a place for.
  [[nodiscard]] std::uint32_t count_of(std::uint64_t lane) const { return std::min(emitted(lane), plan_.max_vertices); }

  /// PRM-10: the number that the shader gave the provoking vertex, or that of the primitive that it was made of.
  [[nodiscard]] std::uint32_t number_given(std::uint32_t provoking) const {
    return dword_at(at(provoking - first_record_) + *plan_.primitive);
  }
  [[nodiscard]] std::uint32_t number_of(std::uint64_t lane) const {
    return window_.in->tags[(window_.first + lane) / plan_.invocations].number;
  }
  /// A record of the window.
  [[nodiscard]] const std::uint8_t* at(std::uint32_t record) const {
    return records_ + std::size_t{record} * plan_.stride;
  }

  const GeometryPlan& plan_;
  const GeometryWindow& window_;
  const std::uint8_t *records_, *counts_;
  const std::uint32_t corners_, first_record_;
};

}  // namespace heddle::pipeline
