// 3D_SAMPLE: the rules of all sampler messages, the channel mask, LOD compensation.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::sample {

void check(Check& check) {
  const isa::Operand* mask = check.operand("mask");
  check_sampler_message(check, mask != nullptr ? channels_of(mask->value) : 4);
  // visa-sampler-channel-mask (SAM-2)
  if (mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-sampler-channel-mask", mask, "no channel is returned");
  // visa-sampler-cps
  if (check.integer("cps") == 0) return;
  const isa::Operand* cps = check.operand("cps");
  constexpr std::array<std::string_view, 5> kWithLod = {"sample_3d", "sample_b", "sample_c", "sample_b_c", "lod"};
  if (!std::ranges::count(kWithLod, check.description().mnemonic))
    check.error("visa-sampler-cps", cps,
                fmt::format("{} has no computed LOD to compensate", check.description().mnemonic));
  else if (check.exec_size() != 8 && check.exec_size() != 16)
    check.error("visa-sampler-cps", cps, fmt::format("LOD compensation with execution size {}", check.exec_size()));
  else
    check.error("visa-sampler-cps", cps, "LOD compensation came with ICLLP",
                isa::PlatformSet::before(isa::Platform::ICLLP));
}

}  // namespace heddle::instructions::sample
