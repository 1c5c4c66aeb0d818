// SPDX-License-Identifier: MIT
// Cooperative matrices: the lanes of a subgroup have the elements of a matrix among them.
// Rules: SPV-55.
#include "spirv/cooperative_matrix.hpp"

#include <algorithm>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/arithmetic/scalar.hpp"
#include "spirv/compile/module/matrix_places.hpp"
#include "spirv/compile/operations/operations.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {

bool runs_in_compute(ShaderContext& t) {
  if (t.entry.stage == isa::ShaderStage::Compute) return true;
  t.refuse("cooperative matrices are for compute shaders");
  return false;
}

// --- memory ---

/// The pointers to the elements of a matrix in memory.
class MatrixMemory {
 public:
  /// `layout` says whether rows or columns lie together, `stride` how many bytes they are apart.
  MatrixMemory(ShaderContext& t, const Pointer& first, const TypeInfo& type, std::uint32_t layout, const Part& stride)
      : t_(t), places_(type.matrix, t.b.simd()), bytes_(scalar_size(type, false)), stride_(stride) {
    follows_ = layout == kColumnMajor;
    const Part lane = t.b.lane_numbers();
    const unsigned columns = places_.columns(), simd = t.b.simd();
    Pointer p = first;
    p.pointee = type.element;
    p.matrix = {};
    p.row_major_vector = false;
    if (simd <= columns) {
      p = stepped(p, lane, !follows_);
    } else {
      const Part column = t.b.make("and", Type::UD, {lane, ud(columns - 1)}, "column");
      const Part group = t.b.make("shr", Type::UD, {lane, ud(log2_of(columns))}, "group");
      p = stepped(p, column, !follows_);
      p = stepped(p, t.b.make("mul", Type::UD, {group, ud(places_.run())}, "element"), follows_);
    }
    blocks_.push_back(p);
    for (unsigned block = 1; block * simd < columns; ++block)
      blocks_.push_back(stepped(p, ud(block * simd), !follows_));
  }

  /// The elements of one lane follow each other in memory.
  [[nodiscard]] bool follows() const { return follows_; }
  [[nodiscard]] unsigned parts() const { return places_.parts(); }
  [[nodiscard]] unsigned run() const { return places_.run(); }
  [[nodiscard]] unsigned bytes() const { return bytes_; }
  /// Parts are asked for in their order.
  [[nodiscard]] Pointer of_part(unsigned part) {
    const unsigned step = part % run();
    Pointer& block = blocks_[part / run()];
    if (follows_ || stride_.constant()) return stepped(block, ud(step), follows_);
    if (step != 0) block = stepped(block, ud(1), false);
    return block;
  }

 private:
  static unsigned log2_of(unsigned n) { return static_cast<unsigned>(__builtin_ctz(n)); }

  /// `count` elements further, or `count` rows or columns.
  [[nodiscard]] Pointer stepped(const Pointer& p, const Part& count, bool elements) {
    if (elements) return t_.pointers.moved(p, count, bytes_);
    if (stride_.constant()) return t_.pointers.moved(p, count, static_cast<std::uint32_t>(stride_.bits));
    if (count.constant() && count.bits <= 1) return count.bits == 0 ? p : t_.pointers.moved(p, stride_, 1);
    return t_.pointers.moved(p, t_.b.make("mul", Type::UD, {stride_, count}, "distance"), 1);
  }

  ShaderContext& t_;
  MatrixPlaces places_;
  unsigned bytes_;
  Part stride_;
  bool follows_ = false;
  std::vector<Pointer> blocks_;  ///< at the first part of each block of lines
};

/// Bytes from row to row, or column to column: the operand counts what the pointer points to.
Part stride_bytes(ShaderContext& t, std::uint32_t id, const Pointer& p) {
  const std::uint32_t unit = t.layout.natural_size(p.pointee, false);
  const Part stride = t.values.part(id);
  if (stride.constant()) return ud(static_cast<std::uint32_t>(stride.bits) * unit);
  const Part dwords = bits_of(stride) == 32 ? stride.as(Type::UD) : convert_number(t.b, stride, Type::UD, "stride");
  return unit == 1 ? dwords : t.b.make("mul", Type::UD, {dwords, ud(unit)}, "stride");
}

/// Of a load or store: `layout` is the number of the operand that says the layout.
std::optional<MatrixMemory> memory_of(ShaderContext& t, const TypeInfo& type, std::size_t layout) {
  if (!runs_in_compute(t)) return std::nullopt;
  const auto p = t.pointers.of(t.operand(0));
  if (p == nullptr ||
      (p->kind != Pointer::Kind::Buffer && p->kind != Pointer::Kind::Shared && p->kind != Pointer::Kind::Address)) {
    t.refuse("this pointer is not supported");
    return std::nullopt;
  }
  const auto order = t.constants.integer(t.operand(layout));
  if (!order || *order > kColumnMajor || t.at->operands.size() <= layout + 1) {
    t.refuse("only matrices whose rows or columns are a stride apart are supported");
    return std::nullopt;
  }
  return MatrixMemory(t, *p, type, static_cast<std::uint32_t>(*order), stride_bytes(t, t.operand(layout + 1), *p));
}

