// SPDX-License-Identifier: MIT
#pragma once
// Compute shaders with cooperative matrices, as SPIR-V assembly. The assembler of Debian 12 does not know the
// extension: its instructions are numbers.

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>

namespace heddle::test {

/// Instruction `opcode`; `operands` are ids, and literals as "!7". A bare number would belong to an instruction before
/// it that takes any number of operands: in functions OpNop ends that one.
inline std::string numbered(std::uint32_t opcode, const std::string& operands, bool in_function = true) {
  const auto words = 2 + std::count(operands.begin(), operands.end(), ' ');
  return (in_function ? "OpNop\n!" : "!") + std::to_string(static_cast<std::uint32_t>(words) << 16 | opcode) + " " +
         operands + "\n";
}
inline constexpr std::uint32_t kUntypedPointerType = 4417, kUntypedChain = 4419;
inline constexpr std::uint32_t kMatrixType = 4456, kMatrixLoad = 4457, kMatrixStore = 4458, kMatrixMulAdd = 4459,
                               kMatrixLength = 4460;

/// D = A * B + C, of buffers 0 (D) to 3 (C) of set 0; component types are f16, f32, s8, u8, s32, u32.
struct MatrixModule {
  unsigned m = 16, n = 16, k = 16, lanes = 16;
  std::string a = "f16", b = "f16", c = "f32";
  bool saturates = false;
  std::array<unsigned, 4> layouts{};         ///< of A, B, C, D: 0 rows, 1 columns
  unsigned padding = 0;                      ///< bytes between rows, or columns
  bool untyped = false;                      ///< pointers say nothing of what is there: strides are in bytes
  bool strides_in_memory = false;            ///< read from buffer 4, in the order of the layouts
  bool through_shared = false;               ///< each matrix lies in Workgroup memory, the other way, in between
  std::array<std::uint64_t, 4> addresses{};  ///< of the buffers of A, B, C, D in place of bindings
  std::string scope = "%c3", use_a = "%c0";
  std::string capabilities = "OpCapability VulkanMemoryModel\nOpCapability !6022\n";
  std::string extensions = "OpExtension \"SPV_KHR_cooperative_matrix\"\nOpExtension \"SPV_KHR_vulkan_memory_model\"\n";
  std::string decorations, types;  ///< more of them; %one is 1 of C's type
  std::string body;                ///< in place of the product: from %a, %b, %c to %d
  bool whole = false;              ///< `body` is all of the function: nothing is loaded before it, or stored
  std::string inputs;              ///< more of the interface
  std::string variables;           ///< of the function
  std::string functions;           ///< behind it

  static unsigned bytes(const std::string& type) { return static_cast<unsigned>(std::stoul(type.substr(1))) / 8; }
  [[nodiscard]] const std::string& type_of(unsigned which) const { return which == 0 ? a : which == 1 ? b : c; }
  [[nodiscard]] unsigned rows(unsigned which) const { return which == 1 ? k : m; }
  [[nodiscard]] unsigned columns(unsigned which) const { return which == 0 ? k : n; }
  /// Elements from row to row or column to column.
  [[nodiscard]] unsigned stride(unsigned which) const {
    return (layouts[which] == 0 ? columns(which) : rows(which)) + padding / bytes(type_of(which));
  }
  [[nodiscard]] unsigned index(unsigned which, unsigned row, unsigned column) const {
    return layouts[which] == 0 ? row * stride(which) + column : column * stride(which) + row;
  }
  /// As a load or store has it.
  [[nodiscard]] unsigned stride_operand(unsigned which) const {
    return stride(which) * (untyped ? bytes(type_of(which)) : 1);
  }
  /// Elements of the buffer.
  [[nodiscard]] unsigned size(unsigned which) const {
    return stride(which) * (layouts[which] == 0 ? rows(which) : columns(which));
  }
  [[nodiscard]] unsigned flags() const {
    const auto sign = [](const std::string& type, unsigned bit) { return type[0] == 's' ? bit : 0; };
    return sign(a, 1) | sign(b, 2) | sign(c, 4 + 8) | (saturates ? 16 : 0);
  }
  [[nodiscard]] std::string product(const std::string& result = "%d", const std::string& addend = "%c") const {
    return numbered(kMatrixMulAdd, "%mc " + result + " %a %b " + addend + " !" + std::to_string(flags()));
  }
  [[nodiscard]] std::string text() const { return head() + declarations() + main(); }

