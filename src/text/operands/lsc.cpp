// SPDX-License-Identifier: MIT
// Rules: TXT-26, TXT-39.
#include "text/operands/lsc.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::text {
namespace {

using isa::InstructionDescription;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::TextElement;

constexpr int kNone = -1;
constexpr std::uint64_t kFlat = 1, kSurf = 6;  // address models

Operand integer_operand(std::uint64_t value) {
  Operand o;
  o.kind = OperandKind::Integer;
  o.value = value;
  return o;
}

Operand immediate_operand(std::uint64_t value) {
  Operand o;
  o.kind = OperandKind::Immediate;
  o.value = value & 0xffffffffu;
  return o;
}

}  // namespace

bool LscOperands::element(const InstructionDescription& description, const TextElement& e) {
  switch (e.kind) {
    case isa::TextKind::LscData:
      return data(description, e);
    case isa::TextKind::LscQuad:
      return quad(description, e);
    case isa::TextKind::LscBlock:
      return block(description, e);
    case isa::TextKind::LscAddress:
      return address(description, e, false);
    case isa::TextKind::LscStrided:
      return address(description, e, true);
    case isa::TextKind::LscTyped:
      return typed(e);
    case isa::TextKind::LscSurface:
      return model(e, 1, 0, 2, true);
    case isa::TextKind::LscBlockAddress:
      return block_address(e);
    case isa::TextKind::LscBlockPayload:
      return block_payload(e);
    case isa::TextKind::LscRows:
      return rows(e);
    case isa::TextKind::LscRowsAddress:
      return rows_address(e);
    default:
      return error("visa-text-syntax", in_.here(0), "this form has no text");
  }
}

/// Sets the slot of part `part`, if the form has it.
void LscOperands::set_part(const TextElement& e, std::size_t part, Operand value, Scanner::Mark start) {
  if (e.parts[part] == kNone) return;
  place_operand(value, start);
  draft_.operands[static_cast<std::size_t>(e.parts[part])] = value;
}

bool LscOperands::raw(Operand& out) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (!operands_.raw(out, false)) return false;
  place_operand(out, start);
  return true;
}

/// intexp | V | V.n | V(r,c): a scalar of a surface, size or coordinate. Any other vector operand in full. `wide`: a
/// number is a uq.
bool LscOperands::vector(Operand& out, bool wide) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (vectors_.at_modifier() || in_.looking_at("r[")) {
    Slot any;
    any.kinds = {OperandKind::General, OperandKind::Indirect};
    if (!vectors_.vector_operand(any, out)) return false;
    place_operand(out, start);
    return true;
  }
  if (!is_name_start(in_.peek()) && (in_.peek() != '%' || in_.looking_at("%sizeof")))
    return scalar_number(out, wide, start);
  const Symbol* symbol = symbols_.variable(SymbolKind::General, "a number or a general variable");
  if (symbol == nullptr) return false;
  out.kind = OperandKind::General;
  out.id = symbol->index;
  out.region = isa::Region::source(0, 1, 0);
  std::int64_t row = 0, col = 0;
  if (in_.accept('(')) {
    if (!numbers_.integer(row, Operators::All, 0, 255, "row")) return false;
    if (!in_.accept(',')) return expected("',' between row and column");
    if (!numbers_.integer(col, Operators::All, 0, 255, "column")) return false;
    if (!in_.accept(')')) return expected("')'");
  } else if (in_.peek() == '.') {
    in_.skip();
    if (!numbers_.integer(col, Operators::Unary, 0, 0xffff, "element")) return false;
    const auto info = isa::variable_info(*c_.object, symbol->index, c_.grf_bytes);
    const std::int64_t per_row = info ? c_.grf_bytes / isa::type_bytes(info->type) : 8;
    row = col / per_row;
    col %= per_row;
    if (row > 255) return error("visa-text-number", in_.span_from(start), "element lies beyond row 255");
  }
  out.row = static_cast<std::uint8_t>(row);
  out.col = static_cast<std::uint8_t>(col);
  if (in_.peek() == '<' && !vectors_.source_region(out, false)) return false;
  place_operand(out, start);
  return true;
}

