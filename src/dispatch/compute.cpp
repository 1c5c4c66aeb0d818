#include "dispatch/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::dispatch {
namespace {

constexpr std::uint64_t kMaxGroupItems = 65536;
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

base::Result<Grid> make_grid(const Job& job, unsigned simd, const ZeKernel* abi, const ShaderInterface* shader) {
  const base::Place place = job.file.empty() ? base::Place{} : base::Place::in_file(job.file);
  Grid grid;
  const std::vector<std::uint32_t>& sizes = job.global.empty() ? job.groups : job.global;
  if (sizes.empty())
    return base::error("job-missing", "the job says no size", place)
        .note("a compute kernel needs 'global = [...]' or 'groups = [...]'; a pixel shader needs [pixels]");
  grid.dimensions = static_cast<std::uint32_t>(sizes.size());
  const bool required = shader != nullptr || (abi != nullptr && abi->required_group[0] != 0);
  const std::array<std::uint32_t, 3> own = shader != nullptr ? shader->local
                                           : required        ? abi->required_group
                                                             : std::array<std::uint32_t, 3>{};
  if (!job.local.empty()) {
    for (std::size_t d = 0; d < job.local.size(); ++d) grid.local[d] = job.local[d];
    if (required && grid.local != own)
      return base::error("job-value",
                         fmt::format("'local' is {} x {} x {}, the kernel requires {} x {} x {}", grid.local[0],
                                     grid.local[1], grid.local[2], own[0], own[1], own[2]),
                         place);
  } else if (required) {
    grid.local = own;
  } else {
    grid.local = {simd, 1, 1};
  }
  if (std::uint64_t{grid.local[0]} * grid.local[1] * grid.local[2] > kMaxGroupItems)
    return base::error("job-value",
                       fmt::format("a group of {} x {} x {} has more than {} items", grid.local[0], grid.local[1],
                                   grid.local[2], kMaxGroupItems),
                       place);
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint32_t size = d < sizes.size() ? sizes[d] : 1;
    if (job.global.empty()) {
      const std::uint64_t items = std::uint64_t{size} * grid.local[d];
      if (items > UINT32_MAX)
        return base::error("job-value",
                           fmt::format("{} groups of {} items are more than 4294967295", size, grid.local[d]), place);
      grid.groups[d] = size;
      grid.global[d] = static_cast<std::uint32_t>(items);
    } else {
      grid.global[d] = size;
      grid.groups[d] = static_cast<std::uint32_t>((std::uint64_t{size} + grid.local[d] - 1) / grid.local[d]);
      if (shader != nullptr) {
        const std::uint64_t whole = std::uint64_t{grid.groups[d]} * grid.local[d];
        if (whole > UINT32_MAX)
          return base::error("job-value", fmt::format("'global' of {} in whole groups is beyond 4294967295", size),
                             place);
        grid.global[d] = static_cast<std::uint32_t>(whole);
      }
    }
    grid.offset[d] = d < job.offset.size() ? job.offset[d] : 0;
  }
  std::uint64_t groups = std::uint64_t{grid.groups[0]} * grid.groups[1];
  if (__builtin_mul_overflow(groups, std::uint64_t{grid.groups[2]}, &groups))
    return base::error(
        "job-value",
        fmt::format("{} x {} x {} groups are more than 64 bits count", grid.groups[0], grid.groups[1], grid.groups[2]),
        place);
  return grid;
}

unsigned simd_of(const isa::Object& kernel, const ZeKernel* abi, const Job& job) {
  if (const auto own = kernel.integer_attribute("SimdSize");
      own && (*own == 1 || *own == 8 || *own == 16 || *own == 32))
    return static_cast<unsigned>(*own);
  if (abi != nullptr && abi->simd != 0) return abi->simd;
  if (job.simd) return *job.simd;
  const auto target = kernel.integer_attribute("Target");
  return target && *target == 0 ? 1 : 16;  // "cm" kernels are scalar threads
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
  // Local ids: uw, x then y then z, each in whole registers (10.4).
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

  const engine::jit::GroupThreads& of(const std::array<std::uint32_t, 3>& size, const ComputePlan& plan,
                                      const std::vector<std::uint8_t>& payload, const engine::jit::Kernel& kernel,
                                      unsigned index) {
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
      const std::uint32_t hardware_id = index * plan.threads_of(plan.grid.local) + t;
      made.set(t, filled, mask, state0_of(hardware_id), hardware_id);
    }
    if (count != 0) std::ranges::copy(filled, made.shared.begin());
    return made;
  }
};

/// Rows of groups that are alike, piece by piece.
bool run_fast(const ComputePlan& plan, const std::vector<std::uint8_t>& payload, const machine::Bindings& bindings,
              unsigned workers, RunContext& context, Counters& counters) {
  std::vector<FastWorker> pool(workers);
  const Grid& grid = plan.grid;
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
      w.runner =
          std::make_unique<engine::jit::Runner>(*context.fast, bindings, context.reports, context.budget, workers == 1);
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
      const engine::jit::GroupThreads& alike = w.of(size, plan, payload, *context.fast, index);
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

}  // namespace

