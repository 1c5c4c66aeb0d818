#pragma once
// The heddle program: one source file for each subcommand. main.cpp alone knows CLI11; a command receives its options
// as a struct.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"

namespace heddle::tools {

enum class ColourMode : std::uint8_t { Auto, Always, Never };
enum class OutputFormat : std::uint8_t { Text, Json };

/// Options that every command takes.
struct Common {
  base::Limits limits;
  bool quiet = false;  ///< no warnings, no notes, no summary
};

/// `--platform NAME`, `--dialect auto|12504|newer` where a vISA program is read.
struct ProgramOptions {
  std::string platform;  ///< empty: none given
  std::string dialect = "auto";
  bool lenient = false;
};

struct AsOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
};
struct DisOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
};
struct DumpOptions {
  Common common;
  ProgramOptions program;
  std::string input;
  bool encoding = false;
};
struct ValOptions {
  Common common;
  ProgramOptions program;
  std::vector<std::string> inputs;
  OutputFormat format = OutputFormat::Text;
  std::string target_env = "vulkan1.3";
  bool warnings_as_errors = false;
};
struct ExplainOptions {
  Common common;
  std::vector<std::string> words;
  OutputFormat format = OutputFormat::Text;
  std::string reference_folder;  ///< writes the generated reference there
};

/// heddle compile.
struct CompileShaderOptions {
  Common common;
  ProgramOptions program;
  std::string input, output = "-";
  std::string entry;
  unsigned simd = 16;
  std::vector<std::string> spec;  ///< N=VALUE
  bool portable = false;
  std::string target_env = "vulkan1.3";
  OutputFormat format = OutputFormat::Text;
};

struct BatchOptions {
  Common common;
  std::string input = "-", output = "-";
};

/// `heddle info|gather|sample|unorm IMAGE`.
struct ImageOptions {
  Common common;
  std::string image;
  std::string sampler = "linear,repeat";
  std::vector<std::string> uv;  ///< each "u,v[,r[,index]]"
  std::string grid;             ///< "WxH": a whole grid into a picture
  std::string range;            ///< "u0,v0,u1,v1" of the grid; default the whole image
  std::string output;           ///< of the grid: PNG, EXR, PFM, KTX2
  std::string op;               ///< an operation by name; default by the other options
  std::string lod, bias, ref, gradient, offset, delta;
  std::string channel = "R", channels = "RGBA";
  std::string output_format = "16-full";
  std::string swizzle;
  std::string behaviour, platform;
  bool srgb = false, mips = false;
  OutputFormat format = OutputFormat::Text;
};

/// `heddle footprint`.
struct FootprintOptions {
  Common common;
  std::string image;
  std::string batch;  ///< JSON lines
  std::string sampler = "linear,clamp,mip=linear";
  std::vector<std::string> uv;
  std::string lod, gradient, bias, min_lod;
  unsigned granularity = 1;
  bool coarse = false, conservative = false;
  std::string mode = "strict", report = "struct";
  std::string output;  ///< picture of the level with the touched groups marked
  std::string view;  ///< "plane": a perspective view of a plane; the picture is the view beside its footprint heat map
  std::string size = "960x540";  ///< of the view
  bool mips = true;
  OutputFormat format = OutputFormat::Text;
};

/// heddle run: a program with flags, or a job file. Every flag is a member of the job and overrides it
/// (docs/job-file.md).
struct RunOptions {
  Common common;
  ProgramOptions program;
  std::string input;  ///< program, or JOB.toml
  std::string entry, zeinfo, engine, check, simd, threads, cpu, assembly;
  std::string groups, global, local, offset;                            ///< "8x8"
  std::vector<std::string> surfaces, samplers, targets, args, buffers;  ///< NAME=...
  std::string size, samples, geometry, depth, stencil;                  ///< pixels
  bool per_sample = false;
  std::vector<std::string> inputs, payload, state;
  std::string vertex, vertices, instances;  ///< a vertex shader in front
  std::vector<std::string> vertex_inputs;
  std::vector<std::string> spec;         ///< N=VALUE: specialization constants
  std::string target_env = "vulkan1.3";  ///< shaders
  bool portable = false;
  std::string keep;  ///< file of a shader's compiled text
  std::string seconds;
  std::string summary;  ///< file; "-" standard output
  bool trace = false;
  std::string trace_file, trace_group, trace_thread, trace_lane, trace_lines;
  std::string coverage;             ///< file of the listing, "-" standard output
  bool counts = false;              ///< instruction counts
  std::vector<std::string> texels;  ///< SURFACE=FILE.png
};

base::ExitCode run_batch(const BatchOptions& options);
base::ExitCode run_info(const ImageOptions& options);
base::ExitCode run_gather(const ImageOptions& options);
base::ExitCode run_sample(const ImageOptions& options);
base::ExitCode run_unorm(const ImageOptions& options);
base::ExitCode run_footprint(const FootprintOptions& options);
base::ExitCode run_as(const AsOptions& options);
base::ExitCode run_dis(const DisOptions& options);
base::ExitCode run_dump(const DumpOptions& options);
base::ExitCode run_val(const ValOptions& options);
base::ExitCode run_explain(const ExplainOptions& options);
base::ExitCode run_program(const RunOptions& options);
base::ExitCode run_compile(const CompileShaderOptions& options);

// --- shared by commands (console.cpp) ---

/// To standard output. What does not arrive there is found by flush_output.
void print(std::string_view text);
/// At the end of every command: false, after saying why, where standard output did not take everything.
bool flush_output();

/// Prints diagnostics to standard error in clang's style (colour by NO_COLOR, CLICOLOR_FORCE, then isatty), or as JSON
/// lines to standard output. `source` is the text that Text places of `file` refer to; may be empty.
void print_diagnostics(const base::Diagnostics& diagnostics, const std::string& file, const std::string& source,
                       OutputFormat format = OutputFormat::Text, bool quiet = false);
void print_diagnostics(const std::vector<base::Diagnostic>& diagnostics);
/// Exit code for a failed Result: 4 for limits, 3 for file errors, 2 for usage-flag alone, else 1.
base::ExitCode exit_code(const std::vector<base::Diagnostic>& diagnostics);
/// True when a stream is a terminal.
bool is_terminal(int descriptor);
bool use_colour(int descriptor);

}  // namespace heddle::tools
