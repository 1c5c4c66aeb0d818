// SPDX-License-Identifier: MIT
#include "job/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>

#include "base/bits/bits.hpp"
#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "job/bind/bind.hpp"
#include "job/bind/binder.hpp"
#include "job/opencl/printf.hpp"
#include "job/opencl/zebin.hpp"
#include "job/run/front_stages.hpp"
#include "pipeline/run_context.hpp"

namespace heddle::job {
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

void pass_on(RunResult& result, const std::vector<base::Diagnostic>& list) {
  for (const base::Diagnostic& d : list) result.diagnostics.add(d);
}

/// The compiler's description of a kernel.
struct Abi {
  ZeInfo info;
  const ZeKernel* kernel = nullptr;  ///< null: the job names no file
  std::optional<Zebin> binary;
};

/// A dump of Intel's OpenCL compiler, known by a comment of its text, or by the path of the assembly that a container
/// would be written to.
bool is_opencl_dump(const isa::Program& program, const isa::Object& kernel) {
  if (!kernel.inputs.empty() && program.source && program.source->find("/// VISA Predefined Variables") < 4096)
    return true;
  return !kernel.inputs.empty() && std::ranges::any_of(kernel.attributes, [](const isa::Attribute& a) {
    return a.name == "OutputAsmPath" &&
           std::string_view(reinterpret_cast<const char*>(a.value.data()), a.value.size()).find("OCL_asm") !=
               std::string_view::npos;
  });
}

/// Whether an argument of the job names an input of the kernel directly, by its name or number. A kernel with an ABI
/// description does not need that.
bool names_inputs(const Job& job, const isa::Object& kernel) {
  return std::ranges::any_of(job.args, [&](const Argument& a) {
    return std::ranges::any_of(kernel.inputs, [&](const isa::Input& input) {
      return a.key.text == Binder::variable_name(kernel, input.id) || a.key.text == fmt::format("V{}", input.id);
    });
  });
}

/// Empty, or what was given in place of the ABI description.
std::string_view no_abi(std::string_view text) {
  if (text.empty()) return "an empty file";
  if (text.starts_with("CISA")) return "a vISA container";
  if (text.starts_with(".version") || text.find("\n.kernel ") != std::string_view::npos) return "vISA text";
  if (text.substr(0, 4096).find('\0') != std::string_view::npos) return "a binary file that is no zebin";
  return {};
}

constexpr std::string_view kOclocWritesIt =
    "ocloc writes it: ocloc compile -file k.cl -device skl --format zebin (the .bin file)";

/// The file may be the compiler's whole binary. False after a report.
bool load_abi(const Job& job, const isa::Object& kernel, isa::Platform platform, Abi& abi, RunResult& result) {
  if (job.zeinfo.empty()) return true;
  const auto bytes = base::read_file(job.zeinfo, job.limits);
  if (!bytes.ok()) return pass_on(result, bytes.diagnostics()), false;
  std::string_view text = base::as_text(*bytes);
  if (is_zebin(*bytes)) {
    auto binary = parse_zebin(*bytes, job.zeinfo);
    if (!binary.ok()) return pass_on(result, binary.diagnostics()), false;
    abi.binary = std::move(*binary);
    text = abi.binary->zeinfo;
    if (std::string product; !fits_product(platform, abi.binary->product, product)) {
      const std::string_view ours = isa::platform_info(platform).name;
      result.diagnostics.add(
          base::error("zeinfo-platform",
                      fmt::format("'{}' is a binary for {}, and the kernel runs as one of {}{}", job.zeinfo, product,
                                  ours, job.platform.empty() ? " (the platform where none is given)" : ""),
                      base::Place::in_file(job.zeinfo))
              .note("where arguments lie differs from device to device; give the binary and the kernel of one "
                    "compilation, and its device with --platform"));
      return false;
    }
  }
  if (const std::string_view other = abi.binary ? std::string_view() : no_abi(text); !other.empty()) {
    result.diagnostics.add(
        base::error("zeinfo-value",
                    fmt::format("'{}' is {}; an ABI description (.zeinfo) or a zebin is expected", job.zeinfo, other),
                    base::Place::in_file(job.zeinfo))
            .note(std::string(kOclocWritesIt)));
    return false;
  }
  auto parsed = parse_zeinfo(text, job.zeinfo, job.limits);
  if (!parsed.ok()) {
    base::Diagnostic first = parsed.diagnostics()[0];
    first.note(std::string(kOclocWritesIt));
    result.diagnostics.add(std::move(first));
    for (std::size_t i = 1; i < parsed.diagnostics().size(); ++i) result.diagnostics.add(parsed.diagnostics()[i]);
    return false;
  }
  abi.info = std::move(*parsed);
  abi.kernel = abi.info.find(kernel.name);
  if (abi.kernel == nullptr && abi.info.kernels.size() == 1 && kernel.name.empty())
    abi.kernel = &abi.info.kernels.front();
  if (abi.kernel != nullptr) return true;
  base::Diagnostic d =
      base::error("zeinfo-value", fmt::format("'{}' does not describe kernel '{}'", job.zeinfo, kernel.name),
                  base::Place::in_file(job.zeinfo));
  std::vector<std::string_view> names;
  for (const ZeKernel& k : abi.info.kernels) names.push_back(k.name);
  d.note(fmt::format("it describes: {}", fmt::join(names, " ")));
  result.diagnostics.add(std::move(d));
  return false;
}

/// Of [pixels], for the program of a stage before the pixels.
std::string_view key_of(ShaderStage stage) { return std::ranges::find(kStageKeys, stage, &StageKeys::stage)->program; }

/// Empty, or why the job does not fit the shader's stage.
std::string stage_problem(const Job& job, const std::optional<ShaderInterface>& shader) {
  if (!shader) {
    if (job.pixels && job.pixels->has(ShaderStage::Vertex))
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
      return "the program is a vertex shader: it feeds a fragment shader as 'vertex' of [pixels] (flags: the fragment "
             "shader as the input, and --vertex FILE)";
    default:
      return fmt::format("the program is a {} shader: it stands before a fragment shader as '{}' of [pixels]",
                         isa::stage_info(shader->stage).name, key_of(shader->stage));
  }
}

}  // namespace

