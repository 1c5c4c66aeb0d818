// SPDX-License-Identifier: MIT
// Encoding of single instructions.
// Rules: ENC-6, ENC-15 to ENC-23, ENC-25, ENC-26.

#include <fmt/format.h>

#include <algorithm>

#include "binary/writer.hpp"
#include "isa/modifier.hpp"

namespace heddle::binary {
namespace {

using isa::Field;
using isa::FieldKind;
using isa::InstructionDescription;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;
using isa::SlotKind;

std::string variable_name(const isa::Object& object, std::uint32_t id) {
  if (id < isa::kPredefinedVariables) return std::string(isa::predefined_variables()[id].name);
  if (!isa::variable_exists(object, id)) return fmt::format("variable {}", id);
  return object.variables[id - isa::kFirstVariable].name;
}

/// A short readable form of an operand; the printer of text/ is the exact one.
std::string describe(const isa::Object& object, const Slot& slot, const Operand& o) {
  const bool destination = slot.access == isa::Access::Write;
  const std::string_view modifier = o.modifier == isa::Modifier::Sat ? ".sat " : isa::modifier_text(o.modifier);
  switch (o.kind) {
    case OperandKind::Absent:
      return "%null";
    case OperandKind::Integer: {
      const isa::Code* code = slot.codes != nullptr ? slot.codes->find(o.value) : nullptr;
      return code != nullptr ? fmt::format("{} ({})", o.value, code->name) : fmt::format("{}", o.value);
    }
    case OperandKind::Raw:
      return fmt::format("{}.{}", variable_name(object, o.id), o.offset);
    case OperandKind::General:
      if (slot.kind == SlotKind::Variable) return variable_name(object, o.id);
      return fmt::format("{}{}({},{}){}", modifier, variable_name(object, o.id), o.row, o.col,
                         isa::region_text(o.region, destination));
    case OperandKind::Address:
      return fmt::format("A{}({})<{}>", o.id, o.row, 1u << (o.col & 7u));
    case OperandKind::Predicate:
      return fmt::format("P{}", o.id);
    case OperandKind::Indirect:
      return fmt::format("{}r[A{}({}),{}]{}:{}", modifier, o.id, o.row, o.offset,
                         isa::region_text(o.region, destination), isa::type_name(o.type));
    case OperandKind::Immediate:
      return fmt::format("{:#x}:{}", o.value, isa::type_name(o.type));
    case OperandKind::State:
      return fmt::format("{}{}({})", o.state == isa::StateClass::Sampler ? 'S' : 'T', o.id, o.offset);
    case OperandKind::AddressOf:
      return fmt::format("&{}[{}]", variable_name(object, o.id), o.offset);
    case OperandKind::Surface:
      return o.id < isa::kFirstSurface ? std::string(isa::predefined_surfaces()[o.id]) : fmt::format("T{}", o.id);
    case OperandKind::Sampler:
      return fmt::format("S{}", o.id);
    case OperandKind::Label:
      return o.id < object.labels.size() ? object.labels[o.id].name : fmt::format("label {}", o.id);
    case OperandKind::String:
      return o.id < object.strings.size() ? fmt::format("\"{}\"", object.strings[o.id])
                                          : fmt::format("string {}", o.id);
  }
  return {};
}

class Encoder {
 public:
  Encoder(const isa::Program& program, const isa::Object& object, const WriteOptions& options,
          const ObjectEncoder& names, base::ByteWriter& out, base::Diagnostics& diagnostics,
          std::vector<FieldSpan>* spans)
      : program_(program),
        object_(object),
        options_(options),
        names_(names),
        out_(out),
        diagnostics_(diagnostics),
        spans_(spans) {}

