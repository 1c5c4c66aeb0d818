// SPDX-License-Identifier: MIT
#pragma once
// The number of the results' bits, which docs/bits.md explains.

namespace heddle::base {

/// The same program with the same inputs gives the same bytes in all versions that have this number. A change that
/// changes a byte of tests/data/bits counts it up and says so in CHANGELOG.md.
inline constexpr unsigned kBits = 1;

}  // namespace heddle::base
