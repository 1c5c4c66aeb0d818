// SPDX-License-Identifier: MIT
#pragma once
// One instruction in execution: what a family's reference function sees. Lanes are counted from 0 inside the
// instruction.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "machine/thread.hpp"

namespace heddle::machine {

using Lanes = std::array<std::uint64_t, kMaxLanes>;

class ExecutionContext : public Operands {
 public:
  ExecutionContext(Thread& thread, const Decoded& instruction);

  [[nodiscard]] Thread& thread() { return thread_; }
  [[nodiscard]] Registers& registers() { return registers_; }
  [[nodiscard]] const Modes& modes() const { return thread_.modes(); }
  [[nodiscard]] unsigned grf_bytes() const { return thread_.code().grf_bytes; }
  [[nodiscard]] std::uint32_t all_lanes() const { return all_; }
  /// Lanes by the execution mask alone, by the predicate alone, and by both (EXE-2).
  [[nodiscard]] std::uint32_t masked() const { return masked_; }
  [[nodiscard]] std::uint32_t predicated() const { return predicated_; }
  [[nodiscard]] std::uint32_t enabled() const { return masked_ & predicated_; }
  [[nodiscard]] bool is_enabled(unsigned lane) const { return (enabled() >> lane & 1u) != 0; }
  /// The enabled lanes in the thread's own numbering.
  [[nodiscard]] std::uint32_t thread_lanes(std::uint32_t lanes) const { return lanes << d_.mask_offset; }
  /// From here on only these lanes count as enabled (gather with another execution size, uniform operations).
  void narrow(std::uint32_t lanes) { masked_ &= lanes; }
  /// sel: the lanes that the next read is for; the predicate chooses there and does not disable.
  void select_sources(std::uint32_t lanes) { predicated_ = lanes & all_; }

  /// The instruction has set the program counter itself.
  void jumped() { jumped_ = true; }
  [[nodiscard]] bool has_jumped() const { return jumped_; }

  // --- vector operands ---
  /// Bits of each lane's element without modifiers; lanes that are out of range read 0.
  void read_bits(const Operand& operand, std::span<std::uint64_t, kMaxLanes> out);
  /// Values with modifiers, in the execution type. T: std::int64_t (sources of at most 32 bits), Wide, float (Single),
  /// double (Half, Double). Subnormals as %cr0 says (NUM-92).
  template <typename T>
  void read(const Operand& operand, T* out);
  /// First lane of a scalar operand as an integer, modifiers applied.
  [[nodiscard]] Wide read_scalar(const Operand& operand);
  /// Stores elements of the enabled lanes.
  void write_bits(const Operand& operand, std::span<const std::uint64_t, kMaxLanes> bits);
  /// Converts values of the execution type, saturates, stores the enabled lanes.
  template <typename T>
  void write(const Operand& operand, const T* values);
  /// Arithmetic results: rounded to the execution type, subnormals and ALT mode (NUM-92, 93), canonical NaN.
  void finish(float* values) const;
  void finish(double* values) const;

  // --- raw operands: `count` contiguous elements of `size` bytes from byte `at` of the operand ---
  /// `needed`: lanes that must have been written; the others are read quietly.
  void read_raw(const Operand& operand, unsigned at, unsigned size, unsigned count, std::uint64_t* out,
                std::uint32_t needed);
  void write_raw(const Operand& operand, unsigned at, unsigned size, unsigned count, const std::uint64_t* values,
                 std::uint32_t lanes);
  /// Plain bytes; whatever lies outside the variable reads 0 and is not written.
  void read_raw_bytes(const Operand& operand, unsigned at, std::span<std::uint8_t> out, bool needed = true);
  void observe(const Operand& operand, unsigned at, unsigned bytes);  ///< the observer, of a raw result
  void write_raw_bytes(const Operand& operand, unsigned at, std::span<const std::uint8_t> bytes);
  /// The operand's bytes up to its variable's end, to be written in place; marked as written by `define`.
  [[nodiscard]] std::span<std::uint8_t> raw_span(const Operand& operand);
  void define(const Operand& operand, unsigned at, unsigned bytes);

  // --- predicates, shifted so that bit 0 belongs to lane 0 ---
  [[nodiscard]] std::uint32_t read_predicate(const Operand& operand, std::uint32_t needed);
  void write_predicate(std::uint32_t id, std::uint32_t bits, std::uint32_t lanes);

  // --- state ---
  /// Binding-table index of a surface operand, sampler index of a sampler operand. Refused when the variable has no
  /// value.
  [[nodiscard]] std::optional<std::uint32_t> surface_index(const Operand& operand);
  [[nodiscard]] const image::Surface* surface(const Operand& operand);  ///< refuses when nothing is bound
  [[nodiscard]] const image::Sampler* sampler(const Operand& operand);
  /// By binding-table index.
  [[nodiscard]] const image::Surface* surface_at(std::uint32_t index, const Operand* operand);

  // --- reports ---
  [[nodiscard]] bool checking() const { return checking_; }
  static constexpr unsigned kNoLane = 99;
  void check(const Operand* operand, std::string_view id, std::string_view message, unsigned lane = kNoLane);
  /// The same about a resource or variable; with notes.
  void check(const Operand* operand, Finding finding, unsigned lane = kNoLane);
  /// The lanes of this thread, in its own numbering: who they are.
  [[nodiscard]] Occurrence occurrence(unsigned lane) const;
  /// Number of the instruction for RememberedAccess::site, and back.
  [[nodiscard]] std::uint32_t site() const;
  [[nodiscard]] std::pair<const isa::Object*, const isa::Instruction*> at_site(std::uint32_t site) const;
  void refuse(const Operand* operand, std::string_view id, std::string_view message);
  /// Hands the texture unit's reports of this instruction on.
  void pass_on(texture::OperationContext& context);
  [[nodiscard]] std::string name_of(const Operand& operand) const;
  /// The words for a value that was never written. An input of the kernel is undefined only where the stage before
  /// left it so; what a render-target write reads is an output.
  [[nodiscard]] std::string undefined_text(const Operand& operand) const;

  /// The lanes whose sources must have been written.
  [[nodiscard]] std::uint32_t checked_lanes() const;

 private:
  void read_region(const Operand& operand, std::uint32_t checked, std::span<std::uint64_t, kMaxLanes> out);
  void read_located(const Operand& operand, std::uint32_t checked, std::span<std::uint64_t, kMaxLanes> out);
  [[nodiscard]] bool locate(const Operand& operand, unsigned lane, std::uint32_t& at, bool report);
  void evaluate_predicate();
  Thread& thread_;
  Registers& registers_;
  std::uint32_t all_, masked_, predicated_;
  bool checking_, jumped_ = false;
};

}  // namespace heddle::machine
