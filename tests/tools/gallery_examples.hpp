// SPDX-License-Identifier: MIT
#pragma once
// The jobs of examples/, as tests run them: small.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace heddle::test {

inline const std::filesystem::path kExamplesFolder = std::filesystem::path(HEDDLE_SOURCE_DIR) / "examples";

struct Example {
  std::string job;
  std::vector<std::string> flags;
  std::vector<std::string> pictures;
  std::uint32_t width, height, step;  ///< what is compared: every step-th pixel of the upper left width x height
};

/// A picture with --size is drawn whole into the target's upper left corner.
inline const std::vector<Example>& examples() {
  static const std::vector<Example> kExamples{
      {"first", {"--size", "64x64"}, {"first"}, 64, 64, 1},
      {"blur", {"--size", "72x48"}, {"blur"}, 72, 48, 1},
      {"sobel", {"--size", "72x48"}, {"sobel"}, 72, 48, 1},
      {"bicubic", {"--size", "64x64"}, {"bicubic"}, 64, 64, 1},
      {"environment", {"--size", "72x48"}, {"environment"}, 72, 48, 1},
      {"mips", {"--size", "72x48"}, {"mips"}, 72, 48, 1},
      {"nv12", {}, {"nv12", "nv12-chroma"}, 768, 512, 12},
      {"foliage", {"--size", "72x48"}, {"foliage"}, 72, 48, 1},
      {"gbuffer", {"--size", "64x64"}, {"gbuffer", "gbuffer-albedo", "gbuffer-normals", "gbuffer-depth"}, 64, 64, 1},
      {"shadow-1-depth", {}, {"shadow-1-depth"}, 512, 512, 8},
      {"shadow-2-light", {"--size", "72x48"}, {"shadow-2-light"}, 72, 48, 1},
      {"shadow-3-filters", {"--size", "72x48"}, {"shadow-3-filters"}, 72, 48, 1},
      {"mip-viewer", {"--size", "72x48"}, {"mip-viewer"}, 72, 48, 1},
      {"glow", {"--global", "96x64", "--arg", "push={level=3}"}, {"glow"}, 96, 64, 1},
      {"footprint-floor", {}, {"footprint-floor"}, 896, 440, 8},
      {"decoupled-1-mark", {}, {"decoupled-1-mark"}, 720, 400, 8},
      {"decoupled-2-shade", {}, {"decoupled-2-shade"}, 512, 512, 8},
      {"decoupled-3-draw", {}, {"decoupled-3-draw"}, 720, 400, 8},
      {"grass", {"--size", "72x48"}, {"grass"}, 72, 48, 1},
      {"meshlets", {"--size", "72x48"}, {"meshlets"}, 72, 48, 1},
  };
  return kExamples;
}

/// Jobs and programs to FOLDER/examples, where they find their textures; pictures will come to FOLDER/out.
inline bool copy_examples(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  fs::create_directories(folder / "examples");
  for (const auto& file : fs::directory_iterator(kExamplesFolder))
    if (file.path().extension() == ".toml" || file.path().extension() == ".visaasm" ||
        file.path().extension() == ".spv")
      fs::copy_file(file.path(), folder / "examples" / file.path().filename());
  const fs::path textures = folder / "examples" / "textures";
  if (fs::exists(kExamplesFolder / "textures" / "rings.json")) {  // ctest has had them made
    fs::create_directory_symlink(fs::absolute(kExamplesFolder / "textures"), textures);
    return true;
  }
  const fs::path maker = fs::path(HEDDLE_PROGRAM).parent_path() / ".." / ".." / "examples" / "make_textures";
  const Outcome made = run({maker.string(), textures.string()}, {}, {}, 120);
  EXPECT_EQ(made.exit_code, 0) << made.err;
  return made.exit_code == 0;
}

}  // namespace heddle::test