bool LscOperands::scalar_number(Operand& out, bool wide, Scanner::Mark start) {
  Number n;
  if (!numbers_.number(n, Operators::All)) return false;
  if (in_.peek() == ':') {
    in_.rewind(start);
    if (!immediates_.immediate(out)) return false;
    place_operand(out, start);
    return true;
  }
  if (n.is_real || (!wide && (n.value < INT32_MIN || n.value > 0xffffffff)))
    return error("visa-text-number", in_.span_from(start), wide ? "expected an integer" : "value does not fit 32 bits");
  out = immediate_operand(static_cast<std::uint64_t>(n.value));
  if (wide) out.type = isa::Type::UQ, out.value = static_cast<std::uint64_t>(n.value);
  place_operand(out, start);
  return true;
}

/// [flat[(X)] | arg | bss(X) | ss(X) | bti(X) | surf(X)]; nothing means flat. X of flat is the base of the addresses.
bool LscOperands::model(const TextElement& e, int type_part, int surface_part, int index_part, bool required) {
  in_.space();
  const Scanner::Mark start = in_.mark();
  std::uint64_t code = 1;
  if (is_name_start(in_.peek())) {
    if (!model_name(e, type_part, code)) return false;
  } else if (required || in_.peek() != '[') {
    return expected("an address like flat[V40]:a64 or bti(1)[V40]:a32");
  }
  set_part(e, static_cast<std::size_t>(type_part), integer_operand(code), start);
  Operand surface = immediate_operand(0);
  const bool stateful = (code >= 2 && code <= 4) || code == kSurf;
  const bool has_surface = stateful || (code == kFlat && in_.peek() == '(');
  if (has_surface) {
    if (!in_.accept('(')) return expected("'(' and the surface");
    if (!vector(surface, code == kFlat || code == kSurf)) return false;
    if (stateful && in_.accept(',')) {  // newer tools: an index beside the surface
      std::int64_t index = 0;
      const Scanner::Mark at = in_.mark();
      if (!numbers_.integer(index, Operators::All, 0, 0xffffffff, "surface index")) return false;
      set_part(e, static_cast<std::size_t>(index_part), integer_operand(static_cast<std::uint64_t>(index)), at);
      c_.needs_newer = c_.needs_newer || !problems_.quiet();
    }
    if (!in_.accept(')')) return expected("')' after the surface");
  }
  if (e.parts[static_cast<std::size_t>(surface_part)] != kNone) {
    if (!has_surface) place_operand(surface, start);
    draft_.operands[static_cast<std::size_t>(e.parts[static_cast<std::size_t>(surface_part)])] = surface;
  }
  return true;
}

bool LscOperands::model_name(const TextElement& e, int type_part, std::uint64_t& code) {
  const Scanner::Mark start = in_.mark();
  const std::string_view word = in_.name();
  const Slot& slot = draft_.description->slots[static_cast<std::size_t>(e.parts[static_cast<std::size_t>(type_part)])];
  const isa::Code* model = slot.codes->find(word);
  if (model == nullptr) {
    error("visa-text-syntax", in_.span_from(start),
          silent() ? "" : fmt::format("{} is not an address model", shown(word)));
    note("models are flat, flat(X), arg, bss(X), ss(X), bti(X) and surf(X)");
    return false;
  }
  code = model->code;
  return true;
}

