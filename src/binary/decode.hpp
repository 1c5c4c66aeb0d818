// SPDX-License-Identifier: MIT
#pragma once
// Decoding of the instructions of one object.

#include <string>
#include <vector>

#include "base/byte_cursor.hpp"
#include "binary/reader.hpp"
#include "isa/description.hpp"

namespace heddle::binary {

struct CodeContext {
  const std::string& file;
  unsigned minor_key = 41;  ///< version as 10 * major + minor
  isa::Dialect dialect = isa::Dialect::Igc12504;
  bool lenient = false;
  bool document_codes = false;
  unsigned grf_bytes = 32;
  std::uint64_t instruction_limit = 0;  ///< instructions that may still be read
};

/// Index of a pool string in Object::strings, added on first use.
struct StringUse {
  const std::vector<std::string_view>& pool;
  std::vector<std::uint32_t> index_of;  ///< pool index -> Object::strings index + 1
};

struct CodeResult {
  bool complete = false;      ///< every byte was decoded
  std::uint64_t reached = 0;  ///< offset in the file of the first byte that was not
  std::size_t wrong = 0;      ///< errors other than reserved bits
};

/// Decodes `code` (the object's instructions, from file offset `base`) into object.instructions and object.operands.
CodeResult decode_code(std::span<const std::uint8_t> code, std::uint64_t base, const CodeContext& context,
                       isa::Object& object, StringUse& strings, base::Diagnostics& diagnostics);

}  // namespace heddle::binary
