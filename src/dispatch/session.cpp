#include "dispatch/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "dispatch/compute.hpp"
#include "dispatch/pixels.hpp"

namespace heddle::dispatch {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

machine::CheckMode mode_of(CheckLevel level) {
  switch (level) {
    case CheckLevel::Off:
      return machine::CheckMode::Off;
    case CheckLevel::Warn:
      return machine::CheckMode::Warn;
    case CheckLevel::Error:
      return machine::CheckMode::Error;
  }
  return machine::CheckMode::Warn;
}

void pass_on(Outcome& outcome, const std::vector<base::Diagnostic>& list) {
  for (const base::Diagnostic& d : list) outcome.diagnostics.add(d);
}

/// The zeinfo entry of a kernel; nullptr without a file. Problems go to the outcome.
bool load_abi(const Job& job, const isa::Object& kernel, ZeInfo& info, const ZeKernel*& abi, Outcome& outcome) {
  abi = nullptr;
  if (job.zeinfo.empty()) return true;
  const auto bytes = base::read_file(job.zeinfo, job.limits);
  if (!bytes.ok()) return pass_on(outcome, bytes.diagnostics()), false;
  auto parsed = parse_zeinfo(base::as_text(*bytes), job.zeinfo, job.limits);
  if (!parsed.ok()) return pass_on(outcome, parsed.diagnostics()), false;
  info = std::move(*parsed);
  abi = info.find(kernel.name);
  if (abi == nullptr && info.kernels.size() == 1 && kernel.name.empty()) abi = &info.kernels.front();
  if (abi != nullptr) return true;
  base::Diagnostic d =
      base::error("zeinfo-value", fmt::format("'{}' does not describe kernel '{}'", job.zeinfo, kernel.name),
                  base::Place::in_file(job.zeinfo));
  std::vector<std::string_view> names;
  for (const ZeKernel& k : info.kernels) names.push_back(k.name);
  d.note(fmt::format("it describes: {}", fmt::join(names, " ")));
  outcome.diagnostics.add(std::move(d));
  return false;
}

}  // namespace

std::string Summary::json() const {
  std::string text = fmt::format(
      "{{\"program\": {}, \"kernel\": {}, \"engine\": {}, \"platform\": {}, \"simd\": {}, \"threads\": {}, \"groups\": "
      "{}, \"threads_run\": {}, "
      "\"instructions\": {}, \"texels_read\": {}, \"texels_written\": {}, \"compile_seconds\": {:.6f}, "
      "\"run_seconds\": {:.6f}, \"reports\": {{",
      base::json_quote(program), base::json_quote(kernel), base::json_quote(engine), base::json_quote(platform), simd,
      threads, groups, threads_run, instructions, texels_read, texels_written, compile_seconds, run_seconds);
  bool first = true;
  for (const auto& [id, count] : reports) {
    text += fmt::format("{}{}: {}", first ? "" : ", ", base::json_quote(id), count);
    first = false;
  }
  return text + "}}\n";
}

base::Result<const isa::Object*> choose_kernel(const isa::Program& program, const Job& job) {
  std::vector<std::string_view> names;
  const isa::Object* only = nullptr;
  for (const isa::Object& object : program.objects) {
    if (object.kind != isa::ObjectKind::Kernel) continue;
    if (!job.entry.empty() && object.name == job.entry) return &object;
    names.push_back(object.name);
    only = &object;
  }
  if (job.entry.empty() && names.size() == 1) return only;
  const base::Place place = base::Place::in_file(program.file);
  if (names.empty()) return base::error("job-value", "the program has no kernel", place);
  if (job.entry.empty())
    return base::error("job-missing", fmt::format("the program has {} kernels; 'entry' must name one", names.size()),
                       place)
        .note(fmt::format("it has: {}", fmt::join(names, " ")));
  base::Diagnostic d = base::error("job-value", fmt::format("the program has no kernel '{}'", job.entry), place);
  const std::string_view near = base::nearest(job.entry, names);
  return std::move(d).note(near.empty() ? fmt::format("it has: {}", fmt::join(names, " "))
                                        : fmt::format("did you mean '{}'?", near));
}

