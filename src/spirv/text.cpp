// SPDX-License-Identifier: MIT
// .spvasm in and out, through SPIRV-Tools; the places of statements are found in the text itself.

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/byte_cursor.hpp"
#include "spirv/module.hpp"
#include "spirv/target.hpp"
#include "spirv/validate.hpp"

namespace heddle::spirv {
namespace {

constexpr std::array<std::pair<std::string_view, spv_target_env>, 11> kTargets = {{
    {"vulkan1.0", SPV_ENV_VULKAN_1_0},
    {"vulkan1.1", SPV_ENV_VULKAN_1_1},
    {"vulkan1.2", SPV_ENV_VULKAN_1_2},
    {"vulkan1.3", SPV_ENV_VULKAN_1_3},
    {"universal1.0", SPV_ENV_UNIVERSAL_1_0},
    {"universal1.1", SPV_ENV_UNIVERSAL_1_1},
    {"universal1.2", SPV_ENV_UNIVERSAL_1_2},
    {"universal1.3", SPV_ENV_UNIVERSAL_1_3},
    {"universal1.4", SPV_ENV_UNIVERSAL_1_4},
    {"universal1.5", SPV_ENV_UNIVERSAL_1_5},
    {"universal1.6", SPV_ENV_UNIVERSAL_1_6},
}};

struct StatementPlace {
  std::uint32_t line, column;
};

/// Where each statement begins: a token Op..., or the %id before `= Op...`. Strings and comments are skipped.
std::vector<StatementPlace> statements(std::string_view text) {
  std::vector<StatementPlace> found;
  std::uint32_t line = 1;
  std::size_t line_start = 0;
  StatementPlace id_place{0, 0};  // of a %id that an = may follow
  bool after_equals = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      line_start = ++i;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
    } else if (c == ';') {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
        if (i < text.size() && text[i] == '\n') ++line, line_start = i + 1;
      }
      ++i;
    } else {
      const std::size_t start = i;
      while (i < text.size() && std::string_view(" \t\r\n;\"").find(text[i]) == std::string_view::npos) ++i;
      const std::string_view token = text.substr(start, i - start);
      const StatementPlace here{line, static_cast<std::uint32_t>(start - line_start + 1)};
      if (token == "=") {
        after_equals = true;
        continue;
      }
      if (token.size() > 2 && token.substr(0, 2) == "Op" && token[2] >= 'A' && token[2] <= 'Z')
        found.push_back(after_equals && id_place.line != 0 ? id_place : here);
      id_place = token[0] == '%' ? here : StatementPlace{0, 0};
      after_equals = false;
    }
  }
  return found;
}

}  // namespace

std::optional<int> target_env(std::string_view name) {
  for (const auto& [word, env] : kTargets)
    if (word == name) return static_cast<int>(env);
  if (name.substr(0, 3) == "spv") return target_env("universal" + std::string(name.substr(3)));
  return std::nullopt;
}

bool known_target_env(std::string_view name) { return target_env(name).has_value(); }

std::vector<std::string_view> target_env_words() {
  std::vector<std::string_view> words;
  for (const auto& [word, env] : kTargets) words.push_back(word);
  return words;
}

namespace {

/// The version that an environment takes at most.
std::uint32_t newest_version(int env) {
  switch (env) {
    case SPV_ENV_UNIVERSAL_1_0:
    case SPV_ENV_VULKAN_1_0:
      return 0x00010000;
    case SPV_ENV_UNIVERSAL_1_1:
      return 0x00010100;
    case SPV_ENV_UNIVERSAL_1_2:
      return 0x00010200;
    case SPV_ENV_UNIVERSAL_1_3:
    case SPV_ENV_VULKAN_1_1:
      return 0x00010300;
    case SPV_ENV_UNIVERSAL_1_4:
      return 0x00010400;
    case SPV_ENV_UNIVERSAL_1_5:
    case SPV_ENV_VULKAN_1_2:
      return 0x00010500;
    default:
      return 0x00010600;
  }
}

/// "; Version: 1.3" among the comments before the first statement, as disassemblers write it.
std::optional<std::uint32_t> declared_version(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) continue;
    if (line[first] != ';') return std::nullopt;
    constexpr std::string_view kWord = "Version: 1.";
    const std::size_t at = line.find(kWord);
    if (at == std::string_view::npos || at + kWord.size() >= line.size()) continue;
    const char minor = line[at + kWord.size()];
    if (minor >= '0' && minor <= '6') return 0x00010000u | static_cast<std::uint32_t>(minor - '0') << 8;
  }
  return std::nullopt;
}

constexpr std::string_view kInvalidLanguage = "Invalid source language";

