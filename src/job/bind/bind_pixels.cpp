// SPDX-License-Identifier: MIT
// Rules: PIX-16, PIX-18, PIX-19.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "image/objects/output_object.hpp"
#include "job/bind/pixel_binder.hpp"
#include "job/bind/value.hpp"

namespace heddle::job {

using pipeline::kRegisterBytes;
using pipeline::LaneInput;
using pipeline::MeshAttribute;
using pipeline::PayloadWord;
using pipeline::PixelPlan;
using pipeline::SetupComponent;

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
        near.empty() ? fmt::format("expected: {}", binder.entry("images", key))
                     : fmt::format("did you mean '{}'?", near));
  return nullptr;
}

void PixelBinder::targets() {
  std::vector<std::shared_ptr<image::Surface>> surfaces;
  if (binder.shader() != nullptr)
    surfaces = shader_targets();
  else
    for (const std::string& key : job.targets) surfaces.push_back(image_named(key, "target"));
  if (!job.depth.empty()) output.depth = image_named(job.depth, "depth surface");
  if (!job.stencil.empty()) output.stencil = image_named(job.stencil, "stencil surface");
  const image::Surface* first = nullptr;
  for (const auto& s : surfaces)
    if (first == nullptr && s && s->type != image::SurfaceType::Null) first = s.get();
  if (first == nullptr && output.depth) first = output.depth.get();
  if (job.size) {
    raster.width = (*job.size)[0];
    raster.height = (*job.size)[1];
  } else if (first != nullptr) {
    raster.width = first->level_width(first->rt_level);
    raster.height = first->type == image::SurfaceType::Dim1 ? 1 : first->level_height(first->rt_level);
  } else if (!binder.diagnostics().has_errors()) {
    error(job.place, "bind-missing", "[pixels] has neither 'size' nor a target that gives it");
  }
  if (raster.width > 65536 || raster.height > 65536)
    error(job.place, "job-value",
          fmt::format("a target of {} x {} pixels is beyond 65536", raster.width, raster.height));
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
  raster.samples = plan.positions = pipeline::sample_positions(plan.samples);
  output.samples = plan.samples;
  output.coarse_size = job.coarse_size;
  set_raster();
  if (job.scissor) raster.scissors[0] = *job.scissor;
  raster.cull = job.cull;
  raster.front_ccw = job.front_ccw;
  if (plan.simd == 32 && plan.per_sample && plan.samples > 4)
    error(job.place, "job-value",
          "SIMD32 cannot shade 8 or 16 samples one by one: its halves share the header's sample pair index");
  if (plan.simd != 8 && plan.simd != 16 && plan.simd != 32)
    error(job.place, "job-value", fmt::format("pixels are not shaded {} at a time: 8, 16 or 32", plan.simd));
}

void PixelBinder::set_raster() {
  const std::uint32_t width = raster.width, height = raster.height;
  if (job.raster) {
    raster = *job.raster;
    raster.width = width;
    raster.height = height;
    raster.samples = plan.positions;
  }
  if (job.viewport || !job.raster || raster.viewport_count == 0)
    raster.viewports[0] = job.viewport.value_or(
        std::array<double, 6>{0, 0, static_cast<double>(width), static_cast<double>(height), 0, 1});
  raster.viewport_count = std::max(1u, raster.viewport_count);
}

void PixelBinder::geometry() {
  mesh = full_screen();
  if (job.geometry == "fullscreen") return;
  auto loaded = load_mesh(job.geometry, binder.job().limits);
  if (loaded.ok()) {
    mesh = std::move(*loaded);
    return;
  }
  unknown_mesh = true;
  for (const base::Diagnostic& d : loaded.diagnostics()) binder.diagnostics().add(d);
}

void PixelBinder::state() {
  if (job.output) output.output = *job.output;
  if (!job.state) return;
  const base::NodeContext context{binder.job().file, "job", &binder.diagnostics()};
  base::TableReader reader(*job.state, context, "'state' of [pixels]");
  output.output = image::read_output_state(reader);
  reader.finish();
}

