#include "pipeline/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kMaxPrivateThreads = 4096;  // what %sr0 can number
constexpr std::uint32_t kPieceThreads = 512;        // that a worker takes at once

}  // namespace

std::array<std::uint32_t, 3> Grid::group_id(std::uint64_t index) const {
  return {static_cast<std::uint32_t>(index % groups[0]), static_cast<std::uint32_t>(index / groups[0] % groups[1]),
          static_cast<std::uint32_t>(index / groups[0] / groups[1])};
}

std::array<std::uint32_t, 3> Grid::size_of(const std::array<std::uint32_t, 3>& group) const {
  std::array<std::uint32_t, 3> size{};
  for (std::size_t d = 0; d < 3; ++d)
    size[d] =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(local[d], global[d] - std::uint64_t{group[d]} * local[d]));
  return size;
}

unsigned ComputePlan::threads_of(const std::array<std::uint32_t, 3>& size) const {
  return static_cast<unsigned>((std::uint64_t{size[0]} * size[1] * size[2] + simd - 1) / simd);
}

std::uint32_t ComputePlan::own_bytes(const isa::Object& kernel, std::size_t payload_bytes) const {
  const auto whole = static_cast<std::uint32_t>(payload_bytes);
  if (!implicit_local_id.empty()) return whole;
  for (const isa::Input& input : kernel.inputs)
    if (input.offset < arguments && std::uint64_t{input.offset} + input.size > arguments) return whole;
  return arguments;
}

std::uint32_t ComputePlan::fill(std::vector<std::uint8_t>& payload, const std::array<std::uint32_t, 3>& group,
                                const std::array<std::uint32_t, 3>& size, unsigned thread) const {
  const auto put32 = [&](std::size_t at, std::uint32_t value) {
    if (at + 4 <= payload.size()) std::memcpy(payload.data() + at, &value, 4);
  };
  for (std::size_t d = 0; d < 3; ++d) put32(machine::kGroupPlaces[d], group[d]);
  // Bits 7:0 of r0.2: the thread's number in its group, from which dg2 and pvc know the sub-group.
  if (payload.size() > 8) payload[8] = static_cast<std::uint8_t>(thread);
  for (const std::uint32_t at : local_size)
    for (std::uint32_t d = 0; d < 3; ++d) put32(at + 4 * d, size[d]);
  // Local ids: uw, x then y then z, each in whole registers.
  const std::uint64_t items = std::uint64_t{size[0]} * size[1] * size[2];
  const std::uint32_t stride = std::max(grf_bytes, simd * 2);
  std::vector<std::uint8_t> ids(std::size_t{stride} * 3);
  std::uint32_t mask = 0;
  std::array<std::uint32_t, 3> first{};
  for (unsigned lane = 0; lane < simd; ++lane) {
    const std::uint64_t i = std::uint64_t{thread} * simd + lane;
    if (i >= items) break;
    mask |= 1u << lane;
    std::array<std::uint32_t, 3> id{};
    id[walk[0]] = static_cast<std::uint32_t>(i % size[walk[0]]);
    id[walk[1]] = static_cast<std::uint32_t>(i / size[walk[0]] % size[walk[1]]);
    id[walk[2]] = static_cast<std::uint32_t>(i / size[walk[0]] / size[walk[1]]);
    if (lane == 0) first = id;
    for (std::uint32_t d = 0; d < 3; ++d) {
      const auto value = static_cast<std::uint16_t>(id[d]);
      std::memcpy(ids.data() + std::size_t{stride} * d + 2 * lane, &value, 2);
    }
  }
  for (const Range& range : local_ids)
    for (std::uint32_t b = 0; b < range.bytes; ++b) {
      const std::size_t at = range.offset + b;
      if (at >= grf_bytes && at - grf_bytes < ids.size() && at < payload.size()) payload[at] = ids[at - grf_bytes];
    }
  for (const std::uint32_t at : implicit_local_id)
    for (std::uint32_t d = 0; d < 3; ++d) put32(at + 4 * d, first[d]);
  return all_lanes && mask != 0 ? 0xffffffffu : mask;
}

