// SPDX-License-Identifier: MIT
// Atomic operations: each operation on each type it has, in buffers, in shared memory and at addresses.
#include "compile/sweep/sweep.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "base/half.hpp"

namespace heddle::test {
namespace {

constexpr std::size_t kInvocations = 32;
constexpr std::uint64_t kAddress = 0x4000000100;

enum class Kind : std::uint8_t { Fold, Exchange, CompareExchange };

struct Operation {
  const char* name;
  const char* instruction;  ///< {T} type, {V} value; the cell is %cell
  Kind kind;
  std::function<double(double cell, double value)> fold;  ///< of numbers that are small enough to be exact
  const char* types;
};

const Operation kOperations[] = {
    {"Add", "OpAtomicIAdd %{T} %cell %u32_1 %u32_0 %v", Kind::Fold, [](double a, double b) { return a + b; },
     "i32 u32 i64 u64 i16 u16"},
    {"Sub", "OpAtomicISub %{T} %cell %u32_1 %u32_0 %v", Kind::Fold, [](double a, double b) { return a - b; },
     "i32 i64 i16"},
    {"Increment", "OpAtomicIIncrement %{T} %cell %u32_1 %u32_0", Kind::Fold, [](double a, double) { return a + 1; },
     "i32 u32 i64 u64 i16 u16"},
    {"Decrement", "OpAtomicIDecrement %{T} %cell %u32_1 %u32_0", Kind::Fold, [](double a, double) { return a - 1; },
     "i32 i64 i16"},
    {"Smin", "OpAtomicSMin %{T} %cell %u32_1 %u32_0 %v", Kind::Fold, [](double a, double b) { return std::min(a, b); },
     "i32 i64 i16"},
    {"Smax", "OpAtomicSMax %{T} %cell %u32_1 %u32_0 %v", Kind::Fold, [](double a, double b) { return std::max(a, b); },
     "i32 i64 i16"},
    {"Umin", "OpAtomicUMin %{T} %cell %u32_1 %u32_0 %v", Kind::Fold, [](double a, double b) { return std::min(a, b); },
     "u32 u64 u16"},
    {"Umax", "OpAtomicUMax %{T} %cell %u32_1 %u32_0 %v", Kind::Fold, [](double a, double b) { return std::max(a, b); },
     "u32 u64 u16"},
    {"And", "OpAtomicAnd %{T} %cell %u32_1 %u32_0 %v", Kind::Fold,
     [](double a, double b) {
       return static_cast<double>(static_cast<std::uint64_t>(a) & static_cast<std::uint64_t>(b));
     },
     "u32 u64 u16"},
    {"Or", "OpAtomicOr %{T} %cell %u32_1 %u32_0 %v", Kind::Fold,
     [](double a, double b) {
       return static_cast<double>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b));
     },
     "u32 u64 u16"},
    {"Xor", "OpAtomicXor %{T} %cell %u32_1 %u32_0 %v", Kind::Fold,
     [](double a, double b) {
       return static_cast<double>(static_cast<std::uint64_t>(a) ^ static_cast<std::uint64_t>(b));
     },
     "u32 u64 u16"},
    {"FloatAdd", "OpAtomicFAddEXT %{T} %cell %u32_1 %u32_0 %v", Kind::Fold, [](double a, double b) { return a + b; },
     "f16 f32 f64"},
    {"FloatMin", "OpAtomicFMinEXT %{T} %cell %u32_1 %u32_0 %v", Kind::Fold,
     [](double a, double b) { return std::min(a, b); }, "f16 f32 f64"},
    {"FloatMax", "OpAtomicFMaxEXT %{T} %cell %u32_1 %u32_0 %v", Kind::Fold,
     [](double a, double b) { return std::max(a, b); }, "f16 f32 f64"},
    {"Exchange",
     "OpAtomicExchange %{T} %cell %u32_1 %u32_0 %v",
     Kind::Exchange,
     {},
     "i32 u32 i64 u64 f16 f32 f64 i16 u16"},
    {"CompareExchange",
     "OpAtomicCompareExchange %{T} %cell %u32_1 %u32_0 %u32_0 %v %start",
     Kind::CompareExchange,
     {},
     "i32 u32 i64 u64 i16 u16"},
};

enum class Memory : std::uint8_t { Buffer, Shared, Address };

std::uint64_t bits_of(const std::string& type, double number) {
  if (type == "f16") return base::double_to_half(number);
  if (type == "f32") return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (type == "f64") return std::bit_cast<std::uint64_t>(number);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
}

