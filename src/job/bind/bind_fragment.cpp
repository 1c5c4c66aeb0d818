// SPDX-License-Identifier: MIT
// Binding of compiled fragment shaders: targets by output, inputs by name or location with their qualifiers.
// Rules: MSH-5, PIX-20.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "job/bind/image_shape.hpp"
#include "job/bind/pixel_binder.hpp"
#include "shader_interface/words.hpp"

namespace heddle::job {
namespace {

using pipeline::ComponentType;
using pipeline::InterpolationPoint;
using pipeline::LaneInput;
using pipeline::MeshAttribute;
using pipeline::SystemValue;

/// One component, whose values are filled in by the caller.
MeshAttribute attribute_of(const pipeline::Interpolation& interpolation) {
  MeshAttribute a;
  a.flat = interpolation.flat;
  a.linear = interpolation.linear;
  if (!interpolation.vertex) return a;
  a.source = MeshAttribute::Source::AtVertex;
  a.vertex = *interpolation.vertex;
  return a;
}

std::string shown(const StageVariable& v) { return v.name.empty() ? fmt::format("in.{}", v.location) : v.name; }

}  // namespace

bool PixelBinder::asks_for_samples() const {
  if (binder.shader() == nullptr) return false;
  return std::any_of(binder.shader()->inputs.begin(), binder.shader()->inputs.end(),
                     [](const StageVariable& v) { return v.interpolation.point == InterpolationPoint::Sample; }) ||
         std::any_of(binder.shader()->values.begin(), binder.shader()->values.end(),
                     [](const ValueLine& v) { return pipeline::asks_for_samples(v.value); });
}

std::vector<std::shared_ptr<image::Surface>> PixelBinder::shader_targets() {
  std::vector<const SurfaceLine*> lines;
  for (const SurfaceLine& line : binder.shader()->surfaces) {
    if (line.kind == ResourceKind::Target) lines.push_back(&line);
    if (line.kind == ResourceKind::NoTarget) {
      auto none = std::make_shared<image::Surface>();
      none->type = image::SurfaceType::Null;
      binder.preset(line.variable, std::move(none));
    }
  }
  std::sort(lines.begin(), lines.end(),
            [](const SurfaceLine* a, const SurfaceLine* b) { return a->location < b->location; });
  const auto names_of = [](const SurfaceLine& line) {
    std::vector<std::string> names;
    if (!line.name.empty()) names.push_back(line.name);
    names.push_back(fmt::format("out.{}", line.location));
    names.push_back(fmt::format("T{}", line.variable));
    return names;
  };
  std::vector<std::string> keys(lines.size());  // image key of each target
  std::vector<std::string> in_order;
  for (const std::string& key : job.targets) {
    const auto named = std::find_if(lines.begin(), lines.end(), [&](const SurfaceLine* line) {
      const std::vector<std::string> names = names_of(*line);
      return std::find(names.begin(), names.end(), key) != names.end();
    });
    if (named != lines.end())
      keys[static_cast<std::size_t>(named - lines.begin())] = key;
    else
      in_order.push_back(key);
  }
  std::size_t next = 0;
  for (std::string& key : keys)
    if (key.empty() && next < in_order.size()) key = in_order[next++];
  for (; next < in_order.size(); ++next) {
    std::vector<std::string> outputs;
    for (const SurfaceLine* line : lines) outputs.push_back(names_of(*line).front());
    error(job.place, "bind-unknown",
          fmt::format("target '{}' of [pixels] is one more than the shader's {}", in_order[next], lines.size()),
          outputs.empty() ? std::string() : fmt::format("its outputs are: {}", fmt::join(outputs, " ")));
  }
  std::vector<std::shared_ptr<image::Surface>> surfaces;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::shared_ptr<image::Surface> surface;
    std::vector<std::string> names = names_of(*lines[i]);
    if (!keys[i].empty()) names.insert(names.begin(), keys[i]);
    for (const std::string& name : names)
      if (const Image* image = surface ? nullptr : binder.image({name})) surface = image->surface;
    if (!surface) {
      std::vector<std::string_view> candidates;
      for (const Image& image : binder.resources().images) candidates.push_back(image.binding->key.text);
      binder.missing(names.front(), "output",
                     binder.called()
                         ? fmt::format("'{}' among the targets, location {}", names.front(), lines[i]->location)
                     : binder.flags_alone()
                         ? fmt::format("--target {}=FILE:FORMAT:WxH, location {}", names.front(), lines[i]->location)
                         : fmt::format("{}, location {}; [pixels] targets = [...] may name other keys",
                                       binder.entry("images", names.front()), lines[i]->location),
                     candidates);
      binder.preset(lines[i]->variable, std::make_shared<image::Surface>());  // said once
      continue;
    }
    // bind-numbers: what is stored is undefined in Vulkan.
    const bool writes_integers = lines[i]->format == shader_interface::kIntegers;
    if (const auto integers = holds_integers(*surface); integers && *integers != writes_integers)
      binder.diagnostics().add(
          base::warning(
              "bind-numbers",
              fmt::format("output '{}' writes {}, and its target has {}: what is stored is undefined",
                          names_of(*lines[i]).front(), writes_integers ? "integers" : "floats", surface->info().name),
              job.place)
              .note("give the target a format of the numbers that the shader writes"));
    binder.preset(lines[i]->variable, surface);
    surfaces.push_back(std::move(surface));
  }
  return surfaces;
}

