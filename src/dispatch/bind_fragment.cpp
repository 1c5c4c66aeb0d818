// Binding of compiled fragment shaders: targets by output, inputs by name or location with their qualifiers.
// Rules: PIX-20.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dispatch/pixel_binder.hpp"
#include "dispatch/vertices.hpp"

namespace heddle::dispatch {
namespace {

std::string_view type_word(ComponentType type) {
  return type == ComponentType::F32 ? "f32" : type == ComponentType::I32 ? "i32" : "u32";
}

std::string shown(const StageVariable& v) { return v.name.empty() ? fmt::format("in.{}", v.location) : v.name; }

}  // namespace

bool PixelBinder::asks_for_samples() const {
  if (binder.shader() == nullptr) return false;
  return std::any_of(binder.shader()->inputs.begin(), binder.shader()->inputs.end(),
                     [](const StageVariable& v) { return v.interpolation.place == InputPlace::Sample; }) ||
         std::any_of(binder.shader()->values.begin(), binder.shader()->values.end(), [](const DispatchValue& v) {
           return v.word == DispatchWord::Sample || v.word == DispatchWord::SamplePositionX ||
                  v.word == DispatchWord::SamplePositionY;
         });
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
                     fmt::format("[images.{}], location {}; [pixels] targets = [...] may name other keys",
                                 names.front(), lines[i]->location),
                     candidates);
      continue;
    }
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

void PixelBinder::shader_input(const StageVariable& v, const VertexPlan* vertices) {
  NamedInput n;
  n.offset = binder.input_of(v.variable).offset;
  n.interpolation = v.interpolation;
  n.type = v.type;
  const PixelInput* wanted = given(v);
  const bool alone =
      wanted != nullptr && ShaderInterface::named(binder.shader()->inputs, wanted->key.text, "in.").empty();
  const std::uint32_t rank = alone ? 0 : ShaderInterface::rank(binder.shader()->inputs, v);
  const base::Place place = wanted != nullptr ? wanted->key.place : job.place;
  const auto wrong = [&](std::string message, std::string note = {}) {
    error(place, "bind-type",
          fmt::format("pixel input '{}': {}", wanted != nullptr ? wanted->key.text : shown(v), message),
          std::move(note));
  };
  const auto attribute_component = [&](const MeshAttribute& from, std::uint32_t component) {
    MeshAttribute one{from.name, 1, v.interpolation.flat || from.flat, v.interpolation.linear, {}};
    for (std::size_t i = 0; i < plan.mesh.positions.size(); ++i) {
      const double value = from.values[i * from.components + component];
      one.values.push_back(value);
      if (v.type != ComponentType::F32 && value != std::floor(value)) {
        wrong(fmt::format("attribute '{}' has the value {}, {} is expected", from.name, value, type_word(v.type)));
        return;
      }
    }
    n.components = {static_cast<std::uint32_t>(bound_attributes.size())};
    bound_attributes.push_back(std::move(one));
    plan.inputs.push_back(n);
  };

  if (wanted != nullptr && wanted->attribute.empty()) {
    if (rank >= wanted->values[0].size())
      return wrong(fmt::format("{} component{} given, the shader reads component {}", wanted->values[0].size(),
                               wanted->values[0].size() == 1 ? " is" : "s are", rank));
    if (wanted->values.size() == 3) {
      if (!plan.mesh.full_screen)
        return wrong("values at the target's corners are given, which only the full-screen geometry has");
      if (v.type != ComponentType::F32) return wrong(fmt::format("it is {}: one value is expected", type_word(v.type)));
      n.source = NamedInput::Source::Corners;
      n.corners.push_back(corner_values(*wanted, rank));
      if (v.interpolation.flat) n.corners[0] = {n.corners[0][0], n.corners[0][0], n.corners[0][0]};
    } else {
      n.source = NamedInput::Source::Flat;
      const ElementType type = v.type == ComponentType::F32   ? ElementType::F32
                               : v.type == ComponentType::I32 ? ElementType::I32
                                                              : ElementType::U32;
      std::string why;
      const auto bits = encode(wanted->values[0][rank], type, why);
      if (!bits) return wrong(why);
      put(n.bytes, *bits, 4);
    }
    plan.inputs.push_back(std::move(n));
    return;
  }
  if (wanted != nullptr) {
    if (const auto source = builtin(wanted->attribute)) {
      n.source = *source;
      if ((*source <= NamedInput::Source::PositionW) != (v.type == ComponentType::F32))
        return wrong(fmt::format("'{}' is not {}", wanted->attribute, type_word(v.type)));
      plan.inputs.push_back(std::move(n));
      return;
    }
  }
  if (vertices != nullptr) {
    const std::vector<StageVariable>& outputs = vertices->shader->outputs;
    const StageVariable* from = nullptr;
    if (wanted != nullptr) {
      const std::vector<const StageVariable*> named = ShaderInterface::named(outputs, wanted->attribute, "out.");
      if (named.empty())
        return error(place, "bind-unknown", fmt::format("the vertex shader has no output '{}'", wanted->attribute));
      if (rank >= named.size())
        return wrong(fmt::format("output '{}' has {} components", wanted->attribute, named.size()));
      from = named[rank];
    } else {
      const auto same = std::find_if(outputs.begin(), outputs.end(), [&](const StageVariable& o) {
        return o.location == v.location && o.component == v.component;
      });
      if (same == outputs.end())
        return error(place, "bind-missing",
                     fmt::format("input '{}' (location {}, component {}) is no output of the vertex shader", shown(v),
                                 v.location, v.component));
      from = &*same;
    }
    n.components = {static_cast<std::uint32_t>(bound_attributes.size())};
    bound_attributes.push_back({from->name, 1, v.interpolation.flat, v.interpolation.linear, {}});
    plan.from_vertices.push_back({from->offset, from->type});
    plan.inputs.push_back(std::move(n));
    return;
  }
  if (wanted != nullptr) {
    const std::vector<std::uint32_t> found = attribute(*wanted);
    if (found.empty()) return;
    if (rank >= found.size())
      return wrong(fmt::format("attribute '{}' has {} component{}, the shader reads component {}", wanted->attribute,
                               found.size(), found.size() == 1 ? "" : "s", rank));
    std::uint32_t first = 0;
    for (const MeshAttribute& a : plan.mesh.attributes) {
      if (found[rank] < first + a.components) return attribute_component(a, found[rank] - first);
      first += a.components;
    }
    return;
  }
  const MeshAttribute* same = plan.mesh.find(v.name);
  if (const std::size_t dot = v.name.rfind('.'); same == nullptr && dot != std::string::npos)
    same = plan.mesh.find(v.name.substr(dot + 1));
  if (same != nullptr && rank < same->components) return attribute_component(*same, rank);
  std::vector<std::string_view> names;
  for (const MeshAttribute& a : plan.mesh.attributes) names.push_back(a.name);
  if (rank != 0 && same == nullptr) return;  // said for the first component
  std::uint32_t components = 0;
  for (const StageVariable& o : binder.shader()->inputs)
    components += o.name.empty() ? (o.location == v.location ? 1 : 0) : (o.name == v.name ? 1 : 0);
  base::Diagnostic d = base::error(
      "bind-missing", fmt::format("input '{}' of kernel '{}' is not bound", shown(v), binder.kernel().name), place);
  d.note(fmt::format("expected: [pixels.inputs] {} = \"ATTRIBUTE\" or values ({}{}, location {}); the geometry has: {}",
                     v.name.empty() ? fmt::format("\"in.{}\"", v.location) : v.name, type_word(v.type),
                     components > 1 ? fmt::format(" x {}", components) : std::string(), v.location,
                     fmt::join(names, " ")));
  if (const std::string_view near = base::nearest(v.name, names); !near.empty())
    d.note(fmt::format("is attribute '{}' meant?", near));
  binder.diagnostics().add(std::move(d));
}