/// One run, step by step: each step is false after it reported why the run ends.
class JobRun {
 public:
  JobRun(const Job& job, const isa::Program& program, const RunHooks& hooks)
      : job_(job), program_(program), hooks_(hooks) {
    result_.diagnostics = base::Diagnostics(job.limits.diagnostics);
    result_.summary.program = job.program;
    result_.summary.engine = "reference";
  }

  RunResult run() {
    const Clock::time_point begin = Clock::now();
    if (!choose() || !load() || !bind() || !prepare()) return std::move(result_);
    ready_ = result_.summary;
    result_.summary.compile_seconds = seconds_since(begin);
    if (execute()) encode();
    return std::move(result_);
  }
  RunResult run_again() {
    result_ = {.summary = ready_, .diagnostics = base::Diagnostics(job_.limits.diagnostics)};
    counters_ = {};
    front_drawn_ = 0;
    if (!pixels_) {
      const auto grid = make_grid(job_, simd_, abi_.kernel, shader_ ? &*shader_ : nullptr);
      if (!grid.ok()) return fail(grid.diagnostics()), std::move(result_);
      grid_ = *grid;
    }
    if (execute()) encode();
    return std::move(result_);
  }

 private:
  [[nodiscard]] base::Diagnostics& diagnostics() { return result_.diagnostics; }
  bool fail(const std::vector<base::Diagnostic>& why) { return pass_on(result_, why), false; }

  bool choose();
  bool refuse_dump();
  bool load();
  bool bind();
  bool prepare();
  [[nodiscard]] bool wants_fast();
  void prepare_fast(const pipeline::CodeOptions& options);
  bool execute();
  bool run_stage(machine::Reports& reports, const std::function<bool(pipeline::RunContext&)>& work);
  bool run_front_stages(const std::function<bool()>& draw);
  [[nodiscard]] double part_drawn(double part) const;
  void take_messages(Binder& binder, const ShaderInterface* shader);
  void encode();

  const Job& job_;
  const isa::Program& program_;
  const RunHooks& hooks_;
  RunResult result_;
  // choose
  const isa::Object* kernel_ = nullptr;
  isa::Platform platform_ = isa::Platform::SKL;
  Abi abi_;
  unsigned simd_ = 0;
  // load
  std::optional<Resources> resources_;
  std::optional<ShaderInterface> shader_;  ///< a compiled shader says what it is; others are bound by their own names
  // bind
  std::optional<Binder> binder_;
  FrontStages front_;
  std::optional<BoundPixels> pixels_;
  std::optional<pipeline::ComputePlan> compute_;
  pipeline::Grid grid_;
  // prepare
  std::shared_ptr<const pipeline::Program> prepared_;
  std::shared_ptr<const pipeline::ComputeProgram> compute_program_;  ///< one of the two
  std::shared_ptr<const pipeline::PixelProgram> pixel_program_;
  std::shared_ptr<const engine::jit::CompiledKernel> fast_;  ///< null: the reference engine runs
  Summary ready_;                                            ///< of every run
  // execute
  double late_seconds_ = 0;  ///< of compiling, that earlier runs have told
  std::optional<engine::reference::Budget> budget_;
  pipeline::Counters counters_;
  std::uint64_t front_drawn_ = 0;  ///< invocations of the first stage, of the pieces that are drawn
};

