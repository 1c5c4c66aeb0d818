// SPDX-License-Identifier: MIT
// Rules: TES-12, TES-13.
#include "spirv/compile/stages/tessellation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace heddle::spirv::compiler {
namespace {

constexpr std::array<std::pair<spv::ExecutionMode, std::string_view>, 9> kModes{{
    {spv::ExecutionMode::Triangles, "triangles"},
    {spv::ExecutionMode::Quads, "quads"},
    {spv::ExecutionMode::Isolines, "isolines"},
    {spv::ExecutionMode::SpacingEqual, "equal"},
    {spv::ExecutionMode::SpacingFractionalEven, "fractional_even"},
    {spv::ExecutionMode::SpacingFractionalOdd, "fractional_odd"},
    {spv::ExecutionMode::VertexOrderCw, "cw"},
    {spv::ExecutionMode::VertexOrderCcw, "ccw"},
    {spv::ExecutionMode::PointMode, "points"},
}};

}  // namespace

void write_tessellation_line(ShaderContext& t) {
  std::string line = "tessellation";
  for (const auto& [mode, word] : kModes)
    if (t.entry.has_mode(static_cast<std::uint32_t>(mode))) line += fmt::format(" {}", word);
  t.b.interface_line(line);
}

Part dispatched(ShaderContext& t, isa::Type type, std::string_view word) {
  std::string hint(word);
  std::ranges::replace(hint, '.', '_');
  const Part p = t.inputs.add(type, hint);
  t.b.interface_line(fmt::format("value {} {}", t.b.name(p), word));
  return p;
}

RowRecords::RowRecords(ShaderContext& t, const Part& first, std::string_view hint)
    : t_(t), first_(first), base_(t.b.lanes(isa::Type::UD, hint)) {}

void RowRecords::set_stride(std::uint32_t bytes) {
  stride_ = bytes;
  t_.b.at_start([&] { t_.b.op("mul", base_, {first_, ud(bytes)}); });
}

Part RowRecords::place(const Part& number) {
  VisaWriter& b = t_.b;
  if (number.kind == Part::Kind::Undefined) return base_;
  if (!number.constant()) {
    const Part along = b.make("mul", isa::Type::UD, {number, ud(stride_)}, "along");
    return b.make("add", isa::Type::UD, {along, base_}, "record");
  }
  if (number.bits == 0) return base_;
  const auto [known, is_new] = known_.try_emplace(number.bits);
  if (is_new)
    b.at_start([&] {
      const auto along = static_cast<std::uint32_t>(number.bits * stride_);
      known->second = b.make("add", isa::Type::UD, {base_, ud(along)}, "record");
    });
  return known->second;
}

void RowVariables::declare(ShaderContext& t, const Words& words, const Part& first, std::uint32_t reserved) {
  auto records = std::make_shared<Records>();
  records->surface = t.b.surface();
  const auto rows =
      std::make_shared<RowRecords>(t, first, words.set == RecordSet::Patch ? "patch_record" : "first_record");
  records->place = [rows](const Part& number) { return rows->place(number); };
  variables_.declare(t, static_cast<std::uint32_t>(words.storage), words.set, records, reserved);
  rows->set_stride(variables_.bytes());
  t.b.interface_line(fmt::format("surface {} {} {}", records->surface, words.kind, variables_.bytes()));
  const bool qualified = words.line == "output";
  for (const RecordDword& d : variables_.dwords())
    t.b.interface_line(
        fmt::format("{} {} {} {}{}", words.line, d.offset, d.place, qualified ? "smooth " : "", d.variable->name));
}

}  // namespace heddle::spirv::compiler
