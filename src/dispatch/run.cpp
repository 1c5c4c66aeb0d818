#include "dispatch/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "dispatch/compute.hpp"
#include "dispatch/pixel_payload.hpp"
#include "dispatch/pixels.hpp"
#include "dispatch/vertices.hpp"
#include "dispatch/zebin.hpp"

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

/// The zeinfo entry of a kernel; nullptr without a file. The file may be the compiler's whole binary. Problems go to
/// the outcome.
bool load_abi(const Job& job, const isa::Object& kernel, ZeInfo& info, const ZeKernel*& abi,
              std::optional<Zebin>& zebin, Outcome& outcome) {
  abi = nullptr;
  if (job.zeinfo.empty()) return true;
  const auto bytes = base::read_file(job.zeinfo, job.limits);
  if (!bytes.ok()) return pass_on(outcome, bytes.diagnostics()), false;
  std::string_view text = base::as_text(*bytes);
  if (is_zebin(*bytes)) {
    auto binary = parse_zebin(*bytes, job.zeinfo);
    if (!binary.ok()) return pass_on(outcome, binary.diagnostics()), false;
    zebin = std::move(*binary);
    text = zebin->zeinfo;
  }
  auto parsed = parse_zeinfo(text, job.zeinfo, job.limits);
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

/// Empty, or why the job does not fit the shader's stage.
std::string stage_problem(const Job& job, const std::optional<ShaderInterface>& shader) {
  if (!shader) {
    if (job.pixels && !job.pixels->vertex.empty())
      return "'vertex' of [pixels] needs a compiled fragment shader: this kernel does not say where its inputs come "
             "from";
    return {};
  }
  switch (shader->stage) {
    case ShaderStage::Compute:
      return job.pixels ? "the program is a compute shader; [pixels] needs a fragment shader" : "";
    case ShaderStage::Fragment:
      return job.pixels
                 ? ""
                 : "the program is a fragment shader: the job needs [pixels] (flags: --target NAME=FILE:FORMAT:WxH)";
    case ShaderStage::Vertex:
      return "the program is a vertex shader: it feeds a fragment shader as 'vertex' of [pixels]";
  }
  return {};
}

/// Bytes that a thread of pixels or vertices may spill: at least what kernels without SpillMemOffset get.
std::uint64_t scratch_of(const isa::Object& kernel) {
  const std::int64_t own = kernel.integer_attribute("SpillMemOffset").value_or(0);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(own, 65536, 1 << 24));
}

/// The vertex shader of a pixel dispatch, bound to the same job.
struct VertexStage {
  const isa::Object* kernel = nullptr;
  std::optional<ShaderInterface> shader;
  std::optional<Binder> binder;
  std::optional<VertexPlan> plan;

  bool bind(const Job& job, const RunHooks& hooks, const Resources& resources, isa::Platform platform,
            base::Diagnostics& diagnostics) {
    if (hooks.vertex == nullptr) {
      diagnostics.add(base::error(
          "job-missing", fmt::format("the vertex shader '{}' was not loaded", job.pixels->vertex), job.pixels->place));
      return false;
    }
    Job named;
    named.entry = job.pixels->vertex_entry;
    const auto chosen = choose_kernel(*hooks.vertex, named);
    if (!chosen.ok()) {
      for (const base::Diagnostic& d : chosen.diagnostics()) diagnostics.add(d);
      return false;
    }
    kernel = *chosen;
    shader = read_interface(*hooks.vertex, *kernel, diagnostics);
    if (diagnostics.has_errors()) return false;
    if (!shader || shader->stage != ShaderStage::Vertex) {
      diagnostics.add(base::error("job-value", fmt::format("'{}' is no compiled vertex shader", job.pixels->vertex),
                                  job.pixels->place));
      return false;
    }
    binder.emplace(job, resources, *kernel, platform, diagnostics);
    binder->describe(*shader);
    plan = bind_vertices(*binder, simd_of(*kernel, nullptr, job));
    return !diagnostics.has_errors();
  }
};

