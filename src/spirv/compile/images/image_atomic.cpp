// SPDX-License-Identifier: MIT
// OpImageTexelPointer and the atomics on what it points to: typed_atomic; atomic loads and stores are typed reads and
// writes.
// Rules: SPV-27.

#include <spirv/unified1/spirv.hpp11>

#include "isa/source_map.hpp"
#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/images/image.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {
namespace image {
namespace {

struct Atomic {
  std::string_view op;      ///< word of the text; empty: not an atomic of a texel
  unsigned operand = 3;     ///< word of the value; 0: none
  unsigned comparator = 0;  ///< word of the value compared with; 0: none
  isa::Type type = isa::Type::UD;
};

Atomic atomic_of(std::uint16_t opcode) {
  using enum spv::Op;
  switch (static_cast<spv::Op>(opcode)) {
    case OpAtomicExchange:
      return {"xchg"};
    case OpAtomicCompareExchange:
    case OpAtomicCompareExchangeWeak:
      return {"cmpxchg", 4, 5};
    case OpAtomicIIncrement:
      return {"inc", 0};
    case OpAtomicIDecrement:
      return {"dec", 0};
    case OpAtomicIAdd:
      return {"add"};
    case OpAtomicISub:
      return {"sub"};
    case OpAtomicUMin:
      return {"min"};
    case OpAtomicUMax:
      return {"max"};
    case OpAtomicSMin:
      return {"minsint", 3, 0, isa::Type::D};
    case OpAtomicSMax:
      return {"maxsint", 3, 0, isa::Type::D};
    case OpAtomicAnd:
      return {"and"};
    case OpAtomicOr:
      return {"or"};
    case OpAtomicXor:
      return {"xor"};
    case OpAtomicFAddEXT:
      return {"fadd", 3, 0, isa::Type::F};
    case OpAtomicFMinEXT:
      return {"fmin", 3, 0, isa::Type::F};
    case OpAtomicFMaxEXT:
      return {"fmax", 3, 0, isa::Type::F};
    default:
      return {{}};
  }
}

}  // namespace

void texel_pointer(ShaderContext& t) {
  const Value& image = t.values.of(t.operand(0));
  if (image.pointer == nullptr || image.pointer->kind != Pointer::Kind::Descriptor)
    return t.refuse("the operand is not a pointer to an image");
  Pointer p = *image.pointer;
  const ImageInfo info = t.types.image(p.pointee);
  p.kind = Pointer::Kind::Texel;
  p.pointee = t.types.of(t.at->type).element;
  p.coordinate.clear();
  for (unsigned c = 0; c < t.values.size(t.operand(1)); ++c)
    p.coordinate.push_back(parameter(t, t.values.part(t.operand(1), c), isa::Type::D, "coordinate"));
  if (info.multisampled) {
    enter_samples(t, p.descriptor, info.arrayed, p.coordinate, t.values.part(t.operand(2)));
    p.samples_as_layers = true;
  }
  Value v;
  v.type = t.at->type;
  v.pointer = std::make_shared<Pointer>(std::move(p));
  t.set_value(std::move(v));
}

}  // namespace image

