// SPDX-License-Identifier: MIT
// Buffers reached by 64-bit addresses: each type, and each way to come by a pointer.
#include "compile/sweep/sweep.hpp"

#include <cstring>

namespace heddle::test {
namespace {

constexpr std::uint64_t kAddress = 0x7f0012345600, kOther = 0x10000;
constexpr std::size_t kCount = 64, kInvocations = 32;

/// A way to a pointer: code that defines %p (to one element) from %base (address of the array), %number (the same as a
/// number), %index; invocation i then reads element `source(i)`.
struct Form {
  const char* name;
  const char* code;
  std::size_t (*source)(std::size_t i);
  const char* functions = "";
};

std::size_t same(std::size_t i) { return i; }

const Form kForms[] = {
    {"Element", "%p = OpAccessChain %to_el %base %u32_0 %index\n", same},
    {"InBounds", "%p = OpInBoundsAccessChain %to_el %base %u32_0 %index\n", same},
    {"WideIndex", "%wide = OpUConvert %u64 %index\n%p = OpAccessChain %to_el %base %u32_0 %wide\n", same},
    {"SignedIndex",
     "%signed = OpBitcast %i32 %index\n%back = OpISub %i32 %i32_40 %signed\n%p = OpAccessChain %to_el %base %u32_0 "
     "%back\n",
     [](std::size_t i) { return 40 - i; }},
    {"Number",
     "%wide = OpUConvert %u64 %index\n%bytes = OpIMul %u64 %wide %u64_{S}\n%sum = OpIAdd %u64 %number %bytes\n"
     "%p = OpConvertUToPtr %to_el %sum\n",
     same},
    {"Halves",
     "%pair = OpBitcast %v2u32 %number\n%first = OpBitcast %to_el %pair\n%p = OpPtrAccessChain %to_el %first %index\n",
     same},
    {"Ahead", "%here = OpAccessChain %to_el %base %u32_0 %index\n%p = OpPtrAccessChain %to_el %here %u32_3\n",
     [](std::size_t i) { return i + 3; }},
    {"Behind",
     "%on = OpIAdd %u32 %index %u32_9\n%here = OpAccessChain %to_el %base %u32_0 %on\n"
     "%p = OpPtrAccessChain %to_el %here %i32_n4\n",
     [](std::size_t i) { return i + 5; }},
    {"Select",
     "%here = OpAccessChain %to_el %base %u32_0 %index\n%fixed = OpAccessChain %to_el %base %u32_0 %u32_50\n"
     "%bit = OpBitwiseAnd %u32 %index %u32_1\n%odd = OpINotEqual %bool %bit %u32_0\n"
     "%p = OpSelect %to_el %odd %here %fixed\n",
     [](std::size_t i) { return i % 2 == 1 ? i : 50; }},
    {"Branch",
     "%here = OpAccessChain %to_el %base %u32_0 %index\n%small = OpULessThan %bool %index %u32_7\n"
     "OpSelectionMerge %end None\nOpBranchConditional %small %yes %no\n%yes = OpLabel\n"
     "%next = OpPtrAccessChain %to_el %here %u32_1\nOpBranch %end\n%no = OpLabel\nOpBranch %end\n%end = OpLabel\n"
     "%p = OpPhi %to_el %next %yes %here %no\n",
     [](std::size_t i) { return i < 7 ? i + 1 : i; }},
    {"Loop",
     "%here = OpAccessChain %to_el %base %u32_0 %index\n%steps = OpUMod %u32 %index %u32_5\nOpBranch %head\n"
     "%head = OpLabel\n%p = OpPhi %to_el %here %begin %next %more\n%k = OpPhi %u32 %u32_0 %begin %k1 %more\n"
     "%go = OpULessThan %bool %k %steps\nOpLoopMerge %end %more None\nOpBranchConditional %go %more %end\n"
     "%more = OpLabel\n%next = OpPtrAccessChain %to_el %p %u32_2\n%k1 = OpIAdd %u32 %k %u32_1\nOpBranch %head\n"
     "%end = OpLabel\n",
     [](std::size_t i) { return i + i % 5 * 2; }},
    {"Variable",
     "%kept = OpVariable %to_to_el Function\n%here = OpAccessChain %to_el %base %u32_0 %index\nOpStore %kept %here\n"
     "%loaded = OpLoad %to_el %kept\n%p = OpPtrAccessChain %to_el %loaded %u32_2\n",
     [](std::size_t i) { return i + 2; }},
    {"Function", "%p = OpFunctionCall %to_el %beyond %base %index\n", [](std::size_t i) { return i + 1; },
     "%beyond = OpFunction %to_el None %beyond_type\n%from = OpFunctionParameter %to_ref\n"
     "%at = OpFunctionParameter %u32\n%beyond_begin = OpLabel\n%beyond_at = OpIAdd %u32 %at %u32_1\n"
     "%beyond_p = OpAccessChain %to_el %from %u32_0 %beyond_at\nOpReturnValue %beyond_p\nOpFunctionEnd\n"},
    {"RoundTrip",
     "%here = OpAccessChain %to_el %base %u32_0 %index\n%as_number = OpConvertPtrToU %u64 %here\n"
     "%moved = OpIAdd %u64 %as_number %u64_{S}\n%p = OpConvertUToPtr %to_el %moved\n",
     [](std::size_t i) { return i + 1; }},
};

constexpr const char* kTypes[] = {"u8",   "u16",   "f16",   "u32",   "i32",   "f32",   "u64",   "f64",   "v2u8",
                                  "v4u8", "v2u16", "v4f16", "v2f32", "v3f32", "v4f32", "v3u32", "v2u64", "v2f64"};

ModuleText module_of(const std::string& type) {
  ModuleText m;
  m.capabilities = "OpCapability PhysicalStorageBufferAddresses\n";
  m.memory = "PhysicalStorageBuffer64 GLSL450";
  m.interfaces = " %push";
  m.decorations = filled_in(
      "OpDecorate %array ArrayStride {S}\nOpMemberDecorate %ref 0 Offset 0\nOpDecorate %ref Block\n"
      "OpDecorate %to_el ArrayStride {S}\nOpMemberDecorate %pushed 0 Offset 0\nOpMemberDecorate %pushed 1 Offset 8\n"
      "OpDecorate %pushed Block\nOpDecorate %kept AliasedPointer\nOpDecorate %from Aliased\n",
      {{"S", std::to_string(element_stride(type))}});
  m.globals = filled_in(
      "%array = OpTypeRuntimeArray %{T}\n%ref = OpTypeStruct %array\n%to_ref = OpTypePointer PhysicalStorageBuffer "
      "%ref\n"
      "%to_el = OpTypePointer PhysicalStorageBuffer %{T}\n%to_to_el = OpTypePointer Function %to_el\n"
      "%pushed = OpTypeStruct %to_ref %u64\n%to_pushed = OpTypePointer PushConstant %pushed\n"
      "%to_pushed_ref = OpTypePointer PushConstant %to_ref\n%to_pushed_number = OpTypePointer PushConstant %u64\n"
      "%push = OpVariable %to_pushed PushConstant\n%beyond_type = OpTypeFunction %to_el %to_ref %u32\n",
      {{"T", type}});
  m.body =
      "%at_base = OpAccessChain %to_pushed_ref %push %u32_0\n%base = OpLoad %to_ref %at_base\n"
      "%at_number = OpAccessChain %to_pushed_number %push %u32_1\n%number = OpLoad %u64 %at_number\n";
  return m;
}

Bytes pushed(std::uint64_t address) { return bytes_of<std::uint64_t>({address, address}); }

/// Decorations of what the code does not have.
void drop_unused(ModuleText& m) {
  for (const std::string line : {"OpDecorate %kept AliasedPointer\n", "OpDecorate %from Aliased\n"}) {
    const std::string id = line.substr(11, line.find(' ', 11) - 11) + " = ";
    if ((m.body + m.functions).find(id) == std::string::npos)
      m.decorations.erase(m.decorations.find(line), line.size());
  }
}

std::string aligned(const std::string& type) { return "Aligned " + std::to_string(scalar_bytes(type)); }

SweepShader load_shader(const Form& form, const std::string& type, unsigned seed) {
  ModuleText m = module_of(type);
  add_buffer(m, "out", 0, type);
  const std::map<std::string, std::string> values = {{"S", std::to_string(element_stride(type))}, {"T", type}};
  m.body += filled_in(form.code, values) + "%v = OpLoad %" + type + " %p " + aligned(type) + "\n" +
            filled_in(store_element("out", "%v"), values);
  m.functions = form.functions;
  drop_unused(m);
  SweepShader s;
  s.name = std::string("Load") + form.name + "Of" + type;
  s.text = module_text(m);
  s.groups = kInvocations / m.local_size;
  const unsigned stride = element_stride(type);
  const Bytes in = elements(type, kCount, seed);
  Bytes want(kInvocations * stride);
  for (std::size_t i = 0; i < kInvocations; ++i) std::memcpy(&want[i * stride], &in[form.source(i) * stride], stride);
  s.buffers = {{0, Bytes(kInvocations * stride), {}, want}, {1, in, kAddress, in}};
  s.push = pushed(kAddress);
  return s;
}

SweepShader store_shader(const Form& form, const std::string& type, unsigned seed) {
  ModuleText m = module_of(type);
  add_buffer(m, "in", 0, type);
  const std::map<std::string, std::string> values = {{"S", std::to_string(element_stride(type))}, {"T", type}};
  m.body += filled_in(form.code, values) +
            filled_in("%source = OpAccessChain %element_{T} %in %u32_0 %index\n%v = OpLoad %{T} %source\n", values) +
            "OpStore %p %v " + aligned(type) + "\n";
  drop_unused(m);
  SweepShader s;
  s.name = std::string("Store") + form.name + "Of" + type;
  s.text = module_text(m);
  s.groups = kInvocations / m.local_size;
  const unsigned stride = element_stride(type), bytes = component_count(type) * scalar_bytes(type);
  const Bytes in = elements(type, kInvocations, seed), before = elements(type, kCount, seed + 1000);
  Bytes want = before;
  for (std::size_t i = 0; i < kInvocations; ++i) std::memcpy(&want[form.source(i) * stride], &in[i * stride], bytes);
  s.buffers = {{0, in, {}, in}, {1, before, kAddress, want}};
  s.push = pushed(kAddress);
  return s;
}

/// A list whose nodes lie in two buffers: { value, next }, walked `index mod 6` steps.
SweepShader list_shader(const std::string& type, unsigned seed) {
  ModuleText m;
  m.capabilities = "OpCapability PhysicalStorageBufferAddresses\n";
  m.memory = "PhysicalStorageBuffer64 GLSL450";
  m.interfaces = " %push";
  add_buffer(m, "out", 0, type);
  m.decorations +=
      "OpMemberDecorate %node 0 Offset 0\nOpMemberDecorate %node 1 Offset 32\nOpDecorate %node Block\n"
      "OpMemberDecorate %pushed 0 Offset 0\nOpDecorate %pushed Block\n";
  const std::map<std::string, std::string> values = {{"T", type}, {"A", std::to_string(scalar_bytes(type))}};
  m.globals += filled_in(
      "OpTypeForwardPointer %to_node PhysicalStorageBuffer\n%node = OpTypeStruct %{T} %to_node\n"
      "%to_node = OpTypePointer PhysicalStorageBuffer %node\n%to_el = OpTypePointer PhysicalStorageBuffer %{T}\n"
      "%to_next = OpTypePointer PhysicalStorageBuffer %to_node\n%pushed = OpTypeStruct %to_node\n"
      "%to_pushed = OpTypePointer PushConstant %pushed\n%to_pushed_node = OpTypePointer PushConstant %to_node\n"
      "%push = OpVariable %to_pushed PushConstant\n",
      values);
  m.body = filled_in(
      "%at_head = OpAccessChain %to_pushed_node %push %u32_0\n%first = OpLoad %to_node %at_head\n"
      "%steps = OpUMod %u32 %index %u32_6\nOpBranch %head\n%head = OpLabel\n"
      "%p = OpPhi %to_node %first %begin %next %more\n%k = OpPhi %u32 %u32_0 %begin %k1 %more\n"
      "%go = OpULessThan %bool %k %steps\nOpLoopMerge %end %more None\nOpBranchConditional %go %more %end\n"
      "%more = OpLabel\n%at_next = OpAccessChain %to_next %p %u32_1\n%next = OpLoad %to_node %at_next Aligned 8\n"
      "%k1 = OpIAdd %u32 %k %u32_1\nOpBranch %head\n%end = OpLabel\n"
      "%at_value = OpAccessChain %to_el %p %u32_0\n%v = OpLoad %{T} %at_value Aligned {A}\n",
      values);
  m.body += filled_in(store_element("out", "%v"), values);
  SweepShader s;
  s.name = "ListOf" + type;
  s.text = module_text(m);
  s.groups = kInvocations / m.local_size;
  const unsigned stride = element_stride(type);
  const Bytes in = elements(type, 6, seed);
  Bytes even(3 * 48), odd(3 * 48), want(kInvocations * stride);
  for (std::size_t n = 0; n < 6; ++n) {
    Bytes& nodes = n % 2 == 0 ? even : odd;
    const std::uint64_t next = (n % 2 == 0 ? kOther : kAddress) + (n + 1) / 2 * 48;
    std::memcpy(&nodes[n / 2 * 48], &in[n * stride], component_count(type) * scalar_bytes(type));
    std::memcpy(&nodes[n / 2 * 48 + 32], &next, 8);
  }
  for (std::size_t i = 0; i < kInvocations; ++i)
    std::memcpy(&want[i * stride], &in[i % 6 * stride], component_count(type) * scalar_bytes(type));
  s.buffers = {{0, Bytes(kInvocations * stride), {}, want}, {1, even, kAddress, even}, {2, odd, kOther, odd}};
  s.push = bytes_of<std::uint64_t>({kAddress});
  return s;
}

}  // namespace

std::vector<SweepShader> address_shaders() {
  std::vector<SweepShader> list;
  unsigned seed = 0;
  for (const char* type : kTypes) {
    for (const Form& form : kForms) list.push_back(load_shader(form, type, ++seed));
    list.push_back(store_shader(kForms[0], type, ++seed));
    list.push_back(store_shader(kForms[6], type, ++seed));
    list.push_back(list_shader(type, ++seed));
  }
  return list;
}

}  // namespace heddle::test
