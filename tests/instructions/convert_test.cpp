// SPDX-License-Identifier: MIT
// Conversions between every two types, and the arithmetic of every float type with every modifier and saturation,
// against exact values rounded here (long double holds every operand and every product of two halves or singles).
#include <bit>
#include <cmath>
#include <random>
#include <string_view>

#include "engine/harness.hpp"

namespace heddle::engine::testing {
namespace {

using Real = long double;

struct Kind {
  const char* name;
  unsigned bytes;
  bool real, is_signed;
  int precision = 0, least = 0, most = 0;  ///< fraction bits with the hidden one; exponents of normal numbers
};
constexpr Kind kKinds[] = {{"ub", 1, false, false},
                           {"b", 1, false, true},
                           {"uw", 2, false, false},
                           {"w", 2, false, true},
                           {"ud", 4, false, false},
                           {"d", 4, false, true},
                           {"uq", 8, false, false},
                           {"q", 8, false, true},
                           {"hf", 2, true, true, 11, -14, 15},
                           {"bf", 2, true, true, 8, -126, 127},
                           {"f", 4, true, true, 24, -126, 127},
                           {"df", 8, true, true, 53, -1022, 1023}};

/// The nearest number of the kind, ties to even.
Real rounded(Real x, const Kind& to) {
  if (std::isnan(x) || std::isinf(x) || x == 0) return x;
  int exponent = 0;
  (void)std::frexp(x, &exponent);
  const int quantum = std::max(exponent - to.precision, to.least - to.precision + 1);
  const Real result = std::ldexp(std::nearbyint(std::ldexp(x, -quantum)), quantum);
  return std::fabs(result) >= std::ldexp(Real{1}, to.most + 1) ? std::copysign(INFINITY, x) : result;
}

/// Value of bits by the field widths of the kind.
Real value_of(std::uint64_t bits, const Kind& k) {
  if (!k.real) {
    if (k.bytes == 8) return k.is_signed ? static_cast<Real>(static_cast<std::int64_t>(bits)) : static_cast<Real>(bits);
    bits &= (1ull << (8 * k.bytes)) - 1;
    const bool negative = k.is_signed && (bits >> (8 * k.bytes - 1) & 1) != 0;
    return static_cast<Real>(bits) - (negative ? std::ldexp(Real{1}, static_cast<int>(8 * k.bytes)) : 0);
  }
  const unsigned fraction_bits = static_cast<unsigned>(k.precision - 1), total = 8 * k.bytes;
  const std::uint64_t fraction = bits & ((1ull << fraction_bits) - 1);
  const auto exponent = static_cast<int>(bits >> fraction_bits & ((1ull << (total - 1 - fraction_bits)) - 1));
  const Real sign = (bits >> (total - 1) & 1) != 0 ? -1 : 1;
  if (exponent > k.most - k.least + 1) return fraction != 0 ? std::nanl("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<Real>(fraction), k.least - k.precision + 1);
  return sign *
         std::ldexp(static_cast<Real>(fraction | 1ull << fraction_bits), exponent - 1 + k.least - k.precision + 1);
}

Real low(const Kind& k) { return k.is_signed ? -std::ldexp(Real{1}, static_cast<int>(8 * k.bytes) - 1) : 0; }
Real high(const Kind& k) { return std::ldexp(Real{1}, static_cast<int>(8 * k.bytes) - (k.is_signed ? 1 : 0)) - 1; }

bool subnormal(Real x, const Kind& k) { return k.real && x != 0 && std::fabs(x) < std::ldexp(Real{1}, k.least); }

std::uint64_t pick(const Kind& k, std::mt19937_64& random) {
  if (!k.real) {
    constexpr std::uint64_t kEdges[] = {0,      1,          0x7f,       0x80,  0xff,       0x7fff,
                                        0x8000, 0x7fffffff, 0x80000000, ~0ull, 1ull << 63, ~0ull >> 1};
    return random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : random() >> (random() % 64);
  }
  const unsigned fraction_bits = static_cast<unsigned>(k.precision - 1), total = 8 * k.bytes;
  const std::uint64_t sign = (random() & 1) << (total - 1), ones = (1ull << (total - 1 - fraction_bits)) - 1;
  switch (random() % 8) {
    case 0:
      return sign;
    case 1:
      return sign | ones << fraction_bits;  // infinity
    case 2:
      return ones << fraction_bits | 1ull << (fraction_bits - 1);  // NaN
    default: {
      // Around the integers' ranges, halves between whole numbers included.
      const int exponent = static_cast<int>(random() % 76) - 10;
      const Real x = std::floor(std::ldexp(static_cast<Real>(random() >> 11), exponent - 52)) / 2;
      const Real r = rounded(x, k);
      int e = 0;
      const Real f = std::frexp(r, &e);
      if (r == 0 || std::isinf(r)) return sign;
      const auto fraction = static_cast<std::uint64_t>(std::ldexp(f, k.precision)) & ((1ull << fraction_bits) - 1);
      return sign | static_cast<std::uint64_t>(e - 1 - k.least + 1) << fraction_bits | fraction;
    }
  }
}

void expect_value(std::uint64_t got, Real want, const Kind& to, const std::string& what) {
  const Real value = value_of(got, to);
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(value)) << what;
  else
    EXPECT_TRUE(value == want && (!to.real || want != 0 || std::signbit(value) == std::signbit(want)))
        << what << ": " << static_cast<double>(value) << " instead of " << static_cast<double>(want);
}

Real converted(Real x, const Kind& from, const Kind& to, bool saturate) {
  if (to.real) {
    if (subnormal(x, from) && to.bytes < from.bytes && from.real) x = std::copysign(0.0L, x);  // NUM-88
    Real r = rounded(x, to);                                                                   // NUM-86..89
    if (saturate) r = std::isnan(r) || r <= 0 ? 0 : r > 1 ? 1 : r;                             // NUM-90
    return r;
  }
  if (from.real) {  // NUM-80, 81
    if (std::isnan(x)) return 0;
    return std::fmin(std::fmax(std::trunc(x), low(to)), high(to)) + 0;
  }
  if (saturate) return std::fmin(std::fmax(x, low(to)), high(to));  // NUM-85
  const Real m = std::ldexp(Real{1}, static_cast<int>(8 * to.bytes));
  Real r = std::fmod(x, m);  // NUM-82..84
  if (r < 0) r += m;
  return r > high(to) ? r - m : r;
}

TEST(Conversions, EveryTypeToEveryTypeWithModifiersAndSaturation) {
  std::mt19937_64 random(50);
  constexpr unsigned kLanes = 16;
  for (const Kind& from : kKinds) {
    for (const Kind& to : kKinds) {
      const std::string a = from.name, b = to.name;
      // BF meets F only; DF and HF meet everything else by way of the public type maps.
      if ((a == "bf" || b == "bf") && a != b && a != "f" && b != "f") continue;
      for (const bool saturate : {false, true}) {
        if (a == "bf" && saturate) continue;
        for (const char* modifier : {"", "(-)", "(abs)", "(-abs)"}) {
          if (a == "bf" && b == "bf" && *modifier != 0) continue;
          const std::string line =
              "mov" + std::string(saturate ? ".sat" : "") + " (M1, 16) D(0,0)<1> " + modifier + "S(0,0)<1;1,0>";
          KernelRun run(decl("S", a, kLanes) + decl("D", b, kLanes) + "mov (M1_NM, 1) %cr0(0,0)<1> 0x4c0:ud\n" + line +
                            "\nret (M1, 1)\n",
                        isa::Platform::PVC);
          ASSERT_TRUE(run.ready()) << line << ' ' << a << ' ' << b;
          std::vector<std::uint8_t> bytes(kLanes * from.bytes);
          std::vector<std::uint64_t> in(kLanes);
          for (unsigned k = 0; k < kLanes; ++k) {
            in[k] = pick(from, random);
            std::memcpy(&bytes[k * from.bytes], &in[k], from.bytes);
          }
          ASSERT_EQ(run.set("S", bytes).go(), reference::Outcome::Finished);
          EXPECT_TRUE(run.diagnostics.empty());
          const auto out = run.get<std::uint8_t>("D", kLanes * to.bytes);
          for (unsigned k = 0; k < kLanes; ++k) {
            Real x = value_of(in[k], from);
            const std::string_view kind = modifier;
            if (kind == "(abs)" || kind == "(-abs)") x = std::fabs(x);
            if (kind == "(-)" || kind == "(-abs)") x = -x;
            if (!from.real && x == 0) x = 0;
            if (subnormal(x, from) && to.bytes < from.bytes) continue;
            std::uint64_t got = 0;
            std::memcpy(&got, &out[k * to.bytes], to.bytes);
            // Integers of 64 bits negated need the 65th bit: long double has 64, enough for magnitudes up to 2^64.
            expect_value(got, converted(x, from, to, saturate), to,
                         line + " " + a + " to " + b + " lane " + std::to_string(k));
          }
        }
      }
    }
  }
}

struct Operation {
  const char* name;
  unsigned sources;
  Real (*model)(Real, Real, Real);
};

TEST(FloatArithmetic, EveryTypeModifierAndSaturation) {
  // Exact in long double for halves and singles; doubles take values of few bits, so that they are exact there too.
  const Operation operations[] = {
      {"add", 2, [](Real a, Real b, Real) { return a + b; }},
      {"mul", 2, [](Real a, Real b, Real) { return a * b; }},
      {"mad", 3, [](Real a, Real b, Real c) { return a * b + c; }},
      {"min", 2, [](Real a, Real b, Real) { return std::isnan(a) || b < a ? b : a; }},
      {"max", 2, [](Real a, Real b, Real) { return std::isnan(a) || b > a ? b : a; }},
      {"sel", 2, [](Real a, Real, Real) { return a; }},
  };
  const char* const modifiers[] = {"", "(-)", "(abs)", "(-abs)"};
  std::mt19937_64 random(51);
  constexpr unsigned kLanes = 8;
  for (const Kind& kind : kKinds) {
    if (!kind.real || std::string(kind.name) == "bf") continue;
    for (const Operation& op : operations) {
      for (const bool saturate : {false, true}) {
        for (unsigned m = 0; m < 16; ++m) {
          const std::string name = op.name;
          std::string line = (name == "sel" ? "(P1) " : "") + name + (saturate ? ".sat" : "") + " (M1, 8) D(0,0)<1>";
          for (unsigned i = 0; i < op.sources; ++i)
            line += " " +
                    std::string(modifiers[i == 0   ? m % 4
                                          : i == 1 ? m / 4
                                                   : (m + 1) % 4]) +
                    "S" + std::to_string(i) + "(0,0)<1;1,0>";
          KernelRun run(".decl P1 v_type=P num_elts=8\n" + decl("S0", kind.name, kLanes) +
                        decl("S1", kind.name, kLanes) + decl("S2", kind.name, kLanes) + decl("D", kind.name, kLanes) +
                        "mov (M1_NM, 1) %cr0(0,0)<1> 0x4c0:ud\nsetp (M1_NM, 8) P1 0xff:ub\n" + line +
                        "\nret (M1, 1)\n");
          ASSERT_TRUE(run.ready()) << line;
          Real in[3][kLanes] = {};
          for (unsigned i = 0; i < 3; ++i) {
            std::vector<std::uint8_t> bytes(kLanes * kind.bytes);
            for (unsigned k = 0; k < kLanes; ++k) {
              // A few bits at exponents near each other: sums and products are exact in long double.
              const Real x = std::ldexp(static_cast<Real>(static_cast<int>(random() % 2048) - 1024),
                                        static_cast<int>(random() % 12) - 10);
              in[i][k] = x;
              if (std::string(kind.name) == "df") {
                const auto v = static_cast<double>(x);
                std::memcpy(&bytes[k * 8], &v, 8);
              } else if (std::string(kind.name) == "f") {
                const auto v = static_cast<float>(x);
                std::memcpy(&bytes[k * 4], &v, 4);
              } else {
                const auto v = base::double_to_half(static_cast<double>(x));
                std::memcpy(&bytes[k * 2], &v, 2);
              }
            }
            run.set("S" + std::to_string(i), bytes);
          }
          ASSERT_EQ(run.go(), reference::Outcome::Finished) << line;
          EXPECT_TRUE(run.diagnostics.empty()) << line;
          const auto out = run.get<std::uint8_t>("D", kLanes * kind.bytes);
          for (unsigned k = 0; k < kLanes; ++k) {
            Real v[3] = {};
            for (unsigned i = 0; i < 3; ++i) {
              const unsigned which = i == 0 ? m % 4 : i == 1 ? m / 4 : (m + 1) % 4;
              v[i] = which >= 2 ? std::fabs(in[i][k]) : in[i][k];
              if (which % 2 == 1) v[i] = -v[i];
            }
            Real want = rounded(op.model(v[0], v[1], v[2]), kind);
            if (saturate) want = want <= 0 ? 0 : want > 1 ? 1 : want;
            if (want == 0 && !saturate) want = 0;
            std::uint64_t got = 0;
            std::memcpy(&got, &out[k * kind.bytes], kind.bytes);
            const Real value = value_of(got, kind);
            EXPECT_TRUE(value == want) << line << ' ' << kind.name << " lane " << k << ": "
                                       << static_cast<double>(value) << " instead of " << static_cast<double>(want);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace heddle::engine::testing
