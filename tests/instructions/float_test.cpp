// SPDX-License-Identifier: MIT
// Floating instructions: F, HF, DF, BF, rounding and subnormal modes, ALT mode, accuracy (NUM-80..98).
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> run_floats(const std::string& line, const std::vector<float>& a, const std::vector<float>& b = {},
                              const std::vector<float>& c = {}, const std::string& before = {}) {
  KernelRun run(decl("D", "f", 16) + decl("A", "f", 32) + decl("B", "f", 32) + decl("C", "f", 16) + before + line +
                "\nret (M1, 1)\n");
  if (!run.ready()) return {};
  run.set("A", a).set("B", b).set("C", c);
  EXPECT_EQ(run.go(), reference::Outcome::Finished) << line;
  return run.get<float>("D", 16);
}

std::uint32_t bits(float x) { return base::bits_of(x); }

std::vector<float> samples(std::mt19937& random, unsigned n = 16) {
  const float edges[] = {0.0f,   -0.0f,   1.0f,    -1.0f, 0.5f, kInf,  -kInf, kNan,
                         1e-40f, -1e-40f, 3.4e38f, 1.5f,  2.5f, -2.5f, 1e10f, 0x1p-126f};
  std::vector<float> out;
  for (unsigned i = 0; i < n; ++i)
    out.push_back(random() % 3 == 0 ? edges[random() % std::size(edges)]
                                    : std::ldexp(static_cast<float>(static_cast<int>(random())),
                                                 static_cast<int>(random() % 60) - 60));
  return out;
}

/// Equal bits; any NaN is the canonical one.
void expect_same(float got, float expected, const std::string& what) {
  if (expected != expected)
    EXPECT_EQ(bits(got), 0x7fc00000u) << what;
  else
    EXPECT_EQ(bits(got), bits(expected)) << what << ": " << got << " for " << expected;
}

struct Binary {
  const char* name;
  float (*model)(float, float);
};

TEST(Floats, SingleOperationsRoundOnceInEveryMode) {
  const Binary operations[] = {{"add", [](float a, float b) { return a + b; }},
                               {"mul", [](float a, float b) { return a * b; }},
                               {"div", [](float a, float b) { return a / b; }},
                               {"min", [](float a, float b) { return a != a || b < a ? b : a; }},
                               {"max", [](float a, float b) { return a != a || b > a ? b : a; }}};
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::mt19937 random(30);
  for (const Binary& op : operations) {
    for (unsigned m = 0; m < 4; ++m) {
      const auto a = samples(random), b = samples(random);
      const std::string before = "mov (M1_NM, 1) %cr0(0,0)<1> " + std::to_string(0x4c0 + 16 * m) + ":ud\n";
      const auto out =
          run_floats(std::string(op.name) + " (M1, 16) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", a, b, {}, before);
      ASSERT_EQ(out.size(), 16u);
      for (unsigned k = 0; k < 16; ++k) {
        std::fesetround(modes[m]);
        const volatile float x = a[k], y = b[k];
        const volatile float expected = op.model(x, y);
        std::fesetround(FE_TONEAREST);
        expect_same(out[k], expected, std::string(op.name) + " mode " + std::to_string(m));
      }
    }
  }
}

TEST(Floats, ModifiersAndSaturation) {
  const auto out = run_floats("add.sat (M1, 8) D(0,0)<1> (-)A(0,0)<1;1,0> (abs)B(0,0)<1;1,0>",
                              {1, 2, 0.25f, -1, 0, kNan, kInf, 0}, {-1, -4, -0.5f, -1, 0, 1, 1, kInf});
  const float expected[] = {0, 1, 0.25f, 1, 0, 0, 0, 1};
  for (unsigned k = 0; k < 8; ++k) EXPECT_EQ(bits(out[k]), bits(expected[k])) << k;
}

TEST(Floats, MadIsFused) {  // NUM-94, C36
  std::mt19937 random(31);
  const auto a = samples(random), b = samples(random), c = samples(random);
  const auto out = run_floats("mad (M1, 16) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> C(0,0)<1;1,0>", a, b, c);
  for (unsigned k = 0; k < 16; ++k) expect_same(out[k], std::fma(a[k], b[k], c[k]), "mad");
  const auto exact = run_floats("mad (M1, 1) D(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0> C(0,0)<0;1,0>", {1 + 0x1p-12f},
                                {1 + 0x1p-12f}, {-(1 + 0x1p-11f)});
  EXPECT_EQ(exact[0], 0x1p-24f);
}