/// Elements that lie together are moved as dwords, up to four at once; in buffers, whose bounds hold byte by byte,
/// those of 32 bits alone.
bool moves_dwords(const MatrixMemory& memory, const Pointer& p) {
  return memory.follows() && (memory.bytes() == 4 || p.kind != Pointer::Kind::Buffer) &&
         memory.run() * memory.bytes() % 4 == 0;
}

void load_matrix(ShaderContext& t) {
  const TypeInfo type = t.types.of(t.at->type);
  auto memory = memory_of(t, type, 1);
  if (!memory) return;
  const std::string name = t.result_name("matrix");
  std::vector<Part> parts;
  if (!moves_dwords(*memory, *t.pointers.of(t.operand(0)))) {
    while (parts.size() < memory->parts())
      parts.push_back(t.memory.load(memory->of_part(static_cast<unsigned>(parts.size())), name).parts[0]);
    return t.set(std::move(parts));
  }
  const unsigned each = 4 / memory->bytes();
  while (parts.size() < memory->parts()) {
    const auto at = static_cast<unsigned>(parts.size());
    const unsigned dwords = std::min(4u, (memory->run() - at % memory->run()) / each);
    for (const Part& dword : t.memory.load_dwords(memory->of_part(at), dwords, name))
      for (unsigned k = 0; k < each; ++k)
        parts.push_back(each == 1 ? dword.as(type.scalar) : narrowed(dword.as(Type::UD), type.scalar, k));
  }
  t.set(std::move(parts));
}

/// Elements of less than 32 bits, one behind the other.
Part packed(ShaderContext& t, std::span<const Part> elements) {
  if (elements.size() == 1) return elements[0].as(Type::UD);
  const Type narrow = unsigned_type(bits_of(elements[0]));
  const Part dword = t.b.lanes(Type::UD, "packed");
  for (unsigned k = 0; k < elements.size(); ++k) t.b.move(narrowed(dword, narrow, k), elements[k].as(narrow));
  return dword;
}

void store_matrix(ShaderContext& t) {
  const TypeInfo type = t.types.of(t.module.type_of(t.operand(1)));
  auto memory = memory_of(t, type, 2);
  if (!memory) return;
  const std::vector<Part> parts = parts_of(t, t.operand(1));
  if (parts.size() < memory->parts()) return;
  if (!moves_dwords(*memory, *t.pointers.of(t.operand(0)))) {
    for (unsigned k = 0; k < memory->parts(); ++k)
      t.memory.store(memory->of_part(k), Value{.type = type.element, .parts = {parts[k]}});
    return;
  }
  const unsigned each = 4 / memory->bytes();
  for (unsigned at = 0; at < memory->parts();) {
    const unsigned dwords = std::min(4u, (memory->run() - at % memory->run()) / each);
    const Pointer to = memory->of_part(at);
    std::vector<Part> data;
    for (unsigned d = 0; d < dwords; ++d, at += each) data.push_back(packed(t, std::span(parts).subspan(at, each)));
    t.memory.store_dwords(to, data);
  }
}

// --- products ---

/// What a product is told of its operands.
struct Signs {
  bool a, b, c, result, saturates;
};
Signs signs_of(const ShaderContext& t) {
  const std::uint32_t bits = t.operand(3);
  return {(bits & kMatrixASigned) != 0, (bits & kMatrixBSigned) != 0, (bits & kMatrixCSigned) != 0,
          (bits & kMatrixResultSigned) != 0, (bits & kSaturatingAccumulation) != 0};
}

bool fits(const TypeInfo& type, bool is_signed_here, MatrixComponent c) {
  return type.bits == matrix_component_bits(c) && isa::is_float(type.scalar) == is_float(c) &&
         (is_float(c) || is_signed_here == is_signed(c));
}

/// SPV-55: whether it is one of those that are offered.
bool is_offered(const TypeInfo& a, const TypeInfo& b, const TypeInfo& c, const TypeInfo& result, const Signs& signs) {
  return std::ranges::any_of(matrix_products(), [&](const MatrixProduct& p) {
    return a.matrix.rows == p.m && a.matrix.columns == p.k && b.matrix.rows == p.k && b.matrix.columns == p.n &&
           c.matrix.rows == p.m && c.matrix.columns == p.n && c.matrix == result.matrix && a.matrix.use == kMatrixA &&
           b.matrix.use == kMatrixB && c.matrix.use == kMatrixAccumulator && fits(a, signs.a, p.a) &&
           fits(b, signs.b, p.b) && fits(c, signs.c, p.c) && fits(result, signs.result, p.c) &&
           signs.saturates == p.saturates;
  });
}

