// SPDX-License-Identifier: MIT
// Class, type, region, bounds and modifier of each operand. Everything here follows from the
// descriptions.

#include <fmt/format.h>

#include <algorithm>

#include "verify/phases.hpp"

namespace heddle::verify {
namespace {

using instructions::Check;
using instructions::Storage;
using isa::Access;
using isa::Operand;
using isa::OperandKind;
using isa::PlatformSet;
using isa::Slot;
using isa::SlotKind;
using isa::Type;

// The types that a slot takes on some of these platforms: "d or ud".
std::string type_list(const Slot& slot, PlatformSet platforms) {
  isa::TypeSet types;
  for (const isa::TypesOn& t : slot.types)
    if (!(t.platforms & platforms).empty()) types = types | t.types;
  std::string text, last;
  for (unsigned i = 0; i < isa::kTypeCount; ++i) {
    if (!types.has(static_cast<Type>(i))) continue;
    if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
    last = isa::type_name(static_cast<Type>(i));
  }
  return text.empty() ? last : text + " or " + last;
}

bool writes(const Slot& slot) { return slot.access == Access::Write || slot.access == Access::ReadWrite; }

/// The rule that a wrong type breaks: the row says it, or visa-type. `nowhere`: the slot takes the type on no platform.
isa::TypeRule type_rule(const isa::InstructionDescription& description, const Slot& slot, Type type, bool nowhere) {
  const auto said = [&](std::string_view name) {
    return std::ranges::find(description.traits.type_rules, name, &isa::TypeRule::slot);
  };
  const auto end = description.traits.type_rules.end();
  if (const auto own = said(slot.name); own != end) return *own;
  if (const auto all = said({}); all != end) return *all;
  // visa-bf-op, visa-math-type: bf and df belong to a short list of instructions.
  if (nowhere && description.traits.alu && type == Type::BF) return {{}, "visa-bf-op"};
  if (nowhere && description.traits.alu && type == Type::DF) return {{}, "visa-math-type"};
  return {{}, "visa-type"};
}

class Operands {
 public:
  explicit Operands(Check& check) : check_(check), description_(check.description()) {}

  void run() {
    const std::span<const Operand> operands = check_.operands();
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (const Slot* slot = description_.slot_of(i)) one(operands[i], *slot);
  }

 private:
  void one(const Operand& o, const Slot& slot);
  bool kind_allowed(const Operand& o, const Slot& slot);
  bool exists(const Operand& o);
  void vector(const Operand& o, const Slot& slot);
  void general(const Operand& o, const Slot& slot);
  void indirect(const Operand& o, const Slot& slot);
  bool region(const Operand& o, const Slot& slot, bool multi_address);
  void address(const Operand& o);
  void address_of(const Operand& o);
  void immediate(const Operand& o, const Slot& slot);
  void modifier(const Operand& o, const Slot& slot);
  void raw(const Operand& o, const Slot& slot);
  void type(const Operand& o, const Slot& slot);
  void read_only(const Operand& o, const Slot& slot);

  [[nodiscard]] unsigned elements(const Slot& slot) const {
    if (slot.extent.kind == isa::Extent::Kind::Fixed) return slot.extent.count;
    return slot.scalar ? 1 : check_.exec_size();
  }
  [[nodiscard]] std::string name(const Operand& o) const { return check_.text(o); }