const PixelInput* PixelBinder::given(const StageVariable& v) const {
  const std::string own = Binder::variable_name(binder.kernel(), v.variable), number = fmt::format("V{}", v.variable);
  const PixelInput* by_variable = nullptr;
  for (const PixelInput& input : job.inputs) {
    const std::vector<const StageVariable*> named =
        ShaderInterface::named(binder.shader()->inputs, input.key.text, "in.");
    if (std::find(named.begin(), named.end(), &v) != named.end()) return &input;
    if (named.empty() && (input.key.text == own || input.key.text == number)) by_variable = &input;
  }
  return by_variable;
}

namespace {

/// One component of an input of a compiled shader, and where it takes its values from.
struct ShaderInput {
  PixelBinder& pixels;
  const StageVariable& variable;
  const PixelInput* wanted;  ///< what the job says of it, or nullptr
  std::uint32_t rank;        ///< among the components of what `wanted` gives
  LaneInput lanes{};

  [[nodiscard]] const std::vector<StageVariable>& inputs() const { return pixels.binder.shader()->inputs; }
  [[nodiscard]] const base::Place& place() const { return wanted != nullptr ? wanted->key.place : pixels.job.place; }
  [[nodiscard]] std::string_view type_word() const { return element_name(element_type(variable.type)); }
  void wrong(std::string_view message) const {
    pixels.error(place(), "bind-type",
                 fmt::format("pixel input '{}': {}", wanted != nullptr ? wanted->key.text : shown(variable), message));
  }

