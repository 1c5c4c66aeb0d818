// SPDX-License-Identifier: MIT
#include "instructions/sampler/jit_operation.hpp"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "machine/jit/counted_lanes.hpp"
#include "texture/touch/count_touches.hpp"
#include "texture/touches.hpp"

namespace heddle::instructions {

using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::ThreadContext;
using machine::jit::Value;
using texture::simd::PreparedOperation;
using texture::simd::StaticState;

namespace {

constexpr machine::jit::VectorType kPointer{Element::Pointer, 0};

/// The vector functions of a family: "heddle_simd_KERNEL_LANES".
std::string_view kernel_name(texture::OperationKind family) {
  switch (family) {
    case texture::OperationKind::Sample:
      return "sample";
    case texture::OperationKind::Load:
      return "load";
    case texture::OperationKind::Gather4:
      return "gather4";
    case texture::OperationKind::Info:
      return "info";
  }
  return {};
}

}  // namespace

std::unique_ptr<PreparedOperation> prepare_operation(const ImageMessage& message, const texture::LaneRequest& request) {
  texture::OperationContext context;
  context.platform = machine::unit_platform(message.code.platform);
  auto prepared = texture::simd::prepare(request, context);
  if (prepared == nullptr || !context.reports.empty() || !texture::simd::is_fast(*prepared)) return nullptr;
  prepared->request.params = {};
  using Kind = texture::TouchSink::Kind;
  if (const Kind kind = texture::touch_kind(*request.surface);
      kind == Kind::Other || (kind == Kind::Plain && prepared->static_state.cube != 0))
    return nullptr;  // its texels are told one by one
  return prepared;
}

PreparedCall::PreparedCall(std::unique_ptr<PreparedOperation> operation, unsigned lanes,
                           std::vector<std::uint32_t> inputs)
    : operation_(std::move(operation)),
      apart_(operation_->static_state),
      shape_(texture::simd::may_lie_apart(*operation_) ? texture::simd::shape_of(*operation_) | 1u : 0),
      lanes_(lanes),
      inputs_(std::move(inputs)) {
  apart_.apart = 1;
}

PreparedCall::Function PreparedCall::apart_function() const {
  if (texture::may_count(operation_->static_state)) return {};
  Function apart = function();
  apart.static_state = bytes_of(apart_);
  apart.inputs.push_back(offsetof(texture::simd::Inputs, apart));
  return apart;
}

bool PreparedCall::differs_in_place(const PreparedMessage& other) const {
  static_assert(kMaxApart == texture::simd::kMaxApart);
  const auto* const call = dynamic_cast<const PreparedCall*>(&other);
  return call != nullptr && lanes_ == call->lanes_ && inputs_ == call->inputs_ &&
         texture::simd::differ_in_place(*operation_, *call->operation_);
}

PreparedCall::Function PreparedCall::function() const {
  const texture::OperationKind family = operation_->static_state.family;
  return {.entry = fmt::format("heddle_simd_{}_{}", kernel_name(family), lanes_),
          .static_state = bytes_of(operation_->static_state),
          .channel_words = lanes_,
          .one_texel = family == texture::OperationKind::Gather4,
          .input_bytes = sizeof(texture::simd::Inputs),
          .inputs = inputs_};
}

void PreparedCall::complete(std::span<std::uint8_t> static_state, const LinkFacts& facts) const {
  static_state[offsetof(StaticState, unread)] = static_cast<std::uint8_t>(facts.unread_channels);
  if (!facts.has_vbmi) static_state[offsetof(StaticState, has_vbmi)] = 0;
}

PreparedCall::Function PreparedCall::second_function() const {
  if (!texture::kernels_count(operation_->static_state)) return {};
  return {.entry = fmt::format("heddle_simd_touch_{}", lanes_),
          .static_state = bytes_of(operation_->static_state),
          .has_output = false,
          .input_bytes = sizeof(texture::simd::Inputs),
          .inputs = inputs_};
}

Value PreparedCall::counted_lanes(CodegenContext& e) const {
  return e.number(
      machine::jit::CountedLanes{lanes_, e.instruction().mask_offset, static_cast<bool>(e.function().places[0])}
          .pack());
}

void PreparedCall::count(CodegenContext& e, std::span<const Value> places, Value mask) const {
  machine::jit::Builder& b = e.b();
  constexpr machine::jit::VectorType kLong{Element::I64, 0};
  // Opened once for all threads that a call of the function runs.
  const Value state = state_argument(e), target = b.zeroed_storage(sizeof(texture::simd::TouchTarget), 8, "counters");
  const machine::jit::Block open = b.block("open_counters"), go = b.block("count");
  const Value texels = b.load(target, offsetof(texture::simd::TouchTarget, texels), kLong, 8);
  b.branch_unlikely(b.compare(machine::jit::Compare::Eq, texels, b.constant(kLong, 0)), open, go);
  b.at(open);
  (void)b.call({"heddle_jit_open_counters", {}, false}, std::array{state, target});
  b.jump(go);
  b.at(go);
  // Threads side by side have no helper invocations.
  if (!e.function().places[0])
    mask = b.call({"heddle_jit_seen_lanes", {Element::I32, 0}, true},
                  std::array{e.function().context, mask, counted_lanes(e)});
  std::vector<Value> arguments{state};
  arguments.insert(arguments.end(), places.begin(), places.end());
  arguments.insert(arguments.end(), {mask, target});
  (void)b.call({e.function().message->second, {}, false, false}, arguments);
}

void PreparedCall::count_any(CodegenContext& e, std::span<const InputWords> words, Value mask) const {
  machine::jit::Builder& b = e.b();
  const Value inputs = b.storage(sizeof(texture::simd::Inputs), 16, "counted");
  b.fill(inputs, 0, sizeof(texture::simd::Inputs), 8);
  store_inputs(e, inputs, words, "counted");
  (void)b.call({"heddle_jit_count_texels", {}, false},
               std::array{e.function().context, dynamic_state_of(e), inputs, mask, counted_lanes(e)});
}

PreparedCall::Results PreparedCall::call(CodegenContext& e, std::span<const InputWords> words,
                                         std::string_view name) const {
  machine::jit::Builder& b = e.b();
  const Value texels = b.temporary((4 * e.lanes() + 1) * 4, 64, "texels");
  std::vector<InputWords> all(words.begin(), words.end());
  const Value apart = e.function().apart;
  if (apart) all.push_back({offsetof(texture::simd::Inputs, apart), apart});
  std::vector<Value> arguments = store_words(e, all, name);
  arguments.insert(arguments.begin(), state_argument(e));
  const Value unit_context = b.load_fixed(e.function().context, offsetof(ThreadContext, unit_context), kPointer, 8);
  const Value mask = e.enabled_bits(), lanes = e.enabled();
  const std::vector<Value> places(arguments.begin() + 1, arguments.end());
  arguments.insert(arguments.end(), {mask, texels, unit_context});
  const machine::jit::MessageUse& use = *e.function().message;
  (void)b.call({apart ? use.apart : use.function, {}, false, false}, arguments);
  // Behind it, for what both find from the coordinates is found once then.
  if (!use.second.empty())
    count(e, places, mask);
  else if (use.open && texture::may_count(operation_->static_state))
    count_any(e, words, mask);
  return {texels, lanes};
}

}  // namespace heddle::instructions
