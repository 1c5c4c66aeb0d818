// SPDX-License-Identifier: MIT
#pragma once
// The programs of a run: vISA files as they are, shaders compiled for what the job says.

#include <memory>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "job/job.hpp"
#include "tools/inputs/visa_file.hpp"
#include "tools/run/run_options.hpp"

namespace heddle::tools {

struct RunPrograms {
  VisaFile main;
  isa::PerStage<std::optional<VisaFile>> stages;  ///< those that [pixels] names
  std::set<Language> inputs;                      ///< what they are

  /// All that there are, the main one first.
  [[nodiscard]] std::vector<const VisaFile*> all() const;
  [[nodiscard]] isa::PerStage<const isa::Program*> of_stages() const;
};

/// What stands for the main program in place of its file.
struct GivenProgram {
  std::optional<std::string> bytes;
  std::vector<job::TextPart> parts;  ///< where several files make it up
};

/// Whether each flag has an effect on one of these programs at least; where one has none, it is said why.
[[nodiscard]] bool flags_have_effect(const RunOptions& options, const std::set<Language>& inputs);

/// Who asks flags_have_effect: load_programs, before anything is compiled, or its caller, who loads more programs.
enum class FlagCheck : std::uint8_t { Here, ByCaller };

/// Loads what the job names, takes its "spec.N" arguments out when they were a shader's, and checks the programs by the
/// rules of the platform. `given`: the program, where it was read already. A failure is printed, and its exit code
/// returned.
[[nodiscard]] std::variant<RunPrograms, base::ExitCode> load_programs(job::Job& job, const RunOptions& options,
                                                                      GivenProgram given = {},
                                                                      FlagCheck flags = FlagCheck::Here);

}  // namespace heddle::tools
