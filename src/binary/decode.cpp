// SPDX-License-Identifier: MIT
// Rules: ENC-15 to ENC-26, ENC-29, ENC-31, ENC-36, TXT-31.
#include "binary/decode.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/growth.hpp"
#include "binary/hidden_fields.hpp"
#include "binary/old_variables.hpp"
#include "instructions/registry.hpp"

namespace heddle::binary {
namespace {

using isa::Field;
using isa::FieldKind;
using isa::Instruction;
using isa::InstructionDescription;
using isa::Operand;
using isa::OperandKind;
using isa::Slot;

constexpr std::size_t kUsualParameters =
    16;                                  // repeated operands of one instruction, for which family is made beforehand
constexpr unsigned kMaxParameters = 17;  // of any row: a texel footprint

std::uint16_t saturate16(std::size_t value) { return static_cast<std::uint16_t>(value > 0xffff ? 0xffff : value); }

class Decoder {
 public:
  Decoder(std::span<const std::uint8_t> code, std::uint64_t base, const CodeContext& context, isa::Object& object,
          StringUse& strings, base::Diagnostics& diagnostics)
      : in_(code),
        code_(code),
        base_(base),
        context_(context),
        object_(object),
        strings_(strings),
        diagnostics_(diagnostics),
        registry_(instructions::registry()) {}

  CodeResult run() {
    while (!in_.at_end()) {
      start_ = in_.position();
      if (object_.instructions.size() >= context_.instruction_limit) {
        diagnostics_.add(base::limit_error("limit-instructions", "more instructions than --max-instructions allows",
                                           place(start_, 1)));
        ++result_.wrong;
        return stop();
      }
      if (!instruction()) return stop();
    }
    result_.complete = true;
    result_.reached = base_ + code_.size();
    return result_;
  }

 private:
  CodeResult stop() {
    result_.reached = base_ + start_;
    return result_;
  }
  [[nodiscard]] base::Place place(std::size_t at, std::size_t length) const {
    base::Place p = base::Place::binary(context_.file, base_ + at, static_cast<std::uint32_t>(length));
    p.object = object_.name;
    p.instruction = static_cast<std::uint32_t>(object_.instructions.size());
    return p;
  }
  void wrong(std::string_view id, std::string message, std::size_t at, std::size_t length) {
    ++result_.wrong;
    diagnostics_.add(base::error(std::string(id), std::move(message), place(at, length)));
  }
  /// visa-bin-reserved: an error, a warning with --lenient.
  void reserved(std::string_view what, std::size_t at, std::size_t length) {
    std::string message = fmt::format("{}: reserved bits are set", what);
    diagnostics_.add(context_.lenient ? base::warning("visa-bin-reserved", std::move(message), place(at, length))
                                      : base::error("visa-bin-reserved", std::move(message), place(at, length)));
  }

  [[nodiscard]] std::uint32_t load(std::size_t at, unsigned bytes) const {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < bytes && at + i < code_.size(); ++i)
      value |= static_cast<std::uint32_t>(code_[at + i]) << (8 * i);
    return value;
  }
  /// Identifiers of variables and strings have two bytes before 3.4.
  [[nodiscard]] bool narrow_ids() const { return context_.minor_key < 34; }
  std::uint32_t id() { return narrow_ids() ? in_.u16() : in_.u32(); }
  std::uint32_t variable_id() {
    const std::size_t at = in_.position();
    const std::uint32_t number = id();
    const std::optional<std::uint32_t> present = present_variable(number, context_.minor_key);
    if (!present && !in_.failed())
      wrong("visa-bin-index", fmt::format("predefined variable {} of old containers is not known", number), at, 2);
    return present.value_or(0);
  }
  /// Before 4.0 the sampler sub-op is one byte: 4:0 op, 5 null mask, 6 cps, 7 divS.
  [[nodiscard]] bool narrow_sampler_op() const { return context_.minor_key < 40; }
  static std::uint32_t widen_sampler_op(std::uint32_t value) { return (value & 0x1fu) | (value & 0xe0u) << 3; }

