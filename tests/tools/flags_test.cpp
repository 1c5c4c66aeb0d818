// SPDX-License-Identifier: MIT
// Flags that would be taken in silence: empty values, values with an empty side, flags of one mode in another one.
// Rules: usage-flag, job-value.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kProgram = fs::absolute(HEDDLE_PROGRAM).string();

class Flags : public ::testing::Test {
 protected:
  TemporaryFolder folder_;

  Outcome heddle(std::vector<std::string> words) const {
    words.insert(words.begin(), kProgram);
    return run(words, {}, folder_.path());
  }
  /// Words between blanks.
  Outcome line(const std::string& text) const {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return heddle(words);
  }
  void SetUp() override {
    write_text(folder_ / "i.pfm", "Pf\n2 2\n-1.0\n" + std::string(16, '1'));
    fs::copy_file("examples/first.visaasm", folder_ / "k.visaasm");
    write_text(folder_ / "s.frag",
               "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 c;\n"
               "void main() { c = vec4(uv, 0, 1); }\n");
    write_text(folder_ / "s.vert",
               "#version 450\nlayout(location = 0) in vec2 pos;\nlayout(location = 0) out vec2 uv;\n"
               "void main() { uv = pos; gl_Position = vec4(pos, 0, 1); }\n");
    write_text(folder_ / "s.spvasm",
               "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %f \"main\"\n"
               "OpExecutionMode %f LocalSize 1 1 1\n%v = OpTypeVoid\n%t = OpTypeFunction %v\n"
               "%f = OpFunction %v None %t\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n");
  }
};

/// The flags that --help of a command lists, by their long names.
std::set<std::string> flags_of(const std::string& command) {
  const std::string help = run({kProgram, "help", command}).out;
  std::set<std::string> flags;
  const std::regex name("\n  (?:-[A-Za-z],)?(--[a-z0-9-]+)");
  for (std::sregex_iterator i(help.begin(), help.end(), name), end; i != end; ++i) flags.insert((*i)[1]);
  return flags;
}

TEST_F(Flags, AnEmptyValueIsNone) {
  std::size_t count = 0;
  for (const char* command :
       {"as",    "dis",       "dump",  "diff",  "val",   "compile", "explain", "info",   "gather", "sample",
        "unorm", "footprint", "batch", "judge", "state", "run",     "explore", "vulkan", "golden", "version"})
    for (const std::string& flag : flags_of(command)) {
      if (flag == "--help") continue;
      ++count;
      const Outcome o = heddle({command, flag + "=", "x"});
      EXPECT_EQ(o.exit_code, 2) << command << " " << flag;
      EXPECT_THAT(o.err, HasSubstr(flag + " is given an empty value")) << command;
    }
  EXPECT_GT(count, 200u);
  // As a word of its own, and beside a short name.
  EXPECT_THAT(heddle({"run", "k.visaasm", "--keep", ""}).err, HasSubstr("--keep is given an empty value"));
  EXPECT_THAT(heddle({"dis", "k.visaasm", "-o", ""}).err, HasSubstr("-o is given an empty value"));
  EXPECT_EQ(heddle({"compile", "s.spvasm", "-D", "NAME="}).exit_code, 2);  // of no GLSL; the value itself may be empty
}

