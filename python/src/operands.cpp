// SPDX-License-Identifier: MIT
#include "operands.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace heddle::python {
namespace {

[[noreturn]] void wrong_type(const char* name, const std::string& expected, PyObject* found) {
  const auto text = py::str(reinterpret_cast<PyObject*>(Py_TYPE(found))).cast<std::string>();
  throw py::type_error("'" + std::string(name) + "' takes " + expected + ", not " + text);
}

std::string dtype_text(PyArrayObject* array) {
  return py::str(reinterpret_cast<PyObject*>(PyArray_DESCR(array))).cast<std::string>();
}

std::uint32_t integer_word(long long value, const char* name) {
  if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::uint32_t>::max())
    throw Failure("'" + std::string(name) + "' has " + std::to_string(value) + ", which does not fit 32 bits");
  return static_cast<std::uint32_t>(value);
}

/// Integers of other widths as words of 32 bits.
Ref to_words(PyArrayObject* array, const char* name) {
  const Ref wide(PyArray_FromArray(array, PyArray_DescrFromType(NPY_INT64), NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST));
  if (!wide) throw py::error_already_set();
  Ref words(PyArray_SimpleNew(PyArray_NDIM(array), PyArray_DIMS(array), NPY_UINT32));
  if (!words) throw py::error_already_set();
  const auto* from = static_cast<const std::int64_t*>(PyArray_DATA(wide.array()));
  auto* to = static_cast<std::uint32_t*>(PyArray_DATA(words.array()));
  const npy_intp count = PyArray_SIZE(wide.array());
  const bool is_unsigned = PyArray_TYPE(array) == NPY_UINT64 || PyArray_TYPE(array) == NPY_ULONGLONG;
  for (npy_intp k = 0; k < count; ++k) {
    if (is_unsigned && from[k] < 0) throw Failure("'" + std::string(name) + "' has values that do not fit 32 bits");
    to[k] = integer_word(from[k], name);
  }
  return words;
}

}  // namespace

Operand Operand::of(std::uint32_t word) {
  Operand operand;
  operand.word_ = word;
  return operand;
}

Operand::Operand(PyObject* object, Numbers numbers, const char* name) {
  if (PyFloat_CheckExact(object) && numbers == Numbers::Float) {
    word_ = __builtin_bit_cast(std::uint32_t, static_cast<float>(PyFloat_AS_DOUBLE(object)));
  } else if (PyLong_Check(object)) {
    if (numbers == Numbers::Float) {
      const double value = PyLong_AsDouble(object);
      if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
      word_ = __builtin_bit_cast(std::uint32_t, static_cast<float>(value));
    } else {
      int overflow = 0;
      const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
      if (overflow != 0) throw Failure("'" + std::string(name) + "' does not fit 32 bits");
      word_ = integer_word(value, name);
    }
  } else {
    take_array(object, numbers, name);
  }
}

void Operand::take_array(PyObject* object, Numbers numbers, const char* name) {
  Ref array(PyArray_FROM_O(object));
  if (!array) throw py::error_already_set();
  const int type = PyArray_TYPE(array.array());
  if (numbers == Numbers::Integer) {
    if (!PyTypeNum_ISINTEGER(type))
      throw py::type_error("'" + std::string(name) + "' takes integers, not " + dtype_text(array.array()));
    const bool words = PyArray_ITEMSIZE(array.array()) == 4 && PyArray_ISNOTSWAPPED(array.array());
    array_ = words ? std::move(array) : to_words(array.array(), name);
    return;
  }
  if (!PyTypeNum_ISINTEGER(type) && !PyTypeNum_ISFLOAT(type) && !PyTypeNum_ISBOOL(type)) {
    if (PyArray_Check(object))
      throw py::type_error("'" + std::string(name) + "' takes real numbers, not " + dtype_text(array.array()));
    wrong_type(name, "real numbers or an array of them", object);
  }
  doubles_ = type == NPY_DOUBLE && PyArray_ISNOTSWAPPED(array.array());
  if (doubles_ || (type == NPY_FLOAT && PyArray_ISNOTSWAPPED(array.array()))) {
    array_ = std::move(array);
    return;
  }
  array_ = Ref(PyArray_FromArray(array.array(), PyArray_DescrFromType(NPY_FLOAT), NPY_ARRAY_FORCECAST));
  if (!array_) throw py::error_already_set();
}

void Operand::broadcast(const Shape& shape) {
  strides_.assign(shape.size(), 0);
  if (!array_) return;
  const auto own = static_cast<std::size_t>(dimensions());
  for (std::size_t d = 0; d < own; ++d)
    if (PyArray_DIM(array_.array(), static_cast<int>(d)) != 1)
      strides_[shape.size() - own + d] = PyArray_STRIDE(array_.array(), static_cast<int>(d));
}

std::optional<npy_intp> Operand::linear_stride(const Shape& shape) const {
  if (!array_) return 0;
  if (doubles_) return std::nullopt;
  std::optional<npy_intp> stride;
  npy_intp next = 0;  // what the axis before has to have
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    if (!stride)
      stride = strides_[d];
    else if (strides_[d] != next)
      return std::nullopt;
    next = strides_[d] * shape[d];
  }
  return stride.value_or(0);
}

