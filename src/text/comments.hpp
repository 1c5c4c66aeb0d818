// SPDX-License-Identifier: MIT
#pragma once
// Internal to the folder: what canonical text keeps in comments, since no part of the statement can hold it (TXT-35).
// Other tools skip them.

#include <string_view>

namespace heddle::text {

/// Begins the comment that lists an object's labels in the order of their numbers: // labels: "A" "B":1 "C"="name".
inline constexpr std::string_view kLabelsComment = " labels:";

/// The value of a field `key=value` of a comment that has fields only; quoted values with their quotes. Empty: there is
/// none.
[[nodiscard]] std::string_view comment_field(std::string_view comment, std::string_view key);

}  // namespace heddle::text
