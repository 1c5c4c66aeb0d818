// SPDX-License-Identifier: MIT
#pragma once
// golden.json: what was recorded of a program's frames.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/environment/frame_plan.hpp"
#include "base/result.hpp"
#include "tools/suite/shard.hpp"

namespace heddle::tools {

inline constexpr std::string_view kManifestName = "golden.json";

/// Which frames: "3,10..19,40.."; nothing in `ranges`: all.
struct FrameList {
  std::vector<base::FrameRange> ranges;
  [[nodiscard]] bool has(std::uint64_t frame) const;
  [[nodiscard]] std::uint64_t last() const;  ///< UINT64_MAX: there is none
  [[nodiscard]] std::string text() const;    ///< as it is read; empty: all
};
/// Of no text: all. Id: usage-flag.
[[nodiscard]] base::Result<FrameList> read_frame_list(std::string_view text);

/// What a recording has for frames.
enum class FrameKind : std::uint8_t { Presents, Targets, Files, Objects };
[[nodiscard]] std::string_view name_of(FrameKind kind);

struct GoldenInput {
  std::string file, sha256;
  friend bool operator==(const GoldenInput&, const GoldenInput&) = default;
};

/// The format of what has no texels: its width is its size.
inline constexpr std::string_view kBytes = "BYTES";

struct GoldenFrame {
  std::uint64_t number = 0;
  std::string name;    ///< of a file or an object; empty where frames have none
  std::string format;  ///< of the texels; kBytes: it has none
  std::uint64_t width = 0, height = 0;
  std::string sha256;                   ///< of the texels
  std::string picture, picture_sha256;  /// a file beside the manifest, and its bytes; empty where there is none
  /// How messages call it.
  [[nodiscard]] std::string title() const;
  friend bool operator==(const GoldenFrame&, const GoldenFrame&) = default;
};

struct Manifest {
  std::string version;
  std::uint64_t bits = 0;
  std::vector<std::string> program;  ///< with its arguments
  std::vector<GoldenInput> inputs;   ///< the program's file, files among its arguments, those of --input
  FrameKind of = FrameKind::Presents;
  std::vector<std::string> objects;  ///< names; of FrameKind::Objects
  bool stops = false;                ///< the program was ended behind its last frame
  FrameList frames;
  Shard shard;
  std::uint64_t count = 0;  ///< frames that the program had, recorded or not
  std::vector<GoldenFrame> recorded;

  [[nodiscard]] std::string json() const;
  /// The same but for shard and frames.
  [[nodiscard]] bool same_recording(const Manifest& other) const;
};

/// A frame that is recorded and should not be (or twice), or that should be and is not.
struct WrongFrame {
  std::uint64_t frame = 0;
  bool missing = false;
};
/// The first one of the frames that list, shard and count ask for. Its time depends on what is recorded and on the
/// ranges of the list, not on `count`, which a damaged file may have of any size.
[[nodiscard]] std::optional<WrongFrame> find_wrong_frame(const Manifest& manifest);

/// FOLDER/golden.json. Ids: golden-manifest, those of reading files.
[[nodiscard]] base::Result<Manifest> read_manifest(const std::string& folder);

}  // namespace heddle::tools
