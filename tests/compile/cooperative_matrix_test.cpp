// SPDX-License-Identifier: MIT
// Cooperative matrices: products in every combination that is offered, on every engine, and what else is done with
// them. Rules: SPV-55.
#include "spirv/cooperative_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "base/half.hpp"
#include "shader.hpp"
#include "support/matrix_module.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

constexpr std::array kKeys = {"0.1", "0.2", "0.3", "0.0"};  // bindings of A, B, C, D

std::string word_of(spirv::MatrixComponent c) {
  static constexpr std::array kWords = {"f16", "f32", "s8", "u8", "s32", "u32"};
  return kWords[static_cast<std::size_t>(c)];
}

/// A matrix, row by row, as bits of its components.
using Elements = std::vector<std::uint32_t>;

double real_of(std::uint32_t bits, const std::string& type) {
  if (type == "f16") return base::half_to_float(static_cast<std::uint16_t>(bits));
  if (type == "f32") return base::float_from_bits(bits);
  if (type == "s8") return static_cast<std::int8_t>(bits);
  return type == "s32" ? static_cast<double>(static_cast<std::int32_t>(bits)) : static_cast<double>(bits);
}

std::uint32_t random_element(const std::string& type, std::mt19937& random, bool large) {
  std::uniform_real_distribution<float> small(-3.0f, 3.0f);
  const std::uint32_t word = random();
  const float number = word % 31 == 0 ? std::ldexp(small(random), -22) : small(random);  // subnormal halves, too
  if (type == "f16") return base::float_to_half(number);
  if (type == "f32") return base::bits_of(number);
  if (type.ends_with("8")) return word & 0xffu;
  // Sums near both ends, which saturate.
  return large ? (word % 2 == 0 ? 0x7fffffffu : 0x80000000u) + static_cast<std::uint32_t>(word >> 8) % 0x10000u -
                     (type == "u32" && word % 2 == 0 ? 0x80000000u : 0)
               : word;
}

struct Product {
  MatrixModule module;
  std::array<Elements, 3> in;
};

Product product_of(const MatrixModule& module, std::uint32_t seed) {
  Product p{module, {}};
  std::mt19937 random(seed);
  for (unsigned which = 0; which < 3; ++which)
    for (unsigned i = 0; i < module.rows(which) * module.columns(which); ++i) {
      std::uint32_t bits = random_element(module.type_of(which), random, module.saturates);
      // What a saturating product of signed factors is below 0 as an unsigned number, SPIR-V leaves open.
      if (which < 2 && module.saturates && module.c == "u32" && module.type_of(which) == "s8") bits &= 0x7f;
      p.in[which].push_back(bits);
    }
  return p;
}

/// SPV-55: in the order of k, each product added with one rounding; halves are rounded at the end.
std::uint32_t element_of_product(const Product& p, unsigned row, unsigned column) {
  const MatrixModule& m = p.module;
  const std::uint32_t start = p.in[2][row * m.n + column];
  if (m.c[0] == 'f') {
    float sum = static_cast<float>(real_of(start, m.c));
    for (unsigned k = 0; k < m.k; ++k)
      sum = std::fmaf(static_cast<float>(real_of(p.in[0][row * m.k + k], m.a)),
                      static_cast<float>(real_of(p.in[1][k * m.n + column], m.b)), sum);
    return m.c == "f16" ? base::float_to_half(sum) : base::bits_of(sum);
  }
  std::int64_t sum = 0;
  for (unsigned k = 0; k < m.k; ++k)
    sum += static_cast<std::int64_t>(real_of(p.in[0][row * m.k + k], m.a)) *
           static_cast<std::int64_t>(real_of(p.in[1][k * m.n + column], m.b));
  sum += static_cast<std::int64_t>(real_of(start, m.c));
  if (m.saturates)
    sum = m.c == "s32" ? std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX)
                       : std::clamp<std::int64_t>(sum, 0, UINT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

std::string toml_words(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[i], 4);
    text += (i == 0 ? "" : ",") + std::to_string(word);
  }
  return text;
}