/// :a16 | :a32 | :a32u | :a32s | :a64
bool LscOperands::address_size(Operand& out) {
  if (!in_.accept(':')) return expected("the address size :a16, :a32 or :a64");
  const Scanner::Mark start = in_.mark();
  const std::string_view word = in_.word();
  const isa::Code* code = isa::find_code_table("addr_size")->find(word);
  if (code == nullptr)
    return error(
        "visa-text-syntax", in_.span_from(start),
        silent() ? "" : fmt::format("expected an address size a16, a32, a32u, a32s or a64, found {}", shown(word)));
  out = integer_operand(code->code);
  place_operand(out, start);
  return true;
}

/// V40:d32x4t
bool LscOperands::data(const InstructionDescription& description, const TextElement& e) {
  Operand& data = draft_.operands[static_cast<std::size_t>(e.parts[0])];
  if (!raw(data)) return false;
  if (!in_.accept(':')) return expected("':' and the shape of the data like :d32x4");
  const Scanner::Mark start = in_.mark();
  std::string_view word = in_.word();
  const auto bad = [&] {
    error("visa-text-syntax", in_.span_from(start), silent() ? "" : fmt::format("{} is not a data shape", shown(word)));
    note(
        "shapes are d8, d16, d32, d64, d8u32, d16u32, d16u32h (also d8c32 ...), then xN for vectors and t for "
        "transposed: d32x8t");
    return false;
  };
  std::string_view rest = word;
  if (!element_size(description, e, rest, start)) return bad();
  const Slot& elements = description.slots[static_cast<std::size_t>(e.parts[3])];
  std::uint64_t count = 1;
  if (!rest.empty() && rest.front() == 'x') {
    rest.remove_prefix(1);
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    const isa::Code* code = digits == 0 ? nullptr : elements.codes->find(rest.substr(0, digits));
    if (code == nullptr) return bad();
    count = code->code;
    rest.remove_prefix(digits);
  }
  const bool transposed = rest == "t";
  if (!rest.empty() && !transposed) return bad();
  set_part(e, 2, integer_operand(transposed ? 2 : 1), start);
  set_part(e, 3, integer_operand(count), start);
  return pitch(description);
}

/// The element size in front of `rest`: the longest name that fits.
bool LscOperands::element_size(const InstructionDescription& description, const TextElement& e, std::string_view& rest,
                               Scanner::Mark start) {
  const isa::Code* longest = nullptr;
  for (const isa::Code& c : description.slots[static_cast<std::size_t>(e.parts[1])].codes->codes)
    if (rest.starts_with(c.name) && (longest == nullptr || c.name.size() > longest->name.size())) longest = &c;
  if (longest == nullptr) return false;
  rest.remove_prefix(longest->name.size());
  set_part(e, 1, integer_operand(longest->code), start);
  return true;
}

/// V40:d32.xyz
bool LscOperands::quad(const InstructionDescription& description, const TextElement& e) {
  Operand& data = draft_.operands[static_cast<std::size_t>(e.parts[0])];
  if (!raw(data)) return false;
  if (!in_.accept(':')) return expected("':' and the shape of the data like :d32.xyzw");
  const Scanner::Mark start = in_.mark();
  const std::string_view word = in_.word();
  std::string_view rest = word;
  if (!element_size(description, e, rest, start) || !rest.empty())
    return error("visa-text-syntax", in_.span_from(start),
                 silent() ? "" : fmt::format("{} is not an element size like d32", shown(word)));
  if (in_.peek() != '.') return expected("'.' and the channels x, y, z, w");
  in_.skip();
  const Scanner::Mark at = in_.mark();
  std::uint64_t mask = 0;
  for (const char c : in_.word()) {
    constexpr std::string_view kChannels = "xyzw";
    const std::size_t channel = kChannels.find(c);
    if (channel == std::string_view::npos || (mask >> channel) != 0)
      return error("visa-text-syntax", in_.span_from(at), "channels are a subset of xyzw in this order");
    mask |= std::uint64_t{1} << channel;
  }
  if (mask == 0) return expected("channels x, y, z, w");
  set_part(e, 2, integer_operand(mask), at);
  return true;
}

