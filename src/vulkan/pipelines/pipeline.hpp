// SPDX-License-Identifier: MIT
#pragma once
// Pipelines: shaders with what stands in the slots of their programs.

#include <vulkan/vulkan.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/compute/compute.hpp"
#include "shader_interface/interface.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/device/properties/limits.hpp"

namespace heddle::vulkan {

struct GraphicsPipeline;

/// One stage: which descriptor stands in which slot of its program.
struct Shader {
  struct Slot {
    std::uint32_t index = 0;  ///< of the binding table; bindless: the handle
    bool bindless = false;
    shader_interface::ResourceKind kind{};  ///< surfaces
    std::uint32_t set = 0, binding = 0, element = 0;
    std::uint32_t count = 1;  ///< bindless: elements, whose handles follow each other
    bool array = false;       ///< of a binding that the shader declares as an array
    std::string name{};       ///< in the shader
    // The last dynamic offset, and the surface that it made.
    std::uint64_t of = 0;
    std::uint32_t offset = 0;
    machine::SurfaceResource moved;
  };
  std::string name;  ///< the entry point's
  std::vector<Slot> surfaces, samplers;
  std::shared_ptr<image::Memory> push;      ///< what push constants are read from; null where there are none
  std::uint64_t push_bytes = 0;             ///< that the shader's block has
  std::shared_ptr<image::Memory> messages;  ///< what the shader prints is written there; null where it prints nothing
  std::vector<shader_interface::PrintLine> prints;
  std::shared_ptr<const std::string> visa;
  std::shared_ptr<pipeline::ListedCode> listed;  ///< its machine code; null: nobody wants to read it
  std::vector<std::uint32_t> module;             ///< its SPIR-V words, where dispatches are captured
  pipeline::Bound bound;                         ///< changed by the queue's thread only
  /// What stands in the slots: descriptors of these sets after so many changes, at these dynamic offsets.
  struct Standing {
    std::uint64_t set = 0, changes = 0;
    std::vector<std::uint32_t> offsets;
    friend bool operator==(const Standing&, const Standing&) = default;
  };
  std::vector<Standing> standing;  ///< of each set up to the last one that slots are of
  /// Of a set in a descriptor buffer: which one was read last, and after which writes (CommandContext::visible_writes).
  struct Reading {
    std::uint64_t placed = 0, writes = 0;
    friend bool operator==(const Reading&, const Reading&) = default;
  };
  std::vector<Reading> reading;  ///< as `standing`
};

/// A compute pipeline, or one that draws.
struct Pipeline : Shader {
  Pipeline();
  ~Pipeline();
  std::shared_ptr<const pipeline::ComputeProgram> program;
  std::array<std::uint32_t, 3> local{1, 1, 1};
  std::unique_ptr<GraphicsPipeline> graphics;  ///< null: it computes
  bool gives_binaries = false;                 ///< VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR
};

HEDDLE_HANDLE(Pipeline, VkPipeline)

}  // namespace heddle::vulkan
