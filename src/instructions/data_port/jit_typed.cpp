// SPDX-License-Identifier: MIT
#include "instructions/data_port/jit_typed.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "instructions/data_port/jit_memory.hpp"
#include "instructions/data_port/lsc_transfer.hpp"
#include "texture/simd/prepared_typed.hpp"

namespace heddle::instructions {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Binary;
using machine::jit::CodegenContext;
using machine::jit::Compare;
using machine::jit::Element;
using machine::jit::PreparedMessage;
using machine::jit::ThreadContext;
using machine::jit::Value;
using texture::simd::TypedDynamicState;
using texture::simd::TypedInputs;

namespace {

constexpr std::uint64_t kBti = 4, kWords = 2;  ///< LSC: addressed by binding-table index; 32-bit coordinates

struct TypedMessage {
  const Operand *surface = nullptr, *data = nullptr;
  unsigned mask = 0;
  // Atomic operations:
  const Operand *first = nullptr, *second = nullptr;
  machine::AtomicOp op{};
  unsigned bytes = 4;
};

bool read_atomic(const machine::Operands& operands, bool lsc, TypedMessage& m) {
  m.first = operands.named(lsc ? "src1" : "src0");
  m.second = operands.named(lsc ? "src2" : "src1");
  m.data = operands.named("dst");
  if (m.first == nullptr || m.second == nullptr || m.data == nullptr) return false;
  if (!lsc) {
    const std::uint64_t op = operands.integer("op");
    m.op = static_cast<machine::AtomicOp>(op);
    m.bytes = operands.integer("w64") != 0 ? 8 : operands.integer("w16") != 0 ? 2 : 4;
    return op <= 0xd || (op >= 0x10 && op <= 0x14);
  }
  const auto op = lsc::atomic_op(lsc::op_of(operands.description()));
  if (!op) return false;
  m.op = *op;
  const unsigned bytes = lsc::data_size(operands.integer("data_size")).memory;
  m.bytes = bytes < 2 ? 4 : bytes;
  if (*op == machine::AtomicOp::CmpXchg) std::swap(m.first, m.second);  // icas compares with src1 and stores src2
  return true;
}

/// No function of the vector functions is called for atomic operations.
bool is_typed_atomic(const Decoded& d) { return jit_of(*d.description) != emit_typed_write; }

/// False where something is not as plain as compiled code has it.
bool read_message(const machine::Operands& operands, TypedMessage& m) {
  const Decoded& d = operands.instruction();
  const bool lsc = operands.named("addr_type") != nullptr;
  if (d.lanes != 8 && d.lanes != 16 && d.lanes != 32) return false;
  m.surface = lsc ? operands.named("surface") : operands.of_kind(OperandKind::Surface);
  const Operand* level = operands.named("lod");
  if (m.surface == nullptr || (level != nullptr && !level->null)) return false;
  if (lsc && (operands.integer("addr_type") != kBti || operands.integer("addr_size") != kWords)) return false;
  if (is_typed_atomic(d)) return read_atomic(operands, lsc, m);
  m.data = operands.named(lsc ? "src1" : "src");
  m.mask = static_cast<unsigned>(operands.integer(lsc ? "elems" : "mask")) & 15u;
  return m.data != nullptr && !m.data->null && m.mask != 0;
}

/// u, v, r with their offsets; null where the operand is.
bool read_coordinates(CodegenContext& e, std::array<Value, 3>& out) {
  constexpr std::string_view kCoordinates[] = {"u", "v", "r"}, kOffsets[] = {"u_offset", "v_offset", "r_offset"};
  for (unsigned i = 0; i < 3; ++i) {
    const Operand *operand = e.named(kCoordinates[i]), *offset = e.named(kOffsets[i]);
    if (operand == nullptr || operand->null) continue;
    out[i] = e.read_raw(*operand, 0, 4, e.lanes());
    if (!out[i]) return false;
    if (offset != nullptr && offset->value != 0)
      out[i] = e.b().binary(Binary::Add, out[i], e.lanes_of(static_cast<std::uint32_t>(offset->value), Element::I32));
  }
  return true;
}

constexpr machine::jit::VectorType kPointer{Element::Pointer, 0}, kWord{Element::I32, 0};

class PreparedTexels final : public PreparedMessage {
 public:
  PreparedTexels(std::unique_ptr<texture::simd::PreparedTyped> texels, unsigned lanes, bool atomic)
      : texels_(std::move(texels)), lanes_(lanes), atomic_(atomic) {}

  [[nodiscard]] Function function() const override {
    return {.entry = atomic_ ? std::string() : fmt::format("heddle_simd_typed_write_{}", lanes_),
            .static_state = bytes_of(texels_->static_state),
            .has_output = false};
  }
  [[nodiscard]] const void* dynamic_state() const override { return &texels_->dynamic_state; }
  [[nodiscard]] std::size_t dynamic_bytes() const override { return sizeof(TypedDynamicState); }
  [[nodiscard]] std::size_t bytes() const override { return sizeof *this + sizeof *texels_; }
  [[nodiscard]] std::uint32_t form() const override { return atomic_ ? texels_->static_state.coordinates : 0; }
  [[nodiscard]] bool emit(CodegenContext& e) const override { return atomic_ ? emit_atomic(e) : emit_write(e); }

