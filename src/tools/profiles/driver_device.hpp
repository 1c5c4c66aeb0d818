// SPDX-License-Identifier: MIT
#pragma once
// What the driver beside this program says of its device, by the names of Vulkan's registry. The driver is called as a
// loader would call it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace heddle::tools {

class DriverDevice {
 public:
  /// Ids: vulkan-driver.
  static base::Result<std::unique_ptr<DriverDevice>> open(const std::string& manifest);
  DriverDevice(const DriverDevice&) = delete;
  DriverDevice& operator=(const DriverDevice&) = delete;
  ~DriverDevice();

  [[nodiscard]] std::uint32_t version() const;
  /// Nothing where the registry has no such name.
  [[nodiscard]] std::optional<bool> extension(std::string_view name) const;
  [[nodiscard]] std::optional<bool> feature(std::string_view name) const;
  /// The limit's elements. A double holds every number that a table asks for; bits are given by `limit_bits`.
  [[nodiscard]] std::optional<std::vector<double>> limit(std::string_view name) const;
  [[nodiscard]] std::optional<std::uint64_t> limit_bits(std::string_view name) const;
  /// What a word of an enumeration stands for: VK_SAMPLE_COUNT_4_BIT.
  [[nodiscard]] static std::optional<std::uint64_t> value(std::string_view name);
  /// Without VK_FORMAT_FEATURE_ and _BIT.
  [[nodiscard]] static std::optional<std::uint64_t> format_feature(std::string_view name);
  /// `tiling`: optimal, linear or buffer.
  [[nodiscard]] std::optional<std::uint64_t> format(std::string_view name, std::string_view tiling) const;
  [[nodiscard]] bool has_queue(std::uint64_t flags) const;
  /// Names of bits, for messages.
  [[nodiscard]] static std::vector<std::string_view> known_names();

 private:
  struct Inside;
  explicit DriverDevice(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace heddle::tools
