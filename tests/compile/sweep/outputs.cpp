// SPDX-License-Identifier: MIT
// What fragment shaders write: narrow colors, two colors for one target, memory under an interlock.
#include <fmt/format.h>

#include "compile/sweep/stages.hpp"

namespace heddle::test {
namespace {

double constant_of(const std::string& type, unsigned c) {
  const double number = 5 + 3 * c;
  return scalar_name(type)[0] != 'u' && c % 2 == 0 ? -number : number;
}

std::string composite(const std::string& id, const std::string& type, const std::string& parts) {
  return component_count(type) == 1 ? fmt::format("{} = OpCopyObject %{}{}\n", id, type, parts)
                                    : fmt::format("{} = OpCompositeConstruct %{}{}\n", id, type, parts);
}

StageShader color_shader(const std::string& type, unsigned simd) {
  const std::string scalar = scalar_name(type);
  ModuleText f;
  f.model = "Fragment";
  f.capabilities = "OpCapability StorageInputOutput16\n";
  add_variable(f, "color", "Output", type, 0);
  std::string parts;
  for (unsigned c = 0; c < component_count(type); ++c) {
    const double number = constant_of(type, c);
    parts += fmt::format(" %{}_{}{}", scalar, number < 0 ? "n" : "", static_cast<int>(number < 0 ? -number : number));
  }
  f.body = composite("%value", type, parts) + "OpStore %color %value\n";
  StageShader s;
  s.name = fmt::format("Color{}By{}", type, simd);
  s.fragment = module_text(f);
  s.options.simd = simd;
  s.format = scalar[0] == 'f' ? "R32G32B32A32_FLOAT" : scalar[0] == 'i' ? "R32G32B32A32_SINT" : "R32G32B32A32_UINT";
  s.color = [type](unsigned, unsigned) {
    std::array<double, 4> all{};
    for (unsigned c = 0; c < component_count(type); ++c) all[c] = constant_of(type, c);
    return all;
  };
  return s;
}

enum class Beside : std::uint8_t { Nothing, Discard, Depth, Mask, DiscardAndDepth };
constexpr const char* kBeside[] = {"", "Discard", "Depth", "Mask", "DiscardAndDepth"};

/// color + target * second color; the target holds 4 everywhere.
StageShader dual_shader(const std::string& type, Beside beside, unsigned simd) {
  const std::string scalar = scalar_name(type);
  ModuleText f;
  f.model = "Fragment";
  if (scalar_bytes(type) == 2) f.capabilities = "OpCapability StorageInputOutput16\n";
  add_variable(f, "color", "Output", type, 0, "OpDecorate %color Index 0\n");
  add_variable(f, "second", "Output", type, 0, "OpDecorate %second Index 1\n");
  f.interfaces += " %place";
  f.decorations += "OpDecorate %place BuiltIn FragCoord\n";
  f.globals += "%to_place = OpTypePointer Input %v4f32\n%place = OpVariable %to_place Input\n";
  const bool discards = beside == Beside::Discard || beside == Beside::DiscardAndDepth,
             depth = beside == Beside::Depth || beside == Beside::DiscardAndDepth;
  if (depth) {
    f.modes = "OpExecutionMode %main DepthReplacing\n";
    f.interfaces += " %depth";
    f.decorations += "OpDecorate %depth BuiltIn FragDepth\n";
    f.globals +=
        "%to_depth = OpTypePointer Output %f32\n%depth = OpVariable %to_depth Output\n%deep = OpConstant %f32 0.25\n";
  }
  if (beside == Beside::Mask) {
    f.interfaces += " %mask";
    f.decorations += "OpDecorate %mask BuiltIn SampleMask\n";
    f.globals +=
        "%mask_array = OpTypeArray %i32 %u32_1\n%to_mask = OpTypePointer Output %mask_array\n"
        "%to_mask_word = OpTypePointer Output %i32\n%mask = OpVariable %to_mask Output\n";
  }
  f.body =
      "%at = OpLoad %v4f32 %place\n%at_x = OpCompositeExtract %f32 %at 0\n%column = OpConvertFToU %u32 %at_x\n"
      "%bit = OpBitwiseAnd %u32 %column %u32_1\n%odd = OpINotEqual %bool %bit %u32_0\n";
  f.body += fmt::format("%x = OpConvertUToF %{} %column\n", scalar);
  f.body += composite("%first", type, fmt::format(" %{0}_1 %x %{0}_2 %{0}_3", scalar));
  f.body += composite("%other", type, fmt::format(" %x %{0}_2 %{0}_0 %{0}_1", scalar));
  f.body += "OpStore %color %first\nOpStore %second %other\n";
  if (depth) f.body += "OpStore %depth %deep\n";
  if (beside == Beside::Mask)
    f.body +=
        "%word = OpSelect %i32 %odd %i32_0 %i32_1\n%to_word = OpAccessChain %to_mask_word %mask %u32_0\n"
        "OpStore %to_word %word\n";
  if (discards)
    f.body +=
        "OpSelectionMerge %end None\nOpBranchConditional %odd %gone %end\n%gone = OpLabel\nOpKill\n%end = OpLabel\n";
  StageShader s;
  s.name = fmt::format("Dual{}{}By{}", type, kBeside[static_cast<unsigned>(beside)], simd);
  s.fragment = module_text(f);
  s.options.simd = simd;
  s.more = "fill = [4, 4, 4, 4]\n";
  s.state =
      "state = { blend = { enable = true, src_color = \"ONE\", dst_color = \"SRC1_COLOR\", src_alpha = \"ONE\", "
      "dst_alpha = \"SRC1_ALPHA\" }";
  s.state += depth ? ", depth_test = true, depth_write = true, depth_func = \"LESS\" }\ndepth = \"z\"\n" : " }\n";
  if (depth) s.tables = "[images.z]\nformat = \"R32_FLOAT\"\nsize = [8, 8]\nfill = [0.5]\n";
  const bool half_of_them = discards || beside == Beside::Mask;
  s.color = [half_of_them](unsigned x, unsigned) {
    if (half_of_them && x % 2 == 1) return std::array<double, 4>{4, 4, 4, 4};
    return std::array<double, 4>{1 + 4.0 * x, x + 8.0, 2, 7};
  };
  return s;
}

/// Four triangles over each other change the same dword of each pixel, in order: word * 3 + number + 1.
StageShader interlock_shader(const std::string& mode, unsigned simd, const std::string& engine) {
  ModuleText v = vertex_module(), f = fragment_module();
  add_variable(v, "sent", "Output", "u32", 0, "OpDecorate %sent Flat\n");
  v.body += "%triangle = OpUDiv %u32 %number %u32_3\nOpStore %sent %triangle\n";
  add_variable(f, "got", "Input", "u32", 0, "OpDecorate %got Flat\n");
  f.capabilities = std::string("OpCapability FragmentShader") + (mode.starts_with("Pixel") ? "Pixel" : "Sample") +
                   "InterlockEXT\nOpExtension \"SPV_EXT_fragment_shader_interlock\"\n";
  f.modes = "OpExecutionMode %main " + mode + "EXT\n";
  f.interfaces += " %place";
  f.decorations += "OpDecorate %place BuiltIn FragCoord\n";
  f.globals += "%to_place = OpTypePointer Input %v4f32\n%place = OpVariable %to_place Input\n";
  add_buffer(f, "words", 0, "u32");
  f.body =
      "%at = OpLoad %v4f32 %place\n%at_x = OpCompositeExtract %f32 %at 0\n%at_y = OpCompositeExtract %f32 %at 1\n"
      "%column = OpConvertFToU %u32 %at_x\n%row = OpConvertFToU %u32 %at_y\n%rows = OpIMul %u32 %row %u32_8\n"
      "%pixel = OpIAdd %u32 %rows %column\n%triangle = OpLoad %u32 %got\n"
      "%cell = OpAccessChain %element_u32 %words %u32_0 %pixel\nOpBeginInvocationInterlockEXT\n"
      "%before = OpLoad %u32 %cell\n%scaled = OpIMul %u32 %before %u32_3\n%next = OpIAdd %u32 %scaled %triangle\n"
      "%after = OpIAdd %u32 %next %u32_1\nOpStore %cell %after\nOpEndInvocationInterlockEXT\n"
      "%shown = OpCompositeConstruct %v4f32 %f32_1 %f32_0 %f32_0 %f32_1\nOpStore %color %shown\n";
  StageShader s;
  s.name = fmt::format("Interlock{}By{}{}", mode, simd, engine);
  s.vertex = module_text(v);
  s.fragment = module_text(f);
  s.options.simd = simd;
  s.tables = "[buffers.\"0.0\"]\ntype = \"u32\"\ncount = 64\nsave = \"words.bin\"\n";
  s.state = "vertices = 12\n";
  s.engine = engine;
  s.file = "words.bin";
  s.words.assign(64, 58);  // 1, 5, 18, 58
  return s;
}

}  // namespace

std::vector<StageShader> output_shaders() {
  std::vector<StageShader> list;
  for (const unsigned simd : {8u, 16u, 32u}) {
    for (const char* type : {"f16", "v2f16", "v4f16", "i16", "v4i16", "u16", "v3u16"})
      list.push_back(color_shader(type, simd));
    for (const char* type : {"v4f32", "v4f16"})
      for (const Beside beside :
           {Beside::Nothing, Beside::Discard, Beside::Depth, Beside::Mask, Beside::DiscardAndDepth})
        list.push_back(dual_shader(type, beside, simd));
    for (const char* mode :
         {"PixelInterlockOrdered", "PixelInterlockUnordered", "SampleInterlockOrdered", "SampleInterlockUnordered"})
      for (const char* engine : {"reference", "fast"}) list.push_back(interlock_shader(mode, simd, engine));
  }
  return list;
}

}  // namespace heddle::test
