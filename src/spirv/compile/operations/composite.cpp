// SPDX-License-Identifier: MIT
// Composites: their parts are only put together in other ways; no instruction is needed but for indices known at run
// time.
#include <algorithm>
#include <memory>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "spirv/compile/operations/operations.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {
namespace {

using Spv = spv::Op;

/// Scalar number and type that literal indices lead to.
struct Member {
  std::uint32_t first = 0, type = 0;
};
Member member(ShaderContext& t, std::uint32_t type, std::span<const std::uint32_t> indices) {
  Member m{0, type};
  for (const std::uint32_t index : indices) {
    const TypeInfo info = t.types.of(m.type);
    if (info.op == static_cast<std::uint16_t>(Spv::OpTypeStruct)) {
      if (index >= info.members.size()) break;
      for (std::uint32_t k = 0; k < index; ++k) m.first += t.types.of(info.members[k]).flat;
      m.type = info.members[index];
    } else {
      m.first += index * t.types.of(info.element).flat;
      m.type = info.element;
    }
  }
  return m;
}

/// The scalars of a block are wanted one by one, or (`parts` of it, in order) together again.
void set_block(ShaderContext& t, std::shared_ptr<const Block> block) {
  Value v;
  v.type = t.at->type;
  v.block = std::move(block);
  t.set_value(std::move(v));
}

bool is_in_memory(ShaderContext& t, std::uint32_t id) {
  const Value* v = t.values.computed(id);
  return v != nullptr && v->block != nullptr;
}

void construct_of(ShaderContext& t, std::span<const std::uint32_t> ids) {
  if (auto whole = t.blocks.whole_of(t.at->type, ids)) return set_block(t, std::move(whole));
  if (t.blocks.is_block(t.at->type) && std::ranges::any_of(ids, [&](auto id) { return is_in_memory(t, id); })) {
    const Pointer made = t.blocks.temporary(t.at->type);
    for (std::uint32_t k = 0; k < ids.size(); ++k)
      t.memory.store(t.pointers.part(made, ud(k)), t.values.stored(ids[k]));
    return set_block(t, std::make_shared<Block>(Block{made, nullptr, 0}));
  }
  std::vector<Part> parts;
  for (const std::uint32_t id : ids) {
    const std::vector<Part>& more = t.values.of(id).parts;
    parts.insert(parts.end(), more.begin(), more.end());
  }
  t.set(std::move(parts));
}

void construct(ShaderContext& t) {
  // One value for every element.
  const TypeInfo& info = t.types.of(t.at->type);
  if (info.op == kTypeCooperativeMatrix) return construct_of(t, std::vector<std::uint32_t>(info.count, t.operand(0)));
  construct_of(t, t.at->operands);
}

/// OpCompositeConstructReplicateEXT.
void construct_replicated(ShaderContext& t) {
  const TypeInfo& info = t.types.of(t.at->type);
  const std::size_t parts = info.members.empty() ? info.count : info.members.size();
  construct_of(t, std::vector<std::uint32_t>(std::min<std::size_t>(parts, base::kValueScalars), t.operand(0)));
}

/// Whether a part of a block is read by one instruction, which may put the block together again or store it as a part.
bool is_only_moved(const ShaderContext& t) {
  if (t.function == nullptr) return false;
  const auto uses = t.function->uses.find(t.at->result);
  if (uses == t.function->uses.end()) return false;
  return std::ranges::all_of(uses->second, [&](std::size_t k) {
    const auto op = static_cast<Spv>(t.module.instructions[k].opcode);
    return k == uses->second.front() ? op == Spv::OpCompositeConstruct || op == Spv::OpStore
                                     : op == Spv::OpCompositeExtract;
  });
}

/// The elements of a cooperative matrix are as many as the subgroup's size says, which nothing checks before.
bool is_inside(ShaderContext& t, const Member& m, std::size_t scalars) {
  const bool inside = scalars == 0 || m.first + t.types.of(m.type).flat <= scalars;
  if (!inside) t.refuse("an element that an invocation does not have");
  return inside;
}

void extract(ShaderContext& t) {
  const Value whole = t.values.stored(t.operand(0));
  const std::span<const std::uint32_t> indices = t.at->operands.subspan(1);
  if (whole.block != nullptr) {
    auto part = t.blocks.part(whole.block, indices);
    if (t.blocks.is_block(t.at->type) || is_only_moved(t)) return set_block(t, std::move(part));
    t.set(t.memory.load(part->place, t.result_name("loaded")).parts);
    return;
  }
  const Member m = member(t, whole.type, indices);
  const std::uint32_t count = t.types.of(t.at->type).flat;
  if (!is_inside(t, m, whole.parts.size())) return;
  std::vector<Part> parts;
  for (std::uint32_t k = 0; k < count && m.first + k < whole.parts.size(); ++k)
    parts.push_back(whole.parts[m.first + k]);
  t.set(std::move(parts));
}

void insert(ShaderContext& t) {
  const std::span<const std::uint32_t> indices = t.at->operands.subspan(2);
  if (is_in_memory(t, t.operand(1)) && t.blocks.is_block(t.at->type)) {
    const auto made = std::make_shared<Block>(Block{t.blocks.temporary(t.at->type), nullptr, 0});
    t.memory.store(made->place, t.values.stored(t.operand(1)));
    t.memory.store(t.blocks.part(made, indices)->place, t.values.stored(t.operand(0)));
    return set_block(t, made);
  }
  const Value object = t.values.of(t.operand(0));
  std::vector<Part> parts = t.values.of(t.operand(1)).parts;
  const Member m = member(t, t.at->type, indices);
  if (!is_inside(t, m, parts.size())) return;
  for (std::size_t k = 0; k < object.parts.size() && m.first + k < parts.size(); ++k)
    parts[m.first + k] = object.parts[k];
  t.set(std::move(parts));
}

void shuffle(ShaderContext& t) {
  std::vector<Part> both = t.values.of(t.operand(0)).parts;
  const std::vector<Part>& second = t.values.of(t.operand(1)).parts;
  both.insert(both.end(), second.begin(), second.end());
  std::vector<Part> parts;
  for (const std::uint32_t index : t.at->operands.subspan(2))
    parts.push_back(index < both.size() ? both[index] : both.empty() ? Part{} : Part{}.as(both[0].type));
  t.set(std::move(parts));
}

void extract_dynamic(ShaderContext& t) {
  const std::vector<Part> parts = t.values.of(t.operand(0)).parts;
  const Part index = t.values.part(t.operand(1));
  if (parts.empty()) return;
  if (index.constant()) {
    t.set({parts[std::min<std::size_t>(index.bits, parts.size() - 1)]});
    return;
  }
  const Part dst = t.result(parts[0].type);
  t.b.move(dst, parts[0]);
  for (std::size_t k = 1; k < parts.size(); ++k)
    t.b.move(dst, parts[k], {t.b.compare("eq", index, constant(index.type, k), "is_index"), false, false});
  t.set({dst});
}

void insert_dynamic(ShaderContext& t) {
  std::vector<Part> parts = t.values.of(t.operand(0)).parts;
  const Part object = t.values.part(t.operand(1)), index = t.values.part(t.operand(2));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (index.constant()) {
      if (index.bits == k) parts[k] = object;
      continue;
    }
    const Part dst = t.result(parts[k].type, static_cast<unsigned>(k));
    t.b.move(dst, parts[k]);
    t.b.move(dst, object, {t.b.compare("eq", index, constant(index.type, k), "is_index"), false, false});
    parts[k] = dst;
  }
  t.set(std::move(parts));
}

