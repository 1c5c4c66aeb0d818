// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/payload.hpp"

#include <linux/futex.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/arenas.hpp"
#include "vulkan/device/device.hpp"

namespace heddle::vulkan {
namespace {

constexpr std::uint32_t kMagic = 0x48444c53;  // of a file that has a payload
constexpr std::size_t kFileBytes = 4096;
constexpr int kPollMilliseconds = 100;  // until a listener looks whether it is still wanted
constexpr unsigned kRetryMicroseconds = 100;
constexpr timespec kFutexTime{0, 100'000'000};  // the same

void wake_all(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}
/// Wakes all who wait on the device, unless that is `over` before its lock is free: who ends the listener may have it.
template <typename Change>
void wake_device(Device& device, const std::atomic<bool>& over, Change&& change) {
  while (!over) {
    const std::unique_lock lock(device.mutex, std::try_to_lock);
    if (lock) {
      change();
      return device.block_queue({});
    }
    ::usleep(kRetryMicroseconds);
  }
}

void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, seen, &kFutexTime, nullptr, 0);
}

}  // namespace

Payload::Payload(bool timeline, std::uint64_t value) : state_(std::make_shared<State>()) {
  state_->magic = kMagic;
  state_->timeline = timeline ? 1 : 0;
  state_->value = state_->promised = value;
  state_->taken = state_->changes = 0;
}
Payload::Payload(std::shared_ptr<void> mapped, FileHandle file)
    : state_(std::move(mapped), static_cast<State*>(nullptr)), file_(std::move(file)) {}

Payload::~Payload() {
  over_ = true;
  if (listener_.joinable()) {
    ++state_->changes;
    wake_all(state_->changes);
    listener_.join();
  }
}

void Payload::raise(std::uint64_t value) {
  std::uint64_t before = state_->value.load();
  while (before < value && !state_->value.compare_exchange_weak(before, value)) {
  }
  tell();
}

void Payload::tell() {
  if (shared_) {
    ++state_->changes;
    wake_all(state_->changes);
  }
  tell_readers();
}

void Payload::tell_readers() {
  std::erase_if(readers_, [&](const Reader& reader) {
    if (reader.value > value()) return false;
    const std::uint64_t one = 1;
    (void)!::write(reader.event.get(), &one, sizeof one);
    return true;
  });
}

void Payload::listen(Device& device) {
  shared_ = true;
  // Read before anybody can wait: the thread may begin behind the change that it is for.
  listener_ = std::thread([this, &device, seen = state_->changes.load()]() mutable {
    base::name_own_thread();
    while (!over_) {
      wait_for_change(state_->changes, seen);
      if (const std::uint32_t now = state_->changes; now != seen) {
        seen = now;
        wake_device(device, over_, [this] { tell_readers(); });
      }
    }
  });
}

int Payload::share(Device& device) {
  if (!file_) {
    FileHandle file = make_file(kFileBytes);
    const std::shared_ptr<void> mapped = file ? map_file(file.get(), kFileBytes) : nullptr;
    if (!mapped) return -1;
    auto* const state = new (mapped.get()) State{kMagic, state_->timeline, {}, {}, {}, {}};
    state->value = value();
    state->promised = promised();
    state->taken = taken();
    state_ = std::shared_ptr<State>(mapped, state);
    file_ = std::move(file);
    listen(device);
  }
  return file_.duplicate();
}

std::shared_ptr<Payload> Payload::of_file(Device& device, int fd) {
  if (fd < 0 || file_size(fd) < kFileBytes) return nullptr;
  const std::shared_ptr<void> mapped = map_file(fd, kFileBytes);
  if (!mapped || static_cast<const State*>(mapped.get())->magic != kMagic) return nullptr;
  std::shared_ptr<Payload> payload(new Payload(mapped, FileHandle(fd)));
  payload->state_ = std::shared_ptr<State>(mapped, static_cast<State*>(mapped.get()));
  payload->listen(device);
  return payload;
}

int Payload::report(std::uint64_t value) {
  FileHandle event(::eventfd(0, EFD_CLOEXEC));
  const int given = event ? event.duplicate() : -1;
  if (given < 0) return -1;
  readers_.push_back({value, std::move(event)});
  tell();
  return given;
}

std::shared_ptr<Payload> Payload::of_readable(Device& device, int fd) {
  auto payload = std::make_shared<Payload>(false);
  (void)payload->promise();
  if (fd < 0) {
    payload->raise(1);
    return payload;
  }
  payload->readable_ = FileHandle(fd);
  payload->shared_ = true;
  Payload& of = *payload;
  of.listener_ = std::thread([&of, &device] {
    base::name_own_thread();
    pollfd what{of.readable_.get(), POLLIN, 0};
    while (!of.over_ && ::poll(&what, 1, kPollMilliseconds) == 0) {
    }
    wake_device(device, of.over_, [&] { of.raise(1); });
  });
  return payload;
}

}  // namespace heddle::vulkan
