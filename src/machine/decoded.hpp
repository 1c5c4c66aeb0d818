// SPDX-License-Identifier: MIT
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
  bool atomic = false;          ///< a load or store that a shader's atomic operation became (SPV-19)
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

/// An instruction and its operands.
class Operands {
 public:
  Operands(const Decoded& instruction, const Operand* first) : d_(instruction), operands_(first) {}
  Operands(const PreparedObject& object, const Decoded& instruction)
      : Operands(instruction, object.operands.data() + instruction.first_operand) {}

  [[nodiscard]] const Decoded& instruction() const { return d_; }
  [[nodiscard]] const isa::InstructionDescription& description() const { return *d_.description; }
  [[nodiscard]] unsigned lanes() const { return d_.lanes; }
  [[nodiscard]] const Operand& operand(unsigned slot) const { return operands_[slot]; }
  [[nodiscard]] unsigned operand_count() const { return d_.operand_count; }
  /// By the name of its slot, or by kind; nullptr when there is none or it is absent.
  [[nodiscard]] const Operand* named(std::string_view slot) const;
  [[nodiscard]] const Operand* of_kind(isa::OperandKind kind) const;
  /// Those of the repeated slot.
  [[nodiscard]] std::span<const Operand> repeated() const {
    const std::size_t first = description().fixed_slots(), count = operand_count();
    return {operands_ + first, count > first ? count - first : 0};
  }
  /// Vector operands: read ones in order, written ones.
  [[nodiscard]] bool has_source(unsigned i) const { return d_.sources[i] >= 0; }
  [[nodiscard]] const Operand& source(unsigned i) const { return operands_[static_cast<unsigned>(d_.sources[i])]; }
  [[nodiscard]] const Operand& destination() const { return operands_[static_cast<unsigned>(d_.destination)]; }
  [[nodiscard]] const Operand& second_destination() const {
    return operands_[static_cast<unsigned>(d_.second_destination)];
  }
  /// Plain integers, in order or by slot; 0 where there is none.
  [[nodiscard]] std::uint64_t integer(unsigned i) const {
    return d_.integers[i] >= 0 ? operands_[static_cast<unsigned>(d_.integers[i])].value : 0;
  }
  [[nodiscard]] std::uint64_t integer(std::string_view slot) const;

 protected:
  const Decoded& d_;
  const Operand* operands_;
};

/// Execution of families: the function of a row, or nullptr.
using Lookup = Execute (*)(const isa::InstructionDescription&);

/// Resolves an object. Instructions without a function of their own get `missing`.
[[nodiscard]] base::Result<PreparedObject> prepare(const isa::Program& program, const isa::Object& object,
                                                   isa::Platform platform, Lookup lookup, const base::Limits& limits);

}  // namespace heddle::machine
