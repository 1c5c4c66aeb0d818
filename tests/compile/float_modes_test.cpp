// SPDX-License-Identifier: MIT
// Float controls on every engine: each mode, width and operation against arithmetic in integers.
// Rules: SPV-40, NUM-92.

#include <array>
#include <sstream>

#include "base/half.hpp"
#include "operation_run.hpp"
#include "soft_float.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

using soft::Format;
using soft::Mode;
using Values = const std::uint64_t*;

/// Execution modes, and what they mean for 16, 32 and 64 bits.
struct Setting {
  std::string name;
  std::vector<std::string> modes;
  std::array<Mode, 3> of;
  [[nodiscard]] Mode mode(unsigned bits) const { return of[bits == 16 ? 0 : bits == 32 ? 1 : 2]; }
};

constexpr Mode kPlain{}, kFlush{false, true}, kToZero{true, false}, kBoth{true, true};

std::vector<std::string> for_all(const std::string& mode) { return {mode + " 16", mode + " 32", mode + " 64"}; }

std::vector<Setting> settings() {
  return {{"None", {}, {kPlain, kPlain, kPlain}},
          {"Preserve", for_all("DenormPreserve"), {kPlain, kPlain, kPlain}},
          {"Flush", for_all("DenormFlushToZero"), {kFlush, kFlush, kFlush}},
          {"NearestEven", for_all("RoundingModeRTE"), {kPlain, kPlain, kPlain}},
          {"ToZero", for_all("RoundingModeRTZ"), {kToZero, kToZero, kToZero}},
          {"EachItsOwn",
           {"DenormFlushToZero 16", "RoundingModeRTZ 16", "DenormPreserve 32", "RoundingModeRTE 32",
            "DenormFlushToZero 64", "RoundingModeRTZ 64", "SignedZeroInfNanPreserve 32"},
           {kBoth, kPlain, kBoth}},
          {"OnlySingle", {"DenormFlushToZero 32", "RoundingModeRTZ 32"}, {kPlain, kBoth, kPlain}}};
}

struct Case {
  std::string name, body;  ///< T stands for the type
  unsigned inputs = 2;
  std::function<std::uint64_t(Format f, Values v, Mode m)> expected;
  bool is_bool = false;
  std::string globals;
};

Case function(const std::string& name, unsigned inputs,
              std::function<std::uint64_t(Format f, Values v, Mode m)> expected) {
  return {name, "%r = OpExtInst %T %std " + name + std::string(" %a %b %c").substr(0, 3 * inputs), inputs,
          std::move(expected)};
}

Case comparison(const std::string& name, bool less, bool equal, bool greater, bool unordered) {
  return {name, "%r = Op" + name + " %bool %a %b", 2,
          [=](Format f, Values v, Mode m) -> std::uint64_t {
            const int order = soft::order(f, m.flush ? f.flushed(v[0]) : v[0], m.flush ? f.flushed(v[1]) : v[1]);
            return order == 2 ? unordered : order < 0 ? less : order == 0 ? equal : greater;
          },
          true};
}

std::uint64_t one_of(Format f) { return soft::from_integer(f, false, 1, {}); }

/// The one that compares as smaller or greater, else the first; a number rather than NaN.
std::uint64_t extreme(Format f, bool smaller, std::uint64_t a, std::uint64_t b, Mode m) {
  if (m.flush) a = f.flushed(a), b = f.flushed(b);
  if (f.is_nan(a)) return f.is_nan(b) ? f.nan() : b;
  return soft::order(f, b, a) == (smaller ? -1 : 1) ? b : a;
}

