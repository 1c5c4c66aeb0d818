// SPDX-License-Identifier: MIT
// Rules: run-undefined-register.
#include "pipeline/pixels/unwritten.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "machine/layout.hpp"

namespace heddle::pipeline {

UnwrittenInputs::UnwrittenInputs(const PixelPlan& plan, const machine::Code& code) {
  const machine::PreparedObject& kernel = code.objects.front();
  std::vector<bool> is_input(kernel.object->variables.size() + isa::kFirstVariable, false);
  std::uint32_t most = 0;
  for (const isa::Input& input : kernel.object->inputs) {
    if (input.kind() != isa::InputKind::General) continue;
    const machine::VariablePlacement* place = kernel.layout.place(input.id);
    if (place == nullptr) continue;
    if (input.id < is_input.size()) is_input[input.id] = true;
    for (const LaneInput& lanes : plan.inputs)
      if (lanes.source == LaneInput::Source::Attribute && lanes.offset == input.offset && lanes.components.size() == 1)
        inputs_.push_back({lanes.components[0], place->begin, std::min(input.size, place->root_end - place->begin)});
    most = std::max(most, input.size);
  }
  for (std::uint32_t id = isa::kFirstVariable; id < is_input.size(); ++id) {
    const machine::VariablePlacement* place = kernel.layout.place(id);
    if (is_input[id] || place == nullptr || place->root_end - place->begin < 4) continue;
    const bool aliased = std::ranges::any_of(kernel.object->inputs, [&](const isa::Input& input) {
      const machine::VariablePlacement* other = kernel.layout.place(input.id);
      return input.kind() == isa::InputKind::General && other != nullptr && other->root_begin == place->root_begin;
    });
    if (aliased) continue;
    fresh_ = place->begin;
    return;
  }
  inputs_.clear();  // a kernel without variables of its own reads nothing into any
}

void UnwrittenInputs::begin(const PrimitiveList& primitives, const Primitive& primitive) {
  unwritten_.clear();
  for (const Input& input : inputs_)
    if (primitives.unwritten(primitive, input.component)) unwritten_.push_back(input);
}

void UnwrittenInputs::mark(machine::Thread& thread) const {
  machine::Registers& file = thread.registers();
  for (const Input& input : unwritten_)
    for (std::uint32_t at = 0; at < input.bytes; at += 4) file.copy(input.at + at, fresh_, 4);
}

void check_positions(const Mesh& mesh, machine::Reports& reports) {
  if (mesh.unwritten_positions.empty() || !reports.checking()) return;
  const auto check = [&](std::uint32_t vertex) {
    if (mesh.unwritten_positions[vertex] == 0) return false;
    base::Diagnostic d = base::warning(
        "run-undefined-register",
        fmt::format("the vertex shader did not write all of its position (gl_Position) for vertex {} of the draw",
                    vertex));
    if (reports.mode() == machine::CheckMode::Error) d.severity = base::Severity::Error;
    reports.add(std::move(d));
    return true;
  };
  for (const auto& triangle : mesh.triangles)
    if (std::ranges::any_of(triangle, check)) return;
  for (const MeshLine& line : mesh.lines)
    if (check(line.from) || check(line.to)) return;
  (void)std::ranges::any_of(mesh.points, check);
}

}  // namespace heddle::pipeline
