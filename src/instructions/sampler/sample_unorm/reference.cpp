// SPDX-License-Identifier: MIT
// SAMPLE_UNORM: an 8 x 4 block, whatever the execution mask says (UNO-2).
#include "instructions/reference.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::sample_unorm {
namespace {

using machine::ExecutionContext;

float scalar(ExecutionContext& s, std::string_view slot) {
  std::array<float, machine::kMaxLanes> values{};
  s.read(*s.named(slot), values.data());
  return values[0];
}

void execute(ExecutionContext& s) {
  texture::UnormRequest request;
  request.surface = surface_of(s);
  request.sampler = sampler_of(s);
  if (request.surface == nullptr || request.sampler == nullptr) return;
  request.u = scalar(s, "u");
  request.v = scalar(s, "v");
  request.du = scalar(s, "du");
  request.dv = scalar(s, "dv");
  request.channels = static_cast<std::uint8_t>(s.integer("mask"));
  execute_unorm(s, request, static_cast<texture::UnormOutput>(s.integer("format") & 3u), *s.named("dst"));
}

constexpr ReferenceHook kHooks[] = {{"sample_unorm", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample_unorm