/// What the shader stores as D, row by row; bytes between must stay as they were.
Elements run_matrices(const Product& p, const std::string& engine, const std::string& check = "error") {
  const MatrixModule& m = p.module;
  const std::string kind = engine == "reference" ? "reference" : "fast";
  std::string toml = "check = \"" + check + "\"\nengine = \"" + kind + "\"\ngroups = [1]\n";
  const auto buffer = [&](unsigned which, const std::string& content) {
    toml += std::string("[buffers.\"") + kKeys[which] + "\"]\ntype = \"u32\"\n" + content;
    if (m.addresses[which] != 0) toml += "address = " + std::to_string(m.addresses[which]) + "\n";
  };
  for (unsigned which = 0; which < 3; ++which) {
    const unsigned size = MatrixModule::bytes(m.type_of(which));
    std::vector<std::uint8_t> bytes(std::size_t{m.size(which)} * size, 0x55);
    for (unsigned r = 0; r < m.rows(which); ++r)
      for (unsigned c = 0; c < m.columns(which); ++c)
        std::memcpy(&bytes[std::size_t{m.index(which, r, c)} * size], &p.in[which][r * m.columns(which) + c], size);
    buffer(which, "data = [" + toml_words(bytes) + "]\n");
  }
  const unsigned size = MatrixModule::bytes(m.c);
  buffer(3, "count = " + std::to_string(m.size(3) * size / 4) + "\nfill = 7\nsave = \"d.bin\"\n");
  if (m.strides_in_memory) {
    toml += "[buffers.\"0.4\"]\ntype = \"u32\"\ndata = [";
    for (unsigned which = 0; which < 4; ++which)
      toml += (which == 0 ? "" : ",") + std::to_string(m.stride_operand(which));
    toml += "]\n";
  }
  spirv::CompileOptions options;
  options.simd = m.lanes;
  job::RunHooks hooks;
  if (engine == "first") hooks.tiers = engine::jit::Tiers::First;
  if (engine == "second") hooks.tiers = engine::jit::Tiers::Second;
  hooks.disk_cache = engine != "interpreted";
  const job::RunResult outcome = run_shader(assemble_shader(m.text()), toml, options, hooks);
  EXPECT_TRUE(outcome.succeeded) << messages(outcome.diagnostics).substr(0, 2000);
  std::string bytes = output_bytes(outcome, "d.bin");
  if (bytes.size() != std::size_t{m.size(3)} * size) return {};
  Elements elements;
  for (unsigned r = 0; r < m.m; ++r)
    for (unsigned c = 0; c < m.n; ++c) {
      std::uint32_t bits = 0;
      char* at = &bytes[std::size_t{m.index(3, r, c)} * size];
      std::memcpy(&bits, at, size);
      std::memcpy(at, std::string("\7\0\0\0", 4).data() + m.index(3, r, c) * size % 4, size);
      elements.push_back(bits);
    }
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(bytes[i], i % 4 == 0 ? 7 : 0) << "byte " << i;
  return elements;
}

void expect_product(const MatrixModule& module, const std::string& engine, std::uint32_t seed) {
  const Product p = product_of(module, seed);
  const Elements d = run_matrices(p, engine);
  ASSERT_EQ(d.size(), module.m * module.n);
  for (unsigned r = 0; r < module.m; ++r)
    for (unsigned c = 0; c < module.n; ++c)
      ASSERT_EQ(d[r * module.n + c], element_of_product(p, r, c)) << "row " << r << ", column " << c;
}

MatrixModule module_of(const spirv::MatrixProduct& p) {
  MatrixModule m;
  m.m = p.m;
  m.n = p.n;
  m.k = p.k;
  m.a = word_of(p.a);
  m.b = word_of(p.b);
  m.c = word_of(p.c);
  m.saturates = p.saturates;
  return m;
}

struct Setting {
  const char* engine;
  unsigned lanes;
};

class CooperativeMatrix : public ::testing::TestWithParam<Setting> {};
INSTANTIATE_TEST_SUITE_P(Engines, CooperativeMatrix,
                         ::testing::Values(Setting{"reference", 8}, Setting{"reference", 16}, Setting{"reference", 32},
                                           Setting{"interpreted", 16}, Setting{"first", 16}),
                         [](const auto& i) { return i.param.engine + std::to_string(i.param.lanes); });

TEST_P(CooperativeMatrix, ProductsAreExact_SPV55) {
  std::uint32_t number = 0;
  for (const spirv::MatrixProduct& p : spirv::matrix_products()) {
    MatrixModule m = module_of(p);
    m.lanes = GetParam().lanes;
    for (unsigned which = 0; which < 4; ++which) m.layouts[which] = number * 7 / 3 >> which & 1u;
    m.padding = number % 3 == 0 ? 0 : 16 * (number % 3);
    m.strides_in_memory = number % 2 == 1;
    SCOPED_TRACE(spirv::matrix_product_text(p) + ", number " + std::to_string(number));
    expect_product(m, GetParam().engine, ++number);
  }
}

