// SPDX-License-Identifier: MIT
// Integer instructions: every type, modifier and saturation against 128-bit arithmetic written here.
#include <functional>
#include <random>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

__extension__ typedef __int128 Big;

struct IntegerType {
  const char* name;
  unsigned bytes;
  bool is_signed;
  [[nodiscard]] Big low() const { return is_signed ? -(Big{1} << (8 * bytes - 1)) : 0; }
  [[nodiscard]] Big high() const { return (Big{1} << (8 * bytes - (is_signed ? 1 : 0))) - 1; }
};
constexpr IntegerType kTypes[] = {{"ub", 1, false}, {"b", 1, true}, {"uw", 2, false}, {"w", 2, true},
                                  {"ud", 4, false}, {"d", 4, true}, {"uq", 8, false}, {"q", 8, true}};

Big value_of(std::uint64_t bits, const IntegerType& type) {
  Big v = static_cast<Big>(bits & (type.bytes == 8 ? ~0ull : (1ull << (8 * type.bytes)) - 1));
  if (type.is_signed && v > type.high()) v -= Big{1} << (8 * type.bytes);
  return v;
}

std::uint64_t stored(Big value, const IntegerType& type, bool saturate) {
  if (saturate) value = value < type.low() ? type.low() : value > type.high() ? type.high() : value;
  return static_cast<std::uint64_t>(value) & (type.bytes == 8 ? ~0ull : (1ull << (8 * type.bytes)) - 1);
}

const std::vector<std::pair<std::string, std::function<Big(Big)>>> kArithmeticModifiers = {
    {"", [](Big x) { return x; }},
    {"(-)", [](Big x) { return -x; }},
    {"(abs)", [](Big x) { return x < 0 ? -x : x; }},
    {"(-abs)", [](Big x) { return x < 0 ? x : -x; }}};
const std::vector<std::pair<std::string, std::function<Big(Big)>>> kLogicModifiers = {
    {"", [](Big x) { return x; }}, {"(~)", [](Big x) { return -x - 1; }}};

struct Operation {
  std::string name;
  unsigned sources;
  bool saturates;
  bool logic;       ///< ~ instead of - and abs
  unsigned widest;  ///< bytes of the widest type it takes
  std::function<Big(const std::vector<Big>&, const IntegerType& to, const std::vector<const IntegerType*>&)> model;
};

std::uint64_t interesting(std::mt19937_64& random) {
  constexpr std::uint64_t kEdges[] = {0,      1,          2,      0x7f,       0x80,       0xff,
                                      0x7fff, 0x8000,     0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                                      ~0ull,  1ull << 63, 31,     32,         63};
  return random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : random() >> (random() % 64);
}

void check(const Operation& op, const IntegerType& to, const std::vector<const IntegerType*>& from, bool saturate,
           std::size_t modifier, std::mt19937_64& random) {
  const auto& modifiers = op.logic ? kLogicModifiers : kArithmeticModifiers;
  const auto& [modifier_text, apply] = modifiers[modifier % modifiers.size()];
  constexpr unsigned kLanes = 16;
  std::string body = decl("D", to.name, kLanes);
  std::string line = op.name + (saturate ? ".sat" : "") + " (M1, 16) D(0,0)<1>";
  for (unsigned i = 0; i < op.sources; ++i) {
    body += decl("S" + std::to_string(i) + "v", from[i]->name, kLanes);
    line += " " + (i == 0 ? modifier_text : std::string()) + "S" + std::to_string(i) + "v(0,0)<1;1,0>";
  }
  KernelRun run(body + line + "\nret (M1, 1)\n", isa::Platform::XE3);
  ASSERT_TRUE(run.ready()) << line;
  std::vector<std::vector<std::uint64_t>> in(op.sources, std::vector<std::uint64_t>(kLanes));
  for (unsigned i = 0; i < op.sources; ++i) {
    std::vector<std::uint8_t> bytes(kLanes * from[i]->bytes);
    for (unsigned k = 0; k < kLanes; ++k) {
      in[i][k] = interesting(random);
      std::memcpy(bytes.data() + k * from[i]->bytes, &in[i][k], from[i]->bytes);
    }
    run.set("S" + std::to_string(i) + "v", bytes);
  }
  ASSERT_EQ(run.go(), reference::Outcome::Finished) << line;
  EXPECT_TRUE(run.diagnostics.empty()) << line << ' ' << run.ids().front();
  const auto out = run.get<std::uint8_t>("D", kLanes * to.bytes);
  for (unsigned k = 0; k < kLanes; ++k) {
    std::vector<Big> values;
    for (unsigned i = 0; i < op.sources; ++i)
      values.push_back(i == 0 ? apply(value_of(in[i][k], *from[i])) : value_of(in[i][k], *from[i]));
    std::uint64_t got = 0;
    std::memcpy(&got, out.data() + k * to.bytes, to.bytes);
    EXPECT_EQ(got, stored(op.model(values, to, from), to, saturate))
        << line << " to " << to.name << " from " << from[0]->name << " lane " << k;
  }
}

