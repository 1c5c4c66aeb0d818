// SPDX-License-Identifier: MIT
#pragma once
// The `state` object of an rt_write request and of a job's [pixels] table (names of the
// hardware's fields: HW-13, HW-14).

#include <string>
#include <string_view>

#include "base/node.hpp"
#include "image/output_state.hpp"

namespace heddle::image {

/// Asks `reader` for every member; wrong ones are reported through it. Enumerators are the hardware's, in any case
/// ("ONE", "INV_SRC_ALPHA", "LEQUAL"), or Vulkan's for factors, comparisons and operations ("one_minus_src_alpha",
/// "less_or_equal", "increment_and_clamp"). `blend`: an array of entries, or one entry for all targets.
[[nodiscard]] OutputState read_output_state(base::TableReader& reader);

/// The state as read_output_state takes it: an inline table of TOML, with the members that are not as by default.
[[nodiscard]] std::string output_state_text(const OutputState& state);

/// The word that `advanced` of a blend entry has for it: "MULTIPLY".
[[nodiscard]] std::string_view word_of(AdvancedBlendOp op);

}  // namespace heddle::image