// Every layout of every operand, with strides that are constants and others.
TEST_P(CooperativeMatrix, RowsAndColumns_SPV55) {
  for (unsigned layouts = 0; layouts < 16; ++layouts)
    for (const char* type : {"f16", "f32"}) {
      MatrixModule m;
      m.a = m.b = m.c = type;
      m.lanes = GetParam().lanes;
      for (unsigned which = 0; which < 4; ++which) m.layouts[which] = layouts >> which & 1u;
      m.padding = layouts % 3 * 16;
      m.strides_in_memory = (layouts % 2 == 0) == (type[1] == '1');
      SCOPED_TRACE(std::string(type) + ", layouts " + std::to_string(layouts));
      expect_product(m, GetParam().engine, layouts);
    }
}

// Stored to Workgroup memory the other way round, and loaded again; several elements of a lane go in one message.
TEST_P(CooperativeMatrix, InSharedMemory_SPV55) {
  std::uint32_t number = 0;
  for (const spirv::MatrixProduct& p : spirv::matrix_products()) {
    if (p.saturates) continue;
    MatrixModule m = module_of(p);
    m.lanes = GetParam().lanes;
    m.through_shared = true;
    for (unsigned which = 0; which < 4; ++which) m.layouts[which] = number * 5 / 2 >> which & 1u;
    SCOPED_TRACE(spirv::matrix_product_text(p));
    expect_product(m, GetParam().engine, ++number);
  }
}

// Strides are in bytes where pointers don't say what they point to, whatever made them.
TEST_P(CooperativeMatrix, ByUntypedPointers_SPV54_SPV55) {
  std::uint32_t number = 0;
  for (const spirv::MatrixProduct& p : spirv::matrix_products()) {
    if (p.saturates) continue;
    MatrixModule m = module_of(p);
    m.lanes = GetParam().lanes;
    m.untyped = true;
    m.padding = number % 2 * 16;
    m.strides_in_memory = number % 3 == 0;
    for (unsigned which = 0; which < 4; ++which) m.layouts[which] = number * 5 / 2 >> which & 1u;
    SCOPED_TRACE(spirv::matrix_product_text(p));
    expect_product(m, GetParam().engine, ++number);
  }
}

TEST_P(CooperativeMatrix, ByAddresses_SPV55) {
  std::uint32_t number = 0;
  for (const spirv::MatrixProduct& p : spirv::matrix_products()) {
    if (p.saturates) continue;
    MatrixModule m = module_of(p);
    m.lanes = GetParam().lanes;
    m.addresses = {0x10000, 0x20000, 0x30000, 0x40000};
    m.padding = number % 2 * 16;
    for (unsigned which = 0; which < 4; ++which) m.layouts[which] = number * 5 / 2 >> which & 1u;
    SCOPED_TRACE(spirv::matrix_product_text(p));
    expect_product(m, GetParam().engine, ++number);
  }
}

// A few of them optimized, which takes half a second each.
TEST(CooperativeMatrices, AreOptimized_SPV55) {
  MatrixModule m;
  m.layouts = {0, 1, 1, 0};
  expect_product(m, "second", 1);
  m.m = m.n = m.k = 8;
  m.c = "f16";
  m.lanes = 32;
  m.through_shared = true;
  expect_product(m, "second", 2);
  MatrixModule bytes;
  bytes.a = "s8";
  bytes.b = "u8";
  bytes.c = "s32";
  bytes.saturates = true;
  bytes.lanes = 8;
  expect_product(bytes, "second", 3);
}

/// The module with `body` on every engine: D, row by row.
using At = std::function<float(unsigned row, unsigned column)>;  ///< an element of C
void expect_elements(const MatrixModule& module, const std::function<float(const At& c, unsigned r, unsigned k)>& f) {
  for (const char* engine : {"reference", "interpreted", "first"}) {
    const Product p = product_of(module, 5);
    const Elements d = run_matrices(p, engine);
    ASSERT_EQ(d.size(), module.m * module.n) << engine;
    const At at = [&](unsigned r, unsigned c) { return base::float_from_bits(p.in[2][r * module.n + c]); };
    for (unsigned r = 0; r < module.m; ++r)
      for (unsigned c = 0; c < module.n; ++c)
        ASSERT_EQ(base::float_from_bits(d[r * module.n + c]), f(at, r, c))
            << engine << ", " << module.lanes << " lanes, row " << r << ", column " << c;
  }
}

constexpr const char* kMoreTypes =
    "%pf_mc = OpTypePointer Function %mc\n%pf_f32 = OpTypePointer Function %f32\n%three = OpConstant %f32 3\n"
    "%four = OpTypeArray %mc %n4\n%pf_four = OpTypePointer Function %four\n";

