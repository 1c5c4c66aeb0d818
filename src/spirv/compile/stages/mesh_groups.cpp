// SPDX-License-Identifier: MIT
// Rules: MSH-1 to MSH-4.
#include "spirv/compile/stages/mesh_groups.hpp"

#include <fmt/format.h>

#include <memory>
#include <spirv/unified1/spirv.hpp11>

#include "spirv/names.hpp"

namespace heddle::spirv::compiler {
namespace {

constexpr std::uint32_t kEntryShift = 5;   ///< a group's entry in the table: 32 bytes
constexpr std::uint32_t kCountsShift = 4;  ///< its counts: 16 bytes

}  // namespace

void MeshGroups::begin(ShaderContext& t) {
  group_.begin(t);
  table_ = t.b.surface();
  t.b.interface_line(fmt::format("surface {} work_groups", table_));
  counts_ = t.b.surface();
  t.b.interface_line(fmt::format("surface {} group_counts", counts_));
  const Part first = thread_value(t, "first_group"), number = group_.payload_number(t, 0);
  slot_ = t.b.array(isa::Type::UD, "slot", 1);
  t.b.at_start([&] {
    t.b.instruction(
        "add", kOneLane,
        {t.b.destination(slot_.as(isa::Type::D), kOneLane), t.b.source(number.as(isa::Type::D), kOneLane, true),
         t.b.source(negated(first.as(isa::Type::D)), kOneLane, true)},
        every_lane());
  });
  group_.number = [this, &t](unsigned axis) { return table_entry(t, axis); };
  group_.count = [this, &t](unsigned axis) { return table_entry(t, kCountEntry + axis); };
}

/// The same for all lanes.
Part MeshGroups::thread_value(ShaderContext& t, std::string_view word) {
  const Part value = t.inputs.add(isa::Type::UD, word, 1);
  t.b.interface_line(fmt::format("value {} {}", t.b.name(value), word));
  return t.b.element(value, 0);
}

Part MeshGroups::table_entry(ShaderContext& t, unsigned dword) {
  static constexpr std::array<std::string_view, kEntries> kHints{
      "group_x", "group_y", "group_z", "task", "group_count_x", "group_count_y", "group_count_z"};
  std::optional<Part>& known = entries_[dword];
  if (known) return *known;
  t.b.at_start([&] {
    const Part entry = t.b.make("shl", isa::Type::UD, {t.b.copy(slot_, "entry"), ud(kEntryShift)}, "entry");
    const Part place = t.b.make("add", isa::Type::UD, {entry, ud(dword * 4)}, "entry");
    known = t.b.message(16, 1, isa::Type::UD, kHints[dword], [&](const LaneRange& range, const VisaOperand& dst) {
      t.b.instruction("gather4_scaled.R", range, {table_, hexadecimal(isa::Type::UD, 0), t.b.raw(place, range), dst});
    })[0];
  });
  return *known;
}

std::vector<Part> MeshGroups::builtin(ShaderContext& t, const InterfaceVariable& v) {
  switch (static_cast<spv::BuiltIn>(*v.builtin)) {
    case spv::BuiltIn::DrawIndex:
      return {thread_value(t, "draw")};
    case spv::BuiltIn::ViewIndex:
      return {thread_value(t, "view")};
    default:
      return group_.builtin(t, v);
  }
}

void MeshGroups::declare_inputs(ShaderContext& t) {
  fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input), [&](const InterfaceVariable& v) {
    if (v.builtin) return builtin(t, v);
    t.refuse(
        fmt::format("input '{}': {} shaders have built-in inputs only", v.name, isa::stage_info(t.entry.stage).name));
    return std::vector<Part>{};
  });
}

void MeshGroups::declare_payload(ShaderContext& t, const Part& number) {
  constexpr auto kClass = static_cast<std::uint32_t>(spv::StorageClass::TaskPayloadWorkgroupEXT);
  const auto records = std::make_shared<Records>();
  std::uint32_t bytes = 0;
  std::vector<std::shared_ptr<Pointer>> pointers;
  for (const std::uint32_t id : t.entry.interface_ids) {
    const Instruction* i = t.module.find(id);
    if (i == nullptr || static_cast<spv::Op>(i->opcode) != spv::Op::OpVariable || i->operands[0] != kClass) continue;
    const Value* known = t.values.computed(id);
    if (known == nullptr || known->pointer == nullptr) continue;  // nothing names it
    pointers.push_back(known->pointer);
    pointers.back()->offset = bytes / 4;
    bytes += t.layout.natural_size(known->pointer->pointee, true) * 4;
  }
  if (pointers.empty()) return;
  records->surface = t.b.surface();
  t.b.interface_line(fmt::format("surface {} task_payload {}", records->surface, bytes));
  Part place;
  t.b.at_start([&] { place = t.b.make("mul", isa::Type::UD, {t.b.copy(number, "payload"), ud(bytes)}, "payload"); });
  for (const auto& pointer : pointers) {
    pointer->records = records;
    pointer->record = place;
  }
}

void MeshGroups::write_counts(ShaderContext& t, std::initializer_list<Part> counts) {
  VisaWriter& b = t.b;
  const Part index = group_.linear_index(t);
  const Guard first{b.compare("eq", index, ud(0), "is_first"), false, false};
  const Part record = b.make("shl", isa::Type::UD, {b.copy(slot_, "counts"), ud(kCountsShift)}, "counts");
  std::uint32_t offset = 0;
  for (const Part& count : counts) {
    const Part place = offset == 0 ? record : b.make("add", isa::Type::UD, {record, ud(offset)}, "counts");
    const Part data = b.in_register(count.as(isa::Type::UD), "count");
    for (const LaneRange& range : b.lane_ranges(16))
      b.instruction("scatter4_scaled.R", range,
                    {counts_, hexadecimal(isa::Type::UD, 0), b.raw(place, range), b.raw(data, range)}, first);
    offset += 4;
  }
}

}  // namespace heddle::spirv::compiler
