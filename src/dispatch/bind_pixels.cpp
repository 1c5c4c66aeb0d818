// Rules: PIX-16, PIX-18, PIX-19.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dispatch/pixel_binder.hpp"
#include "image/output_object.hpp"

namespace heddle::dispatch {
namespace {

constexpr std::uint32_t kRegister = 32;

}  // namespace

void PixelBinder::error(const base::Place& place, std::string_view id, std::string message, std::string note) const {
  base::Diagnostic d = base::error(std::string(id), std::move(message), place);
  if (!note.empty()) d.note(std::move(note));
  binder.diagnostics().add(std::move(d));
}

std::shared_ptr<image::Surface> PixelBinder::image_named(const std::string& key, std::string_view what) const {
  if (const Image* i = binder.image({key})) return i->surface;
  std::vector<std::string_view> names;
  for (const Image& i : binder.resources().images) names.push_back(i.binding->key.text);
  const std::string_view near = base::nearest(key, names);
  error(job.place, "bind-missing", fmt::format("{} '{}' of [pixels] is no image of the job", what, key),
        near.empty() ? fmt::format("expected: [images.{}]", key) : fmt::format("did you mean '{}'?", near));
  return nullptr;
}

void PixelBinder::targets() {
  std::vector<std::shared_ptr<image::Surface>> surfaces;
  if (binder.shader() != nullptr)
    surfaces = shader_targets();
  else
    for (const std::string& key : job.targets) surfaces.push_back(image_named(key, "target"));
  if (!job.depth.empty()) plan.state.depth = image_named(job.depth, "depth surface");
  if (!job.stencil.empty()) plan.state.stencil = image_named(job.stencil, "stencil surface");
  const image::Surface* first = nullptr;
  for (const auto& s : surfaces)
    if (first == nullptr && s && s->type != image::SurfaceType::Null) first = s.get();
  if (first == nullptr && plan.state.depth) first = plan.state.depth.get();
  if (job.size) {
    plan.raster.width = (*job.size)[0];
    plan.raster.height = (*job.size)[1];
  } else if (first != nullptr) {
    plan.raster.width = first->level_width(first->rt_level);
    plan.raster.height = first->type == image::SurfaceType::Dim1 ? 1 : first->level_height(first->rt_level);
  } else if (!binder.diagnostics().has_errors()) {
    error(job.place, "bind-missing", "[pixels] has neither 'size' nor a target that gives it");
  }
  if (plan.raster.width > 65536 || plan.raster.height > 65536)
    error(job.place, "job-value",
          fmt::format("a target of {} x {} pixels is beyond 65536", plan.raster.width, plan.raster.height));
  plan.samples = job.samples.value_or(first != nullptr ? first->samples : 1);
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    if (surfaces[i] && surfaces[i]->type != image::SurfaceType::Null && surfaces[i]->samples != plan.samples)
      error(job.place, "job-value",
            fmt::format("target '{}' has {} samples, the pixels {}", surfaces[i]->name, surfaces[i]->samples,
                        plan.samples));
  plan.per_sample = (job.per_sample || asks_for_samples()) && plan.samples > 1;
  if (job.per_sample && binder.shader() != nullptr && !asks_for_samples())
    error(
        job.place, "job-value",
        "'per_sample' does not fit the shader: it reads neither its sample's number nor an input of qualifier sample");
  plan.raster.samples = sample_positions(plan.samples);
  plan.state.samples = plan.samples;
  plan.state.coarse_size = job.coarse_size;
  plan.raster.viewport = job.viewport.value_or(std::array<double, 6>{0, 0, static_cast<double>(plan.raster.width),
                                                                     static_cast<double>(plan.raster.height), 0, 1});
  if (job.scissor) plan.raster.scissor = *job.scissor;
  plan.raster.cull = job.cull;
  plan.raster.front_ccw = job.front_ccw;
  if (plan.simd == 32 && plan.per_sample && plan.samples > 4)
    error(job.place, "job-value",
          "SIMD32 cannot shade 8 or 16 samples one by one: its halves share the header's sample pair index");
  if (plan.simd != 8 && plan.simd != 16 && plan.simd != 32)
    error(job.place, "job-value", fmt::format("pixels are not shaded {} at a time: 8, 16 or 32", plan.simd));
}

void PixelBinder::geometry() {
  if (job.geometry == "fullscreen") {
    plan.mesh = full_screen_triangle();
    return;
  }
  auto mesh = load_mesh(job.geometry, binder.job().limits);
  if (mesh.ok())
    plan.mesh = std::move(*mesh);
  else
    for (const base::Diagnostic& d : mesh.diagnostics()) binder.diagnostics().add(d);
}

void PixelBinder::state() {
  if (!job.state) return;
  const base::NodeContext context{binder.job().file, "job", &binder.diagnostics()};
  base::TableReader reader(*job.state, context, "'state' of [pixels]");
  plan.state.output = image::read_output_state(reader);
  reader.finish();
}

std::optional<NamedInput::Source> PixelBinder::builtin(const std::string& name) const {
  using Source = NamedInput::Source;
  constexpr std::array<std::pair<std::string_view, Source>, 8> kNames{{{"position.x", Source::PositionX},
                                                                       {"position.y", Source::PositionY},
                                                                       {"position.z", Source::PositionZ},
                                                                       {"position.w", Source::PositionW},
                                                                       {"front", Source::Front},
                                                                       {"primitive", Source::Primitive},
                                                                       {"sample", Source::Sample},
                                                                       {"coverage", Source::Coverage}}};
  for (const auto& [word, source] : kNames)
    if (word == name) return source;
  return std::nullopt;
}

std::vector<std::uint32_t> PixelBinder::attribute(const PixelInput& input) const {
  const std::size_t dot = input.attribute.rfind('.');
  std::vector<std::string_view> names;
  std::uint32_t index = 0;
  for (const MeshAttribute& a : plan.mesh.attributes) {
    names.push_back(a.name);
    std::vector<std::uint32_t> all;
    for (std::uint32_t c = 0; c < a.components; ++c) all.push_back(index + c);
    if (input.attribute == a.name) return all;
    if (dot != std::string::npos && input.attribute.substr(0, dot) == a.name && input.attribute.size() == dot + 2) {
      const char letter = input.attribute[dot + 1];
      for (const std::string_view letters : {"xyzw", "rgba", "0123"})
        if (const std::size_t c = letters.find(letter); c != std::string_view::npos && c < a.components)
          return {index + static_cast<std::uint32_t>(c)};
      error(input.key.place, "bind-unknown",
            fmt::format("attribute '{}' has {} component{}; there is no '{}'", a.name, a.components,
                        a.components == 1 ? "" : "s", input.attribute));
      return {};
    }
    index += a.components;
  }
  const std::string base_name = input.attribute.substr(0, dot);
  for (const char* word : {"position", "front", "primitive", "sample", "coverage"}) names.push_back(word);
  const std::string_view near = base::nearest(base_name, names);
  error(input.key.place, "bind-unknown", fmt::format("the geometry has no attribute '{}'", input.attribute),
        near.empty() ? fmt::format("it has: {}", fmt::join(names, " ")) : fmt::format("did you mean '{}'?", near));
  return {};
}

/// Values at the full-screen triangle's vertices (0,0), (2w,0), (0,2h) that give the wanted ones at the target's
/// corners.
std::array<double, 3> PixelBinder::corner_values(const PixelInput& input, std::size_t c) const {
  const double a = input.values[0][c].as_real(), b = input.values[1][c].as_real(), d = input.values[2][c].as_real();
  return {a, a + 2 * (b - a), a + 2 * (d - a)};
}

void PixelBinder::named_inputs() {
  const isa::Object& kernel = binder.kernel();
  std::vector<std::string_view> names;
  std::vector<std::string> owned;
  for (const isa::Input& i : kernel.inputs)
    if (i.kind() == isa::InputKind::General) owned.push_back(Binder::variable_name(kernel, i.id));
  for (const std::string& name : owned) names.push_back(name);
  for (const PixelInput& input : job.inputs) {
    const auto found = std::find_if(kernel.inputs.begin(), kernel.inputs.end(), [&](const isa::Input& i) {
      return i.kind() == isa::InputKind::General &&
             (Binder::variable_name(kernel, i.id) == input.key.text || fmt::format("V{}", i.id) == input.key.text);
    });
    if (found == kernel.inputs.end()) {
      const std::string_view near = base::nearest(input.key.text, names);
      error(input.key.place, "bind-unknown",
            fmt::format("kernel '{}' has no general .input '{}'", kernel.name, input.key.text),
            !near.empty()   ? fmt::format("did you mean '{}'?", near)
            : names.empty() ? ""
                            : fmt::format("it has: {}", fmt::join(names, " ")));
      continue;
    }
    const auto info = isa::variable_info(kernel, found->id, binder.grf_bytes());
    if (!info) continue;
    NamedInput n;
    n.offset = found->offset;
    n.element_bytes = isa::type_bytes(info->type);
    n.half = info->type == isa::Type::HF;
    std::uint32_t components = 1;
    bool lanes_of_floats = true;
    if (!input.attribute.empty()) {
      if (const auto source = builtin(input.attribute)) {
        n.source = *source;
        lanes_of_floats = *source <= NamedInput::Source::PositionW;
      } else {
        n.components = attribute(input);
        if (n.components.empty()) continue;
        components = static_cast<std::uint32_t>(n.components.size());
      }
    } else if (input.values.size() == 3) {
      if (!plan.mesh.full_screen) {
        error(input.key.place, "job-value",
              fmt::format(
                  "pixel input '{}' gives values at the target's corners, which only the full-screen geometry has",
                  input.key.text));
        continue;
      }
      n.source = NamedInput::Source::Corners;
      components = static_cast<std::uint32_t>(input.values[0].size());
      for (std::size_t c = 0; c < components; ++c) n.corners.push_back(corner_values(input, c));
    } else {
      n.source = NamedInput::Source::Flat;
      components = static_cast<std::uint32_t>(input.values[0].size());
      const ValueShape shape = shape_of(info->type, n.element_bytes);
      for (const Scalar& scalar : input.values[0]) {
        std::string why = "its type takes no numbers";
        const auto bits = shape.type ? encode(scalar, *shape.type, why) : std::nullopt;
        if (!bits) {
          error(input.key.place, "bind-type", fmt::format("pixel input '{}': {}", input.key.text, why));
          break;
        }
        put(n.bytes, *bits, n.element_bytes);
      }
      if (n.bytes.size() != std::size_t{components} * n.element_bytes) continue;
    }
    n.count = components;
    if (n.source != NamedInput::Source::Flat && !n.half && n.element_bytes != 4) {
      error(input.key.place, "bind-type",
            fmt::format("pixel input '{}' has type {}; lanes are {}", input.key.text, isa::type_name(info->type),
                        lanes_of_floats ? "f or hf" : "ud"));
      continue;
    }
    const std::uint32_t needed = components * plan.simd * n.element_bytes;
    if (found->size < needed) {
      error(input.key.place, "bind-type",
            fmt::format("pixel input '{}' needs {} bytes for {} lane{} of {} component{}, its variable has {}",
                        input.key.text, needed, plan.simd, plan.simd == 1 ? "" : "s", components,
                        components == 1 ? "" : "s", found->size));
      continue;
    }
    binder.bound().filled.insert(static_cast<std::uint32_t>(found - kernel.inputs.begin()));
    plan.inputs.push_back(std::move(n));
  }
}

void PixelBinder::hardware_layout() {
  plan.hardware_layout = true;
  const std::vector<std::string_view>& words = payload_words();
  std::uint32_t at = kRegister * (plan.simd == 32 ? 3 : 2);
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    if (std::find(job.payload->begin(), job.payload->end(), words[i]) == job.payload->end()) continue;
    plan.payload_bits |= 1u << i;
    at += kRegister * (i < 6 ? plan.simd / 4 : i == 8 ? 1 : plan.simd / 8);
  }
  plan.payload_end = at;
  for (const PixelInput& input : job.inputs) {
    if (!input.attribute.empty()) {
      if (builtin(input.attribute)) {
        error(input.key.place, "job-value",
              fmt::format("'{}' has no attribute setup; the payload has words for it", input.attribute));
        continue;
      }
      for (const std::uint32_t c : attribute(input)) {
        SetupComponent s;
        s.component = c;
        std::uint32_t first = 0;
        for (const MeshAttribute& a : plan.mesh.attributes) {
          if (c >= first && c < first + a.components) s.flat = a.flat;
          first += a.components;
        }
        plan.setup.push_back(s);
      }
      continue;
    }
    if (input.values.size() == 3 && !plan.mesh.full_screen)
      error(
          input.key.place, "job-value",
          fmt::format("pixel input '{}' gives values at the target's corners, which only the full-screen geometry has",
                      input.key.text));
    for (std::size_t c = 0; c < input.values[0].size(); ++c) {
      SetupComponent s;
      s.constant = true;
      s.flat = input.values.size() == 1;
      if (s.flat)
        s.values.fill(input.values[0][c].as_real());
      else
        s.values = corner_values(input, c);
      plan.setup.push_back(s);
    }
  }
}