  Check& check_;
  const isa::InstructionDescription& description_;
};

void Operands::one(const Operand& o, const Slot& slot) {
  if (o.kind == OperandKind::Absent) {
    const bool needed =
        (slot.kind == SlotKind::Raw || slot.kind == SlotKind::Vector) && slot.condition.slot < 0 && !slot.newer_only;
    if (needed)
      check_.error("visa-operand-class", nullptr,
                   fmt::format("{} has no operand {}", description_.mnemonic, slot.name));
    return;
  }
  if (!kind_allowed(o, slot) || !exists(o)) return;
  switch (slot.kind) {
    case SlotKind::Vector:
      vector(o, slot);
      break;
    case SlotKind::Raw:
      raw(o, slot);
      break;
    default:
      break;
  }
}

bool Operands::kind_allowed(const Operand& o, const Slot& slot) {
  // visa-addrof: the address of a surface is encoded by Intel's tool.
  if (o.kind == OperandKind::State && slot.kinds.has(OperandKind::AddressOf)) {
    check_.warning("visa-addrof", &o, fmt::format("the address of {} is taken, addresses are of variables", name(o)));
    return false;
  }
  if (slot.kinds.has(o.kind)) return true;
  if (o.kind == OperandKind::AddressOf)
    check_.error("visa-addrof", &o,
                 fmt::format("{} cannot take the address {}; only addr_add can", description_.mnemonic, name(o)));
  else if (o.kind == OperandKind::Immediate)
    check_.error("visa-imm-place", &o,
                 fmt::format("{} {} of {} cannot be an immediate", writes(slot) ? "destination" : "operand", slot.name,
                             description_.mnemonic));
  else
    check_.error("visa-operand-class", &o,
                 fmt::format("{} cannot be operand {} of {}", name(o), slot.name, description_.mnemonic));
  return false;
}

bool Operands::exists(const Operand& o) {
  const isa::Object& object = check_.object();
  bool there = true;
  std::string_view id = "visa-bin-index";
  switch (o.kind) {
    case OperandKind::General:
    case OperandKind::Raw:
    case OperandKind::AddressOf:
      there = isa::variable_exists(object, o.id);
      break;
    case OperandKind::Address:
    case OperandKind::Indirect:
      there = o.id < object.addresses.size();
      if (o.kind == OperandKind::Indirect) id = "visa-indirect-addr";
      break;
    case OperandKind::Surface:
      there = o.id < isa::kFirstSurface + object.surfaces.size();
      id = "visa-surface-kind";
      break;
    case OperandKind::Sampler:
      there = o.id < object.samplers.size() || o.id == isa::kBindlessSampler;
      id = "visa-surface-kind";
      break;
    case OperandKind::State:
      there = o.state == isa::StateClass::Surface ? o.id < isa::kFirstSurface + object.surfaces.size()
                                                  : o.id < object.samplers.size() || o.id == isa::kBindlessSampler;
      id = "visa-surface-kind";
      break;
    case OperandKind::Label:
      there = o.id < object.labels.size();
      break;
    case OperandKind::String:
      there = o.id < object.strings.size();
      break;
    default:
      break;
  }
  if (!there) check_.error(id, &o, fmt::format("{} is not declared", name(o)));
  return there;
}

void Operands::vector(const Operand& o, const Slot& slot) {
  modifier(o, slot);
  if (o.kind == OperandKind::Immediate) immediate(o, slot);
  if (!check_.reported(o, "visa-imm-type")) type(o, slot);
  read_only(o, slot);
  switch (o.kind) {
    case OperandKind::General:
      general(o, slot);
      break;
    case OperandKind::Indirect:
      indirect(o, slot);
      break;
    case OperandKind::Address:
      address(o);
      break;
    case OperandKind::AddressOf:
      address_of(o);
      break;
    default:
      break;
  }
}

// visa-region-param, -exec, -dst: the shape alone. False: it has no meaning to compute with.
bool Operands::region(const Operand& o, const Slot& slot, bool multi_address) {
  const auto one_of = [](int value, std::initializer_list<int> list) {
    return std::ranges::find(list, value) != list.end();
  };
  const int v = o.region.v(), w = o.region.w(), h = o.region.h();
  if (writes(slot)) {
    if (v != -1 || w != -1) {
      check_.error(o.kind == OperandKind::Indirect && v == -1 ? "visa-indirect-dst" : "visa-region-param", &o,
                   fmt::format("destination {} has a source region", name(o)));
      return false;
    }
    if (h == 0) {
      check_.error("visa-region-dst", &o, fmt::format("destination {} has a stride of 0", name(o)));
      return false;
    }
    if (one_of(h, {1, 2, 4})) return true;
    check_.error("visa-region-param", &o, fmt::format("destination {} needs a stride of 1, 2 or 4", name(o)));
    return false;
  }
  // visa-text-region: the text parser has said it already
  if (o.kind == OperandKind::Indirect && v == -1 && w == -1 && one_of(h, {1, 2, 4})) {
    if (check_.program().source == nullptr)
      check_.error("visa-text-region", &o, fmt::format("source {} has a destination region", name(o)));
    return false;
  }
  if (!one_of(w, {1, 2, 4, 8, 16}) || !one_of(h, {0, 1, 2, 4}) ||
      (!multi_address && !one_of(v, {0, 1, 2, 4, 8, 16, 32}))) {
    check_.error("visa-region-param", &o,
                 fmt::format("{} needs a region of v 0 1 2 4 8 16 32, w 1 2 4 8 16, h 0 1 2 4", name(o)));
    return false;
  }
  if (static_cast<unsigned>(w) > elements(slot)) {
    if (!check_.reported(o))
      check_.error("visa-region-exec", &o,
                   fmt::format("{} is {} elements wide, {} are wanted", name(o), w, elements(slot)));
    return false;
  }
  return true;
}

void Operands::general(const Operand& o, const Slot& slot) {
  if (o.id == 0) {  // %null: the result is dropped
    if (!writes(slot) && !slot.null_allowed)
      check_.error("visa-raw-null", &o, fmt::format("{} of {} is %null", slot.name, description_.mnemonic));
    return;
  }
  const Storage& s = check_.storage(o.id);
  if (!region(o, slot, false) || !s.valid) return;
  const unsigned grf = check_.grf(), element = isa::type_bytes(s.type);
  // visa-region-col
  if (o.col * element >= grf) {
    check_.error("visa-region-col", &o,
                 fmt::format("column {} of {} lies behind the register's {} elements", o.col, name(o), grf / element));
    return;
  }
  if (slot.extent.kind == isa::Extent::Kind::Any) return;  // the family's check knows
  const std::uint64_t count = elements(slot);
  std::uint64_t last = 0;
  if (writes(slot)) {
    last = (count - 1) * static_cast<unsigned>(o.region.h());
  } else {
    const auto width = static_cast<unsigned>(o.region.w());
    last = (count / width - 1) * static_cast<unsigned>(o.region.v()) +
           std::uint64_t{width - 1} * static_cast<unsigned>(o.region.h());
  }
  const std::uint64_t start = s.root_offset + std::uint64_t{o.row} * grf + std::uint64_t{o.col} * element;
  const std::uint64_t end = start + last * element + element;
  // visa-region-bounds
  if (end > s.root_bytes) {
    check_.error("visa-region-bounds", &o,
                 fmt::format("{} ends at byte {}, variable has {}", name(o), end - s.root_offset, s.bytes));
  }
  // visa-region-span (row 33: only a warning for ALU instructions)
  if (const std::uint64_t registers = (end - 1) / grf - start / grf + 1; registers > 2)
    check_.report("visa-region-span", description_.traits.alu ? base::Severity::Warning : base::Severity::Error, &o,
                  fmt::format("{} touches {} registers, an operand may touch 2", name(o), registers));
}

void Operands::indirect(const Operand& o, const Slot& slot) {
  const isa::PlainVariable& a = check_.object().addresses[o.id];
  const bool multi_address = !writes(slot) && o.region.v() == -1 && o.region.w() > 0;
  if (!region(o, slot, multi_address)) return;
  // visa-indirect-addr
  const unsigned addresses = multi_address ? std::max(1u, elements(slot) / static_cast<unsigned>(o.region.w())) : 1u;
  if (addresses > 16)
    check_.error("visa-indirect-addr", &o,
                 fmt::format("{} uses {} addresses, at most 16 are possible", name(o), addresses));
  else if (o.row + addresses > a.elements)
    check_.error("visa-indirect-addr", &o,
                 fmt::format("{} uses address elements {} to {}, {} has {}", name(o), o.row, o.row + addresses - 1,
                             a.name, a.elements));
  if (o.offset < -512 || o.offset > 511)
    check_.error("visa-indirect-addr", &o, fmt::format("offset {} of {} is not in -512 to 511", o.offset, name(o)));
  else if (o.offset % static_cast<int>(isa::type_bytes(o.type)) != 0)
    check_.error("visa-indirect-addr", &o,
                 fmt::format("offset {} of {} is no multiple of its element", o.offset, name(o)));
}

void Operands::address(const Operand& o) {
  // visa-address-width
  const isa::PlainVariable& a = check_.object().addresses[o.id];
  const unsigned width = 1u << (o.col & 31u), exec = check_.exec_size();
  if (o.col > 4 || o.row + width > a.elements)
    check_.error("visa-address-width", &o,
                 fmt::format("{} ends at element {}, {} has {}", name(o), o.row + width, a.name, a.elements));
  else if (width > exec)
    check_.error("visa-address-width", &o, fmt::format("{} has {} elements for {} channels", name(o), width, exec));
  else if (width < exec)
    check_.warning("visa-address-width", &o, fmt::format("{} has {} elements for {} channels", name(o), width, exec));
}

void Operands::address_of(const Operand& o) {
  // visa-addrof
  const Storage& s = check_.storage(o.id);
  if (o.id < isa::kFirstVariable) {
    check_.error("visa-addrof", &o,
                 fmt::format("the address of the predefined {} is taken", isa::predefined_variables()[o.id].name));
  } else if (s.valid && (o.offset < 0 || s.root_offset + static_cast<std::uint64_t>(o.offset) >= s.root_bytes)) {
    check_.error("visa-addrof", &o, fmt::format("{} lies behind the variable's {} bytes", name(o), s.bytes));
  }
}

void Operands::immediate(const Operand& o, const Slot& slot) {
  // visa-imm-type
  const isa::TypeSet types = slot.all_types();
  const bool packed_integer = o.type == Type::V || o.type == Type::UV, packed_float = o.type == Type::VF;
  const bool integers =
      types.empty() || types.has(Type::W) || types.has(Type::UW) || types.has(Type::D) || types.has(Type::UD);
  if (o.type == Type::Bool)
    check_.error("visa-imm-type", &o, "an immediate cannot have the type bool");
  else if ((packed_integer || packed_float) && (slot.scalar || !description_.traits.alu ||
                                                (packed_integer ? !integers : !types.empty() && !types.has(Type::F))))
    check_.error("visa-imm-type", &o,
                 fmt::format("a packed {} immediate cannot be operand {} of {}", isa::type_name(o.type), slot.name,
                             description_.mnemonic));
}

void Operands::modifier(const Operand& o, const Slot& slot) {
  if (o.modifier == isa::Modifier::None || o.modifier == isa::Modifier::Sat) return;
  // visa-modifier
  const bool complement = o.modifier == isa::Modifier::Not;
  std::string_view wrong;
  if (static_cast<unsigned>(o.modifier) > static_cast<unsigned>(isa::Modifier::Not))
    wrong = "the modifier is reserved";
  else if (writes(slot))
    wrong = "a destination takes no source modifier";
  else if (o.kind != OperandKind::General && o.kind != OperandKind::Indirect)
    wrong = "only variables take a modifier";
  else if (description_.traits.modifiers == isa::Modifiers::None)
    wrong = "the instruction takes no modifiers";
  else if (description_.traits.modifiers == isa::Modifiers::Arithmetic && complement)
    wrong = "(~) is for logic";
  else if (description_.traits.modifiers == isa::Modifiers::Logic && !complement)
    wrong = "logic takes only (~)";
  if (!wrong.empty()) {
    check_.error("visa-modifier", &o,
                 fmt::format("modifier of operand {} of {}: {}", slot.name, description_.mnemonic, wrong));
    return;
  }
  // visa-modifier-type
  const auto type = check_.type_of(o);
  if (!complement && type && isa::is_integer(*type) && !isa::is_signed(*type))
    check_.warning(
        "visa-modifier-type", &o,
        fmt::format("{} negates or takes the absolute value of the unsigned type {}", name(o), isa::type_name(*type)));
}

void Operands::type(const Operand& o, const Slot& slot) {
  auto type = check_.type_of(o);
  if (!type || slot.types.empty() || o.kind == OperandKind::Predicate) return;
  if (o.kind == OperandKind::Immediate) {  // packed vectors count as what they unpack to
    if (*type == Type::V)
      type = Type::W;
    else if (*type == Type::UV)
      type = Type::UW;
    else if (*type == Type::VF)
      type = Type::F;
    else if (*type == Type::Bool)
      return;
  }
  PlatformSet allowed;
  for (const isa::TypesOn& t : slot.types)
    if (t.types.has(*type)) allowed = allowed | t.platforms;
  const PlatformSet wrong = check_.platforms().without(allowed);
  if (!wrong.empty()) {
    const isa::TypeRule rule = type_rule(description_, slot, *type, allowed.empty());
    check_.report(rule.id, rule.severity, &o,
                  fmt::format("{} of {} is {}, type {}, must be {}", slot.name, description_.mnemonic, name(o),
                              isa::type_name(*type), type_list(slot, wrong)),
                  wrong);
  }
  // visa-type: 64-bit types that the platform has not in hardware.
  PlatformSet emulated;
  const bool int64 = *type == Type::Q || *type == Type::UQ;
  if (slot.kind == SlotKind::Vector && description_.traits.alu && (int64 || *type == Type::DF))
    for (const isa::PlatformInfo& p : isa::all_platforms())
      if (!(int64 ? p.int64 : p.fp64)) emulated = emulated | PlatformSet::only(p.platform);
  emulated = (emulated & check_.platforms()).without(wrong);
  if (!emulated.empty() && writes(slot))
    check_.warning("visa-type", &o,
                   fmt::format("{} is not in the hardware of {}", isa::type_name(*type), emulated.describe()),
                   emulated);
}

void Operands::read_only(const Operand& o, const Slot& slot) {
  // visa-readonly
  if (!writes(slot) || (o.kind != OperandKind::General && o.kind != OperandKind::Raw) || o.id == 0) return;
  const Storage& s = check_.storage(o.id);
  if (!s.valid || s.root >= isa::kPredefinedVariables || !isa::predefined_variables()[s.root].read_only) return;
  const std::string_view root = isa::predefined_variables()[s.root].name;
  if (root == "%tsc" && o.kind == OperandKind::General && o.row == 0 && o.col == 4) return;  // the pause counter
  check_.error("visa-readonly", &o, fmt::format("{} writes {}, which is read-only", description_.mnemonic, root));
}

void Operands::raw(const Operand& o, const Slot& slot) {
  if (o.id == 0) {
    // visa-raw-null: a result may be dropped, what is read must be there
    if (slot.null_allowed || check_.reported(o)) return;
    if (slot.access == Access::Write)
      check_.warning("visa-raw-null", &o,
                     fmt::format("{} of {} is %null: the result is dropped", slot.name, description_.mnemonic));
    else
      check_.error("visa-raw-null", &o, fmt::format("{} of {} is %null", slot.name, description_.mnemonic));
    return;
  }
  type(o, slot);
  read_only(o, slot);
  const Storage& s = check_.storage(o.id);
  if (!s.valid) return;
  const unsigned grf = check_.grf();
  // visa-raw-align
  if (s.bytes >= grf && static_cast<std::uint32_t>(o.offset) % grf != 0)
    check_.error("visa-raw-align", &o, fmt::format("offset of {} is no multiple of {}", name(o), grf));
  // visa-raw-bounds
  const unsigned element = isa::type_bytes(s.type), exec = check_.exec_size();
  const auto number = [&](std::uint8_t index) -> std::uint64_t {  // what an integer slot's code names
    if (index >= check_.operands().size()) return 0;
    const Operand& count = check_.operands()[index];
    if (count.kind != OperandKind::Integer) return 0;
    const isa::CodeTable* codes = description_.slots[index].codes;
    const isa::Code* code = codes != nullptr ? codes->find(count.value) : nullptr;
    if (codes == nullptr) return count.value;
    std::uint64_t value = 0;
    for (const char c : code != nullptr ? code->name : std::string_view())
      if (c >= '0' && c <= '9') value = value * 10 + static_cast<unsigned>(c - '0');
    return value;
  };
  std::uint64_t bytes = 0;
  switch (slot.extent.kind) {
    case isa::Extent::Kind::Any:
      return;
    case isa::Extent::Kind::Fixed:
      bytes = std::uint64_t{slot.extent.count} * element;
      break;
    case isa::Extent::Kind::Exec:
      bytes = std::uint64_t{exec} * element;
      break;
    case isa::Extent::Kind::ExecMask: {
      const std::uint64_t mask =
          slot.extent.slot < check_.operands().size() ? check_.operands()[slot.extent.slot].value & 15u : 0;
      bytes = check_.channel_bytes(static_cast<unsigned>(__builtin_popcountll(mask)), exec, element);
      break;
    }
    case isa::Extent::Kind::ExecCount:
      bytes = check_.channel_bytes(number(slot.extent.slot), exec, element);
      break;
    case isa::Extent::Kind::Registers:
      bytes = number(slot.extent.slot) * grf;
      break;
    case isa::Extent::Kind::Owords:
      bytes = number(slot.extent.slot) * 16;
      break;
    case isa::Extent::Kind::Count:
      bytes = number(slot.extent.slot) * element;
      break;
  }
  if (check_.reported(o, "visa-send-bounds")) return;
  // A block that is written to memory starts a register: what is behind the variable is there, with any value.
  if (slot.extent.kind == isa::Extent::Kind::Owords && slot.access == Access::Read && s.bytes < bytes && bytes <= grf &&
      o.offset == 0 && !s.aliased)
    check_.warning("visa-raw-bounds", &o,
                   fmt::format("{} needs {} bytes, {} are there; the others are undefined", name(o), bytes, s.bytes));
  else
    check_.raw_bytes(o, bytes);
}

}  // namespace

void check_operands(Check& check) { Operands(check).run(); }

}  // namespace heddle::verify
