// SPDX-License-Identifier: MIT
// Rules: ENC-25, ENC-26.
#include "isa/layout.hpp"

#include <charconv>

namespace heddle::isa {

std::string_view take_until(std::string_view& rest, std::string_view stops) {
  const std::size_t end = std::min(rest.find_first_of(stops), rest.size());
  const std::string_view head = rest.substr(0, end);
  rest.remove_prefix(end);
  return head;
}

bool parse_number(std::string_view text, int base, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

namespace {

constexpr KindSet kVectorWrite = {OperandKind::General, OperandKind::Indirect};
constexpr KindSet kVectorRead = {OperandKind::General, OperandKind::Indirect, OperandKind::Immediate};

class LayoutParser {
 public:
  LayoutParser(const InstructionEntry& entry, InstructionDescription& description)
      : entry_(entry), description_(description) {}

  std::string run() {
    std::string_view rest = entry_.layout;
    while (!rest.empty() && error_.empty()) {
      const std::string_view token = take_until(rest, " ");
      if (!rest.empty()) rest.remove_prefix(1);
      if (!token.empty()) parse_token(token);
    }
    for (std::size_t i = 0; i < description_.slots.size() && error_.empty(); ++i) {
      Slot& slot = description_.slots[i];
      if (slot.kind == SlotKind::Vector && slot.types.empty()) error_ = parse_types(entry_.types, slot.types);
      if (slot.repeated && i + 1 != description_.slots.size()) fail("only the last slot may be repeated");
    }
    return error_;
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
  }
  Field& add_field(FieldKind kind) {
    Field field;
    field.kind = kind;
    description_.fields.push_back(field);
    return description_.fields.back();
  }
  std::int16_t add_slot(Slot slot) {
    if (description_.slot_index(slot.name) >= 0) fail("two slots named " + std::string(slot.name));
    description_.slots.push_back(std::move(slot));
    return static_cast<std::int16_t>(description_.slots.size() - 1);
  }

  void parse_token(std::string_view token) {
    if (token == "E" || token == "Eg") {
      description_.has_exec = true;
      add_field(token == "E" ? FieldKind::Exec : FieldKind::ExecGather);
      return;
    }
    if (token == "P" || token == "P@newer") {
      description_.has_predicate = true;
      description_.predicate_newer_only = token != "P";
      add_field(FieldKind::Predicate).newer_only = token != "P";
      return;
    }
    if (token == "#") {
      add_field(FieldKind::Count);
      return;
    }
    if (token.find('(') != std::string_view::npos) return parse_packed(token);
    if (token.starts_with("ub=") || token.starts_with("uw=")) return parse_constant(token);
    parse_slot(token);
  }

  void parse_constant(std::string_view token) {
    std::uint64_t value = 0;
    if (!parse_number(token.substr(3), 16, value)) return fail("bad constant " + std::string(token));
    Field& field = add_field(FieldKind::Bits);
    field.bytes = token[1] == 'b' ? 1 : 2;
    add_part(field, {0, static_cast<std::uint8_t>(field.bytes * 8), -1, static_cast<std::uint32_t>(value)});
  }

  void add_part(Field& field, BitPart part) {
    if (field.part_count == 0) field.first_part = static_cast<std::uint16_t>(description_.parts.size());
    description_.parts.push_back(part);
    ++field.part_count;
  }

  /// ub(7-0=08,8:flag{codes})
  void parse_packed(std::string_view token) {
    const std::string_view width = take_until(token, "(");
    if (token.size() < 2 || !token.ends_with(')')) return fail("bad packed field");
    token = token.substr(1, token.size() - 2);
    Field field;
    field.bytes = width == "ub" ? 1 : width == "ud" ? 4 : 2;
    field.sampler_op = width == "op";
    description_.sampler_op |= field.sampler_op;
    while (!token.empty() && error_.empty()) {
      std::string_view item = take_until(token, ",");
      if (!token.empty()) token.remove_prefix(1);
      const std::string_view bits = take_until(item, "=:");
      std::string_view low_text = bits;
      const std::string_view high_text = take_until(low_text, "-");
      std::uint64_t high = 0, low = 0;
      if (item.empty() || !parse_number(high_text, 10, high)) return fail("bad bits in packed field");
      low = high;
      if (!low_text.empty() && !parse_number(low_text.substr(1), 10, low)) return fail("bad bits in packed field");
      BitPart part{static_cast<std::uint8_t>(low), static_cast<std::uint8_t>(high - low + 1), -1, 0};
      if (item.front() == '=') {
        std::uint64_t value = 0;
        if (!parse_number(item.substr(1), 16, value)) return fail("bad constant in packed field");
        part.value = static_cast<std::uint32_t>(value);
      } else {
        item.remove_prefix(1);
        Slot slot;
        slot.name = take_until(item, "{&~*");
        if (slot.name == "M") slot.name = "mask", slot.kind = SlotKind::ChannelMask;
        slot.kinds = {OperandKind::Integer};
        slot.bits = part.width;
        parse_attributes(item, slot, field);
        part.slot = add_slot(std::move(slot));
      }
      add_part(field, part);
    }
    description_.fields.push_back(field);
  }

  void parse_slot(std::string_view token) {
    Slot slot;
    std::string_view rest = token;
    std::string_view head = take_until(rest, ":/+-*?&{~^.@%");
    if (rest.starts_with(':')) {
      slot.name = head;
      rest.remove_prefix(1);
      head = take_until(rest, "/+-*?&{~^.@%");
    }
    Field field;
    field.kind = FieldKind::Operand;
    if (!set_kind(head, slot, field)) return fail("unknown kind in " + std::string(token));
    if (slot.name.empty()) return fail("slot without a name: " + std::string(token));
    parse_attributes(rest, slot, field);
    if (field.kind == FieldKind::Bits) {
      slot.bits = static_cast<std::uint8_t>(field.bytes * 8);
      const std::int16_t index = add_slot(std::move(slot));
      field.slot = index;
      add_part(field, {0, static_cast<std::uint8_t>(field.bytes * 8), index, 0});
    } else {
      if (slot.repeated) description_.count_slot = static_cast<std::int8_t>(description_.slots.size());
      field.slot = add_slot(std::move(slot));
    }
    description_.fields.push_back(field);
  }

  bool set_kind(std::string_view kind, Slot& slot, Field& field) {
    const auto integer = [&](std::uint8_t bytes) {
      slot.kinds = {OperandKind::Integer};
      field.kind = FieldKind::Bits;
      field.bytes = bytes;
      return true;
    };
    const auto vector = [&](std::string_view name, KindSet kinds, Access access, Extent::Kind extent) {
      if (slot.name.empty()) slot.name = name;
      slot.kind = SlotKind::Vector;
      slot.kinds = kinds;
      slot.access = access;
      slot.extent.kind = extent;
      slot.extent.count = 1;
      return true;
    };
    const auto raw = [&](Access access) {
      slot.kind = SlotKind::Raw;
      slot.kinds = {OperandKind::Raw};
      slot.access = access;
      return true;
    };
    const auto plain = [&](SlotKind slot_kind, OperandKind operand, std::string_view name, std::uint8_t bytes) {
      if (slot.name.empty()) slot.name = name;
      slot.kind = slot_kind;
      slot.kinds = {operand};
      field.bytes = bytes;
      return true;
    };
    if (kind == "ub") return integer(1);
    if (kind == "uw") return integer(2);
    if (kind == "ud") return integer(4);
    if (kind == "d") {
      slot.is_signed = true;
      return integer(4);
    }
    if (kind == "M") {
      if (slot.name.empty()) slot.name = "mask";
      slot.valid_bits = 0xf;
      integer(1);
      slot.kind = SlotKind::ChannelMask;
      return true;
    }
    if (kind == "T") return plain(SlotKind::Surface, OperandKind::Surface, "surface", 1);
    if (kind == "S") return plain(SlotKind::Sampler, OperandKind::Sampler, "sampler", 1);
    if (kind == "L" || kind == "U" || kind == "F") {
      slot.label_kind = kind == "F" ? LabelKind::FcCall : kind == "U" ? LabelKind::Subroutine : LabelKind::Block;
      slot.access = Access::None;
      return plain(SlotKind::Label, OperandKind::Label, "label", 2);
    }
    if (kind == "n2" || kind == "n4") {
      slot.access = Access::None;
      return plain(SlotKind::String, OperandKind::String, "name", kind == "n2" ? 2 : 4);
    }
    if (kind == "gv" || kind == "av" || kind == "pv") {
      slot.access = Access::None;
      const OperandKind operand = kind == "gv"   ? OperandKind::General
                                  : kind == "av" ? OperandKind::Address
                                                 : OperandKind::Predicate;
      return plain(SlotKind::Variable, operand, "variable", 4);
    }
    if (kind == "R") return raw(Access::Read);
    if (kind == "W") return raw(Access::Write);
    if (kind == "X") return raw(Access::ReadWrite);
    if (kind == "D") return vector("dst", kVectorWrite, Access::Write, Extent::Kind::Exec);
    if (kind == "A") return vector("dst", {OperandKind::Address}, Access::Write, Extent::Kind::Exec);
    if (kind == "p") return vector("predicate", {OperandKind::Predicate}, Access::Write, Extent::Kind::Exec);
    if (kind == "s") {
      constexpr std::string_view kNames[] = {"src0", "src1", "src2", "src3"};
      if (slot.name.empty() && sources_ == 4) return false;
      const std::string_view name = slot.name.empty() ? kNames[sources_++] : slot.name;
      return vector(name, kVectorRead, Access::Read, Extent::Kind::Exec);
    }
    if (kind == "v") {
      slot.scalar = true;
      return vector("", kVectorRead, Access::Read, Extent::Kind::Fixed);
    }
    return false;
  }

  int slot_named(std::string_view name) {
    const int index = description_.slot_index(name);
    if (index < 0) fail("no slot named " + std::string(name) + " before this");
    return index;
  }

  void parse_attributes(std::string_view rest, Slot& slot, Field& field) {
    while (!rest.empty() && error_.empty()) {
      const char mark = rest.front();
      rest.remove_prefix(1);
      std::uint64_t value = 0;
      switch (mark) {
        case '/': {
          const std::string_view text = take_until(rest, "+*?&{~^.");
          error_ = parse_types(text, slot.types);
          break;
        }
        case '+':
        case '-':
          for (const char c : take_until(rest, "/+-*?&{~^.@")) change_kind(slot, c, mark == '+');
          break;
        case '*':
          parse_extent(rest, slot);
          break;
        case '?': {
          slot.condition.slot = static_cast<std::int8_t>(slot_named(take_until(rest, ".")));
          if (!rest.empty()) rest.remove_prefix(1);
          if (!parse_number(take_until(rest, "/+*&{~^.@"), 10, value)) fail("bad condition");
          slot.condition.bit = static_cast<std::uint8_t>(value);
          break;
        }
        case '&':
          if (!parse_number(take_until(rest, "/+-*?{~^.@"), 16, slot.valid_bits)) fail("bad mask of valid bits");
          break;
        case '{':
          slot.codes = find_code_table(take_until(rest, "}"));
          if (slot.codes == nullptr) fail("unknown code table");
          if (!rest.empty()) rest.remove_prefix(1);
          break;
        case '~':
          if (rest.starts_with('=')) {
            rest.remove_prefix(1);
            slot.copy_of = static_cast<std::int8_t>(slot_named(take_until(rest, "/+-*?&{^.@")));
          } else {
            if (!parse_number(take_until(rest, "/+-*?&{^.@"), 10, value)) fail("bad default");
            slot.default_value = static_cast<std::int64_t>(value);
          }
          break;
        case '^':
          slot.null_allowed = true;
          break;
        case '%':
          slot.old_source = take_until(rest, "/+-*?&{^.@");
          break;
        case '@':
          if (rest.starts_with("newer")) {
            slot.newer_only = field.newer_only = true;
            rest.remove_prefix(5);
          } else {
            rest.remove_prefix(std::min<std::size_t>(2, rest.size()));
            if (!parse_number(take_until(rest, "/+-*?&{^.@%"), 10, value)) fail("bad version");
            field.since_minor = static_cast<std::uint8_t>(value);
          }
          break;
        case '.':
          slot.repeated = true;
          rest.remove_prefix(std::min<std::size_t>(2, rest.size()));
          break;
        default:
          fail(std::string("unknown attribute ") + mark);
          break;
      }
    }
  }

  void change_kind(Slot& slot, char letter, bool add) {
    OperandKind kind{};
    switch (letter) {
      case 'a':
        kind = OperandKind::Address;
        break;
      case 'p':
        kind = OperandKind::Predicate;
        break;
      case 't':
        kind = OperandKind::State;
        break;
      case 'O':
        slot.decodes_address_of = true;
        [[fallthrough]];
      case 'o':
        kind = OperandKind::AddressOf;
        break;
      case 'i':
        kind = OperandKind::Immediate;
        break;
      case 'g':
        kind = OperandKind::General;
        break;
      case 'r':
        kind = OperandKind::Indirect;
        break;
      default:
        return fail("unknown operand class");
    }
    if (add)
      slot.kinds.add(kind);
    else
      slot.kinds.remove(kind);
  }

  void parse_extent(std::string_view& rest, Slot& slot) {
    const std::string_view word = take_until(rest, "/+-*?&{~^.@");
    std::string_view of;
    if (rest.starts_with('.') && !rest.starts_with("...")) {
      rest.remove_prefix(1);
      of = take_until(rest, "/+-*?&{~^.@");
    }
    std::uint64_t value = 0;
    if (word == "any")
      slot.extent.kind = Extent::Kind::Any;
    else if (word == "exec" && of.empty())
      slot.extent.kind = Extent::Kind::Exec;
    else if (word == "exec") {
      slot.extent.slot = static_cast<std::uint8_t>(slot_named(of));
      if (!error_.empty()) return;
      const bool mask = description_.slots[slot.extent.slot].kind == SlotKind::ChannelMask;
      slot.extent.kind = mask ? Extent::Kind::ExecMask : Extent::Kind::ExecCount;
    } else if (word == "grf" || word == "owords" || word == "count") {
      slot.extent.kind = word == "grf"      ? Extent::Kind::Registers
                         : word == "owords" ? Extent::Kind::Owords
                                            : Extent::Kind::Count;
      slot.extent.slot = static_cast<std::uint8_t>(slot_named(of));
    } else if (parse_number(word, 10, value)) {
      slot.extent.kind = Extent::Kind::Fixed;
      slot.extent.count = static_cast<std::uint16_t>(value);
    } else
      fail("unknown extent " + std::string(word));
  }

  const InstructionEntry& entry_;
  InstructionDescription& description_;
  std::string error_;
  unsigned sources_ = 0;
};

}  // namespace

std::string parse_layout(const InstructionEntry& entry, InstructionDescription& description) {
  return LayoutParser(entry, description).run();
}

}  // namespace heddle::isa
