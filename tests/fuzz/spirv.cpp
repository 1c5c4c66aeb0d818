// SPDX-License-Identifier: MIT
// Damaged SPIR-V binaries: the reader, SPIRV-Tools' validator over our copy, and the footprint rules.

#include <cstddef>
#include <cstdint>

#include "spirv/validate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65536) return 0;
  const auto module = heddle::spirv::read_binary({data, size}, "fuzz.spv");
  if (!module.ok()) return 0;
  heddle::base::Diagnostics found;
  heddle::spirv::check_footprint_rules(*module, {"vulkan1.3", (size & 1) != 0}, found);
  for (const auto& d : found.all()) static_cast<void>(heddle::base::render_json(d));
  return 0;
}
