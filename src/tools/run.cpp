// heddle run: a program and what it is bound to, from flags or a job file; pictures, buffers and a summary come out.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "dispatch/observers.hpp"
#include "dispatch/session.hpp"
#include "engine/jit/compile.hpp"
#include "image/files/files.hpp"
#include "tools/commands.hpp"
#include "tools/program_file.hpp"
#include "tools/progress.hpp"
#include "tools/run_flags.hpp"

namespace heddle::tools {
namespace {

base::ExitCode usage(const std::string& message) {
  std::fputs(("heddle run: " + message + "\n").c_str(), stderr);
  return base::ExitCode::Usage;
}

/// "3", "1,2,0" or "10-20" as numbers.
std::optional<std::vector<std::uint32_t>> numbers_of(const std::string& text, std::size_t least, std::size_t most) {
  std::vector<std::uint32_t> result;
  std::uint64_t value = 0;
  bool digits = false;
  for (const char c : text + ",") {
    if (c >= '0' && c <= '9') {
      value = value * 10 + static_cast<unsigned>(c - '0');
      digits = true;
      if (value > UINT32_MAX) return std::nullopt;
    } else if ((c == ',' || c == '-' || c == ':') && digits) {
      result.push_back(static_cast<std::uint32_t>(value));
      value = 0;
      digits = false;
    } else {
      return std::nullopt;
    }
  }
  return result.size() >= least && result.size() <= most ? std::optional(result) : std::nullopt;
}

/// The observers that flags ask for, and what they leave when the run is over.
struct Watchers {
  dispatch::Observers all;
  std::unique_ptr<dispatch::Tracer> tracer;
  std::unique_ptr<dispatch::Coverage> coverage;
  std::unique_ptr<dispatch::TexelCoverage> texels;
  std::FILE* trace_file = nullptr;

  Watchers() = default;
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;
  ~Watchers() {
    if (trace_file != nullptr) std::fclose(trace_file);
  }

  /// Empty, or what is wrong with the flags.
  std::string set_up(const RunOptions& o, const isa::Program& program) {
    if (o.trace || !o.trace_file.empty()) {
      dispatch::TraceFilter filter;
      const auto one = [](const std::string& text, std::optional<std::uint32_t>& out) {
        if (text.empty()) return true;
        const auto n = numbers_of(text, 1, 1);
        if (n) out = (*n)[0];
        return n.has_value();
      };
      if (!one(o.trace_thread, filter.thread)) return "--trace-thread takes a number";
      if (!one(o.trace_lane, filter.lane) || filter.lane.value_or(0) > 31)
        return "--trace-lane takes a number from 0 to 31";
      if (!o.trace_group.empty()) {
        auto n = numbers_of(o.trace_group, 1, 3);
        if (!n) return "--trace-group takes X,Y,Z";
        n->resize(3);
        filter.group = {(*n)[0], (*n)[1], (*n)[2]};
      }
      if (!o.trace_lines.empty()) {
        const auto n = numbers_of(o.trace_lines, 1, 2);
        if (!n) return "--trace-lines takes A or A-B";
        filter.lines = {n->front(), n->back()};
      }
      if (!o.trace_file.empty() && o.trace_file != "-") {
        trace_file = std::fopen(o.trace_file.c_str(), "w");
        if (trace_file == nullptr) return fmt::format("--trace-file: '{}' cannot be written", o.trace_file);
      }
      std::FILE* to = trace_file != nullptr ? trace_file : o.trace_file == "-" ? stdout : stderr;
      tracer = std::make_unique<dispatch::Tracer>(program, filter,
                                                  [to](const std::string& line) { std::fputs(line.c_str(), to); });
      all.add(tracer.get());
    }
    if (!o.coverage.empty() || o.counts) {
      coverage = std::make_unique<dispatch::Coverage>();
      all.add(coverage.get());
    }
    if (!o.texels.empty()) {
      texels = std::make_unique<dispatch::TexelCoverage>();
      all.add(texels.get());
    }
    return {};
  }

  base::Result<base::Done> save(const RunOptions& o, const isa::Program& program) const {
    if (!o.coverage.empty()) {
      const std::string text = coverage->listing(program);
      if (o.coverage == "-")
        std::fputs(text.c_str(), stdout);
      else if (auto done = base::write_file(o.coverage, std::string_view(text)); !done.ok())
        return done;
    }
    if (o.counts)
      for (const auto& [mnemonic, count] : coverage->by_mnemonic())
        std::fputs(fmt::format("{:>14}  {}\n", count, mnemonic).c_str(), stderr);
    for (const std::string& text : o.texels) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos)
        return base::error("usage-flag", fmt::format("--texels {}: SURFACE=FILE is expected", text));
      const auto picture = texels->picture(text.substr(0, equals));
      if (!picture)
        return base::error("run-texels", fmt::format("no texel of level 0, slice 0 of a surface '{}' was touched",
                                                     text.substr(0, equals)));
      if (auto done = image::save_image(text.substr(equals + 1), *picture); !done.ok()) return done;
    }
    return base::Done{};
  }
};

