// SPDX-License-Identifier: MIT
// heddle.Error, heddle.Diagnostic, heddle.Place: what went wrong, as objects.

#include <pybind11/stl.h>

#include "module.hpp"

namespace heddle::python {
namespace {

PyObject* error_type = nullptr;

/// A diagnostic with its text as the command line shows it.
struct PyDiagnostic {
  Diagnostic diagnostic;
  std::string text;
};

const char* word(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

Diagnostics one(std::string message, std::string id) {
  Diagnostic d;
  d.id = std::move(id);
  d.message = std::move(message);
  Diagnostics list;
  list.push_back(std::move(d));
  return list;
}

}  // namespace

Failure::Failure(std::string message, std::string id) : Failure(one(std::move(message), std::move(id))) {}

void fail_at(const std::string& id, const std::string& file, const std::string& text,
             const std::vector<std::pair<unsigned, std::string>>& problems) {
  Diagnostics list;
  for (const auto& [line, message] : problems) {
    Diagnostic d;
    d.id = id;
    d.message = message;
    d.place.file = file;
    d.place.line = line;
    d.place.column = line != 0 ? 1 : 0;
    list.push_back(std::move(d));
  }
  list.sources.push_back({file, std::make_shared<const std::string>(text)});
  throw Failure(std::move(list));
}

py::list to_list(const Diagnostics& diagnostics) {
  py::list list;
  for (const Diagnostic& d : diagnostics) {
    Diagnostics alone;
    alone.push_back(d);
    alone.sources = diagnostics.sources;
    list.append(PyDiagnostic{d, to_text(alone)});
  }
  return list;
}

void warn(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics) {
    if (d.severity != Severity::Warning) continue;
    std::string text = to_text(d);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw py::error_already_set();
  }
}

void set_error(const Failure& failure) {
  try {
    std::string text = failure.what();
    while (!text.empty() && text.back() == '\n') text.pop_back();
    py::object error = py::reinterpret_borrow<py::object>(error_type)(text);
    error.attr("diagnostics") = to_list(failure.diagnostics);
    PyErr_SetObject(error_type, error.ptr());
  } catch (py::error_already_set& problem) {
    problem.restore();
  }
}

void set_error_of_exception() {
  try {
    throw;
  } catch (const Failure& failure) {
    set_error(failure);
  } catch (py::error_already_set& problem) {
    problem.restore();
  } catch (const py::builtin_exception& problem) {
    problem.set_error();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& problem) {
    PyErr_SetString(PyExc_RuntimeError, problem.what());
  }
}

void add_diagnostics(py::module_& module) {
  error_type = PyErr_NewExceptionWithDoc(
      "heddle.Error",
      "What the library refuses, with its diagnostics.\n\n"
      "Attributes\n----------\ndiagnostics : list of Diagnostic\n    All that was found, in the order of its places.",
      PyExc_ValueError, nullptr);
  if (error_type == nullptr) throw py::error_already_set();
  module.add_object("Error", error_type);
  py::register_exception_translator([](std::exception_ptr problem) {
    try {
      if (problem) std::rethrow_exception(problem);
    } catch (const Failure& failure) {
      set_error(failure);
    }
  });
  py::class_<Place>(module, "Place", py::is_final(), no_constructor(),
                    "Where a diagnostic points. What does not apply is '' or None.")
      .def_readonly("file", &Place::file, "str: name of the input")
      .def_property_readonly(
          "line", [](const Place& p) { return p.line != 0 ? py::cast(p.line) : py::none().cast<py::object>(); },
          "int or None: from 1")
      .def_property_readonly(
          "column", [](const Place& p) { return p.column != 0 ? py::cast(p.column) : py::none().cast<py::object>(); },
          "int or None: bytes, from 1")
      .def_readonly("length", &Place::length, "int: bytes concerned")
      .def_readonly("offset", &Place::offset, "int or None: byte of a binary file")
      .def_readonly("instruction", &Place::instruction, "int or None: index in the kernel")
      .def_readonly("object", &Place::object, "str: kernel or function");
  py::class_<Note>(module, "Note", py::is_final(), no_constructor(), "More about a diagnostic.")
      .def_readonly("message", &Note::message)
      .def_readonly("place", &Note::place)
      .def("__repr__", [](const Note& n) { return "<heddle.Note: " + n.message + ">"; });
  py::class_<PyDiagnostic>(module, "Diagnostic", py::is_final(), no_constructor(),
                           "One finding: an error, a warning or a note. str() gives the text that the command line "
                           "shows, with the line of the source where it is known.")
      .def_property_readonly(
          "severity", [](const PyDiagnostic& d) { return word(d.diagnostic.severity); },
          "str: 'error', 'warning' or 'note'")
      .def_property_readonly(
          "id", [](const PyDiagnostic& d) { return d.diagnostic.id; }, "str: stable; heddle.explain(id) tells more")
      .def_property_readonly("message", [](const PyDiagnostic& d) { return d.diagnostic.message; })
      .def_property_readonly("place", [](const PyDiagnostic& d) { return d.diagnostic.place; })
      .def_property_readonly("notes", [](const PyDiagnostic& d) { return d.diagnostic.notes; })
      .def_property_readonly("is_limit", [](const PyDiagnostic& d) { return d.diagnostic.is_limit; })
      .def(
          "to_json", [](const PyDiagnostic& d) { return to_json(d.diagnostic); }, "One JSON object without a newline.")
      .def("__str__", [](const PyDiagnostic& d) { return d.text; })
      .def("__repr__", [](const PyDiagnostic& d) {
        return std::string("<heddle.Diagnostic ") + word(d.diagnostic.severity) + ": " + d.diagnostic.message + " [" +
               d.diagnostic.id + "]>";
      });
}

}  // namespace heddle::python
