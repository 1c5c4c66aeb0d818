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
  void define(std::uint32_t at, std::size_t size) { std::memset(defined_.data() + at, 1, size); }
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
  [[nodiscard]] StateRegister* surface(std::uint32_t id, unsigned element) { return state(surfaces_, id, element); }
  [[nodiscard]] StateRegister* sampler(std::uint32_t id, unsigned element) { return state(samplers_, id, element); }

 private:
  template <typename Element>
  void place(std::uint32_t at, std::uint64_t value, std::uint64_t ones) {
    const auto element = static_cast<Element>(value), mark = static_cast<Element>(ones);
    std::memcpy(bytes_.data() + at, &element, sizeof(Element));
    std::memcpy(defined_.data() + at, &mark, sizeof(Element));
  }
  using StateFile = std::vector<std::vector<StateRegister>>;
  static StateRegister* state(StateFile& file, std::uint32_t id, unsigned element) {
    return id < file.size() && element < file[id].size() ? &file[id][element] : nullptr;
  }
  std::vector<std::uint8_t> bytes_, defined_;
  std::vector<std::uint32_t> predicates_, predicate_defined_;
  std::vector<AddressRegister> addresses_;
  StateFile surfaces_, samplers_;  ///< by variable index
};

}  // namespace heddle::machine
