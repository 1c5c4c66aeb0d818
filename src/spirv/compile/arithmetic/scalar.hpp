// SPDX-License-Identifier: MIT
#pragma once
// Arithmetic on single scalars over all lanes, for the handlers: what one vISA instruction does not do by itself.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "spirv/compile/writer/visa_writer.hpp"

namespace heddle::spirv::compiler {

/// The integer types of a width in bits (8 to 64).
[[nodiscard]] isa::Type signed_type(unsigned bits);
[[nodiscard]] isa::Type unsigned_type(unsigned bits);
[[nodiscard]] inline unsigned bits_of(const Part& p) { return isa::type_bytes(p.type) * 8; }
[[nodiscard]] inline Part as_signed(const Part& p) { return p.as(signed_type(bits_of(p))); }
[[nodiscard]] inline Part as_unsigned(const Part& p) { return p.as(unsigned_type(bits_of(p))); }
/// An integer constant of p's type.
[[nodiscard]] Part integer_like(const Part& p, std::uint64_t value);
/// A floating-point constant of that type (HF, F, DF).
[[nodiscard]] Part real_of(isa::Type type, double value);

// --- booleans ---
[[nodiscard]] Part logical_not(VisaWriter& b, const Part& p);
[[nodiscard]] Part logical_and(VisaWriter& b, const Part& p, const Part& q);
[[nodiscard]] Part logical_or(VisaWriter& b, const Part& p, const Part& q);
[[nodiscard]] Part logical_xor(VisaWriter& b, const Part& p, const Part& q);

/// Lanes of both guards.
[[nodiscard]] Guard both(VisaWriter& b, const Guard& x, const Guard& y);

// --- integers ---
/// The lower (0) or upper (1) half of a scalar of 16 to 64 bits whose lanes lie close together.
[[nodiscard]] Part half(const Part& p, unsigned index);
/// The halves of a 64-bit scalar, as ud.
[[nodiscard]] Part low_half(const Part& p);
[[nodiscard]] Part high_half(const Part& p);
/// A scalar of twice the width, of two scalars.
[[nodiscard]] Part join(VisaWriter& b, isa::Type type, const Part& low, const Part& high, std::string_view hint = "t");
/// dst = -x.
void negate(VisaWriter& b, const Part& dst, const Part& x, const Guard& guard = {});
/// Low bits of the product, in the type of `a`, any width.
void multiply(VisaWriter& b, const Part& dst, const Part& x, const Part& y);
/// Low and high half of the full product; x and y of one integer type, whose sign counts.
[[nodiscard]] std::pair<Part, Part> multiply_extended(VisaWriter& b, const Part& x, const Part& y);
/// Quotient rounded to zero and remainder with the dividend's sign; x and y of one integer type. Either result may be
/// left out.
void divide(VisaWriter& b, const Part* quotient, const Part* remainder, const Part& x, const Part& y);

// --- floating point: HF, F, DF ---
enum class Rounding : std::uint8_t { Down, Up, Even, Zero };
[[nodiscard]] Part round_to_integer(VisaWriter& b, const Part& x, Rounding rounding);

// --- conversions (conversion.cpp) ---
/// To another number type, integer or floating; a signed integer type says that x is signed. Out of range: NUM-80,
/// NUM-81.
[[nodiscard]] Part convert_number(VisaWriter& b, const Part& x, isa::Type type, std::string_view hint = "t");
/// Bits kept, read as components of another width: `type` is their type.
[[nodiscard]] std::vector<Part> recast(VisaWriter& b, const std::vector<Part>& parts, isa::Type type);
/// `value`, or where x (F) is below the least normal half a zero of its sign.
[[nodiscard]] Part without_small_halves(VisaWriter& b, const Part& x, const Part& value, std::string_view hint);
/// A copy only where lanes are not close together.
[[nodiscard]] Part contiguous(VisaWriter& b, const Part& p);

}  // namespace heddle::spirv::compiler