  const InstructionDescription* select(std::uint8_t opcode) {
    const isa::Registry::OpcodeEntry& entry = registry_.opcode(opcode, context_.dialect);
    if (entry.by_code == nullptr) {
      if (entry.only == nullptr)
        wrong("visa-bin-opcode", fmt::format("opcode {:02x} is reserved or unknown", opcode), start_, 1);
      return entry.only;
    }
    const std::size_t at = start_ + 1 + entry.offset;
    const bool narrow = entry.sampler_op && narrow_sampler_op();
    const unsigned bytes = narrow ? 1u : entry.bytes;
    if (at + bytes > code_.size()) {
      truncated();
      return nullptr;
    }
    std::uint32_t value = load(at, bytes);
    if (narrow) value = widen_sampler_op(value);
    const InstructionDescription* description = (*entry.by_code)[value & entry.mask & 0xffu];
    if (context_.document_codes && description != nullptr && description->traits.document_code >= 0)
      description = (*entry.by_code)[static_cast<unsigned>(description->traits.document_code) & 0xffu];
    if (description == nullptr)
      wrong(unknown_op_rule(entry),
            fmt::format("sub-op {:02x} of opcode {:02x} is unknown", value & entry.mask, opcode), at, bytes);
    return description;
  }
  /// Families may have a rule of their own for operation codes.
  static std::string_view unknown_op_rule(const isa::Registry::OpcodeEntry& entry) {
    const auto any = std::ranges::find_if(*entry.by_code, [](const InstructionDescription* f) { return f != nullptr; });
    return any != entry.by_code->end() && !(*any)->traits.op_rule.empty() ? (*any)->traits.op_rule : "visa-bin-subop";
  }

  bool truncated() {
    wrong("visa-bin-truncated", "the instruction reaches past the end of the code", start_, code_.size() - start_);
    return false;
  }

  bool instruction() {
    const std::uint8_t opcode = in_.u8();
    const InstructionDescription* description = select(opcode);
    if (description == nullptr) return false;
    if (description->traits.since41 && context_.minor_key < 41) {
      wrong("visa-bin-opcode", fmt::format("{} has another layout before container version 4.1", description->mnemonic),
            start_, 1);
      return false;
    }
    Instruction instruction;
    instruction.description = description_ = description;
    instruction.exec.bits = description->traits.fixed_exec;
    instruction.first_operand = static_cast<std::uint32_t>(object_.operands.size());
    instruction.position.offset = base_ + start_;
    first_ = object_.operands.size();
    base::make_room(object_.instructions, 1, start_, code_.size());
    base::make_room(object_.operands, description->fixed_slots() + kUsualParameters, start_, code_.size());
    object_.operands.resize(first_ + description->fixed_slots());
    unsigned count = 0;
    for (const Field& field : description->fields) {
      if (field.newer_only && context_.dialect != isa::Dialect::Newer) continue;
      if (field.since_minor != 0 && context_.minor_key < 30u + field.since_minor) {
        missing_integer(*description, field);
        continue;
      }
      const std::size_t at = in_.position();
      switch (field.kind) {
        case FieldKind::Exec:
          instruction.exec.bits = exec(in_.u8(), at);
          break;
        case FieldKind::ExecGather:
          instruction.exec.bits = gather_exec(in_.u8(), at);
          break;
        case FieldKind::Predicate:
          instruction.predicate.bits = predicate(in_.u16(), at);
          break;
        case FieldKind::Bits:
          bits(*description, field, at);
          break;
        case FieldKind::Count:
          count = in_.u8();
          count_at_ = at;
          break;
        case FieldKind::Operand: {
          const Slot& slot = description->slots[static_cast<std::size_t>(field.slot)];
          if (slot.repeated) {
            if (!repeated(slot, field, count)) return false;
            break;
          }
          if (slot.condition.slot >= 0 &&
              (object_.operands[first_ + static_cast<std::size_t>(slot.condition.slot)].value >> slot.condition.bit &
               1u) == 0)
            break;
          Operand decoded;
          if (!operand(slot, field, decoded)) return false;
          // A null paired surface is the same as none (TXT-31).
          if (slot.newer_only && decoded.kind == OperandKind::Raw && decoded.is_null() && decoded.offset == 0)
            decoded = Operand{};
          object_.operands[first_ + static_cast<std::size_t>(field.slot)] = decoded;
          break;
        }
      }
      if (in_.failed()) return truncated();
    }
    if (missing_ >= 0) fill_missing(*description);
    if (description->fc_call_description != nullptr) select_fc(instruction);
    check_shown(*description, instruction);
    instruction.operand_count = saturate16(object_.operands.size() - first_);
    instruction.length = saturate16(in_.position() - start_);
    object_.instructions.push_back(instruction);
    return true;
  }