std::vector<Case> cases() {
  std::vector<Case> list = {
      {"FAdd", "%r = OpFAdd %T %a %b", 2, [](Format f, Values v, Mode m) { return soft::add(f, v[0], v[1], m); }},
      {"FSub", "%r = OpFSub %T %a %b", 2,
       [](Format f, Values v, Mode m) { return soft::add(f, v[0], v[1] ^ f.sign(), m); }},
      {"FMul", "%r = OpFMul %T %a %b", 2, [](Format f, Values v, Mode m) { return soft::multiply(f, v[0], v[1], m); }},
      {"FDiv", "%r = OpFDiv %T %a %b", 2, [](Format f, Values v, Mode m) { return soft::divide(f, v[0], v[1], m); }},
      {"FNegate", "%r = OpFNegate %T %a", 1,
       [](Format f, Values v, Mode m) { return (m.flush ? f.flushed(v[0]) : v[0]) ^ f.sign(); }},
      {"scaled",
       "%_v = OpCompositeConstruct %v2T %a %b\n%_p = OpVectorTimesScalar %v2T %_v %c\n"
       "%r = OpCompositeExtract %T %_p 1",
       3, [](Format f, Values v, Mode m) { return soft::multiply(f, v[1], v[2], m); }},
      {"dot", "%_v = OpCompositeConstruct %v2T %a %b\n%_w = OpCompositeConstruct %v2T %b %c\n%r = OpDot %T %_v %_w", 3,
       [](Format f, Values v, Mode m) {
         return soft::add(f, soft::multiply(f, v[0], v[1], m), soft::multiply(f, v[1], v[2], m), m);
       }},
      function("Fma", 3, [](Format f, Values v, Mode m) { return soft::fused(f, v[0], v[1], v[2], m); }),
      function("FAbs", 1, [](Format f, Values v, Mode m) { return (m.flush ? f.flushed(v[0]) : v[0]) & ~f.sign(); }),
      function("FSign", 1,
               [](Format f, Values v, Mode m) {
                 const int order = soft::order(f, m.flush ? f.flushed(v[0]) : v[0], 0);
                 return order == 1 ? one_of(f) : order == -1 ? one_of(f) | f.sign() : 0;
               }),
      function("FMin", 2, [](Format f, Values v, Mode m) { return extreme(f, true, v[0], v[1], m); }),
      function("FMax", 2, [](Format f, Values v, Mode m) { return extreme(f, false, v[0], v[1], m); }),
      function("NMin", 2, [](Format f, Values v, Mode m) { return extreme(f, true, v[0], v[1], m); }),
      function("NMax", 2, [](Format f, Values v, Mode m) { return extreme(f, false, v[0], v[1], m); }),
      function("FClamp", 3,
               [](Format f, Values v, Mode m) { return extreme(f, true, extreme(f, false, v[0], v[1], m), v[2], m); }),
      function("NClamp", 3,
               [](Format f, Values v, Mode m) { return extreme(f, true, extreme(f, false, v[0], v[1], m), v[2], m); }),
      function("Step", 2,
               [](Format f, Values v, Mode m) {
                 const bool below =
                     soft::order(f, m.flush ? f.flushed(v[1]) : v[1], m.flush ? f.flushed(v[0]) : v[0]) == -1;
                 return below ? 0 : one_of(f);
               }),
      // Of halves these two are computed in 32 bits, where halves are never subnormal.
      {"FMix", "%r = OpExtInst %T %std FMix %a %b %T_0p5", 2,
       [](Format f, Values v, Mode m) {
         const Format in = f.bits == 16 ? Format{32} : f;
         const Mode inner{m.to_zero, m.flush && f.bits != 16};
         const std::uint64_t half = one_of(in) - (std::uint64_t{1} << in.fraction());
         const auto halved = [&](std::uint64_t x) {
           return soft::multiply(in, f.bits == 16 ? soft::convert(f, in, x, {}) : x, half, inner);
         };
         const std::uint64_t sum = soft::add(in, halved(v[0]), halved(v[1]), inner);
         return f.bits == 16 ? soft::convert(in, f, sum, m) : sum;
       }},
      function("Sqrt", 1,
               [](Format f, Values v, Mode m) {
                 const std::uint64_t x = m.flush && f.bits != 16 ? f.flushed(v[0]) : v[0];
                 const double wide = std::bit_cast<double>(soft::convert(f, {64}, x, {}));
                 double root = std::sqrt(wide);
                 // Of 64 bits the nearest root may lie above the exact one; narrower roots are never so near a number.
                 const double up = wide < 0x1p-500 ? 0x1p60 : 1;  // the square's error is no subnormal number either
                 if (f.bits == 64 && m.to_zero && std::isfinite(root) &&
                     std::fma(root * up, root * up, -wide * up * up) > 0)
                   root = std::nextafter(root, 0.0);
                 return soft::convert({64}, f, std::bit_cast<std::uint64_t>(root), m);
               }),
      // Rounding is switched on again behind every branch.
      {"branch",
       "%_c = OpFOrdLessThan %bool %a %b\n%_p = OpFMul %T %a %b\nOpSelectionMerge %_m None\n"
       "OpBranchConditional %_c %_t %_f\n%_t = OpLabel\n%_x = OpFAdd %T %_p %c\nOpBranch %_m\n%_f = OpLabel\n"
       "%_y = OpFSub %T %_p %c\nOpBranch %_m\n%_m = OpLabel\n%_z = OpPhi %T %_x %_t %_y %_f\n"
       "%r = OpFMul %T %_z %b",
       3,
       [](Format f, Values v, Mode m) {
         const bool less = soft::order(f, m.flush ? f.flushed(v[0]) : v[0], m.flush ? f.flushed(v[1]) : v[1]) == -1;
         const std::uint64_t p = soft::multiply(f, v[0], v[1], m);
         return soft::multiply(f, soft::add(f, p, less ? v[2] : v[2] ^ f.sign(), m), v[1], m);
       }},
      // What only carries bits keeps them in every mode.
      {"select", "%_c = OpFOrdLessThan %bool %a %a\n%r = OpSelect %T %_c %b %a", 2,
       [](Format, Values v, Mode) { return v[0]; }},
      {"copy", "%r = OpCopyObject %T %a", 1, [](Format, Values v, Mode) { return v[0]; }},
      {"shuffle",
       "%_v = OpCompositeConstruct %v2T %a %b\n%_w = OpVectorShuffle %v2T %_v %_v 1 0\n"
       "%r = OpVectorExtractDynamic %T %_w %u32_1",
       2, [](Format, Values v, Mode) { return v[0]; }},
      {"constant", "%r = OpFAdd %T %_k %a", 1, [](Format f, Values v, Mode m) { return soft::add(f, 3, v[0], m); },
       false, "%_k = OpConstant %T KKK\n"},
  };
  for (const bool unordered : {false, true}) {
    const std::string name = unordered ? "FUnord" : "FOrd";
    list.push_back(comparison(name + "Equal", false, true, false, unordered));
    list.push_back(comparison(name + "NotEqual", true, false, true, unordered));
    list.push_back(comparison(name + "LessThan", true, false, false, unordered));
    list.push_back(comparison(name + "GreaterThan", false, false, true, unordered));
    list.push_back(comparison(name + "LessThanEqual", true, true, false, unordered));
    list.push_back(comparison(name + "GreaterThanEqual", false, true, true, unordered));
  }
  return list;
}