std::optional<LaneInput::Source> PixelBinder::builtin(const std::string& name) const {
  using Source = LaneInput::Source;
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
  for (const MeshAttribute& a : mesh.mesh.attributes) {
    const std::string& name = mesh.name_of(a);
    names.push_back(name);
    std::vector<std::uint32_t> all;
    for (std::uint32_t c = 0; c < a.components; ++c) all.push_back(index + c);
    if (input.attribute == name) return all;
    if (dot != std::string::npos && input.attribute.substr(0, dot) == name && input.attribute.size() == dot + 2) {
      const char letter = input.attribute[dot + 1];
      for (const std::string_view letters : {"xyzw", "rgba", "0123"})
        if (const std::size_t c = letters.find(letter); c != std::string_view::npos && c < a.components)
          return {index + static_cast<std::uint32_t>(c)};
      error(input.key.place, "bind-unknown",
            fmt::format("attribute '{}' has {} component{}; there is no '{}'", name, a.components,
                        a.components == 1 ? "" : "s", input.attribute));
      return {};
    }
    index += a.components;
  }
  if (unknown_mesh) return {};
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

/// Where the lanes' values come from; false after a report.
bool PixelBinder::set_source(const PixelInput& input, isa::Type type, LaneInput& lanes) const {
  const base::Place& place = input.key.place;
  if (!input.attribute.empty()) {
    if (const auto source = builtin(input.attribute)) {
      lanes.source = *source;
      return true;
    }
    lanes.components = attribute(input);
    lanes.count = static_cast<std::uint32_t>(lanes.components.size());
    return lanes.count != 0;
  }
  lanes.count = static_cast<std::uint32_t>(input.values[0].size());
  if (input.values.size() == 3) {
    if (!mesh.mesh.full_screen) {
      error(
          place, "job-value",
          fmt::format("pixel input '{}' gives values at the target's corners, which only the full-screen geometry has",
                      input.key.text));
      return false;
    }
    lanes.source = LaneInput::Source::Corners;
    for (std::size_t c = 0; c < lanes.count; ++c) lanes.corners.push_back(corner_values(input, c));
    return true;
  }
  lanes.source = LaneInput::Source::Flat;
  const ValueShape shape = shape_of(type, lanes.element_bytes);
  for (const Scalar& scalar : input.values[0]) {
    std::string why = "its type takes no numbers";
    const auto bits = shape.type ? encode(scalar, *shape.type, why) : std::nullopt;
    if (!bits) {
      error(place, "bind-type", fmt::format("pixel input '{}': {}", input.key.text, why));
      return false;
    }
    put(lanes.bytes, *bits, lanes.element_bytes);
  }
  return true;
}

void PixelBinder::named_input(const PixelInput& input) {
  const isa::Object& kernel = binder.kernel();
  const auto found = std::ranges::find_if(kernel.inputs, [&](const isa::Input& i) {
    return i.kind() == isa::InputKind::General &&
           (Binder::variable_name(kernel, i.id) == input.key.text || fmt::format("V{}", i.id) == input.key.text);
  });
  if (found == kernel.inputs.end()) {
    std::vector<std::string> names;
    for (const isa::Input& i : kernel.inputs)
      if (i.kind() == isa::InputKind::General) names.push_back(Binder::variable_name(kernel, i.id));
    const std::string_view near = base::nearest(input.key.text, {names.begin(), names.end()});
    return error(input.key.place, "bind-unknown",
                 fmt::format("kernel '{}' has no general .input '{}'", kernel.name, input.key.text),
                 !near.empty()   ? fmt::format("did you mean '{}'?", near)
                 : names.empty() ? std::string()
                                 : fmt::format("it has: {}", fmt::join(names, " ")));
  }
  const auto info = isa::variable_info(kernel, found->id, binder.grf_bytes());
  if (!info) return;
  LaneInput n;
  n.offset = found->offset;
  n.element_bytes = isa::type_bytes(info->type);
  n.half = info->type == isa::Type::HF;
  if (!set_source(input, info->type, n)) return;
  if (n.source != LaneInput::Source::Flat && !n.half && n.element_bytes != 4)
    return error(input.key.place, "bind-type",
                 fmt::format("pixel input '{}' has type {}; lanes are {}", input.key.text, isa::type_name(info->type),
                             n.source <= LaneInput::Source::PositionW ? "f or hf" : "ud"));
  const std::uint32_t needed = n.count * plan.simd * n.element_bytes;
  if (found->size < needed)
    return error(input.key.place, "bind-type",
                 fmt::format("pixel input '{}' needs {} bytes for {} lane{} of {} component{}, its variable has {}",
                             input.key.text, needed, plan.simd, plan.simd == 1 ? "" : "s", n.count,
                             n.count == 1 ? "" : "s", found->size));
  binder.mark_filled(static_cast<std::size_t>(found - kernel.inputs.begin()));
  plan.inputs.push_back(std::move(n));
}

/// The attribute setup of one input, component by component.
void PixelBinder::setup_component(const PixelInput& input) {
  if (!input.attribute.empty()) {
    if (builtin(input.attribute))
      return error(input.key.place, "job-value",
                   fmt::format("'{}' has no attribute setup; the payload has words for it", input.attribute));
    for (const std::uint32_t c : attribute(input)) {
      SetupComponent s;
      s.component = c;
      std::uint32_t first = 0;
      for (const MeshAttribute& a : mesh.mesh.attributes) {
        if (c >= first && c < first + a.components) s.flat = a.flat;
        first += a.components;
      }
      plan.setup.push_back(s);
    }
    return;
  }
  if (input.values.size() == 3 && !mesh.mesh.full_screen)
    error(input.key.place, "job-value",
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

void PixelBinder::hardware_layout() {
  plan.hardware_layout = true;
  plan.payload_end = plan.first_word();
  for (std::uint32_t i = 0; i < pipeline::kPayloadWords; ++i) {
    if (std::ranges::find(*job.payload, payload_words()[i]) == job.payload->end()) continue;
    plan.payload_bits |= 1u << i;
    plan.payload_end += kRegisterBytes * pipeline::registers_of(static_cast<PayloadWord>(i), plan.simd);
  }
  for (const PixelInput& input : job.inputs) setup_component(input);
}

/// Push constants stand at their own .input offsets after the payload words; the attribute setup follows them in the
/// next register.
void PixelBinder::place_setup() {
  const isa::Object& kernel = binder.kernel();
  std::uint32_t push_end = plan.payload_end;
  for (const isa::Input& input : kernel.inputs) {
    if (!plan.hardware_layout || input.kind() != isa::InputKind::General || input.offset < plan.payload_end) continue;
    const std::string name = Binder::variable_name(kernel, input.id), number = fmt::format("V{}", input.id);
    if (std::ranges::any_of(binder.job().args,
                            [&](const Argument& a) { return a.key.text == name || a.key.text == number; }))
      push_end = std::max(push_end, input.offset + input.size);
  }
  plan.setup_offset = (push_end + kRegisterBytes - 1) / kRegisterBytes * kRegisterBytes;
  const std::size_t end = plan.setup_offset + plan.setup.size() * 16;
  if (plan.hardware_layout && binder.bound().payload.size() < end) binder.bound().payload.resize(end);
}

void PixelBinder::kernel() {
  std::uint32_t end = kRegisterBytes * 3;
  for (const isa::Input& input : binder.kernel().inputs) end = std::max(end, input.offset + input.size);
  binder.bound().payload.resize(end);
  binder.bind_state_variables();
  // A target that no variable is named after: its place in the list is its index.
  for (std::uint32_t i = 0; i < job.targets.size(); ++i) {
    const auto& table = binder.bound().bindings.surfaces;
    const Image* image = binder.resources().image(job.targets[i]);
    if (image == nullptr || std::ranges::find(table, image->surface, &machine::SurfaceResource::object) != table.end())
      continue;
    if (i >= table.size() || !table[i]) binder.bind_surface(i, image->surface);
  }
  if (job.payload)
    hardware_layout();
  else
    for (const PixelInput& input : job.inputs) named_input(input);
  place_setup();

  const std::uint32_t fixed = plan.first_word();
  const auto setup_bytes = static_cast<std::uint32_t>(plan.setup.size()) * 16;
  const std::uint32_t setup_end =
      plan.setup_offset + (setup_bytes + kRegisterBytes - 1) / kRegisterBytes * kRegisterBytes;
  binder.bind_inputs([&](const isa::Input& input, const isa::VariableInfo&) {
    if (input.offset < fixed || (plan.hardware_layout && input.offset < plan.payload_end)) return true;
    return plan.hardware_layout && input.offset >= plan.setup_offset && input.offset + input.size <= setup_end;
  });
  binder.bind_memory();
}

BoundPixels bind_pixels(Binder& binder, unsigned simd, const ShaderInterface* before) {
  BoundPixels result;
  PixelPlan& plan = result.plan;
  const PixelsJob& job = *binder.job().pixels;
  plan.simd = binder.shader() != nullptr ? simd : job.simd.value_or(simd);
  plan.scratch_bytes = pipeline::scratch_of(binder.kernel());
  auto output = std::make_shared<machine::PixelState>();
  PixelBinder pixels{binder, job, plan, result.draw.raster, *output};
  pixels.targets();
  if (before == nullptr) pixels.geometry();
  pixels.state();
  if (binder.shader() != nullptr)
    pixels.shader(before);
  else
    pixels.kernel();
  result.draw.mesh = std::move(pixels.mesh.mesh);
  result.draw.state = std::move(output);
  return result;
}

}  // namespace heddle::job
