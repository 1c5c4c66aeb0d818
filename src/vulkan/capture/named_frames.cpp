// SPDX-License-Identifier: MIT
#include "vulkan/capture/named_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/bits/sha256.hpp"
#include "image/surface.hpp"
#include "vulkan/capture/frame_recorder.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {
namespace {

/// Bytes of an object, and how they are shown: as a picture, where its format has texels that files have.
struct Part {
  std::string name;  ///< of the part; empty: the object is one
  std::vector<std::uint8_t> bytes;
  std::optional<image::Surface> picture;
};

/// One level of one layer or sample, as a picture of its own.
std::optional<image::Surface> picture_of(const image::Surface& from, std::uint32_t level,
                                         const std::vector<std::uint8_t>& bytes) {
  image::Surface picture;
  picture.format = from.format;
  picture.width = from.layout[level].width;
  picture.height = from.layout[level].height;
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

std::vector<Part> parts_of(const Image& image) {
  std::vector<Part> parts;
  for (std::size_t p = 0; p < image.format->plane_count; ++p) {
    const image::Surface& surface = image.planes[p].surface;
    if (!surface.memory) continue;  // not bound yet
    for (std::uint32_t level = 0; level < surface.layout.size(); ++level)
      for (std::uint32_t slice = 0; slice < surface.layout[level].slices; ++slice) {
        Part part{name_of_plane(image, p) + name_of_slice(image, level, slice),
                  image::packed_slice(surface, level, slice), std::nullopt};
        part.picture = picture_of(surface, level, part.bytes);
        parts.push_back(std::move(part));
      }
  }
  return parts;
}

std::vector<Part> parts_of(const NamedObject& object) {
  if (object.type == VK_OBJECT_TYPE_IMAGE)
    return parts_of(*reinterpret_cast<const Image*>(object.handle));  // NOLINT: a handle
  if (object.type != VK_OBJECT_TYPE_BUFFER) return {};
  const auto bytes = reinterpret_cast<const Buffer*>(object.handle)->bytes();  // NOLINT: a handle
  std::vector<Part> parts;
  if (!bytes.empty()) parts.push_back({{}, {bytes.begin(), bytes.end()}, std::nullopt});
  return parts;
}

}  // namespace

bool NamedFrames::is_new(std::uint64_t object, const std::string& part, const std::string& sha256, bool all_zero) {
  const auto [known, added] = known_.try_emplace({object, part}, sha256);
  if (added) return !all_zero;
  return std::exchange(known->second, sha256) != sha256;
}

void NamedFrames::record() {
  std::vector<Part> frames;
  const std::vector<std::string>& chosen = recorder_.chosen_objects();
  for (std::size_t at = 0; at < chosen.size(); ++at)
    device_.visit_named(chosen[at], [&](const NamedObject& object) {
      for (Part& part : parts_of(object)) {
        recorder_.note_seen(at);
        const bool all_zero = std::ranges::all_of(part.bytes, [](std::uint8_t byte) { return byte == 0; });
        if (!is_new(object.number, part.name, base::sha256(part.bytes), all_zero)) continue;
        part.name.insert(0, object.name);
        frames.push_back(std::move(part));
      }
    });
  for (const Part& frame : frames) {
    const std::string problem =
        frame.picture ? recorder_.add(*frame.picture, frame.name) : recorder_.add(frame.bytes, frame.name);
    if (!problem.empty()) device_.physical.instance.error("vulkan-golden", problem);
  }
}

}  // namespace heddle::vulkan
