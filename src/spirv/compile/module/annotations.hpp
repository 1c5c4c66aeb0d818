// SPDX-License-Identifier: MIT
#pragma once
// What a module says about its ids: decorations and names.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

class Annotations {
 public:
  explicit Annotations(const Module& module);

  using Operands = std::span<const std::uint32_t>;
  /// The operands of a decoration, by its number; nothing where the id (the
  /// member) has none of that kind.
  [[nodiscard]] std::optional<Operands> decoration(std::uint32_t id, std::uint32_t kind) const;
  [[nodiscard]] std::optional<Operands> member_decoration(std::uint32_t type, std::uint32_t member,
                                                          std::uint32_t kind) const;
  /// OpName, or what is given.
  [[nodiscard]] std::string name_of(std::uint32_t id, std::string_view otherwise = "t") const;
  [[nodiscard]] std::string member_name(std::uint32_t type, std::uint32_t member) const;

 private:
  struct Decoration {
    std::uint32_t kind = 0;
    Operands operands;
  };
  void apply_groups();

  const Module& module_;
  std::unordered_map<std::uint32_t, std::vector<Decoration>> decorations_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Decoration>> member_decorations_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> member_names_;
};

}  // namespace heddle::spirv::compiler
