// SPDX-License-Identifier: MIT
// Blocks of scalar layout in every kind of memory, and uniform blocks laid out as storage blocks.
#include "compile/sweep/sweep.hpp"

#include <cstring>

namespace heddle::test {
namespace {

/// { T a; U b; T c[3]; } with the layout that each memory may have.
struct Block {
  const char *first, *second;
};
constexpr Block kBlocks[] = {{"f32", "v3f32"}, {"v3f32", "f32"}, {"u8", "f32"},   {"u16", "v2f32"}, {"f32", "f64"},
                             {"v3u16", "u32"}, {"u8", "v3u16"},  {"u32", "v4u8"}, {"v3f32", "f64"}, {"v2u8", "u64"},
                             {"f16", "v3f32"}, {"v3u8", "u16"},  {"f64", "v3f16"}};

enum class Memory : std::uint8_t { Storage, Uniform, Push, Workgroup };
constexpr const char* kMemories[] = {"Storage", "Uniform", "Push", "Workgroup"};
constexpr const char* kClasses[] = {"StorageBuffer", "Uniform", "PushConstant", "Workgroup"};

unsigned tight_bytes(const std::string& type) { return component_count(type) * scalar_bytes(type); }
unsigned up(unsigned offset, unsigned alignment) { return (offset + alignment - 1) / alignment * alignment; }

struct Layout {
  unsigned b, c, stride, size;
};
/// Scalar layout: everything at multiples of its scalar's size.
Layout scalar_layout(const Block& block) {
  Layout l{};
  l.b = up(tight_bytes(block.first), scalar_bytes(block.second));
  l.c = up(l.b + tight_bytes(block.second), scalar_bytes(block.first));
  l.stride = tight_bytes(block.first);
  l.size = up(l.c + 3 * l.stride, 4);
  return l;
}

void put(Bytes& to, unsigned offset, const Bytes& from, const std::string& type, unsigned index) {
  std::memcpy(&to[offset], &from[index * element_stride(type)], tight_bytes(type));
}

ModuleText module_of(const Block& block, const Layout& l, const char* storage_class) {
  ModuleText m;
  m.local_size = 1;
  m.decorations = filled_in(
      "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\nOpMemberDecorate %block 1 Offset {B}\n"
      "OpMemberDecorate %block 2 Offset {C}\nOpDecorate %three ArrayStride {S}\n",
      {{"B", std::to_string(l.b)}, {"C", std::to_string(l.c)}, {"S", std::to_string(l.stride)}});
  m.globals = filled_in(
      "%three = OpTypeArray %{T} %u32_3\n%block = OpTypeStruct %{T} %{U} %three\n"
      "%to_block = OpTypePointer {M} %block\n%to_first = OpTypePointer {M} %{T}\n%to_second = OpTypePointer {M} %{U}\n"
      "%it = OpVariable %to_block {M}\n",
      {{"T", block.first}, {"U", block.second}, {"M", storage_class}});
  m.interfaces = " %it";
  m.capabilities =
      "OpCapability UniformAndStorageBuffer8BitAccess\nOpCapability UniformAndStorageBuffer16BitAccess\n"
      "OpCapability StoragePushConstant8\nOpCapability StoragePushConstant16\n";
  return m;
}

/// Members 0 and 1, and the elements of member 2: code with {K} the number, {P} the pointer's type, {I} the indices,
/// {T} the type, {N} the buffer and {E} the element in it.
std::string for_each_member(const Block& block, const std::string& code) {
  std::string text;
  const auto add = [&](unsigned k, bool second, const std::string& indices, unsigned element) {
    text += filled_in(code, {{"K", std::to_string(k)},
                             {"P", second ? "to_second" : "to_first"},
                             {"I", indices},
                             {"T", second ? block.second : block.first},
                             {"N", second ? "seconds" : "firsts"},
                             {"E", std::to_string(element)}});
  };
  add(0, false, "%u32_0", 0);
  add(1, true, "%u32_1", 0);
  for (unsigned k = 0; k < 3; ++k) add(2 + k, false, "%u32_2 %u32_" + std::to_string(k), 1 + k);
  return text;
}

Bytes memory_of(const Block& block, const Layout& l, const Bytes& firsts, const Bytes& seconds) {
  Bytes bytes(l.size);
  put(bytes, 0, firsts, block.first, 0);
  put(bytes, l.b, seconds, block.second, 0);
  for (unsigned k = 0; k < 3; ++k) put(bytes, l.c + k * l.stride, firsts, block.first, 1 + k);
  return bytes;
}

void allow(SweepShader& s, Memory memory) {
  s.options.layout.scalar = memory != Memory::Workgroup;
  s.options.layout.workgroup_scalar = memory == Memory::Workgroup;
}

/// Reads the members of a block into buffers of elements.
SweepShader read_shader(const Block& block, Memory memory, unsigned seed) {
  const Layout l = scalar_layout(block);
  const auto which = static_cast<unsigned>(memory);
  ModuleText m = module_of(block, l, kClasses[which]);
  if (memory != Memory::Push) m.decorations += "OpDecorate %it DescriptorSet 0\nOpDecorate %it Binding 2\n";
  add_buffer(m, "firsts", 0, block.first);
  add_buffer(m, "seconds", 1, block.second);
  m.body = for_each_member(block,
                           "%from{K} = OpAccessChain %{P} %it {I}\n%v{K} = OpLoad %{T} %from{K}\n"
                           "%into{K} = OpAccessChain %element_{T} %{N} %u32_0 %u32_{E}\nOpStore %into{K} %v{K}\n");
  SweepShader s;
  s.name = std::string("Scalar") + kMemories[which] + block.first + "And" + block.second;
  s.text = module_text(m);
  allow(s, memory);
  const Bytes firsts = elements(block.first, 4, seed), seconds = elements(block.second, 1, seed + 9);
  const Bytes bytes = memory_of(block, l, firsts, seconds);
  s.buffers = {{0, Bytes(firsts.size()), {}, firsts}, {1, Bytes(seconds.size()), {}, seconds}};
  if (memory == Memory::Push)
    s.push = bytes;
  else
    s.buffers.push_back({2, bytes, {}, bytes});
  return s;
}

/// Writes the members of a Workgroup block, whose bytes another block at the same place shows.
SweepShader workgroup_shader(const Block& block, unsigned seed) {
  const Layout l = scalar_layout(block);
  ModuleText m = module_of(block, l, "Workgroup");
  m.capabilities +=
      "OpCapability WorkgroupMemoryExplicitLayoutKHR\nOpCapability WorkgroupMemoryExplicitLayout8BitAccessKHR\n"
      "OpCapability WorkgroupMemoryExplicitLayout16BitAccessKHR\n"
      "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\n";
  add_buffer(m, "firsts", 0, block.first);
  add_buffer(m, "seconds", 1, block.second);
  add_buffer(m, "words", 2, "u32");
  const unsigned words = l.size / 4;
  m.interfaces += " %shown";
  m.decorations +=
      "OpDecorate %show Block\nOpMemberDecorate %show 0 Offset 0\nOpDecorate %show_array ArrayStride 4\n"
      "OpDecorate %it Aliased\nOpDecorate %shown Aliased\n";
  m.globals += filled_in(
      "%show_array = OpTypeArray %u32 %u32_{W}\n%show = OpTypeStruct %show_array\n"
      "%to_show = OpTypePointer Workgroup %show\n%to_word = OpTypePointer Workgroup %u32\n"
      "%shown = OpVariable %to_show Workgroup\n",
      {{"W", std::to_string(words)}});
  m.body = for_each_member(block,
                           "%from{K} = OpAccessChain %element_{T} %{N} %u32_0 %u32_{E}\n%v{K} = OpLoad %{T} %from{K}\n"
                           "%into{K} = OpAccessChain %{P} %it {I}\nOpStore %into{K} %v{K}\n");
  m.body += "OpControlBarrier %u32_2 %u32_2 %u32_264\n";
  for (unsigned k = 0; k < words; ++k)
    m.body += filled_in(
        "%w{K} = OpAccessChain %to_word %shown %u32_0 %u32_{K}\n%g{K} = OpLoad %u32 %w{K}\n"
        "%o{K} = OpAccessChain %element_u32 %words %u32_0 %u32_{K}\nOpStore %o{K} %g{K}\n",
        {{"K", std::to_string(k)}});
  SweepShader s;
  s.name = std::string("ScalarWorkgroup") + block.first + "And" + block.second;
  s.text = module_text(m);
  allow(s, Memory::Workgroup);
  const Bytes firsts = elements(block.first, 4, seed), seconds = elements(block.second, 1, seed + 9);
  s.buffers = {
      {0, firsts, {}, firsts}, {1, seconds, {}, seconds}, {2, Bytes(l.size), {}, memory_of(block, l, firsts, seconds)}};
  return s;
}

/// A uniform block with the layout of a storage block: arrays of scalars without gaps.
SweepShader uniform_shader(const std::string& type, unsigned seed) {
  const Block block{type.c_str(), "v4f32"};
  Layout l{};
  l.b = 16;
  l.c = 32;
  l.stride = element_stride(type);
  l.size = up(l.c + 3 * l.stride, 4);
  ModuleText m = module_of(block, l, "Uniform");
  m.decorations += "OpDecorate %it DescriptorSet 0\nOpDecorate %it Binding 2\n";
  add_buffer(m, "firsts", 0, block.first);
  add_buffer(m, "seconds", 1, block.second);
  m.body = for_each_member(block,
                           "%from{K} = OpAccessChain %{P} %it {I}\n%v{K} = OpLoad %{T} %from{K}\n"
                           "%into{K} = OpAccessChain %element_{T} %{N} %u32_0 %u32_{E}\nOpStore %into{K} %v{K}\n");
  SweepShader s;
  s.name = "UniformStandard" + type;
  s.text = module_text(m);
  s.options.layout.uniform_standard = true;
  const Bytes firsts = elements(type, 4, seed), seconds = elements("v4f32", 1, seed + 9);
  const Bytes bytes = memory_of(block, l, firsts, seconds);
  s.buffers = {{0, Bytes(firsts.size()), {}, firsts}, {1, Bytes(seconds.size()), {}, seconds}, {2, bytes, {}, bytes}};
  return s;
}

}  // namespace

std::vector<SweepShader> layout_shaders() {
  std::vector<SweepShader> list;
  unsigned seed = 7000;
  for (const Block& block : kBlocks) {
    for (const Memory memory : {Memory::Storage, Memory::Uniform, Memory::Push})
      list.push_back(read_shader(block, memory, ++seed));
    list.push_back(workgroup_shader(block, ++seed));
  }
  for (const char* type : {"f32", "u32", "u16", "u8", "v2f32", "f64"}) list.push_back(uniform_shader(type, ++seed));
  return list;
}

}  // namespace heddle::test