/// The kernel, its platform and width.
bool JobRun::choose() {
  const auto chosen = choose_kernel(program_, job_);
  if (!chosen.ok()) return fail(chosen.diagnostics());
  kernel_ = *chosen;
  platform_ = isa::find_platform(job_.platform).value_or(isa::Platform::SKL);
  result_.summary.kernel = kernel_->name;
  result_.summary.platform = isa::platform_info(platform_).name;
  if (job_.zeinfo.empty() && !names_inputs(job_, *kernel_) && is_opencl_dump(program_, *kernel_)) return refuse_dump();
  if (!load_abi(job_, *kernel_, platform_, abi_, result_)) return false;
  simd_ = simd_of(*kernel_, abi_.kernel, job_);
  if (job_.simd && *job_.simd != simd_)
    diagnostics().add(base::error(
        "job-value", fmt::format("'simd' is {}, kernel '{}' is compiled for {}", *job_.simd, kernel_->name, simd_),
        base::Place::in_file(job_.file)));
  return true;
}

/// Without it every input would be missing, those that the compiler adds by itself among them.
bool JobRun::refuse_dump() {
  diagnostics().add(
      base::error("zeinfo-value",
                  fmt::format("kernel '{}' comes from Intel's OpenCL compiler: what its inputs mean stands in the ABI "
                              "description, which is not given",
                              kernel_->name),
                  job_.file.empty() ? base::Place{} : base::Place::in_file(job_.file))
          .note("expected: --zeinfo bin/NAME.bin, or zeinfo = \"...\" in a job; or every input by --arg")
          .note(
              "ocloc writes it: IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=$PWD/dump ocloc compile -file k.cl -device "
              "skl -out_dir bin --format zebin"));
  return false;
}

/// Files and values, and what the kernel says of itself.
bool JobRun::load() {
  auto resources = load_resources(job_);
  pass_on(result_, resources.ok() ? resources->notes : resources.diagnostics());
  if (resources.ok()) resources_ = std::move(*resources);
  if (diagnostics().has_errors()) return false;
  shader_ = read_interface(program_, *kernel_, diagnostics());
  if (shader_) expand_arrays(*shader_, diagnostics());
  if (diagnostics().has_errors()) return false;
  const std::string why = stage_problem(job_, shader_);
  if (why.empty()) return true;
  diagnostics().add(base::error("job-value", why, job_.file.empty() ? base::Place{} : base::Place::in_file(job_.file)));
  return false;
}

/// Names to slots: plans that know none.
bool JobRun::bind() {
  if (const auto good = check_saved_pictures(job_); !good.ok()) return fail(good.diagnostics());
  binder_.emplace(job_, *resources_, *kernel_, platform_, diagnostics());
  if (shader_) binder_->describe(*shader_);
  if (job_.pixels) {
    if (!front_.bind(job_, hooks_, *resources_, platform_, diagnostics())) return false;
    pixels_ = bind_pixels(*binder_, simd_, front_.last());
  } else {
    const auto grid = make_grid(job_, simd_, abi_.kernel, shader_ ? &*shader_ : nullptr);
    if (!grid.ok()) return fail(grid.diagnostics());
    grid_ = *grid;
    compute_ = bind_compute(*binder_, abi_.kernel, simd_);
    if (abi_.binary) abi_.binary->bind(binder_->bound().bindings);
  }
  front_.for_each([&](FrontStage& stage) { binder_->absorb(*stage.binder); });
  binder_->report_unused();
  result_.summary.simd = pixels_ ? pixels_->plan.simd : simd_;
  return !diagnostics().has_errors();
}

