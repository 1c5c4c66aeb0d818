// SPDX-License-Identifier: MIT
// heddle golden: what is recorded, shards that become one run's bytes, differences that are found.
// Rules: golden-frames, golden-program, golden-folder, golden-manifest, golden-part, golden-bits, golden-input,
// vulkan-golden.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/bits/sha256.hpp"
#include "image/files/files.hpp"
#include "nlohmann/json.hpp"
#include "support/process.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kBuild = fs::path(HEDDLE_PROGRAM).parent_path() / ".." / "..";
const std::string kPresenter = (kBuild / "tests" / "frame_presenter").string();

class Golden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kPresenter)) GTEST_SKIP() << "this build has no Vulkan driver";
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// heddle golden ACTION NAME FLAGS... -- PROGRAM ARGUMENTS...
  [[nodiscard]] Outcome golden(const std::string& action, const std::string& name,
                               const std::vector<std::string>& flags = {},
                               const std::vector<std::string>& program = {}) const {
    std::vector<std::string> words{HEDDLE_PROGRAM, "golden", action, path(name)};
    words.insert(words.end(), flags.begin(), flags.end());
    if (!program.empty()) words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    return run(words);
  }
  /// Names and bytes of all files of a folder.
  [[nodiscard]] std::map<std::string, std::vector<std::uint8_t>> bytes_of(const std::string& name) const {
    std::map<std::string, std::vector<std::uint8_t>> files;
    for (const auto& entry : fs::directory_iterator(path(name)))
      files[entry.path().filename().string()] = read_bytes(entry.path());
    return files;
  }
  TemporaryFolder folder_;
};

/// The presenter's frame, as the swapchain has it: blue first.
std::vector<std::uint8_t> texels_of(unsigned frame) {
  std::vector<std::uint8_t> bytes;
  for (unsigned y = 0; y < 16; ++y)
    for (unsigned x = 0; x < 24; ++x)
      for (const unsigned byte : {frame, y, 7 * frame + x, 255u}) bytes.push_back(static_cast<std::uint8_t>(byte));
  return bytes;
}

/// A golden.json whose first frame has this picture: names, sizes and hashes fit it.
void put_picture(const std::string& folder, const image::Surface& picture, const std::string& format) {
  const std::string file = folder + "/000000.png";
  ASSERT_TRUE(image::save_image(file, picture, {}).ok());
  auto manifest = nlohmann::ordered_json::parse(read_text(folder + "/golden.json"));
  auto& frame = manifest["recorded"][0];
  frame["format"] = format;
  frame["width"] = picture.width;
  frame["height"] = picture.height;
  frame["sha256"] = base::sha256(image::packed_texels(picture));
  frame["picture_sha256"] = base::sha256(read_bytes(file));
  write_text(folder + "/golden.json", manifest.dump());
}

TEST_F(Golden, FramesAreWhatTheProgramPresents) {
  const Outcome o = golden("record", "five", {"--frames", "1,3.."}, {kPresenter, "5"});
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("3 of 5 frames recorded"));
  const auto manifest = nlohmann::json::parse(read_text(path("five/golden.json")));
  EXPECT_EQ(manifest["bits"], 1);
  EXPECT_EQ(manifest["count"], 5);
  EXPECT_EQ(manifest["program"], nlohmann::json({kPresenter, "5"}));
  EXPECT_EQ(manifest["inputs"][0]["sha256"], base::sha256(read_bytes(kPresenter)));
  ASSERT_EQ(manifest["recorded"].size(), 3u);
  for (const auto& [at, frame] : {std::pair{0u, 1u}, {1u, 3u}, {2u, 4u}}) {
    const auto& row = manifest["recorded"][at];
    EXPECT_EQ(row["frame"], frame);
    EXPECT_EQ(row["format"], "B8G8R8A8_UNORM");
    EXPECT_EQ(row["width"], 24);
    EXPECT_EQ(row["height"], 16);
    EXPECT_EQ(row["sha256"], base::sha256(texels_of(frame)));
    const std::string picture = path("five/" + row["picture"].get<std::string>());
    EXPECT_EQ(row["picture_sha256"], base::sha256(read_bytes(picture)));
    const auto loaded = image::load_image(picture);
    ASSERT_TRUE(loaded.ok());
    std::vector<std::uint8_t> wanted = texels_of(frame);
    for (std::size_t i = 0; i < wanted.size(); i += 4) std::swap(wanted[i], wanted[i + 2]);
    EXPECT_EQ(image::packed_texels(*loaded), wanted) << "red first in PNG";
  }
}

TEST_F(Golden, FramesThatAProgramDoesNotHaveAreTold) {
  const Outcome beyond = golden("record", "beyond", {"--frames", "1..9"}, {kPresenter, "3"});
  EXPECT_EQ(beyond.exit_code, 0) << beyond.err;
  EXPECT_THAT(beyond.out, HasSubstr("2 of 3 frames recorded"));
  EXPECT_THAT(beyond.err, HasSubstr("--frames 1..9: the program has 3 frames [golden-frames]"));
  for (const char* inside : {"1..2", "1..", "0,2"})
    EXPECT_EQ(golden("record", std::string("in") + inside, {"--frames", inside}, {kPresenter, "3"}).err, "") << inside;
}

