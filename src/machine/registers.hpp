// SPDX-License-Identifier: MIT
#pragma once
// The register file of one activation: bytes of general variables with a shadow of what was written, predicates,
// addresses, state.

#include <cstdint>
#include <cstring>
#include <vector>

#include "isa/program.hpp"
#include "machine/layout.hpp"

namespace heddle::machine {

inline constexpr std::uint32_t kNoRoot = 0xffffffffu;

struct AddressRegister {
  std::uint16_t value = 0;  ///< byte position in the register file
  bool defined = false;
  std::uint32_t root = kNoRoot;  ///< variable whose address it was formed from, if known
};

struct StateRegister {
  std::uint32_t value = 0;
  bool defined = false;
};

/// Where the elements of surface and sampler variables lie among an object's state registers.
class StateIndex {
 public:
  StateIndex() = default;
  explicit StateIndex(const isa::Object& object);
  static constexpr std::uint32_t kNone = 0xffffffffu;
  [[nodiscard]] std::uint32_t surface(std::uint32_t id, unsigned element) const { return at(surfaces_, id, element); }
  [[nodiscard]] std::uint32_t sampler(std::uint32_t id, unsigned element) const { return at(samplers_, id, element); }
  [[nodiscard]] std::uint32_t size() const { return size_; }

 private:
  struct Range {
    std::uint32_t first = 0, count = 0;
  };
  static std::uint32_t at(const std::vector<Range>& ranges, std::uint32_t id, unsigned element) {
    return id < ranges.size() && element < ranges[id].count ? ranges[id].first + element : kNone;
  }
  Range take(std::uint32_t count);
  std::vector<Range> surfaces_, samplers_;  ///< by variable index
  std::uint32_t size_ = 0;
};

class Registers {
 public:
  static constexpr unsigned kAddressElements = 16;

  Registers() = default;
  Registers(const isa::Object& object, const Layout& layout);
  void clear();

  [[nodiscard]] std::uint8_t* bytes() { return bytes_.data(); }
  [[nodiscard]] const std::uint8_t* bytes() const { return bytes_.data(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(bytes_.size()); }

  [[nodiscard]] std::uint64_t load(std::uint32_t at, unsigned size) const {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at, size);
    return value;
  }
  void store(std::uint32_t at, unsigned size, std::uint64_t value) {
    constexpr std::uint64_t kOnes = 0x0101010101010101u;
    switch (size) {  // constant sizes: the copies become single moves
      case 1:
        place<std::uint8_t>(at, value, kOnes);
        break;
      case 2:
        place<std::uint16_t>(at, value, kOnes);
        break;
      case 4:
        place<std::uint32_t>(at, value, kOnes);
        break;
      default:
        place<std::uint64_t>(at, value, kOnes);
        break;
    }
  }
  void write(std::uint32_t at, const void* data, std::size_t size) {
    if (size == 0) return;
    std::memcpy(bytes_.data() + at, data, size);
    std::memset(defined_.data() + at, 1, size);
  }
  [[nodiscard]] bool defined(std::uint32_t at, unsigned size) const {
    return size == 0 || std::memchr(defined_.data() + at, 0, size) == nullptr;
  }
  /// Bytes and what is known about them.
  void copy(std::uint32_t to, std::uint32_t from, std::size_t size) {
    std::memmove(bytes_.data() + to, bytes_.data() + from, size);
    std::memmove(defined_.data() + to, defined_.data() + from, size);
  }
  [[nodiscard]] bool any_defined(std::uint32_t at, unsigned size) const {
    return std::memchr(defined_.data() + at, 1, size) != nullptr;
  }
  void define(std::uint32_t at, std::size_t size) { std::memset(defined_.data() + at, 1, size); }
  /// As if nothing had been written there.
  void forget(std::uint32_t at, std::size_t size) { std::memset(defined_.data() + at, 0, size); }
  void mark_defined() { defined_.assign(defined_.size(), 1); }

  /// Predicate id 1 ...; bit k = element k.
  [[nodiscard]] std::uint32_t predicate(std::uint32_t id) const {
    return id < predicates_.size() ? predicates_[id] : 0;
  }
  [[nodiscard]] std::uint32_t predicate_defined(std::uint32_t id) const {
    return id < predicates_.size() ? predicate_defined_[id] : ~0u;
  }
  void set_predicate(std::uint32_t id, std::uint32_t bits, std::uint32_t mask) {
    if (id >= predicates_.size()) return;
    predicates_[id] = (predicates_[id] & ~mask) | (bits & mask);
    predicate_defined_[id] |= mask;
  }

  [[nodiscard]] AddressRegister* address(std::uint32_t id, unsigned element) {
    const std::size_t index = static_cast<std::size_t>(id) * kAddressElements + element;
    return element < kAddressElements && index < addresses_.size() ? &addresses_[index] : nullptr;
  }
  [[nodiscard]] StateRegister* surface(std::uint32_t id, unsigned element) {
    return state(index_.surface(id, element));
  }
  [[nodiscard]] StateRegister* sampler(std::uint32_t id, unsigned element) {
    return state(index_.sampler(id, element));
  }

  // Whole files, for code that keeps registers elsewhere while it runs.
  [[nodiscard]] std::uint32_t* predicate_file() { return predicates_.data(); }
  [[nodiscard]] AddressRegister* address_file() { return addresses_.data(); }
  [[nodiscard]] StateRegister* state_file() { return states_.data(); }

 private:
  template <typename Element>
  void place(std::uint32_t at, std::uint64_t value, std::uint64_t ones) {
    const auto element = static_cast<Element>(value), mark = static_cast<Element>(ones);
    std::memcpy(bytes_.data() + at, &element, sizeof(Element));
    std::memcpy(defined_.data() + at, &mark, sizeof(Element));
  }
  StateRegister* state(std::uint32_t at) { return at < states_.size() ? &states_[at] : nullptr; }
  std::vector<std::uint8_t> bytes_, defined_;
  std::vector<std::uint32_t> predicates_, predicate_defined_;
  std::vector<AddressRegister> addresses_;
  StateIndex index_;
  std::vector<StateRegister> states_;
};

}  // namespace heddle::machine
