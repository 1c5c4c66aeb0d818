// SPDX-License-Identifier: MIT
#include "compile/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>
#include <set>

#include "base/half.hpp"
#include "compile/shader.hpp"

namespace heddle::test {
namespace {

std::string words_of(const Bytes& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(4, bytes.size() - i));
    text += fmt::format("{}{}", i == 0 ? "" : ",", word);
  }
  return text;
}

std::string job_of(const SweepShader& s, const std::string& engine) {
  std::string toml = fmt::format("engine = \"{}\"\ngroups = [{}]\n", engine, s.groups);
  if (!s.push.empty()) {
    std::string hex;
    for (const std::uint8_t byte : s.push) hex += fmt::format("{:02x}", byte);
    toml += fmt::format("[args]\npush = {{ bytes = \"{}\" }}\n", hex);
  }
  for (const SweepBuffer& b : s.buffers) {
    toml += b.address ? fmt::format("[buffers.memory{}]\naddress = {}\n", b.binding, *b.address)
                      : fmt::format("[buffers.\"0.{}\"]\n", b.binding);
    toml += fmt::format("type = \"u32\"\ndata = [{}]\nsave = \"b{}{}.bin\"\n", words_of(b.bytes), b.address ? "m" : "",
                        b.binding);
  }
  return toml;
}

/// Identifiers that a text names: %NAME.
std::set<std::string> names_in(const std::string& text) {
  std::set<std::string> names;
  for (std::size_t i = text.find('%'); i != std::string::npos; i = text.find('%', i + 1)) {
    std::size_t end = i + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    names.insert(text.substr(i + 1, end - i - 1));
  }
  return names;
}

