// SPDX-License-Identifier: MIT
#pragma once
// What an instruction description is. Every vISA instruction is one `InstructionEntry` in its family
// (instructions/<family>/description.cpp): a layout string (the bytes) and a text template. An InstructionEntry is
// parsed once, when it is first needed, into a `InstructionDescription`; the text parser and printer, the binary reader
// and writer, the checks and the reference pages are interpreters of it and know no opcode.
//
// clang-format off
// LAYOUT: tokens separated by spaces, in binary order after the opcode byte.
//   E, P               exec byte, predicate word
//   Eg                 exec as the byte of gather/scatter: 3:0 0 = 8, 1 = 16, 2 = 1 channels, 7:4 mask
//   ub=0a  uw=0        a constant (hex)
//   #                  count byte of the repeated slot
//   ub(7-0=08,8:flag)  packed bits: constants and integer slots (M: the channel mask); uncovered bits are reserved
//   op(...)            as uw(...), but one byte before container version 4.0 (sampler sub-op)
//   NAME:KIND...       an operand slot; the name may be left out for D s T S M L
// Kinds of slots:
//   ub uw ud d         integers (d signed)           M             channel mask byte
//   T, S               surface, sampler              n2 n4         string index of 2 or 4 bytes
//   L U F              label: block, subroutine, fccall
//   gv av pv           4-byte id of a general, address, predicate variable
//   R W X              raw operand: read, written, both
//   D s v              vector operand: destination, source, scalar source
//   A p                vector operand: address destination, predicate destination
// Attributes of a slot, any order:
//   /t,t@PLATFORM      types (`i` = b ub w uw d ud, `q` = q uq); @PLATFORM: from that platform on
//   +letters -letters  further vector classes, or fewer: a address, p predicate, t state, i immediate, g general,
//                      r indirect, o address-of in text only, O address-of in text and binary
//   *EXTENT            elements that the operand covers: *any *n *exec *exec.SLOT *grf.SLOT *owords.SLOT *count.SLOT
//   ?SLOT.n            present only when bit n of an integer slot is set
//   &hex               valid bits of an integer; the others are reserved
//   {codes}            its values have names: a CodeTable of codes.cpp
//   ~n  ~=SLOT         value when the text has none: n, or the same as another slot
//   ^                  %null is allowed
//   ...                repeated: the last slot, counted by #
//   @newer             only in the newer dialect (TXT-31, ENC-9): in text read there only, printed when not Absent;
//                      stands before any /types
//   @3.6  %SLOT@3.6    only from that container version on; %SLOT: before it, the low four bits of that immediate
//
// TEXT: what follows the mnemonic. "" = the default: `{.sat}` if the entry saturates, ` {E}`, every slot in layout order.
//   {.NAME}            suffix of the mnemonic: code name, number, or channel mask
//   {.NAME?}           may be left out; not printed when it has its default (in a run of them, only from the back)
//   {.sat}             saturation of dst; an entry that has a destination takes it, whatever its template says
//   {.NAME:x}          .xHH
//   {.NAME:flag=WORD}  .WORD when the integer is not 0
//   {.NAME:rt}         .<A><B>, flags by code bit
//   {.NAME:letters}    letters by code bit ("EISCR", "L1")
//   {.NAME:channel}    one of R G B A by index
//   .word              a literal suffix (also inside the mnemonic itself: "sbarrier.signal")
//   {E}  {NAME}        operand, printed by its kind; {NAME:style}: see TextKind
//   {NAME?}            at the end of the line: may be left out; not printed when it has its default
//   ( ) , /            punctuation
//   [ ... ]            may be left out on input (slots take their defaults), always printed
// A predicate stands in front whenever the layout has P.
// clang-format on

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/operand.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"
#include "isa/traits.hpp"
#include "isa/types.hpp"

