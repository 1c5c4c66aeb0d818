// SPDX-License-Identifier: MIT
#pragma once
// The functions of NUM-98: binary32 sources, results in binary64 that the caller rounds once, so F results are within
// 0.51 ulp and HF results, which are rounded through F, within 1 ulp. They expect rounding to nearest. Both engines
// share one text (math_functions.hpp), so they agree bit for bit.

namespace heddle::machine::math {

double exp2(float x);
double log2(float x);
double sine(float x);
double cosine(float x);
double power(float x, float y);
double reciprocal_root(float x);
double tanh(float x);
double sigmoid(float x);
double round_even(double x);

}  // namespace heddle::machine::math
