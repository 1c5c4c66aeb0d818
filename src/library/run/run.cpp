#include "heddle/run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "dispatch/job.hpp"
#include "dispatch/run.hpp"
#include "engine/jit/cache/kernel_cache.hpp"
#include "library/image/impl.hpp"
#include "library/program/impl.hpp"
#include "library/run/trace_impl.hpp"
#include "verify/verify.hpp"

namespace heddle {

struct Run::Impl {
  Impl(Program p, RunOptions o) : program(std::move(p)), options(std::move(o)) {}
  Program program;
  RunOptions options;
  dispatch::Job job;     ///< the bindings
  Diagnostics problems;  ///< of bindings; the run reports them
  engine::jit::MemoryCache kernels;
};

Buffer::Buffer(std::size_t bytes) : bytes_(std::make_shared<std::vector<std::uint8_t>>(bytes)) {}

namespace {

/// The entry of that name, or a new one.
template <typename Binding>
Binding& entry(std::vector<Binding>& list, const std::string& name) {
  const auto found = std::ranges::find_if(list, [&](const Binding& b) { return b.key.text == name; });
  Binding& binding = found != list.end() ? *found : list.emplace_back();
  binding = Binding();
  binding.key.text = name;
  return binding;
}

/// What the options say, beside the bindings.
Result<dispatch::Job> job_of(const dispatch::Job& bindings, const RunOptions& o, const Program& program) {
  const auto platform = library::find_platform(o.platform);
  if (!platform.ok()) return platform.diagnostics();
  dispatch::Job job = bindings;
  job.program = program.file();
  job.entry = o.entry;
  job.platform = o.platform;
  job.zeinfo = o.zeinfo;
  job.simd = o.simd;
  job.engine = static_cast<dispatch::EngineKind>(o.engine);
  if (o.check) {
    job.check = static_cast<dispatch::CheckLevel>(*o.check);
    job.check_asked = *o.check != Check::Off;
  }
  job.threads = o.threads;
  job.limits = library::to_base(o.limits);
  return job;
}

/// Errors of the rules: a program that has some is not run.
Diagnostics rule_errors(const isa::Program& program, const std::string& platform, const Limits& limits) {
  base::Diagnostics findings(limits.diagnostics);
  verify::check(program, {.platform = isa::find_platform(platform)}, findings);
  Diagnostics errors;
  for (const base::Diagnostic& d : findings.all())
    if (d.severity == base::Severity::Error) errors.push_back(library::to_public(d));
  return errors;
}

RunReport report_of(const dispatch::Outcome& outcome) {
  const dispatch::Summary& s = outcome.summary;
  RunReport report;
  report.kernel = s.kernel;
  report.platform = s.platform;
  report.engine = s.engine == "fast" ? Engine::Fast : Engine::Reference;
  report.why_reference = s.why_reference;
  report.simd = s.simd;
  report.groups = s.groups;
  report.threads = s.threads_run;
  report.instructions = s.instructions;
  if (s.counts_texels) {
    report.texels_read = s.texels_read;
    report.texels_written = s.texels_written;
  }
  report.compile_seconds = s.compile_seconds;
  report.run_seconds = s.run_seconds;
  report.findings = s.reports;
  report.diagnostics = library::to_public(outcome.diagnostics.all());
  return report;
}

Result<RunReport> execute(Run::Impl& run, dispatch::Job& job, const std::optional<Program>& vertex) {
  if (!run.problems.empty()) return run.problems;
  const isa::Program* program = &run.program.impl().program;
  if (auto errors = rule_errors(*program, job.platform, run.options.limits); !errors.empty()) return errors;
  if (vertex)
    if (auto errors = rule_errors(vertex->impl().program, job.platform, run.options.limits); !errors.empty())
      return errors;
  dispatch::RunHooks hooks;
  hooks.kernels = &run.kernels;
  hooks.progress = run.options.progress;
  if (vertex) hooks.vertex = &vertex->impl().program;
  if (run.options.trace != nullptr) {
    Trace::Impl& trace = run.options.trace->impl();
    program = &trace.begin(*program);
    if (!trace.all->empty()) hooks.observer = trace.all.get();
    if (trace.tracer) job.threads = 1;  // a trace is read in order
  }
  const dispatch::Outcome outcome = dispatch::run(job, *program, hooks);
  if (!outcome.succeeded) return library::to_public(outcome.diagnostics.all());
  return report_of(outcome);
}

dispatch::PixelInput pixel_input(const std::string& name, const PixelInput& input) {
  dispatch::PixelInput result;
  result.key.text = name;
  result.attribute = input.attribute;
  for (const std::vector<double>& corner : input.corners) {
    result.values.emplace_back();
    for (const double value : corner) result.values.back().push_back(dispatch::Scalar::of(value));
  }
  return result;
}

}  // namespace

Run::Run(Program program, RunOptions options) : impl_(std::make_shared<Impl>(std::move(program), std::move(options))) {}

Run& Run::bind(const std::string& name, const Image& image) {
  if (image.empty()) {
    impl_->problems.push_back(library::empty_image(fmt::format("image '{}'", name)));
    return *this;
  }
  dispatch::ImageBinding& binding = entry(impl_->job.images, name);
  binding.surface = std::make_shared<image::Surface>(library::surface_of(image));  // its own name, the same texels
  return *this;
}

Run& Run::bind(const std::string& name, const Buffer& buffer) {
  entry(impl_->job.buffers, name).memory = buffer.memory();
  return *this;
}

Run& Run::bind(const std::string& name, const Sampler& sampler) {
  entry(impl_->job.samplers, name).members = sampler.impl()->members;
  return *this;
}

Run& Run::set_integers(const std::string& name, const std::vector<std::int64_t>& values, bool is_vector) {
  dispatch::Argument& argument = entry(impl_->job.args, name);
  for (const std::int64_t value : values) argument.values.push_back(dispatch::Scalar::of(value));
  argument.is_vector = is_vector;
  return *this;
}

Run& Run::set_reals(const std::string& name, const std::vector<double>& values, bool is_vector) {
  dispatch::Argument& argument = entry(impl_->job.args, name);
  for (const double value : values) argument.values.push_back(dispatch::Scalar::of(value));
  argument.is_vector = is_vector;
  return *this;
}

Run& Run::set_bytes(const std::string& name, std::span<const std::uint8_t> bytes) {
  entry(impl_->job.args, name).bytes.emplace(bytes.begin(), bytes.end());
  return *this;
}

Result<RunReport> Run::dispatch(const std::vector<std::uint32_t>& global, const std::vector<std::uint32_t>& local) {
  if (global.empty() || global.size() > 3 || local.size() > 3)
    return library::wrong_argument("a grid has 1 to 3 sizes");
  auto job = job_of(impl_->job, impl_->options, impl_->program);
  if (!job.ok()) return job.diagnostics();
  job->global = global;
  job->local = local;
  return execute(*impl_, *job, std::nullopt);
}

Result<RunReport> Run::dispatch_groups(const std::vector<std::uint32_t>& groups,
                                       const std::vector<std::uint32_t>& local) {
  if (groups.empty() || groups.size() > 3 || local.size() > 3)
    return library::wrong_argument("a grid has 1 to 3 sizes");
  auto job = job_of(impl_->job, impl_->options, impl_->program);
  if (!job.ok()) return job.diagnostics();
  job->groups = groups;
  job->local = local;
  return execute(*impl_, *job, std::nullopt);
}

Result<RunReport> Run::draw(const Drawing& drawing) {
  auto job = job_of(impl_->job, impl_->options, impl_->program);
  if (!job.ok()) return job.diagnostics();
  dispatch::PixelsJob& pixels = job->pixels.emplace();
  pixels.targets = drawing.targets;
  pixels.depth = drawing.depth;
  pixels.stencil = drawing.stencil;
  pixels.size = drawing.size;
  pixels.per_sample = drawing.per_sample;
  if (!drawing.mesh.empty()) pixels.geometry = drawing.mesh;
  if (drawing.vertex) pixels.vertex = drawing.vertex->file();
  for (const auto& [name, input] : drawing.inputs) pixels.inputs.push_back(pixel_input(name, input));
  return execute(*impl_, *job, drawing.vertex);
}

}  // namespace heddle
