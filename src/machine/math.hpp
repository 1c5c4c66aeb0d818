#pragma once
// The functions of NUM-98: computed in binary64 and rounded once by the caller, so F and HF results are within 1 ulp
// (pow too). Both engines call these, so they agree bit for bit.

namespace heddle::machine::math {

double exp2(double x);
double log2(double x);
double sine(double x);
double cosine(double x);
double power(double x, double y);
double reciprocal_root(double x);
double round_even(double x);

}  // namespace heddle::machine::math