namespace {

/// Translates the current instruction where its pointer is that of a texel (OpImageTexelPointer); false: it is another.
bool translate_texel_atomic(ShaderContext& t) {
  const Value& v = t.values.of(t.operand(0));
  if (v.pointer == nullptr || v.pointer->kind != Pointer::Kind::Texel) return false;
  const Pointer p = *v.pointer;
  VisaWriter& b = t.b;
  const auto opcode = static_cast<spv::Op>(t.at->opcode);
  const isa::Type own = t.types.of(p.pointee).scalar;
  const bool wide = isa::type_bytes(own) == 8;
  const std::vector<image::GuardedImage> targets = image::guarded_images(
      t, p.descriptor, opcode == spv::Op::OpAtomicLoad ? Guard{} : t.lanes.live(), p.samples_as_layers);
  if (opcode == spv::Op::OpAtomicLoad) {
    t.set(wide ? image::wide_texel(t, image::typed_read(t, targets, p.coordinate, 2, isa::Type::UD), own, 1)
               : image::typed_read(t, targets, p.coordinate, 1, own));
    return true;
  }
  if (opcode == spv::Op::OpAtomicStore) {
    const Part value = t.values.part(t.operand(3));
    const Part halves[] = {low_half(value), high_half(value)};
    if (wide)
      image::typed_write(t, targets, p.coordinate, halves, isa::Type::UD);
    else
      image::typed_write(t, targets, p.coordinate, {&value, 1}, own);
    return true;
  }
  const image::Atomic atomic = image::atomic_of(t.at->opcode);
  if (atomic.op.empty()) {
    t.refuse("this atomic is not supported on texels");
    return true;
  }
  // Signed additions keep their type; the rest is on bits (visa-atomic-type).
  const isa::Type narrow = (atomic.op == "add" || atomic.op == "sub") ? own : atomic.type;
  const isa::Type type = !wide                     ? narrow
                         : narrow == isa::Type::F  ? isa::Type::DF
                         : narrow == isa::Type::D  ? isa::Type::Q
                         : narrow == isa::Type::UD ? isa::Type::UQ
                                                   : narrow;
  Part value, comparator;
  if (atomic.operand != 0)
    value = image::parameter(t, t.values.part(t.operand(atomic.operand)).as(type), type, "value");
  if (atomic.comparator != 0)
    comparator = image::parameter(t, t.values.part(t.operand(atomic.comparator)).as(type), type, "comparator");
  const auto raw = [&](const Part& part, const LaneRange& range) {
    return part.kind == Part::Kind::Variable ? image::raw(t, part, range) : no_registers();
  };
  const std::string op = "typed_atomic." + std::string(atomic.op) + (wide ? ".64" : "");
  // One channel: ranges lie side by side. Lanes without effects get a value too, so that what is computed from it is
  // defined.
  const Part old = b.lanes(type, t.result_name("old"));
  bool all = true;
  for (const image::GuardedImage& target : targets) all = all && target.guard.predicate.kind == Part::Kind::Undefined;
  if (!all) b.move(old, constant(type, 0));
  for (const LaneRange& range : b.lane_ranges(image::typed_lanes(t)))
    for (const image::GuardedImage& target : targets) {
      std::vector<VisaOperand> operands{target.surface};
      for (unsigned c = 0; c < 3; ++c)
        operands.push_back(c < p.coordinate.size() ? image::raw(t, p.coordinate[c], range) : no_registers());
      operands.push_back(no_registers());
      operands.push_back(raw(value, range));
      operands.push_back(raw(comparator, range));
      operands.push_back(b.raw(old, range));
      b.instruction(op, range, operands, target.guard);
    }
  t.set({old.as(own)});
  return true;
}

/// Loads and stores are plain messages, which whoever looks for races must know (isa::remark_of).
class MarkedAtomic {
 public:
  explicit MarkedAtomic(ShaderContext& t)
      : t_(t),
        marked_(static_cast<spv::Op>(t.at->opcode) == spv::Op::OpAtomicLoad ||
                static_cast<spv::Op>(t.at->opcode) == spv::Op::OpAtomicStore) {
    if (marked_) t_.b.remark(isa::kAtomicRemark);
  }
  ~MarkedAtomic() {
    if (marked_) t_.b.remark(isa::kPlainRemark);
  }
  MarkedAtomic(const MarkedAtomic&) = delete;
  MarkedAtomic& operator=(const MarkedAtomic&) = delete;

 private:
  ShaderContext& t_;
  const bool marked_;
};

void translate_atomic(ShaderContext& t) {
  const MarkedAtomic marked(t);
  if (!translate_texel_atomic(t)) translate_memory_atomic(t);
}

}  // namespace

std::span<const Op> atomic_ops() {
  using enum spv::Op;
  static constexpr spv::Op kAtomics[] = {
      OpAtomicLoad, OpAtomicStore, OpAtomicExchange, OpAtomicIIncrement, OpAtomicIDecrement, OpAtomicCompareExchange,
      OpAtomicIAdd, OpAtomicISub,  OpAtomicSMin,     OpAtomicUMin,       OpAtomicSMax,       OpAtomicUMax,
      OpAtomicAnd,  OpAtomicOr,    OpAtomicXor,      OpAtomicFMinEXT,    OpAtomicFMaxEXT,    OpAtomicFAddEXT};
  static const std::vector<Op> kOps = [] {
    std::vector<Op> ops;
    for (const spv::Op op : kAtomics) ops.push_back({static_cast<std::uint16_t>(op), translate_atomic});
    return ops;
  }();
  return kOps;
}

}  // namespace heddle::spirv::compiler