  void run(const isa::Instruction& instruction) {
    instruction_ = &instruction;
    const InstructionDescription& description = *instruction.description;
    const bool newer = options_.dialect == isa::Dialect::Newer;
    start_ = out_.size();
    if (!(newer ? description.in_newer : description.in_12504))
      report("visa-bin-dialect",
             fmt::format("{} has this form in the {} dialect only", description.mnemonic, newer ? "12504" : "newer"));
    const auto operands = object_.operands_of(instruction);
    const std::size_t fixed = description.fixed_slots();
    if (operands.size() < fixed || (operands.size() > fixed && description.count_slot < 0)) {
      report("visa-operand-class",
             fmt::format("{} takes {} operands, {} given", description.mnemonic, fixed, operands.size()));
      return;
    }
    out_.u8(description.opcode);
    span("opcode", 0, [&] { return fmt::format("{} ({:02x})", description.mnemonic, description.opcode); });
    for (const Field& field : description.fields) {
      if (field.newer_only && !newer) {
        check_not_needed(description, field, operands);
        continue;
      }
      const std::size_t at = out_.size() - start_;
      switch (field.kind) {
        case FieldKind::Exec:
          out_.u8(instruction.exec.bits);
          span("exec", at, [&] { return exec_text(instruction.exec); });
          break;
        case FieldKind::ExecGather:
          gather_exec(instruction.exec);
          span("exec", at, [&] { return exec_text(instruction.exec); });
          break;
        case FieldKind::Predicate:
          out_.u16(instruction.predicate.bits);
          span("predicate", at, [&] { return predicate_text(instruction.predicate); });
          break;
        case FieldKind::Bits:
          bits(description, field, operands, at);
          break;
        case FieldKind::Count: {
          const std::size_t count = operands.size() - fixed;
          if (count > 255) report("visa-bin-range", fmt::format("{} operands: the count has one byte", count));
          out_.u8(count);
          span("count", at, [&] { return fmt::format("{}", count); });
          break;
        }
        case FieldKind::Operand: {
          const Slot& slot = description.slots[static_cast<std::size_t>(field.slot)];
          if (!slot.repeated) {
            if (present(slot, operands, field.slot))
              operand(slot, field, operands[static_cast<std::size_t>(field.slot)]);
            break;
          }
          for (std::size_t i = fixed; i < operands.size(); ++i) operand(slot, field, operands[i]);
          break;
        }
      }
    }
  }

 private:
  void report(std::string_view id, std::string message, const Operand* o = nullptr) {
    const base::Place place = o != nullptr ? isa::place_of(program_, object_, *instruction_, *o)
                                           : isa::place_of(program_, object_, *instruction_);
    diagnostics_.add(base::error(std::string(id), std::move(message), place));
  }
  template <typename Text>
  void span(std::string_view name, std::size_t at, Text text) {
    if (spans_ == nullptr) return;
    spans_->push_back({std::string(name), static_cast<std::uint32_t>(at),
                       static_cast<std::uint32_t>(out_.size() - start_ - at), text()});
  }

  static std::string exec_text(isa::Exec exec) {
    return fmt::format("(M{}{}, {})", (exec.bits >> 4 & 7u) + 1, exec.no_mask() ? "_NM" : "", exec.size());
  }
  [[nodiscard]] std::string predicate_text(isa::PredicateUse use) const {
    if (!use.present()) return "none";
    constexpr std::string_view kCombine[] = {"", ".any", ".all", ""};
    return fmt::format("({}P{}{})", use.inverse() ? "!" : "", use.id(), kCombine[use.combine()]);
  }

  void gather_exec(isa::Exec exec) {
    const unsigned size = exec.size();
    if (size != 8 && size != 16 && size != 1)
      report("visa-exec-size", fmt::format("execution size {} cannot be encoded here: 1, 8 and 16 can", size));
    out_.u8((exec.bits & 0xf0u) | (size == 16 ? 1u : size == 1 ? 2u : 0u));
  }

  /// A field of the newer dialect while the older one is written: it must hold nothing.
  void check_not_needed(const InstructionDescription& description, const Field& field,
                        std::span<const Operand> operands) {
    bool needed = false;
    const Operand* o = nullptr;
    if (field.kind == FieldKind::Predicate)
      needed = instruction_->predicate.present();
    else if (field.slot >= 0) {
      o = &operands[static_cast<std::size_t>(field.slot)];
      needed = o->kind == OperandKind::Integer
                   ? o->value != static_cast<std::uint64_t>(
                                     description.slots[static_cast<std::size_t>(field.slot)].default_value)
                   : !o->is_null();
    }
    if (!needed) return;
    const std::string_view name =
        field.kind == FieldKind::Predicate ? "predicate" : description.slots[static_cast<std::size_t>(field.slot)].name;
    report("visa-bin-dialect",
           fmt::format("{}: the {} can be written in the newer dialect only", description.mnemonic, name), o);
  }