bool JobRun::prepare() {
  auto prepared = pipeline::Program::create(not_owned(program_), *kernel_, platform_, job_.limits);
  if (!prepared.ok()) return fail(prepared.diagnostics());
  prepared_ = std::move(*prepared);
  pipeline::CodeOptions options;
  options.fast = wants_fast();
  options.memory = hooks_.kernels;
  if (!hooks_.cpu.empty()) options.compile.cpu = hooks_.cpu;
  options.tiers = hooks_.tiers;
  options.disk_cache = hooks_.disk_cache;
  options.interpret = hooks_.cpu.empty();  // who names a processor wants code for it
  options.compile.keep_listing = hooks_.assembly != nullptr;
  if (pixels_)
    pixel_program_ = pipeline::PixelProgram::create(prepared_, std::move(pixels_->plan), binder_->bound(), options);
  else
    compute_program_ = pipeline::ComputeProgram::create(prepared_, std::move(*compute_), binder_->bound(), options);
  if (options.fast) prepare_fast(options);
  options.fast = fast_ != nullptr;
  options.compile.keep_listing = false;
  const auto in_front = front_.prepare(job_, hooks_, platform_, options);
  return in_front.ok() || fail(in_front.diagnostics());
}

/// Checks and observers are the reference engine's.
bool JobRun::wants_fast() {
  if (job_.engine == EngineKind::Reference) return false;
  if (hooks_.observer == nullptr) return job_.engine == EngineKind::Fast || !job_.check_asked;
  if (job_.engine == EngineKind::Fast)
    diagnostics().add(base::warning("job-engine", "the reference engine runs the program: it is observed",
                                    base::Place::in_file(job_.file)));
  return false;
}

/// The kernel compiled for the fast engine, unless the reference engine has to do.
void JobRun::prepare_fast(const pipeline::CodeOptions& options) {
  const auto warn = [&](std::string message) {
    diagnostics().add(base::warning("job-engine", std::move(message), base::Place::in_file(job_.file)));
  };
  const pipeline::Bound& bound = binder_->bound();
  std::string why;
  fast_ = pixels_ ? pixel_program_->prepare(pixels_->draw, bound, why) : compute_program_->prepare(bound, why);
  if (fast_ != nullptr) {
    if (options.compile.keep_listing) *hooks_.assembly = fast_->assembly();
    result_.summary.engine = "fast", result_.summary.counts_texels = false;
    if (job_.check_asked) warn("the fast engine checks nothing: 'check' has no effect");
  } else if (job_.engine == EngineKind::Fast) {
    warn(fmt::format("the reference engine runs the program: {}", why));
  } else {
    result_.summary.why_reference = why;
  }
}

bool JobRun::run_stage(machine::Reports& reports, const std::function<bool(pipeline::RunContext&)>& work) {
  pipeline::RunContext context{.reports = reports, .budget = *budget_};
  context.workers = job_.threads != 0 ? job_.threads : pipeline::available_processors();
  context.owns_memory = !hooks_.shares_memory;
  context.memory_bytes = job_.limits.memory_bytes;
  context.observer = hooks_.observer;
  context.progress = hooks_.progress;
  result_.summary.threads = context.workers;
  const bool good = work(context);
  for (const auto& [id, count] : reports.counts()) result_.summary.reports[id] += count;
  if (hooks_.findings != nullptr) std::ranges::move(reports.findings(), std::back_inserter(*hooks_.findings));
  diagnostics().append(reports.take());
  return good;
}

/// Of the whole draw, where `part` of the pixels of the piece are done that was begun last.
double JobRun::part_drawn(double part) const {
  const auto before = static_cast<double>(front_drawn_), behind = static_cast<double>(front_.invocations(counters_));
  return std::min(1.0, (before + part * (behind - before)) / std::max(1.0, front_.invocations()));
}

/// The stages in front, and the pixels of each piece. An observer sees all vertices first, then all pixels, where no
/// stage stands between them.
bool JobRun::run_front_stages(const std::function<bool()>& draw) {
  const auto mode = fast_ != nullptr ? machine::CheckMode::Off : mode_of(job_.check);
  const bool whole = hooks_.observer != nullptr && front_.vertices_alone();
  const auto draw_piece = [&] {
    const bool good = draw();
    front_drawn_ = front_.invocations(counters_);
    return good;
  };
  const auto in_stage = [&](ShaderStage stage, const FrontRun::Work& work) {
    machine::Reports reports(*hooks_.stages[stage], mode, job_.limits.diagnostics);
    return run_stage(reports, [&](pipeline::RunContext& context) {
      context.reference = fast_ == nullptr;
      if (!whole) context.progress = {};
      return work(context);
    });
  };
  const FrontRun run{pixel_program_->plan().from_vertices, pixels_->draw.mesh, counters_, in_stage, draw_piece};
  return whole ? front_.run_vertices(run) && draw() : front_.run(run);
}

