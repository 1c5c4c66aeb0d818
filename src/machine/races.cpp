// SPDX-License-Identifier: MIT
#include "machine/races.hpp"

#include <algorithm>

namespace heddle::machine {
namespace {

bool same_invocation(const RememberedAccess& a, const RememberedAccess& b) {
  return a.group == b.group && a.thread == b.thread && a.lane == b.lane;
}

/// Whether the access conflicts with an earlier one of `kind`; nothing where something orders them.
std::optional<RaceKind> race_of(const RememberedAccess& other, AccessKind kind, const Access& access,
                                const GroupOrder& order, const RaceDetector* run) {
  const RememberedAccess& own = access.record;
  if (other.group == 0 || (other.bytes & own.bytes) == 0 || same_invocation(other, own)) return std::nullopt;
  // Programs of other compilers do not say which of their loads and stores are atomic.
  if (!access.lanes_apart && !access.shared) {
    if ((kind == AccessKind::Atomic) != (access.kind == AccessKind::Atomic)) return std::nullopt;
    if (kind == AccessKind::Write && access.kind == AccessKind::Write && access.same_value) return std::nullopt;
  }
  if (other.group == own.group && other.thread == own.thread) {
    if (access.lanes_apart) return other.order == own.order ? std::optional(RaceKind::Unordered) : std::nullopt;
    // Lanes of other programs run in step: only one instruction that writes twice leaves open what stays.
    const bool both_write = kind == AccessKind::Write && access.kind == AccessKind::Write;
    return both_write && other.order == own.order && other.site == own.site && !access.same_value
               ? std::optional(RaceKind::Unordered)
               : std::nullopt;
  }
  if (other.group == own.group && other.epoch != order.epoch) {
    // What was only read needs no fence before it is written.
    if (access.shared || kind == AccessKind::Read || other.fences < order.ordered_fences) return std::nullopt;
    if (run != nullptr && run->released(other, order)) return std::nullopt;
    return RaceKind::NoFence;
  }
  if (run != nullptr && run->released(other, order)) return std::nullopt;
  return RaceKind::Unordered;
}

}  // namespace

std::optional<Conflict> touch_word(ShadowWord& word, const Access& access, const GroupOrder& order, RaceDetector* run) {
  std::optional<Conflict> found;
  const auto look = [&](const RememberedAccess& other, AccessKind kind) {
    if (found) return;
    if (const auto race = race_of(other, kind, access, order, run)) found = Conflict{*race, kind, other};
  };
  look(word.write, AccessKind::Write);
  if (access.kind != AccessKind::Atomic) look(word.atomic, AccessKind::Atomic);
  if (access.kind != AccessKind::Read) {
    look(word.read, AccessKind::Read);
    look(word.other_read, AccessKind::Read);
  }
  switch (access.kind) {
    case AccessKind::Read:
      if (word.read.group != 0 && !same_invocation(word.read, access.record)) word.other_read = word.read;
      word.read = access.record;
      break;
    case AccessKind::Write:
      word.write = access.record;
      break;
    case AccessKind::Atomic:
      word.atomic = access.record;
      break;
  }
  return found;
}

std::uint32_t RaceDetector::enter(const std::array<std::uint32_t, 3>& group_id) {
  const std::lock_guard lock(mutex_);
  ids_.push_back(group_id);
  return static_cast<std::uint32_t>(ids_.size());
}

std::array<std::uint32_t, 3> RaceDetector::group_id(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return number != 0 && number <= ids_.size() ? ids_[number - 1] : std::array<std::uint32_t, 3>{};
}

RaceDetector::~RaceDetector() {
  for (std::atomic<Moment*>& chunk : moments_) delete[] chunk.load();
}

/// The number of what the accesses of a thread have in common until its next barrier or fence; 0: there are too many.
std::uint32_t RaceDetector::moment_of(GroupOrder& order, const RememberedAccess& record) {
  if (order.moments.size() <= record.thread) order.moments.resize(record.thread + std::size_t{1});
  GroupOrder::Moment& last = order.moments[record.thread];
  if (last.number != 0 && last.epoch == record.epoch && last.fences == record.fences) return last.number;
  const std::lock_guard lock(mutex_);
  const std::size_t chunk = moment_count_ / kMomentChunk;
  if (chunk >= kMomentChunks) {
    full_.store(true, std::memory_order_relaxed);
    return 0;
  }
  if (moments_[chunk].load(std::memory_order_relaxed) == nullptr) {
    bytes_.fetch_add(kMomentChunk * sizeof(Moment), std::memory_order_relaxed);
    moments_[chunk].store(new Moment[kMomentChunk], std::memory_order_release);
  }
  moments_[chunk].load(std::memory_order_relaxed)[moment_count_ % kMomentChunk] = {record.group, record.epoch,
                                                                                   record.fences, record.thread};
  last = {moment_count_, record.epoch, record.fences};
  return moment_count_++;
}

RememberedAccess RaceDetector::unpack(const Page& page, RecordKind kind, std::size_t word) const {
  if (page.kinds[kind] == nullptr) return {};
  const Packed& packed = (*page.kinds[kind])[word];
  if (packed.moment == 0) return {};
  const Moment& moment =
      moments_[packed.moment / kMomentChunk].load(std::memory_order_acquire)[packed.moment % kMomentChunk];
  RememberedAccess record;
  record.group = moment.group;
  record.thread = moment.thread;
  record.lane = static_cast<std::uint8_t>(packed.rest >> 4 & 31u);
  record.bytes = static_cast<std::uint8_t>(packed.rest & 15u);
  record.site = packed.site;
  record.epoch = moment.epoch;
  record.order = packed.rest >> 9;
  record.fences = moment.fences;
  return record;
}

void RaceDetector::pack(Page& page, RecordKind kind, std::size_t word, const RememberedAccess& record,
                        std::uint32_t moment) {
  std::unique_ptr<Records>& records = page.kinds[kind];
  if (records == nullptr) {
    if (bytes_.fetch_add(sizeof(Records), std::memory_order_relaxed) + sizeof(Records) > most_bytes_) {
      bytes_.fetch_sub(sizeof(Records), std::memory_order_relaxed);
      full_.store(true, std::memory_order_relaxed);
      return;
    }
    records = std::make_unique<Records>();
  }
  (*records)[word] = {moment, record.site, record.order << 9 | std::uint32_t{record.lane} << 4 | record.bytes};
}

std::optional<Conflict> RaceDetector::touch(const std::uint8_t* at, std::uint32_t bytes, Access access,
                                            GroupOrder& order) {
  access.record.order &= 0x7fffffu;
  const std::uint32_t moment = moment_of(order, access.record);
  if (moment == 0) return std::nullopt;
  std::optional<Conflict> found;
  const auto first = reinterpret_cast<std::uintptr_t>(at), end = first + bytes;
  for (std::uintptr_t word = first / 4; word * 4 < end; ++word) {
    const std::uintptr_t from = std::max<std::uintptr_t>(first, word * 4),
                         to = std::min<std::uintptr_t>(end, word * 4 + 4);
    access.record.bytes = static_cast<std::uint8_t>(((1u << (to - from)) - 1) << (from - word * 4));
    Shard& shard = shards_[word / kPageWords % shards_.size()];
    const std::lock_guard lock(shard.mutex);
    Page& page = shard.pages[word / kPageWords];
    const std::size_t k = word % kPageWords;
    ShadowWord shadow{unpack(page, kWrite, k), unpack(page, kAtomic, k), unpack(page, kRead, k),
                      unpack(page, kOtherRead, k)};
    const RememberedAccess read = shadow.read;
    const auto conflict = touch_word(shadow, access, order, this);
    if (!found) found = conflict;
    switch (access.kind) {
      case AccessKind::Read:
        if (read.group != 0 && !same_invocation(read, access.record))
          pack(page, kOtherRead, k, read, (*page.kinds[kRead])[k].moment);
        pack(page, kRead, k, access.record, moment);
        break;
      case AccessKind::Write:
        pack(page, kWrite, k, access.record, moment);
        break;
      case AccessKind::Atomic:
        pack(page, kAtomic, k, access.record, moment);
        break;
    }
  }
  return found;
}

void RaceDetector::before_atomic(GroupOrder& order) {
  if (order.number == 0 || order.fences == order.released_fences) return;
  order.released_fences = order.fences;
  const std::lock_guard lock(mutex_);
  releases_[order.number].push_back({order.fences, time_.fetch_add(1) + 1});
}

void RaceDetector::after_atomic(GroupOrder& order) const { order.acquired = time_.load(); }

bool RaceDetector::released(const RememberedAccess& other, const GroupOrder& order) const {
  if (order.acquired == 0) return false;
  const std::lock_guard lock(mutex_);
  const auto found = releases_.find(other.group);
  if (found == releases_.end()) return false;
  const auto release = std::ranges::upper_bound(found->second, other.fences, {}, &Release::fences);
  return release != found->second.end() && release->time <= order.acquired;
}

}  // namespace heddle::machine