std::string with_type(std::string text, const std::string& type) {
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at + 1))
    if (at != 0 && (text[at - 1] == '%' || text[at - 1] == '2') &&
        (at + 1 == text.size() || std::isalnum(static_cast<unsigned char>(text[at + 1])) == 0))
      text.replace(at, 1, type);
  // 3 units of the least subnormal number.
  const std::string least = type == "f16" ? "0x1.8p-23" : type == "f32" ? "0x1.8p-148" : "0x1.8p-1073";
  if (const std::size_t at = text.find("KKK"); at != std::string::npos) text.replace(at, 3, least);
  return text;
}

/// Numbers at the borders of a format, then random ones, most of them small.
Bits numbers_of(Format f, unsigned position, std::size_t count) {
  const std::uint64_t unit = std::uint64_t{1} << f.fraction(), one = one_of(f);
  const Bits special = {0,
                        f.sign(),
                        1,
                        unit - 1,
                        f.sign() | (unit - 1),
                        unit / 2 + 1,
                        unit,
                        f.sign() | (unit + 1),
                        2 * unit - 1,
                        one,
                        one | 1,
                        f.sign() | one,
                        one - unit,
                        one - 1,
                        f.sign() | (one + unit / 2 + 1),
                        f.infinity() - 1,
                        f.infinity(),
                        f.sign() | f.infinity(),
                        f.nan(),
                        one + 3 * unit + 5};
  std::mt19937_64 random(77 + position * 13 + f.bits);
  Bits list;
  const std::size_t n = special.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (i < n * n) {
      list.push_back(special[position == 0 ? i % n : position == 1 ? i / n : (i * 7 + i / n) % n]);
      continue;
    }
    const std::uint64_t word = cut(random(), f.bits);
    const bool small = i % 3 == 0, near_one = i % 3 == 1;
    const std::uint64_t fraction = word & (unit - 1), sign = word & f.sign();
    list.push_back(small      ? sign | fraction | (i % 2 == 0 ? 0 : unit)
                   : near_one ? sign | fraction | (((one >> f.fraction()) - 2 + i % 5) << f.fraction())
                              : word);
  }
  return list;
}

