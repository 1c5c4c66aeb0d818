// SPDX-License-Identifier: MIT
#include "instructions/check.hpp"
#include "isa/modifier.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::instructions {

using isa::Operand;
using isa::OperandKind;

StorageTable::StorageTable(const isa::Object& object, unsigned grf_bytes)
    : table_(isa::kFirstVariable + object.variables.size()) {
  const auto predefined = isa::predefined_variables();
  for (std::uint32_t i = 0; i < predefined.size(); ++i) {
    const isa::Predefined& p = predefined[i];
    const std::uint64_t bytes = std::uint64_t{grf_bytes == 64 ? p.elements_64 : p.elements} * isa::type_bytes(p.type);
    // %r0 is one register; its declared eight elements are the part that has a meaning.
    table_[i] = {true,  false, p.type, i, bytes, 0, p.name == "%r0" ? std::max<std::uint64_t>(bytes, grf_bytes) : bytes,
                 p.name};
  }
  enum : std::uint8_t { Unseen, Open, Closed };
  std::vector<std::uint8_t> state(object.variables.size(), Unseen);
  std::vector<std::uint32_t> chain;
  for (std::uint32_t start = 0; start < object.variables.size(); ++start) {
    // Follow the chain to the first resolved variable, then resolve it backwards: linear in the number of variables.
    chain.clear();
    std::uint32_t at = start;
    while (state[at] == Unseen) {
      state[at] = Open;
      chain.push_back(at);
      const std::uint32_t target = object.variables[at].alias;
      if (target < isa::kFirstVariable || target - isa::kFirstVariable >= object.variables.size()) break;
      at = target - isa::kFirstVariable;
    }
    for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
      const isa::GeneralVariable& v = object.variables[*it];
      Storage& s = table_[isa::kFirstVariable + *it];
      s.type = v.type;
      s.bytes = std::uint64_t{v.elements} * isa::type_bytes(v.type);
      s.name = v.name;
      state[*it] = Closed;
      if (v.alias == 0) {
        s.valid = true;
        s.root = isa::kFirstVariable + *it;
        s.root_bytes = s.bytes;
        continue;
      }
      s.aliased = true;
      const Storage& target = v.alias < table_.size() ? table_[v.alias] : none_;  // invalid while open: a cycle
      if (!target.valid) continue;
      s.valid = true;
      s.root = target.root;
      s.root_offset = target.root_offset + v.alias_offset;
      s.root_bytes = target.root_bytes;
    }
  }
}

void Check::enter(const isa::Instruction& instruction) {
  instruction_ = &instruction;
  operands_ = object_.operands_of(instruction);
}

const Operand* Check::operand(std::string_view slot) const {
  const int index = description().slot_index(slot);
  if (index < 0 || static_cast<std::size_t>(index) >= operands_.size()) return nullptr;
  const Operand& found = operands_[static_cast<std::size_t>(index)];
  return found.kind == OperandKind::Absent ? nullptr : &found;
}

std::span<const Operand> Check::parameters() const {
  const std::size_t fixed = description().fixed_slots();
  return operands_.size() > fixed ? operands_.subspan(fixed) : std::span<const Operand>();
}

std::uint64_t Check::integer(std::string_view slot, std::uint64_t otherwise) const {
  const Operand* found = operand(slot);
  return found != nullptr && found->kind == OperandKind::Integer ? found->value : otherwise;
}

std::string_view Check::code(std::string_view slot) const {
  const isa::Slot* described = description().slot(slot);
  const Operand* found = operand(slot);
  if (described == nullptr || described->codes == nullptr || found == nullptr) return {};
  const isa::Code* known = described->codes->find(found->value);
  return known == nullptr ? std::string_view() : known->name;
}

