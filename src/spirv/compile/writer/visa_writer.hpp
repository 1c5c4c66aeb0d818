#pragma once
// Writes vISA text: declarations, names, instructions over all lanes of a thread, cut into pieces that the instruction
// set takes.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/operand.hpp"
#include "isa/platform.hpp"
#include "spirv/compile/module/value.hpp"
#include "spirv/compile/writer/shared_predicates.hpp"

namespace heddle::spirv::compiler {

/// A source with its modifier.
struct Source {
  Part part;
  isa::Modifier modifier = isa::Modifier::None;
  Source(const Part& p, isa::Modifier m = isa::Modifier::None) : part(p), modifier(m) {}  // NOLINT: a part is a source
};
[[nodiscard]] inline Source negated(const Part& p) { return {p, isa::Modifier::Neg}; }
[[nodiscard]] inline Source magnitude(const Part& p) { return {p, isa::Modifier::Abs}; }
[[nodiscard]] inline Source inverted(const Part& p) { return {p, isa::Modifier::Not}; }

/// Lanes that take part: those of the predicate (none given: all active ones).
struct Guard {
  Part predicate;  ///< Kind::Predicate, or Undefined
  bool inverse = false;
  bool no_mask = false;  ///< all lanes, active or not
};

/// Lanes `start` to `start + lanes - 1` of a thread: one message or one piece of an instruction.
struct Piece {
  unsigned start = 0, lanes = 16;
};

class VisaWriter {
 public:
  VisaWriter(isa::Platform platform, unsigned simd);

  [[nodiscard]] unsigned simd() const { return simd_; }
  [[nodiscard]] unsigned grf() const { return grf_; }
  [[nodiscard]] isa::Platform platform() const { return platform_; }

  // --- declarations; `hint` becomes the name, made unique and legal ---
  /// `groups` times one element for each lane, each group from a register boundary on; the part is the first group.
  [[nodiscard]] Part lanes(isa::Type type, std::string_view hint, unsigned groups = 1);
  /// Group `index` of such a variable.
  [[nodiscard]] Part group(const Part& first, unsigned index) const;
  /// Bytes from one group to the next.
  [[nodiscard]] unsigned group_bytes(isa::Type type) const;
  /// A variable of `elements` elements, at a register boundary; the part is its element 0, the same for all lanes.
  [[nodiscard]] Part array(isa::Type type, std::string_view hint, unsigned elements);
  /// Element `index` of an array, the same for all lanes.
  [[nodiscard]] Part element(const Part& array, unsigned index) const;
  [[nodiscard]] Part predicate(std::string_view hint);
  /// What is declared from now on belongs to `origin`, a number of the caller's.
  void set_origin(std::uint32_t origin) { origin_ = origin; }
  /// At the end: where there are more predicates than that, some get a common name. Returns the origin of one that does
  /// not fit even so.
  [[nodiscard]] std::optional<std::uint32_t> fit_predicates(std::size_t most);
  [[nodiscard]] std::string address(std::string_view hint, unsigned elements);
  [[nodiscard]] std::string label(std::string_view hint);  ///< a new name; place it with `place`
  /// `.input` of a variable at a byte of the register file.
  void input(const Part& variable, std::uint32_t offset, std::uint32_t bytes);
  /// Declares the next surface or sampler variable and returns its name, "T6".
  [[nodiscard]] std::string surface();
  /// The same for a descriptor: where the binding table is full, a bindless surface, "%bss:0"; `line` loads its handle.
  [[nodiscard]] std::string descriptor_surface();
  /// Likewise "S31:0" beyond the samplers that instructions can name.
  [[nodiscard]] std::string sampler();
  /// `count` handles of their own, the first of which is returned.
  [[nodiscard]] std::uint32_t surface_handles(std::uint32_t count) {
    return std::exchange(bindless_surfaces_, bindless_surfaces_ + count);
  }
  [[nodiscard]] std::uint32_t sampler_handles(std::uint32_t count) {
    return std::exchange(bindless_samplers_, bindless_samplers_ + count);
  }
  /// The surface or sampler of a handle: a constant, or the same value for all lanes.
  [[nodiscard]] std::string handle_name(bool sampler, const Part& handle);
  void interface_line(std::string text);       ///< see docs/spirv-interface.md
  void interface_text(std::string_view text);  ///< one that names no surface and no sampler
  void kernel_attribute(const std::string& text);

