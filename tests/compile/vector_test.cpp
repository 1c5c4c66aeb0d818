// Vectors, matrices, GLSL.std.450's geometry and packing against C++.

#include <array>
#include <limits>

#include "base/half.hpp"
#include "operation_run.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

using Vector = std::vector<double>;

struct Case {
  Operation operation;
  std::function<Vector(const std::vector<Vector>& v)> expected;
  double absolute;  ///< allowed error for operands of about 1 to 8
};

double dot(const Vector& x, const Vector& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}
Vector scaled(Vector v, double f) {
  for (double& x : v) x *= f;
  return v;
}
Vector minus(Vector x, const Vector& y) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] -= y[k];
  return x;
}

/// Columns of a n x n matrix made of one or two vectors: column k is the vector rotated by k, plus 4 on the diagonal of
/// the first vector's own place.
std::vector<Vector> matrix_of(const Vector& v) {
  std::vector<Vector> m;
  for (std::size_t c = 0; c < v.size(); ++c) {
    Vector column(v.size());
    for (std::size_t r = 0; r < v.size(); ++r) column[r] = v[(r + c) % v.size()] * (r == c ? 3.0 : 1.0);
    m.push_back(column);
  }
  return m;
}

double determinant(std::vector<Vector> m) {
  double d = 1;
  const std::size_t n = m.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t c = k; c < n; ++c)
      if (std::abs(m[c][k]) > std::abs(m[p][k])) p = c;
    if (m[p][k] == 0) return 0;
    if (p != k) {
      std::swap(m[p], m[k]);
      d = -d;
    }
    d *= m[k][k];
    for (std::size_t c = k + 1; c < n; ++c) m[c] = minus(m[c], scaled(m[k], m[c][k] / m[k][k]));
  }
  return d;
}

