// SPDX-License-Identifier: MIT
#include "isa/types.hpp"

#include <array>

namespace heddle::isa {
namespace {
constexpr std::array<std::string_view, kTypeCount> kNames = {"ud", "d",  "uw",   "w",  "ub", "b", "df", "f",
                                                             "v",  "vf", "bool", "uq", "uv", "q", "hf", "bf"};
}

std::string_view type_name(Type type) { return kNames[static_cast<unsigned>(type) & 15u]; }

std::optional<Type> find_type(std::string_view name) {
  char lower[8] = {};
  if (name.empty() || name.size() > 4) return std::nullopt;
  for (std::size_t i = 0; i < name.size(); ++i)
    lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? static_cast<char>(name[i] + 32) : name[i];
  const std::string_view key(lower, name.size());
  for (unsigned i = 0; i < kTypeCount; ++i)
    if (kNames[i] == key) return static_cast<Type>(i);
  return std::nullopt;
}

}  // namespace heddle::isa
