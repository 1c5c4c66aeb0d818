#include "machine/math.hpp"

#include <cmath>

namespace heddle::machine::math {

double exp2(double x) { return std::exp2(x); }
double log2(double x) { return std::log2(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double power(double x, double y) { return std::pow(x, y); }
double reciprocal_root(double x) { return 1.0 / std::sqrt(x); }

double round_even(double x) {
  const double whole = std::floor(x), rest = x - whole;
  if (!(std::fabs(x) < 0x1p52)) return x;  // whole already, infinite or NaN
  const bool odd = std::fmod(whole, 2.0) != 0;
  const double rounded = rest > 0.5 || (rest == 0.5 && odd) ? whole + 1 : whole;
  return std::copysign(rounded, x);
}

}  // namespace heddle::machine::math
