// SPDX-License-Identifier: MIT
// sample_unorm: visa-unorm-*, visa-sampler-sampler, visa-sampler-surface.
#include <fmt/format.h>

#include "instructions/checks.hpp"

namespace heddle::instructions::sample_unorm {
namespace {

// Bytes of the result in the document's layout of the four output formats (UNO-8, the table of the output formats).
unsigned result_bytes(std::uint64_t mask, std::uint64_t format) {
  const bool red = (mask & 1u) != 0, green = (mask & 2u) != 0, blue = (mask & 4u) != 0, alpha = (mask & 8u) != 0;
  const unsigned full = format < 2 ? 64 : 32;
  unsigned bytes = (green ? full : 0) + (alpha ? full : 0);
  if (format == 1)
    bytes += (red ? 32u : 0) + (blue ? 32u : 0);
  else if (format == 3)
    bytes += red || blue ? 32 : 0;
  else
    bytes += (red ? full : 0) + (blue ? full : 0);
  return bytes;
}

void check(Check& check) {
  const std::uint64_t mask = check.integer("mask") & 15u, format = check.integer("format");
  // visa-unorm-mask, visa-unorm-format
  if (mask == 0) check.error("visa-unorm-mask", check.operand("mask"), "no channel is returned");
  if (format > 3)
    check.error("visa-unorm-format", check.operand("format"),
                fmt::format("output format {} is none of 0 to 3", format));
  // visa-unorm-coord
  for (const std::string_view name : {"u", "v", "du", "dv"}) {
    const isa::Operand* coordinate = check.operand(name);
    if (coordinate == nullptr || Check::is_immediate(*coordinate)) continue;
    if (coordinate->region.w() != 1)
      check.error("visa-unorm-coord", coordinate,
                  fmt::format("{} is {}, must be one element", name, check.text(*coordinate)));
  }
  // visa-unorm-platform (UNO-11)
  check.warning("visa-unorm-platform", nullptr, "the hardware has no sample_unorm message",
                isa::PlatformSet::from(isa::Platform::XeHP_SDV) & check.description().platforms);
  // visa-raw-bounds
  if (const isa::Operand* dst = check.operand("dst"); dst != nullptr && format <= 3)
    check.raw_bytes(*dst, result_bytes(mask, format));
  // visa-sampler-sampler, visa-sampler-surface: declared ones only
  if (const isa::Operand* sampler = check.operand("sampler");
      sampler != nullptr && sampler->id == isa::kBindlessSampler)
    check.error("visa-sampler-sampler", sampler, "sample_unorm takes declared samplers only, not S31");
  if (const isa::Operand* surface = check.operand("surface"); surface != nullptr && surface->id < isa::kFirstSurface)
    check.error("visa-sampler-surface", surface,
                fmt::format("sample_unorm takes declared surfaces only, not {}", check.text(*surface)));
}

constexpr CheckHook kHooks[] = {{"sample_unorm", check}};

}  // namespace

std::span<const CheckHook> checks() { return kHooks; }

}  // namespace heddle::instructions::sample_unorm
