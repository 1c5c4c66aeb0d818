// Why some instructions are never executed: what they do is not publicly defined, or needs hardware beside the machine.
#include "instructions/reference.hpp"

namespace heddle::instructions {
namespace {

struct Reason {
  std::string_view key;  ///< a mnemonic, or a family
  std::string_view text;
};
constexpr Reason kReasons[] = {
    {"urb_write_3d", "no geometry pipeline is behind the unified return buffer"},
    {"avs",
     "the scaler's coefficient tables are not part of the sampler state, and its filter is not publicly defined"},
    {"vme_ime", "the search of the motion estimator is not publicly defined to the bit"},
    {"vme_sic", "the checks of the motion estimator are not publicly defined to the bit"},
    {"vme_fbr", "the refinement of the motion estimator is not publicly defined to the bit"},
    {"vme_idm", "the distortion mesh of the motion estimator is not publicly defined to the bit"},
    {"va", "no public document describes the video analytics functions of the sampler"},
    {"lsc_read_state_info.tgm", "the layout of the 64 bytes that it returns is not public"},
    {"raw_sendg", "no public tool can check what its 64-bit descriptors mean"},
    {"raw_sendgc", "no public tool can check what its 64-bit descriptors mean"},
    {"raw_sendg_eot", "no public tool can check what its 64-bit descriptors mean"},
    {"raw_sendgc_eot", "no public tool can check what its 64-bit descriptors mean"},
    {"shfl_idx4", "no public document says which lanes it exchanges"},
    {"lfsr", "no public document gives the taps of its shift registers"},
    {"bdpas", "no public document says how its block scales are applied"},
    {"dnscl", "no public document says how it packs what it scales down"},
    {"dpasw", "it shares src2 between two threads that run in lockstep"},
};

}  // namespace

std::string_view refusal_reason(const isa::InstructionDescription& description) {
  for (const Reason& reason : kReasons)
    if (description.mnemonic == reason.key || description.family == reason.key) return reason.text;
  return {};
}

}  // namespace heddle::instructions
