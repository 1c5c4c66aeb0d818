// SPDX-License-Identifier: MIT
#pragma once
// The table of entry points, written by generate.py, and looking up in it.

#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>

#include "vulkan/generated/extensions.hpp"
#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {

using ExtensionSet = std::bitset<kExtensions>;

struct EntryPoint {
  enum class Level : std::uint8_t { Global, Instance, PhysicalDevice, Device };
  static constexpr std::uint8_t kNoCore = 255;
  const char* name;
  Level level;
  std::uint8_t core_minor;  ///< of the 1.x that has it; kNoCore: only extensions give it
  std::uint8_t extension_count;
  Extension extensions[2];
  PFN_vkVoidFunction function;
};
struct OfferedExtension {
  Extension extension;
  VkExtensionProperties properties;
};

/// In order of name.
[[nodiscard]] std::span<const EntryPoint> entry_points();
[[nodiscard]] std::span<const OfferedExtension> instance_extensions();
[[nodiscard]] std::span<const OfferedExtension> device_extensions();

[[nodiscard]] const EntryPoint* find_entry_point(std::string_view name);
/// Whether a version up to 1.`minor` or one of the extensions gives it.
[[nodiscard]] bool is_given(const EntryPoint& entry, unsigned minor, const ExtensionSet& enabled);
/// Adds the extensions of these names; false where one is not in the list.
[[nodiscard]] bool add_extensions(std::span<const OfferedExtension> offered, std::span<const char* const> names,
                                  ExtensionSet& enabled);

/// A command of an offered version that the driver does not have: says so, and answers VK_ERROR_FEATURE_NOT_PRESENT.
VkResult refuse_command(const char* name);

}  // namespace heddle::vulkan
