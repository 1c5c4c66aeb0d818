#pragma once
// An object prepared for execution: one Decoded for each instruction, its operands resolved.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "isa/description.hpp"
#include "isa/platform.hpp"
#include "machine/operand.hpp"

namespace heddle::machine {

class ExecutionContext;
/// What an instruction does, for the reference engine (instructions/<family>/reference.cpp).
using Execute = void (*)(ExecutionContext&);

/// NUM-91: what an instruction computes in.
enum class Arithmetic : std::uint8_t { Integer, Half, Single, Double };

struct Decoded {
  const isa::Instruction* instruction = nullptr;
  const isa::InstructionDescription* description = nullptr;
  Execute execute = nullptr;        ///< nullptr: nothing to do (labels, .loc, lifetime ...)
  std::uint32_t first_operand = 0;  ///< into PreparedObject::operands; operand i belongs to slot i of the row
  std::uint16_t operand_count = 0;
  std::uint8_t lanes = 1;  ///< execution size
  std::uint8_t mask_offset = 0;
  bool no_mask = false;
  bool saturate = false;
  bool reads_live = false;      ///< %ce0 or %tsc among the operands: to be refreshed first
  bool writes_control = false;  ///< %cr0 is written
  Arithmetic arithmetic = Arithmetic::Integer;
  isa::PredicateUse predicate;
  std::int8_t destination = -1;  ///< first written vector operand
  std::int8_t second_destination = -1;
  std::array<std::int8_t, 4> sources = {-1, -1, -1, -1};   ///< read vector operands, in order
  std::array<std::int8_t, 4> integers = {-1, -1, -1, -1};  ///< plain integer operands, in order
};

struct PreparedObject {
  const isa::Object* object = nullptr;
  Layout layout;
  std::vector<Decoded> code;  ///< index = instruction index
  std::vector<Operand> operands;
};

/// The operands of an instruction by the name of their slot, or by kind. nullptr: there is none, or it is absent.
struct Operands {
  const Decoded& instruction;
  const Operand* first;  ///< of them
  [[nodiscard]] const Operand* named(std::string_view slot) const;
  [[nodiscard]] const Operand* of_kind(isa::OperandKind kind) const;
  [[nodiscard]] std::uint64_t integer(std::string_view slot) const;  ///< 0 where there is none
};

/// Execution of families: the function of a row, or nullptr.
using Lookup = Execute (*)(const isa::InstructionDescription&);

/// Resolves an object. Instructions without a function of their own get `missing`.
[[nodiscard]] base::Result<PreparedObject> prepare(const isa::Program& program, const isa::Object& object,
                                                   isa::Platform platform, Lookup lookup, const base::Limits& limits);

}  // namespace heddle::machine
