// SPDX-License-Identifier: MIT
#include "spirv/compile/writer/part.hpp"

#include <bit>

namespace heddle::spirv::compiler {

Part real(float value) { return constant(isa::Type::F, std::bit_cast<std::uint32_t>(value)); }

Part narrowed(const Part& wide, isa::Type type, unsigned index) {
  const unsigned ratio = isa::type_bytes(wide.type) / isa::type_bytes(type);
  Part p = wide;
  p.type = type;
  if (wide.kind == Part::Kind::Constant) {
    const unsigned bits = isa::type_bytes(type) * 8;
    p.bits = wide.bits >> (bits * index);
    if (bits < 64) p.bits &= (std::uint64_t{1} << bits) - 1;
    return p;
  }
  p.stride = static_cast<std::uint8_t>(wide.stride * ratio);
  p.offset += index * isa::type_bytes(type);
  return p;
}

}  // namespace heddle::spirv::compiler
