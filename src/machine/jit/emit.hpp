// SPDX-License-Identifier: MIT
#pragma once
// One instruction in the making: what a family's emitter sees. The counterpart of ExecutionContext for compiled code,
// with the same meaning of operands, masks and modes. Functions that give no value or false meet something that is not
// compiled; the emitter then gives up and the reference engine's function is called for this instruction.

#include <functional>
#include <optional>
#include <vector>

#include "machine/jit/builder.hpp"
#include "machine/jit/context.hpp"
#include "machine/jit/prepared_message.hpp"
#include "machine/jit/recorder.hpp"
#include "machine/thread.hpp"

namespace heddle::machine::jit {

/// What is known at an instruction whatever path led to it.
struct KnownValues {
  std::optional<std::uint32_t> control;                     ///< %cr0
  std::vector<std::optional<std::uint32_t>> states;         ///< by Registers::surface_at, sampler_at
  std::vector<std::optional<std::uint32_t>> address_roots;  ///< by address element: the variable it points into
  /// The same where only lanes that ran have written it: to be compared before use. kNoRoot: nothing yet.
  std::vector<std::uint32_t> address_hints;
  static constexpr std::uint32_t kSeveral = 0xfffffffeu;  ///< hint: more than one variable
  /// Keeps what holds on both paths; true when something was lost.
  bool meet(const KnownValues& other);
  bool operator==(const KnownValues&) const = default;
};

/// Where a variable that owns storage lives while the function runs.
struct VariableStorage {
  std::uint32_t begin = 0, end = 0;  ///< in the register file
  bool used = false;
  bool local = false;  ///< no address reaches it; it has storage of the function, but in KernelVariant::in_memory
  Element natural = Element::I32;
  Value pointer;           ///< of the byte at `base`
  std::uint32_t base = 0;  ///< position that `pointer` stands for
};

/// A set of lanes that the function keeps. Its values are masks of `lanes` lanes, or bits of an I32 where `lanes` is 0.
struct LaneSet {
  Value storage;
  unsigned lanes = 0;

  static LaneSet make(Builder& b, unsigned lanes, std::string_view name);
  [[nodiscard]] Value load(Builder& b) const;
  void store(Builder& b, Value value) const;
  [[nodiscard]] Value constant(Builder& b, std::uint32_t bits) const;
  [[nodiscard]] Value bits(Builder& b, Value value) const;      ///< a value as I32
  [[nodiscard]] Value from_bits(Builder& b, Value word) const;  ///< an I32 as a value
  [[nodiscard]] Value any(Builder& b, Value value) const;       ///< Bool: any lane is in it
};

/// One function in the making: where everything lives.
struct FunctionState {
  const Code* code = nullptr;
  const PreparedObject* object = nullptr;
  const StateIndex* states = nullptr;
  unsigned simd = 32;
  std::vector<VariableStorage> variables;  ///< sorted by begin
  std::vector<LaneSet> predicates;         ///< by id
  const MessageUse* message = nullptr;     ///< of the instruction that is emitted; null: it has none
  Value message_call;                      ///< of a message by handle: its MessageCall
  Value apart;                             ///< of one that is shared: SharedCall::apart of its lanes (I32)
  /// Of a message whose lanes read from buffers that each chose by a handle: I64 addresses of their bytes, which are
  /// there, and I32 sizes.
  struct Chosen {
    Value data, size;
  } chosen;
  LaneSet active;
  Value steps;  ///< storage
  /// Bytes of the payload that each thread has of its own; 0: all of it. Then storage of the running thread's number
  /// and its group's in x.
  std::uint32_t own_bytes = 0;
  Value thread, group;
  /// What is bound to binding-table indices that memory messages name: loaded once, at the head of the function.
  struct Bound {
    std::uint32_t index = 0;
    Value data, size;
  };
  std::vector<Bound> bound;
  std::uint32_t flat_messages = 0;  ///< of 64-bit addresses, so far
  /// What the instruction writes is not read where lanes wait: old values of lanes that don't run need not be kept.
  bool unmasked_writes = false;
  Recorder* recorder = nullptr;  ///< takes what instructions touch
  // Arguments of the function.
  Value context, registers, addresses, state_registers, predicate_file;
  /// Pixel threads side by side, covered everywhere: M1.2 to M1.5 of each half. Null: they are in the payload.
  std::array<Value, 2> places;
  std::uint16_t coverage = 0;  ///< with `places`: of each pixel
  /// Emits a call of the instruction's reference function on the registers, where the code now stands.
  std::function<void()> call_reference;
  [[nodiscard]] VariableStorage* storage(std::uint32_t position);
};

class CodegenContext : public Operands {
 public:
  CodegenContext(Builder& builder, FunctionState& function, const KnownValues& known, const Decoded& instruction);

