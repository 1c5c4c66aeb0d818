// SPDX-License-Identifier: MIT
#include "instructions/render_cache/jit_target.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "instructions/jit_known_values.hpp"
#include "render_target/simd/prepared.hpp"
#include "render_target/touch/touch_pixels.hpp"
#include "render_target/touch/touch_tests.hpp"
#include "texture/touches.hpp"

namespace heddle::instructions {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::PixelHeader;
using machine::PixelInput;
using machine::jit::Binary;
using machine::jit::Cast;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::PreparedMessage;
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

constexpr std::string_view kColors[] = {"r", "g", "b", "a"};

constexpr VectorType kPointer{Element::Pointer, 0}, kWord{Element::I32, 0};

class PreparedPixels final : public PreparedMessage {
 public:
  PreparedPixels(std::shared_ptr<const render_target::simd::PreparedWrite> write, unsigned lanes)
      : write_(std::move(write)), lanes_(lanes) {}

  [[nodiscard]] Function function() const override {
    return {.entry = fmt::format("heddle_simd_rt_write_{}", lanes_),
            .static_state = bytes_of(write_->static_state),
            .has_output = false};
  }
  [[nodiscard]] const void* dynamic_state() const override { return &write_->dynamic_state; }
  [[nodiscard]] std::size_t dynamic_bytes() const override { return sizeof write_->dynamic_state; }
  [[nodiscard]] std::size_t bytes() const override { return sizeof *this + sizeof *write_; }
  [[nodiscard]] std::uint32_t form() const override {
    const auto& state = write_->static_state;
    return (state.nothing != 0 ? 1u : 0) | (state.samples > 1 ? 2u : 0) | (state.has_sample_mask != 0 ? 4u : 0) |
           (state.notes_survivors != 0 ? 8u : 0);
  }
  [[nodiscard]] bool emit(CodegenContext& e) const override;

 private:
  [[nodiscard]] bool read_operands(CodegenContext& e, std::vector<InputWords>& operands) const;
  void store_sample_mask(CodegenContext& e, Value inputs, Value pixels) const;

