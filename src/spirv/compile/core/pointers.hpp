// SPDX-License-Identifier: MIT
#pragma once
// What pointers mean: where access chains lead, and pointers that values hold: 64-bit addresses
// (PhysicalStorageBuffer), and pointers into storage buffers and Workgroup memory that are chosen at run time
// (VariablePointers).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "spirv/compile/module/value.hpp"

namespace heddle::spirv::compiler {

class ShaderContext;

class Pointers {
 public:
  explicit Pointers(ShaderContext& context) : t_(context) {}

  /// What an id points to: from the instruction that made it, or from the scalars that hold it; null: neither.
  [[nodiscard]] std::shared_ptr<Pointer> of(std::uint32_t id);
  /// The scalars that hold a pointer.
  [[nodiscard]] std::vector<Part> scalars(const Pointer& pointer);
  /// All storage buffers that the entry point may use; pointers count them from 1, 0 is a null pointer.
  struct ChosenBuffer {
    std::uint32_t variable = 0, element = 0;
  };
  [[nodiscard]] const std::vector<ChosenBuffer>& chosen_buffers();
  /// Where an access chain leads; `indices` are ids.
  [[nodiscard]] Pointer access(const Pointer& base, std::span<const std::uint32_t> indices);
  /// The member or element of what a pointer leads to; of structures `index` is a constant.
  [[nodiscard]] Pointer part(const Pointer& whole, const Part& index);
  /// The pointer `index` (an id) times `stride` bytes further on.
  [[nodiscard]] Pointer advanced(const Pointer& pointer, std::uint32_t index, std::uint32_t stride);
  /// The same by an index that has been computed.
  [[nodiscard]] Pointer moved(const Pointer& pointer, const Part& index, std::uint32_t stride);
  /// Byte offset of a buffer or shared-memory pointer as ud lanes in a register, or an address as uq lanes; `extra`
  /// bytes are added.
  [[nodiscard]] Part byte_offset(const Pointer& pointer, std::uint32_t extra = 0);

 private:
  [[nodiscard]] bool loses_layout(const Pointer& pointer);
  void add(Pointer& p, const Part& index, std::uint32_t unit);
  void add_constant(Pointer& p, const Part& index, std::uint32_t unit);
  void add_index(Pointer& p, const Part& index, std::uint32_t unit);
  void enter_structure(Pointer& p, std::uint32_t member);
  void enter_registers(Pointer& p, std::uint32_t element, std::uint32_t count, const Part& index);
  void enter_memory(Pointer& p, const Part& index);

  ShaderContext& t_;
  std::optional<std::vector<ChosenBuffer>> chosen_buffers_;
};

}  // namespace heddle::spirv::compiler
