// SPDX-License-Identifier: MIT
#include "compile/sweep/stages.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "compile/shader.hpp"
#include "text/text.hpp"

namespace heddle::test {

std::ostream& operator<<(std::ostream& out, const StageShader& shader) { return out << shader.name; }

std::string problem_of(const StageShader& s) {
  const auto assembled = [&](const std::string& text) {
    return assemble_shader(text, std::string(s.options.target_env));
  };
  std::string toml = "engine = \"" + s.engine + "\"\nthreads = 2\n" + s.tables;
  toml += fmt::format("[images.color]\nformat = \"{}\"\nsize = [8, 8]\nsave = \"color.bin\"\n", s.format) + s.more;
  toml += "[pixels]\ntargets = [\"color\"]\n" + s.state;
  try {
    job::RunHooks hooks;
    std::optional<isa::Program> vertex;
    if (!s.vertex.empty()) {
      toml += "vertex = \"v\"\n";
      const CompiledShader compiled = compile_shader(assembled(s.vertex), s.options);
      if (!compiled.ok) return "vertex shader: " + compiled.messages;
      base::Diagnostics found;
      vertex = text::parse(compiled.text, "v", {}, found);
      if (!vertex) return messages(found);
      hooks.stages[isa::ShaderStage::Vertex] = &*vertex;
    }
    const job::RunResult outcome = run_shader(assembled(s.fragment), toml, s.options, hooks);
    if (!outcome.succeeded) return messages(outcome.diagnostics);
    if (!s.file.empty()) {
      const auto got = output_as<std::uint32_t>(outcome, s.file);
      for (std::size_t i = 0; i < s.words.size(); ++i)
        if (i >= got.size() || got[i] != s.words[i])
          return fmt::format("dword {} is {}, not {}", i, i < got.size() ? got[i] : 0, s.words[i]);
      return {};
    }
    const auto got = output_as<std::uint32_t>(outcome, "color.bin");
    if (got.size() != 256) return fmt::format("{} components", got.size());
    for (unsigned i = 0; i < 256; ++i) {
      const double want = s.color(i / 4 % 8, i / 32)[i % 4];
      const double have = s.format.ends_with("UINT")   ? got[i]
                          : s.format.ends_with("SINT") ? static_cast<double>(static_cast<std::int32_t>(got[i]))
                                                       : static_cast<double>(std::bit_cast<float>(got[i]));
      if (!(std::abs(have - want) <= s.tolerance))
        return fmt::format("component {} of pixel ({}, {}) is {}, not {}", i % 4, i / 4 % 8, i / 32, have, want);
    }
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

ModuleText vertex_module(double w) {
  ModuleText m;
  m.model = "Vertex";
  m.interfaces = " %position %vertex";
  m.decorations = "OpDecorate %position BuiltIn Position\nOpDecorate %vertex BuiltIn VertexIndex\n";
  m.globals = fmt::format(
      "%to_position = OpTypePointer Output %v4f32\n%position = OpVariable %to_position Output\n"
      "%to_vertex = OpTypePointer Input %i32\n%vertex = OpVariable %to_vertex Input\n"
      "%low = OpConstant %f32 -1\n%high = OpConstant %f32 3\n%half = OpConstant %f32 0.5\n%one = OpConstant %f32 1\n"
      "%own_w = OpConstant %f32 {}\n",
      w);
  // Three vertices and no more: their numbers are taken modulo 3.
  m.body =
      "%signed = OpLoad %i32 %vertex\n%number = OpBitcast %u32 %signed\n%corner = OpUMod %u32 %number %u32_3\n"
      "%is_1 = OpIEqual %bool %corner %u32_1\n%is_2 = OpIEqual %bool %corner %u32_2\n"
      "%px = OpSelect %f32 %is_1 %high %low\n%py = OpSelect %f32 %is_2 %high %low\n"
      "%pw = OpSelect %f32 %is_1 %own_w %one\n%plain = OpCompositeConstruct %v4f32 %px %py %half %one\n"
      "%placed = OpVectorTimesScalar %v4f32 %plain %pw\nOpStore %position %placed\n";
  return m;
}

ModuleText fragment_module() {
  ModuleText m;
  m.model = "Fragment";
  m.interfaces = " %color";
  m.decorations = "OpDecorate %color Location 0\n";
  m.globals = "%to_color = OpTypePointer Output %v4f32\n%color = OpVariable %to_color Output\n";
  return m;
}

void add_variable(ModuleText& m, const std::string& name, const std::string& storage, const std::string& type,
                  unsigned location, const std::string& decorations) {
  m.interfaces += " %" + name;
  m.decorations += fmt::format("OpDecorate %{} Location {}\n", name, location) + decorations;
  m.globals += fmt::format("%to_{0} = OpTypePointer {1} %{2}\n%{0} = OpVariable %to_{0} {1}\n", name, storage, type);
}

std::string to_v4f32(const std::string& from, const std::string& type, const std::string& to) {
  const std::string scalar = scalar_name(type);
  const unsigned n = component_count(type);
  const char* convert = scalar == "f32"    ? "OpCopyObject"
                        : scalar[0] == 'f' ? "OpFConvert"
                        : scalar[0] == 'i' ? "OpConvertSToF"
                                           : "OpConvertUToF";
  std::string text, all;
  for (unsigned c = 0; c < 4; ++c) {
    if (c >= n) {
      all += " %f32_0";
      continue;
    }
    std::string one = from;
    if (n > 1) {
      one = fmt::format("{}_{}", from, c);
      text += fmt::format("{} = OpCompositeExtract %{} {} {}\n", one, scalar, from, c);
    }
    text += fmt::format("{}_f{} = {} %f32 {}\n", from, c, convert, one);
    all += fmt::format(" {}_f{}", from, c);
  }
  return text + fmt::format("{} = OpCompositeConstruct %v4f32{}\n", to, all);
}

}  // namespace heddle::test
