// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_TEXELS: the images and samplers of all devices of the process, and what was done with texels frame by frame.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/texels/host_writes.hpp"
#include "vulkan/texels/texel_counts.hpp"

namespace heddle::vulkan {

struct Image;
struct ImageView;
struct Sampler;

/// What a frame, a submission or a command did with one plane of an image.
struct PlaneUse {
  const PlaneRecord* record = nullptr;
  std::array<std::uint64_t, kTexelUses> counts{};
  std::uint64_t texels_read = 0, texels_written = 0;
  std::optional<std::uint32_t> least_level, greatest_level;  ///< of shaders' reads
  std::map<std::size_t, std::vector<std::uint8_t>> maps;     ///< by use: a KTX2 file
};

struct TexelUnit {
  std::uint32_t device = 0;
  std::uint64_t frame = 0;          ///< of its device
  std::optional<std::uint64_t> id;  ///< of the frame, where the application gives one
  std::uint64_t command = 0;        ///< in its frame, from 1; 0: the unit is the frame
  std::string name;                 ///< of the command
  std::vector<std::string> labels;
  std::vector<PlaneUse> planes;
};

struct SamplerRecord {
  std::uint32_t number = 0;
  std::string name;
  std::string mag, min, mip;  ///< "linear", "nearest"
  std::array<std::string, 3> address;
  float anisotropy = 1;
};

class TexelSession {
 public:
  /// Null where HEDDLE_TEXELS is not set. Lives until the process ends, and then writes what it has.
  [[nodiscard]] static TexelSession* instance();

  /// What frames are: presents, or submissions of devices that have no swapchains, or what the application says
  /// (VK_EXT_frame_boundary), as soon as it does.
  enum class Frames : std::uint8_t { Presents, Submissions, Boundaries };

  [[nodiscard]] TexelCounts& counts() { return counts_; }
  [[nodiscard]] bool by_draw() const { return by_draw_; }

  // --- objects; from any thread ---
  /// `end`: called when the process ends before the device does.
  [[nodiscard]] std::uint32_t add_device(std::function<void()> end);
  void remove_device(std::uint32_t number);
  /// Another image may get the address; what was counted stays.
  void add_image(const Image& image);
  void add_view(std::uint32_t device, const ImageView& view, const VkImageViewCreateInfo& info);
  void remove_view(const ImageView& view);
  void add_sampler(const Sampler& sampler, const VkSamplerCreateInfo& info);
  /// The host may write texels of the image as bytes of memory, which it has from image_bound() on.
  void add_linear_image(std::uint32_t device, const Image& image);
  void image_bound(const Image& image);
  void remove_image(const Image& image);
  void memory_freed(const image::Memory& memory);
  void set_name(std::uint64_t object, const std::string& name);

  // --- commands; from the queue's thread of the device ---
  /// The record of an image's plane; null: it isn't counted.
  [[nodiscard]] PlaneRecord* record_of(std::uint32_t device, const Image& image, const image::Surface& plane);
  /// One use of each texel of a box.
  void count_box(PlaneRecord& record, const pipeline::transfer::ImageBox& box, TexelUse use);
  /// The host is about to copy to a box; until that has ended, nobody looks what else it has written to the image.
  void upload_from_host(PlaneRecord& record, const Image& image, const pipeline::transfer::ImageBox& box);
  void host_upload_ended(const Image& image, const image::Surface& plane, const pipeline::transfer::ImageBox& box);
  /// The device has written these bytes as a buffer's.
  void buffer_written(std::span<const std::uint8_t> bytes);
  /// What the host has written to linear images of the device since the last submission; what the submission that ends
  /// has written is none of it.
  void count_host_writes(std::uint32_t device);
  void pass_over_device_writes(std::uint32_t device);
  /// Brings what shaders have counted into the record.
  void settle(PlaneRecord& record);
  /// Images whose stores are looked for behind each command.
  void settle_stores(std::uint32_t device);
  /// A frame, a submission or a command has ended: what was counted since the last one is its own.
  void end_unit(TexelUnit unit, Frames frames);

 private:
  friend class TexelOutput;
  TexelSession(std::string folder, bool by_draw);
  [[nodiscard]] PlaneRecord* find_or_add(std::uint32_t device, const Image& image, unsigned plane);
  [[nodiscard]] PlaneUse take_unit(PlaneRecord& record, bool with_maps);
  void write_at_exit();

  const std::string folder_;
  const bool by_draw_;
  TexelCounts counts_;
  std::mutex mutex_;  ///< of what follows, and of units of records
  struct ImageEntry {
    std::uint32_t number = 0;
    std::array<PlaneRecord*, 3> planes{};
  };
  std::unordered_map<const Image*, ImageEntry> images_;
  std::unordered_map<const ImageView*, std::vector<const image::Surface*>> views_;
  std::unordered_map<std::uint64_t, std::string> names_;
  std::unordered_map<const Sampler*, std::uint32_t> sampler_numbers_;
  std::vector<SamplerRecord> samplers_;
  std::vector<PlaneRecord*> stored_;  ///< that shaders may store to
  HostWrites host_writes_;
  std::vector<TexelUnit> units_;
  std::uint64_t map_bytes_ = 0, maps_left_out_ = 0;
  std::uint32_t devices_ = 0, image_count_ = 0;
  std::map<std::uint32_t, std::function<void()>> ends_;  ///< of devices that live
  Frames frames_ = Frames::Submissions;
};

}  // namespace heddle::vulkan
