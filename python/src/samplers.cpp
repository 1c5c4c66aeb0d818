// SPDX-License-Identifier: MIT
// heddle.Sampler: from words, from keywords, or both.

#include <map>

#include "module.hpp"

namespace heddle::python {
namespace {

PyTypeObject* sampler_type = nullptr;

/// A keyword's value in the words of Sampler::parse.
std::string word_of(const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>() ? "true" : "false";
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (PySequence_Check(value.ptr()) != 0) {
    std::string words;
    for (const py::handle item : py::reinterpret_borrow<py::sequence>(value))
      words += (words.empty() ? "" : ":") + word_of(item);
    return words;
  }
  if (PyLong_Check(value.ptr()) != 0) return py::str(value).cast<std::string>();
  if (PyNumber_Check(value.ptr()) != 0)
    return py::repr(py::float_(py::reinterpret_borrow<py::object>(value))).cast<std::string>();
  throw py::type_error("a sampler's values are words, numbers and tuples of them, not " +
                       py::str(py::type::of(value)).cast<std::string>());
}

std::string text_of(const std::string& words, const py::kwargs& members) {
  std::string text = words;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  for (const auto& [key, value] : members) {
    if (value.is_none()) continue;
    const auto name = key.cast<std::string>();
    add((name == "compare" ? "compare_op" : name) + "=" + word_of(value));
  }
  return text;
}

PySampler make(const py::args& args, const py::kwargs& members) {
  if (args.size() > 1) throw py::type_error("Sampler() takes words by position, and members by keyword");
  std::string words;
  if (members.contains("words")) throw py::type_error("Sampler() takes words by position");
  if (args.size() == 1 && !py::isinstance<py::str>(args[0]))
    throw py::type_error("Sampler() takes words such as 'linear,repeat', not " + py::repr(args[0]).cast<std::string>());
  if (args.size() == 1) words = args[0].cast<std::string>();
  const std::string text = text_of(words, members);
  if (text.empty()) return {Sampler(), text};
  return {unwrap(Sampler::parse(text)), text};
}

constexpr const char* kDoc =
    "How coordinates and levels become texels and weights.\n\n"
    "Sampler(words='', **members)\n\n"
    "Parameters\n----------\n"
    "words : str\n"
    "    Words separated by commas: a filter (nearest, linear, anisotropic), `trilinear`, an address mode for all "
    "axes\n"
    "    (repeat, mirrored_repeat, clamp_to_edge, clamp_to_border, mirror_clamp_to_edge), NAME=VALUE for each member.\n"
    "**members\n"
    "    The same by keyword: min, mag, mip, filter, address (a word or three), border (four numbers), lod_bias, "
    "min_lod,\n"
    "    max_lod (levels), max_anisotropy (2 to 16), compare ('less' ...), reduction ('minimum', 'maximum'),\n"
    "    unnormalized, seamless_cube: see docs/job-file.md for all of them.\n\n"
    "Raises\n------\nError\n    sampler-word, sampler-key, sampler-type, sampler-value\n\n"
    "Examples\n--------\n>>> heddle.Sampler('linear,repeat')\n>>> heddle.Sampler(filter='linear', mip='linear', "
    "address='repeat')";

}  // namespace

PySampler* sampler_of(PyObject* object) {
  if (Py_TYPE(object) != sampler_type) return nullptr;
  return static_cast<PySampler*>(reinterpret_cast<py::detail::instance*>(object)->get_value_and_holder().value_ptr());
}

py::object sampler_of_words(const py::object& object) {
  if (!py::isinstance<py::str>(object)) return object;
  // The same words give the same sampler, for which images keep their operations prepared.
  static auto& known = *new std::map<std::string, py::object>;
  constexpr std::size_t kMax = 64;
  const auto words = object.cast<std::string>();
  if (const auto found = known.find(words); found != known.end()) return found->second;
  py::object made = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(sampler_type))(object);
  if (known.size() >= kMax) known.clear();
  known.emplace(words, made);
  return made;
}

void add_samplers(py::module_& module) {
  const auto type =
      py::class_<PySampler>(module, "Sampler", kDoc, py::is_final(),
                            py::custom_type_setup(construct_by_new<PySampler, make>))
          .def_property_readonly(
              "text", [](const PySampler& s) { return s.text; }, "str: the words that make the same sampler")
          .def_property_readonly(
              "unnormalized", [](const PySampler& s) { return s.sampler.unnormalized(); },
              "bool: coordinates are texels")
          .def("__repr__", [](const PySampler& s) { return "heddle.Sampler('" + s.text + "')"; })
          .def("__eq__",
               [](const PySampler& s, const py::object& other) {
                 const PySampler* o = sampler_of(other.ptr());
                 return o != nullptr && o->text == s.text;
               })
          .def("__hash__", [](const PySampler& s) { return py::hash(py::str(s.text)); })
          .def("__reduce__", [](const py::object& self) {
            return py::make_tuple(py::type::of(self), py::make_tuple(self.attr("text")));
          });
  sampler_type = reinterpret_cast<PyTypeObject*>(type.ptr());
}

}  // namespace heddle::python
