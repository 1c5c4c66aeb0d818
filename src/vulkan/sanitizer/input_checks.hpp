// SPDX-License-Identifier: MIT
#pragma once
// Checks of what draws and dispatches fetch before their shaders run: indices, attributes, indirect commands.
// Rules: run-memory-unwritten, run-barrier-missing.

#include <compare>
#include <cstdint>
#include <memory>
#include <span>

#include "isa/shader_stage.hpp"
#include "pipeline/vertices/vertices.hpp"
#include "vulkan/execution/context/observers.hpp"
#include "vulkan/sanitizer/command_watch.hpp"

namespace heddle::vulkan {

struct CommandContext;

class InputChecks final : public InputObserver {
 public:
  /// `context`: its budget ends checks of many vertices.
  InputChecks(CommandContext& context, std::shared_ptr<CommandWatch> watch)
      : context_(context), watch_(std::move(watch)) {}

  void fetch_indirect(const Buffer& from, Bytes bytes) override;
  void fetch_copy(const Buffer& from, Bytes bytes) override;
  void fetch_descriptors(isa::ShaderStage stage, Bytes bytes, bool several) override;
  void fetch_condition(const Buffer& from, Bytes bytes) override;
  void fetch_counter(const Buffer& from, Bytes bytes, bool draws) override;
  void write_counter(const Buffer& to, Bytes bytes) override;
  void capture(const Buffer& to, Bytes bytes) override;
  void fetch_vertices(const GraphicsPipeline& pipeline, const pipeline::VertexDraw& draw) override;

 private:
  /// An attribute as draws fetch it: bytes of an element of a binding.
  struct FetchedAttribute {
    std::uint32_t binding = 0, offset = 0, size = 0;
    auto operator<=>(const FetchedAttribute&) const = default;
  };
  [[nodiscard]] bool may_go_on();
  void fetch_element(const pipeline::VertexDraw& draw, const FetchedAttribute& a, std::uint64_t element,
                     const char* word);
  void fetch_elements(const pipeline::VertexDraw& draw, const FetchedAttribute& a);
  void fetch_indexed(pipeline::VertexDraw draw, std::span<const FetchedAttribute> attributes);

  CommandContext& context_;
  std::shared_ptr<CommandWatch> watch_;
};

}  // namespace heddle::vulkan
