// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/interpreted_messages.hpp"

#include <functional>

namespace heddle::engine::jit {

std::size_t InterpretedMessages::Hash::operator()(const Place& place) const {
  const std::hash<const void*> hash;
  return hash(place.site) ^ hash(place.surface) * 31 ^ hash(place.sampler) * 131 ^ place.simd;
}

namespace {

/// Whether `prepared` was made for what `request` asks: offsets and flags of a message may stand in registers.
bool asks_the_same(const texture::LaneRequest& prepared, const texture::LaneRequest& request) {
  for (std::size_t p = 0; p < request.params.size(); ++p)
    if ((prepared.params[p] == nullptr) != (request.params[p] == nullptr)) return false;
  return prepared.op == request.op && prepared.half_parameters == request.half_parameters &&
         prepared.offset == request.offset && prepared.source_channel == request.source_channel &&
         prepared.null_mask == request.null_mask && prepared.cps_compensation == request.cps_compensation &&
         prepared.coarse_width == request.coarse_width && prepared.coarse_height == request.coarse_height;
}

}  // namespace

texture::LaneResult InterpretedMessages::run(const void* site, const texture::LaneRequest& request,
                                             texture::OperationContext& context) {
  if (context.observer != nullptr) return texture::execute(request, context);  // who hears of texels hears of all
  const auto [entry, added] = prepared_.try_emplace({site, request.surface, request.sampler, request.simd});
  std::unique_ptr<texture::simd::PreparedOperation>& prepared = entry->second;
  if (added) {
    texture::OperationContext asked = context;
    asked.reports = base::Diagnostics{};
    prepared = texture::simd::prepare(request, asked);
    // What there is to say of the state, execute() says.
    if (!asked.reports.empty() || (prepared != nullptr && !texture::simd::is_fast(*prepared))) prepared.reset();
  }
  return prepared != nullptr && asks_the_same(prepared->request, request)
             ? texture::simd::run(*prepared, request, context)
             : texture::execute(request, context);
}

}  // namespace heddle::engine::jit
