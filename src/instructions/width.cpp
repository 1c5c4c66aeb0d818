// SPDX-License-Identifier: MIT
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

WidthContext::WidthContext(machine::ExecutionContext& context, unsigned lanes, unsigned shift, std::uint32_t enabled)
    : decoded_(with_width(context.instruction(), lanes, shift)), context_(context.thread(), decoded_) {
  context_.narrow(enabled);
}

}  // namespace heddle::instructions