constexpr std::string_view kScalars[] = {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f16", "f32", "f64"};

/// Constants u32_7, i32_n3 that the texts name.
std::string constants_in(const std::string& text) {
  std::string lines;
  for (const std::string& name : names_in(text)) {
    const std::size_t bar = name.find('_');
    if (bar == std::string::npos || bar + 1 >= name.size()) continue;
    const std::string type = name.substr(0, bar);
    std::string value = name.substr(bar + 1);
    const bool negative = value[0] == 'n';
    if (negative) value.erase(0, 1);
    if (std::find(std::begin(kScalars), std::end(kScalars), type) == std::end(kScalars) || value.empty() ||
        !std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      continue;
    lines += fmt::format("%{} = OpConstant %{} {}{}\n", name, type, negative ? "-" : "", value);
  }
  return lines;
}

std::string type_lines() {
  std::string text = "%void = OpTypeVoid\n%bool = OpTypeBool\n%void_function = OpTypeFunction %void\n";
  for (const std::string_view type : kScalars) {
    text += type[0] == 'f' ? fmt::format("%{} = OpTypeFloat {}\n", type, type.substr(1))
                           : fmt::format("%{} = OpTypeInt {} {}\n", type, type.substr(1), type[0] == 'i' ? 1 : 0);
    for (unsigned n = 2; n <= 4; ++n) text += fmt::format("%v{}{} = OpTypeVector %{} {}\n", n, type, type, n);
  }
  return text;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const SweepShader& shader) { return out << shader.name; }

std::string difference(const SweepShader& s, const std::vector<Bytes>& after) {
  for (std::size_t k = 0; k < s.buffers.size(); ++k) {
    if (!s.buffers[k].expected) continue;
    const Bytes &want = *s.buffers[k].expected, &got = after[k];
    if (got.size() < want.size()) return fmt::format("buffer {} has {} bytes, not {}", k, got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i)
      if (got[i] != want[i]) return fmt::format("byte {} of buffer {} is {:#04x}, not {:#04x}", i, k, got[i], want[i]);
  }
  return s.check != nullptr ? s.check(s, after) : std::string();
}

std::string problem_of(const SweepShader& s, const std::string& engine) {
  const auto module = spirv::assemble(s.text, s.name + ".spvasm", s.options.target_env);
  if (!module.ok()) {
    base::Diagnostics found;
    for (const base::Diagnostic& d : module.diagnostics()) found.add(d);
    return messages(found) + s.text;
  }
  const job::RunResult outcome = run_shader(*module, job_of(s, engine), s.options);
  if (!outcome.succeeded) return messages(outcome.diagnostics);
  std::vector<Bytes> after;
  for (const SweepBuffer& b : s.buffers) {
    const std::string bytes = output_bytes(outcome, fmt::format("b{}{}.bin", b.address ? "m" : "", b.binding));
    after.emplace_back(bytes.begin(), bytes.end());
  }
  return difference(s, after);
}

unsigned component_count(std::string_view type) { return type[0] == 'v' ? static_cast<unsigned>(type[1] - '0') : 1; }
std::string scalar_name(std::string_view type) { return std::string(type[0] == 'v' ? type.substr(2) : type); }
unsigned scalar_bytes(std::string_view type) {
  return static_cast<unsigned>(std::stoul(scalar_name(type).substr(1))) / 8;
}
unsigned element_stride(std::string_view type) {
  const unsigned n = component_count(type);
  return scalar_bytes(type) * (n == 3 ? 4 : n);
}

Bytes elements(std::string_view type, std::size_t count, unsigned seed) {
  std::mt19937 random(seed + 1);
  Bytes bytes(count * element_stride(type));
  const std::string scalar = scalar_name(type);
  for (std::size_t i = 0; i < count; ++i)
    for (unsigned c = 0; c < component_count(type); ++c) {
      std::uint8_t* at = bytes.data() + i * element_stride(type) + c * scalar_bytes(type);
      std::uint64_t word = std::uint64_t{random()} << 32 | random();
      const double number = static_cast<double>(static_cast<int>(word % 4001) - 2000) / 8;
      if (scalar == "f16") word = base::double_to_half(number);
      if (scalar == "f32") word = std::bit_cast<std::uint32_t>(static_cast<float>(number));
      if (scalar == "f64") word = std::bit_cast<std::uint64_t>(number);
      std::memcpy(at, &word, scalar_bytes(type));
    }
  return bytes;
}

std::string module_text(const ModuleText& m) {
  const std::string all = m.globals + m.body + m.functions + "%u32_0";
  std::string text;
  for (const char* name : {"Shader", "Int8", "Int16", "Int64", "Float16", "Float64", "StorageBuffer8BitAccess",
                           "StorageBuffer16BitAccess"})
    text += fmt::format("OpCapability {}\n", name);
  std::string extensions;  // lines of both kinds may come mixed
  for (std::size_t i = 0; i < m.capabilities.size();) {
    const std::size_t end = m.capabilities.find('\n', i) + 1;
    const std::string line = m.capabilities.substr(i, end - i);
    (line.starts_with("OpCapability") ? text : extensions) += line;
    i = end;
  }
  text += extensions + m.imports + "OpMemoryModel " + m.memory + "\n";
  const bool compute = m.model == "GLCompute";
  text += "OpEntryPoint " + m.model + " %main \"main\"" + (compute ? " %gid" : "") + m.interfaces + "\n";
  if (compute) text += fmt::format("OpExecutionMode %main LocalSize {} 1 1\n", m.local_size);
  if (m.model == "Fragment") text += "OpExecutionMode %main OriginUpperLeft\n";
  text += m.modes + m.names + (compute ? "OpDecorate %gid BuiltIn GlobalInvocationId\n" : "") + m.decorations;
  text += type_lines() + constants_in(all);
  if (compute) text += "%input_v3u32 = OpTypePointer Input %v3u32\n%gid = OpVariable %input_v3u32 Input\n";
  text += m.globals + "%main = OpFunction %void None %void_function\n%begin = OpLabel\n";
  // Variables of the function stand first.
  std::string variables, code;
  for (std::size_t i = 0; i < m.body.size();) {
    const std::size_t end = m.body.find('\n', i) + 1;
    const std::string line = m.body.substr(i, end - i);
    (line.find("= OpVariable ") != std::string::npos ? variables : code) += line;
    i = end;
  }
  text += variables;
  if (compute) text += "%gid3 = OpLoad %v3u32 %gid\n%index = OpCompositeExtract %u32 %gid3 0\n";
  text += code;
  return text + "OpReturn\nOpFunctionEnd\n" + m.functions;
}

void add_buffer(ModuleText& m, const std::string& name, unsigned binding, const std::string& type) {
  const std::map<std::string, std::string> values = {
      {"N", name}, {"T", type}, {"B", std::to_string(binding)}, {"S", std::to_string(element_stride(type))}};
  m.interfaces += " %" + name;
  m.decorations += filled_in(
      "OpDecorate %array_{N} ArrayStride {S}\nOpMemberDecorate %block_{N} 0 Offset 0\nOpDecorate %block_{N} Block\n"
      "OpDecorate %{N} DescriptorSet 0\nOpDecorate %{N} Binding {B}\n",
      values);
  m.globals += filled_in(
      "%array_{N} = OpTypeRuntimeArray %{T}\n%block_{N} = OpTypeStruct %array_{N}\n"
      "%whole_{N} = OpTypePointer StorageBuffer %block_{N}\n%{N} = OpVariable %whole_{N} StorageBuffer\n",
      values);
  const std::string element = "%element_" + type + " = OpTypePointer StorageBuffer %" + type + "\n";
  if (m.globals.find(element) == std::string::npos) m.globals += element;
}

std::string store_element(const std::string& name, const std::string& value) {
  return filled_in("%place_{N} = OpAccessChain %element_{T} %{N} %u32_0 %index\nOpStore %place_{N} {V}\n",
                   {{"N", name}, {"V", value}});
}

std::string filled_in(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [key, value] : values) {
    const std::string word = "{" + key + "}";
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size()))
      text.replace(at, word.size(), value);
  }
  return text;
}

}  // namespace heddle::test
