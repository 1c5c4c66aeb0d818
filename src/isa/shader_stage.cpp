// SPDX-License-Identifier: MIT
#include "isa/shader_stage.hpp"

#include <vector>

namespace heddle::isa {
namespace {

template <typename Fits>
std::optional<ShaderStage> find(const Fits& fits) {
  for (const ShaderStageInfo& row : kShaderStages)
    if (fits(row)) return row.stage;
  return std::nullopt;
}

std::string listed(std::string_view ShaderStageInfo::* column, std::string_view conjunction) {
  std::vector<std::string_view> words;
  for (const ShaderStageInfo& row : kShaderStages)
    if (row.compiled) words.push_back(row.*column);
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k != 0 && k + 1 == words.size())
      text.append(" ").append(conjunction).append(" ");
    else if (k != 0)
      text += ", ";
    text += words[k];
  }
  return text;
}

}  // namespace

std::optional<ShaderStage> stage_of_model(std::uint32_t execution_model) {
  return find([&](const ShaderStageInfo& row) { return row.execution_model == execution_model; });
}

std::optional<ShaderStage> stage_of_word(std::string_view word) {
  return find([&](const ShaderStageInfo& row) { return row.compiled && (row.word == word || row.profile == word); });
}

std::string compiled_stage_names(std::string_view conjunction) { return listed(&ShaderStageInfo::name, conjunction); }
std::string compiled_stage_words(std::string_view conjunction) { return listed(&ShaderStageInfo::word, conjunction); }

}  // namespace heddle::isa
