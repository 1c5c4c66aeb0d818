// SPDX-License-Identifier: MIT
#pragma once
// The operations that the tests know, and what they should give: for Heddle's machine and for peers.

#include <functional>
#include <string>
#include <vector>

#include "operation_run.hpp"

namespace heddle::test {

struct IntegerCase {
  std::string name, result, body;  ///< T stands for the type
  unsigned inputs;
  std::function<std::uint64_t(const std::uint64_t* v, unsigned bits)> expected;
  std::function<bool(const std::uint64_t* v, unsigned bits)> defined = [](const std::uint64_t*, unsigned) {
    return true;
  };
};
[[nodiscard]] std::vector<IntegerCase> integer_cases();
[[nodiscard]] std::vector<Operation> integer_operations(unsigned bits);
/// inputs_of, with small second and third operands among them: shift counts, fields.
[[nodiscard]] std::map<std::pair<std::string, unsigned>, Bits> integer_inputs(std::span<const Operation> operations,
                                                                              std::size_t count, unsigned bits);

struct FloatCase {
  std::string name, body;  ///< T stands for the type
  unsigned inputs;
  std::function<double(const double* v)> expected;
  double ulp = 0, absolute = 0;  ///< allowed error: either is enough
  std::function<bool(const double* v)> defined = [](const double*) { return true; };
  bool all_types = true;  ///< f64 too
  bool is_bool = false;
  /// Whether the result is right for these operands (one not defined is).
  [[nodiscard]] bool accepts(const double* v, std::uint64_t result, const std::string& type) const;
};
[[nodiscard]] std::vector<FloatCase> float_cases(const std::string& type);
[[nodiscard]] std::vector<Operation> float_operations(const std::string& type);

using RealVector = std::vector<double>;
struct VectorCase {
  Operation operation;
  std::function<RealVector(const std::vector<RealVector>& v)> expected;  ///< a component that is NaN is not defined
  double absolute;  ///< allowed error for operands between -8 and 8
};
[[nodiscard]] std::vector<VectorCase> vector_cases();
[[nodiscard]] std::vector<Operation> vector_operations();

/// With or without f64.
[[nodiscard]] std::vector<Operation> conversion_operations(bool doubles);
[[nodiscard]] std::vector<Operation> pack_operations();
/// Divergent: a quarter of the lanes is inactive.
[[nodiscard]] std::vector<Operation> subgroup_operations(bool divergent);
[[nodiscard]] std::vector<Operation> derivative_operations();

}  // namespace heddle::test
