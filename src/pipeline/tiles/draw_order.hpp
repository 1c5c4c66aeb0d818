// SPDX-License-Identifier: MIT
#pragma once
// In which order what several threads draw reaches the target: bin by bin, in the order of the primitives (PIX-11).

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::pipeline {

/// Primitives one after another, divided by the bins that they lie in.
class Stretch {
  static constexpr std::uint32_t kNone = UINT32_MAX;

 public:
  /// What lies in one bin, in order, or in several side by side.
  struct Part {
    std::uint32_t bin = 0;
    std::uint32_t first = 0, last = 0;  ///< of its rows
    std::uint32_t cost = 0;             ///< about how long it takes
    std::uint32_t bins = 1;
    std::uint32_t behind = 0;  ///< in how many of them others come first
  };
  /// Where the parts of a stretch that is being filled are, by bin: its filler's, from stretch to stretch.
  class Places {
   public:
    void begin(std::size_t bins) {
      if (at_.size() < bins) at_.resize(bins);
      ++stretch_;
      last_bin_ = kNone;
    }

   private:
    friend Stretch;
    struct Place {
      std::uint64_t stretch = 0;
      std::uint32_t part = 0;
    };
    std::vector<Place> at_;
    std::uint64_t stretch_ = 0;
    std::uint32_t last_bin_ = kNone, last_part_ = 0;  ///< of the last primitive
  };

  void clear() {
    parts_.clear();
    rows_.clear();
    ready_.clear();
    first_ready_ = left_ = 0;
  }
  /// One more primitive of a bin, behind those that it has.
  void add(Places& places, std::uint32_t bin, std::uint32_t primitive, std::uint32_t cost) {
    if (bin != places.last_bin_) find_part(places, bin, primitive);
    Part& part = parts_[places.last_part_];
    part.cost += cost;
    Row& row = rows_[part.last];
    if (row.end == primitive)
      ++row.end;
    else
      add_row(part, primitive);
  }
  /// One primitive in `bins` of them from `bin` on, which has no other.
  void add_wide(std::uint32_t bin, std::uint32_t bins, std::uint32_t primitive, std::uint32_t cost);
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  [[nodiscard]] std::uint64_t cost() const;
  /// Calls visit(primitive) for those of a part, in order, until it returns false, as this does then.
  template <typename Visit>
  bool visit(std::uint32_t part, const Visit& visit) const {
    for (std::uint32_t at = parts_[part].first; at != kNone; at = rows_[at].next)
      for (std::uint32_t primitive = rows_[at].begin; primitive < rows_[at].end; ++primitive)
        if (!visit(primitive)) return false;
    return true;
  }

  [[nodiscard]] bool has_ready() const { return first_ready_ != ready_.size(); }
  /// Takes parts that may be drawn, one at least where there is one, until they cost so much. `from_end`: two who take
  /// from both ends stay in parts side by side.
  void take_ready(std::uint64_t cost, bool from_end, std::vector<std::uint32_t>& parts);
  /// All parts are drawn.
  [[nodiscard]] bool is_drawn() const { return left_ == 0; }

 private:
  friend class DrawOrder;
  /// Primitives side by side in the list.
  struct Row {
    std::uint32_t begin, end, next;
  };
  void find_part(Places& places, std::uint32_t bin, std::uint32_t primitive);
  void add_row(Part& part, std::uint32_t primitive);
  std::vector<Part> parts_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> ready_;  ///< parts that may be drawn, from first_ready_ on
  std::size_t first_ready_ = 0;
  std::size_t left_ = 0;  ///< how many are not drawn
};

/// Which parts of stretches may be drawn: in each bin those of the stretch that entered first. One thread at a time.
class DrawOrder {
 public:
  void begin(std::size_t bins);
  /// Behind all others; it must live until it is drawn. What is first in its bins is ready.
  void enter(Stretch& stretch);
  /// A part is drawn. Calls offer(Stretch&) for each part of another stretch that is ready now.
  template <typename Offer>
  void leave(Stretch& stretch, std::uint32_t part, const Offer& offer) {
    const Stretch::Part& drawn = stretch.parts_[part];
    --stretch.left_;
    for (std::uint32_t bin = drawn.bin; bin < drawn.bin + drawn.bins; ++bin)
      if (Stretch* const next = leave_bin(bins_[bin])) offer(*next);
  }

 private:
  struct Waiting {
    Stretch* stretch;
    std::uint32_t part;
  };
  struct Bin {
    std::vector<Waiting> waiting;
    std::size_t first = 0;  ///< that is not drawn
  };
  Stretch* leave_bin(Bin& bin);
  std::vector<Bin> bins_;
  std::uint64_t waiting_ = 0;  ///< in all bins: none when all is drawn
};

}  // namespace heddle::pipeline