// Arithmetic, conversions and constants are element by element.
TEST(CooperativeMatrices, ElementsAreComputedWith_SPV55) {
  MatrixModule m;
  m.types = kMoreTypes + numbered(kMatrixType, "%mh %f16 %c3 %n16 %n16 %c2", false) +
            numbered(kMatrixType, "%mi %s32 %c3 %n16 %n16 %c2", false) +
            "%ones = OpConstantComposite %mc %one\n%none = OpConstantNull %mc\n";
  m.body =
      "%half = OpFConvert %mh %c\n%back = OpFConvert %mc %half\n%thrice = OpMatrixTimesScalar %mc %back %three\n"
      "%less = OpFSub %mc %thrice %c\n%square = OpFMul %mc %less %less\n%two = OpFAdd %f32 %one %one\n"
      "%twos = OpCompositeConstruct %mc %two\n%halved = OpFDiv %mc %square %twos\n%whole = OpConvertFToS %mi %halved\n"
      "%real = OpConvertSToF %mc %whole\n%both = OpFAdd %mc %real %halved\n%minus = OpFNegate %mc %both\n"
      "%more = OpFAdd %mc %minus %ones\n%same = OpFAdd %mc %more %none\n%d = OpCopyObject %mc %same\n";
  for (const unsigned lanes : {8u, 16u, 32u}) {
    m.lanes = lanes;
    expect_elements(m, [](const At& at, unsigned row, unsigned column) {
      const float c = at(row, column), less = base::half_to_float(base::float_to_half(c)) * 3 - c;
      const float square = less * less, halved = square / 2;
      return -(std::trunc(halved) + halved) + 1;
    });
  }
}

// A matrix of bytes becomes one of halves, which is multiplied.
TEST(CooperativeMatrices, BytesBecomeNumbers_SPV55) {
  for (const bool is_signed : {true, false}) {
    MatrixModule m;
    m.a = is_signed ? "s8" : "u8";
    const std::string other = is_signed ? "u8" : "s8";
    m.types = numbered(kMatrixType, "%mah %f16 %c3 %n16 %n16 %c0", false) +
              numbered(kMatrixType, "%mao %" + other + " %c3 %n16 %n16 %c0", false);
    m.body = "%cast = OpBitcast %mao %a\n" +
             std::string(is_signed ? "%ah = OpConvertUToF %mah %cast\n" : "%ah = OpConvertSToF %mah %cast\n") +
             numbered(kMatrixMulAdd, "%mc %d %ah %b %c");
    Product p = product_of(m, 9);
    const Elements d = run_matrices(p, "reference");
    p.module.a = other;
    ASSERT_EQ(d.size(), 256u);
    for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(d[i], element_of_product(p, i / 16, i % 16)) << i;
  }
}

TEST(CooperativeMatrices, IntegersAreComputedWith_SPV55) {
  MatrixModule m;
  m.a = m.b = "s8";
  m.c = "s32";
  m.types = "%seven = OpConstant %s32 7\n%nine = OpConstant %u32 9\n" +
            numbered(kMatrixType, "%mu %u32 %c3 %n16 %n16 %c2", false) +
            "%sevens = OpConstantComposite %mc %seven\n%nines = OpConstantComposite %mu %nine\n";
  m.body =
      "%minus = OpSNegate %mc %c\n%sum = OpIAdd %mc %minus %sevens\n%product = OpIMul %mc %sum %sevens\n"
      "%times = OpMatrixTimesScalar %mc %product %seven\n%less = OpISub %mc %times %c\n%quotient = OpSDiv %mc %less "
      "%sevens\n"
      "%unsigned = OpBitcast %mu %quotient\n%part = OpUDiv %mu %unsigned %nines\n%d = OpBitcast %mc %part\n";
  const Product p = product_of(m, 11);
  for (const char* engine : {"reference", "interpreted", "first"}) {
    const Elements d = run_matrices(p, engine);
    ASSERT_EQ(d.size(), 256u);
    for (unsigned i = 0; i < 256; ++i) {
      const std::uint32_t less = (7 - p.in[2][i]) * 49 - p.in[2][i];
      const auto quotient = static_cast<std::uint32_t>(static_cast<std::int32_t>(less) / 7);
      EXPECT_EQ(d[i], quotient / 9) << engine << ", element " << i;
    }
  }
}

