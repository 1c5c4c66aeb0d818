// SPDX-License-Identifier: MIT
// heddle diff: two programs instruction by instruction, and their runs on the same inputs.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <variant>

#include "job/run/run.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/diff/report.hpp"
#include "tools/run/job_input.hpp"
#include "tools/run/opencl_input.hpp"
#include "tools/run/program_file.hpp"
#include "tools/run/run_flags.hpp"

namespace heddle::tools {
namespace {

struct DiffOptions {
  std::shared_ptr<RunOptions> run = std::make_shared<RunOptions>();
  std::string a, b;
  unsigned context = 3;
  bool pressure = false;
  OutputFormat format = OutputFormat::Text;
};

/// As diff's: 0 the same, 1 they differ, 2 trouble. Files that cannot be read and limits keep their own.
base::ExitCode trouble(base::ExitCode code) {
  return code == base::ExitCode::WrongInput ? base::ExitCode::Usage : code;
}

/// One of the two.
struct Side {
  job::Job job;
  RunPrograms programs;
  std::vector<job::Output> outputs;  ///< of its last run
};

/// Whether flags say how the programs are started.
bool runs(const RunOptions& o) {
  return !o.job.empty() || !o.global.empty() || !o.groups.empty() || !o.targets.empty() || !o.size.empty();
}

/// A flag that would say something to a run, where none starts one; empty where there is none. What a shader is
/// compiled with says something without a run, too.
std::string_view useless_flag(const base::Node& flags) {
  for (std::size_t i = 0; i < flags.keys.size(); ++i) {
    const base::Node& member = flags.items[i];
    const bool compiles = flags.keys[i] == "entry" || flags.keys[i] == "platform" || flags.keys[i] == "simd" ||
                          (flags.keys[i] == "args" && std::ranges::all_of(member.keys, [](const std::string& name) {
                             return name.starts_with("spec.");
                           }));
    if (!compiles) return member.flag;
  }
  return {};
}

/// The job of a program that does not run: what it is compiled with.
base::Result<job::Job> job_of_flags(const RunOptions& o) {
  auto flags = job_flags(o);
  if (!flags.ok()) return flags.failure();
  if (const std::string_view flag = useless_flag(*flags); !flag.empty())
    return base::error("usage-flag", fmt::format("{} has no effect: nothing is run", flag),
                       base::Place::command_line(flag))
        .note("--job, --global, --groups, --target or --size starts a run of both");
  base::Node program = base::Node::make_text(o.input);
  program.line = base::Node::kCommandLine;
  flags->add("program", std::move(program));
  return job::read_job(*flags, "", "command line", o.common.limits);
}

base::ExitCode load(const DiffOptions& options, const std::string& path, Side& side) {
  RunOptions o = *options.run;
  o.input = path;
  JobInput input;
  if (runs(o)) {
    if (const auto code = read_job_input(o, input); code != base::ExitCode::Done) return code;
  } else {
    auto job = job_of_flags(o);
    if (!job.ok()) {
      print_diagnostics(job.diagnostics());
      return exit_code(job.diagnostics());
    }
    input.job = std::move(*job);
    if (const auto opened = open_dump(input.job, input.program, o.common.limits); !opened.ok()) {
      print_diagnostics(opened.diagnostics());
      return exit_code(opened.diagnostics());
    }
    o.program.lenient = true;  // what is compared need not be right
  }
  side.job = std::move(input.job);
  auto loaded = load_programs(side.job, o, std::move(input.program), FlagCheck::ByCaller);
  if (const auto* code = std::get_if<base::ExitCode>(&loaded)) return *code;
  side.programs = std::move(std::get<RunPrograms>(loaded));
  side.programs.main.platform = isa::find_platform(side.job.platform).value_or(isa::Platform::SKL);
  return base::ExitCode::Done;
}

/// The kernel that is meant; null after a message.
const isa::Object* kernel_of(const Side& side, const std::string& entry) {
  job::Job named;
  named.entry = entry;
  const auto chosen = job::choose_kernel(*side.programs.main.program, named);
  if (chosen.ok()) return *chosen;
  print_diagnostics(chosen.diagnostics());
  return nullptr;
}

class Comparison {
 public:
  Comparison(const DiffOptions& options, Side& a, Side& b) : options_(options), a_(a), b_(b) {}

