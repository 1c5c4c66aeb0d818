// heddle explain: a rule, an instruction or a page of the rule book in the terminal, and the generated reference.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "base/file.hpp"
#include "instructions/send/message.hpp"
#include "spirv/validate.hpp"
#include "tools/commands.hpp"
#include "tools/support/console.hpp"
#include "tools/support/flags.hpp"
#include "tools/support/numbers.hpp"
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
    std::error_code failure;
    std::filesystem::create_directories(path.parent_path(), failure);  // what goes wrong shows when the page is written
    const auto written = base::write_file(path.string(), page.text);
    if (written) continue;
    print_diagnostics(written.diagnostics());
    return exit_code(written.diagnostics());
  }
  return base::ExitCode::Done;
}

// The rules of SPV_NV_shader_image_footprint have a catalogue of their own.
const spirv::FootprintRule* footprint_rule(const std::string& word) {
  for (const spirv::FootprintRule& rule : spirv::footprint_rules())
    if (word == rule.id) return &rule;
  return nullptr;
}

std::string text_of(const spirv::FootprintRule& rule, bool json) {
  if (json)
    return fmt::format(R"({{"kind":"rule","id":{},"rule":{},"statement":{},"source":{}}})", base::json_quote(rule.id),
                       base::json_quote(rule.rule), base::json_quote(rule.requirement), base::json_quote(rule.source));
  return fmt::format("{} ({}, error)\n  {}\n\n  Source: {}\n", rule.id, rule.rule, rule.requirement, rule.source);
}

/// A raw message by its descriptors: [FUNCTION.]EXTENDED:DESCRIPTOR[@PLATFORM], numbers decimal or 0x.
std::optional<std::string> message_text(std::string_view word, bool json) {
  const std::string_view whole = word;
  isa::Platform platform = isa::Platform::SKL;
  if (const std::size_t at = word.find('@'); at != std::string_view::npos) {
    const auto found = isa::find_platform(word.substr(at + 1));
    if (!found) return std::nullopt;
    platform = *found;
    word = word.substr(0, at);
  }
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view left = word.substr(0, colon);
  std::uint32_t function = 0;
  if (const std::size_t dot = left.find('.'); dot != std::string_view::npos) {
    const auto given = parse_word(left.substr(0, dot));
    if (!given) return std::nullopt;
    function = *given;
    left = left.substr(dot + 1);
  }
  const auto extended = parse_word(left), descriptor = parse_word(word.substr(colon + 1));
  if (!extended || !descriptor) return std::nullopt;
  namespace send = instructions::send;
  const unsigned owner = send::function_number(function, *extended);
  const std::string text = send::describe(
      send::decode_message(send::shared_function(owner, platform), *extended, *descriptor, {.lanes = 16}, platform));
  if (json)
    return fmt::format(R"({{"kind":"message","id":{},"platform":{},"statement":{}}})",
                       base::json_quote(std::string(whole)),
                       base::json_quote(std::string(isa::platform_info(platform).name)), base::json_quote(text));
  return fmt::format("{} ({})\n  {}\n", whole, isa::platform_info(platform).name, text);
}

base::ExitCode run_explain(const ExplainOptions& options) {
  if (!options.reference_folder.empty()) return write_reference(options.reference_folder);
  const bool json = options.format == OutputFormat::Json;
  const auto print = [](const std::string& text) { tools::print(text.ends_with('\n') ? text : text + "\n"); };
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
    if (const auto message = message_text(word, json)) {
      print(*message);
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

}  // namespace

void add_explain(Commands& commands) {
  const auto o = std::make_shared<ExplainOptions>();
  Command c = commands.add(
      "explain", "print a rule (visa-sample4-channel), an instruction (sample4) or a raw message (0xC:0x2106E07)");
  c.option("what", o->words, "rule id or mnemonic; nothing: the list of rules");
  format_option(c, o->format_word, "text or json");
  c.option("--reference", o->reference_folder,
           "write the generated pages (reference, checks) as Markdown into the folder of the documents")
      .value_name("DIR");
  common_options(c, o->common);
  c.runs([o] {
    o->format = format_of(o->format_word);
    return run_explain(*o);
  });
}

}  // namespace heddle::tools
