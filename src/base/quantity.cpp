// SPDX-License-Identifier: MIT
#include "base/quantity.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace heddle::base {
namespace {

struct Quantity {
  std::string_view number;
  std::string unit;  ///< in lower case
};

/// The number's own characters, then the unit, with or without spaces between.
Quantity split(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  double ignored = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  Quantity parts{text.substr(0, static_cast<std::size_t>(end - text.data())), {}};
  text.remove_prefix(parts.number.size());
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const char c : text) parts.unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return parts;
}

template <typename T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  static constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {{"", 1},
                                                                          {"b", 1},
                                                                          {"k", 1000},
                                                                          {"kb", 1000},
                                                                          {"kib", 1024},
                                                                          {"m", 1'000'000},
                                                                          {"mb", 1'000'000},
                                                                          {"mib", 1 << 20},
                                                                          {"g", 1'000'000'000},
                                                                          {"gb", 1'000'000'000},
                                                                          {"gib", 1 << 30},
                                                                          {"t", 1'000'000'000'000},
                                                                          {"tb", 1'000'000'000'000},
                                                                          {"tib", std::uint64_t{1} << 40}};
  const Quantity parts = split(text);
  for (const auto& [unit, factor] : kUnits) {
    if (unit != parts.unit) continue;
    if (const auto whole = number_of<std::uint64_t>(parts.number))
      return *whole <= UINT64_MAX / factor ? std::optional(*whole * factor) : std::nullopt;
    const auto number = number_of<double>(parts.number);
    const double bytes = number ? *number * static_cast<double>(factor) : -1;
    return bytes >= 0 && bytes < 0x1p64 ? std::optional(static_cast<std::uint64_t>(bytes)) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<double> parse_seconds(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},      {"s", 1},    {"sec", 1}, {"ms", 1e-3},
                                                                   {"us", 1e-6}, {"min", 60}, {"h", 3600}};
  const Quantity parts = split(text);
  for (const auto& [unit, factor] : kUnits) {
    if (unit != parts.unit) continue;
    const auto number = number_of<double>(parts.number);
    return number && std::isfinite(*number * factor) ? std::optional(*number * factor) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace heddle::base
