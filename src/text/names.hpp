// SPDX-License-Identifier: MIT
#pragma once
// The names of one object: variables of all kinds in nested scopes, and labels. Keys are views of the source.

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::text {

enum class SymbolKind : std::uint8_t { None, General, Address, Predicate, Sampler, Surface };

struct Symbol {
  SymbolKind kind = SymbolKind::None;
  bool predefined = false;
  std::uint32_t index = 0;  ///< as the container numbers it
  std::uint32_t scope = 0;  ///< depth of the scope that declared it
};

/// Open-addressing map from name to T; entries are never removed, only emptied.
template <typename T>
class NameMap {
 public:
  NameMap() : slots_(kSmall, 0) {}

  [[nodiscard]] const T* find(std::string_view name) const {
    const std::uint32_t at = slots_[locate(name, hash(name))];
    return at == 0 ? nullptr : &entries_[at - 1].value;
  }
  [[nodiscard]] T* find(std::string_view name) { return const_cast<T*>(static_cast<const NameMap*>(this)->find(name)); }
  /// The value of `name`, default-constructed if new.
  T& operator[](std::string_view name) {
    const std::uint32_t h = hash(name);
    std::size_t slot = locate(name, h);
    if (slots_[slot] == 0) {
      if ((entries_.size() + 1) * 2 > slots_.size()) {
        grow();
        slot = locate(name, h);
      }
      entries_.push_back({name, h, {}});
      slots_[slot] = static_cast<std::uint32_t>(entries_.size());
    }
    return entries_[slots_[slot] - 1].value;
  }
  struct Entry {
    std::string_view name;
    std::uint32_t hash = 0;
    T value;
  };
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }  ///< in order of insertion

 private:
  static constexpr std::size_t kSmall = 128;

  static std::uint32_t hash(std::string_view name) {
    std::uint64_t h = 0xcbf29ce484222325u ^ name.size();
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return static_cast<std::uint32_t>(h ^ h >> 32);
  }
  [[nodiscard]] std::size_t locate(std::string_view name, std::uint32_t h) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = h & mask;; i = (i + 1) & mask) {
      if (slots_[i] == 0) return i;
      const Entry& e = entries_[slots_[i] - 1];
      if (e.hash == h && e.name == name) return i;
    }
  }
  void grow() {
    std::vector<std::uint32_t> bigger(slots_.size() * 2, 0);
    const std::size_t mask = bigger.size() - 1;
    for (std::size_t n = 0; n < entries_.size(); ++n) {
      std::size_t i = entries_[n].hash & mask;
      while (bigger[i] != 0) i = (i + 1) & mask;
      bigger[i] = static_cast<std::uint32_t>(n + 1);
    }
    slots_ = std::move(bigger);
  }
  std::vector<std::uint32_t> slots_;  ///< entry number + 1, 0 = free
  std::vector<Entry> entries_;
};

/// Variables with name scopes (TXT-16: { and }): an inner declaration hides an outer one until its scope ends.
class Scopes {
 public:
  [[nodiscard]] const Symbol* find(std::string_view name) {
    const Symbol* s = map_.find(name);
    return s == nullptr || s->kind == SymbolKind::None ? nullptr : s;
  }
  /// Declares in the innermost scope; false when that scope (or the machine) already has the name.
  bool declare(std::string_view name, Symbol symbol) {
    Symbol& slot = map_[name];
    if (slot.kind != SymbolKind::None && (slot.scope == depth() || slot.predefined)) return false;
    if (!marks_.empty()) hidden_.push_back({name, slot});
    symbol.scope = depth();
    slot = symbol;
    return true;
  }
  void open() { marks_.push_back(hidden_.size()); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(marks_.size()); }
  void close() {
    while (hidden_.size() > marks_.back()) {
      map_[hidden_.back().name] = hidden_.back().symbol;
      hidden_.pop_back();
    }
    marks_.pop_back();
  }
  [[nodiscard]] const std::vector<NameMap<Symbol>::Entry>& entries() const { return map_.entries(); }

 private:
  struct Hidden {
    std::string_view name;
    Symbol symbol;
  };
  NameMap<Symbol> map_;
  std::vector<Hidden> hidden_;
  std::vector<std::size_t> marks_;
};

}  // namespace heddle::text
