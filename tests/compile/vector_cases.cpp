// SPDX-License-Identifier: MIT
// Vectors, matrices and GLSL.std.450's geometry.

#include <cmath>
#include <limits>

#include "operation_cases.hpp"

namespace heddle::test {
namespace {

using Vector = RealVector;

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

/// Of columns and a vector.
Vector product(const std::vector<Vector>& m, const Vector& v) {
  Vector r(v.size(), 0);
  for (std::size_t c = 0; c < r.size(); ++c)
    for (std::size_t k = 0; k < r.size(); ++k) r[k] += m[c][k] * v[c];
  return r;
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

}  // namespace

std::vector<VectorCase> vector_cases() {
  std::vector<VectorCase> list;
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
                    [](const auto& x) { return product(matrix_of(x[0]), x[1]); },
                    1e-4});
    list.push_back({{"vec_mat" + s,
                     v,
                     {v, v},
                     make_matrix(n) + "%_t = OpTranspose %mat" + s + " %_m\n%r = OpVectorTimesMatrix %" + v + " %b %_t",
                     ""},
                    [](const auto& x) { return product(matrix_of(x[0]), x[1]); },
                    1e-4});
    list.push_back({{"mat_mat" + s,
                     v,
                     {v, v},
                     make_matrix(n) + make_matrix(n, "%b", "%_o") + "%_p = OpMatrixTimesMatrix %mat" + s +
                         " %_m %_o\n%r = OpCompositeExtract %" + v + " %_p 1",
                     ""},
                    [](const auto& x) { return product(matrix_of(x[0]), matrix_of(x[1])[1]); },
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

std::vector<Operation> vector_operations() {
  std::vector<Operation> operations;
  for (const VectorCase& c : vector_cases()) operations.push_back(c.operation);
  return operations;
}

}  // namespace heddle::test
