// Rules: PIX-3, PIX-4.
#include "dispatch/vertices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.hpp"

namespace heddle::dispatch {
namespace {

std::uint32_t dword(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  if (at + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 4);
  return value;
}

double number_of(std::uint32_t bits, ComponentType type) {
  switch (type) {
    case ComponentType::F32:
      return static_cast<double>(base::float_from_bits(bits));
    case ComponentType::I32:
      return static_cast<std::int32_t>(bits);
    case ComponentType::U32:
      return bits;
  }
  return 0;
}

std::uint32_t bits_of(double value, ComponentType type) {
  if (type == ComponentType::F32) return base::bits_of(static_cast<float>(value));
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

bool fits(double value, ComponentType type) {
  if (type == ComponentType::F32) return true;
  const double low = type == ComponentType::I32 ? -2147483648.0 : 0,
               high = type == ComponentType::I32 ? 2147483647.0 : 4294967295.0;
  return value >= low && value <= high && value == std::floor(value);
}

constexpr std::array<std::string_view, 3> kTypeNames{"f32", "i32", "u32"};

struct VertexBinder {
  Binder& binder;
  const PixelsJob& job;
  VertexPlan& plan;
  Mesh mesh;

  void error(const base::Place& place, std::string_view id, std::string message, std::string note = {}) const {
    base::Diagnostic d = base::error(std::string(id), std::move(message), place);
    if (!note.empty()) d.note(std::move(note));
    binder.diagnostics().add(std::move(d));
  }

  /// The mesh with its positions as an attribute in front, so that inputs find them by name or location.
  bool geometry() {
    if (job.vertices) {
      plan.vertices = *job.vertices;
      const std::uint32_t n = plan.vertices;
      const std::uint32_t count = job.topology == Topology::TriangleList ? n / 3 : n < 3 ? 0 : n - 2;
      for (std::uint32_t t = 0; t < count; ++t) {
        if (job.topology == Topology::TriangleList)
          plan.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
        else if (job.topology == Topology::TriangleFan)  // Vulkan: the provoking vertex is t + 1
          plan.triangles.push_back({t + 1, t + 2, 0});
        else
          plan.triangles.push_back(t % 2 == 0 ? std::array{t, t + 1, t + 2} : std::array{t, t + 2, t + 1});
      }
      return true;
    }
    if (job.geometry == "fullscreen") {
      mesh = full_screen_triangle();
    } else {
      auto loaded = load_mesh(job.geometry, binder.job().limits);
      if (!loaded.ok()) {
        for (const base::Diagnostic& d : loaded.diagnostics()) binder.diagnostics().add(d);
        return false;
      }
      mesh = std::move(*loaded);
    }
    plan.vertices = static_cast<std::uint32_t>(mesh.positions.size());
    plan.triangles = mesh.triangles;
    MeshAttribute position{"position", 4, false, false, {}};
    for (const std::array<double, 4>& p : mesh.positions)
      position.values.insert(position.values.end(), p.begin(), p.end());
    mesh.attributes.insert(mesh.attributes.begin(), std::move(position));
    return true;
  }

  const PixelInput* given(const StageVariable& v) const {
    for (const PixelInput& input : job.vertex_inputs)
      for (const StageVariable* named : ShaderInterface::named(plan.shader->inputs, input.key.text, "in."))
        if (named == &v) return &input;
    return nullptr;
  }

  std::string attribute_names() const {
    std::vector<std::string_view> names;
    for (const MeshAttribute& a : mesh.attributes) names.push_back(a.name);
    return names.empty() ? std::string("the vertices have numbers only")
                         : fmt::format("the geometry has: {}", fmt::join(names, " "));
  }

  void input(const StageVariable& v) {
    VertexPlan::Input result{binder.input_of(v.variable).offset, v.type, {}, 0};
    const std::uint32_t rank = ShaderInterface::rank(plan.shader->inputs, v);
    const PixelInput* wanted = given(v);
    const base::Place place = wanted != nullptr ? wanted->key.place : job.place;
    const MeshAttribute* attribute = nullptr;
    if (wanted != nullptr && wanted->attribute.empty()) {
      const std::vector<Scalar>& values = wanted->values[0];
      std::string why = fmt::format("it has component {}, which no value is given for", rank);
      const ElementType type = v.type == ComponentType::F32   ? ElementType::F32
                               : v.type == ComponentType::I32 ? ElementType::I32
                                                              : ElementType::U32;
      const auto bits = rank < values.size() ? encode(values[rank], type, why) : std::nullopt;
      if (!bits) return error(place, "bind-type", fmt::format("vertex input '{}': {}", wanted->key.text, why));
      result.constant = static_cast<std::uint32_t>(*bits);
      plan.inputs.push_back(std::move(result));
      return;
    }
    if (wanted != nullptr) {
      attribute = mesh.find(wanted->attribute);
      if (attribute == nullptr)
        return error(place, "bind-unknown", fmt::format("the geometry has no attribute '{}'", wanted->attribute),
                     attribute_names());
    } else {
      attribute = mesh.find(v.name);
      if (const std::size_t dot = v.name.rfind('.'); attribute == nullptr && dot != std::string::npos)
        attribute = mesh.find(v.name.substr(dot + 1));
      if (attribute == nullptr && v.location < mesh.attributes.size()) attribute = &mesh.attributes[v.location];
      if (attribute == nullptr)
        return error(place, "bind-missing",
                     fmt::format("input '{}' (location {}, {}) of the vertex shader is not bound", v.name, v.location,
                                 kTypeNames[static_cast<std::size_t>(v.type)]),
                     fmt::format("expected: [pixels.vertex_inputs] {} = \"ATTRIBUTE\" or a value; {}",
                                 v.name.empty() ? fmt::format("\"in.{}\"", v.location) : v.name, attribute_names()));
    }
    if (rank >= attribute->components) {  // Vulkan: missing components read 0, 0, 1
      result.constant = rank != 3 ? 0 : v.type == ComponentType::F32 ? base::bits_of(1.0f) : 1;
      plan.inputs.push_back(std::move(result));
      return;
    }
    for (std::uint32_t i = 0; i < plan.vertices; ++i) {
      const double value = attribute->values[std::size_t{i} * attribute->components + rank];
      if (!fits(value, v.type))
        return error(place, "bind-type",
                     fmt::format("attribute '{}' has the value {}, input '{}' is {}", attribute->name, value, v.name,
                                 kTypeNames[static_cast<std::size_t>(v.type)]));
      result.values.push_back(value);
    }
    plan.inputs.push_back(std::move(result));
  }

  void run() {
    const ShaderInterface& shader = *plan.shader;
    if (!geometry()) return;
    plan.instances = job.instances;
    for (const PixelInput& wanted : job.vertex_inputs) {
      if (!ShaderInterface::named(shader.inputs, wanted.key.text, "in.").empty()) continue;
      std::vector<std::string_view> names;
      for (const StageVariable& v : shader.inputs) names.push_back(v.name);
      const std::string_view near = base::nearest(wanted.key.text, names);
      error(wanted.key.place, "bind-unknown", fmt::format("the vertex shader has no input '{}'", wanted.key.text),
            near.empty() ? std::string() : fmt::format("did you mean '{}'?", near));
    }
    std::uint32_t end = 128;
    for (const isa::Input& i : binder.kernel().inputs) end = std::max(end, i.offset + i.size);
    binder.bound().payload.resize(end);
    for (const StageVariable& v : shader.inputs) input(v);
    binder.fill_values([&](DispatchWord word, std::uint32_t offset) { plan.values.push_back({word, offset}); });

    const SurfaceLine& records = *shader.of_kind(ResourceKind::VertexOutputs);
    plan.stride = records.stride;
    std::uint32_t found = 0;
    for (const StageVariable& v : shader.outputs)
      if (v.location == kClipDistanceLocation) {
        plan.clip.push_back(v.offset);
      } else if (v.location == kCullDistanceLocation) {
        plan.cull.push_back(v.offset);
      } else if (v.location == kPositionLocation) {
        plan.position[v.component & 3u] = v.offset;
        found |= 1u << (v.component & 3u);
      }
    if (found != 15) error(job.place, "bind-missing", "the vertex shader writes no position");
    const std::uint64_t bytes = plan.slots() * plan.stride;
    const std::uint64_t triangles = std::uint64_t{plan.triangles.size()} * plan.instances;
    if (plan.slots() > UINT32_MAX || bytes > binder.job().limits.memory_bytes ||
        triangles > binder.job().limits.memory_bytes / sizeof(plan.triangles[0])) {
      binder.diagnostics().add(base::limit_error(
          "limit-memory", fmt::format("{} vertices of {} instances are more than the run may keep (--max-memory)",
                                      plan.vertices, plan.instances)));
      return;
    }
    plan.records = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(bytes));
    binder.preset(records.variable, buffer_surface(plan.records, image::find_format("RAW")->format, "vertex outputs"));
    binder.bind_blocks();
    binder.bind_state_variables();
    binder.bind_inputs([](const isa::Input& i, const isa::VariableInfo&) { return i.offset < 32; });
    binder.bind_memory();
  }
};

}  // namespace

VertexPlan bind_vertices(Binder& binder, unsigned simd) {
  VertexPlan plan;
  plan.shader = binder.shader();
  plan.simd = simd;
  VertexBinder{binder, *binder.job().pixels, plan, {}}.run();
  return plan;
}

bool run_vertices(const VertexPlan& plan, const Bound& bound, RunContext& context, Counters& counters) {
  struct Worker {
    std::unique_ptr<machine::Thread> thread;
    std::unique_ptr<machine::Group> group;
    std::vector<std::uint8_t> payload, scratch;
    std::unique_ptr<WorkerObserver> observer;
    std::uint64_t threads = 0;
  };
  std::vector<Worker> pool(context.workers);
  std::atomic<bool> good{true};
  const std::uint64_t slots = plan.slots();
  for_each_item(context, (slots + plan.simd - 1) / plan.simd, [&](unsigned index, std::uint64_t item) {
    Worker& w = pool[index];
    if (!w.thread) {
      w.thread = std::make_unique<machine::Thread>(context.kernel.code(), context.bindings, context.reports);
      w.group = std::make_unique<machine::Group>(1);
      w.observer = std::make_unique<WorkerObserver>(context);
      w.scratch.resize(static_cast<std::size_t>(context.scratch_bytes));
    }
    w.payload = bound.payload;
    machine::ThreadStart start;
    start.dispatch_mask = 0;
    const auto put = [&](std::size_t at, std::uint32_t bits) {
      if (at + 4 <= w.payload.size()) std::memcpy(w.payload.data() + at, &bits, 4);
    };
    for (std::uint32_t lane = 0; lane < plan.simd; ++lane) {
      const std::uint64_t slot = item * plan.simd + lane;
      if (slot >= slots) break;
      start.dispatch_mask |= 1u << lane;
      const auto vertex = static_cast<std::uint32_t>(slot % plan.vertices),
                 instance = static_cast<std::uint32_t>(slot / plan.vertices);
      for (const VertexPlan::Input& i : plan.inputs)
        put(i.offset + lane * 4, i.values.empty() ? i.constant : bits_of(i.values[vertex], i.type));
      for (const VertexPlan::Value& v : plan.values)
        put(v.offset + lane * 4, v.word == DispatchWord::Vertex     ? vertex
                                 : v.word == DispatchWord::Instance ? instance
                                 : v.word == DispatchWord::Slot     ? static_cast<std::uint32_t>(slot)
                                                                    : 0);
    }
    start.payload = w.payload;
    start.scratch = w.scratch;
    start.group = w.group.get();
    start.observer = w.observer.get();
    start.group_id = {static_cast<std::uint32_t>(item), 0, 0};
    w.thread->start(start);
    ++w.threads;
    const auto outcome = engine::reference::run_group(std::span(w.thread.get(), 1), *w.group, context.budget);
    if (outcome == engine::reference::Outcome::Finished && !context.reports.failed()) return true;
    good.store(false);
    return false;
  });
  for (const Worker& w : pool) {
    counters.threads += w.threads;
    if (!w.observer) continue;
    counters.texels_read += w.observer->counters.texels_read;
    counters.texels_written += w.observer->counters.texels_written;
  }
  return good.load();
}

void take_records(const VertexPlan& vertices, PixelPlan& plan) {
  const std::vector<std::uint8_t>& records = *vertices.records;
  Mesh& mesh = plan.mesh;
  const auto slots = static_cast<std::size_t>(vertices.slots());
  mesh.positions.resize(slots);
  for (std::size_t slot = 0; slot < slots; ++slot)
    for (std::size_t c = 0; c < 4; ++c) {
      const double p = number_of(dword(records, slot * vertices.stride + vertices.position[c]), ComponentType::F32);
      mesh.positions[slot][c] = std::isfinite(p) ? p : 0;
    }
  for (std::size_t a = 0; a < mesh.attributes.size(); ++a) {
    mesh.attributes[a].values.resize(slots);
    const RecordComponent& from = plan.from_vertices[a];
    for (std::size_t slot = 0; slot < slots; ++slot)
      mesh.attributes[a].values[slot] = number_of(dword(records, slot * vertices.stride + from.offset), from.type);
  }
  const auto distances = [&](const std::vector<std::uint32_t>& offsets, std::vector<std::vector<double>>& out) {
    for (const std::uint32_t offset : offsets) {
      std::vector<double>& plane = out.emplace_back();
      for (std::size_t slot = 0; slot < slots; ++slot) {
        const double d = number_of(dword(records, slot * vertices.stride + offset), ComponentType::F32);
        plane.push_back(std::isnan(d) ? -1 : std::clamp(d, -1e30, 1e30));
      }
    }
  };
  distances(vertices.clip, mesh.clip_distances);
  distances(vertices.cull, mesh.cull_distances);
  mesh.primitives = static_cast<std::uint32_t>(vertices.triangles.size());
  for (std::uint32_t instance = 0; instance < vertices.instances; ++instance)
    for (const std::array<std::uint32_t, 3>& t : vertices.triangles) {
      const std::uint32_t first = instance * vertices.vertices;
      mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
}

}  // namespace heddle::dispatch
