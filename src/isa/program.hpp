// SPDX-License-Identifier: MIT
#pragma once
// isa::Program: all that a vISA object file can hold (ENC-5). Text, binary and SPIR-V produce it; everything
// else reads it.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "isa/operand.hpp"
#include "isa/types.hpp"

namespace heddle::isa {

struct InstructionDescription;  // isa/description.hpp: the row that describes an instruction

/// Where something was read: text (line, column; 1-based) or binary (offset). line 0 = binary or unknown.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint64_t offset = 0;
};

struct Attribute {
  std::string name;
  std::vector<std::uint8_t>
      value;  ///< bool: empty; Target: 1 byte; integers: 1, 2 or 4 bytes, little-endian; strings: characters, no NUL
  bool is_string = false;  ///< text had a string value (an unknown attribute keeps its form)
  Position position;
};

/// Alignment codes of general variables.
enum class Align : std::uint8_t { Byte = 0, Word, Dword, Qword, Oword, Grf, Grf2, Hword, Word32, Word64 };

struct GeneralVariable {
  std::string name;
  Type type = Type::UD;
  Align align = Align::Byte;
  std::uint32_t elements = 1;
  std::uint32_t alias = 0;  ///< 0 = no alias, else a variable index (predefined or declared)
  std::uint32_t alias_offset = 0;
  std::uint8_t alias_scope = 0;
  std::vector<Attribute> attributes;
  Position position;
};

/// Address variable, predicate, sampler or surface.
struct PlainVariable {
  std::string name;
  std::uint32_t elements = 1;
  std::vector<Attribute> attributes;
  Position position;
};

enum class LabelKind : std::uint8_t { Block = 0, Subroutine = 1, FcCall = 2, DivergentLoop = 4 };
struct Label {
  std::string name;
  LabelKind kind = LabelKind::Block;
  std::vector<Attribute> attributes;
  Position position;                         ///< of the definition
  std::optional<std::uint32_t> instruction;  ///< index of the label instruction that defines it
};

enum class InputKind : std::uint8_t { General = 0, Sampler = 1, Surface = 2 };
struct Input {
  std::uint8_t kind_bits = 0;  ///< as encoded: 1:0 InputKind, 2 reserved, 7:3 implicit kind (0 explicit, 1 LOCAL_SIZE,
                               ///< 2 GROUP_COUNT, 3 LOCAL_ID, 16 PSEUDO_INPUT)
  std::uint32_t id = 0;
  std::uint32_t offset = 0, size = 0;  ///< bytes
  Position position;
  [[nodiscard]] InputKind kind() const { return static_cast<InputKind>(kind_bits & 3u); }
  [[nodiscard]] unsigned implicit() const { return kind_bits >> 3; }
};

/// Execution control byte: size code 2:0 (1 << code), reserved bit 3, mask 7:4 (M1..M8, then the same with NoMask).
struct Exec {
  std::uint8_t bits = 0;
  [[nodiscard]] unsigned size() const { return 1u << (bits & 7u); }  ///< codes 6, 7 are reported by the readers
  [[nodiscard]] unsigned mask_offset() const { return 4u * (bits >> 4 & 7u); }  ///< first channel: 0, 4, ... 28
  [[nodiscard]] bool no_mask() const { return (bits & 0x80u) != 0; }
  static Exec make(unsigned size, unsigned offset = 0, bool no_mask = false) {
    unsigned code = 0;
    while (code < 5 && (1u << code) < size) ++code;
    return {static_cast<std::uint8_t>(code | (offset / 4 & 7u) << 4 | (no_mask ? 0x80u : 0u))};
  }
  bool operator==(const Exec&) const = default;
};

/// Predicate word: id 11:0 (0 = none), 12 reserved, 14:13 combine (0 none, 1 any, 2 all), 15 inverse.
struct PredicateUse {
  std::uint16_t bits = 0;
  [[nodiscard]] bool present() const { return id() != 0; }
  [[nodiscard]] unsigned id() const { return bits & 0xfffu; }
  [[nodiscard]] unsigned combine() const { return bits >> 13 & 3u; }
  [[nodiscard]] bool inverse() const { return (bits & 0x8000u) != 0; }
  bool operator==(const PredicateUse&) const = default;
};

struct Instruction {
  const InstructionDescription* description = nullptr;  ///< never null in a finished program
  Exec exec;                                            ///< meaningful when the row has an execution size
  PredicateUse predicate;
  std::uint32_t first_operand = 0;  ///< into Object::operands
  std::uint16_t operand_count = 0;  ///< slots of the row (fixed positions), then repeated ones
  std::uint16_t length = 0;         ///< text: characters of the statement; binary: bytes (saturating)
  Position position;
};