  base::ExitCode run() {
    diff_.a = &a_.programs.main;
    diff_.b = &b_.programs.main;
    if (!pair_objects()) return base::ExitCode::Usage;
    if (options_.pressure && !find_pressures()) return base::ExitCode::Limit;
    if (runs(*options_.run))
      if (const auto code = run_both(); code != base::ExitCode::Done) return code;
    if (options_.format == OutputFormat::Json)
      print(diff_json(diff_));
    else
      print(diff_text(diff_, {options_.context, use_color(STDOUT_FILENO), options_.run->common.quiet}));
    return diff_.same() ? base::ExitCode::Done : base::ExitCode::WrongInput;
  }

 private:
  void add(const isa::Object& x, const isa::Object& y) {
    const auto grf = [](const Side& s) {
      return isa::platform_info(s.programs.main.platform.value_or(isa::Platform::SKL)).grf_bytes;
    };
    Sequence a = make_sequence(*a_.programs.main.program, x, grf(a_));
    Sequence b = make_sequence(*b_.programs.main.program, y, grf(b_));
    Alignment alignment = align(a, b);
    auto declarations = compare_declarations(a, b, alignment.variables);
    diff_.objects.push_back({std::move(a), std::move(b), std::move(alignment), std::move(declarations), {}, {}});
  }
  static std::vector<const isa::Object*> all(const isa::Program& program, isa::ObjectKind kind) {
    std::vector<const isa::Object*> list;
    for (const isa::Object& o : program.objects)
      if (o.kind == kind) list.push_back(&o);
    return list;
  }
  void by_name(const std::vector<const isa::Object*>& x, const std::vector<const isa::Object*>& y, const char* what) {
    const auto find = [](const std::vector<const isa::Object*>& list, const std::string& name) {
      const auto at = std::ranges::find_if(list, [&](const isa::Object* o) { return o->name == name; });
      return at == list.end() ? nullptr : *at;
    };
    for (const isa::Object* o : x) {
      if (const isa::Object* other = find(y, o->name))
        add(*o, *other);
      else
        diff_.only_a.push_back(fmt::format("{} \"{}\"", what, o->name));
    }
    for (const isa::Object* o : y)
      if (find(x, o->name) == nullptr) diff_.only_b.push_back(fmt::format("{} \"{}\"", what, o->name));
  }
  bool pair_objects() {
    const isa::Program &x = *a_.programs.main.program, &y = *b_.programs.main.program;
    const auto kernels_x = all(x, isa::ObjectKind::Kernel), kernels_y = all(y, isa::ObjectKind::Kernel);
    const bool one = kernels_x.size() == 1 && kernels_y.size() == 1;
    if (one || runs(*options_.run) || !options_.run->entry.empty()) {
      const bool named = !options_.run->entry.empty();
      const isa::Object* k = one && !named ? kernels_x[0] : kernel_of(a_, a_.job.entry);
      const isa::Object* l = one && !named ? kernels_y[0] : kernel_of(b_, b_.job.entry);
      if (k == nullptr || l == nullptr) return false;
      add(*k, *l);
    } else {
      by_name(kernels_x, kernels_y, "kernel");
    }
    by_name(all(x, isa::ObjectKind::Function), all(y, isa::ObjectKind::Function), "function");
    return true;
  }

  bool find_pressures() {
    for (ObjectDiff& o : diff_.objects)
      for (const bool first : {true, false}) {
        const VisaFile& file = first ? *diff_.a : *diff_.b;
        auto found = verify::find_pressure(*(first ? o.a : o.b).object,
                                           isa::platform_info(file.platform.value_or(isa::Platform::SKL)).grf_bytes);
        if (!found.ok()) {
          print_diagnostics(found.diagnostics());
          return false;
        }
        (first ? o.pressure_a : o.pressure_b) = std::move(*found);
      }
    return true;
  }

