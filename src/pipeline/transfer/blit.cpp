// SPDX-License-Identifier: MIT
// Blits row by row: TRF-6 to TRF-13.

#include <array>
#include <cstring>

#include "pipeline/transfer/blit_plan.hpp"
#include "pipeline/transfer/parallel.hpp"
#include "pipeline/transfer/texel_rows.hpp"

namespace heddle::pipeline::transfer {
namespace {

template <typename Element>
void gather_as(const std::uint8_t* row, const std::vector<std::uint32_t>& columns, std::uint8_t* to) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    std::memcpy(to + i * sizeof(Element), row + columns[i] * sizeof(Element), sizeof(Element));
}

using Element16 = std::array<std::uint64_t, 2>;

/// The elements at the columns of a row.
void gather_elements(const std::uint8_t* row, const std::vector<std::uint32_t>& columns, std::size_t bytes,
                     std::uint8_t* to) {
  switch (bytes) {
    case 1:
      return gather_as<std::uint8_t>(row, columns, to);
    case 2:
      return gather_as<std::uint16_t>(row, columns, to);
    case 4:
      return gather_as<std::uint32_t>(row, columns, to);
    case 8:
      return gather_as<std::uint64_t>(row, columns, to);
    case 16:
      return gather_as<Element16>(row, columns, to);
    default:
      for (std::size_t i = 0; i < columns.size(); ++i) std::memcpy(to + i * bytes, row + columns[i] * bytes, bytes);
  }
}

/// What all rows of a blit share.
struct Blit {
  BlitPlan plan;
  TexelSource source;
  TexelSink sink;
  Plane to;
  std::vector<std::uint32_t> columns;                ///< nearest: of the level
  bool in_order = true;                              ///< nearest: the columns follow each other
  std::vector<std::uint32_t> tap_first, tap_second;  ///< linear: ColumnTaps, counted from `left`
  std::vector<float> tap_weight;
  bool halves = true;                 ///< linear: each texel is the mean of the next two
  std::uint32_t left = 0, width = 0;  ///< linear: columns that the taps reach

  Blit(const BlitPlan& p, const Plane& plane) : plan(p), source(p.from), sink(*p.to.format), to(plane) {
    std::vector<AxisTap> found(plan.to.columns);
    std::uint32_t least = UINT32_MAX, greatest = 0;
    for (std::uint32_t i = 0; i < plan.to.columns; ++i) {
      found[i] = plan.x.tap(plan.x.first() + i, plan.linear);
      least = std::min({least, found[i].first, found[i].second});
      greatest = std::max({greatest, found[i].first, found[i].second});
    }
    left = least;
    width = greatest - least + 1;
    for (const AxisTap& tap : found) {
      if (plan.linear) {
        halves =
            halves && tap.first - left == 2 * tap_first.size() && tap.second == tap.first + 1 && tap.weight == 0.5f;
        tap_first.push_back(tap.first - left);
        tap_second.push_back(tap.second - left);
        tap_weight.push_back(tap.weight);
      } else {
        in_order = in_order && (columns.empty() || tap.first == columns.back() + 1);
        columns.push_back(tap.first);
      }
    }
    tap_first.resize(found.size() + kRowPadding);
    tap_second.resize(found.size() + kRowPadding);
    tap_weight.resize(found.size() + kRowPadding);
  }
};

/// Nearest: one worker's rows. A row that reads the same row as the one before is a copy of it.
class NearestRows {
 public:
  explicit NearestRows(const Blit& blit) : blit_(blit) {}

  void write(std::uint32_t k, std::uint32_t j) {
    const std::uint32_t slice = slice_tap(blit_.plan, k).first;
    const std::uint32_t row = blit_.plan.y.tap(blit_.plan.y.first() + j, false).first;
    std::uint8_t* to = blit_.to.row(k, j);
    const std::size_t bytes = std::size_t{blit_.plan.to.columns} * blit_.plan.to.format->bytes_per_element();
    if (last_ != nullptr && slice == last_slice_ && row == last_row_)
      std::memcpy(to, last_, bytes);
    else
      make(slice, row, to);
    last_ = to;
    last_slice_ = slice;
    last_row_ = row;
  }

 private:
  void make(std::uint32_t slice, std::uint32_t row, std::uint8_t* to) {
    const BlitPlan& plan = blit_.plan;
    const std::size_t count = plan.to.columns, bytes = plan.from.format->bytes_per_element();
    const RowAccess &in = blit_.source.access(), &out = blit_.sink.access();
    const std::uint8_t* from = blit_.source.elements(slice, row);
    if (from == nullptr || (!plan.copies_elements && !(in.reads && out.writes))) {
      texels_.resize(4 * (count + kRowPadding));
      blit_.source.read_at(slice, row, blit_.columns, texels_.data());
      return blit_.sink.write(texels_.data(), count, to);
    }
    if (blit_.in_order) {
      from += blit_.columns[0] * bytes;
      if (plan.copies_elements)
        std::memmove(to, from, count * bytes);
      else
        row_functions().convert(in.format, out.format, from, count, to);
      return;
    }
    if (plan.copies_elements) return gather_elements(from, blit_.columns, bytes, to);
    elements_.resize(count * bytes);
    gather_elements(from, blit_.columns, bytes, elements_.data());
    row_functions().convert(in.format, out.format, elements_.data(), count, to);
  }

