// SPDX-License-Identifier: MIT
#pragma once
// Debian's lavapipe, the driver to compare with.

namespace heddle::test {

/// The manifest of the one for this program's processor; it need not be installed.
#if defined(__aarch64__)
inline constexpr const char* kLavapipeManifest = "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json";
#else
inline constexpr const char* kLavapipeManifest = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
#endif

}  // namespace heddle::test
