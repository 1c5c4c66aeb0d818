// SPDX-License-Identifier: MIT
#pragma once
// Follows what commands do with memory and images, and reports reads of bytes that nobody has written, images in
// layouts other than declared, and commands that no barrier orders (docs/checks.md). Exists only with HEDDLE_CHECK.

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/report.hpp"
#include "machine/sanitizer/memory_watch.hpp"
#include "vulkan/sanitizer/device_sanitizer.hpp"
#include "vulkan/sanitizer/image_rows.hpp"
#include "vulkan/sanitizer/order/access_map.hpp"
#include "vulkan/sanitizer/order/command_order.hpp"

namespace heddle::vulkan {

struct Device;

/// How a command uses memory: the stages and accesses that a barrier must name.
struct Usage {
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 accesses = 0;
  PassRole role = PassRole::None;
  bool atomic = false;
  const char* kind = "memory";  ///< for messages: "buffer"
  std::uint64_t object = 0;     ///< handle, for its name

  [[nodiscard]] Usage of(const char* what, std::uint64_t handle) const {
    Usage usage = *this;
    usage.kind = what;
    usage.object = handle;
    return usage;
  }
};

/// A stage of a dispatch or a draw while it runs.
struct WatchedStage {
  VkPipelineStageFlags2 stage = 0;
  std::string what;  ///< "compute shader 'main'"
  /// How a slot of the binding table is read; nothing: it is none of the application's.
  std::function<VkAccessFlags2(std::uint32_t surface)> reads;
  /// The layouts that descriptors declare for the image that a surface shows; empty: none of them names it.
  std::function<std::vector<VkImageLayout>(const image::Surface*)> layouts;
  /// Attachments that its input attachments are read from in rasterization order.
  std::vector<Bytes> ordered;
  [[nodiscard]] bool reads_in_order(const std::uint8_t* at) const {
    return std::ranges::any_of(ordered, [at](Bytes a) { return at >= a.data() && at < a.data() + a.size(); });
  }
};

class CommandWatch final : public machine::MemoryWatch {
 public:
  /// `labels`: of the application, around the command that is carried out.
  CommandWatch(Device& device, const std::vector<std::string>& labels);

  // --- what is carried out ---
  /// What was submitted before is done, and ordered.
  void begin_submission();
  /// Commands of another command buffer, counted from its first; what end_buffer() needs to go on with the last one.
  [[nodiscard]] std::uint64_t begin_buffer() { return std::exchange(command_in_buffer_, 0); }
  void end_buffer(std::uint64_t before) { command_in_buffer_ = before; }
  void begin_command(const char* name);
  /// Commands run in a pass from now on: in a new one, or in the last one, which was suspended.
  void begin_pass(bool resumes) {
    if (!resumes || passes_ == 0) ++passes_;
    pass_ = passes_;
  }
  /// Attachments that shaders may read while draws write them, of the subpass that begins.
  void begin_subpass(std::set<const image::Surface*> followed) {
    ++subpass_;
    followed_ = std::move(followed);
  }
  void end_pass() {
    pass_ = 0;
    followed_.clear();
  }
  void begin_stage(WatchedStage stage);
  void end_stage();

  // --- memory ---
  void read(Bytes bytes, const Usage& usage);
  void write(Bytes bytes, const Usage& usage);
  /// A write as barriers see it, of bytes that may be as they were.
  void order(Bytes bytes, const Usage& usage) { touch_and_report(bytes, usage, true); }
  /// A copy: what was unwritten stays it.
  void copy(Bytes from, Bytes to, const Usage& reads, const Usage& writes);
  void read_box(const image::Surface& surface, const pipeline::transfer::ImageBox& box, const Usage& usage);
  void write_box(const image::Surface& surface, const pipeline::transfer::ImageBox& box, const Usage& usage);
  /// The contents are undefined from now on.
  void forget(Bytes bytes);
  /// Reads, and reports bytes that nobody has written; `what` says "an index", "an attribute of vertex 3".
  void fetch(Bytes bytes, const Usage& usage, const std::function<std::string()>& what);
  void depend(Dependency dependency) { order_.add(std::move(dependency)); }

  // --- reports ---
  /// A finding about the command itself.
  void report(machine::Finding finding);
  /// A subresource is in the layout `current`, but `who` ("srcImageLayout") says `declared`.
  void report_layout(std::uint64_t image, std::uint32_t level, std::uint32_t layer, VkImageLayout current,
                     VkImageLayout declared, std::string_view who);
  [[nodiscard]] std::string name_of(std::uint64_t object, std::string_view kind) const;

  // --- of shaders that run ---
  void access(machine::ExecutionContext& context, const machine::MemoryTarget& target, const std::uint8_t* at,
              std::uint32_t bytes, machine::AccessKind kind, unsigned lane) override;
  void texel(machine::ExecutionContext& context, const image::Surface& surface, std::uint32_t level,
             std::uint32_t slice, std::uint32_t index, unsigned lane) override;
  [[nodiscard]] bool follows(const image::Surface& surface) const override { return followed_.contains(&surface); }
  void drawn(machine::ExecutionContext& context, const std::uint8_t* at, std::uint32_t bytes, unsigned lane) override;

 private:
  struct Seen {
    std::optional<TrackedView> view;
    std::vector<VkImageLayout> declared;
  };
  [[nodiscard]] CommandOrder::Use use_of(const Usage& usage, bool write);
  [[nodiscard]] std::string command_text() const;
  /// found(other use) for each use that nothing orders before this access.
  void touch(Bytes bytes, CommandOrder::Use use, const std::function<void(CommandOrder::Use)>& found);
  void touch_and_report(Bytes bytes, const Usage& usage, bool write);
  void say_full();

  Device& device_;
  const std::vector<std::string>& labels_;
  const char* command_ = "";
  std::uint64_t number_ = 0;  ///< of the command in the submission
  std::uint64_t command_in_buffer_ = 0;
  std::uint32_t pass_ = 0;     ///< that commands run in, from 1; 0: none
  std::uint32_t passes_ = 0;   ///< of the submission
  std::uint32_t subpass_ = 0;  ///< the same
  std::set<const image::Surface*> followed_;
  WatchedStage stage_;
  std::mutex mutex_;  ///< of what follows
  CommandOrder order_;
  AccessMap map_;
  std::unordered_map<std::uint64_t, CommandOrder::Use> stage_uses_;  ///< by surface and kind
  CommandOrder::Use drawn_use_ = 0;                                  ///< of what this stage writes to attachments
  std::unordered_map<const image::Surface*, Seen> seen_;             ///< by this stage
  std::set<std::tuple<CommandOrder::Use, CommandOrder::Use, std::uint32_t>> reported_;
  bool reported_full_ = false;
};

}  // namespace heddle::vulkan