std::string summary_text(const dispatch::Summary& s) {
  const double rate = s.run_seconds > 0 ? static_cast<double>(s.instructions) / s.run_seconds : 0;
  std::string text = fmt::format("{}: kernel {}, {} engine, {}, SIMD{}, {} thread{}\n", s.program, s.kernel, s.engine,
                                 s.platform, s.simd, s.threads, s.threads == 1 ? "" : "s");
  text += fmt::format("{} groups, {} hardware threads, {} instructions in {:.3f} s ({:.2f} million a second)\n",
                      s.groups, s.threads_run, s.instructions, s.run_seconds, rate / 1e6);
  if (!s.why_reference.empty()) text += fmt::format("the fast engine did not run: {}\n", s.why_reference);
  if (s.counts_texels) text += fmt::format("{} texels read, {} written\n", s.texels_read, s.texels_written);
  for (const auto& [id, count] : s.reports) text += fmt::format("{} x {}\n", count, id);
  return text;
}

}  // namespace

base::ExitCode run_program(const RunOptions& options) {
  auto flags = job_flags(options);
  if (!flags.ok()) {
    print_diagnostics(flags.diagnostics());
    return base::ExitCode::Usage;
  }
  std::string toml;
  const bool is_job = options.input.ends_with(".toml");
  if (is_job) {
    const auto bytes = base::read_file(options.input, options.common.limits);
    if (!bytes.ok()) {
      print_diagnostics(bytes.diagnostics());
      return exit_code(bytes.diagnostics());
    }
    toml = std::string(base::as_text(*bytes));
  } else {
    base::Node program = base::Node::make_text(options.input);
    program.line = base::Node::kCommandLine;
    flags->add("program", std::move(program));
  }
  auto job = is_job ? dispatch::read_job(toml, options.input, options.common.limits, &*flags)
                    : dispatch::read_job(*flags, "", "command line", options.common.limits);
  const std::string job_file = is_job ? options.input : std::string();
  if (!job.ok()) {
    base::Diagnostics list(options.common.limits.diagnostics);
    for (const base::Diagnostic& d : job.diagnostics()) list.add(d);
    print_diagnostics(list, job_file, toml);
    return exit_code(job.diagnostics());
  }

  auto loaded = load_programs(*job, options);
  if (const auto* code = std::get_if<base::ExitCode>(&loaded)) return *code;
  const RunPrograms& programs = std::get<RunPrograms>(loaded);
  const VisaFile& file = programs.main;

  Watchers watchers;
  if (const std::string why = watchers.set_up(options, *file.program); !why.empty()) return usage(why);
  if (watchers.tracer) job->threads = 1;  // a trace is read in order
  Progress progress("running", 10000);
  dispatch::RunHooks hooks;
  if (programs.vertex) hooks.vertex = &*programs.vertex->program;
  if (!watchers.all.empty()) hooks.observer = &watchers.all;
  hooks.progress = [&](double part) { progress.at(static_cast<std::uint64_t>(part * 10000)); };
  if (!options.cpu.empty())
    if (const std::string why = engine::jit::processor_problem(options.cpu); !why.empty())
      return usage(fmt::format("--cpu {}: {}", options.cpu, why));
  hooks.cpu = options.cpu;
  std::string assembly;
  if (!options.assembly.empty()) hooks.assembly = &assembly;
  const dispatch::Outcome outcome = dispatch::run(*job, *file.program, hooks);
  progress.finish();

  // Places of messages are in the job or in the program.
  const base::SourceLookup lookup = [&](const std::string& name) -> std::string_view {
    if (programs.vertex && name == programs.vertex->name && !programs.vertex->binary) return programs.vertex->content();
    return name == file.name && !file.binary ? std::string_view(file.content())
           : name == job_file                ? std::string_view(toml)
                                             : std::string_view();
  };
  for (const base::Diagnostic& d : outcome.diagnostics.all())
    if (!options.common.quiet || d.severity == base::Severity::Error)
      std::fputs(base::render(d, lookup, use_colour(STDERR_FILENO)).c_str(), stderr);
  if (outcome.diagnostics.suppressed() != 0)
    std::fputs(fmt::format("note: {} more messages are not shown; --max-errors raises the limit\n",
                           outcome.diagnostics.suppressed())
                   .c_str(),
               stderr);

  if (const auto done = watchers.save(options, *file.program); !done.ok()) {
    print_diagnostics(done.diagnostics());
    return exit_code(done.diagnostics());
  }
  if (!options.assembly.empty()) {
    if (assembly.empty())
      std::fputs("note: --assembly: the fast engine did not run, there is nothing to write\n", stderr);
    else if (const auto done = base::write_file(options.assembly, std::string_view(assembly)); !done.ok()) {
      print_diagnostics(done.diagnostics());
      return base::ExitCode::File;
    }
  }
  if (!outcome.succeeded) return exit_code(outcome.diagnostics.all());
  if (const auto done = dispatch::write_outputs(outcome.outputs); !done.ok()) {
    print_diagnostics(done.diagnostics());
    return exit_code(done.diagnostics());
  }
  for (const dispatch::Output& output : outcome.outputs)
    if (output.path == "-") std::fwrite(output.bytes.data(), 1, output.bytes.size(), stdout);
  if (!options.summary.empty()) {
    const std::string text = outcome.summary.json();
    if (options.summary == "-")
      std::fputs(text.c_str(), stdout);
    else if (const auto done = base::write_file(options.summary, std::string_view(text)); !done.ok()) {
      print_diagnostics(done.diagnostics());
      return base::ExitCode::File;
    }
  } else if (!options.common.quiet) {
    std::fputs(summary_text(outcome.summary).c_str(), stderr);
  }
  return base::ExitCode::Done;
}

}  // namespace heddle::tools
