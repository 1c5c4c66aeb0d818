// SAMPLE_UNORM: an 8 x 4 block, whatever the execution mask says (image-unit.md section 13).
#include <fmt/format.h>

#include "instructions/image.hpp"
#include "instructions/reference.hpp"
#include "unit/sample_unorm.hpp"

namespace heddle::instructions::sample_unorm {
namespace {

using machine::Step;

float scalar(Step& s, std::string_view slot) {
  std::array<float, machine::kMaxLanes> values{};
  s.read(*s.named(slot), values.data());
  return values[0];
}

void execute(Step& s) {
  unit::UnormRequest request;
  request.surface = surface_of(s);
  request.sampler = sampler_of(s);
  if (request.surface == nullptr || request.sampler == nullptr) return;
  request.u = scalar(s, "u");
  request.v = scalar(s, "v");
  request.du = scalar(s, "du");
  request.dv = scalar(s, "dv");
  request.channels = static_cast<std::uint8_t>(s.integer("mask"));
  unit::Context& context = s.thread().unit_context();
  const unit::UnormResult result = unit::sample_unorm(request, context);
  s.pass_on(context);

  const machine::Operand& to = *s.named("dst");
  const unit::UnormOutput output =
      unit::effective_output(static_cast<unit::UnormOutput>(s.integer("format") & 3u), context.sample_unorm_behaviour);
  const std::uint32_t size = unit::unorm_bytes(request.channels, output);
  const std::span<std::uint8_t> bytes = s.raw_span(to);
  if (size > bytes.size())
    s.check(&to, "run-raw-bounds",
            fmt::format("the result of {} bytes does not fit the {} bytes of {}", size, bytes.size(), s.name_of(to)));
  unit::write_unorm(bytes, result, request.channels, output, request.order);
  s.define(to, 0, size);
}

constexpr ReferenceHook kHooks[] = {{"sample_unorm", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::sample_unorm
