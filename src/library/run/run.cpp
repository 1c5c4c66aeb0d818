// SPDX-License-Identifier: MIT
#include "heddle/run.hpp"
#include "base/fixed_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/jit/cache/kernel_cache.hpp"
#include "job/job.hpp"
#include "job/run/run.hpp"
#include "library/image/impl.hpp"
#include "library/program/impl.hpp"
#include "library/run/trace_impl.hpp"
#include "verify/verify.hpp"

namespace heddle {

/// Programs of the stages before the pixels.
struct FrontPrograms {
  isa::PerStage<std::optional<Program>> stages;

  FrontPrograms() = default;
  explicit FrontPrograms(const Drawing& drawing) {
    stages[isa::ShaderStage::Vertex] = drawing.vertex;
    stages[isa::ShaderStage::TessellationControl] = drawing.tessellation_control;
    stages[isa::ShaderStage::TessellationEvaluation] = drawing.tessellation_evaluation;
    stages[isa::ShaderStage::Geometry] = drawing.geometry;
    stages[isa::ShaderStage::Task] = drawing.task_shader;
    stages[isa::ShaderStage::Mesh] = drawing.mesh_shader;
  }

  /// Calls `use(stage, program)` for those that are there.
  template <typename Use>
  void for_each(const Use& use) const {
    for (const isa::ShaderStageInfo& row : isa::kShaderStages)
      if (const auto& program = stages[row.stage]) use(row.stage, *program);
  }
};

struct Run::Impl {
  Impl(Program p, RunOptions o) : program(std::move(p)), options(std::move(o)) {}
  Program program;
  RunOptions options;
  job::Job job;          ///< the bindings
  Diagnostics problems;  ///< of bindings; the run reports them
  engine::jit::MemoryCache kernels;
  /// What ran last, bound and compiled, until something else is bound.
  struct Ready {
    Ready(job::Job j, FrontPrograms f) : job(std::move(j)), front(std::move(f)) {}
    job::Job job;
    FrontPrograms front;
    job::RunHooks hooks;
    std::unique_ptr<job::PreparedJob> run;
  };
  std::unique_ptr<Ready> ready;
};

struct Cancellation::Impl {
  std::shared_ptr<job::Cancellation> of_jobs = std::make_shared<job::Cancellation>();
};
Cancellation::Cancellation() : impl_(std::make_shared<Impl>()) {}
void Cancellation::cancel() const noexcept { impl_->of_jobs->cancel(); }
void Cancellation::reset() const noexcept { impl_->of_jobs->reset(); }

Buffer::Buffer(std::size_t bytes) : bytes_(std::make_shared<std::vector<std::uint8_t>>(bytes)) {}

namespace {

/// What makes no sense about a grid.
std::optional<Diagnostic> grid_problem(const std::vector<std::uint32_t>& grid, const std::vector<std::uint32_t>& local,
                                       const std::vector<std::uint32_t>& offset) {
  if (grid.empty() || grid.size() > 3 || local.size() > 3 || offset.size() > 3)
    return library::wrong_argument("a grid has 1 to 3 sizes");
  if (std::ranges::find(local, 0u) != local.end()) return library::wrong_argument("a group has no items");
  return std::nullopt;
}

std::optional<Diagnostic> option_problem(const RunOptions& o) {
  if (o.simd && *o.simd != 1 && *o.simd != 8 && *o.simd != 16 && *o.simd != 32)
    return library::wrong_argument(fmt::format("{} lanes are not possible; 8, 16 and 32 are", *o.simd));
  if (o.threads > base::kWorkerThreads)
    return library::wrong_argument(
        fmt::format("{} threads are too many; {} is the most", o.threads, base::kWorkerThreads));
  if (!(o.limits.seconds > 0)) return library::wrong_argument("Limits::seconds is not above 0");
  return std::nullopt;
}

std::optional<Diagnostic> input_problem(const std::string& name, const PixelInput& input, std::size_t most_values) {
  if (!input.attribute.empty()) return std::nullopt;
  const auto& values = input.corners;
  if ((values.size() != 1 && values.size() != 3) || values.size() > most_values)
    return library::wrong_argument(fmt::format("input '{}' takes an attribute, one value{}", name,
                                               most_values == 3 ? ", or one at each of three corners" : ""));
  for (const std::vector<double>& value : values)
    if (value.empty() || value.size() > 4 || value.size() != values.front().size())
      return library::wrong_argument(fmt::format("the values of input '{}' need 1 to 4 components each", name));
  return std::nullopt;
}

std::optional<Diagnostic> vertex_problem(const Drawing& drawing) {
  if (!drawing.vertex && (drawing.vertices || drawing.instances != 1 || !drawing.vertex_inputs.empty()))
    return library::wrong_argument("'vertices', 'instances' and 'vertex_inputs' need a vertex shader");
  if (drawing.geometry && !drawing.vertex)
    return library::wrong_argument("'geometry' needs a vertex shader in front of it");
  if (drawing.patch_vertices < 1 || drawing.patch_vertices > pipeline::kMaxPatchVertices)
    return library::wrong_argument(
        fmt::format("a patch has 1 to {} vertices, not {}", pipeline::kMaxPatchVertices, drawing.patch_vertices));
  if (drawing.mesh_shader.has_value() == drawing.groups.empty() || drawing.groups.size() > 3)
    return library::wrong_argument(drawing.mesh_shader ? "'mesh_shader' needs 1 to 3 numbers of 'groups'"
                                                       : "'groups' belong to a 'mesh_shader', which is not given");
  if (drawing.mesh_shader && !drawing.mesh.empty())
    return library::wrong_argument("'mesh_shader' makes the primitives; leave 'mesh' out");
  if (drawing.vertices && !drawing.mesh.empty())
    return library::wrong_argument("the mesh gives the vertices; leave one of the two out");
  if (drawing.vertices.value_or(0) > INT32_MAX || drawing.instances > INT32_MAX)
    return library::wrong_argument(fmt::format("more than {} vertices or instances", INT32_MAX));
  for (const auto& [name, input] : drawing.vertex_inputs)
    if (auto wrong = input_problem(name, input, 1)) return wrong;
  return std::nullopt;
}

std::optional<Diagnostic> drawing_problem(const Drawing& drawing) {
  if (drawing.targets.size() > 8 || (drawing.output && drawing.output->blend.size() > 8))
    return library::wrong_argument("there are at most 8 color targets, and blend states for them");
  if (drawing.size && ((*drawing.size)[0] == 0 || (*drawing.size)[1] == 0))
    return library::wrong_argument("the size of a drawing is 0");
  if (const unsigned n = drawing.samples.value_or(1); n == 0 || n > 16 || (n & (n - 1)) != 0)
    return library::wrong_argument(fmt::format("{} samples are not possible; 1, 2, 4, 8 and 16 are", n));
  for (const auto& [name, input] : drawing.inputs)
    if (auto wrong = input_problem(name, input, 3)) return wrong;
  return vertex_problem(drawing);
}

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
Result<job::Job> job_of(const job::Job& bindings, const RunOptions& o, const Program& program) {
  if (auto wrong = option_problem(o)) return *wrong;
  const auto platform = library::find_platform(o.platform);
  if (!platform.ok()) return platform.diagnostics();
  job::Job job = bindings;
  job.program = program.file();
  job.entry = o.entry;
  job.platform = o.platform;
  job.zeinfo = o.zeinfo;
  job.simd = o.simd;
  job.engine = static_cast<job::EngineKind>(o.engine);
  if (o.check) {
    job.check = static_cast<job::CheckLevel>(*o.check);
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

RunReport report_of(const job::RunResult& result) {
  const job::Summary& s = result.summary;
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
  report.diagnostics = library::to_public(result.diagnostics);
  return report;
}

/// With the text that places of the program point into.
Diagnostics with_sources(Diagnostics found, const Program& program) {
  if (const auto& source = program.impl().program.source; source && !found.empty())
    found.sources.push_back({program.file(), source});
  if (!found.empty())
    for (const SourceText& text : program.impl().made_from) found.sources.push_back(text);
  return found;
}

Result<RunReport> report_or_errors(const Run::Impl& run, const job::RunResult& result) {
  if (!result.succeeded) return with_sources(library::to_public(result.diagnostics), run.program);
  RunReport report = report_of(result);
  report.diagnostics = with_sources(std::move(report.diagnostics), run.program);
  return report;
}

/// What keeps the programs from being run.
std::optional<Diagnostics> program_errors(const Run::Impl& run, const std::string& platform,
                                          const FrontPrograms& front) {
  if (!run.problems.empty()) return run.problems;
  if (auto errors = rule_errors(run.program.impl().program, platform, run.options.limits); !errors.empty())
    return with_sources(std::move(errors), run.program);
  std::optional<Diagnostics> found;
  front.for_each([&](isa::ShaderStage, const Program& program) {
    if (found) return;
    if (auto errors = rule_errors(program.impl().program, platform, run.options.limits); !errors.empty())
      found = with_sources(std::move(errors), program);
  });
  return found;
}

job::RunHooks hooks_of(Run::Impl& run) {
  job::RunHooks hooks;
  hooks.kernels = &run.kernels;
  hooks.progress = run.options.progress;
  hooks.shares_memory = true;  // other runs may have the same buffers
  if (run.options.cancellation) hooks.cancellation = run.options.cancellation->impl()->of_jobs;
  return hooks;
}

/// Traced runs are bound anew each time.
Result<RunReport> execute_traced(Run::Impl& run, job::Job& job, const FrontPrograms& front) {
  job::RunHooks hooks = hooks_of(run);
  front.for_each([&](isa::ShaderStage stage, const Program& p) { hooks.stages[stage] = &p.impl().program; });
  Trace::Impl& trace = run.options.trace->impl();
  const isa::Program& program = trace.begin(run.program.impl().program);
  if (!trace.all->empty()) hooks.observer = trace.all.get();
  if (trace.tracer) job.threads = 1;  // a trace is read in order
  return report_or_errors(run, job::run(job, program, hooks));
}

/// A grid or a drawing, which is kept for the next time where it succeeds.
Result<RunReport> execute(Run::Impl& run, job::Job job, const FrontPrograms& front) {
  run.ready.reset();
  if (auto errors = program_errors(run, job.platform, front)) return *errors;
  if (run.options.trace != nullptr) return execute_traced(run, job, front);
  auto ready = std::make_unique<Run::Impl::Ready>(std::move(job), front);
  ready->hooks = hooks_of(run);
  ready->front.for_each(
      [&](isa::ShaderStage stage, const Program& p) { ready->hooks.stages[stage] = &p.impl().program; });
  ready->run = std::make_unique<job::PreparedJob>(ready->job, run.program.impl().program, ready->hooks);
  const job::RunResult result = ready->run->run();
  if (result.succeeded) run.ready = std::move(ready);
  return report_or_errors(run, result);
}

void set_sizes(job::Job& job, const job::Job& sizes) {
  job.global = sizes.global;
  job.groups = sizes.groups;
  job.local = sizes.local;
  job.offset = sizes.offset;
}

/// A compute grid; `sizes` has what of the job is no binding.
Result<RunReport> execute_grid(Run::Impl& run, const job::Job& sizes) {
  if (run.ready && !run.ready->job.pixels) {
    set_sizes(run.ready->job, sizes);
    return report_or_errors(run, run.ready->run->run_again());
  }
  auto job = job_of(run.job, run.options, run.program);
  if (!job.ok()) return job.diagnostics();
  set_sizes(*job, sizes);
  return execute(run, std::move(*job), {});
}

job::PixelInput pixel_input(const std::string& name, const PixelInput& input) {
  job::PixelInput result;
  result.key.text = name;
  result.attribute = input.attribute;
  for (const std::vector<double>& corner : input.corners) {
    result.values.emplace_back();
    for (const double value : corner) result.values.back().push_back(job::Scalar::of(value));
  }
  return result;
}

job::PixelsJob pixels_of(const Drawing& drawing) {
  job::PixelsJob pixels;
  for (const Key& target : drawing.targets) pixels.targets.push_back(target.name());
  pixels.depth = drawing.depth.name();
  pixels.stencil = drawing.stencil.name();
  if (drawing.output) pixels.output = library::output_state(*drawing.output);
  pixels.size = drawing.size;
  pixels.samples = drawing.samples;
  pixels.per_sample = drawing.per_sample;
  for (const auto& [name, input] : drawing.inputs) pixels.inputs.push_back(pixel_input(name, input));
  if (!drawing.mesh.empty()) pixels.geometry = drawing.mesh;
  pixels.cull = static_cast<pipeline::Cull>(drawing.cull);
  pixels.front_ccw = drawing.front_ccw;
  pixels.viewport = drawing.viewport;
  pixels.scissor = drawing.scissor;
  FrontPrograms(drawing).for_each(
      [&](isa::ShaderStage stage, const Program& program) { pixels.stages[stage] = {program.file(), ""}; });
  pixels.stages[isa::ShaderStage::Vertex].entry = drawing.vertex_entry;
  pixels.stages[isa::ShaderStage::Geometry].entry = drawing.geometry_entry;
  pixels.patch_vertices = drawing.patch_vertices;
  pixels.vertices = drawing.vertices;
  pixels.instances = drawing.instances;
  pixels.topology = drawing.tessellation_evaluation ? pipeline::Topology::PatchList
                                                    : static_cast<pipeline::Topology>(drawing.topology);
  for (const auto& [name, input] : drawing.vertex_inputs) pixels.vertex_inputs.push_back(pixel_input(name, input));
  return pixels;
}

}  // namespace

Run::Run(Program program, RunOptions options) : impl_(std::make_shared<Impl>(std::move(program), std::move(options))) {}

Key::Key(const Descriptor& descriptor)
    : name_(fmt::format("{}.{}{}", descriptor.set, descriptor.binding,
                        descriptor.element ? fmt::format("[{}]", *descriptor.element) : "")) {}

Run& Run::bind(const Key& key, const Image& image) {
  const std::string name = key.name();
  impl_->ready.reset();
  if (image.empty()) {
    impl_->problems.push_back(library::empty_image(fmt::format("image '{}'", name)));
    return *this;
  }
  job::ImageBinding& binding = entry(impl_->job.images, name);
  binding.surface = std::make_shared<image::Surface>(library::surface_of(image));  // its own name, the same texels
  return *this;
}

Run& Run::bind(const Key& key, const Buffer& buffer) {
  impl_->ready.reset();
  entry(impl_->job.buffers, key.name()).memory = buffer.memory();
  return *this;
}

Run& Run::bind(const Key& key, const Sampler& sampler) {
  impl_->ready.reset();
  entry(impl_->job.samplers, key.name('S')).members = sampler.impl()->members;
  return *this;
}

Run& Run::set_integers(const Key& key, const std::vector<std::int64_t>& values, bool is_vector) {
  impl_->ready.reset();
  job::Argument& argument = entry(impl_->job.args, key.name());
  for (const std::int64_t value : values) argument.values.push_back(job::Scalar::of(value));
  argument.is_vector = is_vector;
  return *this;
}

Run& Run::set_reals(const Key& key, const std::vector<double>& values, bool is_vector) {
  impl_->ready.reset();
  job::Argument& argument = entry(impl_->job.args, key.name());
  for (const double value : values) argument.values.push_back(job::Scalar::of(value));
  argument.is_vector = is_vector;
  return *this;
}

Run& Run::set_bytes(const Key& key, std::span<const std::uint8_t> bytes) {
  impl_->ready.reset();
  entry(impl_->job.args, key.name()).bytes.emplace(bytes.begin(), bytes.end());
  return *this;
}

Run& Run::set_words(const Key& key, std::string_view value) {
  impl_->ready.reset();
  auto argument = job::parse_argument(key.name(), value);
  if (argument.ok())
    entry(impl_->job.args, key.name()) = std::move(*argument);
  else
    for (Diagnostic& d : library::to_public(argument.diagnostics())) impl_->problems.push_back(std::move(d));
  return *this;
}

Result<RunReport> Run::dispatch(const std::vector<std::uint32_t>& global, const std::vector<std::uint32_t>& local,
                                const std::vector<std::uint32_t>& offset) {
  if (auto wrong = grid_problem(global, local, offset)) return *wrong;
  job::Job sizes;
  sizes.global = global;
  sizes.local = local;
  sizes.offset = offset;
  return execute_grid(*impl_, sizes);
}

Result<RunReport> Run::dispatch_groups(const std::vector<std::uint32_t>& groups,
                                       const std::vector<std::uint32_t>& local) {
  if (auto wrong = grid_problem(groups, local, {})) return *wrong;
  job::Job sizes;
  sizes.groups = groups;
  sizes.local = local;
  return execute_grid(*impl_, sizes);
}

Result<RunReport> Run::draw(const Drawing& drawing) {
  auto job = job_of(impl_->job, impl_->options, impl_->program);
  if (!job.ok()) return job.diagnostics();
  if (auto wrong = drawing_problem(drawing)) return *wrong;
  job->pixels = pixels_of(drawing);
  job->groups = drawing.groups;
  return execute(*impl_, std::move(*job), FrontPrograms(drawing));
}

Result<RunReport> Run::again() {
  if (!impl_->ready)
    return library::wrong_argument("nothing is ready to be run again: something was bound since, or the run is traced");
  return report_or_errors(*impl_, impl_->ready->run->run_again());
}

}  // namespace heddle
