// SPDX-License-Identifier: MIT
#pragma once
// Quantities with units, as people write them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::base {

/// "2GiB", "512 MiB", "1.5gb", "1e9", "4096": bytes (or a count). KiB, MiB, GiB, TiB are powers of 1024; k, M, G, T,
/// with or without B, powers of 1000; upper and lower case mean the same. Nothing for other texts, for negative numbers
/// and from 2^64 on.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);
/// "10", "0.5s", "500 ms", "2min", "1h": seconds. Nothing for other texts and for what is not finite.
[[nodiscard]] std::optional<double> parse_seconds(std::string_view text);

}  // namespace heddle::base
