// SPDX-License-Identifier: MIT
#pragma once
// Programs with more predicates than instructions can name: those whose lives do not touch share one.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::spirv::compiler {

/// A predicate as it was declared.
struct NamedPredicate {
  std::string name;
  std::uint32_t kind = 0;    ///< what it is for: those of one kind share first, so that names stay true
  std::uint32_t origin = 0;  ///< the builder's origin when it was declared
};

struct SharedPredicates {
  std::vector<std::uint32_t> home;        ///< for each predicate, the one whose name it takes
  std::vector<bool> used;                 ///< others are not mentioned at all
  std::optional<std::uint32_t> homeless;  ///< the first for which there is no room
};

/// A predicate lives from its first mention in the text to the last. Lanes go forward through the text but for jumps to
/// the head of a loop, so a life that enters or leaves a loop lasts for all of it: the lanes that wait behind a loop,
/// or come back to its head, find their bits as they left them. `most`: how many may stay.
[[nodiscard]] SharedPredicates share_predicates(std::span<const NamedPredicate> predicates,
                                                std::span<const std::string_view> texts, std::size_t most);

/// The text with each predicate under its new name.
[[nodiscard]] std::string renamed_predicates(std::span<const NamedPredicate> predicates, const SharedPredicates& shared,
                                             std::string_view text);

}  // namespace heddle::spirv::compiler