enum class ObjectKind : std::uint8_t { Kernel, Function };

struct GenBinary {  ///< kept only on request
  std::uint8_t platform = 0;
  std::vector<std::uint8_t> bytes;
};

/// A kernel, or a function with its own name space.
struct Object {
  ObjectKind kind = ObjectKind::Kernel;
  std::string name;
  std::uint8_t linkage = 0;
  Position position;
  std::vector<GeneralVariable> variables;  ///< index n of the program is variables[n - 32]
  std::vector<PlainVariable> addresses;    ///< A0 ...
  std::vector<PlainVariable> predicates;   ///< index n is predicates[n - 1]; 0 = "no predicate"
  std::vector<Label> labels;
  std::vector<PlainVariable> samplers;  ///< S0 ...; 31 = the bindless sampler
  std::vector<PlainVariable> surfaces;  ///< index n is surfaces[n - 6]
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;
  std::vector<std::string> strings;  ///< file names, function names: what String operands point to
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::uint8_t input_size = 0, return_size = 0;  ///< function objects
  std::vector<GenBinary> gen_binaries;

  [[nodiscard]] std::span<const Operand> operands_of(const Instruction& i) const {
    return {operands.data() + i.first_operand, i.operand_count};
  }
  [[nodiscard]] std::span<Operand> operands_of(const Instruction& i) {
    return {operands.data() + i.first_operand, i.operand_count};
  }
  [[nodiscard]] const Attribute* attribute(std::string_view attribute_name) const;
  /// Integer attribute (little-endian bytes), or nullopt.
  [[nodiscard]] std::optional<std::int64_t> integer_attribute(std::string_view attribute_name) const;
};

enum class Dialect : std::uint8_t {
  Igc12504,
  Newer
};  ///< Newer: the paired-surface operand and its relatives (TXT-31, ENC-9)

struct Program {
  std::uint8_t major = 4, minor = 1;
  std::vector<Object> objects;  ///< kernels first, then functions
  Dialect dialect = Dialect::Igc12504;
  std::string file;                           ///< name for diagnostics
  std::shared_ptr<const std::string> source;  ///< the text, when read from text
  /// Whose lines reports name: the program's own, or those that it was made from (FILE and LOC) as nobody wrote it. A
  /// program that is only in memory is not mentioned at all where its sources are known.
  enum class Written : std::uint8_t { ByHand, Compiled, InMemory } written = Written::ByHand;
};

// --- predefined variables and surfaces (ENC-8) ---
inline constexpr std::uint32_t kFirstVariable = 32;
inline constexpr std::uint32_t kPredefinedVariables = 21;
inline constexpr std::uint32_t kFirstSurface = 6;
inline constexpr std::uint32_t kBindlessSampler = 31;

struct Predefined {
  std::string_view name;  ///< with %
  Type type;
  std::uint32_t elements;     ///< with 32-byte GRF
  std::uint32_t elements_64;  ///< with 64-byte GRF
  bool read_only;
};
[[nodiscard]] std::span<const Predefined> predefined_variables();
[[nodiscard]] std::span<const std::string_view> predefined_surfaces();  ///< %slm T1 T2 TSS %bss %scratch

/// Type, size and root of a variable index, aliases followed. Nothing for an index that does not exist or an alias
/// cycle.
struct VariableInfo {
  Type type;
  std::uint32_t elements;
  std::uint32_t bytes;        ///< elements * element size
  std::uint32_t root;         ///< index of the variable that owns the storage
  std::uint32_t root_offset;  ///< bytes from the root's start
  std::uint32_t root_bytes;   ///< size of the root
  std::string_view name;
};
[[nodiscard]] std::optional<VariableInfo> variable_info(const Object& object, std::uint32_t index, unsigned grf_bytes);
[[nodiscard]] bool variable_exists(const Object& object, std::uint32_t index);
/// Declared type of a variable that exists.
[[nodiscard]] Type variable_type(const Object& object, std::uint32_t index);

/// The place of an instruction or of one of its operands, for diagnostics.
[[nodiscard]] base::Place place_of(const Program& program, const Object& object, const Instruction& instruction);
[[nodiscard]] base::Place place_of(const Program& program, const Object& object, const Instruction& instruction,
                                   const Operand& operand);
[[nodiscard]] base::Place place_of(const Program& program, const Position& position, std::uint32_t length = 0);

}  // namespace heddle::isa