/// Text that makes %_m of %a.
std::string make_matrix(unsigned n, const std::string& from = "%a", const std::string& to = "%_m") {
  const std::string v = "v" + std::to_string(n) + "f32", id = to.substr(2);
  std::string text, columns;
  for (unsigned c = 0; c < n; ++c) {
    std::string rotated = "%_" + id + "q" + std::to_string(c);
    text += rotated + " = OpVectorShuffle %" + v + " " + from + " " + from;
    for (unsigned r = 0; r < n; ++r) text += " " + std::to_string((r + c) % n);
    text += "\n%_" + id + "e" + std::to_string(c) + " = OpCompositeExtract %f32 " + rotated + " " + std::to_string(c) +
            "\n%_" + id + "f" + std::to_string(c) + " = OpFMul %f32 %_" + id + "e" + std::to_string(c) + " %f32_3\n%_" +
            id + "c" + std::to_string(c) + " = OpCompositeInsert %" + v + " %_" + id + "f" + std::to_string(c) + " " +
            rotated + " " + std::to_string(c) + "\n";
    columns += " %_" + id + "c" + std::to_string(c);
  }
  return text + to + " = OpCompositeConstruct %mat" + std::to_string(n) + columns + "\n";
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (unsigned n = 2; n <= 4; ++n) {
    const std::string v = "v" + std::to_string(n) + "f32", s = std::to_string(n);
    const auto std_call = [&](const std::string& name, const std::string& result, const std::string& operands) {
      return "%r = OpExtInst %" + result + " %std " + name + " " + operands;
    };
    list.push_back({{"dot" + s, "f32", {v, v}, "%r = OpDot %f32 %a %b", ""},
                    [](const auto& x) { return Vector{dot(x[0], x[1])}; },
                    1e-4});
    list.push_back({{"length" + s, "f32", {v}, std_call("Length", "f32", "%a"), ""},
                    [](const auto& x) { return Vector{std::sqrt(dot(x[0], x[0]))}; },
                    1e-5});
    list.push_back({{"distance" + s, "f32", {v, v}, std_call("Distance", "f32", "%a %b"), ""},
                    [](const auto& x) { return Vector{std::sqrt(dot(minus(x[0], x[1]), minus(x[0], x[1])))}; },
                    1e-4});
    list.push_back({{"normalize" + s, v, {v}, std_call("Normalize", v, "%a"), ""},
                    [](const auto& x) { return scaled(x[0], 1 / std::sqrt(dot(x[0], x[0]))); },
                    1e-6});
    list.push_back({{"faceforward" + s, v, {v, v, v}, std_call("FaceForward", v, "%a %b %c"), ""},
                    [](const auto& x) { return dot(x[2], x[1]) < 0 ? x[0] : scaled(x[0], -1); },
                    0});
    list.push_back({{"reflect" + s, v, {v, v}, std_call("Reflect", v, "%a %b"), ""},
                    [](const auto& x) { return minus(x[0], scaled(x[1], 2 * dot(x[1], x[0]))); },
                    2e-3});
    list.push_back({{"refract" + s,
                     v,
                     {v, v},
                     "%_i = OpExtInst %" + v + " %std Normalize %a\n%_j = OpExtInst %" + v + " %std Normalize %b\n" +
                         std_call("Refract", v, "%_i %_j %f32_1p5"),
                     ""},
                    [](const auto& x) {
                      const Vector i = scaled(x[0], 1 / std::sqrt(dot(x[0], x[0]))),
                                   m = scaled(x[1], 1 / std::sqrt(dot(x[1], x[1])));
                      const double d = dot(m, i), k = 1 - 1.5 * 1.5 * (1 - d * d);
                      if (std::abs(k) < 1e-3)
                        return Vector(i.size(), std::numeric_limits<double>::quiet_NaN());  // either side
                      return k < 0 ? Vector(i.size(), 0) : minus(scaled(i, 1.5), scaled(m, 1.5 * d + std::sqrt(k)));
                    },
                    1e-3});
    list.push_back({{"scale" + s, v, {v, "f32"}, "%r = OpVectorTimesScalar %" + v + " %a %b", ""},
                    [](const auto& x) { return scaled(x[0], x[1][0]); },
                    1e-5});
    list.push_back({{"determinant" + s, "f32", {v}, make_matrix(n) + "%r = OpExtInst %f32 %std Determinant %_m", ""},
                    [](const auto& x) { return Vector{determinant(matrix_of(x[0]))}; },
                    n == 4 ? 0.2 : 2e-2});
    // inverse(M) * (M * b) is b again.
    list.push_back(
        {{"inverse" + s,
          v,
          {v, v},
          make_matrix(n) + "%_k = OpExtInst %mat" + s + " %std MatrixInverse %_m\n%_w = OpMatrixTimesVector %" + v +
              " %_m %b\n%r = OpMatrixTimesVector %" + v + " %_k %_w",
          ""},
         [](const auto& x) {
           return std::abs(determinant(matrix_of(x[0]))) < 1
                      ? Vector(x[0].size(), std::numeric_limits<double>::quiet_NaN())
                      : x[1];
         },
         5e-3});
    list.push_back({{"mat_vec" + s, v, {v, v}, make_matrix(n) + "%r = OpMatrixTimesVector %" + v + " %_m %b", ""},
                    [](const auto& x) {
                      const auto m = matrix_of(x[0]);
                      Vector r(x[0].size(), 0);
                      for (std::size_t c = 0; c < r.size(); ++c)
                        for (std::size_t k = 0; k < r.size(); ++k) r[k] += m[c][k] * x[1][c];
                      return r;
                    },
                    1e-4});
    list.push_back({{"vec_mat" + s,
                     v,
                     {v, v},
                     make_matrix(n) + "%_t = OpTranspose %mat" + s + " %_m\n%r = OpVectorTimesMatrix %" + v + " %b %_t",
                     ""},
                    [](const auto& x) {
                      const auto m = matrix_of(x[0]);
                      Vector r(x[0].size(), 0);
                      for (std::size_t c = 0; c < r.size(); ++c)
                        for (std::size_t k = 0; k < r.size(); ++k) r[k] += m[c][k] * x[1][c];
                      return r;
                    },
                    1e-4});
    list.push_back({{"mat_mat" + s,
                     v,
                     {v, v},
                     make_matrix(n) + make_matrix(n, "%b", "%_o") + "%_p = OpMatrixTimesMatrix %mat" + s +
                         " %_m %_o\n%r = OpCompositeExtract %" + v + " %_p 1",
                     ""},
                    [](const auto& x) {
                      const auto m = matrix_of(x[0]), o = matrix_of(x[1]);
                      Vector r(x[0].size(), 0);
                      for (std::size_t c = 0; c < r.size(); ++c)
                        for (std::size_t k = 0; k < r.size(); ++k) r[k] += m[c][k] * o[1][c];
                      return r;
                    },
                    2e-3});
    list.push_back({{"outer" + s,
                     v,
                     {v, v},
                     "%_p = OpOuterProduct %mat" + s + " %a %b\n%r = OpCompositeExtract %" + v + " %_p 1",
                     ""},
                    [](const auto& x) { return scaled(x[0], x[1][1]); },
                    1e-5});
  }
  list.push_back({{"cross", "v3f32", {"v3f32", "v3f32"}, "%r = OpExtInst %v3f32 %std Cross %a %b", ""},
                  [](const auto& v) {
                    const Vector &x = v[0], &y = v[1];
                    return Vector{x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
                  },
                  1e-4});
  return list;
}

class Simd : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Widths, Simd, ::testing::Values(8u, 16u, 32u));

