// SPDX-License-Identifier: MIT
// Built-in inputs of fragment shaders: barycentrics, values at vertices, distances, numbers of the pipeline.
#include <fmt/format.h>

#include "compile/sweep/stages.hpp"

namespace heddle::test {
namespace {

/// Weights of the vertices at a point of the window; the triangle's corners are (0, 0), (16, 0), (0, 16).
std::array<double, 3> weights(double x, double y, double w, bool perspective) {
  const double b1 = x / 16, b2 = y / 16, b0 = 1 - b1 - b2;
  if (!perspective) return {b0, b1, b2};
  const double sum = b0 + b1 / w + b2;
  return {b0 / sum, b1 / w / sum, b2 / sum};
}

StageShader barycentric_shader(bool perspective, double w, bool clipped) {
  ModuleText v = vertex_module(w), f = fragment_module();
  // The depth of the corner 1 lies behind the far plane: the triangle is cut, its weights stay.
  if (clipped)
    v.body +=
        "%cut_z = OpSelect %f32 %is_1 %high %half\n%cut_zw = OpFMul %f32 %cut_z %pw\n"
        "%cut = OpCompositeInsert %v4f32 %cut_zw %placed 2\nOpStore %position %cut\n";
  f.capabilities = "OpCapability FragmentBarycentricKHR\nOpExtension \"SPV_KHR_fragment_shader_barycentric\"\n";
  f.interfaces += " %weights";
  f.decorations +=
      std::string("OpDecorate %weights BuiltIn ") + (perspective ? "BaryCoordKHR\n" : "BaryCoordNoPerspKHR\n");
  f.globals += "%to_weights = OpTypePointer Input %v3f32\n%weights = OpVariable %to_weights Input\n";
  f.body = "%value = OpLoad %v3f32 %weights\n" + to_v4f32("%value", "v3f32", "%shown") + "OpStore %color %shown\n";
  StageShader s;
  s.name =
      fmt::format("Barycentric{}W{}{}", perspective ? "" : "Linear", static_cast<int>(w), clipped ? "Clipped" : "");
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.state = "vertices = 3\n";
  s.tolerance = clipped ? 1e-3 : 1e-5;  // the cut lies between the steps of 1/256 pixel
  s.color = [=](unsigned x, unsigned y) {
    const double px = x + 0.5, py = y + 0.5;
    const std::array<double, 3> b = weights(px, py, w, perspective);
    // Depth 0.5 + 2.5 * (the linear weight of corner 1) must not exceed 1.
    if (clipped && 0.5 + 2.5 * px / 16 > 1) return std::array<double, 4>{};
    return std::array<double, 4>{b[0], b[1], b[2], 0};
  };
  return s;
}

/// The value that each corner sent: its number plus 1 in each component, times 2 for the next.
StageShader per_vertex_shader(const std::string& type, unsigned corner, bool indexed) {
  ModuleText v = vertex_module(3), f = fragment_module();
  const std::string scalar = scalar_name(type),
                    narrow = scalar_bytes(type) == 2 ? "OpCapability StorageInputOutput16\n" : "";
  v.capabilities = narrow;
  f.capabilities =
      narrow + "OpCapability FragmentBarycentricKHR\nOpExtension \"SPV_KHR_fragment_shader_barycentric\"\n";
  add_variable(v, "sent", "Output", type, 3);
  const bool real = scalar[0] == 'f';
  std::string code =
      fmt::format("%second = OpSelect %{0} %is_1 %{0}_2 %{0}_1\n%sum = OpSelect %{0} %is_2 %{0}_3 %second\n", scalar);
  std::string parts;
  for (unsigned c = 0; c < component_count(type); ++c) {
    code += fmt::format("%part{0} = {1} %{2} %sum %{2}_{3}\n", c, real ? "OpFMul" : "OpIMul", scalar, 1u << c);
    parts += fmt::format(" %part{}", c);
  }
  code += (component_count(type) == 1 ? "%value = OpCopyObject %" : "%value = OpCompositeConstruct %") + type + parts +
          "\n";
  v.body += code + "OpStore %sent %value\n";
  f.globals += "%corners = OpTypeArray %" + type + " %u32_3\n%to_corner = OpTypePointer Input %" + type + "\n";
  add_variable(f, "got", "Input", "corners", 3, "OpDecorate %got PerVertexKHR\n");
  if (indexed) {  // by the pixel's column
    f.interfaces += " %place";
    f.decorations += "OpDecorate %place BuiltIn FragCoord\n";
    f.globals += "%to_place = OpTypePointer Input %v4f32\n%place = OpVariable %to_place Input\n";
    f.body =
        "%at = OpLoad %v4f32 %place\n%at_x = OpCompositeExtract %f32 %at 0\n%column = OpConvertFToU %u32 %at_x\n"
        "%which = OpUMod %u32 %column %u32_3\n%from = OpAccessChain %to_corner %got %which\n";
  } else {
    f.body = fmt::format("%from = OpAccessChain %to_corner %got %u32_{}\n", corner);
  }
  f.body += "%value = OpLoad %" + type + " %from\n" + to_v4f32("%value", type, "%shown") + "OpStore %color %shown\n";
  StageShader s;
  s.name = "PerVertex" + type + (indexed ? "Indexed" : std::to_string(corner));
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.state = "vertices = 3\n";
  s.color = [=](unsigned x, unsigned) {
    std::array<double, 4> all{};
    const unsigned k = indexed ? x % 3 : corner;
    for (unsigned c = 0; c < component_count(type); ++c) all[c] = (k + 1.0) * (1u << c);
    return all;
  };
  return s;
}

/// Distances of the vertices as inputs: 0.25 + 4 at corner 1, element `element` of `count`.
StageShader distance_shader(bool cull, unsigned count, unsigned element) {
  ModuleText v = vertex_module(), f = fragment_module();
  const std::string name = cull ? "CullDistance" : "ClipDistance";
  for (ModuleText* m : {&v, &f}) {
    const std::string storage = m == &v ? "Output" : "Input";
    m->capabilities = "OpCapability " + name + "\n";
    m->interfaces += " %distances";
    m->decorations += "OpDecorate %distances BuiltIn " + name + "\n";
    m->globals += fmt::format(
        "%array = OpTypeArray %f32 %u32_{}\n%to_array = OpTypePointer {} %array\n%to_one = OpTypePointer {} %f32\n"
        "%distances = OpVariable %to_array {}\n",
        count, storage, storage, storage);
  }
  v.body +=
      "%quarter = OpFMul %f32 %half %half\n%far = OpSelect %f32 %is_1 %f32_4 %f32_0\n%d = OpFAdd %f32 %far %quarter\n";
  for (unsigned k = 0; k < count; ++k)
    v.body += fmt::format("%to{0} = OpAccessChain %to_one %distances %u32_{0}\nOpStore %to{0} {1}\n", k,
                          k == element ? "%d" : "%one");
  f.body = fmt::format("%from = OpAccessChain %to_one %distances %u32_{}\n%value = OpLoad %f32 %from\n", element) +
           to_v4f32("%value", "f32", "%shown") + "OpStore %color %shown\n";
  StageShader s;
  s.name = fmt::format("{}{}Of{}", name, element, count);
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.state = "vertices = 3\n";
  s.tolerance = 1e-6;
  s.color = [](unsigned x, unsigned) { return std::array<double, 4>{0.25 + 4 * (x + 0.5) / 16, 0, 0, 0}; };
  return s;
}

struct Number {
  const char *name, *built_in, *type, *capabilities, *state;
  double want;
};
const Number kNumbers[] = {
    {"ViewIndex", "ViewIndex", "i32", "OpCapability MultiView\n", "", 0},
    {"DeviceIndex", "DeviceIndex", "i32", "OpCapability DeviceGroup\n", "", 0},
    {"PointCoord", "PointCoord", "v2f32", "", "", 0},
    {"ShadingRate1x1", "ShadingRateKHR", "i32",
     "OpCapability FragmentShadingRateKHR\nOpExtension \"SPV_KHR_fragment_shading_rate\"\n", "", 0},
    {"ShadingRate2x4", "ShadingRateKHR", "i32",
     "OpCapability FragmentShadingRateKHR\nOpExtension \"SPV_KHR_fragment_shading_rate\"\n", "coarse_size = [2, 4]\n",
     6},
    {"ShadingRate4x2", "ShadingRateKHR", "i32",
     "OpCapability FragmentShadingRateKHR\nOpExtension \"SPV_KHR_fragment_shading_rate\"\n", "coarse_size = [4, 2]\n",
     9},
};

StageShader number_shader(const Number& n) {
  ModuleText f = fragment_module();
  f.capabilities = n.capabilities;
  f.interfaces += " %given";
  f.decorations += std::string("OpDecorate %given BuiltIn ") + n.built_in + "\n";
  const bool real = scalar_name(n.type)[0] == 'f';
  if (!real) f.decorations += "OpDecorate %given Flat\n";
  f.globals += std::string("%to_given = OpTypePointer Input %") + n.type + "\n%given = OpVariable %to_given Input\n";
  f.body = std::string("%value = OpLoad %") + n.type + " %given\n" + to_v4f32("%value", n.type, "%shown") +
           "OpStore %color %shown\n";
  StageShader s;
  s.name = n.name;
  s.fragment = module_text(f);
  s.state = n.state;
  const double want = n.want;
  s.color = [want](unsigned, unsigned) { return std::array<double, 4>{want, 0, 0, 0}; };
  return s;
}

/// A vertex shader that reads the view's number and writes a shading rate.
StageShader vertex_number_shader() {
  ModuleText v = vertex_module(), f = fragment_module();
  v.capabilities =
      "OpCapability MultiView\nOpCapability FragmentShadingRateKHR\nOpExtension \"SPV_KHR_fragment_shading_rate\"\n";
  v.interfaces += " %view %rate";
  v.decorations += "OpDecorate %view BuiltIn ViewIndex\nOpDecorate %rate BuiltIn PrimitiveShadingRateKHR\n";
  v.globals +=
      "%view = OpVariable %to_vertex Input\n%to_rate = OpTypePointer Output %i32\n%rate = OpVariable %to_rate Output\n";
  add_variable(v, "sent", "Output", "f32", 0);
  v.body +=
      "OpStore %rate %i32_5\n%view_number = OpLoad %i32 %view\n%shifted = OpIAdd %i32 %view_number %i32_7\n"
      "%as_float = OpConvertSToF %f32 %shifted\nOpStore %sent %as_float\n";
  add_variable(f, "got", "Input", "f32", 0);
  f.body = "%value = OpLoad %f32 %got\n" + to_v4f32("%value", "f32", "%shown") + "OpStore %color %shown\n";
  StageShader s;
  s.name = "VertexViewIndex";
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.state = "vertices = 3\n";
  s.color = [](unsigned, unsigned) { return std::array<double, 4>{7, 0, 0, 0}; };
  return s;
}

}  // namespace

std::vector<StageShader> built_in_shaders() {
  std::vector<StageShader> list;
  for (const bool perspective : {true, false})
    for (const double w : {1.0, 3.0})
      for (const bool clipped : {false, true}) list.push_back(barycentric_shader(perspective, w, clipped));
  for (const char* type : {"f32", "v2f32", "v4f32", "u32", "v2i32", "f16", "v2f16", "u16"}) {
    for (unsigned corner = 0; corner < 3; ++corner) list.push_back(per_vertex_shader(type, corner, false));
    list.push_back(per_vertex_shader(type, 0, true));
  }
  for (const bool cull : {false, true})
    for (const auto& [count, element] : {std::pair(1u, 0u), std::pair(3u, 1u), std::pair(8u, 7u)})
      list.push_back(distance_shader(cull, count, element));
  for (const Number& n : kNumbers) list.push_back(number_shader(n));
  list.push_back(vertex_number_shader());
  return list;
}

}  // namespace heddle::test
