// SPDX-License-Identifier: MIT
#pragma once
// Memory of images: much of it, read here and there.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace heddle::base {

/// `bytes` zero bytes from a cache line's start on, which the operating system gives and clears page by page as they
/// are first touched. Great blocks ask for large pages, where the system has them: texels at random then cost no look
/// into the page tables each. Throws std::bad_alloc where there are not so many; null for none.
[[nodiscard]] std::shared_ptr<std::uint8_t> zero_bytes(std::size_t bytes);

// --- pages that stand at several addresses ---
/// Zero bytes from a page's start on, whose pages `show_pages` can show elsewhere too. Null where there are not so
/// many, or none.
[[nodiscard]] std::shared_ptr<std::uint8_t> shareable_zero_bytes(std::size_t bytes);
/// A range of addresses, from a page's start on, that reads as zeros; a page costs memory when it is written. Null
/// where there are not so many, or none.
[[nodiscard]] std::shared_ptr<std::uint8_t> reserve_addresses(std::size_t bytes);
/// Within a reserved range: the pages of shareable bytes (or of a shared file's mapping) stand at `to` too. All three
/// are multiples of the page size. False where `from` can't be shared.
[[nodiscard]] bool show_pages(std::uint8_t* to, std::uint8_t* from, std::size_t bytes);
/// Within a reserved range: zeros again, of no memory.
[[nodiscard]] bool hide_pages(std::uint8_t* at, std::size_t bytes);

// --- pages at addresses that another run can have again ---
/// Zero bytes at `address`, or where that is null at one that this process gives to nothing else; `bytes` is rounded up
/// to pages. `shareable`: for `show_pages`; `reserved`: a page costs memory when it is written. Null where something
/// else is there, or there are not so many bytes.
struct PlacedPages {
  bool shareable = false, reserved = false;
};
[[nodiscard]] std::shared_ptr<std::uint8_t> zero_bytes_at(std::uint8_t* address, std::size_t bytes, PlacedPages how);
/// Whoever still keeps the bytes that `zero_bytes_at` gave at `address` may lose them: the next call for the same
/// address and as many pages gives new ones there, which the keepers then see. Does nothing for other addresses.
void give_up_bytes_at(const std::uint8_t* address);

}  // namespace heddle::base
