#pragma once
// Where the scalars of a type lie in memory.

#include "spirv/compile/translator.hpp"

namespace heddle::spirv::compiler {

/// One scalar of a value in memory.
struct Place {
  std::uint32_t offset = 0;  ///< bytes (scratch: dwords) from the pointer
  isa::Type type = isa::Type::UD;
};

/// All scalars of what a pointer points at, in order.
[[nodiscard]] std::vector<Place> places(Translator& t, const Pointer& pointer);

/// Bytes (or dwords) from one element of an array to the next: ArrayStride where the memory has an explicit layout.
[[nodiscard]] std::uint32_t array_stride(Translator& t, std::uint32_t array, Pointer::Kind kind);
[[nodiscard]] std::uint32_t member_offset(Translator& t, std::uint32_t structure, std::uint32_t member,
                                          Pointer::Kind kind);

/// The descriptor-backed variables: surfaces, samplers, blocks, push constants.
void declare_descriptor(Translator& t, const Instruction& variable);

}  // namespace heddle::spirv::compiler
