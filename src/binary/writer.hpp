// SPDX-License-Identifier: MIT
#pragma once
// Writer of `.isa` containers, version 4.1 (docs/rules/visa-encoding.md).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/byte_cursor.hpp"
#include "base/result.hpp"
#include "isa/description.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"

namespace heddle::binary {

struct WriteOptions {
  isa::Dialect dialect = isa::Dialect::Igc12504;  ///< the newer dialect only when asked for
  std::optional<isa::Platform> platform;          ///< register size for address-of operands; none: 32 bytes
};

/// The whole container. What cannot be written (visa-bin-range: a value does not fit its field; visa-bin-dialect: it
/// exists in the other dialect only; visa-operand-class) is reported, all of it.
[[nodiscard]] base::Result<std::vector<std::uint8_t>> write(const isa::Program& program,
                                                            const WriteOptions& options = {});

/// A part of an encoded instruction, for `heddle dump --encoding`.
struct FieldSpan {
  std::string name;          ///< "opcode", "exec", "predicate", "sub-op", or the slot's name
  std::uint32_t offset = 0;  ///< from the instruction's start
  std::uint32_t length = 0;
  std::string value;  ///< readable: "0a", "(M1, 16)", "V32.64", "0xf:ud"
};

/// Encodes instructions of one object. Build it once for an object: it numbers the strings.
class ObjectEncoder {
 public:
  ObjectEncoder(const isa::Program& program, const isa::Object& object, const WriteOptions& options);

  /// Appends the bytes; reports into `diagnostics`; names the fields in `spans` when given.
  void encode(const isa::Instruction& instruction, base::ByteWriter& out, base::Diagnostics& diagnostics,
              std::vector<FieldSpan>* spans) const;

  /// The string pool in the order of the tool: object name, predefined names, S31, declarations and their attributes,
  /// object attributes, labels and strings as met.
  [[nodiscard]] const std::vector<std::string_view>& pool() const { return pool_; }
  [[nodiscard]] std::uint32_t pool_index(std::string_view name) const;
  [[nodiscard]] std::uint32_t pool_index_of_string(std::size_t string) const { return string_index_[string]; }

 private:
  std::uint32_t intern(std::string_view name);
  void number_strings();

  const isa::Program& program_;
  const isa::Object& object_;
  const WriteOptions options_;
  std::vector<std::string_view> pool_;
  std::vector<std::uint32_t> string_index_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
};

}  // namespace heddle::binary
