// SPDX-License-Identifier: MIT
// OpImageQuerySize, OpImageQuerySizeLod, OpImageQueryLevels, OpImageQuerySamples: resinfo and sampleinfo
// (docs/rules/queries.md).
// Rules: RES-1, SPV-28.

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/images/image.hpp"

namespace heddle::spirv::compiler::image {

void query(ShaderContext& t) {
  const auto opcode = static_cast<spv::Op>(t.at->opcode);
  const auto image = image_of(t, t.operand(0));
  if (!image) return;
  VisaWriter& b = t.b;
  constexpr unsigned kInfoLanes = 16;
  const std::vector<GuardedImage> targets = guarded_images(t, image->handle, false);
  const Result result = result_of(t, false);
  if (opcode == spv::Op::OpImageQuerySamples) {
    finish(t, result,
           receive(t, targets, kInfoLanes, 1, isa::Type::UD,
                   [&](const GuardedImage& target, const LaneRange& range, const VisaOperand& dst) {
                     b.instruction("sampleinfo.R", range, {target.surface, dst});
                   }));
    return;
  }
  // RES-1: width, height, depth or layers (cubes: of cubes), levels.
  std::string channels = "A";
  if (opcode != spv::Op::OpImageQueryLevels) {
    const unsigned sizes = image->cube() ? 2 : image->axes;
    channels = std::string("RGB").substr(0, sizes + (image->info.arrayed ? 1u : 0u));
  }
  const Part lod =
      parameter(t, opcode == spv::Op::OpImageQuerySizeLod ? t.values.part(t.operand(1)) : ud(0), isa::Type::UD, "lod");
  finish(t, result,
         receive(t, targets, kInfoLanes, static_cast<unsigned>(channels.size()), isa::Type::UD,
                 [&](const GuardedImage& target, const LaneRange& range, const VisaOperand& dst) {
                   b.instruction("resinfo." + channels, range, {target.surface, raw(t, lod, range), dst});
                 }));
}

}  // namespace heddle::spirv::compiler::image
