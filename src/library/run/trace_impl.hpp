// SPDX-License-Identifier: MIT
#pragma once
// What a public trace holds.

#include <memory>
#include <optional>

#include "heddle/trace.hpp"
#include "isa/program.hpp"
#include "job/run/texel_coverage.hpp"
#include "pipeline/observers.hpp"

namespace heddle {

struct Trace::Impl {
  TraceOptions options;
  std::optional<isa::Program> program;  ///< of the last run; what was counted points into it
  std::unique_ptr<pipeline::Tracer> tracer;
  std::unique_ptr<pipeline::Coverage> coverage;
  std::unique_ptr<job::TexelCoverage> texels;
  std::unique_ptr<pipeline::Observers> all;

  /// Forgets what was seen. The program that is to be run, and must run as this copy.
  const isa::Program& begin(const isa::Program& source);
};

}  // namespace heddle
