// SPDX-License-Identifier: MIT
#pragma once
// What the host writes to linear images as bytes of mapped memory: nobody tells it, so that their bytes are compared.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

namespace heddle::image {
class Memory;
struct Surface;
}  // namespace heddle::image
namespace heddle::pipeline::transfer {
struct ImageBox;
}

namespace heddle::vulkan {

struct Image;

/// Not for several threads at once.
class HostWrites {
 public:
  /// Elements side by side that have changed: texels, or blocks of a compressed image.
  struct Run {
    const Image& image;
    unsigned plane = 0;
    std::uint32_t level = 0, slice = 0, column = 0, row = 0, elements = 0;
  };
  void add(std::uint32_t device, const Image& image);
  /// The memory is freed: what lies there is not looked at any more.
  void free(const image::Memory& memory);
  void remove(const Image& image) { watched_.erase(&image); }
  /// The image has memory: what is there now nobody has written to it.
  void bind(const Image& image);
  /// Calls `found` for what has changed in images of a device since somebody looked. A write of the same value is none.
  void look(std::uint32_t device, const std::function<void(const Run&)>& found);
  /// The host copies to the image, and tells so: nobody looks until that has ended, and the box is no change then.
  void pause(const Image& image);
  void go_on(const Image& image, unsigned plane, const pipeline::transfer::ImageBox& box);
  /// The device has written bytes that may be an image's, too.
  void device_wrote(std::span<const std::uint8_t> bytes);
  /// What the device itself has written is no change. `wrote`: whether it has, of a plane.
  void pass_over(std::uint32_t device, const std::function<bool(const Image&, unsigned)>& wrote);

 private:
  struct Watched {
    std::uint32_t device = 0;
    std::array<std::vector<std::uint8_t>, 3> before;  ///< by plane: its bytes; empty: it has no memory
    std::array<bool, 3> overwritten{};                ///< by plane: by the device, as bytes of a buffer
    unsigned pauses = 0;                              ///< copies of the host that go on
  };
  std::unordered_map<const Image*, Watched> watched_;
};

}  // namespace heddle::vulkan