/// Whether the text was mended: the source language at an error's place, which the assembler does not know, becomes
/// Unknown. It is for debuggers only.
bool mend_language(std::string& text, const base::Diagnostic& error) {
  if (!error.message.starts_with(kInvalidLanguage) || error.place.line == 0) return false;
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < error.place.line; ++line) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  at += error.place.column - 1;
  if (at >= text.size()) return false;
  const std::size_t end = std::min(text.find_first_of(" \t\r\n;\"", at), text.size());
  text.replace(at, end - at, "Unknown");
  return true;
}

/// One try in one version; the places of statements are those of `text`.
base::Result<Module> assemble_once(const std::string& text, const std::string& file, int env,
                                   const base::Limits& limits) {
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
      spvContextCreate(static_cast<spv_target_env>(env)), &spvContextDestroy);
  spv_binary binary = nullptr;
  spv_diagnostic problem = nullptr;
  const spv_result_t status = spvTextToBinaryWithOptions(
      context.get(), text.data(), text.size(), SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS, &binary, &problem);
  const std::unique_ptr<spv_binary_t, decltype(&spvBinaryDestroy)> own_binary(binary, &spvBinaryDestroy);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> own_problem(problem, &spvDiagnosticDestroy);
  if (status != SPV_SUCCESS || binary == nullptr) {
    std::string message =
        problem != nullptr && problem->error != nullptr ? problem->error : "the text does not assemble";
    while (!message.empty() && (message.back() == '\n' || message.back() == ' ' || message.back() == '.'))
      message.pop_back();
    const auto line = problem != nullptr ? static_cast<std::uint32_t>(problem->position.line + 1) : 1u;
    const auto column = problem != nullptr ? static_cast<std::uint32_t>(problem->position.column + 1) : 1u;
    if (message.find("OpImageSampleFootprintNV") != std::string::npos)
      return base::error("spirv-footprint-operand-words", message, base::Place::text(file, line, column))
          .note(
              "R25: the words after the image operands mask match its bits, in bit order: Bias 1, Lod 1, Grad 2, "
              "MinLod 1 ids");
    return base::error("spirv-assembly", message, base::Place::text(file, line, column));
  }
  std::vector<std::uint8_t> bytes(binary->wordCount * 4);
  for (std::size_t i = 0; i < binary->wordCount; ++i)
    for (unsigned k = 0; k < 4; ++k) bytes[4 * i + k] = static_cast<std::uint8_t>(binary->code[i] >> (8 * k));
  base::Result<Module> module = read_binary(bytes, file, limits);
  if (!module.ok()) return module;
  const std::vector<StatementPlace> places = statements(text);
  if (places.size() == module->instructions.size())
    for (std::size_t i = 0; i < places.size(); ++i) {
      module->instructions[i].line = places[i].line;
      module->instructions[i].column = places[i].column;
    }
  return module;
}

}  // namespace

base::Result<Module> assemble(std::string text, const std::string& file, std::string_view target,
                              const base::Limits& limits) {
  const auto env = target_env(target);
  if (!env) return base::error("spirv-target-env", fmt::format("unknown target environment '{}'", target));
  base::Result<Module> module = assemble_once(text, file, *env, limits);
  std::string mended = text;
  while (!module.ok() && !module.diagnostics().empty() && mend_language(mended, module.diagnostics()[0]))
    module = assemble_once(mended, file, *env, limits);
  if (!module.ok()) return module;
  module->text = std::move(text);
  const std::uint32_t newest = newest_version(*env);
  const auto set_version = [&](std::uint32_t version) { module->version = module->words[1] = version; };
  if (const auto declared = declared_version(module->text); declared && *declared <= newest) {
    set_version(*declared);
    return module;
  }
  // The newest version of the environment, unless the text is valid in older ones only.
  const auto valid = [&](std::uint32_t version) {
    set_version(version);
    base::Diagnostics found;
    run_validator(*module, {target, true}, found);
    return !found.has_errors();
  };
  for (std::uint32_t version = newest; version >= 0x00010000; version -= 0x100)
    if (valid(version)) return module;
  set_version(newest);
  return module;
}

base::Result<std::string> disassemble(const Module& module) {
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6),
                                                                             &spvContextDestroy);
  spv_text text = nullptr;
  spv_diagnostic problem = nullptr;
  const std::uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  const spv_result_t status =
      spvBinaryToText(context.get(), module.words.data(), module.words.size(), options, &text, &problem);
  const std::unique_ptr<spv_text_t, decltype(&spvTextDestroy)> own_text(text, &spvTextDestroy);
  const std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)> own_problem(problem, &spvDiagnosticDestroy);
  // The position is the number of an instruction, from 1.
  const std::size_t number = problem != nullptr ? problem->position.index : 0;
  const base::Place place = number != 0 && number <= module.instructions.size()
                                ? module.place(module.instructions[number - 1])
                                : base::Place::in_file(module.file);
  if (status != SPV_SUCCESS || text == nullptr)
    return base::error(
        "spirv-parse",
        problem != nullptr && problem->error != nullptr ? problem->error : "the module can't be disassembled", place);
  return std::string(text->str, text->length);
}

}  // namespace heddle::spirv