bool JobRun::execute() {
  machine::Reports reports(program_, fast_ != nullptr ? machine::CheckMode::Off : mode_of(job_.check),
                           job_.limits.diagnostics);
  budget_.emplace(job_.limits);
  if (hooks_.cancellation) hooks_.cancellation->watch(&*budget_);
  const Clock::time_point start = Clock::now();
  const bool good = run_stage(reports, [&](pipeline::RunContext& context) {
    context.reference = fast_ == nullptr;
    const pipeline::Bound& bound = binder_->bound();
    if (!pixels_) return compute_program_->run(grid_, bound, context, counters_);
    if (front_.ready() && hooks_.observer == nullptr && hooks_.progress)
      context.progress = [this](double part) { hooks_.progress(part_drawn(part)); };
    const auto draw = [&] { return pixel_program_->run(pixels_->draw, bound, context, counters_); };
    return front_.ready() ? run_front_stages(draw) : draw();
  });
  if (hooks_.cancellation) hooks_.cancellation->watch(nullptr);
  front_.for_each([&](FrontStage& stage) { take_messages(*stage.binder, &*stage.shader); });
  take_messages(*binder_, shader_ ? &*shader_ : nullptr);
  Summary& s = result_.summary;
  const double late = fast_ != nullptr ? fast_->late_seconds() - late_seconds_ : 0;
  late_seconds_ += late;
  s.compile_seconds += late;
  s.run_seconds = std::max(0.0, seconds_since(start) - late);
  s.groups = counters_.groups;
  s.threads_run = counters_.threads;
  s.instructions = budget_->used();
  s.texels_read = counters_.texels_read;
  s.texels_written = counters_.texels_written;
  if (!good && hooks_.cancellation && hooks_.cancellation->asked())
    diagnostics().add(base::error("run-canceled", "the run was canceled", base::Place::in_file(job_.program)));
  else if (const auto limit = budget_->hit())
    diagnostics().add(*limit);
  if (!good && !diagnostics().has_errors())
    diagnostics().add(base::error("run-failed", "the run did not end", base::Place::in_file(job_.program)));
  return good && !diagnostics().has_errors();
}

/// What a stage printed.
void JobRun::take_messages(Binder& binder, const ShaderInterface* shader) {
  image::Memory* buffer = binder.messages();
  if (buffer == nullptr) return;
  shader_interface::Messages messages = shader != nullptr ? shader_interface::take_messages(shader->prints, *buffer)
                                                          : take_printf(*buffer, binder.bound().bindings.memory);
  if (messages.full)
    diagnostics().add(base::warning(
        "run-messages-full",
        fmt::format("the program prints more than fits into {} bytes: later messages are missing", buffer->size()),
        base::Place::in_file(job_.program)));
  std::ranges::move(messages.texts, std::back_inserter(result_.printed));
}

/// What the run leaves.
void JobRun::encode() {
  base::Diagnostics notes;
  auto outputs = encode_outputs(*resources_, notes);
  diagnostics().append(notes);
  if (!outputs.ok()) return pass_on(result_, outputs.diagnostics());
  result_.outputs = std::move(*outputs);
  result_.succeeded = true;
}

std::string Summary::json() const {
  std::string text = fmt::format(
      "{{\"program\": {}, \"kernel\": {}, \"engine\": {}, \"platform\": {}, \"simd\": {}, \"threads\": {}, \"groups\": "
      "{}, \"threads_run\": {}, "
      "\"instructions\": {}, \"texels_read\": {}, \"texels_written\": {}, \"compile_seconds\": {:.6f}, "
      "\"run_seconds\": {:.6f}, \"bits\": {}, \"reports\": {{",
      base::json_quote(program), base::json_quote(kernel), base::json_quote(engine), base::json_quote(platform), simd,
      threads, groups, threads_run, instructions, counts_texels ? fmt::to_string(texels_read) : "null",
      counts_texels ? fmt::to_string(texels_written) : "null", compile_seconds, run_seconds, base::kBits);
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

RunResult run(const Job& job, const isa::Program& program, const RunHooks& hooks) {
  return JobRun(job, program, hooks).run();
}

PreparedJob::PreparedJob(const Job& job, const isa::Program& program, const RunHooks& hooks)
    : run_(std::make_unique<JobRun>(job, program, hooks)) {}
PreparedJob::~PreparedJob() = default;

RunResult PreparedJob::run() { return run_->run(); }
RunResult PreparedJob::run_again() { return run_->run_again(); }

}  // namespace heddle::job