TEST_F(Golden, ShardsMergedAreOneRun) {
  ASSERT_EQ(golden("record", "whole", {}, {kPresenter, "11"}).exit_code, 0);
  std::vector<std::string> parts;
  for (const char* index : {"1", "2", "3", "4"}) {
    ASSERT_EQ(golden("record", std::string("part") + index, {"--shard", std::string(index) + "/4"}, {kPresenter, "11"})
                  .exit_code,
              0);
    parts.push_back(path(std::string("part") + index));
  }
  std::swap(parts[0], parts[2]);  // in any order
  const Outcome merged = golden("merge", "merged", parts);
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(bytes_of("merged"), bytes_of("whole"));
}

// A shard that dies leaves nothing that counts; made again, it fits.
TEST_F(Golden, AShardThatWasKilledIsMadeAgain) {
  const std::vector<std::string> program{
      "/bin/sh", "-c",
      "if [ -e " + path("again") + " ]; then exec " + kPresenter + " 6; else exec " + kPresenter + " 6 --kill 3; fi"};
  write_text(path("again"), "");
  ASSERT_EQ(golden("record", "whole", {}, program).exit_code, 0);
  ASSERT_EQ(golden("record", "a", {"--shard", "1/2"}, program).exit_code, 0);
  fs::remove(path("again"));
  const Outcome killed = golden("record", "b", {"--shard", "2/2"}, program);
  EXPECT_EQ(killed.exit_code, 1);
  EXPECT_THAT(killed.err, HasSubstr("exit code 137 [golden-program]"));
  EXPECT_FALSE(fs::exists(path("b")));
  EXPECT_TRUE(fs::exists(path("b.unfinished/000001.png"))) << "it died halfway";
  const Outcome missing = golden("merge", "merged", {path("a")});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.err, HasSubstr("missing: shard 2/2 [golden-part]"));
  EXPECT_FALSE(fs::exists(path("merged")));
  write_text(path("again"), "");
  ASSERT_EQ(golden("record", "b", {"--shard", "2/2"}, program).exit_code, 0);
  EXPECT_FALSE(fs::exists(path("b.unfinished")));
  ASSERT_EQ(golden("merge", "merged", {path("a"), path("b")}).exit_code, 0);
  EXPECT_EQ(bytes_of("merged"), bytes_of("whole"));
}

TEST_F(Golden, SixtyFourShardsOnTwoProcessesAreOneRun) {
  const std::vector<std::string> program{kPresenter, "70"};
  ASSERT_EQ(golden("record", "whole", {}, program).exit_code, 0);
  const Outcome o = golden("record", "many", {"--shards", "64", "--jobs", "2"}, program);
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_EQ(bytes_of("many"), bytes_of("whole"));
  EXPECT_FALSE(fs::exists(path("many.shards")));
}

TEST_F(Golden, AShardThatFailsRunsAgain) {
  // Where no folder `once` is, it is made and the run dies.
  const std::vector<std::string> program{"/bin/sh", "-c",
                                         "if mkdir " + path("once") + " 2>/dev/null; then exec " + kPresenter +
                                             " 9 --kill 0; else exec " + kPresenter + " 9; fi"};
  fs::create_directory(path("once"));
  ASSERT_EQ(golden("record", "whole", {}, program).exit_code, 0);
  fs::remove(path("once"));
  const Outcome o = golden("record", "again", {"--shards", "4", "--jobs", "2"}, program);
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_TRUE(fs::exists(path("once"))) << "one shard died";
  EXPECT_EQ(bytes_of("again"), bytes_of("whole"));
  // Without another attempt the others stay, and the next call makes what is missing.
  fs::remove(path("once"));
  const Outcome failed = golden("record", "later", {"--shards", "4", "--jobs", "1", "--retries", "0"}, program);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("shard 1/4 failed once"));
  EXPECT_THAT(failed.err, HasSubstr("exit code 137"));
  EXPECT_FALSE(fs::exists(path("later")));
  ASSERT_EQ(golden("record", "later", {"--shards", "4", "--jobs", "1", "--retries", "0"}, program).exit_code, 0);
  EXPECT_EQ(bytes_of("later"), bytes_of("whole"));
  EXPECT_EQ(golden("record", "x", {"--shards", "4", "--shard", "1/2"}, program).exit_code, 2);
}

