// SPDX-License-Identifier: MIT
// Rules: PIX-11.
#include "pipeline/tiles/draw_order.hpp"

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
    parts_.push_back({.bin = bin, .first = row, .last = row});
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

void Stretch::add_wide(std::uint32_t bin, std::uint32_t bins, std::uint32_t primitive, std::uint32_t cost) {
  const auto row = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back({primitive, primitive + 1, kNone});
  parts_.push_back({.bin = bin, .first = row, .last = row, .cost = cost, .bins = bins});
}

void Stretch::take_ready(std::uint64_t cost, bool from_end, std::vector<std::uint32_t>& parts) {
  parts.clear();
  for (std::uint64_t taken = 0; has_ready() && (parts.empty() || taken < cost); taken += parts_[parts.back()].cost) {
    parts.push_back(from_end ? ready_.back() : ready_[first_ready_++]);
    if (from_end) ready_.pop_back();
  }
}

void DrawOrder::begin(std::size_t bins) {
  if (waiting_ != 0)  // of a draw that was stopped
    for (Bin& bin : bins_) {
      bin.waiting.clear();
      bin.first = 0;
    }
  waiting_ = 0;
  if (bins_.size() < bins) bins_.resize(bins);
}

void DrawOrder::enter(Stretch& stretch) {
  stretch.left_ = stretch.parts_.size();
  for (std::uint32_t number = 0; number < stretch.parts_.size(); ++number) {
    Stretch::Part& part = stretch.parts_[number];
    for (std::uint32_t b = part.bin; b < part.bin + part.bins; ++b) {
      Bin& bin = bins_[b];
      if (bin.first != bin.waiting.size()) ++part.behind;
      bin.waiting.push_back({&stretch, number});
    }
    waiting_ += part.bins;
    if (part.behind == 0) stretch.ready_.push_back(number);
  }
}

/// The stretch whose part waited for nothing else, or null.
Stretch* DrawOrder::leave_bin(Bin& bin) {
  --waiting_;
  if (++bin.first == bin.waiting.size()) {
    bin.waiting.clear();
    bin.first = 0;
    return nullptr;
  }
  const Waiting& next = bin.waiting[bin.first];
  if (--next.stretch->parts_[next.part].behind != 0) return nullptr;
  next.stretch->ready_.push_back(next.part);
  return next.stretch;
}

}  // namespace heddle::pipeline