/// V40:d16.2x16x8nt: blocks, width, height, transposed, VNNI
bool LscOperands::block(const InstructionDescription& description, const TextElement& e) {
  Operand& data = draft_.operands[static_cast<std::size_t>(e.parts[0])];
  if (!raw(data)) return false;
  if (!in_.accept(':')) return expected("':' and the shape of the block like :d16.16x8nn");
  const Scanner::Mark start = in_.mark();
  std::string_view rest = in_.word();
  if (!element_size(description, e, rest, start) || !rest.empty() || in_.peek() != '.')
    return expected("a shape like d16.16x8nn");
  in_.skip();
  const Scanner::Mark at = in_.mark();
  const std::string_view word = in_.word();
  rest = word;
  std::uint64_t numbers[3] = {};
  std::size_t count = 0;
  for (; count < 3; ++count) {
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits]))
      numbers[count] =
          std::min<std::uint64_t>(numbers[count] * 10 + static_cast<unsigned>(rest[digits++] - '0'), 1u << 20);
    if (digits == 0) break;
    rest.remove_prefix(digits);
    if (!rest.starts_with('x')) {
      ++count;
      break;
    }
    rest.remove_prefix(1);
  }
  bool letters[2] = {};
  bool ok = count >= 2;
  for (std::size_t n = 0; n < 2 && !rest.empty(); ++n) {
    ok = ok && (rest.front() == 'n' || rest.front() == 't');
    letters[n] = rest.front() == 't';
    rest.remove_prefix(1);
  }
  const std::uint64_t blocks = count == 3 ? numbers[0] : 1, width = numbers[count - 2 < 3 ? count - 2 : 0],
                      height = numbers[count - 1 < 3 ? count - 1 : 0];
  if (!ok || !rest.empty())
    return error("visa-text-syntax", in_.span_from(at),
                 silent() ? "" : fmt::format("{} is not a block like 16x8nn or 2x16x8nn", shown(word)));
  if (blocks > 255 || width > 0xffff || height > 0xffff)
    return error("visa-text-number", in_.span_from(at), "block size does not fit its field");
  set_part(e, 2, integer_operand(blocks), at);
  set_part(e, 3, integer_operand(width), at);
  set_part(e, 4, integer_operand(height), at);
  set_part(e, 5, integer_operand(letters[0] ? 2 : 1), at);
  set_part(e, 6, integer_operand(letters[1]), at);
  return true;
}

/// [scale*]V[.off][+int|-int]; strided: V[.off][+int|-int][,pitch]
bool LscOperands::address(const InstructionDescription& description, const TextElement& e, bool strided) {
  if (!model(e, 1, 5, 6, false)) return false;
  if (!in_.accept('[')) return expected("'[' and the address");
  in_.space();
  const Scanner::Mark start = in_.mark();
  if (is_digit(in_.peek())) {
    Number n;
    if (!literals_.literal(n)) return false;
    if (n.is_real || n.value < 1 || n.value > 0xffff)
      return error("visa-text-number", in_.span_from(start), "address scale is not between 1 and 65535");
    set_part(e, 2, integer_operand(static_cast<std::uint64_t>(n.value)), start);
    if (!in_.accept('*')) return expected("'*' between scale and variable");
  }
  if (!raw(draft_.operands[static_cast<std::size_t>(e.parts[0])])) return false;
  if (!offset(e, 3)) return false;
  if (strided && in_.accept(',')) {
    Operand pitch;
    if (!vector(pitch)) return false;
    if (e.parts[7] != kNone) draft_.operands[static_cast<std::size_t>(e.parts[7])] = pitch;
  }
  if (!in_.accept(']')) return expected("']' after the address");
  Operand size;
  if (!address_size(size)) return false;
  draft_.operands[static_cast<std::size_t>(e.parts[4])] = size;
  return !strided || pitch(description);
}

