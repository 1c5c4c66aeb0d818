// SPDX-License-Identifier: MIT
#pragma once
// Devices: the queues, the state of waiting, names of objects, and what all pipelines share.

#include <vulkan/vulkan.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "engine/jit/cache/kernel_cache.hpp"
#include "machine/bindings.hpp"
#include "vulkan/api/descriptor_objects.hpp"
#include "vulkan/api/entry_table.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/device/changes.hpp"
#include "vulkan/device/device_observer.hpp"
#include "vulkan/device/instance.hpp"
#include "vulkan/device/physical_device.hpp"
#include "vulkan/device/sparse_objects.hpp"

namespace heddle::vulkan {

class Queues;
class ShaderLinks;
struct PrivateDataSlot;

/// What the queues do, for those who wait for them.
struct QueueState {
  std::size_t submissions = 0;  ///< that wait or run
  bool stopping = false;        ///< the device is being destroyed
  std::string blocked_by;       ///< what only the host can do, which the queue waits for, in words; empty: it goes on
  [[nodiscard]] bool idle() const { return submissions == 0; }
  /// Nothing happens until the application does something.
  [[nodiscard]] bool is_stuck() const { return idle() || !blocked_by.empty(); }
};

/// An object that the application gave a name.
struct NamedObject {
  VkObjectType type = VK_OBJECT_TYPE_UNKNOWN;
  std::uint64_t handle = 0;
  std::string name;
  std::uint64_t number = 0;  ///< counts them, in the order in which they got names
};

struct Device : Dispatchable {
  explicit Device(PhysicalDevice& from);
  ~Device();
  PhysicalDevice& physical;
  ExtensionSet enabled;
  std::shared_ptr<Queues> queues;
  const std::shared_ptr<ShaderLinks> shader_links;
  engine::jit::MemoryCache kernels;
  std::shared_ptr<machine::SharedAddressMap> addresses = std::make_shared<machine::SharedAddressMap>();
  const double time_limit;  ///< seconds of one submission (HEDDLE_TIME_LIMIT)
  /// HEDDLE_CAPTURE: the folder where every dispatch and draw is written to.
  const std::optional<std::string> capture;
  /// HEDDLE_CHECK=warn: the reference engine runs every dispatch and draw, and reports what is wrong.
  const bool checks;
  const std::unique_ptr<DeviceObserver> observer;            ///< null without checks
  const std::optional<std::array<std::uint32_t, 3>> traced;  ///< HEDDLE_TRACE

  // Fences, semaphores, events, queries and the queue's state change under this lock; every change wakes whom it may
  // concern.
  std::mutex mutex;
  Changes changed;
  std::atomic<bool> lost = false;
  QueueState queue_state;
  /// The queue waits for what only the host can do, in words; empty: no longer, or the host has done something, and the
  /// queue has to look again before anybody gives it up. The caller holds `mutex`.
  void block_queue(std::string by);

  /// `message` says why. The queue's thread drops what waits; then every submission and wait answers
  /// VK_ERROR_DEVICE_LOST.
  void lose(const std::string& message);
  /// The first message of lose(); empty: the device is not lost.
  [[nodiscard]] std::string loss();
  /// Lost, and nothing that the application may destroy now is in use any more. The caller holds `mutex`.
  [[nodiscard]] bool reports_loss() const;

  /// Descriptors of sets: the queue's thread reads them under this lock, the host copies them, and writes those of
  /// layouts that allow it while a set is in use (update after bind).
  std::mutex descriptors;
  bool stores_descriptors = false;       ///< VK_EXT_descriptor_buffer is on: views and samplers have numbers
  DescriptorObjects descriptor_objects;  ///< under `descriptors`
  /// Memory at an address that shaders, and descriptors in buffers, may name. False where others have a part of it.
  [[nodiscard]] bool add_addresses(machine::MemoryRange range);
  void remove_addresses(std::uint64_t address);

  // --- memory ---
  bool shares_pages = false;  ///< sparseBinding is on: pages of allocations may stand at other addresses too
  SparseObjects sparse;
  /// depthClampZeroOne is on; of depths that a format of floating-point numbers holds too, as
  /// VK_EXT_depth_range_unrestricted is off.
  bool clamps_depths = false, clamps_float_depths = false;
  /// False when the heap has not so much left.
  [[nodiscard]] bool take_memory(std::uint64_t bytes);
  void give_back_memory(std::uint64_t bytes);

  // --- names and private data of objects, by handle ---
  void name(VkObjectType type, std::uint64_t object, const char* text);
  [[nodiscard]] std::string name_of(std::uint64_t object);
  /// Objects of a name, in the order in which they got it. While `visit` looks at them, none is destroyed and none gets
  /// memory; it calls nothing of the device.
  void visit_named(const std::string& name, const std::function<void(const NamedObject&)>& visit);
  /// Nobody visits an object of the caller's until the lock is gone. Without names there is nothing to keep from:
  /// who gives the caller's object its first one waits for the caller, as Vulkan demands.
  [[nodiscard]] std::unique_lock<std::mutex> keep_from_visits() {
    return remembers_ ? std::unique_lock(names_mutex_) : std::unique_lock<std::mutex>();
  }
  /// Names are taken from objects of which `whose` says so.
  void forget_names(const std::function<bool(const NamedObject&)>& whose);
  void add(PrivateDataSlot* slot);
  void remove(PrivateDataSlot* slot);
  void set_data(PrivateDataSlot& slot, std::uint64_t object, std::uint64_t value);
  [[nodiscard]] std::uint64_t data_of(const PrivateDataSlot& slot, std::uint64_t object);
  /// The object is destroyed: another one may get its handle.
  void forget(std::uint64_t object);

 private:
  std::string loss_;                     ///< changes under `mutex`
  std::mutex names_mutex_;               ///< of names and private data
  std::atomic<bool> remembers_ = false;  ///< there ever was one of them
  std::unordered_map<std::uint64_t, NamedObject> names_;
  std::uint64_t named_ = 0;  ///< objects that ever had a name
  std::unordered_set<PrivateDataSlot*> slots_;
  const std::uint64_t heap_;
  // On a line of its own: every allocation changes it.
  alignas(64) std::atomic<std::uint64_t> memory_used_ = 0;
};

/// Defined by queue/.
[[nodiscard]] std::shared_ptr<Queues> make_queues(Device& device);
/// Defined by pipelines/.
[[nodiscard]] std::shared_ptr<ShaderLinks> make_shader_links();

HEDDLE_DISPATCHABLE(Device, VkDevice)

/// The end of an object of a device, and of what was remembered by its handle.
template <typename Object>
void destroy(VkDevice device, Object* object) {
  if (object == nullptr) return;
  from_handle(device)->forget(reinterpret_cast<std::uint64_t>(object));
  delete object;
}

}  // namespace heddle::vulkan