PixelPlan bind_pixels(Binder& binder, unsigned simd, const VertexPlan* vertices) {
  PixelPlan plan;
  const PixelsJob& job = *binder.job().pixels;
  plan.simd = binder.shader() != nullptr ? simd : job.simd.value_or(simd);
  PixelBinder pixels{binder, job, plan};
  pixels.targets();
  if (vertices == nullptr) pixels.geometry();
  pixels.state();
  const isa::Object& kernel = binder.kernel();
  if (binder.shader() != nullptr) {
    pixels.shader(vertices);
    return plan;
  }
  std::uint32_t end = kRegister * 3;
  for (const isa::Input& input : kernel.inputs) end = std::max(end, input.offset + input.size);
  binder.bound().payload.resize(end);
  binder.bind_state_variables();
  for (std::uint32_t i = 0; i < job.targets.size();
       ++i) {  // a target that no variable is named after: its place in the list is its index
    const auto& table = binder.bound().bindings.surfaces;
    const Image* image = binder.resources().image(job.targets[i]);
    if (image == nullptr || std::find(table.begin(), table.end(), image->surface) != table.end()) continue;
    if (i >= table.size() || !table[i]) binder.bind_surface(i, image->surface);
  }
  if (job.payload)
    pixels.hardware_layout();
  else
    pixels.named_inputs();

  const std::uint32_t fixed = kRegister * (plan.simd == 32 ? 3 : 2);
  const std::uint32_t setup_bytes = static_cast<std::uint32_t>(plan.setup.size()) * 16;
  // Push constants stand at their own .input offsets after the payload words; the attribute setup follows them in the
  // next register.
  std::uint32_t push_end = plan.payload_end;
  for (const isa::Input& input : kernel.inputs) {
    if (!plan.hardware_layout || input.kind() != isa::InputKind::General || input.offset < plan.payload_end) continue;
    const std::string name = Binder::variable_name(kernel, input.id), number = fmt::format("V{}", input.id);
    const std::vector<Argument>& args = binder.job().args;
    if (std::any_of(args.begin(), args.end(),
                    [&](const Argument& a) { return a.key.text == name || a.key.text == number; }))
      push_end = std::max(push_end, input.offset + input.size);
  }
  plan.setup_offset = (push_end + kRegister - 1) / kRegister * kRegister;
  if (plan.hardware_layout && binder.bound().payload.size() < plan.setup_offset + setup_bytes)
    binder.bound().payload.resize(plan.setup_offset + setup_bytes);
  binder.bind_inputs([&](const isa::Input& input, const isa::VariableInfo&) {
    if (input.offset < fixed || (plan.hardware_layout && input.offset < plan.payload_end)) return true;
    return plan.hardware_layout && input.offset >= plan.setup_offset &&
           input.offset + input.size <= plan.setup_offset + (setup_bytes + kRegister - 1) / kRegister * kRegister;
  });
  binder.bind_memory();
  return plan;
}

}  // namespace heddle::dispatch
