// SPDX-License-Identifier: MIT
#pragma once
// What dispatches and draws do alike with their shaders: descriptors become what the program's slots are bound to, the
// run gets its context, and what came of it is told.

#include <cstdint>
#include <string>

#include "base/diagnostic.hpp"
#include "isa/shader_stage.hpp"
#include "machine/bindings.hpp"
#include "machine/report.hpp"
#include "pipeline/run_context.hpp"
#include "vulkan/execution/context/bind_point.hpp"

namespace heddle::vulkan {

struct CommandContext;
struct Device;

/// "vertex shader 'main' of 'the pipeline's name'".
[[nodiscard]] std::string words_of(Device& device, isa::ShaderStage stage, const Shader& shader,
                                   const BindPoint& point);

class ShaderRuns {
 public:
  explicit ShaderRuns(CommandContext& context);

  /// Binds what has changed since the shader last ran.
  void bind(isa::ShaderStage stage, Shader& shader, const BindPoint& point) const;
  /// Stands where nothing is bound.
  [[nodiscard]] const machine::SurfaceResource& null_surface() const { return null_surface_; }
  [[nodiscard]] machine::Reports reports(const isa::Program& program) const;
  [[nodiscard]] pipeline::RunContext run_context(machine::Reports& reports) const;
  /// What the shader printed goes to the application's messengers and to standard error (SPV-37).
  void print_messages(isa::ShaderStage stage, const Shader& shader) const;
  /// A run that did not finish: the device is lost. `how_far` it came, where a limit ended it.
  void lose(const std::string& what, const std::string& how_far, const base::Diagnostics& found) const;

 private:
  void read_placed(isa::ShaderStage stage, Shader& shader, const BindPoint& point) const;
  [[nodiscard]] machine::SurfaceResource surface_of(Shader::Slot& slot, const BindPoint& point, std::uint32_t k) const;

  CommandContext& context_;
  machine::SurfaceResource null_surface_;
  machine::SamplerResource null_sampler_;
};

}  // namespace heddle::vulkan