std::uint32_t state0_of(std::uint32_t t) {
  const std::uint32_t without3 = (t & 7u) | (t >> 3) << 4;
  return (without3 & 63u) | (without3 >> 6) << 7;
}

namespace {

/// Sizes that groups of a grid have: a dimension may end with a smaller one.
std::uint32_t group_sizes(const Grid& grid) {
  std::uint32_t count = 1;
  for (std::size_t d = 0; d < 3; ++d)
    if (grid.groups[d] > 1 && grid.global[d] % grid.local[d] != 0) count *= 2;
  return count;
}

/// One worker of the fast engine: what threads start with, for each size of group that it has met, and the group that
/// runs.
struct FastWorker {
  struct Size {
    std::array<std::uint32_t, 3> size{};
    engine::jit::GroupThreads threads;
  };
  std::vector<std::unique_ptr<Size>> sizes;
  std::unique_ptr<machine::Group> group;
  std::unique_ptr<engine::jit::Runner> runner;
  Counters counters;

  /// `first_id`: the hardware id of the worker's first thread.
  const engine::jit::GroupThreads& of(const std::array<std::uint32_t, 3>& size, const ComputePlan& plan,
                                      const std::vector<std::uint8_t>& payload, const engine::jit::Kernel& kernel,
                                      std::uint32_t first_id) {
    for (const auto& known : sizes)
      if (known->size == size) return known->threads;
    const unsigned count = plan.threads_of(size);
    sizes.push_back(std::make_unique<Size>(Size{size, engine::jit::GroupThreads(kernel, payload, count)}));
    engine::jit::GroupThreads& made = sizes.back()->threads;
    made.arguments = plan.arguments;
    made.scratch_bytes = static_cast<std::size_t>(plan.scratch_bytes);
    std::vector<std::uint8_t> filled;
    for (unsigned t = 0; t < count; ++t) {
      filled = payload;
      const std::uint32_t mask = plan.fill(filled, {}, size, t);
      const std::uint32_t hardware_id = first_id + t;
      made.set(t, filled, mask, state0_of(hardware_id), hardware_id);
    }
    if (count != 0) std::ranges::copy(filled, made.shared.begin());
    return made;
  }
};

/// Rows of groups that are alike, piece by piece.
bool run_fast(const ComputePlan& plan, const Grid& grid, const Bound& bound, unsigned workers, RunContext& context,
              Counters& counters) {
  std::vector<FastWorker> pool(workers);
  // A row in x has pieces, the last of which may be shorter, and its last group may be smaller.
  const std::uint32_t threads = std::max(1u, plan.threads_of(grid.local));
  const std::uint32_t piece = std::max(1u, std::min(std::max(1u, kPieceThreads / threads), grid.groups[0]));
  const std::uint64_t pieces = grid.groups[0] / piece + (grid.groups[0] % piece != 0 ? 1 : 0);
  const std::uint64_t rows = std::uint64_t{grid.groups[1]} * grid.groups[2];
  const unsigned before = context.workers;
  context.workers = workers;
  std::atomic<bool> good{true};
  for_each_item(context, pieces * rows, [&](unsigned index, std::uint64_t item) {
    FastWorker& w = pool[index];
    if (!w.runner) {
      w.runner = std::make_unique<engine::jit::Runner>(*context.fast, bound.bindings, context.reports, context.budget,
                                                       workers == 1);
      w.group = std::make_unique<machine::Group>(threads, static_cast<std::size_t>(plan.slm_bytes));
    }
    const auto x = static_cast<std::uint32_t>(item % pieces * piece);
    const std::uint32_t end = std::min(grid.groups[0], x + piece);
    std::array<std::uint32_t, 3> group{x, static_cast<std::uint32_t>(item / pieces % grid.groups[1]),
                                       static_cast<std::uint32_t>(item / pieces / grid.groups[1])};
    for (std::uint32_t next = x; group[0] < end; group[0] = next) {
      const std::array<std::uint32_t, 3> size = grid.size_of(group);
      next = end;
      if (end == grid.groups[0] && grid.size_of({end - 1, group[1], group[2]}) != size) next = end - 1;
      const engine::jit::GroupThreads& alike =
          w.of(size, plan, bound.payload, *context.fast, index * plan.threads_of(grid.local));
      const auto count = static_cast<std::uint32_t>(alike.masks.size());
      if (count == 0) continue;
      w.group->set_threads(count);
      w.counters.groups += next - group[0];
      w.counters.threads += std::uint64_t{next - group[0]} * count;
      const auto outcome = w.runner->run_groups(alike, *w.group, group, next - group[0]);
      if (outcome == engine::reference::Outcome::Finished && !context.reports.failed()) continue;
      good.store(false);
      return false;
    }
    return true;
  });
  context.workers = before;
  for (const FastWorker& w : pool) {
    counters.groups += w.counters.groups;
    counters.threads += w.counters.threads;
  }
  return good.load();
}

/// Memory of the budget for as long as this lives.
class Reserved {
 public:
  Reserved(engine::reference::Budget& budget, std::uint64_t bytes)
      : good(budget.take_memory(bytes)), budget_(budget), bytes_(bytes) {}
  ~Reserved() {
    if (good) budget_.give_back_memory(bytes_);
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  const bool good;

 private:
  engine::reference::Budget& budget_;
  std::uint64_t bytes_;
};

/// Bytes that the threads of one group need; nothing, reported, when the run may not have them.
std::optional<std::uint64_t> group_bytes(const ComputePlan& plan, const Grid& grid, const Bound& bound,
                                         RunContext& context) {
  const auto refuse = [&](std::string message) {
    context.reports.add(base::limit_error("limit-memory", std::move(message)));
    return std::nullopt;
  };
  const unsigned threads = plan.threads_of(grid.local);
  // The fast engine keeps a payload for each thread of each size of group.
  const std::uint64_t payloads = bound.payload.size() * (context.fast != nullptr ? group_sizes(grid) : 1);
  std::uint64_t bytes =
      std::uint64_t{threads} * (context.kernel.thread_bytes() * 2 + plan.scratch_bytes + payloads) + plan.slm_bytes + 1;
  if (plan.private_bytes != 0) {
    if (threads > kMaxPrivateThreads)
      return refuse(
          fmt::format("private memory has places for {} threads, a group needs {}", kMaxPrivateThreads, threads));
    const std::uint64_t lanes = std::uint64_t{plan.simd} * std::max(1u, threads);
    if (plan.private_bytes > context.memory_bytes / lanes)
      return refuse(fmt::format("private memory of a group needs {} lanes of {} bytes (--max-memory)", lanes,
                                plan.private_bytes));
    bytes += plan.private_bytes * lanes;
  }
  if (bytes > context.memory_bytes)
    return refuse(fmt::format("the {} threads of a group need {} bytes (--max-memory)", threads, bytes));
  return bytes;
}

/// Every worker keeps the threads of one group; the memory limit bounds their number.
unsigned worker_count(const ComputePlan& plan, const Grid& grid, std::uint64_t bytes, const RunContext& context) {
  const unsigned threads = plan.threads_of(grid.local);
  // What the fast engine's threads keep at a barrier is taken from the rest as it is needed; rarely more than twice
  // their registers, so that nobody hits the limit because there are several workers.
  const bool waits = context.fast != nullptr && context.fast->has_barrier();
  const std::uint64_t kept = waits ? threads * context.kernel.thread_bytes() * 2 : 0;
  const auto workers = static_cast<unsigned>(
      std::min<std::uint64_t>(context.workers, std::max<std::uint64_t>(1, context.memory_bytes / (bytes + kept))));
  return plan.private_bytes == 0 ? workers
                                 : std::min(workers, std::max(1u, kMaxPrivateThreads / std::max(1u, threads)));
}

/// Private memory for the threads of all workers, at an address that nothing else has.
void add_private_memory(const ComputePlan& plan, std::uint64_t threads, Bound& bound) {
  const std::uint64_t total = plan.private_bytes * plan.simd * threads;
  const auto memory = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(total));
  std::uint64_t base = 0x7000'0000'0000u;
  while (!bound.bindings.memory.add({base, total, memory->data(), memory, "private memory"})) base += 0x100'0000'0000u;
  std::memcpy(bound.payload.data() + plan.private_base, &base, 8);
}

/// One worker of the reference engine: the threads of the group that runs.
struct ReferenceWorker {
  std::vector<machine::Thread> threads;
  std::vector<std::vector<std::uint8_t>> payloads, scratch;
  std::unique_ptr<WorkerObserver> observer;
  Counters counters;

