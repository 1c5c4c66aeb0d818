#include "vulkan/checks/device_checks.hpp"

#include "vulkan/objects/images/image.hpp"

namespace heddle::vulkan {

void DeviceChecks::add(const ImageView& view, TrackedView tracked) {
  const std::lock_guard guard(mutex_);
  views_[&view] = std::move(tracked);
  for (const machine::SurfaceResource* s : {&view.sampled, &view.storage, &view.samples})
    if (*s) surfaces_[s->get()] = &view;
}

void DeviceChecks::remove(const ImageView& view) {
  const std::lock_guard guard(mutex_);
  views_.erase(&view);
  for (const machine::SurfaceResource* s : {&view.sampled, &view.storage, &view.samples})
    if (*s) surfaces_.erase(s->get());
}

std::optional<TrackedView> DeviceChecks::find(const ImageView* view) const {
  const std::lock_guard guard(mutex_);
  const auto found = views_.find(view);
  return found == views_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TrackedView> DeviceChecks::find(const image::Surface* surface) const {
  const std::lock_guard guard(mutex_);
  const auto found = surfaces_.find(surface);
  return found == surfaces_.end() ? std::nullopt : std::optional(views_.at(found->second));
}

}  // namespace heddle::vulkan
