// SPDX-License-Identifier: MIT
// Rules: run-barrier-missing.
#include "vulkan/sanitizer/order/command_order.hpp"

#include <algorithm>
#include <array>

#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {
namespace {

using Stages = VkPipelineStageFlags2;
using Accesses = VkAccessFlags2;

constexpr Stages kBottom = VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT, kTop = VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT;

/// In the order in which a draw passes them.
constexpr std::array<Stages, 10> kGraphics = {
    VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
    VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR,
    VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT,
    VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT |
        VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT,
    VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT,
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT,
    VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
    VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
    VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
};
constexpr Stages kVertexInput = kGraphics[2], kVertexShaders = kGraphics[3] | kGraphics[4];
constexpr std::array<Stages, 3> kCompute = {VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
                                            VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR,
                                            VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
/// Copies whose regions stand in memory pass COPY_INDIRECT before one of these.
constexpr Stages kTransfers = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT |
                              VK_PIPELINE_STAGE_2_RESOLVE_BIT | VK_PIPELINE_STAGE_2_BLIT_BIT |
                              VK_PIPELINE_STAGE_2_CLEAR_BIT;

/// Bits that stand for several as those.
Stages expanded(Stages s) {
  if ((s & VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT) != 0) return ~Stages{0};
  if ((s & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) != 0) s |= kTransfers;
  if ((s & VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT) != 0) s |= kVertexInput;
  if ((s & VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT) != 0) s |= kVertexShaders;
  if ((s & VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT) != 0) {
    s |= VK_PIPELINE_STAGE_2_CONDITIONAL_RENDERING_BIT_EXT;
    for (const Stages g : kGraphics) s |= g;
  }
  return s;
}

/// With the stages that a command passes before, or behind, one of them.
template <std::size_t N>
void add_earlier(Stages& s, const std::array<Stages, N>& order) {
  bool later = false;
  for (std::size_t k = N; k-- > 0;) {
    later = later || (s & order[k]) != 0;
    if (later) s |= order[k];
  }
}
template <std::size_t N>
void add_later(Stages& s, const std::array<Stages, N>& order) {
  bool earlier = false;
  for (const Stages one : order) {
    earlier = earlier || (s & one) != 0;
    if (earlier) s |= one;
  }
}
Stages source_scope(Stages s) {
  if ((s & kBottom) != 0) return ~Stages{0};
  s = expanded(s);
  const bool transfers = (s & kTransfers) != 0;
  add_earlier(s, kGraphics);
  add_earlier(s, kCompute);
  if (transfers) s |= VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR;
  return s;
}
Stages target_scope(Stages s) {
  if ((s & kTop) != 0) return ~Stages{0};
  s = expanded(s);
  if ((s & VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR) != 0) s |= kTransfers;
  add_later(s, kGraphics);
  add_later(s, kCompute);
  return s;
}

Accesses expanded_accesses(Accesses a) {
  constexpr Accesses kReads =
      VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT |
      VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_SHADER_READ_BIT |
      VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
      VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
      VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_CONDITIONAL_RENDERING_READ_BIT_EXT |
      VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT;
  constexpr Accesses kWrites =
      VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_HOST_WRITE_BIT |
      VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT | VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT;
  if ((a & VK_ACCESS_2_MEMORY_READ_BIT) != 0) a |= kReads;
  if ((a & VK_ACCESS_2_MEMORY_WRITE_BIT) != 0) a |= kWrites;
  if ((a & VK_ACCESS_2_SHADER_READ_BIT) != 0)
    a |= VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
  if ((a & VK_ACCESS_2_SHADER_WRITE_BIT) != 0) a |= VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
  return a;
}

/// Narrows [begin, end) around `at` to where the dependency's memory is there, or is not, as it is at `at`.
bool covers(const Dependency& d, std::uintptr_t at, std::uintptr_t& begin, std::uintptr_t& end) {
  if (d.memory.empty()) return true;
  bool inside = false;
  for (const std::span<const std::uint8_t> part : d.memory) {
    const auto from = reinterpret_cast<std::uintptr_t>(part.data()), to = from + part.size();
    if (at >= from && at < to) {
      inside = true;
      begin = std::max(begin, from);
      end = std::min(end, to);
    } else if (to <= at) {
      begin = std::max(begin, to);
    } else {
      end = std::min(end, from);
    }
  }
  return inside;
}

}  // namespace

void CommandOrder::clear() {
  uses_.clear();
  dependencies_.clear();
  known_.clear();
  forgotten_ = 0;
}

CommandOrder::Use CommandOrder::find(const CommandUse& use) const {
  for (std::size_t k = uses_.size(); k > 0 && uses_[k - 1].command == use.command; --k) {
    const CommandUse& known = uses_[k - 1];
    if (known.stages == use.stages && known.accesses == use.accesses && known.write == use.write &&
        known.atomic == use.atomic && known.role == use.role && known.pass == use.pass &&
        known.subpass == use.subpass && known.barriers == forgotten_ + dependencies_.size())
      return static_cast<Use>(k);
  }
  return 0;
}

CommandOrder::Use CommandOrder::add(CommandUse use) {
  use.barriers = forgotten_ + dependencies_.size();
  uses_.push_back(std::move(use));
  return static_cast<Use>(uses_.size());
}

void CommandOrder::add(Dependency d) {
  d.source_stages = source_scope(d.source_stages);
  d.source_accesses = expanded_accesses(d.source_accesses);
  d.target_accesses = expanded_accesses(d.target_accesses);
  if (dependencies_.size() == kMaxDependencies) {
    dependencies_.erase(dependencies_.begin(), dependencies_.begin() + kMaxDependencies / 2);
    forgotten_ += kMaxDependencies / 2;
  }
  dependencies_.push_back(std::move(d));
}

CommandOrder::Answer CommandOrder::evaluate(const CommandUse& a, const CommandUse& b, std::uintptr_t at) const {
  Answer answer{.ordered = false, .begin = 0, .end = UINTPTR_MAX};
  Stages chain = a.stages;
  bool executed = false, available = !a.write, visible = !a.write || b.write;
  for (std::size_t k = a.barriers - forgotten_; k < b.barriers - forgotten_; ++k) {
    const Dependency& d = dependencies_[k];
    if ((d.source_stages & chain) == 0) continue;
    const Stages target = target_scope(d.target_stages);
    chain |= target;
    executed = executed || (target & b.stages) != 0;
    if (!covers(d, at, answer.begin, answer.end)) continue;
    available = available || (d.source_accesses & a.accesses) != 0;
    visible = visible || (available && (target & b.stages) != 0 && (d.target_accesses & b.accesses) != 0);
  }
  answer.ordered = executed && available && visible;
  return answer;
}

/// Whether the pass that two commands run in orders them by itself.
bool CommandOrder::ordered_by_pass(const CommandUse& earlier, const CommandUse& later) {
  if (earlier.pass == 0 || earlier.pass != later.pass) return false;
  if (earlier.role == PassRole::Begin || later.role == PassRole::End) return true;
  if (earlier.role == PassRole::None || later.role == PassRole::None) return false;
  const bool ordered_reads = earlier.role == PassRole::Ordered || later.role == PassRole::Ordered;
  return !ordered_reads || earlier.subpass == later.subpass;
}

bool CommandOrder::ordered(Use earlier, Use later, std::uintptr_t at) {
  const CommandUse& a = (*this)[earlier];
  const CommandUse& b = (*this)[later];
  if (a.command == b.command || a.barriers < forgotten_ || (!a.write && !b.write)) return true;
  if (a.atomic && b.atomic) return true;
  if (ordered_by_pass(a, b)) return true;
  const std::uint64_t key = std::uint64_t{earlier} << 32 | later;
  const auto found = known_.find(key);
  if (found != known_.end() && at >= found->second.begin && at < found->second.end) return found->second.ordered;
  const Answer answer = evaluate(a, b, at);
  known_[key] = answer;
  return answer.ordered;
}

}  // namespace heddle::vulkan
