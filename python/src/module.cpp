// SPDX-License-Identifier: MIT
// The module heddle._heddle: the library of include/heddle/ as Python objects.

#define HEDDLE_IMPORTS_NUMPY
#include "numpy.hpp"

#include "module.hpp"

namespace heddle::python {

bool import_numpy() { return _import_array() == 0; }

std::shared_ptr<void> keep(py::object object) {
  PyObject* kept = object.release().ptr();
  return {kept, [](void* pointer) {
            if (Py_IsInitialized() == 0) return;  // the process ends
            const PyGILState_STATE state = PyGILState_Ensure();
            Py_DECREF(static_cast<PyObject*>(pointer));
            PyGILState_Release(state);
          }};
}

}  // namespace heddle::python

PYBIND11_MODULE(_heddle, module) {
  using namespace heddle::python;
  if (!import_numpy()) throw py::error_already_set();
  module.doc() = "The native part of heddle.";
  module.attr("__version__") = HEDDLE_VERSION;
  add_diagnostics(module);
  add_samplers(module);
  add_images(module);
  add_operations(module);
  add_footprints(module);
  add_bounds(module);
  add_targets(module);
  add_programs(module);
  add_kernels(module);
  warn(heddle::environment_problems());
}
