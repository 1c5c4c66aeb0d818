// SPDX-License-Identifier: MIT
// heddle dump: what a file holds; with --encoding every instruction's bytes beside the names of their fields.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <set>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "binary/writer.hpp"
#include "instructions/send/message.hpp"
#include "isa/description.hpp"
#include "spirv/names.hpp"
#include "spirv/specialization.hpp"
#include "text/text.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/diff/report.hpp"
#include "tools/inputs/shader_file.hpp"
#include "tools/inputs/source_file.hpp"
#include "tools/inputs/visa_file.hpp"

namespace heddle::tools {
namespace {

struct DumpOptions {
  Common common;
  ProgramOptions program;
  SourceOptions source;
  std::string input;
  bool encoding = false;
  bool pressure = false;
};

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const std::uint8_t b : bytes) fmt::format_to(std::back_inserter(out), "{}{:02x}", out.empty() ? "" : " ", b);
  return out;
}

void add_summary(std::string& out, const isa::Object& object) {
  fmt::format_to(std::back_inserter(out),
                 "{} \"{}\": {} general, {} address, {} predicate variables, {} labels, {} samplers, {} surfaces, {} "
                 "inputs, {} attributes, {} instructions\n",
                 object.kind == isa::ObjectKind::Kernel ? "kernel" : "function", object.name, object.variables.size(),
                 object.addresses.size(), object.predicates.size(), object.labels.size(), object.samplers.size(),
                 object.surfaces.size(), object.inputs.size(), object.attributes.size(), object.instructions.size());
}

/// Each instruction: offset, canonical text, then one line for each field. Offsets are those of the file, or count from
/// the first instruction when the program came from text.
void add_encoding(std::string& out, const VisaFile& file, const isa::Program& program, const isa::Object& object,
                  base::Diagnostics& diagnostics) {
  binary::WriteOptions write;
  write.dialect = program.dialect;
  write.platform = file.platform;
  const binary::ObjectEncoder encoder(program, object, write);
  const text::InstructionPrinter printer(program, object);
  const isa::Platform platform = file.platform.value_or(isa::Platform::SKL);
  std::uint64_t at = 0;
  for (const isa::Instruction& i : object.instructions) {
    base::ByteWriter bytes;
    std::vector<binary::FieldSpan> spans;
    encoder.encode(i, bytes, diagnostics, &spans);
    const std::uint64_t start = file.binary ? i.position.offset : at;
    fmt::format_to(std::back_inserter(out), "{:06x}  {}\n", start, printer.print(i));
    if (const std::string message = instructions::send::describe_instruction(object, i, platform); !message.empty())
      fmt::format_to(std::back_inserter(out), "        message: {}\n", message);
    const std::span<const std::uint8_t> all(bytes.data());
    for (const binary::FieldSpan& s : spans) {
      if (s.offset > all.size() || s.length > all.size() - s.offset) continue;
      fmt::format_to(std::back_inserter(out), "    {:06x}  {:<30}  {}{}{}\n", start + s.offset,
                     hex(all.subspan(s.offset, s.length)), s.name, s.value.empty() ? "" : " = ", s.value);
    }
    at += bytes.size();
  }
}

/// The bytes that are live behind each instruction.
void add_pressure(std::string& out, const VisaFile& file, const isa::Program& program, const isa::Object& object,
                  base::Diagnostics& diagnostics) {
  const unsigned grf = isa::platform_info(file.platform.value_or(isa::Platform::SKL)).grf_bytes;
  const auto pressure = verify::find_pressure(object, grf);
  if (pressure.ok())
    out += pressure_text(program, object, *pressure, grf);
  else
    for (const base::Diagnostic& d : pressure.diagnostics()) diagnostics.add(d);
}

base::ExitCode write(const std::string& out) {
  const auto written = base::write_file("-", out);
  if (written) return base::ExitCode::Done;
  print_diagnostics(written.diagnostics());
  return exit_code(written.diagnostics());
}

base::ExitCode dump_visa(SourceFile& source, const DumpOptions& options) {
  VisaFile file;
  file.name = source.name;
  file.bytes = std::move(source.bytes);
  ProgramOptions how = options.program;
  if (how.platform.empty()) how.platform = source.platform;
  if (const auto code = parse_visa(file, how, options.common); code != base::ExitCode::Done) return code;
  file.report(options.common);
  if (!file.program || file.diagnostics.has_errors()) return file.diagnostics.exit_code();
  const isa::Program& program = *file.program;
  std::string out =
      fmt::format("{}: vISA {} {}.{}{}, {} object{}\n", file.name, file.binary ? "container" : "text", program.major,
                  program.minor, program.dialect == isa::Dialect::Newer ? ", newer dialect" : "",
                  program.objects.size(), program.objects.size() == 1 ? "" : "s");
  base::Diagnostics found(options.common.limits.diagnostics);
  for (const isa::Object& object : program.objects) {
    add_summary(out, object);
    if (options.encoding) add_encoding(out, file, program, object, found);
    if (options.pressure) add_pressure(out, file, program, object, found);
  }
  print_diagnostics(found, file.name, file.content(), OutputFormat::Text, options.common.quiet);
  const auto code = write(out);
  return code != base::ExitCode::Done ? code : found.exit_code();
}