bool LscOperands::at_offset() {
  in_.space();
  return in_.peek() == '+' || in_.peek() == '-';
}

/// [+int|-int] behind an address or coordinate.
bool LscOperands::offset(const TextElement& e, std::size_t part) {
  if (!at_offset()) return true;
  const char sign = in_.peek();
  const Scanner::Mark start = in_.mark();
  in_.skip();
  std::int64_t value = 0;
  if (!numbers_.integer(value, Operators::Unary, 0, 0x80000000, "address offset")) return false;
  if (sign == '-') value = -value;
  if (value > INT32_MAX) return error("visa-text-number", in_.span_from(start), "address offset does not fit 32 bits");
  set_part(e, part, integer_operand(static_cast<std::uint64_t>(value)), start);
  return true;
}

/// The pitch of a strided message when the text has none: bytes of one lane's data.
bool LscOperands::pitch(const InstructionDescription& description) {
  const int pitch = description.slot_index("pitch"), size = description.slot_index("data_size"),
            elements = description.slot_index("elems"), base = description.slot_index("src0");
  if (pitch < 0 || size < 0 || elements < 0 || base < 0) return true;
  const Operand& s = draft_.operands[static_cast<std::size_t>(size)];
  const Operand& n = draft_.operands[static_cast<std::size_t>(elements)];
  Operand& out = draft_.operands[static_cast<std::size_t>(pitch)];
  if (out.kind != OperandKind::Absent || s.kind == OperandKind::Absent || n.kind == OperandKind::Absent ||
      draft_.operands[static_cast<std::size_t>(base)].kind == OperandKind::Absent)
    return true;
  constexpr std::uint64_t kBytes[8] = {0, 1, 2, 4, 8, 4, 4, 4};
  constexpr std::uint64_t kCounts[9] = {0, 1, 2, 3, 4, 8, 16, 32, 64};
  out = immediate_operand(kBytes[s.value & 7u] * kCounts[std::min<std::uint64_t>(n.value, 8)]);
  out.at = draft_.operands[static_cast<std::size_t>(base)].at;
  return true;
}

/// MODEL[U[,V[,R[,LOD]]]]:aN
bool LscOperands::typed(const TextElement& e) {
  if (!model(e, 1, 3, 7, true)) return false;
  if (!in_.accept('[')) return expected("'[' and the coordinates");
  constexpr std::size_t kParts[4] = {0, 4, 5, 6};
  for (std::size_t n = 0; n < 4; ++n) {
    if (!raw(draft_.operands[static_cast<std::size_t>(e.parts[kParts[n]])])) return false;
    in_.space();
    if (n < 3 && (in_.peek() == '+' || in_.peek() == '-')) {
      if (!offset(e, 8 + n)) return false;
      c_.needs_newer = c_.needs_newer || !problems_.quiet();
    }
    if (!in_.accept(',')) break;
    if (n == 3) return expected("']' after four coordinates");
  }
  if (!in_.accept(']')) return expected("']' after the coordinates");
  Operand size;
  if (!address_size(size)) return false;
  draft_.operands[static_cast<std::size_t>(e.parts[2])] = size;
  return true;
}

/// x[+n]: a coordinate of a rectangle, and its immediate offset where the form has one.
bool LscOperands::origin(const TextElement& e, std::size_t coordinate, std::size_t offset, bool& given) {
  Operand out;
  if (!vector(out)) return false;
  draft_.operands[static_cast<std::size_t>(e.parts[coordinate])] = out;
  if (e.parts[offset] == kNone) return true;
  given = given || at_offset();
  return this->offset(e, offset);
}

