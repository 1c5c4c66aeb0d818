#pragma once
// Unsigned floats of 11 and 10 bits (NUM-16, NUM-17, NUM-57, NUM-58) and the shared exponent (NUM-18, NUM-59).

#include <array>
#include <cstdint>

namespace heddle::image {

/// NUM-16, NUM-17: an unsigned float with `exponent_bits` above `fraction_bits`, bias 2^(exponent_bits-1) - 1. Exact.
[[nodiscard]] float decode_unsigned_float(std::uint32_t raw, unsigned exponent_bits, unsigned fraction_bits);

/// NUM-57, NUM-58: NaN has only the top fraction bit set; zero and below give 0; else round to nearest even, overflow
/// to infinity [C31].
[[nodiscard]] std::uint32_t encode_unsigned_float(float x, unsigned exponent_bits, unsigned fraction_bits);

/// NUM-18: f * 2^(e - 24), exact.
[[nodiscard]] float decode_shared_exponent(std::uint32_t fraction, std::uint32_t exponent);

/// NUM-59: the whole R9G9B9E5 word.
[[nodiscard]] std::uint32_t encode_shared_exponent(const std::array<float, 3>& rgb);

}  // namespace heddle::image