// An invocation's elements are reached one by one, by indices that are known and by others, as many as the length says.
TEST(CooperativeMatrices, ElementsOfAnInvocation_SPV55) {
  MatrixModule m;
  m.types = kMoreTypes + numbered(52, "%u32 %constant_length !4460 %mc", false);
  m.body = "OpStore %variable %c\n" + numbered(kMatrixLength, "%u32 %length %mc") +
           "%same = OpIEqual %bool %length %constant_length\nOpBranch %head\n%head = OpLabel\n"
           "%i = OpPhi %u32 %c0 %first %next %body\n%inside = OpULessThan %bool %i %length\n%goes = OpLogicalAnd %bool "
           "%inside %same\nOpLoopMerge %end %body None\nOpBranchConditional %goes %body %end\n%body = OpLabel\n"
           "%at = OpAccessChain %pf_f32 %variable %i\n%x = OpLoad %f32 %at\n%y = OpFMul %f32 %x %three\n"
           "OpStore %at %y\n%next = OpIAdd %u32 %i %c1\nOpBranch %head\n%end = OpLabel\n%all = OpLoad %mc %variable\n"
           "%zeroth = OpCompositeExtract %f32 %all 0\n%twice = OpFAdd %f32 %zeroth %zeroth\n"
           "%d = OpCompositeInsert %mc %twice %all 1\n";
  m.variables = "%variable = OpVariable %pf_mc Function\n";
  for (const unsigned lanes : {8u, 16u, 32u}) {
    m.lanes = lanes;
    expect_elements(m, [&](const At& c, unsigned row, unsigned column) {
      // Where the elements of accumulators are: a lane has a column, or a half of one, from the top.
      const bool is_second = lanes == 8 ? row == 1 && column < 8 : row % (256 / lanes) == 1;
      return is_second ? 2 * (3 * c(row - 1, column)) : 3 * c(row, column);
    });
  }
}

// Matrices go through phis, calls, arrays and Private variables; their size may be a specialization constant.
TEST(CooperativeMatrices, AreValuesLikeOthers_SPV55) {
  MatrixModule m;
  m.decorations = "OpDecorate %rows SpecId 3\n";
  m.types = kMoreTypes + std::string("%rows = OpSpecConstant %u32 8\n%size = OpSpecConstantOp %u32 IAdd %rows %n8\n") +
            numbered(kMatrixType, "%sized %f32 %c3 %size %n16 %c2", false) +
            "%private_pointer = OpTypePointer Private %mc\n%private = OpVariable %private_pointer Private\n"
            "%function = OpTypeFunction %mc %mc %pf_mc\n%pair = OpTypeStruct %f32 %mc\n";
  m.variables = "%array = OpVariable %pf_four Function\n%argument = OpVariable %pf_mc Function\n";
  m.body =
      // c, c * c, c * c * c, c * c * c * c in an array, by a loop
      "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c0 %first %next %body\n%power = OpPhi %mc %c %first %more "
      "%body\n%goes = OpULessThan %bool %i %c4\nOpLoopMerge %end %body None\nOpBranchConditional %goes %body %end\n"
      "%body = OpLabel\n%place = OpAccessChain %pf_mc %array %i\nOpStore %place %power\n%more = OpFMul %mc %power %c\n"
      "%next = OpIAdd %u32 %i %c1\nOpBranch %head\n%end = OpLabel\n"
      "%at_third = OpAccessChain %pf_mc %array %c2\n%third = OpLoad %mc %at_third\nOpStore %private %third\n"
      "OpStore %argument %c\n%kept = OpLoad %mc %private\n%called = OpFunctionCall %mc %callee %kept %argument\n"
      "%changed = OpLoad %mc %argument\n%together = OpFAdd %mc %called %changed\n"
      "%struct = OpCompositeConstruct %pair %one %together\n%inner = OpCompositeExtract %mc %struct 1\n" +
      numbered(kMatrixStore, "%at_c %inner %c0 %n16") + numbered(kMatrixLoad, "%sized %loaded %at_c %c0 %n16") +
      "%twice = OpFAdd %sized %loaded %loaded\n" + numbered(kMatrixStore, "%at_c %twice %c0 %n16") +
      numbered(kMatrixLoad, "%mc %d %at_c %c0 %n16");
  m.functions =
      "%callee = OpFunction %mc None %function\n%value = OpFunctionParameter %mc\n%pointer = OpFunctionParameter "
      "%pf_mc\n"
      "%start = OpLabel\n%was = OpLoad %mc %pointer\n%sum = OpFAdd %mc %value %was\nOpStore %pointer %value\n"
      "OpReturnValue %sum\nOpFunctionEnd\n";
  for (const unsigned lanes : {8u, 16u, 32u}) {
    m.lanes = lanes;
    expect_elements(m, [](const At& at, unsigned row, unsigned column) {
      const float c = at(row, column), third = c * c * c;
      return 2 * ((third + c) + third);
    });
  }
}

