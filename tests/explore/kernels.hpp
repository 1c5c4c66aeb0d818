// SPDX-License-Identifier: MIT
#pragma once
// A draw that samples a texture, and what its documents say.

#include <cstring>
#include <random>

#include "explore/trace_view.hpp"
#include "support.hpp"

namespace heddle::explore::test {

// Two samples of a texture, added; the target's format is binary32.
inline const std::string kKernel = R"(.version 4.1
.kernel "first"
.decl u v_type=G type=f num_elts=16 align=GRF
.decl v v_type=G type=f num_elts=16 align=GRF
.decl texel v_type=G type=f num_elts=64 align=GRF
.decl sum v_type=G type=f num_elts=16 align=GRF
.decl never v_type=G type=f num_elts=16 align=GRF
.decl S0 v_type=S num_elts=1
.decl T6 v_type=T num_elts=1
.decl T7 v_type=T num_elts=1
.input u offset=64 size=64
.input v offset=128 size=64
.kernel_attr Target="3d"
.kernel_attr SimdSize=16
.function "first_main"
first_main:
    sample_3d.RGBA (M1, 16) 0x0:uw S0 T6 texel.0 u.0 v.0
    add (M1, 16) sum(0,0)<1> texel(0,0)<1;1,0> texel(2,0)<1;1,0>
    rt_write_3d.<LRTW> (M1, 16) T7 %null.0 sum.0 texel.64 texel.128 texel.192
    ret (M1_NM, 1)
)";
inline const std::string kJob = R"(
[images.T6]
format = "R8G8B8A8_UNORM"
size = [4, 4]
fill = [1, 2, 3, 4]
[images.T7]
format = "R32G32B32A32_FLOAT"
size = [10, 6]
[samplers.S0]
filter = "linear"
address = "repeat"
[pixels]
targets = ["T7"]
[pixels.inputs]
u = "uv.x"
v = "uv.y"
)";

inline std::shared_ptr<image::Surface> random_texture() {
  auto surface = std::make_shared<image::Surface>();
  surface->width = surface->height = 4;
  EXPECT_TRUE(image::allocate(*surface).ok());
  std::mt19937 random(5);
  for (std::uint8_t& byte : *surface->memory) byte = static_cast<std::uint8_t>(random());
  return surface;
}

/// The rows of a tile of history.
struct History {
  explicit History(const Documents& documents, const std::string& name)
      : words(words_of(documents, name)), count(words.size() / kFragmentColumns) {}
  [[nodiscard]] std::uint32_t at(std::size_t row, std::size_t column) const { return words[column * count + row]; }
  std::vector<std::uint32_t> words;
  std::size_t count;
};

/// The register file behind the last step of a trace.
inline std::vector<std::uint8_t> replayed(const nlohmann::json& trace) {
  std::vector<std::uint8_t> file;
  const auto write = [&](const nlohmann::json& runs) {
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      const auto at = runs[i].get<std::size_t>();
      const auto hex = runs[i + 1].get<std::string>();
      file.resize(std::max(file.size(), at + hex.size() / 2));
      for (std::size_t k = 0; k < hex.size() / 2; ++k)
        file[at + k] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * k, 2), nullptr, 16));
    }
  };
  write(trace["start"]);
  for (const auto& step : trace["steps"]) write(step[3]);
  return file;
}

inline std::uint32_t word_at(const std::vector<std::uint8_t>& file, std::size_t at) {
  std::uint32_t word = 0;
  EXPECT_LE(at + 4, file.size());
  if (at + 4 <= file.size()) std::memcpy(&word, file.data() + at, 4);
  return word;
}

inline std::size_t place_of_variable(const nlohmann::json& program, const std::string& name) {
  for (const auto& variable : program["objects"][0]["variables"])
    if (variable[0] == name) return variable[2];
  ADD_FAILURE() << name;
  return 0;
}

}  // namespace heddle::explore::test