namespace heddle::isa {

/// Names of the codes of an integer field. Codes 1, 2, 4 ... are bits when the table is used as flags or letters.
struct Code {
  std::string_view name;
  std::uint32_t code;
  bool alias = false;  ///< read, never printed
};
struct CodeTable {
  std::string_view name;
  std::span<const Code> codes;
  std::string_view rule = "visa-bin-subop";                          ///< id of the message about an unknown code
  bool by_number = false;                                            ///< the text may give the code itself
  [[nodiscard]] const Code* find(std::string_view code_name) const;  ///< exact
  [[nodiscard]] const Code* find(std::uint64_t code) const;          ///< the printed name
};
/// All tables that layouts may name.
[[nodiscard]] std::span<const CodeTable> code_tables();
[[nodiscard]] const CodeTable* find_code_table(std::string_view name);

enum class SlotKind : std::uint8_t { Integer, ChannelMask, Surface, Sampler, Raw, Vector, Label, String, Variable };
enum class Access : std::uint8_t { None, Read, Write, ReadWrite };

/// Operand kinds that a slot accepts.
class KindSet {
 public:
  constexpr KindSet() = default;
  constexpr KindSet(std::initializer_list<OperandKind> kinds) {
    for (const OperandKind k : kinds) add(k);
  }
  constexpr void add(OperandKind k) { bits_ = static_cast<std::uint16_t>(bits_ | 1u << static_cast<unsigned>(k)); }
  constexpr void remove(OperandKind k) {
    bits_ = static_cast<std::uint16_t>(bits_ & ~(1u << static_cast<unsigned>(k)));
  }
  [[nodiscard]] constexpr bool has(OperandKind k) const { return (bits_ >> static_cast<unsigned>(k) & 1u) != 0; }

 private:
  std::uint16_t bits_ = 0;
};

/// How many elements of its type an operand covers. A raw operand's type is its variable's type.
struct Extent {
  enum class Kind : std::uint8_t {
    Any,        ///< not known from the description: the family's check knows
    Fixed,      ///< `count` elements
    Exec,       ///< exec size elements (vectors: one for each channel)
    ExecMask,   ///< for each channel of the mask in slot `slot`: exec size elements, each group from the next register
                ///< on
    ExecCount,  ///< for each of (value of slot `slot`, code names as numbers): exec size elements, each group from the
                ///< next register on
    Registers,  ///< as many GRF as the integer in slot `slot` says
    Owords,     ///< 16-byte units: the number named by the code in slot `slot`
    Count,      ///< as many elements as the number named by the code in slot `slot`
  };
  Kind kind = Kind::Any;
  std::uint8_t slot = 0;
  std::uint16_t count = 0;
};

/// Types that a slot takes, by platform.
struct TypesOn {
  TypeSet types;
  PlatformSet platforms = PlatformSet::all();
};

struct Condition {  ///< a slot that is present only when bit `bit` of integer slot `slot` is set
  std::int8_t slot = -1;
  std::uint8_t bit = 0;
};

/// One operand of an instruction: operands_of(instruction)[i] belongs to its slots[i]. Exec size and predicate are
/// not slots (Instruction::exec, predicate). A conditional slot that is not there holds OperandKind::Absent. The last
/// slot may be repeated: its operands are operand i, i + 1, ... (none when there are none).
struct Slot {
  std::string_view name;
  SlotKind kind = SlotKind::Integer;
  Access access = Access::Read;
  KindSet kinds;        ///< operand kinds allowed here (Absent not counted)
  bool scalar = false;  ///< vector that is one element
  bool null_allowed = false;
  bool repeated = false;
  bool decodes_address_of = false;  ///< a general operand with region 21 01 in a binary means address-of (addr_add)
  bool newer_only = false;          ///< encoded in the newer dialect only; elsewhere Absent
  std::uint8_t bits = 8;            ///< Integer: width of the encoded field in bits
  bool is_signed = false;           ///< Integer: value is sign-extended to 64 bits
  std::string_view old_source;     ///< before the container version that has it: low four bits of this slot's immediate
  std::int8_t copy_of = -1;        ///< value when the text has none: that slot's operand ...
  std::int64_t default_value = 0;  ///< ... else this (Integer); Raw: null; Vector: ud immediate of this value
  std::uint64_t valid_bits = ~std::uint64_t{0};
  const CodeTable* codes = nullptr;
  Condition condition;
  Extent extent;
  std::vector<TypesOn> types;               ///< empty: any type
  LabelKind label_kind = LabelKind::Block;  ///< Label

