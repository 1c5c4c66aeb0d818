// SPDX-License-Identifier: MIT
#include "tools/run/opencl_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "isa/platform.hpp"

namespace heddle::tools {
namespace {

/// Whether an argument is named as an input ("V0034"): such a job needs no description of arguments.
bool names_inputs(const job::Job& job) {
  return std::ranges::any_of(job.args, [](const job::Argument& a) {
    const std::string& key = a.key.text;
    return key.size() > 1 && key[0] == 'V' &&
           std::all_of(key.begin() + 1, key.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  });
}

}  // namespace

base::Result<base::Done> open_dump(job::Job& job, GivenProgram& program, const base::Limits& limits) {
  if (!job::means_dumps(job.program, limits)) return base::Done{};
  const std::string given = job.program;
  const auto all = job::find_dumps(given, limits);
  if (!all.ok()) return all.failure();
  const auto dump = job::choose_dump(*all, job.entry, given);
  if (!dump.ok()) return dump.failure();
  auto text = job::read_dump(*dump, limits);
  if (!text.ok()) return text.failure();
  program.bytes = std::move(text->text);
  program.parts = std::move(text->parts);
  job.program = dump->file;
  job.entry = dump->kernel;
  if (job.zeinfo.empty() && !names_inputs(job)) job.zeinfo = dump->binary;
  if (!job.platform.empty()) return base::Done{};
  if (!dump->platform.empty()) {
    job.platform = dump->platform;
    return base::Done{};
  }
  return base::error("dump-platform",
                     fmt::format("nothing says which platform kernel '{}' was compiled for: neither its binary nor the "
                                 "command line of the dump (_cmd.txt)",
                                 dump->kernel),
                     base::Place::in_file(dump->file))
      .note("--platform says it: SKL, ICLLP, TGLLP, DG2, PVC ...");
}

}  // namespace heddle::tools
