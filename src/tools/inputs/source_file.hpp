// SPDX-License-Identifier: MIT
#pragma once
// The input of val, compile and dump: its bytes and language; where it is a job, the programs that the job names.

#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "job/job.hpp"
#include "job/opencl/dumps.hpp"
#include "tools/command_line/options.hpp"
#include "tools/inputs/input.hpp"

namespace heddle::tools {

struct SourceFile {
  std::string path;
  std::string name;  ///< for messages: "-" became "<stdin>"
  std::string bytes;
  Language language = Language::Visa;
  std::optional<isa::ShaderStage> wanted;
  std::string entry, platform;       ///< of a job; a flag stands above
  std::vector<job::Argument> args;   ///< of a job
  std::vector<job::TextPart> parts;  ///< of a kernel's dump: the files of the text
};

/// Reads a file. A job gives its programs: the main one, then its vertex shader; a folder of ocloc's dumps, or its
/// binary, the text of each kernel with its functions. A failure is printed, and its exit
/// code returned.
[[nodiscard]] std::variant<std::vector<SourceFile>, base::ExitCode> read_sources(const std::string& path,
                                                                                 const SourceOptions& options,
                                                                                 const Common& common,
                                                                                 OutputFormat format);

}  // namespace heddle::tools