/// A matrix for the product: elements of one type, in registers of their own.
class Factor {
 public:
  Factor(ShaderContext& t, std::uint32_t id, const TypeInfo& type, bool is_signed, Type wide)
      : t_(t), places_(type.matrix, t.b.simd()) {
    for (Part part : parts_of(t, id)) {
      if (part.constant()) part = t.b.copy(part);
      if (isa::is_integer(part.type)) part = is_signed ? as_signed(part) : as_unsigned(part);
      const bool same = bits_of(part) == isa::type_bytes(wide) * 8;
      parts_.push_back(same ? t.b.in_register(part.as(wide)) : t.b.convert(part, wide, "factor"));
    }
  }
  /// The element for all lanes.
  [[nodiscard]] VisaOperand one(unsigned row, unsigned column) const {
    const auto [part, lane] = places_.of(row, column);
    return t_.b.region(parts_[part], lane, {0, 1, 0});
  }
  /// Elements side by side from one on, for as many lanes.
  [[nodiscard]] VisaOperand line(unsigned row, unsigned column) const {
    const auto [part, lane] = places_.of(row, column);
    return t_.b.region(parts_[part], lane, {1, 1, 0});
  }

 private:
  ShaderContext& t_;
  MatrixPlaces places_;
  std::vector<Part> parts_;
};

/// Rows whose sums are made side by side: each sum waits for itself.
constexpr unsigned kRowsTogether = 4;

/// SPV-55: C, then the products in the order of k, each added with one rounding. A saturating sum adds C last.
class Product {
 public:
  Product(ShaderContext& t, const TypeInfo& a, const TypeInfo& b, const TypeInfo& c, const Signs& signs)
      : t_(t),
        wide_(isa::is_float(c.scalar) ? Type::F : Type::D),
        depth_(a.matrix.columns),
        saturates_(signs.saturates),
        a_(t, t.operand(0), a, signs.a, wide_),
        b_(t, t.operand(1), b, signs.b, wide_),
        places_(c.matrix, t.b.simd()) {
    if (!saturates_) c_.emplace(t, t.operand(2), c, signs.c, wide_);
    for (unsigned k = 0; k < places_.parts(); ++k) sums_.push_back(t.b.lanes(wide_, t.result_name("sum")));
  }

  [[nodiscard]] const std::vector<Part>& sums() {
    const unsigned lanes = std::min({places_.columns(), t_.b.simd(), 16u});
    for (unsigned column = 0; column < places_.columns(); column += lanes)
      for (unsigned row = 0; row < places_.rows(); row += kRowsTogether)
        for (unsigned k = 0; k < depth_; ++k)
          for (unsigned r = row; r < std::min(row + kRowsTogether, places_.rows()); ++r) step(r, column, lanes, k);
    return sums_;
  }

 private:
  void step(unsigned row, unsigned column, unsigned lanes, unsigned k) {
    const auto [part, lane] = places_.of(row, column);
    const LaneRange range{lane, lanes};
    const VisaOperand to = t_.b.destination(sums_[part], range), a = a_.one(row, k), b = b_.line(k, column);
    if (k != 0)
      t_.b.instruction("mad", range, {to, a, b, t_.b.source(sums_[part], range)});
    else if (c_)
      t_.b.instruction("mad", range, {to, a, b, c_->line(row, column)});
    else
      t_.b.instruction("mul", range, {to, a, b});
  }

  ShaderContext& t_;
  Type wide_;
  unsigned depth_;
  bool saturates_;
  Factor a_, b_;
  std::optional<Factor> c_;  ///< where the sums begin
  MatrixPlaces places_;
  std::vector<Part> sums_;
};

void multiply_add(ShaderContext& t) {
  if (!runs_in_compute(t)) return;
  const auto type_of = [&](std::size_t k) { return t.types.of(t.module.type_of(t.operand(k))); };
  const TypeInfo a = type_of(0), b = type_of(1), c = type_of(2), result = t.types.of(t.at->type);
  const Signs signs = signs_of(t);
  if (!is_offered(a, b, c, result, signs))
    return t.refuse("the device does not offer this product (vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)");
  std::vector<Part> sums = Product(t, a, b, c, signs).sums();
  for (unsigned k = 0; k < sums.size(); ++k) {
    Part& sum = sums[k];
    if (signs.saturates) {
      const Part addend = t.values.part(t.operand(2), k);
      const auto sign = [&](const Part& p) { return signs.result ? as_signed(p) : as_unsigned(p); };
      t.b.op("add.sat", sign(sum), {sum, sign(addend)});
    } else if (result.scalar == Type::HF) {
      sum = t.b.convert(sum, Type::HF, t.result_name("sum"));
    }
    sum = sum.as(result.scalar);
  }
  t.set(std::move(sums));
}

void length(ShaderContext& t) {
  if (runs_in_compute(t)) t.set({ud(t.types.of(t.operand(0)).count).as(result_scalar(t))});
}

constexpr Op kOps[] = {
    {kCooperativeMatrixLoad, load_matrix},
    {kCooperativeMatrixStore, store_matrix},
    {kCooperativeMatrixMulAdd, multiply_add},
    {kCooperativeMatrixLength, length},
};

}  // namespace

std::span<const Op> cooperative_matrix_ops() { return kOps; }

}  // namespace heddle::spirv::compiler