// What a program writes itself: pictures by their texels, other files by their bytes, in the order of their names.
TEST_F(Golden, FilesThatAProgramLeaves) {
  ASSERT_EQ(golden("record", "one", {}, {kPresenter, "1"}).exit_code, 0);
  fs::copy(path("one/000000.png"), path("shot.png"));
  const auto program = [&](const std::string& bytes) {
    return std::vector<std::string>{
        "/bin/sh", "-c", "mkdir $1/b && cp " + path("shot.png") + " $1/a.png && printf " + bytes + " >$1/b/sums.bin",
        "sh", "{}"};
  };
  const Outcome o = golden("record", "files", {"--files"}, program("abcdef"));
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const auto manifest = nlohmann::json::parse(read_text(path("files/golden.json")));
  ASSERT_EQ(manifest["recorded"].size(), 2u);
  EXPECT_EQ(manifest["of"], "files");
  EXPECT_EQ(manifest["recorded"][0]["name"], "a.png");
  EXPECT_EQ(manifest["recorded"][0]["width"], 24);
  EXPECT_EQ(manifest["recorded"][1]["name"], "b/sums.bin");
  EXPECT_EQ(manifest["recorded"][1]["format"], "BYTES");
  EXPECT_EQ(manifest["recorded"][1]["sha256"], base::sha256("abcdef"));
  EXPECT_EQ(read_text(path("files/000001.bin")), "abcdef");
  EXPECT_EQ(golden("check", "files").exit_code, 0);
  const Outcome other = golden("check", "files", {"--junit", path("files.xml")}, program("abXdeY"));
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.out,
              HasSubstr("frame 1 (b/sums.bin): 2 of 6 bytes differ, first byte 2: 99 was recorded, now it is 88"));
  EXPECT_THAT(other.out, HasSubstr("1 of 2 frames are equal"));
  EXPECT_THAT(read_text(path("files.xml")), HasSubstr("name=\"frame 1 (b/sums.bin)\"><failure"));
  const Outcome longer = golden("check", "files", {}, program("abcdefg"));
  EXPECT_THAT(longer.out, HasSubstr("6 x 1 of BYTES was recorded, now it is 7 x 1 of BYTES"));
  EXPECT_EQ(golden("record", "x", {"--files"}, {kPresenter, "1"}).exit_code, 2) << "nothing names the folder";
  const Outcome none = golden("record", "x", {"--files"}, {"/bin/true", "{}"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("the program left no file [golden-frames]"));
}

// Where a frame differs, a page shows what the run drew and dispatched.
TEST_F(Golden, DifferencesAreExplored) {
  const std::string footprint = (kBuild / "examples" / "vulkan_footprint").string();
  if (!fs::exists(footprint)) GTEST_SKIP() << "the example is not built";
  ASSERT_EQ(golden("record", "f", {"--files"}, {footprint, "{}/f.png"}).exit_code, 0);
  auto manifest = nlohmann::ordered_json::parse(read_text(path("f/golden.json")));
  manifest["recorded"][0]["sha256"] = std::string(64, '0');
  write_text(path("f/golden.json"), manifest.dump());
  const Outcome o = golden("check", "f", {"--explore", path("f.html")});
  EXPECT_EQ(o.exit_code, 1) << o.err;
  EXPECT_THAT(read_text(path("f.html")), HasSubstr("frames that differ: 0"));
}

// Of what is presented the page has the first frame that differs, and the program is ended behind it.
TEST_F(Golden, TheFrameThatDiffersIsExplored) {
  ASSERT_EQ(golden("record", "five", {}, {kPresenter, "5", "--dispatch"}).exit_code, 0);
  const Outcome o =
      golden("check", "five", {"--explore", path("five.html")}, {kPresenter, "5", "--dispatch", "--change", "3"});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("five.html: 1 command, ")) << "frame 3 has one dispatch";
  EXPECT_THAT(o.err,
              HasSubstr("five.html begins where every report does: no command in it writes an image of 24 x 16"));
  EXPECT_THAT(read_text(path("five.html")), HasSubstr("frames that differ: 3"));
}

// The page begins at the first pixel that differs, behind the draw that wrote it last. The edges of triangles, draw 1,
// end at column 384; the sky is of no draw.
TEST_F(Golden, ThePageBeginsAtThePixelThatDiffers) {
  const std::string terrain = (kBuild / "examples" / "vulkan_terrain").string();
  if (!fs::exists(terrain)) GTEST_SKIP() << "the example is not built";
  ASSERT_EQ(golden("record", "t", {"--targets"}, {terrain, path("t.png")}).exit_code, 0);
  auto picture = image::load_image(path("t/000000.png"));
  ASSERT_TRUE(picture.ok());
  (*picture->memory)[4 * (768 * 400 + 600) + 1] ^= 1;  // the frame had another green there, it seems
  put_picture(path("t"), *picture, "R8G8B8A8_UNORM");
  const Outcome o = golden("check", "t", {"--explore", path("t.html")});
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, HasSubstr("frame 0: 1 of 393216 pixels differ, the first at 600,400, a byte by at most 1"));
  EXPECT_THAT(o.err, HasSubstr("t.html begins at pixel 600,400 of 'attachment.0' behind draw 0\n"));
}

// Targets and objects are counted by submissions, captures by what is presented: all of the program is captured,
// whatever was chosen of the recording.
TEST_F(Golden, DifferencesOfChosenObjectsAreExplored) {
  const std::vector<std::string> program{
      "/bin/sh", "-c", "echo \"$HEDDLE_FRAME_PLAN\" >> \"$1\"; test -n \"$HEDDLE_CAPTURE\" || exec \"$0\" 4 --named",
      kPresenter, path("plans")};
  const Outcome recorded = golden("record", "o", {"--object", "shown", "--frames", "1..3", "--stop"}, program);
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  auto manifest = nlohmann::ordered_json::parse(read_text(path("o/golden.json")));
  manifest["recorded"][0]["sha256"] = std::string(64, '0');
  write_text(path("o/golden.json"), manifest.dump());
  EXPECT_EQ(golden("check", "o", {"--explore", path("o.html")}).exit_code, 1);
  const std::string chosen = "shard=1/1 frames=1..3 objects=shown last=3\n";
  EXPECT_EQ(read_text(path("plans")), chosen + chosen + "objects=shown last=3\n");
}

