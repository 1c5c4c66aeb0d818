// SPDX-License-Identifier: MIT
#include "texture/operations.hpp"

namespace heddle::texture {

std::optional<Param> find_param(std::string_view name) {
  for (std::size_t i = 0; i < kParamCount; ++i)
    if (param_name(static_cast<Param>(i)) == name) return static_cast<Param>(i);
  return std::nullopt;
}

const Operation* find_operation(std::string_view name) {
  for (const Operation& row : all_operations())
    if (row.name == name) return &row;
  return nullptr;
}

const Operation* find_operation(OperationKind family, std::uint8_t code, Behavior behavior) {
  for (const Operation& row : all_operations()) {
    if (row.family != family) continue;
    const std::uint8_t first = behavior == Behavior::Document ? row.document_code : row.code;
    if (code == first || (code == row.second_code && row.second_code != row.code)) return &row;
  }
  return nullptr;
}

bool platform_has(OpPlatforms platforms, UnitPlatform platform) {
  if (platform == UnitPlatform::Any) return true;
  switch (platforms) {
    case OpPlatforms::All:
    case OpPlatforms::FromGen9:  // the oldest platform that the texture unit tells apart
      return true;
    case OpPlatforms::UpToGen12lp:
      return platform <= UnitPlatform::Tgllp;
    case OpPlatforms::Xe2Up:
      return platform == UnitPlatform::Xe2;
  }
  return true;
}

}  // namespace heddle::texture
