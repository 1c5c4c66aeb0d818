// SPDX-License-Identifier: MIT
// Typed reads in compiled code: the texture unit's load without a level, of the level that the state names.

#include "instructions/data_port/jit_typed.hpp"
#include "instructions/sampler/jit_operation.hpp"
#include "texture/touches.hpp"

namespace heddle::instructions {

using image::Surface;
using image::SurfaceType;
using machine::Operand;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::PreparedMessage;
using machine::jit::Value;
using texture::Param;
using texture::simd::PreparedOperation;

namespace {

struct Coordinate {
  std::string_view slot;
  Param param;
};
constexpr Coordinate kCoordinates[] = {{"u", Param::U}, {"v", Param::V}, {"r", Param::R}};

/// The surface as a load sees what a typed message sees; nothing where the two differ in more.
std::shared_ptr<const Surface> loaded_surface(const Surface& s) {
  const bool null = s.type == SurfaceType::Null;
  if (!null && (s.samples > 1 || s.rt_level >= s.levels || s.info().is_srgb() || s.lists_nulls())) return nullptr;
  auto loaded = std::make_shared<Surface>(s);
  // Prepared messages are kept, to be found again: none keeps the texels of an image that is gone.
  loaded->memory = std::shared_ptr<image::Memory>(std::shared_ptr<void>(), s.memory.get());
  loaded->surf_min_lod = s.rt_level;
  loaded->mip_count = 0;
  loaded->resource_min_lod = loaded->base_mip_level = 0;
  loaded->swizzle = Surface().swizzle;
  if (s.type == SurfaceType::Cube) {  // an array of faces
    loaded->type = SurfaceType::Dim2;
    loaded->view_layers = s.array_length() * 6;
    loaded->array = true;
  }
  return loaded;
}

/// A load whose surface is its own.
class PreparedTypedRead final : public PreparedCall {
 public:
  PreparedTypedRead(std::shared_ptr<const Surface> surface, std::unique_ptr<PreparedOperation> operation,
                    unsigned lanes, std::vector<std::uint32_t> inputs)
      : PreparedCall(std::move(operation), lanes, std::move(inputs)), surface_(std::move(surface)) {}
  [[nodiscard]] std::size_t bytes() const override {
    return PreparedCall::bytes() + sizeof surface_ + sizeof *surface_;
  }
  [[nodiscard]] bool emit(CodegenContext& e) const override;

 private:
  std::shared_ptr<const Surface> surface_;
};

bool PreparedTypedRead::emit(CodegenContext& e) const {
  const Operand* to = e.named("dst");
  const auto mask = static_cast<unsigned>(e.integer("mask")) & 15u;
  const unsigned n = e.lanes(), grf = e.grf_bytes(), stride = (n * 4 + grf - 1) / grf * grf;
  if (to == nullptr || to->null) return false;
  for (unsigned c = 0, nth = 0; c < 4; ++c)
    if ((mask >> c & 1u) != 0 && !e.takes_raw(*to, nth++ * stride, n * 4)) return false;
  std::vector<InputWords> words;
  for (const Coordinate& c : kCoordinates) {
    const Operand* operand = e.named(c.slot);
    if (operand == nullptr || operand->null) continue;
    const Value bits = e.read_raw(*operand, 0, 4, n);
    if (!bits) return false;
    words.push_back({place_of(c.param), bits});
  }
  const Results results = call(e, words, "coordinate");
  bool good = true;
  for (unsigned c = 0, nth = 0; c < 4; ++c)
    if ((mask >> c & 1u) != 0)
      good = e.write_raw(*to, nth++ * stride, e.b().load(results.texels, std::int64_t{c} * n * 4, {Element::I32, n}, 4),
                         results.lanes) &&
             good;
  return good;
}

}  // namespace

std::unique_ptr<PreparedMessage> prepare_typed_read(const ImageMessage& message) {
  if (jit_of(*message.instruction.description) != emit_typed_read) return nullptr;
  const machine::Operands operands = message.operands();
  const unsigned lanes = message.instruction.lanes;
  const Operand* level = operands.named("lod");
  if ((lanes != 8 && lanes != 16 && lanes != 32) || (level != nullptr && !level->null)) return nullptr;
  const Surface* bound = message.surface(operands.of_kind(isa::OperandKind::Surface));
  // What is counted is told texel by texel, by the reference function.
  if (bound == nullptr || texture::touch_kind(*bound) != texture::TouchSink::Kind::None) return nullptr;
  const std::shared_ptr<const Surface> surface = loaded_surface(*bound);
  if (surface == nullptr) return nullptr;
  texture::LaneRequest request;
  request.op = texture::Op::LdLz;
  request.simd = lanes;
  request.surface = surface.get();
  static constexpr texture::LaneWords kPresent{};
  std::vector<std::uint32_t> inputs;
  for (const Coordinate& c : kCoordinates) {
    const Operand* operand = operands.named(c.slot);
    if (operand == nullptr || operand->null) continue;
    request.set(c.param, kPresent);
    inputs.push_back(place_of(c.param));
  }
  auto prepared = prepare_operation(message, request);
  if (prepared == nullptr || prepared->static_state.cube != 0) return nullptr;
  return std::make_unique<PreparedTypedRead>(surface, std::move(prepared), lanes, std::move(inputs));
}

bool emit_typed_read(CodegenContext& e) { return emit_prepared(e); }

}  // namespace heddle::instructions
