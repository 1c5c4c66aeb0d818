// SPDX-License-Identifier: MIT
#pragma once
// Finding the operations of operation_table.hpp, by name and by code.

#include <cstdint>
#include <optional>
#include <string_view>

#include "texture/context.hpp"
#include "texture/operation_table.hpp"

namespace heddle::texture {

[[nodiscard]] std::optional<Param> find_param(std::string_view name);

[[nodiscard]] const Operation* find_operation(std::string_view name);
/// By the op bits 7:0 of an instruction. E1: document behavior swaps gather4_b and gather4_i. Codes 11h and 12h of
/// 3D_SAMPLE exist on every platform here; whether a platform has an op is only checked (OpPlatforms).
[[nodiscard]] const Operation* find_operation(OperationKind family, std::uint8_t code,
                                              Behavior behavior = Behavior::Hardware);

[[nodiscard]] bool platform_has(OpPlatforms platforms, UnitPlatform platform);

}  // namespace heddle::texture