unsigned count_bits(const IntegerType& to) { return to.bytes == 8 ? 6 : 5; }
unsigned shift_count(Big n, const IntegerType& to) { return static_cast<unsigned>(n & ((1 << count_bits(to)) - 1)); }

Big power(unsigned n) {
  Big p = 1;
  while (n-- > 0) p *= 2;
  return p;
}
Big floor_divide(Big a, Big b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
Big wrap(Big value, unsigned bits) {  // as unsigned of that many bits
  const Big m = power(bits);
  value %= m;
  return value < 0 ? value + m : value;
}

const std::vector<Operation>& operations() {
  using Values = const std::vector<Big>&;
  using To = const IntegerType&;
  using From = const std::vector<const IntegerType*>&;
  static const std::vector<Operation> kOperations = {
      {"add", 2, true, false, 8, [](Values v, To, From) { return v[0] + v[1]; }},
      {"avg", 2, true, false, 4, [](Values v, To, From) { return floor_divide(v[0] + v[1] + 1, 2); }},
      {"mul", 2, false, false, 4, [](Values v, To, From) { return v[0] * v[1]; }},
      {"mad", 3, false, false, 4, [](Values v, To, From) { return v[0] * v[1] + v[2]; }},
      {"add3", 3, true, false, 4, [](Values v, To, From) { return v[0] + v[1] + v[2]; }},
      {"and", 2, false, true, 8, [](Values v, To, From) { return v[0] & v[1]; }},
      {"or", 2, false, true, 8, [](Values v, To, From) { return v[0] | v[1]; }},
      {"xor", 2, false, true, 8, [](Values v, To, From) { return v[0] ^ v[1]; }},
      {"not", 1, false, true, 8, [](Values v, To, From) { return -v[0] - 1; }},
      {"mov", 1, true, false, 8, [](Values v, To, From) { return v[0]; }},
      {"min", 2, true, false, 8, [](Values v, To, From) { return v[0] < v[1] ? v[0] : v[1]; }},
      {"max", 2, true, false, 8, [](Values v, To, From) { return v[0] > v[1] ? v[0] : v[1]; }},
      {"asr", 2, false, false, 8, [](Values v, To t, From) { return floor_divide(v[0], power(shift_count(v[1], t))); }},
      {"shr", 2, false, false, 8,
       [](Values v, To t, From f) {
         const unsigned bits = 8 * std::max({f[0]->bytes, f[1]->bytes, 2u});
         return wrap(v[0], bits) / power(shift_count(v[1], t));
       }},
      {"shl", 2, false, false, 8,
       [](Values v, To t, From) {
         return wrap(
             wrap(v[0], 64) * power(shift_count(v[1], t) % 32) % power(64) * power(shift_count(v[1], t) / 32 * 32), 64);
       }},
  };
  return kOperations;
}

TEST(Integers, EveryTypeModifierAndSaturation) {
  std::mt19937_64 random(20);
  for (const Operation& op : operations()) {
    for (const IntegerType& to : kTypes) {
      for (const IntegerType& from : kTypes) {
        if (from.bytes > op.widest || to.bytes > op.widest) continue;
        for (const bool saturate : {false, true}) {
          if (saturate && !op.saturates) continue;
          std::vector<const IntegerType*> sources(op.sources, &from);
          for (std::size_t i = 1; i < sources.size(); ++i)
            if (random() % 2 == 0) sources[i] = &kTypes[random() % (op.widest == 8 ? 8 : 6)];
          check(op, to, sources, saturate, random(), random);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

struct Division {
  const char* type;
  std::int64_t a, b;
  std::uint64_t quotient, remainder;
};

TEST(Integers, DivisionRules) {  // NUM-99
  const Division cases[] = {
      {"d", 7, 2, 3, 1},
      {"d", -7, 2, 0xfffffffdu, 0xffffffffu},
      {"d", 7, -2, 0xfffffffdu, 1},
      {"d", -7, -2, 3, 0xffffffffu},
      {"d", 5, 0, 0x7fffffff, 5},
      {"d", 0, 0, 0x7fffffff, 0},
      {"d", -5, 0, 0x80000000u, 0xfffffffbu},
      {"d", -2147483648ll, -1, 0x80000000u, 0},
      {"ud", 5, 0, 0xffffffffu, 5},
      {"ud", 4000000000ll, 7, 571428571, 3},
      {"w", -32768, -1, 0x8000u, 0},
      {"ub", 200, 0, 0xff, 200},
      {"b", -100, 0, 0x80, 0x9c},
  };
  for (const Division& c : cases) {
    const unsigned bytes = c.type[std::strlen(c.type) - 1] == 'd' ? 4 : c.type[std::strlen(c.type) - 1] == 'w' ? 2 : 1;
    KernelRun run(decl("A", c.type, 1) + decl("B", c.type, 1) + decl("Q", c.type, 1) + decl("R", c.type, 1) +
                  "div (M1_NM, 1) Q(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0>\nmod (M1_NM, 1) R(0,0)<1> A(0,0)<0;1,0> "
                  "B(0,0)<0;1,0>\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready());
    run.set<std::int64_t>("A", {c.a}).set<std::int64_t>("B", {c.b});
    ASSERT_EQ(run.go(), reference::Outcome::Finished);
    const std::uint64_t mask = (1ull << (8 * bytes)) - 1;
    EXPECT_EQ(run.get<std::uint64_t>("Q", 1)[0] & mask, c.quotient) << c.type << ' ' << c.a << '/' << c.b;
    EXPECT_EQ(run.get<std::uint64_t>("R", 1)[0] & mask, c.remainder) << c.type << ' ' << c.a << '%' << c.b;
  }
}

/// One line over eight lanes of dwords; expectation lane by lane.
struct Words {
  const char* line;
  std::vector<std::uint32_t> a, b, c, expected;
};

TEST(Integers, WordsAndBits) {
  const Words cases[] = {
      {"mulh (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>",
       {0xffffffff, 0x80000000, 3, 0x10000},
       {0xffffffff, 2, 4, 0x10000},
       {},
       {0xfffffffe, 1, 0, 1}},
      {"mulh (M1, 4) D(0,0)<1> As(0,0)<1;1,0> Bs(0,0)<1;1,0>",
       {0xffffffff, 0x80000000, 3, 0x10000},
       {0xffffffff, 2, 4, 0x10000},
       {},
       {0, 0xffffffff, 0, 1}},
      {"lzd (M1, 4) D(0,0)<1> A(0,0)<1;1,0>", {0, 1, 0x80000000, 0x00f00000}, {}, {}, {32, 31, 0, 8}},
      {"fbl (M1, 4) D(0,0)<1> A(0,0)<1;1,0>", {0, 1, 0x80000000, 0x00f00000}, {}, {}, {0xffffffff, 0, 31, 20}},
      {"fbh (M1, 4) D(0,0)<1> A(0,0)<1;1,0>", {0, 1, 0x80000000, 0x00f00000}, {}, {}, {0xffffffff, 31, 0, 8}},
      {"fbh (M1, 4) D(0,0)<1> As(0,0)<1;1,0>",
       {0, 0xffffffff, 0x80000000, 0xfff00000},
       {},
       {},
       {0xffffffff, 0xffffffff, 1, 12}},
      {"cbit (M1, 4) D(0,0)<1> A(0,0)<1;1,0>", {0, 0xffffffff, 0x80000001, 0xf0}, {}, {}, {0, 32, 2, 4}},
      {"bfrev (M1, 4) D(0,0)<1> A(0,0)<1;1,0>",
       {1, 0x80000000, 0xf0, 0x12345678},
       {},
       {},
       {0x80000000, 1, 0x0f000000, 0x1e6a2c48}},
      {"bfe (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>",
       {8, 4, 0, 31},
       {8, 28, 3, 1},
       {0x12345678, 0xf0000000, 0xffffffff, 0xffffffff},
       {0x56, 0xf, 0, 0x7fffffff}},
      {"bfe (M1, 4) Ds(0,0)<1> As(0,0)<1;1,0> Bs(0,0)<1;1,0> Cs(0,0)<1;1,0>",
       {8, 4, 8, 16},
       {4, 28, 8, 20},
       {0x00000f80, 0x70000000, 0x8000, 0x80000000},
       {0xfffffff8, 7, 0xffffff80, 0xfffff800}},
      {"rol (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>",
       {0x80000001, 1, 0x12345678, 5},
       {1, 32, 8, 33},
       {},
       {3, 1, 0x34567812, 10}},
      {"ror (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>",
       {0x80000001, 1, 0x12345678, 5},
       {1, 32, 8, 33},
       {},
       {0xc0000000, 1, 0x78123456, 0x80000002}},
      {"bfn.xe8 (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>",
       {0xf0f0f0f0, 0xffffffff, 0, 0x12345678},
       {0xff00ff00, 0xffff0000, 0, 0x12345678},
       {0xcccccccc, 0, 0xffffffff, 0},
       {0xfcc0fcc0, 0xffff0000, 0, 0x12345678}},
      {"dp4a (M1, 4) Ds(0,0)<1> As(0,0)<1;1,0> Bs(0,0)<1;1,0> Cs(0,0)<1;1,0>",
       {10, 0, 0xffffffff, 0},
       {0x01020304, 0xffffffff, 0x7f7f7f7f, 0x80808080},
       {0x01010101, 0x02020202, 0x7f7f7f7f, 0x80808080},
       {20, 0xfffffff8, 64515, 65536}},
      {"dp4a (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>",
       {10, 0, 0xffffffff, 0},
       {0x01020304, 0xffffffff, 0x01, 0x80808080},
       {0x01010101, 0x02020202, 0x01, 0x80808080},
       {20, 2040, 0, 65536}},
      {"addc (M1, 4) D(0,0)<1> X(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>",
       {0xffffffff, 1, 0x80000000, 7},
       {1, 2, 0x80000000, 8},
       {},
       {0, 3, 0, 15}},
      {"subb (M1, 4) D(0,0)<1> X(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>",
       {0, 5, 0x80000000, 7},
       {1, 2, 0x80000001, 7},
       {},
       {0xffffffff, 3, 0xffffffff, 0}},
  };
  for (const Words& c : cases) {
    std::string body;
    for (const char* name : {"A", "B", "C", "D"})
      body += decl(name, "ud", 8) + decl(std::string(name) + "s", "d", 8, " alias=<" + std::string(name) + ",0>");
    KernelRun run(body + decl("X", "ud", 8) + c.line + "\nret (M1, 1)\n", isa::Platform::PVC);
    ASSERT_TRUE(run.ready()) << c.line;
    run.set("A", c.a).set("B", c.b).set("C", c.c);
    ASSERT_EQ(run.go(), reference::Outcome::Finished) << c.line;
    EXPECT_EQ(run.get<std::uint32_t>("D", 4), c.expected) << c.line;
    const std::string op = std::string(c.line).substr(0, 4);
    if (op == "addc" || op == "subb") {
      EXPECT_EQ(run.get<std::uint32_t>("X", 4), (std::vector<std::uint32_t>{1, 0, 1, 0}));
    }
  }
}

TEST(Integers, BitFieldInsert) {
  KernelRun run(decl("V32", "ud", 4) + decl("V33", "ud", 4) +
                "mov (M1, 4) V32(0,0)<1> 0xabcd:ud\nbfi (M1, 4) V33(0,0)<1> 8:ud 4:ud V32(0,0)<1;1,0> "
                "0xffff0000:ud\nret (M1, 1)\n");
  run.go();
  EXPECT_EQ(run.get<std::uint32_t>("V33", 1)[0], 0xffff0cd0u);
}

TEST(Integers, MadwSplitsLowAndHighWords) {
  KernelRun run(decl("V32", "ud", 16) + decl("A", "ud", 8) + decl("B", "ud", 8) +
                "madw (M1, 8) V32(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> 5:ud\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<std::uint32_t>("A", {1, 2, 3, 0xffffffff, 0, 0, 0, 9})
      .set<std::uint32_t>("B", {1, 2, 3, 0xffffffff, 0, 0, 0, 0x80000000});
  run.go();
  const auto out = run.get<std::uint32_t>("V32", 16);
  EXPECT_EQ(out[3], 6u);  // ffffffff^2 + 5 = fffffffe00000006
  EXPECT_EQ(out[8 + 3], 0xfffffffeu);
  EXPECT_EQ(out[7], 0x80000005u);
  EXPECT_EQ(out[15], 4u);
}

TEST(Integers, Sad2WritesEvenLanes) {
  KernelRun run(decl("V32", "uw", 8) + decl("A", "ub", 8) + decl("B", "ub", 8) +
                "mov (M1, 8) V32(0,0)<1> 77:uw\nsad2 (M1, 8) V32(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<std::uint8_t>("A", {1, 200, 3, 4, 0, 255, 9, 9}).set<std::uint8_t>("B", {5, 100, 3, 4, 255, 0, 8, 7});
  run.go();
  EXPECT_EQ(run.get<std::uint16_t>("V32", 8), (std::vector<std::uint16_t>{104, 77, 0, 77, 510, 77, 3, 77}));
}

TEST(Dpas, BytesAndHalves) {
  // 8 lanes, depth 8, two rows: row r of src2 holds r + 1 in every element, column i of src1 holds i.
  KernelRun run(
      decl("D", "d", 16) + decl("C", "d", 16) + decl("B", "d", 64) + decl("A", "d", 16) + decl("F", "f", 8) +
          decl("H", "ud", 64) + decl("G", "ud", 8) +
          "dpas.s8.s8.8.2 (M1, 8) D.0 C.0 B.0 A(0,0)\ndpas.hf.hf.8.1 (M1, 8) F.0 %null.0 H.0 G(0,0)\nret (M1, 1)\n",
      isa::Platform::DG2);
  ASSERT_TRUE(run.ready());
  std::vector<std::uint32_t> b, a, h;
  for (unsigned d = 0; d < 8; ++d)
    for (unsigned i = 0; i < 8; ++i) b.push_back(0x01010101u * i), h.push_back(d == 0 && i == 3 ? 0x40003c00u : 0u);
  for (unsigned i = 0; i < 16; ++i) a.push_back(i < 8 ? 0x01010101u : 0xfefefefeu);  // 1 and -2
  run.set("B", b)
      .set("A", a)
      .set("C", std::vector<int>(16, 1000))
      .set("H", h)
      .set("G", std::vector<std::uint32_t>(8, 0x42003c00u));
  ASSERT_EQ(run.go(), reference::Outcome::Finished);
  const auto d = run.get<int>("D", 16);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(d[static_cast<unsigned>(i)], 1000 + 32 * i);
    EXPECT_EQ(d[static_cast<unsigned>(8 + i)], 1000 - 64 * i);
  }
  EXPECT_EQ(run.get<float>("F", 8)[3], 1.0f * 1.0f + 2.0f * 3.0f);
  EXPECT_EQ(run.get<float>("F", 8)[2], 0.0f);
}

TEST(Integers, AddThreeWithOverflow) {
  KernelRun run(
      decl("V32", "ud", 8) + decl("A", "ud", 8) + ".decl P1 v_type=P num_elts=8\n" + decl("R", "uw", 1) +
          "(P1) add3.o (M1, 8) V32(0,0)<1> A(0,0)<1;1,0> 1:uw 1:uw\nmov (M1_NM, 1) R(0,0)<1> P1\nret (M1, 1)\n",
      isa::Platform::DG2);
  ASSERT_TRUE(run.ready());
  run.set<std::uint32_t>("A", {0xffffffff, 0xfffffffe, 0xfffffffd, 0, 1, 2, 3, 0xffffffff});
  run.go();
  EXPECT_EQ(run.get<std::uint32_t>("V32", 4), (std::vector<std::uint32_t>{1, 0, 0xffffffff, 2}));
  EXPECT_EQ(run.get<std::uint16_t>("R", 1)[0], 0x83u);
}

}  // namespace
}  // namespace heddle::engine::testing
