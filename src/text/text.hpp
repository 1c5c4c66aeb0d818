// SPDX-License-Identifier: MIT
#pragma once
// .visaasm / .isaasm text to isa::Program and back (docs/rules/visa-text.md).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"

namespace heddle::text {

/// How sample_*, load_* and sample4_* operands are read (TXT-31).
enum class DialectChoice : std::uint8_t { Auto, Igc12504, Newer };

struct ParseOptions {
  DialectChoice dialect = DialectChoice::Auto;
  std::optional<isa::Platform>
      platform;  ///< decides %sizeof(GRF), the packed sample4_po forms and the XE2 part of dialect detection
  base::Limits limits;
  /// Holds the source; Program::source then shares it instead of keeping a copy.
  std::shared_ptr<const std::string> owner;
  /// Checking, not assembling: what the encoding cannot show afterwards (an unknown <flag>) is an error that still
  /// yields a program.
  bool rules_are_errors = false;
};

/// Reads a whole file. All errors are reported, line by line; nothing is returned when there was one (but see
/// ParseOptions::rules_are_errors). Ids: visa-text-*, visa-decl-type, visa-region-param, visa-pred-allowed,
/// visa-rt-flag, visa-sample4-channel, visa-info-mask, limit-nesting, limit-instructions, limit-variables.
[[nodiscard]] std::optional<isa::Program> parse(std::string_view source, const std::string& file,
                                                const ParseOptions& options, base::Diagnostics& diagnostics);

/// Canonical text (TXT-34). parse(print(p)) yields p again; only source positions differ.
[[nodiscard]] std::string print(const isa::Program& program);

/// Prints instructions of one object in canonical form, without indentation or newline: for messages, traces and dumps.
/// Names are worked out once, at construction; object must outlive the printer.
class InstructionPrinter {
 public:
  InstructionPrinter(const isa::Program& program, const isa::Object& object);
  ~InstructionPrinter();
  InstructionPrinter(const InstructionPrinter&) = delete;
  InstructionPrinter& operator=(const InstructionPrinter&) = delete;
  [[nodiscard]] std::string print(const isa::Instruction& instruction) const;
  /// The canonical name of a general variable ("V40", "%r0", its own name).
  [[nodiscard]] std::string variable_name(std::uint32_t index) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::text
