// SPDX-License-Identifier: MIT
#pragma once
// A program as the page shows it: its text, the sources that it was made from, how their lines belong together, and its
// variables.

#include <string>
#include <vector>

#include "isa/platform.hpp"
#include "isa/program.hpp"

namespace heddle::explore {

struct SourceText {
  std::string name, text;
};

struct ProgramInput {
  const isa::Program* program = nullptr;
  std::string name;
  std::vector<SourceText> sources;  ///< that FILE strings of the program name
};

/// Number of an instruction: those of all objects, one object behind the other.
class InstructionNumbers {
 public:
  explicit InstructionNumbers(const isa::Program& program);
  [[nodiscard]] std::uint32_t of(const isa::Object& object, const isa::Instruction& instruction) const;
  [[nodiscard]] std::uint32_t of_object(const isa::Object& object) const {
    return static_cast<std::uint32_t>(&object - program_.objects.data());
  }

 private:
  const isa::Program& program_;
  std::vector<std::uint32_t> first_;  ///< by object
};

/// The document program/N.
[[nodiscard]] std::string describe_program(const ProgramInput& input, isa::Platform platform);

}  // namespace heddle::explore
