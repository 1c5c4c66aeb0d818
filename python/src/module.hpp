// SPDX-License-Identifier: MIT
#pragma once
// What the parts of the module share: references, errors, the Python objects around the library's handles.

#include <pybind11/pybind11.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/heddle.hpp"

namespace heddle::python {

namespace py = pybind11;

/// Thrown as heddle.Error: the text of all diagnostics, and they as objects.
class Failure : public std::exception {
 public:
  explicit Failure(Diagnostics found) : diagnostics(std::move(found)), text_(to_text(diagnostics)) {}
  /// One error with id usage-argument.
  explicit Failure(std::string message, std::string id = "usage-argument");
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
  Diagnostics diagnostics;

 private:
  std::string text_;
};
/// Refuses the text of a file: an error for each line and message.
void fail_at(const std::string& id, const std::string& file, const std::string& text,
             const std::vector<std::pair<unsigned, std::string>>& problems);
/// Sets the Python error for C functions that pybind11 does not wrap.
void set_error(const Failure& failure);
[[nodiscard]] py::list to_list(const Diagnostics& diagnostics);
/// The warnings among them as Python's; throws where those are errors.
void warn(const Diagnostics& diagnostics);

template <typename T>
T unwrap(Result<T>&& result) {
  if (!result.ok()) throw Failure(result.diagnostics());
  return *std::move(result);
}

/// An operation made ready for an image, with what it was made for.
struct PreparedEntry {
  struct Key {
    const void* sampler = nullptr;    ///< Sampler::impl()
    const char* operation = nullptr;  ///< one address for each name
    std::uint32_t parameters = 0;     ///< bit k: parameter k is given
    std::array<std::int8_t, 3> offset{};
    std::uint8_t channel = 0;
    bool residency = false;
    bool operator==(const Key&) const = default;
  };
  Key key;
  Sampler sampler;  ///< keeps the address that the key has
  ArrayOperation operation;
};

/// heddle.Image
struct PyImage {
  explicit PyImage(Image handle) : image(std::move(handle)) {}
  Image image;
  std::vector<PreparedEntry> prepared;  ///< the last operations; guarded by the interpreter's lock
  std::size_t next = 0;                 ///< that is replaced when there are too many
};

/// heddle.Sampler
struct PySampler {
  Sampler sampler;
  std::string text;
};

/// The object's content, without a search through pybind11's registry; nullptr (no error set) for other types.
[[nodiscard]] PyImage* image_of(PyObject* object);
[[nodiscard]] PySampler* sampler_of(PyObject* object);
/// A sampler of its words ("linear,repeat"); what is no text comes back as it is.
[[nodiscard]] py::object sampler_of_words(const py::object& object);

/// Sets the Python error for the exception that is being handled.
void set_error_of_exception();

/// For classes whose objects come from C++ alone. pybind11 would hand out objects that were never initialized to who
/// calls __new__.
inline auto no_constructor() {
  return py::custom_type_setup([](PyHeapTypeObject* heap) {
    heap->ht_type.tp_new = [](PyTypeObject* type, PyObject*, PyObject*) -> PyObject* {
      PyErr_Format(PyExc_TypeError, "%s has no constructor", type->tp_name);
      return nullptr;
    };
  });
}
/// For classes that are called: all of the work is done by __new__, so that there are no objects without content.
template <typename T, T (*kMake)(const py::args&, const py::kwargs&)>
void construct_by_new(PyHeapTypeObject* heap) {
  heap->ht_type.tp_new = [](PyTypeObject*, PyObject* args, PyObject* names) -> PyObject* {
    try {
      return py::cast(kMake(py::reinterpret_borrow<py::args>(args),
                            names != nullptr ? py::reinterpret_borrow<py::kwargs>(names) : py::kwargs()))
          .release()
          .ptr();
    } catch (...) {
      set_error_of_exception();
      return nullptr;
    }
  };
  heap->ht_type.tp_init = [](PyObject*, PyObject*, PyObject*) { return 0; };
}

/// Keeps a Python object from threads that do not hold the interpreter's lock.
[[nodiscard]] std::shared_ptr<void> keep(py::object object);

void add_diagnostics(py::module_& module);
void add_images(py::module_& module);
void add_samplers(py::module_& module);
void add_operations(py::module_& module);
void add_footprints(py::module_& module);
void add_bounds(py::module_& module);
void add_targets(py::module_& module);
void add_programs(py::module_& module);
void add_kernels(py::module_& module);

}  // namespace heddle::python
