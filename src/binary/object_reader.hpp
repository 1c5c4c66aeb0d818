// SPDX-License-Identifier: MIT
#pragma once
// Reading one object: string pool, declarations, inputs, attributes; the code is found here and decoded by decode.hpp.

#include <string_view>
#include <vector>

#include "base/byte_cursor.hpp"
#include "binary/reader.hpp"

namespace heddle::binary {

struct ObjectLocation {
  isa::ObjectKind kind = isa::ObjectKind::Kernel;
  std::uint64_t offset = 0;        ///< of the object in the file
  std::uint64_t size = 0;          ///< as the header says
  std::uint64_t input_offset = 0;  ///< kernels: as the header says
  std::size_t file_scope = 0;      ///< file-scope variables
  bool has_gen_binaries = false;
};

/// An object without its instructions.
struct ObjectParts {
  isa::Object object;
  std::vector<std::string_view> pool;
  std::span<const std::uint8_t> code;
  std::uint64_t code_offset = 0;  ///< in the file
  bool usable = false;            ///< the code was found
};

[[nodiscard]] ObjectParts read_object(std::span<const std::uint8_t> file_bytes, const ObjectLocation& location,
                                      unsigned version_key, const std::string& file, const ReadOptions& options,
                                      base::Diagnostics& diagnostics);

}  // namespace heddle::binary
