// SPDX-License-Identifier: MIT
// Rules: SPV-50.
#include "spirv/compile/core/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/core/context.hpp"
#include "spirv/compile/module/type_tests.hpp"

namespace heddle::spirv::compiler {
namespace {

using Spv = spv::Op;

bool same_place(const Pointer& a, const Pointer& b) {
  return a.kind == b.kind && a.root == b.root && a.pointee == b.pointee && a.offset == b.offset &&
         a.descriptor.variable == b.descriptor.variable && same_lanes(a.descriptor.index, b.descriptor.index) &&
         same_lanes(a.dynamic, b.dynamic) && same_lanes(a.address, b.address) &&
         same_lanes(a.buffer_number, b.buffer_number);
}

/// Bytes of constants in one line, in hexadecimal.
constexpr std::size_t kLineBytes = 128;

}  // namespace

/// Numbers and booleans alone: pointers and images are not in memory.
bool Blocks::holds_numbers(std::uint32_t type) {
  const TypeInfo info = t_.types.of(type);
  if (is(info, Spv::OpTypeStruct)) return std::ranges::all_of(info.members, [&](auto m) { return holds_numbers(m); });
  if (is(info, Spv::OpTypeArray)) return holds_numbers(info.element);
  return !is_opaque(info) && !is(info, Spv::OpTypePointer) && !is(info, Spv::OpTypeRuntimeArray);
}

bool Blocks::is_block(std::uint32_t type) { return t_.types.of(type).flat >= kMinScalars && holds_numbers(type); }

Value Blocks::loaded(const Pointer& pointer, bool stays) {
  Pointer place = pointer;
  if (!stays) {
    place = temporary(pointer.pointee);
    copy(place, pointer);
  }
  Value v;
  v.type = pointer.pointee;
  v.block = std::make_shared<Block>(Block{std::move(place), nullptr, 0});
  return v;
}

bool Blocks::store(const Pointer& to, const Value& value) {
  if (to.kind == Pointer::Kind::Registers || !is_block(to.pointee)) return false;
  if (value.block != nullptr) {
    copy(to, value.block->place);
    return true;
  }
  if (value.zeros) {
    clear(to);
    return true;
  }
  if (value.parts.size() != t_.types.scalars(to.pointee).size() ||
      !std::ranges::all_of(value.parts, [](const Part& p) { return p.constant(); }))
    return false;
  fill(to, value.parts);
  return true;
}

void Blocks::copy(const Pointer& to, const Pointer& from) {
  const TypeInfo info = t_.types.of(to.pointee);
  if (info.flat < kMinScalars) {
    Value v = t_.memory.load(from, "copied");
    v.type = to.pointee;
    t_.memory.store(to, v);
  } else if (is(info, Spv::OpTypeStruct)) {
    for (std::uint32_t m = 0; m < info.members.size(); ++m)
      copy(t_.pointers.part(to, ud(m)), t_.pointers.part(from, ud(m)));
  } else {
    repeat(info.count, [&](const Part& index) { copy(t_.pointers.part(to, index), t_.pointers.part(from, index)); });
  }
}

/// What `body` writes runs for each index below `count`, in all active lanes together.
void Blocks::repeat(std::uint32_t count, const std::function<void(const Part& index)>& body) {
  VisaWriter& b = t_.b;
  const Part index = b.lanes(isa::Type::UD, "element"), more = b.predicate("more");
  b.for_all_lanes([&] { b.move(index, ud(0)); });
  const std::string next = b.label("next_element");
  b.place(next);
  body(index);
  b.for_all_lanes([&] { b.op("add", index, {index, ud(1)}); });
  b.instruction("cmp.lt", kOneLane, {b.name(more), b.source(index, kOneLane, true), b.source(ud(count), kOneLane)},
                every_lane());
  b.instruction("jmp", kOneLane, {next}, {more, false, false});
}

void Blocks::clear(const Pointer& to) {
  const TypeInfo info = t_.types.of(to.pointee);
  if (info.flat < kMinScalars) {
    Value zero;
    zero.type = to.pointee;
    for (const isa::Type type : t_.types.scalars(to.pointee)) zero.parts.push_back(compiler::constant(type, 0));
    t_.memory.store(to, zero);
  } else if (is(info, Spv::OpTypeStruct)) {
    for (std::uint32_t m = 0; m < info.members.size(); ++m) clear(t_.pointers.part(to, ud(m)));
  } else {
    repeat(info.count, [&](const Part& index) { clear(t_.pointers.part(to, index)); });
  }
}

/// Stores constants: in loops where elements are the same, else from where they lie beside the program.
void Blocks::fill(const Pointer& to, std::span<const Part> scalars) {
  const TypeInfo info = t_.types.of(to.pointee);
  if (info.flat < kMinScalars) {
    Value v;
    v.type = to.pointee;
    v.parts.assign(scalars.begin(), scalars.end());
    t_.memory.store(to, v);
  } else if (is(info, Spv::OpTypeStruct)) {
    for (std::uint32_t m = 0; m < info.members.size(); ++m) {
      const std::uint32_t flat = t_.types.of(info.members[m]).flat;
      fill(t_.pointers.part(to, ud(m)), scalars.first(flat));
      scalars = scalars.subspan(flat);
    }
  } else {
    fill_elements(to, scalars, info.count);
  }
}

void Blocks::fill_elements(const Pointer& to, std::span<const Part> scalars, std::uint32_t count) {
  const std::size_t flat = scalars.size() / std::max(1u, count);
  const auto same = [&](std::size_t k) {
    return std::ranges::equal(scalars.subspan(k * flat, flat), scalars.first(flat), same_lanes);
  };
  std::size_t equal = 1;
  while (equal < count && same(equal)) ++equal;
  if (equal == count)
    return repeat(count, [&](const Part& index) { fill(t_.pointers.part(to, index), scalars.first(flat)); });
  Value v;
  v.type = to.pointee;
  v.parts.assign(scalars.begin(), scalars.end());
  if (const auto from = constant(v)) return copy(to, *from);
  for (std::uint32_t k = 0; k < count; ++k) fill(t_.pointers.part(to, ud(k)), scalars.subspan(k * flat, flat));
}

std::shared_ptr<const Block> Blocks::part(std::shared_ptr<const Block> whole, std::span<const std::uint32_t> indices) {
  for (const std::uint32_t index : indices) {
    Pointer place = t_.pointers.part(whole->place, ud(index));
    whole = std::make_shared<Block>(Block{std::move(place), whole, index});
  }
  return whole;
}

std::shared_ptr<const Block> Blocks::whole_of(std::uint32_t type, std::span<const std::uint32_t> ids) {
  std::shared_ptr<const Block> whole;
  for (std::uint32_t k = 0; k < ids.size(); ++k) {
    const Value* v = t_.values.computed(ids[k]);
    if (v == nullptr || v->block == nullptr || v->block->parent == nullptr || v->block->index != k) return nullptr;
    if (k == 0) whole = v->block->parent;
    if (!same_place(v->block->parent->place, whole->place)) return nullptr;
  }
  if (whole == nullptr) return nullptr;
  const TypeInfo made = t_.types.of(type), from = t_.types.of(whole->place.pointee);
  const std::size_t parts = is(from, Spv::OpTypeStruct) ? from.members.size() : from.count;
  return made.op == from.op && made.flat == from.flat && parts == ids.size() ? whole : nullptr;
}

namespace {

/// Part `number` of a value, stored to part `number` of a pointer.
struct PartStore {
  std::uint32_t value = 0;              ///< id of the whole
  std::span<const std::uint32_t> from;  ///< literal indices, without the last one
  std::span<const std::uint32_t> to;    ///< operands of the access chain, without the last one
  std::uint64_t number = 0;

