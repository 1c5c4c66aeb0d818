// SPDX-License-Identifier: MIT
#pragma once
// Typed surface messages: a texel by integer coordinates, converted by the surface format (DATAPORT
// typed access).

#include <optional>

#include "instructions/sampler/request.hpp"
#include "machine/memory.hpp"

namespace heddle::instructions {

struct Texel4 {
  std::uint32_t level = 0, slice = 0, x = 0, y = 0;
};

/// A message's coordinates: raw operands, absent ones are 0.
struct TypedAddress {
  const machine::Operand *u = nullptr, *v = nullptr, *r = nullptr, *lod = nullptr;
  std::array<std::int32_t, 3> offset{};
  unsigned element_bytes = 4;
};

/// Texels of all lanes; nothing where the coordinates are outside the surface (reported for enabled lanes).
/// u, v, r: 1D x, array index; 2D x, y, array index; 3D x, y, z; cubes are arrays of faces; buffers: element u (x holds
/// it).
[[nodiscard]] std::array<std::optional<Texel4>, machine::kMaxLanes> locate_texels(machine::ExecutionContext& context,
                                                                                  const image::Surface& surface,
                                                                                  const TypedAddress& address);

/// Channels of `mask` in R, G, B, A order, each from the next register on. Out of bounds reads zeros, and 1 for an
/// alpha that the format lacks (LD-3).
void read_texels(machine::ExecutionContext& context, image::Surface& surface, const TypedAddress& address,
                 unsigned mask, const machine::Operand& data);
/// Channels that are not in `mask` keep what is stored. Out of bounds writes are dropped.
void write_texels(machine::ExecutionContext& context, image::Surface& surface, const TypedAddress& address,
                  unsigned mask, const machine::Operand& data);

/// Address of a texel's bytes, or nullptr.
[[nodiscard]] std::uint8_t* texel_bytes(image::Surface& surface, const Texel4& texel);
void touch_texel(machine::ExecutionContext& context, const image::Surface& surface, const Texel4& texel, unsigned lane,
                 bool written);

/// Read-modify-write of texels whose element has `bytes` bytes.
void run_typed_atomics(machine::ExecutionContext& context, image::Surface& surface, machine::AtomicOp op,
                       unsigned bytes, const TypedAddress& address, const machine::Operand& src0,
                       const machine::Operand& src1, const machine::Operand& dst);

/// The bound surface of a typed message, to be changed.
[[nodiscard]] image::Surface* typed_surface(machine::ExecutionContext& context);

}  // namespace heddle::instructions