constexpr std::size_t kCount = 640;

class FloatModes : public ::testing::TestWithParam<std::tuple<Setting, unsigned>> {
 protected:
  static const Setting& setting() { return std::get<0>(GetParam()); }
  static Format format() { return {std::get<1>(GetParam())}; }
  static std::string type() { return "f" + std::to_string(format().bits); }

  static std::vector<Bits> run(std::span<const Operation> operations,
                               const std::map<std::pair<std::string, unsigned>, Bits>& inputs, const char* engine,
                               isa::Platform platform = isa::Platform::SKL) {
    spirv::CompileOptions options;
    options.platform = platform;
    options.target_env = "universal1.6";
    return run_operations(operations, inputs, kCount, options, engine, setting().modes);
  }
};
INSTANTIATE_TEST_SUITE_P(All, FloatModes,
                         ::testing::Combine(::testing::ValuesIn(settings()), ::testing::Values(16, 32, 64)),
                         [](const auto& i) {
                           return std::get<0>(i.param).name + "_f" + std::to_string(std::get<1>(i.param));
                         });

/// NaN equals NaN.
bool same(Format f, std::uint64_t got, std::uint64_t want) { return got == want || (f.is_nan(got) && f.is_nan(want)); }

TEST_P(FloatModes, Operations_SPV40) {
  const std::vector<Case> all = cases();
  std::vector<Operation> operations;
  for (const Case& c : all)
    operations.push_back({c.name, c.is_bool ? "bool" : type(), std::vector<std::string>(c.inputs, type()),
                          with_type(c.body, type()), with_type(c.globals, type())});
  std::map<std::pair<std::string, unsigned>, Bits> inputs;
  for (unsigned p = 0; p < 3; ++p) inputs[{type(), p}] = numbers_of(format(), p, kCount);
  for (const char* engine : {"reference", "first", "second"}) {
    SCOPED_TRACE(engine);
    const std::vector<Bits> results = run(operations, inputs, engine);
    ASSERT_EQ(results.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      unsigned wrong = 0;
      for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
        const std::uint64_t v[] = {inputs[{type(), 0}][i], inputs[{type(), 1}][i], inputs[{type(), 2}][i]};
        const std::uint64_t want = all[k].expected(format(), v, setting().mode(format().bits));
        if (all[k].is_bool ? results[k][i] == want : same(format(), results[k][i], want)) continue;
        ++wrong;
        ADD_FAILURE() << all[k].name << std::hex << " of 0x" << v[0] << " 0x" << v[1] << " 0x" << v[2] << " is 0x"
                      << results[k][i] << ", not 0x" << want;
      }
    }
  }
}

