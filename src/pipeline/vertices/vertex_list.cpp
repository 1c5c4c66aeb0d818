// SPDX-License-Identifier: MIT
// Rules: PIX-3, PRM-1 to PRM-3.
#include "pipeline/vertices/vertex_list.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::pipeline {
namespace {

std::uint32_t index_at(const IndexBuffer& indices, std::uint64_t n) {
  std::uint32_t index = 0;
  const std::uint64_t at = n * indices.index_bytes;
  if (at + indices.index_bytes <= indices.bytes.size())
    std::memcpy(&index, indices.bytes.data() + at, indices.index_bytes);
  return index;
}

std::size_t hash_of(std::uint32_t index, std::uint32_t instance) {
  return static_cast<std::size_t>((index + std::uint64_t{instance} * 0x9e3779b1u) * 0x9e3779b97f4a7c15u >> 32);
}

}  // namespace

void VertexList::begin(const VertexDraw& draw) {
  vertices_.clear();
  primitives_.clear();
  corners_.clear();
  tags_.clear();
  assembly_ = PrimitiveAssembly<Vertex>(draw.topology, draw.provoking_last);
  whole_.reset();
  whole_corners_ = std::clamp(whole_corners_of(draw.topology, draw.patch_vertices), 1u, kMaxPatchVertices);
  if (draw.whole && (whole_corners_ != corners_of(draw.topology) || draw.topology == Topology::PatchList))
    whole_.emplace(draw.topology, draw.provoking_last, whole_corners_);
  range_ = {draw.first_vertex, draw.vertices, draw.vertex_offset};
  others_ = 0;
  at_ = 0;
  instance_ = number_ = 0;
}

/// Begins the draw behind the last one; false where there is none. No draw finds the vertices of another.
bool VertexList::next_draw(const VertexDraw& draw) {
  if (others_ == draw.others.size()) return false;
  range_ = draw.others[others_++];
  at_ = 0;
  instance_ = number_ = 0;
  used_ = 0;
  ++piece_;
  return true;
}

void VertexList::grow() {
  std::vector<Known> old(std::max<std::size_t>(256, 2 * known_.size()));
  std::swap(old, known_);
  for (const Known& k : old) {
    if (k.piece != piece_) continue;
    std::size_t at = hash_of(k.index, k.instance) & (known_.size() - 1);
    while (known_[at].piece == piece_) at = (at + 1) & (known_.size() - 1);
    known_[at] = k;
  }
}

/// The place of a vertex of this instance; `shared`: it may be there already.
std::uint32_t VertexList::place_of(std::uint32_t index, bool shared) {
  const std::uint32_t place = count();
  if (!shared) return vertices_.push_back({index, instance_}), place;
  if (2 * (used_ + 1) > known_.size()) grow();
  std::size_t at = hash_of(index, instance_) & (known_.size() - 1);
  for (; known_[at].piece == piece_; at = (at + 1) & (known_.size() - 1))
    if (known_[at].index == index && known_[at].instance == instance_) return known_[at].place;
  known_[at] = {piece_, instance_, index, place};
  ++used_;
  vertices_.push_back({index, instance_});
  return place;
}

/// A vertex that an earlier piece may have had.
std::uint32_t VertexList::place_again(const Vertex& vertex, bool shared) {
  return vertex.piece == piece_ ? vertex.place : place_of(vertex.index, shared);
}

/// Vertex n of the instance; whether it completes a primitive.
bool VertexList::add(const VertexDraw& draw, std::uint64_t n) {
  Vertex vertex{.piece = piece_};
  const bool shared = draw.indices.has_value();
  if (shared) {
    const std::uint32_t index = index_at(*draw.indices, range_.first_vertex + n);
    const std::uint32_t restart = draw.indices->index_bytes == 4 ? ~0u : (1u << 8 * draw.indices->index_bytes) - 1;
    if (draw.indices->restart && index == restart) return this->restart(shared), false;
    vertex.index = index + static_cast<std::uint32_t>(range_.vertex_offset);
  } else {
    vertex.index = range_.first_vertex + static_cast<std::uint32_t>(n);
  }
  ++read_;
  vertex.place = place_of(vertex.index, shared);
  if (whole_) {
    const auto made = whole_->add(vertex);
    add_whole(made, shared);
    return made.made;
  }
  const auto made = assembly_.add(vertex);
  if (!made.made) return false;
  ListedPrimitive& entry = primitives_.emplace_back();
  entry.number = number_++;
  entry.continues = made.continues;
  for (std::size_t k = 0; k < corners_of(draw.topology); ++k) entry.at[k] = place_again(made.at[k], shared);
  return true;
}