TEST_P(Simd, VectorsAndMatricesEqualCpp) {
  const std::vector<Case> all = cases();
  const std::vector<Operation> operations = vector_operations();
  constexpr std::size_t kCount = 96;
  auto inputs = inputs_of(operations, kCount);
  std::mt19937 random(5);
  std::uniform_real_distribution<float> range(-8, 8);
  for (auto& [key, list] : inputs)
    for (std::uint64_t& v : list) v = bits_of(range(random));
  spirv::CompileOptions options;
  options.simd = GetParam();
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    unsigned wrong = 0;
    for (std::size_t i = 0; i < kCount && wrong < 2; ++i) {
      std::vector<Vector> v;
      for (unsigned p = 0; p < operations[k].inputs.size(); ++p) {
        const unsigned n = components_of(operations[k].inputs[p]);
        Vector x;
        for (unsigned c = 0; c < n; ++c) x.push_back(float_of(inputs[{operations[k].inputs[p], p}][i * n + c]));
        v.push_back(x);
      }
      const Vector want = all[k].expected(v);
      for (std::size_t c = 0; c < want.size(); ++c) {
        const double got = float_of(results[k][i * want.size() + c]);
        if (std::isnan(want[c]) || std::abs(got - want[c]) <= all[k].absolute) continue;
        ++wrong;
        ADD_FAILURE() << operations[k].name << " component " << c << " is " << got << ", not " << want[c];
      }
    }
  }
}

std::uint32_t packed(const double* v, unsigned n, unsigned bits, bool is_signed) {
  std::uint32_t word = 0;
  for (unsigned k = 0; k < n; ++k) {
    const double scale = (1u << (is_signed ? bits - 1 : bits)) - 1;
    const float x = std::min(std::max(static_cast<float>(v[k]), is_signed ? -1.0f : 0.0f), 1.0f);
    const auto field = static_cast<std::int32_t>(std::nearbyint(x * static_cast<float>(scale)));
    word |= (static_cast<std::uint32_t>(field) & ((1u << bits) - 1)) << (k * bits);
  }
  return word;
}

