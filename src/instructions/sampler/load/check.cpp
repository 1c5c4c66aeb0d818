// 3D_LOAD: the rules of all sampler messages, the channel mask.
#include "instructions/checks.hpp"

namespace heddle::instructions::load {

void check(Check& check) {
  const isa::Operand* mask = check.operand("mask");
  check_sampler_message(check, mask != nullptr ? channels_of(mask->value) : 4);
  // visa-sampler-channel-mask
  if (mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-sampler-channel-mask", mask, "no channel is returned");
}

}  // namespace heddle::instructions::load
