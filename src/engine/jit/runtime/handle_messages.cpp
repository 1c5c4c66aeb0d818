// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/handle_messages.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/jit/runtime/native_functions.hpp"

namespace heddle::engine::jit {
namespace {

std::atomic<std::size_t> all_made = 0, all_places = 0;  // bytes

template <typename T>
std::uint64_t identity_at(const std::vector<machine::Resource<T>>& table, const std::optional<std::uint32_t>& index) {
  return index && *index < table.size() ? table[*index].identity() : 0;
}

std::uint64_t identity_of(const auto* resource) { return resource != nullptr ? resource->identity() : 0; }

/// What has no value, and the greatest handle, stand for the same: nothing.
std::uint64_t packed(const Handles& handles) {
  return handles.surface.value_or(~0u) | std::uint64_t{handles.sampler.value_or(~0u)} << 32;
}

/// Where handles of a site lie among its places. Neighbors of either kind have places of their own, and those of both
/// at once, as images with samplers are: an array of surfaces, of both, or of samplers alone, that is not longer than
/// the table, never meets itself.
std::uint32_t place_of(const Handles& handles) {
  constexpr std::uint32_t kApart = 0x9e377a;  // even, so that both numbers together move by an odd one
  const std::uint32_t sampler = handles.sampler.value_or(0);
  return handles.surface ? *handles.surface + sampler * kApart : sampler;
}

template <unsigned Lanes>
bool are_equal(const std::uint32_t* a, const std::uint32_t* b) {
  std::uint32_t different = 0;
  for (unsigned k = 0; k < Lanes; ++k) different |= a[k] ^ b[k];
  return different == 0;
}

/// Calls what(std::integral_constant) with a number of lanes that has all of these.
template <typename What>
auto with_width(std::uint32_t lanes, const What& what) {
  if (lanes >> 16 != 0) return what(std::integral_constant<unsigned, 32>{});
  if (lanes >> 8 != 0) return what(std::integral_constant<unsigned, 16>{});
  return what(std::integral_constant<unsigned, 8>{});
}

/// Those that are between two runs; the first ended its run first. What is kept in one that is here belongs to whoever
/// has the mutex.
struct Idle {
  std::mutex mutex;
  std::list<HandleMessages*> all;
};
Idle& idle() {
  static Idle& one = *new Idle;  // never destroyed: who ends last may ask
  return one;
}
/// So much has to be kept by one that is worth being here, for the list has a mutex: five hundred of those that keep
/// less would fill the limit.
constexpr std::size_t kWorthTaking = 65536;

}  // namespace

HandleMessages::~HandleMessages() {
  leave_idle();
  forget();
}

void HandleMessages::forget() {
  made_.clear();
  forget_places();
  sites_.clear();
  shapes_.clear();
  kept_states_.clear();
  ++forgotten_;
  all_made -= std::exchange(made_bytes_, 0);
}

void HandleMessages::forget_places() noexcept {
  for (Site& site : sites_) {
    site.places = {};
    site.calls = {};
    site.shared = {};
  }
  all_places -= std::exchange(place_bytes_, 0);
}

std::size_t HandleMessages::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.site;
  for (const std::uint64_t value : {key.surface, key.sampler}) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

void HandleMessages::end_run() noexcept {
  if (idle_ || made_bytes_ + place_bytes_ < kWorthTaking) return;
  const std::lock_guard guard(idle().mutex);
  idle().all.splice(idle().all.end(), place_);
  idle_ = true;
}

void HandleMessages::leave_idle() noexcept {
  if (!idle_) return;
  const std::lock_guard guard(idle().mutex);
  if (!idle_) return;  // somebody took what was kept
  place_.splice(place_.end(), idle().all, at_);
  idle_ = false;
}

/// Of messages and all that is kept with them.
void HandleMessages::make_room(std::size_t bytes) {
  if (all_made + bytes <= kMaxMade) return;
  const std::lock_guard guard(idle().mutex);
  std::list<HandleMessages*>& all = idle().all;
  while (all_made + bytes > kMaxMade && !all.empty()) {
    HandleMessages& first = *all.front();
    first.forget();
    first.place_.splice(first.place_.end(), all, first.at_);
    first.idle_ = false;
  }
}

/// The messages stay, which take much longer to make.
void HandleMessages::make_room_for_places(std::size_t bytes) {
  if (all_places + bytes <= kMaxPlaces) return;
  const std::lock_guard guard(idle().mutex);
  for (HandleMessages* const one : idle().all) {
    one->forget_places();
    if (all_places + bytes <= kMaxPlaces) return;
  }
}

void HandleMessages::begin_run(const std::shared_ptr<const PreparedKernel>& kernel) {
  leave_idle();
  if (++run_ != 0 && kernel_ == kernel) return;
  run_ = 1;
  forget();
  kernel_ = kernel;
}

HandleMessages::Site& HandleMessages::site_of(std::uint32_t site, const machine::Bindings& bindings) {
  if (sites_.empty()) sites_.resize(kernel_->sites().size());
  Site& of = sites_[site];
  if (of.places.empty()) add_places(of, bindings);
  return of;
}

void HandleMessages::add_places(Site& site, const machine::Bindings& bindings) {
  constexpr std::size_t kPlace = sizeof(Place) + sizeof(HandleCall);
  const std::size_t bound = bindings.bindless_surfaces.size() + bindings.bindless_samplers.size();
  std::size_t count = std::bit_ceil(std::clamp<std::size_t>(bound, kMinOfSite, kMaxOfSite));
  make_room_for_places(count * kPlace);
  while (count > kMinOfSite && all_places + count * kPlace > kMaxPlaces) count /= 2;  // the others are found in made_
  site.calls.resize(count);
  site.places.resize(count);
  place_bytes_ += count * kPlace;
  all_places += count * kPlace;
}

StateCalls* HandleMessages::calls_of(std::uint32_t site, const Images::Message& message) {
  met_.resize(kernel_->sites().size());  // first: without memory for it there are no states that it has no place for
  if (sites_.empty()) sites_.resize(met_.size());
  std::deque<MetState>& states = sites_[site].states;
  const auto known = std::ranges::find_if(states, [&](const MetState& s) { return same_state(s.message, message); });
  return known != states.end() ? &known->calls : &states.emplace_back(MetState{message, {}}).calls;
}

std::span<const MetState> HandleMessages::take_met() noexcept {
  std::ranges::fill(met_, MetState{});
  const std::size_t count = std::min(sites_.size(), met_.size());  // none where nothing was made
  for (std::size_t site = 0; site < count; ++site)
    for (MetState& state : sites_[site].states) {
      if (state.calls.all > met_[site].calls.all) met_[site] = state;
      state.calls = {};
    }
  return std::span(met_).first(count);
}

const void* HandleMessages::keep_state(const machine::jit::PreparedMessage& message) {
  // Kernels may look at bytes behind the ones that count, which only have to be there.
  constexpr std::size_t kPiece = 65536, kBehind = 4096, kLine = 64;
  const std::size_t bytes = message.read_bytes();
  if (bytes > kBehind || message.dynamic_bytes() > kBehind) return message.dynamic_state();
  if (kept_states_.empty() || kept_bytes_ + bytes > kPiece) {
    kept_states_.push_back(std::make_unique<std::byte[]>(kPiece + kBehind + kLine));
    kept_bytes_ = 0;
  }
  void* at = kept_states_.back().get() + kept_bytes_;
  std::size_t room = kLine + bytes;
  at = std::align(kLine, bytes, at, room);
  std::memcpy(at, message.dynamic_state(), bytes);
  kept_bytes_ = static_cast<std::size_t>(static_cast<std::byte*>(at) - kept_states_.back().get()) + bytes;
  return at;
}

void HandleMessages::make(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings, Made& made) {
  made.message = kernel_->prepare_by_handle(kernel_->sites()[site], handles, bindings);
  if (made.message == nullptr) return;
  made.call.call = call_of(made.message.get());
  made.texels = made.message->texels();
}

/// Messages that can share a call get one number, which those of other sites don't have.
void HandleMessages::share(std::uint32_t site, Made& made) {
  const std::uint64_t shape = made.message->shape();
  made.shared = {call_of(made.message.get(), true), made.call.calls};
  made.shared.call.dynamic_state = made.call.call.dynamic_state;
  if (shape == 0 || made.shared.call.static_state == nullptr) return;
  const std::uint64_t key = shape * 0x9e3779b97f4a7c15u + site;
  const auto [first, last] = shapes_.equal_range(key);
  const auto known =
      std::find_if(first, last, [&](const auto& one) { return one.second.message->differs_in_place(*made.message); });
  made.shape = known != last ? known->second.number : static_cast<std::uint32_t>(shapes_.size()) + 1;
  if (known == last) shapes_.emplace(key, Shape{made.message, made.shape});
}

const HandleMessages::Made& HandleMessages::made_of(std::uint32_t site, const Handles& handles,
                                                    const machine::Bindings& bindings) {
  const machine::jit::MessageSlots& slots = kernel_->sites()[site].slots;
  const Key key{site,
                slots.surface ? identity_at(bindings.surfaces, slots.surface)
                              : identity_of(handles.surface ? bindings.surface_with(*handles.surface) : nullptr),
                slots.sampler ? identity_at(bindings.samplers, slots.sampler)
                              : identity_of(handles.sampler ? bindings.sampler_with(*handles.sampler) : nullptr)};
  auto found = made_.find(key);
  if (found == made_.end()) {
    Made made;
    make(site, handles, bindings, made);
    constexpr std::size_t kNode = 64;  // of the table, and what the allocator adds
    const std::size_t bytes = sizeof(Key) + sizeof(Made) + kNode +
                              (made.message != nullptr ? made.message->bytes() + made.message->read_bytes() : 0);
    make_room(bytes);
    if (all_made + bytes > kMaxMade && made_bytes_ + bytes > kOwnMade) forget();
    if (made.message != nullptr) {
      made.call.calls = calls_of(site, made.message);
      made.call.call.dynamic_state = keep_state(*made.message);
      share(site, made);
    }
    found = made_.emplace(key, std::move(made)).first;
    made_bytes_ += bytes;
    all_made += bytes;
  }
  return found->second;
}

std::size_t HandleMessages::find_place(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings) {
  if (site < sites_.size()) [[likely]] {
    const std::vector<Place>& places = sites_[site].places;
    const std::size_t at = place_of(handles) & (places.size() - 1);
    if (at < places.size() && places[at].run == run_ && places[at].handles == packed(handles)) return at;
  }
  return fill_place(site, handles, bindings);
}

std::size_t HandleMessages::fill_place(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings) {
  const Made& made = made_of(site, handles, bindings);
  Site& of = site_of(site, bindings);  // now: what was made may have taken the place of everything
  const std::size_t at = place_of(handles) & (of.places.size() - 1);
  of.calls[at] = made.call;
  of.places[at] = {packed(handles), run_, made.shape, made.texels, &made};
  return at;
}

const machine::jit::MessageCall* HandleMessages::find(std::uint32_t site, const Handles& handles,
                                                      const machine::Bindings& bindings) {
  const std::size_t place = find_place(site, handles, bindings);
  const HandleCall& call = sites_[site].calls[place];
  if (call.calls == nullptr) return nullptr;
  ++call.calls->all;
  return &call.call;
}

const machine::jit::MessageCall* HandleMessages::find_shared(std::uint32_t site, const LaneHandles& handles,
                                                             std::uint32_t lanes, const machine::Bindings& bindings,
                                                             machine::jit::SharedCall& shared) {
  Site& of = site_of(site, bindings);
  const std::uint64_t base = packed({handles.surface, handles.sampler});
  LastShared& last = of.shared[lanes * 0x9e3779b9u >> 30];
  if (last.run == run_ && last.lanes == lanes && last.first == base &&
      with_width(lanes, [&](auto n) { return are_equal<n>(last.elements.data(), handles.elements); })) {
    shared.lanes = last.shared.lanes;
    std::ranges::copy(last.shared.apart, shared.apart);  // without the call that one word more would take
    ++last.call->calls->all;
    return &last.call->call;
  }
  // Those of lanes that were met in this run lie in their places, which stay where they are until everything goes.
  const std::uint64_t before = forgotten_;
  const Place* const places = of.places.data();
  const std::size_t mask = of.places.size() - 1;
  shared = {};
  Place first;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Handles chosen = handles.of(lane);
    if (((chosen.surface.value_or(0) | chosen.sampler.value_or(0)) >> 31) != 0) return nullptr;  // see first_of_each
    const Place* one = &places[place_of(chosen) & mask];
    if (one->run != run_ || one->handles != packed(chosen)) [[unlikely]] {
      const std::size_t at = fill_place(site, chosen, bindings);
      if (forgotten_ != before) return nullptr;
      one = &places[at];
    }
    if (rest == lanes) {
      if (one->shape == 0) return nullptr;
      first = *one;
    }
    if (one->shape != first.shape) continue;
    const std::int64_t apart = one->texels - first.texels;
    if (apart <= -machine::jit::PreparedMessage::kMaxApart || apart >= machine::jit::PreparedMessage::kMaxApart)
      continue;
    shared.lanes |= 1u << lane;
    shared.apart[lane] = static_cast<std::uint32_t>(apart);
  }
  const HandleCall& call = first.made->shared;
  with_width(lanes, [&](auto n) {
    std::copy_n(handles.elements, n(), last.elements.begin());
    return 0;
  });
  last.first = base;
  last.lanes = lanes;
  last.run = run_;
  last.call = &call;
  last.shared = shared;
  ++call.calls->all;
  return &call.call;
}

}  // namespace heddle::engine::jit