void put(Bytes& bytes, const std::string& type, std::size_t index, double number) {
  const std::uint64_t bits = bits_of(type, number);
  std::memcpy(&bytes[index * scalar_bytes(type)], &bits, scalar_bytes(type));
}

std::uint64_t word_at(const Bytes& bytes, std::size_t index, unsigned size) {
  std::uint64_t word = 0;
  std::memcpy(&word, &bytes[index * size], size);
  return word;
}

/// Buffers: 0 the values, 1 the old values, 2 the cells (cell 1 is used, cell 3 with halves).
unsigned cell_of(const std::string& type) { return scalar_bytes(type) == 2 ? 3 : 1; }

/// Every value, and the first content of the cell, comes out once: as an old value or as the last content.
std::string check_exchange(const SweepShader& s, const std::vector<Bytes>& after) {
  const auto size = static_cast<unsigned>(s.buffers[0].bytes.size() / kInvocations);
  const unsigned cell = size == 2 ? 3 : 1;
  std::vector<std::uint64_t> in{word_at(s.buffers[2].bytes, cell, size)}, out{word_at(after[2], cell, size)};
  for (std::size_t i = 0; i < kInvocations; ++i) {
    in.push_back(word_at(s.buffers[0].bytes, i, size));
    out.push_back(word_at(after[1], i, size));
  }
  std::sort(in.begin(), in.end());
  std::sort(out.begin(), out.end());
  return in == out ? "" : "old values and the last one are not those that went in";
}

/// One invocation finds the first content, and its value stays; all others see it.
std::string check_compare(const SweepShader& s, const std::vector<Bytes>& after) {
  const auto size = static_cast<unsigned>(s.buffers[0].bytes.size() / kInvocations);
  const unsigned cell = size == 2 ? 3 : 1;
  const std::uint64_t first = word_at(s.buffers[2].bytes, cell, size), last = word_at(after[2], cell, size);
  unsigned winners = 0;
  for (std::size_t i = 0; i < kInvocations; ++i) {
    const std::uint64_t old = word_at(after[1], i, size);
    if (old == first && ++winners == 1 && word_at(s.buffers[0].bytes, i, size) != last)
      return "the winner's value is lost";
    if (old != first && old != last) return "an old value that nobody stored";
  }
  return winners == 1 ? "" : "not one winner";
}

/// Code before and after the operation: %cell.
std::pair<std::string, std::string> cell_code(ModuleText& m, Memory memory, const std::string& type) {
  const std::map<std::string, std::string> values = {
      {"T", type}, {"C", std::to_string(cell_of(type))}, {"A", std::to_string(scalar_bytes(type))}};
  if (memory == Memory::Buffer) {
    add_buffer(m, "cells", 2, type);
    return {filled_in("%cell = OpAccessChain %element_{T} %cells %u32_0 %u32_{C}\n", values), ""};
  }
  if (memory == Memory::Address) {
    m.capabilities += "OpCapability PhysicalStorageBufferAddresses\n";
    m.memory = "PhysicalStorageBuffer64 GLSL450";
    m.interfaces += " %push";
    m.decorations += filled_in(
        "OpMemberDecorate %pushed 0 Offset 0\nOpDecorate %pushed Block\nOpDecorate %to_cell ArrayStride {A}\n", values);
    m.globals += filled_in(
        "%to_cell = OpTypePointer PhysicalStorageBuffer %{T}\n%pushed = OpTypeStruct %to_cell\n"
        "%to_pushed = OpTypePointer PushConstant %pushed\n%to_pushed_cell = OpTypePointer PushConstant %to_cell\n"
        "%push = OpVariable %to_pushed PushConstant\n",
        values);
    return {filled_in("%at_cells = OpAccessChain %to_pushed_cell %push %u32_0\n%cells = OpLoad %to_cell %at_cells\n"
                      "%cell = OpPtrAccessChain %to_cell %cells %u32_{C}\n",
                      values),
            ""};
  }
  add_buffer(m, "cells", 2, type);
  m.interfaces += " %kept";
  m.globals += filled_in(
      "%kept_array = OpTypeArray %{T} %u32_4\n%kept_whole = OpTypePointer Workgroup %kept_array\n"
      "%kept_one = OpTypePointer Workgroup %{T}\n%kept = OpVariable %kept_whole Workgroup\n",
      values);
  const char* copy =
      "%is_first{K} = OpIEqual %bool %index %u32_0\nOpSelectionMerge %end{K} None\n"
      "OpBranchConditional %is_first{K} %yes{K} %end{K}\n%yes{K} = OpLabel\n"
      "%out{K} = OpAccessChain %element_{T} %cells %u32_0 %u32_{C}\n%in{K} = OpAccessChain %kept_one %kept %u32_{C}\n"
      "%got{K} = OpLoad %{T} %{F}{K}\nOpStore %{I}{K} %got{K}\nOpBranch %end{K}\n%end{K} = OpLabel\n";
  auto before = values, after = values;
  before.insert({{"K", "a"}, {"F", "out"}, {"I", "in"}});
  after.insert({{"K", "z"}, {"F", "in"}, {"I", "out"}});
  const std::string barrier = "OpControlBarrier %u32_2 %u32_2 %u32_264\n";
  return {filled_in(copy, before) + barrier + filled_in("%cell = OpAccessChain %kept_one %kept %u32_{C}\n", values),
          barrier + filled_in(copy, after)};
}

