// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/handle_messages.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "engine/jit/runtime/native_functions.hpp"

namespace heddle::engine::jit {
namespace {

std::atomic<std::size_t> all_bytes = 0;

template <typename T>
std::uint64_t identity_at(const std::vector<machine::Resource<T>>& table, const std::optional<std::uint32_t>& index) {
  return index && *index < table.size() ? table[*index].identity() : 0;
}

std::uint64_t identity_of(const auto* resource) { return resource != nullptr ? resource->identity() : 0; }

}  // namespace

HandleMessages::~HandleMessages() { forget(); }

void HandleMessages::forget() {
  made_.clear();
  last_.clear();
  states_.clear();
  all_bytes -= std::exchange(bytes_, 0);
}

std::size_t HandleMessages::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.site;
  for (const std::uint64_t value : {key.surface, key.sampler}) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

void HandleMessages::begin_run(const std::shared_ptr<const PreparedKernel>& kernel) {
  ++run_;
  if (kernel_ == kernel) return;
  forget();
  kernel_ = kernel;
}

HandleMessages::Last& HandleMessages::last_of(std::uint32_t site, const Handles& handles,
                                              const machine::Bindings& bindings) {
  if (last_.size() <= site) last_.resize(kernel_->sites().size());
  std::vector<Last>& places = last_[site];
  if (places.empty()) {
    const std::size_t bound = bindings.bindless_surfaces.size() + bindings.bindless_samplers.size();
    places.resize(std::bit_ceil(std::clamp<std::size_t>(bound, 16, kMaxLast)));
  }
  // Neighbors of either kind have places of their own, and those of both at once, as images with samplers are: an array
  // of surfaces, of both, or of samplers alone, that is not longer than the table, never meets itself.
  static constexpr std::uint32_t kApart = 0x9e377a;  // even, so that both numbers together move by an odd one
  const std::uint32_t sampler = handles.sampler.value_or(0);
  const std::uint32_t at = handles.surface ? *handles.surface + sampler * kApart : sampler;
  return places[at & (places.size() - 1)];
}

StateCalls* HandleMessages::calls_of(std::uint32_t site, const Images::Message& message) {
  states_.resize(kernel_->sites().size());
  std::deque<MetState>& states = states_[site];
  const auto known = std::ranges::find_if(states, [&](const MetState& s) { return same_state(s.message, message); });
  return known != states.end() ? &known->calls : &states.emplace_back(MetState{message, {}}).calls;
}

std::span<const MetState> HandleMessages::take_met() {
  met_.assign(states_.size(), {});
  for (std::size_t site = 0; site < states_.size(); ++site)
    for (MetState& state : states_[site]) {
      if (state.calls.all > met_[site].calls.all) met_[site] = state;
      state.calls = {};
    }
  return met_;
}

const machine::jit::MessageCall* HandleMessages::find(std::uint32_t site, const Handles& handles,
                                                      const machine::Bindings& bindings) {
  if (const Last& last = last_of(site, handles, bindings); last.run == run_ && last.handles == handles) {
    if (last.call == nullptr) return nullptr;
    ++last.call->calls->all;
    return &last.call->call;
  }
  const MessageSite& of = kernel_->sites()[site];
  const machine::jit::MessageSlots& slots = of.slots;
  const Key key{site,
                slots.surface ? identity_at(bindings.surfaces, slots.surface)
                              : identity_of(handles.surface ? bindings.surface_with(*handles.surface) : nullptr),
                slots.sampler ? identity_at(bindings.samplers, slots.sampler)
                              : identity_of(handles.sampler ? bindings.sampler_with(*handles.sampler) : nullptr)};
  auto found = made_.find(key);
  if (found == made_.end()) {
    Made made;
    made.message = kernel_->prepare_by_handle(of, handles, bindings);
    if (made.message != nullptr) made.call.call = call_of(made.message.get());
    constexpr std::size_t kNode = 64;  // of the table, and what the allocator adds
    const std::size_t bytes =
        sizeof(Key) + sizeof(Made) + kNode + (made.message != nullptr ? made.message->bytes() : 0);
    if (all_bytes + bytes > kMaxKept) forget();
    if (made.message != nullptr) made.call.calls = calls_of(site, made.message);
    found = made_.emplace(key, std::move(made)).first;
    bytes_ += bytes;
    all_bytes += bytes;
  }
  const HandleCall* const call = found->second.message != nullptr ? &found->second.call : nullptr;
  last_of(site, handles, bindings) = {handles, call, run_};
  if (call == nullptr) return nullptr;
  ++call->calls->all;
  return &call->call;
}

}  // namespace heddle::engine::jit
