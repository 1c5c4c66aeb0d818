// SPDX-License-Identifier: MIT
#pragma once
// NumPy's C interface. module.cpp alone imports it.

#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL heddle_numpy
#ifndef HEDDLE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace heddle::python {

/// A reference that is given back.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* object) : object_(object) {}  ///< takes it over
  Ref(Ref&& other) noexcept : object_(other.release()) {}
  Ref& operator=(Ref&& other) noexcept {
    if (this != &other) {
      PyObject* old = object_;
      object_ = other.release();
      Py_XDECREF(old);
    }
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Py_XDECREF(object_); }
  static Ref borrow(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  [[nodiscard]] PyObject* get() const { return object_; }
  [[nodiscard]] PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(object_); }
  PyObject* release() {
    PyObject* object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// Of the module's start. False with a Python error set.
bool import_numpy();

}  // namespace heddle::python
