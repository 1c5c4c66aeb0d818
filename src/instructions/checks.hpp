// SPDX-License-Identifier: MIT
#pragma once
// The families' own checks, and what several of them share. A family with rules of its own has check.cpp with its list
// of hooks, and says so in families.hpp.

#include "instructions/check.hpp"
#include "instructions/families.hpp"

namespace heddle::instructions {

using CheckHook = isa::Hook<CheckFunction>;

#define HEDDLE_DECLARE_CHECKS(name, has_check, has_reference, has_jit) \
  HEDDLE_IF_##has_check(namespace name { std::span<const CheckHook> checks(); })
HEDDLE_FAMILIES(HEDDLE_DECLARE_CHECKS)
#undef HEDDLE_DECLARE_CHECKS

/// Of all rows.
[[nodiscard]] const isa::HookTable<CheckFunction>& own_checks();

// --- shared by families ---

/// Parameters, result, address offset, sampler and surface of a sampler message (6d, 6e, 6f) that returns `channels`
/// channels.
void check_sampler_message(Check& check, unsigned channels);
/// visa-exec-size: image messages of 32 channels came with XE2 (row 3).
void check_wide_message(Check& check);
/// visa-surface-special, visa-sampler-surface: an image is no memory surface.
void check_image_surface(Check& check);
/// Platforms whose messages take 32 channels.
[[nodiscard]] isa::PlatformSet platforms_with_simd32();
[[nodiscard]] unsigned channels_of(std::uint64_t mask);  ///< enabled channels of a mask

}  // namespace heddle::instructions
