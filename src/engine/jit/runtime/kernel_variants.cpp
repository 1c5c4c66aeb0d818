// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/kernel_variants.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/locks/brief_mutex.hpp"
#include "engine/jit/runtime/native_functions.hpp"
#include "instructions/sampler/jit_image.hpp"

namespace heddle::engine::jit {
namespace {

constexpr std::size_t kMaxVariants = 128, kMaxNumbers = 65536;  // of machine code and its static states

std::size_t bytes_of(const BoundKernel& bound) {
  constexpr std::size_t kNode = 64;  // of the table, and what the allocator adds
  std::size_t bytes = kNode + sizeof bound + bound.why_not.size() + 2 * 8 * bound.identities.size() +
                      4 * bound.static_states.size() + 8 * bound.table.size() +
                      sizeof(machine::jit::MessageCall) * bound.calls.size();
  for (const Images::Message& message : bound.messages)
    bytes += sizeof message + (message != nullptr ? message->bytes() : 0);
  return bytes;
}

void add_once(std::vector<std::uint32_t>& list, const std::optional<std::uint32_t>& value) {
  if (value && std::ranges::find(list, *value) == list.end()) list.push_back(*value);
}

std::uint32_t place_of(const std::vector<std::uint32_t>& list, std::uint32_t value) {
  return static_cast<std::uint32_t>(std::ranges::find(list, value) - list.begin());
}

template <typename T>
std::uint64_t identity_at(const std::vector<machine::Resource<T>>& table, std::uint32_t index) {
  return index < table.size() ? table[index].identity() : 0;
}

}  // namespace

template <typename T>
std::size_t KernelVariants::Hash<T>::operator()(const std::vector<T>& values) const {
  std::uint64_t hash = values.size();
  for (const T value : values) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

/// What they keep is bounded together: a program has many families, and most of what is bound may be gone.
struct KernelVariants::All {
  static All& instance() {
    static All& one = *new All;  // never destroyed: a family may be a static's
    return one;
  }
  /// Nothing is found again until it is made again.
  void forget() {
    const std::lock_guard guard(mutex);
    for (KernelVariants* family : families) family->forget();
  }
  base::BriefMutex mutex;
  std::unordered_set<KernelVariants*> families;
  std::atomic<std::size_t> kept_bytes = 0;
};

KernelVariants::KernelVariants(std::shared_ptr<const PreparedKernel> prepared) : prepared_(std::move(prepared)) {
  for (const MessageSite& site : prepared_->sites()) {
    add_once(surface_slots_, site.slots.surface);
    add_once(sampler_slots_, site.slots.sampler);
  }
  const auto surfaces = static_cast<std::uint32_t>(surface_slots_.size()),
             samplers = static_cast<std::uint32_t>(sampler_slots_.size());
  for (const MessageSite& site : prepared_->sites()) {
    std::vector<std::uint32_t>& slots = site_slots_.emplace_back();
    if (site.slots.surface) slots.push_back(place_of(surface_slots_, *site.slots.surface));
    if (site.slots.sampler) slots.push_back(surfaces + place_of(sampler_slots_, *site.slots.sampler));
    slots.push_back(surfaces + samplers);  // what the pixels are
  }
  find_alike();
  All& all = All::instance();
  const std::lock_guard guard(all.mutex);
  all.families.insert(this);
}

/// Sites of one surface and one sampler whose messages are the same whatever is bound there.
void KernelVariants::find_alike() {
  const machine::Code& code = prepared_->code();
  std::map<std::pair<std::vector<std::uint32_t>, std::string>, std::uint32_t> first;
  const std::vector<MessageSite>& sites = prepared_->sites();
  for (std::uint32_t k = 0; k < sites.size(); ++k) {
    alike_.push_back(k);
    if (sites[k].slots.by_handle || !sites[k].slots.surface) continue;
    const std::string facts = instructions::image_facts(code, code.objects.front().code[sites[k].instruction]);
    if (!facts.empty()) alike_[k] = first.try_emplace({site_slots_[k], facts}, k).first->second;
  }
}

KernelVariants::~KernelVariants() {
  All& all = All::instance();
  const std::lock_guard guard(all.mutex);
  all.families.erase(this);
  all.kept_bytes -= kept_bytes_;
}

void KernelVariants::forget() {
  const std::unique_lock lock(mutex_);
  bound_.clear();
  All::instance().kept_bytes -= std::exchange(kept_bytes_, 0);
}

std::unique_ptr<KernelVariants> KernelVariants::create(const reference::ResolvedKernel& kernel,
                                                       const machine::Bindings& slots, const KernelOptions& options,
                                                       std::string& why_not) {
  auto prepared = PreparedKernel::create(kernel, slots, options, why_not);
  if (prepared == nullptr) return nullptr;
  return std::unique_ptr<KernelVariants>(new KernelVariants(std::move(prepared)));
}

std::uint64_t KernelVariants::identity(std::size_t slot, const machine::Bindings& bindings,
                                       const Pixels& pixels) const {
  if (slot < surface_slots_.size()) return identity_at(bindings.surfaces, surface_slots_[slot]);
  slot -= surface_slots_.size();
  return slot < sampler_slots_.size() ? identity_at(bindings.samplers, sampler_slots_[slot]) : pixels.identity();
}

bool KernelVariants::fits(const BoundKernel& bound, const machine::Bindings& bindings, const Pixels& pixels) const {
  for (std::size_t slot = 0; slot < bound.identities.size(); ++slot)
    if (bound.identities[slot] != identity(slot, bindings, pixels)) return false;
  return true;
}

std::shared_ptr<const BoundKernel> KernelVariants::find(const machine::Bindings& bindings, const Pixels& pixels,
                                                        const BoundKernel* last, std::string& why_not) {
  Identities identities(surface_slots_.size() + sampler_slots_.size() + 1);
  for (std::size_t slot = 0; slot < identities.size(); ++slot) identities[slot] = identity(slot, bindings, pixels);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = bound_.find(identities); found != bound_.end()) {
      if (found->second->kernel != nullptr) return found->second;
      return why_not = found->second->why_not, nullptr;
    }
  }
  auto made = make(std::move(identities), bindings, pixels.get(), last);
  keep(made);
  if (made->kernel != nullptr) return made;
  return why_not = made->why_not, nullptr;
}