  [[nodiscard]] Builder& b() { return b_; }
  [[nodiscard]] FunctionState& function() { return function_; }
  [[nodiscard]] const KnownValues& known() const { return known_; }
  [[nodiscard]] unsigned grf_bytes() const { return function_.code->grf_bytes; }
  /// Modes that are known and plain enough for compiled arithmetic: nearest even, no ALT mode.
  [[nodiscard]] bool has_modes() const { return has_modes_; }
  [[nodiscard]] const Modes& modes() const { return modes_; }

  // --- lanes ---
  [[nodiscard]] std::uint32_t all_lanes() const { return all_; }
  [[nodiscard]] Value masked();      ///< by the execution mask alone
  [[nodiscard]] Value predicated();  ///< by the predicate alone
  [[nodiscard]] Value enabled();
  [[nodiscard]] Value enabled_bits();      ///< bit 0 = lane 0
  [[nodiscard]] bool always() const;       ///< every lane is enabled, whatever the masks are
  [[nodiscard]] Value spread(Value mask);  ///< this instruction's lanes as a value of FunctionState::active
  void select_sources_by_predicate() { predicate_masks_ = false; }  ///< sel: the predicate disables nothing

  // --- vector operands ---
  /// Bits of each lane's element, without modifiers: integers of the element's size.
  [[nodiscard]] Value read_bits(const Operand& operand);
  /// Extended by the operand's type to integers of `bytes` bytes (or cut), modifiers applied there.
  [[nodiscard]] Value read_integer(const Operand& operand, unsigned bytes);
  /// In the execution type of `arithmetic`: F32 (Half, Single) or F64, subnormals as %cr0 says, modifiers applied.
  [[nodiscard]] Value read_float(const Operand& operand) { return read_float(operand, d_.arithmetic); }
  [[nodiscard]] Value read_float(const Operand& operand, Arithmetic arithmetic);
  /// Whether write_bits can store there; it emits nothing otherwise.
  [[nodiscard]] bool takes_bits(const Operand& operand);
  [[nodiscard]] bool write_bits(const Operand& operand, Value bits);
  /// Low bits of an integer result (modulo 2^width, no saturation).
  [[nodiscard]] bool write_low(const Operand& operand, Value value);
  /// An exact signed result of 32 or 64 bits; saturates and converts.
  [[nodiscard]] bool write_exact(const Operand& operand, Value value);
  /// A result of float arithmetic: finished (ExecutionContext::finish), saturated, converted.
  [[nodiscard]] bool write_float(const Operand& operand, Value value);
  /// Whether write_float can end there, to be asked before anything is emitted.
  [[nodiscard]] bool takes_float(const Operand& operand) const;
  [[nodiscard]] Value canonical(Value value);       ///< NaN becomes the canonical one
  [[nodiscard]] Value saturate_float(Value value);  ///< NUM-90
  [[nodiscard]] Value clamp_integer(Value exact, isa::Type type);
  [[nodiscard]] Value flush(Value value);  ///< subnormals to signed zero; integers as bits of F32, F64

