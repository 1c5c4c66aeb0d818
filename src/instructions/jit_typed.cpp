#include "instructions/jit_typed.hpp"

#include <cstddef>

namespace heddle::instructions {

using isa::OperandKind;
using machine::Decoded;
using machine::Operand;
using machine::jit::Binary;
using machine::jit::Context;
using machine::jit::Element;
using machine::jit::Emit;
using machine::jit::Value;
using unit::lanes::TypedInputs;

namespace {

const Operand* named(const Decoded& d, const Operand* operands, std::string_view slot) {
  const int index = d.form->slot_index(slot);
  if (index < 0 || index >= d.operand_count || operands[index].kind == OperandKind::Absent) return nullptr;
  return &operands[index];
}

constexpr std::uint64_t kBti = 4, kWords = 2;  ///< LSC: addressed by binding-table index; 32-bit coordinates

struct Message {
  const Operand *surface = nullptr, *data = nullptr;
  unsigned mask = 0;
};

/// False where something is not as plain as compiled code has it.
bool read_message(const Decoded& d, const Operand* operands, Message& m) {
  const auto integer = [&](std::string_view slot) {
    const Operand* operand = named(d, operands, slot);
    return operand != nullptr ? operand->value : 0;
  };
  const bool lsc = d.form->room == "lsc";
  if (d.lanes != 8 && d.lanes != 16 && d.lanes != 32) return false;
  for (unsigned i = 0; i < d.operand_count && m.surface == nullptr && !lsc; ++i)
    if (operands[i].kind == OperandKind::Surface) m.surface = &operands[i];
  if (lsc) m.surface = named(d, operands, "surface");
  m.data = named(d, operands, lsc ? "src1" : "src");
  m.mask = static_cast<unsigned>(integer(lsc ? "elems" : "mask")) & 15u;
  const Operand* level = named(d, operands, "lod");
  if (level != nullptr && !level->null) return false;
  if (lsc && (integer("addr_type") != kBti || integer("addr_size") != kWords)) return false;
  return m.surface != nullptr && m.data != nullptr && !m.data->null && m.mask != 0;
}

/// The binding-table index, where it is known.
std::optional<std::uint32_t> index_of(const Operand& surface, const machine::jit::Facts& facts,
                                      const machine::StateIndex& states) {
  if (surface.kind == OperandKind::Immediate && surface.scalar) return static_cast<std::uint32_t>(surface.value);
  if (surface.kind != OperandKind::Surface || surface.id == 4) return std::nullopt;
  const std::uint32_t at = states.surface(surface.id, surface.element);
  return at < facts.states.size() ? facts.states[at] : std::nullopt;
}

}  // namespace

std::unique_ptr<unit::lanes::PreparedTyped> prepare_typed_write(const machine::Code& code,
                                                                const machine::jit::Facts& facts,
                                                                const machine::StateIndex& states,
                                                                const machine::Bindings& bindings, const Decoded& d) {
  if (jit_of(*d.form) != emit_typed_write) return nullptr;
  Message m;
  if (!read_message(d, code.objects.front().operands.data() + d.first_operand, m)) return nullptr;
  const auto index = index_of(*m.surface, facts, states);
  if (!index || *index >= bindings.surfaces.size() || bindings.surfaces[*index] == nullptr) return nullptr;
  return unit::lanes::prepare_typed_write(*bindings.surfaces[*index], m.mask);
}

bool emit_typed_write(Emit& e) {
  const machine::jit::ImageUse* use = e.frame().image;
  Message m;
  if (use == nullptr || use->typed == nullptr || !read_message(e.instruction(), &e.operand(0), m)) return false;
  machine::jit::Builder& b = e.b();
  const unsigned n = e.lanes(), grf = e.grf_bytes(), stride = (n * 4 + grf - 1) / grf * grf;
  struct Word {
    std::size_t at;
    Value bits;
  };
  std::vector<Word> words;
  constexpr std::string_view kCoordinates[] = {"u", "v", "r"}, kOffsets[] = {"u_offset", "v_offset", "r_offset"};
  for (unsigned i = 0; i < 3; ++i) {
    const Operand *operand = e.named(kCoordinates[i]), *offset = e.named(kOffsets[i]);
    if (operand == nullptr || operand->null) continue;
    Value bits = e.read_raw(*operand, 0, 4, n);
    if (!bits) return false;
    if (offset != nullptr && offset->value != 0)
      bits = b.binary(Binary::Add, bits, e.lanes_of(static_cast<std::uint32_t>(offset->value), Element::I32));
    words.push_back({offsetof(TypedInputs, coordinate) + 8 * i, bits});
  }
  unsigned nth = 0;
  for (unsigned c = 0; c < 4; ++c) {
    if ((m.mask >> c & 1u) == 0) continue;
    const Value bits = e.read_raw(*m.data, nth++ * stride, 4, n);
    if (!bits) return false;
    words.push_back({offsetof(TypedInputs, color) + 8 * c, bits});
  }
  const Value inputs = b.storage(sizeof(TypedInputs), 16, "message");
  b.fill(inputs, 0, sizeof(TypedInputs), 8);
  for (const Word& word : words) {
    const Value storage = b.storage(n * 4, 64, "operand");
    b.store(storage, 0, word.bits, 4);
    b.store(inputs, static_cast<std::int64_t>(word.at), storage, 8);
  }
  constexpr machine::jit::VectorType kPointer{Element::Pointer, 0};
  const Value table = b.load(e.frame().context, offsetof(Context, images), kPointer, 8);
  const Value varying = b.load(table, std::int64_t{use->slot} * 8, kPointer, 8);
  const Value unit_context = b.load(e.frame().context, offsetof(Context, unit_context), kPointer, 8);
  (void)b.call({use->function, {}, false, false}, std::array{varying, inputs, e.enabled_bits(), unit_context});
  return true;
}

}  // namespace heddle::instructions
