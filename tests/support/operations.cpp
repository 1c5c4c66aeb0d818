// SPDX-License-Identifier: MIT
#include "support/operations.hpp"

#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

namespace heddle::test {
namespace {

/// %a, %r, %_x get the operation's number; the others are shared.
std::string numbered(const std::string& body, std::size_t k) {
  std::string out;
  for (std::size_t i = 0; i < body.size();) {
    if (body[i] != '%') {
      out += body[i++];
      continue;
    }
    std::size_t end = i + 1;
    while (end < body.size() && (std::isalnum(static_cast<unsigned char>(body[end])) != 0 || body[end] == '_')) ++end;
    out += body.substr(i, end - i);
    if (end - i == 2 || body[i + 1] == '_') out += "_n" + std::to_string(k);
    i = end;
  }
  return out;
}

std::set<std::string> ids_in(const std::string& text) {
  std::set<std::string> ids;
  for (std::size_t i = text.find('%'); i != std::string::npos; i = text.find('%', i + 1)) {
    std::size_t end = i + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    ids.insert(text.substr(i + 1, end - i - 1));
  }
  return ids;
}

bool is_scalar(const std::string& name) {
  static const std::set<std::string> kNames = {"f16", "f32", "f64", "i8",  "u8", "i16",
                                               "u16", "i32", "u32", "i64", "u64"};
  return kNames.count(name) != 0;
}

bool is_vector(const std::string& name) {
  return name.size() > 2 && name[0] == 'v' && std::isdigit(static_cast<unsigned char>(name[1])) != 0 &&
         (is_scalar(name.substr(2)) || name.substr(2) == "bool");
}

/// mat2, mat3, mat4: square, of f32.
bool is_matrix(const std::string& name) {
  return name.size() == 4 && name.starts_with("mat") && name[3] >= '2' && name[3] <= '4';
}

/// Types and constants in the order of need.
class Declarations {
 public:
  std::string text, decorations;
  std::set<std::string> capabilities;

  void type(const std::string& name) {
    if (!declared_.insert(name).second) return;
    if (name == "bool") {
      text += "%bool = OpTypeBool\n";
    } else if (is_scalar(name)) {
      const std::string bits = name.substr(1);
      if (name[0] == 'f') {
        if (bits == "16") capabilities.insert("Float16");
        if (bits == "64") capabilities.insert("Float64");
        text += "%" + name + " = OpTypeFloat " + bits + "\n";
      } else {
        if (bits == "8") capabilities.insert("Int8");
        if (bits == "16") capabilities.insert("Int16");
        if (bits == "64") capabilities.insert("Int64");
        // SPIR-V's signedness of a type means nothing to most operations; both are used.
        text += "%" + name + " = OpTypeInt " + bits + (name[0] == 'i' ? " 1\n" : " 0\n");
      }
    } else if (is_vector(name)) {
      type(name.substr(2));
      text += "%" + name + " = OpTypeVector %" + name.substr(2) + " " + name[1] + "\n";
    } else if (is_matrix(name)) {
      const std::string n = name.substr(3);
      type("v" + n + "f32");
      text += "%" + name + " = OpTypeMatrix %v" + n + "f32 " + n + "\n";
    }
  }
  /// "u32_7", "f32_1p5", "i32_n3"
  void constant(const std::string& name) {
    const std::size_t bar = name.find('_');
    if (bar == std::string::npos || !is_scalar(name.substr(0, bar)) || declared_.count(name) != 0) return;
    type(name.substr(0, bar));
    declared_.insert(name);
    std::string value = name.substr(bar + 1);
    if (value[0] == 'n') value[0] = '-';
    if (const std::size_t point = value.find('p'); point != std::string::npos) value[point] = '.';
    text += "%" + name + " = OpConstant %" + name.substr(0, bar) + " " + value + "\n";
  }
  void all_in(const std::string& body) {
    for (const std::string& id : ids_in(body)) {
      if (id == "bool" || is_scalar(id) || is_vector(id) || is_matrix(id)) type(id);
      constant(id);
    }
  }