/// flat[base,width,height,pitch,x,y], or with x+n and y+n (of the form that has a place for them)
bool LscOperands::block_address(const TextElement& e) {
  if (in_.looking_at("flat") && !is_name_char(in_.peek(4))) in_.skip(4);
  if (!in_.accept('[')) return expected("an address like flat[V50,0x3f,0x7,0x3f,V41,V42]");
  bool given = e.parts[6] == kNone;
  for (std::size_t n = 0; n < 6; ++n) {
    if (n >= 4) {
      if (!origin(e, n, n + 2, given)) return false;
    } else {
      Operand out;
      if (!vector(out)) return false;
      draft_.operands[static_cast<std::size_t>(e.parts[n])] = out;
    }
    if (n < 5 && !in_.accept(',')) return expected("',' (base, width, height, pitch, x, y)");
  }
  if (!given) return expected("an offset behind x or y");
  if (!in_.accept(']')) return expected("']' after six operands");
  if (in_.accept(':')) {
    const Scanner::Mark start = in_.mark();
    if (in_.word() != "a64") return error("visa-text-syntax", in_.span_from(start), "block addresses are a64");
  }
  return true;
}

/// flat[V + (x,y)]: the address is a message's payload of one register, x and y are added to its coordinates.
bool LscOperands::block_payload(const TextElement& e) {
  if (in_.looking_at("flat") && !is_name_char(in_.peek(4))) in_.skip(4);
  if (!in_.accept('[')) return expected("an address like flat[V50+(0,0)]");
  Operand payload;
  if (!vector(payload)) return false;
  draft_.operands[static_cast<std::size_t>(e.parts[0])] = payload;
  if (!in_.accept('+') || !in_.accept('(')) return expected("'+(' and the offsets of x and y");
  for (std::size_t n = 1; n < 3; ++n) {
    in_.space();
    const Scanner::Mark start = in_.mark();
    std::int64_t offset = 0;
    if (!numbers_.integer(offset, Operators::Unary, INT32_MIN, INT32_MAX, "offset")) return false;
    set_part(e, n, integer_operand(static_cast<std::uint64_t>(offset)), start);
    if (n < 2 && !in_.accept(',')) return expected("',' between the offsets");
  }
  return (in_.accept(')') && in_.accept(']')) || expected("')]' after the offsets");
}

/// V40:16x2, bytes and rows.
bool LscOperands::rows(const TextElement& e) {
  if (!raw(draft_.operands[static_cast<std::size_t>(e.parts[0])])) return false;
  if (!in_.accept(':')) return expected("':' and the size of the rectangle like :16x2");
  const Scanner::Mark start = in_.mark();
  std::string_view rest = in_.word();
  std::uint64_t sizes[2] = {};
  for (std::size_t n = 0; n < 2; ++n) {
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits]))
      sizes[n] = std::min<std::uint64_t>(sizes[n] * 10 + static_cast<unsigned>(rest[digits++] - '0'), 1u << 20);
    rest.remove_prefix(digits);
    if (digits == 0 || (n == 0 && !rest.starts_with('x')) || sizes[n] > 0xffff)
      return error("visa-text-syntax", in_.span_from(start), "expected a rectangle of bytes and rows like 16x2");
    if (n == 0) rest.remove_prefix(1);
  }
  if (!rest.empty())
    return error("visa-text-syntax", in_.span_from(start), "expected a rectangle of bytes and rows like 16x2");
  set_part(e, 1, integer_operand(sizes[0]), start);
  set_part(e, 2, integer_operand(sizes[1]), start);
  return true;
}

/// MODEL[x,y], or with x+n and y+n (of the form that has a place for them)
bool LscOperands::rows_address(const TextElement& e) {
  if (!model(e, 2, 3, 4, true)) return false;
  if (!in_.accept('[')) return expected("'[' and the coordinates");
  bool given = e.parts[5] == kNone;
  if (!origin(e, 0, 5, given)) return false;
  if (!in_.accept(',')) return expected("',' between x and y");
  if (!origin(e, 1, 6, given)) return false;
  if (!given) return expected("an offset behind x or y");
  return in_.accept(']') || expected("']' after the coordinates");
}

}  // namespace heddle::text
