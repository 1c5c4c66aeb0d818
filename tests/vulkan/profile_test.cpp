// SPDX-License-Identifier: MIT
// heddle vulkan --profile, and docs/profiles.md, which says what it finds. `HEDDLE_UPDATE_TABLES=1` writes that anew.

#include <gmock/gmock.h>

#include <cstdlib>

#include <nlohmann/json.hpp>

#include "support/process.hpp"
#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

Outcome profile(const std::vector<std::string>& words) {
  std::vector<std::string> all{HEDDLE_PROGRAM, "vulkan", "--profile"};
  all.insert(all.end(), words.begin(), words.end());
  return run(all);
}

/// What the program says of a table of its own.
Outcome judge(const std::string& table) {
  const TemporaryFolder folder;
  write_text(folder / "own.txt", table);
  return profile({(folder / "own.txt").string()});
}

VkPhysicalDeviceLimits limits() {
  const VkInstance instance = make_instance();
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(physical_device(instance), &properties);
  vkDestroyInstance(instance, nullptr);
  return properties.limits;
}

constexpr const char* kHead =
    R"(# Profiles

Which public profiles the driver has, and what it misses of each. Written by `HEDDLE_UPDATE_TABLES=1
build/dev/tests/test_vulkan --gtest_filter='VulkanProfiles.*'` from what `heddle vulkan --profile --json` says; a test compares.

```sh
heddle vulkan --profile                        # all, a line each
heddle vulkan --profile VP_KHR_roadmap_2024    # what one misses: exit code 5 where it is something
heddle vulkan --profile ./my_program.txt       # the profiles of a table of your own
```

The facts come from the profiles that Khronos and LunarG publish (Vulkan-Profiles, August 2026; Android's are there too), those of DXVK and vkd3d-proton (August
2026), Mesa's documentation of zink, the default limits of WebGPU and what Dawn asks of a driver. They stand in `src/tools/profiles/tables/`.

## A table

Words with spaces between them; `#` begins a comment. A name that Vulkan's registry does not have is an error with its place.

| line | what |
|---|---|
| `profile NAME`, `part NAME` | begins a profile, or a part that several of them use |
| `about TEXT`, `version 1.3.204` | what it is; the version of Vulkan that it asks for |
| `uses NAME...` | everything of other profiles and parts |
| `need NAME...` | extensions (`VK_...`) and features |
| `limit maxViewports>=16 maxComputeWorkGroupSize>=256,256,64` | at least; also `<=`, `=`, `pointSizeRange~1,64` (covers a range), `NAME:BIT,BIT` (has bits) |
| `format optimal SAMPLED_IMAGE BLIT_SRC` | with `of R8_UNORM ...` below it: formats with all of these features in optimal or linear tiling, or as `buffer` |
| `queue VK_QUEUE_COMPUTE_BIT ...` | a queue family has all of the flags |
| `either NAME...`, `or NAME...` | one of the lines holds |
| `newer NAME...` | names that the registry does not have yet: no driver has them |

## What holds

| profile | what it is | state |
|---|---|---|
)";