  [[nodiscard]] TypeSet types_on(Platform platform) const;  ///< empty when nothing is said
  [[nodiscard]] TypeSet all_types() const;
  /// Takes .sat: the destination of a vector operation.
  [[nodiscard]] bool is_saturable() const {
    return kind == SlotKind::Vector && access == Access::Write && kinds.has(OperandKind::General);
  }
};

// --- binary ---
enum class FieldKind : std::uint8_t { Exec, ExecGather, Predicate, Bits, Operand, Count };
struct BitPart {
  std::uint8_t shift = 0, width = 0;
  std::int16_t slot = -1;  ///< -1: the constant `value`
  std::uint32_t value = 0;
};
/// One item of the encoding. Bits: a little-endian integer of `bytes` bytes made of parts (also each plain integer
/// slot).
struct Field {
  FieldKind kind = FieldKind::Bits;
  std::uint8_t bytes = 1;  ///< Bits; Operand: id width of Surface, Sampler, Label, String, Variable
  std::int16_t slot = -1;  ///< Operand; Bits with one slot over the full width
  std::uint16_t first_part = 0, part_count = 0;  ///< Bits: into InstructionDescription::parts
  bool newer_only = false;
  bool sampler_op = false;       ///< one byte before 4.0: bits 4:0 op, 7:5 become 10:8
  std::uint8_t since_minor = 0;  ///< from container version 3.n on
};

// --- text ---
enum class TextKind : std::uint8_t {
  Literal,        ///< `word` follows the mnemonic (".signal") or is punctuation ("(", ",", ")", "/")
  Exec,           ///< {E}
  Saturation,     ///< {.sat}
  Suffix,         ///< {.NAME}: "." and the code name, the decimal number, or the channel mask
  SuffixHex,      ///< {.NAME:x}: ".x" and two hex digits
  SuffixFlag,     ///< {.NAME:flag=WORD}: ".WORD" when the integer is not 0
  SuffixFlags,    ///< {.NAME:rt}: "." and "<F>" for each set bit that codes names
  SuffixLetters,  ///< {.NAME:letters}: "." and the names of all set bits
  SuffixCache,    ///< {.NAME:cache}: nothing, ".L1.L3" or ".L1.L2.L3".       parts: l1, l2, l3
  SuffixChannel,  ///< {.NAME:channel}: "." and R, G, B or A for 0 to 3
  Operand,     ///< {NAME}: by the slot's kind. Integer: its code name as a word, or a decimal number; repeated: all of
               ///< them, by spaces
  Hex,         ///< {NAME:hex}: integer as 0x...
  Hex64,       ///< {NAME:hex64}: one number in 0x..., low half in parts[0], high half in parts[1]
  LabelList,   ///< {NAME:list}: "(L0, L1, ...)"
  Name,        ///< {NAME:name}: a string operand as an identifier (a string on input too)
  Origin,      ///< {NAME:origin}: general variable as V(r,c) without region (encoded <1;1,0>; dpas)
  LscData,     ///< {NAME:data}: raw and shape V:dN[xK][t].               parts: data, data_size, order, elems, chmask
  LscQuad,     ///< {NAME:quad}: raw and shape V:dN.xyzw.                 parts: data, data_size, elems, chmask
  LscBlock,    ///< {NAME:block}: V:dN.[Bx]WxH[n|t][n|t].                 parts: data, data_size, blocks, width, height,
               ///< order, vnni
  LscAddress,  ///< {NAME:addr}: [MODEL][scale*V+imm]:aN.                 parts: base, addr_type, scale, imm_offset,
               ///< addr_size, surface, surface_index
  LscStrided,  ///< {NAME:strided}: [MODEL][V+off,pitch]:aN.              parts: as LscAddress, then pitch
  LscTyped,    ///< {NAME:typed}: MODEL[U,V,R,LOD]:aN.                    parts: u, addr_type, addr_size, surface, v, r,
               ///< lod, surface_index, u_offset, v_offset, r_offset
  LscSurface,  ///< {NAME:model}: MODEL(X) alone (lsc_read_state_info).   parts: surface, addr_type, surface_index
  LscBlockAddress,  ///< {NAME:block_addr}: flat[base,w,h,pitch,x,y].      parts: base, surf_width, surf_height,
                    ///< surf_pitch, x, y, x_offset, y_offset (with these: x+n,y+n)
  LscBlockPayload,  ///< {NAME:block_payload}: flat[V(r,c)+(x,y)].         parts: payload, x_offset, y_offset
  LscRows,          ///< {NAME:rows}: V:WxH.                               parts: data, width, height
  LscRowsAddress,   ///< {NAME:rows_addr}: MODEL[x,y].                     parts: x, y, addr_type, surface,
                    ///< surface_index, x_offset, y_offset (with these: x+n,y+n)
};
struct TextElement {
  TextKind kind = TextKind::Literal;
  bool suffix = false;        ///< belongs to the mnemonic (before the first blank)
  bool optional = false;      ///< inside [ ] or with `?`
  bool omit_default = false;  ///< `?`: not printed when it has its default
  std::uint8_t group = 0;     ///< elements of one [ ] have the same number; 0 = none
  std::int16_t slot = -1;
  std::string_view word;  ///< Literal, SuffixFlag
  std::array<std::int8_t, 11> parts = {-1, -1, -1, -1, -1, -1,
                                       -1, -1, -1, -1, -1};  ///< slots of a composite element; -1: there is none
};

/// One line of a family's table. All strings live as long as the program.
struct InstructionEntry {
  std::uint8_t opcode;
  std::string_view mnemonic;  ///< as printed; may contain literal suffixes
  std::string_view layout;
  std::string_view text;    ///< "" = default
  std::string_view types;   ///< of vector slots that name none
  std::string_view traits;  ///< words of traits.hpp
  /// "" all; else words joined by "|": SKL+ (from), <XE2 (before), SKL-ICLLP (range), PVC (one), !PVC (not)
  std::string_view platforms;
  std::string_view page;             ///< Intel's page, documentation/visa/instructions/
  std::string_view summary;          ///< one line
  std::string_view parameters = {};  ///< names of the repeated operands, by position: "u v r ai"
  std::string_view dialect = {};     ///< "" both, "12504", "newer": forms that differ altogether
  std::string_view refused = {};     ///< why no engine executes it, where none does
  std::int16_t operation = -1;       ///< sampler messages: the texture unit's operation, as a number
};

struct Family {
  std::string_view name;
  std::string_view title;
  std::span<const InstructionEntry> entries;
  std::string_view traits = {};   ///< of each of its entries
  std::string_view refused = {};  ///< of each entry that says nothing else
};

/// A parsed entry. Lives in a Registry; its address is stable.
struct InstructionDescription {
  std::uint16_t index = 0;  ///< position in Registry::forms(), for tables beside it
  std::uint8_t opcode = 0;
  std::int32_t selector = -1;  ///< constant that tells forms of one opcode apart; -1: the opcode has one form
  std::string_view mnemonic;   ///< with literal suffixes: "sbarrier.signal"
  std::string_view word;       ///< up to the first dot: what the parser looks up
  std::string_view family, page, summary, refused;
  std::int16_t operation = -1;  ///< InstructionEntry::operation
  std::vector<Slot> slots;
  std::vector<Field> fields;
  std::vector<BitPart> parts;
  std::vector<TextElement> text;
  std::uint64_t shown = 0;                   ///< slots that the text shows, a bit for each
  std::vector<std::string_view> parameters;  ///< names of the repeated operands
  Traits traits;
  PlatformSet platforms = PlatformSet::all();
  bool has_exec = false, has_predicate = false, text_has_exec = false;
  bool predicate_newer_only = false;  ///< the predicate is encoded in the newer dialect only (dpas)
  bool in_12504 = true, in_newer = true;
  bool sampler_op = false;  ///< has the version-dependent sampler sub-op
  const InstructionDescription* fc_call_description =
      nullptr;                  ///< call: the form when the label is of kind FcCall (set for who asks by opcode)
  std::int8_t count_slot = -1;  ///< the repeated slot, or -1
  std::string layout_text, template_text;  ///< as written, for the reference

