// SPDX-License-Identifier: MIT
#pragma once
// Footprint shaders in tests: the corpus, the variants that must agree, and a scene for the job and for the texture
// unit.

#include <array>
#include <string>
#include <vector>

#include "shader.hpp"
#include "texture/footprint.hpp"

namespace heddle::test {

/// A shader of tests/data/footprint/glsl.
[[nodiscard]] spirv::Module corpus(const std::string& name);

struct Variant {
  unsigned simd;
  bool portable;
};
inline constexpr Variant kVariants[] = {{16, false}, {16, true}, {8, false}, {8, true}, {32, false}, {32, true}};
[[nodiscard]] spirv::CompileOptions options_of(const Variant& v, bool lenient = false);

/// The job's sampler and image, for the job and for the unit.
struct Scene {
  std::array<std::uint32_t, 3> size{40, 24, 1};
  unsigned dim = 2;
  unsigned levels = 6;
  double anisotropy = 0, bias = 0, min_lod = 0, max_lod = 14;
  std::string format = "R8_UNORM";

  [[nodiscard]] std::string toml(const std::string& image, const std::string& sampler) const;
  [[nodiscard]] std::string toml(const std::string& name) const { return toml(name, name); }
  [[nodiscard]] texture::FootprintView view() const;
  [[nodiscard]] texture::FootprintSampler sampler() const;
};
/// The unit's answer; a refusal fails the test.
[[nodiscard]] texture::Footprint ask(const Scene& scene, const texture::FootprintQuery& query);

/// Runs all variants; they must agree. The first one's outputs.
std::vector<std::string> run_all(const spirv::Module& module, const std::string& toml,
                                 const std::vector<std::string>& saved, bool lenient = false);
[[nodiscard]] std::vector<std::uint32_t> words(const std::string& bytes);

// A small target and its inputs.
inline constexpr unsigned kWidth = 16, kHeight = 12;
/// "color", R32G32B32A32_UINT, saved as color.bin.
[[nodiscard]] std::string integer_target();
inline constexpr const char* kFlatInput = "[pixels]\n[pixels.inputs]\nuv = [[-0.1, 0.05], [1.2, 0.3], [0.1, 1.3]]\n";
inline constexpr const char* kVolumeInput =
    "[pixels]\n[pixels.inputs]\nuvw = [[-0.1, 0.05, 0.2], [1.2, 0.3, 0.9], [0.1, 1.3, 0.4]]\n";

}  // namespace heddle::test