TEST_F(Golden, PartsThatDoNotFitAreNamed) {
  ASSERT_EQ(golden("record", "a", {"--shard", "1/2"}, {kPresenter, "4"}).exit_code, 0);
  ASSERT_EQ(golden("record", "b", {"--shard", "2/2"}, {kPresenter, "4"}).exit_code, 0);
  ASSERT_EQ(golden("record", "other", {"--shard", "2/2"}, {kPresenter, "6"}).exit_code, 0);
  fs::copy(path("a"), path("twice"), fs::copy_options::recursive);
  const Outcome twice = golden("merge", "merged", {path("a"), path("b"), path("twice")});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_THAT(twice.err, HasSubstr(path("twice")));
  EXPECT_THAT(twice.err, HasSubstr("shard 1/2 is there twice"));
  const Outcome other = golden("merge", "merged", {path("a"), path("other")});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("no part of the recording"));
  std::vector<std::uint8_t> bytes = read_bytes(path("b/000003.png"));
  bytes[bytes.size() / 2] ^= 1;
  write_bytes(path("b/000003.png"), bytes);
  const Outcome broken = golden("merge", "merged", {path("a"), path("b")});
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_THAT(broken.err, HasSubstr("frame 3: '000003.png' is not the file that was recorded"));
  EXPECT_FALSE(fs::exists(path("merged")));
}

