// SPDX-License-Identifier: MIT
// heddle state: dwords of a state structure as fields, and fields as dwords.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "image/hardware/state.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/command_line/numbers.hpp"
#include "tools/commands.hpp"

namespace heddle::tools {
namespace {

namespace hardware = image::hardware;

struct StateOptions {
  Common common;
  std::string action, structure, generation = "9";
  std::vector<std::string> words;
  OutputFormat format = OutputFormat::Text;
};

std::vector<std::string_view> structure_words() {
  std::vector<std::string_view> words;
  for (unsigned i = 0; i < hardware::kStateKinds; ++i)
    words.push_back(hardware::state_name(static_cast<hardware::StateKind>(i)));
  return words;
}

std::string structures() { return fmt::format("{}", fmt::join(structure_words(), " ")); }

hardware::StateKind structure_of(const std::string& name) {
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (const auto kind = hardware::find_state(upper)) return *kind;
  const std::string_view near = base::nearest(upper, structure_words());
  throw UsageError{fmt::format("there is no structure '{}'{}; there are: {}", name,
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near), structures())};
}

/// The words of standard input or of the command line: separated by blanks or commas.
base::Result<std::vector<std::string>> all_words(const StateOptions& o) {
  std::vector<std::string> words;
  for (const std::string& argument : o.words) {
    std::string text = argument;
    if (argument == "-") {
      auto input = base::read_text("-", o.common.limits);
      if (!input.ok()) return input.failure();
      text = std::move(*input);
    }
    std::string word;
    for (const char c : text + " ") {
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != ',') {
        word += c;
      } else if (!word.empty()) {
        words.push_back(std::move(word));
        word.clear();
      }
    }
  }
  return words;
}

base::ExitCode failed(const std::vector<base::Diagnostic>& diagnostics) {
  print_diagnostics(diagnostics);
  return exit_code(diagnostics);
}

base::ExitCode decode(const StateOptions& o, hardware::StateKind kind, image::Generation generation,
                      const std::vector<std::string>& words) {
  std::vector<std::uint32_t> dwords;
  for (const std::string& word : words) {
    const auto value = parse_word(word);
    if (!value) throw UsageError{fmt::format("'{}' is no dword: 0x00004000 or a decimal number is expected", word)};
    dwords.push_back(*value);
  }
  const auto decoded = hardware::decode_state(kind, generation, dwords);
  if (!decoded.ok()) return failed(decoded.diagnostics());
  if (decoded->has_reserved_bits() && !o.common.quiet)
    print_diagnostics(std::vector<base::Diagnostic>{base::warning("HW-9", "reserved bits are set")});
  std::string text;
  for (const auto& [name, value] : decoded->fields)
    text += o.format == OutputFormat::Json ? fmt::format("{}\"{}\":{}", text.empty() ? "{" : ",", name, value)
                                           : fmt::format("{} = {}\n", name, value);
  print(o.format == OutputFormat::Json ? (text.empty() ? "{" : text) + "}\n" : text);
  return base::ExitCode::Done;
}

base::ExitCode encode(const StateOptions& o, hardware::StateKind kind, image::Generation generation,
                      const std::vector<std::string>& words) {
  hardware::DecodedState state;
  state.kind = kind;
  state.generation = generation;
  for (std::size_t i = 0; i < words.size(); ++i) {
    // What decode prints is taken too: NAME = VALUE.
    std::string name = words[i], value;
    if (const std::size_t equals = name.find('='); equals != std::string::npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    } else if (i + 1 < words.size() && words[i + 1].starts_with('=')) {
      value = words[++i].substr(1);
    }
    if (value.empty() && i + 1 < words.size()) value = words[++i];
    const hardware::Field* field = hardware::find_field(kind, name);
    if (field == nullptr) {
      std::vector<std::string_view> names;
      for (const hardware::Field& f : hardware::state_fields(kind)) names.push_back(f.name);
      const std::string_view near = base::nearest(name, names);
      return failed(std::vector<base::Diagnostic>{
          base::error("state-field", fmt::format("{} has no field '{}'{}", hardware::state_name(kind), name,
                                                 near.empty() ? "" : fmt::format("; did you mean '{}'?", near)))});
    }
    const auto number = value.starts_with("0x") ? base::parse_hex(value, 16) : parse_number<std::uint64_t>(value);
    if (!number) throw UsageError{fmt::format("{}={}: a number or 0x... is expected", name, value)};
    state.set(field->name, *number);
  }
  const auto dwords = hardware::encode_state(state);
  if (!dwords.ok()) return failed(dwords.diagnostics());
  std::string text;
  for (const std::uint32_t word : *dwords)
    text += o.format == OutputFormat::Json ? fmt::format("{}\"0x{:08x}\"", text.empty() ? "[" : ",", word)
                                           : fmt::format("{}0x{:08x}", text.empty() ? "" : " ", word);
  print(o.format == OutputFormat::Json ? text + "]\n" : text + "\n");
  return base::ExitCode::Done;
}

base::ExitCode run_state(const StateOptions& o) {
  try {
    const hardware::StateKind kind = structure_of(o.structure);
    const image::Generation generation = *hardware::find_state_generation(o.generation);
    const auto words = all_words(o);
    if (!words.ok()) return failed(words.diagnostics());
    return o.action == "decode" ? decode(o, kind, generation, *words) : encode(o, kind, generation, *words);
  } catch (const UsageError& e) {
    std::fputs(fmt::format("heddle: {}\n", e.message).c_str(), stderr);
    return base::ExitCode::Usage;
  }
}

}  // namespace

void add_state(Commands& commands) {
  const auto o = std::make_shared<StateOptions>();
  Command c = commands.add("state", "surface, sampler and output state: dwords as fields, fields as dwords");
  c.example("heddle state decode CC_VIEWPORT 0x00000000 0x3f800000", "dwords as fields");
  c.example("heddle state encode SAMPLER_STATE --gen 12 tcx=2 min_filter=1 max_lod=3584", "fields as dwords");
  c.option("action", o->action, "decode or encode").required().one_of({"decode", "encode"});
  c.option("structure", o->structure, "RENDER_SURFACE_STATE, SAMPLER_STATE ...").required().offers(structure_words());
  c.option("words", o->words, "decode: dwords (0x00004000); encode: NAME=VALUE; - for standard input");
  c.option("--gen", o->generation, "generation").one_of({"9", "11", "12", "12.5"}).shows_default();
  c.json(o->format);
  c.footer("Structures: " + structures());
  common_options(c, o->common);
  c.runs([o] { return run_state(*o); });
}

}  // namespace heddle::tools
