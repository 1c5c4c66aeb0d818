// Intel's finalizer takes footprints as plain vISA: every shader of the corpus with `--portable`. As .isa, since the
// tool's text parser does not know the lod message, which its binary reader does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "binary/writer.hpp"
#include "spirv/compile/compile.hpp"
#include "support/process.hpp"
#include "text/text.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

std::string first_message(const std::vector<base::Diagnostic>& list) {
  return list.empty() ? "failed" : list.front().message;
}

/// What is wrong; empty when Gen code came out without a complaint.
std::string problem(const fs::path& shader, isa::Platform platform, unsigned simd) {
  const auto module = spirv::read_binary(read_bytes(shader), shader.string());
  if (!module.ok()) return first_message(module.diagnostics());
  spirv::CompileOptions options;
  options.platform = platform;
  options.simd = simd;
  options.portable = options.lenient = true;
  base::Diagnostics warnings;
  const auto compiled = spirv::compile(*module, options, warnings);
  if (!compiled.ok()) return first_message(compiled.diagnostics());
  text::ParseOptions parse;
  parse.platform = platform;
  base::Diagnostics found;
  const auto program = text::parse(compiled->text, "shader", parse, found);
  if (!program) return first_message(found.all());
  const auto bytes = binary::write(*program, {isa::Dialect::Igc12504, platform});
  if (!bytes.ok()) return first_message(bytes.diagnostics());
  const TemporaryFolder folder;
  write_bytes(folder / "k.isa", *bytes);
  const Outcome o = run({"GenX_IR", "k.isa", "-platform", std::string(isa::platform_info(platform).name), "-output",
                         "-noschedule", "-nopresched", "-nocompaction"},
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

TEST(GenxIr, TakesPortableFootprints) {
  if (!have_program("GenX_IR")) GTEST_SKIP() << "GenX_IR is not installed (package libigc-tools)";
  unsigned shaders = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(HEDDLE_TEST_DIR) / "data" / "footprint" / "glsl")) {
    if (entry.path().extension() != ".spv") continue;
    ++shaders;
    for (const isa::Platform platform : {isa::Platform::SKL, isa::Platform::ICLLP, isa::Platform::TGLLP}) {
      const unsigned simd = shaders % 3 == 0   ? 8
                            : shaders % 3 == 1 ? 16
                                               : 32;  // the tool's time grows with the program
      EXPECT_EQ(problem(entry.path(), platform, simd), "")
          << entry.path().filename() << " " << isa::platform_info(platform).name << " SIMD" << simd;
    }
  }
  EXPECT_GE(shaders, 12u);
}

}  // namespace
}  // namespace heddle::test