TEST_F(Flags, ValuesWithAnEmptySideAreRefused) {
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  const auto with = [&](const std::string& flag, const std::string& value) {
    return heddle(
        {"run", "s.frag", "-q", "--target", "c=o.png:rgba8:4x4", "--vertex", "s.vert", "--vertices", "3", flag, value});
  };
  for (const char* flag : {"--input", "--arg", "--spec", "--image", "--surface", "--buffer", "--sampler", "--target",
                           "--state", "--vertex-input"})
    for (const char* value : {"pos=", "=1", "pos= ", "="}) {
      const Outcome o = with(flag, value);
      EXPECT_EQ(o.exit_code, 2) << flag << " " << value << o.err;
      EXPECT_EQ(o.signal, 0) << flag << " " << value;
      EXPECT_THAT(o.err, HasSubstr("NAME=VALUE is expected")) << flag << " " << value;
    }
  for (const auto& [flag, value] : {std::pair{"--depth", "z="},
                                    {"--stencil", "=s8"},
                                    {"--texels", "c="},
                                    {"--texels", "=x.png"},
                                    {"--image", "x=rgba8:"},
                                    {"--image", "x=:mips"},
                                    {"--image", "x=rgba8:4x4:fill="},
                                    {"--buffer", "b=f32:4:fill="},
                                    {"--buffer", "b=:f32"}}) {
    const Outcome o = with(flag, value);
    EXPECT_EQ(o.exit_code, 2) << flag << " " << value << o.err;
    EXPECT_EQ(o.signal, 0) << flag << " " << value;
  }
  EXPECT_THAT(with("--image", "x=rgba8:").err, HasSubstr("a word is missing beside ':'"));
  EXPECT_THAT(with("--buffer", "b=f32:4:fill=").err, HasSubstr("'fill=' lacks a value"));
  EXPECT_EQ(heddle({"compile", "s.frag", "--spec", "3="}).exit_code, 2);
  // The same in a job.
  for (const char* text :
       {"inputs = { uv = \"\" }", "vertex = \"s.vert\"\nvertices = 3\nvertex_inputs = { pos = \"\" }"}) {
    write_text(folder_ / "j.toml",
               "program = \"s.frag\"\n[images.c]\nformat = \"rgba8\"\nsize = [4, 4]\n[pixels]\n"
               "targets = [\"c\"]\n" +
                   std::string(text) + "\n");
    const Outcome o = heddle({"run", "j.toml"});
    EXPECT_EQ(o.exit_code, 1) << text << o.err;
    EXPECT_THAT(o.err, HasSubstr("takes numbers or the name of an attribute, not an empty text [job-value]"));
  }
}