 private:
  [[nodiscard]] bool addressed() const { return addresses[0] != 0; }
  [[nodiscard]] static std::string name(unsigned which) { return std::string(1, "abcd"[which]); }
  [[nodiscard]] static std::string matrix_type(unsigned which) { return "%m" + std::string(1, "abcc"[which]); }
  [[nodiscard]] std::string stride_id(unsigned which) const {
    return strides_in_memory ? "%stride_" + name(which) : "%n" + std::to_string(stride_operand(which));
  }
  static std::string layout_id(unsigned layout) { return "%c" + std::to_string(layout); }

  [[nodiscard]] std::string head() const {
    std::string t =
        "OpCapability Shader\nOpCapability Float16\nOpCapability Int8\nOpCapability Int64\n"
        "OpCapability StorageBuffer16BitAccess\nOpCapability StorageBuffer8BitAccess\n";
    t += capabilities;
    if (untyped) t += "OpCapability !4473\n";
    if (addressed()) t += "OpCapability PhysicalStorageBufferAddresses\n";
    t += extensions + "OpExtension \"SPV_KHR_8bit_storage\"\n";
    if (untyped) t += "OpExtension \"SPV_KHR_untyped_pointers\"\n";
    if (addressed()) t += "OpExtension \"SPV_KHR_physical_storage_buffer\"\n";
    t += std::string("OpMemoryModel ") + (addressed() ? "PhysicalStorageBuffer64" : "Logical") + " Vulkan\n";
    t += "OpEntryPoint GLCompute %main \"main\" %id" + inputs + "\nOpExecutionMode %main LocalSize " +
         std::to_string(lanes) + " 1 1\nOpDecorate %id BuiltIn LocalInvocationIndex\n";
    for (const char* type : {"f16", "f32", "s8", "u8", "s32", "u32"}) {
      const std::string s = type;
      t += "OpDecorate %array_" + s + " ArrayStride " + std::to_string(bytes(s)) + "\nOpDecorate %block_" + s +
           " Block\nOpMemberDecorate %block_" + s + " 0 Offset 0\n";
    }
    for (const auto& [variable, binding] : {std::pair{"d", 0}, {"a", 1}, {"b", 2}, {"c", 3}, {"strides", 4}})
      t += std::string("OpDecorate %buffer_") + variable + " DescriptorSet 0\nOpDecorate %buffer_" + variable +
           " Binding " + std::to_string(binding) + "\n";
    return t + decorations;
  }

  [[nodiscard]] std::string declarations() const {
    std::string t =
        "%void = OpTypeVoid\n%f = OpTypeFunction %void\n%bool = OpTypeBool\n%f16 = OpTypeFloat 16\n%f32 = OpTypeFloat "
        "32\n%s8 = OpTypeInt 8 1\n%u8 = OpTypeInt 8 0\n%s32 = OpTypeInt 32 1\n%u32 = OpTypeInt 32 0\n%u64 = OpTypeInt "
        "64 0\n";
    for (const char* type : {"f16", "f32", "s8", "u8", "s32", "u32"}) {
      const std::string s = type;
      t += "%array_" + s + " = OpTypeRuntimeArray %" + s + "\n%block_" + s + " = OpTypeStruct %array_" + s + "\n%pb_" +
           s + " = OpTypePointer StorageBuffer %block_" + s + "\n%pe_" + s + " = OpTypePointer StorageBuffer %" + s +
           "\n";
    }
    for (unsigned which = 0; which < 4; ++which)
      t += "%buffer_" + name(which) + " = OpVariable %pb_" + type_of(which) + " StorageBuffer\n";
    t += "%buffer_strides = OpVariable %pb_u32 StorageBuffer\n%pi = OpTypePointer Input %u32\n%id = OpVariable %pi "
         "Input\n";
    for (unsigned i = 0; i <= 5; ++i) t += "%c" + std::to_string(i) + " = OpConstant %u32 " + std::to_string(i) + "\n";
    std::set<unsigned> sizes{8, 16, m, n, k, 4, 264};
    for (unsigned which = 0; which < 4; ++which) sizes.insert({stride(which), stride_operand(which)});
    for (const unsigned size : sizes)
      t += "%n" + std::to_string(size) + " = OpConstant %u32 " + std::to_string(size) + "\n";
    if (untyped) t += numbered(kUntypedPointerType, "%untyped !12", false);
    t += "%one = OpConstant %" + c + (c[0] == 'f' ? " 1.0\n" : " 1\n");
    const auto n_of = [](unsigned size) { return " %n" + std::to_string(size); };
    t += numbered(kMatrixType, "%ma %" + a + " " + scope + n_of(m) + n_of(k) + " " + use_a, false);
    t += numbered(kMatrixType, "%mb %" + b + " " + scope + n_of(k) + n_of(n) + " %c1", false);
    t += numbered(kMatrixType, "%mc %" + c + " " + scope + n_of(m) + n_of(n) + " %c2", false);
    for (unsigned which = 0; which < 4 && through_shared; ++which)
      t += "%length_" + name(which) + " = OpConstant %u32 " + std::to_string(rows(which) * columns(which)) +
           "\n%shared_array_" + name(which) + " = OpTypeArray %" + type_of(which) + " %length_" + name(which) +
           "\n%shared_pointer_" + name(which) + " = OpTypePointer Workgroup %shared_array_" + name(which) +
           "\n%shared_element_" + name(which) + " = OpTypePointer Workgroup %" + type_of(which) + "\n%shared_" +
           name(which) + " = OpVariable %shared_pointer_" + name(which) + " Workgroup\n";
    for (unsigned which = 0; which < 4 && addressed(); ++which)
      t += "%address_pointer_" + name(which) + " = OpTypePointer PhysicalStorageBuffer %" + type_of(which) +
           "\n%address_" + name(which) + " = OpConstant %u64 " + std::to_string(addresses[which]) + "\n";
    return t + types;
  }