  std::shared_ptr<const render_target::simd::PreparedWrite> write_;
  unsigned lanes_;
};

bool PreparedPixels::read_operands(CodegenContext& e, std::vector<InputWords>& operands) const {
  const render_target::RenderTargetMessage& m = write_->message;
  const auto read = [&](std::string_view slot, unsigned size, std::size_t at) {
    Value bits = e.read_raw(*e.named(slot), 0, size, e.lanes());
    if (!bits) return false;
    if (size < 4) bits = e.b().cast(Cast::ZExt, bits, {Element::I32, e.lanes()});
    operands.push_back({at, bits});
    return true;
  };
  const unsigned size = m.type == render_target::PayloadType::HF ? 2 : 4;
  const std::optional<render_target::SlotWords>* colors[] = {&m.r, &m.g, &m.b, &m.a};
  for (unsigned c = 0; c < 4; ++c)
    if (colors[c]->has_value() && !read(kColors[c], size, offsetof(Inputs, color) + 8 * c)) return false;
  if (m.s0a && !read("s0a", size, offsetof(Inputs, s0a))) return false;
  if (m.omask && !read("om", 2, offsetof(Inputs, omask))) return false;
  if (m.z && !read("z", 4, offsetof(Inputs, z))) return false;
  return !m.stencil || read("st", 1, offsetof(Inputs, stencil));
}

/// What M1 of the message says (RTW-3).
struct Header {
  Value places, enables;
  bool neighbors = false;  ///< the places are those of pixel threads side by side
};

/// M1 from the header operand, or R1 (R2 for the upper slots) where it is null. False: the operand cannot be read.
bool read_header(CodegenContext& e, Value payload, bool slot_high, Header& out) {
  machine::jit::Builder& b = e.b();
  const Operand* header = e.named("header");
  if (header != nullptr && !header->null) {
    const Value m1 = e.read_raw(*header, 0, 4, 8);
    if (!m1) return false;
    out.places = b.shuffle(m1, m1, std::array{2, 3, 4, 5});
    out.enables = b.extract(m1, 7);
    return true;
  }
  const std::int64_t m1 = slot_high ? 64 : 32;
  out.places = e.function().places[slot_high ? 1 : 0];
  out.neighbors = static_cast<bool>(out.places);
  out.enables = out.neighbors ? e.number(e.function().simd == 8 ? 0xff : 0xffff) : b.load(payload, m1 + 28, kWord, 1);
  if (!out.neighbors) out.places = b.load(payload, m1 + 8, {Element::I32, 4}, 1);
  return true;
}

/// The samples that the primitive covers, where the state looks at them.
void PreparedPixels::store_sample_mask(CodegenContext& e, Value inputs, Value pixels) const {
  machine::jit::Builder& b = e.b();
  const unsigned n = e.lanes(), offset = e.instruction().mask_offset;
  if (!write_->static_state.has_sample_mask) {
    b.fill(inputs, offsetof(Inputs, sample_mask), 8, 8);
    return;
  }
  const VectorType halves{Element::I16, n};
  const Value coverage =
      e.function().places[0]
          ? b.constant(halves, e.function().coverage)
          : b.load(pixels, static_cast<std::int64_t>(offsetof(PixelInput, coverage) + std::size_t{2} * offset), halves,
                   2);
  const InputWords words{offsetof(Inputs, sample_mask), b.cast(Cast::ZExt, coverage, {Element::I32, n})};
  store_inputs(e, inputs, std::span(&words, 1), "coverage");
}

/// Fields of M0.0 and M1, in the kernel's inputs.
void store_header(CodegenContext& e, Value inputs, Value payload, const Header& header) {
  machine::jit::Builder& b = e.b();
  const auto put = [&](std::size_t at, Value value) { b.store(inputs, static_cast<std::int64_t>(at), value, 4); };
  put(offsetof(Inputs, places), header.places);
  put(offsetof(Inputs, enables), b.binary(Binary::And, header.enables, e.number(0xffff)));
  put(offsetof(Inputs, neighbors), e.number(header.neighbors ? 1 : 0));
  const Value first = header.neighbors ? b.load_fixed(payload, 0, kWord, 1) : b.load(payload, 0, kWord, 1);
  const auto unpack = [&](const PixelHeader::Field& field) {
    return b.binary(Binary::And, b.binary(Binary::LShr, first, e.number(field.shift)), e.number(field.mask));
  };
  put(offsetof(Inputs, array_index), unpack(PixelHeader::kLayer));
  put(offsetof(Inputs, back), unpack(PixelHeader::kBack));
  put(offsetof(Inputs, sspi), unpack(PixelHeader::kSspi));
  put(offsetof(Inputs, viewport), unpack(PixelHeader::kViewport));
}

bool PreparedPixels::emit(CodegenContext& e) const {
  if (write_->static_state.nothing != 0) return true;
  machine::jit::Builder& b = e.b();
  const unsigned offset = e.instruction().mask_offset;
  if (offset + e.lanes() > 32) return false;
  const render_target::RenderTargetMessage& m = write_->message;
  std::vector<InputWords> operands;
  if (!read_operands(e, operands)) return false;
  // RTW-3: M0 from R0.
  const Value payload = b.load_fixed(e.function().context, offsetof(ThreadContext, payload), kPointer, 8, {96, 1});
  Header header;
  if (!read_header(e, payload, m.slot_high, header)) return false;

  const Value inputs = b.storage(sizeof(Inputs), 16, "message");
  store_inputs(e, inputs, operands, "operand");
  const Value pixels =
      b.load_fixed(e.function().context, offsetof(ThreadContext, pixels), kPointer, 8, {sizeof(PixelInput)});
  Value pitch = e.number(0);
  if (!m.z) {
    b.store(inputs, offsetof(Inputs, z), b.at_byte(pixels, offsetof(PixelInput, depth) + std::size_t{4} * offset), 8);
    if (write_->static_state.samples > 1) pitch = b.load(pixels, offsetof(PixelInput, depth_pitch), kWord, 4);
  }
  b.store(inputs, offsetof(Inputs, z_pitch), pitch, 4);
  store_sample_mask(e, inputs, pixels);
  store_header(e, inputs, payload, header);

  if (write_->static_state.notes_survivors != 0) {  // they are counted
    const Value survivors = b.temporary(sizeof(render_target::SlotWords), 64, "survivors");
    b.fill(survivors, 0, sizeof(render_target::SlotWords), 64);
    b.store(inputs, offsetof(Inputs, survivors), survivors, 8);
  }

  const Value state = state_argument(e);
  const Value unit_context = b.load_fixed(e.function().context, offsetof(ThreadContext, unit_context), kPointer, 8);
  (void)b.call({e.function().message->function, {}, false, false},
               std::array{state, inputs, e.enabled_bits(), unit_context});
  if (write_->static_state.notes_survivors != 0)
    (void)b.call({"heddle_jit_count_pixels", {}, false},
                 std::array{dynamic_state_of(e), inputs, e.number(e.lanes()),
                            b.zeroed_storage(sizeof(texture::simd::TouchTarget), 8, "counters")});
  return true;
}

}  // namespace

