// SPDX-License-Identifier: MIT
#pragma once
// Internal to the folder: prints single instructions with names that were worked out before.

#include <span>
#include <string>

#include "isa/description.hpp"
#include "text/print/canonical_names.hpp"
#include "text/text.hpp"

namespace heddle::text {

class InstructionText {
 public:
  /// `newer`: paired surfaces and their relatives are printed (TXT-31).
  InstructionText(const isa::Object& object, const CanonicalNames& names, bool newer)
      : object_(object), names_(names), newer_(newer) {}
  /// Not for labels and subroutines, which are lines of their own kind.
  std::string print(const isa::Instruction& instruction);

 private:
  void exec(const isa::Exec& e);
  void predicate(const isa::PredicateUse& p);
  void raw(const isa::Operand& o, bool bare);
  void label(const isa::Operand& o);
  void string_operand(const isa::Operand& o, bool as_name);
  void operand(const isa::Slot& slot, const isa::Operand& o);
  void integer(const isa::Slot& slot, const isa::Operand& o);
  void general(const isa::Slot& slot, const isa::Operand& o);
  void region(const isa::Slot& slot, const isa::Operand& o);
  void address(const isa::Slot& slot, const isa::Operand& o);
  void indirect(const isa::Slot& slot, const isa::Operand& o);
  void immediate(const isa::Operand& o);
  void state(const isa::Slot& slot, const isa::Operand& o);
  void address_of(const isa::Operand& o);
  void mask(std::uint64_t value);
  [[nodiscard]] static bool left_out(const isa::InstructionDescription& description, const isa::TextElement& e,
                                     std::span<const isa::Operand> operands);
  void suffix(const isa::InstructionDescription& description, const isa::TextElement& e,
              std::span<const isa::Operand> operands);
  void element(const isa::InstructionDescription& description, const isa::TextElement& e,
               std::span<const isa::Operand> operands, const isa::Instruction& i);
  // --- LSC (lsc_printer.cpp) ---
  void code(const isa::InstructionDescription& description, const isa::TextElement& e, std::size_t part,
            std::span<const isa::Operand> operands);
  void lsc(const isa::InstructionDescription& description, const isa::TextElement& e,
           std::span<const isa::Operand> operands);
  void lsc_block(const isa::InstructionDescription& description, const isa::TextElement& e,
                 std::span<const isa::Operand> operands);
  void lsc_address(const isa::InstructionDescription& description, const isa::TextElement& e,
                   std::span<const isa::Operand> operands);
  void lsc_typed(const isa::InstructionDescription& description, const isa::TextElement& e,
                 std::span<const isa::Operand> operands);
  void lsc_vector(const isa::Operand& o, bool wide = false);
  void lsc_origin(const isa::Operand& coordinate, const isa::Operand* offset);
  void lsc_offset(const isa::Operand& o, bool always = false);
  void cache_levels(const isa::InstructionDescription& description, const isa::TextElement& e,
                    std::span<const isa::Operand> operands);
  void lsc_model(const isa::InstructionDescription& description, const isa::TextElement& e, std::size_t type,
                 std::size_t surface, std::size_t index, std::span<const isa::Operand> operands);

  const isa::Object& object_;
  const CanonicalNames& names_;
  bool newer_;
  bool bare_raw_ = false;  ///< LSC: V40 for V40.0
  std::string out_;
};

}  // namespace heddle::text
