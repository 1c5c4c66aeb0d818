// SPDX-License-Identifier: MIT
#pragma once
// Which bytes of the device's memory somebody has written (run-memory-unwritten).

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

namespace heddle::vulkan {

/// A bit for each byte of each allocation, kept for pages that are written in part only. What cannot be known counts as
/// written: memory that the host has mapped, memory that is no allocation, and pages beyond what masks may take. Every
/// function may be called from several threads at once.
class WrittenBytes {
 public:
  static constexpr std::size_t kPage = 4096;
  /// Bytes that masks may take: they are enough for eight times as much memory that is written in part.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

  /// A new allocation: nobody has written it.
  void add(std::span<const std::uint8_t> allocation);
  void remove(const std::uint8_t* allocation);
  /// The host may write there at any time from now on.
  void map(std::span<const std::uint8_t> bytes);
  void write(std::span<const std::uint8_t> bytes);
  /// The contents are undefined from now on.
  void forget(std::span<const std::uint8_t> bytes);
  /// `to` has what `from` had.
  void copy(std::span<const std::uint8_t> from, std::span<const std::uint8_t> to);
  /// The first byte that nobody has written, counted from the first of `bytes`; nothing where there is none.
  [[nodiscard]] std::optional<std::size_t> first_unwritten(std::span<const std::uint8_t> bytes) const;

 private:
  using Mask = std::array<std::uint64_t, kPage / 64>;
  struct Page {
    enum class State : std::uint8_t { None, Some, All, Host } state = State::None;
    std::unique_ptr<Mask> mask;  ///< of Some
  };
  struct Allocation {
    std::size_t size = 0;
    std::vector<Page> pages;
  };
  /// part(allocation, first byte in it, bytes, offset in `bytes`) for what of `bytes` lies in allocations.
  template <typename Self, typename Part>
  static void in_allocations(Self& self, std::span<const std::uint8_t> bytes, const Part& part);
  /// What is known of an address up to the end of its page, or of the memory that is no allocation.
  struct Place {
    Allocation* in = nullptr;  ///< null: no allocation
    std::size_t offset = 0;    ///< in it
    std::size_t left = 0;      ///< bytes that are known alike
  };
  [[nodiscard]] Place place_of(std::uintptr_t address);
  /// The page's mask, made where it has none; null where there is no place for it: the page counts as written then.
  Mask* mask_of(Page& page);
  void set(Allocation& in, std::size_t first, std::size_t count, bool written);

  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, Allocation> allocations_;  ///< by address
  std::uint64_t mask_bytes_ = 0;
};

}  // namespace heddle::vulkan