std::string document() {
  const Outcome outcome = profile({"--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::string table = kHead, missing;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    const auto one = nlohmann::json::parse(line);
    const std::string name = one["profile"];
    const std::size_t misses = one["misses"].size();
    table += "| `" + name + "` | " + one["about"].get<std::string>() + " | " +
             (one["holds"] ? "holds" : "misses " + std::to_string(misses) + " of " + one["asks"].dump()) + " |\n";
    if (misses == 0) continue;
    missing += "\n`" + name + "`:\n\n";
    for (const auto& miss : one["misses"]) {
      missing += "- " + miss["kind"].get<std::string>() + " `" + miss["name"].get<std::string>() + "`";
      if (miss.contains("asked")) missing += ": " + miss["asked"].get<std::string>();
      if (miss.contains("has")) missing += " (there is " + miss["has"].get<std::string>() + ")";
      missing += "\n";
    }
  }
  return table + "\n## What is missing\n" + missing;
}

TEST(VulkanProfiles, TheDocumentSaysWhatTheProgramFinds) {
  const std::filesystem::path path = std::filesystem::path(HEDDLE_SOURCE_DIR) / "docs/profiles.md";
  const std::string now = document();
  if (std::getenv("HEDDLE_UPDATE_TABLES") != nullptr) write_text(path, now);
  EXPECT_EQ(read_text(path), now) << "HEDDLE_UPDATE_TABLES=1 writes it anew";
}

TEST(VulkanProfiles, LimitsAreComparedAtTheirEdges) {
  const VkPhysicalDeviceLimits has = limits();
  const auto one = [](const std::string& limit) { return judge("profile P\nlimit " + limit + "\n").exit_code; };
  const auto number = [](auto value) { return std::to_string(value); };
  EXPECT_EQ(one("maxImageDimension2D>=" + number(has.maxImageDimension2D)), 0);
  EXPECT_EQ(one("maxImageDimension2D>=" + number(has.maxImageDimension2D + 1)), 5);
  EXPECT_EQ(one("maxImageDimension2D=" + number(has.maxImageDimension2D)), 0);
  EXPECT_EQ(one("maxImageDimension2D=" + number(has.maxImageDimension2D - 1)), 5);
  EXPECT_EQ(one("minTexelBufferOffsetAlignment<=" + number(has.minTexelBufferOffsetAlignment)), 0);
  EXPECT_EQ(one("minTexelBufferOffsetAlignment<=" + number(has.minTexelBufferOffsetAlignment - 1)), 5);
  const std::uint32_t* size = has.maxComputeWorkGroupSize;
  EXPECT_EQ(one("maxComputeWorkGroupSize>=" + number(size[0]) + "," + number(size[1]) + "," + number(size[2])), 0);
  EXPECT_EQ(one("maxComputeWorkGroupSize>=" + number(size[0]) + "," + number(size[1]) + "," + number(size[2] + 1)), 5);
  EXPECT_EQ(one("viewportBoundsRange~" + number(has.viewportBoundsRange[0]) + "," + number(has.viewportBoundsRange[1])),
            0);
  EXPECT_EQ(
      one("viewportBoundsRange~" + number(has.viewportBoundsRange[0]) + "," + number(has.viewportBoundsRange[1] + 1)),
      5);
  EXPECT_EQ(
      one("viewportBoundsRange~" + number(has.viewportBoundsRange[0] - 1) + "," + number(has.viewportBoundsRange[1])),
      5);
  EXPECT_EQ(one("framebufferColorSampleCounts:VK_SAMPLE_COUNT_1_BIT,VK_SAMPLE_COUNT_16_BIT"), 0);
  EXPECT_EQ(one("framebufferColorSampleCounts:VK_SAMPLE_COUNT_1_BIT,VK_SAMPLE_COUNT_64_BIT"), 5);
}

TEST(VulkanProfiles, EachKindOfNeedIsMissedAlone) {
  const auto code = [](const std::string& lines) { return judge("profile P\n" + lines).exit_code; };
  EXPECT_EQ(code("version 1.4.0\n"), 0);
  EXPECT_EQ(code("version 1.5.0\n"), 5);
  EXPECT_EQ(code("need VK_KHR_swapchain VK_KHR_surface robustBufferAccess\n"), 0);
  EXPECT_EQ(code("need VK_KHR_ray_query\n"), 5);
  EXPECT_EQ(code("need rayQuery\n"), 5);
  EXPECT_EQ(code("format optimal SAMPLED_IMAGE BLIT_SRC\nof R8_UNORM\n"), 0);
  EXPECT_EQ(code("format optimal SAMPLED_IMAGE BLIT_SRC\nof R8_UNORM R8_USCALED\n"), 5);
  EXPECT_EQ(code("format buffer VERTEX_BUFFER\nof R8_USCALED\n"), 0);
  EXPECT_EQ(code("format linear COLOR_ATTACHMENT\nof BC1_RGB_UNORM_BLOCK\n"), 5);
  EXPECT_EQ(code("queue VK_QUEUE_GRAPHICS_BIT VK_QUEUE_COMPUTE_BIT\n"), 0);
  EXPECT_EQ(code("queue VK_QUEUE_GRAPHICS_BIT VK_QUEUE_VIDEO_DECODE_BIT_KHR\n"), 5);
  EXPECT_EQ(code("either rayQuery\nor geometryShader\n"), 0);
  EXPECT_EQ(code("either rayQuery geometryShader\nor VK_KHR_ray_query\n"), 5);
  EXPECT_EQ(code("need ofTomorrow\nnewer ofTomorrow\n"), 5);
  EXPECT_EQ(judge("part a\nneed rayQuery\nprofile P\nuses a\n").exit_code, 5);
  EXPECT_EQ(judge("part a\nneed rayQuery\nprofile P\nneed robustBufferAccess\n").exit_code, 0);
}

TEST(VulkanProfiles, WhatIsMissedIsNamed) {
  const Outcome outcome = judge(
      "profile P\nabout a test\nversion 1.9.3\nneed rayQuery\nlimit maxViewports>=1000\nformat optimal BLIT_DST\n"
      "of R8_USCALED\neither rayQuery\nor VK_KHR_ray_query\n");
  EXPECT_EQ(outcome.exit_code, 5);
  EXPECT_THAT(outcome.out, HasSubstr("misses 5 of 5"));
  EXPECT_THAT(outcome.out, HasSubstr("a test\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  version Vulkan 1.9.3 (there is 1.4."));
  EXPECT_THAT(outcome.out, HasSubstr("  feature rayQuery\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  limit maxViewports >= 1000 (there is 16)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  format R8_USCALED optimal BLIT_DST\n"));
  EXPECT_THAT(outcome.out, HasSubstr("  choice rayQuery, or VK_KHR_ray_query\n"));
}

// Names that nobody knows would be missed for ever: they are errors (profile-name), and so are lines that are none
// (profile-line).
TEST(VulkanProfiles, WrongTablesAreRefused) {
  const auto refused = [](const std::string& table, const std::string& message) {
    const Outcome outcome = judge(table);
    EXPECT_EQ(outcome.exit_code, 1) << table << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << table;
    EXPECT_EQ(outcome.out, "");
  };
  refused("profile P\nneed geometryShadr\n", "own.txt:2:6: error: the registry has no feature 'geometryShadr'");
  refused("profile P\nneed geometryShadr\n", "did you mean 'geometryShader'?");
  refused("profile P\nneed VK_KHR_nothing\n", "the registry has no extension 'VK_KHR_nothing'");
  refused("profile P\nlimit maxNothing>=3\n", "own.txt:2:7: error: the registry has no limit 'maxNothing'");
  refused("profile P\nlimit framebufferColorSampleCounts:FOUR\n", "the registry has no value 'FOUR'");
  refused("profile P\nformat optimal SHINY\nof R8_UNORM\n", "the registry has no feature of formats 'SHINY'");
  refused("profile P\nformat optimal BLIT_SRC\nof R9_UNORM\n", "no format with optimal features 'R9_UNORM'");
  refused("profile P\nformat oblique BLIT_SRC\nof R8_UNORM\n", "no format with oblique features 'R8_UNORM'");
  refused("profile P\nqueue QUEUE\n", "the registry has no flag of queues 'QUEUE'");
  refused("profile P\nuses Q\n", "own.txt:2:6: error: there is no profile or part 'Q'");
  refused("profile P\nuses Q\npart Q\nuses P\n", "'P' uses itself");
  refused("profile P\nprofile P\n", "'P' is there twice");
  refused("profile VP_KHR_roadmap_2022\n", "'VP_KHR_roadmap_2022' is there twice");
  refused("need robustBufferAccess\n", "'need' stands before any profile");
  refused("profile P\nwants x\n", "'wants' begins no line of a profile");
  refused("profile P\nneed\n", "own.txt:2:1: error: 'need' stands alone");
  refused("profile P\nversion one\n", "'one' is no version");
  refused("profile P\nversion 1.3.99999\n", "'1.3.99999' is no version");
  refused("profile P\nof R8_UNORM\n", "'of' stands before any format");
  refused("profile P\nor x\n", "'or' stands before any 'either'");
  refused("profile P\nformat optimal BLIT_SRC\n", "own.txt:2:8: error: a 'format' line names features");
  refused("profile P\nformat optimal\nof R8_UNORM\n", "own.txt:2:8: error: a 'format' line names features");
  for (const char* none : {"", "# nothing\n", "part P\nneed geometryShader\n"})
    refused(none, "the file has no profile");
  for (const char* limit :
       {"maxViewports", ">=3", "maxViewports>=", "maxViewports>3", "maxViewports>=1,,2", "pointSizeRange~1"})
    refused(std::string("profile P\nlimit ") + limit + "\n", "is no limit such as maxViewports>=16");
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "part p" + std::to_string(i) + "\nuses p" + std::to_string(i + 1) + "\n";
  refused(many, "there are more than 2000 parts");
}

// profile-unknown, and flags that do not go together.
TEST(VulkanProfiles, TheCommandLineIsChecked) {
  const Outcome unknown = profile({"VP_KHR_roadmap_2023"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("there is no profile 'VP_KHR_roadmap_2023'"));
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'VP_KHR_roadmap_202"));
  const Outcome part = profile({"Roadmap"});
  EXPECT_EQ(part.exit_code, 2);
  EXPECT_THAT(part.err,
              HasSubstr("names with 'Roadmap' in them: VP_KHR_roadmap_2022 VP_KHR_roadmap_2024 VP_KHR_roadmap_2026"));
  EXPECT_EQ(profile({"./is/not/there"}).exit_code, 3);
  const Outcome program = run({HEDDLE_PROGRAM, "vulkan", "--profile", "WEBGPU_core", "echo", "x"});
  EXPECT_EQ(program.exit_code, 2);
  EXPECT_THAT(program.err, HasSubstr("--profile runs no program"));
  const Outcome json = run({HEDDLE_PROGRAM, "vulkan", "--json", "echo", "x"});
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_THAT(json.err, HasSubstr("--json belongs to --profile"));
  EXPECT_EQ(profile({"WEBGPU_core"}).exit_code, 0);
}

}  // namespace
}  // namespace heddle::test