TEST_F(Flags, FlagsOfOneModeAreRefusedInAnother) {
  const struct {
    const char *line, *said;
  } wrong[] = {
      {"vulkan --by draw true", "--by belongs to --texels: give that too, or leave --by out"},
      {"vulkan --draws 3 true", "--draws belongs to --explore"},
      {"vulkan --frames 3 true", "--frames belongs to --explore"},
      {"vulkan --budget 1e6 true", "--budget belongs to --explore"},
      {"vulkan --output x true", "--output belongs to --suite"},
      {"vulkan --jobs 2 true", "--jobs belongs to --suite"},
      {"vulkan --baseline x true", "--baseline belongs to --suite"},
      {"vulkan --flakes x true", "--flakes belongs to --suite"},
      {"vulkan --skips x true", "--skips belongs to --suite"},
      {"vulkan --suite x.toml --merge a --jobs 2", "--jobs has no effect beside --merge"},
      {"vulkan --suite x.toml --merge a --shard 1/2", "--shard has no effect beside --merge"},
      {"vulkan --suite x.toml --texels y", "--suite has no effect beside --texels"},
      {"vulkan --json true", "--json belongs to --profile"},
      {"vulkan --info --profile", "--info has no effect beside --profile"},
      {"vulkan --info ls", "--info runs vulkaninfo"},
      {"vulkan --verison ls", "there is no flag '--verison'"},
      {"golden record f --junit x.xml -- true", "--junit belongs to 'heddle golden check' and has no effect here"},
      {"golden record f --differences x -- true", "--differences belongs to 'heddle golden check'"},
      {"golden record f --explore x -- true", "--explore belongs to 'heddle golden check'"},
      {"golden check f --targets", "--targets belongs to 'heddle golden record'"},
      {"golden check f --files", "--files belongs to 'heddle golden record'"},
      {"golden check f --stop", "--stop belongs to 'heddle golden record'"},
      {"golden check f --shards 4", "--shards belongs to 'heddle golden record'"},
      {"golden record f --jobs 2 -- true", "--jobs belongs to --shards"},
      {"golden merge f a b --frames 3", "--frames belongs to 'heddle golden record or check'"},
      {"explore k.visaasm -o x.html --open", "--open belongs to --serve"},
      {"explore k.visaasm -o x.html --port 80", "--port belongs to --serve"},
      {"explore k.visaasm --serve --budget 1e6", "--budget has no effect beside --serve"},
      {"explain GA-4 --reference x", "--reference writes all pages"},
      {"run k.visaasm --engine reference --tier first", "--tier has no effect beside --engine reference"},
      {"run k.visaasm --engine=reference --cpu x86-64", "--cpu has no effect beside --engine reference"},
      {"run k.visaasm --assembly x --engine reference", "--assembly has no effect beside --engine reference"},
      {"run k.visaasm --keep x", "--keep is for shaders, and the input is vISA"},
      {"run k.visaasm --portable", "--portable is for shaders"},
      {"run k.visaasm --scalar-layout", "--scalar-layout is for shaders"},
      {"run k.visaasm -D X", "--define is for GLSL and HLSL"},
      {"run k.visaasm -I x", "--include is for GLSL and HLSL"},
      {"run k.visaasm --stage frag", "--stage is for shaders"},
      {"run k.visaasm --target-env vulkan1.0", "--target-env is for shaders"},
      {"run s.spvasm -D X --groups 1", "--define is for GLSL and HLSL, and the input is neither"},
      {"compile s.spvasm -I x", "--include is for GLSL and HLSL"},
      {"compile s.spvasm --dialect newer", "--dialect is for containers: -o FILE.isa"},
      {"val k.visaasm -D X", "--define is for GLSL and HLSL"},
      {"val k.visaasm --relaxed-layout", "--relaxed-layout is for shaders"},
      {"val s.spvasm --dialect newer", "--dialect is for vISA"},
      {"val s.spvasm --platform SKL", "--platform is for vISA, and the input is none"},
      {"dump s.spvasm --platform SKL", "--platform is for vISA"},
      {"dump s.spvasm --lenient", "--lenient is for vISA"},
      {"run s.spvasm -D X --groups 1 --keep kept.visaasm", "--define is for GLSL and HLSL, and the input is neither"},
      {"diff k.visaasm s.spvasm -D X", "--define is for GLSL and HLSL, and the input is neither"},
      {"diff k.visaasm k.visaasm --scalar-layout", "--scalar-layout is for shaders, and the input is vISA"},
      {"diff k.visaasm k.visaasm --stage frag", "--stage is for shaders, and the input is vISA"},
      {"dump k.visaasm --stage frag", "--stage is for shaders"},
      {"dump s.spvasm --pressure", "--pressure is for vISA"},
      {"diff k.visaasm k.visaasm --image x=rgba8:4x4", "--image has no effect: nothing is run"},
      {"diff k.visaasm k.visaasm --check warn", "--check has no effect: nothing is run"},
      {"diff k.visaasm k.visaasm --context 2 --json", "--context has no effect beside --json"},
      {"sample i.pfm --uv 0.1,0.2 --range 0,0,1,1", "--range belongs to --grid"},
      {"gather i.pfm --uv 0.1,0.2 -o x.png", "-o belongs to --grid"},
      {"sample i.pfm --grid 4x4 -o x.png --json", "--json has no effect beside --grid"},
      {"sample i.pfm --grid 4x4 -o x.png --uv 0.1,0.2", "--uv: beside --grid it gives, once, the depth of a volume"},
      {"unorm i.pfm --grid 8x8 -o x.png --uv 0.1,0.2", "--uv: --grid has coordinates of its own"},
      {"unorm i.pfm --grid 8x8 -o x.png --delta 1,1", "--delta has no effect beside --grid"},
      {"footprint --batch x --uv 0.1,0.2", "--uv has no effect beside --batch"},
      {"footprint --batch x --sampler linear", "--sampler has no effect beside --batch"},
      {"footprint i.pfm --batch x", "--batch: each query names its own image"},
      {"footprint i.pfm --view plane -o x.png --lod 1", "--lod has no effect beside --view"},
      {"footprint i.pfm --uv 0.1,0.2 --size 9x9", "--size belongs to --view"},
      {"footprint i.pfm --uv 0.1,0.2 --report set", "--report belongs to --json or --batch"},
  };
  for (const auto& w : wrong) {
    const Outcome o = line(w.line);
    EXPECT_EQ(o.exit_code, 2) << w.line << "\n" << o.err;
    EXPECT_THAT(o.err, HasSubstr(w.said)) << w.line;
    if (!std::string_view(w.line).starts_with("val ")) EXPECT_EQ(o.out, "") << w.line;  // it reads all inputs first
  }
  for (const char* good : {"sample i.pfm --uv 0.1,0.2 --json", "footprint i.pfm --uv 0.1,0.2 --json --report set",
                           "diff k.visaasm k.visaasm --platform SKL", "dump k.visaasm --pressure",
                           "val k.visaasm s.spvasm --scalar-layout", "val k.visaasm s.spvasm --platform SKL",
                           "val s.spvasm --lenient", "state decode CC_VIEWPORT 0 0x3f800000 --json"})
    EXPECT_EQ(line(good).exit_code, 0) << good << line(good).err;
  EXPECT_FALSE(fs::exists(folder_ / "kept.visaasm")) << "what is refused leaves nothing";
}

