// SPDX-License-Identifier: MIT
// heddle vulkan: the environment that a program is run in.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "image/files/files.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

const std::string kProgram = HEDDLE_PROGRAM;

bool has_driver() {
  return std::filesystem::exists(std::filesystem::path(kProgram).parent_path() / "../../lib/libvulkan_heddle.so");
}

TEST(Vulkan, RunsAProgramWithTheDriversManifest) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const Outcome outcome = run({kProgram, "vulkan", "--check", "warn", "sh", "-c",
                               "echo $VK_DRIVER_FILES $HEDDLE_CHECK $0 $mesa_glthread", "--flag"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("/lib/heddle_icd.json warn --flag false\n"), std::string::npos) << outcome.out;
}

TEST(Vulkan, SaysWhatIsMissing) {
  const Outcome help = run({kProgram, "vulkan", "--help"});
  EXPECT_NE(help.out.find("heddle vulkan [OPTIONS] PROGRAM ARGS...\n"), std::string::npos) << help.out;
  const Outcome none = run({kProgram, "vulkan"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("no program is named [vulkan-driver]"), std::string::npos) << none.err;
  const Outcome option = run({kProgram, "vulkan", "--verison", "ls"});
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_NE(option.err.find("there is no flag '--verison'"), std::string::npos) << option.err;
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  // Two dashes may stand between the options and the program; later ones are the program's.
  EXPECT_EQ(run({kProgram, "vulkan", "--", "echo", "--info", "--", "x"}).out, "--info -- x\n");
  EXPECT_EQ(run({kProgram, "vulkan", "--check", "warn", "--", "sh", "-c", "echo $HEDDLE_CHECK"}).out, "warn\n");
  const Outcome unknown = run({kProgram, "vulkan", "no-such-program-here"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_NE(unknown.err.find("no-such-program-here cannot be run"), std::string::npos) << unknown.err;
}

// A draw of patches becomes a job with its shaders; the program draws what it draws.
TEST(Vulkan, DrawsOfPatchesAreCaptured) {
  const auto terrain = std::filesystem::path(kProgram).parent_path() / "../../examples/vulkan_terrain";
  if (!std::filesystem::exists(terrain)) GTEST_SKIP() << "the example is not built";
  const TemporaryFolder folder;
  const Outcome outcome = run({"env", "HEDDLE_CAPTURE=" + (folder / "jobs").string(), kProgram, "vulkan",
                               terrain.string(), (folder / "t.png").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("vulkan-capture"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "jobs" / "000001.tese.visaasm"));
}

// zink asks X servers without a GPU for what they do not have, unless this variable is set.
TEST(Vulkan, ZinkDrawsOnServersWithoutAGpu) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const auto software = [](std::vector<std::string> set) {
    set.insert(set.begin(), {"env", "-u", "LIBGL_ALWAYS_SOFTWARE", "-u", "MESA_LOADER_DRIVER_OVERRIDE"});
    set.insert(set.end(), {kProgram, "vulkan", "sh", "-c", "echo ${LIBGL_ALWAYS_SOFTWARE-none}"});
    return run(set).out;
  };
  EXPECT_EQ(software({}), "none\n");
  EXPECT_EQ(software({"MESA_LOADER_DRIVER_OVERRIDE=zink"}), "1\n");
  EXPECT_EQ(software({"MESA_LOADER_DRIVER_OVERRIDE=iris"}), "none\n");
  EXPECT_EQ(software({"MESA_LOADER_DRIVER_OVERRIDE=zink", "LIBGL_ALWAYS_SOFTWARE=0"}), "0\n");
}

// Frame n of the program dispatches n + 1 groups. What it does for other frames is not captured, and it ends behind the
// last one that is.
TEST(Vulkan, CommandsOfChosenFramesAreCaptured) {
  const auto presenter = std::filesystem::path(kProgram).parent_path() / "../../tests/frame_presenter";
  if (!std::filesystem::exists(presenter)) GTEST_SKIP() << "this build has no Vulkan driver";
  const TemporaryFolder folder;
  const Outcome outcome =
      run({"env", "HEDDLE_CAPTURE=" + (folder / "jobs").string(), "HEDDLE_FRAME_PLAN=frames=2..3 last=3", kProgram,
           "vulkan", presenter.string(), "--endless", "--dispatch"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto job = [&](const char* name) { return read_text((folder / "jobs" / name).string()); };
  EXPECT_NE(job("000001.toml").find("groups = [3, 1, 1]"), std::string::npos);
  EXPECT_NE(job("000002.toml").find("groups = [4, 1, 1]"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "jobs" / "000003.toml"));
}

// A frame dispatches, then copies to its picture. The copy stands before the dispatch of the next frame, where both are
// captured, and not before that of a later one.
TEST(Vulkan, CommandsBetweenAreThoseOfNeighboringFrames) {
  const auto presenter = std::filesystem::path(kProgram).parent_path() / "../../tests/frame_presenter";
  if (!std::filesystem::exists(presenter)) GTEST_SKIP() << "this build has no Vulkan driver";
  for (const char* frames : {"1..2", "1,3"}) {
    const TemporaryFolder folder;
    const Outcome outcome = run({"env", "HEDDLE_CAPTURE=" + (folder / "jobs").string(),
                                 std::string("HEDDLE_FRAME_PLAN=last=3 frames=") + frames, kProgram, "vulkan",
                                 presenter.string(), "--endless", "--dispatch"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string job = read_text((folder / "jobs" / "000002.toml").string());
    ASSERT_NE(job, "") << frames;
    EXPECT_EQ(job.find("# before: copy buffer") != std::string::npos, std::string(frames) == "1..2") << job;
  }
}

TEST(Vulkan, FramesOfAProgramAreExplored) {
  const auto presenter = std::filesystem::path(kProgram).parent_path() / "../../tests/frame_presenter";
  if (!std::filesystem::exists(presenter)) GTEST_SKIP() << "this build has no Vulkan driver";
  const TemporaryFolder folder;
  const std::string page = (folder / "page.html").string();
  const auto explore = [&](const std::string& frames, const std::vector<std::string>& options) {
    std::vector<std::string> words{kProgram, "vulkan", "--explore", page, "--frames", frames, presenter.string()};
    words.insert(words.end(), options.begin(), options.end());
    return run(words);
  };
  if (const Outcome made = explore("5", {"--endless", "--dispatch"});
      made.err.find("explore-page") == std::string::npos) {
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_TRUE(std::filesystem::exists(page));
  }
  const Outcome nothing = explore("1-2", {"4"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_TRUE((nothing.err.find("ran in the frames 1 to 2 could be captured") != std::string::npos)) << nothing.err;
  EXPECT_EQ(nothing.err.find("it has no frame"), std::string::npos) << nothing.err;
  EXPECT_EQ(explore("2-1", {"4"}).exit_code, 2);
  // Frames that the program does not have.
  EXPECT_NE(explore("2-9", {"4", "--dispatch"}).err.find("presented 4 frames: it has no frame 4"), std::string::npos);
  EXPECT_NE(explore("7-9", {"4", "--dispatch"}).err.find("presented 4 frames: it has no frame 7"), std::string::npos);
  const Outcome alone = run({kProgram, "vulkan", "--frames", "1", "true"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_TRUE((alone.err.find("--frames belongs to --explore") != std::string::npos)) << alone.err;
}

// environment-value, environment-name: nothing is taken in silence, and the program does not start.
TEST(Vulkan, RefusesVariablesThatMeanNothing) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const auto with = [](const std::string& variable) {
    return run({"env", variable, kProgram, "vulkan", "echo", "started"});
  };
  for (const char* text : {"1", "on", "yes", "WARN", "0"}) {
    const Outcome outcome = with(std::string("HEDDLE_CHECK=") + text);
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.out, "") << text;
    EXPECT_NE(outcome.err.find(std::string("HEDDLE_CHECK is '") + text + "', which it does not take"),
              std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("HEDDLE_CHECK takes off, warn or error"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(with("HEDDLE_DEVICE_MEMORY=1GiBs").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_TIME_LIMIT=soon").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_CHECK_FORMAT=JSON").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_TRACE=here").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_FRAME_PLAN=frames=nine").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_CAPTURE=/dev/null").exit_code, 2);
  EXPECT_EQ(with("HEDDLE_TEXELS_BY=row").exit_code, 2);
  // What the program itself reads, too.
  for (const char* variable : {"HEDDLE_VECTORS=v9", "HEDDLE_CACHE_DIR=/dev/null"}) {
    const Outcome outcome = with(variable);
    EXPECT_EQ(outcome.exit_code, 2) << variable;
    EXPECT_EQ(outcome.err.find("environment-value"), outcome.err.rfind("environment-value")) << outcome.err;
  }
  EXPECT_NE(with("HEDDLE_CHEK=warn").err.find("did you mean HEDDLE_CHECK?"), std::string::npos);
  for (const char* good : {"HEDDLE_CHECK=error", "HEDDLE_CHECK=", "HEDDLE_DEVICE_MEMORY=1GiB", "HEDDLE_TIME_LIMIT=2min",
                           "HEDDLE_CHECK_FORMAT=json", "HEDDLE_TRACE=1,2,3", "HEDDLE_TEST_SEED=1"}) {
    const Outcome outcome = with(good);
    EXPECT_EQ(outcome.exit_code, 0) << good << outcome.err;
    EXPECT_EQ(outcome.out, "started\n") << good;
  }
  // The flag outweighs the variable.
  EXPECT_EQ(run({"env", "HEDDLE_CHECK=1", kProgram, "vulkan", "--check", "off", "true"}).exit_code, 0);
}

// --check error: 5 for findings of any process that the program starts, else the program's own code.
TEST(Vulkan, CheckErrorHasAnExitCode) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const auto code = [](const std::string& script) {
    return run({kProgram, "vulkan", "--check", "error", "sh", "-c", script}).exit_code;
  };
  EXPECT_EQ(code("test $HEDDLE_CHECK = error"), 0);
  EXPECT_EQ(code("exit 7"), 7);
  EXPECT_EQ(code("kill -TERM $$"), 128 + 15);
  EXPECT_EQ(code("printf x >>$HEDDLE_CHECK_MARK"), 5);
  EXPECT_EQ(code("printf x >>$HEDDLE_CHECK_MARK; exit 1"), 5);
  EXPECT_EQ(code("rm $HEDDLE_CHECK_MARK; exit 3"), 3);
  const Outcome mark = run({kProgram, "vulkan", "--check", "error", "sh", "-c", "echo $HEDDLE_CHECK_MARK"});
  EXPECT_FALSE(std::filesystem::exists(mark.out.substr(0, mark.out.find('\n')))) << mark.out;
#if !defined(HEDDLE_EMULATED)  // qemu's posix_spawn starts a process that ends at once where there is no such program
  EXPECT_EQ(run({kProgram, "vulkan", "--check", "error", "no-such-program-here"}).exit_code, 3);
#endif
}

// --texels: vulkan_footprint stores its picture of 720 x 480 once, clears its 16 x 16 marks in 7 layers and reads both
// back; its texture has 7 levels from 512 x 512 on. A group of 4 x 4 texels that it marks is one that its samples read
// (I10, I11), so that what it says of each level is what the map has.
TEST(Vulkan, TexelsAreCounted) {
  const auto example = std::filesystem::path(kProgram).parent_path() / "../../examples/vulkan_footprint";
  if (!has_driver() || !std::filesystem::exists(example)) GTEST_SKIP() << "the driver and its examples are not built";
  const TemporaryFolder folder;
  const std::string counts = folder / "counts";
  const Outcome outcome =
      run({kProgram, "vulkan", "--texels", counts, example.string(), (folder / "picture.png").string()}, {}, {}, 300);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto summary = nlohmann::json::parse(read_text(folder / "counts" / "texels.json"));
  const auto with = [&](const char* use) -> const nlohmann::json& {
    for (const auto& image : summary["images"])
      if (image["counts"].contains(use)) return image;
    ADD_FAILURE() << use << ": " << summary["images"].dump();
    return summary["images"][0];
  };
  EXPECT_EQ(summary["images"].size(), 3u);
  const auto& texture = with("sampled");
  std::uint64_t bytes = 0;
  for (std::uint32_t level = 0; level < 7; ++level) bytes += std::uint64_t{512u >> level} * (512u >> level) * 4;
  EXPECT_EQ(texture["bytes_uploaded"], bytes);
  EXPECT_EQ(texture["texels_read_before_written"], 0);
  EXPECT_EQ(with("cleared")["counts"]["cleared"], 2 * 16 * 16 * 7);  // two texels hold the 64 bits of a mark
  EXPECT_EQ(with("cleared")["counts"]["copied-from"], 2 * 16 * 16 * 7);
  for (const auto& image : summary["images"])
    if (image["extent"][0] == 720)
      EXPECT_EQ(image["counts"], (nlohmann::json{{"stored", 720 * 480}, {"copied-from", 720 * 480}}));
  const auto map = image::load_image((folder / "counts" / texture["maps"]["sampled"].get<std::string>()).string());
  ASSERT_TRUE(map.ok());
  for (std::uint32_t level = 0; level < 7; ++level) {
    const std::vector<std::uint8_t> texels = image::packed_slice(*map, level, 0);
    const std::uint32_t edge = 512u >> level;
    std::uint32_t groups = 0;
    for (std::uint32_t y = 0; y < edge; y += 4)
      for (std::uint32_t x = 0; x < edge; x += 4) {
        bool read = false;
        for (std::uint32_t k = 0; k < 16; ++k)
          for (std::uint32_t b = 0; b < 4; ++b) read = read || texels[((y + k / 4) * edge + x + k % 4) * 4 + b] != 0;
        groups += read ? 1 : 0;
      }
    EXPECT_NE(outcome.out.find("level " + std::to_string(level) + ": " + std::to_string(groups) + " of "),
              std::string::npos)
        << level << ": " << groups << "\n"
        << outcome.out;
  }
  // A name that is mistyped costs no counts.
  EXPECT_EQ(run({kProgram, "vulkan", "--texels", counts, "./no-such-program"}).exit_code, 3);
  EXPECT_TRUE(std::filesystem::exists(counts + "/texels.json"));
  // An earlier run's folder is replaced, another one is not.
  EXPECT_EQ(run({kProgram, "vulkan", "--texels", counts, "true"}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(counts));
}

// Their shaders are found wherever they are started; their exit codes are those of heddle vulkan.
TEST(Vulkan, ExamplesRunFromAnyFolder) {
  const auto example = std::filesystem::path(kProgram).parent_path() / "../../examples/vulkan_footprint";
  if (!has_driver() || !std::filesystem::exists(example)) GTEST_SKIP() << "the driver and its examples are not built";
  const TemporaryFolder folder;
  const std::string program = std::filesystem::absolute(kProgram).string();
  const auto at = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {program, "vulkan", std::filesystem::absolute(example).string()});
    return run(words, {}, folder.path(), 300);
  };
  const Outcome drawn = at({"picture.png"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "picture.png"));
  EXPECT_EQ(at({}).exit_code, 2);
  EXPECT_EQ(at({"no/such/folder/picture.png"}).exit_code, 1);
}

// vulkan-texels: nothing was written.
TEST(Vulkan, TexelsGoToAFolderOfTheirOwn) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  const TemporaryFolder folder;
  write_text(folder / "mine", "text");
  const Outcome full = run({kProgram, "vulkan", "--texels", folder.path().string(), "echo", "started"});
  EXPECT_EQ(full.exit_code, 3);
  EXPECT_EQ(full.out, "");
  EXPECT_NE(full.err.find("has files in it that are no counts of texels"), std::string::npos) << full.err;
  EXPECT_EQ(read_text(folder / "mine"), "text");
  EXPECT_EQ(run({kProgram, "vulkan", "--texels", (folder / "no" / "such").string(), "true"}).exit_code, 3);
  const Outcome nothing = run({kProgram, "vulkan", "--texels", (folder / "new").string(), "sh", "-c", "exit 4"});
  EXPECT_EQ(nothing.exit_code, 4);
  EXPECT_NE(nothing.err.find("was not written"), std::string::npos) << nothing.err;
  EXPECT_EQ(run({kProgram, "vulkan", "--by", "draw", "true"}).exit_code, 2);
  EXPECT_EQ(run({kProgram, "vulkan", "--texels", "x", "--check", "warn", "true"}).exit_code, 2);
  EXPECT_EQ(run({"env", "HEDDLE_CHECK=warn", kProgram, "vulkan", "--texels", "x", "true"}).exit_code, 2);
}

TEST(Vulkan, InfoNamesTheDevice) {
  if (!has_driver()) GTEST_SKIP() << "the driver is not built";
  if (!have_program("vulkaninfo")) GTEST_SKIP() << "vulkaninfo is not installed";
#if defined(HEDDLE_EMULATED)
  GTEST_SKIP() << "vulkaninfo is a program of the machine at hand, which loads no driver for another";
#endif
  const Outcome outcome = run({kProgram, "vulkan", "--info"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Heddle CPU"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace heddle::test
