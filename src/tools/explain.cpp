// heddle explain: a rule or an instruction in the terminal, and the generated reference.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/file.hpp"
#include "spirv/validate.hpp"
#include "tools/commands.hpp"
#include "verify/explain.hpp"

namespace heddle::tools {
namespace {

base::ExitCode write_reference(const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);  // what goes wrong shows when the first page is written
  for (const verify::ReferencePage& page : verify::reference_pages()) {
    const auto written = base::write_file((std::filesystem::path(folder) / page.name).string(), page.text);
    if (written) continue;
    print_diagnostics(written.diagnostics());
    return exit_code(written.diagnostics());
  }
  return base::ExitCode::Done;
}

// The rules of SPV_NV_shader_image_footprint have a catalogue of their own.
const spirv::FootprintRule* footprint_rule(const std::string& word) {
  for (const spirv::FootprintRule& rule : spirv::footprint_rules())
    if (word == rule.id || word == rule.rule) return &rule;
  return nullptr;
}

std::string text_of(const spirv::FootprintRule& rule, bool json) {
  if (json)
    return fmt::format(R"({{"kind":"rule","id":{},"rule":{},"statement":{},"source":{}}})", base::json_quote(rule.id),
                       base::json_quote(rule.rule), base::json_quote(rule.requirement), base::json_quote(rule.source));
  return fmt::format("{} ({}, error)\n  {}\n\n  Source: {}\n", rule.id, rule.rule, rule.requirement, rule.source);
}

}  // namespace

base::ExitCode run_explain(const ExplainOptions& options) {
  if (!options.reference_folder.empty()) return write_reference(options.reference_folder);
  const bool json = options.format == OutputFormat::Json;
  const auto print = [&](const std::string& text) {
    std::fputs(text.ends_with('\n') ? text.c_str() : (text + "\n").c_str(), stdout);
  };
  if (options.words.empty()) {
    print(verify::explain_index(json));
    if (!json)
      for (const spirv::FootprintRule& rule : spirv::footprint_rules())
        print(fmt::format("  {:<28} {}\n", rule.id, rule.requirement));
    return base::ExitCode::Done;
  }
  base::ExitCode worst = base::ExitCode::Done;
  bool first = true;
  for (const std::string& word : options.words) {
    if (!first && !json) print("\n");
    first = false;
    if (const spirv::FootprintRule* rule = footprint_rule(word)) {
      print(text_of(*rule, json));
      continue;
    }
    const auto text = verify::explain(word, json);
    if (text) {
      print(*text);
      continue;
    }
    print_diagnostics(text.diagnostics());
    worst = base::ExitCode::WrongInput;
  }
  return worst;
}

}  // namespace heddle::tools