  static bool run_one(Side& side, machine::Observer& observer) {
    side.job.threads = 1;  // results come in order
    side.job.engine = job::EngineKind::Reference;
    job::RunHooks hooks;
    hooks.observer = &observer;
    hooks.stages = side.programs.of_stages();
    job::RunResult result = job::run(side.job, *side.programs.main.program, hooks);
    side.outputs = std::move(result.outputs);
    if (result.succeeded) return true;
    print_diagnostics(result.diagnostics, side.programs.main, {});
    return false;
  }
  base::ExitCode run_both() {
    PairNumbers numbers_a, numbers_b;
    std::uint32_t number = 0;
    for (const ObjectDiff& o : diff_.objects)
      for (const StepPair& p : o.alignment.pairs) {
        if (p.a == kNothing || p.b == kNothing) continue;
        numbers_a[o.a.steps[p.a].instruction] = number;
        numbers_b[o.b.steps[p.b].instruction] = number++;
      }
    bool failed = false;
    diff_.first = find_first_difference([this](machine::Observer& o) { return run_one(a_, o); }, numbers_a,
                                        [this](machine::Observer& o) { return run_one(b_, o); }, numbers_b, failed);
    if (failed) return base::ExitCode::Usage;
    diff_.ran = true;
    for (std::size_t k = 0; k < std::min(a_.outputs.size(), b_.outputs.size()); ++k)
      if (a_.outputs[k].bytes != b_.outputs[k].bytes) diff_.outputs.push_back(a_.outputs[k].path);
    return base::ExitCode::Done;
  }

  const DiffOptions& options_;
  Side &a_, &b_;
  ProgramDiff diff_;
};

base::ExitCode run_diff(const DiffOptions& options) {
  if (options.a == "-" && options.b == "-") {
    std::fputs("heddle diff: standard input is one program, not two\n", stderr);
    return base::ExitCode::Usage;
  }
  Side a, b;
  if (const auto code = load(options, options.a, a); code != base::ExitCode::Done) return trouble(code);
  if (const auto code = load(options, options.b, b); code != base::ExitCode::Done) return trouble(code);
  std::set<Language> inputs = a.programs.inputs;
  inputs.insert(b.programs.inputs.begin(), b.programs.inputs.end());
  if (!flags_have_effect(*options.run, inputs)) return base::ExitCode::Usage;
  return Comparison(options, a, b).run();
}

}  // namespace

void add_diff(Commands& commands) {
  const auto o = std::make_shared<DiffOptions>();
  Command c = commands.add("diff", "what differs between two programs, by instruction, and between their runs");
  c.example("heddle diff kernel.visaasm kernel.isa", "instructions that differ; names and numbers aside");
  c.example("heddle diff kernel.visaasm kernel.isa --job job.toml",
            "and the first one whose result differs, run by a job");
  c.example("heddle diff kernel.visaasm kernel.isa --pressure", "with the live bytes behind each instruction");
  c.option("a", o->a, "a program, of any kind that heddle run takes; - for standard input").required();
  c.option("b", o->b, "the other one").required();
  c.option("--job", o->run->job, "run both as this job says, each in place of its program").value_name("JOB.toml");
  c.option("--context", o->context, "equal lines around what differs").shows_default().not_beside({"--json"});
  c.flag("--pressure", o->pressure, "live bytes behind each instruction of both, the most marked");
  c.json(o->format);
  c.footer(
      "Flags that start a run (--job, --global, --groups, --target, --size) run both on the same inputs.\n"
      "Exit codes: 0 the same, 1 they differ, 2 usage, or an input is wrong, 3 a file could not be read, 4 a limit was "
      "hit.");
  run_options(c, o->run, false);
  c.runs([o] { return run_diff(*o); });
}

}  // namespace heddle::tools