/// The kernel compiled for the fast engine, or nullptr: the reference engine is wanted, or has to do.
std::unique_ptr<engine::jit::Kernel> fast_kernel(const Job& job, const RunHooks& hooks,
                                                 const engine::reference::Kernel& kernel, const Bound& bound,
                                                 const PixelPlan* pixels, const ComputePlan* compute, unsigned simd,
                                                 Outcome& outcome) {
  // Checks and observers are the reference engine's.
  if (job.engine == EngineKind::Reference) return nullptr;
  if (hooks.observer != nullptr) {
    if (job.engine == EngineKind::Fast)
      outcome.diagnostics.add(base::warning("job-engine", "the reference engine runs the program: it is observed",
                                            base::Place::in_file(job.file)));
    return nullptr;
  }
  if (job.engine == EngineKind::Automatic && job.check_asked) return nullptr;
  std::string why;
  engine::jit::KernelOptions options;
  options.simd = simd;
  options.pixels = pixels != nullptr ? &pixels->state : nullptr;
  if (pixels != nullptr) options.row = row_layout(*pixels);
  if (compute != nullptr) options.own_bytes = compute->own_bytes(kernel.object(), bound.payload.size());
  options.memory = hooks.kernels;
  options.compile.cpu = hooks.cpu;
  options.compile.keep_listing = hooks.assembly != nullptr;
  auto fast = engine::jit::Kernel::prepare(kernel, bound.bindings, options, why);
  const auto warn = [&](std::string message) {
    outcome.diagnostics.add(base::warning("job-engine", std::move(message), base::Place::in_file(job.file)));
  };
  if (fast != nullptr) {
    if (hooks.assembly != nullptr) *hooks.assembly = fast->assembly();
    outcome.summary.engine = "fast", outcome.summary.counts_texels = false;
    if (job.check_asked) warn("the fast engine checks nothing: 'check' has no effect");
  } else if (job.engine == EngineKind::Fast) {
    warn(fmt::format("the reference engine runs the program: {}", why));
  } else {
    outcome.summary.why_reference = why;
  }
  return fast;
}

}  // namespace

