// SPDX-License-Identifier: MIT
#pragma once
// The values of a module's constants, once the specialization constants have
// theirs.

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "spirv/compile/compile.hpp"
#include "spirv/compile/module/annotations.hpp"
#include "spirv/compile/module/float_modes.hpp"
#include "spirv/compile/module/report.hpp"
#include "spirv/compile/module/types.hpp"
#include "spirv/compile/module/value.hpp"
#include "spirv/module.hpp"

namespace heddle::spirv::compiler {

/// Whether an OpConstant... or OpSpecConstant... has this result.
[[nodiscard]] bool is_constant(const Module& module, std::uint32_t id);

class Constants {
 public:
  Constants(const Module& module, const Annotations& annotations, Types& types,
            std::span<const Specialization> specialization, const FloatModes& modes, Report& report)
      : module_(module),
        annotations_(annotations),
        types_(types),
        specialization_(specialization),
        modes_(modes),
        report_(report) {}

  /// The value of a constant; null: the id is none.
  [[nodiscard]] const Value* find(std::uint32_t id);
  /// Of one integer; nothing where the id is no constant of one scalar.
  [[nodiscard]] std::optional<std::uint64_t> integer(std::uint32_t id);
  /// What stands for an id that nothing has computed: undefined scalars of
  /// OpUndef, else zeros.
  [[nodiscard]] Value stand_in(std::uint32_t id);

 private:
  [[nodiscard]] Value evaluate(const Instruction& i);
  [[nodiscard]] Value operation(const Instruction& i);
  [[nodiscard]] Part specialized(const Instruction& i, Part own) const;
  [[nodiscard]] Value constituent(std::uint32_t id);
  [[nodiscard]] std::vector<Part> parts_of(std::span<const std::uint32_t> ids, std::size_t k);
  void zeros(std::uint32_t type, Value& v);
  void select(std::span<const std::uint32_t> ids, std::size_t count, Value& v);
  void member(const Instruction& i, std::span<const std::uint32_t> ids, std::size_t count, Value& v);
  void shuffle(std::span<const std::uint32_t> ids, std::span<const isa::Type> types, Value& v);
  void scalar_operation(const Instruction& i, std::span<const std::uint32_t> ids, std::span<const isa::Type> types,
                        Value& v);

  const Module& module_;
  const Annotations& annotations_;
  Types& types_;
  std::span<const Specialization> specialization_;
  const FloatModes& modes_;
  Report& report_;
  std::unordered_map<std::uint32_t, Value> values_;
};

}  // namespace heddle::spirv::compiler