struct Conversion {
  Operation operation;
  std::function<std::uint64_t(std::uint64_t x)> expected;
};

/// Of numbers to the format, also of those that specialization makes.
std::vector<Conversion> conversions(Format to, const std::string& type, Mode mode) {
  std::vector<Conversion> list;
  for (const unsigned bits : {16u, 32u, 64u}) {
    if (bits == to.bits) continue;
    const std::string from = "f" + std::to_string(bits);
    list.push_back({{"from " + from, type, {from}, "%r = OpFConvert %" + type + " %a", ""},
                    [=](std::uint64_t x) { return soft::convert({bits}, to, x, mode); }});
  }
  for (const char* from : {"i16", "u16", "i32", "u32", "i64", "u64"}) {
    const unsigned bits = static_cast<unsigned>(std::stoul(from + 1));
    const bool is_signed = from[0] == 'i';
    list.push_back({{std::string("from ") + from,
                     type,
                     {from},
                     std::string("%r = ") + (is_signed ? "OpConvertSToF" : "OpConvertUToF") + " %" + type + " %a",
                     ""},
                    [=](std::uint64_t x) {
                      const std::int64_t number = signed_of(x, bits);
                      const bool negative = is_signed && number < 0;
                      return soft::from_integer(to, negative, negative ? 0 - static_cast<std::uint64_t>(number) : x,
                                                mode);
                    }});
  }
  // Constants of 64 bits: between two numbers, beyond all, among the subnormal ones of 16 and 32 bits.
  if (to.bits != 64)
    for (const std::uint64_t x : {0x3ffffffffffffff0u, 0xbff0000000000001u, 0x7fe0000000000000u, 0xbee3000000000001u,
                                  0xb736200000000001u, 0x3f0fffffffffffffu}) {
      const double value = std::bit_cast<double>(std::uint64_t{x});
      char text[64];
      std::snprintf(text, sizeof text, "%a", value);
      list.push_back(
          {{"of a specialization constant",
            type,
            {type},
            "%r = OpCopyObject %" + type + " %_c",
            "%_s = OpSpecConstant %f64 " + std::string(text) + "\n%_c = OpSpecConstantOp %" + type + " FConvert %_s\n"},
           [=](std::uint64_t) { return soft::convert({64}, to, x, mode); }});
    }
  return list;
}

/// Numbers of every type that the conversions take.
std::map<std::pair<std::string, unsigned>, Bits> sources_of(std::span<const Operation> operations, Format to) {
  auto inputs = inputs_of(operations, kCount);
  for (const unsigned bits : {16u, 32u, 64u})
    if (const auto found = inputs.find({"f" + std::to_string(bits), 0}); found != inputs.end())
      found->second = numbers_of({bits}, 0, kCount);
  // Doubles at and between the numbers of the narrower formats.
  if (const auto found = inputs.find({"f64", 0}); found != inputs.end())
    for (std::size_t i = 0; i < kCount; i += 2) {
      const Format narrow{to.bits == 16 ? 16u : 32u};
      const std::uint64_t middle = soft::convert(narrow, {64}, numbers_of(narrow, 0, kCount)[i], {});
      found->second[i] = middle ^ (i % 4 == 0 ? 0u : std::uint64_t{1} << (i % 50));
    }
  return inputs;
}

