// SPDX-License-Identifier: MIT
#include "vulkan/texels/texel_counts.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "texture/request.hpp"

namespace heddle::vulkan {
namespace {

using texture::OperationKind;

/// What a thread counts of one plane. Reads come before writes.
enum Slot : unsigned {
  kSampled,
  kSampledSquares,
  kGathered,
  kGatheredSquares,
  kLoaded,
  kStorageRead,
  kTested,
  kStored,
  kDrawn,
  kSlots,
};
constexpr bool is_squares(unsigned slot) { return slot == kSampledSquares || slot == kGatheredSquares; }

unsigned slot_of(OperationKind family) {
  return family == OperationKind::Gather4 ? kGathered : family == OperationKind::Load ? kLoaded : kSampled;
}

TexelUse use_of(unsigned slot, const PlaneRecord& record) {
  switch (slot) {
    case kSampled:
    case kSampledSquares:
      return TexelUse::Sampled;
    case kGathered:
    case kGatheredSquares:
      return TexelUse::Gathered;
    case kLoaded:
      return record.is_input ? TexelUse::Input : TexelUse::Loaded;
    case kStorageRead:
      return TexelUse::Storage;
    case kTested:
      return TexelUse::Attachment;
    case kStored:
      return TexelUse::Stored;
    default:
      return TexelUse::Drawn;
  }
}

/// The texels of a compressed image whose block lies at this byte of its surface.
template <typename Use>
void for_each_of_block(const TexelShape& shape, const image::Surface& whole, std::uint64_t byte, Use&& use) {
  for (std::size_t l = 0; l < shape.levels.size(); ++l) {
    const image::LevelLayout& from = whole.layout[l];
    const TexelShape::Level& level = shape.levels[l];
    if (byte < from.offset || byte >= from.offset + from.slice_pitch * from.slices) continue;
    const std::uint64_t rest = byte - from.offset, in_slice = rest % from.slice_pitch;
    const auto slice = static_cast<std::uint32_t>(rest / from.slice_pitch);
    const auto first_x = static_cast<std::uint32_t>(in_slice % from.row_pitch / shape.bytes * shape.block_width);
    const auto first_y = static_cast<std::uint32_t>(in_slice / from.row_pitch * shape.block_height);
    for (std::uint32_t y = first_y; y < std::min(first_y + shape.block_height, level.height); ++y)
      for (std::uint32_t x = first_x; x < std::min(first_x + shape.block_width, level.width); ++x)
        use(level.at(slice, x, y));
    return;
  }
}

}  // namespace

/// A thread's counters. The thread alone writes them while its device's shaders run; others look at them when those
/// have ended, and see places that other devices' shaders make meanwhile whole or not at all.
struct TexelCounts::Tally {
  /// Apart from what other threads count: each sample adds to one.
  struct alignas(64) LaneCount {
    std::uint64_t lanes = 0;
  };
  struct Plane {
    std::array<Counters, kSlots> counts;
    std::array<bool, kSlots> dirty{};
    std::unordered_map<const image::Sampler*, LaneCount> lanes;
    const image::Sampler* last = nullptr;
    std::uint64_t* lanes_of_last = nullptr;

    std::uint32_t* counters(unsigned slot, const PlaneRecord& record) {
      Counters& of = counts[slot];
      if (of.empty()) of = Counters(record.shape.counters);
      dirty[slot] = true;
      return of.data();
    }
    std::uint64_t& lanes_of(const image::Sampler* sampler) {
      if (sampler != last) {
        last = sampler;
        lanes_of_last = &lanes[sampler].lanes;
      }
      return *lanes_of_last;
    }
  };
  static constexpr std::uint32_t kChunk = 1024;
  using Chunk = std::array<std::atomic<Plane*>, kChunk>;
  std::array<std::atomic<Chunk*>, kChunk> chunks{};
  // What the reference unit is doing on the thread:
  OperationKind family = OperationKind::Sample;
  /// Surfaces that it has met.
  struct Known {
    const image::Surface* surface = nullptr;
    std::uint64_t changes = 0;
    Seen seen;
  };
  std::array<Known, 64> known;

