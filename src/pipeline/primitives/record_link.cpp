// SPDX-License-Identifier: MIT
// Rules: PRM-7.
#include "pipeline/primitives/record_link.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "pipeline/primitives/record_copy.hpp"
#include "pipeline/primitives/records.hpp"

namespace heddle::pipeline {

std::vector<std::uint32_t> slots_of(std::initializer_list<OwnSurface> surfaces) {
  std::vector<std::uint32_t> slots;
  for (const OwnSurface& surface : surfaces)
    if (!surface.handle) slots.push_back(surface.slot);
  return slots;
}

void bind_own(machine::Bindings& bindings, const OwnSurface& where, const machine::SurfaceResource& surface) {
  if (where.handle) {
    bindings.bindless_surfaces[*where.handle] = surface;
    return;
  }
  if (bindings.surfaces.size() <= where.slot) bindings.surfaces.resize(where.slot + 1);
  bindings.surfaces[where.slot] = surface;
}

std::vector<RecordCopy> in_runs(std::vector<RecordCopy> copies) {
  std::ranges::sort(copies, {}, &RecordCopy::to);
  std::vector<RecordCopy> runs;
  for (const RecordCopy& copy : copies) {
    if (!runs.empty()) {
      RecordCopy& last = runs.back();
      if (last.from + last.dwords * 4 == copy.from && last.to + last.dwords * 4 == copy.to) {
        last.dwords += copy.dwords;
        continue;
      }
    }
    runs.push_back(copy);
  }
  return runs;
}

RecordLink::RecordLink(std::uint32_t stride, std::vector<RecordCopy> copies)
    : stride_(stride), copies_(in_runs(std::move(copies))) {}

/// Whether each record can be read where it lies.
bool RecordLink::same(const PrimitiveStream& in) const {
  const bool all =
      copies_.size() == 1 && copies_[0].from == 0 && copies_[0].to == 0 && copies_[0].dwords * 4 == stride_;
  return in.places.empty() && in.stride == stride_ && all;
}

const machine::SurfaceResource& RecordLink::take(const PrimitiveStream& in, machine::SurfaceResource& own,
                                                 bool checked) const {
  if (same(in)) return in.records;
  // Nobody else writes there, so that what no copy reaches is zero for good.
  if (const std::uint64_t bytes = std::uint64_t{in.vertices} * stride_; !own || checked || own->entries < bytes)
    make_records(own, bytes, checked);
  const std::uint8_t* const from = in.records->memory->data();
  std::uint8_t* const to = own->memory->data();
  const auto copy = [&](std::uint64_t from_base, std::uint64_t to_base) {
    constexpr std::uint32_t kTogether = 256;  // records, which caches hold from copy to copy
    for (std::uint32_t first = 0; first < in.vertices; first += kTogether)
      for (const RecordCopy& c : copies_)
        with_bytes(c, [&](auto bytes) {
          for (std::uint32_t v = first, last = std::min(in.vertices, first + kTogether); v < last; ++v)
            std::memcpy(to + to_base + std::uint64_t{v} * stride_ + c.to,
                        from + from_base + std::uint64_t{in.place(v)} * in.stride + c.from, bytes);
        });
  };
  copy(0, 0);
  if (!checked) return own;
  std::fill_n(to + own->entries, std::uint64_t{in.vertices} * stride_, std::uint8_t{1});
  copy(in.records->entries, own->entries);
  return own;
}

void make_raw(machine::SurfaceResource& made, std::uint64_t bytes, std::string_view name) {
  if (made && made->entries >= bytes) return;
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = image::Format::RAW;
  surface->entries = std::max<std::uint64_t>(bytes, 4096);
  surface->memory = std::make_shared<image::Memory>(static_cast<std::size_t>(surface->entries));
  if (!image::lay_out(*surface).ok()) surface->layout.clear();
  surface->name = name;
  made = std::move(surface);
}

void make_table(machine::SurfaceResource& table, const PrimitiveStream& in) {
  make_raw(table, in.at.size_bytes());
  if (!in.at.empty()) std::memcpy(table->memory->data(), in.at.data(), in.at.size_bytes());
}

}  // namespace heddle::pipeline
