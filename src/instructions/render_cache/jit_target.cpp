#include "instructions/render_cache/jit_target.hpp"

#include <cstddef>

namespace heddle::instructions {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::PixelInput;
using machine::jit::Binary;
using machine::jit::Cast;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::ThreadContext;
using machine::jit::Value;
using machine::jit::VectorType;
using render_target::simd::Inputs;

namespace {

// Mode bits (RTW-1).
constexpr unsigned kRti = 2, kS0a = 3, kOmask = 4, kZ = 5, kStencil = 6, kLast = 7, kPerSample = 9, kCoarse = 10,
                   kSi = 11, kNullRt = 12;

/// An operand that is there and is not null.
const Operand* given(const machine::Operands& operands, std::string_view slot) {
  const Operand* operand = operands.named(slot);
  return operand != nullptr && !operand->null ? operand : nullptr;
}

constexpr std::string_view kColours[] = {"r", "g", "b", "a"};

}  // namespace

std::unique_ptr<render_target::simd::PreparedWrite> prepare_target_write(const ImageMessage& message,
                                                                         const machine::PixelState* pixels) {
  const Decoded& d = message.instruction;
  if (pixels == nullptr || jit_of(*d.description) != emit_target_write || (d.lanes != 8 && d.lanes != 16))
    return nullptr;
  const machine::Operands operands = message.operands();
  const auto mode = static_cast<std::uint32_t>(operands.integer("mode"));
  const auto flag = [mode](unsigned bit) { return (mode >> bit & 1u) != 0; };
  if (flag(kNullRt) || flag(kSi) || flag(kPerSample) || flag(kCoarse)) return nullptr;
  image::Surface* surface = message.surface(operands.of_kind(OperandKind::Surface));
  if (surface == nullptr) return nullptr;

  render_target::RenderTargetMessage m;
  m.simd = d.lanes;
  m.slot_high = d.mask_offset >= 16;  // RTW-2
  if (flag(kRti)) {
    const Operand* rti = operands.named("rti");
    if (rti == nullptr || rti->kind != OperandKind::Immediate) return nullptr;
    m.rti = static_cast<std::uint32_t>(rti->value);
  }
  m.last = flag(kLast);
  m.coarse_size = pixels->coarse_size;
  bool half = false, single = false;  // RTW-10: all alike
  for (const std::string_view name : {"r", "g", "b", "a", "s0a"})
    if (const Operand* operand = given(operands, name)) (operand->size == 2 ? half : single) = true;
  if (half && single) return nullptr;
  m.type = half ? render_target::PayloadType::HF : render_target::PayloadType::F;
  std::optional<render_target::SlotWords>* colours[] = {&m.r, &m.g, &m.b, &m.a};
  for (unsigned c = 0; c < 4; ++c)
    if (given(operands, kColours[c]) != nullptr) colours[c]->emplace();
  if (flag(kS0a) && given(operands, "s0a") != nullptr) m.s0a.emplace();
  if (flag(kOmask) && given(operands, "om") != nullptr) m.omask.emplace();
  if (flag(kZ) && given(operands, "z") != nullptr) m.z.emplace();
  if (flag(kStencil) && given(operands, "st") != nullptr) m.stencil.emplace();

  render_target::OutputTargets targets;
  targets.color.push_back(surface);
  targets.depth = pixels->depth.get();
  targets.stencil = pixels->stencil.get();
  texture::OperationContext context;
  context.platform = machine::unit_platform(message.code.platform);
  auto prepared = render_target::simd::prepare(targets, pixels->output, m, context);
  // What the texture unit has something to say about is left to the reference engine.
  if (prepared == nullptr || !context.reports.empty() || !render_target::simd::is_fast(*prepared)) return nullptr;
  // With one sample, the enables of the thread's own R1 say what is covered.
  const Operand* header = operands.named("header");
  if (prepared->static_state.samples == 1 && (header == nullptr || header->null))
    prepared->static_state.has_sample_mask = 0;
  return prepared;
}

bool emit_target_write(CodegenContext& e) {
  const machine::jit::ImageUse* use = e.frame().image;
  if (use == nullptr || use->target == nullptr) return false;
  machine::jit::Builder& b = e.b();
  const unsigned n = e.lanes(), offset = e.instruction().mask_offset;
  if (offset + n > 32) return false;
  constexpr VectorType kPointer{Element::Pointer, 0}, kWord{Element::I32, 0};
  const VectorType words{Element::I32, n};
  const render_target::RenderTargetMessage& m = use->target->message;

  struct Word {
    std::size_t at;
    Value bits;
  };
  std::vector<Word> operands;
  const auto read = [&](std::string_view slot, unsigned size, std::size_t at) {
    Value bits = e.read_raw(*e.named(slot), 0, size, n);
    if (!bits) return false;
    if (size < 4) bits = b.cast(Cast::ZExt, bits, words);
    operands.push_back({at, bits});
    return true;
  };
  const unsigned size = m.type == render_target::PayloadType::HF ? 2 : 4;
  const std::optional<render_target::SlotWords>* colours[] = {&m.r, &m.g, &m.b, &m.a};
  for (unsigned c = 0; c < 4; ++c)
    if (colours[c]->has_value() && !read(kColours[c], size, offsetof(Inputs, color) + 8 * c)) return false;
  if (m.s0a && !read("s0a", size, offsetof(Inputs, s0a))) return false;
  if (m.omask && !read("om", 2, offsetof(Inputs, omask))) return false;
  if (m.z && !read("z", 4, offsetof(Inputs, z))) return false;
  if (m.stencil && !read("st", 1, offsetof(Inputs, stencil))) return false;

  // RTW-3: M0 from R0, M1 from the header operand, or R1 (R2 for the upper slots) where it is null.
  const Value payload = b.load_fixed(e.frame().context, offsetof(ThreadContext, payload), kPointer, 8, {96, 1});
  const Operand* header = e.named("header");
  Value places, enables;
  bool neighbours = false;
  if (header != nullptr && !header->null) {
    const Value m1 = e.read_raw(*header, 0, 4, 8);
    if (!m1) return false;
    places = b.shuffle(m1, m1, std::array{2, 3, 4, 5});
    enables = b.extract(m1, 7);
  } else {
    const std::int64_t m1 = m.slot_high ? 64 : 32;
    places = e.frame().places[m.slot_high ? 1 : 0];
    neighbours = static_cast<bool>(places);
    enables = neighbours ? e.number(e.frame().simd == 8 ? 0xff : 0xffff) : b.load(payload, m1 + 28, kWord, 1);
    if (!neighbours) places = b.load(payload, m1 + 8, {Element::I32, 4}, 1);
  }

  const Value inputs = b.storage(sizeof(Inputs), 16, "message");
  for (const Word& word : operands) {
    const Value storage = b.storage(n * 4, 64, "operand");
    b.store(storage, 0, word.bits, 4);
    b.store(inputs, static_cast<std::int64_t>(word.at), storage, 8);
  }
  const Value pixels =
      b.load_fixed(e.frame().context, offsetof(ThreadContext, pixels), kPointer, 8, {sizeof(PixelInput)});
  if (!m.z)
    b.store(inputs, offsetof(Inputs, z), b.at_byte(pixels, offsetof(PixelInput, depth) + std::size_t{4} * offset), 8);
  if (use->target->static_state.has_sample_mask) {
    const VectorType halves{Element::I16, n};
    const Value coverage =
        e.frame().places[0]
            ? b.constant(halves, e.frame().coverage)
            : b.load(pixels, static_cast<std::int64_t>(offsetof(PixelInput, coverage) + std::size_t{2} * offset),
                     halves, 2);
    const Value sample_mask = b.storage(n * 4, 64, "coverage");
    b.store(sample_mask, 0, b.cast(Cast::ZExt, coverage, words), 4);
    b.store(inputs, offsetof(Inputs, sample_mask), sample_mask, 8);
  } else {
    b.fill(inputs, offsetof(Inputs, sample_mask), 8, 8);
  }
  const auto put = [&](std::size_t at, Value value) { b.store(inputs, static_cast<std::int64_t>(at), value, 4); };
  put(offsetof(Inputs, places), places);
  put(offsetof(Inputs, enables), b.binary(Binary::And, enables, e.number(0xffff)));
  put(offsetof(Inputs, neighbours), e.number(neighbours ? 1 : 0));
  const Value first = neighbours ? b.load_fixed(payload, 0, kWord, 1) : b.load(payload, 0, kWord, 1);
  const auto field = [&](unsigned shift, unsigned mask) {
    return b.binary(Binary::And, b.binary(Binary::LShr, first, e.number(shift)), e.number(mask));
  };
  put(offsetof(Inputs, array_index), field(16, 0x7ff));
  put(offsetof(Inputs, back), field(15, 1));
  put(offsetof(Inputs, sspi), field(6, 7));
  put(offsetof(Inputs, viewport), field(27, 15));

  const Value dynamic_state = varying_of(e, sizeof use->target->dynamic_state);
  const Value unit_context = b.load_fixed(e.frame().context, offsetof(ThreadContext, unit_context), kPointer, 8);
  (void)b.call({use->function, {}, false, false}, std::array{dynamic_state, inputs, e.enabled_bits(), unit_context});
  return true;
}

}  // namespace heddle::instructions
