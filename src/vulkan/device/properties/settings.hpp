// SPDX-License-Identifier: MIT
#pragma once
// What the environment says of devices (docs/environment.md).

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <vulkan/vulkan_core.h>

#include "machine/report.hpp"

namespace heddle::vulkan {

/// Seconds that one submission may take (HEDDLE_TIME_LIMIT).
[[nodiscard]] double submission_seconds();

/// The folder where every dispatch and draw is written to (HEDDLE_CAPTURE); none: nothing is.
[[nodiscard]] std::optional<std::string> capture_folder();

/// Whether HEDDLE_TEXELS names a folder.
[[nodiscard]] bool texel_folder();

/// What HEDDLE_CHECK says: with Error a process that had findings ends with exit code 5, whatever it returns.
[[nodiscard]] machine::CheckMode check_mode();

/// The global id of the invocation that is traced (HEDDLE_TRACE); none: nothing is.
[[nodiscard]] std::optional<std::array<std::uint32_t, 3>> traced_invocation();

/// Whether buffers of the kind that devices share (dma-buf) can be made here.
[[nodiscard]] bool dma_bufs_are_made();

/// What the driver says that it passed, which it was never submitted for (HEDDLE_CONFORMANCE_VERSION): zeros, or what
/// programs want to see that hide such drivers.
[[nodiscard]] VkConformanceVersion conformance_version();

/// Bytes of the one memory heap: what the machine has, or HEDDLE_DEVICE_MEMORY.
[[nodiscard]] std::uint64_t heap_bytes();

}  // namespace heddle::vulkan
