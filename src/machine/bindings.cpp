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
  cells_.clear();
  epoch_ = 1;
}

std::optional<std::uint32_t> Group::touch(std::uint64_t offset, std::uint32_t bytes, Access access,
                                          std::uint32_t thread) {
  if (threads_ < 2) return std::nullopt;
  if (cells_.empty()) cells_.resize(slm.size());
  std::optional<std::uint32_t> other;
  const std::uint32_t self = thread + 1;
  for (std::uint64_t i = offset; i < offset + bytes && i < cells_.size(); ++i) {
    Cell& cell = cells_[i];
    if (cell.epoch != epoch_) cell = {.epoch = epoch_};
    const auto conflicts = [&](std::uint32_t who, bool many) { return (who != 0 && who != self) || many; };
    if (conflicts(cell.writer, false)) other = cell.writer - 1;
    if (access != Access::Read && conflicts(cell.reader, cell.many_readers)) other = cell.reader - 1;
    if (access != Access::Atomic && conflicts(cell.atomic, cell.many_atomics)) other = cell.atomic - 1;
    switch (access) {
      case Access::Read:
        cell.many_readers = cell.many_readers || (cell.reader != 0 && cell.reader != self);
        cell.reader = self;
        break;
      case Access::Write:
        cell.writer = self;
        break;
      case Access::Atomic:
        cell.many_atomics = cell.many_atomics || (cell.atomic != 0 && cell.atomic != self);
        cell.atomic = self;
        break;
    }
  }
  return other;
}

}  // namespace heddle::machine