TEST(Floats, SubnormalModes) {  // NUM-92
  const std::string line = "add (M1, 2) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>";
  const auto kept = run_floats(line, {1e-40f, 0x1.8p-126f}, {0, -0x1p-126f});
  EXPECT_EQ(bits(kept[0]), bits(1e-40f));
  EXPECT_EQ(kept[1], 0x1p-127f);
  const auto flushed =
      run_floats(line, {-1e-40f, -0x1.8p-126f}, {-0.0f, 0x1p-126f}, {}, "mov (M1_NM, 1) %cr0(0,0)<1> 0x440:ud\n");
  EXPECT_EQ(bits(flushed[0]), bits(-0.0f));
  EXPECT_EQ(bits(flushed[1]), bits(-0.0f));
}

TEST(Floats, AltMode) {  // NUM-93
  const std::string alt = "mov (M1_NM, 1) %cr0(0,0)<1> 0x4c1:ud\n";
  EXPECT_EQ(run_floats("mul (M1, 1) D(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0>", {3e38f}, {-10}, {}, alt)[0],
            -std::numeric_limits<float>::max());
  EXPECT_EQ(run_floats("sqrt (M1, 1) D(0,0)<1> A(0,0)<0;1,0>", {-16}, {}, {}, alt)[0], 4.0f);
  EXPECT_EQ(run_floats("log (M1, 1) D(0,0)<1> A(0,0)<0;1,0>", {-8}, {}, {}, alt)[0], 3.0f);
  EXPECT_EQ(run_floats("rsqrt (M1, 1) D(0,0)<1> A(0,0)<0;1,0>", {-4}, {}, {}, alt)[0], 0.5f);
}

TEST(Floats, FunctionsAreWithinOneUlp) {  // NUM-98
  struct Function {
    const char* name;
    long double (*model)(long double);
    float low, high;
  };
  const Function functions[] = {{"inv", [](long double x) { return 1 / x; }, -1e30f, 1e30f},
                                {"sqrt", [](long double x) { return std::sqrt(x); }, 0, 1e30f},
                                {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 1e-30f, 1e30f},
                                {"exp", [](long double x) { return std::exp2(x); }, -150, 127},
                                {"log", [](long double x) { return std::log2(x); }, 1e-40f, 1e30f},
                                {"sin", [](long double x) { return std::sin(x); }, -1000, 1000},
                                {"cos", [](long double x) { return std::cos(x); }, -1000, 1000}};
  std::mt19937 random(32);
  for (const Function& f : functions) {
    for (int round = 0; round < 20; ++round) {
      std::vector<float> a;
      for (int k = 0; k < 16; ++k) a.push_back(std::uniform_real_distribution<float>(f.low, f.high)(random));
      const auto out = run_floats(std::string(f.name) + " (M1, 16) D(0,0)<1> A(0,0)<1;1,0>", a);
      for (unsigned k = 0; k < 16; ++k) {
        const long double exact = f.model(static_cast<long double>(a[k]));
        const float next = std::nextafter(std::fabs(static_cast<float>(exact)), kInf);
        const long double ulp = static_cast<long double>(next) - std::fabs(static_cast<float>(exact));
        EXPECT_LE(std::fabs(static_cast<long double>(out[k]) - exact), ulp) << f.name << ' ' << a[k];
      }
    }
  }
  EXPECT_EQ(run_floats("pow (M1, 2) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", {2, 9}, {10, 0.5f})[0], 1024.0f);
}

