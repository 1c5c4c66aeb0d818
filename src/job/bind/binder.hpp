// SPDX-License-Identifier: MIT
#pragma once
// A kernel's own names put together with a job's: surfaces and samplers to binding tables, values to the payload.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "isa/platform.hpp"
#include "isa/program.hpp"
#include "job/resources.hpp"
#include "job/shader/interface.hpp"
#include "pipeline/bound.hpp"

namespace heddle::job {

/// A surface or sampler variable of a kernel, perhaps an array.
struct StateVariable {
  bool is_sampler;
  std::uint32_t id;
  const isa::PlainVariable& variable;
  std::uint32_t first_index;  ///< in the table of its kind, where that is free

  [[nodiscard]] std::uint32_t elements() const { return std::max(1u, variable.elements); }
  [[nodiscard]] bool is_array() const { return variable.elements > 1; }
  [[nodiscard]] std::string number(std::uint32_t element) const;  ///< "T6", "T6[1]"
  /// Empty when it has no name but its number.
  [[nodiscard]] std::string own_name(std::uint32_t element) const;
};

/// Connects names. Each job key is used at most once or reported; each thing of the program that lacks a binding is
/// reported with the key that was perhaps meant for it. Ids: bind-missing, bind-unknown, bind-type.
class Binder {
 public:
  Binder(const Job& job, const Resources& resources, const isa::Object& kernel, const isa::Platform platform,
         base::Diagnostics& diagnostics);

  [[nodiscard]] const Job& job() const { return job_; }
  [[nodiscard]] const Resources& resources() const { return resources_; }
  [[nodiscard]] const isa::Object& kernel() const { return kernel_; }
  [[nodiscard]] unsigned grf_bytes() const { return grf_bytes_; }
  [[nodiscard]] pipeline::Bound& bound() { return bound_; }
  /// Whether an `.input` (index in Object::inputs) has its bytes.
  [[nodiscard]] bool is_filled(std::size_t input) const { return filled_.contains(input); }
  void mark_filled(std::size_t input) { filled_.insert(input); }
  [[nodiscard]] base::Diagnostics& diagnostics() { return diagnostics_; }

  // --- looking up job entries; a found one counts as used ---
  const Argument* argument(std::initializer_list<std::string_view> names);
  /// A buffer's or image's surface.
  std::shared_ptr<image::Surface> surface(std::initializer_list<std::string_view> names);
  const Buffer* buffer(std::initializer_list<std::string_view> names);
  const Image* image(std::initializer_list<std::string_view> names);
  std::shared_ptr<image::Sampler> sampler(std::initializer_list<std::string_view> names);
  void use(std::string_view table, std::string_view key) { used_.insert(std::string(table) + "." + std::string(key)); }

  // --- compiled shaders (docs/spirv-interface.md) ---
  /// The kernel is a shader: its surfaces and samplers go by the shader's names too.
  void describe(const ShaderInterface& shader) { shader_ = &shader; }
  [[nodiscard]] const ShaderInterface* shader() const { return shader_; }
  /// What a surface variable stands for, whatever the job says: targets, records of vertices.
  void preset(std::uint32_t variable, std::shared_ptr<image::Surface> surface) {
    presets_[variable] = std::move(surface);
  }
  /// Push constants and blocks whose values stand in [args].
  void bind_blocks();
  /// What the program prints goes there; null: it prints nothing.
  [[nodiscard]] image::Memory* messages() const { return messages_.get(); }
  void set_messages(std::shared_ptr<image::Memory> bytes) { messages_ = std::move(bytes); }
  /// Marks the variables of the shader's `input` and `value` lines as filled; calls back for each value with the
  /// payload offset of its variable.
  void fill_values(const std::function<void(pipeline::SystemValue, std::uint32_t offset)>& value);
  /// The `.input` of a variable that a line of the interface names.
  [[nodiscard]] const isa::Input& input_of(std::uint32_t variable) const;
  /// What another stage of the same job used and has names for.
  void absorb(const Binder& other);

  // --- storing ---
  void bind_surface(std::uint32_t bti, std::shared_ptr<image::Surface> surface);
  void bind_sampler(std::uint32_t index, std::shared_ptr<image::Sampler> sampler);
  void put(std::uint32_t offset, std::span<const std::uint8_t> bytes);
  void put_integer(std::uint32_t offset, std::uint64_t value, unsigned bytes);

