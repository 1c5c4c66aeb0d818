// Rules: PIX-3.
#include "pipeline/vertices.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.hpp"

namespace heddle::pipeline {
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
    default:  // records have dwords
      return bits;
  }
}

std::uint64_t bits_of(double value, ComponentType type) {
  if (type == ComponentType::F32) return base::bits_of(static_cast<float>(value));
  if (type == ComponentType::F64) return base::bits_of(value);
  if (type == ComponentType::U64) return static_cast<std::uint64_t>(value);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

/// One of the computer's threads.
class Worker {
 public:
  Worker(const VertexPlan& plan, const Bound& bound, RunContext& context)
      : plan_(plan),
        bound_(bound),
        budget_(context.budget),
        reports_(context.reports),
        thread_(context.kernel.code(), bound.bindings, context.reports),
        group_(1),
        observer_(context),
        scratch_(static_cast<std::size_t>(plan.scratch_bytes)) {}

  /// Hardware thread `number`: a vertex in each lane.
  bool run(std::uint64_t number) {
    payload_ = bound_.payload;
    machine::ThreadStart start;
    start.dispatch_mask = fill(number * plan_.simd);
    start.payload = payload_;
    start.scratch = scratch_;
    start.group = &group_;
    start.observer = &observer_;
    start.group_id = {static_cast<std::uint32_t>(number), 0, 0};
    thread_.start(start);
    ++threads;
    const auto outcome = engine::reference::run_group(std::span(&thread_, 1), group_, budget_);
    return outcome == engine::reference::Outcome::Finished && !reports_.failed();
  }

  [[nodiscard]] const Counters& texels() const { return observer_.counters; }
  std::uint64_t threads = 0;

 private:
  /// The lanes from that slot on; their mask.
  std::uint32_t fill(std::uint64_t first) {
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < plan_.simd; ++lane) {
      const std::uint64_t slot = first + lane;
      if (slot >= plan_.slots()) break;
      mask |= 1u << lane;
      const auto vertex = static_cast<std::uint32_t>(slot % plan_.vertices),
                 instance = static_cast<std::uint32_t>(slot / plan_.vertices);
      for (const VertexPlan::Input& i : plan_.inputs) {
        const unsigned bytes = is_wide(i.type) ? 8 : 4;
        put(i.offset + lane * bytes, i.values.empty() ? i.constant : bits_of(i.values[vertex], i.type), bytes);
      }
      for (const VertexPlan::Value& v : plan_.values)
        put(v.offset + lane * 4, v.value == SystemValue::Vertex     ? vertex
                                 : v.value == SystemValue::Instance ? instance
                                 : v.value == SystemValue::Slot     ? static_cast<std::uint32_t>(slot)
                                                                    : 0);
    }
    return mask;
  }
  void put(std::size_t at, std::uint64_t bits, unsigned bytes = 4) {
    if (at + bytes <= payload_.size()) std::memcpy(payload_.data() + at, &bits, bytes);
  }

  const VertexPlan& plan_;
  const Bound& bound_;
  engine::reference::Budget& budget_;
  machine::Reports& reports_;
  machine::Thread thread_;
  machine::Group group_;
  WorkerObserver observer_;
  std::vector<std::uint8_t> payload_, scratch_;
};

}  // namespace

bool run_vertices(const VertexPlan& plan, const Bound& bound, RunContext& context, Counters& counters) {
  std::vector<std::unique_ptr<Worker>> pool(context.workers);
  std::atomic<bool> good{true};
  for_each_item(context, (plan.slots() + plan.simd - 1) / plan.simd, [&](unsigned index, std::uint64_t item) {
    if (!pool[index]) pool[index] = std::make_unique<Worker>(plan, bound, context);
    if (pool[index]->run(item)) return true;
    good.store(false);
    return false;
  });
  for (const auto& w : pool) {
    if (!w) continue;
    counters.threads += w->threads;
    counters.texels_read += w->texels().texels_read;
    counters.texels_written += w->texels().texels_written;
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

}  // namespace heddle::pipeline
