// SPDX-License-Identifier: MIT
#pragma once
// Reader of `.isa` containers, versions 3.2 to 4.1 (docs/rules/visa-encoding.md).

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"

namespace heddle::binary {

enum class DialectChoice : std::uint8_t { Auto, Igc12504, Newer };

struct ReadOptions {
  bool lenient = false;  ///< --lenient: reserved bits are a warning
  DialectChoice dialect = DialectChoice::Auto;
  bool document_codes = false;            ///< --dialect document-codes: sub-ops as a document has them (ENC-29)
  std::optional<isa::Platform> platform;  ///< register size for address-of operands; none: 32 bytes
  base::Limits limits;
  bool keep_gen_binaries = false;
};

/// Reads what can be read and reports everything (visa-bin-...). Nothing when the header cannot be used. A program that
/// comes with errors may hold indices that do not exist: only look at it when `diagnostics` has none.
[[nodiscard]] std::optional<isa::Program> read(std::span<const std::uint8_t> bytes, std::string file,
                                               const ReadOptions& options, base::Diagnostics& diagnostics);

}  // namespace heddle::binary