std::string Summary::json() const {
  std::string text = fmt::format(
      "{{\"program\": {}, \"kernel\": {}, \"engine\": {}, \"platform\": {}, \"simd\": {}, \"threads\": {}, \"groups\": "
      "{}, \"threads_run\": {}, "
      "\"instructions\": {}, \"texels_read\": {}, \"texels_written\": {}, \"compile_seconds\": {:.6f}, "
      "\"run_seconds\": {:.6f}, \"reports\": {{",
      base::json_quote(program), base::json_quote(kernel), base::json_quote(engine), base::json_quote(platform), simd,
      threads, groups, threads_run, instructions, counts_texels ? fmt::to_string(texels_read) : "null",
      counts_texels ? fmt::to_string(texels_written) : "null", compile_seconds, run_seconds);
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
  ZeInfo info;
  const ZeKernel* abi = nullptr;
  std::optional<Zebin> zebin;
  if (!load_abi(job, kernel, info, abi, zebin, outcome)) return outcome;
  const unsigned simd = simd_of(kernel, abi, job);
  if (job.simd && *job.simd != simd)
    outcome.diagnostics.add(base::error(
        "job-value", fmt::format("'simd' is {}, kernel '{}' is compiled for {}", *job.simd, kernel.name, simd),
        base::Place::in_file(job.file)));
  auto resources = load_resources(job);
  if (!resources.ok()) pass_on(outcome, resources.diagnostics());
  if (outcome.diagnostics.has_errors()) return outcome;

  // A compiled shader says what it is; kernels without its lines are bound by their own names.
  const std::optional<ShaderInterface> shader = read_interface(program, kernel, outcome.diagnostics);
  if (outcome.diagnostics.has_errors()) return outcome;
  const base::Place job_place = job.file.empty() ? base::Place{} : base::Place::in_file(job.file);
  if (const auto why = stage_problem(job, shader); !why.empty()) {
    outcome.diagnostics.add(base::error("job-value", why, job_place));
    return outcome;
  }
  Binder binder(job, *resources, kernel, platform, outcome.diagnostics);
  if (shader) binder.describe(*shader);
  std::optional<PixelPlan> pixels;
  std::optional<ComputePlan> compute;
  VertexStage vertex;
  if (job.pixels && !job.pixels->vertex.empty() && !vertex.bind(job, hooks, *resources, platform, outcome.diagnostics))
    return outcome;
  if (job.pixels) {
    pixels = bind_pixels(binder, simd, vertex.plan ? &*vertex.plan : nullptr);
  } else {
    const auto grid = make_grid(job, simd, abi, shader ? &*shader : nullptr);
    if (!grid.ok()) return pass_on(outcome, grid.diagnostics()), std::move(outcome);
    compute = bind_compute(binder, abi, *grid, simd);
    if (zebin) zebin->bind(binder.bound().bindings);
  }
  if (vertex.binder) binder.absorb(*vertex.binder);
  binder.report_unused();
  outcome.summary.simd = pixels ? pixels->simd : simd;
  if (outcome.diagnostics.has_errors()) return outcome;

  const auto prepared = engine::reference::Kernel::prepare(program, kernel, platform, job.limits);
  if (!prepared.ok()) return pass_on(outcome, prepared.diagnostics()), std::move(outcome);
  const auto fast = fast_kernel(job, hooks, *prepared, binder.bound(), pixels ? &*pixels : nullptr,
                                compute ? &*compute : nullptr, outcome.summary.simd, outcome);
  outcome.summary.compile_seconds = seconds_since(begin);

  machine::Reports reports(program, fast != nullptr ? machine::CheckMode::Off : mode_of(job.check),
                           job.limits.diagnostics);
  engine::reference::Budget budget(job.limits);
  Counters counters;
  const Clock::time_point start = Clock::now();
  bool good = true;
  const auto run_stage = [&](const engine::reference::Kernel& code, const isa::Object& object, const Bound& bound,
                             machine::Reports& list, const auto& work) {
    RunContext context{.kernel = code, .bindings = bound.bindings, .reports = list, .budget = budget};
    context.workers = job.threads != 0 ? job.threads : std::max(1u, std::thread::hardware_concurrency());
    context.memory_bytes = job.limits.memory_bytes;
    context.observer = hooks.observer;
    context.progress = hooks.progress;
    context.scratch_bytes = scratch_of(object);
    outcome.summary.threads = context.workers;
    good = work(context);
    for (const auto& [id, count] : list.counts()) outcome.summary.reports[id] += count;
    outcome.diagnostics.append(list.take());
  };
  if (vertex.plan) {
    const auto code = engine::reference::Kernel::prepare(*hooks.vertex, *vertex.kernel, platform, job.limits);
    if (!code.ok()) return pass_on(outcome, code.diagnostics()), std::move(outcome);
    machine::Reports vertex_reports(*hooks.vertex, mode_of(job.check), job.limits.diagnostics);
    run_stage(*code, *vertex.kernel, vertex.binder->bound(), vertex_reports, [&](RunContext& context) {
      return run_vertices(*vertex.plan, vertex.binder->bound(), context, counters);
    });
    if (good) take_records(*vertex.plan, *pixels);
  }
  if (good)
    run_stage(*prepared, kernel, binder.bound(), reports, [&](RunContext& context) {
      context.fast = fast.get();
      return pixels ? run_pixels(*pixels, binder.bound(), context, counters)
                    : run_compute(*compute, binder.bound(), context, counters);
    });
  Summary& s = outcome.summary;
  const double late = fast != nullptr ? fast->late_seconds() : 0;
  s.compile_seconds += late;
  s.run_seconds = std::max(0.0, seconds_since(start) - late);
  s.groups = counters.groups;
  s.threads_run = counters.threads;
  s.instructions = budget.used();
  s.texels_read = counters.texels_read;
  s.texels_written = counters.texels_written;
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
