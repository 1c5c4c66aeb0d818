// SPDX-License-Identifier: MIT
#pragma once
// What watches the objects of a device more closely: their names, and what the host does with images (texels/ does,
// with HEDDLE_TEXELS).

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <string>

#include "vulkan/device/device_observer.hpp"

namespace heddle::image {
struct Surface;
}
namespace heddle::pipeline::transfer {
struct ImageBox;
}

namespace heddle::vulkan {

struct Sampler;

/// May be called from several threads.
class ObjectObserver : public DeviceObserver {
 public:
  /// The host is about to write texels of a plane of an image; whatever comes of it, its end is told, too.
  virtual void image_written(const Image& image, const image::Surface& plane,
                             const pipeline::transfer::ImageBox& box) = 0;
  virtual void image_write_ended(const Image& image, const image::Surface& plane,
                                 const pipeline::transfer::ImageBox& box) = 0;
  /// The host may write texels of a linear image as bytes of its memory, from where it is bound on.
  virtual void linear_image_created(const Image& image) = 0;
  virtual void image_bound(const Image& image) = 0;
  virtual void image_destroyed(const Image& image) = 0;
  virtual void sampler_created(const Sampler& sampler, const VkSamplerCreateInfo& info) = 0;
  virtual void object_named(std::uint64_t object, const std::string& name) = 0;
};

/// Defined by texels/.
[[nodiscard]] std::unique_ptr<DeviceObserver> make_object_observer();

}  // namespace heddle::vulkan
