// SPDX-License-Identifier: MIT
#pragma once
// Commands that are recorded and that no part of execution carries out, each by its name: a command that is in no list
// and that no part runs does not compile (Executor).

#include <type_traits>

#include "vulkan/generated/command_types.hpp"

namespace heddle::vulkan {

template <typename... Listed>
struct CommandList {
  template <typename C>
  static constexpr bool kHas = (std::is_same_v<C, Listed> || ...);
};

/// Nothing here depends on what they say: the driver has one device, no timeline of single commands, shaders always
/// read what draws before wrote, and the one size that primitives may grow by is zero.
using IgnoredCommands =
    CommandList<commands::SetDeviceMask, commands::InsertDebugUtilsLabelEXT,
                commands::SetAttachmentFeedbackLoopEnableEXT, commands::SetExtraPrimitiveOverestimationSizeEXT>;

/// They belong to offered extensions, but to features or other extensions that are not offered: a program that obeys
/// the rules calls none of them, and hears of it if it does.
using RefusedCommands =
    CommandList<commands::SetCoverageModulationModeNV, commands::SetCoverageModulationTableEnableNV,
                commands::SetCoverageModulationTableNV, commands::SetCoverageReductionModeNV,
                commands::SetCoverageToColorEnableNV, commands::SetCoverageToColorLocationNV,
                commands::SetRepresentativeFragmentTestEnableNV, commands::SetShadingRateImageEnableNV,
                commands::SetViewportSwizzleNV, commands::SetViewportWScalingEnableNV>;

}  // namespace heddle::vulkan