  /// Conditional slots: the operand is there exactly when its flag is.
  bool present(const Slot& slot, std::span<const Operand> operands, std::int16_t index) {
    if (slot.condition.slot < 0) return true;
    const Operand& flags = operands[static_cast<std::size_t>(slot.condition.slot)];
    const bool flagged = (flags.value >> slot.condition.bit & 1u) != 0;
    const bool given = operands[static_cast<std::size_t>(index)].kind != OperandKind::Absent;
    if (flagged != given)
      report("visa-rt-operands", flagged ? fmt::format("the flags ask for {}, which is not there", slot.name)
                                         : fmt::format("{} is there, but the flags do not ask for it", slot.name));
    return flagged;
  }

  std::uint32_t integer_value(const Slot& slot, const Operand& o, unsigned width) {
    const std::uint64_t value =
        o.kind == OperandKind::Integer ? o.value : static_cast<std::uint64_t>(slot.default_value);
    if (o.kind != OperandKind::Integer && o.kind != OperandKind::Absent)
      report("visa-operand-class", fmt::format("{} is a plain number", slot.name), &o);
    const auto narrow = static_cast<std::int64_t>(value);
    const bool fits = slot.is_signed
                          ? narrow >= -(std::int64_t{1} << (width - 1)) && narrow < std::int64_t{1} << (width - 1)
                          : value >> width == 0;
    if (!fits)
      report("visa-bin-range",
             fmt::format("{} = {} does not fit {} bits", slot.name,
                         slot.is_signed ? fmt::to_string(narrow) : fmt::to_string(value), width),
             &o);
    return static_cast<std::uint32_t>(value);
  }

  void bits(const InstructionDescription& description, const Field& field, std::span<const Operand> operands,
            std::size_t at) {
    std::uint32_t value = 0;
    for (unsigned p = field.first_part; p < unsigned{field.first_part} + field.part_count; ++p) {
      const isa::BitPart& part = description.parts[p];
      if (part.slot < 0) {
        value |= part.value << part.shift;
        continue;
      }
      const auto index = static_cast<std::size_t>(part.slot);
      const std::uint32_t mask = part.width >= 32 ? ~0u : (1u << part.width) - 1u;
      value |= (integer_value(description.slots[index], operands[index], part.width) & mask) << part.shift;
    }
    if (field.bytes == 1)
      out_.u8(value);
    else if (field.bytes == 2)
      out_.u16(value);
    else
      out_.u32(value);
    if (spans_ == nullptr) return;
    if (field.slot >= 0) {
      const auto index = static_cast<std::size_t>(field.slot);
      return span(description.slots[index].name, at,
                  [&] { return describe(object_, description.slots[index], operands[index]); });
    }
    std::string text;
    for (unsigned p = field.first_part; p < unsigned{field.first_part} + field.part_count; ++p) {
      const isa::BitPart& part = description.parts[p];
      if (!text.empty()) text += ", ";
      if (part.slot < 0)
        text += fmt::format("{:02x}", part.value);
      else {
        const auto index = static_cast<std::size_t>(part.slot);
        text += fmt::format("{} {}", description.slots[index].name,
                            describe(object_, description.slots[index], operands[index]));
      }
    }
    span(description.parts[field.first_part].slot < 0 ? "sub-op" : "bits", at, [&] { return text; });
  }

  void range(const Operand& o, std::string_view what, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high)
      report("visa-bin-range", fmt::format("{} {} cannot be encoded: {} to {}", what, value, low, high), &o);
  }

