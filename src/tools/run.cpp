// SPDX-License-Identifier: MIT
// heddle run: a program and what it is bound to, from flags or a job file; pictures, buffers and a summary come out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "engine/jit/codegen/compile.hpp"
#include "job/run/run.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/commands.hpp"
#include "tools/inputs/input.hpp"
#include "tools/inputs/shader_file.hpp"
#include "tools/run/job_input.hpp"
#include "tools/run/program_file.hpp"
#include "tools/run/run_flags.hpp"
#include "tools/run/run_outputs.hpp"
#include "tools/run/run_watchers.hpp"

namespace heddle::tools {
namespace {

base::ExitCode usage(const std::string& message) {
  std::fputs(("heddle run: " + message + "\n").c_str(), stderr);
  return base::ExitCode::Usage;
}

std::string summary_text(const job::Summary& s) {
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

base::ExitCode fail(const std::vector<base::Diagnostic>& list) {
  print_diagnostics(list);
  return exit_code(list);
}

/// A file that a shader was made from; empty where it cannot be read.
std::string_view source_text(const std::string& name, std::map<std::string, std::string>& known,
                             const base::Limits& limits) {
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  auto text = name.empty() || name == "-" ? base::Result<std::string>(std::string()) : base::read_text(name, limits);
  return known.emplace(name, text.ok() ? std::move(*text) : std::string()).first->second;
}

/// Prints what the run reported. Places of messages are in the job or in the program; those of a trace are lines of it.
void print_outcome(const RunOptions& options, const JobInput& input, const RunPrograms& programs,
                   const base::Diagnostics& diagnostics, bool traced) {
  const VisaFile& file = programs.main;
  std::map<std::string, std::string> sources;  // that SPIR-V names; they may lie on this disk
  const base::SourceLookup lookup = [&](const std::string& name) -> std::string_view {
    for (const VisaFile* shader : programs.all())
      if (!shader->source.empty() && name == shader->source_name) return shader->source;
    for (const VisaFile* shader : programs.all())
      if (shader != &file && name == shader->name && !shader->binary) return shader->content();
    if (const std::string_view text = file.text_of(name); !text.empty()) return text;
    return name == input.file ? std::string_view(input.toml) : source_text(name, sources, options.common.limits);
  };
  const auto shown = [&](const base::Diagnostic& d) {
    return !options.common.quiet || d.severity == base::Severity::Error;
  };
  const bool json = options.format_word == "json";
  for (const base::Diagnostic& found : diagnostics.all()) {
    if (!shown(found)) continue;
    const base::Diagnostic d = file.placed(found);
    if (json)
      print(base::render_json(d) + "\n");
    else
      std::fputs(base::render(d, lookup, use_color(STDERR_FILENO)).c_str(), stderr);
  }
  if (diagnostics.suppressed() != 0)
    std::fputs(
        fmt::format("note: {} more messages are not shown; --max-errors raises the limit\n", diagnostics.suppressed())
            .c_str(),
        stderr);
  // A shader's compiled text is no file unless --keep makes it one.
  const std::string compiled = (input.job.program == "-" ? "<stdin>" : input.job.program) + ".visaasm";
  const bool named = (traced && !options.common.quiet) || std::ranges::any_of(diagnostics.all(), [&](const auto& d) {
                       return d.place.file == compiled && shown(d);
                     });
  if (file.name == compiled && options.keep.empty() && named)
    std::fputs(fmt::format("note: '{}' is the compiled shader; --keep FILE writes it\n", compiled).c_str(), stderr);
}

/// What the program printed: to standard output, unless the run's results go there.
void print_messages(const RunOptions& options, const job::RunResult& result) {
  const bool taken = options.summary == "-" ||
                     std::ranges::any_of(result.outputs, [](const job::Output& output) { return output.path == "-"; });
  for (const std::string& message : result.printed) {
    if (options.format_word == "json" && !taken) {
      print(fmt::format("{{\"printed\":{}}}\n", base::json_quote(message)));
      continue;
    }
    const std::string line = message.ends_with('\n') ? message : message + "\n";
    if (taken)
      std::fputs(line.c_str(), stderr);
    else
      print(line);
  }
}

/// All files are written before the first of them takes its name. What was observed is kept of a failed run too.
base::ExitCode write_outputs(const RunOptions& options, const job::RunResult& result, Watchers& watchers,
                             const isa::Program& program, const std::string& assembly, base::OutputFiles& files) {
  const bool ran = result.succeeded || result.summary.instructions != 0;
  if (ran) {
    if (const auto done = watchers.save(options, program, files); !done.ok()) return fail(done.diagnostics());
    if (!options.assembly.empty()) {
      if (assembly.empty())
        std::fputs("note: --assembly: the fast engine did not run, there is nothing to write\n", stderr);
      else if (const auto done = files.add(options.assembly, std::string_view(assembly)); !done.ok())
        return fail(done.diagnostics());
    }
  }
  if (result.succeeded) {
    if (const auto done = job::add_outputs(result.outputs, files); !done.ok()) return fail(done.diagnostics());
    if (!options.summary.empty())
      if (const auto done = files.add(options.summary, std::string_view(result.summary.json())); !done.ok())
        return fail(done.diagnostics());
  }
  if (!flush_output()) return base::ExitCode::File;  // a trace comes before what is saved to standard output
  if (!ran) return base::ExitCode::Done;
  const auto done = files.commit();
  if (done.ok()) return base::ExitCode::Done;
  if (done.diagnostics()[0].id == "file-pipe")  // not passed over here: files are lost with it
    std::fputs("heddle run: nothing is saved: standard output: Broken pipe\n", stderr);
  return fail(done.diagnostics());
}

base::ExitCode run_program(const RunOptions& options) {
  JobInput input;
  if (const base::ExitCode code = read_job_input(options, input); code != base::ExitCode::Done) return code;
  auto loaded = load_programs(input.job, options, std::move(input.program));
  if (const auto* code = std::get_if<base::ExitCode>(&loaded)) return *code;
  const RunPrograms& programs = std::get<RunPrograms>(loaded);
  const isa::Program& program = *programs.main.program;

  base::OutputFiles files;
  Watchers watchers;
  if (const auto ready = watchers.set_up(options, input.job, programs, files); !ready.ok())
    return fail(ready.diagnostics());
  if (watchers.tracer || watchers.registers) input.job.threads = 1;  // a trace is read in order
  Progress progress("running", 10000);
  job::RunHooks hooks;
  hooks.stages = programs.of_stages();
  if (!watchers.all.empty()) hooks.observer = &watchers.all;
  hooks.progress = [&](double part) { progress.at(static_cast<std::uint64_t>(part * 10000)); };
  if (!options.cpu.empty())
    if (const std::string why = engine::jit::processor_problem(options.cpu); !why.empty())
      return usage(fmt::format("--cpu {}: {}", options.cpu, why));
  hooks.cpu = options.cpu;
  if (options.tier == "first") hooks.tiers = engine::jit::Tiers::First;
  if (options.tier == "second") hooks.tiers = engine::jit::Tiers::Second;
  std::string assembly;
  if (!options.assembly.empty()) hooks.assembly = &assembly;
  const job::RunResult result = job::run(input.job, program, hooks);
  progress.finish();

  print_messages(options, result);
  print_outcome(options, input, programs, result.diagnostics, watchers.tracer || watchers.registers);
  if (const auto code = write_outputs(options, result, watchers, program, assembly, files);
      code != base::ExitCode::Done)
    return code;
  if (!result.succeeded) return exit_code(result.diagnostics.all());
  if (options.format_word == "json")
    print(result.summary.json());
  else if (options.summary.empty() && !options.common.quiet)
    std::fputs(summary_text(result.summary).c_str(), stderr);
  return base::ExitCode::Done;
}

void compute_options(Command& c, RunOptions& o) {
  c.option("--global", o.global, "work items").value_name("X[xY[xZ]]").group("Compute");
  c.option("--groups", o.groups, "thread groups, in place of --global").value_name("X[xY[xZ]]").group("Compute");
  c.option("--local", o.local, "items of a group").value_name("X[xY[xZ]]").group("Compute");
  c.option("--offset", o.offset, "global offset").value_name("X[xY[xZ]]").group("Compute");
}

void pixel_options(Command& c, RunOptions& o) {
  c.option("--size", o.size, "pixels, default the first target's").value_name("WxH").group("Pixels");
  c.option("--samples", o.samples, "samples of a pixel, and of targets that say nothing else").group("Pixels");
  c.flag("--per-sample", o.per_sample, "one lane for each sample").group("Pixels");
  c.option("--geometry", o.geometry, "fullscreen, or a mesh (.obj, .gltf, .glb, .json)")
      .value_name("FILE")
      .group("Pixels");
  c.option("--depth", o.depth, "NAME of the image with the depth, or NAME=FORMAT (z=d32): one is made, cleared to 1.0")
      .group("Pixels");
  c.option("--stencil", o.stencil,
           "NAME of the image with the stencil, or NAME=FORMAT (s=s8): one is made, cleared to 0")
      .group("Pixels");
  c.repeated("--input", o.inputs, "NAME=VALUE or NAME=uv.x: an input of the pixel shader");
  c.option("--vertex", o.vertex, "vertex shader that feeds the fragment shader").value_name("FILE").group("Pixels");
  c.option("--tessellation-control", o.tessellation_control, "tessellation control shader behind it")
      .value_name("FILE")
      .group("Pixels");
  c.option("--tessellation-evaluation", o.tessellation_evaluation, "tessellation evaluation shader behind that")
      .value_name("FILE")
      .group("Pixels");
  c.option("--patch-vertices", o.patch_vertices, "vertices of a patch; default 3").group("Pixels");
  c.option("--geometry-shader", o.geometry_shader, "geometry shader before the fragment shader")
      .value_name("FILE")
      .group("Pixels");
  c.option("--task-shader", o.task_shader, "task shader before the mesh shader").value_name("FILE").group("Pixels");
  c.option("--mesh-shader", o.mesh_shader, "mesh shader in place of a vertex shader; --groups says how many groups")
      .value_name("FILE")
      .group("Pixels");
  c.option("--vertices", o.vertices, "vertices without a mesh").group("Pixels");
  c.option("--instances", o.instances, "instances of the geometry").group("Pixels");
  c.repeated("--vertex-input", o.vertex_inputs, "NAME=VALUE or NAME=ATTRIBUTE: an input of the vertex shader");
}

void observer_options(Command& c, RunOptions& o) {
  c.flag("--trace", o.trace, "print every instruction executed").group("Observers");
  c.option("--trace-file", o.trace_file, "write the trace there").value_name("FILE").group("Observers");
  c.option("--trace-group", o.trace_group, "only that group").value_name("X,Y,Z").group("Observers");
  c.option("--trace-thread", o.trace_thread, "only that thread of a group").group("Observers");
  c.option("--trace-lane", o.trace_lane, "only instructions that this lane takes part in").group("Observers");
  c.option("--trace-lines", o.trace_lines,
           "only these lines: of a shader its own, else of the program; FILE: of a file that it has or comes from")
      .value_name("[FILE:]A-B")
      .group("Observers");
  c.option("--trace-pixel", o.trace_pixel, "only the lanes that shade that pixel").value_name("X,Y").group("Observers");
  c.option(
       "--dump-registers", o.dump_registers,
       "print all variables of the threads that the --trace flags choose: at the end, or after a line: of a shader its "
       "own, else of the program; FILE: of a file that it has or comes from")
      .value_name("end|[FILE:]LINE")
      .group("Observers");
  c.option("--coverage", o.coverage, "the program with executions and lanes of each line; - for standard output")
      .value_name("FILE")
      .group("Observers");
  c.flag("--counts", o.counts, "how often each instruction ran, and which are messages").group("Observers");
  c.repeated("--texels", o.texels,
             "SURFACE=FILE[:level=N][:slice=N]: a picture of how often each texel was read, written, or named by a "
             "footprint query: all levels and slices, or one")
      .value_name("SURFACE=FILE");
}

/// What only a run of its own has.
void whole_run_options(Command& c, RunOptions& r) {
  RunOptions* const o = &r;
  c.option("--engine", o->engine, "engine").one_of({"fast", "reference"});
  c.option("--cpu", o->cpu,
           "processor that the fast engine compiles for, as LLVM names it (x86-64-v3 ...; on arm64 generic)")
      .offers({"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "generic"})
      .not_beside({"--engine reference"});
  c.option(
       "--tier", o->tier,
       "of the fast engine's code: made quickly, optimized, or both one after the other once a run goes on (default)")
      .one_of({"first", "second", "both"})
      .not_beside({"--engine reference"});
  c.option("--assembly", o->assembly, "write the machine code of the fast engine there, as assembler text")
      .value_name("FILE")
      .not_beside({"--engine reference"});
  c.option("--keep", o->keep, "write the shader's compiled text there (.visaasm)").value_name("FILE");
  format_option(c, o->format_word, "of reports and summary: text, or json: one object a line on standard output");
  c.option("--summary", o->summary, "write the summary as one JSON object").value_name("FILE");
  observer_options(c, r);
}

}  // namespace

void run_options(Command& c, const std::shared_ptr<RunOptions>& o, bool whole) {
  c.option("--entry,--kernel", o->entry, "kernel or entry point, where there are several");
  c.option("--zeinfo", o->zeinfo, "the OpenCL compiler's ABI description, or its binary").value_name("FILE");
  c.option("--check", o->check, "what happens to reports").one_of({"off", "warn", "error"});
  c.option("--simd", o->simd, "lanes of a thread, where the program leaves it open");
  c.option("--threads", o->threads, "threads of this computer, default all cores");
  c.repeated(
       "--image,--surface", o->surfaces,
       "NAME=FILE[,FILE...][:WORD...], or NAME=FORMAT:WxH[:WORD...]; words: mips, MEMBER=VALUE, save=FILE; six files "
       "are a cube (+x -x +y -y +z -z; type=2d-array: layers), others the layers of an array")
      .value_name("NAME=FILE");
  c.repeated("--sampler", o->samplers, "NAME=linear,repeat,...");
  c.repeated("--target", o->targets,
             "NAME=FILE:FORMAT:WxH[:WORD...]: a render target, saved to FILE (- raw texels, -.png a picture on "
             "standard output)")
      .value_name("NAME=FILE");
  c.repeated("--arg", o->args, "NAME=VALUE: a number, [list] or { table } as in a job file");
  c.repeated("--buffer", o->buffers, "NAME=FILE[:TYPE], or NAME=TYPE:COUNT; words: fill=, save=FILE, address=")
      .value_name("NAME=FILE");
  compute_options(c, *o);
  pixel_options(c, *o);
  c.repeated("--spec", o->spec, "N=VALUE or NAME=VALUE: specialization constant of a shader");
  source_options(c, o->source);
  layout_options(c, o->layout);
  c.flag("--portable", o->portable, "shaders: footprints as plain vISA");
  c.repeated("--payload", o->payload, "word of the hardware's payload (perspective_pixel ...)");
  c.repeated("--state", o->state, "MEMBER=VALUE of the output merger's state");
  if (whole) whole_run_options(c, *o);
  c.option("--max-seconds", o->seconds, "time of the run (default 600)").group("Limits");
  c.limit("--max-steps", o->common.limits.steps, "instructions executed");
  program_options(c, o->program);
  common_options(c, o->common);
  surface_limits(c, o->common);
}

void add_run(Commands& commands) {
  const auto o = std::make_shared<RunOptions>();
  Command c = commands.add("run", "run a vISA program, or a job file (.toml) that says what it is bound to");
  c.example("heddle run job.toml", "a job file says what is bound");
  c.example(
      "heddle run shader.frag --image brick=brick.png --sampler brick=linear,repeat --target color=out.png:rgba8:64x64",
      "a fragment shader's picture");
  c.example("heddle run shader.comp --buffer Data=f32:64:fill=2:save=- --groups 1",
            "a compute shader, its buffer to standard output");
  c.example("heddle run dump --kernel first --global 8 --buffer n=i32:8:fill=3 --buffer o=f32:8:save=-",
            "an OpenCL kernel that ocloc dumped: platform, functions and arguments are found");
  c.example("heddle run job.toml --check warn --engine reference",
            "with reports of undefined reads, accesses out of range and races");
  c.option("input", o->input,
           "a job (.toml), vISA (.visaasm .isa), SPIR-V (.spv .spvasm), GLSL or HLSL, a folder of ocloc's dumps or "
           "its binary; - for standard input")
      .required();
  run_options(c, o);
  c.runs([o] { return run_program(*o); });
}

}  // namespace heddle::tools
