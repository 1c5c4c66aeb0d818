// SPDX-License-Identifier: MIT
// Group operations of scope Subgroup: those of SPV_AMD_shader_ballot, and partitioned ones.
#include "compile/sweep/sweep.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>

#include "base/half.hpp"

namespace heddle::test {
namespace {

constexpr std::size_t kInvocations = 32;

struct Operation {
  const char* name;  ///< IAdd ...
  double identity;
  double (*fold)(double, double);
  const char* types;
};

const Operation kOperations[] = {
    {"IAdd", 0, [](double a, double b) { return a + b; }, "i32 u32 i64"},
    {"FAdd", 0, [](double a, double b) { return a + b; }, "f32 f16"},
    {"SMin", 1e9, [](double a, double b) { return std::min(a, b); }, "i32 i64"},
    {"UMin", 1e9, [](double a, double b) { return std::min(a, b); }, "u32"},
    {"FMin", 1e9, [](double a, double b) { return std::min(a, b); }, "f32 f16"},
    {"SMax", -1e9, [](double a, double b) { return std::max(a, b); }, "i32 i64"},
    {"UMax", 0, [](double a, double b) { return std::max(a, b); }, "u32"},
    {"FMax", -1e9, [](double a, double b) { return std::max(a, b); }, "f32 f16"},
};

enum class Scan : std::uint8_t { Reduce, InclusiveScan, ExclusiveScan };
constexpr const char* kScans[] = {"Reduce", "InclusiveScan", "ExclusiveScan"};

double value_of(const std::string& type, std::size_t i) {
  const double number = static_cast<double>((i * 29 + 5) % 23 + 1);
  return type[0] != 'u' && i % 4 == 1 ? -number : number;
}

void put(Bytes& bytes, const std::string& type, std::size_t index, double number) {
  std::uint64_t bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
  if (type == "f16") bits = base::double_to_half(number);
  if (type == "f32") bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
  std::memcpy(&bytes[index * scalar_bytes(type)], &bits, scalar_bytes(type));
}

/// What lane i gets of the lanes of its subgroup that are of its part.
double expected(const Operation& o, Scan scan, const std::string& type, unsigned simd, std::size_t i,
                const std::function<bool(std::size_t, std::size_t)>& together) {
  double sum = o.identity;
  const std::size_t first = i / simd * simd;
  for (std::size_t k = first; k < first + simd; ++k) {
    if (!together(i, k)) continue;
    if (scan == Scan::InclusiveScan && k > i) continue;
    if (scan == Scan::ExclusiveScan && k >= i) continue;
    sum = o.fold(sum, value_of(type, k));
  }
  return sum;
}

/// Lanes for which a scan has nothing to take give the identity, which is no small number: left out of the comparison.
bool has_any(Scan scan, unsigned simd, std::size_t i, const std::function<bool(std::size_t, std::size_t)>& together) {
  if (scan != Scan::ExclusiveScan) return true;
  for (std::size_t k = i / simd * simd; k < i; ++k)
    if (together(i, k)) return true;
  return false;
}

ModuleText module_of(const std::string& type) {
  ModuleText m;
  m.local_size = 32;
  add_buffer(m, "in", 0, type);
  add_buffer(m, "out", 1, type);
  m.body = filled_in("%from = OpAccessChain %element_{T} %in %u32_0 %index\n%x = OpLoad %{T} %from\n", {{"T", type}});
  return m;
}

void set_buffers(SweepShader& s, const std::string& type,
                 const std::function<std::optional<double>(std::size_t)>& want) {
  Bytes in(kInvocations * scalar_bytes(type)), out(in.size());
  for (std::size_t i = 0; i < kInvocations; ++i) {
    put(in, type, i, value_of(type, i));
    if (const auto number = want(i)) put(out, type, i, *number);
  }
  s.buffers = {{0, in, {}, in}, {1, Bytes(in.size()), {}, out}};
}

/// `instruction` and its operands behind the scope; lanes without anything to take store 0.
SweepShader scan_shader(const std::string& kind, const std::string& instruction, const Operation& o, Scan scan,
                        const std::string& type, unsigned simd, bool odd_lanes_only) {
  ModuleText m = module_of(type);
  m.capabilities = "OpCapability Groups\nOpExtension \"SPV_AMD_shader_ballot\"\n";
  const std::string code = filled_in(
      "%v = {I} %{T} %u32_3 {S} %x\n%lane = OpUMod %u32 %index %u32_{N}\n"
      "%first = OpULessThan %bool %lane %u32_{F}\n%shown = OpSelect %{T} %first %none %v\n",
      {{"I", instruction},
       {"T", type},
       {"S", kScans[static_cast<unsigned>(scan)]},
       {"N", std::to_string(simd)},
       {"F", scan == Scan::ExclusiveScan ? (odd_lanes_only ? "2" : "1") : "0"}});
  m.globals += "%none = OpConstantNull %" + type + "\n";
  if (odd_lanes_only)
    m.body +=
        "%bit = OpBitwiseAnd %u32 %index %u32_1\n%odd = OpINotEqual %bool %bit %u32_0\n"
        "OpSelectionMerge %end None\nOpBranchConditional %odd %yes %end\n%yes = OpLabel\n" +
        code + filled_in(store_element("out", "%shown"), {{"T", type}}) + "OpBranch %end\n%end = OpLabel\n";
  else
    m.body += code + filled_in(store_element("out", "%shown"), {{"T", type}});
  SweepShader s;
  s.name = kind + o.name + kScans[static_cast<unsigned>(scan)] + "Of" + type + "By" + std::to_string(simd);
  s.text = module_text(m);
  s.options.simd = simd;
  const auto together = [odd_lanes_only](std::size_t, std::size_t k) { return !odd_lanes_only || k % 2 == 1; };
  set_buffers(s, type, [&](std::size_t i) -> std::optional<double> {
    if ((odd_lanes_only && i % 2 == 0) || !has_any(scan, simd, i, together)) return std::nullopt;
    return expected(o, scan, type, simd, i, together);
  });
  return s;
}

/// Lanes of equal (index mod 5) form a part.
SweepShader partitioned_shader(const Operation& o, Scan scan, const std::string& type, unsigned simd) {
  ModuleText m = module_of(type);
  m.capabilities =
      "OpCapability GroupNonUniform\nOpCapability GroupNonUniformArithmetic\nOpCapability "
      "GroupNonUniformPartitionedNV\n"
      "OpExtension \"SPV_NV_shader_subgroup_partitioned\"\n";
  m.globals += "%none = OpConstantNull %" + type + "\n";
  m.body += filled_in(
      "%part = OpUMod %u32 %index %u32_5\n%members = OpGroupNonUniformPartitionNV %v4u32 %part\n"
      "%v = OpGroupNonUniform{O} %{T} %u32_3 {S} %x %members\n%lane = OpUMod %u32 %index %u32_{N}\n"
      "%first = OpULessThan %bool %lane %u32_{F}\n%shown = OpSelect %{T} %first %none %v\n",
      {{"O", o.name},
       {"T", type},
       {"S", "Partitioned" + std::string(kScans[static_cast<unsigned>(scan)]) + "NV"},
       {"N", std::to_string(simd)},
       {"F", scan == Scan::ExclusiveScan ? "5" : "0"}});
  m.body += filled_in(store_element("out", "%shown"), {{"T", type}});
  SweepShader s;
  s.name = std::string("Partitioned") + o.name + kScans[static_cast<unsigned>(scan)] + "Of" + type + "By" +
           std::to_string(simd);
  s.text = module_text(m);
  s.options.simd = simd;
  const auto together = [](std::size_t i, std::size_t k) { return i % 5 == k % 5; };
  set_buffers(s, type, [&](std::size_t i) -> std::optional<double> {
    if (!has_any(scan, simd, i, together)) return std::nullopt;
    return expected(o, scan, type, simd, i, together);
  });
  return s;
}

/// One instruction of an AMD instruction set; `operands` may use %x, %index and constants.
struct Extended {
  const char *name, *set, *operands, *type;
  double (*want)(std::size_t i, unsigned simd);
};

double own(std::size_t i) { return value_of("i32", i); }

const Extended kExtended[] = {
    {"SwizzleInvocationsAMD", "SPV_AMD_shader_ballot", "%x %turn", "i32",
     [](std::size_t i, unsigned) { return own((i & ~std::size_t{3}) + (i + 1) % 4); }},
    {"SwizzleInvocationsMaskedAMD", "SPV_AMD_shader_ballot", "%x %masks", "i32",
     [](std::size_t i, unsigned simd) { return own(i / simd * simd + (((i % simd & 6) | 0) ^ 1)); }},
    {"WriteInvocationAMD", "SPV_AMD_shader_ballot", "%x %i32_77 %u32_3", "i32",
     [](std::size_t i, unsigned simd) { return i % simd == 3 ? 77 : own(i); }},
    {"MbcntAMD", "SPV_AMD_shader_ballot", "%mask", "u32",
     [](std::size_t i, unsigned simd) {
       return static_cast<double>(std::popcount(0x5a5a0ff1u & ((1u << i % simd) - 1)));
     }},
    {"SMin3AMD", "SPV_AMD_shader_trinary_minmax", "%x %i32_3 %i32_n2", "i32",
     [](std::size_t i, unsigned) { return std::min(own(i), -2.0); }},
    {"SMax3AMD", "SPV_AMD_shader_trinary_minmax", "%x %i32_3 %i32_n2", "i32",
     [](std::size_t i, unsigned) { return std::max(own(i), 3.0); }},
    {"SMid3AMD", "SPV_AMD_shader_trinary_minmax", "%x %i32_3 %i32_n2", "i32",
     [](std::size_t i, unsigned) { return std::clamp(own(i), -2.0, 3.0); }},
    {"UMid3AMD", "SPV_AMD_shader_trinary_minmax", "%u32_5 %x %u32_9", "u32",
     [](std::size_t i, unsigned) { return std::clamp(value_of("u32", i), 5.0, 9.0); }},
    {"FMid3AMD", "SPV_AMD_shader_trinary_minmax", "%f32_9 %f32_5 %x", "f32",
     [](std::size_t i, unsigned) { return std::clamp(value_of("f32", i), 5.0, 9.0); }},
};

SweepShader extended_shader(const Extended& e, unsigned simd) {
  ModuleText m = module_of(e.type);
  m.capabilities = std::string("OpCapability Groups\nOpExtension \"") + e.set + "\"\n";
  m.imports = std::string("%amd = OpExtInstImport \"") + e.set + "\"\n";
  m.globals +=
      "%turn = OpConstantComposite %v4u32 %u32_1 %u32_2 %u32_3 %u32_0\n"
      "%masks = OpConstantComposite %v3u32 %u32_6 %u32_0 %u32_1\n%mask = OpConstant %u64 0x5a5a0ff1\n";
  m.body += std::string("%v = OpExtInst %") + e.type + " %amd " + e.name + " " + e.operands + "\n" +
            filled_in(store_element("out", "%v"), {{"T", e.type}});
  SweepShader s;
  s.name = std::string(e.name) + "By" + std::to_string(simd);
  s.text = module_text(m);
  s.options.simd = simd;
  set_buffers(s, e.type, [&](std::size_t i) -> std::optional<double> { return e.want(i, simd); });
  return s;
}

}  // namespace

std::vector<SweepShader> subgroup_shaders() {
  std::vector<SweepShader> list;
  for (const unsigned simd : {8u, 16u, 32u}) {
    for (const Extended& e : kExtended) list.push_back(extended_shader(e, simd));
    for (const Operation& o : kOperations) {
      const std::string types = o.types;
      for (std::size_t at = 0; at < types.size(); at += 4) {
        const std::string type = types.substr(at, 3), instruction = std::string("OpGroup") + o.name;
        for (const Scan scan : {Scan::Reduce, Scan::InclusiveScan, Scan::ExclusiveScan}) {
          list.push_back(scan_shader("Group", instruction, o, scan, type, simd, false));
          list.push_back(scan_shader("NonUniform", instruction + "NonUniformAMD", o, scan, type, simd, true));
          list.push_back(partitioned_shader(o, scan, type, simd));
        }
      }
    }
  }
  return list;
}

}  // namespace heddle::test
