// SPDX-License-Identifier: MIT
#include "engine/jit/analysis/image_operations.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "instructions/jit_known_values.hpp"
#include "instructions/prepare_message.hpp"

namespace heddle::engine::jit {

using machine::jit::KnownValues;
using machine::jit::MessageSlots;
using machine::jit::PreparedMessage;

std::vector<MessageSite> find_message_sites(const machine::Code& code, const machine::StateIndex& states,
                                            const ControlFlowGraph& graph, const KnownValueMap& known,
                                            const machine::PixelState* pixels) {
  static const machine::Bindings kNothing;
  const machine::PreparedObject& object = code.objects.front();
  std::vector<MessageSite> sites;
  KnownValues now;
  for (std::uint32_t i = 0; i < object.code.size(); ++i) {
    if (graph.nodes[i].leader && known.at[i]) now = *known.at[i];
    if (graph.nodes[i].routine == 0xffffffffu || now.states.empty()) continue;
    MessageSlots slots;
    (void)instructions::prepare_message({code, now, states, kNothing, pixels, object.code[i], &slots});
    std::shared_ptr<const PreparedMessage> sample;
    if (slots.by_handle) sample = instructions::prepare_any({code, now, states, kNothing, pixels, object.code[i]});
    if (slots.by_handle ? sample != nullptr : slots.surface.has_value()) {
      const bool alike = !sites.empty() && sites.back().known->states == now.states;
      sites.push_back(
          {i, slots, alike ? sites.back().known : std::make_shared<const KnownValues>(now), std::move(sample)});
    }
    if (!graph.nodes[i].moves()) instructions::transfer(now, object, states, object.code[i]);
  }
  return sites;
}

std::unique_ptr<PreparedMessage> prepare_site(const MessageSite& site, const machine::Code& code,
                                              const machine::StateIndex& states, const machine::Bindings& bindings,
                                              const machine::PixelState* pixels) {
  return instructions::prepare_message(
      {code, *site.known, states, bindings, pixels, code.objects.front().code[site.instruction]});
}

std::unique_ptr<PreparedMessage> prepare_example(const MessageSite& site, const machine::Code& code,
                                                 const machine::StateIndex& states, const machine::PixelState* pixels) {
  static const machine::Bindings kNothing;
  return instructions::prepare_any(
      {code, *site.known, states, kNothing, pixels, code.objects.front().code[site.instruction]});
}

namespace {
bool called_alike(const PreparedMessage::Function& a, const PreparedMessage::Function& b) {
  return a.has_output == b.has_output && a.input_bytes == b.input_bytes && a.inputs == b.inputs;
}
bool same_code(const PreparedMessage::Function& a, const PreparedMessage::Function& b) {
  return a.entry == b.entry && a.inputs == b.inputs && std::ranges::equal(a.static_state, b.static_state);
}
}  // namespace

bool same_state(const Images::Message& a, const Images::Message& b) {
  return a == b || (a != nullptr && b != nullptr && same_code(a->function(), b->function()));
}

std::unique_ptr<PreparedMessage> prepare_by_handle(const MessageSite& site, const Handles& handles,
                                                   const machine::Code& code, const machine::StateIndex& states,
                                                   const machine::Bindings& bindings,
                                                   const machine::PixelState* pixels) {
  KnownValues known = *site.known;
  const machine::Decoded& d = code.objects.front().code[site.instruction];
  for (unsigned o = 0; o < d.operand_count; ++o) {
    const machine::Operand& operand = code.objects.front().operands[d.first_operand + o];
    if (!instructions::is_handle(operand)) continue;
    const bool surface = operand.kind == isa::OperandKind::Surface;
    const std::uint32_t at =
        surface ? states.surface(operand.id, operand.element) : states.sampler(operand.id, operand.element);
    if (at < known.states.size()) known.states[at] = surface ? handles.surface : handles.sampler;
  }
  auto message = instructions::prepare_message({code, known, states, bindings, pixels, d});
  if (message == nullptr || message->form() != site.sample->form() ||
      !called_alike(message->function(), site.sample->function()))
    return nullptr;
  return message;
}

/// The name of the code of one of the message's kernels for its state; empty where it needs none.
const std::string& Images::function_for(const Message& message, PreparedMessage::Function kernel, Knows knows) {
  static const std::string kNone;
  if (kernel.entry.empty()) return kNone;
  const bool open = knows == Knows::Forms;
  for (const Function& f : functions_)
    if (f.open == open && (open ? called_alike(f.kernel, kernel) : same_code(f.kernel, kernel))) return f.name;
  functions_.push_back({fmt::format("heddle_image_{}", functions_.size()), std::move(kernel), message, open});
  return functions_.back().name;
}

/// Its place in the table.
std::uint32_t Images::place_for(const PreparedMessage& message, const MessageSlots& slots, std::uint32_t site,
                                PlaceKeys& known) {
  const auto next = static_cast<std::uint32_t>(table_.size());
  if (const std::string key = message.place_key(); !key.empty()) {
    const std::string slot = slots.sampler ? fmt::to_string(*slots.sampler) : "none";
    const auto [at, added] = known.try_emplace(fmt::format("{} {} {}", slots.surface.value_or(0), slot, key), next);
    if (!added) return at->second;
  }
  table_.push_back(message.dynamic_state());
  table_sites_.push_back(site);
  return next;
}

Images::Images(std::span<const MessageSite> sites, std::span<const Message> messages, Knows knows)
    : messages_(messages.begin(), messages.end()) {
  PlaceKeys known;
  std::unordered_map<const PreparedMessage*, std::size_t> first;  // use that has it
  for (std::uint32_t k = 0; k < sites.size(); ++k) {
    if (messages[k] == nullptr) continue;
    const Message& message = messages[k];
    const bool by_handle = sites[k].slots.by_handle, open = by_handle || knows == Knows::Forms;
    const auto [same, added] = first.try_emplace(message.get(), uses_.size());
    Use& use = uses_.emplace_back();
    use.instruction = sites[k].instruction;
    if (!added && !by_handle) {
      use.use = uses_[same->second].use;
      if (open) use.use.slot = k;
      continue;
    }
    use.use = {.slot = open ? k : place_for(*message, sites[k].slots, k, known),
               .open = open,
               .by_handle = by_handle,
               .function = function_for(message, message->function(), open ? Knows::Forms : knows),
               .second = open ? std::string() : function_for(message, message->second_function(), knows),
               .apart = by_handle ? function_for(message, message->apart_function(), Knows::Forms) : std::string(),
               .message = message.get()};
  }
}

void Images::set_likely(std::span<const MessageSite> sites, std::span<const Message> messages) {
  for (std::size_t k = 0; k < std::min(sites.size(), messages.size()); ++k) {
    if (messages[k] == nullptr || messages[k]->function().entry.empty()) continue;
    const auto at = std::ranges::lower_bound(uses_, sites[k].instruction, {}, &Use::instruction);
    if (at == uses_.end() || at->instruction != sites[k].instruction || !at->use.by_handle) continue;
    machine::jit::MessageUse& use = at->use;
    use.function = likely_function(messages[k], false);
    if (!use.apart.empty() && !messages[k]->apart_function().entry.empty())
      use.apart = likely_function(messages[k], true);
  }
}

/// The name of an open function whose code knows the state of this message.
std::string Images::likely_function(const Message& message, bool apart) {
  const auto known = std::ranges::find_if(functions_, [&](const Function& f) {
    return f.likely != nullptr && f.apart == apart && same_state(f.likely, message);
  });
  if (known != functions_.end()) return known->name;
  functions_.push_back({.name = fmt::format("heddle_image_{}", functions_.size()),
                        .kernel = apart ? message->apart_function() : message->function(),
                        .message = message,
                        .open = true,
                        .likely = message,
                        .apart = apart});
  return functions_.back().name;
}

}  // namespace heddle::engine::jit