  /// ENC-36: what the text cannot show would be lost on the way through it.
  void check_shown(const InstructionDescription& description, const Instruction& instruction) {
    const std::span<const Operand> operands(object_.operands.data() + first_, object_.operands.size() - first_);
    const std::string what = hidden_fields(description, instruction.exec, operands);
    if (what.empty()) return;
    std::string message = fmt::format("{}: {}", description.mnemonic, what);
    const base::Place where = place(start_, in_.position() - start_);
    diagnostics_.add(context_.lenient ? base::warning("visa-bin-reserved", std::move(message), where)
                                      : base::error("visa-bin-reserved", std::move(message), where));
  }

  /// call and fccall have the same bytes: the kind of the label decides.
  void select_fc(Instruction& instruction) {
    const Operand& label = object_.operands.back();
    if (label.id < object_.labels.size() && object_.labels[label.id].kind == isa::LabelKind::FcCall)
      instruction.description = instruction.description->fc_call_description;
  }

  bool repeated(const Slot& slot, const Field& field, unsigned count) {
    const unsigned bytes = slot.kind != isa::SlotKind::Raw ? field.bytes : narrow_ids() ? 4 : 6;
    if (count == 0 || (slot.kind == isa::SlotKind::Raw && count > kMaxParameters)) {
      wrong(
          "visa-bin-count",
          fmt::format("{} operands: there are 1 to {}", count, slot.kind == isa::SlotKind::Raw ? kMaxParameters : 255u),
          count_at_, 1);
      return false;
    }
    if (std::size_t{count} * bytes > in_.remaining()) {
      wrong("visa-bin-count", fmt::format("{} operands do not fit the {} bytes that remain", count, in_.remaining()),
            count_at_, 1);
      return false;
    }
    for (unsigned i = 0; i < count; ++i) {
      Operand decoded;
      if (!operand(slot, field, decoded)) return false;
      object_.operands.push_back(decoded);
    }
    return true;
  }

  std::uint8_t exec(std::uint8_t value, std::size_t at) {
    if ((value & 8u) != 0 || (value & 7u) > 5) reserved("execution size", at, 1);
    return value;
  }
  /// gather, scatter: 3:0 0 = 8, 1 = 16, 2 = 1 channel; 7:4 the mask.
  std::uint8_t gather_exec(std::uint8_t value, std::size_t at) {
    constexpr std::uint8_t kCode[3] = {3, 4, 0};
    if ((value & 15u) > 2) {
      reserved("number of elements", at, 1);
      return value & 0xf0u;
    }
    return static_cast<std::uint8_t>((value & 0xf0u) | kCode[value & 15u]);
  }
  std::uint16_t predicate(std::uint16_t value, std::size_t at) {
    const isa::PredicateUse use{value};
    if ((value & 0x1000u) != 0 || use.combine() == 3 || (use.id() == 0 && value != 0)) reserved("predicate", at, 2);
    if (use.id() > object_.predicates.size())
      wrong("visa-bin-index", fmt::format("predicate {} does not exist", use.id()), at, 2);
    return value;
  }

  void missing_integer(const InstructionDescription& description, const Field& field) {
    if (field.slot < 0) return;
    Operand& operand = object_.operands[first_ + static_cast<std::size_t>(field.slot)];
    operand.kind = OperandKind::Integer;
    operand.value = static_cast<std::uint64_t>(description.slots[static_cast<std::size_t>(field.slot)].default_value);
    missing_ = field.slot;
  }
  /// raw_sends before 3.6: the function id is the low part of the extended descriptor.
  void fill_missing(const InstructionDescription& description) {
    const int source = description.slot_index(description.slots[static_cast<std::size_t>(missing_)].old_source);
    if (source >= 0) {
      const Operand& from = object_.operands[first_ + static_cast<std::size_t>(source)];
      if (from.kind == OperandKind::Immediate)
        object_.operands[first_ + static_cast<std::size_t>(missing_)].value = from.value & 15u;
    }
    missing_ = -1;
  }