void PixelBinder::shader_value(DispatchWord word, std::uint32_t offset) {
  using Source = NamedInput::Source;
  NamedInput n;
  n.offset = offset;
  n.at_sample = plan.per_sample;
  switch (word) {
    case DispatchWord::PositionX:
      n.source = Source::PositionX;
      break;
    case DispatchWord::PositionY:
      n.source = Source::PositionY;
      break;
    case DispatchWord::PositionZ:
      n.source = Source::PositionZ;
      break;
    case DispatchWord::PositionW:
      n.source = Source::PositionW;
      break;
    case DispatchWord::Front:
      n.source = Source::Front;
      break;
    case DispatchWord::Primitive:
      n.source = Source::Primitive;
      break;
    case DispatchWord::Sample:
      n.source = Source::Sample;
      break;
    case DispatchWord::Coverage:
      n.source = Source::Coverage;
      break;
    case DispatchWord::SamplePositionX:
      n.source = Source::SampleX;
      break;
    case DispatchWord::SamplePositionY:
      n.source = Source::SampleY;
      break;
    case DispatchWord::View:
      binder.put_integer(offset, 0, 4);
      return;
    default:
      n.source = Source::Zero;
      break;
  }
  plan.inputs.push_back(std::move(n));
}

void PixelBinder::shader(const VertexPlan* vertices) {
  const ShaderInterface& shader = *binder.shader();
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
  for (const StageVariable& v : shader.inputs) shader_input(v, vertices);
  plan.mesh.attributes = std::move(bound_attributes);
  binder.fill_values([&](DispatchWord word, std::uint32_t offset) { shader_value(word, offset); });
  binder.bind_blocks();
  binder.bind_state_variables();
  const std::uint32_t fixed = plan.simd == 32 ? 96 : 64;
  binder.bind_inputs([&](const isa::Input& input, const isa::VariableInfo&) { return input.offset < fixed; });
  binder.bind_memory();
}

}  // namespace heddle::dispatch