TEST_P(FloatModes, Conversions_SPV40) {
  const auto check = [](const std::vector<Conversion>& all, const char* engine, isa::Platform platform) {
    SCOPED_TRACE(std::string(engine) + " " + std::string(isa::platform_info(platform).name));
    std::vector<Operation> operations;
    for (const Conversion& c : all) operations.push_back(c.operation);
    const auto inputs = sources_of(operations, format());
    const std::vector<Bits> results = run(operations, inputs, engine, platform);
    ASSERT_EQ(results.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      unsigned wrong = 0;
      for (std::size_t i = 0; i < kCount && wrong < 3; ++i) {
        const std::uint64_t x = inputs.at({all[k].operation.inputs[0], 0})[i], want = all[k].expected(x);
        if (same(format(), results[k][i], want)) continue;
        ++wrong;
        ADD_FAILURE() << all[k].operation.name << std::hex << " 0x" << x << " is 0x" << results[k][i] << ", not 0x"
                      << want;
      }
    }
  };
  std::vector<Conversion> all = conversions(format(), type(), setting().mode(format().bits));
  for (const char* engine : {"reference", "first", "second"}) check(all, engine, isa::Platform::SKL);
  // Without integers and numbers of 64 bits in hardware.
  if (format().bits == 64) return;
  std::erase_if(all, [](const Conversion& c) {
    return c.operation.inputs[0] == "f64" || c.operation.globals.find("f64") != std::string::npos;
  });
  for (const char* engine : {"reference", "second"}) check(all, engine, isa::Platform::TGLLP);
}

/// An addition of halves and one of singles under the modes, as vISA.
CompiledShader compiled(std::span<const std::string> modes) {
  const std::vector<Operation> operations = {{"h", "f16", {"f16"}, "%r = OpFAdd %f16 %a %a", ""},
                                             {"s", "f32", {"f32"}, "%r = OpFAdd %f32 %a %a", ""}};
  return compile_shader(assemble_shader(shader_of(operations, 32, modes).text));
}

std::vector<std::string> control_lines(const CompiledShader& shader) {
  std::vector<std::string> lines;
  std::istringstream text(shader.text);
  for (std::string line; std::getline(text, line);)
    if (line.find("%cr0") != std::string::npos)
      lines.push_back(line.substr(line.find_first_not_of(' '), 2) + line.substr(line.rfind(' ')));
  return lines;
}

TEST(FloatModesText, TheControlRegisterIsSetWhereItMust_SPV40) {
  using Lines = std::vector<std::string>;
  const auto lines = [](const std::vector<std::string>& modes) {
    const CompiledShader shader = compiled(modes);
    EXPECT_TRUE(shader.ok) << shader.messages;
    return control_lines(shader);
  };
  EXPECT_EQ(lines({}), (Lines{"or 0x400:ud"}));
  EXPECT_EQ(lines({"DenormPreserve 32"}), (Lines{"or 0x480:ud"}));
  EXPECT_EQ(lines({"DenormFlushToZero 16", "DenormPreserve 64"}), (Lines{"or 0x40:ud", "an 0xfffffbff:ud"}));
  EXPECT_EQ(lines({"RoundingModeRTZ 32"}), (Lines{"or 0x400:ud", "or 0x30:ud", "an 0xffffffcf:ud"}));
  EXPECT_EQ(lines({"RoundingModeRTE 16", "RoundingModeRTE 32"}), (Lines{"or 0x400:ud"}));
}

TEST(FloatModesText, ModesThatExcludeEachOtherAreRefused_SPV40) {
  using Modes = std::vector<std::string>;
  for (const auto& [modes, message] :
       {std::pair(Modes{"DenormPreserve 16", "DenormFlushToZero 16"},
                  "subnormal numbers of 16 bits are both preserved and flushed"),
        std::pair(Modes{"RoundingModeRTE 32", "RoundingModeRTZ 32"},
                  "numbers of 32 bits are rounded both to the nearest even number and to zero")}) {
    const CompiledShader shader = compiled(modes);
    EXPECT_FALSE(shader.ok);
    EXPECT_NE(shader.messages.find(message), std::string::npos) << shader.messages;
  }
  EXPECT_FALSE(compiled(Modes{"DenormPreserve 8"}).ok);
}

}  // namespace
