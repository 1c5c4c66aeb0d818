// SPDX-License-Identifier: MIT
#include "vulkan/capture/named_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/bits/sha256.hpp"
#include "image/surface.hpp"
#include "vulkan/capture/frame_recorder.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/objects/memory/device_memory.hpp"

namespace heddle::vulkan {
namespace {

/// Bytes of an object that are new, and how they are shown: as a picture, where its format has texels that files have.
struct Frame {
  std::string name;
  std::vector<std::uint8_t> bytes;
  std::optional<image::Surface> picture;  ///< in place of the bytes
};

/// One level of one layer or sample, as a picture of its own. Pairs of 4:2:2 with 8 bits are texels of a format
/// (VKF-3).
std::optional<image::Surface> picture_of(const Image& image, const image::Surface& from, std::uint32_t level,
                                         std::span<const std::uint8_t> bytes) {
  using Pairs = image::VulkanFormat::Pairs;
  image::Surface picture;
  picture.format = from.format;
  picture.width = from.layout[level].width;
  picture.height = from.layout[level].height;
  if (image.format->pairs && from.format == image::Format::R8G8B8A8_UNORM) {
    picture.format =
        *image.format->pairs == Pairs::LumaFirst ? image::Format::YCRCB_NORMAL : image::Format::YCRCB_SWAPY;
    picture.width = image.extent.width;
  }
  if (!image::allocate(picture).ok() || picture.memory->size() != bytes.size()) return std::nullopt;
  std::ranges::copy(bytes, picture.memory->begin());
  return picture;
}

std::string name_of_plane(const Image& image, std::size_t plane) {
  if (image.format->plane_count == 1) return {};
  if (image.plane_of(VK_IMAGE_ASPECT_DEPTH_BIT) == &image.planes[plane]) return " depth";
  if (image.plane_of(VK_IMAGE_ASPECT_STENCIL_BIT) == &image.planes[plane]) return " stencil";
  return fmt::format(" plane {}", plane);
}

std::string name_of_slice(const Image& image, std::uint32_t level, std::uint32_t slice) {
  std::string name;
  if (image.levels > 1) name += fmt::format(" level {}", level);
  if (image.type == VK_IMAGE_TYPE_3D) return name + fmt::format(" slice {}", slice);
  if (image.layers > 1) name += fmt::format(" layer {}", slice / image.samples);
  if (image.samples > 1) name += fmt::format(" sample {}", slice % image.samples);
  return name;
}

/// use(name of the part, its bytes, how a picture of it is made) for each part; the name is empty where the object is
/// one.
template <typename Use>
void for_each_part(const Image& image, Use&& use) {
  for (std::size_t p = 0; p < image.format->plane_count; ++p) {
    const image::Surface& surface = image.planes[p].surface;
    if (!surface.memory || is_gone(*surface.memory)) continue;  // not bound yet, or no more
    for (std::uint32_t level = 0; level < surface.layout.size(); ++level)
      for (std::uint32_t slice = 0; slice < surface.layout[level].slices; ++slice) {
        const std::vector<std::uint8_t> bytes = image::packed_slice(surface, level, slice);
        use(name_of_plane(image, p) + name_of_slice(image, level, slice), std::span<const std::uint8_t>(bytes),
            [&] { return picture_of(image, surface, level, bytes); });
      }
  }
}
template <typename Use>
void for_each_part(const NamedObject& object, Use&& use) {
  if (object.type == VK_OBJECT_TYPE_IMAGE)
    return for_each_part(*reinterpret_cast<const Image*>(object.handle), use);  // NOLINT: a handle
  if (object.type != VK_OBJECT_TYPE_BUFFER) return;
  const auto& buffer = *reinterpret_cast<const Buffer*>(object.handle);  // NOLINT: a handle
  const std::span<const std::uint8_t> bytes = buffer.bytes();
  if (!bytes.empty() && !is_gone(*buffer.memory))
    use(std::string(), bytes, [] { return std::optional<image::Surface>(); });
}

}  // namespace

bool NamedFrames::is_new(Parts& parts, const std::string& part, std::span<const std::uint8_t> bytes) {
  const std::string sha256 = base::sha256(bytes);
  const auto [known, added] = parts.try_emplace(part, sha256);
  if (added) return !std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
  return std::exchange(known->second, sha256) != sha256;
}

void NamedFrames::record() {
  std::vector<Frame> frames;
  std::map<std::uint64_t, Parts> known;  // of the objects that are there now
  const std::vector<std::string>& chosen = recorder_.chosen_objects();
  for (std::size_t at = 0; at < chosen.size(); ++at)
    device_.visit_named(chosen[at], [&](const NamedObject& object) {
      Parts& parts = known.try_emplace(object.number, std::move(known_[object.number])).first->second;
      for_each_part(object, [&](const std::string& part, std::span<const std::uint8_t> bytes, const auto& picture) {
        recorder_.note_seen(at);
        if (!is_new(parts, part, bytes)) return;
        Frame& frame = frames.emplace_back(Frame{object.name + part, {}, picture()});
        if (!frame.picture) frame.bytes.assign(bytes.begin(), bytes.end());
      });
    });
  known_ = std::move(known);
  for (const Frame& frame : frames) {
    const std::string problem =
        frame.picture ? recorder_.add(*frame.picture, frame.name) : recorder_.add(frame.bytes, frame.name);
    if (!problem.empty()) device_.physical.instance.error("vulkan-golden", problem);
  }
}

}  // namespace heddle::vulkan
