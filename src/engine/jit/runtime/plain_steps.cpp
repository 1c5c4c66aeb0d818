// SPDX-License-Identifier: MIT
#include "engine/jit/runtime/plain_steps.hpp"

#include <bit>
#include <cstring>

#include "instructions/reference.hpp"
#include "machine/execution_context.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::engine::jit {
namespace {

using instructions::PlainMessage;
using instructions::PlainStep;

using Kernel = void (*)(const void* static_state, const void* dynamic_state, const texture::simd::Inputs* inputs,
                        std::uint32_t mask, std::uint32_t* out, void* thread);

/// That of the machine at hand; null: none was compiled for it.
Kernel kernel_of(const machine::jit::MessageCall& call) {
#if defined(__x86_64__)
  switch (texture::simd::best_instruction_set()) {
    case texture::simd::InstructionSet::V4:
      return reinterpret_cast<Kernel>(call.kernels[1]);
    case texture::simd::InstructionSet::V3:
      return reinterpret_cast<Kernel>(call.kernels[0]);
    case texture::simd::InstructionSet::Baseline:
      break;
  }
  return nullptr;
#else
  return reinterpret_cast<Kernel>(call.kernels[0]);
#endif
}

/// Steps and messages do what is done at the start of every program, and tell nobody.
bool may_run(const machine::Thread& thread) {
  const machine::Modes& modes = thread.modes();
  return modes.keep_single && !modes.alt && modes.rounding == machine::Rounding::NearestEven &&
         thread.observer() == nullptr && !thread.reports().checking();
}

}  // namespace

PlainSteps::PlainSteps(const machine::Code& code, const ControlFlowGraph& graph, std::span<const MessageSite> sites) {
  const machine::PreparedObject& object = code.objects.front();
  places_.resize(object.code.size() + 1);
  places_.back().joins = true;
  auto site = sites.begin();
  for (std::uint32_t i = 0; i < object.code.size(); ++i) {
    const machine::Decoded& d = object.code[i];
    Place& place = places_[i];
    place.joins = graph.nodes[i].leader;
    while (site != sites.end() && site->instruction < i) ++site;
    if (d.execute == instructions::does_nothing) {
      if (d.description->traits.fence == isa::FenceKind::None) place.kind = Kind::Nothing;
    } else if (site != sites.end() && site->instruction == i) {
      if (site->slots.by_handle || !instructions::has_plain_lanes(d)) continue;
      const auto message = instructions::plain_message(code, d);
      if (!message) continue;
      place = {Kind::Message, place.joins, static_cast<std::uint32_t>(messages_.size())};
      messages_.push_back({static_cast<std::uint32_t>(site - sites.begin()), instructions::PlainLanes(d), *message});
    } else if (const auto step = instructions::plain_step(machine::Operands(object, d))) {
      place = {Kind::Step, place.joins, static_cast<std::uint32_t>(steps_.size())};
      steps_.push_back(*step);
    }
  }
}

bool PlainSteps::run_message(const PlainMessage& m, const machine::jit::MessageCall& call, machine::Thread& thread,
                             std::uint32_t lanes) {
  const Kernel kernel = kernel_of(call);
  texture::OperationContext& context = thread.unit_context();
  if (kernel == nullptr || context.observer != nullptr) return false;
  if (lanes == 0) return true;  // EXE-3
  std::uint8_t* const file = thread.registers().bytes();
  texture::simd::Inputs inputs{};
  for (const auto& [param, at] : std::span(m.inputs).first(m.input_count))
    inputs.param[static_cast<std::size_t>(param)] = reinterpret_cast<const std::uint32_t*>(file + at);
  std::array<std::uint32_t, 4 * machine::kMaxLanes + 1> out;
  kernel(call.static_state, call.dynamic_state, &inputs, lanes, out.data(), &context);
  const std::uint32_t all = m.lanes >= 32 ? 0xffffffffu : (1u << m.lanes) - 1;
  for (std::size_t c = 0; c < 4; ++c) {
    if (m.outputs[c] == PlainMessage::kNowhere) continue;
    const std::uint32_t* const from = out.data() + c * m.lanes;
    std::uint8_t* const to = file + m.outputs[c];
    if (lanes == all) {
      std::memcpy(to, from, std::size_t{m.lanes} * 4);
      continue;
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(rest));
      std::memcpy(to + 4 * k, from + k, 4);
    }
  }
  if (!context.reports.empty())
    machine::ExecutionContext(thread, thread.object().code[thread.flow().pc()]).pass_on(context);
  return true;
}

std::uint64_t PlainSteps::run(machine::Thread& thread, const machine::jit::MessageCall* calls,
                              std::uint64_t most) const {
  machine::Flow& flow = thread.flow();
  std::uint32_t at = flow.pc();
  if (at >= places_.size() || places_[at].kind == Kind::Other || flow.depth() != 1 || !may_run(thread)) return 0;
  machine::Registers& registers = thread.registers();
  const std::uint32_t active = flow.active();
  std::uint64_t steps = 0;
  do {
    const Place place = places_[at];
    if (place.kind == Kind::Nothing) {
      ++at;
      continue;
    }
    if (place.kind == Kind::Other || steps == most) break;
    if (place.kind == Kind::Step) {
      const PlainStep& step = steps_[place.index];
      const std::uint32_t masked = step.lanes.masked(active), chosen = step.lanes.chosen(registers);
      step.run(step, registers, step.chooses ? masked : masked & chosen, chosen);
    } else {
      const Message& message = messages_[place.index];
      flow.place(active, at);  // what is reported looks there
      if (!run_message(message.message, calls[message.site], thread,
                       message.lanes.masked(active) & message.lanes.chosen(registers)))
        break;
    }
    ++at;
    ++steps;
  } while (!places_[at].joins && !thread.failed());
  flow.place(active, at);
  thread.set_steps(thread.steps() + steps);
  return steps;
}

}  // namespace heddle::engine::jit