unsigned Check::number(std::string_view slot) const {
  unsigned value = 0;
  for (const char c : code(slot)) {
    if (c < '0' || c > '9') return 0;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

std::optional<isa::Type> Check::type_of(const Operand& operand) const {
  switch (operand.kind) {
    case OperandKind::General:
    case OperandKind::Raw:
      if (operand.id == 0 || !storage_[operand.id].valid) return std::nullopt;
      return storage_[operand.id].type;
    case OperandKind::Indirect:
    case OperandKind::Immediate:
      return operand.type;
    case OperandKind::Address:
    case OperandKind::AddressOf:
      return isa::Type::UW;
    case OperandKind::Predicate:
      return isa::Type::Bool;
    case OperandKind::State:
      return isa::Type::UD;
    default:
      return std::nullopt;
  }
}

bool Check::is_scalar(const Operand& operand) {
  if (operand.kind == OperandKind::Immediate) return true;
  if (operand.kind != OperandKind::General && operand.kind != OperandKind::Indirect) return false;
  return operand.region.w() == 1 && operand.region.v() == 0;
}

namespace {

template <typename List>
std::string name_of(const List& list, std::uint32_t index, char letter, std::uint32_t number) {
  return index < list.size() && !list[index].name.empty() ? list[index].name : fmt::format("{}{}", letter, number);
}

std::string surface_name(const isa::Object& object, std::uint32_t id) {
  if (id < isa::kFirstSurface) return std::string(isa::predefined_surfaces()[id]);
  return name_of(object.surfaces, id - isa::kFirstSurface, 'T', id);
}

}  // namespace

std::string Check::text(const Operand& operand) const {
  const auto variable = [&](std::uint32_t id) {
    const std::string_view name = storage_[id].name;
    return name.empty() ? fmt::format("V{}", id) : std::string(name);
  };
  switch (operand.kind) {
    case OperandKind::Absent:
      return "nothing";
    case OperandKind::Integer:
      return std::to_string(operand.value);
    case OperandKind::Raw:
      return fmt::format("{}.{}", variable(operand.id), operand.offset);
    case OperandKind::General:
      return fmt::format("{}{}({},{}){}", isa::modifier_text(operand.modifier), variable(operand.id), operand.row,
                         operand.col, isa::region_text(operand.region, false));
    case OperandKind::Address:
      return fmt::format("{}({})<{}>", name_of(object_.addresses, operand.id, 'A', operand.id), operand.row,
                         1u << (operand.col & 31u));
    case OperandKind::Predicate:
      return operand.id == 0 ? "P0" : name_of(object_.predicates, operand.id - 1, 'P', operand.id);
    case OperandKind::Indirect:
      return fmt::format("{}r[{}({}),{}]{}:{}", isa::modifier_text(operand.modifier),
                         name_of(object_.addresses, operand.id, 'A', operand.id), operand.row, operand.offset,
                         isa::region_text(operand.region, false), isa::type_name(operand.type));
    case OperandKind::Immediate:
      return fmt::format("{:#x}:{}", operand.value, isa::type_name(operand.type));
    case OperandKind::State:
      return operand.state == isa::StateClass::Surface
                 ? fmt::format("{}({})", surface_name(object_, operand.id), operand.offset)
                 : fmt::format("{}({})", name_of(object_.samplers, operand.id, 'S', operand.id), operand.offset);
    case OperandKind::AddressOf:
      return fmt::format("&{}[{}]", variable(operand.id), operand.offset);
    case OperandKind::Surface:
      return surface_name(object_, operand.id);
    case OperandKind::Sampler:
      return name_of(object_.samplers, operand.id, 'S', operand.id);
    case OperandKind::Label:
      return name_of(object_.labels, operand.id, 'L', operand.id);
    case OperandKind::String:
      return operand.id < object_.strings.size() ? "\"" + object_.strings[operand.id] + "\"" : "a string";
  }
  return {};
}

std::uint64_t Check::channel_bytes(std::uint64_t channels, std::uint64_t elements, unsigned element_bytes) const {
  if (channels == 0) return 0;
  const std::uint64_t one = elements * element_bytes;
  return (channels - 1) * ((one + grf_ - 1) / grf_ * grf_) + one;
}

void Check::report(std::string_view id, base::Severity severity, const Operand* where, std::string message,
                   isa::PlatformSet on) {
  const isa::PlatformSet here = on & platforms_;
  if (here.empty()) return;
  // The first message of a rule about an operand is the most precise one: a family's own check runs before the general
  // rules.
  for (Finding& f : findings_)
    if (f.id == id && f.operand == where && f.severity == severity && (f.platforms & here) == here) return;
  findings_.push_back({id, severity, where, std::move(message), here});
}

void Check::raw_bytes(const Operand& operand, std::uint64_t bytes, std::string_view id) {
  if (operand.kind != OperandKind::Raw || operand.id == 0 || bytes == 0) return;
  const Storage& s = storage_[operand.id];
  if (!s.valid) return;
  const std::uint64_t start = s.root_offset + static_cast<std::uint32_t>(operand.offset);
  if (start + bytes <= s.root_bytes) return;
  const std::uint64_t left = s.root_bytes > start ? s.root_bytes - start : 0;
  error(id, &operand, fmt::format("{} needs {} bytes, {} are there", text(operand), bytes, left));
}

}  // namespace heddle::instructions