void copy_object(ShaderContext& t) {
  const std::uint32_t from = t.operand(0);
  Value v = is_in_memory(t, from) ? t.values.stored(from) : t.values.unread(from);
  v.type = t.at->type;
  t.set_value(std::move(v));
}

/// What a module says of its own values helps a compiler that believes it; here nothing follows from it.
void assume(ShaderContext&) {}

constexpr Op kOps[] = {
    {static_cast<std::uint16_t>(Spv::OpCompositeConstruct), construct},
    {kConstructReplicate, construct_replicated},
    {static_cast<std::uint16_t>(Spv::OpCompositeExtract), extract},
    {static_cast<std::uint16_t>(Spv::OpCompositeInsert), insert},
    {static_cast<std::uint16_t>(Spv::OpVectorShuffle), shuffle},
    {static_cast<std::uint16_t>(Spv::OpVectorExtractDynamic), extract_dynamic},
    {static_cast<std::uint16_t>(Spv::OpVectorInsertDynamic), insert_dynamic},
    {static_cast<std::uint16_t>(Spv::OpCopyObject), copy_object},
    {static_cast<std::uint16_t>(Spv::OpCopyLogical), copy_object},
    {static_cast<std::uint16_t>(Spv::OpExpectKHR), copy_object},
    {static_cast<std::uint16_t>(Spv::OpAssumeTrueKHR), assume},
};

}  // namespace

std::span<const Op> composite_ops() { return kOps; }

}  // namespace heddle::spirv::compiler
