// SPDX-License-Identifier: MIT
// Pointers into storage buffers and shared memory that are chosen at run time.
#include "compile/sweep/sweep.hpp"

#include <cstring>

namespace heddle::test {
namespace {

constexpr std::size_t kCount = 64, kInvocations = 32;

/// Code that defines %p (pointer to an element) from %x and %y (buffers of elements), %index; invocation i then reads
/// element `element(i)` of x or y.
struct Form {
  const char* name;
  const char* code;
  bool (*is_y)(std::size_t i);
  std::size_t (*element)(std::size_t i);
  const char* functions = "";
};

bool never(std::size_t) { return false; }
bool when_odd(std::size_t i) { return i % 2 == 1; }
std::size_t same(std::size_t i) { return i; }

const char* const kBoth =
    "%px = OpAccessChain %to_el %x %u32_0 %index\n%py = OpAccessChain %to_el %y %u32_0 %index\n"
    "%bit = OpBitwiseAnd %u32 %index %u32_1\n%odd = OpINotEqual %bool %bit %u32_0\n";

const Form kForms[] = {
    {"Select", "{BOTH}%p = OpSelect %to_el %odd %py %px\n", when_odd, same},
    {"SelectInOne", "{BOTH}%p9 = OpAccessChain %to_el %x %u32_0 %u32_9\n%p = OpSelect %to_el %odd %p9 %px\n", never,
     [](std::size_t i) { return i % 2 == 1 ? 9 : i; }},
    {"Branch",
     "{BOTH}OpSelectionMerge %end None\nOpBranchConditional %odd %yes %no\n%yes = OpLabel\n"
     "%py2 = OpPtrAccessChain %to_el %py %u32_2\nOpBranch %end\n%no = OpLabel\nOpBranch %end\n%end = OpLabel\n"
     "%p = OpPhi %to_el %py2 %yes %px %no\n",
     when_odd, [](std::size_t i) { return i % 2 == 1 ? i + 2 : i; }},
    {"Loop",
     "{BOTH}%first = OpSelect %to_el %odd %py %px\n%steps = OpUMod %u32 %index %u32_7\nOpBranch %head\n"
     "%head = OpLabel\n%p = OpPhi %to_el %first %begin %next %more\n%k = OpPhi %u32 %u32_0 %begin %k1 %more\n"
     "%go = OpULessThan %bool %k %steps\nOpLoopMerge %end %more None\nOpBranchConditional %go %more %end\n"
     "%more = OpLabel\n%next = OpPtrAccessChain %to_el %p %u32_3\n%k1 = OpIAdd %u32 %k %u32_1\nOpBranch %head\n"
     "%end = OpLabel\n",
     when_odd, [](std::size_t i) { return i + i % 7 * 3; }},
    {"Variable",
     "%kept = OpVariable %to_to_el Function\n{BOTH}OpStore %kept %px\nOpSelectionMerge %end None\n"
     "OpBranchConditional %odd %yes %end\n%yes = OpLabel\nOpStore %kept %py\nOpBranch %end\n%end = OpLabel\n"
     "%p = OpLoad %to_el %kept\n",
     when_odd, same},
    {"Function", "{BOTH}%p = OpFunctionCall %to_el %chosen %px %py %odd\n", when_odd, same,
     "%chosen = OpFunction %to_el None %chosen_type\n%c_x = OpFunctionParameter %to_el\n"
     "%c_y = OpFunctionParameter %to_el\n%c_odd = OpFunctionParameter %bool\n%c_begin = OpLabel\n"
     "OpSelectionMerge %c_end None\nOpBranchConditional %c_odd %c_yes %c_end\n%c_yes = OpLabel\nOpReturnValue %c_y\n"
     "%c_end = OpLabel\nOpReturnValue %c_x\nOpFunctionEnd\n"},
    {"Step", "{BOTH}%p = OpPtrAccessChain %to_el %px %u32_5\n", never, [](std::size_t i) { return i + 5; }},
    {"StepBack",
     "{BOTH}%p30 = OpAccessChain %to_el %y %u32_0 %u32_40\n%signed = OpBitcast %i32 %index\n"
     "%back = OpSNegate %i32 %signed\n%p = OpPtrAccessChain %to_el %p30 %back\n",
     [](std::size_t) { return true; }, [](std::size_t i) { return 40 - i; }},
    {"Difference",
     "{BOTH}%p3 = OpAccessChain %to_el %x %u32_0 %u32_3\n%apart = OpPtrDiff %i32 %px %p3\n"
     "%twice = OpIMul %i32 %apart %i32_2\n%far = OpIAdd %i32 %twice %i32_6\n"
     "%p = OpAccessChain %to_el %x %u32_0 %far\n",
     never, [](std::size_t i) { return i * 2; }},
    {"Equal",
     "{BOTH}%chosen_p = OpSelect %to_el %odd %py %px\n%is_y = OpPtrEqual %bool %chosen_p %py\n"
     "%p7 = OpAccessChain %to_el %y %u32_0 %u32_7\n%p = OpSelect %to_el %is_y %p7 %chosen_p\n",
     when_odd, [](std::size_t i) { return i % 2 == 1 ? 7 : i; }},
    {"Null",
     "{BOTH}%maybe = OpSelect %to_el %odd %null %px\n"
     "%is_null = OpPtrEqual %bool %maybe %null\n%p = OpSelect %to_el %is_null %py %maybe\n",
     when_odd, same},
};

constexpr const char* kTypes[] = {"u8", "u16", "f16", "u32", "f32", "u64", "f64", "v2f32", "v3u32", "v4f32"};

ModuleText module_of(const std::string& type, const std::string& storage) {
  ModuleText m;
  m.capabilities = "OpCapability VariablePointers\nOpExtension \"SPV_KHR_variable_pointers\"\n";
  m.globals = filled_in(
      "%to_el = OpTypePointer {C} %{T}\n%to_to_el = OpTypePointer Function %to_el\n%null = OpConstantNull %to_el\n"
      "%chosen_type = OpTypeFunction %to_el %to_el %to_el %bool\n",
      {{"T", type}, {"C", storage}});
  if (storage == "StorageBuffer")
    m.decorations = "OpDecorate %to_el ArrayStride " + std::to_string(element_stride(type)) + "\n";
  return m;
}

std::string code_of(const Form& form) { return filled_in(form.code, {{"BOTH", kBoth}}); }

void expect(SweepShader& s, const Form& form, const std::string& type, const Bytes& x, const Bytes& y) {
  const unsigned stride = element_stride(type);
  Bytes want(kInvocations * stride);
  for (std::size_t i = 0; i < kInvocations; ++i)
    std::memcpy(&want[i * stride], &(form.is_y(i) ? y : x)[form.element(i) * stride], stride);
  s.groups = kInvocations / 16;
  s.buffers = {{0, Bytes(kInvocations * stride), {}, want}, {1, x, {}, x}, {2, y, {}, y}};
  // A buffer that no pointer may mean is not part of the program.
  if (std::string_view(form.name) == "Step") s.buffers.erase(s.buffers.begin() + 2);
  if (std::string_view(form.name) == "StepBack") s.buffers.erase(s.buffers.begin() + 1);
}

/// add_buffer's pointer type to an element is %to_el here.
void add_elements(ModuleText& m, const std::string& name, unsigned binding, const std::string& type) {
  add_buffer(m, name, binding, type);
  const std::string own = "%element_" + type + " = OpTypePointer StorageBuffer %" + type + "\n";
  if (const std::size_t at = m.globals.find(own); at != std::string::npos) m.globals.erase(at, own.size());
}

SweepShader buffer_shader(const Form& form, const std::string& type, unsigned seed) {
  ModuleText m = module_of(type, "StorageBuffer");
  add_elements(m, "out", 0, type);
  add_elements(m, "x", 1, type);
  add_elements(m, "y", 2, type);
  m.body = code_of(form) + "%v = OpLoad %" + type +
           " %p\n%place = OpAccessChain %to_el %out %u32_0 %index\nOpStore %place %v\n";
  m.functions = form.functions;
  SweepShader s;
  s.name = std::string("Buffer") + form.name + "Of" + type;
  s.text = module_text(m);
  expect(s, form, type, elements(type, kCount, seed), elements(type, kCount, seed + 500));
  return s;
}

/// The same through shared memory, which each group fills from the buffers.
SweepShader shared_shader(const Form& form, const std::string& type, unsigned seed) {
  ModuleText m = module_of(type, "Workgroup");
  for (const auto& [name, binding] : {std::pair("out", 0u), std::pair("in_x", 1u), std::pair("in_y", 2u)})
    add_buffer(m, name, binding, type);
  m.interfaces += " %sx %sy";
  m.globals += filled_in(
      "%kept_array = OpTypeArray %{T} %u32_64\n%kept_whole = OpTypePointer Workgroup %kept_array\n"
      "%sx = OpVariable %kept_whole Workgroup\n%sy = OpVariable %kept_whole Workgroup\n",
      {{"T", type}});
  std::string fill;
  for (unsigned k = 0; k < 2; ++k)
    for (const char* which : {"x", "y"})
      fill += filled_in(
          "%at{K}{W} = OpIAdd %u32 %index %u32_{O}\n%from{K}{W} = OpAccessChain %element_{T} %in_{W} %u32_0 %at{K}{W}\n"
          "%got{K}{W} = OpLoad %{T} %from{K}{W}\n%into{K}{W} = OpAccessChain %to_el %s{W} %at{K}{W}\n"
          "OpStore %into{K}{W} %got{K}{W}\n",
          {{"K", std::to_string(k)}, {"W", which}, {"O", std::to_string(32 * k)}, {"T", type}});
  fill += "OpControlBarrier %u32_2 %u32_2 %u32_264\n";
  std::string code = code_of(form);
  // Shared arrays are no blocks: one index less.
  for (const char* which : {"x", "y"}) {
    const std::string from = std::string("%to_el %") + which + " %u32_0 ", to = std::string("%to_el %s") + which + " ";
    for (std::size_t at = code.find(from); at != std::string::npos; at = code.find(from, at))
      code.replace(at, from.size(), to);
  }
  m.body = fill + "OpBranch %filled\n%filled = OpLabel\n" + code + "%v = OpLoad %" + type + " %p\n" +
           filled_in(store_element("out", "%v"), {{"T", type}});
  for (std::size_t at = m.body.find("%begin"); at != std::string::npos; at = m.body.find("%begin", at + 1))
    m.body.replace(at, 6, "%filled");
  m.functions = form.functions;
  m.local_size = 32;
  SweepShader s;
  s.name = std::string("Shared") + form.name + "Of" + type;
  s.text = module_text(m);
  expect(s, form, type, elements(type, kCount, seed), elements(type, kCount, seed + 500));
  s.groups = 1;
  return s;
}

}  // namespace

std::vector<SweepShader> pointer_shaders() {
  std::vector<SweepShader> list;
  unsigned seed = 3000;
  for (const char* type : kTypes)
    for (const Form& form : kForms) {
      list.push_back(buffer_shader(form, type, ++seed));
      // Elements of Workgroup memory have no stride to step by.
      const std::string code = form.code;
      if (code.find("PtrAccessChain") == std::string::npos && code.find("PtrDiff") == std::string::npos)
        list.push_back(shared_shader(form, type, ++seed));
    }
  return list;
}

}  // namespace heddle::test