  // --- raw operands ---
  [[nodiscard]] Value read_raw(const Operand& operand, unsigned at, unsigned size, unsigned count);
  [[nodiscard]] bool raw_fits(const Operand& operand, unsigned at, unsigned bytes) const;
  /// Whether write_raw can store there, to be asked before anything is emitted.
  [[nodiscard]] bool takes_raw(const Operand& operand, unsigned at, unsigned bytes);
  [[nodiscard]] bool write_raw(const Operand& operand, unsigned at, Value values, Value mask);

  // --- predicates: masks of this instruction's lanes ---
  [[nodiscard]] Value predicate(std::uint32_t id);
  /// In the enabled lanes; `every`: in all of them.
  void write_predicate(std::uint32_t id, Value mask, bool every = false);
  /// All bits as an I32; null when there is no such predicate.
  [[nodiscard]] Value whole_predicate(std::uint32_t id);

  /// Whether what is read and written from here on belongs to the lanes one by one (it does at first, for families
  /// that are known to). An emitter that hands elements from lane to lane says so before it reads them.
  void set_lane_wise(bool yes) { lane_wise_ = yes && may_be_lane_wise_; }
  /// A branch: lanes look at their own bit of the predicate.
  void set_lane_wise_flow() { lane_wise_ = true; }

  // --- address elements: value in 15:0, defined in bit 16, root in 63:32 ---
  [[nodiscard]] Value read_address_words(std::uint32_t id, unsigned element, unsigned count);
  void write_address_words(std::uint32_t id, unsigned element, Value words);
  [[nodiscard]] std::optional<std::uint32_t> address_root(std::uint32_t id, unsigned first, unsigned count) const;
  /// Bool: the indirect operand's addresses point where the hint says in all enabled lanes; null when that is certain.
  [[nodiscard]] Value indirect_guard(const Operand& operand);

  // --- small helpers ---
  [[nodiscard]] Value number(std::uint64_t value, Element element = Element::I32) {
    return b_.constant({element, 0}, value);
  }
  [[nodiscard]] Value lanes_of(std::uint64_t value, Element element) { return b_.constant({element, d_.lanes}, value); }
  /// Shuffles lanes of one vector.
  [[nodiscard]] Value pick(Value vector, std::span<const int> lanes) { return b_.shuffle(vector, vector, lanes); }

 private:
  struct Span {  ///< whole natural elements that cover some bytes of a variable
    VariableStorage* storage = nullptr;
    std::uint32_t begin = 0, end = 0;
  };
  static constexpr std::uint32_t kWidestSpan = 512;  ///< bytes that one region is gathered from
  /// Bytes from the first to behind the last element of a region.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> extent(const Operand& operand) const;
  [[nodiscard]] Span cover(std::uint32_t begin, std::uint32_t end);
  [[nodiscard]] Value load_span(const Span& span, Element as);
  void store_span(const Span& span, Value value);
  [[nodiscard]] Value load_lanes(std::uint32_t begin, const Operand& operand);
  [[nodiscard]] Value indirect_positions(const Operand& operand, Value& inside);
  [[nodiscard]] bool write_indirect(const Operand& operand, Value bits);
  [[nodiscard]] Value modified_float(Value value, isa::Modifier modifier);
  [[nodiscard]] Value lanes_of_set(const LaneSet& set);
  [[nodiscard]] Value every_lane() { return b_.constant({Element::Bool, d_.lanes}, 1); }
  [[nodiscard]] bool is_predicated() const {
    return d_.predicate.present() && !d_.description->traits.predicate_written;
  }
  void record(std::uint32_t begin, std::uint32_t end);
  void record_row(std::uint32_t begin, unsigned size, unsigned count, bool write, bool whole);
  void record_predicate(std::uint32_t id, bool write, bool whole);
  [[nodiscard]] Value half_to_float(Value bits);

  Builder& b_;
  FunctionState& function_;
  const KnownValues& known_;
  std::uint32_t all_;
  Modes modes_;
  bool has_modes_ = false, predicate_masks_ = true, may_be_lane_wise_ = false, lane_wise_ = false;
};

/// What a family's emitter does: true when the instruction was emitted.
using Emitter = bool (*)(CodegenContext&);

}  // namespace heddle::machine::jit
