// SPDX-License-Identifier: MIT
#pragma once
// What is true of an instruction beyond its operands: the words of InstructionEntry::traits and Family::traits (which
// hold for each entry of the family). Parsed once (traits.cpp); whoever wants to know what an instruction is asks these
// members, never its name.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace heddle::isa {

enum class Modifiers : std::uint8_t { None, Arithmetic, Logic };
enum class Saturate : std::uint8_t { No, Float, Yes };

/// What an instruction does to the order of execution.
enum class FlowKind : std::uint8_t {
  None,            ///< the next instruction follows
  Label,           ///< a block label
  Subroutine,      ///< starts a subroutine
  Jump,            ///< jmp: all channels together
  Goto,            ///< goto: channel by channel
  Switch,          ///< switchjmp
  Call,            ///< call of a subroutine of this object (fccall: of another object, by label)
  Return,          ///< ret
  FunctionCall,    ///< fcall, ifcall: another object
  FunctionReturn,  ///< fret
  Barrier,         ///< all threads of the group meet
  Remark,          ///< lines of debug information and lifetimes: nothing is executed
};

/// What a thread does at a barrier.
enum class BarrierKind : std::uint8_t {
  None,
  Group,        ///< arrives at the group's own barrier and waits for the others
  Signal,       ///< arrives at it and goes on
  Wait,         ///< waits at it
  NamedSignal,  ///< the same at a barrier with a number
  NamedWait,
};

/// What a fence orders, beside what is private to the thread.
enum class FenceKind : std::uint8_t {
  None,
  Shared,   ///< shared local memory alone
  Buffers,  ///< buffers and images, too
  Named,    ///< what its slot `sfid` says
};

/// Operations that analyses of values know.
enum class ValueOperation : std::uint8_t { Other, Move, And, Or, Xor, AddressSum, StateMove };

/// How the types of an ALU instruction's operands go together (visa-type-mix, visa-bf-op).
enum class TypeMix : std::uint8_t {
  Uniform,          ///< sources and destination: all integers or all floats
  ConvertedResult,  ///< the sources; the result is converted like that of a mov
  Comparison,       ///< the sources; the result is a mask or a predicate
  Free,             ///< its purpose is to change the type; the family's check says between which types
};

/// Signedness that integer operands should have (visa-type-sign).
enum class Signs : std::uint8_t { Any, Same, Unsigned, Signed };

enum class Lifetime : std::uint8_t { None, Start, End };

/// The rule that an operand of a wrong type breaks, where it is not visa-type.
struct TypeRule {
  std::string_view slot;  ///< empty: every slot that has no rule of its own
  std::string_view id;
  base::Severity severity = base::Severity::Error;
};

struct Traits {
  // Operands
  Saturate saturate = Saturate::No;       ///< "sat" | "satf": .sat allowed | only with a floating dst
  Modifiers modifiers = Modifiers::None;  ///< "mod": (-) (abs);  "not": (~)
  std::uint64_t exec_sizes = 0x3f;        ///< "exec=1,8,16": the sizes or-ed together (0x3f = 1 to 32)
  std::uint8_t fixed_exec = 0;            ///< "execbyte=80": exec byte when the text has none
  std::uint8_t min_params = 0;            ///< "params=1-4" of the repeated slot
  std::uint8_t max_params = 255;          ///<
  bool alu = false;                       ///< "alu": region span over two registers is only a warning
  bool predicate_copy = false;            ///< "predcopy": with a predicate source it is written with exec 80 (M1_NM, 1)
  bool predicate_written = false;         ///< "predout": the predicate receives a result (add3.o)
  bool accepts_predicate = false;         ///< "predtext": a predicate in text is read and dropped (min, max)
  TypeMix type_mix = TypeMix::Uniform;    ///< "types=converted" | "types=compared" | "types=free"
  Signs signs = Signs::Any;               ///< "signs=same" | "signs=unsigned" | "signs=signed"
  std::vector<TypeRule> type_rules;       ///< "typerule=ID", "typerule=SLOT:ID"; "typewarning=...": a warning

  // Which tools and platforms have it
  bool unverified = false;     ///< "unverified": newer tools only, visa-op-unverified
  bool unimplemented = false;  ///< "unimplemented": no public tool, visa-op-unimplemented
  bool extension = false;      ///< "extension": Heddle's own, visa-heddle-extension
  bool soft_platform = false;  ///< "soft": outside `platforms` the family's own check warns; no visa-platform error
  bool before_xe2 = false;     ///< "<xe2": of two forms with one mnemonic, what text means before XE2
  bool from_xe2 = false;       ///< ">=xe2": ... and from XE2 on
  bool since41 = false;        ///< "since41": another layout before container version 4.1
  bool decode_only = false;    ///< "decode": another code of the same instruction, never chosen for text
  std::string_view op_rule;    ///< "oprule=ID": id of the message about an unknown sub-op; none: visa-bin-subop
  std::int16_t document_code = -1;  ///< "doc=0f": selector under --dialect document-codes

  // What it does
  /// "flow=label", subroutine, jump, goto, switch, call, return, functioncall, functionreturn, remark
  FlowKind flow = FlowKind::None;
  /// "barrier=group", signal, wait, namedsignal, namedwait; `flow` is then Barrier
  BarrierKind barrier = BarrierKind::None;
  FenceKind fence = FenceKind::None;  ///< "fence=shared" | "fence=buffers" | "fence=named"
  /// "operation=move", and, or, xor, addresssum, statemove
  ValueOperation operation = ValueOperation::Other;
  Lifetime lifetime = Lifetime::None;  ///< "lifetime=start" | "lifetime=end" of a variable
  bool ends_thread = false;            ///< "eot"
  bool target_write = false;           ///< "targetwrite": writes pixels of a render target
  bool lane_wise = false;              ///< "lanewise": no lane's result depends on another lane
  bool private_effects = false;        ///< "private": changes nothing outside its thread but the thread's own pixels
  bool only_reads = false;             ///< "reads": of what is outside its thread it reads memory, and changes nothing
  bool any_memory = false;             ///< "anymemory": may reach shared local memory whatever its operands name
  bool typed_surface = false;          ///< "typed": a message to texels with coordinates, not through the sampler
};

}  // namespace heddle::isa
