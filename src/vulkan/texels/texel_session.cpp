// SPDX-License-Identifier: MIT
#include "vulkan/texels/texel_session.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "base/environment/environment.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/images/sampler.hpp"
#include "vulkan/texels/texel_maps.hpp"
#include "vulkan/texels/texel_output.hpp"

namespace heddle::vulkan {
namespace {

/// Maps of frames and commands that are kept until the process ends.
constexpr std::uint64_t kMaxMapBytes = std::uint64_t{512} << 20;

std::string plane_name(const image::VulkanFormat& format, unsigned plane) {
  if (format.plane_count == 1) return {};
  if (format.depth) return plane == 0 ? "depth" : "stencil";
  return "plane " + std::to_string(plane);
}

/// What of a surface the vector functions may count by bytes.
bool is_plain(const TexelShape& shape, const image::Surface& surface) {
  if (shape.blocks || !std::has_single_bit(shape.bytes) || shape.bytes > 16) return false;
  return std::ranges::all_of(surface.layout, [&](const image::LevelLayout& l) {
    return l.offset % shape.bytes == 0 && l.row_pitch % shape.bytes == 0 && l.slice_pitch % shape.bytes == 0;
  });
}

/// Where the texels of a surface are counted.
std::unique_ptr<PlaneRecord> record_for(std::uint32_t device, const image::Surface& surface) {
  auto made = std::make_unique<PlaneRecord>();
  made->device = device;
  made->shape = shape_of(surface);
  made->whole = surface;
  made->whole.memory = nullptr;
  made->counter.base = surface.base;
  made->counter.shift = static_cast<std::uint32_t>(std::countr_zero(std::max(1u, made->shape.bytes)));
  made->counter.plain = is_plain(made->shape, surface);
  return made;
}

/// Whether the texels of a view are those of the image's plane, or its blocks.
bool shows(const image::Surface& surface, const PlaneRecord& record) {
  const image::FormatInfo& format = surface.info();
  if (format.bytes_per_element() != record.shape.bytes) return false;
  return format.block_width == record.shape.block_width || format.block_width == 1;
}

std::string address_word(VkSamplerAddressMode mode) {
  switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
      return "repeat";
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
      return "mirrored_repeat";
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
      return "clamp_to_border";
    case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
      return "mirror_clamp_to_edge";
    default:
      return "clamp_to_edge";
  }
}
std::string filter_word(VkFilter filter) { return filter == VK_FILTER_NEAREST ? "nearest" : "linear"; }

/// use(level, counter of the row's first texel, texels) for each row of a box, inside the plane.
template <typename Use>
void for_each_box_row(const TexelShape& shape, const pipeline::transfer::ImageBox& box, Use&& use) {
  if (box.level >= shape.levels.size()) return;
  const TexelShape::Level& level = shape.levels[box.level];
  const auto from = [](std::int32_t at) { return static_cast<std::uint64_t>(std::max(at, 0)); };
  const auto end = [&](std::int32_t at, std::uint64_t count, std::uint32_t size) {
    return std::min<std::uint64_t>(from(at) + count, size);
  };
  const std::uint64_t x0 = from(box.offset.x) * shape.across,
                      x1 = std::min<std::uint64_t>(x0 + std::uint64_t{box.extent.width} * shape.across, level.width),
                      y0 = from(box.offset.y), y1 = end(box.offset.y, box.extent.height, level.height);
  const std::uint64_t z0 =
      shape.volume ? from(box.offset.z) + box.first_layer : std::uint64_t{box.first_layer} * shape.samples;
  const std::uint64_t slices =
      shape.volume ? std::uint64_t{box.extent.depth} * box.layers : std::uint64_t{box.layers} * shape.samples;
  for (std::uint64_t z = z0; z < std::min<std::uint64_t>(z0 + slices, level.slices); ++z)
    for (std::uint64_t y = y0; y < y1 && x0 < x1; ++y)
      use(level.at(static_cast<std::uint32_t>(z), static_cast<std::uint32_t>(x0), static_cast<std::uint32_t>(y)),
          x1 - x0);
}

}  // namespace

