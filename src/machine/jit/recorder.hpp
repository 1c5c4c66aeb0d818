// SPDX-License-Identifier: MIT
#pragma once
// What instructions touch, found by emitting them into nothing: emitters then need no second description of what they
// read and write.

#include <cstdint>
#include <vector>

#include "machine/jit/builder.hpp"

namespace heddle::machine::jit {

struct Recorder {
  /// Lanes [first, first + count) each touch their own element: lane k the one at lane0 + k * size.
  struct Row {
    std::int64_t lane0 = 0;
    std::uint8_t size = 4, first = 0, count = 0;
    bool write = false;
    bool whole = false;  ///< every active lane writes
  };
  struct Bits {
    std::uint32_t id = 0;
    std::uint8_t first = 0, count = 0;
    bool write = false, whole = false;
  };
  struct Bytes {
    std::uint32_t begin = 0, end = 0;
  };
  std::vector<Row> rows;
  std::vector<Bits> predicates;
  // Touched otherwise: by other lanes, by all of them, without regard to the execution mask.
  std::vector<Bytes> touched;
  std::vector<std::uint32_t> touched_predicates;
  void clear() {
    rows.clear();
    predicates.clear();
    touched.clear();
    touched_predicates.clear();
  }
};

/// A builder of nothing; its values have types.
class NullBuilder final : public Builder {
 public:
  VectorType type(Value value) const override;
  Value constant(VectorType type, std::uint64_t) override { return of(type); }
  Value constants(Element element, std::span<const std::uint64_t> lanes) override;
  bool known(Value, std::uint64_t&) const override { return false; }
  Value binary(Binary, Value a, Value) override { return a; }
  Value compare(Compare, Value a, Value) override { return of({Element::Bool, type(a).lanes}); }
  Value select(Value, Value a, Value) override { return a; }
  Value cast(Cast, Value, VectorType to) override { return of(to); }
  Value unary(Unary, Value value) override { return value; }
  Value fma(Value a, Value, Value) override { return a; }
  Value any_nan(Value floats) override { return floats; }
  Value in_steps(Value integers, std::uint64_t) override { return of({Element::Bool, type(integers).lanes}); }
  Value earlier_alike(Value words) override { return words; }
  Value shuffle(Value a, Value, std::span<const int> lanes) override;
  Value splat(Value scalar, unsigned lanes) override { return of({type(scalar).element, lanes}); }
  Value extract(Value vector, unsigned) override { return of({type(vector).element, 0}); }
  Value insert(Value vector, Value, unsigned) override { return vector; }
  Value mask_of_bits(Value, unsigned lanes) override { return of({Element::Bool, lanes}); }
  Value bits_of_mask(Value) override { return of({Element::I32, 0}); }
  Value load(Value, std::int64_t, VectorType type, unsigned) override { return of(type); }
  Value load_fixed(Value, std::int64_t, VectorType type, unsigned, machine::jit::Pointee) override { return of(type); }
  void store(Value, std::int64_t, Value, unsigned) override {}
  void copy(Value, std::int64_t, Value, std::int64_t, std::uint64_t) override {}
  void fill(Value, std::int64_t, std::uint64_t, unsigned) override {}
  Value gather(Value, Value offsets, Value, Element element) override { return of({element, type(offsets).lanes}); }
  void scatter(Value, Value, Value, Value) override {}
  Value masked_load(Value, Value mask, Element element) override { return of({element, type(mask).lanes}); }
  void masked_store(Value, Value, Value) override {}
  Value storage(unsigned, unsigned, std::string_view) override { return of({Element::Pointer, 0}); }
  Value zeroed_storage(unsigned, unsigned, std::string_view) override { return of({Element::Pointer, 0}); }
  Value temporary(unsigned, unsigned, std::string_view) override { return of({Element::Pointer, 0}); }
  Value lane_storage(unsigned, std::string_view) override { return of({Element::Pointer, 0}); }
  Value offset(Value pointer, Value) override { return pointer; }
  Block block(std::string_view) override { return {this}; }
  void at(Block) override {}
  void jump(Block) override {}
  void branch(Value, Block, Block) override {}
  void branch_unlikely(Value, Block, Block) override {}
  void choose(Value, std::span<const std::uint32_t>, std::span<const Block>, Block) override {}
  void leave(Value) override {}
  void wait(Value) override {}
  Value call(const Callee& callee, std::span<const Value>) override { return of(callee.result); }
  Value call_lanes(const Callee& callee, std::span<const Value> arguments) override;

  [[nodiscard]] static Value of(VectorType type);
};

}  // namespace heddle::machine::jit