TEST_F(Golden, DifferencesAreFoundAndShown) {
  ASSERT_EQ(golden("record", "four", {}, {kPresenter, "4"}).exit_code, 0);
  const Outcome same = golden("check", "four");
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("4 of 4 frames are equal"));
  EXPECT_FALSE(fs::exists(path("four.differences")));
  const Outcome other = golden("check", "four", {"--junit", path("four.xml")}, {kPresenter, "4", "--change", "2"});
  EXPECT_EQ(other.exit_code, 1);
  const std::string picture = path("four.differences") + "/000002.png";
  EXPECT_THAT(other.out,
              HasSubstr("frame 2: 1 of 384 pixels differ, the first at 5,3, a byte by at most 16: " + picture));
  EXPECT_THAT(other.out, HasSubstr("3 of 4 frames are equal"));
  const auto shown = image::load_image(picture);
  ASSERT_TRUE(shown.ok());
  EXPECT_EQ(shown->width, 3 * 24u + 8);
  const auto bytes = image::packed_texels(*shown);
  const auto texel = [&](unsigned x, unsigned y) { return bytes.data() + 4 * (y * (3 * 24 + 8) + x); };
  EXPECT_EQ(texel(5, 3)[1], 3) << "as recorded";
  EXPECT_EQ(texel(28 + 5, 3)[1], 3 ^ 16) << "as it is now";
  EXPECT_EQ(texel(56 + 5, 3)[0], 220) << "where they differ";
  EXPECT_EQ(texel(56 + 6, 3)[0], texel(56 + 6, 3)[2]) << "where they do not";
  // A frame of 17 x 17 around the first one, as far as there is a picture.
  const auto is_blue = [&](unsigned x, unsigned y) {
    return texel(56 + x, y)[0] == 0 && texel(56 + x, y)[1] == 90 && texel(56 + x, y)[2] == 220;
  };
  for (unsigned x = 0; x < 24; ++x)
    for (unsigned y = 0; y < 16; ++y)
      EXPECT_EQ(is_blue(x, y), (x == 5 + 8 && y <= 3 + 8) || (y == 3 + 8 && x <= 5 + 8)) << x << ", " << y;
  const std::string xml = read_text(path("four.xml"));
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("name=\"frame 2\"><failure message=\"1 of 384 pixels differ"));
  EXPECT_THAT(xml, HasSubstr("name=\"frame 3\"/>"));
  // Frames that come or go are differences too; a part of the frames may be checked alone.
  EXPECT_THAT(golden("check", "four", {}, {kPresenter, "3"}).out, HasSubstr("frame 3: the program has no such frame"));
  EXPECT_THAT(golden("check", "four", {}, {kPresenter, "5"}).out, HasSubstr("frame 4: it was not recorded"));
  EXPECT_EQ(golden("check", "four", {"--frames", "0..1"}, {kPresenter, "4", "--change", "2"}).exit_code, 0);
  EXPECT_EQ(golden("check", "four", {"--shard", "1/2"}, {kPresenter, "4", "--change", "2"}).exit_code, 1);
  EXPECT_TRUE(fs::exists(picture)) << "of the check before";
  EXPECT_EQ(golden("check", "four", {"--shard", "2/2"}, {kPresenter, "4", "--change", "2"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(picture)) << "frame 2 is not of this shard";
  EXPECT_EQ(golden("check", "four").exit_code, 0);
  EXPECT_FALSE(fs::exists(picture)) << "frame 2 is equal now";
}

// Other sizes have a picture, too: both, and red where only one of them is.
TEST_F(Golden, FramesOfAnotherSizeAreShown) {
  ASSERT_EQ(golden("record", "one", {}, {kPresenter, "1"}).exit_code, 0);
  image::Surface small;
  small.width = 10;
  small.height = 20;
  ASSERT_TRUE(image::allocate(small).ok());
  const std::vector<std::uint8_t> frame = texels_of(0);
  std::vector<std::uint8_t> texels(std::size_t{4} * 10 * 20);
  for (unsigned y = 0; y < 16; ++y)  // the frame's left part, red first; (3, 2) is another
    for (unsigned x = 0; x < 10; ++x)
      for (unsigned k = 0; k < 4; ++k) texels[4 * (10 * y + x) + k] = frame[4 * (24 * y + x) + (k < 3 ? 2 - k : 3)];
  texels[4 * (10 * 2 + 3)] ^= 64;
  ASSERT_EQ(small.memory->size(), texels.size());
  *small.memory = texels;
  put_picture(path("one"), small, "R8G8B8A8_UNORM");
  const Outcome o = golden("check", "one");
  EXPECT_EQ(o.exit_code, 1);
  const std::string picture = path("one.differences") + "/000000.png";
  EXPECT_THAT(
      o.out,
      HasSubstr("frame 0: 10 x 20 of R8G8B8A8_UNORM was recorded, now it is 24 x 16 of B8G8R8A8_UNORM: " + picture));
  const auto shown = image::load_image(picture);
  ASSERT_TRUE(shown.ok());
  ASSERT_EQ(shown->width, 10u + 4 + 24 + 4 + 24);
  ASSERT_EQ(shown->height, 20u);
  const auto bytes = image::packed_texels(*shown);
  const auto red = [&](unsigned x, unsigned y) {
    const std::uint8_t* texel = bytes.data() + 4 * (66 * y + 42 + x);
    return texel[0] == 220 && texel[1] == 0 && texel[2] == 0;
  };
  for (unsigned y = 0; y < 20; ++y)
    for (unsigned x = 0; x < 24; ++x) {
      const bool in_small = x < 10, in_frame = y < 16;
      EXPECT_EQ(red(x, y), in_small != in_frame || (x == 3 && y == 2)) << x << ", " << y;
    }
}

// A picture that is not the one that was recorded says nothing of the difference.
TEST_F(Golden, DamagedPicturesAreNamed) {
  ASSERT_EQ(golden("record", "four", {}, {kPresenter, "4"}).exit_code, 0);
  const std::vector<std::string> changed{kPresenter, "4", "--change", "2"};
  const std::string picture = path("four/000002.png");
  fs::copy_file(path("four/000001.png"), picture, fs::copy_options::overwrite_existing);
  EXPECT_EQ(golden("check", "four").exit_code, 0) << "hashes are compared";
  EXPECT_THAT(golden("check", "four", {}, changed).out,
              HasSubstr("frame 2: texels differ; '" + picture + "' is not the file that was recorded\n"));
  fs::remove(picture);
  EXPECT_THAT(golden("check", "four", {}, changed).out,
              HasSubstr("frame 2: texels differ; cannot open '" + picture + "': No such file or directory\n"));
}

TEST_F(Golden, DamagedRecordingsAreNamed) {
  ASSERT_EQ(golden("record", "four", {}, {kPresenter, "4"}).exit_code, 0);
  const auto manifest = nlohmann::ordered_json::parse(read_text(path("four/golden.json")));
  const auto check = [&](const auto& change) {
    auto damaged = manifest;
    change(damaged["recorded"]);
    write_text(path("four/golden.json"), damaged.dump());
    const Outcome o = golden("check", "four", {}, {"touch", path("started")});
    EXPECT_EQ(o.exit_code, 1);
    EXPECT_FALSE(fs::exists(path("started")));
    EXPECT_THAT(o.err, HasSubstr("record anew"));
    return o.err;
  };
  EXPECT_THAT(check([](auto& frames) { frames[2]["width"] = -24; }), HasSubstr("'width' is out of range"));
  EXPECT_THAT(check([](auto& frames) { frames[2]["sha256"] = "5"; }), HasSubstr("'sha256' is no SHA-256"));
  EXPECT_THAT(check([](auto& frames) { frames[2]["frame"] = 1; }),
              HasSubstr("frame 1 does not belong here, or is there"));
  EXPECT_THAT(check([](auto& frames) { frames.erase(3); }), HasSubstr("frame 3 is missing [golden-manifest]"));
  write_text(path("four/golden.json"), manifest.dump().substr(0, 200));
  EXPECT_THAT(golden("check", "four").err,
              HasSubstr("note: heddle golden record writes this file; record anew in a new folder"));
  EXPECT_THAT(golden("check", "none").err, HasSubstr("a recording that was ended early has none"));
}

TEST_F(Golden, PicturesOfDifferencesHaveAPlaceOfTheirOwn) {
  ASSERT_EQ(golden("record", "four", {}, {kPresenter, "4"}).exit_code, 0);
  const auto before = bytes_of("four");
  const std::vector<std::string> changed{kPresenter, "4", "--change", "2"};
  const Outcome own = golden("check", "four", {"--differences", path("four")}, changed);
  EXPECT_EQ(own.exit_code, 2);
  EXPECT_THAT(own.err, HasSubstr("is a recording"));
  EXPECT_EQ(bytes_of("four"), before);
  // Where none can be written, the differences are told all the same.
  write_text(path("file"), "");
  const Outcome nowhere =
      golden("check", "four", {"--differences", path("file"), "--junit", path("four.xml")}, changed);
  EXPECT_EQ(nowhere.exit_code, 3);
  EXPECT_THAT(nowhere.out, HasSubstr("frame 2: 1 of 384 pixels differ, the first at 5,3, a byte by at most 16\n"));
  EXPECT_THAT(nowhere.err, HasSubstr("'" + path("file") + "' cannot be made: Not a directory [file-write]"));
  EXPECT_THAT(read_text(path("four.xml")), HasSubstr("failures=\"1\""));
  EXPECT_THAT(golden("record", "file/in", {}, {kPresenter, "1"}).err, HasSubstr("cannot be made: Not a directory"));
}

// CI systems read of a program that failed, too.
TEST_F(Golden, AProgramThatFailsIsATestCase) {
  ASSERT_EQ(golden("record", "one", {}, {kPresenter, "1"}).exit_code, 0);
  EXPECT_EQ(golden("check", "one", {"--junit", path("one.xml")}, {kPresenter, "1", "--exit", "7"}).exit_code, 1);
  const std::string xml = read_text(path("one.xml"));
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"0\" errors=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"one\" name=\"program\"><error message=\"" + kPresenter +
                             " ended with exit code 7\"/></testcase>"));
}