TexelSession* TexelSession::instance() {
  static TexelSession* const session = []() -> TexelSession* {
    auto folder = base::read_text_variable(base::Variable::Texels);
    if (!folder || folder->empty()) return nullptr;
    const bool by_draw = base::read_word_variable(base::Variable::TexelsBy).value == "draw";
    auto* made = new TexelSession(std::move(*folder), by_draw);  // NOLINT: until the process ends
    texture::set_touch_sink(&made->counts_);
    ::on_exit([](int, void* of) { static_cast<TexelSession*>(of)->write_at_exit(); }, made);
    return made;
  }();
  return session;
}

TexelSession::TexelSession(std::string folder, bool by_draw) : folder_(std::move(folder)), by_draw_(by_draw) {}

// --- objects ---

std::uint32_t TexelSession::add_device(std::function<void()> end) {
  const std::lock_guard guard(mutex_);
  ends_.emplace(devices_, std::move(end));
  return devices_++;
}
void TexelSession::remove_device(std::uint32_t number) {
  const std::lock_guard guard(mutex_);
  ends_.erase(number);
}

void TexelSession::add_image(const Image& image) {
  const std::lock_guard guard(mutex_);
  images_.erase(&image);
  names_.erase(reinterpret_cast<std::uint64_t>(&image));
}

void TexelSession::add_linear_image(std::uint32_t device, const Image& image) {
  const std::lock_guard guard(mutex_);
  host_writes_.add(device, image);
}
void TexelSession::image_bound(const Image& image) {
  const std::lock_guard guard(mutex_);
  host_writes_.bind(image);
}
void TexelSession::remove_image(const Image& image) {
  const std::lock_guard guard(mutex_);
  host_writes_.remove(image);
}
void TexelSession::memory_freed(const image::Memory& memory) {
  const std::lock_guard guard(mutex_);
  host_writes_.free(memory);
}

PlaneRecord* TexelSession::find_or_add(std::uint32_t device, const Image& image, unsigned plane) {
  auto [entry, is_new] = images_.try_emplace(&image);
  if (is_new) entry->second.number = image_count_++;
  PlaneRecord*& known = entry->second.planes[plane];
  if (known != nullptr) return known;
  image::Surface surface = image.planes[plane].surface;
  PlaneRecord* pairs = nullptr;
  if (image.format->pairs) {
    auto shared = record_for(device, surface);
    shared->of_pairs = true;
    pairs = &counts_.add_plane(std::move(shared));
    see_halves(*image.format, surface);  // as shaders read luma
  }
  auto made = record_for(device, surface);
  made->shape.across = image.across();
  made->pairs = pairs;
  made->image = entry->second.number;
  made->format = image.format->name;
  made->plane = plane_name(*image.format, plane);
  made->extent = {surface.width, surface.height, surface.depth};
  made->layers = surface.layers;
  made->unwritten = made->shape.texels;
  made->state.resize(made->shape.counters);
  if (const auto named = names_.find(reinterpret_cast<std::uint64_t>(&image)); named != names_.end())
    made->name = named->second;
  known = &counts_.add_plane(std::move(made));
  return known;
}

PlaneRecord* TexelSession::record_of(std::uint32_t device, const Image& image, const image::Surface& plane) {
  const std::lock_guard guard(mutex_);
  for (unsigned k = 0; k < image.planes.size(); ++k)
    if (&image.planes[k].surface == &plane) return find_or_add(device, image, k);
  return nullptr;
}

