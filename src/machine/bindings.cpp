#include "machine/bindings.hpp"

#include <algorithm>

namespace heddle::machine {

bool AddressMap::add(MemoryRange range) {
  if (range.size == 0 || range.data == nullptr || range.address + (range.size - 1) < range.address) return false;
  const auto at = std::ranges::lower_bound(ranges_, range.address, {}, &MemoryRange::address);
  if (at != ranges_.end() && at->address - range.address < range.size) return false;
  if (at != ranges_.begin() && range.address - std::prev(at)->address < std::prev(at)->size) return false;
  ranges_.insert(at, std::move(range));
  return true;
}

const MemoryRange* AddressMap::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &MemoryRange::address);
  if (next == ranges_.begin()) return nullptr;
  const MemoryRange& range = *std::prev(next);
  const std::uint64_t offset = address - range.address;
  return offset < range.size && bytes <= range.size - offset ? &range : nullptr;
}

void Group::reset() {
  std::ranges::fill(slm, std::uint8_t{0});
  own_ = {};
  barriers_.clear();
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
