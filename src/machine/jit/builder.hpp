// SPDX-License-Identifier: MIT
#pragma once
// Code in the making: vectors, masks, memory, blocks. Emitters of instructions see only this; engine/jit/llvm fills it
// in, so that nothing else depends on a compiler.

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::machine::jit {

enum class Element : std::uint8_t { Bool, I8, I16, I32, I64, Half, F32, F64, Pointer };

/// A scalar (0 lanes) or a vector of 1 to 256 lanes.
struct VectorType {
  Element element = Element::I32;
  unsigned lanes = 0;
  bool operator==(const VectorType&) const = default;
};
[[nodiscard]] constexpr unsigned element_bits(Element e) {
  constexpr unsigned kBits[] = {1, 8, 16, 32, 64, 16, 32, 64, 64};
  return kBits[static_cast<unsigned>(e)];
}
[[nodiscard]] constexpr Element integer_of(unsigned bytes) {
  return bytes == 1 ? Element::I8 : bytes == 2 ? Element::I16 : bytes == 4 ? Element::I32 : Element::I64;
}

/// A value of the function in the making; null: there is none.
struct Value {
  void* p = nullptr;
  explicit operator bool() const { return p != nullptr; }
};
struct Block {
  void* p = nullptr;
  explicit operator bool() const { return p != nullptr; }
};

enum class Binary : std::uint8_t { Add, Sub, Mul, UDiv, SDiv, And, Or, Xor, Shl, LShr, AShr, FAdd, FSub, FMul, FDiv };
enum class Compare : std::uint8_t {
  Eq,
  Ne,
  Ult,
  Ule,
  Ugt,
  Uge,
  Slt,
  Sle,
  Sgt,
  Sge,
  Foeq,
  Fune,
  Fogt,
  Foge,
  Folt,
  Fole,
  Funo
};
/// Floats to integers: truncated, clamped to the range, NaN to 0.
enum class Cast : std::uint8_t { Trunc, ZExt, SExt, Bits, FTrunc, FExt, SToF, UToF, FToS, FToU };
enum class Unary : std::uint8_t {
  FAbs,
  FNeg,
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  RoundEven,
  Popcount,
  LeadingZeros,   ///< of 0: the width
  TrailingZeros,  ///< of 0: the width
  ReverseBits,
};
/// A function of the program that compiled code calls (engine/jit/runtime/callbacks.cpp), or of the texture unit's
/// bitcode.
struct Callee {
  std::string_view name;
  VectorType result;
  bool has_result = false;
  bool pure = false;  ///< reads and writes no memory
};

/// What a pointer points to: so many bytes that may be read, from a multiple of so many on.
struct Pointee {
  std::uint64_t readable = 0;
  unsigned alignment = 8;
};

class Builder {
 public:
  virtual ~Builder() = default;

  [[nodiscard]] virtual VectorType type(Value value) const = 0;
  /// Whether code is made to run at once: what takes least time to compile is best.
  [[nodiscard]] virtual bool quick() const { return false; }
  /// An instruction of the program begins, or a part of one that others have too: what `quick` code shares.
  virtual void step() {}
  /// Bits of one element; a vector gets it in every lane. Wider than 64 bits never.
  [[nodiscard]] virtual Value constant(VectorType type, std::uint64_t bits) = 0;
  [[nodiscard]] virtual Value constants(Element element, std::span<const std::uint64_t> lanes) = 0;
  /// The value if it is known while the code is made; scalars of at most 64 bits.
  [[nodiscard]] virtual bool known(Value value, std::uint64_t& bits) const = 0;

  [[nodiscard]] virtual Value binary(Binary op, Value a, Value b) = 0;
  [[nodiscard]] virtual Value compare(Compare relation, Value a, Value b) = 0;
  [[nodiscard]] virtual Value select(Value condition, Value a, Value b) = 0;
  [[nodiscard]] virtual Value cast(Cast kind, Value value, VectorType to) = 0;
  [[nodiscard]] virtual Value unary(Unary op, Value value) = 0;
  [[nodiscard]] virtual Value fma(Value a, Value b, Value c) = 0;  ///< one rounding
  /// The same floats; the payload of a NaN among them does not matter to the user of the result.
  [[nodiscard]] virtual Value any_nan(Value floats) = 0;
  /// Of each lane of integers, whether it is lane 0 plus its number times `step`. The answer for all lanes together may
  /// be no where it is yes only because a product wrapped: it is for choosing a way, and the general one must be right.
  [[nodiscard]] virtual Value in_steps(Value integers, std::uint64_t step) = 0;
  /// Of each lane of I32 the lanes before it that have the same, as bits; null: the processor has no instruction for
  /// it.
  [[nodiscard]] virtual Value earlier_alike(Value words) = 0;
  /// Lanes of a followed by those of b; -1: any value.
  [[nodiscard]] virtual Value shuffle(Value a, Value b, std::span<const int> lanes) = 0;
  [[nodiscard]] virtual Value splat(Value scalar, unsigned lanes) = 0;
  [[nodiscard]] virtual Value extract(Value vector, unsigned lane) = 0;
  [[nodiscard]] virtual Value insert(Value vector, Value scalar, unsigned lane) = 0;

  // --- masks: vectors of Bool; as bits of an I32, bit k = lane k ---
  [[nodiscard]] virtual Value mask_of_bits(Value bits, unsigned lanes) = 0;
  [[nodiscard]] virtual Value bits_of_mask(Value mask) = 0;

  // --- memory ---
  [[nodiscard]] virtual Value load(Value pointer, std::int64_t offset, VectorType type, unsigned alignment) = 0;
  /// From memory that nobody writes while the function runs.
  [[nodiscard]] virtual Value load_fixed(Value pointer, std::int64_t offset, VectorType type, unsigned alignment,
                                         Pointee pointee = {}) = 0;
  virtual void store(Value pointer, std::int64_t offset, Value value, unsigned alignment) = 0;
  virtual void copy(Value to, std::int64_t to_offset, Value from, std::int64_t from_offset, std::uint64_t bytes) = 0;
  virtual void fill(Value pointer, std::int64_t offset, std::uint64_t bytes, unsigned alignment) = 0;  ///< with zeros
  /// Lane k: `element` at base + offsets[k] (signed bytes) where the mask is set; elsewhere 0.
  [[nodiscard]] virtual Value gather(Value base, Value offsets, Value mask, Element element) = 0;
  /// In order of lanes.
  virtual void scatter(Value base, Value offsets, Value mask, Value values) = 0;
  /// Lanes where the mask is clear read 0, are not touched.
  [[nodiscard]] virtual Value masked_load(Value pointer, Value mask, Element element) = 0;
  virtual void masked_store(Value pointer, Value mask, Value values) = 0;
  /// Storage of the function for its whole run; uninitialized. Elements are what it is mostly used as.
  [[nodiscard]] virtual Value storage(unsigned bytes, unsigned alignment, std::string_view name) = 0;
  /// The same, of zeros when the function begins.
  [[nodiscard]] virtual Value zeroed_storage(unsigned bytes, unsigned alignment, std::string_view name) = 0;
  /// Storage whose contents are needed by one instruction only: others may get the same under the same name.
  [[nodiscard]] virtual Value temporary(unsigned bytes, unsigned alignment, std::string_view name) = 0;
  /// Storage of a mask of so many lanes, which becomes a mask register.
  [[nodiscard]] virtual Value lane_storage(unsigned lanes, std::string_view name) = 0;
  [[nodiscard]] virtual Value offset(Value pointer, Value bytes) = 0;
  [[nodiscard]] Value at_byte(Value pointer, std::uint64_t bytes) {
    return bytes == 0 ? pointer : offset(pointer, constant({Element::I64, 0}, bytes));
  }

  // --- control ---
  [[nodiscard]] virtual Block block(std::string_view name) = 0;
  virtual void at(Block block) = 0;  ///< what follows goes to the end of this block
  virtual void jump(Block to) = 0;
  virtual void branch(Value condition, Block yes, Block no) = 0;
  virtual void branch_unlikely(Value condition, Block rarely, Block mostly) = 0;
  virtual void choose(Value value, std::span<const std::uint32_t> cases, std::span<const Block> blocks,
                      Block otherwise) = 0;
  virtual void leave(Value result) = 0;
  /// The function returns `result`; called again with ThreadContext::resume as it is, it goes on behind.
  virtual void wait(Value result) = 0;
  virtual Value call(const Callee& callee, std::span<const Value> arguments) = 0;
  /// Like call, with a scalar function applied to every lane of the argument vectors.
  [[nodiscard]] virtual Value call_lanes(const Callee& callee, std::span<const Value> arguments) = 0;
};

}  // namespace heddle::machine::jit