TEST(Floats, RoundingToWholeNumbers) {
  const std::vector<float> a = {1.5f, 2.5f, -1.5f, -2.5f,       0.5f,   -0.5f,   1.25f,  8388609.0f,
                                kInf, kNan, -0.0f, 0.49999997f, 1e-40f, -1e-40f, 3.999f, -3.999f};
  const auto even = run_floats("rnde (M1, 16) D(0,0)<1> A(0,0)<1;1,0>", a);
  const auto down = run_floats("rndd (M1, 16) D(0,0)<1> A(0,0)<1;1,0>", a),
             up = run_floats("rndu (M1, 16) D(0,0)<1> A(0,0)<1;1,0>", a);
  const auto zero = run_floats("rndz (M1, 16) D(0,0)<1> A(0,0)<1;1,0>", a),
             fraction = run_floats("frc (M1, 16) D(0,0)<1> A(0,0)<1;1,0>", a);
  for (unsigned k = 0; k < 16; ++k) {
    expect_same(even[k], std::nearbyint(a[k]), "rnde " + std::to_string(a[k]));
    expect_same(down[k], std::floor(a[k]), "rndd");
    expect_same(up[k], std::ceil(a[k]), "rndu");
    expect_same(zero[k], std::trunc(a[k]), "rndz");
    expect_same(fraction[k], a[k] - std::floor(a[k]), "frc");
  }
}

TEST(Floats, ProductsOfSeveralLanes) {
  const std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8}, b = {2, 3, 4, 5, 1, 1, 1, 10};
  const auto out = [&](const char* op) {
    return run_floats(std::string(op) + " (M1, 8) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>", a, b);
  };
  EXPECT_EQ(out("dp4")[0], 40.0f);
  EXPECT_EQ(out("dp4")[7], 98.0f);
  EXPECT_EQ(out("dp3")[1], 20.0f);
  EXPECT_EQ(out("dp2")[6], 11.0f);
  EXPECT_EQ(out("dph")[2], 25.0f);
  EXPECT_EQ(out("dph")[4], 28.0f);
  EXPECT_EQ(run_floats("lrp (M1, 1) D(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0> C(0,0)<0;1,0>", {0.25f}, {8}, {4})[0], 5.0f);
  EXPECT_EQ(run_floats("line (M1, 4) D(0,0)<1> A(0,0)<0;1,0> B(0,0)<1;1,0>", {2, 99, 98, 7}, {0, 1, 2, 3})[3], 13.0f);
}

TEST(Floats, PlaneTakesPairsOfRegisters) {
  std::vector<float> uv;
  for (int i = 0; i < 32; ++i) uv.push_back(static_cast<float>(i));
  const auto out = run_floats("plane (M1, 16) D(0,0)<1> A(0,0)<0;1,0> B(0,0)<1;1,0>", {2, 100, 12345, 0.5f}, uv);
  for (unsigned k = 0; k < 16; ++k) {
    const float u = static_cast<float>(k < 8 ? k : 16 + (k - 8)), v = static_cast<float>(k < 8 ? 8 + k : 24 + (k - 8));
    EXPECT_EQ(out[k], 2 * u + 100 * v + 0.5f) << k;
  }
}

TEST(Floats, HalfOperationsRoundOnce) {
  std::mt19937 random(33);
  const char* names[] = {"add", "mul", "div"};
  for (const char* name : names) {
    for (int round = 0; round < 40; ++round) {
      KernelRun run(decl("D", "hf", 16) + decl("A", "hf", 16) + decl("B", "hf", 16) +
                    "mov (M1_NM, 1) %cr0(0,0)<1> 0x4c0:ud\n" + name +
                    " (M1, 16) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\nret (M1, 1)\n");
      ASSERT_TRUE(run.ready());
      std::vector<std::uint16_t> a, b;
      for (int k = 0; k < 16; ++k)
        a.push_back(static_cast<std::uint16_t>(random())), b.push_back(static_cast<std::uint16_t>(random()));
      run.set("A", a).set("B", b).go();
      const auto out = run.get<std::uint16_t>("D", 16);
      for (unsigned k = 0; k < 16; ++k) {
        const auto x = std::bit_cast<_Float16>(a[k]), y = std::bit_cast<_Float16>(b[k]);
        const _Float16 expected = *name == 'a'   ? static_cast<_Float16>(x + y)
                                  : *name == 'm' ? static_cast<_Float16>(x * y)
                                                 : static_cast<_Float16>(x / y);
        if (expected != expected)
          EXPECT_EQ(out[k], 0x7e00u);
        else
          EXPECT_EQ(out[k], std::bit_cast<std::uint16_t>(expected))
              << name << ' ' << static_cast<float>(x) << ' ' << static_cast<float>(y);
      }
    }
  }
}

