// SPDX-License-Identifier: MIT
// Bytes -> container read leniently -> every rule, with and without a platform. The first byte chooses the platform.

#include <cstddef>
#include <cstdint>

#include "binary/reader.hpp"
#include "verify/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  if (size == 0) return 0;
  binary::ReadOptions read;
  read.lenient = true;
  read.limits.instructions = 100'000;
  base::Diagnostics diagnostics;
  const auto program = binary::read({data + 1, size - 1}, "fuzz", read, diagnostics);
  if (!program) return 0;
  verify::Options options;
  if (data[0] < isa::kPlatformCount) options.platform = static_cast<isa::Platform>(data[0]);
  verify::check(*program, options, diagnostics);
  return 0;
}
