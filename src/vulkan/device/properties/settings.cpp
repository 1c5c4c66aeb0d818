// SPDX-License-Identifier: MIT
#include "vulkan/device/properties/settings.hpp"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <string_view>
#include <utility>

#include "base/environment/environment.hpp"

namespace heddle::vulkan {

double submission_seconds() {
  constexpr double kSeconds = 10;
  return base::read_seconds_variable(base::Variable::TimeLimit).value.value_or(kSeconds);
}

std::optional<std::string> capture_folder() {
  auto folder = base::read_text_variable(base::Variable::Capture);
  return folder && !folder->empty() ? std::move(folder) : std::nullopt;
}

bool texel_folder() {
  const auto folder = base::read_text_variable(base::Variable::Texels);
  return folder && !folder->empty();
}

machine::CheckMode check_mode() {
  using machine::CheckMode;
  const std::string_view word = base::read_word_variable(base::Variable::Check).value.value_or("off");
  return word == "error" ? CheckMode::Error : word == "warn" ? CheckMode::Warn : CheckMode::Off;
}

std::optional<std::array<std::uint32_t, 3>> traced_invocation() {
  return base::read_invocation_variable(base::Variable::Trace).value;
}

VkConformanceVersion conformance_version() {
  const std::string_view word = base::read_word_variable(base::Variable::Conformance).value.value_or("none");
  if (word == "none") return {0, 0, 0, 0};
  return {static_cast<std::uint8_t>(word.front() - '0'), static_cast<std::uint8_t>(word.back() - '0'), 0, 0};
}

bool dma_bufs_are_made() { return ::access("/dev/udmabuf", R_OK | W_OK) == 0; }

std::uint64_t heap_bytes() {
  if (const auto given = base::read_bytes_variable(base::Variable::DeviceMemory).value) return *given;
  struct sysinfo info{};
  if (sysinfo(&info) != 0) return std::uint64_t{2} << 30;
  return std::uint64_t{info.totalram} * info.mem_unit;
}

}  // namespace heddle::vulkan
