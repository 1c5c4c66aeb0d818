// SPDX-License-Identifier: MIT
#pragma once
// Counts the texels that shaders touch, thread by thread, and gathers the counts when nothing runs.

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "texture/touches.hpp"
#include "vulkan/texels/plane_record.hpp"

namespace heddle::vulkan {

/// One for the process: it is the texture unit's sink. Shaders' threads count in tallies of their own; settle() and
/// what takes a record is called while they do nothing.
class TexelCounts final : public texture::TouchSink {
 public:
  /// What a surface is to the image that it shows.
  enum class Role : std::uint8_t { Sampled, Storage, Attachment };

  TexelCounts();
  ~TexelCounts() override;
  TexelCounts(const TexelCounts&) = delete;
  TexelCounts& operator=(const TexelCounts&) = delete;

  // --- the texture unit's calls ---
  [[nodiscard]] Kind kind_of(const image::Surface& surface) override;
  [[nodiscard]] texture::TouchCounts reads(const image::Surface& surface, texture::OperationKind family,
                                           const image::Sampler* sampler) override;
  [[nodiscard]] texture::TouchCounts writes(const image::Surface& surface) override;
  void lose_counts() override { lost_ = true; }
  void begin(const texture::LaneRequest& request) override;
  void texel(const texture::TexelTouch& touch) override;

  // --- the driver's ---
  PlaneRecord& add_plane(std::unique_ptr<PlaneRecord> record);
  void add_surface(const image::Surface& surface, PlaneRecord& record, Role role);
  void remove_surface(const image::Surface& surface);
  /// Null: it isn't counted.
  [[nodiscard]] PlaneRecord* record_of(const image::Surface& surface) { return find(surface).record; }
  void add_sampler(const image::Sampler* sampler, std::uint32_t number);
  /// All that people are told of.
  [[nodiscard]] std::vector<PlaneRecord*> planes() const;
  /// Brings what the threads have counted into the record.
  void settle(PlaneRecord& record);
  /// Whether there was no memory for some counts.
  [[nodiscard]] bool lost() const { return lost_; }
  /// Whether threads have counted stores of shaders to the image since it was settled.
  [[nodiscard]] bool has_stores(const PlaneRecord& record) const;

 private:
  struct Tally;
  struct Seen {
    PlaneRecord* record = nullptr;
    Role role = Role::Sampled;
  };
  [[nodiscard]] Tally& mine();
  [[nodiscard]] Seen find(const image::Surface& surface);
  [[nodiscard]] Seen find_again(Tally& tally, const image::Surface& surface);
  [[nodiscard]] std::vector<Tally*> tallies() const;
  void settle_samplers(PlaneRecord& record);

  mutable std::shared_mutex mutex_;  ///< of surfaces_, samplers_ and planes_
  std::unordered_map<const image::Surface*, Seen> surfaces_;
  std::unordered_map<const image::Sampler*, std::uint32_t> samplers_;
  std::atomic<std::uint64_t> changes_ = 1;            ///< of surfaces_
  std::atomic<bool> lost_ = false;                    ///< counts, for want of memory
  std::vector<std::unique_ptr<PlaneRecord>> planes_;  ///< by number
  mutable std::mutex tallies_mutex_;
  std::vector<std::unique_ptr<Tally>> tallies_;  ///< of threads, which may have ended
};

}  // namespace heddle::vulkan
