// SPDX-License-Identifier: MIT
#include "tools/command_line/options.hpp"

namespace heddle::tools {

heddle::Limits library_limits(const Common& common) {
  const base::Limits& l = common.limits;
  heddle::Limits limits;
  limits.input_bytes = l.input_bytes;
  limits.instructions = l.instructions;
  limits.variables = l.variables;
  limits.surface_bytes = l.surface_bytes;
  limits.memory_bytes = l.memory_bytes;
  limits.steps = l.steps;
  limits.seconds = l.seconds;
  limits.nesting = l.nesting;
  limits.diagnostics = l.diagnostics;
  return limits;
}

heddle::ProgramOptions library_options(const ProgramOptions& options, const Common& common) {
  heddle::ProgramOptions o;
  o.platform = options.platform;
  if (options.dialect == "12504") o.dialect = Dialect::Igc12504;
  if (options.dialect == "newer") o.dialect = Dialect::Newer;
  if (options.dialect == "document-codes") o.dialect = Dialect::DocumentCodes;
  o.lenient = options.lenient;
  o.limits = library_limits(common);
  return o;
}

}  // namespace heddle::tools
