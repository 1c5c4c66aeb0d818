// SPDX-License-Identifier: MIT
#pragma once
// Which formats the row functions know.

#include <optional>

#include "image/format.hpp"
#include "pipeline/transfer/rows.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::pipeline::transfer {

/// What the functions can do with a format; the rest goes texel by texel.
struct RowAccess {
  RowFormat format;
  bool reads = false, writes = false;
};
[[nodiscard]] RowAccess row_access(const image::FormatInfo& format);

/// The functions as built for a target, which the machine must have.
[[nodiscard]] const RowFunctions& row_functions(texture::simd::InstructionSet target);

}  // namespace heddle::pipeline::transfer
