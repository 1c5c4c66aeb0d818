#pragma once
// What is measured: shaders that both sides run, and what they are bound to.

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

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
  std::string glsl;  ///< compute: one float of `o` for each invocation; fragment: full screen
  bool fragment = false;
  Texture texture;
  bool textured = true;
  std::uint32_t targets = 1;  ///< fragment
  bool blend = false;
  std::uint32_t operations = 0;  ///< of each lane (pixel: 1)
  double wanted = 0;             ///< ratio asked for; 0: none
};

[[nodiscard]] std::vector<Case> cases();
/// A kernel with this many texture operations, for what compiling costs.
[[nodiscard]] std::string many_textures(unsigned operations);

inline constexpr std::uint32_t kLanes = 1u << 16, kLoops = 64;

}  // namespace heddle::bench