// The stride counts what the pointer points to: here four words, of which each has two halves.
TEST(CooperativeMatrices, PointersToOtherTypes_SPV55) {
  MatrixModule m;
  m.padding = 16;
  m.layouts = {0, 1, 0, 0};
  m.types =
      "%v4 = OpTypeVector %u32 4\n%array_v4 = OpTypeRuntimeArray %v4\n%block_v4 = OpTypeStruct %array_v4\n"
      "%pb_v4 = OpTypePointer StorageBuffer %block_v4\n%pe_v4 = OpTypePointer StorageBuffer %v4\n"
      "%words_a = OpVariable %pb_v4 StorageBuffer\n%words_b = OpVariable %pb_v4 StorageBuffer\n";
  m.decorations =
      "OpDecorate %array_v4 ArrayStride 16\nOpDecorate %block_v4 Block\nOpMemberDecorate %block_v4 0 Offset 0\n"
      "OpDecorate %words_a DescriptorSet 0\nOpDecorate %words_a Binding 1\nOpDecorate %words_b DescriptorSet 0\n"
      "OpDecorate %words_b Binding 2\n";
  m.body = "%pa = OpAccessChain %pe_v4 %words_a %c0 %c0\n%pb = OpAccessChain %pe_v4 %words_b %c0 %c0\n" +
           numbered(kMatrixLoad, "%ma %wide_a %pa %c0 %c3") + numbered(kMatrixLoad, "%mb %wide_b %pb %c1 %c3") +
           numbered(kMatrixMulAdd, "%mc %d %wide_a %wide_b %c");
  expect_product(m, "reference", 21);
  expect_product(m, "first", 22);
}

// --- what a module does wrong ---

std::string complaint(const MatrixModule& m, const std::string& target = "vulkan1.3") {
  std::string text;
  std::istringstream lines(compile_shader(assemble_shader(m.text(), target)).messages);
  for (std::string line; std::getline(lines, line);)
    if (line.find(": error: ") != std::string::npos) text += line.substr(line.find(": error: ") + 9) + "\n";
  return text;
}