  void bits(const InstructionDescription& description, const Field& field, std::size_t at) {
    const bool narrow = field.sampler_op && narrow_sampler_op();
    std::uint32_t value = narrow || field.bytes == 1 ? in_.u8() : field.bytes == 2 ? in_.u16() : in_.u32();
    if (in_.failed()) return;
    const unsigned length = narrow ? 1u : field.bytes;
    if (narrow) value = widen_sampler_op(value);
    if (field.slot >= 0) return integer(description, field.slot, value, at, length);
    std::uint32_t constants = 0, covered = 0;
    for (unsigned p = field.first_part; p < unsigned{field.first_part} + field.part_count; ++p) {
      const isa::BitPart& part = description.parts[p];
      const std::uint32_t mask = (part.width >= 32 ? ~0u : (1u << part.width) - 1u) << part.shift;
      covered |= mask;
      if (part.slot >= 0) continue;
      constants |= mask;
      if ((value & mask) >> part.shift != part.value &&
          !(context_.document_codes && description.traits.document_code >= 0))
        reserved(description.mnemonic, at, length);
    }
    if ((value & ~covered) != 0) reserved(description.mnemonic, at, length);
    for (unsigned p = field.first_part; p < unsigned{field.first_part} + field.part_count; ++p) {
      const isa::BitPart& part = description.parts[p];
      if (part.slot < 0) continue;
      const std::uint32_t mask = part.width >= 32 ? ~0u : (1u << part.width) - 1u;
      integer(description, part.slot, ((value & ~constants) >> part.shift) & mask, at, length);
    }
  }

