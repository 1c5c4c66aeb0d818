// SPDX-License-Identifier: MIT
#pragma once
// The three kinds of buffer files: raw bytes, JSON (one array), CSV.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "job/formats/scalar.hpp"

namespace heddle::job {

/// The extension of a path in small letters, with its dot; empty where it has none.
[[nodiscard]] std::string extension_of(const std::string& path);

/// Numbers of a .json (one array, nested ones are flattened) or .csv file as elements of `type`. Ids: buffer-data,
/// json-syntax.
[[nodiscard]] base::Result<std::vector<std::uint8_t>> parse_buffer_json(std::string_view text, const std::string& file,
                                                                        ElementType type, const base::Limits& limits);
[[nodiscard]] base::Result<std::vector<std::uint8_t>> parse_buffer_csv(std::string_view text, const std::string& file,
                                                                       ElementType type);

[[nodiscard]] std::string print_buffer_json(std::span<const std::uint8_t> bytes, ElementType type);
[[nodiscard]] std::string print_buffer_csv(std::span<const std::uint8_t> bytes, ElementType type);

}  // namespace heddle::job
