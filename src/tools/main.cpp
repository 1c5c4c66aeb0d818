// The heddle program: the list of its commands.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"

namespace heddle::tools {
namespace {

using Action = std::function<base::ExitCode()>;

/// "64MiB", "2GiB", "1e9", "4096": a count or a size in bytes.
std::string parse_size(const std::string& text, std::uint64_t& value) {
  try {
    std::size_t used = 0;
    const double number = std::stod(text, &used);
    std::string unit = text.substr(used);
    for (char& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    static const std::map<std::string, double> kUnits = {
        {"", 1},          {"b", 1},   {"k", 1e3},          {"kib", 1024}, {"m", 1e6},
        {"mib", 1048576}, {"g", 1e9}, {"gib", 1073741824}, {"t", 1e12},   {"tib", 1099511627776.0}};
    const auto factor = kUnits.find(unit);
    if (factor == kUnits.end() || !(number >= 0) || number * factor->second > 1.8e19)
      return "expected a count such as 1000000, 1e9 or 64MiB";
    value = static_cast<std::uint64_t>(number * factor->second);
    return {};
  } catch (const std::exception&) {
    return "expected a count such as 1000000, 1e9 or 64MiB";
  }
}

void size_option(CLI::App* app, const std::string& name, std::uint64_t& target, const std::string& help) {
  app->add_option_function<std::string>(
         name,
         [&target, name](const std::string& text) {
           if (const std::string why = parse_size(text, target); !why.empty()) throw CLI::ValidationError(name, why);
         },
         help)
      ->type_name("N")
      ->group("Limits");
}

void common_options(CLI::App* app, Common& common) {
  app->add_flag("-q,--quiet", common.quiet, "errors only");
  size_option(app, "--max-input", common.limits.input_bytes, "bytes of one input file");
  size_option(app, "--max-instructions", common.limits.instructions, "instructions of one file");
  size_option(app, "--max-variables", common.limits.variables, "declarations of one object");
  size_option(app, "--max-nesting", common.limits.nesting, "depth of nested expressions and scopes");
  size_option(app, "--max-errors", common.limits.diagnostics, "messages kept");
}

void surface_limits(CLI::App* app, Common& common) {
  size_option(app, "--max-surface", common.limits.surface_bytes, "bytes of one surface");
  size_option(app, "--max-memory", common.limits.memory_bytes,
              "bytes of all surfaces and buffers, and of what running threads hold");
}

void program_options(CLI::App* app, ProgramOptions& program) {
  app->add_option("--platform", program.platform, "SKL, ICLLP, TGLLP, DG2, PVC, XE2 ...");
  app->add_option("--dialect", program.dialect, "operand dialect of vISA files")
      ->check(CLI::IsMember({"auto", "12504", "newer", "document-codes"}))
      ->capture_default_str();
  app->add_flag("--lenient", program.lenient, "accept what known producers write against the rules, with a warning");
}

void json_flag(CLI::App* app, OutputFormat& format) {
  app->add_flag_callback("--json", [&format] { format = OutputFormat::Json; }, "one JSON object a line");
}

/// Options that gather, sample, unorm and info share.
void image_options(CLI::App* c, ImageOptions& o) {
  c->add_option("image", o.image, "PNG, KTX2, DDS, EXR or PFM")->required();
  c->add_flag("--srgb", o.srgb, "a PNG's colours are sRGB");
  c->add_flag("--mips", o.mips, "make the mip levels from the first one");
  c->add_option("--swizzle", o.swizzle, "channel selects, four letters of R G B A 0 1");
  c->add_option("--behaviour", o.behaviour, "where documents and hardware differ")
      ->check(CLI::IsMember({"hardware", "document"}));
  c->add_option("--platform", o.platform, "check for skl, icllp, tgllp, dg2, pvc or xe2");
  json_flag(c, o.format);
  common_options(c, o.common);
  surface_limits(c, o.common);
}
void grid_options(CLI::App* c, ImageOptions& o) {
  c->add_option("--sampler", o.sampler, "words: a filter, an address mode (either vocabulary), NAME=VALUE")
      ->capture_default_str();
  c->add_option("--uv", o.uv, "coordinates U,V (3D, cube: U,V,R; arrays: and the index); may be given often")
      ->type_name("U,V")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  c->add_option("--grid", o.grid, "a whole grid of coordinates into a picture")->type_name("WxH");
  c->add_option("--range", o.range, "corners of the grid, default the whole image")->type_name("U0,V0,U1,V1");
  c->add_option("-o,--output", o.output, "the picture: PNG, EXR, PFM or KTX2");
}

void make_image_commands(CLI::App& app, std::map<CLI::App*, Action>& actions) {
  {
    static ImageOptions o;
    CLI::App* c = app.add_subcommand("info", "what resinfo and sampleinfo answer about an image");
    c->add_option("--lod", o.lod, "levels, separated by commas; default all");
    image_options(c, o);
    actions[c] = [] { return run_info(o); };
  }
  for (const bool gather : {true, false}) {
    static ImageOptions both[2];
    ImageOptions& o = both[gather ? 0 : 1];
    CLI::App* c =
        app.add_subcommand(gather ? "gather" : "sample",
                           gather ? "gather4: the four texels around coordinates" : "filtered samples at coordinates");
    grid_options(c, o);
    c->add_option("--lod", o.lod, "level of detail");
    c->add_option("--bias", o.bias, "LOD bias, for operations that take one");
    c->add_option("--ref", o.ref, "reference value: compare (set compare_op in --sampler)");
    c->add_option("--offset", o.offset, "immediate texel offsets")->type_name("U,V");
    c->add_option("--op", o.op, "the operation by name, for example gather4_l or sample_d_c");
    if (gather)
      c->add_option("--channel", o.channel, "source channel")->capture_default_str();
    else {
      c->add_option("--grad", o.gradient, "gradients dudx,dvdx,dudy,dvdy")->type_name("LIST");
      c->add_option("--channels", o.channels, "channels returned")->capture_default_str();
    }
    image_options(c, o);
    actions[c] = [&o, gather] { return gather ? run_gather(o) : run_sample(o); };
  }
  {
    static ImageOptions o;
    CLI::App* c = app.add_subcommand("unorm", "sample_unorm: a block of 8 x 4 pixels in 8.8 fixed point");
    grid_options(c, o);
    c->add_option("--delta", o.delta, "step between pixels, default one texel")->type_name("DU,DV");
    c->add_option("--channels", o.channels, "channel mask")->capture_default_str();
    c->add_option("--output-format", o.output_format, "16-full, 16-downsampled, 8-full, 8-downsampled")
        ->capture_default_str();
    image_options(c, o);
    actions[c] = [] { return run_unorm(o); };
  }
  {
    static FootprintOptions o;
    CLI::App* c = app.add_subcommand(
        "footprint", "which texels a sample touches (OpImageSampleFootprintNV): values, pictures, batches");
    c->add_option("image", o.image, "PNG, KTX2, DDS, EXR or PFM");
    c->add_option("--batch", o.batch, "queries, one JSON object a line; - for standard input")->type_name("FILE");
    c->add_option("--sampler", o.sampler, "words: filter, address mode, NAME=VALUE")->capture_default_str();
    c->add_option("--uv", o.uv, "coordinates U,V or U,V,R; may be given often")
        ->type_name("U,V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    c->add_option("--lod", o.lod, "operand Lod");
    c->add_option("--grad", o.gradient, "operand Grad: dudx,dvdx,dudy,dvdy")->type_name("LIST");
    c->add_option("--bias", o.bias, "operand Bias");
    c->add_option("--min-lod", o.min_lod, "operand MinLod");
    c->add_option("--granularity", o.granularity, "1 to 15: texels of a group")->capture_default_str();
    c->add_flag("--coarse", o.coarse, "the coarser of two levels");
    c->add_flag("--conservative", o.conservative, "a superset that holds for other samplers too");
    c->add_option("--mode", o.mode, "rules")
        ->check(CLI::IsMember({"strict", "lenient", "extended"}))
        ->capture_default_str();
    c->add_option("--report", o.report, "form of the answer")
        ->check(CLI::IsMember({"struct", "list", "set"}))
        ->capture_default_str();
    c->add_option("-o,--output", o.output, "picture of the level with the touched groups marked");
    c->add_option("--view", o.view,
                  "plane: a perspective view of the image, beside a heat map of the texels that it touches")
        ->check(CLI::IsMember({"plane"}));
    c->add_option("--size", o.size, "size of the view")->type_name("WxH")->capture_default_str();
    json_flag(c, o.format);
    common_options(c, o.common);
    surface_limits(c, o.common);
    actions[c] = [] { return run_footprint(o); };
  }
  {
    static BatchOptions o;
    CLI::App* c =
        app.add_subcommand("batch", "any operation of the texture unit: one JSON request and one result a line");
    c->add_option("requests", o.input, "JSON lines, - for standard input")->capture_default_str();
    c->add_option("-o,--output", o.output, "file, - for standard output")->capture_default_str();
    common_options(c, o.common);
    surface_limits(c, o.common);
    actions[c] = [] { return run_batch(o); };
  }
}

void make_run_command(CLI::App& app, std::map<CLI::App*, Action>& actions) {
  static RunOptions o;
  CLI::App* c = app.add_subcommand("run", "run a vISA program, or a job file (.toml) that says what it is bound to");
  const auto list = [c](const std::string& name, std::vector<std::string>& target, const std::string& help) {
    c->add_option(name, target, help)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  c->add_option("input", o.input, "job file (.toml), or program: .visaasm .isaasm .isa .spv .spvasm .comp .frag")
      ->required();
  c->add_option("--entry", o.entry, "kernel, where the program has several");
  c->add_option("--zeinfo", o.zeinfo, "the OpenCL compiler's ABI description, or its binary");
  c->add_option("--engine", o.engine, "engine")->check(CLI::IsMember({"fast", "reference"}));
  c->add_option("--cpu", o.cpu, "processor that the fast engine compiles for, as LLVM names it (x86-64-v3 ...)");
  c->add_option("--assembly", o.assembly, "write the machine code of the fast engine there, as assembler text");
  c->add_option("--check", o.check, "what happens to reports")->check(CLI::IsMember({"off", "warn", "error"}));
  c->add_option("--simd", o.simd, "lanes of a thread, where the program leaves it open");
  c->add_option("--threads", o.threads, "threads of this computer, default all cores");
  list("--surface,--image", o.surfaces,
       "NAME=FILE[:WORD...], or NAME=FORMAT:WxH[:WORD...]; words: mips, MEMBER=VALUE, save=FILE");
  list("--sampler", o.samplers, "NAME=linear,repeat,...");
  list("--target", o.targets, "NAME=FILE:FORMAT:WxH[:WORD...]: a render target, saved to FILE");
  list("--arg", o.args, "NAME=VALUE: a number, [list] or { table } as in a job file");
  list("--buffer", o.buffers, "NAME=FILE[:TYPE], or NAME=TYPE:COUNT; words: fill=, save=FILE, address=");
  c->add_option("--global", o.global, "work items")->type_name("X[xY[xZ]]")->group("Compute");
  c->add_option("--groups", o.groups, "thread groups, in place of --global")->type_name("X[xY[xZ]]")->group("Compute");
  c->add_option("--local", o.local, "items of a group")->type_name("X[xY[xZ]]")->group("Compute");
  c->add_option("--offset", o.offset, "global offset")->type_name("X[xY[xZ]]")->group("Compute");
  c->add_option("--size", o.size, "pixels, default the first target's")->type_name("WxH")->group("Pixels");
  c->add_option("--samples", o.samples, "samples of a pixel")->group("Pixels");
  c->add_flag("--per-sample", o.per_sample, "one lane for each sample")->group("Pixels");
  c->add_option("--geometry", o.geometry, "fullscreen, or a mesh (.obj, .json)")->group("Pixels");
  c->add_option("--depth", o.depth, "image with the depth")->group("Pixels");
  c->add_option("--stencil", o.stencil, "image with the stencil")->group("Pixels");
  list("--input", o.inputs, "NAME=VALUE or NAME=uv.x: an input of the pixel shader");
  c->add_option("--vertex", o.vertex, "vertex shader that feeds the fragment shader")->group("Pixels");
  c->add_option("--vertices", o.vertices, "vertices without a mesh")->group("Pixels");
  c->add_option("--instances", o.instances, "instances of the geometry")->group("Pixels");
  list("--vertex-input", o.vertex_inputs, "NAME=VALUE or NAME=ATTRIBUTE: an input of the vertex shader");
  list("--spec", o.spec, "N=VALUE: specialization constant N of a shader");
  c->add_option("--target-env", o.target_env, "of shaders: vulkan1.0 ... vulkan1.3, universal1.0 ...")
      ->capture_default_str();
  c->add_flag("--portable", o.portable, "shaders: footprints as plain vISA");
  c->add_option("--keep", o.keep, "write the shader's compiled text there (.visaasm)")->type_name("FILE");
  list("--payload", o.payload, "word of the hardware's payload (perspective_pixel ...)");
  list("--state", o.state, "MEMBER=VALUE of the output merger's state");
  c->add_option("--summary", o.summary, "write the summary as one JSON object")->type_name("FILE");
  c->add_flag("--trace", o.trace, "print every instruction executed")->group("Observers");
  c->add_option("--trace-file", o.trace_file, "write the trace there")->type_name("FILE")->group("Observers");
  c->add_option("--trace-group", o.trace_group, "only that group")->type_name("X,Y,Z")->group("Observers");
  c->add_option("--trace-thread", o.trace_thread, "only that thread of a group")->group("Observers");
  c->add_option("--trace-lane", o.trace_lane, "only instructions that this lane takes part in")->group("Observers");
  c->add_option("--trace-lines", o.trace_lines, "only these lines of the program")
      ->type_name("A-B")
      ->group("Observers");
  c->add_option("--coverage", o.coverage, "the program with executions and lanes of each line; - for standard output")
      ->type_name("FILE")
      ->group("Observers");
  c->add_flag("--counts", o.counts, "how often each instruction ran")->group("Observers");
  list("--texels", o.texels, "SURFACE=FILE: a picture of the texels that were touched");
  c->add_option("--max-seconds", o.seconds, "time of the run")->group("Limits");
  size_option(c, "--max-steps", o.common.limits.steps, "instructions executed");
  program_options(c, o.program);
  common_options(c, o.common);
  surface_limits(c, o.common);
  actions[c] = [] { return run_program(o); };
}

std::map<CLI::App*, Action> make_commands(CLI::App& app) {
  std::map<CLI::App*, Action> actions;
  {
    static AsOptions o;
    CLI::App* c = app.add_subcommand("as", "assemble vISA text (.visaasm) into a .isa file");
    c->add_option("input", o.input, "text, - for standard input")->required();
    c->add_option("-o,--output", o.output, "file, - for standard output")->capture_default_str();
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] { return run_as(o); };
  }
  {
    static DisOptions o;
    CLI::App* c = app.add_subcommand("dis", "disassemble a .isa file into text");
    c->add_option("input", o.input, ".isa file (text is printed in canonical form), - for standard input")->required();
    c->add_option("-o,--output", o.output, "file, - for standard output")->capture_default_str();
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] { return run_dis(o); };
  }
  {
    static DumpOptions o;
    CLI::App* c =
        app.add_subcommand("dump", "show what a file holds; --encoding: each instruction's bytes with field names");
    c->add_option("input", o.input, ".isa or .visaasm, - for standard input")->required();
    c->add_flag("--encoding", o.encoding, "bytes and field names of every instruction");
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] { return run_dump(o); };
  }
  {
    static ValOptions o;
    static std::string format = "text";
    CLI::App* c = app.add_subcommand("val", "check files by every rule and report all findings");
    c->add_option("input", o.inputs, ".visaasm .isaasm .isa .spv .spvasm, - for standard input")->required();
    c->add_option("--format", format, "text, or json: one object a line")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    c->add_option("--target-env", o.target_env, "SPIR-V: vulkan1.0 ... vulkan1.3, universal1.0 ...")
        ->capture_default_str();
    c->add_flag("--warnings-as-errors", o.warnings_as_errors, "exit 1 for warnings too");
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] {
      o.format = format == "json" ? OutputFormat::Json : OutputFormat::Text;
      return run_val(o);
    };
  }
  {
    static CompileShaderOptions o;
    static std::string format = "text";
    CLI::App* c = app.add_subcommand("compile", "compile a SPIR-V or GLSL shader to vISA");
    c->add_option("input", o.input, ".spv .spvasm, or .comp .frag .vert where glslangValidator is installed")
        ->required();
    c->add_option("-o,--output", o.output, ".visaasm, or .isa for a container; - for standard output")
        ->capture_default_str();
    c->add_option("--entry", o.entry, "entry point, where the module has several");
    c->add_option("--simd", o.simd, "lanes of a thread: 8, 16 or 32")
        ->check(CLI::IsMember({8, 16, 32}))
        ->capture_default_str();
    c->add_option("--spec", o.spec, "N=VALUE: specialization constant N")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    c->add_flag("--portable", o.portable, "footprints as plain vISA that every tool accepts");
    c->add_option("--target-env", o.target_env, "vulkan1.0 ... vulkan1.3, universal1.0 ...")->capture_default_str();
    c->add_option("--format", format, "of messages: text, or json, one object a line")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    program_options(c, o.program);
    common_options(c, o.common);
    actions[c] = [] {
      o.format = format == "json" ? OutputFormat::Json : OutputFormat::Text;
      return run_compile(o);
    };
  }
  {
    static ExplainOptions o;
    static std::string format = "text";
    CLI::App* c = app.add_subcommand(
        "explain", "print a rule (visa-sample4-channel), an instruction (sample4) or a raw message (0xC:0x2106E07)");
    c->add_option("what", o.words, "rule id or mnemonic; nothing: the list of rules");
    c->add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}))->capture_default_str();
    c->add_option("--reference", o.reference_folder,
                  "write the generated pages (reference, checks) as Markdown into the folder of the documents")
        ->type_name("DIR");
    common_options(c, o.common);
    actions[c] = [] {
      o.format = format == "json" ? OutputFormat::Json : OutputFormat::Text;
      return run_explain(o);
    };
  }
  make_image_commands(app, actions);
  make_run_command(app, actions);
  return actions;
}