  [[nodiscard]] int slot_index(std::string_view name) const;  ///< -1: none
  [[nodiscard]] const Slot* slot(std::string_view name) const;
  /// The slot of operand number i (repeated ones included), or nullptr.
  [[nodiscard]] const Slot* slot_of(std::size_t operand) const {
    if (operand < slots.size()) return &slots[operand];
    return !slots.empty() && slots.back().repeated ? &slots.back() : nullptr;
  }
  /// Whether an operand is what the slot has when the text has none.
  [[nodiscard]] bool has_default(std::size_t slot, std::span<const Operand> operands) const;
  [[nodiscard]] std::size_t fixed_slots() const {
    return slots.size() - (!slots.empty() && slots.back().repeated ? 1u : 0u);
  }
};

/// The operand of a named slot, or nullptr when the form has no such slot or the instruction no such operand.
[[nodiscard]] const Operand* operand_named(const Object& object, const Instruction& instruction, std::string_view slot);
/// A message that ends the thread (raw_sends with its end-of-thread flag).
[[nodiscard]] bool ends_thread(const Object& object, const Instruction& instruction);

/// All forms of a set of families. A program uses few of them, so an entry is parsed when its word or its opcode is
/// first asked for; to those who ask, nothing ever changes. May be used by several threads.
class Registry {
 public:
  explicit Registry(std::span<const Family> families);
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  [[nodiscard]] std::span<const InstructionDescription> descriptions() const {
    parse_all();
    return descriptions_;
  }
  [[nodiscard]] std::size_t size() const { return descriptions_.size(); }
  [[nodiscard]] std::span<const Family> families() const { return families_; }
  /// Rows that do not parse, and forms that decode the same bytes (tests require it empty).
  [[nodiscard]] const std::vector<std::string>& errors() const {
    parse_all();
    return errors_;
  }

