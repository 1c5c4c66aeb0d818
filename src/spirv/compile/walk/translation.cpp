// SPDX-License-Identifier: MIT
// Rules: SPV-1, SPV-17, SPV-55.
#include "spirv/compile/walk/translation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "base/fixed_limits.hpp"
#include "isa/shader_stage.hpp"
#include "spirv/compile/stages/stage.hpp"
#include "spirv/compile/walk/float_controls.hpp"
#include "spirv/compile/walk/function_walk.hpp"
#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

/// What is about an instruction from here on.
void go_to(ShaderContext& t, const Instruction& i) {
  t.at = &i;
  t.b.set_origin(static_cast<std::uint32_t>(&i - t.module.instructions.data()));
}

/// All types are looked at in the module's order, so that no walk into them goes deep; so are constants made of others.
bool types_are_shallow(ShaderContext& t) {
  for (const Instruction& i : t.module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunction) break;
    if (op == Spv::OpSpecConstantOp) (void)t.constants.find(i.result);
    if (op < Spv::OpTypeVoid || op > Spv::OpTypeFunction || t.types.of(i.result).depth <= base::kTypeDepth) continue;
    t.report.limit(i, fmt::format("types nest more than {} deep", base::kTypeDepth));
    return false;
  }
  return true;
}

/// SPV-55: a matrix that is not offered has no elements.
bool matrices_are_offered(ShaderContext& t) {
  bool all = true;
  for (const Instruction& i : t.module.instructions) {
    if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
    if (i.opcode != kTypeCooperativeMatrix || t.types.of(i.result).flat != 0) continue;
    const MatrixShape shape = t.types.of(i.result).matrix;
    all = false;
    if (shape.scope != static_cast<std::uint32_t>(spv::Scope::Subgroup))
      t.report.refuse(i, fmt::format("a subgroup shares a matrix (scope 3), this one has scope {}", shape.scope));
    else
      t.report.refuse(i, fmt::format("the device offers no product with a matrix {} of {} x {} such components "
                                     "(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR)",
                                     shape.use == kMatrixA   ? "A"
                                     : shape.use == kMatrixB ? "B"
                                                             : "C",
                                     shape.rows, shape.columns));
  }
  return all;
}

bool asks_for_rays(ShaderContext& t) {
  const Instruction* query = t.functions.first_ray_query(t.entry.function);
  if (query == nullptr) return false;
  t.report.refuse(*query, "ray queries are not supported: there is nothing that rays could meet");
  return true;
}

/// The module's variables that the entry point uses, but for those of its interface.
void declare_variables(ShaderContext& t) {
  const std::set<std::uint32_t> used = t.functions.words_used_by(t.entry.function);
  for (const Instruction& i : t.module.instructions) {
    if (static_cast<Spv>(i.opcode) == Spv::OpFunction) break;
    if (static_cast<Spv>(i.opcode) != Spv::OpVariable) continue;
    t.at = &i;
    const auto storage = static_cast<spv::StorageClass>(i.operands[0]);
    if (storage != spv::StorageClass::Input && storage != spv::StorageClass::Output && used.contains(i.result))
      t.variables.declare(i);
  }
}

/// What the whole program needs, once all of it is written.
void write_attributes(ShaderContext& t) {
  if (t.variables.shared_bytes() != 0) t.b.kernel_attribute(fmt::format("SLMSize={}", t.variables.shared_bytes()));
  if (const std::uint32_t dwords = t.variables.scratch_dwords(); dwords != 0)
    t.b.kernel_attribute(fmt::format("SpillMemOffset={}", (dwords * t.b.simd() * 4 + 1023) / 1024 * 1024));
}

bool fit_predicates(ShaderContext& t) {
  const auto origin = t.b.fit_predicates(t.options.predicates);
  if (!origin) return true;
  t.report.limit(t.module.instructions[*origin],
                 fmt::format("more than {} booleans and conditions are needed at once", t.options.predicates));
  return false;
}

}  // namespace

bool translate(ShaderContext& t, const Instruction& point) {
  const std::optional<isa::ShaderStage> known = isa::stage_of_model(point.operands[0]);
  t.entry = read_entry_point(t.module, point, known.value_or(isa::ShaderStage{}), t.constants);
  t.float_modes = read_float_modes(t.module, t.entry.function, t.report);
  go_to(t, point);
  const std::unique_ptr<Stage> stage = known ? make_stage(*known) : nullptr;
  if (stage == nullptr) {
    t.refuse(fmt::format("only {} shaders are compiled", isa::compiled_stage_names("and")));
    return false;
  }
  if (!types_are_shallow(t) || !matrices_are_offered(t) || asks_for_rays(t)) return false;
  t.lanes.find_kills();
  t.b.interface_line("interface 1");
  declare_variables(t);
  t.at = &point;
  stage->begin(t);
  if (t.report.stopped()) return false;
  write_float_controls(t);
  FunctionWalk walk(t);
  walk.run();
  t.at = &point;
  t.b.round_to_zero(false);
  stage->end(t);
  t.b.instruction("ret", kOneLane, {}, every_lane());
  t.blocks.write_lines();
  write_attributes(t);
  check_inputs(t);
  return !t.report.has_errors() && fit_predicates(t);
}

}  // namespace heddle::spirv::compiler
