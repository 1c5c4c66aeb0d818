// SPDX-License-Identifier: MIT
// heddle.Program and heddle.Shader: text, containers and SPIR-V; checking and explaining.

#include <pybind11/stl.h>

#include "module.hpp"
#include "programs.hpp"

namespace heddle::python {
namespace {

PyProgram make(Program program) { return PyProgram{std::move(program), {}}; }

ProgramOptions options_of(const std::string& platform, bool lenient) {
  ProgramOptions o;
  o.platform = platform;
  o.lenient = lenient;
  return o;
}

PyProgram read(const py::object& content, const std::string& file, const std::string& platform, bool lenient) {
  const auto text = content.cast<std::string>();
  if (text.starts_with("CISA"))
    return make(unwrap(Program::read({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, file,
                                     options_of(platform, lenient))));
  return make(unwrap(Program::parse(text, file, options_of(platform, lenient))));
}

py::bytes container(const PyProgram& self) {
  const auto bytes = unwrap(self.program.write());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

py::dict report_of(const CheckReport& report) {
  py::dict d;
  d["findings"] = to_list(report.findings);
  d["checked"] = report.checked;
  d["platforms"] = report.platforms;
  d["fits"] = report.fits();
  py::dict mismatches;
  for (const Mismatch& mismatch : report.mismatches) mismatches[py::str(mismatch.platform)] = to_list(mismatch.reasons);
  d["mismatches"] = mismatches;
  return d;
}

Shader shader_of(const py::object& source, const std::string& file, bool assembly) {
  const auto text = source.cast<std::string>();
  if (assembly) return unwrap(Shader::assemble(text, file));
  return unwrap(Shader::read(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()), file));
}

std::vector<Specialization> specialization_of(const py::dict& given) {
  std::vector<Specialization> list;
  for (const auto& [key, value] : given) {
    Specialization s;
    s.id = key.cast<std::uint32_t>();
    if (py::isinstance<py::bool_>(value))
      s.value = value.cast<bool>();
    else if (PyLong_Check(value.ptr()) != 0)
      s.value = value.cast<std::int64_t>();
    else
      s.value = value.cast<double>();
    list.push_back(s);
  }
  return list;
}

PyProgram compile(const py::object& source, const std::string& file, bool assembly, const std::string& entry,
                  const std::string& platform, unsigned simd, const py::dict& specialization, bool portable,
                  const std::string& environment, const std::string& stage) {
  CompileOptions o;
  if (!stage.empty()) o.stage = find_stage(stage);
  o.entry = entry, o.platform = platform, o.simd = simd;
  o.specialization = specialization_of(specialization);
  o.portable = portable;
  o.target_environment = environment;
  const Shader shader = shader_of(source, file, assembly);
  const py::gil_scoped_release release;
  return make(unwrap(shader.compile(o)));
}

}  // namespace

void add_programs(py::module_& module) {
  py::class_<PyProgram>(module, "_Program", py::is_final(), no_constructor())
      .def_static("read", &read, py::arg("content"), py::arg("file"), py::arg("platform"), py::arg("lenient"))
      .def_static(
          "load",
          [](const std::string& path, const std::string& platform, bool lenient) {
            return make(unwrap(Program::load(path, options_of(platform, lenient))));
          },
          py::arg("path"), py::arg("platform"), py::arg("lenient"))
      .def("text", [](const PyProgram& p) { return p.program.print(); })
      .def("container", &container)
      .def("save", [](const PyProgram& p, const std::string& path) { unwrap(p.program.save(path)); })
      .def_property_readonly("file", [](const PyProgram& p) { return p.program.file(); })
      .def_property_readonly("kernels", [](const PyProgram& p) { return p.program.kernels(); })
      .def_property_readonly("instructions", [](const PyProgram& p) { return p.program.instructions(); })
      .def_property_readonly("warnings", [](const PyProgram& p) { return to_list(p.program.warnings()); })
      .def_property_readonly("source", [](const PyProgram& p) { return std::string(p.program.source()); })
      .def(
          "check",
          [](const PyProgram& p, const std::string& platform) {
            CheckOptions o;
            o.platform = platform;
            return report_of(unwrap(check(p.program, o)));
          },
          py::arg("platform"));
  module.def("_check_source", [](const py::object& content, const std::string& file, const std::string& platform) {
    ProgramOptions o;
    o.platform = platform;
    return report_of(unwrap(check_source(content.cast<std::string>(), file, o)));
  });
  module.def("_check_shader", [](const py::object& source, const std::string& file, bool assembly) {
    const Shader shader = shader_of(source, file, assembly);
    return to_list(shader.check());
  });
  module.def("_compile", &compile);
  module.def("_entry_points", [](const py::object& source, const std::string& file, bool assembly) {
    std::vector<std::pair<std::string, std::string>> list;
    for (const EntryPoint& e : shader_of(source, file, assembly).entry_points())
      list.emplace_back(e.name, stage_name(e.stage));
    return list;
  });
  module.def("_stage_words", [] {
    const auto words = stage_words();
    return std::vector<std::string>(words.begin(), words.end());
  });
  module.def("_disassemble_shader", [](const py::object& source, const std::string& file) {
    return unwrap(shader_of(source, file, false).disassemble());
  });
  module.def(
      "explain", [](const std::string& word, bool json) { return unwrap(explain(word, json)); }, py::arg("word"),
      py::kw_only(), py::arg("json") = false,
      "What a word means: a rule ('GA-4'), an instruction ('sample4'), a page of the rule book, a raw message.\n\n"
      "Raises\n------\nError\n    explain-unknown, with the nearest word that is known.");
  module.def(
      "explain_index", [](bool json) { return explain_index(json); }, py::kw_only(), py::arg("json") = false,
      "All words that explain() knows.");
  module.def(
      "platforms",
      [] {
        std::vector<std::string> names;
        for (const std::string_view name : platform_names()) names.emplace_back(name);
        return names;
      },
      "Names of all platforms, oldest first.");
}

}  // namespace heddle::python
