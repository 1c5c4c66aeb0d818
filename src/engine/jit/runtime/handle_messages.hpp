// SPDX-License-Identifier: MIT
#pragma once
// Messages whose surface or sampler a handle names while the program runs: made ready when they are first met.

#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/jit/runtime/prepared_kernel.hpp"

namespace heddle::engine::jit {

/// Of one Runner. What it keeps points to what is bound, and is used only while that is.
class HandleMessages {
 public:
  /// Bytes of messages that are kept, to be found again, by all of them together. Beyond it each keeps what it made
  /// last.
  static constexpr std::size_t kMaxKept = std::size_t{64} << 20;

  HandleMessages() = default;
  ~HandleMessages();
  HandleMessages(const HandleMessages&) = delete;
  HandleMessages& operator=(const HandleMessages&) = delete;

  /// What is bound may have changed, and the kernel.
  void begin_run(const std::shared_ptr<const PreparedKernel>& kernel);
  /// What the message of a site calls for these handles; null: the reference function does it. Holds until the next
  /// call. May throw std::bad_alloc.
  [[nodiscard]] const machine::jit::MessageCall* find(std::uint32_t site, const Handles& handles,
                                                      const machine::Bindings& bindings);
  /// Of each site the state that was called most since this was asked last. Empty: nothing was made.
  [[nodiscard]] std::span<const MetState> take_met();

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
    Images::Message message;  ///< null: there is none
    HandleCall call;
  };
  /// Handles that a site had, and what they stood for then.
  struct Last {
    Handles handles;
    const HandleCall* call = nullptr;
    std::uint64_t run = 0;
  };
  void forget();
  [[nodiscard]] StateCalls* calls_of(std::uint32_t site, const Images::Message& message);
  [[nodiscard]] Last& last_of(std::uint32_t site, const Handles& handles, const machine::Bindings& bindings);

  std::shared_ptr<const PreparedKernel> kernel_;
  std::unordered_map<Key, Made, Hash> made_;
  std::size_t bytes_ = 0;                     ///< of made_
  std::vector<std::deque<MetState>> states_;  ///< by site: HandleCall::calls points into them
  std::vector<MetState> met_;
  /// By site, those that it had last: in the place that follows from the handles.
  static constexpr std::size_t kMaxLast = 4096;
  std::vector<std::vector<Last>> last_;
  std::uint64_t run_ = 0;
};

}  // namespace heddle::engine::jit
