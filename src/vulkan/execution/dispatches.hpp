// SPDX-License-Identifier: MIT
#pragma once
// Dispatches of compute shaders.

#include <array>
#include <cstdint>

#include "vulkan/commands/command.hpp"

namespace heddle::vulkan {

struct CommandContext;
class Queries;
class ShaderRuns;

class Dispatches {
 public:
  Dispatches(CommandContext& context, const ShaderRuns& shaders, Queries& queries)
      : context_(context), shaders_(shaders), queries_(queries) {}

  void run(const commands::Dispatch& c);
  void run(const commands::DispatchBase& c);
  void run(const commands::DispatchIndirect& c);

 private:
  void dispatch(std::array<std::uint32_t, 3> groups, std::array<std::uint32_t, 3> base = {});

  CommandContext& context_;
  const ShaderRuns& shaders_;
  Queries& queries_;
};

}  // namespace heddle::vulkan