void VertexList::add_whole(const WholeAssembly<Vertex>::Primitive& made, bool shared) {
  if (!made.made) return;
  tags_.push_back({number_++, made.continues});
  for (std::uint32_t k = 0; k < whole_corners_; ++k) corners_.push_back(place_again(made.at[k], shared));
}

/// The next vertex begins a new strip, fan or primitive.
void VertexList::restart(bool shared) {
  if (whole_) return add_whole(whole_->restart(), shared);
  assembly_.restart();
}

/// Whole primitives of a list without indices, whose vertices nobody shares: as add() would.
void VertexList::add_list(const VertexDraw& draw, std::uint64_t primitives, std::uint64_t vertices) {
  const std::uint32_t corners = corners_of(draw.topology);
  if (at_ % corners != 0 || vertices_.size() >= vertices) return;
  const std::uint64_t most = std::min(primitives - primitives_.size(), (vertices - vertices_.size()) / corners),
                      count = std::min(most, (range_.vertices - at_) / corners);
  std::uint32_t place = this->count();
  auto index = static_cast<std::uint32_t>(range_.first_vertex + at_);
  vertices_.resize(vertices_.size() + count * corners);
  primitives_.resize(primitives_.size() + count);
  ShadedVertex* vertex = vertices_.data() + place;
  for (ListedPrimitive *entry = primitives_.data() + primitives_.size() - count, *end = entry + count; entry != end;
       ++entry) {
    entry->number = number_++;
    for (std::uint32_t k = 0; k < corners; ++k) {
      *vertex++ = {index++, instance_};
      entry->at[k] = place++;
    }
  }
  at_ += count * corners;
  read_ += count * corners;
  assembly_.restart();
}

/// What is left of the draw in work, as far as the piece has room; true where it has no more.
bool VertexList::add_draw(const VertexDraw& draw, std::uint64_t primitives, std::uint64_t vertices) {
  const std::uint64_t behind = whole_ ? 40 : 6;  // that a primitive may need again
  constexpr std::uint64_t kWhole = 96;           // vertices of whole primitives and whole threads, of 8 to 32 lanes
  constexpr std::uint64_t kLooks = 16ull << 20;  // of nothing but restarts
  const bool plain_list =
      !draw.indices && (draw.topology == Topology::TriangleList || draw.topology == Topology::LineList ||
                        draw.topology == Topology::PointList);
  while (range_.vertices != 0 && instance_ < draw.instances) {
    if (plain_list && primitives_.size() < primitives) {
      const std::uint64_t most = vertices > behind ? vertices - behind : 0;
      add_list(draw, primitives, most > kWhole ? most / kWhole * kWhole : most);
      if (range_.vertices - at_ >= corners_of(draw.topology) && !primitives_.empty()) return true;
    }
    for (; at_ < range_.vertices; ++at_) {
      if (primitive_count() >= primitives || vertices_.size() + behind > vertices || ++looks_ > kLooks) return true;
      (void)add(draw, at_);
    }
    restart(draw.indices.has_value());
    ++instance_;
    at_ = number_ = 0;
  }
  return false;
}

bool VertexList::next(const VertexDraw& draw, std::uint64_t primitives, std::uint64_t vertices) {
  vertices_.clear();
  primitives_.clear();
  corners_.clear();
  tags_.clear();
  used_ = 0;
  read_ = looks_ = 0;
  ++piece_;
  do
    if (add_draw(draw, primitives, vertices)) return true;
  while (next_draw(draw));
  return !vertices_.empty();
}

}  // namespace heddle::pipeline