TEST(CooperativeMatrices, WrongOnesAreRefused_SPV55) {
  const std::string id = " [spirv-cooperative-matrix]\n";
  const auto with = [](const auto& change) {
    MatrixModule m;
    change(m);
    return complaint(m);
  };
  const auto body = [&](const std::string& text) {
    return with([&](MatrixModule& m) { m.body = text + m.product(); });
  };
  EXPECT_EQ(with([](MatrixModule&) {}), "");
  EXPECT_NE(with([](MatrixModule& m) {
              m.capabilities = "OpCapability VulkanMemoryModel\n";
            }).find("OpTypeCooperativeMatrixKHR: the capability CooperativeMatrixKHR is not declared" + id),
            std::string::npos);
  EXPECT_NE(with([](MatrixModule& m) {
              m.extensions = "OpExtension \"SPV_KHR_vulkan_memory_model\"\n";
            }).find("OpTypeCooperativeMatrixKHR: the extension SPV_KHR_cooperative_matrix is not declared" + id),
            std::string::npos);
  const auto type = [&](const std::string& operands) {
    return with([&](MatrixModule& m) { m.types = numbered(kMatrixType, operands, false); });
  };
  const std::string of_type = "OpTypeCooperativeMatrixKHR: ";
  EXPECT_EQ(type("%odd %f32 %c3 %n16 %n16"),
            of_type + "it takes a component type, a scope, rows, columns and a use" + id);
  EXPECT_EQ(type("%odd %bool %c3 %n16 %n16 %c2"),
            of_type + "its components are no integers or floating-point numbers" + id);
  EXPECT_EQ(type("%odd %f32 %c3 %one %n16 %c2"),
            of_type + "scope, rows, columns and use are constants of 32 bits" + id);
  EXPECT_EQ(type("%odd %f32 %c3 %n16 %n16 %c5"),
            of_type + "its use is none of MatrixAKHR (0), MatrixBKHR (1) and MatrixAccumulatorKHR (2)" + id);
  const std::string load = "OpCooperativeMatrixLoadKHR: ", store = "OpCooperativeMatrixStoreKHR: ";
  EXPECT_EQ(body(numbered(kMatrixLoad, "%mc %x %lane %c0 %n16")), load + "its pointer is none" + id);
  EXPECT_EQ(body(numbered(kMatrixLoad, "%mc %x %id %c0 %n16")),
            load + "its pointer is not into Workgroup, StorageBuffer or PhysicalStorageBuffer memory" + id);
  EXPECT_EQ(body("%whole = OpAccessChain %pb_f32 %buffer_c\n" + numbered(kMatrixLoad, "%mc %x %whole %c0 %n16")),
            load + "its pointer is not to a scalar or vector of numbers" + id);
  EXPECT_EQ(body(numbered(kMatrixLoad, "%f32 %x %at_c %c0 %n16")), load + "its type is no cooperative matrix" + id);
  EXPECT_EQ(body(numbered(kMatrixLoad, "%mc %x %at_c %lane %n16")), load + "its layout is no constant of 32 bits" + id);
  EXPECT_EQ(body(numbered(kMatrixLoad, "%mc %x %at_c %c2 %n16")),
            load + "its layout is neither RowMajorKHR (0) nor ColumnMajorKHR (1)" + id);
  EXPECT_EQ(body(numbered(kMatrixLoad, "%mc %x %at_c %c0")), load + "both layouts need a stride" + id);
  EXPECT_EQ(body(numbered(kMatrixLoad, "%mc %x %at_c %c0 %one")), load + "its stride is no integer" + id);
  EXPECT_EQ(body(numbered(kMatrixLoad, "%mc %x %at_c %c0 %n16 !8 %c5")),
            load + "loads make nothing available, stores nothing visible" + id);
  EXPECT_EQ(body(numbered(kMatrixStore, "%at_c %lane %c0 %n16")),
            store + "what it stores is no cooperative matrix" + id);
  EXPECT_EQ(body(numbered(kMatrixStore, "%at_c %c %c0 %n16 !16 %c5")),
            store + "loads make nothing available, stores nothing visible" + id);
  const std::string product = "OpCooperativeMatrixMulAddKHR: ", length = "OpCooperativeMatrixLengthKHR: ";
  EXPECT_EQ(body(numbered(kMatrixMulAdd, "%mc %x %a %b")), product + "it takes matrices A, B and C" + id);
  EXPECT_EQ(body(numbered(kMatrixMulAdd, "%mc %x %a %lane %c")),
            product + "its operands and its result are cooperative matrices" + id);
  // What stands in another function.
  EXPECT_EQ(with([](MatrixModule& m) {
              m.body = "OpReturn\nOpFunctionEnd\n%other = OpFunction %void None %f\n%behind = OpLabel\n" + m.product();
            }).find(product + "its operands and its result are cooperative matrices" + id),
            0u);
  EXPECT_EQ(body(numbered(kMatrixMulAdd, "%mc %x %b %a %c")),
            product +
                "the uses of its matrices are MatrixAKHR, MatrixBKHR, MatrixAccumulatorKHR and "
                "MatrixAccumulatorKHR" +
                id);
  EXPECT_EQ(body(numbered(kMatrixMulAdd, "%mc %x %a %b %c !1")),
            product + "matrices with signed components have integers" + id);
  EXPECT_EQ(with([](MatrixModule& m) {
              m.types = numbered(kMatrixType, "%small %f16 %c3 %n8 %n8 %c1", false);
              m.body = numbered(kMatrixLoad, "%small %x %at_b %c0 %n16") + numbered(kMatrixMulAdd, "%mc %d %a %x %c");
            }),
            product + "the rows and columns of its matrices don't go together" + id);
  EXPECT_EQ(with([](MatrixModule& m) {
              m.types = numbered(kMatrixType, "%wide %f16 %c2 %n16 %n16 %c1", false);
              m.body = numbered(kMatrixLoad, "%wide %x %at_b %c0 %n16") + numbered(kMatrixMulAdd, "%mc %d %a %x %c");
            }),
            product + "the scopes of its matrices are different" + id);
  EXPECT_EQ(body(numbered(kMatrixLength, "%u32 %x %f32")),
            length + "its operand is no type of a cooperative matrix that stands above it" + id);
  EXPECT_EQ(body(numbered(kMatrixLength, "%s32 %x %mc")), length + "its result is no unsigned integer of 32 bits" + id);
  EXPECT_EQ(with([](MatrixModule& m) {
              m.types = "%pw = OpTypePointer Workgroup %mc\n%shared = OpVariable %pw Workgroup\n";
            }),
            "OpVariable: only Function and Private variables hold cooperative matrices" + id);
  EXPECT_EQ(with([](MatrixModule& m) {
              m.types = "%pp = OpTypePointer PhysicalStorageBuffer %mc\n";
            }).find("OpTypePointer: cooperative matrices don't lie in memory that has addresses" + id),
            0u);
  // A length that decides about the type that it is the length of, or of any other below it: 52 of 5 words, of 4460.
  EXPECT_EQ(with([](MatrixModule& m) { m.types = "!327732 %u32 %len !4460 %array\n%array = OpTypeArray %f32 %len\n"; }),
            "OpSpecConstantOp: its operand is no type of a cooperative matrix that stands above it" + id);
  const auto with_small = [&](const std::string& text) {
    return with([&](MatrixModule& m) {
      m.types = numbered(kMatrixType, "%small %f16 %c3 %n8 %n8 %c2", false);
      m.body = numbered(kMatrixLoad, "%small %y %at_b %c0 %n16") + text + m.product();
    });
  };
  EXPECT_EQ(with_small(""), "");
  EXPECT_EQ(with_small("%x = OpFConvert %mc %y\n"),
            "OpFConvert: scope, rows, columns and use of its operand and its result are different" + id);
  // SPIRV-Tools sees these as well.
  EXPECT_EQ(body("%x = OpConvertUToF %mc %lane\n")
                .find("OpConvertUToF: only both its operand and its result are cooperative matrices" + id),
            0u);
  EXPECT_EQ(body("%x = OpVectorShuffle %mc %c %c 0 1 2 3\n"),
            "OpVectorShuffle: it takes vectors, no cooperative matrices" + id);
  EXPECT_EQ(body("%x = OpVectorExtractDynamic %f32 %c %lane\n"),
            "OpVectorExtractDynamic: it takes vectors, no cooperative matrices" + id);
  EXPECT_EQ(body("%x = OpDot %f32 %c %c\n"), "OpDot: it takes vectors, no cooperative matrices" + id);
  EXPECT_EQ(body("%x = OpMatrixTimesScalar %mc %a %lane\n")
                .find("OpMatrixTimesScalar: its matrix has another type than its result" + id),
            0u);
  EXPECT_EQ(body("%x = OpMatrixTimesScalar %mc %c %lane\n")
                .find("OpMatrixTimesScalar: its scalar has another type than the components" + id),
            0u);
}

