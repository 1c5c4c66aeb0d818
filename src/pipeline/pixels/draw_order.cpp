// SPDX-License-Identifier: MIT
// Rules: PIX-11.
#include "pipeline/pixels/draw_order.hpp"

namespace heddle::pipeline {

std::uint64_t Stretch::cost() const {
  std::uint64_t all = 0;
  for (const Part& part : parts_) all += part.cost;
  return all;
}

/// The part of a bin, which Places then know as the last one; a new one is empty, and its row begins there.
void Stretch::find_part(Places& places, std::uint32_t bin, std::uint32_t primitive) {
  Places::Place& place = places.at_[bin];
  if (place.stretch != places.stretch_) {
    place = {places.stretch_, static_cast<std::uint32_t>(parts_.size())};
    const auto row = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back({primitive, primitive, kNone});
    parts_.push_back({bin, row, row, 0});
  }
  places.last_bin_ = bin;
  places.last_part_ = place.part;
}

void Stretch::add_row(Part& part, std::uint32_t primitive) {
  const auto row = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({primitive, primitive + 1, kNone});
  rows_[part.last].next = row;
  part.last = row;
}

void Stretch::take_ready(std::uint64_t cost, std::vector<std::uint32_t>& parts) {
  parts.clear();
  for (std::uint64_t taken = 0; !ready_.empty() && (parts.empty() || taken < cost); ready_.pop_back()) {
    parts.push_back(ready_.back());
    taken += parts_[ready_.back()].cost;
  }
}

void DrawOrder::begin(std::size_t bins) {
  for (Bin& bin : bins_) {
    bin.waiting.clear();
    bin.first = 0;
  }
  if (bins_.size() < bins) bins_.resize(bins);
}

void DrawOrder::enter(Stretch& stretch) {
  stretch.left_ = stretch.parts_.size();
  for (std::uint32_t part = 0; part < stretch.parts_.size(); ++part) {
    Bin& bin = bins_[stretch.parts_[part].bin];
    if (bin.first == bin.waiting.size()) stretch.ready_.push_back(part);
    bin.waiting.push_back({&stretch, part});
  }
}

Stretch* DrawOrder::leave(Stretch& stretch, std::uint32_t part) {
  Bin& bin = bins_[stretch.parts_[part].bin];
  --stretch.left_;
  if (++bin.first < bin.waiting.size()) {
    const Waiting& next = bin.waiting[bin.first];
    next.stretch->ready_.push_back(next.part);
    return next.stretch;
  }
  bin.waiting.clear();
  bin.first = 0;
  return nullptr;
}

}  // namespace heddle::pipeline
