// SPDX-License-Identifier: MIT
#include "instructions/sampler/jit_image.hpp"

#include "instructions/sampler/jit_operation.hpp"
#include "instructions/sampler/message.hpp"
#include "instructions/sampler/operation.hpp"
#include "texture/destination.hpp"

namespace heddle::instructions {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Cast;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::PreparedMessage;
using machine::jit::Value;
using texture::simd::StaticState;

namespace {

class PreparedImage final : public PreparedCall {
 public:
  /// `halves`: of a message that returns 16-bit elements. `null_mask`: RET-5.
  PreparedImage(std::unique_ptr<texture::simd::PreparedOperation> operation, unsigned lanes,
                std::vector<std::uint32_t> inputs, bool halves, bool null_mask)
      : PreparedCall(std::move(operation), lanes, std::move(inputs)), halves_(halves), null_mask_(null_mask) {}
  [[nodiscard]] bool needs_lane() const override { return !null_mask_; }
  [[nodiscard]] std::string place_key() const override;
  [[nodiscard]] std::uint32_t form() const override {
    return halves_ && operation().value_class == image::ValueClass::Float ? 1 : 0;
  }
  [[nodiscard]] bool emit(CodegenContext& e) const override;

 private:
  [[nodiscard]] static bool read_parameters(CodegenContext& e, const SamplerMessage& message,
                                            std::vector<InputWords>& words);
  [[nodiscard]] bool write_result(CodegenContext& e, const Operand& to, const texture::Destination& place, Value out,
                                  Value lanes) const;

  bool halves_, null_mask_;
};

/// Messages that differ in nothing but their offset and channel read equal state. Only cubes come to the fallback,
/// which looks at the message.
std::string PreparedImage::place_key() const {
  if (operation().static_state.cube != 0) return {};
  StaticState alike = operation().static_state;
  std::ranges::fill(alike.offset, std::int8_t{0});
  std::ranges::fill(alike.select, image::ChannelSelect{});
  std::string key;
  const auto add = [&key](std::span<const std::uint8_t> bytes) { key.append(bytes.begin(), bytes.end()); };
  add(bytes_of(alike));
  return key;
}

/// The message of an instruction, as far as the code that is emitted for it depends on it; nothing where something is
/// known only when it runs.
std::optional<SamplerMessage> fixed_message(const machine::Operands& operands) {
  const Decoded& d = operands.instruction();
  const texture::Operation* op = operation_of(*d.description);
  if (op == nullptr || (d.lanes != 8 && d.lanes != 16 && d.lanes != 32)) return std::nullopt;
  auto message = read_message(operands, op->op);
  if (!message.ok() || message->offsets != nullptr) return std::nullopt;
  message->request.simd = d.lanes;
  return std::move(*message);
}

bool PreparedImage::read_parameters(CodegenContext& e, const SamplerMessage& message, std::vector<InputWords>& words) {
  machine::jit::Builder& b = e.b();
  const unsigned n = e.lanes();
  const bool across = message.operation().derivatives();  // EXE-5
  for (const SamplerMessage::Parameter& p : message.parameters()) {
    const unsigned size = p.operand->size == 2 ? 2 : 4;
    e.set_lane_wise(!across);
    Value bits = e.read_raw(*p.operand, 0, size, n);
    e.set_lane_wise(true);
    if (!bits) return false;
    if (p.operand->type == isa::Type::HF)  // NUM-33
      bits = b.cast(Cast::Bits, b.cast(Cast::FExt, b.cast(Cast::Bits, bits, {Element::Half, n}), {Element::F32, n}),
                    {Element::I32, n});
    else if (size == 2)
      bits = b.cast(Cast::ZExt, bits, {Element::I32, n});
    // CRD-1, CUB-1, SUR-4: a NaN coordinate is 0, whatever its payload; CMP-2: comparisons look at none.
    if (message.has_sampler() &&
        (p.name == texture::Param::U || p.name == texture::Param::V || p.name == texture::Param::R ||
         p.name == texture::Param::Ai || p.name == texture::Param::Ref))
      bits = b.cast(Cast::Bits, b.any_nan(b.cast(Cast::Bits, bits, {Element::F32, n})), {Element::I32, n});
    words.push_back({place_of(p.name), bits});
  }
  return true;
}

/// Whether the channels (and the null mask) can be written.
bool takes_result(CodegenContext& e, const Operand& to, const texture::Destination& place) {
  const auto channels = static_cast<unsigned>(__builtin_popcount(place.channels & 15u));
  for (unsigned c = 0; c < channels; ++c)
    if (!e.takes_raw(to, texture::channel_offset(place, c), place.simd * place.element_bytes)) return false;
  return !place.null_mask || e.takes_raw(to, texture::channel_offset(place, channels), 4);
}

bool PreparedImage::write_result(CodegenContext& e, const Operand& to, const texture::Destination& place, Value out,
                                 Value lanes) const {
  machine::jit::Builder& b = e.b();
  const unsigned n = place.simd;
  bool good = true;
  unsigned nth = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((place.channels >> c & 1u) == 0) continue;  // RET-4
    Value value = b.load(out, std::int64_t{c} * n * 4, {Element::I32, n}, 4);
    if (place.element_bytes == 2) {  // NUM-31, NUM-32
      if (operation().value_class == image::ValueClass::Float)
        value =
            b.cast(Cast::Bits, b.cast(Cast::FTrunc, b.cast(Cast::Bits, value, {Element::F32, n}), {Element::Half, n}),
                   {Element::I16, n});
      else
        value = b.cast(Cast::Trunc, value, {Element::I16, n});
    }
    good = e.write_raw(to, texture::channel_offset(place, nth++), value, lanes) && good;
  }
  if (place.null_mask) {  // RET-5
    const Value word = b.load(out, std::int64_t{4} * n * 4, {Element::I32, 1}, 4);
    good = e.write_raw(to, texture::channel_offset(place, nth), word, {}) && good;
  }
  return good;
}

bool PreparedImage::emit(CodegenContext& e) const {
  const Operand* to = e.named("dst");
  const auto message = fixed_message(e);
  if (!message || to == nullptr || to->null) return false;
  texture::Destination place;
  place.simd = e.lanes();
  place.channels = message->channels();
  place.element_bytes = to->size == 2 ? 2 : 4;
  place.grf_bytes = e.grf_bytes();
  place.null_mask = message->request.null_mask;
  if (!takes_result(e, *to, place)) return false;
  std::vector<InputWords> words;
  if (!read_parameters(e, *message, words)) return false;
  const Results results = call(e, words, "parameter");
  return write_result(e, *to, place, results.texels, results.lanes);
}

}  // namespace