  /// A pointer to the first element of a matrix in memory.
  [[nodiscard]] std::string place(unsigned which) const {
    if (addressed())
      return "%at_" + name(which) + " = OpConvertUToPtr %address_pointer_" + name(which) + " %address_" + name(which) +
             "\n";
    // To words, of whatever size the elements are.
    if (untyped)
      return numbered(kUntypedChain, "%untyped %at_" + name(which) + " %block_u32 %buffer_" + name(which) + " %c0 %c0");
    return "%at_" + name(which) + " = OpAccessChain %pe_" + type_of(which) + " %buffer_" + name(which) + " %c0 %c0\n";
  }
  /// `value`: what was loaded, or is to be stored.
  [[nodiscard]] std::string by_shared(unsigned which, const std::string& from, const std::string& to) const {
    const std::string layout = layout_id(1 - layouts[which]);
    const unsigned side = layouts[which] == 0 ? rows(which) : columns(which);
    return "%place_" + name(which) + " = OpAccessChain %shared_element_" + name(which) + " %shared_" + name(which) +
           " %c0\n" +
           numbered(kMatrixStore, "%place_" + name(which) + " " + from + " " + layout + " %n" + std::to_string(side)) +
           "OpControlBarrier %c2 %c2 %n264\n" +
           numbered(kMatrixLoad, matrix_type(which) + " " + to + " %place_" + name(which) + " " + layout + " %n" +
                                     std::to_string(side));
  }

  [[nodiscard]] std::string main() const {
    std::string t = "%main = OpFunction %void None %f\n%first = OpLabel\n" + variables + "%lane = OpLoad %u32 %id\n";
    if (whole) return t + body + "OpReturn\nOpFunctionEnd\n" + functions;
    const std::string aligned = addressed() ? " !2 !16" : "";
    for (unsigned which = 0; which < 4; ++which) {
      if (!strides_in_memory) continue;
      t += "%at_stride_" + name(which) + " = OpAccessChain %pe_u32 %buffer_strides %c0 %c" + std::to_string(which) +
           "\n" + stride_id(which) + " = OpLoad %u32 %at_stride_" + name(which) + "\n";
    }
    for (unsigned which = 0; which < 4; ++which) t += place(which);
    for (unsigned which = 0; which < 3; ++which) {
      const std::string id = "%" + name(which), loaded = through_shared ? "%loaded_" + name(which) : id;
      t += numbered(kMatrixLoad, matrix_type(which) + " " + loaded + " %at_" + name(which) + " " +
                                     layout_id(layouts[which]) + " " + stride_id(which) + aligned);
      if (through_shared) t += by_shared(which, loaded, id);
    }
    t += body.empty() ? product() : body;
    if (through_shared) t += by_shared(3, "%d", "%d_again");
    t += numbered(kMatrixStore, std::string("%at_d ") + (through_shared ? "%d_again " : "%d ") + layout_id(layouts[3]) +
                                    " " + stride_id(3) + aligned);
    return t + "OpReturn\nOpFunctionEnd\n" + functions;
  }
};

}  // namespace heddle::test
