// SPDX-License-Identifier: MIT
#include "machine/bindings.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace heddle::machine {

bool AddressMap::add(MemoryRange range) {
  if (range.size == 0 || range.data == nullptr || range.address + (range.size - 1) < range.address) return false;
  const auto next = ranges_.lower_bound(range.address);
  if (next != ranges_.end() && next->first - range.address < range.size) return false;
  if (next != ranges_.begin() && range.address - std::prev(next)->first < std::prev(next)->second.size) return false;
  const std::uint64_t address = range.address;
  ranges_.emplace_hint(next, address, std::move(range));
  return true;
}

bool AddressMap::remove(std::uint64_t address) { return ranges_.erase(address) != 0; }

const MemoryRange* AddressMap::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto next = ranges_.upper_bound(address);
  if (next != ranges_.begin()) {
    const MemoryRange& range = std::prev(next)->second;
    const std::uint64_t offset = address - range.address;
    if (offset < range.size && bytes <= range.size - offset) return &range;
  }
  return outer_ != nullptr ? outer_->find(address, bytes) : nullptr;
}

bool SharedAddressMap::add(MemoryRange range) {
  const std::unique_lock lock(mutex_);
  return map_.add(std::move(range));
}

bool SharedAddressMap::remove(std::uint64_t address) {
  const std::unique_lock lock(mutex_);
  return map_.remove(address);
}

const MemoryRange* SharedAddressMap::find(std::uint64_t address, std::uint64_t bytes) const {
  const std::shared_lock lock(mutex_);
  return map_.find(address, bytes);
}

std::uint64_t new_identity() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Group::reset() {
  std::ranges::fill(slm, std::uint8_t{0});
  own_ = {};
  if (!barriers_.empty()) barriers_.clear();
  if (!words_.empty()) words_.clear();
  order = {};
  meeting_ = 0;
}

std::optional<Conflict> Group::touch(std::uint64_t offset, std::uint32_t bytes, Access access) {
  if (words_.empty()) words_.resize((slm.size() + 3) / 4);
  std::optional<Conflict> found;
  const std::uint64_t end = offset + bytes;
  for (std::uint64_t word = offset / 4; word * 4 < end && word < words_.size(); ++word) {
    const std::uint64_t from = std::max(offset, word * 4), to = std::min(end, word * 4 + 4);
    access.record.bytes = static_cast<std::uint8_t>(((1u << (to - from)) - 1) << (from - word * 4));
    const auto conflict = touch_word(words_[word], access, order, nullptr);
    if (!found) found = conflict;
  }
  return found;
}

}  // namespace heddle::machine
