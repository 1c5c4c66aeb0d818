// SPDX-License-Identifier: MIT
#pragma once
// What a family's check sees and how it reports. verify/ walks a program, runs the rules that follow from the
// descriptions, and calls each instruction's own check through check_of().

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "isa/description.hpp"
#include "isa/program.hpp"

namespace heddle::instructions {

/// A broken rule, not yet a diagnostic: it holds on some of the platforms that are checked.
struct Finding {
  std::string_view id;
  base::Severity severity = base::Severity::Error;
  const isa::Operand* operand = nullptr;  ///< nullptr: the whole instruction
  std::string message;
  isa::PlatformSet platforms;
};

/// Where a general variable lives, aliases followed. Built once for an object, whatever the length of its alias chains.
struct Storage {
  bool valid = false;  ///< false: no such variable, an alias of nothing, or a cycle
  bool aliased = false;
  isa::Type type = isa::Type::UD;
  std::uint32_t root = 0;
  std::uint64_t bytes = 0, root_offset = 0, root_bytes = 0;
  std::string_view name;
};
class StorageTable {
 public:
  StorageTable(const isa::Object& object, unsigned grf_bytes);
  [[nodiscard]] const Storage& operator[](std::uint32_t index) const {
    return index < table_.size() ? table_[index] : none_;
  }

 private:
  std::vector<Storage> table_;
  Storage none_;
};

/// One instruction that is checked, for platforms that share a register size.
class Check {
 public:
  Check(const isa::Program& program, const isa::Object& object, isa::PlatformSet platforms, unsigned grf_bytes,
        std::vector<Finding>& findings)
      : program_(program),
        object_(object),
        platforms_(platforms),
        grf_(grf_bytes),
        storage_(object, grf_bytes),
        findings_(findings) {}
  void enter(const isa::Instruction& instruction);

  [[nodiscard]] const isa::Program& program() const { return program_; }
  [[nodiscard]] const isa::Object& object() const { return object_; }
  [[nodiscard]] isa::PlatformSet platforms() const { return platforms_; }
  [[nodiscard]] unsigned grf() const { return grf_; }  ///< bytes of a register
  [[nodiscard]] const isa::Instruction& instruction() const { return *instruction_; }
  [[nodiscard]] const isa::InstructionDescription& description() const { return *instruction_->description; }
  [[nodiscard]] std::span<const isa::Operand> operands() const { return operands_; }
  [[nodiscard]] unsigned exec_size() const { return description().has_exec ? instruction_->exec.size() : 1; }

  /// The operand of a named slot; nullptr when the row has no such slot or the operand is absent.
  [[nodiscard]] const isa::Operand* operand(std::string_view slot) const;
  /// The repeated operands (parameters).
  [[nodiscard]] std::span<const isa::Operand> parameters() const;
  /// Value of an integer slot, or `otherwise`.
  [[nodiscard]] std::uint64_t integer(std::string_view slot, std::uint64_t otherwise = 0) const;
  /// Name of an integer slot's value in its code table, or empty.
  [[nodiscard]] std::string_view code(std::string_view slot) const;
  /// The same as a number: "16" is 16; 0 when the name is no number.
  [[nodiscard]] unsigned number(std::string_view slot) const;

  [[nodiscard]] const Storage& storage(std::uint32_t variable) const { return storage_[variable]; }
  /// Element type of an operand: its own or its variable's. Nothing for null, labels, integers.
  [[nodiscard]] std::optional<isa::Type> type_of(const isa::Operand& operand) const;
  [[nodiscard]] static bool is_immediate(const isa::Operand& operand) {
    return operand.kind == isa::OperandKind::Immediate;
  }
  /// One element for all channels: an immediate or a region of width 1 with a vertical stride of 0.
  [[nodiscard]] static bool is_scalar(const isa::Operand& operand);
  /// As text, for messages: "V43(0,0)<2>".
  [[nodiscard]] std::string text(const isa::Operand& operand) const;

  /// Bytes of `channels` groups of `elements` elements, each group from the next register on (RET-1).
  [[nodiscard]] std::uint64_t channel_bytes(std::uint64_t channels, std::uint64_t elements,
                                            unsigned element_bytes) const;

  void report(std::string_view id, base::Severity severity, const isa::Operand* where, std::string message,
              isa::PlatformSet on = isa::PlatformSet::all());
  void error(std::string_view id, const isa::Operand* where, std::string message,
             isa::PlatformSet on = isa::PlatformSet::all()) {
    report(id, base::Severity::Error, where, std::move(message), on);
  }
  void warning(std::string_view id, const isa::Operand* where, std::string message,
               isa::PlatformSet on = isa::PlatformSet::all()) {
    report(id, base::Severity::Warning, where, std::move(message), on);
  }
  void note(std::string_view id, const isa::Operand* where, std::string message,
            isa::PlatformSet on = isa::PlatformSet::all()) {
    report(id, base::Severity::Note, where, std::move(message), on);
  }

  /// Something was said about this operand already (under this id).
  [[nodiscard]] bool reported(const isa::Operand& operand, std::string_view id = {}) const {
    for (const Finding& f : findings_)
      if (f.operand == &operand && (id.empty() || f.id == id)) return true;
    return false;
  }

  // --- shared rules ---
  /// visa-raw-bounds (or another id): `bytes` from the operand's offset lie inside its variable. Null and other kinds
  /// pass.
  void raw_bytes(const isa::Operand& operand, std::uint64_t bytes, std::string_view id = "visa-raw-bounds");
  /// A surface that the instruction cannot reach.
  [[nodiscard]] static bool is_surface(const isa::Operand* operand, std::uint32_t id) {
    return operand != nullptr && operand->kind == isa::OperandKind::Surface && operand->id == id;
  }

 private:
  const isa::Program& program_;
  const isa::Object& object_;
  isa::PlatformSet platforms_;
  unsigned grf_;
  StorageTable storage_;
  std::vector<Finding>& findings_;
  const isa::Instruction* instruction_ = nullptr;
  std::span<const isa::Operand> operands_;
};

// Predefined surfaces (isa::predefined_surfaces()).
inline constexpr std::uint32_t kSlm = 0, kT1 = 1, kT2 = 2, kTss = 3, kBss = 4, kScratch = 5;

using CheckFunction = void (*)(Check&);
/// The instruction's own check, or nullptr.
[[nodiscard]] CheckFunction check_of(const isa::InstructionDescription& description);

}  // namespace heddle::instructions
