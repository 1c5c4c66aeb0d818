// SPDX-License-Identifier: MIT
// Rules: TXT-25.
#include "text/operands/immediates.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/half.hpp"

namespace heddle::text {
namespace {

using isa::Operand;
using isa::OperandKind;
using isa::Type;

}  // namespace

bool Immediates::immediate(Operand& out) {
  const Scanner::Mark start = in_.mark();
  Number n;
  if (!numbers_.number(n, Operators::All)) return false;
  const Span digits = in_.span_from(start);
  if (!in_.accept(':')) return expected("':' and the type of the immediate, like 0x1:ud");
  in_.space();
  const Scanner::Mark at = in_.mark();
  const std::string_view name = in_.word();
  const auto type = isa::find_type(name);
  if (!type) {
    error("visa-text-syntax", in_.span_from(at), silent() ? "" : fmt::format("{} is not a type", shown(name)));
    suggest(name, {"ud", "d", "uw", "w", "ub", "b", "df", "f", "v", "vf", "bool", "uq", "uv", "q", "hf", "bf"});
    return false;
  }
  out.kind = OperandKind::Immediate;
  out.type = *type;
  return n.is_real ? real(n, out, digits) : integer(n, out, digits);
}

bool Immediates::real(const Number& n, Operand& out, Span span) {
  switch (out.type) {
    case Type::F:
      out.value = base::bits_of(static_cast<float>(n.real));
      break;
    case Type::DF:
      out.value = base::bits_of(n.real);
      return true;
    case Type::HF:
      out.value = base::double_to_half(n.real);
      break;
    case Type::BF:
      out.value = base::float_to_bfloat16(static_cast<float>(n.real));
      break;
    default:
      error("visa-text-number", span,
            silent() ? "" : fmt::format("a floating-point number cannot have type {}", isa::type_name(out.type)));
      note("floating-point types are f, df, hf and bf");
      return false;
  }
  if (!std::isinf(n.real) && (out.type == Type::F    ? (out.value & 0x7fffffffu) == 0x7f800000u
                              : out.type == Type::HF ? (out.value & 0x7fffu) == 0x7c00u
                                                     : (out.value & 0x7fffu) == 0x7f80u))
    warn("visa-text-number", span,
         silent() ? "" : fmt::format("number is too large for type {} and becomes infinity", isa::type_name(out.type)));
  return true;
}

/// Stored truncated to the type; w and b sign-extended to 32 bits. A hexadecimal literal is a bit pattern; one of eight
/// digits is all that the container stores of a narrow type (TXT-25).
bool Immediates::integer(const Number& n, Operand& out, Span span) {
  const auto bits = static_cast<std::uint64_t>(n.value);
  const unsigned width = isa::type_bytes(out.type) * 8;
  out.value = isa::stored_immediate(out.type, bits);
  if (n.hex && n.digits == 8 && width < 32) out.value = bits & 0xffffffffu;

  const bool real = out.type == Type::F || out.type == Type::DF || out.type == Type::HF || out.type == Type::BF;
  bool fits = true;
  if (width == 64) {
    fits = !n.cut;  // 3000000000:q is -1294967296
  } else if (n.cut) {
    fits = width == 32 && !isa::is_signed(out.type);
  } else {
    const std::int64_t high = std::int64_t{1} << width;
    const bool extended =
        n.hex && isa::is_signed(out.type) && n.value <= 0xffffffff && n.value >= 0xffffffff - (high >> 1) + 1;
    const bool negative = isa::is_signed(out.type) && !real;
    if (n.hex || real)
      fits = (n.value >= 0 && n.value < high) || extended || (real && !n.hex && n.value < 0 && n.value >= -(high >> 1));
    else
      fits = negative ? n.value >= -(high >> 1) && n.value < (high >> 1) : n.value >= 0 && n.value < high;
    // TXT-25: packed vectors and bool are patterns of their width
    if (out.type == Type::V || out.type == Type::VF) fits = n.value >= -(high >> 1) && n.value < high;
  }
  if (!fits)
    warn("visa-text-number", span,
         silent() ? ""
                  : fmt::format("value does not fit type {} and wraps to 0x{:x}", isa::type_name(out.type), out.value));
  if (real && !n.hex && n.literal) {
    remark("visa-text-float-bits", span,
           silent() ? "" : fmt::format("a decimal integer with type {} is a bit pattern", isa::type_name(out.type)));
    note(out.type == Type::HF ? "write 1.0:hf for the number" : "write 1.0:f for the number");
  }
  return true;
}

}  // namespace heddle::text
