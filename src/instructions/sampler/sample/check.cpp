// SPDX-License-Identifier: MIT
// 3D_SAMPLE: the rules of all sampler messages, the channel mask, LOD compensation.
#include <algorithm>

#include <fmt/format.h>

#include "instructions/checks.hpp"
#include "instructions/sampler/operation.hpp"

namespace heddle::instructions::sample {
namespace {

void check(Check& check) {
  const isa::Operand* mask = check.operand("mask");
  check_sampler_message(check, mask != nullptr ? channels_of(mask->value) : 4);
  // visa-sampler-channel-mask (SAM-2)
  if (mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-sampler-channel-mask", mask, "no channel is returned");
  // visa-sampler-cps
  if (check.integer("cps") == 0) return;
  const isa::Operand* cps = check.operand("cps");
  using texture::Op;
  constexpr Op kWithLod[] = {Op::Sample, Op::SampleB, Op::SampleC, Op::SampleBC, Op::Lod};
  if (std::ranges::find(kWithLod, operation_of(check.description())->op) == std::end(kWithLod))
    check.error("visa-sampler-cps", cps,
                fmt::format("{} has no computed LOD to compensate", check.description().mnemonic));
  else if (check.exec_size() != 8 && check.exec_size() != 16)
    check.error("visa-sampler-cps", cps, fmt::format("LOD compensation with execution size {}", check.exec_size()));
  else
    check.error("visa-sampler-cps", cps, "LOD compensation came with ICLLP",
                isa::PlatformSet::before(isa::Platform::ICLLP));
}

constexpr CheckHook kHooks[] = {{"sample", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::sample