  void integer(const InstructionDescription& description, std::int16_t slot_index, std::uint32_t value, std::size_t at,
               unsigned length) {
    const Slot& slot = description.slots[static_cast<std::size_t>(slot_index)];
    Operand& operand = object_.operands[first_ + static_cast<std::size_t>(slot_index)];
    operand.kind = OperandKind::Integer;
    operand.value = slot.is_signed
                        ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)))
                        : value;
    operand.at = saturate16(at - start_);
    operand.length = static_cast<std::uint16_t>(length);
    if (slot.valid_bits != ~std::uint64_t{0}) {
      if ((value & ~slot.valid_bits) != 0) reserved(slot.name, at, length);
    } else if (slot.codes != nullptr && slot.codes->find(std::uint64_t{value}) == nullptr) {
      wrong(slot.codes->rule, fmt::format("{}: code {} of {} is unknown", description.mnemonic, value, slot.name), at,
            length);
    }
  }

  bool operand(const Slot& slot, const Field& field, Operand& out) {
    const std::size_t at = in_.position();
    bool ok = true;
    switch (slot.kind) {
      case isa::SlotKind::Raw:
        raw(out, at);
        break;
      case isa::SlotKind::Vector:
        ok = plain_offsets() ? offsets(out) : vector(slot, out, at);
        break;
      case isa::SlotKind::Surface:
        out.kind = OperandKind::Surface;
        out.id = in_.u8();
        check_surface(out.id, at, 1);
        break;
      case isa::SlotKind::Sampler:
        out.kind = OperandKind::Sampler;
        out.id = in_.u8();
        check_sampler(out.id, at, 1);
        break;
      case isa::SlotKind::Label:
        out.kind = OperandKind::Label;
        out.id = in_.u16();
        if (!in_.failed() && out.id >= object_.labels.size())
          wrong("visa-bin-index", fmt::format("label {} does not exist", out.id), at, 2);
        break;
      case isa::SlotKind::String:
        out.kind = OperandKind::String;
        out.id = string_index(field.bytes == 2 ? in_.u16() : id(), at, in_.position() - at);
        break;
      case isa::SlotKind::Variable:
        variable(slot, out, at);
        break;
      case isa::SlotKind::Integer:
      case isa::SlotKind::ChannelMask:
        break;
    }
    if (!ok) return false;
    if (in_.failed()) return truncated();
    out.at = saturate16(at - start_);
    out.length = saturate16(in_.position() - at);
    return true;
  }

  /// Before 3.4 the texel offsets of a sampler message, its only vector operand, are a plain uw.
  [[nodiscard]] bool plain_offsets() const { return narrow_ids() && description_->sampler_op; }
  bool offsets(Operand& out) {
    out.kind = OperandKind::Immediate;
    out.type = isa::Type::UW;
    out.value = in_.u16();
    return true;
  }

  void raw(Operand& out, std::size_t at) {
    out.kind = OperandKind::Raw;
    out.id = variable_id();
    out.offset = in_.u16();
    check_variable(out.id, at);
  }
  void check_variable(std::uint32_t id, std::size_t at) {
    if (!in_.failed() && !isa::variable_exists(object_, id))
      wrong("visa-bin-index", fmt::format("variable {} does not exist", id), at, 4);
  }
  void check_address(std::uint32_t id, std::size_t at) {
    if (!in_.failed() && id >= object_.addresses.size())
      wrong("visa-bin-index", fmt::format("address variable {} does not exist", id), at, 2);
  }
  void check_predicate(std::uint32_t id, std::size_t at) {
    if (!in_.failed() && (id == 0 || id > object_.predicates.size()))
      wrong("visa-bin-index", fmt::format("predicate {} does not exist", id), at, 2);
  }
  void check_surface(std::uint32_t id, std::size_t at, std::size_t length) {
    if (!in_.failed() && id >= isa::kFirstSurface + object_.surfaces.size())
      wrong("visa-bin-index", fmt::format("surface {} does not exist", id), at, length);
  }
  void check_sampler(std::uint32_t id, std::size_t at, std::size_t length) {
    if (!in_.failed() && id >= object_.samplers.size() && id != isa::kBindlessSampler)
      wrong("visa-bin-index", fmt::format("sampler {} does not exist", id), at, length);
  }
  std::uint32_t string_index(std::uint32_t pool, std::size_t at, std::size_t length) {
    if (in_.failed()) return 0;
    if (pool >= strings_.pool.size()) {
      wrong("visa-bin-index", fmt::format("string {} does not exist", pool), at, length);
      return 0;
    }
    if (strings_.index_of.empty()) strings_.index_of.assign(strings_.pool.size(), 0);
    std::uint32_t& index = strings_.index_of[pool];
    if (index == 0) {
      object_.strings.emplace_back(strings_.pool[pool]);
      index = static_cast<std::uint32_t>(object_.strings.size());
    }
    return index - 1;
  }

  void variable(const Slot& slot, Operand& out, std::size_t at) {
    out.id = slot.kinds.has(OperandKind::General) ? variable_id() : id();
    if (slot.kinds.has(OperandKind::General)) {
      out.kind = OperandKind::General;
      check_variable(out.id, at);
    } else if (slot.kinds.has(OperandKind::Address)) {
      out.kind = OperandKind::Address;
      check_address(out.id, at);
    } else {
      out.kind = OperandKind::Predicate;
      check_predicate(out.id, at);
    }
  }

  void region(Operand& out, std::size_t at) {
    out.region.bits = in_.u16();
    if ((out.region.bits & 0xf000u) != 0 || (out.region.bits & 15u) > 7 || (out.region.bits >> 4 & 15u) > 7 ||
        (out.region.bits >> 8 & 15u) > 7)
      reserved("region", at, 2);
  }
  /// Before 3.4 the upper bits of an indirect operand's type hold an alignment, which nobody reads.
  void type(Operand& out, std::size_t at) {
    const std::uint8_t code = in_.u8();
    out.type = static_cast<isa::Type>(code & 15u);
    if (code > 15 && !narrow_ids()) reserved("operand type", at, 1);
  }

  bool vector(const Slot& slot, Operand& out, std::size_t at) {
    const std::uint8_t tag = in_.u8();
    if (in_.failed()) return truncated();
    if ((tag & 0xc0u) != 0 || (tag >> 3 & 7u) > 5) reserved("operand tag", at, 1);
    out.modifier = (tag >> 3 & 7u) > 5 ? isa::Modifier::None : static_cast<isa::Modifier>(tag >> 3 & 7u);
    switch (tag & 7u) {
      case 0:
        out.kind = OperandKind::General;
        break;
      case 1:
        out.kind = OperandKind::Address;
        break;
      case 2:
        out.kind = OperandKind::Predicate;
        break;
      case 3:
        out.kind = OperandKind::Indirect;
        break;
      case 5:
        out.kind = OperandKind::Immediate;
        break;
      case 6:
        out.kind = OperandKind::State;
        break;
      default:
        wrong("visa-bin-tag", fmt::format("operand class {} is reserved", tag & 7u), at, 1);
        return false;
    }
    if (!slot.kinds.has(out.kind))
      wrong("visa-bin-tag", fmt::format("operand class {} is not allowed for {}", tag & 7u, slot.name), at, 1);
    vector_body(slot, out, at);
    return true;
  }

  void vector_body(const Slot& slot, Operand& out, std::size_t at) {
    switch (out.kind) {
      case OperandKind::General:
        out.id = variable_id();
        out.row = in_.u8();
        out.col = in_.u8();
        region(out, at + 7);
        check_variable(out.id, at + 1);
        if (slot.decodes_address_of && out.region.bits == 0x0121) address_of(out);
        break;
      case OperandKind::Address:
        out.id = in_.u16();
        out.row = in_.u8();
        out.col = in_.u8();
        if (out.col > 5) reserved("width of the address operand", at + 4, 1);
        check_address(out.id, at + 1);
        break;
      case OperandKind::Predicate:
        out.id = in_.u16();
        if (out.id > 0xfff) reserved("predicate operand", at + 1, 2);
        check_predicate(out.id & 0xfffu, at + 1);
        break;
      case OperandKind::Indirect:
        out.id = in_.u16();
        out.row = in_.u8();
        out.offset = in_.read<std::int16_t>();
        type(out, at + 6);
        region(out, at + 7);
        check_address(out.id, at + 1);
        break;
      case OperandKind::Immediate: {
        type(out, at + 1);
        const bool wide = out.type == isa::Type::DF || out.type == isa::Type::Q || out.type == isa::Type::UQ;
        out.value = wide ? in_.u64() : in_.u32();
        break;
      }
      case OperandKind::State: {
        const std::uint8_t state = in_.u8();
        out.state = state == 1 ? isa::StateClass::Sampler : isa::StateClass::Surface;
        if (state > 1 && !in_.failed())
          wrong("visa-bin-tag", fmt::format("state class {} is unknown", state), at + 1, 1);
        out.id = in_.u16();
        out.offset = in_.u8();
        if (state == 1)
          check_sampler(out.id, at + 2, 2);
        else
          check_surface(out.id, at + 2, 2);
        break;
      }
      default:
        break;
    }
  }

  /// Address-of is encoded as a general operand with the byte offset folded into row and column (ENC-21).
  void address_of(Operand& out) {
    const unsigned element =
        isa::variable_exists(object_, out.id) ? isa::type_bytes(isa::variable_type(object_, out.id)) : 1u;
    if (out.col * element >= context_.grf_bytes || out.modifier != isa::Modifier::None) return;  // a source like others
    out.kind = OperandKind::AddressOf;
    out.offset = static_cast<std::int32_t>(out.row * context_.grf_bytes + out.col * element);
    out.row = out.col = 0;
    out.region = {};
  }

  base::ByteCursor in_;
  std::span<const std::uint8_t> code_;
  std::uint64_t base_;
  const CodeContext& context_;
  isa::Object& object_;
  StringUse& strings_;
  base::Diagnostics& diagnostics_;
  const isa::Registry& registry_;
  CodeResult result_;
  const InstructionDescription* description_ = nullptr;  ///< of the instruction being read
  std::size_t start_ = 0, first_ = 0, count_at_ = 0;
  std::int16_t missing_ = -1;  ///< slot of an integer that this container version does not have
};

}  // namespace

CodeResult decode_code(std::span<const std::uint8_t> code, std::uint64_t base, const CodeContext& context,
                       isa::Object& object, StringUse& strings, base::Diagnostics& diagnostics) {
  return Decoder(code, base, context, object, strings, diagnostics).run();
}

}  // namespace heddle::binary
