// SPDX-License-Identifier: MIT
#include "vulkan/objects/memory/sparse_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <new>

#include "base/pages.hpp"
#include "vulkan/objects/memory/requirements.hpp"

namespace heddle::vulkan {

SparsePages::SparsePages(std::uint64_t bytes, SparseObjects& owner, Place place) : owner_(owner) {
  const std::uint64_t whole = aligned(bytes, kSparsePage);
  std::shared_ptr<std::uint8_t> range =
      place.replayable || place.address != 0
          ? base::zero_bytes_at(reinterpret_cast<std::uint8_t*>(place.address),  // NOLINT: an address
                                static_cast<std::size_t>(whole), {false, true})
          : base::reserve_addresses(static_cast<std::size_t>(whole));
  if (range == nullptr) throw std::bad_alloc();
  const std::span all(range.get(), static_cast<std::size_t>(bytes));
  memory_ = std::make_shared<image::Memory>(std::move(range), all);
  bound_.resize(whole / kSparsePage);
  owner_.add(this);
}

SparsePages::~SparsePages() { owner_.remove(this); }

void SparsePages::find_gaps() {
  gaps_.clear();
  for (std::size_t page = 0; page < bound_.size(); ++page) {
    if (bound_[page] != nullptr) continue;
    std::uint8_t* const at = memory_->data() + page * kSparsePage;
    if (gaps_.empty() || gaps_.back().data() + gaps_.back().size() != at) gaps_.emplace_back(at, 0);
    gaps_.back() = {gaps_.back().data(), gaps_.back().size() + kSparsePage};
  }
}

bool SparsePages::bind(std::uint64_t offset, std::uint64_t bytes, const BoundMemory& memory) {
  const std::uint64_t whole = bound_.size() * kSparsePage;
  if (offset > whole || bytes > whole - offset || offset % kSparsePage != 0) return false;
  if (bytes % kSparsePage != 0 && offset + bytes < memory_->size()) return false;
  const std::uint64_t rounded = aligned(bytes, static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  std::uint8_t* const at = memory_->data() + offset;
  if (!memory.has(bytes)) return false;
  // Kernels may have taken away what stood there when they refuse.
  const bool shown = memory.bytes != nullptr && base::show_pages(at, memory.at(0), rounded);
  if (!shown && !base::hide_pages(at, rounded)) throw std::bad_alloc();
  for (std::uint64_t page = offset / kSparsePage; page * kSparsePage < offset + bytes; ++page)
    bound_[page] = shown ? memory.bytes : nullptr;
  changed_ = true;
  return shown || memory.bytes == nullptr;
}

bool SparsePages::settle() {
  if (changed_) find_gaps();
  changed_ = false;
  for (const std::span<std::uint8_t> gap : gaps_) (void)madvise(gap.data(), gap.size(), MADV_DONTNEED);
  return false;
}

}  // namespace heddle::vulkan
