// SPDX-License-Identifier: MIT
#include "peers/opencl/compare.hpp"

#include <bit>
#include <cmath>

#include "base/half.hpp"

namespace heddle::peers {
namespace {

/// Value and spacing of numbers around it, of the element at `p`.
struct Real {
  double value = 0, spacing = 0;
};
Real real_at(const std::string& type, const std::uint8_t* p) {
  Real r;
  int exponent = 0;
  if (type == "f16") {
    std::uint16_t h = 0;
    std::memcpy(&h, p, 2);
    r.value = static_cast<double>(base::half_to_float(h));
    std::frexp(r.value, &exponent);
    r.spacing = std::ldexp(1, std::max(exponent - 11, -24));
  } else if (type == "f64") {
    std::memcpy(&r.value, p, 8);
    std::frexp(r.value, &exponent);
    r.spacing = std::ldexp(1, std::max(exponent - 53, -1074));
  } else {
    float f = 0;
    std::memcpy(&f, p, 4);
    r.value = static_cast<double>(f);
    std::frexp(r.value, &exponent);
    r.spacing = std::ldexp(1, std::max(exponent - 24, -149));
  }
  return r;
}

bool close(const Real& got, const Real& want, const Bound& bound) {
  if (std::isnan(got.value) || std::isnan(want.value)) return std::isnan(got.value) && std::isnan(want.value);
  if (got.value == want.value) return true;
  const double distance = std::abs(got.value - want.value);
  return distance <= bound.absolute || distance <= bound.ulps * std::max(got.spacing, want.spacing);
}

}  // namespace

void compare(const Launch& launch, const std::vector<std::vector<std::uint8_t>>& want, const job::RunResult& outcome,
             const Bound& bound) {
  std::size_t index = 0;
  for (const Argument& a : launch.arguments) {
    if (!a.output) continue;
    const auto got = job::kernels::output<std::uint8_t>(outcome, a.name);
    const std::vector<std::uint8_t>& expected = want[index++];
    ASSERT_EQ(got.size(), expected.size());
    const std::size_t size = a.type == "f16"                                      ? 2
                             : a.type == "f32" || a.type == "float32"             ? 4
                             : a.type == "f64"                                    ? 8
                             : a.type.ends_with("8") || a.type.ends_with("bytes") ? 1
                             : a.type.ends_with("16")                             ? 2
                             : a.type.ends_with("64")                             ? 8
                                                                                  : 4;
    const bool real = a.type.starts_with("f");
    for (std::size_t i = 0; i + size <= got.size(); i += size) {
      if (std::memcmp(&got[i], &expected[i], size) == 0) continue;
      if (real) {
        const Real x = real_at(a.type, &got[i]), y = real_at(a.type, &expected[i]);
        ASSERT_TRUE(close(x, y, bound)) << a.name << '[' << i / size << "] " << x.value << " instead of " << y.value
                                        << ", " << std::abs(x.value - y.value) / y.spacing << " ulps";
      } else {
        std::uint64_t x = 0, y = 0;
        std::memcpy(&x, &got[i], size);
        std::memcpy(&y, &expected[i], size);
        ASSERT_EQ(x, y) << a.name << '[' << i / size << "], 0x" << std::hex << x << " instead of 0x" << y;
      }
    }
  }
}

}  // namespace heddle::peers