bool run_compute(const ComputePlan& plan, const Bound& bound, RunContext& context, Counters& counters) {
  const unsigned group_threads = plan.threads_of(plan.grid.local);
  // Every worker keeps the threads of one group; the memory limit bounds their number. The fast engine keeps a payload
  // for each thread of each size of group.
  const std::uint64_t payloads = bound.payload.size() * (context.fast != nullptr ? group_sizes(plan.grid) : 1);
  std::uint64_t each =
      std::uint64_t{group_threads} * (context.kernel.thread_bytes() * 2 + plan.scratch_bytes + payloads) +
      plan.slm_bytes + 1;
  if (plan.private_bytes != 0) {
    if (group_threads > kMaxPrivateThreads) {
      context.reports.add(
          base::limit_error("limit-memory", fmt::format("private memory has places for {} threads, a group needs {}",
                                                        kMaxPrivateThreads, group_threads)));
      return false;
    }
    const std::uint64_t lanes = std::uint64_t{plan.simd} * std::max(1u, group_threads);
    if (plan.private_bytes > context.memory_bytes / lanes) {
      context.reports.add(base::limit_error(
          "limit-memory", fmt::format("private memory of a group needs {} lanes of {} bytes (--max-memory)", lanes,
                                      plan.private_bytes)));
      return false;
    }
    each += plan.private_bytes * lanes;
  }
  if (each > context.memory_bytes) {
    context.reports.add(base::limit_error(
        "limit-memory", fmt::format("the {} threads of a group need {} bytes (--max-memory)", group_threads, each)));
    return false;
  }
  // What the fast engine's threads keep at a barrier is taken from the rest as it is needed; rarely more than twice
  // their registers, so that nobody hits the limit because there are several workers.
  const bool waits = context.fast != nullptr && context.fast->has_barrier();
  const std::uint64_t kept = waits ? group_threads * context.kernel.thread_bytes() * 2 : 0;
  unsigned workers = static_cast<unsigned>(
      std::min<std::uint64_t>(context.workers, std::max<std::uint64_t>(1, context.memory_bytes / (each + kept))));
  if (plan.private_bytes != 0)
    workers = std::min(workers, std::max(1u, kMaxPrivateThreads / std::max(1u, group_threads)));
  const Reserved reserved(context.budget, workers * each);
  if (!reserved.good) return false;
  std::shared_ptr<std::vector<std::uint8_t>> private_memory;
  machine::Bindings bindings = context.bindings;
  std::vector<std::uint8_t> payload = bound.payload;
  if (plan.private_bytes != 0) {
    const std::uint64_t total = plan.private_bytes * plan.simd * group_threads * workers;
    private_memory = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(total));
    std::uint64_t base = 0x7000'0000'0000u;
    while (!bindings.memory.add({base, total, private_memory->data(), private_memory, "private memory"}))
      base += 0x100'0000'0000u;
    std::memcpy(payload.data() + plan.private_base, &base, 8);
  }
  if (context.fast != nullptr) return run_fast(plan, payload, bindings, workers, context, counters);
  struct Worker {
    std::vector<machine::Thread> threads;
    std::vector<std::vector<std::uint8_t>> payloads, scratch;
    std::unique_ptr<WorkerObserver> observer;
    Counters counters;
  };
  std::vector<Worker> pool(workers);
  const unsigned before = context.workers;
  context.workers = workers;
  std::atomic<bool> good{true};
  for_each_item(context, plan.grid.group_count(), [&](unsigned index, std::uint64_t item) {
    Worker& w = pool[index];
    if (!w.observer) w.observer = std::make_unique<WorkerObserver>(context);
    const std::array<std::uint32_t, 3> group = plan.grid.group_id(item), size = plan.grid.size_of(group);
    const unsigned count = plan.threads_of(size);
    if (count == 0) return true;
    machine::Group shared(count, static_cast<std::size_t>(plan.slm_bytes));
    while (w.payloads.size() < count) {
      w.threads.emplace_back(context.kernel.code(), bindings, context.reports);
      w.payloads.emplace_back();
      w.scratch.emplace_back();
    }
    for (unsigned t = 0; t < count; ++t) {
      w.payloads[t] = payload;
      w.scratch[t].assign(static_cast<std::size_t>(plan.scratch_bytes), 0);
      machine::ThreadStart start;
      start.dispatch_mask = plan.fill(w.payloads[t], group, size, t);
      start.payload = w.payloads[t];
      start.arguments = plan.arguments;
      start.thread = t;
      start.group_id = group;
      start.hardware_id = index * group_threads + t;  // from it, too, compilers compute a thread's private memory
      start.state0 = state0_of(start.hardware_id);
      start.scratch = w.scratch[t];
      start.group = &shared;
      start.observer = w.observer.get();
      w.threads[t].start(start);
    }
    ++w.counters.groups;
    w.counters.threads += count;
    const auto outcome = engine::reference::run_group(std::span(w.threads).first(count), shared, context.budget);
    if (outcome == engine::reference::Outcome::Finished && !context.reports.failed()) return true;
    good.store(false);
    return false;
  });
  context.workers = before;
  for (const Worker& w : pool) {
    counters.groups += w.counters.groups;
    counters.threads += w.counters.threads;
    if (!w.observer) continue;
    counters.texels_read += w.observer->counters.texels_read;
    counters.texels_written += w.observer->counters.texels_written;
  }
  return good.load();
}

}  // namespace heddle::dispatch
