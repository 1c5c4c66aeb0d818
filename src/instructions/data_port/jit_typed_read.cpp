// Typed reads in compiled code: the texture unit's load without a level, of the level that the state names.

#include <cstddef>

#include <fmt/format.h>

#include "instructions/data_port/jit_typed.hpp"
#include "texture/simd/prepared.hpp"

namespace heddle::instructions {

using image::Surface;
using image::SurfaceType;
using machine::Operand;
using machine::jit::CodegenContext;
using machine::jit::Element;
using machine::jit::PreparedMessage;
using machine::jit::ThreadContext;
using machine::jit::Value;
using texture::Param;
using texture::simd::PreparedOperation;
using texture::simd::StaticState;

namespace {

constexpr machine::jit::VectorType kPointer{Element::Pointer, 0};

struct Coordinate {
  std::string_view slot;
  Param param;
};
constexpr Coordinate kCoordinates[] = {{"u", Param::U}, {"v", Param::V}, {"r", Param::R}};

std::uint32_t place_of(Param param) { return static_cast<std::uint32_t>(param) * 8; }

/// The surface as a load sees what a typed message sees; nothing where the two differ in more.
std::shared_ptr<const Surface> loaded_surface(const Surface& s) {
  if (s.type == SurfaceType::Null || s.samples > 1 || s.rt_level >= s.levels || s.info().is_srgb() ||
      !s.null_pages.empty() || !s.null_texels.empty())
    return nullptr;
  auto loaded = std::make_shared<Surface>(s);
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

class PreparedTypedRead final : public PreparedMessage {
 public:
  PreparedTypedRead(std::shared_ptr<const Surface> surface, std::unique_ptr<PreparedOperation> operation,
                    unsigned lanes, std::vector<std::uint32_t> inputs)
      : surface_(std::move(surface)), operation_(std::move(operation)), lanes_(lanes), inputs_(std::move(inputs)) {}

  [[nodiscard]] Kernel kernel() const override {
    return {.entry = fmt::format("heddle_simd_load_{}", lanes_),
            .static_state = bytes_of(operation_->static_state),
            .channel_words = lanes_,
            .input_bytes = sizeof(texture::simd::Inputs),
            .inputs = inputs_};
  }
  void complete(std::span<std::uint8_t> static_state, const LinkFacts& facts) const override {
    static_state[offsetof(StaticState, unread)] = static_cast<std::uint8_t>(facts.unread_channels);
    if (!facts.has_vbmi) static_state[offsetof(StaticState, has_vbmi)] = 0;
  }
  [[nodiscard]] const void* dynamic_state() const override { return &operation_->dynamic_state; }
  [[nodiscard]] std::size_t dynamic_bytes() const override { return sizeof operation_->dynamic_state; }
  [[nodiscard]] std::size_t bytes() const override { return sizeof *this + sizeof *surface_ + sizeof *operation_; }
  [[nodiscard]] bool emit(CodegenContext& e) const override;

 private:
  std::shared_ptr<const Surface> surface_;
  std::unique_ptr<PreparedOperation> operation_;
  unsigned lanes_;
  std::vector<std::uint32_t> inputs_;
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
  machine::jit::Builder& b = e.b();
  const Value out = b.temporary((4 * n + 1) * 4, 64, "texels");
  std::vector<Value> arguments = store_words(e, words, "coordinate");
  arguments.insert(arguments.begin(), state_argument(e));
  const Value unit_context = b.load_fixed(e.function().context, offsetof(ThreadContext, unit_context), kPointer, 8);
  const Value lanes = e.enabled();
  arguments.insert(arguments.end(), {e.enabled_bits(), out, unit_context});
  (void)b.call({e.function().message->function, {}, false, false}, arguments);
  bool good = true;
  for (unsigned c = 0, nth = 0; c < 4; ++c)
    if ((mask >> c & 1u) != 0)
      good =
          e.write_raw(*to, nth++ * stride, b.load(out, std::int64_t{c} * n * 4, {Element::I32, n}, 4), lanes) && good;
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
  const std::shared_ptr<const Surface> surface = bound != nullptr ? loaded_surface(*bound) : nullptr;
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
  texture::OperationContext context;
  context.platform = machine::unit_platform(message.code.platform);
  auto prepared = texture::simd::prepare(request, context);
  if (prepared == nullptr || !context.reports.empty() || !texture::simd::is_fast(*prepared) ||
      prepared->static_state.cube != 0)
    return nullptr;
  prepared->request.params = {};
  return std::make_unique<PreparedTypedRead>(surface, std::move(prepared), lanes, std::move(inputs));
}

bool emit_typed_read(CodegenContext& e) { return emit_prepared(e); }

}  // namespace heddle::instructions
