// SPDX-License-Identifier: MIT
// The examples as regression tests: each is run small and compared with the picture that a person looked at and found
// good (tests/tools/gallery/). HEDDLE_GALLERY_THUMBNAILS=FOLDER leaves the new pictures there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gallery_examples.hpp"
#include "image/files/files.hpp"
#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
using test::Example, test::examples, test::kExamplesFolder, test::copy_examples;

image::Surface thumbnail(const image::Surface& picture, const Example& e) {
  image::Surface small;
  small.width = e.width / e.step;
  small.height = e.height / e.step;
  EXPECT_TRUE(image::allocate(small).ok());
  for (std::uint32_t y = 0; y < small.height; ++y)
    for (std::uint32_t x = 0; x < small.width; ++x)
      image::store(small, 0, 0, x, y, image::fetch(picture, 0, 0, x * e.step, y * e.step).texel);
  return small;
}

/// Nearly the same: the thumbnails were made when inputs came from the computer's own sin and exp, and a rounding may
/// tip a comparison. The exact bits are those of tests/data/bits.
void expect_same(const image::Surface& got, const image::Surface& wanted, const std::string& name) {
  ASSERT_EQ(got.width, wanted.width) << name;
  ASSERT_EQ(got.height, wanted.height) << name;
  double sum = 0;
  std::size_t far_off = 0;
  const std::size_t texels = std::size_t{got.width} * got.height;
  for (std::size_t i = 0; i < texels * 4; ++i) {
    const int difference = std::abs(int{(*got.memory)[i]} - int{(*wanted.memory)[i]});
    sum += difference;
    if (difference > 16) ++far_off;
  }
  EXPECT_LT(sum / static_cast<double>(texels * 4), 0.5) << name << ": mean difference in steps of 1/255";
  EXPECT_LE(far_off, texels / 100) << name << ": channels that differ by more than 16";
}

TEST(Gallery, EveryExampleDrawsWhatItDrew) {
  const test::TemporaryFolder folder;
  ASSERT_TRUE(copy_examples(folder.path()));

  const char* keep = std::getenv("HEDDLE_GALLERY_THUMBNAILS");
  for (const Example& e : examples()) {
    SCOPED_TRACE(e.job);
    std::vector<std::string> words{HEDDLE_PROGRAM, "run", (folder / "examples" / (e.job + ".toml")).string(),
                                   "--quiet"};
    words.insert(words.end(), e.flags.begin(), e.flags.end());
    const test::Outcome ran = test::run(words, {}, {}, 120);
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    for (const std::string& name : e.pictures) {
      const auto picture = image::load_image((folder / "out" / (name + ".png")).string());
      ASSERT_TRUE(picture.ok()) << name;
      ASSERT_GE(picture->width, e.width);
      ASSERT_GE(picture->height, e.height);
      const image::Surface got = thumbnail(*picture, e);
      if (keep != nullptr) {
        EXPECT_TRUE(image::save_image((fs::path(keep) / (name + ".png")).string(), got).ok());
      }
      const auto wanted =
          image::load_image((fs::path(HEDDLE_TEST_DIR) / "tools" / "gallery" / (name + ".png")).string());
      ASSERT_TRUE(wanted.ok()) << name << " has no reference picture";
      expect_same(got, *wanted, name);
    }
  }
}

