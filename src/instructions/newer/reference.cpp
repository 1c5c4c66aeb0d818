// SPDX-License-Identifier: MIT
// Instructions of newer tools that have a public meaning; the others are refused by name.
#include <cmath>

#include "instructions/alu/lanes.hpp"
#include "instructions/reference.hpp"
#include "instructions/render_cache/render_target.hpp"
#include "instructions/sampler/request.hpp"
#include "machine/numbers/math.hpp"

namespace heddle::instructions::newer {
namespace {

using namespace alu;

void tanh(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return static_cast<decltype(x)>(machine::math::tanh(static_cast<float>(x))); });
}
void sigm(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return static_cast<decltype(x)>(machine::math::sigmoid(static_cast<float>(x))); });
}

/// The macros' first approximations are exact here; the predicate tells where no refinement is to follow.
template <unsigned Sources, typename Op>
void early_out(ExecutionContext& s, Op op) {
  std::array<std::array<double, kMaxLanes>, 2> in{};
  std::array<double, kMaxLanes> out{};
  for (unsigned i = 0; i < Sources; ++i) s.read(s.source(i), in[i].data());
  std::uint32_t special = 0;
  for (unsigned k = 0; k < s.lanes(); ++k) {
    out[k] = op(in[0][k], in[1][k]);
    if (!std::isfinite(out[k]) || out[k] == 0) special |= 1u << k;
  }
  s.write(s.destination(), out.data());
  s.write_predicate(s.named("predicate")->id, special, s.enabled());
}
void invm(ExecutionContext& s) {
  early_out<2>(s, [](double a, double b) { return a / b; });
}
void rsqtm(ExecutionContext& s) {
  early_out<1>(s, [](double a, double) { return 1.0 / std::sqrt(a); });
}

// RT_READ: mode bit 0 per sample, bit 1 an operand with the pair of samples. The positions are those of the dispatch.
void read_render_target(ExecutionContext& s) {
  const image::Surface* surface = surface_of(s);
  if (surface == nullptr) return;
  const machine::Operand* samples = s.named("si");
  const bool has_samples = samples != nullptr && !samples->null;
  for (unsigned first = 0; first < s.lanes(); first += 16) {
    const auto positions = dispatched_positions(s, s.instruction().mask_offset + first >= 16, nullptr);
    if (!positions) return;
    render_target::RenderTargetHeader header = target_header(payload_words(s, 0), *positions);
    if (has_samples) header.sspi |= static_cast<std::uint32_t>(s.read_scalar(*samples)) & 7u;
    read_target(s, *surface, header, (s.integer("mode") & 1u) != 0, first, *s.named("dst"));
  }
}

/// The gateway's message 0 ends the thread, whatever its payload; what other 64-bit descriptors mean is not public.
void end_thread(ExecutionContext& s) {
  constexpr std::uint64_t kGateway = 3;
  if (s.integer("sfid") == kGateway && s.integer("desc") == 0 && s.integer("desc_high") == 0) {
    s.thread().finish();
    return;
  }
  s.refuse(s.named("desc"), "run-send-message",
           "a raw_sendg message is not executed, but for the end of a thread (gtwy, descriptor 0): no public "
           "tool can check what its 64-bit descriptors mean");
}

constexpr ReferenceHook kHooks[] = {{"breakpoint", does_nothing},
                                    {"tanh", tanh},
                                    {"sigm", sigm},
                                    {"invm", invm},
                                    {"rsqtm", rsqtm},
                                    {"rt_read_3d", read_render_target},
                                    {"raw_sendg_eot", end_thread},
                                    {"raw_sendgc_eot", end_thread}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::newer
