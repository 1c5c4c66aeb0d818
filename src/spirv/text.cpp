// .spvasm in and out, through SPIRV-Tools; the places of statements are found in the text itself.

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <array>
#include <memory>
#include <utility>

#include "base/byte_cursor.hpp"
#include "spirv/module.hpp"
#include "spirv/target.hpp"

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

base::Result<Module> assemble(std::string text, const std::string& file, std::string_view target,
                              const base::Limits& limits) {
  const auto env = target_env(target);
  if (!env) return base::error("spirv-target-env", fmt::format("unknown target environment '{}'", target));
  const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
      spvContextCreate(static_cast<spv_target_env>(*env)), &spvContextDestroy);
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
  module->text = std::move(text);
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
  if (status != SPV_SUCCESS || text == nullptr)
    return base::error(
        "spirv-parse",
        problem != nullptr && problem->error != nullptr ? problem->error : "the module can't be disassembled",
        base::Place::binary(module.file, problem != nullptr ? problem->position.index * 4 : 0));
  return std::string(text->str, text->length);
}

}  // namespace heddle::spirv
