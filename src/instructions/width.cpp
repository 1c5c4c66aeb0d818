#include "instructions/width.hpp"

namespace heddle::instructions {
namespace {

machine::Decoded with_width(const machine::Decoded& decoded, unsigned lanes, unsigned shift) {
  machine::Decoded out = decoded;
  out.lanes = static_cast<std::uint8_t>(lanes);
  out.mask_offset = static_cast<std::uint8_t>((decoded.mask_offset + shift) & 31u);
  out.predicate = {};  // decided already, by the instruction's own lanes
  out.no_mask = true;
  return out;
}

}  // namespace

WidthStep::WidthStep(machine::ExecutionContext& step, unsigned lanes, unsigned shift, std::uint32_t enabled)
    : decoded_(with_width(step.instruction(), lanes, shift)), step_(step.thread(), decoded_) {
  step_.narrow(enabled);
}

}  // namespace heddle::instructions