  void bind(const ShaderInterface* vertex_shader);
  void from_values();
  void from_builtin(LaneInput::Source source);
  void from_stage(const ShaderInterface& shader);
  void from_output(const StageVariable& from, bool of_primitive);
  void from_attribute();
  void from_same_name();
  void component_of(const MeshAttribute& attribute, std::uint32_t component);
  void add_attribute(MeshAttribute one);
  void report_missing() const;
};

/// Values at the target's corners, or one everywhere.
void ShaderInput::from_values() {
  const std::size_t given = wanted->values[0].size();
  if (rank >= given)
    return wrong(
        fmt::format("{} component{} given, the shader reads component {}", given, given == 1 ? " is" : "s are", rank));
  if (wanted->values.size() == 3) {
    if (!pixels.mesh.mesh.full_screen)
      return wrong("values at the target's corners are given, which only the full-screen geometry has");
    if (variable.type != ComponentType::F32) return wrong(fmt::format("it is {}: one value is expected", type_word()));
    lanes.source = LaneInput::Source::Corners;
    lanes.corners.push_back(pixels.corner_values(*wanted, rank));
    if (variable.interpolation.flat) lanes.corners[0].fill(lanes.corners[0][0]);
  } else {
    lanes.source = LaneInput::Source::Flat;
    std::string why;
    const auto bits = encode(wanted->values[0][rank], element_type(variable.type), why);
    if (!bits) return wrong(why);
    put(lanes.bytes, *bits, 4);
  }
  pixels.plan.inputs.push_back(std::move(lanes));
}

void ShaderInput::from_builtin(LaneInput::Source source) {
  lanes.source = source;
  if ((source <= LaneInput::Source::PositionW) != (variable.type == ComponentType::F32))
    return wrong(fmt::format("'{}' is not {}", wanted->attribute, type_word()));
  pixels.plan.inputs.push_back(std::move(lanes));
}

/// The lanes interpolate this attribute.
void ShaderInput::add_attribute(MeshAttribute one) {
  lanes.components = {static_cast<std::uint32_t>(pixels.bound_attributes.size())};
  pixels.bound_attributes.push_back(std::move(one));
  pixels.plan.inputs.push_back(std::move(lanes));
}

/// The output that the job names, or that of the same location and component.
void ShaderInput::from_stage(const ShaderInterface& shader) {
  const std::string_view stage = isa::stage_info(shader.stage).name;
  for (const std::vector<StageVariable>* outputs : {&shader.outputs, &shader.primitive_outputs}) {
    const bool of_primitives = outputs == &shader.primitive_outputs;
    if (wanted != nullptr) {
      const std::vector<const StageVariable*> named = ShaderInterface::named(*outputs, wanted->attribute, "out.");
      if (named.empty()) continue;
      if (rank < named.size()) return from_output(*named[rank], of_primitives);
      return wrong(fmt::format("output '{}' has {} components", wanted->attribute, named.size()));
    }
    const auto same = std::ranges::find_if(*outputs, [&](const StageVariable& o) {
      return o.location == variable.location && o.component == variable.component;
    });
    if (same != outputs->end()) return from_output(*same, of_primitives);
  }
  if (wanted != nullptr)
    return pixels.error(place(), "bind-unknown",
                        fmt::format("the {} shader has no output '{}'", stage, wanted->attribute));
  pixels.error(place(), "bind-missing",
               fmt::format("input '{}' (location {}, component {}) is no output of the {} shader", shown(variable),
                           variable.location, variable.component, stage));
}

/// MSH-5: a primitive has one value, whatever is said of interpolation.
void ShaderInput::from_output(const StageVariable& from, bool of_primitive) {
  if (of_primitive) lanes.interpolation = {.flat = true};
  MeshAttribute attribute = attribute_of(lanes.interpolation);
  if (of_primitive) attribute.source = MeshAttribute::Source::Primitives;
  pixels.plan.from_vertices.push_back({from.offset, from.type, of_primitive});
  add_attribute(std::move(attribute));
}

void ShaderInput::component_of(const MeshAttribute& attribute, std::uint32_t component) {
  MeshAttribute one = attribute_of(variable.interpolation);
  one.flat = one.flat || attribute.flat;
  for (std::size_t i = 0; i < pixels.mesh.mesh.positions.size(); ++i) {
    const double value = attribute.values[i * attribute.components + component];
    if (variable.type != ComponentType::F32 && value != std::floor(value))
      return wrong(fmt::format("attribute '{}' has the value {}, {} is expected", pixels.mesh.name_of(attribute), value,
                               type_word()));
    one.values.push_back(value);
  }
  add_attribute(std::move(one));
}

/// The attribute that the job names.
void ShaderInput::from_attribute() {
  const std::vector<std::uint32_t> found = pixels.attribute(*wanted);
  if (found.empty()) return;
  if (rank >= found.size())
    return wrong(fmt::format("attribute '{}' has {} component{}, the shader reads component {}", wanted->attribute,
                             found.size(), found.size() == 1 ? "" : "s", rank));
  std::uint32_t first = 0;
  for (const MeshAttribute& a : pixels.mesh.mesh.attributes) {
    if (found[rank] < first + a.components) return component_of(a, found[rank] - first);
    first += a.components;
  }
}

/// The attribute with the input's own name.
void ShaderInput::from_same_name() {
  const MeshAttribute* same = pixels.mesh.find(variable.name);
  if (const std::size_t dot = variable.name.rfind('.'); same == nullptr && dot != std::string::npos)
    same = pixels.mesh.find(variable.name.substr(dot + 1));
  if (same == nullptr) same = pixels.mesh.find_usual(variable.name);
  if (same != nullptr && rank < same->components) return component_of(*same, rank);
  if (rank == 0 || same != nullptr) report_missing();  // else said for the first component
}

void ShaderInput::report_missing() const {
  if (pixels.unknown_mesh) return;
  const StageVariable& v = variable;
  const auto components = std::ranges::count_if(
      inputs(), [&](const StageVariable& o) { return o.name.empty() ? o.location == v.location : o.name == v.name; });
  base::Diagnostic d = base::error(
      "bind-missing", fmt::format("input '{}' of kernel '{}' is not bound", shown(v), pixels.binder.kernel().name),
      place());
  d.note(fmt::format("expected: {}{} or values ({}{}, location {}); the geometry has: {}",
                     pixels.binder.pixel_entry("inputs", v.name.empty() ? fmt::format("in.{}", v.location) : v.name),
                     pixels.binder.flags_alone() ? "ATTRIBUTE" : "\"ATTRIBUTE\"", type_word(),
                     components > 1 ? fmt::format(" x {}", components) : std::string(), v.location,
                     fmt::join(pixels.mesh.names, " ")));
  const std::vector<std::string_view> names(pixels.mesh.names.begin(), pixels.mesh.names.end());
  if (const std::string_view near = base::nearest(v.name, names); !near.empty())
    d.note(fmt::format("is attribute '{}' meant?", near));
  pixels.binder.diagnostics().add(std::move(d));
}

void ShaderInput::bind(const ShaderInterface* before) {
  lanes.offset = pixels.binder.input_of(variable.variable).offset;
  lanes.interpolation = variable.interpolation;
  lanes.type = variable.type;
  if (wanted != nullptr && wanted->attribute.empty()) return from_values();
  if (wanted != nullptr)
    if (const auto source = pixels.builtin(wanted->attribute)) return from_builtin(*source);
  if (before != nullptr) return from_stage(*before);
  return wanted != nullptr ? from_attribute() : from_same_name();
}

/// Vulkan: the logarithms of the coarse pixel's height in bits 1:0, of its width in bits 3:2.
std::uint32_t shading_rate(const std::array<std::uint32_t, 2>& size) {
  const auto logarithm = [](std::uint32_t pixels) { return pixels >= 4 ? 2u : pixels >= 2 ? 1u : 0u; };
  return logarithm(size[1]) | logarithm(size[0]) << 2;
}

}  // namespace

