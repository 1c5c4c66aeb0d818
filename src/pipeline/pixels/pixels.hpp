// SPDX-License-Identifier: MIT
#pragma once
// Pixel programs: created once, then given what changes from draw to draw.

#include <memory>
#include <string>
#include <vector>

#include "pipeline/bound.hpp"
#include "pipeline/pixels/plan.hpp"
#include "pipeline/primitives/mesh_pieces.hpp"
#include "pipeline/program.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::pipeline {

/// A pixel kernel made ready: created once, drawn many times, by several threads at once.
class PixelProgram {
 public:
  /// `slots`: as for ComputeProgram::create.
  [[nodiscard]] static std::shared_ptr<const PixelProgram> create(std::shared_ptr<const Program> program,
                                                                  PixelPlan plan, const Bound& slots,
                                                                  const CodeOptions& options = {});
  /// The same for samples in other places, as many as before (RAS-10). Both have one code.
  [[nodiscard]] std::shared_ptr<const PixelProgram> with_positions(std::vector<SamplePosition> positions) const;
  ~PixelProgram();
  PixelProgram(const PixelProgram&) = delete;
  PixelProgram& operator=(const PixelProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const PixelPlan& plan() const;
  /// As ComputeProgram::prepare, for the draw's state.
  std::shared_ptr<const engine::jit::CompiledKernel> prepare(const Draw& draw, const Bound& bound,
                                                             std::string& why_reference) const;
  /// Runs all primitives in order: the draw's mesh, or with `pieces` what they make, in whose place the draw's mesh
  /// says which attributes they have. False as ComputeProgram::run.
  bool run(const Draw& draw, const Bound& bound, RunContext& context, Counters& counters,
           MeshPieces* pieces = nullptr) const;

 private:
  struct Impl;
  explicit PixelProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::pipeline