SweepShader shader_of(const Operation& o, const std::string& type, Memory memory, isa::Platform platform) {
  ModuleText m;
  m.local_size = 32;
  const bool wide = scalar_bytes(type) == 8 && type[0] != 'f';
  if (wide) m.capabilities += "OpCapability Int64Atomics\n";
  if (type[0] == 'f') {
    const std::string bits = type.substr(1);
    m.capabilities += "OpCapability AtomicFloat" + bits + "AddEXT\nOpCapability AtomicFloat" + bits +
                      "MinMaxEXT\nOpExtension \"SPV_EXT_shader_atomic_float_add\"\n"
                      "OpExtension \"SPV_EXT_shader_atomic_float_min_max\"\n";
    if (bits == "16") m.capabilities += "OpExtension \"SPV_EXT_shader_atomic_float16_add\"\n";
  }
  add_buffer(m, "values", 0, type);
  add_buffer(m, "olds", 1, type);
  const auto [before, after] = cell_code(m, memory, type);
  const std::map<std::string, std::string> names = {{"T", type}};
  m.body =
      filled_in("%from = OpAccessChain %element_{T} %values %u32_0 %index\n%v = OpLoad %{T} %from\n", names) + before;
  if (o.kind == Kind::CompareExchange) m.body += "%start = OpCopyObject %" + type + " %" + type + "_6\n";
  m.body +=
      "%old = " + filled_in(o.instruction, names) + "\n" + filled_in(store_element("olds", "%old"), names) + after;
  SweepShader s;
  const char* places[] = {"Buffer", "Shared", "Address"};
  s.name = std::string(o.name) + "Of" + type + "In" + places[static_cast<unsigned>(memory)] +
           (platform == isa::Platform::SKL ? "" : std::string(isa::platform_info(platform).name));
  s.text = module_text(m);
  s.options.platform = platform;
  if (scalar_bytes(type) == 2 && type[0] != 'f') s.options.target_env = "universal1.5";  // Vulkan has none
  const unsigned size = scalar_bytes(type);
  Bytes values(kInvocations * size), cells(4 * size);
  double sum = 6;
  put(cells, type, cell_of(type), sum);
  for (std::size_t i = 0; i < kInvocations; ++i) {
    const bool is_signed = type[0] != 'u';
    const double number = static_cast<double>((i * 37 + 11) % 64 + 8) * (is_signed && i % 3 == 0 ? -1 : 1);
    put(values, type, i, number);
    if (o.fold) sum = o.fold(sum, number);
  }
  Bytes want = cells;
  put(want, type, cell_of(type), sum);
  s.buffers = {{0, values, {}, values}, {1, Bytes(kInvocations * size), {}, {}}, {2, cells, {}, {}}};
  if (memory == Memory::Address) {
    s.buffers[2].address = kAddress;
    s.push = bytes_of<std::uint64_t>({kAddress});
  }
  if (o.kind == Kind::Fold) s.buffers[2].expected = want;
  if (o.kind == Kind::Exchange) s.check = check_exchange;
  if (o.kind == Kind::CompareExchange) s.check = check_compare;
  return s;
}

}  // namespace

std::vector<SweepShader> atomic_shaders() {
  std::vector<SweepShader> list;
  for (const Operation& o : kOperations) {
    const std::string types = o.types;
    for (std::size_t at = 0; at < types.size(); at += 4) {
      const std::string type = types.substr(at, 3);
      for (const Memory memory : {Memory::Buffer, Memory::Shared, Memory::Address}) {
        list.push_back(shader_of(o, type, memory, isa::Platform::SKL));
        if (scalar_bytes(type) == 2) list.push_back(shader_of(o, type, memory, isa::Platform::TGLLP));
      }
    }
  }
  return list;
}

}  // namespace heddle::test
