#include "engine/jit/images.hpp"

#include <cstring>

#include <fmt/format.h>

#include "instructions/jit_facts.hpp"
#include "instructions/jit_image.hpp"

namespace heddle::engine::jit {

Images::Images(const machine::Code& code, const machine::StateIndex& states, const Shape& shape, const FactMap& facts,
               const machine::Bindings& bindings) {
  const machine::Prepared& object = code.objects.front();
  uses_.resize(object.code.size());
  constexpr const char* kFamilies[] = {"sample", "load", "gather4", "info"};
  machine::jit::Facts now;
  for (std::uint32_t i = 0; i < object.code.size(); ++i) {
    if (shape.steps[i].leader && facts.at[i]) now = *facts.at[i];
    if (shape.steps[i].routine == 0xffffffffu || now.states.empty()) continue;
    const machine::Decoded& d = object.code[i];
    if (auto state = instructions::prepare_image(code, now, states, bindings, d)) {
      const std::string entry =
          fmt::format("heddle_lanes_{}_{}", kFamilies[static_cast<unsigned>(state->fixed.family)], d.lanes);
      std::size_t f = 0;
      while (f < functions_.size() && (functions_[f].entry != entry ||
                                       std::memcmp(functions_[f].fixed, &state->fixed, sizeof state->fixed) != 0))
        ++f;
      if (f == functions_.size()) functions_.push_back({fmt::format("heddle_image_{}", f), entry, &state->fixed});
      uses_[i] = {static_cast<std::uint32_t>(states_.size()), functions_[f].name, state.get()};
      table_.push_back(&state->varying);
      states_.push_back(std::move(state));
    }
    if (!shape.steps[i].moves()) instructions::learn(now, object, states, d);
  }
}

}  // namespace heddle::engine::jit
