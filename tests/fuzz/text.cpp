// SPDX-License-Identifier: MIT
// Any bytes as text: no crash; what is read without an error prints, and what is printed is read as the same program.
#include <cstdlib>
#include <string_view>

#include "text/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  base::Diagnostics diagnostics(20);
  const auto program = text::parse(source, "fuzz.visaasm", {}, diagnostics);
  if (!program) return 0;
  const std::string printed = text::print(*program);
  const auto second = text::parse(printed, "printed.visaasm", {}, diagnostics);
  if (!second || text::print(*second) != printed) std::abort();
  return 0;
}
