// SPDX-License-Identifier: MIT
// GenX_IR on what the compiler writes. As .isa, since the tool's text parser does not know the lod message, which its
// binary reader does.
#include "peers/genx/finalizer.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "binary/writer.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

std::string first_message(const std::vector<base::Diagnostic>& list) {
  return list.empty() ? "failed" : list.front().message;
}

}  // namespace

std::string finalizer_problem(const spirv::Module& module, const spirv::CompileOptions& options) {
  base::Diagnostics warnings;
  const auto compiled = spirv::compile(module, options, warnings);
  if (!compiled.ok()) return first_message(compiled.diagnostics());
  text::ParseOptions parse;
  parse.platform = options.platform;
  base::Diagnostics found;
  const auto program = text::parse(compiled->text, "shader", parse, found);
  if (!program) return first_message(found.all());
  const auto bytes = binary::write(*program, {isa::Dialect::Igc12504, options.platform});
  if (!bytes.ok()) return first_message(bytes.diagnostics());
  const TemporaryFolder folder;
  write_bytes(folder / "k.isa", *bytes);
  const Outcome o = run({"GenX_IR", "k.isa", "-platform", std::string(isa::platform_info(options.platform).name),
                         "-output", "-noschedule", "-nopresched", "-nocompaction"},
                        {}, folder.path(), 120);
  if (o.signal != 0 || o.timed_out) return "GenX_IR crashed or hung";
  const bool written =
      std::any_of(fs::directory_iterator(folder.path()), fs::directory_iterator(), [](const auto& entry) {
        return (entry.path().filename() == ".asm" || entry.path().extension() == ".asm") &&
               fs::file_size(entry.path()) > 0;
      });
  std::string words;
  std::istringstream lines(o.err);
  for (std::string line; std::getline(lines, line);)  // that registers were spilled is no objection
    if (line.find("spill") == std::string::npos && line.find("Spill") == std::string::npos &&
        line.find("Finalizer Messages") == std::string::npos)
      words += line + "\n";
  return written ? words : "no Gen code\n" + words;
}

}  // namespace heddle::test
