// SPDX-License-Identifier: MIT
#include "machine/flow.hpp"

namespace heddle::machine {

void Flow::start(std::uint32_t dispatch_mask, std::uint32_t entry) {
  frames_.assign(1, Frame{});
  frames_.back().members = dispatch_mask;
  active_ = dispatch_mask;
  pc_ = entry;
}

void Flow::wait(std::uint32_t lanes, std::uint32_t at) {
  Frame& frame = frames_.back();
  frame.waiting |= lanes;
  for (unsigned k = 0; k < 32; ++k)
    if ((lanes >> k & 1u) != 0) frame.wait_pc[k] = at;
  if (lanes != 0 && at < frame.next_join) frame.next_join = at;
}

void Flow::settle() {
  Frame& frame = frames_.back();
  if (active_ != 0 && frame.next_join > pc_) return;
  if (active_ != 0 && frame.next_join < pc_) wait(active_, pc_);
  if (frame.next_join != pc_) active_ = 0;
  pc_ = active_ != 0 ? pc_ : frame.next_join;
  std::uint32_t next = kNowhere;
  for (unsigned k = 0; k < 32; ++k) {
    if ((frame.waiting >> k & 1u) == 0) continue;
    if (frame.wait_pc[k] == pc_) {
      active_ |= 1u << k;
      frame.waiting &= ~(1u << k);
    } else if (frame.wait_pc[k] < next) {
      next = frame.wait_pc[k];
    }
  }
  frame.next_join = next;
}

void Flow::branch(std::uint32_t taken, std::uint32_t target) {
  taken &= active_;
  if (taken == 0) {
    ++pc_;
    return;
  }
  const std::uint32_t rest = active_ & ~taken;
  if (rest == 0) {
    pc_ = target;
  } else if (target > pc_) {
    wait(taken, target);
    active_ = rest;
    ++pc_;
  } else {
    wait(rest, pc_ + 1);
    active_ = taken;
    pc_ = target;
  }
}

std::uint32_t Flow::overtaken(std::uint32_t target) const {
  const Frame& frame = frames_.back();
  std::uint32_t lanes = 0;
  for (unsigned k = 0; k < 32; ++k)
    if ((frame.waiting >> k & 1u) != 0 && frame.wait_pc[k] < target) lanes |= 1u << k;
  return lanes;
}

bool Flow::call(std::uint32_t mask, std::uint32_t target, bool function) {
  if (frames_.size() > kMaxDepth) return false;
  Frame frame;
  frame.return_pc = pc_ + 1;
  frame.outer_active = active_;
  frame.members = mask;
  frame.function = function;
  frames_.push_back(frame);
  active_ = mask;
  pc_ = target;
  return true;
}

Flow::Return Flow::ret(std::uint32_t mask) {
  Frame& frame = frames_.back();
  active_ &= ~mask;
  frame.members &= ~mask;
  if (active_ != 0) {
    ++pc_;
    return Return::Stays;
  }
  if (frame.waiting != 0) {
    pc_ = kNowhere;  // the next lanes are picked on arrival
    settle();
    return Return::Stays;
  }
  if (frames_.size() == 1) return Return::Thread;
  const bool function = frame.function;
  pc_ = frame.return_pc;
  active_ = frame.outer_active;
  frames_.pop_back();
  return function ? Return::Function : Return::Subroutine;
}

}  // namespace heddle::machine
