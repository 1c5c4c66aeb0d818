// SPDX-License-Identifier: MIT
#pragma once
// Messages whose surface or sampler a handle names while the program runs: made ready when they are first met.

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/jit/runtime/prepared_kernel.hpp"

namespace heddle::engine::jit {

/// Handles that lanes chose: each an element of an array, whose first handle of either kind this is; nothing: the site
/// has no handle of that kind.
struct LaneHandles {
  const std::uint32_t* elements = nullptr;
  std::optional<std::uint32_t> surface, sampler;

  [[nodiscard]] Handles of(unsigned lane) const {
    const std::uint32_t element = elements[lane];
    return {surface ? std::optional(*surface + element) : std::nullopt,
            sampler ? std::optional(*sampler + element) : std::nullopt};
  }
};

/// Of one Runner. What it keeps points to what is bound, and is used only while that is.
class HandleMessages {
 public:
  /// Bytes of messages that are kept, to be found again, by all of them together. Beyond it those that are between two
  /// runs make room, that first whose run ended first; where there are none, each keeps what it made last: so many
  /// bytes, for what takes turns would be made at each of them.
  static constexpr std::size_t kMaxMade = std::size_t{32} << 20, kOwnMade = std::size_t{1} << 20;
  /// Bytes of the places where sites look first, of all together. Beyond it, and that room, sites have few.
  static constexpr std::size_t kMaxPlaces = std::size_t{32} << 20;

  HandleMessages() = default;
  ~HandleMessages();
  HandleMessages(const HandleMessages&) = delete;
  HandleMessages& operator=(const HandleMessages&) = delete;

  /// What is bound may have changed, and the kernel.
  void begin_run(const std::shared_ptr<const PreparedKernel>& kernel);
  /// Until begin_run() others may take what is kept, on any thread.
  void end_run() noexcept;
  /// What the message of a site calls for these handles; null: the reference function does it. Holds until the next
  /// call. May throw std::bad_alloc.
  [[nodiscard]] const machine::jit::MessageCall* find(std::uint32_t site, const Handles& handles,
                                                      const machine::Bindings& bindings);
  /// The same for several lanes at once: what those of `lanes` call that can share a call with the first of them; null
  /// where that one can share none.
  [[nodiscard]] const machine::jit::MessageCall* find_shared(std::uint32_t site, const LaneHandles& handles,
                                                             std::uint32_t lanes, const machine::Bindings& bindings,
                                                             machine::jit::SharedCall& shared);
  /// The bytes of this one.
  [[nodiscard]] std::size_t made_bytes() const { return made_bytes_; }
  [[nodiscard]] std::size_t place_bytes() const { return place_bytes_; }
  /// How often what was made went, to make room for more or for another kernel.
  [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }
  /// Of each site the state that was called most since this was asked last. Empty: nothing was made.
  [[nodiscard]] std::span<const MetState> take_met() noexcept;

 private:
  struct Key {
    std::uint32_t site = 0;
    std::uint64_t surface = 0, sampler = 0;  ///< identities
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Made {
    HandleCall call;  ///< its calls are null: there is no message
    /// Messages that can share a call have one number (machine::jit::PreparedMessage::shape); 0: this one can't.
    std::uint32_t shape = 0;
    const std::uint8_t* texels = nullptr;
    HandleCall shared;
    Images::Message message;
  };
  struct Shape {
    Images::Message message;
    std::uint32_t number = 0;
  };
  /// Handles that a site had, and what they stood for then. Half a line of a cache: lanes look at one for each.
  struct alignas(32) Place {
    std::uint64_t handles = 0;  ///< packed()
    std::uint32_t run = 0, shape = 0;
    const std::uint8_t* texels = nullptr;
    const Made* made = nullptr;
  };
  /// What was found for several lanes: they often choose the same again, as in loops.
  struct LastShared {
    std::array<std::uint32_t, 32> elements{};
    std::uint64_t first = 0;  ///< handles of element 0
    std::uint32_t lanes = 0, run = 0;
    const HandleCall* call = nullptr;
    machine::jit::SharedCall shared;
  };
  struct Site {
    std::vector<Place> places;      ///< of what it had last: where it is follows from the handles
    std::vector<HandleCall> calls;  ///< of each place: with the message's, so that nothing of it lies elsewhere
    std::array<LastShared, 4> shared;
    std::deque<MetState> states;  ///< HandleCall::calls point into them
  };
  void forget();
  void leave_idle() noexcept;
  void forget_places() noexcept;
  static void make_room(std::size_t bytes);
  static void make_room_for_places(std::size_t bytes);
  /// The number of the place where it is now.
  [[nodiscard]] std::size_t find_place(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings);
  [[nodiscard]] std::size_t fill_place(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings);
  [[nodiscard]] const Made& made_of(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings);
  void make(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings, Made& made);
  [[nodiscard]] const void* keep_state(const machine::jit::PreparedMessage& message);
  void share(std::uint32_t site, Made& made);
  [[nodiscard]] StateCalls* calls_of(std::uint32_t site, const Images::Message& message);
  [[nodiscard]] Site& site_of(std::uint32_t site, const machine::Bindings& bindings);
  void add_places(Site& site, const machine::Bindings& bindings);

  std::shared_ptr<const PreparedKernel> kernel_;
  std::unordered_map<Key, Made, Hash> made_;
  std::size_t made_bytes_ = 0, place_bytes_ = 0;  ///< of made_, of the places in sites_
  /// What kernels read of the messages' states, side by side: messages of thousands of handles lie in few pages.
  std::vector<std::unique_ptr<std::byte[]>> kept_states_;
  std::size_t kept_bytes_ = 0;  ///< in the last piece
  std::unordered_multimap<std::uint64_t, Shape> shapes_;
  std::uint64_t forgotten_ = 0;  ///< how often what was made went
  std::vector<MetState> met_;
  static constexpr std::size_t kMinOfSite = 16, kMaxOfSite = 4096;
  std::vector<Site> sites_;  ///< of those that the kernel has; empty until one is met
  std::uint32_t run_ = 0;
  /// Between two runs, where others may take what is kept; then its place in their list, which is here otherwise.
  std::atomic<bool> idle_ = false;
  std::list<HandleMessages*> place_{this};
  const std::list<HandleMessages*>::iterator at_ = place_.begin();
};

}  // namespace heddle::engine::jit