/// A shader: version, entry points, constants; --encoding: its instructions.
base::ExitCode dump_shader(SourceFile& source, const DumpOptions& options) {
  constexpr std::uint16_t kOpEntryPoint = 15;
  SourceOptions how = options.source;
  if (how.entry.empty()) how.entry = source.entry;
  const ShaderFile shader =
      read_shader({source.path, std::move(source.bytes), source.language, source.wanted}, how, options.common.limits);
  print_diagnostics(shader.diagnostics, shader.name, shader.source, OutputFormat::Text, options.common.quiet);
  if (!shader.module) return exit_code(shader.diagnostics.all());
  const spirv::Module& module = *shader.module;
  std::string out = fmt::format("{}: SPIR-V {}.{}, {} instructions\n", shader.name, module.version >> 16,
                                module.version >> 8 & 0xff, module.instructions.size());
  for (const spirv::Instruction& i : module.instructions)
    if (i.opcode == kOpEntryPoint && i.operands.size() >= 3)
      out += fmt::format("entry point \"{}\": {}\n", spirv::Module::string_at(i.operands, 2),
                         spirv::execution_model_name(i.operands[0]));
  for (const spirv::SpecializationConstant& c : spirv::specialization_constants(module))
    out += fmt::format("specialization constant {} {}\n", c.id, c.name);
  if (options.encoding) {
    const auto text = spirv::disassemble(module);
    if (!text.ok()) {
      print_diagnostics(text.diagnostics());
      return exit_code(text.diagnostics());
    }
    out += *text;
  }
  return write(out);
}

base::ExitCode run_dump(const DumpOptions& options) {
  auto read = read_sources(options.input, options.source, options.common, OutputFormat::Text);
  if (const auto* code = std::get_if<base::ExitCode>(&read)) return *code;
  std::set<Language> inputs;
  for (const SourceFile& file : std::get<std::vector<SourceFile>>(read)) inputs.insert(file.language);
  const bool visa = !std::ranges::all_of(inputs, is_shader);
  std::string useless = useless_source_flag(options.source, inputs);
  if (useless.empty() && options.pressure && !visa) useless = "--pressure is for vISA: heddle compile makes some";
  if (useless.empty() && options.program.dialect != "auto" && !visa) useless = "--dialect is for vISA";
  if (useless.empty() && !options.program.platform.empty() && !visa) useless = "--platform is for vISA";
  if (useless.empty() && options.program.lenient && !visa) useless = "--lenient is for vISA";
  if (!useless.empty()) {
    std::fputs(fmt::format("heddle dump: {}\n", useless).c_str(), stderr);
    return base::ExitCode::Usage;
  }
  base::ExitCode worst = base::ExitCode::Done;
  for (SourceFile& file : std::get<std::vector<SourceFile>>(read))
    worst = std::max(worst, is_shader(file.language) ? dump_shader(file, options) : dump_visa(file, options));
  return worst;
}

}  // namespace

void add_dump(Commands& commands) {
  const auto o = std::make_shared<DumpOptions>();
  Command c = commands.add("dump", "show what a file holds; --encoding: each instruction's bytes with field names");
  c.example("heddle dump kernel.isa", "declarations and instructions");
  c.example("heddle dump --encoding kernel.isa", "each instruction's bytes");
  c.example("heddle dump --pressure kernel.visaasm", "where the most registers are needed");
  c.option("input", o->input,
           "vISA (.visaasm .isa), SPIR-V (.spv .spvasm), GLSL, HLSL, a job (.toml); - for standard input")
      .required();
  c.flag("--encoding", o->encoding, "bytes and field names of every instruction; of shaders the instructions");
  c.flag("--pressure", o->pressure, "of vISA: the bytes of variables that are live behind each instruction");
  c.option("--entry", o->source.entry, "function that HLSL begins with").group("Shaders");
  source_options(c, o->source);
  program_options(c, o->program);
  common_options(c, o->common);
  c.runs([o] { return run_dump(*o); });
}

}  // namespace heddle::tools
