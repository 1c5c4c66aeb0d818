// SPDX-License-Identifier: MIT
#pragma once
// The state of a semaphore or a fence, which several objects may have in common, in several processes.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "vulkan/objects/sync/shared_file.hpp"

namespace heddle::vulkan {

struct Device;

/// A timeline's value; of a binary semaphore how many signals happened, were submitted, were taken by waits (SUB-2); of
/// a fence 1 where it is signaled. Changes under Device::mutex in each process.
class Payload {
 public:
  /// Of this process alone, for now.
  explicit Payload(bool timeline, std::uint64_t value = 0);
  ~Payload();
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;

  [[nodiscard]] bool timeline() const { return state_->timeline != 0; }
  [[nodiscard]] std::uint64_t value() const { return state_->value.load(); }
  [[nodiscard]] std::uint64_t promised() const { return state_->promised.load(); }
  [[nodiscard]] std::uint64_t taken() const { return state_->taken.load(); }
  /// One signal more is submitted; its number.
  std::uint64_t promise() { return ++state_->promised; }
  /// A wait takes the last signal; its number.
  std::uint64_t take() {
    const std::uint64_t last = promised();
    state_->taken = last;
    return last;
  }
  /// It never goes back.
  void raise(std::uint64_t value);
  /// Of a fence.
  void reset() { state_->value = 0; }
  /// Another process may change it, so that no wait is without hope.
  [[nodiscard]] bool is_shared() const { return shared_; }

  /// A descriptor by which others share it; -1: there is none.
  [[nodiscard]] int share(Device& device);
  /// Of a descriptor of share(), which is closed; null: it is of something else.
  [[nodiscard]] static std::shared_ptr<Payload> of_file(Device& device, int fd);

  /// A descriptor that can be read from when `value` is reached; -1: there can't be more.
  [[nodiscard]] int report(std::uint64_t value);
  /// Reaches 1 when one can read from the descriptor, which is closed then. -1: at once.
  [[nodiscard]] static std::shared_ptr<Payload> of_readable(Device& device, int fd);

 private:
  /// As it lies in a file.
  struct State {
    std::uint32_t magic;
    std::uint32_t timeline;
    std::atomic<std::uint64_t> value, promised, taken;
    std::atomic<std::uint32_t> changes;  ///< waited for by those who share it
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  explicit Payload(std::shared_ptr<void> mapped, FileHandle file);
  /// Tells those who wait in this process when another one changes the value.
  void listen(Device& device);
  void tell();
  void tell_readers();

  std::shared_ptr<State> state_;
  FileHandle file_;
  struct Reader {
    std::uint64_t value;
    FileHandle event;
  };
  std::vector<Reader> readers_;
  std::atomic<bool> shared_ = false, over_ = false;
  FileHandle readable_;
  std::thread listener_;
};

}  // namespace heddle::vulkan
