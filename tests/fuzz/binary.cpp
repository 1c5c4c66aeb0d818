// SPDX-License-Identifier: MIT
// Any bytes as a container: no crash; what is read without an error is written and read again as the same bytes.
#include <cstdlib>

#include "binary/reader.hpp"
#include "binary/writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  base::Diagnostics diagnostics(20);
  const auto program = binary::read({data, size}, "fuzz.isa", {}, diagnostics);
  if (!program || diagnostics.has_errors()) return 0;
  const auto first = binary::write(*program, {.dialect = program->dialect});
  if (!first.ok()) return 0;
  binary::ReadOptions options;
  options.dialect =
      program->dialect == isa::Dialect::Newer ? binary::DialectChoice::Newer : binary::DialectChoice::Igc12504;
  const auto second = binary::read(*first, "fuzz.isa", options, diagnostics);
  if (!second || diagnostics.has_errors()) std::abort();
  const auto third = binary::write(*second, {.dialect = program->dialect});
  if (!third.ok() || *third != *first) std::abort();
  return 0;
}
