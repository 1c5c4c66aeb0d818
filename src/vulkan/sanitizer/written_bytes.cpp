// SPDX-License-Identifier: MIT
// Rules: run-memory-unwritten.
#include "vulkan/sanitizer/written_bytes.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <mutex>

namespace heddle::vulkan {
namespace {

std::uintptr_t address_of(const std::uint8_t* at) { return reinterpret_cast<std::uintptr_t>(at); }

/// The lowest `count` bits, 1 to 64.
std::uint64_t low_bits(std::size_t count) { return ~std::uint64_t{0} >> (64 - count); }

/// 64 bits of a mask from one on; 0 behind its end.
template <typename Mask>
std::uint64_t bits_at(const Mask& mask, std::size_t at) {
  const std::size_t word = at / 64, bit = at % 64;
  const std::uint64_t next = bit != 0 && word + 1 < mask.size() ? mask[word + 1] << (64 - bit) : 0;
  return mask[word] >> bit | next;
}

}  // namespace

template <typename Self, typename Part>
void WrittenBytes::in_allocations(Self& self, std::span<const std::uint8_t> bytes, const Part& part) {
  const std::uintptr_t begin = address_of(bytes.data()), end = begin + bytes.size();
  auto at = self.allocations_.upper_bound(begin);
  if (at != self.allocations_.begin()) --at;
  for (; at != self.allocations_.end() && at->first < end; ++at) {
    const std::uintptr_t from = std::max(begin, at->first), to = std::min(end, at->first + at->second.size);
    if (from < to) part(at->second, from - at->first, to - from, from - begin);
  }
}

void WrittenBytes::add(std::span<const std::uint8_t> allocation) {
  const std::unique_lock lock(mutex_);
  Allocation& made = allocations_[address_of(allocation.data())];
  made.size = allocation.size();
  made.pages.clear();
  made.pages.resize((allocation.size() + kPage - 1) / kPage);
}

void WrittenBytes::remove(const std::uint8_t* allocation) {
  const std::unique_lock lock(mutex_);
  const auto found = allocations_.find(address_of(allocation));
  if (found == allocations_.end()) return;
  for (const Page& page : found->second.pages)
    if (page.mask != nullptr) mask_bytes_ -= sizeof(Mask);
  allocations_.erase(found);
}

void WrittenBytes::map(std::span<const std::uint8_t> bytes) {
  const std::unique_lock lock(mutex_);
  in_allocations(*this, bytes, [&](Allocation& in, std::size_t first, std::size_t count, std::size_t) {
    for (std::size_t p = first / kPage; p * kPage < first + count; ++p) {
      if (in.pages[p].mask != nullptr) mask_bytes_ -= sizeof(Mask);
      in.pages[p] = {Page::State::Host, nullptr};
    }
  });
}

WrittenBytes::Mask* WrittenBytes::mask_of(Page& page) {
  if (page.mask != nullptr) return page.mask.get();
  if (mask_bytes_ + sizeof(Mask) > kMaxBytes) {
    page.state = Page::State::All;
    return nullptr;
  }
  mask_bytes_ += sizeof(Mask);
  page.mask = std::make_unique<Mask>();
  page.mask->fill(page.state == Page::State::All ? ~std::uint64_t{0} : 0);
  page.state = Page::State::Some;
  return page.mask.get();
}

void WrittenBytes::set(Allocation& in, std::size_t first, std::size_t count, bool written) {
  const Page::State whole = written ? Page::State::All : Page::State::None;
  for (std::size_t at = first, end = first + count; at < end;) {
    const std::size_t number = at / kPage, page_end = std::min((number + 1) * kPage, in.size),
                      to = std::min(end, page_end);
    Page& page = in.pages[number];
    if (page.state == Page::State::Host || page.state == whole) {
      at = to;
      continue;
    }
    if (at == number * kPage && to == page_end) {
      if (page.mask != nullptr) mask_bytes_ -= sizeof(Mask);
      page = {whole, nullptr};
      at = to;
      continue;
    }
    Mask* mask = mask_of(page);
    while (at < to && mask != nullptr) {
      const std::size_t bit = at % 64, bits = std::min<std::size_t>(64 - bit, to - at);
      std::uint64_t& word = (*mask)[at % kPage / 64];
      word = written ? word | low_bits(bits) << bit : word & ~(low_bits(bits) << bit);
      at += bits;
    }
    at = to;
  }
}

void WrittenBytes::write(std::span<const std::uint8_t> bytes) {
  if (bytes.empty() || !first_unwritten(bytes)) return;
  const std::unique_lock lock(mutex_);
  in_allocations(*this, bytes, [&](Allocation& in, std::size_t first, std::size_t count, std::size_t) {
    set(in, first, count, true);
  });
}

void WrittenBytes::forget(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  const std::unique_lock lock(mutex_);
  in_allocations(*this, bytes, [&](Allocation& in, std::size_t first, std::size_t count, std::size_t) {
    set(in, first, count, false);
  });
}

WrittenBytes::Place WrittenBytes::place_of(std::uintptr_t address) {
  const auto next = allocations_.upper_bound(address);
  if (next != allocations_.begin()) {
    auto& [begin, in] = *std::prev(next);
    const std::size_t offset = address - begin;
    if (offset < in.size) return {&in, offset, std::min(in.size - offset, kPage - offset % kPage)};
  }
  return {nullptr, 0, (next == allocations_.end() ? UINTPTR_MAX : next->first) - address};
}

void WrittenBytes::copy(std::span<const std::uint8_t> from, std::span<const std::uint8_t> to) {
  const std::size_t count = std::min(from.size(), to.size());
  const std::unique_lock lock(mutex_);
  for (std::size_t at = 0; at < count;) {
    const Place source = place_of(address_of(from.data()) + at), target = place_of(address_of(to.data()) + at);
    const std::size_t piece = std::min({count - at, source.left, target.left});
    at += piece;
    if (target.in == nullptr) continue;
    const Page* known = source.in == nullptr ? nullptr : &source.in->pages[source.offset / kPage];
    if (known == nullptr || known->state != Page::State::Some) {
      set(*target.in, target.offset, piece, known == nullptr || known->state != Page::State::None);
      continue;
    }
    Page& page = target.in->pages[target.offset / kPage];
    if (page.state == Page::State::Host) continue;
    Mask* mask = mask_of(page);
    for (std::size_t k = 0; k < piece && mask != nullptr;) {
      const std::size_t bit = (target.offset + k) % 64, bits = std::min<std::size_t>(64 - bit, piece - k);
      const std::uint64_t value = bits_at(*known->mask, (source.offset + k) % kPage);
      std::uint64_t& word = (*mask)[(target.offset + k) % kPage / 64];
      word = (word & ~(low_bits(bits) << bit)) | (value & low_bits(bits)) << bit;
      k += bits;
    }
  }
}

std::optional<std::size_t> WrittenBytes::first_unwritten(std::span<const std::uint8_t> bytes) const {
  const std::shared_lock lock(mutex_);
  std::optional<std::size_t> found;
  in_allocations(*this, bytes, [&](const Allocation& in, std::size_t first, std::size_t count, std::size_t offset) {
    for (std::size_t at = first; at < first + count && !found;) {
      const Page& page = in.pages[at / kPage];
      const std::size_t page_end = (at / kPage + 1) * kPage;
      if (page.state == Page::State::None) {
        found = offset + (at - first);
      } else if (page.state != Page::State::Some) {
        at = page_end;
      } else {
        const auto written = static_cast<std::size_t>(std::countr_one(bits_at(*page.mask, at % kPage)));
        at += std::min<std::size_t>(written, page_end - at);
        if (written < 64 && at < page_end && at < first + count) found = offset + (at - first);
      }
    }
  });
  return found;
}

}  // namespace heddle::vulkan