  [[nodiscard]] bool belongs_to(const PartStore& first) const {
    return value == first.value && std::ranges::equal(from, first.from) && std::ranges::equal(to, first.to);
  }
};

std::optional<PartStore> part_store(ShaderContext& t, const Instruction& store) {
  const Instruction* value = t.module.find(store.operands[1]);
  const Instruction* chain = t.module.find(store.operands[0]);
  if (value == nullptr || static_cast<Spv>(value->opcode) != Spv::OpCompositeExtract || value->operands.size() < 2 ||
      chain == nullptr || chain->operands.size() < 2)
    return std::nullopt;
  if (static_cast<Spv>(chain->opcode) != Spv::OpAccessChain &&
      static_cast<Spv>(chain->opcode) != Spv::OpInBoundsAccessChain)
    return std::nullopt;
  const std::span<const std::uint32_t> from = value->operands, to = chain->operands;
  const auto number = t.constants.integer(to.back());
  if (!number || *number != from.back()) return std::nullopt;
  return PartStore{from[0], from.subspan(1, from.size() - 2), to.first(to.size() - 1), *number};
}

}  // namespace

bool Blocks::store_row() {
  const auto first = part_store(t_, *t_.at);
  const Value* part = t_.values.computed(t_.operand(1));
  if (!first || first->number != 0 || part == nullptr || part->block == nullptr || part->block->parent == nullptr)
    return false;
  const auto base = t_.pointers.of(first->to[0]);
  if (base == nullptr) return false;
  const std::shared_ptr<const Block> whole = part->block->parent;
  const Pointer to = t_.pointers.access(*base, first->to.subspan(1));
  const TypeInfo made = t_.types.of(to.pointee), read = t_.types.of(whole->place.pointee);
  const std::size_t count = is(made, Spv::OpTypeStruct) ? made.members.size() : made.count;
  if (made.op != read.op || made.flat != read.flat || made.count != read.count ||
      made.members.size() != read.members.size() || !is_block(to.pointee))
    return false;
  std::vector<const Instruction*> row;
  const Instruction* const end = t_.module.instructions.data() + t_.module.instructions.size();
  for (const Instruction* i = t_.at + 1; i != end && row.size() + 1 < count; ++i) {
    const auto op = static_cast<Spv>(i->opcode);
    if (op == Spv::OpStore) {
      const auto next = part_store(t_, *i);
      if (!next || !next->belongs_to(*first) || next->number != row.size() + 1) return false;
      row.push_back(i);
    } else if (op != Spv::OpCompositeExtract && op != Spv::OpAccessChain && op != Spv::OpInBoundsAccessChain &&
               op != Spv::OpLine && op != Spv::OpNoLine) {
      return false;
    }
  }
  if (row.size() + 1 != count) return false;
  copy(to, whole->place);
  done_.insert(row.begin(), row.end());
  return true;
}

Pointer Blocks::temporary(std::uint32_t type) {
  Pointer p;
  p.kind = Pointer::Kind::Scratch;
  p.storage_class = static_cast<std::uint32_t>(spv::StorageClass::Function);
  p.pointee = type;
  p.root = t_.at->result;
  const auto found = temporaries_.find(t_.at->result);
  p.offset = found != temporaries_.end() ? found->second : t_.variables.reserve_scratch(type);
  if (found == temporaries_.end()) temporaries_[t_.at->result] = p.offset;
  return p;
}

// --- constants beside the program ---

std::optional<Pointer> Blocks::constant(const Value& value) {
  Pointer p;
  p.kind = Pointer::Kind::Constants;
  p.storage_class = static_cast<std::uint32_t>(spv::StorageClass::Function);
  p.pointee = value.type;
  const std::vector<ScalarLocation> where = t_.layout.scalars(p);
  const bool constants = std::ranges::all_of(value.parts, [](const Part& part) { return part.constant(); });
  if (!constants || where.size() != value.parts.size() || where.empty()) return std::nullopt;
  std::vector<std::uint8_t> bytes((std::size_t{t_.layout.natural_size(value.type, false)} + 15) / 16 * 16);
  for (std::size_t k = 0; k < where.size(); ++k) {
    const std::uint64_t bits =
        value.parts[k].type == isa::Type::Bool && value.parts[k].bits != 0 ? 0xffffffff : value.parts[k].bits;
    const std::size_t size = where[k].type == isa::Type::Bool ? 4 : isa::type_bytes(where[k].type);
    if (where[k].offset + size > bytes.size()) return std::nullopt;
    std::memcpy(bytes.data() + where[k].offset, &bits, size);
  }
  const auto [place, is_new] = places_.emplace(std::move(bytes), static_cast<std::uint32_t>(bytes_.size()));
  if (is_new && bytes_.size() + place->first.size() > base::kConstantBytes) {
    places_.erase(place);
    return std::nullopt;
  }
  p.offset = place->second;
  if (is_new) bytes_.insert(bytes_.end(), place->first.begin(), place->first.end());
  return p;
}

const std::string& Blocks::surface() {
  if (surface_.empty()) surface_ = t_.b.surface();
  return surface_;
}

void Blocks::write_lines() {
  if (surface_.empty()) return;
  t_.b.interface_line(fmt::format("surface {} constants {}", surface_, bytes_.size()));
  for (std::size_t at = 0; at < bytes_.size(); at += kLineBytes) {
    const auto line = std::span(bytes_).subspan(at, std::min(kLineBytes, bytes_.size() - at));
    t_.b.interface_line(fmt::format("data {} {:02x}", surface_, fmt::join(line, "")));
  }
}

}  // namespace heddle::spirv::compiler