void PixelBinder::shader_value(SystemValue value, std::uint32_t offset) {
  LaneInput n;
  n.offset = offset;
  n.at_sample = plan.per_sample;
  if (const auto vertex = pipeline::weight_of(value)) return weight(std::move(n), *vertex);
  n.source = source_of(value);
  if (value == SystemValue::ShadingRate) {
    n.source = LaneInput::Source::Flat;
    put(n.bytes, shading_rate(output.coarse_size), 4);
  }
  plan.inputs.push_back(std::move(n));
}

void PixelBinder::weight(LaneInput lanes, const pipeline::VertexWeight& of) {
  MeshAttribute a;
  a.linear = of.interpolation.linear;
  a.source = MeshAttribute::Source::Weight;
  a.vertex = of.vertex;
  lanes.source = LaneInput::Source::Attribute;
  lanes.interpolation = of.interpolation;
  lanes.components = {static_cast<std::uint32_t>(bound_attributes.size())};
  bound_attributes.push_back(std::move(a));
  plan.from_vertices.push_back({});  // where a stage gives the others
  plan.inputs.push_back(std::move(lanes));
}

void PixelBinder::shader(const ShaderInterface* before) {
  const ShaderInterface& shader = *binder.shader();
  plan.early_tests = shader.early_tests;
  plan.keeps_fragments = shader.keeps_fragments;
  plan.own_subspans = shader.own_subspans;
  plan.own_lanes = shader.own_lanes;
  plan.post_depth_coverage = shader.post_depth_coverage;
  plan.samples_in_turn = shader.samples_in_turn;
  if (job.payload)
    error(job.place, "job-value",
          "'payload' belongs to hand-written kernels; a compiled shader says itself what it reads");
  std::uint32_t end = 128;
  for (const isa::Input& input : binder.kernel().inputs) end = std::max(end, input.offset + input.size);
  binder.bound().payload.resize(end);
  for (const PixelInput& wanted : job.inputs) {
    const bool known = std::any_of(shader.inputs.begin(), shader.inputs.end(),
                                   [&](const StageVariable& v) { return given(v) == &wanted; });
    if (known) continue;
    std::vector<std::string> all;
    for (const StageVariable& v : shader.inputs)
      if (std::find(all.begin(), all.end(), shown(v)) == all.end()) all.push_back(shown(v));
    const std::string_view near = base::nearest(wanted.key.text, {all.begin(), all.end()});
    error(wanted.key.place, "bind-unknown",
          fmt::format("kernel '{}' has no input '{}'", binder.kernel().name, wanted.key.text),
          !near.empty() ? fmt::format("did you mean '{}'?", near)
          : all.empty() ? std::string()
                        : fmt::format("it has: {}", fmt::join(all, " ")));
  }
  for (const StageVariable& v : shader.inputs) {
    const PixelInput* wanted = given(v);
    const bool alone = wanted != nullptr && ShaderInterface::named(shader.inputs, wanted->key.text, "in.").empty();
    ShaderInput{*this, v, wanted, alone ? 0 : shader.rank(v)}.bind(before);
  }
  binder.fill_values([&](SystemValue value, std::uint32_t offset) { shader_value(value, offset); });
  mesh.mesh.attributes = std::move(bound_attributes);
  binder.bind_blocks();
  binder.bind_state_variables();
  const std::uint32_t fixed = plan.first_word();
  binder.bind_inputs([&](const isa::Input& input, const isa::VariableInfo&) { return input.offset < fixed; });
  binder.bind_memory();
}

}  // namespace heddle::job
