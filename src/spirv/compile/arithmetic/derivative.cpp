// SPDX-License-Identifier: MIT
// Rules: SPV-22.
#include "spirv/compile/arithmetic/derivative.hpp"

#include <algorithm>

#include "spirv/compile/arithmetic/scalar.hpp"

namespace heddle::spirv::compiler {

Part derivative_of(VisaWriter& b, const Part& value, Axis axis, bool coarse, std::string_view hint) {
  const isa::Type type = value.type;
  if (value.kind != Part::Kind::Variable || value.stride == 0) return real_of(type, 0);
  Part x = value;
  if (x.stride != 1 || x.offset % b.grf() != 0) {  // copied whole: neighbors may be inactive
    x = b.lanes(type, "whole");
    b.op("mov", x, {value}, {{}, false, true});
  }
  const Part dst = b.lanes(type, hint);
  // Lane offsets of the two values, and how the lanes of a quad share them.
  const unsigned step = axis == Axis::X ? 1 : 2;
  const RegionShape shape = coarse            ? RegionShape{4, 4, 0}
                            : axis == Axis::X ? RegionShape{2, 2, 0}
                                              : RegionShape{0, 2, 1};
  // Fine vertical differences 2-0 3-1 2-0 3-1 have a region only inside one quad.
  const unsigned lanes = !coarse && axis == Axis::Y ? 4 : std::min(b.simd(), 16u);
  for (unsigned start = 0; start < b.simd(); start += lanes) {
    const LaneRange range{start, lanes};
    b.instruction("add", range,
                  {b.destination(dst, range), b.region(x, start + step, shape), b.region(negated(x), start, shape)});
  }
  return dst;
}

}  // namespace heddle::spirv::compiler