 private:
  std::set<std::string> declared_;
};

}  // namespace

std::string component_of(const std::string& type) { return is_vector(type) ? type.substr(2) : type; }
unsigned components_of(const std::string& type) { return is_vector(type) ? static_cast<unsigned>(type[1] - '0') : 1; }

unsigned stride_of(const std::string& type) {
  const std::string scalar = component_of(type);
  const unsigned bytes = scalar == "bool" ? 4 : static_cast<unsigned>(std::stoul(scalar.substr(1))) / 8,
                 n = components_of(type);
  return bytes * (n == 3 ? 4 : n);
}

OperationShader shader_of(std::span<const Operation> operations, unsigned local_size,
                          std::span<const std::string> modes) {
  OperationShader shader;
  Declarations d;
  std::map<std::pair<unsigned, std::string>, unsigned> inputs;
  std::map<std::string, unsigned> outputs;
  const auto stored = [](const std::string& type) {
    return component_of(type) == "bool"
               ? (components_of(type) == 1 ? std::string("u32") : "v" + std::to_string(components_of(type)) + "u32")
               : type;
  };
  unsigned next = 0;
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const Operation& o = operations[k];
    for (unsigned p = 0; p < o.inputs.size(); ++p)
      if (inputs.emplace(std::pair(p, o.inputs[p]), static_cast<unsigned>(shader.inputs.size())).second)
        shader.inputs.push_back({stored(o.inputs[p]), next++, p, stride_of(o.inputs[p]), {}});
    const std::string type = stored(o.result);
    if (outputs.emplace(type, static_cast<unsigned>(shader.outputs.size())).second)
      shader.outputs.push_back({type, next++, 0, stride_of(type), {}});
    shader.outputs[outputs[type]].operations.push_back(static_cast<unsigned>(k));
  }