// Of two programs, or of several files, one that a flag is for is enough; one that cannot be read may be that one.
TEST_F(Flags, AFlagIsForOneOfTheInputs) {
  for (const char* text : {"diff s.spvasm k.visaasm --scalar-layout", "diff k.visaasm s.spvasm --target-env vulkan1.2",
                           "diff k.visaasm s.spvasm --portable"})
    EXPECT_EQ(line(text).exit_code, 1) << text << line(text).err;  // they differ
  const Outcome unread = line("val k.visaasm nosuch.frag -D X=1");
  EXPECT_EQ(unread.exit_code, 3) << unread.err;
  EXPECT_THAT(unread.err, HasSubstr("nosuch.frag"));
  EXPECT_THAT(unread.err, Not(HasSubstr("--define")));
  if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
  ASSERT_EQ(line("compile s.frag -o s.visaasm").exit_code, 0);
  for (const char* flag : {"-D X=1", "--stage frag", "--scalar-layout"}) {
    const std::string text = std::string("diff s.frag s.visaasm ") + flag;
    EXPECT_EQ(line(text).exit_code, 0) << text << line(text).err;
    EXPECT_EQ(line(std::string("diff s.visaasm s.frag ") + flag).exit_code, 0) << flag;
  }
}

TEST_F(Flags, AFlagThatIsNotThereIsNearOneOrOfAnotherCommand) {
  const struct {
    const char *line, *said;
  } wrong[] = {
      {"run k.visaasm --smapler S0=linear", "there is no flag '--smapler'; did you mean '--sampler'?"},
      {"run k.visaasm --taget T7=o.png", "did you mean '--target'?"},
      {"run k.visaasm --imgae T6=a.png", "did you mean '--image'?"},
      {"run k.visaasm --treads 1", "did you mean '--threads'?"},
      {"run k.visaasm -sampler S0=linear", "did you mean '--sampler'?"},
      {"vulkan --chek error ls", "did you mean '--check'?"},
      {"vulkan --texel x ls", "did you mean '--texels'?"},
      {"gather i.pfm --grad 0,0,0,0", "there is no flag '--grad'; it is one of 'heddle sample' or 'heddle footprint'"},
      {"run k.visaasm --uv 0,0", "there is no flag '--uv'; it is one of "},
      {"dis k.visaasm --zzzzzz", "there is no flag '--zzzzzz'\n"},
      {"--verison", "there is no flag '--verison'; did you mean '--version'?"},
      {"-help", "there is no flag '-help'; did you mean '--help'?"},
      {"--platform=PVC val k.visaasm", "'--platform' is a flag of commands, and stands behind the command's name"},
      {"state decode SAMPLER_STAT 0", "there is no structure 'SAMPLER_STAT'; did you mean 'SAMPLER_STATE'?"}};
  for (const auto& w : wrong) {
    const Outcome o = line(w.line);
    EXPECT_EQ(o.exit_code, 2) << w.line;
    EXPECT_THAT(o.err, HasSubstr(w.said)) << w.line;
  }
  // A program's flags are its own.
  EXPECT_THAT(line("vulkan no-such-program-here --smapler").err, Not(HasSubstr("there is no flag")));
}

}  // namespace
}  // namespace heddle::test
