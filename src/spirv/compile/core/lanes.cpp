// SPDX-License-Identifier: MIT
#include "spirv/compile/core/lanes.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "isa/quad_remark.hpp"
#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

/// Bits 15:0 of R1.7 (SIMD32: and of R2.7) at the start.
Guard LiveLanes::live() {
  if (t_.entry.stage != isa::ShaderStage::Fragment) return {};
  VisaWriter& b = t_.b;
  if (live_.kind != Part::Kind::Predicate) {
    live_ = b.predicate("live");
    b.at_start([&] {
      for (unsigned start = 0; start < b.simd(); start += 16) {
        Part enables = t_.fragment.subspans.as(isa::Type::UW);
        enables.offset = start / 16 * 32 + 28;
        b.instruction("setp", {start, std::min(16u, b.simd())}, {b.name(live_), b.source(enables, kOneLane)},
                      every_lane());
      }
    });
  }
  return {live_, false, false};
}

void LiveLanes::discard() {
  const Part lanes = live().predicate;
  discarded_ = true;
  t_.b.remark(isa::kDemoteRemark);
  const Part lane = t_.b.lane_numbers();
  t_.b.op("cmp.ne", lanes, {lane, lane});  // only active lanes' bits are written: theirs are cleared
}

void LiveLanes::find_kills() {
  may_be_killed_ = t_.entry.stage == isa::ShaderStage::Fragment &&
                   std::ranges::any_of(t_.module.instructions, [](const Instruction& i) {
                     const auto op = static_cast<spv::Op>(i.opcode);
                     return op == spv::Op::OpKill || op == spv::Op::OpTerminateInvocation;
                   });
}

}  // namespace heddle::spirv::compiler
