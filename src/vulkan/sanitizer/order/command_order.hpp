// SPDX-License-Identifier: MIT
#pragma once
// Which commands of a submission are ordered by barriers (run-barrier-missing): Vulkan's synchronization scopes.

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::vulkan {

/// What a use is to the pass that its command runs in.
enum class PassRole : std::uint8_t {
  None,
  Begin,       ///< of an attachment by a load operation: before all that the pass does with it
  Attachment,  ///< ordered behind and before other uses of attachments in the pass
  Ordered,     ///< a shader reads an attachment in rasterization order: before and behind its uses in the subpass
  End,         ///< of an attachment by a store or resolve operation: behind all that the pass does
};

/// What a command does with memory, as barriers see it.
struct CommandUse {
  std::string what;           ///< "vkCmdDispatch, command 3 of its buffer"
  std::uint64_t command = 0;  ///< number in the submission
  std::uint32_t pass = 0;     ///< in which the command ran; 0: in none
  std::uint32_t subpass = 0;  ///< of the submission
  PassRole role = PassRole::None;
  VkPipelineStageFlags2 stages = 0;
  VkAccessFlags2 accesses = 0;
  bool write = false;
  bool atomic = false;       ///< what two such uses do needs no order
  std::size_t barriers = 0;  ///< that came before it
};

/// A dependency between the commands before it and those behind it.
struct Dependency {
  VkPipelineStageFlags2 source_stages = 0, target_stages = 0;
  VkAccessFlags2 source_accesses = 0, target_accesses = 0;
  /// Whose accesses it orders; empty: all memory. Few spans: all dependencies that are kept keep theirs, and are looked
  /// through.
  std::vector<std::span<const std::uint8_t>> memory;
};

/// Of one submission.
class CommandOrder {
 public:
  using Use = std::uint32_t;  ///< number of a use, from 1; 0: none
  static constexpr std::size_t kMaxDependencies = 4096;

  void clear();
  /// The number of a use of the same command that is the same for barriers; 0: there is none.
  [[nodiscard]] Use find(const CommandUse& use) const;
  Use add(CommandUse use);
  [[nodiscard]] const CommandUse& operator[](Use use) const { return uses_[use - 1]; }
  void add(Dependency dependency);
  /// Whether the earlier use is ordered before the later one, for the byte at this address: by execution, and where
  /// the earlier one writes and the later one reads, by a memory dependency. What the dependencies that are kept do not
  /// reach back to counts as ordered.
  [[nodiscard]] bool ordered(Use earlier, Use later, std::uintptr_t at);

 private:
  struct Answer {
    bool ordered = true;
    std::uintptr_t begin = 0, end = 0;  ///< the addresses that it holds for
  };
  [[nodiscard]] static bool ordered_by_pass(const CommandUse& earlier, const CommandUse& later);
  [[nodiscard]] Answer evaluate(const CommandUse& a, const CommandUse& b, std::uintptr_t at) const;
  std::vector<CommandUse> uses_;
  std::vector<Dependency> dependencies_;
  std::size_t forgotten_ = 0;  ///< dependencies that are not kept any more
  std::unordered_map<std::uint64_t, Answer> known_;
};

}  // namespace heddle::vulkan
