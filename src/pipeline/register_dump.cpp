#include "pipeline/register_dump.hpp"

#include <fmt/format.h>

#include "machine/thread.hpp"

namespace heddle::pipeline {
namespace {

/// The elements of a variable, sixteen in a line; "?" where nothing was written. Empty where none was.
std::string elements_text(const machine::Thread& thread, const machine::VariablePlacement& place, isa::Type type,
                          std::uint32_t count) {
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
    text += defined ? " " + value_text(registers.load(at, size), type) : " ?";
  }
  return any ? text : std::string();
}

}  // namespace

void RegisterDump::instruction(const machine::Thread& thread, const machine::Decoded& d, std::uint32_t lanes) {
  const bool here = line_ ? d.instruction->position.line == *line_ : thread.finished();
  // The last instruction is the thread's, whichever lanes it names: there the dispatched ones count.
  if (!here || !filter_.lets(thread, line_ ? lanes : thread.setup().dispatch_mask)) return;
  const machine::PreparedObject& prepared = thread.object();
  const isa::Object& object = *prepared.object;
  const machine::ThreadStart& start = thread.setup();
  std::string text = fmt::format("registers of group {},{},{} thread {} {}:\n", start.group_id[0], start.group_id[1],
                                 start.group_id[2], start.thread,
                                 line_ ? fmt::format("after line {}", *line_) : std::string("at the end"));
  for (std::uint32_t v = 0; v < object.variables.size(); ++v) {
    const isa::GeneralVariable& variable = object.variables[v];
    const machine::VariablePlacement* place = prepared.layout.place(isa::kFirstVariable + v);
    if (place == nullptr) continue;
    const std::string values = elements_text(thread, *place, variable.type, variable.elements);
    if (!values.empty()) text += fmt::format("  {} {}:{}\n", variable.name, isa::type_name(variable.type), values);
  }
  for (std::uint32_t p = 0; p < object.predicates.size(); ++p)
    if (thread.registers().predicate_defined(p + 1) != 0)
      text += fmt::format("  {} predicate: {:08x}\n", object.predicates[p].name, thread.registers().predicate(p + 1));
  ++dumps_;
  write_(text);
}

}  // namespace heddle::pipeline
