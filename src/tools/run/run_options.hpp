// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heddle/shader.hpp"
#include "tools/command_line/options.hpp"
#include "tools/inputs/input.hpp"

namespace heddle::tools {

/// heddle run: a program with flags, or a job file. Every flag is a member of the job and overrides it
/// (docs/job-file.md).
struct RunOptions {
  Common common;
  ProgramOptions program;
  std::string input;  ///< program, or JOB.toml
  std::string job;    ///< a job file whose program the input takes the place of
  std::string entry, zeinfo, engine, check, simd, threads, cpu, tier, assembly;
  std::string groups, global, local, offset;                            ///< "8x8"
  std::vector<std::string> surfaces, samplers, targets, args, buffers;  ///< NAME=...
  std::string size, samples, geometry, depth, stencil;                  ///< pixels
  bool per_sample = false;
  std::vector<std::string> inputs, payload, state;
  std::string vertex, vertices, instances;                                    ///< a vertex shader in front
  std::string tessellation_control, tessellation_evaluation, patch_vertices;  ///< behind that
  std::string geometry_shader;                                                ///< behind those
  std::string task_shader, mesh_shader;                                       ///< in place of them all
  std::vector<std::string> vertex_inputs;
  std::vector<std::string> spec;  ///< N=VALUE: specialization constants
  SourceOptions source;
  LayoutRules layout;
  bool portable = false;
  bool assembly_lines = false;  ///< SPIR-V without lines of a source has those of its assembly
  std::string keep;             ///< file of a shader's compiled text
  std::string seconds;
  std::string summary;  ///< file; "-" standard output
  bool trace = false;
  std::string trace_file, trace_group, trace_thread, trace_lane, trace_lines, trace_pixel;
  std::string dump_registers;  ///< "end" or a line
  std::string format_word = "text";
  std::string coverage;             ///< file of the listing, "-" standard output
  bool counts = false;              ///< instruction counts
  std::vector<std::string> texels;  ///< SURFACE=FILE.png
};

class Command;
/// The flags of a run. `whole`: those too that say what is observed and written beside the job's own outputs.
void run_options(Command& command, const std::shared_ptr<RunOptions>& options, bool whole = true);

}  // namespace heddle::tools
