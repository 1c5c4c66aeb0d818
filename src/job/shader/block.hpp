// SPDX-License-Identifier: MIT
#pragma once
// Values of a shader's block (push constants, a uniform block) by member names.

#include <cstdint>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "job/shader/interface.hpp"

namespace heddle::job {

/// The bytes of a block from { bytes = ... } (from offset 0), a table by member names (members of members by dots or as
/// tables in tables; all members, of every element of arrays of structures), or all values in order. What does not fit
/// is said in `problems`.
[[nodiscard]] std::vector<std::uint8_t> encode_block(const SurfaceLine& block, const Argument& argument,
                                                     std::vector<std::string>& problems);
/// "{ scale = f32, lights = [{ color = f32x3, power = f32 } x 2] }": for messages.
[[nodiscard]] std::string block_text(const SurfaceLine& block);

}  // namespace heddle::job
