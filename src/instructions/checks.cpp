#include "instructions/checks.hpp"

#include <fmt/format.h>

#include "instructions/registry.hpp"

namespace heddle::instructions {

CheckFunction check_of(const isa::InstructionDescription& description) {
  using Hook = isa::HookTable<CheckFunction>::Hook;
  static constexpr Hook kHooks[] = {
      {"info", info::check},
      {"sample_unorm", sample_unorm::check},
      {"sample4", sample4::check},
      {"sample", sample::check},
      {"load", load::check},
      {"footprint", footprint::check},
      {"rt_write", rt_write::check},
      {"arithmetic", arithmetic::check},
      {"plane", arithmetic::check_plane},
      {"logic", logic::check},
      {"compare", compare::check},
      {"mov", move::check_mov},
      {"movs", move::check_movs},
      {"fcvt", move::check_convert},
      {"srnd", move::check_convert},
      {"switchjmp", flow::check_switch},
      {"atomic", atomic::check},
      {"dpas", dpas::check},
      {"dpasw", dpas::check},
      {"lsc", lsc::check},
      {"media", media::check},
      {"memory_block", memory_block::check},
      {"memory_scattered", memory_scattered::check},
      {"memory_svm", memory_svm::check},
      {"memory_typed", memory_typed::check},
      {"send", send::check},
      {"sync", sync::check},
      {"urb_write_3d", urb::check},
  };
  static const isa::HookTable<CheckFunction> kTable(registry(), kHooks);
  return kTable[description];
}

unsigned channels_of(std::uint64_t mask) { return static_cast<unsigned>(__builtin_popcountll(mask & 15u)); }

isa::PlatformSet platforms_with_simd32() {
  isa::PlatformSet set;
  for (const isa::PlatformInfo& p : isa::all_platforms())
    if (p.max_simd >= 32) set = set | isa::PlatformSet::only(p.platform);
  return set;
}

void check_wide_message(Check& check) {
  if (check.exec_size() == 32)
    check.warning("visa-exec-size", nullptr,
                  fmt::format("{} has execution size 32, which came with XE2", check.description().mnemonic),
                  isa::PlatformSet::before(isa::Platform::XE2));
}

void check_image_surface(Check& check) {
  const isa::Operand* surface = check.operand("surface");
  if (surface == nullptr || surface->kind != isa::OperandKind::Surface) return;
  const bool sampler_message = check.description().family != "rt_write";
  if (surface->id == kSlm && sampler_message)
    check.error("visa-sampler-surface", surface,
                fmt::format("{} reads %slm, which is no image", check.description().mnemonic));
  else if (surface->id == kSlm || surface->id == kT1 || surface->id == kT2 || surface->id == kTss ||
           surface->id == kScratch)
    check.error("visa-surface-special", surface,
                fmt::format("{} uses {}, which is no image", check.description().mnemonic, check.text(*surface)));
}

void check_memory_surface(Check& check) {
  const isa::Operand* surface = check.operand("surface");
  if (surface == nullptr || surface->kind != isa::OperandKind::Surface) return;
  if (surface->id == kT1 || surface->id == kT2 || surface->id == kTss)
    check.warning(
        "visa-surface-special", surface,
        fmt::format("{} uses {}, a leftover of the stack model", check.description().mnemonic, check.text(*surface)));
}

}  // namespace heddle::instructions
