#include "engine/jit/codegen/image_operations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "instructions/jit_known_values.hpp"
#include "instructions/prepare_message.hpp"

namespace heddle::engine::jit {

using machine::jit::PreparedMessage;

/// The name of the code for the message's state; empty where it needs none.
const std::string& Images::function_for(const PreparedMessage& message) {
  static const std::string kNone;
  PreparedMessage::Kernel kernel = message.kernel();
  if (kernel.entry.empty()) return kNone;
  for (const Function& f : functions_)
    if (f.kernel.entry == kernel.entry && std::ranges::equal(f.kernel.static_state, kernel.static_state)) return f.name;
  functions_.push_back({fmt::format("heddle_image_{}", functions_.size()), std::move(kernel), &message});
  return functions_.back().name;
}

std::uint32_t Images::slot_for(const PreparedMessage& message) {
  const auto next = static_cast<std::uint32_t>(table_.size());
  if (std::string key = message.place_key(); !key.empty()) {
    const auto [at, added] = shared_slots_.try_emplace(std::move(key), next);
    if (!added) return at->second;
  }
  table_.push_back(message.dynamic_state());
  return next;
}

Images::Images(const machine::Code& code, const machine::StateIndex& states, const ControlFlowGraph& graph,
               const KnownValueMap& known, const machine::Bindings& bindings, const machine::PixelState* pixels) {
  const machine::PreparedObject& object = code.objects.front();
  uses_.resize(object.code.size());
  machine::jit::KnownValues now;
  for (std::uint32_t i = 0; i < object.code.size(); ++i) {
    if (graph.nodes[i].leader && known.at[i]) now = *known.at[i];
    if (graph.nodes[i].routine == 0xffffffffu || now.states.empty()) continue;
    const machine::Decoded& d = object.code[i];
    if (auto message = instructions::prepare_message({code, now, states, bindings, pixels, d})) {
      uses_[i] = {.slot = slot_for(*message), .function = function_for(*message), .message = message.get()};
      messages_.push_back(std::move(message));
    }
    if (!graph.nodes[i].moves()) instructions::transfer(now, object, states, d);
  }
  shared_slots_.clear();
}

}  // namespace heddle::engine::jit
