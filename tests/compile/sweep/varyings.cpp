// SPDX-License-Identifier: MIT
// Types that travel from the mesh to the vertex shader and on to the fragment shader.
#include <fmt/format.h>

#include "compile/sweep/stages.hpp"

namespace heddle::test {
namespace {

constexpr const char* kTypes[] = {"f16",   "v2f16", "v3f16", "v4f16", "i16",   "u16",  "v2u16",
                                  "v4i16", "f64",   "v2f64", "v3f64", "v4f64", "u64",  "i64",
                                  "v2u64", "v3i64", "f32",   "v3f32", "u32",   "v2i32"};

std::string capabilities_of(const std::string& type) {
  return scalar_bytes(type) == 2 ? "OpCapability StorageInputOutput16\n" : "";
}

double constant_of(const std::string& type, unsigned c) {
  const double number = 3 + 2 * c;
  return scalar_name(type)[0] != 'u' && c % 2 == 1 ? -number : number;
}

std::array<double, 4> constants_of(const std::string& type) {
  std::array<double, 4> all{};
  for (unsigned c = 0; c < component_count(type); ++c) all[c] = constant_of(type, c);
  return all;
}

/// %value of the constants.
std::string constant_code(const std::string& type) {
  const std::string scalar = scalar_name(type);
  std::string parts;
  const auto name = [&](unsigned c) {
    const double number = constant_of(type, c);
    return fmt::format(" %{}_{}{}", scalar, number < 0 ? "n" : "", static_cast<int>(number < 0 ? -number : number));
  };
  for (unsigned c = 0; c < component_count(type); ++c) parts += name(c);
  return component_count(type) == 1 ? fmt::format("%value = OpCopyObject %{}{}\n", type, parts)
                                    : fmt::format("%value = OpCompositeConstruct %{}{}\n", type, parts);
}

StageShader flat_shader(const std::string& type, unsigned location) {
  ModuleText v = vertex_module(), f = fragment_module();
  v.capabilities = f.capabilities = capabilities_of(type);
  add_variable(v, "sent", "Output", type, location);
  v.body += constant_code(type) + "OpStore %sent %value\n";
  add_variable(f, "got", "Input", type, location, "OpDecorate %got Flat\n");
  f.body = "%value = OpLoad %" + type + " %got\n" + to_v4f32("%value", type, "%shown") + "OpStore %color %shown\n";
  StageShader s;
  s.name = fmt::format("Flat{}At{}", type, location);
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.state = "vertices = 3\n";
  s.color = [type](unsigned, unsigned) { return constants_of(type); };
  return s;
}

/// 0, 2, 0 at the corners in every component, doubled from component to component.
StageShader smooth_shader(const std::string& type, const std::string& qualifier) {
  ModuleText v = vertex_module(), f = fragment_module();
  v.capabilities = f.capabilities = capabilities_of(type);
  if (qualifier == "Sample") f.capabilities += "OpCapability SampleRateShading\n";
  add_variable(v, "sent", "Output", type, 1);
  const std::string scalar = scalar_name(type);
  std::string code = fmt::format("%edge = OpSelect %{0} %is_1 %{0}_2 %{0}_0\n", scalar), parts;
  for (unsigned c = 0; c < component_count(type); ++c) {
    code += fmt::format("%edge{0} = OpFMul %{1} %edge %{1}_{2}\n", c, scalar, 1u << c);
    parts += fmt::format(" %edge{}", c);
  }
  code += component_count(type) == 1 ? "%value = OpCopyObject %" + type + parts + "\n"
                                     : "%value = OpCompositeConstruct %" + type + parts + "\n";
  v.body += code + "OpStore %sent %value\n";
  add_variable(f, "got", "Input", type, 1, qualifier.empty() ? "" : "OpDecorate %got " + qualifier + "\n");
  f.body = "%value = OpLoad %" + type + " %got\n" + to_v4f32("%value", type, "%shown") + "OpStore %color %shown\n";
  StageShader s;
  s.name = "Smooth" + qualifier + type;
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.state = "vertices = 3\n";
  s.color = [type](unsigned x, unsigned) {
    std::array<double, 4> all{};
    for (unsigned c = 0; c < component_count(type); ++c) all[c] = (x + 0.5) / 8 * (1u << c);
    return all;
  };
  return s;
}

/// A value of the job (or missing components of it) as a vertex input.
StageShader attribute_shader(const std::string& type) {
  ModuleText v = vertex_module(), f = fragment_module();
  v.capabilities = capabilities_of(type);
  add_variable(v, "given", "Input", type, 2);
  v.names = "OpName %given \"given\"\n";
  add_variable(v, "sent", "Output", "v4f32", 0);
  v.body += "%value = OpLoad %" + type + " %given\n" + to_v4f32("%value", type, "%shown") + "OpStore %sent %shown\n";
  add_variable(f, "got", "Input", "v4f32", 0, "OpDecorate %got Flat\n");
  f.body = "%value = OpLoad %v4f32 %got\nOpStore %color %value\n";
  StageShader s;
  s.name = "Attribute" + type;
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  std::string values;
  for (unsigned c = 0; c < component_count(type); ++c)
    values += fmt::format("{}{}", c == 0 ? "" : ", ", static_cast<int>(constant_of(type, c)));
  s.state = fmt::format("vertices = 3\nvertex_inputs = {{ given = [[{}]] }}\n", values);
  s.color = [type](unsigned, unsigned) { return constants_of(type); };
  return s;
}

/// An array whose elements are read one by one: components must not be taken for elements.
StageShader array_shader(const std::string& type, unsigned element) {
  ModuleText v = vertex_module(), f = fragment_module();
  v.capabilities = f.capabilities = capabilities_of(type);
  v.globals += "%array = OpTypeArray %" + type + " %u32_3\n%to_element = OpTypePointer Output %" + type + "\n";
  f.globals += "%array = OpTypeArray %" + type + " %u32_3\n%to_element = OpTypePointer Input %" + type + "\n";
  add_variable(v, "sent", "Output", "array", 1);
  add_variable(f, "got", "Input", "array", 1, "OpDecorate %got Flat\n");
  v.body += constant_code(type);
  for (unsigned k = 0; k < 3; ++k) {
    const std::string source = k == element ? "%value" : "%other";
    v.body += fmt::format("%to{0} = OpAccessChain %to_element %sent %u32_{0}\nOpStore %to{0} {1}\n", k, source);
  }
  v.globals += "%other = OpConstantNull %" + type + "\n";
  f.body = fmt::format("%from = OpAccessChain %to_element %got %u32_{}\n%value = OpLoad %{} %from\n", element, type) +
           to_v4f32("%value", type, "%shown") + "OpStore %color %shown\n";
  StageShader s;
  s.name = fmt::format("Array{}Element{}", type, element);
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.state = "vertices = 3\n";
  s.color = [type](unsigned, unsigned) { return constants_of(type); };
  return s;
}

}  // namespace

std::vector<StageShader> varying_shaders() {
  std::vector<StageShader> list;
  unsigned location = 0;
  for (const char* type : kTypes) {
    list.push_back(flat_shader(type, location++ % 5));
    list.push_back(attribute_shader(type));
  }
  for (const char* type : {"f16", "v2f16", "v4f16", "f32", "v3f32"})
    for (const char* qualifier : {"", "NoPerspective", "Centroid", "Sample"})
      list.push_back(smooth_shader(type, qualifier));
  for (const char* type : {"f32", "v4f32", "v2f16", "v2f64", "u64"})
    for (unsigned element = 0; element < 3; ++element) list.push_back(array_shader(type, element));
  return list;
}

}  // namespace heddle::test
