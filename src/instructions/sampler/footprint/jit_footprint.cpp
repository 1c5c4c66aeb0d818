// SPDX-License-Identifier: MIT
#include "instructions/sampler/footprint/jit_footprint.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "instructions/sampler/footprint/operands.hpp"
#include "texture/simd/prepared_footprint.hpp"

namespace heddle::instructions {

using footprint::Parameter;
using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::PreparedMessage;
using machine::jit::Value;
using texture::simd::FootprintInputs;

namespace {

/// Where the kernels look for a parameter.
std::size_t place_of(Parameter parameter) {
  const auto axis = [parameter](Parameter first) {
    return 8 * static_cast<std::size_t>(parameter) - 8 * static_cast<std::size_t>(first);
  };
  switch (parameter) {
    case Parameter::Granularity:
      return offsetof(FootprintInputs, granularity);
    case Parameter::Coarse:
      return offsetof(FootprintInputs, coarse);
    case Parameter::Lod:
      return offsetof(FootprintInputs, lod);
    case Parameter::Bias:
      return offsetof(FootprintInputs, bias);
    case Parameter::Mlod:
      return offsetof(FootprintInputs, min_lod);
    case Parameter::U:
    case Parameter::V:
    case Parameter::R:
      return offsetof(FootprintInputs, coordinate) + axis(Parameter::U) / 3;
    case Parameter::DuDx:
    case Parameter::DvDx:
    case Parameter::DrDx:
      return offsetof(FootprintInputs, dx) + axis(Parameter::DuDx) / 3;
    case Parameter::DuDy:
    case Parameter::DvDy:
    case Parameter::DrDy:
      return offsetof(FootprintInputs, dy) + axis(Parameter::DuDy) / 3;
    case Parameter::OffU:
    case Parameter::OffV:
    case Parameter::OffR:
      return offsetof(FootprintInputs, offset) + axis(Parameter::OffU);
  }
  return 0;
}

class PreparedQuery final : public PreparedMessage {
 public:
  PreparedQuery(std::unique_ptr<texture::simd::PreparedFootprint> query, unsigned lanes)
      : query_(std::move(query)), lanes_(lanes) {}

  [[nodiscard]] Function function() const override {
    return {.entry = fmt::format("heddle_simd_footprint_{}", lanes_), .static_state = bytes_of(query_->static_state)};
  }
  [[nodiscard]] const void* dynamic_state() const override { return &query_->dynamic_state; }
  [[nodiscard]] std::size_t dynamic_bytes() const override { return sizeof query_->dynamic_state; }
  [[nodiscard]] std::size_t bytes() const override { return sizeof *this + sizeof *query_; }
  [[nodiscard]] bool emit(CodegenContext& e) const override;

 private:
  std::unique_ptr<texture::simd::PreparedFootprint> query_;
  unsigned lanes_;
};

/// The parameters that are there; false where one cannot be read.
bool read_parameters(CodegenContext& e, const footprint::Shape& shape, std::vector<InputWords>& words) {
  const footprint::ParameterList list = footprint::parameters_of(shape);
  const auto first = static_cast<unsigned>(e.instruction().description->fixed_slots());
  for (unsigned i = 0; i < list.count && first + i < e.operand_count(); ++i) {
    const Operand& operand = e.operand(first + i);
    if (operand.null) continue;
    const Value bits = operand.size == 4 ? e.read_raw(operand, 0, 4, e.lanes()) : Value{};
    if (!bits) return false;
    words.push_back({place_of(list.at[i]), bits});
  }
  return true;
}

bool PreparedQuery::emit(CodegenContext& e) const {
  const Operand* to = e.named("dst");
  if (to == nullptr || to->null) return false;
  machine::jit::Builder& b = e.b();
  const footprint::Shape shape = footprint::shape_of(e);
  const unsigned n = e.lanes(), members = footprint::members_of(shape.dim);
  const unsigned stride = (4 * n + e.grf_bytes() - 1) / e.grf_bytes() * e.grf_bytes();
  for (unsigned m = 0; m < members; ++m)
    if (!e.takes_raw(*to, m * stride, 4 * n)) return false;
  std::vector<InputWords> words;
  if (!read_parameters(e, shape, words)) return false;
  const Value inputs = b.storage(sizeof(FootprintInputs), 8, "inputs"),
              out = b.storage(std::uint64_t{4} * members * n, 64, "footprints"), none = b.storage(8, 8, "none");
  b.fill(inputs, 0, sizeof(FootprintInputs), 8);
  b.fill(none, 0, 8, 8);
  store_inputs(e, inputs, words, "parameter");
  constexpr machine::jit::VectorType kPointer{Element::Pointer, 0};
  const Value state = state_argument(e);
  const Value mask = e.enabled_bits(), lanes = e.enabled(), unheard = b.load(none, 0, kPointer, 8);
  (void)b.call({e.function().message->function, {}, false, false}, std::array{state, inputs, mask, out, unheard});
  bool good = true;
  for (unsigned m = 0; m < members; ++m)
    good = e.write_raw(*to, m * stride, b.load(out, std::int64_t{4} * m * n, {Element::I32, n}, 4), lanes) && good;
  return good;
}

}  // namespace

std::unique_ptr<PreparedMessage> prepare_footprint(const ImageMessage& message) {
  const Decoded& d = message.instruction;
  if (jit_of(*d.description) != emit_footprint || (d.lanes != 8 && d.lanes != 16 && d.lanes != 32)) return nullptr;
  const machine::Operands operands = message.operands();
  const image::Surface* image = message.surface(operands.of_kind(OperandKind::Surface));
  const image::Sampler* state = message.sampler(operands.of_kind(OperandKind::Sampler));
  if (image == nullptr || state == nullptr || image->type == image::SurfaceType::Null || state->disable) return nullptr;
  const footprint::Shape shape = footprint::shape_of(operands);
  const texture::FootprintView view = texture::footprint_view(*image);
  const texture::FootprintSampler filter = texture::footprint_sampler(*state);
  const image::ValueClass values = image->info().value_class;
  const bool integer = values == image::ValueClass::Uint || values == image::ValueClass::Sint;
  if (view.dim != shape.dim || image->samples != 1 || integer) return nullptr;  // V4, V6: for the reference to report
  texture::simd::FootprintShape given;
  given.operand = shape.source == footprint::Source::Lod    ? texture::FootprintOperand::Lod
                  : shape.source == footprint::Source::Grad ? texture::FootprintOperand::Grad
                                                            : texture::FootprintOperand::Derivatives;
  given.bias = shape.bias;
  given.min_lod = shape.min_lod;
  given.offset = shape.offset;
  texture::FootprintOptions options;
  options.mode = shape.mode == footprint::Mode::Strict    ? texture::FootprintMode::Strict
                 : shape.mode == footprint::Mode::Lenient ? texture::FootprintMode::Lenient
                                                          : texture::FootprintMode::Extended;
  auto prepared = texture::simd::prepare_footprint(view, filter, given, options);
  if (!texture::simd::is_fast(*prepared)) return nullptr;
  return std::make_unique<PreparedQuery>(std::move(prepared), d.lanes);
}

bool emit_footprint(CodegenContext& e) { return emit_prepared(e); }

}  // namespace heddle::instructions
