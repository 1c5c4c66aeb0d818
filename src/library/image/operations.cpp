// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "library/image/operation_call.hpp"
#include "texture/operations.hpp"
#include "texture/sample_unorm.hpp"

namespace heddle {
namespace {

using texture::LaneRequest;
using texture::LaneResult;
using texture::LaneWords;
using texture::Param;

OperationInfo info_of(const texture::Operation& operation) {
  OperationInfo info;
  info.name = operation.name;
  info.family = static_cast<OperationKind>(operation.family);
  for (const Param p : operation.parameters()) info.parameters.push_back(texture::param_name(p));
  info.packed = operation.packed();
  return info;
}

std::optional<Diagnostic> problem(const LaneOperation& operation, const texture::Operation* known) {
  if (known == nullptr) return library::unknown_operation(operation.name);
  if (operation.lanes != 8 && operation.lanes != 16 && operation.lanes != 32)
    return library::wrong_argument(fmt::format("{} lanes are not possible; 8, 16 and 32 are", operation.lanes));
  if (operation.channel > 3)
    return library::wrong_argument(fmt::format("channel {} does not exist; 0 to 3 are R, G, B, A", operation.channel));
  for (const auto& [name, words] : operation.parameters) {
    const auto param = texture::find_param(name);
    if (!param || !known->has(*param))
      return library::wrong_argument(fmt::format("{} has no parameter '{}'", operation.name, name));
    if (words.size() != 1 && words.size() != operation.lanes)
      return library::wrong_argument(
          fmt::format("parameter '{}' has {} words; 1 or {} are expected", name, words.size(), operation.lanes));
  }
  return std::nullopt;
}

}  // namespace

Diagnostic library::unknown_operation(std::string_view name) {
  std::vector<std::string_view> names;
  for (const texture::Operation& o : texture::all_operations()) names.push_back(o.name);
  Diagnostic d = wrong_argument(fmt::format("there is no operation '{}'", name));
  if (const std::string_view near = base::nearest(name, names); !near.empty())
    d.notes.push_back({fmt::format("did you mean '{}'?", near), {}});
  return d;
}

std::vector<std::string_view> operation_platforms() {
  std::vector<std::string_view> names;
  for (const texture::UnitPlatform p :
       {texture::UnitPlatform::Skl, texture::UnitPlatform::Icllp, texture::UnitPlatform::Tgllp,
        texture::UnitPlatform::Dg2, texture::UnitPlatform::Pvc, texture::UnitPlatform::Xe2})
    names.push_back(texture::name_of(p));
  return names;
}

std::optional<UnormFormat> find_unorm_format(std::string_view name) {
  const auto output = texture::find_unorm_output(name);
  return output ? std::optional(static_cast<UnormFormat>(*output)) : std::nullopt;
}

std::string_view to_string(UnormFormat format) {
  return texture::unorm_output_name(static_cast<texture::UnormOutput>(format));
}

Result<UnormBlock> sample_unorm(const Image& image, const Sampler& sampler, const UnormRequest& request,
                                const OperationOptions& options) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  texture::UnormRequest r;
  r.channels = 0;
  for (unsigned c = 0; c < 4; ++c)
    if (request.channels[c]) r.channels = static_cast<std::uint8_t>(r.channels | 1u << c);
  if (r.channels == 0) return library::wrong_argument("sample_unorm returns at least one channel (UNO-8)");
  const image::Surface& surface = library::surface_of(image);
  const image::Sampler state = library::sampler_for(sampler, surface);
  r.surface = &surface;
  r.sampler = &state;
  r.u = request.u, r.v = request.v, r.du = request.du, r.dv = request.dv;
  r.output = static_cast<texture::UnormOutput>(request.format);
  library::OperationCall call(options);
  const texture::UnormResult result = texture::sample_unorm(r, call.context);
  if (auto done = call.finish(); !done.ok()) return done.diagnostics();
  const texture::UnormOutput output = texture::effective_output(r.output, call.context.sample_unorm_behavior);
  UnormBlock block;
  block.channels = result.channels;
  block.format = static_cast<UnormFormat>(output);
  block.bytes.resize(texture::unorm_bytes(r.channels, output));
  texture::write_unorm(block.bytes, result, r.channels, output, r.order);
  return block;
}

std::vector<OperationInfo> operations() {
  std::vector<OperationInfo> list;
  for (const texture::Operation& operation : texture::all_operations()) list.push_back(info_of(operation));
  return list;
}

std::optional<OperationInfo> find_operation(std::string_view name) {
  const texture::Operation* operation = texture::find_operation(name);
  return operation != nullptr ? std::optional(info_of(*operation)) : std::nullopt;
}

Result<LaneResults> execute(const Image& image, const Sampler& sampler, const LaneOperation& operation,
                            const OperationOptions& options) {
  if (auto wrong = library::operation_problem(image, options)) return *wrong;
  const texture::Operation* known = texture::find_operation(operation.name);
  if (auto wrong = problem(operation, known)) return *wrong;
  LaneRequest request;
  request.op = known->op;
  request.simd = operation.lanes;
  request.active = operation.active;
  request.surface = &library::surface_of(image);
  const image::Sampler state = library::sampler_for(sampler, *request.surface);
  request.sampler = &state;
  request.source_channel = static_cast<std::uint8_t>(operation.channel);
  for (std::size_t i = 0; i < 3; ++i) request.offset[i] = options.offset[i];
  std::vector<LaneWords> values(operation.parameters.size() + 1);
  for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
    const auto& [name, words] = operation.parameters[i];
    values[i].fill(words.front());
    std::copy(words.begin(), words.end(), values[i].begin());
    request.set(*texture::find_param(name), values[i]);
  }
  if (options.reference) {
    values.back().fill(library::word(*options.reference));
    request.set(Param::Ref, values.back());
  }
  library::OperationCall call(options);
  library::check_comparison(call.context.reports, *known, sampler);
  const LaneResult result = texture::execute(request, call.context);
  if (auto done = call.finish(); !done.ok()) return done.diagnostics();
  return LaneResults{.number_class = static_cast<NumberClass>(result.value_class), .channels = result.channels};
}

}  // namespace heddle
