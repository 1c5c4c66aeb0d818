// SPDX-License-Identifier: MIT
#pragma once
// The lanes of a request: parameters of any number of lanes in, results in several forms out.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/node.hpp"
#include "image/format.hpp"
#include "texture/request.hpp"

namespace heddle::tools {

/// Lanes of one request at most.
inline constexpr std::uint64_t kMaxBatchLanes = std::uint64_t{1} << 22;

/// How the words of a parameter are read.
enum class LaneKind : std::uint8_t {
  Float,         ///< binary32 bits
  Half,          ///< halves, widened (NUM-33)
  Integer,       ///< 32-bit integers
  ShortInteger,  ///< the low 16 bits count
};

/// Parameters as they stand in a request. Arrays have a value for each lane; anything else holds for all lanes.
class LaneParameters {
 public:
  explicit LaneParameters(base::TableReader& reader) : reader_(reader) {}

  /// The member `name` of `table`: a number, "0x...", an array of them, or {"base64": ...}.
  void read(base::TableReader& table, std::string_view name, const base::Node& node, texture::Param param,
            LaneKind kind);
  /// `uv` and `uvr`: one point for all lanes, an array of points, or {"base64": ...}, point after point.
  void read_points(std::string_view name, const base::Node& node, unsigned components, LaneKind kind);
  /// The number of lanes: `given`, else that of the arrays, else 8. Arrays of another length are reported.
  std::uint64_t finish(std::optional<std::uint64_t> given);

  [[nodiscard]] bool has(texture::Param param) const { return words_[static_cast<std::size_t>(param)] != nullptr; }
  /// Bit p: parameter p is given.
  [[nodiscard]] std::uint32_t mask() const;
  /// 32 words of the lanes from `first` on (a multiple of 32); nullptr where the parameter is absent. Beyond the last
  /// lane its value is repeated.
  [[nodiscard]] const std::uint32_t* at(texture::Param param, std::uint64_t first) const;

 private:
  struct Words {
    std::vector<std::uint32_t> values;  ///< 32 of the same, or a multiple of 32
    std::uint64_t lanes = 0;            ///< 0: the same for all
    std::string name;
    const base::Node* node = nullptr;
  };
  Words& add(std::string_view name, const base::Node& node, texture::Param param);
  base::TableReader& reader_;
  std::deque<Words> storage_;
  std::array<const Words*, texture::kParamCount> words_{};
};

/// "results": how the channels are written.
enum class ResultForm : std::uint8_t { Hex, Numbers, Base64 };

/// The result of all lanes; lanes that are not active hold 0.
struct LaneChannels {
  std::uint64_t lanes = 0;
  std::array<std::vector<std::uint32_t>, 4> words;  ///< of the channels that are wanted
  std::vector<std::uint32_t> null_masks;            ///< one for each 32 lanes
  std::vector<std::uint32_t> active;                ///< the same
  image::ValueClass value_class = image::ValueClass::Float;
  [[nodiscard]] bool is_active(std::uint64_t lane) const { return (active[lane / 32] >> lane % 32 & 1u) != 0; }
};

/// Adds one channel: an array, or with Base64 a text. `narrow`: elements of 16 bits (NUM-31).
void append_channel(std::string& text, const LaneChannels& result, unsigned channel, ResultForm form, bool narrow);

}  // namespace heddle::tools
