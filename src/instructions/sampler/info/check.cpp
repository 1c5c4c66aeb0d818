// SPDX-License-Identifier: MIT
// resinfo, sampleinfo: visa-info-*.
#include "instructions/checks.hpp"

namespace heddle::instructions::info {
namespace {

void check(Check& check) {
  check_wide_message(check);
  check_image_surface(check);
  // visa-info-mask (INF-2)
  if (const isa::Operand* mask = check.operand("mask"); mask != nullptr && (mask->value & 15u) == 0)
    check.error("visa-info-mask", mask, "no channel is returned");
  // visa-info-lod
  if (const isa::Operand* lod = check.operand("lod"); lod != nullptr && lod->is_null())
    check.error("visa-info-lod", lod, "the lod of resinfo is %null");
}

constexpr CheckHook kHooks[] = {{"info", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::info
