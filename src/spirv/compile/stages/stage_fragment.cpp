// SPDX-License-Identifier: MIT
// Fragment shaders: inputs by name.
// Rules: SPV-33.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/stages/fragment_output.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv::compiler {
namespace {

class Fragment final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    if (t.b.grf() != 32) {
      t.refuse(
          fmt::format("fragment shaders are not compiled for {}: where its threads find their pixels is known for "
                      "registers of 32 bytes only",
                      isa::platform_info(t.b.platform()).name));
      t.report.stop();
      return;
    }
    write_stage_line(t);
    const auto has_mode = [&](spv::ExecutionMode mode) { return t.entry.has_mode(static_cast<std::uint32_t>(mode)); };
    const bool post_depth = has_mode(spv::ExecutionMode::PostDepthCoverage);
    if (post_depth || has_mode(spv::ExecutionMode::EarlyFragmentTests)) t.b.interface_line("early_tests");
    if (post_depth) t.b.interface_line("post_depth_coverage");
    per_sample_ = t.options.sample_shading;
    const unsigned halves = t.b.simd() == 32 ? 2 : 1;
    t.fragment.subspans = t.b.array(isa::Type::UD, "subspans", 8 * halves);
    t.b.input(t.fragment.subspans, 32, 32 * halves);
    t.inputs.begin_at(32 + 32 * halves);
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Input),
                   [&](const InterfaceVariable& v) { return input(t, v); });
    fill_variables(t, static_cast<std::uint32_t>(spv::StorageClass::Output),
                   [&](const InterfaceVariable& v) { return outputs_.declare(t, v); });
    if (per_sample_ && (has_mode(spv::ExecutionMode::PixelInterlockOrderedEXT) ||
                        has_mode(spv::ExecutionMode::PixelInterlockUnorderedEXT)))
      t.b.interface_line("samples_in_turn");
    check_inputs(t);
    t.fragment.per_sample = per_sample_;
  }

  void end(ShaderContext& t) override {
    outputs_.write(t, per_sample_);
    if (t.lanes.discarded()) return;
    if (!outputs_.changes_tests()) t.b.interface_line("keeps_fragments");
    if (sees_lanes(t.module)) return;
    t.b.interface_line("own_subspans");
    if (!sees_neighbors(t.module)) t.b.interface_line("own_lanes");
  }

 private:
  std::vector<Part> input(ShaderContext& t, const InterfaceVariable& v) {
    if (v.builtin) return builtin(t, v);
    std::vector<Part> list;
    const std::uint32_t read = v.is_member ? ~0u : components_read(t, v.variable);
    const std::vector<InterfaceScalar> scalars = interface_scalars(t, v);
    for (std::size_t k = 0; k < scalars.size(); ++k) {
      const InterfaceScalar& s = scalars[k];
      if (read != ~0u && (read >> k & 1u) == 0) {
        list.push_back(unread_input(t, v, s, false, read != 0));
        continue;
      }
      if (s.type == isa::Type::Bool) {
        t.refuse(fmt::format("input '{}': booleans do not travel between stages", v.name));
        return {};
      }
      per_sample_ = per_sample_ || v.qualifier == "sample" || v.qualifier == "linear_sample";
      list.push_back(declare_input(t, v, s, false));
    }
    return list;
  }

  Part value(ShaderContext& t, isa::Type type, std::string_view hint, std::string_view word) {
    const Part p = t.inputs.add(type, hint);
    t.b.interface_line(fmt::format("value {} {}", t.b.name(p), word));
    return p;
  }

  /// The first `count` of a list of words, one scalar of F for each.
  std::vector<Part> words(ShaderContext& t, std::string_view hint, std::string_view word, std::string_view components) {
    std::vector<Part> list;
    for (const char c : components)
      list.push_back(value(t, isa::Type::F, fmt::format("{}_{}", hint, c), fmt::format("{}.{}", word, c)));
    return list;
  }

  /// Distances that the vertex shader wrote, interpolated.
  std::vector<Part> distances(ShaderContext& t, const InterfaceVariable& v, std::string_view place) {
    std::vector<Part> list;
    for (std::uint32_t k = 0; k < t.types.of(v.type).flat; ++k) {
      const Part p = t.inputs.add(isa::Type::F, fmt::format("{}_{}", place, k));
      t.b.interface_line(fmt::format("input {} {} {} f32 smooth {}", t.b.name(p), place, k, v.name));
      list.push_back(p);
    }
    return list;
  }

  /// Where in the pixel the vertices' weights are wanted: what is behind the word of those at its center.
  std::string place_of(const InterfaceVariable& v) {
    const bool at_sample = v.qualifier.ends_with("sample");
    per_sample_ = per_sample_ || at_sample;
    return at_sample ? "_sample" : v.qualifier.ends_with("centroid") ? "_centroid" : "";
  }

  std::vector<Part> builtin(ShaderContext& t, const InterfaceVariable& v) {
    std::vector<Part> list;
    switch (static_cast<spv::BuiltIn>(*v.builtin)) {
      case spv::BuiltIn::FragCoord:
        return words(t, "frag", "position", "xyzw");
      case spv::BuiltIn::PointCoord:
        return words(t, "point", "point_coord", "xy");
      case spv::BuiltIn::BaryCoordKHR:
        return words(t, "barycentric", "barycentric" + place_of(v), "xyz");
      case spv::BuiltIn::BaryCoordNoPerspKHR:
        return words(t, "barycentric", "barycentric_linear" + place_of(v), "xyz");
      case spv::BuiltIn::ClipDistance:
        return distances(t, v, "clip_distance");
      case spv::BuiltIn::CullDistance:
        return distances(t, v, "cull_distance");
      case spv::BuiltIn::ShadingRateKHR:
        return {value(t, isa::Type::UD, "shading_rate", "shading_rate")};
      case spv::BuiltIn::FrontFacing:
        return {value(t, isa::Type::D, "front", "front").as(isa::Type::Bool)};
      case spv::BuiltIn::PrimitiveId:
        return {value(t, isa::Type::UD, "primitive", "primitive")};
      case spv::BuiltIn::SampleId:
        per_sample_ = true;
        return {value(t, isa::Type::UD, "sample_id", "sample")};
      case spv::BuiltIn::SamplePosition:
        per_sample_ = true;
        return {value(t, isa::Type::F, "sample_x", "sample_position.x"),
                value(t, isa::Type::F, "sample_y", "sample_position.y")};
      case spv::BuiltIn::SampleMask:
        list.push_back(value(t, isa::Type::UD, "coverage", "coverage"));
        return list;
      case spv::BuiltIn::Layer:
        return {value(t, isa::Type::UD, "layer", "layer")};
      case spv::BuiltIn::ViewportIndex:
        return {value(t, isa::Type::UD, "viewport", "viewport")};
      case spv::BuiltIn::ViewIndex:
        return {value(t, isa::Type::UD, "view", "view")};
      case spv::BuiltIn::HelperInvocation: {
        const Part lanes = t.lanes.live().predicate;
        Part helper;
        t.b.at_start([&] {
          helper = t.b.predicate("helper");
          t.b.op("not", helper, {lanes});
        });
        return {helper};
      }
      default:
        list = common_builtin(t, *v.builtin);
        if (list.empty())
          t.refuse(fmt::format("built-in input {} of '{}' is not supported in fragment shaders",
                               built_in_name(*v.builtin), v.name));
        return list;
    }
  }

  FragmentOutputs outputs_;
  bool per_sample_ = false;  ///< one lane for each sample: Vulkan's sample shading
};

}  // namespace

std::unique_ptr<Stage> fragment_stage() { return std::make_unique<Fragment>(); }

}  // namespace heddle::spirv::compiler
