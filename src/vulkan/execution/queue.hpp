#pragma once
// The queue: a thread that carries submissions out, one after another.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "vulkan/handles.hpp"
#include "vulkan/objects/sync.hpp"

namespace heddle::vulkan {

struct CommandBuffer;
struct Device;
class Executor;
class Swapchain;

struct Submission {
  struct Point {
    Semaphore* semaphore;
    std::uint64_t value;  ///< of a timeline
  };
  std::vector<Point> waits, signals;
  std::vector<const CommandBuffer*> buffers;
  struct Present {
    Swapchain* swapchain;
    std::uint32_t index;
  };
  std::vector<Present> presents;
  Fence* fence = nullptr;
};

class Queue : public Dispatchable {
 public:
  explicit Queue(Device& device);
  ~Queue();

  /// Takes them in order. VK_ERROR_DEVICE_LOST when the device is.
  VkResult submit(std::vector<Submission> submissions);
  VkResult wait_idle();
  [[nodiscard]] Device& device() { return device_; }
  /// Nothing waits and nothing runs. The caller holds the device's mutex.
  [[nodiscard]] bool idle() const { return waiting_.empty() && !busy_; }

 private:
  [[nodiscard]] bool next(Submission& submission);
  void run();
  void carry_out(const Submission& submission);

  Device& device_;
  std::unique_ptr<Executor> executor_;
  // Under the device's mutex.
  std::deque<Submission> waiting_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;  ///< started with the first submission
};

HEDDLE_DISPATCHABLE(Queue, VkQueue)

}  // namespace heddle::vulkan
