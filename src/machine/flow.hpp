// SPDX-License-Identifier: MIT
#pragma once
// Execution mask and control flow. Every lane has a program counter; the lanes with the lowest one run.

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::machine {

inline constexpr std::uint32_t kNowhere = 0xffffffffu;

class Flow {
 public:
  static constexpr std::size_t kMaxDepth = 4096;  ///< calls and fcalls that may be open

  void start(std::uint32_t dispatch_mask, std::uint32_t entry);

  [[nodiscard]] std::uint32_t active() const { return active_; }
  [[nodiscard]] std::uint32_t pc() const { return pc_; }
  [[nodiscard]] std::size_t depth() const { return frames_.size(); }
  [[nodiscard]] bool finished() const { return active_ == 0; }

  /// To be called before each instruction: lanes that wait here rejoin.
  void arrive() {
    if (frames_.back().next_join <= pc_) settle();
  }
  void advance() { ++pc_; }
  /// Compiled code keeps the flow itself and says where it is before a step of the reference engine.
  void place(std::uint32_t active, std::uint32_t pc) {
    active_ = active;
    pc_ = pc;
  }

  /// `taken` of the active lanes go to `target`, the others to the next instruction.
  void branch(std::uint32_t taken, std::uint32_t target);
  /// Lanes that a uniform jump from here to `target` would leave behind.
  [[nodiscard]] std::uint32_t overtaken(std::uint32_t target) const;

  /// Enters a subroutine with the lanes `mask`; the others of the active lanes wait behind the call. False: too many
  /// calls are open.
  [[nodiscard]] bool call(std::uint32_t mask, std::uint32_t target, bool function);
  enum class Return : std::uint8_t { Stays, Subroutine, Function, Thread };
  /// `mask` leaves the subroutine (or ends, in the outermost frame). What was returned to when no lane is left.
  Return ret(std::uint32_t mask);

 private:
  struct Frame {
    std::uint32_t return_pc = 0;
    std::uint32_t outer_active = 0;  ///< the caller's mask, restored on return
    std::uint32_t members = 0;       ///< call mask
    std::uint32_t waiting = 0;
    std::uint32_t next_join = kNowhere;
    bool function = false;
    std::array<std::uint32_t, 32> wait_pc{};
  };
  void wait(std::uint32_t lanes, std::uint32_t at);
  void settle();  ///< the lanes with the lowest program counter become the active ones

  std::uint32_t active_ = 0, pc_ = 0;
  std::vector<Frame> frames_{Frame{}};
};

}  // namespace heddle::machine
