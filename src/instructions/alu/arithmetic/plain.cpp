// SPDX-License-Identifier: MIT
// Arithmetic on whole words: the same as reference.cpp beside it.
#include <cmath>

#include "instructions/alu/words.hpp"

namespace heddle::instructions::arithmetic {
namespace {

using namespace alu;

using Sum = decltype([](auto a, auto b) { return a + b; });
using Product = decltype([](auto a, auto b) { return a * b; });
using Quotient = decltype([](float a, float b) { return a / b; });
using Fused = decltype([](float a, float b, float c) { return std::fma(a, b, c); });
using ProductAndSum = decltype([](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return a * b + c; });
using Inverse = decltype([](float x) { return 1.0f / x; });
using Root = decltype([](float x) { return std::sqrt(x); });
using Fraction = decltype([](float x) { return x - std::floor(x); });
using Floor = decltype([](float x) { return std::floor(x); });
using Ceiling = decltype([](float x) { return std::ceil(x); });
using Even = decltype([](float x) { return std::nearbyint(x); });
using Truncated = decltype([](float x) { return std::trunc(x); });

constexpr PlainHook kHooks[] = {
    {"add", either<2, Sum, Sum>}, {"mul", either<2, Product, Product>}, {"mad", either<3, Fused, ProductAndSum>},
    {"div", single<2, Quotient>}, {"inv", single<1, Inverse>},          {"sqrt", single<1, Root>},
    {"frc", single<1, Fraction>}, {"rndd", single<1, Floor>},           {"rndu", single<1, Ceiling>},
    {"rnde", single<1, Even>},    {"rndz", single<1, Truncated>},
};

}  // namespace

std::span<const PlainHook> plain() { return kHooks; }

}  // namespace heddle::instructions::arithmetic
