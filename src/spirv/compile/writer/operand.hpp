// SPDX-License-Identifier: MIT
#pragma once
// Operands as they stand in the text.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "isa/types.hpp"

namespace heddle::spirv::compiler {

/// One operand of an instruction: made by VisaWriter, or the name of a surface, a sampler, a predicate or a label.
class VisaOperand {
 public:
  VisaOperand(std::string text) : text_(std::move(text)) {}  // NOLINT: a name is an operand
  VisaOperand(std::string_view text) : text_(text) {}        // NOLINT
  VisaOperand(const char* text) : text_(text) {}             // NOLINT
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// No registers: "%null.0".
[[nodiscard]] inline VisaOperand no_registers() { return "%null.0"; }
/// A number as a person writes it: "1.5:f", "-3:d", "12:ud"; hexadecimal where it is long.
[[nodiscard]] VisaOperand immediate(isa::Type type, std::uint64_t bits);
/// A number that is bits, or a place: "0x0:ud".
[[nodiscard]] VisaOperand hexadecimal(isa::Type type, std::uint64_t bits);
/// Dword `index` of R0, the same for all lanes.
[[nodiscard]] VisaOperand thread_payload(unsigned index);

}  // namespace heddle::spirv::compiler