// What is right, and not offered.
TEST(CooperativeMatrices, OthersAreNotOffered_SPV55) {
  const std::string id = " [compile-unsupported]\n";
  MatrixModule m;
  m.n = 24;
  EXPECT_EQ(complaint(m),
            "OpTypeCooperativeMatrixKHR: the device offers no product with a matrix B of 16 x 24 such components "
            "(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)" +
                id +
                "OpTypeCooperativeMatrixKHR: the device offers no product with a matrix C of 16 x 24 such components "
                "(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)" +
                id);
  m = {};
  m.scope = "%c2";
  const std::string scope =
      "OpTypeCooperativeMatrixKHR: a subgroup shares a matrix (scope 3), this one has scope 2" + id;
  EXPECT_EQ(complaint(m), scope + scope + scope);
  m = {};
  m.a = "f32";
  EXPECT_EQ(complaint(m),
            "OpCooperativeMatrixMulAddKHR: the device does not offer this product "
            "(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)" +
                id);
  m = {};
  m.a = m.b = "s8";
  m.c = "s32";
  m.body = numbered(kMatrixMulAdd, "%mc %d %a %b %c !15") + "%x = OpCompositeExtract %s32 %d 16\n";
  EXPECT_EQ(complaint(m), "OpCompositeExtract: an element that an invocation does not have" + id);
}

// --- the sanitizer ---

TEST(CooperativeMatrices, UndefinedElementsAndRacesAreFound_SPV55) {
  MatrixModule m;
  m.types = kMoreTypes;
  m.variables = "%nothing = OpVariable %pf_mc Function\n";
  m.body = "%undefined = OpLoad %mc %nothing\n" + m.product("%d", "%undefined");
  const auto findings = [](const MatrixModule& module) {
    spirv::CompileOptions options;
    options.simd = 16;
    std::string toml = "check = \"warn\"\ngroups = [1]\n";
    for (const char* key : kKeys) toml += std::string("[buffers.\"") + key + "\"]\ntype = \"u32\"\ncount = 256\n";
    return messages(run_shader(assemble_shader(module.text()), toml, options).diagnostics);
  };
  EXPECT_NE(findings(m).find("run-undefined"), std::string::npos) << findings(m);
  // Two subgroups store to the same elements.
  MatrixModule both;
  both.lanes = 32;
  EXPECT_NE(findings(both).find("run-race"), std::string::npos) << findings(both);
  EXPECT_EQ(findings(MatrixModule{}), "");
}

}  // namespace
