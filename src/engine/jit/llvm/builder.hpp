// SPDX-License-Identifier: MIT
#pragma once
// The builder of compiled code on LLVM's.

#include <map>
#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "machine/jit/builder.hpp"

namespace heddle::engine::jit {

/// Of functions whose processor has vectors of 512 bits (x86-64-v4).
inline constexpr const char* kWideVectors = "min-legal-vector-width";

class LlvmBuilder final : public machine::jit::Builder {
 public:
  using Value = machine::jit::Value;
  using Type = machine::jit::VectorType;
  using Element = machine::jit::Element;
  using Block = machine::jit::Block;

  /// `share`: the first tier; instructions use the same temporaries, which then do not become values.
  LlvmBuilder(llvm::Module& module, llvm::Function& function, bool share);
  [[nodiscard]] Value argument(unsigned index);

  Type type(Value value) const override;
  bool quick() const override { return share_; }
  void step() override;
  Value constant(Type type, std::uint64_t bits) override;
  Value constants(Element element, std::span<const std::uint64_t> lanes) override;
  bool known(Value value, std::uint64_t& bits) const override;
  Value binary(machine::jit::Binary op, Value a, Value b) override;
  Value compare(machine::jit::Compare relation, Value a, Value b) override;
  Value select(Value condition, Value a, Value b) override;
  Value cast(machine::jit::Cast kind, Value value, Type to) override;
  Value unary(machine::jit::Unary op, Value value) override;
  Value fma(Value a, Value b, Value c) override;
  Value any_nan(Value floats) override;
  Value in_steps(Value integers, std::uint64_t step) override;
  Value earlier_alike(Value words) override;
  Value shuffle(Value a, Value b, std::span<const int> lanes) override;
  Value splat(Value scalar, unsigned lanes) override;
  Value extract(Value vector, unsigned lane) override;
  Value insert(Value vector, Value scalar, unsigned lane) override;
  Value mask_of_bits(Value bits, unsigned lanes) override;
  Value bits_of_mask(Value mask) override;
  Value load(Value pointer, std::int64_t offset, Type type, unsigned alignment) override;
  Value load_fixed(Value pointer, std::int64_t offset, Type type, unsigned alignment,
                   machine::jit::Pointee pointee) override;
  void store(Value pointer, std::int64_t offset, Value value, unsigned alignment) override;
  void copy(Value to, std::int64_t to_offset, Value from, std::int64_t from_offset, std::uint64_t bytes) override;
  void fill(Value pointer, std::int64_t offset, std::uint64_t bytes, unsigned alignment) override;
  Value gather(Value base, Value offsets, Value mask, Element element) override;
  void scatter(Value base, Value offsets, Value mask, Value values) override;
  Value masked_load(Value pointer, Value mask, Element element) override;
  void masked_store(Value pointer, Value mask, Value values) override;
  Value lane_storage(unsigned lanes, std::string_view name) override;
  Value storage(unsigned bytes, unsigned alignment, std::string_view name) override;
  Value zeroed_storage(unsigned bytes, unsigned alignment, std::string_view name) override;
  Value temporary(unsigned bytes, unsigned alignment, std::string_view name) override;
  Value offset(Value pointer, Value bytes) override;
  Block block(std::string_view name) override;
  void at(Block block) override;
  void jump(Block to) override;
  void branch(Value condition, Block yes, Block no) override;
  void branch_unlikely(Value condition, Block rarely, Block mostly) override;
  void choose(Value value, std::span<const std::uint32_t> cases, std::span<const Block> blocks,
              Block otherwise) override;
  void leave(Value result) override;
  void wait(Value result) override;
  Value call(const machine::jit::Callee& callee, std::span<const Value> arguments) override;
  Value call_lanes(const machine::jit::Callee& callee, std::span<const Value> arguments) override;

 private:
  [[nodiscard]] llvm::Type* type_of(Type type) const;
  [[nodiscard]] llvm::Value* at_offset(Value pointer, std::int64_t offset);
  [[nodiscard]] llvm::Value* pointers(Value base, Value offsets);
  llvm::Module& module_;
  llvm::Function& function_;
  llvm::IRBuilder<> b_;
  llvm::Instruction* storage_end_ = nullptr;
  bool share_;
  std::map<std::pair<std::string, unsigned>, Value> temporaries_;  ///< by name and size
};

}  // namespace heddle::engine::jit