void KernelVariants::keep(const std::shared_ptr<const BoundKernel>& made) {
  All& all = All::instance();
  const std::size_t bytes = bytes_of(*made);
  if (all.kept_bytes + bytes > kMaxKept) all.forget();
  const std::unique_lock lock(mutex_);
  if (!bound_.try_emplace(made->identities, made).second) return;
  kept_bytes_ += bytes;
  all.kept_bytes += bytes;
}

/// Messages of one number have the same code; 0: there is none.
std::uint32_t KernelVariants::number_of(const machine::jit::PreparedMessage* message) {
  if (message == nullptr) return 0;
  const machine::jit::PreparedMessage::Function kernel = message->function();
  std::string key = kernel.entry;
  key.push_back('\0');
  for (const std::uint32_t at : kernel.inputs) key += std::to_string(at) + ' ';
  key.push_back('\0');
  key.append(kernel.static_state.begin(), kernel.static_state.end());
  const auto [at, added] = numbers_.try_emplace(std::move(key), last_number_ + 1);
  if (added) ++last_number_;
  return at->second;
}

KernelVariants::Variant KernelVariants::variant_of(const std::vector<std::uint32_t>& static_states,
                                                   std::span<const Images::Message> messages) {
  if (const auto found = variants_.find(static_states); found != variants_.end()) return found->second;
  Variant variant;  // joins the others when it is whole: what follows may throw
  variant.kernel = CompiledKernel::prepare(prepared_, prepared_->images_of(messages), variant.why_not);
  if (variants_.size() >= kMaxVariants || numbers_.size() >= kMaxNumbers) {
    variants_.clear();
    numbers_.clear();
  }
  variants_.emplace(static_states, variant);
  return variant;
}

/// Null: none has been made.
std::shared_ptr<const CompiledKernel> KernelVariants::most_run() {
  std::shared_ptr<const CompiledKernel> most;
  const std::lock_guard lock(making_);
  for (const auto& [states, variant] : variants_)
    if (variant.kernel != nullptr && (most == nullptr || variant.kernel->executed() > most->executed()))
      most = variant.kernel;
  return most;
}

std::uint64_t KernelVariants::executed() {
  const auto most = most_run();
  return most != nullptr ? most->executed() : 0;
}

CodeListing KernelVariants::list() {
  const auto most = most_run();
  return most != nullptr ? most->list() : CompiledKernel::list_unbound(prepared_);
}

std::shared_ptr<const BoundKernel> KernelVariants::make(Identities identities, const machine::Bindings& bindings,
                                                        const machine::PixelState* pixels, const BoundKernel* last) {
  auto made = std::make_shared<BoundKernel>();
  made->identities = std::move(identities);
  const std::size_t sites = prepared_->sites().size();
  made->messages.resize(sites);
  made->calls.resize(sites);
  made->static_states.resize(sites);
  const std::lock_guard lock(making_);
  for (std::size_t k = 0; k < sites; ++k) {
    if (last != nullptr && std::ranges::all_of(site_slots_[k], [&](std::uint32_t slot) {
          return last->identities[slot] == made->identities[slot];
        })) {
      made->messages[k] = last->messages[k];
      made->calls[k] = last->calls[k];
      made->static_states[k] = last->static_states[k];
      continue;
    }
    if (const std::uint32_t same = alike_[k]; same != k) {
      made->messages[k] = made->messages[same];
      made->calls[k] = made->calls[same];
      made->static_states[k] = made->static_states[same];
      continue;
    }
    made->messages[k] = prepared_->prepare_message(k, bindings, pixels);
    made->calls[k] = call_of(made->messages[k].get());
    made->static_states[k] = number_of(made->messages[k].get());
  }
  Variant variant = variant_of(made->static_states, made->messages);
  made->kernel = std::move(variant.kernel);
  made->why_not = std::move(variant.why_not);
  if (made->kernel == nullptr) return made;
  for (const std::uint32_t site : made->kernel->images().table_sites())
    made->table.push_back(made->messages[site]->dynamic_state());
  return made;
}

}  // namespace heddle::engine::jit