std::uint32_t Operand::read(npy_intp offset) const {
  if (!array_) return word_;
  const char* at = static_cast<const char*>(PyArray_DATA(array_.array())) + offset;
  if (doubles_) {
    double value = 0;
    std::memcpy(&value, at, sizeof value);
    return __builtin_bit_cast(std::uint32_t, static_cast<float>(value));
  }
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

void Operand::copy(const Shape& shape, std::size_t begin, std::size_t count, std::uint32_t* to) const {
  if (!array_ || shape.empty()) {
    std::fill_n(to, count, read(0));
    return;
  }
  Shape place(shape.size(), 0);
  npy_intp offset = 0;
  for (std::size_t d = shape.size(), rest = begin; d-- > 0;) {
    place[d] = static_cast<npy_intp>(rest % static_cast<std::size_t>(shape[d]));
    rest /= static_cast<std::size_t>(shape[d]);
    offset += place[d] * strides_[d];
  }
  const std::size_t last = shape.size() - 1;
  const npy_intp step = strides_[last];
  while (count > 0) {
    const auto run = std::min(count, static_cast<std::size_t>(shape[last] - place[last]));
    for (std::size_t k = 0; k < run; ++k, offset += step) *to++ = read(offset);
    count -= run;
    place[last] += static_cast<npy_intp>(run);
    for (std::size_t d = last; d > 0 && place[d] == shape[d]; --d) {
      offset += strides_[d - 1] - strides_[d] * shape[d];
      place[d] = 0;
      ++place[d - 1];
    }
  }
}

std::pair<const char*, const char*> Operand::extent() const {
  if (!array_) return {nullptr, nullptr};
  const char *low = static_cast<const char*>(PyArray_DATA(array_.array())),
             *high = low + PyArray_ITEMSIZE(array_.array());
  for (int d = 0; d < PyArray_NDIM(array_.array()); ++d) {
    const npy_intp reach = (PyArray_DIM(array_.array(), d) - 1) * PyArray_STRIDE(array_.array(), d);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

void Operand::own() {
  array_ = Ref(PyArray_NewCopy(array_.array(), NPY_CORDER));
  if (!array_) throw py::error_already_set();
}

std::size_t elements(const Shape& shape) {
  std::size_t count = 1;
  for (const npy_intp size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t d = 0; d < shape.size(); ++d) text += (d != 0 ? ", " : "") + std::to_string(shape[d]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

Shape broadcast(std::span<Operand* const> operands) {
  std::size_t dimensions = 0;
  for (const Operand* operand : operands)
    dimensions = std::max(dimensions, static_cast<std::size_t>(operand->dimensions()));
  Shape shape(dimensions, 1);
  for (const Operand* operand : operands) {
    const auto own = static_cast<std::size_t>(operand->dimensions());
    for (std::size_t d = 0; d < own; ++d) {
      npy_intp& size = shape[dimensions - own + d];
      const npy_intp other = operand->shape()[d];
      if (other == size || other == 1) continue;
      if (size != 1) {
        std::string shapes;
        for (const Operand* each : operands)
          if (!each->is_number()) shapes += " " + to_string(Shape(each->shape(), each->shape() + each->dimensions()));
        throw Failure("the arrays do not broadcast to one shape:" + shapes);
      }
      size = other;
    }
  }
  // More elements than can be counted would be refused by NumPy later; the count itself must not wrap.
  std::size_t count = 1;
  for (const npy_intp size : shape)
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count) || count > (std::size_t{1} << 48))
      throw Failure("the arrays broadcast to " + to_string(shape) + ", which is too large");
  for (Operand* operand : operands) operand->broadcast(shape);
  return shape;
}

void in_pieces(std::size_t count, std::size_t most, PyObject* progress,
               const std::function<void(std::size_t, std::size_t)>& piece) {
  if (count <= 64 && (progress == nullptr || progress == Py_None)) {  // shorter than giving the lock away
    if (count != 0) piece(0, count);
    return;
  }
  for (std::size_t begin = 0; begin < count; begin += most) {
    const std::size_t size = std::min(most, count - begin);
    {
      const py::gil_scoped_release release;
      piece(begin, size);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (progress != nullptr && progress != Py_None) {
      const Ref done(
          PyObject_CallFunction(progress, "d", static_cast<double>(begin + size) / static_cast<double>(count)));
      if (!done) throw py::error_already_set();
    }
  }
}

Ref result_array(PyObject* out, const Shape& shape, int type) {
  if (out == nullptr || out == Py_None) {
    Ref array(PyArray_EMPTY(static_cast<int>(shape.size()), const_cast<npy_intp*>(shape.data()), type, 0));
    if (!array) throw py::error_already_set();
    return array;
  }
  if (!PyArray_Check(out)) wrong_type("out", "an array", out);
  auto* array = reinterpret_cast<PyArrayObject*>(out);
  const Shape given(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  if (given != shape) throw Failure("'out' has shape " + to_string(given) + "; the results have " + to_string(shape));
  if (PyArray_TYPE(array) != type || !PyArray_ISNOTSWAPPED(array))
    throw py::type_error("'out' has dtype " + dtype_text(array) + "; the results have another one");
  if (!PyArray_ISWRITEABLE(array)) throw Failure("'out' is read-only");
  return Ref::borrow(out);
}

}  // namespace heddle::python
