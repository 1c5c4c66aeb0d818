// SPDX-License-Identifier: MIT
// Conversions between all number types, and bits read as other types, against C++.
// Rules: SPV-11.

#include <limits>

#include "base/half.hpp"
#include "operation_cases.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

unsigned width(const std::string& type) { return static_cast<unsigned>(std::stoul(type.substr(1))); }

std::uint64_t float_bits(double value, const std::string& type) {
  if (type == "f16") return base::double_to_half(value);
  if (type == "f32") return bits_of(static_cast<float>(value));
  return std::bit_cast<std::uint64_t>(value);
}

/// NUM-80, NUM-81: truncated, then clamped; NaN gives 0.
std::uint64_t clamped(double value, const std::string& type) {
  const unsigned bits = width(type);
  if (std::isnan(value)) return 0;
  value = std::trunc(value);
  if (type[0] == 'u')
    return value <= 0                                         ? 0
           : value >= std::ldexp(1.0, static_cast<int>(bits)) ? cut(~std::uint64_t{0}, bits)
                                                              : static_cast<std::uint64_t>(value);
  const double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  return value >= limit    ? top - 1
         : value <= -limit ? top
                           : cut(static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), bits);
}

std::uint64_t converted(std::uint64_t bits, const std::string& from, const std::string& to) {
  if (from[0] == 'f') {
    const double value = real_of(bits, from);
    return to[0] == 'f' ? float_bits(value, to) : clamped(value, to);
  }
  if (to[0] != 'f')
    return cut(from[0] == 'i' ? static_cast<std::uint64_t>(signed_of(bits, width(from))) : bits, width(to));
  if (from[0] == 'i') {
    const std::int64_t v = signed_of(bits, width(from));
    return to == "f32" ? bits_of(static_cast<float>(v)) : float_bits(static_cast<double>(v), to);
  }
  return to == "f32" ? bits_of(static_cast<float>(bits)) : float_bits(static_cast<double>(bits), to);
}

std::string opcode(const std::string& from, const std::string& to) {
  if (from[0] == 'f' && to[0] == 'f') return "OpFConvert";
  if (from[0] == 'f') return to[0] == 'u' ? "OpConvertFToU" : "OpConvertFToS";
  if (to[0] == 'f') return from[0] == 'u' ? "OpConvertUToF" : "OpConvertSToF";
  return from[0] == 'u' ? "OpUConvert" : "OpSConvert";
}

bool same_float(std::uint64_t got, std::uint64_t want, const std::string& type) {
  return got == want || (type[0] == 'f' && std::isnan(real_of(got, type)) && std::isnan(real_of(want, type)));
}

class Conversions : public ::testing::TestWithParam<std::pair<isa::Platform, unsigned>> {};
INSTANTIATE_TEST_SUITE_P(Platforms, Conversions,
                         ::testing::Values(std::pair(isa::Platform::SKL, 8u), std::pair(isa::Platform::SKL, 16u),
                                           std::pair(isa::Platform::ICLLP, 16u), std::pair(isa::Platform::TGLLP, 32u)),
                         [](const auto& i) {
                           return std::string(isa::platform_info(i.param.first).name) + "_simd" +
                                  std::to_string(i.param.second);
                         });

