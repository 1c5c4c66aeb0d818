#include "engine/jit/images.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "instructions/jit_facts.hpp"
#include "instructions/jit_footprint.hpp"
#include "instructions/jit_image.hpp"
#include "instructions/jit_target.hpp"
#include "instructions/jit_typed.hpp"
#include "instructions/jit_unorm.hpp"

namespace heddle::engine::jit {

namespace {
template <typename T>
std::span<const std::uint8_t> bytes_of(const T& fixed) {
  return {reinterpret_cast<const std::uint8_t*>(&fixed), sizeof fixed};
}

/// Messages that differ in nothing but their offset and channel read equal state: with one place for it, what they
/// calculate alike from it is seen to be alike. Only cubes come to the fallback, which looks at the message.
bool have_one_state(const unit::lanes::Prepared& a, const unit::lanes::Prepared& b) {
  if (a.request.surface != b.request.surface || a.request.sampler != b.request.sampler || a.fixed.cube != 0)
    return false;
  unit::lanes::Fixed other = b.fixed;
  std::ranges::copy(a.fixed.offset, other.offset);
  std::ranges::copy(a.fixed.select, other.select);
  return std::ranges::equal(bytes_of(a.fixed), bytes_of(other));
}
}  // namespace

const std::string& Images::function_for(const std::string& entry, std::span<const std::uint8_t> fixed, bool writes,
                                        unsigned lanes) {
  for (const Function& f : functions_)
    if (f.entry == entry && std::ranges::equal(f.fixed, fixed)) return f.name;
  functions_.push_back({fmt::format("heddle_image_{}", functions_.size()), entry, fixed, writes, lanes});
  return functions_.back().name;
}

Images::Images(const machine::Code& code, const machine::StateIndex& states, const Shape& shape, const FactMap& facts,
               const machine::Bindings& bindings, const machine::PixelState* pixels) {
  const machine::Prepared& object = code.objects.front();
  uses_.resize(object.code.size());
  constexpr const char* kFamilies[] = {"sample", "load", "gather4", "info"};
  machine::jit::Facts now;
  for (std::uint32_t i = 0; i < object.code.size(); ++i) {
    if (shape.steps[i].leader && facts.at[i]) now = *facts.at[i];
    if (shape.steps[i].routine == 0xffffffffu || now.states.empty()) continue;
    const machine::Decoded& d = object.code[i];
    const instructions::ImageMessage message{code, now, states, bindings, d};
    const auto slot = static_cast<std::uint32_t>(table_.size());
    if (auto state = instructions::prepare_image(message)) {
      state->fixed.quads = pixels != nullptr;
      const std::string entry =
          fmt::format("heddle_lanes_{}_{}", kFamilies[static_cast<unsigned>(state->fixed.family)], d.lanes);
      const auto same = std::ranges::find_if(
          uses_, [&](const auto& use) { return use.state != nullptr && have_one_state(*use.state, *state); });
      uses_[i] = {.slot = same != uses_.end() ? same->slot : slot,
                  .function = function_for(entry, bytes_of(state->fixed), false, d.lanes),
                  .state = state.get()};
      if (same == uses_.end()) table_.push_back(&state->varying);
      states_.push_back(std::move(state));
    } else if (auto target = instructions::prepare_target_write(message, pixels)) {
      const std::string entry = fmt::format("heddle_lanes_rt_write_{}", d.lanes);
      uses_[i] = {.slot = slot, .function = function_for(entry, bytes_of(target->fixed), true), .target = target.get()};
      table_.push_back(&target->varying);
      targets_.push_back(std::move(target));
    } else if (auto footprint = instructions::prepare_footprint(message)) {
      const std::string entry = fmt::format("heddle_lanes_footprint_{}", d.lanes);
      uses_[i] = {.slot = slot,
                  .function = function_for(entry, bytes_of(footprint->fixed), false),
                  .footprint = footprint.get()};
      table_.push_back(&footprint->varying);
      footprints_.push_back(std::move(footprint));
    } else if (auto unorm = instructions::prepare_unorm(message)) {
      uses_[i] = {.slot = slot,
                  .function = function_for("heddle_lanes_unorm", bytes_of(unorm->fixed), false),
                  .unorm = unorm.get()};
      table_.push_back(&unorm->varying);
      unorms_.push_back(std::move(unorm));
    } else if (auto typed = instructions::prepare_typed(message)) {
      const std::string entry = fmt::format("heddle_lanes_typed_write_{}", d.lanes);
      const bool atomic = instructions::is_typed_atomic(d);
      uses_[i] = {.slot = slot,
                  .function = atomic ? "none" : function_for(entry, bytes_of(typed->fixed), true),
                  .typed = typed.get()};
      table_.push_back(&typed->varying);
      typed_.push_back(std::move(typed));
    }
    if (!shape.steps[i].moves()) instructions::learn(now, object, states, d);
  }
}

}  // namespace heddle::engine::jit