TEST_F(Golden, AProgramWithoutAnEndIsStopped) {
  const std::vector<std::string> program{kPresenter, "0", "--endless"};
  const Outcome o = golden("record", "some", {"--frames", "2..4", "--stop"}, program);
  ASSERT_EQ(o.exit_code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("3 of 5 frames recorded"));
  EXPECT_EQ(golden("check", "some").exit_code, 0);
  ASSERT_EQ(golden("record", "a", {"--frames", "2..4", "--stop", "--shard", "1/2"}, program).exit_code, 0);
  ASSERT_EQ(golden("record", "b", {"--frames", "2..4", "--stop", "--shard", "2/2"}, program).exit_code, 0);
  ASSERT_EQ(golden("merge", "merged", {path("a"), path("b")}).exit_code, 0);
  EXPECT_EQ(bytes_of("merged"), bytes_of("some"));
  const Outcome early = golden("record", "early", {"--frames", "2..9", "--stop"}, {kPresenter, "4"});
  EXPECT_EQ(early.exit_code, 1);
  EXPECT_THAT(early.err, HasSubstr("the program ended after 4 frames, before frame 9"));
  EXPECT_EQ(golden("record", "early", {"--frames", "2..", "--stop"}, program).exit_code, 2);
}

// Programs without a window: what draws write to, as the program itself reads it back.
TEST_F(Golden, TargetsOfDraws) {
  const std::string terrain = (kBuild / "examples" / "vulkan_terrain").string();
  if (!fs::exists(terrain)) GTEST_SKIP() << "the example is not built";
  const std::vector<std::string> program{terrain, path("terrain.png")};
  const Outcome none = golden("record", "none", {}, program);
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("--targets"));
  const Outcome o = golden("record", "targets", {"--targets"}, program);
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const auto manifest = nlohmann::json::parse(read_text(path("targets/golden.json")));
  ASSERT_GE(manifest["recorded"].size(), 1u);
  // The program saves its picture too.
  const auto saved = image::load_image(path("terrain.png"));
  const std::string last = manifest["recorded"].back()["picture"];
  const auto recorded = image::load_image(path("targets/" + last));
  ASSERT_TRUE(saved.ok() && recorded.ok());
  ASSERT_EQ(recorded->width, 768u);
  ASSERT_EQ(recorded->height, 512u);
  constexpr std::uint32_t kEdge = 16;  // of the program's picture, which has a map beside the terrain
  ASSERT_GE(saved->width, recorded->width + kEdge);
  const auto ours = image::packed_texels(*recorded), theirs = image::packed_texels(*saved);
  for (std::uint32_t y = 0; y < recorded->height; ++y) {
    const auto* row = ours.data() + std::size_t{4} * y * recorded->width;
    const auto* wanted = theirs.data() + std::size_t{4} * ((y + kEdge) * saved->width + kEdge);
    ASSERT_TRUE(std::equal(row, row + std::size_t{4} * recorded->width, wanted)) << "row " << y;
  }
  EXPECT_EQ(golden("check", "targets").exit_code, 0);
}