TEST_P(Conversions, OfNumbersEqualCpp) {
  const bool doubles = isa::platform_info(GetParam().first).fp64;
  const std::vector<Operation> operations = conversion_operations(doubles);
  constexpr std::size_t kCount = 800;
  const auto inputs = inputs_of(operations, kCount);
  spirv::CompileOptions options;
  options.platform = GetParam().first;
  options.simd = GetParam().second;
  options.target_env = "universal1.6";
  // In pieces: a thread has so many registers only in the tool, but bindings are few.
  for (std::size_t first = 0; first < operations.size(); first += 24) {
    const std::span<const Operation> some =
        std::span(operations).subspan(first, std::min<std::size_t>(24, operations.size() - first));
    const std::vector<Bits> results = run_operations(some, inputs, kCount, options);
    ASSERT_EQ(results.size(), some.size());
    for (std::size_t k = 0; k < some.size(); ++k) {
      const std::string &from = some[k].inputs[0], &to = some[k].result;
      unsigned wrong = 0;
      for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
        const std::uint64_t v = inputs.at({from, 0})[i], want = converted(v, from, to);
        if (same_float(results[k][i], want, to)) continue;
        // NUM-88: a subnormal source may become 0.
        if (from[0] == 'f' && to[0] == 'f' &&
            std::abs(real_of(v, from)) < (from == "f64"   ? 0x1p-126
                                          : from == "f32" ? 0x1p-126
                                                          : 0x1p-14))
          continue;
        ++wrong;
        ADD_FAILURE() << some[k].name << " of " << std::hex << v << " is " << results[k][i] << ", not " << want;
      }
    }
  }
}

TEST(Bitcast, BetweenWidths) {
  struct Case {
    std::string from, to;
  };
  const std::vector<Case> cases = {{"u64", "v2u32"},   {"v2u32", "u64"},   {"u32", "v2u16"},  {"v2u16", "u32"},
                                   {"v4u16", "u64"},   {"u64", "v4u16"},   {"v4u8", "u32"},   {"u32", "v4u8"},
                                   {"v2f32", "v2u32"}, {"v2u32", "v4u16"}, {"v4u16", "v2f32"}};
  std::vector<Operation> operations;
  for (const Case& c : cases)
    operations.push_back({c.from + "_" + c.to, c.to, {c.from}, "%r = OpBitcast %" + c.to + " %a", ""});
  constexpr std::size_t kCount = 64;
  const auto inputs = inputs_of(operations, kCount);
  for (const unsigned simd : {8u, 16u, 32u}) {
    spirv::CompileOptions options;
    options.simd = simd;
    const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
    ASSERT_EQ(results.size(), cases.size());
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const auto bytes = [](const Bits& list, const std::string& type) {
        std::vector<std::uint8_t> out;
        for (const std::uint64_t v : list)
          for (unsigned b = 0; b < width(component_of(type)); b += 8) out.push_back(static_cast<std::uint8_t>(v >> b));
        return out;
      };
      EXPECT_EQ(bytes(results[k], cases[k].to), bytes(inputs.at({cases[k].from, 0}), cases[k].from))
          << operations[k].name;
    }
  }
}

TEST(Quantize, FlushesWhatHalvesCannotHold) {
  const std::vector<Operation> operations = {{"quantize", "f32", {"f32"}, "%r = OpQuantizeToF16 %f32 %a", ""}};
  const auto inputs = inputs_of(operations, 640);
  const std::vector<Bits> results = run_operations(operations, inputs, 640, {});
  ASSERT_EQ(results.size(), 1u);
  for (std::size_t i = 0; i < 640; ++i) {
    const float x = float_of(inputs.at({"f32", 0})[i]);
    const float want = std::abs(x) < 0x1p-14f ? std::copysign(0.0f, x) : base::half_to_float(base::float_to_half(x));
    EXPECT_TRUE(same_float(results[0][i], bits_of(want), "f32")) << x << " gives " << float_of(results[0][i]);
  }
}

}  // namespace

std::vector<Operation> heddle::test::conversion_operations(bool doubles) {
  std::vector<std::string> types = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32"};
  if (doubles) types.push_back("f64");
  std::vector<Operation> operations;
  for (const std::string& from : types)
    for (const std::string& to : types)
      // OpUConvert gives unsigned types only.
      if (from != to &&
          !(from[0] != 'f' && to[0] != 'f' && (width(from) == width(to) || (from[0] == 'u' && to[0] == 'i'))))
        operations.push_back({from + "_to_" + to, to, {from}, "%r = " + opcode(from, to) + " %" + to + " %a", ""});
  return operations;
}
