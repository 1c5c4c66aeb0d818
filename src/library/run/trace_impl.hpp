#pragma once
// What a public trace holds.

#include <memory>
#include <optional>

#include "dispatch/observers.hpp"
#include "heddle/trace.hpp"
#include "isa/program.hpp"

namespace heddle {

struct Trace::Impl {
  TraceOptions options;
  std::optional<isa::Program> program;  ///< of the last run; what was counted points into it
  std::unique_ptr<dispatch::Tracer> tracer;
  std::unique_ptr<dispatch::Coverage> coverage;
  std::unique_ptr<dispatch::TexelCoverage> texels;
  std::unique_ptr<dispatch::Observers> all;

  /// Forgets what was seen. The program that is to be run, and must run as this copy.
  const isa::Program& begin(const isa::Program& source);
};

}  // namespace heddle
