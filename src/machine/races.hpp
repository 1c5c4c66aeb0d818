// SPDX-License-Identifier: MIT
#pragma once
// Who accessed which bytes last, so that a later access that nothing orders behind it is found (run-race, run-slm-race,
// run-fence-missing). What orders two accesses: docs/checks.md.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace heddle::machine {

enum class AccessKind : std::uint8_t { Read, Write, Atomic };

/// One access to a word, as a later one must know it.
struct RememberedAccess {
  std::uint32_t group = 0;  ///< number in the run, from 1; 0: there was none
  std::uint16_t thread = 0;
  std::uint8_t lane = 0;
  std::uint8_t bytes = 0;    ///< bit k: byte k of the word
  std::uint32_t site = 0;    ///< instruction 23:0 of object 31:24
  std::uint32_t epoch = 0;   ///< barriers that the group had passed
  std::uint32_t order = 0;   ///< of shaders: fences and barriers that the thread had passed; else its instructions
  std::uint32_t fences = 0;  ///< of buffers and images that the group had passed
};

/// The last accesses to four bytes. Of reads two, by different invocations, as a write conflicts with either.
struct ShadowWord {
  RememberedAccess write, atomic, read, other_read;
};

enum class RaceKind : std::uint8_t {
  Unordered,
  NoFence,  ///< a barrier lies between them, but none that orders buffers and images
};

struct Conflict {
  RaceKind race = RaceKind::Unordered;
  AccessKind kind = AccessKind::Read;  ///< of the other access
  RememberedAccess other;
};

/// What of a group the order of accesses depends on.
struct GroupOrder {
  std::uint32_t number = 0;          ///< in the run; 0: not asked for yet
  std::uint32_t epoch = 1;           ///< barriers passed, and one
  std::uint32_t fences = 0;          ///< of buffers and images, by any thread
  std::uint32_t ordered_fences = 0;  ///< what was written before so many is ordered by the last barrier
  std::uint32_t released_fences = 0;
  std::uint32_t acquired = 0;  ///< releases of the run when the group last had an atomic operation
  /// The detector's number of each thread's last moment.
  struct Moment {
    std::uint32_t number = 0, epoch = 0, fences = 0;
  };
  std::vector<Moment> moments;
};

/// A new access.
struct Access {
  AccessKind kind = AccessKind::Read;
  RememberedAccess record;
  bool lanes_apart = false;  ///< lanes are invocations: of compiled shaders
  bool shared = false;       ///< shared local memory: every barrier orders it
  bool same_value = false;   ///< a write that changes nothing
};

class RaceDetector;

/// The conflict of an access with what a word remembers, which then remembers it.
[[nodiscard]] std::optional<Conflict> touch_word(ShadowWord& word, const Access& access, const GroupOrder& order,
                                                 RaceDetector* run);

/// Buffers and images of one run, by the addresses of their bytes. Threads share it.
///
/// A word has up to four records of 12 bytes: a moment (what the accesses of a thread between two barriers or fences
/// have in common, kept once), the instruction, and lane, bytes and order.
class RaceDetector {
 public:
  /// Memory that records may take. What a run touches when it is spent is not watched.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{256} << 20;

  explicit RaceDetector(std::uint64_t most_bytes = kMaxBytes) : most_bytes_(most_bytes) {}
  ~RaceDetector();
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;

  /// Numbers a group of the run.
  std::uint32_t enter(const std::array<std::uint32_t, 3>& group_id);
  [[nodiscard]] std::array<std::uint32_t, 3> group_id(std::uint32_t number) const;
  [[nodiscard]] std::optional<Conflict> touch(const std::uint8_t* at, std::uint32_t bytes, Access access,
                                              GroupOrder& order);
  /// Around an atomic operation on a buffer or an image: with a fence before it, it releases what the group did.
  void before_atomic(GroupOrder& order);
  void after_atomic(GroupOrder& order) const;
  /// Whether a release of the other group behind that access was followed by an atomic operation of this one.
  [[nodiscard]] bool released(const RememberedAccess& other, const GroupOrder& order) const;
  /// True once: when something was first not watched.
  [[nodiscard]] bool says_full() { return full_.load(std::memory_order_relaxed) && !reported_.exchange(true); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::uint64_t kPageWords = 256;
  static constexpr std::size_t kMomentChunk = 4096, kMomentChunks = 8192;
  struct Moment {
    std::uint32_t group = 0, epoch = 0, fences = 0;
    std::uint16_t thread = 0;
  };
  struct Packed {
    std::uint32_t moment = 0;  ///< 0: none
    std::uint32_t site = 0;
    std::uint32_t rest = 0;  ///< order 31:9, lane 8:4, bytes 3:0
  };
  enum RecordKind : std::uint8_t { kWrite, kAtomic, kRead, kOtherRead, kRecordKinds };
  using Records = std::array<Packed, kPageWords>;
  struct Page {
    std::array<std::unique_ptr<Records>, kRecordKinds> kinds;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Page> pages;
  };
  struct Release {
    std::uint32_t fences = 0, time = 0;
  };
  [[nodiscard]] std::uint32_t moment_of(GroupOrder& order, const RememberedAccess& record);
  [[nodiscard]] RememberedAccess unpack(const Page& page, RecordKind kind, std::size_t word) const;
  void pack(Page& page, RecordKind kind, std::size_t word, const RememberedAccess& record, std::uint32_t moment);

  const std::uint64_t most_bytes_;
  std::array<Shard, 64> shards_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<bool> full_{false}, reported_{false};
  std::array<std::atomic<Moment*>, kMomentChunks> moments_{};
  std::uint32_t moment_count_ = 1;  ///< under mutex_
  mutable std::mutex mutex_;
  std::atomic<std::uint32_t> time_{0};
  std::vector<std::array<std::uint32_t, 3>> ids_;
  std::unordered_map<std::uint32_t, std::vector<Release>> releases_;  ///< by group
};

}  // namespace heddle::machine