TEST(Floats, HalfSubnormalsAreFlushedAtThreadStart) {  // C36
  KernelRun run(decl("D", "hf", 2) + decl("A", "hf", 2) + "add (M1, 2) D(0,0)<1> A(0,0)<1;1,0> 0x0:hf\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<std::uint16_t>("A", {0x8001, 0x0400}).go();
  EXPECT_EQ(run.get<std::uint16_t>("D", 2), (std::vector<std::uint16_t>{0x0000, 0x0400}));  // -0 + +0 = +0
}

TEST(Floats, MixedSingleAndHalf) {  // NUM-91
  KernelRun run(decl("D", "hf", 1) + decl("F", "f", 1) + decl("A", "hf", 1) + decl("B", "f", 1) +
                "add (M1_NM, 1) D(0,0)<1> A(0,0)<0;1,0> B(0,0)<0;1,0>\nadd (M1_NM, 1) F(0,0)<1> A(0,0)<0;1,0> "
                "A(0,0)<0;1,0>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<std::uint16_t>("A", {0x7bff}).set<float>("B", {0.001f}).go();
  EXPECT_EQ(run.get<std::uint16_t>("D", 1)[0], 0x7bffu);
  EXPECT_EQ(run.get<float>("F", 1)[0], 131008.0f);
}

TEST(Floats, DoubleOperations) {
  KernelRun run(decl("D", "df", 4) + decl("A", "df", 4) + decl("B", "df", 4) +
                "mul (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0>\nmad (M1, 4) D(0,0)<1> A(0,0)<1;1,0> B(0,0)<1;1,0> "
                "(-)D(0,0)<1;1,0>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<double>("A", {0.1, 1.0 / 3, 1e200, -7}).set<double>("B", {0.1, 3, 1e-200, 0.3}).go();
  const auto out = run.get<double>("D", 4);
  EXPECT_EQ(out[0], std::fma(0.1, 0.1, -(0.1 * 0.1)));
  EXPECT_EQ(out[3], std::fma(-7, 0.3, 7 * 0.3));
}

TEST(Floats, ComparisonsWithNaN) {
  const char* conditions[] = {"eq", "ne", "gt", "ge", "lt", "le"};
  const std::uint16_t expected[] = {0x2, 0xd, 0x4, 0x6, 0x1, 0x3};  // lanes: 1<2, 2=2, 3>2, NaN
  for (unsigned i = 0; i < 6; ++i) {
    KernelRun run(decl("A", "f", 4) + decl("R", "uw", 1) + decl("V", "d", 4) + ".decl P1 v_type=P num_elts=4\ncmp." +
                  conditions[i] + " (M1, 4) P1 A(0,0)<1;1,0> 0x40000000:f\ncmp." + conditions[i] +
                  " (M1, 4) V(0,0)<1> A(0,0)<1;1,0> 0x40000000:f\nmov (M1_NM, 1) R(0,0)<1> P1\nret (M1, 1)\n");
    ASSERT_TRUE(run.ready());
    run.set<float>("A", {1, 2, 3, kNan}).go();
    EXPECT_EQ(run.get<std::uint16_t>("R", 1)[0], expected[i]) << conditions[i];
    const auto v = run.get<std::int32_t>("V", 4);
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(v[k], (expected[i] >> k & 1) != 0 ? -1 : 0);
  }
}

TEST(Floats, MovesKeepBits) {
  KernelRun run(decl("D", "f", 4) + decl("A", "f", 4) + "mov (M1, 4) D(0,0)<1> (-)A(0,0)<1;1,0>\nret (M1, 1)\n");
  ASSERT_TRUE(run.ready());
  run.set<std::uint32_t>("A", {0x7f812345u, 0x00000001u, 0x80000000u, 0xffc00001u}).go();
  EXPECT_EQ(run.get<std::uint32_t>("D", 4), (std::vector<std::uint32_t>{0xff812345u, 0x80000001u, 0u, 0x7fc00001u}));
}

}  // namespace
}  // namespace heddle::engine::testing