void TexelSession::add_view(std::uint32_t device, const ImageView& view, const VkImageViewCreateInfo& info) {
  const Image& image = *from_handle(info.image);
  const std::lock_guard guard(mutex_);
  std::vector<const image::Surface*>& own = views_[&view];
  const auto add = [&](const machine::SurfaceResource& surface, unsigned plane, TexelCounts::Role role) {
    if (!surface) return;
    PlaneRecord* record = nullptr;
    if (plane < image.format->plane_count)
      record = find_or_add(device, image, plane);
    else if (image.format->pairs)
      record = find_or_add(device, image, 0)->pairs;
    if (record == nullptr) return;
    if (!shows(*surface, *record)) return;
    counts_.add_surface(*surface, *record, role);
    own.push_back(&*surface);
    if (role == TexelCounts::Role::Storage && std::ranges::find(stored_, record) == stored_.end())
      stored_.push_back(record);
  };
  VkImageAspectFlags aspect = info.subresourceRange.aspectMask;
  if (std::popcount(aspect) > 1) aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
  const Image::Plane* const shown = image.plane_of(aspect);
  const auto first = shown == nullptr ? 0u : static_cast<unsigned>(shown - image.planes.data());
  add(view.sampled, first, TexelCounts::Role::Sampled);
  add(view.storage, first, TexelCounts::Role::Storage);
  add(view.samples, first, TexelCounts::Role::Storage);
  for (unsigned k = 0; k < view.planes.size(); ++k) add(view.planes[k], k + 1, TexelCounts::Role::Sampled);
  const auto attached = [&](const machine::SurfaceResource& surface, VkImageAspectFlags of) {
    const Image::Plane* const plane = image.plane_of(of);
    if (plane != nullptr)
      add(surface, static_cast<unsigned>(plane - image.planes.data()), TexelCounts::Role::Attachment);
  };
  attached(view.attachment.color, image.format->multi_planar() ? aspect : VK_IMAGE_ASPECT_COLOR_BIT);
  attached(view.attachment.depth, VK_IMAGE_ASPECT_DEPTH_BIT);
  attached(view.attachment.stencil, VK_IMAGE_ASPECT_STENCIL_BIT);
}

void TexelSession::remove_view(const ImageView& view) {
  const std::lock_guard guard(mutex_);
  const auto found = views_.find(&view);
  if (found == views_.end()) return;
  for (const image::Surface* surface : found->second) counts_.remove_surface(*surface);
  views_.erase(found);
}

void TexelSession::add_sampler(const Sampler& sampler, const VkSamplerCreateInfo& info) {
  const std::lock_guard guard(mutex_);
  SamplerRecord& made = samplers_.emplace_back();
  made.number = static_cast<std::uint32_t>(samplers_.size() - 1);
  made.mag = filter_word(info.magFilter);
  made.min = filter_word(info.minFilter);
  made.mip = info.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? "linear" : "nearest";
  made.address = {address_word(info.addressModeU), address_word(info.addressModeV), address_word(info.addressModeW)};
  if (info.anisotropyEnable == VK_TRUE) made.anisotropy = info.maxAnisotropy;
  sampler_numbers_[&sampler] = made.number;
  names_.erase(reinterpret_cast<std::uint64_t>(&sampler));
  if (sampler.state) counts_.add_sampler(&*sampler.state, made.number);
}

void TexelSession::set_name(std::uint64_t object, const std::string& name) {
  const std::lock_guard guard(mutex_);
  names_[object] = name;
  if (const auto image = images_.find(reinterpret_cast<const Image*>(object)); image != images_.end())
    for (PlaneRecord* record : image->second.planes)
      if (record != nullptr) record->name = name;
  if (const auto found = sampler_numbers_.find(reinterpret_cast<const Sampler*>(object));
      found != sampler_numbers_.end())
    samplers_[found->second].name = name;
}

// --- commands ---

void TexelSession::count_box(PlaneRecord& record, const pipeline::transfer::ImageBox& box, TexelUse use) {
  const std::lock_guard guard(mutex_);
  if (is_write(static_cast<std::size_t>(use)) && record.unwritten != 0) counts_.settle(record);  // reads before it
  for_each_box_row(record.shape, box, [&](std::uint64_t first, std::uint64_t texels) {
    record.count(static_cast<std::size_t>(use), first, texels, 1);
  });
}

void TexelSession::upload_from_host(PlaneRecord& record, const Image& image, const pipeline::transfer::ImageBox& box) {
  const std::lock_guard guard(mutex_);  // shaders may run: what they count meanwhile is settled behind them
  const bool changed = record.changed;  // by the device
  for_each_box_row(record.shape, box, [&](std::uint64_t first, std::uint64_t texels) {
    record.count(static_cast<std::size_t>(TexelUse::Uploaded), first, texels, 1);
  });
  record.changed = changed;
  host_writes_.pause(image);
}

