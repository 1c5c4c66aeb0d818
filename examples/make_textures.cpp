// SPDX-License-Identifier: MIT
// Makes the input pictures, meshes and video of the examples: make_textures FOLDER [PICTURE]; PICTURE: one of the
// pictures alone.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/diagnostic.hpp"
#include "drawings.hpp"
#include "image/files/files.hpp"

namespace examples {

heddle::image::Surface draw(Drawing drawing, std::uint32_t width, std::uint32_t height) {
  heddle::image::Surface surface;
  surface.width = width;
  surface.height = height;
  if (!heddle::image::allocate(surface).ok()) return surface;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      std::array<double, 4> sum{};
      for (const double dy : {0.25, 0.75})
        for (const double dx : {0.25, 0.75}) {
          const Color c = drawing((x + dx) / width, (y + dy) / height);
          const std::array<double, 4> sample{c.r * c.a, c.g * c.a, c.b * c.a, c.a};
          for (std::size_t i = 0; i < 4; ++i) sum[i] += sample[i] * 0.25;
        }
      std::uint8_t* texel = surface.memory->data() + (std::size_t{y} * width + x) * 4;
      if (sum[3] > 0)
        for (std::size_t i = 0; i < 3; ++i) sum[i] /= sum[3];
      for (std::size_t i = 0; i < 4; ++i)
        texel[i] = static_cast<std::uint8_t>(std::lround(std::clamp(sum[i], 0.0, 1.0) * 255));
    }
  return surface;
}

bool save(const std::string& path, const heddle::image::Surface& surface) {
  if (!surface.memory) return false;
  const auto done = heddle::image::save_image(path, surface);
  if (!done.ok())
    for (const auto& d : done.diagnostics()) std::fputs(heddle::base::render(d, {}, false).c_str(), stderr);
  return done.ok();
}

bool write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) std::fprintf(stderr, "%s: cannot be written\n", path.c_str());
  return static_cast<bool>(file);
}

}  // namespace examples

int main(int argc, char** argv) {
  using namespace examples;
  if (argc != 2 && argc != 3) {
    std::fputs("usage: make_textures FOLDER [PICTURE]\n", stderr);
    return 2;
  }
  const std::string folder = argv[1], only = argc == 3 ? argv[2] : "";
  std::error_code ignored;  // a folder that cannot be made is reported by the first file
  std::filesystem::create_directories(folder, ignored);
  const auto picture = [&](const std::string& name, Drawing drawing, std::uint32_t width, std::uint32_t height) {
    return (!only.empty() && only != name) || save(folder + "/" + name, draw(drawing, width, height));
  };
  if (!picture("brick.png", brick, 512, 512) || !picture("paving.png", paving, 768, 1536) ||
      !picture("cloth.png", cloth, 512, 512) || !picture("flower.png", flower, 48, 48) ||
      !picture("leaf.png", leaf, 128, 128))
    return 3;
  if (!only.empty()) return 0;
  const auto valley = draw(village, 768, 512);
  const bool done = save(folder + "/village.png", valley) && save_environment(folder + "/environment.ktx2") &&
                    save_tinted_levels(folder + "/levels.ktx2") && save_nv12(folder + "/video.nv12", valley) &&
                    save_meshes(folder);
  return done ? 0 : 3;
}
