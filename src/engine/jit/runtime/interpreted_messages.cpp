// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/interpreted_messages.hpp"

#include <functional>

namespace heddle::engine::jit {

std::size_t InterpretedMessages::Hash::operator()(const Place& place) const {
  const std::hash<const void*> hash;
  return hash(place.site) ^ hash(place.surface) * 31 ^ hash(place.sampler) * 131 ^ place.simd;
}

texture::LaneResult InterpretedMessages::run(const void* site, const texture::LaneRequest& request,
                                             texture::OperationContext& context) {
  const auto [entry, added] = prepared_.try_emplace({site, request.surface, request.sampler, request.simd});
  std::unique_ptr<texture::simd::PreparedOperation>& prepared = entry->second;
  if (added) {
    texture::OperationContext asked = context;  // what is refused is reported by execute()
    asked.observer = nullptr;
    prepared = texture::simd::prepare(request, asked);
    if (prepared != nullptr && !texture::simd::is_fast(*prepared)) prepared.reset();
  }
  return prepared != nullptr ? texture::simd::run(*prepared, request, context) : texture::execute(request, context);
}

}  // namespace heddle::engine::jit