std::unique_ptr<PreparedMessage> prepare_target_write(const ImageMessage& message) {
  const Decoded& d = message.instruction;
  const machine::PixelState* pixels = message.pixels;
  if (pixels == nullptr || jit_of(*d.description) != emit_target_write || (d.lanes != 8 && d.lanes != 16))
    return nullptr;
  const machine::Operands operands = message.operands();
  const auto mode = static_cast<std::uint32_t>(operands.integer("mode"));
  const auto flag = [mode](unsigned bit) { return (mode >> bit & 1u) != 0; };
  if (flag(kNullRt) || flag(kSi) || flag(kPerSample) || flag(kCoarse) || pixels->line_coverage || pixels->shading_rates)
    return nullptr;
  // The code of a write depends on what the pixels go through: none is for whatever a handle names.
  const Operand* target = operands.of_kind(OperandKind::Surface);
  if (target == nullptr || is_handle(*target)) return nullptr;
  image::Surface* surface = message.surface(target);
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
  std::optional<render_target::SlotWords>* colors[] = {&m.r, &m.g, &m.b, &m.a};
  for (unsigned c = 0; c < 4; ++c)
    if (given(operands, kColors[c]) != nullptr) colors[c]->emplace();
  if (flag(kS0a) && given(operands, "s0a") != nullptr) m.s0a.emplace();
  if (flag(kOmask) && given(operands, "om") != nullptr) m.omask.emplace();
  if (flag(kZ) && given(operands, "z") != nullptr) m.z.emplace();
  if (flag(kStencil) && given(operands, "st") != nullptr) m.stencil.emplace();

  render_target::OutputTargets targets;
  targets.color.push_back(surface);
  targets.depth = pixels->depth.get();
  targets.stencil = pixels->stencil.get();
  targets.samples = pixels->samples;
  targets.samples_passed = pixels->samples_passed.get();
  texture::OperationContext context;
  context.platform = machine::unit_platform(message.code.platform);
  using Kind = texture::TouchSink::Kind;
  const Kind counted = texture::touch_kind(*surface);
  if (counted == Kind::Other) return nullptr;  // its texels are told one by one
  render_target::SlotWords pattern{};
  const image::OutputState& tests = pixels->output;
  const auto tested = [](const image::Surface* of, bool test) {
    return of != nullptr && test && texture::touch_kind(*of) != Kind::None;
  };
  if (tested(targets.depth, tests.depth_test || tests.depth_write || tests.depth_bounds_test) ||
      tested(targets.stencil, tests.stencil_test)) {
    m.survivors = &pattern;
    std::shared_ptr<const render_target::simd::PreparedWrite> write =
        render_target::prepare_counted(targets, pixels->output, m, context);
    if (write == nullptr || !context.reports.empty()) return nullptr;
    return std::make_unique<PreparedPixels>(std::move(write), d.lanes);
  }
  if (counted == Kind::Plain) m.survivors = &pattern;
  auto prepared = render_target::simd::prepare(targets, pixels->output, m, context);
  if (prepared != nullptr && counted == Kind::Plain) prepared->dynamic_state.fallback = render_target::write_unheard;
  // What the texture unit has something to say about is left to the reference engine.
  if (prepared == nullptr || !context.reports.empty() || !render_target::simd::is_fast(*prepared)) return nullptr;
  // With one sample, the enables of the thread's own R1 say what is covered.
  const Operand* header = operands.named("header");
  if (prepared->static_state.samples == 1 && (header == nullptr || header->null))
    prepared->static_state.has_sample_mask = 0;
  return std::make_unique<PreparedPixels>(std::move(prepared), d.lanes);
}

bool emit_target_write(CodegenContext& e) { return emit_prepared(e); }

}  // namespace heddle::instructions