  const Blit& blit_;
  const std::uint8_t* last_ = nullptr;
  std::uint32_t last_slice_ = 0, last_row_ = 0;
  std::vector<std::uint32_t> texels_;
  std::vector<std::uint8_t> elements_;
};

/// Linear: one worker's rows. Source rows are filtered along the row once and kept while neighbors need them.
class LinearRows {
 public:
  explicit LinearRows(const Blit& blit) : blit_(blit), texels_(4 * (blit.width + kRowPadding)) {
    const std::size_t floats = 4 * (std::size_t{blit.plan.to.columns} + kRowPadding);
    for (Row& row : rows_) row.values.resize(floats);
    for (std::vector<float>& slice : slices_) slice.resize(floats);
    result_.resize(floats);
  }

  void write(std::uint32_t k, std::uint32_t j) {
    const AxisTap y = blit_.plan.y.tap(blit_.plan.y.first() + j, true), z = slice_tap(blit_.plan, k);
    const float* near = slice(z.first, y, slices_[0]);
    const float* values = near;
    if (z.weight != 0) {
      row_functions().between(near, slice(z.second, y, slices_[1]), z.weight, blit_.plan.to.columns, result_.data());
      values = result_.data();
    }
    // The words of the floats: plain data either way.
    blit_.sink.write(reinterpret_cast<const std::uint32_t*>(values), blit_.plan.to.columns, blit_.to.row(k, j));
  }

 private:
  struct Row {
    std::uint32_t slice = UINT32_MAX, row = 0;
    std::uint64_t used = 0;
    std::vector<float> values;
  };

  const float* slice(std::uint32_t at, const AxisTap& y, std::vector<float>& to) {
    const float* upper = filtered(at, y.first);
    if (y.weight == 0) return upper;
    row_functions().between(upper, filtered(at, y.second), y.weight, blit_.plan.to.columns, to.data());
    return to.data();
  }

  /// A row along x. Valid until four other rows were asked for.
  const float* filtered(std::uint32_t slice, std::uint32_t row) {
    Row* oldest = &rows_[0];
    for (Row& candidate : rows_) {
      if (candidate.slice == slice && candidate.row == row) {
        candidate.used = ++clock_;
        return candidate.values.data();
      }
      if (candidate.used < oldest->used) oldest = &candidate;
    }
    make(slice, row, oldest->values.data());
    oldest->slice = slice;
    oldest->row = row;
    oldest->used = ++clock_;
    return oldest->values.data();
  }

  void make(std::uint32_t slice, std::uint32_t row, float* to) {
    const std::size_t count = blit_.plan.to.columns;
    const RowAccess& access = blit_.source.access();
    if (const std::uint8_t* elements = blit_.source.elements(slice, row);
        blit_.halves && access.reads && elements != nullptr)
      return row_functions().halve(access.format, elements + std::size_t{blit_.left} * access.format.bytes, count, to);
    blit_.source.read(slice, row, blit_.left, blit_.width, texels_.data());
    row_functions().across(reinterpret_cast<const float*>(texels_.data()),
                           {blit_.tap_first.data(), blit_.tap_second.data(), blit_.tap_weight.data()}, count, to);
  }

  const Blit& blit_;
  std::vector<std::uint32_t> texels_;
  std::array<Row, 4> rows_;
  std::array<std::vector<float>, 2> slices_;
  std::vector<float> result_;
  std::uint64_t clock_ = 0;
};

template <typename Rows>
void run_rows(const Blit& blit, Work work) {
  const std::uint32_t rows = blit.plan.to.rows;
  constexpr std::uint64_t kCostOfTexel = 16;
  for_ranges(std::uint64_t{rows} * blit.plan.to.slices, kCostOfTexel * blit.plan.to.columns, work.workers,
             [&](std::uint64_t begin, std::uint64_t end) {
               Rows worker(blit);
               for (std::uint64_t i = begin; i < end; ++i)
                 worker.write(static_cast<std::uint32_t>(i / rows), static_cast<std::uint32_t>(i % rows));
             });
}

}  // namespace

base::Result<base::Done> blit(const image::Surface& from, const BlitBox& source, image::Surface& to,
                              const BlitBox& destination, image::Filter filter, Work work) {
  const auto plan = blit_plan(from, source, to, destination, filter);
  if (!plan.ok()) return plan.failure();
  const auto plane = plane_of(plan->to);
  if (!plane || (plan->copies_elements && !plane_of(plan->from)))
    return reference::blit(from, source, to, destination, filter);
  const Blit shared(*plan, *plane);
  if (plan->linear)
    run_rows<LinearRows>(shared, work);
  else
    run_rows<NearestRows>(shared, work);
  return base::Done{};
}

}  // namespace heddle::pipeline::transfer
