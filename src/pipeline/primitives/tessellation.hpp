// SPDX-License-Identifier: MIT
#pragma once
// The shaders of patches: a control shader makes the patches of a piece, an evaluation shader the vertices of their
// division (TES-11 to TES-14).

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/bound.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/primitives/stream.hpp"
#include "pipeline/primitives/tessellator.hpp"
#include "pipeline/program.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/shader_values.hpp"

namespace heddle::pipeline {

/// A value that a lane finds in its registers.
struct LaneValue {
  SystemValue value{};
  std::uint32_t offset = 0;  ///< of the variable in the register file
};

/// What a control program decides, and how the records lie that it reads and writes.
struct ControlPlan {
  unsigned simd = 16;
  std::uint64_t scratch_bytes = kMinScratch;  ///< of a thread
  std::vector<LaneValue> values;
  RecordLink inputs;                              ///< from the records of the stage before
  std::uint32_t vertices = 1;                     ///< that a patch gets
  std::uint32_t stride = 0, patch_stride = 0;     ///< of the records of vertices, and of patches: levels first
  OwnSurface inputs_at, table, records, patches;  ///< what it reads, which vertices; what it writes
};

/// Patches in their order, as a control shader leaves them. What it refers to holds until that stage makes more.
struct PatchStream {
  machine::SurfaceResource records, patches;  ///< of vertices, one patch's behind the other's; of patches
  std::uint32_t stride = 0, patch_stride = 0;
  std::uint32_t vertices = 1;  ///< of a patch
  std::span<const PrimitiveTag> tags;
  std::uint32_t view = 0;

  [[nodiscard]] std::size_t size() const { return tags.size(); }
};
using UsePatches = std::function<bool(const PatchStream&)>;

/// A control kernel made ready: created once, run many times, by several threads at once.
class ControlProgram {
 public:
  /// `slots`: as for ComputeProgram::create.
  [[nodiscard]] static std::shared_ptr<const ControlProgram> create(std::shared_ptr<const Program> program,
                                                                    ControlPlan plan, const Bound& slots,
                                                                    const CodeOptions& options = {});
  ~ControlProgram();
  ControlProgram(const ControlProgram&) = delete;
  ControlProgram& operator=(const ControlProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const ControlPlan& plan() const;
  /// Runs the shader for each patch of `in`, and gives them to `use`, window by window. Binds surfaces of its own.
  /// False as ComputeProgram::run, or when `use` returns it.
  bool run(const PrimitiveStream& in, Bound& bound, RunContext& context, Counters& counters,
           const UsePatches& use) const;

 private:
  struct Impl;
  explicit ControlProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What an evaluation program decides, and how the records lie that it writes.
struct EvaluationPlan : RecordLayout {
  unsigned simd = 16;
  std::uint64_t scratch_bytes = kMinScratch;  ///< of a thread
  std::vector<LaneValue> values;
  RecordLink inputs, patch_inputs;                 ///< from the records of the control shader
  OwnSurface inputs_at, patch_inputs_at, records;  ///< what it reads; what it writes
};

/// An evaluation kernel made ready: created once, run many times, by several threads at once.
class EvaluationProgram {
 public:
  /// `slots`: as for ComputeProgram::create.
  [[nodiscard]] static std::shared_ptr<const EvaluationProgram> create(std::shared_ptr<const Program> program,
                                                                       EvaluationPlan plan, const Bound& slots,
                                                                       const CodeOptions& options = {});
  ~EvaluationProgram();
  EvaluationProgram(const EvaluationProgram&) = delete;
  EvaluationProgram& operator=(const EvaluationProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const EvaluationPlan& plan() const;
  /// Divides each patch as `state` says, runs the shader for each point, and gives what is made to `use`, window by
  /// window, in the patches' order. Binds surfaces of its own. False as ComputeProgram::run, or when `use` returns it.
  bool run(const PatchStream& in, const TessellationState& state, Bound& bound, RunContext& context, Counters& counters,
           const UseStream& use) const;

 private:
  struct Impl;
  explicit EvaluationProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::pipeline