int run(int argc, char** argv) {
  CLI::App app{"Runs GPU image instructions without the GPU: Intel vISA and SPIR-V image shaders, on any CPU.",
               "heddle"};
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 the input is wrong, 2 usage, 3 a file could not be read or written, 4 a limit was hit, 70 "
      "internal error.");
  Commands commands(app);
  for (const auto add : {add_as, add_dis, add_dump, add_val, add_compile, add_explain, add_info, add_gather, add_sample,
                         add_unorm, add_footprint, add_batch, add_run})
    add(commands);
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  if (const std::string word = argv[1];
      !word.empty() && word[0] != '-' && std::find(names.begin(), names.end(), word) == names.end()) {
    const std::string_view near = base::nearest(word, {names.begin(), names.end()});
    std::fprintf(stderr, "heddle: there is no command '%s'%s\n", word.c_str(),
                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near).c_str());
    std::fputs("heddle: 'heddle --help' lists the commands\n", stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    std::ostringstream text;
    const int code = app.exit(e, text, text);
    print(text.str());
    return code;
  } catch (const CLI::ParseError& e) {
    std::fprintf(stderr, "heddle: %s\n", e.what());
    std::fputs("heddle: 'heddle --help' lists the commands, 'heddle COMMAND --help' their options\n", stderr);
    return static_cast<int>(base::ExitCode::Usage);
  }
  return static_cast<int>(commands.run());
}

}  // namespace
}  // namespace heddle::tools

int main(int argc, char** argv) {
  // Both are then errors of the write: what was begun is removed, and said.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    using heddle::base::ExitCode;
    const int code = heddle::tools::run(argc, argv);
    const bool replaced = code == static_cast<int>(ExitCode::Done) || code == static_cast<int>(ExitCode::WrongInput);
    return heddle::tools::flush_output() || !replaced ? code : static_cast<int>(ExitCode::File);
  } catch (const std::bad_alloc&) {
    std::fputs("heddle: out of memory; --max-memory and --max-input lower the limits\n", stderr);
    return static_cast<int>(heddle::base::ExitCode::Limit);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heddle: internal error: %s\n", e.what());
    return static_cast<int>(heddle::base::ExitCode::Internal);
  }
}