// The page says what the run that drew took, and what another one counted.
TEST(Gallery, ThePageHasTheNumbersOfEachJob) {
  const test::TemporaryFolder folder;
  fs::create_directories(folder / "examples" / "textures");
  fs::create_directories(folder / "build" / "bin");
  fs::copy_file(kExamplesFolder / "run-gallery", folder / "examples" / "run-gallery");
  for (const char* job : {"counted", "plain"})
    test::write_text((folder / "examples") / (std::string(job) + ".toml"), "# title: A job\n# about: What it does.\n");
  const auto script = [&](const fs::path& path, const std::string& text) {
    test::write_text(path, "#!/bin/sh\n" + text);
    fs::permissions(path, fs::perms::owner_all);
  };
  script(folder / "examples" / "make_textures", "");
  // heddle explore JOB --quiet --budget N -o FILE; heddle run JOB --quiet [--engine reference --counts] --summary FILE
  script(folder / "build" / "bin" / "heddle",
         "[ $1 = explore ] && { [ $2 = examples/counted.toml ] && echo page >\"$7\"; exit 1; }\n"
         "job=$2\ntexels=null\n[ \"$4\" = --engine ] && texels=12 && shift 3 && echo '   5  mov' >&2 && "
         "[ \"$job\" = examples/counted.toml ] && printf '   2  sample_3d  message\\n   1  rt_write_3d  message\\n' "
         ">&2\n"
         "echo \"{\\\"run_seconds\\\": 0.5, \\\"instructions\\\": 7, \\\"texels_read\\\": $texels, "
         "\\\"texels_written\\\": $texels}\" >\"$5\"\n");
  // A Vulkan program gets the driver's manifest.
  fs::create_directories(folder / "examples" / "vulkan");
  fs::create_directories(folder / "lib");
  test::write_text(folder / "lib" / "heddle_icd.json", "");
  test::write_text(folder / "examples" / "vulkan" / "streaming.cpp", "// title: Tiles & frames\n// about: A walk.\n");
  test::write_text(folder / "examples" / "vulkan" / "texels_picture.py", "print('9 texels of 2 images')\n");
  script(folder / "examples" / "vulkan_streaming", "echo \"${VK_DRIVER_FILES##*/} $1\"\n");
  const test::Outcome ran = test::run(
      {"bash", (folder / "examples" / "run-gallery").string(), (folder / "build" / "bin" / "heddle").string()});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const std::string page = test::read_text(folder / "out" / "gallery.html");
  EXPECT_NE(page.find("<h2>Tiles &amp; frames</h2><p>A walk.</p>"), std::string::npos) << page;
  EXPECT_NE(page.find("heddle_icd.json out/vulkan_streaming.png<br>"), std::string::npos) << page;
  EXPECT_NE(page.find("9 texels of 2 images · <a href=\"vulkan_streaming-texels/index.html\">"), std::string::npos)
      << page;
  EXPECT_NE(page.find(">0.5 s · 7 instructions · 3 messages (2 sample_3d, 1 rt_write_3d) · 12 texels read · 12 "
                      "written<"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find(">0.5 s · 7 instructions · 0 messages · 12 texels read · 12 written<"), std::string::npos)
      << page;
  // A page of the explorer that could not be made is not linked.
  EXPECT_NE(page.find("<a href=\"counted-explore.html\">Explore it</a>"), std::string::npos) << page;
  EXPECT_EQ(page.find("plain-explore.html"), std::string::npos) << page;
  EXPECT_EQ(page.find("<!-- explore"), std::string::npos) << page;
}

TEST(Gallery, EveryJobIsTestedAndHasAPicture) {
  std::set<std::string> tested;
  for (const Example& e : examples()) {
    tested.insert(e.job);
    EXPECT_FALSE(e.pictures.empty()) << e.job;
    const std::string text = test::read_text(kExamplesFolder / (e.job + ".toml"));
    for (const std::string& picture : e.pictures)  // the words by which the page finds it
      EXPECT_NE(text.find("../out/" + picture + ".png\""), std::string::npos) << picture;
  }
  for (const auto& file : fs::directory_iterator(kExamplesFolder))
    if (file.path().extension() == ".toml") {
      EXPECT_TRUE(tested.contains(file.path().stem().string())) << file.path();
    }
}

TEST(Gallery, EveryProgramIsValidAndHasATitle) {
  const test::TemporaryFolder folder;
  for (const auto& file : fs::directory_iterator(kExamplesFolder)) {
    SCOPED_TRACE(file.path());
    if (file.path().extension() == ".toml") {
      const std::string text = test::read_text(file.path());
      EXPECT_TRUE(text.starts_with("# title: "));
      EXPECT_NE(text.find("\n# about: "), std::string::npos);
    }
    if (file.path().extension() == ".spv") {
      const test::Outcome good = test::run({HEDDLE_PROGRAM, "val", file.path().string()});
      EXPECT_EQ(good.exit_code, 0) << good.err;
      for (const char* platform : {"skl", "icllp", "tgllp"}) {
        const std::string text = (folder / "program.visaasm").string();
        const test::Outcome compiled =
            test::run({HEDDLE_PROGRAM, "compile", file.path().string(), "-o", text, "--platform", platform});
        EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
        const test::Outcome checked = test::run({HEDDLE_PROGRAM, "val", text, "--platform", platform});
        EXPECT_EQ(checked.exit_code, 0) << checked.err;
      }
      const fs::path source = file.path().parent_path() / file.path().stem();
      EXPECT_TRUE(fs::exists(source)) << source;
    }
    if (file.path().extension() != ".visaasm") continue;
    const std::string isa = (folder / "program.isa").string();
    const test::Outcome assembled = test::run({HEDDLE_PROGRAM, "as", file.path().string(), "-o", isa});
    EXPECT_EQ(assembled.exit_code, 0) << assembled.err;
    for (const std::string& program : {file.path().string(), isa}) {
      const test::Outcome checked = test::run({HEDDLE_PROGRAM, "val", program});
      EXPECT_EQ(checked.exit_code, 0) << checked.err;
      EXPECT_EQ(checked.err, "");
    }
  }
}

/// The README's first picture comes from the command below it.
TEST(Gallery, TheReadmesPictureIsMadeByItsCommand) {
  const std::string page = test::read_text("README.md");
  const std::size_t begin = page.find("(`heddle footprint ");
  ASSERT_NE(begin, std::string::npos);
  const std::string command = page.substr(begin + 2, page.find('`', begin + 2) - begin - 2);
  const test::TemporaryFolder folder;
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) words.push_back(word);
  words.front() = HEDDLE_PROGRAM;
  ASSERT_EQ(words.back(), "plane.png");
  words.back() = (folder / "plane.png").string();
  const test::Outcome o = test::run(words);
  EXPECT_EQ(o.exit_code, 0) << o.err;
  const auto made = image::load_image(words.back()), shown = image::load_image("docs/footprint-plane.png");
  ASSERT_TRUE(made.ok() && shown.ok());
  EXPECT_EQ(image::packed_texels(*made), image::packed_texels(*shown));
}

}  // namespace
}  // namespace heddle
