// SPDX-License-Identifier: MIT
#pragma once
// What observes a run: trace, coverage, counts and pictures of texels, as flags of `heddle run` ask for them.

#include <cstdio>
#include <memory>

#include "base/file.hpp"
#include "isa/program.hpp"
#include "job/job.hpp"
#include "job/run/texel_coverage.hpp"
#include "pipeline/observers.hpp"
#include "pipeline/register_dump.hpp"
#include "tools/run/program_file.hpp"
#include "tools/run/run_options.hpp"

namespace heddle::tools {

struct Watchers {
  pipeline::Observers all;
  std::unique_ptr<pipeline::Tracer> tracer;
  std::unique_ptr<pipeline::Coverage> coverage;
  std::unique_ptr<job::TexelCoverage> texels;
  std::unique_ptr<pipeline::RegisterDump> registers;

  Watchers() = default;
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  ~Watchers();

  /// Before the run. The trace goes to a file of `files` as it is made. Ids: usage-flag, bind-unknown, file-write.
  [[nodiscard]] base::Result<base::Done> set_up(const RunOptions& options, const job::Job& job,
                                                const RunPrograms& programs, base::OutputFiles& files);
  /// After it: what was seen, as further files. Ids: file-write, and those of pictures.
  [[nodiscard]] base::Result<base::Done> save(const RunOptions& options, const isa::Program& program,
                                              base::OutputFiles& files);

 private:
  std::FILE* trace_file_ = nullptr;
  std::string trace_path_;
  int trace_error_ = 0;
  [[nodiscard]] base::Result<base::Done> trace(const RunOptions& options, const RunPrograms& programs,
                                               base::OutputFiles& files);
  [[nodiscard]] base::Result<base::Done> dump_registers(const RunOptions& options, const RunPrograms& programs);
  [[nodiscard]] base::Result<base::Done> end_trace();
};

}  // namespace heddle::tools
