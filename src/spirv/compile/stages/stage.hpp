// SPDX-License-Identifier: MIT
#pragma once
// What the stages share: variables of the interface taken apart.

#include <functional>
#include <memory>
#include <string_view>

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

/// What a stage does before and after the entry point's function.
struct Stage {
  virtual ~Stage() = default;
  /// Interface lines, inputs: all variables of the interface get their values.
  virtual void begin(ShaderContext& t) = 0;
  /// Outputs.
  virtual void end(ShaderContext& t) = 0;
};
[[nodiscard]] std::unique_ptr<Stage> make_stage(isa::ShaderStage stage);  ///< null: it is not compiled

[[nodiscard]] std::unique_ptr<Stage> vertex_stage();                   // stage_vertex.cpp
[[nodiscard]] std::unique_ptr<Stage> tessellation_control_stage();     // stage_tessellation_control.cpp
[[nodiscard]] std::unique_ptr<Stage> tessellation_evaluation_stage();  // stage_tessellation_evaluation.cpp
[[nodiscard]] std::unique_ptr<Stage> geometry_stage();                 // stage_geometry.cpp
[[nodiscard]] std::unique_ptr<Stage> task_stage();                     // stage_task.cpp
[[nodiscard]] std::unique_ptr<Stage> mesh_stage();                     // stage_mesh.cpp
[[nodiscard]] std::unique_ptr<Stage> fragment_stage();                 // stage_fragment.cpp
[[nodiscard]] std::unique_ptr<Stage> compute_stage();                  // stage_compute.cpp

/// The interface line of the stage, with what belongs to it behind its name.
void write_stage_line(ShaderContext& t, std::string_view rest = {});

/// Where transform feedback puts an output.
struct OutputCapture {
  std::optional<std::uint32_t> buffer, offset;  ///< captured where both are said
  std::uint32_t stride = 0, stream = 0;
};

/// A variable of the interface, or a member of an interface block.
struct InterfaceVariable {
  std::uint32_t variable = 0, type = 0;
  std::uint32_t member = 0;
  bool is_member = false;
  std::string name;
  std::optional<std::uint32_t> builtin, location;
  std::uint32_t component = 0, index = 0;
  std::string qualifier = "smooth";  ///< flat linear centroid ... of an input
  bool per_vertex = false;           ///< an array: the values at the primitive's vertices
  OutputCapture capture;
  std::uint32_t records = 0;  ///< not 0: of so many records, each has one; `type` is that of one element
  bool patch = false;         ///< one for the whole patch of tessellation
  bool primitive = false;     ///< of mesh shaders: one for each primitive, not for each vertex
};

/// Interface variables of a storage class that the entry point names (modules before 1.4 name just these).
[[nodiscard]] std::vector<InterfaceVariable> interface_variables(ShaderContext& t, std::uint32_t storage_class);

/// Whether an instruction of the module names the variable (the member): blocks declare what most shaders leave alone.
[[nodiscard]] bool is_mentioned(ShaderContext& t, const InterfaceVariable& v);

/// Which components of an input vector the module reads (bit k: component k): what is not read needs no instructions.
[[nodiscard]] std::uint32_t components_read(ShaderContext& t, std::uint32_t variable);

/// One scalar of a user-defined input or output. One of 64 bits takes two components.
struct InterfaceScalar {
  std::uint32_t location = 0, component = 0;
  isa::Type type = isa::Type::F;
  std::string_view qualifier;  ///< of this one: a vertex's number, or that of the variable

  /// The type that carries it from stage to stage: 32 bits, or UD for each half of 64.
  [[nodiscard]] isa::Type carrier() const;
  [[nodiscard]] bool wide() const { return isa::type_bytes(type) == 8; }
};
[[nodiscard]] std::vector<InterfaceScalar> interface_scalars(ShaderContext& t, const InterfaceVariable& v);

/// Creates the pointers of all variables of a class but those that records have; `fill` gives the scalars of one
/// variable or member.
void fill_variables(ShaderContext& t, std::uint32_t storage_class,
                    const std::function<std::vector<Part>(const InterfaceVariable&)>& fill);

/// Whether lanes may learn of all others.
[[nodiscard]] bool sees_lanes(const Module& module);
/// Whether lanes may learn of others in their subspan or quad: by differences between them, or by its votes.
[[nodiscard]] bool sees_neighbors(const Module& module);

/// Reports inputs that need more registers than a thread is given.
void check_inputs(ShaderContext& t);

/// "f32", "i32", "u32".
[[nodiscard]] std::string_view interface_type(isa::Type type);

/// Declares the inputs of a scalar of a user-defined input and gives its value: from the previous stage in its
/// carrier's type, or, `whole`, from the mesh with all its bits.
[[nodiscard]] Part declare_input(ShaderContext& t, const InterfaceVariable& v, const InterfaceScalar& s, bool whole);

/// A scalar of an input that the shader does not read, while it reads `others` of the input: its place is written down.
[[nodiscard]] Part unread_input(ShaderContext& t, const InterfaceVariable& v, const InterfaceScalar& s, bool whole,
                                bool others);

/// Registers of an output, which start as 0: components that no lane writes are defined. Who looks for undefined values
/// sees them unwritten: the output's message knows which components somebody reads, and what stands between is carried.
[[nodiscard]] std::vector<Part> output_storage(ShaderContext& t, std::uint32_t type, const std::string& name);

/// Moves that only carry a value of an input or output on, in another type or place (isa::kCarryRemark).
void carry(ShaderContext& t, const std::function<void()>& moves);
/// As VisaWriter::convert; without a name of its own as the value is named.
[[nodiscard]] Part carry_converted(ShaderContext& t, const Part& value, isa::Type type, std::string_view hint = {});

/// Built-ins that all stages have: subgroup sizes and masks. Empty when it is none of them.
[[nodiscard]] std::vector<Part> common_builtin(ShaderContext& t, std::uint32_t builtin);

}  // namespace heddle::spirv::compiler