  /// `first_id`: the hardware id of the worker's first thread.
  bool run(const ComputePlan& plan, const Bound& bound, RunContext& context, const std::array<std::uint32_t, 3>& group,
           const std::array<std::uint32_t, 3>& size, std::uint32_t first_id) {
    if (!observer) observer = std::make_unique<WorkerObserver>(context);
    const unsigned count = plan.threads_of(size);
    if (count == 0) return true;
    machine::Group shared(count, static_cast<std::size_t>(plan.slm_bytes));
    while (payloads.size() < count) {
      threads.emplace_back(context.kernel.code(), bound.bindings, context.reports);
      payloads.emplace_back();
      scratch.emplace_back();
    }
    for (unsigned t = 0; t < count; ++t) {
      payloads[t] = bound.payload;
      scratch[t].assign(static_cast<std::size_t>(plan.scratch_bytes), 0);
      machine::ThreadStart start;
      start.dispatch_mask = plan.fill(payloads[t], group, size, t);
      start.payload = payloads[t];
      start.arguments = plan.arguments;
      start.thread = t;
      start.group_id = group;
      start.hardware_id = first_id + t;  // from it, too, compilers compute a thread's private memory
      start.state0 = state0_of(start.hardware_id);
      start.scratch = scratch[t];
      start.group = &shared;
      start.observer = observer.get();
      threads[t].start(start);
    }
    ++counters.groups;
    counters.threads += count;
    const auto outcome = engine::reference::run_group(std::span(threads).first(count), shared, context.budget);
    return outcome == engine::reference::Outcome::Finished && !context.reports.failed();
  }
};

bool run_reference(const ComputePlan& plan, const Grid& grid, const Bound& bound, unsigned workers, RunContext& context,
                   Counters& counters) {
  std::vector<ReferenceWorker> pool(workers);
  const unsigned before = std::exchange(context.workers, workers);
  std::atomic<bool> good{true};
  for_each_item(context, grid.group_count(), [&](unsigned index, std::uint64_t item) {
    const std::array<std::uint32_t, 3> group = grid.group_id(item);
    if (pool[index].run(plan, bound, context, group, grid.size_of(group), index * plan.threads_of(grid.local)))
      return true;
    good.store(false);
    return false;
  });
  context.workers = before;
  for (const ReferenceWorker& w : pool) {
    counters.groups += w.counters.groups;
    counters.threads += w.counters.threads;
    if (!w.observer) continue;
    counters.texels_read += w.observer->counters.texels_read;
    counters.texels_written += w.observer->counters.texels_written;
  }
  return good.load();
}

}  // namespace

engine::jit::KernelOptions compile_options(const ComputePlan& plan, const isa::Object& kernel, const Bound& bound) {
  engine::jit::KernelOptions options;
  options.simd = plan.simd;
  options.own_bytes = plan.own_bytes(kernel, bound.payload.size());
  return options;
}

bool run_compute(const ComputePlan& plan, const Grid& grid, const Bound& bound, RunContext& context,
                 Counters& counters) {
  const auto bytes = group_bytes(plan, grid, bound, context);
  if (!bytes) return false;
  const unsigned workers = worker_count(plan, grid, *bytes, context);
  const Reserved reserved(context.budget, workers * *bytes);
  if (!reserved.good) return false;
  const auto run = context.fast != nullptr ? run_fast : run_reference;
  if (plan.private_bytes == 0) return run(plan, grid, bound, workers, context, counters);
  Bound with_private = bound;
  add_private_memory(plan, std::uint64_t{plan.threads_of(grid.local)} * workers, with_private);
  return run(plan, grid, with_private, workers, context, counters);
}

}  // namespace heddle::pipeline