  // --- code ---
  void comment(std::string_view text);
  void line(std::string_view text);  ///< one instruction as it stands
  /// Whether what follows rounds to zero, as the control register says; wherever paths meet it rounds to nearest.
  void round_to_zero(bool wanted);  // float_modes.cpp
  /// What follows was made from there (FILE, LOC; SPV-36). Column 0: unknown.
  /// A FILE string of Heddle's own.
  void remark(std::string_view text);
  void source_line(std::string_view file, std::uint32_t line, std::uint32_t column);
  /// A label; it is written only if something jumps to it.
  void place(std::string_view label);
  void jump(std::string_view label, const Guard& guard = {});  ///< goto, of the lanes of `guard`
  /// dst = op(sources), over all lanes, in pieces. Constants become immediates (where all sources are, the first is
  /// moved to a variable first). `op` may have suffixes ("cmp.lt", "add.sat"). dst: a variable, or a predicate (cmp;
  /// and or xor not of predicates).
  void op(std::string_view op, const Part& dst, std::initializer_list<Source> sources, const Guard& guard = {});
  void op(std::string_view op, const Part& dst, std::span<const Source> sources, const Guard& guard = {});
  /// What `write` does by `op` it does for all lanes, active or not.
  template <class F>
  void for_all_lanes(F write) {
    const bool before = std::exchange(all_lanes_, true);
    write();
    all_lanes_ = before;
  }
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

  // --- messages ---
  [[nodiscard]] std::vector<Piece> pieces(unsigned max_lanes = 16) const;
  [[nodiscard]] static std::string exec(const Piece& piece, bool no_mask = false);  ///< "(M1, 16)"
  [[nodiscard]] std::string raw(const Part& part, const Piece& piece);              ///< "name.64"; part: in_register
  /// "V(r,c)<1;1,0>" or an immediate; of the first lane only when `scalar`: "<0;1,0>".
  [[nodiscard]] std::string source(const Source& source, const Piece& piece, bool scalar = false);
  [[nodiscard]] std::string destination(const Part& part, const Piece& piece);
  [[nodiscard]] std::string guard_text(const Guard& guard) const;  ///< "(P1) " or ""
  [[nodiscard]] std::string name(const Part& part);                ///< of the variable, read as part.type
  /// A message that returns `channels` groups of lanes: `emit(piece, dst)` writes it for one piece, dst is its raw
  /// destination.
  [[nodiscard]] std::vector<Part> message(unsigned max_lanes, unsigned channels, isa::Type type, std::string_view hint,
                                          const std::function<void(const Piece&, const std::string& dst)>& emit);

  [[nodiscard]] std::size_t instructions() const { return instructions_; }
  /// The whole program.
  [[nodiscard]] std::string text(std::string_view kernel, std::string_view header) const;

  /// What is written by `write` stands at the kernel's start, before everything else written so far.
  void at_start(const std::function<void()>& write);

 private:
  struct Variable {
    std::string name;
    isa::Type type;
    std::uint32_t elements;
    std::map<isa::Type, std::string> aliases;
    mutable bool used = false;  ///< others are not declared
  };
  struct Declaration {
    static constexpr std::uint32_t kAlways = ~0u;
    std::string text;
    std::uint32_t variable = kAlways;   ///< only if this one is used
    std::uint32_t predicate = kAlways;  ///< only if this one keeps its name
  };
  [[nodiscard]] std::string load_handles(std::string text);
  [[nodiscard]] std::string column_lines() const;
  [[nodiscard]] Part declare(isa::Type type, std::string_view hint, std::uint32_t elements);
  [[nodiscard]] std::string unique(std::string_view hint);
  [[nodiscard]] unsigned piece_lanes(const Part& dst, std::span<const Source> sources) const;

  isa::Platform platform_;
  unsigned simd_, grf_;
  std::vector<Variable> variables_;
  std::vector<NamedPredicate> predicates_;
  std::vector<bool> renamed_;  ///< predicates that are not declared: empty, or one for each
  std::map<std::string, std::uint32_t, std::less<>> predicate_kinds_;
  std::uint32_t origin_ = 0;
  std::set<std::string, std::less<>> names_, targets_;
  std::map<std::string, unsigned, std::less<>> next_suffix_;
  std::vector<Declaration> declarations_;
  std::string inputs_, attributes_, interface_, start_, code_;
  bool all_lanes_ = false;
  bool in_start_ = false;
  bool rounds_to_zero_ = false;
  std::string file_;                                 ///< of the last FILE
  std::pair<std::uint32_t, std::uint32_t> place_{};  ///< line and column of the last LOC
  std::vector<std::uint32_t> columns_;               ///< of each LOC
  unsigned surfaces_ = 0, samplers_ = 0, bindless_surfaces_ = 0, bindless_samplers_ = 0;
  std::size_t instructions_ = 0;
  Part lane_numbers_;
};

}  // namespace heddle::spirv::compiler
