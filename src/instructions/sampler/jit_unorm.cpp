// SPDX-License-Identifier: MIT
#include "instructions/sampler/jit_unorm.hpp"

#include <cstddef>

#include "texture/simd/prepared_unorm.hpp"

namespace heddle::instructions {

using isa::OperandKind;
using machine::Operand;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::PreparedMessage;
using machine::jit::Value;
using texture::simd::UnormInputs;

namespace {

constexpr unsigned kChannelBytes = 2 * texture::kUnormPixels;

class PreparedBlock final : public PreparedMessage {
 public:
  explicit PreparedBlock(std::unique_ptr<texture::simd::PreparedUnorm> block) : block_(std::move(block)) {}
  [[nodiscard]] bool needs_lane() const override { return false; }

  [[nodiscard]] Function function() const override {
    return {.entry = "heddle_simd_unorm", .static_state = bytes_of(block_->static_state)};
  }
  [[nodiscard]] const void* dynamic_state() const override { return &block_->dynamic_state; }
  [[nodiscard]] std::size_t dynamic_bytes() const override { return sizeof block_->dynamic_state; }
  [[nodiscard]] std::size_t bytes() const override { return sizeof *this + sizeof *block_; }
  [[nodiscard]] std::uint32_t form() const override { return block_->static_state.channels; }
  [[nodiscard]] bool emit(CodegenContext& e) const override;

 private:
  std::unique_ptr<texture::simd::PreparedUnorm> block_;
};

bool PreparedBlock::emit(CodegenContext& e) const {
  const Operand* to = e.named("dst");
  if (to == nullptr || to->null) return false;
  machine::jit::Builder& b = e.b();
  const unsigned channels = block_->static_state.channels, count = static_cast<unsigned>(__builtin_popcount(channels));
  for (unsigned c = 0; c < count; ++c)
    if (!e.takes_raw(*to, c * kChannelBytes, kChannelBytes)) return false;
  constexpr std::pair<std::string_view, std::size_t> kScalars[] = {{"u", offsetof(UnormInputs, u)},
                                                                   {"v", offsetof(UnormInputs, v)},
                                                                   {"du", offsetof(UnormInputs, du)},
                                                                   {"dv", offsetof(UnormInputs, dv)}};
  std::array<Value, 4> scalars;
  for (unsigned i = 0; i < 4; ++i) {
    const Operand* operand = e.named(kScalars[i].first);
    if (operand != nullptr) scalars[i] = e.read_float(*operand, machine::Arithmetic::Single);
    if (!scalars[i]) return false;
  }
  const Value inputs = b.storage(sizeof(UnormInputs), 16, "block"), out = b.storage(4 * kChannelBytes, 64, "pixels"),
              none = b.storage(8, 8, "none");
  b.fill(none, 0, 8, 8);
  for (unsigned i = 0; i < 4; ++i)
    b.store(inputs, static_cast<std::int64_t>(kScalars[i].second), b.extract(scalars[i], 0), 4);
  constexpr machine::jit::VectorType kPointer{Element::Pointer, 0};
  const Value state = state_argument(e);
  const Value unheard = b.load(none, 0, kPointer, 8);
  (void)b.call({e.function().message->function, {}, false, false},
               std::array{state, inputs, e.number(~0u), out, unheard});
  bool good = true;
  unsigned nth = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((channels >> c & 1u) == 0) continue;  // UNO-8
    const Value words = b.load(out, std::int64_t{c} * kChannelBytes, {Element::I16, texture::kUnormPixels}, 64);
    good = e.write_raw(*to, nth++ * kChannelBytes, words, {}) && good;  // whatever the execution mask says
  }
  return good;
}

}  // namespace

std::unique_ptr<PreparedMessage> prepare_unorm(const ImageMessage& message) {
  if (jit_of(*message.instruction.description) != emit_unorm) return nullptr;
  const machine::Operands operands = message.operands();
  texture::UnormRequest request;
  request.surface = message.surface(operands.of_kind(OperandKind::Surface));
  request.sampler = message.sampler(operands.of_kind(OperandKind::Sampler));
  request.channels = static_cast<std::uint8_t>(operands.integer("mask") & 15u);
  // UNO-7, UNO-12: other outputs are made by the reference. What UNO-9 and UNO-11 warn of needs no look here: compiled
  // code runs only where nobody hears warnings (CheckMode::Off).
  if ((operands.integer("format") & 3u) != static_cast<unsigned>(texture::UnormOutput::Full16) || request.channels == 0)
    return nullptr;
  auto block = texture::simd::prepare_unorm(request);
  return block != nullptr ? std::make_unique<PreparedBlock>(std::move(block)) : nullptr;
}

bool emit_unorm(CodegenContext& e) { return emit_prepared(e); }

}  // namespace heddle::instructions
