// SPDX-License-Identifier: MIT
#pragma once
// Queues: one thread carries out what is submitted to them, one submission after another.

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vulkan/api/handles.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/objects/sync/fence.hpp"
#include "vulkan/objects/sync/semaphore.hpp"
#include "vulkan/queue/sparse_binds.hpp"

namespace heddle::vulkan {

struct CommandBuffer;
struct Device;
struct QueueState;
class Executor;

/// Shows pictures, on the queue's thread (surface/).
class Presenter {
 public:
  /// `id`: of the application, by which it waits for it; 0: none.
  virtual void show(std::uint32_t index, std::uint64_t id) noexcept = 0;

 protected:
  ~Presenter() = default;
};

struct Submission {
  struct Point {
    Semaphore* semaphore;
    std::uint64_t value;  ///< of a timeline; of a binary semaphore the number of the signal, which submit() finds
    std::shared_ptr<Payload> payload = nullptr;  ///< that the semaphore has when it is submitted
  };
  std::vector<Point> waits, signals;
  SparseBinds binds;
  std::vector<const CommandBuffer*> buffers;
  struct Present {
    Presenter* presenter;    ///< null: it has no such picture, and nothing is shown
    std::uint32_t index;     ///< of the picture
    std::uint64_t id = 0;    ///< of the application; 0: none
    Fence* fence = nullptr;  ///< signaled when the picture was shown
  };
  std::vector<Present> presents;
  /// The frame that the application says it belongs to (VK_EXT_frame_boundary).
  struct Frame {
    std::uint64_t id = 0;
    bool ends = false;  ///< it is the frame's last
  };
  std::optional<Frame> frame;
  Fence* fence = nullptr;
  std::uint64_t number = 0;  ///< of all submissions of the device
};

/// What a VkSubmitInfo, VkPresentInfoKHR or VkBindSparseInfo says of its frame.
[[nodiscard]] std::optional<Submission::Frame> read_frame(const void* chain);

class Queues;

/// What waits is carried out in its order, but not before or behind what other queues have.
struct Queue : Dispatchable {
  Queue(Queues& of, std::uint32_t number) : all(of), family(number) {}
  Queues& all;
  const std::uint32_t family;
  // Under the device's mutex.
  std::deque<Submission> waiting;
  std::size_t submissions = 0;  ///< that wait or run
};

/// The queues of a device, one of each family.
class Queues {
 public:
  explicit Queues(Device& device);
  ~Queues();

  /// Takes them in order. VK_ERROR_DEVICE_LOST when the device is. `command`: of the application, for messages.
  VkResult submit(Queue& to, std::vector<Submission> submissions, const char* command);
  /// Of one queue; null: of all.
  VkResult wait_idle(const Queue* queue, const char* command);
  /// No picture waits to be shown; other work may go on.
  void wait_presented(const char* command);
  /// Null where there is no such family.
  [[nodiscard]] Queue* of_family(std::uint32_t family) { return family < queues_.size() ? &queues_[family] : nullptr; }
  [[nodiscard]] Device& device() { return device_; }

 private:
  /// Each wait for a binary semaphore belongs to the signal before it; what can't be satisfied, in words.
  [[nodiscard]] std::string bind(std::vector<Submission>& submissions) const;
  [[nodiscard]] std::string name_of(const Semaphore& semaphore) const;
  [[nodiscard]] Queue* first(bool only_ready);
  [[nodiscard]] bool waits_for_others() const;
  void drop_all();
  /// The queue that it comes from; null when all ends.
  [[nodiscard]] Queue* next(Submission& submission);
  void run();
  void bind_sparse(const SparseBinds& binds) const;
  void carry_out(Queue& from, const Submission& submission);
  void end(Queue& from, const Submission& submission);

  Device& device_;
  std::size_t presents_ = 0;  ///< that wait or run; under the device's mutex
  QueueState& state_;         ///< the device's
  std::unique_ptr<Executor> executor_;
  std::array<Queue, kQueueFamilies> queues_;
  std::uint64_t submitted_ = 0;  ///< under the device's mutex
  std::thread thread_;           ///< started with the first submission
};

HEDDLE_DISPATCHABLE(Queue, VkQueue)

}  // namespace heddle::vulkan
