// SPDX-License-Identifier: MIT
#include "tools/run/explore_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/numbers.hpp"
#include "tools/services/driver.hpp"
#include "tools/services/temporary_folder.hpp"

namespace heddle::tools {
namespace {

/// The jobs of the folder that are not wanted go away. How many there were.
std::size_t keep_draws(const std::string& folder, NumberRange draws) {
  std::vector<std::filesystem::path> jobs;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".toml") jobs.push_back(entry.path());
  std::ranges::sort(jobs);
  std::error_code ignored;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    if (i < draws.first || i > draws.last) std::filesystem::remove(jobs[i], ignored);
  return jobs.size();
}

/// How many frames the program has presented while it was captured.
std::uint64_t presented_frames(const std::string& folder) {
  const auto text = base::read_text(folder + "/frames");
  return text.ok() ? parse_number<std::uint64_t>(*text).value_or(0) : 0;
}

/// Frames that were asked for and that the program does not have.
std::optional<base::Diagnostic> missing_frames(const std::string& program, std::uint64_t presented,
                                               const std::optional<NumberRange>& frames) {
  if (!frames || frames->last < presented) return std::nullopt;
  return base::warning("vulkan-driver", fmt::format("{} presented {} frames: it has no frame {}", program, presented,
                                                    std::max<std::uint64_t>(presented, frames->first)))
      .note("--frames counts them from 0");
}

/// Nothing of the program is in the page.
base::ExitCode nothing_captured(const std::string& program, std::size_t captured, const ProgramPart& part) {
  if (captured != 0)
    return driver_failure(base::ExitCode::Usage,
                          fmt::format("--draws begins at {}, but {} has {} draws and dispatches that can be captured",
                                      part.draws.first, program, captured),
                          "they are counted from 0");
  if (part.frames)
    return driver_failure(base::ExitCode::WrongInput,
                          fmt::format("nothing that {} ran in the frames {} to {} could be captured", program,
                                      part.frames->first, part.frames->last),
                          "frames are counted from 0, by what the program presents");
  return driver_failure(base::ExitCode::WrongInput, fmt::format("nothing that {} ran could be captured", program),
                        "it drew nothing, or what docs/vulkan.md says is not captured");
}

/// The driver takes commands of these frames alone, and ends the program behind them.
void choose_frames(const std::optional<NumberRange>& frames) {
  if (!frames) return;
  setenv("HEDDLE_FRAME_PLAN", fmt::format("frames={}..{} last={}", frames->first, frames->last, frames->last).c_str(),
         1);
}

}  // namespace

base::ExitCode explore_program(const std::vector<std::string>& words, const ProgramPart& part,
                               const ReportFile& report) {
  if (const auto good = base::check_writable(report.path); !good.ok())
    return print_diagnostics(good.diagnostics()), base::ExitCode::File;
  const TemporaryFolder folder;
  if (folder.path().empty())
    return driver_failure(base::ExitCode::File,
                          fmt::format("no temporary folder can be made: {}", std::strerror(errno)),
                          "TMPDIR names a folder that can be written");
  setenv("HEDDLE_CAPTURE", folder.path().c_str(), 1);
  choose_frames(part.frames);
  const base::ExitCode code = run_checked(words);
  unsetenv("HEDDLE_CAPTURE");
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  if (auto missing = missing_frames(words[0], presented_frames(folder.path()), part.frames); missing && !report.quiet)
    print_diagnostics({*std::move(missing)});
  const std::size_t captured = keep_draws(folder.path(), part.draws);
  if (captured <= part.draws.first) return nothing_captured(words[0], captured, part);
  RunOptions run;
  run.input = folder.path();
  explore::Exploration exploration(std::filesystem::path(words[0]).filename().string());
  if (const auto loaded = load_commands(run, exploration); loaded != base::ExitCode::Done) return loaded;
  Progress progress("exploring", 10000);
  explore::ExploreOptions how;
  how.progress = [&](double done) { progress.at(static_cast<std::uint64_t>(done * 10000)); };
  how.begin = part.begin;
  std::string where;
  if (part.begin)
    where = fmt::format("{} begins where every report does: no command in it writes an image of {} x {}\n", report.path,
                        part.begin->width, part.begin->height);
  how.started = [&](const explore::Start& start) {
    where = fmt::format("{} begins at pixel {},{} of '{}' behind {} {}\n", report.path, start.x, start.y, start.image,
                        exploration.command(start.command).job.pixels ? "draw" : "dispatch", start.command);
  };
  const base::ExitCode written = write_report(exploration, how, report, progress);
  if (written != base::ExitCode::Done) return written;
  if (!report.quiet) std::fputs(where.c_str(), stderr);
  return code;
}

}  // namespace heddle::tools
