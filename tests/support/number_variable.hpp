// SPDX-License-Identifier: MIT
#pragma once
// Environment variables of tests that are numbers: seeds and counts.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

namespace heddle::test {

/// What the variable says; nothing where it is not set, or set to nothing. A text that is no number of this type ends
/// the program with exit code 2: a seed that is not the one that was meant repeats nothing.
template <typename T = std::uint64_t>
std::optional<T> number_variable(const char* name) {
  const char* given = std::getenv(name);
  if (given == nullptr || *given == 0) return std::nullopt;
  const std::string_view text = given;
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem == std::errc() && end == text.data() + text.size()) return value;
  std::fprintf(stderr, "%s is '%s': it takes a whole number up to %llu\n", name, given,
               static_cast<unsigned long long>(std::numeric_limits<T>::max()));
  std::exit(2);
}

}  // namespace heddle::test