  void operand(const Slot& slot, const Field& field, const Operand& o) {
    const std::size_t at = out_.size() - start_;
    const bool absent = o.kind == OperandKind::Absent;
    if (!absent && !slot.kinds.has(o.kind))
      report("visa-operand-class", fmt::format("{}: this kind of operand is not allowed here", slot.name), &o);
    switch (slot.kind) {
      case SlotKind::Raw:
        range(o, "byte offset", o.offset, 0, 0xffff);
        out_.u32(absent ? 0 : o.id);
        out_.u16(absent ? 0u : static_cast<std::uint32_t>(o.offset));
        break;
      case SlotKind::Vector:
        vector(slot, o);
        break;
      case SlotKind::Surface:
      case SlotKind::Sampler:
        range(o, "index", o.id, 0, 255);
        out_.u8(o.id);
        break;
      case SlotKind::Label:
        range(o, "label", o.id, 0, 0xffff);
        out_.u16(o.id);
        break;
      case SlotKind::String: {
        const std::uint32_t pool = o.id < object_.strings.size() ? names_.pool_index_of_string(o.id) : 0u;
        if (o.id >= object_.strings.size()) report("visa-bin-index", fmt::format("string {} does not exist", o.id), &o);
        if (field.bytes == 2) range(o, "string index", pool, 0, 0xffff);
        if (field.bytes == 2)
          out_.u16(pool);
        else
          out_.u32(pool);
        break;
      }
      case SlotKind::Variable:
        out_.u32(o.id);
        break;
      case SlotKind::Integer:
      case SlotKind::ChannelMask:
        break;
    }
    span(slot.name, at, [&] { return describe(object_, slot, o); });
  }

  void vector(const Slot& slot, const Operand& o) {
    const auto tag = [&](unsigned operand_class) { out_.u8(operand_class | static_cast<unsigned>(o.modifier) << 3); };
    switch (o.kind) {
      case OperandKind::General:
        tag(0);
        general(o.id, o.row, o.col, o.region.bits);
        break;
      case OperandKind::AddressOf: {
        const unsigned grf = options_.platform ? isa::platform_info(*options_.platform).grf_bytes : 32u;
        const unsigned element =
            isa::variable_exists(object_, o.id) ? isa::type_bytes(isa::variable_type(object_, o.id)) : 1u;
        const auto offset = static_cast<std::uint32_t>(o.offset);
        if (o.offset < 0 || offset % grf % element != 0)
          report("visa-addrof", fmt::format("byte offset {} is no multiple of the element size {}", o.offset, element),
                 &o);
        range(o, "register row", offset / grf, 0, 255);
        tag(0);
        general(o.id, offset / grf, offset % grf / element, 0x0121);  // ENC-21: as <0;1,0>
        break;
      }
      case OperandKind::Address:
        tag(1);
        range(o, "address variable", o.id, 0, 0xffff);
        out_.u16(o.id);
        out_.u8(o.row);
        out_.u8(o.col);
        break;
      case OperandKind::Predicate:
        tag(2);
        range(o, "predicate", o.id, 0, 0xfff);
        out_.u16(o.id);
        break;
      case OperandKind::Indirect:
        tag(3);
        range(o, "address variable", o.id, 0, 0xffff);
        range(o, "byte immediate", o.offset, -0x8000, 0x7fff);
        out_.u16(o.id);
        out_.u8(o.row);
        out_.u16(static_cast<std::uint32_t>(o.offset) & 0xffffu);
        out_.u8(static_cast<unsigned>(o.type));
        out_.u16(o.region.bits);
        break;
      case OperandKind::Immediate: {
        tag(5);
        out_.u8(static_cast<unsigned>(o.type));
        const bool wide = o.type == isa::Type::DF || o.type == isa::Type::Q || o.type == isa::Type::UQ;
        if (wide)
          out_.u64(o.value);
        else
          out_.u32(o.value);
        break;
      }
      case OperandKind::State:
        tag(6);
        range(o, "state variable", o.id, 0, 0xffff);
        range(o, "element", o.offset, 0, 255);
        out_.u8(static_cast<unsigned>(o.state));
        out_.u16(o.id);
        out_.u8(static_cast<std::uint32_t>(o.offset));
        break;
      default:  // Absent: the default of the slot as an immediate
        out_.u8(5);
        out_.u8(0);
        out_.u32(static_cast<std::uint64_t>(slot.default_value));
        break;
    }
  }
  void general(std::uint32_t id, unsigned row, unsigned col, unsigned region) {
    out_.u32(id);
    out_.u8(row);
    out_.u8(col);
    out_.u16(region);
  }