Outcome run(const Job& job, const isa::Program& program, const RunHooks& hooks) {
  Outcome outcome;
  outcome.diagnostics = base::Diagnostics(job.limits.diagnostics);
  outcome.summary.program = job.program;
  outcome.summary.engine = "reference";
  const Clock::time_point begin = Clock::now();

  const auto chosen = choose_kernel(program, job);
  if (!chosen.ok()) return pass_on(outcome, chosen.diagnostics()), std::move(outcome);
  const isa::Object& kernel = **chosen;
  const isa::Platform platform = isa::find_platform(job.platform).value_or(isa::Platform::SKL);
  outcome.summary.kernel = kernel.name;
  outcome.summary.platform = isa::platform_info(platform).name;
  if (job.engine == EngineKind::Fast)
    outcome.diagnostics.add(base::warning("job-engine",
                                          "this build has no fast engine; the reference engine runs the program",
                                          base::Place::in_file(job.file)));

  ZeInfo info;
  const ZeKernel* abi = nullptr;
  if (!load_abi(job, kernel, info, abi, outcome)) return outcome;
  const unsigned simd = simd_of(kernel, abi, job);
  if (job.simd && *job.simd != simd)
    outcome.diagnostics.add(base::error(
        "job-value", fmt::format("'simd' is {}, kernel '{}' is compiled for {}", *job.simd, kernel.name, simd),
        base::Place::in_file(job.file)));
  auto resources = load_resources(job);
  if (!resources.ok()) pass_on(outcome, resources.diagnostics());
  if (outcome.diagnostics.has_errors()) return outcome;

  Binder binder(job, *resources, kernel, platform, outcome.diagnostics);
  std::optional<PixelPlan> pixels;
  std::optional<ComputePlan> compute;
  if (job.pixels) {
    pixels = bind_pixels(binder, simd);
  } else {
    const auto grid = make_grid(job, simd, abi);
    if (!grid.ok()) return pass_on(outcome, grid.diagnostics()), std::move(outcome);
    compute = bind_compute(binder, abi, *grid, simd);
  }
  outcome.summary.simd = pixels ? pixels->simd : simd;
  if (outcome.diagnostics.has_errors()) return outcome;

  const auto prepared = engine::reference::Kernel::prepare(program, kernel, platform, job.limits);
  if (!prepared.ok()) return pass_on(outcome, prepared.diagnostics()), std::move(outcome);
  outcome.summary.compile_seconds = seconds_since(begin);

  machine::Reports reports(program, mode_of(job.check), job.limits.diagnostics);
  engine::reference::Budget budget(job.limits);
  RunContext context{.kernel = *prepared, .bindings = binder.bound().bindings, .reports = reports, .budget = budget};
  context.workers = job.threads != 0 ? job.threads : std::max(1u, std::thread::hardware_concurrency());
  context.memory_bytes = job.limits.memory_bytes;
  context.observer = hooks.observer;
  context.progress = hooks.progress;
  Counters counters;
  const Clock::time_point start = Clock::now();
  const bool good = pixels ? run_pixels(*pixels, binder.bound(), context, counters)
                           : run_compute(*compute, binder.bound(), context, counters);
  Summary& s = outcome.summary;
  s.run_seconds = seconds_since(start);
  s.threads = context.workers;
  s.groups = counters.groups;
  s.threads_run = counters.threads;
  s.instructions = budget.used();
  s.texels_read = counters.texels_read;
  s.texels_written = counters.texels_written;
  for (const auto& [id, count] : reports.counts()) s.reports[id] = count;
  outcome.diagnostics.append(reports.take());
  if (const auto limit = budget.hit()) outcome.diagnostics.add(*limit);
  if (!good || outcome.diagnostics.has_errors()) {
    if (!outcome.diagnostics.has_errors())
      outcome.diagnostics.add(base::error("run-failed", "the run did not end", base::Place::in_file(job.program)));
    return outcome;
  }
  base::Diagnostics notes;
  auto outputs = encode_outputs(*resources, notes);
  outcome.diagnostics.append(notes);
  if (!outputs.ok()) return pass_on(outcome, outputs.diagnostics()), std::move(outcome);
  outcome.outputs = std::move(*outputs);
  outcome.succeeded = true;
  return outcome;
}

}  // namespace heddle::dispatch
