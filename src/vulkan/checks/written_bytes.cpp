// Rules: run-memory-unwritten.
#include "vulkan/checks/written_bytes.hpp"

#include <algorithm>
#include <mutex>

namespace heddle::vulkan {
namespace {

std::uintptr_t address_of(const std::uint8_t* at) { return reinterpret_cast<std::uintptr_t>(at); }

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

bool WrittenBytes::is_written(const Page& page, std::size_t at) {
  if (page.state == Page::State::Some) return ((*page.mask)[at / 64] >> at % 64 & 1u) != 0;
  return page.state != Page::State::None;
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
    if (page.mask == nullptr) {
      if (mask_bytes_ + sizeof(Mask) > kMostBytes) {  // no place for more: it counts as written
        page.state = Page::State::All;
        at = to;
        continue;
      }
      mask_bytes_ += sizeof(Mask);
      page.mask = std::make_unique<Mask>();
      page.mask->fill(page.state == Page::State::All ? ~std::uint64_t{0} : 0);
      page.state = Page::State::Some;
    }
    for (; at < to; ++at) {
      const std::uint64_t bit = std::uint64_t{1} << at % 64;
      std::uint64_t& word = (*page.mask)[at % kPage / 64];
      word = written ? word | bit : word & ~bit;
    }
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

void WrittenBytes::copy(std::span<const std::uint8_t> from, std::span<const std::uint8_t> to) {
  const std::size_t count = std::min(from.size(), to.size());
  for (std::size_t at = 0; at < count;) {
    // Runs of bytes that are all written or all unwritten; a piece is looked at byte by byte only where it is mixed.
    const std::size_t piece = std::min(count - at, kPage);
    const auto source = from.subspan(at, piece), target = to.subspan(at, piece);
    const auto unwritten = first_unwritten(source);
    if (!unwritten) {
      write(target);
    } else {
      for (std::size_t k = 0; k < piece; ++k)
        first_unwritten(source.subspan(k, 1)) ? forget(target.subspan(k, 1)) : write(target.subspan(k, 1));
    }
    at += piece;
  }
}

std::optional<std::size_t> WrittenBytes::first_unwritten(std::span<const std::uint8_t> bytes) const {
  const std::shared_lock lock(mutex_);
  std::optional<std::size_t> found;
  in_allocations(*this, bytes, [&](const Allocation& in, std::size_t first, std::size_t count, std::size_t offset) {
    for (std::size_t at = first; at < first + count && !found;) {
      const Page& page = in.pages[at / kPage];
      if (page.state == Page::State::All || page.state == Page::State::Host)
        at = (at / kPage + 1) * kPage;
      else if (is_written(page, at % kPage))
        ++at;
      else
        found = offset + (at - first);
    }
  });
  return found;
}

}  // namespace heddle::vulkan