std::unique_ptr<PreparedMessage> prepare_image(const ImageMessage& message) {
  if (jit_of(*message.instruction.description) != emit_image) return nullptr;
  const machine::Operands operands = message.operands();
  auto fixed = fixed_message(operands);
  if (!fixed) return nullptr;
  texture::LaneRequest& request = fixed->request;
  request.surface = message.surface(operands.of_kind(OperandKind::Surface));
  if (fixed->has_sampler()) request.sampler = message.sampler(operands.of_kind(OperandKind::Sampler));
  if (request.surface == nullptr || (fixed->has_sampler() && request.sampler == nullptr)) return nullptr;
  static constexpr texture::LaneWords kPresent{};
  std::vector<std::uint32_t> inputs;
  for (const SamplerMessage::Parameter& p : fixed->parameters()) {
    request.set(p.name, kPresent);
    inputs.push_back(place_of(p.name));
  }
  auto prepared = prepare_operation(message, request);
  if (prepared == nullptr) return nullptr;
  prepared->static_state.quads = message.pixels != nullptr;
  const Operand* to = operands.named("dst");
  return std::make_unique<PreparedImage>(std::move(prepared), message.instruction.lanes, std::move(inputs),
                                         to != nullptr && to->size == 2, request.null_mask);
}

std::string image_facts(const machine::Code& code, const Decoded& instruction) {
  if (instruction.description == nullptr || jit_of(*instruction.description) != emit_image) return {};
  const machine::Operands operands{instruction, code.objects.front().operands.data() + instruction.first_operand};
  const auto fixed = fixed_message(operands);
  if (!fixed) return {};
  const texture::LaneRequest& r = fixed->request;
  const Operand* to = operands.named("dst");
  std::string facts;
  const auto add = [&facts](auto... values) { ((facts += std::to_string(+values), facts += ' '), ...); };
  add(static_cast<unsigned>(r.op), r.simd, r.active, r.half_parameters, r.offset[0], r.offset[1], r.offset[2],
      r.channels, r.source_channel, r.null_mask, r.cps_compensation, r.coarse_width, r.coarse_height,
      to != nullptr && to->size == 2);
  for (const SamplerMessage::Parameter& p : fixed->parameters()) add(static_cast<unsigned>(p.name));
  return facts;
}

std::optional<PlainMessage> plain_message(const machine::Code& code, const Decoded& instruction) {
  if (jit_of(*instruction.description) != emit_image) return std::nullopt;
  const machine::Operands operands{instruction, code.objects.front().operands.data() + instruction.first_operand};
  const auto fixed = fixed_message(operands);
  const Operand* to = operands.named("dst");
  if (!fixed || fixed->request.null_mask || to == nullptr || to->null || to->size != 4) return std::nullopt;
  const std::uint32_t bytes = instruction.lanes * 4u;
  const auto holds = [](const Operand& operand, std::uint64_t size) {
    return operand.base >= operand.root_begin && operand.base + size <= operand.root_end;
  };
  PlainMessage plain;
  plain.lanes = instruction.lanes;
  for (const SamplerMessage::Parameter& p : fixed->parameters()) {
    const Operand& from = *p.operand;
    if (from.kind != OperandKind::Raw || from.size != 4 || from.null || from.rest != nullptr || !holds(from, bytes))
      return std::nullopt;
    plain.inputs.at(plain.input_count++) = {p.name, from.base};
  }
  texture::Destination place;
  place.simd = instruction.lanes;
  place.channels = fixed->channels();
  place.grf_bytes = code.grf_bytes;
  if (!holds(*to, texture::destination_bytes(place))) return std::nullopt;
  plain.outputs.fill(PlainMessage::kNowhere);
  unsigned nth = 0;
  for (unsigned c = 0; c < 4; ++c)
    if ((place.channels >> c & 1u) != 0) plain.outputs[c] = to->base + texture::channel_offset(place, nth++);
  return plain;
}

bool emit_image(CodegenContext& e) { return emit_prepared(e); }

}  // namespace heddle::instructions
