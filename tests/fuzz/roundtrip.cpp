// SPDX-License-Identifier: MIT
// text -> binary -> text -> binary: the second binary is the first, byte for byte.
#include <cstdlib>
#include <string_view>

#include "binary/reader.hpp"
#include "binary/writer.hpp"
#include "text/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  base::Diagnostics diagnostics(20);
  const auto program = text::parse(source, "fuzz.visaasm", {}, diagnostics);
  if (!program) return 0;
  const auto first = binary::write(*program, {.dialect = program->dialect});
  if (!first.ok()) return 0;
  binary::ReadOptions options;
  options.dialect =
      program->dialect == isa::Dialect::Newer ? binary::DialectChoice::Newer : binary::DialectChoice::Igc12504;
  options.lenient = true;
  base::Diagnostics reading(20);
  const auto decoded = binary::read(*first, "fuzz.isa", options, reading);
  if (!decoded || reading.has_errors())
    return 0;  // the reader is stricter than the assembler, which leaves judgment to val
  const std::string printed = text::print(*decoded);
  const auto again = text::parse(printed, "printed.visaasm", {}, diagnostics);
  if (!again) std::abort();
  const auto second = binary::write(*again, {.dialect = again->dialect});
  if (!second.ok() || *second != *first) std::abort();
  return 0;
}