 private:
  [[nodiscard]] bool emit_atomic(CodegenContext& e) const;
  [[nodiscard]] bool emit_write(CodegenContext& e) const;

  std::unique_ptr<texture::simd::PreparedTyped> texels_;
  unsigned lanes_;
  bool atomic_;
};

bool PreparedTexels::emit_atomic(CodegenContext& e) const {
  TypedMessage m;
  std::array<Value, 3> at;
  if (!read_message(e, m) || !read_coordinates(e, at)) return false;
  machine::jit::Builder& b = e.b();
  const unsigned n = e.lanes(), kinds = texels_->static_state.coordinates;
  const Value dynamic_state = dynamic_state_of(e);
  const auto field = [&](std::size_t offset) {
    return b.splat(b.load(dynamic_state, static_cast<std::int64_t>(offset), kWord, 4), n);
  };
  // x; then y or the array index; then the index or z.
  struct Axis {
    Value value;
    std::size_t extent, pitch;
  };
  std::vector<Axis> axes{{at[0], offsetof(TypedDynamicState, width), 0}};
  if (kinds == 3) axes.push_back({at[1], offsetof(TypedDynamicState, height), offsetof(TypedDynamicState, row_pitch)});
  if (kinds > 1)
    axes.push_back({at[kinds - 1], offsetof(TypedDynamicState, slices), offsetof(TypedDynamicState, slice_pitch)});
  Value offset = e.lanes_of(0, Element::I32), inside;
  for (const Axis& axis : axes) {
    const Value place = axis.value ? axis.value : e.lanes_of(0, Element::I32);
    const Value pitch = axis.pitch == 0 ? e.lanes_of(m.bytes, Element::I32) : field(axis.pitch);
    const Value good = b.compare(Compare::Ult, place, field(axis.extent));
    inside = inside ? b.binary(Binary::And, inside, good) : good;
    offset = b.binary(Binary::Add, offset, b.binary(Binary::Mul, place, pitch));
  }
  offset = b.select(inside, offset, e.lanes_of(~0u, Element::I32));  // outside: nothing happens, the result is 0
  const jit_memory::MemoryBytes target{b.load(dynamic_state, offsetof(TypedDynamicState, memory), kPointer, 8),
                                       b.load(dynamic_state, offsetof(TypedDynamicState, bytes), kWord, 4)};
  return jit_memory::emit_atomics(e, target, offset, m.op, m.bytes, *m.first, *m.second, *m.data);
}

bool PreparedTexels::emit_write(CodegenContext& e) const {
  TypedMessage m;
  std::array<Value, 3> at;
  if (!read_message(e, m) || !read_coordinates(e, at)) return false;
  machine::jit::Builder& b = e.b();
  const unsigned n = e.lanes(), grf = e.grf_bytes(), stride = (n * 4 + grf - 1) / grf * grf;
  std::vector<InputWords> words;
  for (unsigned i = 0; i < 3; ++i)
    if (at[i]) words.push_back({offsetof(TypedInputs, coordinate) + 8 * i, at[i]});
  unsigned nth = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((m.mask >> c & 1u) == 0) continue;
    const Value bits = e.read_raw(*m.data, nth++ * stride, 4, n);
    if (!bits) return false;
    words.push_back({offsetof(TypedInputs, color) + 8 * c, bits});
  }
  const Value inputs = b.storage(sizeof(TypedInputs), 16, "message");
  b.fill(inputs, 0, sizeof(TypedInputs), 8);
  store_inputs(e, inputs, words, "operand");
  const Value unit_context = b.load(e.function().context, offsetof(ThreadContext, unit_context), kPointer, 8);
  (void)b.call({e.function().message->function, {}, false, false},
               std::array{state_argument(e), inputs, e.enabled_bits(), unit_context});
  return true;
}

}  // namespace

std::unique_ptr<PreparedMessage> prepare_typed(const ImageMessage& message) {
  const isa::InstructionDescription& description = *message.instruction.description;
  if (!description.traits.typed_surface || jit_of(description) == nullptr || jit_of(description) == emit_typed_read)
    return nullptr;
  TypedMessage m;
  if (!read_message(message.operands(), m)) return nullptr;
  const image::Surface* surface = message.surface(m.surface);
  if (surface == nullptr) return nullptr;
  const bool atomic = is_typed_atomic(message.instruction);
  auto texels = atomic ? texture::simd::prepare_typed_atomic(*surface, m.bytes)
                       : texture::simd::prepare_typed_write(*surface, m.mask);
  if (texels == nullptr) return nullptr;
  return std::make_unique<PreparedTexels>(std::move(texels), message.instruction.lanes, atomic);
}

bool emit_typed_atomic(CodegenContext& e) { return emit_prepared(e); }
bool emit_typed_write(CodegenContext& e) { return emit_prepared(e); }

}  // namespace heddle::instructions