  for (const char* name : {"u32", "v3u32", "bool"}) d.type(name);
  d.constant("u32_0");
  d.constant("u32_1");
  std::string code = "%index3 = OpLoad %v3u32 %gid\n%index = OpCompositeExtract %u32 %index3 0\n", names, interfaces,
              globals;
  const auto buffer = [&](const OperationBuffer& b, const std::string& name) {
    d.type(b.type);
    const std::string scalar = component_of(b.type);
    if (scalar == "i8" || scalar == "u8") d.capabilities.insert("StorageBuffer8BitAccess");
    if (scalar == "i16" || scalar == "u16" || scalar == "f16") d.capabilities.insert("StorageBuffer16BitAccess");
    d.decorations += "OpDecorate %array_" + name + " ArrayStride " + std::to_string(b.stride) +
                     "\nOpMemberDecorate %block_" + name + " 0 Offset 0\nOpDecorate %block_" + name +
                     " Block\nOpDecorate %" + name + " DescriptorSet 0\nOpDecorate %" + name + " Binding " +
                     std::to_string(b.binding) + "\n";
    globals += "%array_" + name + " = OpTypeRuntimeArray %" + b.type + "\n%block_" + name + " = OpTypeStruct %array_" +
               name + "\n%blockptr_" + name + " = OpTypePointer StorageBuffer %block_" + name + "\n%" + name +
               " = OpVariable %blockptr_" + name + " StorageBuffer\n";
    interfaces += " %" + name;
  };
  std::set<std::string> pointers;
  const auto pointer = [&](const std::string& type) {
    if (pointers.insert(type).second) globals += "%ptr_" + type + " = OpTypePointer StorageBuffer %" + type + "\n";
  };
  for (std::size_t i = 0; i < shader.inputs.size(); ++i) {
    buffer(shader.inputs[i], "in" + std::to_string(i));
    pointer(shader.inputs[i].type);
  }
  for (std::size_t i = 0; i < shader.outputs.size(); ++i) {
    buffer(shader.outputs[i], "out" + std::to_string(i));
    pointer(shader.outputs[i].type);
    d.constant("u32_" + std::to_string(shader.outputs[i].operations.size()));
  }
  // Inputs are loaded once.
  for (std::size_t i = 0; i < shader.inputs.size(); ++i) {
    const std::string n = std::to_string(i);
    code += "%inptr" + n + " = OpAccessChain %ptr_" + shader.inputs[i].type + " %in" + n + " %u32_0 %index\n%loaded" +
            n + " = OpLoad %" + shader.inputs[i].type + " %inptr" + n + "\n";
  }
  for (std::size_t i = 0; i < shader.outputs.size(); ++i)
    code += "%base" + std::to_string(i) + " = OpIMul %u32 %index %u32_" +
            std::to_string(shader.outputs[i].operations.size()) + "\n";
  std::map<std::string, unsigned> used;
  for (std::size_t k = 0; k < operations.size(); ++k) {
    const Operation& o = operations[k];
    d.all_in(o.body);
    d.all_in(o.globals);
    std::string body = o.body;
    globals += numbered(o.globals, k);
    for (unsigned p = 0; p < o.inputs.size(); ++p) {
      const unsigned i = inputs[std::pair(p, o.inputs[p])];
      const std::string id = std::string("%") + static_cast<char>('a' + p);
      if (component_of(o.inputs[p]) == "bool") {
        const std::string wide = stored(o.inputs[p]);
        d.type(o.inputs[p]);
        code += numbered("%_zero = OpBitwiseXor %" + wide + " %loaded" + std::to_string(i) + " %loaded" +
                             std::to_string(i) + "\n" + id + " = OpINotEqual %" + o.inputs[p] + " %loaded" +
                             std::to_string(i) + " %_zero\n",
                         k * 8 + p);
        for (std::size_t at = body.find(id); at != std::string::npos; at = body.find(id, at + 1))
          if (std::isalnum(static_cast<unsigned char>(body[at + 2])) == 0 && body[at + 2] != '_')
            body.replace(at, 2, id + "_n" + std::to_string(k * 8 + p));
      } else {
        for (std::size_t at = body.find(id); at != std::string::npos; at = body.find(id, at + 1))
          if (at + 2 >= body.size() ||
              (std::isalnum(static_cast<unsigned char>(body[at + 2])) == 0 && body[at + 2] != '_'))
            body.replace(at, 2, "%loaded" + std::to_string(i));
      }
    }
    code += numbered(body, k);
    if (code.back() != '\n') code += '\n';
    const std::string type = stored(o.result), n = "_n" + std::to_string(k);
    std::string result = "%r" + n;
    if (component_of(o.result) == "bool") {
      std::string one = "%u32_1", zero = "%u32_0";
      if (components_of(o.result) > 1) {
        d.type(type);
        std::string ones, zeros;
        for (unsigned c = 0; c < components_of(o.result); ++c) {
          ones += " %u32_1";
          zeros += " %u32_0";
        }
        one = "%ones" + n;
        zero = "%zeros" + n;
        globals += one + " = OpConstantComposite %" + type + ones + "\n" + zero + " = OpConstantComposite %" + type +
                   zeros + "\n";
      }
      code += "%stored" + n + " = OpSelect %" + type + " " + result + " " + one + " " + zero + "\n";
      result = "%stored" + n;
    }
    const unsigned output = outputs[type], slot = used[type]++;
    d.constant("u32_" + std::to_string(slot));
    code += "%slot" + n + " = OpIAdd %u32 %base" + std::to_string(output) + " %u32_" + std::to_string(slot) +
            "\n%outptr" + n + " = OpAccessChain %ptr_" + type + " %out" + std::to_string(output) + " %u32_0 %slot" + n +
            "\nOpStore %outptr" + n + " " + result + "\n";
    if (!o.name.empty()) names += "OpName " + std::string("%r") + n + " \"" + o.name + "\"\n";
  }
  if (code.find("OpGroupNonUniform") != std::string::npos)
    for (const char* c : {"GroupNonUniform", "GroupNonUniformVote", "GroupNonUniformBallot",
                          "GroupNonUniformArithmetic", "GroupNonUniformShuffle", "GroupNonUniformShuffleRelative",
                          "GroupNonUniformClustered", "GroupNonUniformQuad"})
      d.capabilities.insert(c);
  if (code.find("PackedVectorFormat4x8Bit") != std::string::npos) {
    d.capabilities.insert("DotProduct");
    d.capabilities.insert("DotProductInput4x8BitPacked");
  }
  const bool derivatives = code.find("OpDPd") != std::string::npos || code.find("OpFwidth") != std::string::npos;
  if (derivatives)
    for (const char* c : {"DerivativeControl", "ComputeDerivativeGroupLinearNV"}) d.capabilities.insert(c);
  std::string mode_lines;
  for (const std::string& mode : modes) {
    d.capabilities.insert(mode.substr(0, mode.find(' ')));
    mode_lines += "OpExecutionMode %main " + mode + "\n";
  }
  std::string& text = shader.text;
  text = "OpCapability Shader\n";
  const bool dots = d.capabilities.count("DotProduct") != 0;
  for (const std::string& c : d.capabilities) text += "OpCapability " + c + "\n";
  if (derivatives) text += "OpExtension \"SPV_NV_compute_shader_derivatives\"\n";
  if (!modes.empty()) text += "OpExtension \"SPV_KHR_float_controls\"\n";
  if (dots) text += "OpExtension \"SPV_KHR_integer_dot_product\"\n";
  text +=
      "%std = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" "
      "%gid" +
      interfaces + "\nOpExecutionMode %main LocalSize " + std::to_string(local_size) + " 1 1\n" +
      (derivatives ? "OpExecutionMode %main DerivativeGroupLinearNV\n" : "") + mode_lines + names +
      "OpDecorate %gid BuiltIn GlobalInvocationId\n" + d.decorations +
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n" + d.text + globals +
      "%gidptr = OpTypePointer Input %v3u32\n%gid = OpVariable %gidptr Input\n%main = OpFunction %void None "
      "%function\n%entry = OpLabel\n" +
      code + "OpReturn\nOpFunctionEnd\n";
  return shader;
}

}  // namespace heddle::test