  /// Those whose `word` is this (lower case, exact); a parser chooses among them by suffixes, operand kinds and
  /// platform.
  [[nodiscard]] std::span<const InstructionDescription* const> find(std::string_view word) const;
  /// The same of words()[number].
  [[nodiscard]] std::span<const InstructionDescription* const> find_at(std::size_t number) const;
  /// Exactly this mnemonic ("sbarrier.signal", "sample4_po"); with a platform the one whose platform trait fits.
  /// nullptr: none.
  [[nodiscard]] const InstructionDescription* find_mnemonic(std::string_view mnemonic,
                                                            std::optional<Platform> platform = std::nullopt) const;
  /// All distinct words, sorted.
  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }

  /// InstructionDescription::index of a family's entries; of those with this mnemonic unless it is empty. Parses
  /// nothing.
  [[nodiscard]] std::vector<std::uint16_t> numbers_of(std::string_view family, std::string_view mnemonic = {}) const;

  /// How the forms of one opcode are told apart: `mask` over a 1- or 2-byte little-endian integer `offset` bytes after
  /// the opcode.
  struct OpcodeEntry {
    std::uint8_t offset = 0, bytes = 0;  ///< bytes 0: one form
    std::uint16_t mask = 0;
    bool sampler_op = false;
    const InstructionDescription* only = nullptr;  ///< bytes == 0
    std::array<const InstructionDescription*, 256>* by_code = nullptr;
    [[nodiscard]] bool used() const { return only != nullptr || by_code != nullptr; }
  };
  [[nodiscard]] const OpcodeEntry& opcode(std::uint8_t op, Dialect dialect) const {
    parse_opcode(op);
    return (dialect == Dialect::Newer ? newer_ : igc_)[op];
  }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  void parse_opcode(std::uint8_t op) const {
    if (!ready_[op].load(std::memory_order_acquire)) parse_opcode_now(op);
  }
  void parse_opcode_now(std::uint8_t op) const;
  void parse_all() const;
  void parse_description(InstructionDescription& description) const;
  void index_opcode(std::uint8_t op, bool newer) const;
  [[nodiscard]] std::size_t number_of(std::string_view word) const;

  std::vector<Family> families_;
  std::vector<const InstructionEntry*> entries_;  ///< of each form
  std::vector<std::uint16_t> family_of_;          ///< of each form
  std::vector<std::uint16_t> next_;               ///< the next form of the same opcode
  std::array<std::uint16_t, 256> first_;          ///< of each opcode
  std::vector<std::string_view> words_;
  std::vector<const InstructionDescription*> by_word_;  ///< sorted by word
  std::vector<std::uint16_t> word_at_;                  ///< first of each word in by_word_, and the end
  std::unique_ptr<std::atomic<bool>[]> word_ready_;
  mutable std::vector<InstructionDescription> descriptions_;
  mutable std::mutex mutex_;  ///< of what follows, and of forms until they are parsed
  mutable std::vector<bool> parsed_;
  mutable std::array<std::atomic<bool>, 256> ready_{};
  mutable std::vector<std::string> errors_;
  mutable std::array<OpcodeEntry, 256> igc_, newer_;
  mutable std::vector<std::unique_ptr<std::array<const InstructionDescription*, 256>>> tables_;
};

/// A function for a mnemonic, or, with the family's name as the key, for each of its entries that no mnemonic names.
template <typename Fn>
struct Hook {
  std::string_view key;
  Fn function;
};
template <typename Fn>
struct FamilyHooks {
  std::string_view family;
  std::span<const Hook<Fn>> hooks;
};

/// What the hooks of all families say about each entry: the checks, the reference functions, the emitters.
template <typename Fn>
class HookTable {
 public:
  HookTable(const Registry& registry, std::span<const FamilyHooks<Fn>> families) : table_(registry.size()) {
    for (const FamilyHooks<Fn>& family : families)
      for (const bool whole_family : {true, false})
        for (const Hook<Fn>& hook : family.hooks) {
          if ((hook.key == family.family) != whole_family) continue;
          const auto entries = registry.numbers_of(family.family, whole_family ? std::string_view() : hook.key);
          if (entries.empty()) unknown_.push_back(hook.key);
          for (const std::uint16_t entry : entries) table_[entry] = hook.function;
        }
  }
  [[nodiscard]] Fn operator[](const InstructionDescription& description) const { return table_[description.index]; }
  /// Keys that name no entry (tests require it empty).
  [[nodiscard]] const std::vector<std::string_view>& unknown() const { return unknown_; }

 private:
  std::vector<Fn> table_;
  std::vector<std::string_view> unknown_;
};

}  // namespace heddle::isa
