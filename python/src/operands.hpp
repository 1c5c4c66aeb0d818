// SPDX-License-Identifier: MIT
#pragma once
// Arrays in and out of operations over elements: conversion, broadcasting, pieces.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "module.hpp"
#include "numpy.hpp"

namespace heddle::python {

/// What the words of a parameter are.
enum class Numbers : std::uint8_t { Float, Integer };

using Shape = std::vector<npy_intp>;

/// One parameter: a number, or an array of them.
class Operand {
 public:
  Operand() = default;
  /// Throws Failure (values out of range) or py::type_error (what is no real number).
  Operand(PyObject* object, Numbers numbers, const char* name);
  static Operand of(std::uint32_t word);

  [[nodiscard]] bool is_number() const { return !array_; }
  [[nodiscard]] std::uint32_t word() const { return word_; }
  [[nodiscard]] int dimensions() const { return array_ ? PyArray_NDIM(array_.array()) : 0; }
  [[nodiscard]] const npy_intp* shape() const { return array_ ? PyArray_DIMS(array_.array()) : nullptr; }
  /// Its bytes' distance along each axis of `shape`, which it was broadcast to.
  void broadcast(const Shape& shape);
  /// The distance from each element to the next in C order; nothing where it differs, or where numbers are converted.
  [[nodiscard]] std::optional<npy_intp> linear_stride(const Shape& shape) const;
  [[nodiscard]] const char* first() const {
    return array_ ? static_cast<const char*>(PyArray_DATA(array_.array())) : reinterpret_cast<const char*>(&word_);
  }
  /// The word of the element at byte `offset`.
  [[nodiscard]] std::uint32_t read(npy_intp offset) const;
  /// Elements [begin, begin + count) in C order as words.
  void copy(const Shape& shape, std::size_t begin, std::size_t count, std::uint32_t* to) const;
  [[nodiscard]] npy_intp stride(std::size_t axis) const { return strides_[axis]; }
  /// Lowest and highest byte.
  [[nodiscard]] std::pair<const char*, const char*> extent() const;
  /// Copies the array, where something else writes its bytes.
  void own();

 private:
  void take_array(PyObject* object, Numbers numbers, const char* name);
  Ref array_;
  std::uint32_t word_ = 0;
  bool doubles_ = false;  ///< binary64, rounded as they are read
  Shape strides_;
};

/// The shape that all broadcast to. Throws Failure.
[[nodiscard]] Shape broadcast(std::span<Operand* const> operands);
[[nodiscard]] std::size_t elements(const Shape& shape);
[[nodiscard]] std::string to_string(const Shape& shape);

/// Calls `piece(begin, count)` without the interpreter's lock until all of `count` elements are done; between pieces
/// Ctrl-C ends it, and `progress` (None or a function) gets the part done. Throws py::error_already_set.
void in_pieces(std::size_t count, std::size_t most, PyObject* progress,
               const std::function<void(std::size_t, std::size_t)>& piece);

/// A new array, or `out` checked to be one: dtype, shape, writable. Throws.
[[nodiscard]] Ref result_array(PyObject* out, const Shape& shape, int type);

}  // namespace heddle::python
