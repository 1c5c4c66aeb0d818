// SPDX-License-Identifier: MIT
#pragma once
// The queue: a thread that carries submissions out, one after another.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vulkan/api/handles.hpp"
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
};

/// What a VkSubmitInfo, VkPresentInfoKHR or VkBindSparseInfo says of its frame.
[[nodiscard]] std::optional<Submission::Frame> read_frame(const void* chain);

class Queue : public Dispatchable {
 public:
  explicit Queue(Device& device);
  ~Queue();

  /// Takes them in order. VK_ERROR_DEVICE_LOST when the device is. `command`: of the application, for messages.
  VkResult submit(std::vector<Submission> submissions, const char* command);
  VkResult wait_idle(const char* command);
  [[nodiscard]] Device& device() { return device_; }

 private:
  /// Each wait for a binary semaphore belongs to the signal before it; what can't be satisfied, in words.
  [[nodiscard]] std::string bind(std::vector<Submission>& submissions) const;
  [[nodiscard]] std::string name_of(const Semaphore& semaphore) const;
  [[nodiscard]] bool next(Submission& submission);
  void run();
  void bind_sparse(const SparseBinds& binds) const;
  void carry_out(const Submission& submission);
  void end(const Submission& submission);

  Device& device_;
  QueueState& state_;  ///< the device's
  std::unique_ptr<Executor> executor_;
  // Under the device's mutex.
  std::deque<Submission> waiting_;
  std::thread thread_;  ///< started with the first submission
};

HEDDLE_DISPATCHABLE(Queue, VkQueue)

}  // namespace heddle::vulkan
