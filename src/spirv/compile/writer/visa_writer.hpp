// SPDX-License-Identifier: MIT
#pragma once
// Writes vISA text: declarations, names, instructions over all lanes of a thread, cut into ranges that the instruction
// set takes. Nothing else puts an instruction's text together.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/platform.hpp"
#include "spirv/compile/writer/declarations.hpp"
#include "spirv/compile/writer/operand.hpp"
#include "spirv/compile/writer/part.hpp"
#include "spirv/compile/writer/program_text.hpp"

namespace heddle::spirv::compiler {

/// <vertical;width,horizontal>
struct RegionShape {
  unsigned vertical = 0, width = 1, horizontal = 0;
};

class VisaWriter : public Declarations, public ProgramText {
 public:
  VisaWriter(isa::Platform platform, unsigned simd);

  [[nodiscard]] isa::Platform platform() const { return platform_; }

  // --- instructions ---
  /// dst = op(sources), over all lanes, in ranges. Constants become immediates (where all sources are, the first is
  /// moved to a variable first). `op` may have suffixes ("cmp.lt", "add.sat"). dst: a variable, or a predicate (cmp;
  /// and or xor not of predicates).
  void op(std::string_view op, const Part& dst, std::initializer_list<Source> sources, const Guard& guard = {});
  void op(std::string_view op, const Part& dst, std::span<const Source> sources, const Guard& guard = {});
  /// One instruction of one range, its operands in the order of the text: "(P1) resinfo.R (M1, 16) T6 V1.0 V2.0".
  void instruction(std::string_view op, const LaneRange& range, std::initializer_list<VisaOperand> operands,
                   const Guard& guard = {});
  void instruction(std::string_view op, const LaneRange& range, std::span<const VisaOperand> operands,
                   const Guard& guard = {});
  /// One that is about the thread, without lanes and operands: barriers, fences.
  void thread_instruction(std::string_view op) { put_instruction(op); }
  /// The first `count` owords of a buffer, for the thread.
  void load_owords(unsigned count, std::string_view surface, const VisaOperand& dst);
  /// Bits of the control register, set or cleared from here on.
  void set_control(std::uint32_t bits);
  void clear_control(std::uint32_t bits);
  /// Whether what follows rounds to zero, as the control register says; wherever paths meet it rounds to nearest.
  void round_to_zero(bool wanted);
  /// A label; it is written only if something jumps to it.
  void place(std::string_view label);
  void jump(std::string_view label, const Guard& guard = {});  ///< goto, of the lanes of `guard`
  /// The predicate's bits of all lanes, active or not, become 0.
  void clear_predicate(const Part& predicate);
  /// What `write` does by `op` it does for all lanes, active or not.
  template <class F>
  void for_all_lanes(F write) {
    const bool before = std::exchange(all_lanes_, true);
    write();
    all_lanes_ = before;
  }

  // --- values (visa_writer_values.cpp) ---
  /// As `op`, into a new variable.
  [[nodiscard]] Part make(std::string_view op, isa::Type type, std::initializer_list<Source> sources,
                          std::string_view hint = "t");
  /// Predicate of a comparison: condition eq ne gt ge lt le.
  [[nodiscard]] Part compare(std::string_view condition, const Source& a, const Source& b,
                             std::string_view hint = "cond");
  /// condition ? a : b, lane by lane; condition is any boolean; booleans are selected too.
  [[nodiscard]] Part select(const Part& condition, const Part& a, const Part& b, std::string_view hint = "t");
  /// dst = src; types convert as vISA's mov does; booleans in each of their forms.
  void move(const Part& dst, const Part& src, const Guard& guard = {});
  [[nodiscard]] Part copy(const Part& src, std::string_view hint = "t");
  /// mov to another type: conversion with vISA's rules.
  [[nodiscard]] Part convert(const Part& src, isa::Type type, std::string_view hint = "t");
  [[nodiscard]] Part to_predicate(const Part& boolean);
  [[nodiscard]] Part to_mask(const Part& boolean, std::string_view hint = "mask");  ///< d: 0 or -1
  /// In a variable, one element for each lane, at a register boundary: what raw operands need.
  [[nodiscard]] Part in_register(const Part& part, std::string_view hint = "t");
  /// Lane numbers 0, 1, ... as ud; made once, at the kernel's start.
  [[nodiscard]] Part lane_numbers();

  // --- operands ---
  [[nodiscard]] std::vector<LaneRange> lane_ranges(unsigned max_lanes = 16) const;
  [[nodiscard]] VisaOperand raw(const Part& part, const LaneRange& range);  ///< "name.64"; part: in_register
  /// "V(r,c)<1;1,0>" or an immediate; of the first lane only when `scalar`: "<0;1,0>".
  [[nodiscard]] VisaOperand source(const Source& source, const LaneRange& range, bool scalar = false);
  [[nodiscard]] VisaOperand destination(const Part& part, const LaneRange& range);
  /// A source from element `element` of a variable on, of any shape.
  [[nodiscard]] VisaOperand region(const Source& first, unsigned element, const RegionShape& shape);
  /// The surface or sampler of a handle: a constant, or the same value for all lanes.
  [[nodiscard]] std::string handle_name(bool sampler, const Part& handle);
  /// Elements 0 to `count` - 1 of an address variable, to be written.
  [[nodiscard]] static VisaOperand address_elements(std::string_view address, unsigned count);
  /// "&V40[64]"
  [[nodiscard]] VisaOperand address_of(const Part& part);
  /// What the address variable points to: one element for all lanes, or for each lane its own.
  [[nodiscard]] static VisaOperand indirect(std::string_view address, isa::Type type, bool each_lane);
  /// A message that returns `channels` groups of lanes: `emit(range, dst)` writes it for one range, dst is its raw
  /// destination.
  [[nodiscard]] std::vector<Part> message(unsigned max_lanes, unsigned channels, isa::Type type, std::string_view hint,
                                          const std::function<void(const LaneRange&, const VisaOperand& dst)>& emit);

  // --- the whole ---
  /// Where there are more predicates than that, some get a common name. Returns the origin of one that does not fit
  /// even so.
  [[nodiscard]] std::optional<std::uint32_t> fit_predicates(std::size_t most);
  [[nodiscard]] std::string text(std::string_view kernel, std::string_view header) const;

 private:
  [[nodiscard]] static std::string exec(const LaneRange& range, bool no_mask);  ///< "(M1, 16)"
  [[nodiscard]] std::string guard_text(const Guard& guard) const;               ///< "(P1) " or ""
  [[nodiscard]] bool load_handles(std::span<const VisaOperand> operands, std::vector<VisaOperand>& loaded);
  void control(std::string_view op, std::uint32_t bits);
  [[nodiscard]] unsigned piece_lanes(const Part& dst, std::span<const Source> sources) const;

  isa::Platform platform_;
  bool all_lanes_ = false;
  bool rounds_to_zero_ = false;
  Part lane_numbers_;
};

}  // namespace heddle::spirv::compiler
