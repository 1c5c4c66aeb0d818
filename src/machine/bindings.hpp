// SPDX-License-Identifier: MIT
#pragma once
// What a running program is bound to: surfaces and samplers by index, 64-bit memory, and the group's shared local
// memory.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "machine/races.hpp"

namespace heddle::machine {

/// A piece of 64-bit address space (svm, flat). The bytes belong to `owner`.
struct MemoryRange {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::uint8_t* data = nullptr;
  std::shared_ptr<void> owner;
  std::string name;    ///< for messages
  bool shared = true;  ///< false: each thread has a part of its own
};

class SharedAddressMap;

class AddressMap {
 public:
  /// False when the range is empty, wraps, or overlaps another one of this map. Adding and removing cost a search.
  [[nodiscard]] bool add(MemoryRange range);
  /// Removes the range that starts there; false when there is none. Nothing that runs may use it.
  bool remove(std::uint64_t address);
  /// The range that holds all of [address, address + bytes), or nullptr; valid until it is removed.
  [[nodiscard]] const MemoryRange* find(std::uint64_t address, std::uint64_t bytes) const;
  /// What this map does not have is looked up there.
  void set_outer(std::shared_ptr<const SharedAddressMap> outer) { outer_ = std::move(outer); }

 private:
  std::map<std::uint64_t, MemoryRange> ranges_;  ///< by address
  std::shared_ptr<const SharedAddressMap> outer_;
};

/// The address space that many runs have in common; threads may add and remove ranges while others run.
class SharedAddressMap {
 public:
  [[nodiscard]] bool add(MemoryRange range);
  bool remove(std::uint64_t address);
  [[nodiscard]] const MemoryRange* find(std::uint64_t address, std::uint64_t bytes) const;

 private:
  mutable std::shared_mutex mutex_;
  AddressMap map_;
};

/// Different for each call of the process; never 0.
[[nodiscard]] std::uint64_t new_identity();

/// A surface or sampler made ready to be bound. The identity says that two of them are the same object in the same
/// state: what was worked out for one holds for its copies. Whoever changes a surface's state, or the memory it has,
/// makes a new one; changed bytes need none.
template <typename T>
class Resource {
 public:
  Resource() = default;
  Resource(std::nullptr_t) {}          // NOLINT: nothing is a resource
  Resource(std::shared_ptr<T> object)  // NOLINT: an object is one
      : object_(std::move(object)), identity_(object_ != nullptr ? new_identity() : 0) {}
  /// 0: nothing is bound.
  [[nodiscard]] std::uint64_t identity() const { return identity_; }
  [[nodiscard]] T* get() const { return object_.get(); }
  [[nodiscard]] T* operator->() const { return object_.get(); }
  [[nodiscard]] T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  [[nodiscard]] const std::shared_ptr<T>& object() const { return object_; }
  friend bool operator==(const Resource& resource, std::nullptr_t) { return resource.object_ == nullptr; }

 private:
  std::shared_ptr<T> object_;
  std::uint64_t identity_ = 0;
};
using SurfaceResource = Resource<image::Surface>;
using SamplerResource = Resource<image::Sampler>;

/// Binding-table indices of the predefined surfaces (ENC-8).
inline constexpr std::uint32_t kBtiSlm = 254, kBtiTss = 253, kBtiBindless = 252, kBtiScratch = 255;

/// Intel's OpenCL compiler sets this bit in pointers to local variables, so that none of them is null; the hardware
/// looks at the low bits only. Ignored in addresses of shared local memory.
inline constexpr std::uint32_t kValidLocalPointer = 0x10000000;

/// Shared by all threads of a run. Buffers are surfaces of type Buffer (RAW or typed).
struct Bindings {
  std::vector<SurfaceResource> surfaces;  ///< by binding-table index; null: nothing is bound there
  std::vector<SamplerResource> samplers;  ///< by sampler index
  std::unordered_map<std::uint64_t, SurfaceResource> bindless_surfaces;  ///< by handle
  std::unordered_map<std::uint64_t, SamplerResource> bindless_samplers;
  AddressMap memory;
  /// Binding-table index of the buffer of messages that a shader prints: orders nothing, and nothing races there.
  std::optional<std::uint32_t> messages;
  std::unordered_map<std::string, std::uint64_t> symbols;  ///< faddr of data symbols
  /// Values of surface variable T<n> (index n) and sampler variable S<n> at thread start, element by element. A
  /// variable that is not here takes its value from the payload when it is an `.input`, else it is undefined until a
  /// movs.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> surface_variables, sampler_variables;

