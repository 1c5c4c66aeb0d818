// SPDX-License-Identifier: MIT
#include "vulkan/objects/descriptors/descriptor.hpp"

#include <memory>

#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/images/sampler.hpp"
#include "vulkan/objects/memory/buffer_view.hpp"

namespace heddle::vulkan {

const machine::SurfaceResource& ready_surface(Descriptor& descriptor) {
  if (!descriptor.surface && descriptor.memory)
    descriptor.surface = raw_surface(descriptor.memory, descriptor.offset, descriptor.range);
  return descriptor.surface;
}

namespace {

template <typename T>
void set_resource(machine::Resource<T>& to, const machine::Resource<T>& from) {
  if (to.identity() != from.identity()) to = from;
}

}  // namespace

void write_descriptor(Descriptor& to, const WrittenDescriptor& from, const machine::SamplerResource* immutable) {
  const bool is_texels =
      from.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || from.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  const void* const said = is_texels              ? static_cast<const void*>(from.view)
                           : is_buffer(from.type) ? static_cast<const void*>(from.buffer)
                                                  : from.image;
  if (said == nullptr) return;
  const auto sampler = [&] {
    if (immutable != nullptr)
      set_resource(to.sampler, *immutable);
    else if (from.image->sampler != VK_NULL_HANDLE)
      set_resource(to.sampler, from_handle(from.image->sampler)->state);
    else
      to.sampler = nullptr;
  };
  const auto view = [&](machine::SurfaceResource ImageView::* shows) -> const ImageView* {
    const ImageView* shown = from_handle(from.image->imageView);
    to.object = reinterpret_cast<std::uint64_t>(shown);
    to.layout = from.image->imageLayout;
    set_resource(to.surface, shown == nullptr ? machine::SurfaceResource() : shown->*shows);
    to.memory = nullptr;  // where the descriptor was another type's
    return shown;
  };
  switch (from.type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      sampler();
      break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      sampler();
      if (const ImageView* shown = view(&ImageView::sampled); shown != nullptr && shown->planes[0])
        to.planes = std::make_shared<const std::array<machine::SurfaceResource, 2>>(shown->planes);
      else
        to.planes = nullptr;
      break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      (void)view(&ImageView::sampled);
      break;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE: {
      const ImageView* shown = view(&ImageView::storage);
      set_resource(to.samples, shown == nullptr ? machine::SurfaceResource() : shown->samples);
      break;
    }
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
      const BufferView* texels = from_handle(*from.view);
      set_resource(to.surface, texels == nullptr ? machine::SurfaceResource() : texels->surface);
      to.memory = nullptr;
      break;
    }
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      write_buffer(to, *from.buffer);
      break;
    default:
      break;
  }
}

}  // namespace heddle::vulkan