  const isa::Program& program_;
  const isa::Object& object_;
  const WriteOptions& options_;
  const ObjectEncoder& names_;
  base::ByteWriter& out_;
  base::Diagnostics& diagnostics_;
  std::vector<FieldSpan>* spans_;
  const isa::Instruction* instruction_ = nullptr;
  std::size_t start_ = 0;
};

}  // namespace

ObjectEncoder::ObjectEncoder(const isa::Program& program, const isa::Object& object, const WriteOptions& options)
    : program_(program), object_(object), options_(options) {
  number_strings();
}

std::uint32_t ObjectEncoder::intern(std::string_view name) {
  const auto [at, added] = index_.try_emplace(name, static_cast<std::uint32_t>(pool_.size()));
  if (added) pool_.push_back(name);
  return at->second;
}

std::uint32_t ObjectEncoder::pool_index(std::string_view name) const {
  const auto at = index_.find(name);
  return at == index_.end() ? 0 : at->second;
}

void ObjectEncoder::number_strings() {
  intern(object_.name);
  for (const isa::Predefined& p : isa::predefined_variables()) intern(p.name);
  for (const std::string_view name : isa::predefined_surfaces()) intern(name);
  intern("S31");
  const auto attributes = [&](const std::vector<isa::Attribute>& list) {
    for (const isa::Attribute& a : list) intern(a.name);
  };
  for (const isa::GeneralVariable& v : object_.variables) intern(v.name), attributes(v.attributes);
  for (const auto* list : {&object_.addresses, &object_.predicates, &object_.samplers, &object_.surfaces})
    for (const isa::PlainVariable& v : *list) intern(v.name), attributes(v.attributes);
  attributes(object_.attributes);
  string_index_.assign(object_.strings.size(), 0);
  const auto names = [](const isa::Slot& slot) {
    return slot.kind == isa::SlotKind::Label || slot.kind == isa::SlotKind::String;
  };
  std::vector<signed char> has_names;  // by InstructionDescription::index; -1: not looked at
  for (const isa::Instruction& instruction : object_.instructions) {
    const isa::InstructionDescription& description = *instruction.description;
    if (description.index >= has_names.size()) has_names.resize(description.index + 1u, -1);
    signed char& has = has_names[description.index];
    if (has < 0) has = std::any_of(description.slots.begin(), description.slots.end(), names) ? 1 : 0;
    if (has == 0) continue;
    const auto operands = object_.operands_of(instruction);
    for (const isa::Slot& slot : description.slots) {
      if (!names(slot)) continue;
      for (auto i = static_cast<std::size_t>(&slot - description.slots.data()); i < operands.size(); ++i) {
        const isa::Operand& o = operands[i];
        if (o.kind == isa::OperandKind::Label && o.id < object_.labels.size()) intern(object_.labels[o.id].name);
        if (o.kind == isa::OperandKind::String && o.id < object_.strings.size())
          string_index_[o.id] = intern(object_.strings[o.id]);
        if (!slot.repeated) break;
      }
    }
  }
  for (const isa::Label& label : object_.labels) intern(label.name), attributes(label.attributes);
  for (std::size_t i = 0; i < object_.strings.size(); ++i)
    if (string_index_[i] == 0) string_index_[i] = intern(object_.strings[i]);
}

void ObjectEncoder::encode(const isa::Instruction& instruction, base::ByteWriter& out, base::Diagnostics& diagnostics,
                           std::vector<FieldSpan>* spans) const {
  Encoder(program_, object_, options_, *this, out, diagnostics, spans).run(instruction);
}

}  // namespace heddle::binary
