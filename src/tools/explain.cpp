// SPDX-License-Identifier: MIT
// heddle explain: a rule, an instruction or a page of the rule book in the terminal, and the generated reference.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "base/file.hpp"
#include "heddle/explain.hpp"
#include "heddle/shader.hpp"
#include "spirv/validate.hpp"
#include "tools/batch/operation_page.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "verify/explain/explain.hpp"

namespace heddle::tools {
namespace {

struct ExplainOptions {
  Common common;
  std::vector<std::string> words;
  std::string format_word = "text";
  OutputFormat format = OutputFormat::Text;
  std::string reference_folder;  ///< writes the generated pages there
};

base::ExitCode write_reference(const std::string& folder) {
  for (const verify::ReferencePage& page : verify::reference_pages(spirv::footprint_rules_markdown())) {
    const std::filesystem::path path = std::filesystem::path(folder) / page.name;
    (void)base::make_folders(path.parent_path().string());  // what goes wrong shows when the page is written
    const auto written = base::write_file(path.string(), page.text);
    if (written) continue;
    print_diagnostics(written.diagnostics());
    return exit_code(written.diagnostics());
  }
  return base::ExitCode::Done;
}

/// The rules of SPV_NV_shader_image_footprint have a catalog of their own.
std::optional<std::string> footprint_rule_text(const std::string& word, bool json) {
  for (const FootprintRule& rule : footprint_rules()) {
    if (word != rule.id) continue;
    if (json)
      return fmt::format(R"({{"kind":"rule","id":{},"rule":{},"statement":{},"source":{}}})", base::json_quote(rule.id),
                         base::json_quote(rule.rule), base::json_quote(rule.statement), base::json_quote(rule.source));
    return fmt::format("{} ({}, error)\n  {}\n\n  Source: {}\n", rule.id, rule.rule, rule.statement, rule.source);
  }
  return std::nullopt;
}

base::ExitCode run_explain(const ExplainOptions& options) {
  if (!options.reference_folder.empty() && !options.words.empty()) {
    std::fputs("heddle explain: --reference writes all pages: leave the words out\n", stderr);
    return base::ExitCode::Usage;
  }
  if (!options.reference_folder.empty()) return write_reference(options.reference_folder);
  const bool json = options.format == OutputFormat::Json;
  const auto print = [](const std::string& text) { tools::print(text.ends_with('\n') ? text : text + "\n"); };
  if (options.words.empty()) {
    print(explain_index(json));
    if (!json)
      for (const FootprintRule& rule : footprint_rules()) print(fmt::format("  {:<28} {}\n", rule.id, rule.statement));
    return base::ExitCode::Done;
  }
  base::ExitCode worst = base::ExitCode::Done;
  bool first = true;
  for (const std::string& word : options.words) {
    if (!first && !json) print("\n");
    first = false;
    if (const auto rule = footprint_rule_text(word, json)) {
      print(*rule);
      continue;
    }
    const auto text = explain(word, json);
    const std::string operation = operation_text(word, json);
    if (text.ok()) print(*text);
    if (text.ok() && !operation.empty() && !json) print("\n");
    if (!operation.empty()) print(operation);
    if (text.ok() || !operation.empty()) continue;
    print_diagnostics(text.diagnostics());
    worst = base::ExitCode::WrongInput;
  }
  return worst;
}

}  // namespace

void add_explain(Commands& commands) {
  const auto o = std::make_shared<ExplainOptions>();
  Command c = commands.add(
      "explain",
      "print a rule or message (visa-sample4-channel), an instruction (sample4), a directive (.decl), an operation of "
      "batch (gather4) or a raw message (0xC:0x2106E07, 0x2106E07)");
  c.example("heddle explain GA-4", "a rule");
  c.example("heddle explain sample4", "an instruction");
  c.example("heddle explain .decl", "a directive");
  c.example("heddle explain gather4", "an operation of heddle batch");
  c.example("heddle explain 0xC:0x2106E07", "a raw message");
  c.option("what", o->words, "rule id, mnemonic, directive, operation or descriptors; nothing: the list of rules");
  format_option(c, o->format_word, "text or json");
  c.option("--reference", o->reference_folder,
           "write the generated pages (reference, checks) as Markdown into the folder of the documents")
      .value_name("DIR")
      .not_beside({"--format"});
  common_options(c, o->common);
  c.runs([o] {
    o->format = format_of(o->format_word);
    return run_explain(*o);
  });
}

}  // namespace heddle::tools
