// SPDX-License-Identifier: MIT
#pragma once
// What is measured: shaders that both sides run, and what they are bound to.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

inline constexpr std::uint32_t kLanes = 1u << 18, kLoops = 64, kWidth = 1920, kHeight = 1080;

struct Texture {
  std::string format = "R8G8B8A8_UNORM";  ///< of RENDER_SURFACE_STATE; the Vulkan format follows from it
  std::string dim = "2D";                 ///< "2D", "2D array", "cube"
  std::uint32_t size = 1024, levels = 1, layers = 1;
  std::string filter = "linear", mip = "nearest";
  float anisotropy = 0;
  bool compare = false;
};

struct Case {
  std::string name;
  std::string group = {};  ///< rows that are limited by the same
  std::string glsl;        ///< compute: one float of `o` for each invocation; fragment: full screen
  bool fragment = false;
  std::string vertex = {};  ///< fragment: GLSL of a vertex shader, which gets numbers only; empty: full-screen geometry
  std::uint32_t vertices = 3;  ///< that it is run for
  Texture texture;
  bool textured = true;
  std::uint32_t targets = 1;  ///< fragment
  bool blend = false;
  bool depth = false;            ///< test and write
  std::uint32_t samples = 1;     ///< of the targets
  bool clamp = false;            ///< coordinates clamp to the edge; otherwise they repeat
  bool portable = false;         ///< footprints as plain vISA
  std::uint32_t lanes = kLanes;  ///< compute: invocations
  std::uint32_t rows = kHeight;  ///< fragment: of the targets, those that are drawn
  std::uint32_t operations = 0;  ///< of each lane; fragment: 1 for each pixel, or the triangles of the whole draw
  double wanted = 0;             ///< ratio asked for; 0: none
  bool threads = false;          ///< measured with two threads too

  /// Operations of one run.
  [[nodiscard]] double amount() const {
    if (fragment) return operations > 1 ? operations : double{kWidth} * rows;
    return static_cast<double>(lanes) * operations;
  }
};

[[nodiscard]] std::vector<Case> cases();
/// A bilinear sample, a footprint query, and the same query compiled to plain vISA.
[[nodiscard]] std::vector<Case> footprint_cases();
/// The case whose memory is measured.
inline constexpr const char* kMemoryCase = "frame: bilinear RGBA8";
/// Random texels in [0, 1], level after level, layer after layer.
[[nodiscard]] std::vector<std::uint8_t> texels(const Texture& texture);

/// Bytes of a block of 4 x 4 texels; 0 where each texel has its own.
[[nodiscard]] std::uint32_t block_bytes(const Texture& texture);

/// Draws through a vertex shader: one triangle over the whole target, and a million that cover a pixel or two each.
[[nodiscard]] std::vector<Case> vertex_cases();

/// A kernel with this many texture operations, for what compiling costs; groups of 64 invocations.
[[nodiscard]] Case many_textures(unsigned operations, unsigned groups = 1);

}  // namespace heddle::bench