  /// What %bss and S31 name: a handle, or an index where no resource has that handle. Null: nothing is there.
  [[nodiscard]] const SurfaceResource* surface_with(std::uint64_t handle) const {
    return with(bindless_surfaces, surfaces, handle);
  }
  [[nodiscard]] const SamplerResource* sampler_with(std::uint64_t handle) const {
    return with(bindless_samplers, samplers, handle);
  }

 private:
  template <typename T>
  static const T* with(const std::unordered_map<std::uint64_t, T>& handles, const std::vector<T>& table,
                       std::uint64_t handle) {
    if (const auto found = handles.find(handle); found != handles.end())
      return found->second != nullptr ? &found->second : nullptr;
    return handle < table.size() && table[handle] != nullptr ? &table[handle] : nullptr;
  }
};

/// One thread group: shared local memory and barriers. Its threads run on one operating-system thread.
class Group {
 public:
  explicit Group(std::uint32_t threads, std::size_t slm_bytes = 0) : slm(slm_bytes), threads_(threads) {}

  std::vector<std::uint8_t> slm;
  /// As it was made; its next threads are those of another group.
  void reset();

  // --- barriers ---
  struct Barrier {
    std::uint32_t expected = 0;  ///< arrivals that complete it
    std::uint32_t arrived = 0;
    std::uint64_t phase = 0;  ///< completed so far
  };
  /// Barrier `id` (0: the group's own) gets an arrival; `expected` 0 = every thread. Returns the phase to wait for.
  std::uint64_t arrive(std::uint32_t id, std::uint32_t expected = 0) {
    return arrive(id == 0 ? own_ : barriers_[id], expected);
  }
  [[nodiscard]] bool passed(std::uint32_t id, std::uint64_t phase) const {
    if (id == 0) return own_.phase >= phase;
    const auto found = barriers_.find(id);
    return found != barriers_.end() && found->second.phase >= phase;
  }
  [[nodiscard]] std::uint32_t threads() const { return threads_; }
  /// Its next threads are so many.
  void set_threads(std::uint32_t threads) { threads_ = threads; }

  // --- races ---
  GroupOrder order;
  /// Records an access to [offset, offset + bytes) of the shared memory; what it conflicts with.
  [[nodiscard]] std::optional<Conflict> touch(std::uint64_t offset, std::uint32_t bytes, Access access);
  /// The instruction where the first thread arrived at the barrier that is not complete; 0: none. Then it is `site`'s.
  std::uint32_t meet(std::uint32_t site) { return meeting_ != 0 ? meeting_ : std::exchange(meeting_, site); }

 private:
  std::uint64_t arrive(Barrier& barrier, std::uint32_t expected) {
    barrier.expected = expected == 0 ? threads_ : expected;
    const std::uint64_t phase = barrier.phase + 1;
    if (++barrier.arrived >= barrier.expected) {
      barrier.arrived = 0;
      barrier.phase = phase;
      ++order.epoch;
      order.ordered_fences = order.fences;
      meeting_ = 0;
    }
    return phase;
  }
  std::uint32_t threads_;
  Barrier own_;  ///< 0
  std::unordered_map<std::uint32_t, Barrier> barriers_;
  std::vector<ShadowWord> words_;
  std::uint32_t meeting_ = 0;
};

}  // namespace heddle::machine
