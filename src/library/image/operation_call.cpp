// SPDX-License-Identifier: MIT
#include "library/image/operation_call.hpp"

#include <fmt/format.h>

namespace heddle::library {

std::optional<Diagnostic> operation_problem(const Image& image, const OperationOptions& options) {
  if (image.empty()) return empty_image();
  for (const int offset : options.offset)
    if (offset < -8 || offset > 7)
      return wrong_argument(fmt::format("the offset {} is outside -8 to 7 texels", offset));
  if (!options.platform.empty() && !texture::find_unit_platform(options.platform))
    return wrong_argument(
        fmt::format("unknown platform '{}'; one of: {}", options.platform, fmt::join(operation_platforms(), " ")));
  return std::nullopt;
}

void check_comparison(base::Diagnostics& reports, const texture::Operation& operation, const Sampler& sampler) {
  if (!operation.compare() || sampler.impl()->members.compare_given) return;
  reports.add(base::warning("bind-compare",
                            fmt::format("{} compares, and the sampler names no comparison: all have the same answer",
                                        operation.name))
                  .note("such as compare_op=less_or_equal in the sampler's words"));
}

OperationCall::OperationCall(const OperationOptions& options) : options_(options) {
  // The public enumeration is the texture unit's, for those who have its headers alone.
  static_assert(static_cast<texture::Behavior>(Behavior::Hardware) == texture::Behavior::Hardware);
  static_assert(static_cast<texture::Behavior>(Behavior::Document) == texture::Behavior::Document);
  if (options.behavior) context.set_behavior(static_cast<texture::Behavior>(*options.behavior));
  if (!options.platform.empty())
    context.platform = texture::find_unit_platform(options.platform).value_or(texture::UnitPlatform::Any);
  if (options.reads != nullptr) context.observer = &recorder_.emplace(*options.reads);
}

Result<Done> OperationCall::finish() const {
  if (context.reports.has_errors()) return to_public(context.reports);
  if (options_.warnings != nullptr) append(*options_.warnings, to_public(context.reports));
  return Done{};
}

}  // namespace heddle::library
