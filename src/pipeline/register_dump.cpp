// SPDX-License-Identifier: MIT
#include "pipeline/register_dump.hpp"

#include <fmt/format.h>

#include "isa/shader_names.hpp"
#include "machine/thread.hpp"

namespace heddle::pipeline {
namespace {

/// The lanes of a thread: as many as it was dispatched with.
std::uint32_t width_of(const machine::Thread& thread) {
  const std::optional<std::int64_t> simd = thread.code().objects.front().object->integer_attribute("SimdSize");
  return simd && *simd > 0 && *simd <= 32 ? static_cast<std::uint32_t>(*simd) : 0;
}

/// The header and the places of subspans come in before everything else: they have no element for each lane.
bool is_header(const isa::Object& object, std::uint32_t variable, std::uint32_t grf, std::uint32_t simd) {
  for (const isa::Input& i : object.inputs)
    if (i.kind() == isa::InputKind::General && i.id == variable) return i.offset < grf * (simd > 16 ? 3u : 2u);
  return false;
}

/// The elements of a variable, sixteen in a line; "?" where nothing was written, "<...>" those of marked lanes. Empty
/// where none was written.
std::string elements_text(const machine::Thread& thread, const machine::VariablePlacement& place, isa::Type type,
                          std::uint32_t count, std::uint32_t simd, std::uint32_t marked) {
  const machine::Registers& registers = thread.registers();
  const std::uint32_t size = isa::type_bytes(type);
  std::string text;
  bool any = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i != 0 && i % 16 == 0) text += fmt::format("\n    [{}]", i);
    const std::uint32_t at = place.begin + i * size;
    if (at + size > registers.size()) break;
    const bool defined = registers.defined(at, size);
    any = any || defined;
    const std::string value = defined ? value_text(registers.load(at, size), type) : "?";
    const bool mark = simd != 0 && (marked >> i % simd & 1u) != 0;
    text += mark ? fmt::format(" <{}>", value) : " " + value;
  }
  return any ? text : std::string();
}

}  // namespace

void RegisterDump::instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) {
  const bool at_end = !filter_.instructions;
  const bool here = at_end ? thread.finished() : filter_.instructions->contains(d.instruction);
  // The last instruction is the thread's, whichever lanes it names: there the dispatched ones count.
  if (!here || !filter_.lets(thread, at_end ? thread.setup().dispatch_mask : lanes)) return;
  const machine::PreparedObject& prepared = thread.object();
  const isa::Object& object = *prepared.object;
  const machine::ThreadStart& start = thread.setup();
  const std::uint32_t grf = isa::platform_info(thread.code().platform).grf_bytes, simd = width_of(thread);
  const std::uint32_t marked = filter_.pixel ? filter_.lanes_of(thread) : 0;
  auto names = names_.find(&object);
  if (names == names_.end()) names = names_.emplace(&object, isa::shader_names(object)).first;
  const std::string pixel = filter_.pixel_text(thread);
  std::string text = fmt::format("registers of group {},{},{} thread {}{} {}:\n", start.group_id[0], start.group_id[1],
                                 start.group_id[2], start.thread, pixel.empty() ? pixel : fmt::format(" ({})", pixel),
                                 at_end ? std::string("at the end") : "after " + where_);
  for (std::uint32_t v = 0; v < object.variables.size(); ++v) {
    const isa::GeneralVariable& variable = object.variables[v];
    const machine::VariablePlacement* place = prepared.layout.place(isa::kFirstVariable + v);
    if (place == nullptr) continue;
    const bool by_lane = marked != 0 && simd != 0 && variable.elements % simd == 0 &&
                         !is_header(object, isa::kFirstVariable + v, grf, simd);
    const std::string values =
        elements_text(thread, *place, variable.type, variable.elements, by_lane ? simd : 0, marked);
    const std::string& own = names->second[v];
    if (!values.empty())
      text += fmt::format("  {} {}{}:{}\n", variable.name, isa::type_name(variable.type),
                          own.empty() ? own : fmt::format(" ({})", own), values);
  }
  for (std::uint32_t p = 0; p < object.predicates.size(); ++p)
    if (thread.registers().predicate_defined(p + 1) != 0) {
      text += fmt::format("  {} predicate: {:08x}", object.predicates[p].name, thread.registers().predicate(p + 1));
      for (std::uint32_t lane = 0; lane < 32; ++lane)
        if ((marked >> lane & 1u) != 0)
          text += fmt::format(", lane {}: {}", lane,
                              (thread.registers().predicate(p + 1) >> lane & 1u) != 0 ? "true" : "false");
      text += "\n";
    }
  ++dumps_;
  write_(text);
}

}  // namespace heddle::pipeline
