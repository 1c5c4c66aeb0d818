// SPDX-License-Identifier: MIT
// Entry points of several stages that have one name (tests/data/spirv/samename.spvasm): the stage chooses.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/process.hpp"

namespace fs = std::filesystem;
using heddle::test::Outcome;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();
const std::string kModule = fs::absolute("tests/data/spirv/samename.spvasm").string();

class EntryPoints : public ::testing::Test {
 protected:
  Outcome heddle(std::vector<std::string> words) {
    words.insert(words.begin(), kProgram);
    return heddle::test::run(words, {}, folder.path());
  }
  heddle::test::TemporaryFolder folder;
};

TEST_F(EntryPoints, CompileTakesTheStage) {
  const std::pair<const char*, const char*> stages[] = {
      {"comp", "stage compute 1 1 1"}, {"vert", "stage vertex"}, {"frag", "stage fragment"}};
  for (const auto& [stage, line] : stages) {
    const Outcome o = heddle({"compile", kModule, "--entry", "main", "--stage", stage});
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr(line));
  }
  EXPECT_EQ(heddle({"compile", kModule, "--stage", "frag"}).exit_code, 0);  // the only one of that stage
  Outcome o = heddle({"compile", kModule, "--entry", "main"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err,
              AllOf(HasSubstr("several entry points are called 'main' [compile-entry]"), HasSubstr("--stage vert")));
  o = heddle({"compile", kModule, "--stage", "comp"});
  EXPECT_THAT(o.err, HasSubstr("the module has several entry points of stage compute: one must be named"));
  o = heddle({"compile", kModule, "--stage", "vert", "--entry", "other entry ä"});
  EXPECT_THAT(o.err, HasSubstr("no entry point of stage vertex is called 'other entry ä'"));
}

TEST_F(EntryPoints, RunTakesTheStageThatTheJobNeeds) {
  Outcome o = heddle({"run", kModule, "--entry", "main", "--groups", "1", "--buffer", "O=u32:3:save=-", "-q"});
  EXPECT_EQ(o.out, "[3, 4, 0]\n") << o.err;
  o = heddle({"run", kModule, "--entry", "other entry ä", "--groups", "1", "--buffer", "O=u32:3:save=-", "-q"});
  EXPECT_EQ(o.out, "[0, 0, 2]\n") << o.err;
  // White: the fragment shader's constant.
  o = heddle({"run", kModule, "--entry", "main", "--target", "out.0=c.bin:rgba8:2x1", "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(heddle::test::read_text(folder / "c.bin"), std::string(8, '\xff'));
  o = heddle({"run", kModule, "--entry", "main", "--stage", "vert", "--groups", "1", "-q"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("the program is a vertex shader"));
}

TEST_F(EntryPoints, JobsTakeTheStageThatTheyNeed) {
  heddle::test::write_text(folder / "job.toml",
                           "program = \"" + kModule +
                               "\"\nentry = \"main\"\n[images.\"out.0\"]\nformat = \"rgba8\"\nsize = [2, 1]\n"
                               "save = \"c.bin\"\n[pixels]\nvertex = \"" +
                               kModule + "\"\nvertex_entry = \"main\"\nvertices = 3\n");
  const Outcome o = heddle({"run", "job.toml", "-q"});
  EXPECT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(heddle({"compile", "job.toml"}).out, HasSubstr("stage fragment"));
}

TEST_F(EntryPoints, ValKnowsWhetherThereIsSuchAnEntryPoint) {
  for (const char* stage : {"comp", "vert", "frag"})
    EXPECT_EQ(heddle({"val", kModule, "--stage", stage, "--entry", "main"}).exit_code, 0) << stage;
  const Outcome o = heddle({"val", kModule, "--stage", "frag", "--entry", "other entry ä"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, AllOf(HasSubstr("the module has no entry point of stage frag 'other entry ä' [compile-entry]"),
                           HasSubstr("'main' (vertex)")));
}

}  // namespace