// Images and buffers by the names that the program gave them: frame f is what f's submission left in them.
TEST_F(Golden, ObjectsThatHaveNames) {
  const std::string texels = "the texels, 100%";
  const std::vector<std::string> program{kPresenter, "4", "--named"};
  const Outcome o = golden("record", "named", {"--object", texels, "--object", "shown"}, program);
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const auto manifest = nlohmann::json::parse(read_text(path("named/golden.json")));
  EXPECT_EQ(manifest["of"], "objects");
  EXPECT_EQ(manifest["objects"], nlohmann::json({texels, "shown"}));
  ASSERT_EQ(manifest["recorded"].size(), 8u)
      << "after each submission the buffer, then the image that it was copied to";
  for (unsigned frame = 0; frame < 4; ++frame) {
    const auto &buffer = manifest["recorded"][2 * frame], &image = manifest["recorded"][2 * frame + 1];
    EXPECT_EQ(buffer["name"], texels);
    EXPECT_EQ(buffer["format"], "BYTES");
    EXPECT_EQ(buffer["width"], 4 * 24 * 16);
    EXPECT_EQ(read_bytes(path("named/" + buffer["picture"].get<std::string>())), texels_of(frame));
    EXPECT_EQ(image["name"], "shown");
    EXPECT_EQ(image["format"], "B8G8R8A8_UNORM");
    for (const auto* row : {&buffer, &image}) EXPECT_EQ((*row)["sha256"], base::sha256(texels_of(frame)));
  }
  EXPECT_FALSE(fs::exists(path("named/seen-0")));
  EXPECT_EQ(golden("check", "named").exit_code, 0);
  const Outcome other = golden("check", "named", {}, {kPresenter, "4", "--named", "--change", "2"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.out, HasSubstr("frame 4 (the texels, 100%): 1 of 1536 bytes differ, first byte 309"));
  EXPECT_THAT(other.out, HasSubstr("frame 5 (shown): 1 of 384 pixels differ"));
  // Shards are those of the frames.
  ASSERT_EQ(golden("record", "shards", {"--object", texels, "--object", "shown", "--shards", "3"}, program).exit_code,
            0);
  EXPECT_EQ(bytes_of("shards"), bytes_of("named"));
  const Outcome slip = golden("record", "x", {"--object", "shown", "--object", "Shown"}, program);
  EXPECT_EQ(slip.exit_code, 1);
  EXPECT_THAT(slip.err, HasSubstr("no image or buffer had the name 'Shown'"));
  const Outcome gone = golden("record", "x", {"--object", "gone"}, program);
  EXPECT_THAT(gone.err, HasSubstr("nothing was written to an object of these names")) << "its memory is freed";
  const Outcome unbound = golden("record", "x", {"--object", "unbound"}, program);
  EXPECT_EQ(unbound.exit_code, 1);
  EXPECT_THAT(unbound.err, HasSubstr("nothing was written to an object of these names [golden-frames]"));
  EXPECT_EQ(golden("record", "x", {"--object", "shown", "--targets"}, program).exit_code, 2);
  EXPECT_EQ(golden("record", "x", {"--object", ""}, program).exit_code, 2);
  fs::create_directories(path("broken"));
  auto broken = manifest;
  broken.erase("objects");
  write_text(path("broken/golden.json"), broken.dump());
  EXPECT_THAT(golden("check", "broken").err, HasSubstr("'objects' is missing"));
}

TEST_F(Golden, MistakesAreSaid) {
  EXPECT_EQ(golden("record", "x").exit_code, 2);
  EXPECT_EQ(golden("record", "x", {"--frames", "3..1"}, {kPresenter, "1"}).exit_code, 2);
  EXPECT_EQ(golden("record", "x", {"--shard", "3/2"}, {kPresenter, "1"}).exit_code, 2);
  EXPECT_EQ(golden("record", "x", {"--shard", "1/65537"}, {kPresenter, "1"}).exit_code, 2);
  const Outcome none = golden("record", "x", {"--frames", "4.."}, {kPresenter, "4"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("--frames 4.. has no frame: the program has 4 [golden-frames]"));
  EXPECT_EQ(golden("record", "x", {}, {"true"}).exit_code, 1);
  EXPECT_FALSE(fs::exists(path("x.unfinished")));
  const Outcome failed = golden("record", "x", {}, {kPresenter, "1", "--exit", "7"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("ended with exit code 7"));
  EXPECT_FALSE(fs::exists(path("x")));
  EXPECT_EQ(golden("check", "nothing").exit_code, 3);
  // Nothing runs for files that cannot be written.
  ASSERT_EQ(golden("record", "one", {}, {kPresenter, "1"}).exit_code, 0);
  const std::string mark = path("started");
  for (const char* flag : {"--junit", "--explore"}) {
    EXPECT_EQ(golden("check", "one", {flag, path("no/such/file")}, {"touch", mark}).exit_code, 3) << flag;
    EXPECT_FALSE(fs::exists(mark)) << flag;
  }
  fs::copy_file(kPresenter, path("presenter"));
  ASSERT_EQ(golden("record", "gone", {}, {path("presenter"), "1"}).exit_code, 0);
  fs::remove(path("presenter"));
  const Outcome gone = golden("check", "gone");
  EXPECT_EQ(gone.exit_code, 3);
  EXPECT_THAT(gone.err, HasSubstr("the program runs as it was recorded: from the same folder, or with other paths"));
  fs::create_directories(path("mine"));
  write_text(path("mine/golden.json"), "{\"bits\": 1}");
  const Outcome manifest = golden("check", "mine");
  EXPECT_EQ(manifest.exit_code, 1);
  EXPECT_THAT(manifest.err, HasSubstr("[golden-manifest]"));
  write_text(path("mine/notes.txt"), "precious");
  const Outcome kept = golden("record", "mine", {}, {kPresenter, "1"});
  EXPECT_EQ(kept.exit_code, 1);
  EXPECT_THAT(kept.err, HasSubstr("[golden-folder]"));
  EXPECT_EQ(read_text(path("mine/notes.txt")), "precious");
}

// The folder of a slash is the same folder: nothing is made in it, and the old recording stays until the new one is
// whole.
TEST_F(Golden, ASlashBehindTheFolderChangesNothing) {
  ASSERT_EQ(golden("record", "two/", {}, {kPresenter, "2"}).exit_code, 0);
  const auto first = bytes_of("two");
  EXPECT_EQ(golden("record", "two/", {}, {kPresenter, "3", "--exit", "7"}).exit_code, 1);
  EXPECT_EQ(bytes_of("two"), first) << "a program that fails costs nothing";
  const Outcome again = golden("record", "two/", {}, {kPresenter, "3"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(bytes_of("two").size(), 4u) << "three pictures and the manifest";
  EXPECT_FALSE(fs::exists(path("two.unfinished")));
  EXPECT_FALSE(fs::exists(path("two.replaced")));
  const Outcome other = golden("check", "two/", {"--junit", path("two.xml")}, {kPresenter, "3", "--change", "2"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(fs::exists(path("two.differences/000002.png")));
  EXPECT_THAT(read_text(path("two.xml")), HasSubstr("testsuite name=\"two\""));
}

TEST_F(Golden, PicturesOfSomebodyElseAreKept) {
  fs::create_directories(path("photos"));
  write_text(path("photos/001.png"), "mine");
  const Outcome photos = golden("record", "photos", {}, {kPresenter, "1"});
  EXPECT_EQ(photos.exit_code, 1);
  EXPECT_THAT(photos.err, HasSubstr("[golden-folder]"));
  EXPECT_EQ(read_text(path("photos/001.png")), "mine");
  fs::create_directories(path("empty"));
  EXPECT_EQ(golden("record", "empty", {}, {kPresenter, "1"}).exit_code, 0);
  write_text(path("empty/77.png"), "mine");  // not of the recording
  EXPECT_EQ(golden("record", "empty", {}, {kPresenter, "1"}).exit_code, 1);
  EXPECT_EQ(read_text(path("empty/77.png")), "mine");
}

// What was recorded says what is checked; flags choose among it.
TEST_F(Golden, CheckDoesAsTheRecordingDid) {
  ASSERT_EQ(golden("record", "part", {"--shard", "2/2", "--frames", "1..4"}, {kPresenter, "6"}).exit_code, 0);
  const Outcome same = golden("check", "part");
  EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
  EXPECT_THAT(same.out, HasSubstr("2 of 2 frames are equal"));  // 1 and 3
  EXPECT_THAT(golden("check", "part", {"--frames", "0..2"}).out, HasSubstr("1 of 1 frames are equal"));
  const Outcome nothing = golden("check", "part", {"--shard", "1/2"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("no frame was compared [golden-frames]"));
  ASSERT_EQ(golden("record", "some", {"--frames", "0..1", "--stop"}, {kPresenter, "0", "--endless"}).exit_code, 0);
  const Outcome endless = golden("check", "some", {"--frames", "1.."});
  EXPECT_EQ(endless.exit_code, 2);
  EXPECT_THAT(endless.err, HasSubstr("--stop needs a last frame"));
}

// A golden.json that somebody else wrote costs no more than what stands in it.
TEST_F(Golden, NumbersOfADamagedManifestCostNothing) {
  const auto part = [&](const std::string& shard, const std::string& frames, const std::string& count) {
    fs::create_directories(path("part"));
    write_text(path("part/golden.json"), R"({"heddle": "0", "bits": 1, "program": ["p"], "inputs": [], "of": "presents",
      "frames": ")" + frames + R"(", "stop": false, "shard": ")" +
                                             shard + R"(", "count": )" + count + R"(, "recorded": []})");
    return golden("merge", "merged", {path("part")});
  };
  const Outcome shards = part("3/65536", "", "0");
  EXPECT_EQ(shards.exit_code, 1);
  EXPECT_THAT(shards.err, HasSubstr("10/65536, 11/65536 and 65525 more"));
  EXPECT_THAT(part("1/18446744073709551615", "", "0").err, HasSubstr("'shard' is no shard"));
  EXPECT_THAT(part("1/1", "", "9223372036854775807").err, HasSubstr("frame 0 is missing"));
  EXPECT_THAT(part("1/1", "9223372036854775806..,7..9", "9223372036854775807").err, HasSubstr("frame 7 is missing"));
  EXPECT_THAT(part("1/1", "9223372036854775807..", "9223372036854775807").err, HasSubstr("no part has a frame"));
  std::string many = "0";
  for (int i = 1; i < 5000; ++i) many += "," + std::to_string(2 * i);
  EXPECT_THAT(part("1/1", many, "9").err, HasSubstr("'frames' is no list of frames"));
  EXPECT_FALSE(fs::exists(path("merged")));
}

}  // namespace
}  // namespace heddle::test
