#include "instructions/sampler/jit_image.hpp"

#include <cstddef>

#include "instructions/sampler/request.hpp"
#include "texture/destination.hpp"

namespace heddle::instructions {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Cast;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::ThreadContext;
using machine::jit::Value;

namespace {

struct Parameter {
  texture::Param name{};
  const Operand* operand = nullptr;
};

std::optional<texture::OpFamily> family_of(const isa::InstructionDescription& description) {
  if (description.family == "sample") return texture::OpFamily::Sample;
  if (description.family == "load") return texture::OpFamily::Load;
  if (description.family == "sample4") return texture::OpFamily::Gather4;
  return description.family == "info" ? std::optional(texture::OpFamily::Info) : std::nullopt;
}

/// Everything of the request that does not change; false when something is not known while the code is made.
bool read_message(const machine::Operands& m, texture::OpFamily family, texture::LaneRequest& request,
                  std::vector<Parameter>& parameters) {
  const Decoded& d = m.instruction;
  if (!d.description->has_exec || (d.lanes != 8 && d.lanes != 16 && d.lanes != 32)) return false;
  request.simd = d.lanes;
  request.channels = static_cast<std::uint8_t>(m.integer("mask"));
  if (family == texture::OpFamily::Info) {
    const bool resinfo = d.description->mnemonic == "resinfo";
    request.op = resinfo ? texture::Op::Resinfo : texture::Op::Sampleinfo;
    if (const Operand* lod = m.named("lod")) parameters.push_back({texture::Param::Lod, lod});
    return true;
  }
  const texture::Operation* op = texture::find_operation(family, static_cast<std::uint8_t>(d.description->selector));
  if (op == nullptr) return false;
  request.op = op->op;
  const auto first = static_cast<unsigned>(d.description->fixed_slots());
  const unsigned count = d.operand_count > first ? d.operand_count - first : 0;
  for (unsigned i = 0; i < count; ++i)
    request.half_parameters = request.half_parameters || m.first[first + i].size == 2;
  const texture::ParameterList names = texture::operand_parameters(*op, count, request.half_parameters);
  for (unsigned i = 0; i < count && i < names.count; ++i)
    if (!m.first[first + i].null) parameters.push_back({names.names[i], &m.first[first + i]});
  if (const Operand* offsets = m.named("aoffimmi")) {
    if (offsets->kind != OperandKind::Immediate) return false;
    request.offset = immediate_offsets(static_cast<std::uint32_t>(offsets->value));
  }
  request.null_mask = m.integer("null_mask") != 0;
  request.cps_compensation = m.integer("cps") != 0;
  request.source_channel = static_cast<std::uint8_t>(m.integer("channel"));
  return true;
}

}  // namespace

std::unique_ptr<texture::simd::PreparedOperation> prepare_image(const ImageMessage& message) {
  const auto family = family_of(*message.instruction.description);
  if (!family || jit_of(*message.instruction.description) != emit_image) return nullptr;
  const machine::Operands operands = message.operands();
  texture::LaneRequest request;
  std::vector<Parameter> parameters;
  request.surface = message.surface(operands.of_kind(OperandKind::Surface));
  if (request.surface == nullptr || !read_message(operands, *family, request, parameters)) return nullptr;
  if (*family == texture::OpFamily::Sample || *family == texture::OpFamily::Gather4) {
    request.sampler = message.sampler(operands.of_kind(OperandKind::Sampler));
    if (request.sampler == nullptr) return nullptr;
  }
  static constexpr texture::LaneWords kPresent{};
  for (const Parameter& p : parameters) request.set(p.name, kPresent);
  texture::OperationContext context;
  context.platform = machine::unit_platform(message.code.platform);
  auto prepared = texture::simd::prepare(request, context);
  // What the texture unit has something to say about is left to the reference engine.
  if (prepared == nullptr || !context.reports.empty() || !texture::simd::is_fast(*prepared)) return nullptr;
  prepared->request.params = {};
  return prepared;
}

bool emit_image(CodegenContext& e) {
  const machine::jit::ImageUse* use = e.frame().image;
  const auto family = family_of(*e.instruction().description);
  const Operand* to = e.named("dst");
  if (use == nullptr || use->state == nullptr || !family || to == nullptr || to->null) return false;
  machine::jit::Builder& b = e.b();
  const unsigned n = e.lanes();
  texture::LaneRequest request;
  std::vector<Parameter> parameters;
  if (!read_message({e.instruction(), &e.operand(0)}, *family, request, parameters)) return false;

  texture::Destination place;
  place.simd = n;
  place.channels = *family == texture::OpFamily::Gather4 ? 15 : request.channels;  // GA-7
  place.element_bytes = to->size == 2 ? 2 : 4;
  place.grf_bytes = e.grf_bytes();
  place.null_mask = request.null_mask;
  const auto channels = static_cast<unsigned>(__builtin_popcount(place.channels & 15u));
  for (unsigned c = 0; c < channels; ++c)
    if (!e.takes_raw(*to, texture::channel_offset(place, c), n * place.element_bytes)) return false;
  if (place.null_mask && !e.takes_raw(*to, texture::channel_offset(place, channels), 4)) return false;

  constexpr machine::jit::VectorType kPointer{Element::Pointer, 0};
  const bool across = texture::operation(request.op).derivatives();  // EXE-5
  std::vector<std::pair<texture::Param, Value>> words;
  for (const Parameter& p : parameters) {
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
    if (*family != texture::OpFamily::Load && *family != texture::OpFamily::Info &&
        (p.name == texture::Param::U || p.name == texture::Param::V || p.name == texture::Param::R ||
         p.name == texture::Param::Ai || p.name == texture::Param::Ref))
      bits = b.cast(Cast::Bits, b.any_nan(b.cast(Cast::Bits, bits, {Element::F32, n})), {Element::I32, n});
    words.emplace_back(p.name, bits);
  }
  const Value inputs = b.storage(32 * 8, 8, "inputs"), out = b.storage((4 * n + 1) * 4, 64, "texels");
  b.fill(inputs, 0, 32 * 8, 8);
  for (const auto& [name, bits] : words) {
    const Value storage = b.storage(n * 4, 64, "parameter");
    b.store(storage, 0, bits, 4);
    b.store(inputs, static_cast<std::int64_t>(name) * 8, storage, 8);
  }
  const Value dynamic_state = varying_of(e, sizeof use->state->dynamic_state);
  const Value unit_context = b.load_fixed(e.frame().context, offsetof(ThreadContext, unit_context), kPointer, 8);
  const Value mask = e.enabled_bits(), lanes = e.enabled();
  (void)b.call({use->function, {}, false, false}, std::array{dynamic_state, inputs, mask, out, unit_context});

  bool good = true;
  unsigned nth = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((place.channels >> c & 1u) == 0) continue;  // RET-4
    Value value = b.load(out, std::int64_t{c} * n * 4, {Element::I32, n}, 4);
    if (place.element_bytes == 2) {  // NUM-31, NUM-32
      if (use->state->value_class == image::ValueClass::Float)
        value =
            b.cast(Cast::Bits, b.cast(Cast::FTrunc, b.cast(Cast::Bits, value, {Element::F32, n}), {Element::Half, n}),
                   {Element::I16, n});
      else
        value = b.cast(Cast::Trunc, value, {Element::I16, n});
    }
    good = e.write_raw(*to, texture::channel_offset(place, nth++), value, lanes) && good;
  }
  if (place.null_mask) {  // RET-5
    const Value word = b.load(out, std::int64_t{4} * n * 4, {Element::I32, 1}, 4);
    good = e.write_raw(*to, texture::channel_offset(place, nth), word, {}) && good;
  }
  return good;
}

}  // namespace heddle::instructions
