// SPDX-License-Identifier: MIT
#include "spirv/compile/core/values.hpp"

#include <utility>
#include <vector>

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

Value* Values::computed(std::uint32_t id) {
  const auto found = values_.find(id);
  return found == values_.end() ? nullptr : &found->second;
}

const Value& Values::unread(std::uint32_t id) {
  const Value* known = computed(id);
  return known != nullptr ? *known : of(id);
}

const Value& Values::stored(std::uint32_t id) {
  const Value* known = computed(id);
  return known != nullptr && known->block != nullptr ? *known : of(id);
}

const Value& Values::of(std::uint32_t id) {
  if (const Value* known = computed(id)) {
    if (known->block != nullptr) {
      Value v = t_.memory.load(known->block->place, "loaded");
      v.type = known->type;
      return block_values_[id] = std::move(v);
    }
    if (known->pointer == nullptr || !known->parts.empty() ||
        t_.types.pointer_scalars(known->pointer->storage_class) == 0)
      return *known;
    // Written at each use: lanes of another branch may not have passed the first one.
    Value v = *known;
    v.parts = t_.pointers.scalars(*known->pointer);
    return pointer_values_[id] = std::move(v);
  }
  if (const Value* known = t_.constants.find(id)) return *known;
  Value v = t_.constants.stand_in(id);
  return values_[id] = std::move(v);
}

std::optional<std::uint64_t> Values::integer(std::uint32_t id) {
  const Value* known = computed(id);
  if (known == nullptr) return t_.constants.integer(id);
  const Value& v = of(id);
  if (v.parts.size() != 1 || !v.parts[0].constant()) return std::nullopt;
  return v.parts[0].bits;
}

Part Values::part(std::uint32_t id, unsigned index) {
  const Value& v = of(id);
  if (index >= v.parts.size()) {
    const std::vector<isa::Type> types = t_.types.scalars(t_.module.type_of(id));
    return constant(index < types.size() ? types[index] : isa::Type::UD, 0);
  }
  Part p = v.parts[index];
  if (p.kind == Part::Kind::Undefined) {
    p.kind = Part::Kind::Constant;
    p.bits = 0;
  }
  return p;
}

void Values::set(std::uint32_t id, Value value) { values_[id] = std::move(value); }

}  // namespace heddle::spirv::compiler
