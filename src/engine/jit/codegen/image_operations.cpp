#include "engine/jit/codegen/image_operations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "instructions/data_port/jit_typed.hpp"
#include "instructions/jit_known_values.hpp"
#include "instructions/render_cache/jit_target.hpp"
#include "instructions/sampler/jit_footprint.hpp"
#include "instructions/sampler/jit_image.hpp"
#include "instructions/sampler/jit_unorm.hpp"

namespace heddle::engine::jit {

namespace {
template <typename T>
std::span<const std::uint8_t> bytes_of(const T& static_state) {
  return {reinterpret_cast<const std::uint8_t*>(&static_state), sizeof static_state};
}

/// Messages that differ in nothing but their offset and channel read equal state: with one place for it, what they
/// calculate alike from it is seen to be alike. Only cubes come to the fallback, which looks at the message.
bool have_one_state(const texture::simd::PreparedOperation& a, const texture::simd::PreparedOperation& b) {
  if (a.request.surface != b.request.surface || a.request.sampler != b.request.sampler || a.static_state.cube != 0)
    return false;
  texture::simd::StaticState other = b.static_state;
  std::ranges::copy(a.static_state.offset, other.offset);
  std::ranges::copy(a.static_state.select, other.select);
  return std::ranges::equal(bytes_of(a.static_state), bytes_of(other));
}
}  // namespace

const std::string& Images::function_for(const std::string& entry, std::span<const std::uint8_t> static_state,
                                        bool writes, unsigned lanes) {
  for (const Function& f : functions_)
    if (f.entry == entry && std::ranges::equal(f.static_state, static_state)) return f.name;
  functions_.push_back({fmt::format("heddle_image_{}", functions_.size()), entry, static_state, writes, lanes});
  return functions_.back().name;
}

Images::Images(const machine::Code& code, const machine::StateIndex& states, const ControlFlowGraph& graph,
               const KnownValueMap& known, const machine::Bindings& bindings, const machine::PixelState* pixels) {
  const machine::PreparedObject& object = code.objects.front();
  uses_.resize(object.code.size());
  constexpr const char* kFamilies[] = {"sample", "load", "gather4", "info"};
  machine::jit::KnownValues now;
  for (std::uint32_t i = 0; i < object.code.size(); ++i) {
    if (graph.nodes[i].leader && known.at[i]) now = *known.at[i];
    if (graph.nodes[i].routine == 0xffffffffu || now.states.empty()) continue;
    const machine::Decoded& d = object.code[i];
    const instructions::ImageMessage message{code, now, states, bindings, d};
    const auto slot = static_cast<std::uint32_t>(table_.size());
    if (auto state = instructions::prepare_image(message)) {
      state->static_state.quads = pixels != nullptr;
      const std::string entry =
          fmt::format("heddle_simd_{}_{}", kFamilies[static_cast<unsigned>(state->static_state.family)], d.lanes);
      const auto same = std::ranges::find_if(
          uses_, [&](const auto& use) { return use.state != nullptr && have_one_state(*use.state, *state); });
      uses_[i] = {.slot = same != uses_.end() ? same->slot : slot,
                  .function = function_for(entry, bytes_of(state->static_state), false, d.lanes),
                  .state = state.get()};
      if (same == uses_.end()) table_.push_back(&state->dynamic_state);
      states_.push_back(std::move(state));
    } else if (auto target = instructions::prepare_target_write(message, pixels)) {
      const std::string entry = fmt::format("heddle_simd_rt_write_{}", d.lanes);
      uses_[i] = {
          .slot = slot, .function = function_for(entry, bytes_of(target->static_state), true), .target = target.get()};
      table_.push_back(&target->dynamic_state);
      targets_.push_back(std::move(target));
    } else if (auto footprint = instructions::prepare_footprint(message)) {
      const std::string entry = fmt::format("heddle_simd_footprint_{}", d.lanes);
      uses_[i] = {.slot = slot,
                  .function = function_for(entry, bytes_of(footprint->static_state), false),
                  .footprint = footprint.get()};
      table_.push_back(&footprint->dynamic_state);
      footprints_.push_back(std::move(footprint));
    } else if (auto unorm = instructions::prepare_unorm(message)) {
      uses_[i] = {.slot = slot,
                  .function = function_for("heddle_simd_unorm", bytes_of(unorm->static_state), false),
                  .unorm = unorm.get()};
      table_.push_back(&unorm->dynamic_state);
      unorms_.push_back(std::move(unorm));
    } else if (auto typed = instructions::prepare_typed(message)) {
      const std::string entry = fmt::format("heddle_simd_typed_write_{}", d.lanes);
      const bool atomic = instructions::is_typed_atomic(d);
      uses_[i] = {.slot = slot,
                  .function = atomic ? "none" : function_for(entry, bytes_of(typed->static_state), true),
                  .typed = typed.get()};
      table_.push_back(&typed->dynamic_state);
      typed_.push_back(std::move(typed));
    }
    if (!graph.nodes[i].moves()) instructions::transfer(now, object, states, d);
  }
}

}  // namespace heddle::engine::jit
