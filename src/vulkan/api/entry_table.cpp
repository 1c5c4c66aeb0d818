// SPDX-License-Identifier: MIT
#include "vulkan/api/entry_table.hpp"

#include <algorithm>
#include <cstdio>

namespace heddle::vulkan {

const EntryPoint* find_entry_point(std::string_view name) {
  const std::span<const EntryPoint> all = entry_points();
  const auto found = std::lower_bound(all.begin(), all.end(), name,
                                      [](const EntryPoint& e, std::string_view n) { return e.name < n; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

bool is_given(const EntryPoint& entry, unsigned minor, const ExtensionSet& enabled) {
  if (entry.core_minor <= minor) return true;
  return std::any_of(entry.extensions, entry.extensions + entry.extension_count,
                     [&](Extension e) { return enabled.test(static_cast<std::size_t>(e)); });
}

bool add_extensions(std::span<const OfferedExtension> offered, std::span<const char* const> names,
                    ExtensionSet& enabled) {
  for (const std::string_view name : names) {
    const auto found =
        std::ranges::find_if(offered, [&](const OfferedExtension& o) { return o.properties.extensionName == name; });
    if (found == offered.end()) return false;
    enabled.set(static_cast<std::size_t>(found->extension));
  }
  return true;
}

VkResult refuse_command(const char* name) {
  std::fprintf(stderr, "heddle: %s: the driver does not have this command\n", name);
  return VK_ERROR_FEATURE_NOT_PRESENT;
}

}  // namespace heddle::vulkan