TEST_P(Simd, PackingEqualsCpp) {
  const std::vector<Operation> operations = pack_operations();
  constexpr std::size_t kCount = 320;
  auto inputs = inputs_of(operations, kCount);
  spirv::CompileOptions options;
  options.simd = GetParam();
  const std::vector<Bits> results = run_operations(operations, inputs, kCount, options);
  ASSERT_EQ(results.size(), operations.size());
  for (std::size_t i = 0; i < kCount; ++i) {
    double v4[4], v2[2];
    bool number = true;
    for (unsigned c = 0; c < 4; ++c) number = !std::isnan(v4[c] = float_of(inputs[{"v4f32", 0}][i * 4 + c])) && number;
    for (unsigned c = 0; c < 2; ++c) number = !std::isnan(v2[c] = float_of(inputs[{"v2f32", 0}][i * 2 + c])) && number;
    const auto word = static_cast<std::uint32_t>(inputs[{"u32", 0}][i]);
    if (number) {
      EXPECT_EQ(results[0][i], packed(v4, 4, 8, true));
      EXPECT_EQ(results[1][i], packed(v4, 4, 8, false));
      EXPECT_EQ(results[2][i], packed(v2, 2, 16, true));
      EXPECT_EQ(results[3][i], packed(v2, 2, 16, false));
      if (std::abs(v2[0]) >= 0x1p-126 && std::abs(v2[1]) >= 0x1p-126) {
        EXPECT_EQ(results[4][i], base::float_to_half(static_cast<float>(v2[0])) |
                                     static_cast<std::uint32_t>(base::float_to_half(static_cast<float>(v2[1]))) << 16);
      }
    }
    for (unsigned c = 0; c < 4; ++c) {
      EXPECT_EQ(float_of(results[5][i * 4 + c]),
                std::max(static_cast<float>(static_cast<std::int8_t>(word >> (8 * c))) / 127.0f, -1.0f));
      EXPECT_EQ(float_of(results[6][i * 4 + c]), static_cast<float>(word >> (8 * c) & 255) / 255.0f);
    }
    for (unsigned c = 0; c < 2; ++c) {
      EXPECT_EQ(float_of(results[7][i * 2 + c]),
                std::max(static_cast<float>(static_cast<std::int16_t>(word >> (16 * c))) / 32767.0f, -1.0f));
      EXPECT_EQ(float_of(results[8][i * 2 + c]), static_cast<float>(word >> (16 * c) & 65535) / 65535.0f);
      const float half = base::half_to_float(static_cast<std::uint16_t>(word >> (16 * c)));
      if (!std::isnan(half)) EXPECT_EQ(float_of(results[9][i * 2 + c]), half);
    }
    const auto bit = [](std::int32_t x) { return static_cast<std::uint32_t>(x); };
    EXPECT_EQ(results[10][i], word == 0 ? ~0u : bit(std::countr_zero(word)));
    EXPECT_EQ(results[11][i], word == 0 ? ~0u : bit(31 - std::countl_zero(word)));
    const std::uint32_t flipped = static_cast<std::int32_t>(word) < 0 ? ~word : word;
    EXPECT_EQ(results[12][i], flipped == 0 ? ~0u : bit(31 - std::countl_zero(flipped)));
    const auto other = static_cast<std::uint32_t>(inputs[{"u32", 1}][i]),
               sum = static_cast<std::uint32_t>(inputs[{"u32", 2}][i]);
    std::int64_t dots[3] = {0, 0, 0};
    for (unsigned c = 0; c < 4; ++c) {
      dots[0] += static_cast<std::int8_t>(word >> (8 * c)) * static_cast<std::int8_t>(other >> (8 * c));
      dots[1] += (word >> (8 * c) & 255) * (other >> (8 * c) & 255);
      dots[2] += static_cast<std::int8_t>(word >> (8 * c)) * static_cast<std::int32_t>(other >> (8 * c) & 255);
    }
    EXPECT_EQ(results[13][i], bit(static_cast<std::int32_t>(dots[0])));
    EXPECT_EQ(results[14][i], static_cast<std::uint32_t>(dots[1]));
    EXPECT_EQ(results[15][i], bit(static_cast<std::int32_t>(dots[2])));
    EXPECT_EQ(results[16][i], bit(static_cast<std::int32_t>(std::clamp<std::int64_t>(
                                  dots[0] + static_cast<std::int32_t>(sum), INT32_MIN, INT32_MAX))));
    EXPECT_EQ(results[17][i], static_cast<std::uint32_t>(std::min<std::int64_t>(dots[1] + sum, UINT32_MAX)));
    if (HasFailure()) break;
  }
}

}  // namespace

std::vector<Operation> heddle::test::vector_operations() {
  std::vector<Operation> operations;
  for (const Case& c : cases()) operations.push_back(c.operation);
  return operations;
}

std::vector<Operation> heddle::test::pack_operations() {
  const auto call = [](const std::string& name, const std::string& result, const std::string& operand) {
    return Operation{name, result, {operand}, "%r = OpExtInst %" + result + " %std " + name + " %a", ""};
  };
  const auto dot = [](const std::string& name, bool sum) {
    Operation o{name,
                "u32",
                {"u32", "u32"},
                "%r = Op" + name + " %u32 %a %b" + (sum ? " %c" : "") + " PackedVectorFormat4x8Bit",
                ""};
    if (sum) o.inputs.push_back("u32");
    return o;
  };
  return {call("PackSnorm4x8", "u32", "v4f32"),
          call("PackUnorm4x8", "u32", "v4f32"),
          call("PackSnorm2x16", "u32", "v2f32"),
          call("PackUnorm2x16", "u32", "v2f32"),
          call("PackHalf2x16", "u32", "v2f32"),
          call("UnpackSnorm4x8", "v4f32", "u32"),
          call("UnpackUnorm4x8", "v4f32", "u32"),
          call("UnpackSnorm2x16", "v2f32", "u32"),
          call("UnpackUnorm2x16", "v2f32", "u32"),
          call("UnpackHalf2x16", "v2f32", "u32"),
          call("FindILsb", "u32", "u32"),
          call("FindUMsb", "u32", "u32"),
          call("FindSMsb", "u32", "u32"),
          dot("SDot", false),
          dot("UDot", false),
          dot("SUDot", false),
          dot("SDotAccSat", true),
          dot("UDotAccSat", true)};
}
