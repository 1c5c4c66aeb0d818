// SPDX-License-Identifier: MIT
#pragma once
// One operation of the texture unit over the elements of arrays: what heddle.sample, gather, load ... come down to.

#include <array>
#include <string>
#include <vector>

#include "operands.hpp"

namespace heddle::python {

/// Parameters of operations, as heddle::operations() names them.
[[nodiscard]] int find_parameter(std::string_view name);  ///< -1: there is none
[[nodiscard]] bool is_integer_parameter(int parameter);   ///< offsets and packed words, in any operation

class ElementCall {
 public:
  ElementCall(PyImage& image, const PySampler* sampler, const char* operation)
      : image_(image), sampler_(sampler), operation_(operation) {}

  void add(const char* parameter, PyObject* value, Numbers numbers) { add(find_parameter(parameter), value, numbers); }
  void add(int parameter, PyObject* value, Numbers numbers);
  void add(const char* parameter, std::uint32_t word);

  std::array<int, 3> offset{};
  unsigned channel = 0;
  bool residency = false;
  bool quads = false;     ///< the last two axes are pixels: 2 x 2 of them give derivatives
  unsigned channels = 4;  ///< of the results; 1: the results have no axis for it
  unsigned threads = 1;
  PyObject* out = nullptr;
  PyObject* progress = nullptr;
  std::string platform;

  /// The results, or (results, residency). Throws.
  PyObject* run();

 private:
  [[nodiscard]] ArrayOperation prepared();
  [[nodiscard]] std::vector<ArrayInput> inputs_of_numbers() const;
  PyObject* run_one(const ArrayOperation& operation);
  PyObject* run_arrays(const ArrayOperation& operation);
  void run_elements(const ArrayOperation& operation, const Shape& shape, PyArrayObject* result, std::uint8_t* mask);
  void run_quads(const ArrayOperation& operation, const Shape& shape, PyArrayObject* result, std::uint8_t* mask);
  void part_from(PyArrayObject* result);
  PyObject* with_residency(Ref result, Ref mask) const;

  PyImage& image_;
  const PySampler* sampler_;
  const char* operation_;
  static constexpr std::size_t kMax = 12;
  std::array<Operand, kMax> operands_;  ///< by ascending parameter
  std::array<int, kMax> parameters_{};
  std::size_t count_ = 0;
};

}  // namespace heddle::python