  [[nodiscard]] Plane* find(std::uint32_t number) const {
    const Chunk* chunk = chunks[number / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : (*chunk)[number % kChunk].load(std::memory_order_acquire);
  }
  Plane& plane(const PlaneRecord& record) {
    const std::uint32_t number = record.counter.number;
    if (Plane* found = find(number)) return *found;
    std::atomic<Chunk*>& chunk = chunks[number / kChunk];
    if (chunk.load() == nullptr) chunk.store(new Chunk{}, std::memory_order_release);
    auto* made = new Plane;
    (*chunk.load())[number % kChunk].store(made, std::memory_order_release);
    return *made;
  }
};

TexelCounts::TexelCounts() = default;
TexelCounts::~TexelCounts() = default;

TexelCounts::Tally& TexelCounts::mine() {
  thread_local Tally* tally = nullptr;
  if (tally == nullptr) {
    auto made = std::make_unique<Tally>();
    const std::lock_guard guard(tallies_mutex_);
    tally = tallies_.emplace_back(std::move(made)).get();
  }
  return *tally;
}

std::vector<TexelCounts::Tally*> TexelCounts::tallies() const {
  const std::lock_guard guard(tallies_mutex_);
  std::vector<Tally*> all;
  for (const auto& tally : tallies_) all.push_back(tally.get());
  return all;
}

// --- the texture unit's calls ---

TexelCounts::Seen TexelCounts::find(const image::Surface& surface) {
  const std::shared_lock guard(mutex_);
  const auto found = surfaces_.find(&surface);
  return found == surfaces_.end() ? Seen{} : found->second;
}

TexelCounts::Seen TexelCounts::find_again(Tally& tally, const image::Surface& surface) {
  Tally::Known& known = tally.known[reinterpret_cast<std::uintptr_t>(&surface) / 64 % tally.known.size()];
  const std::uint64_t changes = changes_.load(std::memory_order_acquire);
  if (known.surface == &surface && known.changes == changes) return known.seen;
  known = {&surface, changes, find(surface)};
  return known.seen;
}

texture::TouchSink::Kind TexelCounts::kind_of(const image::Surface& surface) {
  const Seen seen = find(surface);
  return seen.record == nullptr ? Kind::None : seen.record->counter.plain ? Kind::Plain : Kind::Other;
}

texture::TouchCounts TexelCounts::reads(const image::Surface& surface, OperationKind family,
                                        const image::Sampler* sampler) {
  Tally& tally = mine();
  const Seen seen = find_again(tally, surface);
  if (seen.record == nullptr) return {};
  const PlaneRecord& record = *seen.record;
  Tally::Plane& plane = tally.plane(record);
  const unsigned slot = seen.role == Role::Attachment ? static_cast<unsigned>(kTested) : slot_of(family);
  return {plane.counters(slot, record), family == OperationKind::Load ? nullptr : plane.counters(slot + 1, record),
          family == OperationKind::Sample && sampler != nullptr ? &plane.lanes_of(sampler) : nullptr,
          record.counter.base, record.counter.shift};
}

texture::TouchCounts TexelCounts::writes(const image::Surface& surface) {
  Tally& tally = mine();
  const Seen seen = find_again(tally, surface);
  if (seen.record == nullptr) return {};
  return {tally.plane(*seen.record).counters(kDrawn, *seen.record), nullptr, nullptr, seen.record->counter.base,
          seen.record->counter.shift};
}

void TexelCounts::begin(const texture::LaneRequest& request) {
  Tally& tally = mine();
  tally.family = texture::operation(request.op).family;
  if (tally.family != OperationKind::Sample || request.surface == nullptr || request.sampler == nullptr) return;
  if (const Seen seen = find_again(tally, *request.surface); seen.record != nullptr)
    tally.plane(*seen.record).lanes_of(request.sampler) +=
        static_cast<unsigned>(std::popcount(request.active & request.lanes()));
}

void TexelCounts::texel(const texture::TexelTouch& touch) {
  if (touch.surface == nullptr) return;
  Tally& tally = mine();
  const auto [record, role] = find_again(tally, *touch.surface);
  if (record == nullptr) return;
  const TexelShape& shape = record->shape;
  const unsigned slot = role == Role::Storage      ? touch.written ? kStored : kStorageRead
                        : role == Role::Attachment ? touch.written ? kDrawn : kTested
                                                   : slot_of(tally.family);
  std::uint32_t* const counts = tally.plane(*record).counters(slot, *record);
  const bool as_blocks = touch.surface->info().block_width == shape.block_width;
  if (shape.blocks && as_blocks) {
    if (touch.level >= shape.levels.size()) return;
    const TexelShape::Level& level = shape.levels[touch.level];
    if (touch.slice < level.slices && touch.x < level.width && touch.y < level.height)
      ++counts[level.at(touch.slice, touch.x, touch.y)];
    return;
  }
  const auto byte = image::element_offset(*touch.surface, touch.level, touch.slice, touch.x, touch.y);
  if (!byte || *byte < record->counter.base) return;
  const std::uint64_t from = *byte - record->counter.base;
  if (shape.blocks)
    for_each_of_block(shape, record->whole, from, [&](std::uint64_t at) { ++counts[at]; });
  else if (from / shape.bytes < shape.counters)
    ++counts[from / shape.bytes];
}

// --- the driver's ---

PlaneRecord& TexelCounts::add_plane(std::unique_ptr<PlaneRecord> record) {
  const std::unique_lock guard(mutex_);
  record->counter.number = static_cast<std::uint32_t>(planes_.size());
  return *planes_.emplace_back(std::move(record));
}

void TexelCounts::add_surface(const image::Surface& surface, PlaneRecord& record, Role role) {
  const std::unique_lock guard(mutex_);
  surfaces_[&surface] = {&record, role};
  ++changes_;
}
void TexelCounts::remove_surface(const image::Surface& surface) {
  const std::unique_lock guard(mutex_);
  surfaces_.erase(&surface);
  ++changes_;
}

void TexelCounts::add_sampler(const image::Sampler* sampler, std::uint32_t number) {
  const std::unique_lock guard(mutex_);
  samplers_[sampler] = number;
}

std::vector<PlaneRecord*> TexelCounts::planes() const {
  const std::shared_lock guard(mutex_);
  std::vector<PlaneRecord*> all;
  for (const auto& plane : planes_)
    if (!plane->of_pairs) all.push_back(plane.get());
  return all;
}

bool TexelCounts::has_stores(const PlaneRecord& record) const {
  for (const Tally* tally : tallies())
    if (const Tally::Plane* plane = tally->find(record.counter.number); plane != nullptr && plane->dirty[kStored])
      return true;
  return false;
}

namespace {

/// use(first counter, some of a row's counters) for those that are not all zeros. Few of them have counts where most
/// taps are counted as squares.
template <typename Use>
void for_each_piece(std::uint64_t first, std::span<std::uint32_t> row, Use&& use) {
  constexpr std::size_t kPiece = 64;
  for (std::size_t at = 0; at < row.size(); at += kPiece) {
    const std::span<std::uint32_t> piece = row.subspan(at, std::min(kPiece, row.size() - at));
    if (has_counts(piece)) use(first + at, piece);
  }
}

/// Adds a thread's counters of one kind to the record, and makes them zeros.
void add_slot(PlaneRecord& record, unsigned slot, std::uint32_t* counts) {
  const auto use = static_cast<std::size_t>(use_of(slot, record));
  const bool blended = slot == kDrawn && record.blends;
  record.shape.for_each_row([&](const TexelShape::Level& level, std::uint64_t first, std::uint32_t) {
    for_each_piece(first, {counts + first, level.width}, [&](std::uint64_t at, std::span<std::uint32_t> piece) {
      if (blended) record.count(static_cast<std::size_t>(TexelUse::Attachment), at, piece);
      record.count(use, at, piece);
      std::ranges::fill(piece, 0u);
    });
  });
}

/// Squares become what their texels get: use(first counter, row) for each row that gets something, of its own or of the
/// row above. Whoever counts a square has seen that it lies within its slice.
template <typename Use>
void spread(const TexelShape& shape, std::uint32_t* squares, Use&& use) {
  std::vector<std::uint32_t> above(shape.levels.front().width), below(above);
  bool has_above = false;
  shape.for_each_row([&](const TexelShape::Level& level, std::uint64_t first, std::uint32_t y) {
    const std::span<std::uint32_t> row(squares + first, level.width);
    const bool gets_above = y != 0 && has_above;
    has_above = has_counts(row);
    if (has_above)
      spread_squares(row, gets_above ? above.data() : nullptr, below.data());
    else if (gets_above)
      std::copy_n(above.begin(), row.size(), row.begin());
    if (has_above || gets_above) use(first, row);
    std::swap(above, below);
  });
}

/// Brings a thread's counters of one kind into the record, and makes them zeros.
void settle_slot(PlaneRecord& record, unsigned slot, Counters& counts) {
  const auto use = static_cast<std::size_t>(use_of(slot, record));
  const bool whole = record.takes_whole(use) && !(slot == kDrawn && record.blends);
  if (whole && !has_counts({counts.data(), counts.size()})) return;  // a use without counts has no map
  if (is_squares(slot))
    spread(record.shape, counts.data(), [&](std::uint64_t first, std::span<std::uint32_t> row) {
      if (whole) return;
      record.count(use, first, row);
      std::ranges::fill(row, 0u);
    });
  else if (!whole)
    add_slot(record, slot, counts.data());
  if (whole) record.take(use, counts);
}

/// Adds what was counted of pairs to both of their texels, and makes it zeros.
void add_pairs(PlaneRecord& record, PlaneRecord& pairs) {
  std::vector<std::uint32_t> texels(record.shape.levels.front().width);
  for (std::size_t use = 0; use < kTexelUses; ++use) {
    if (!std::exchange(pairs.counted[use], false)) continue;
    pairs.shape.for_each_row([&](const TexelShape::Level& level, std::uint64_t first, std::uint32_t) {
      const std::span<std::uint32_t> row(pairs.unit[use].data() + first, level.width);
      if (!has_counts(row)) return;
      for (std::size_t k = 0; k < row.size(); ++k) texels[2 * k] = texels[2 * k + 1] = row[k];
      record.count(use, 2 * first, {texels.data(), 2 * row.size()});
      std::ranges::fill(row, 0u);
    });
  }
}

}  // namespace

void TexelCounts::settle(PlaneRecord& record) {
  if (record.pairs != nullptr) settle(*record.pairs);
  const std::vector<Tally*> all = tallies();
  // Squares, which are many, come before what lies beside them: nothing else has been counted then.
  for (const bool squares : {true, false})
    for (unsigned slot = 0; slot < kSlots; ++slot)
      for (Tally* tally : all)
        if (Tally::Plane* plane = tally->find(record.counter.number); plane != nullptr && is_squares(slot) == squares)
          if (std::exchange(plane->dirty[slot], false)) settle_slot(record, slot, plane->counts[slot]);
  if (record.pairs != nullptr) add_pairs(record, *record.pairs);
  settle_samplers(record);
}

void TexelCounts::settle_samplers(PlaneRecord& record) {
  const std::vector<Tally*> all = tallies();
  const std::shared_lock guard(mutex_);
  for (Tally* tally : all) {
    Tally::Plane* plane = tally->find(record.counter.number);
    if (plane == nullptr) continue;
    for (auto& [sampler, count] : plane->lanes)
      if (const auto found = samplers_.find(sampler); found != samplers_.end() && count.lanes != 0)
        record.samplers[found->second] += std::exchange(count.lanes, 0);
  }
}

}  // namespace heddle::vulkan
