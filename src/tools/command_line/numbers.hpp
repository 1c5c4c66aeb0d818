// SPDX-License-Identifier: MIT
#pragma once
// Numbers in flags and in JSON lines.

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/node.hpp"

namespace heddle::tools {

/// A usage error: printed, then exit code 2.
struct UsageError {
  std::string message;
};

/// The number that is the whole text; nothing for other texts and numbers that do not fit.
template <typename T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
/// A word of 32 bits: decimal, or hexadecimal behind 0x.
[[nodiscard]] std::optional<std::uint32_t> parse_word(std::string_view text);

// These throw UsageError, which names `flag`.
/// "0.5,0.25": between `least` and `most` numbers.
[[nodiscard]] std::vector<float> numbers(const std::string& flag, std::string_view text, std::size_t least,
                                         std::size_t most);
/// One number, or nothing where the flag is not given.
[[nodiscard]] std::optional<float> optional_number(const std::string& flag, const std::string& text);
/// "512x256".
[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> size_of(const std::string& flag, std::string_view text);

/// The member `id` of a JSON line as it stands there; nothing where it is no text and no number.
[[nodiscard]] std::optional<std::string> id_of(const base::Node& request);

}  // namespace heddle::tools
