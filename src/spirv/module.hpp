// SPDX-License-Identifier: MIT
#pragma once
// A SPIR-V module as a list of instructions with their places: what the rules and the compiler read.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"

namespace heddle::spirv {

/// One instruction; `words` includes the first word (length and opcode).
struct Instruction {
  std::uint32_t offset = 0;  ///< in words from the start of the module
  std::uint16_t opcode = 0;
  std::uint32_t type = 0;    ///< id of the result type, 0 = none
  std::uint32_t result = 0;  ///< result id, 0 = none
  std::span<const std::uint32_t> words;
  std::span<const std::uint32_t> operands;  ///< after type and result
  std::uint32_t line = 0, column = 0;       ///< of the statement in a .spvasm; 0 = unknown
  std::uint32_t source_line = 0;            ///< that it was made from; 0 = unknown
  std::uint32_t source_column = 0;
  std::uint32_t source_file = 0;  ///< id of the OpString
};

struct Module {
  Module() = default;
  Module(Module&&) = default;  // instructions point into `words`: a module moves, it is not copied
  Module& operator=(Module&&) = default;

  std::string file;
  std::string text;                  ///< the assembly, when read from it
  std::vector<std::uint32_t> words;  ///< host order
  std::uint32_t version = 0;         ///< 0x00010600 = 1.6
  std::uint32_t bound = 0;
  bool changes_pointers = false;  ///< TypedPointers::changes_types
  std::vector<Instruction> instructions;
  std::unordered_map<std::uint32_t, std::uint32_t> definition;  ///< result id -> index of its instruction
  std::unordered_map<std::uint32_t, std::string> names;         ///< OpName of ids

  [[nodiscard]] const Instruction* find(std::uint32_t id) const;
  /// Name of the file that `source_line` is of; empty where it is unknown.
  [[nodiscard]] std::string source_file(const Instruction& instruction) const;
  /// "%name" or "%12".
  [[nodiscard]] std::string id_name(std::uint32_t id) const;
  /// A type in words: "vector of 2 unsigned integers (32 bit)".
  [[nodiscard]] std::string type_text(std::uint32_t type_id) const;
  /// The type of a value id; 0 when it has none.
  [[nodiscard]] std::uint32_t type_of(std::uint32_t id) const;
  /// Scalar integer constant (OpConstant, OpConstantNull; not specialization constants).
  [[nodiscard]] std::optional<std::uint32_t> constant_value(std::uint32_t id) const;
  /// Text: line and column of the statement; binary: byte offset of the instruction.
  [[nodiscard]] base::Place place(const Instruction& instruction) const;
  /// A literal string that starts at operand word `first`.
  [[nodiscard]] static std::string string_at(std::span<const std::uint32_t> operands, std::size_t first);
};

/// Reads a binary module of either byte order. Ids: spirv-magic, spirv-truncated, spirv-word-count, spirv-bound,
/// spirv-id, spirv-version.
[[nodiscard]] base::Result<Module> read_binary(std::span<const std::uint8_t> bytes, const std::string& file,
                                               const base::Limits& limits = {});

/// Assembles `.spvasm` through SPIRV-Tools. Ids: spirv-assembly, spirv-footprint-operand-words (R25), and those of
/// read_binary.
[[nodiscard]] base::Result<Module> assemble(std::string text, const std::string& file, std::string_view target_env,
                                            const base::Limits& limits = {});

/// Canonical assembly text of a module.
[[nodiscard]] base::Result<std::string> disassemble(const Module& module);

/// "vulkan1.0" ... "vulkan1.3", "universal1.0" ... "universal1.6"; false for other names.
[[nodiscard]] bool known_target_env(std::string_view name);
[[nodiscard]] std::vector<std::string_view> target_env_words();

/// The operation's name ("OpImageSampleFootprintNV"), or "Op<number>".
[[nodiscard]] std::string opcode_name(std::uint16_t opcode);

}  // namespace heddle::spirv
