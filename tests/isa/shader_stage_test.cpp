// SPDX-License-Identifier: MIT
#include "isa/shader_stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace heddle::isa {
namespace {

TEST(ShaderStages, ARowIsFoundByItsEnumeratorAndByItsModel) {
  std::set<std::uint32_t> models;
  for (const ShaderStageInfo& row : kShaderStages) {
    EXPECT_EQ(&stage_info(row.stage), &row) << row.name;
    EXPECT_EQ(stage_of_model(row.execution_model), row.stage) << row.name;
    EXPECT_TRUE(models.insert(row.execution_model).second) << row.name;
  }
  EXPECT_EQ(stage_of_model(6), std::nullopt);     // kernels
  EXPECT_EQ(stage_of_model(5313), std::nullopt);  // ray generation
}

TEST(ShaderStages, WordsOfFlagsAndFilesNameThoseThatAreCompiled) {
  EXPECT_EQ(stage_of_word("vert"), ShaderStage::Vertex);
  EXPECT_EQ(stage_of_word("ps"), ShaderStage::Fragment);
  EXPECT_EQ(stage_of_word("vertex"), std::nullopt);
  EXPECT_EQ(stage_of_word(""), std::nullopt);
  std::set<std::string_view> words;
  for (const ShaderStageInfo& row : kShaderStages)
    for (const std::string_view word : {row.word, row.profile}) {
      EXPECT_EQ(stage_of_word(word), row.compiled ? std::optional(row.stage) : std::nullopt) << word;
      EXPECT_TRUE(words.insert(word).second) << word;
    }
}

TEST(ShaderStages, MessagesListThoseThatAreCompiled) {
  const std::string names = compiled_stage_names("and"), words = compiled_stage_words("or");
  for (const ShaderStageInfo& row : kShaderStages) {
    EXPECT_EQ(names.find(row.name) != std::string::npos, row.compiled) << row.name;
    EXPECT_EQ(words.find(row.word) != std::string::npos, row.compiled) << row.word;
  }
  EXPECT_TRUE(names.ends_with("fragment and compute")) << names;
  EXPECT_TRUE(words.ends_with("frag or comp")) << words;
  EXPECT_EQ(std::ranges::count(names, ',') + 2, std::ranges::count_if(kShaderStages, &ShaderStageInfo::compiled));
}

TEST(PerStage, HasOneOfEach) {
  PerStage<int> values;
  values[ShaderStage::Fragment] = 3;
  EXPECT_EQ(std::ranges::count(values.all, 3), 1);
  EXPECT_EQ(values.all.size(), kShaderStages.size());
}

}  // namespace
}  // namespace heddle::isa
