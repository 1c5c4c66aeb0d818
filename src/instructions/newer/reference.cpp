// Instructions of newer tools that have a public meaning; the others are refused by name.
#include <cmath>

#include "instructions/alu/lanes.hpp"
#include "instructions/reference.hpp"

namespace heddle::instructions::newer {
namespace {

using namespace alu;

void tanh(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return static_cast<decltype(x)>(std::tanh(static_cast<double>(x))); });
}
void sigm(ExecutionContext& s) {
  floats<1>(s, [](auto x) { return static_cast<decltype(x)>(1.0 / (1.0 + std::exp(-static_cast<double>(x)))); });
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

constexpr ReferenceHook kHooks[] = {
    {"breakpoint", does_nothing}, {"tanh", tanh}, {"sigm", sigm}, {"invm", invm}, {"rsqtm", rsqtm}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::newer