void TexelSession::host_upload_ended(const Image& image, const image::Surface& plane,
                                     const pipeline::transfer::ImageBox& box) {
  const std::lock_guard guard(mutex_);
  for (unsigned k = 0; k < image.planes.size(); ++k)
    if (&image.planes[k].surface == &plane) host_writes_.go_on(image, k, box);
}

void TexelSession::buffer_written(std::span<const std::uint8_t> bytes) {
  const std::lock_guard guard(mutex_);
  host_writes_.device_wrote(bytes);
}

void TexelSession::count_host_writes(std::uint32_t device) {
  const std::lock_guard guard(mutex_);
  host_writes_.look(device, [&](const HostWrites::Run& run) {
    PlaneRecord& record = *find_or_add(device, run.image, run.plane);
    if (record.unwritten != 0) counts_.settle(record);  // reads before it
    const TexelShape& shape = record.shape;
    const TexelShape::Level& level = shape.levels[run.level];
    const std::uint32_t columns = shape.block_width * shape.across;
    const std::uint32_t x0 = run.column * columns, y0 = run.row * shape.block_height;
    const std::uint32_t x1 = std::min(x0 + run.elements * columns, level.width);
    for (std::uint32_t y = y0; y < std::min(y0 + shape.block_height, level.height); ++y)
      record.count(static_cast<std::size_t>(TexelUse::Uploaded), level.at(run.slice, x0, y), x1 - x0, 1);
    record.changed = false;
  });
}

void TexelSession::pass_over_device_writes(std::uint32_t device) {
  const std::lock_guard guard(mutex_);
  host_writes_.pass_over(device, [&](const Image& image, unsigned plane) {
    const auto known = images_.find(&image);
    PlaneRecord* const record = known == images_.end() ? nullptr : known->second.planes[plane];
    if (record == nullptr) return false;
    counts_.settle(*record);
    return std::exchange(record->changed, false);
  });
}

void TexelSession::settle(PlaneRecord& record) {
  const std::lock_guard guard(mutex_);
  counts_.settle(record);
}

void TexelSession::settle_stores(std::uint32_t device) {
  const std::lock_guard guard(mutex_);
  for (PlaneRecord* record : stored_)
    if (record->device == device && record->unwritten != 0 && counts_.has_stores(*record)) counts_.settle(*record);
}

PlaneUse TexelSession::take_unit(PlaneRecord& record, bool with_maps) {
  std::map<std::size_t, std::vector<std::uint8_t>> maps;
  for (std::size_t k = 0; k < kTexelUses; ++k) {
    if (!record.counted[k]) continue;
    if (record.total[k].empty()) record.total[k] = Counters(record.shape.counters);
    if (with_maps && map_bytes_ < kMaxMapBytes) {
      std::vector<std::uint8_t> map = encode_map(record.shape, record.unit[k]);
      map_bytes_ += map.size();
      if (!map.empty()) maps.emplace(k, std::move(map));
    } else {
      maps_left_out_ += with_maps ? 1 : 0;
    }
  }
  // Each row is summed up, added to the total, and made zeros for the next unit, while it is in the processor's cache.
  PlaneUse use = summarize(record, record.unit, std::exchange(record.counted, {}),
                           [&](std::size_t k, std::uint64_t first, std::uint64_t texels) {
                             move_row(record.total[k].data() + first, {record.unit[k].data() + first, texels});
                           });
  use.maps = std::move(maps);
  return use;
}

void TexelSession::end_unit(TexelUnit unit, Frames frames) {
  const std::lock_guard guard(mutex_);
  frames_ = frames;
  for (PlaneRecord* record : counts_.planes()) {
    if (record->device != unit.device) continue;
    counts_.settle(*record);
    const bool used = std::ranges::any_of(record->counted, [](bool counted) { return counted; });
    if (used) unit.planes.push_back(take_unit(*record, true));
  }
  if (!unit.planes.empty()) units_.push_back(std::move(unit));
}

void TexelSession::write_at_exit() {
  // Of devices that the program leaves: what their queues do now may be counted or not.
  std::map<std::uint32_t, std::function<void()>> ends;
  {
    const std::lock_guard guard(mutex_);
    ends = ends_;
  }
  for (const auto& [number, end] : ends) end();
  const std::lock_guard guard(mutex_);
  TexelOutput(*this).write();
}

}  // namespace heddle::vulkan