  // --- parts that all dispatches share ---
  /// Surface and sampler variables of a hand-written kernel (T6, S0, their own names, elements T6[1]) and binding-table
  /// indices as keys.
  void bind_state_variables();
  /// General `.input`s by name, V<n> or position; those that `is_automatic` says the dispatch fills are left out.
  void bind_inputs(const std::function<bool(const isa::Input&, const isa::VariableInfo&)>& is_automatic);
  /// Buffers named by data symbols (faddr), and every buffer into the 64-bit address space.
  void bind_memory();
  /// Reports keys of the job that nothing asked for.
  void report_unused();

  void missing(std::string what, std::string_view kind, std::string expected,
               const std::vector<std::string_view>& candidates);
  /// How a job says it: "[buffers.data]", "[args] n = "; "--buffer data=...", "--arg n=" where flags alone make the
  /// job; "'data' among the buffers", "n = " for callers of the library. `table` is args, buffers, images or samplers.
  [[nodiscard]] std::string entry(std::string_view table, std::string_view key) const;
  /// The same for members of [pixels]: inputs or vertex_inputs.
  [[nodiscard]] std::string pixel_entry(std::string_view table, std::string_view key) const;
  /// A program calls the library: there is no file.
  [[nodiscard]] bool called() const { return job_.file.empty(); }
  [[nodiscard]] bool flags_alone() const { return base::Place::in_file(job_.file).on_command_line(); }
  void wrong(const Key& key, std::string message, std::string note = {});
  /// Names in the program that keys may have; for "did you mean".
  void offer(std::string name) { offered_.insert(std::move(name)); }
  [[nodiscard]] static std::string variable_name(const isa::Object& kernel, std::uint32_t id);

 private:
  void bind_variable(const StateVariable& variable, bool needed);
  std::optional<std::uint32_t> surface_element(const StateVariable& variable, std::uint32_t element,
                                               std::string& lacking);
  std::optional<std::uint32_t> sampler_element(const StateVariable& variable, std::uint32_t element,
                                               std::string& lacking);
  bool leave_open(const StateVariable& variable);
  void missing_variable(const StateVariable& variable, const std::string& lacking);
  void missing_sampler(const std::string& lacking);
  void check_compares();
  /// The key of a block that has such a member; empty: there is none.
  [[nodiscard]] std::string block_with(std::string_view member) const;
  /// The surface of a compiled shader's resource; `lacking` is what its key would be when there is none.
  std::shared_ptr<image::Surface> shader_surface(const SurfaceLine& line, std::optional<std::uint32_t> element,
                                                 std::string& lacking);
  /// Elements of arrays without a length need not be given when another element is.
  bool may_stay_open(const SurfaceLine& line);
  bool may_stay_open(const SamplerLine& line);
  bool is_given(const SurfaceLine& line);
  std::shared_ptr<image::Sampler> shader_sampler(const SamplerLine& line, std::optional<std::uint32_t> element,
                                                 std::string& lacking);
  /// Bindless surfaces and samplers.
  void bind_handles();
  /// The buffer of messages that the shader prints.
  void bind_messages();
  void bind_constants();
  /// Surfaces that hold the constants of samplers.
  void bind_sampler_records();
  [[nodiscard]] bool needs_sampler(std::uint32_t id) const;  ///< an instruction names it
  void missing_resource(const SurfaceLine& line, const std::string& lacking);
  void bind_numbered();
  std::uint32_t free_surface_index();
  std::uint32_t free_sampler_index();
  const Job& job_;
  const Resources& resources_;
  const isa::Object& kernel_;
  unsigned grf_bytes_;
  base::Diagnostics& diagnostics_;
  pipeline::Bound bound_;
  std::set<std::size_t> filled_;
  const ShaderInterface* shader_ = nullptr;
  std::map<std::uint32_t, std::shared_ptr<image::Surface>> presets_;
  std::set<std::string> used_, offered_;
  std::set<std::string> suggested_;  ///< keys that a message named as perhaps meant: they are not reported again
  std::shared_ptr<image::Memory> messages_;
};

}  // namespace heddle::job
