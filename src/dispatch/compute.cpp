#include "dispatch/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::dispatch {
namespace {

constexpr std::uint64_t kMaxGroupItems = 65536;
constexpr std::uint32_t kMaxPrivateThreads = 4096;  // what %sr0 can number

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

void ComputePlan::fill_group(std::vector<std::uint8_t>& payload, const std::array<std::uint32_t, 3>& group) const {
  constexpr std::size_t kPlaces[] = {4, 24, 28};  // r0.1, r0.6, r0.7 (10.4)
  for (std::size_t d = 0; d < 3; ++d)
    if (kPlaces[d] + 4 <= payload.size()) std::memcpy(payload.data() + kPlaces[d], &group[d], 4);
}

std::uint32_t ComputePlan::fill(std::vector<std::uint8_t>& payload, const std::array<std::uint32_t, 3>& group,
                                const std::array<std::uint32_t, 3>& size, unsigned thread) const {
  const auto put32 = [&](std::size_t at, std::uint32_t value) {
    if (at + 4 <= payload.size()) std::memcpy(payload.data() + at, &value, 4);
  };
  fill_group(payload, group);
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

bool run_compute(const ComputePlan& plan, const Bound& bound, RunContext& context, Counters& counters) {
  const unsigned group_threads = plan.threads_of(plan.grid.local);
  // Every worker keeps the threads of one group; the memory limit bounds their number.
  const std::uint64_t each =
      std::uint64_t{group_threads} * (context.kernel.thread_bytes() * 2 + plan.scratch_bytes + bound.payload.size()) +
      plan.slm_bytes + 1;
  const std::uint64_t affordable = context.memory_bytes / each;
  if (affordable == 0) {
    context.reports.add(base::limit_error(
        "limit-memory", fmt::format("the {} threads of a group need {} bytes (--max-memory)", group_threads, each)));
    return false;
  }
  unsigned workers = static_cast<unsigned>(std::min<std::uint64_t>(context.workers, affordable));
  std::shared_ptr<std::vector<std::uint8_t>> private_memory;
  machine::Bindings bindings = context.bindings;
  std::vector<std::uint8_t> payload = bound.payload;
  if (plan.private_bytes != 0) {
    workers = std::min(workers, std::max(1u, kMaxPrivateThreads / std::max(1u, group_threads)));
    const std::uint64_t total = plan.private_bytes * plan.simd * group_threads * workers;
    if (group_threads > kMaxPrivateThreads || total > context.memory_bytes) {
      context.reports.add(
          base::limit_error("limit-memory", fmt::format("private memory needs {} bytes (--max-memory)", total)));
      return false;
    }
    private_memory = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(total));
    std::uint64_t base = 0x7000'0000'0000u;
    while (!bindings.memory.add({base, total, private_memory->data(), private_memory, "private memory"}))
      base += 0x100'0000'0000u;
    std::memcpy(payload.data() + plan.private_base, &base, 8);
  }
  struct Worker {
    std::vector<machine::Thread> threads;
    std::vector<std::vector<std::uint8_t>> payloads, scratch;
    std::unique_ptr<WorkerObserver> observer;
    std::unique_ptr<engine::jit::Runner> runner;
    std::vector<machine::ThreadStart> starts;
    std::array<std::uint32_t, 3> filled{};  ///< the size of group that the payloads are filled for
    std::vector<std::uint32_t> masks;
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
    if (context.fast != nullptr && !w.runner)
      w.runner = std::make_unique<engine::jit::Runner>(*context.fast, bindings, context.reports, context.budget);
    w.starts.resize(count);
    w.masks.resize(std::max<std::size_t>(w.masks.size(), count));
    while (w.payloads.size() < count) {
      if (context.fast == nullptr) w.threads.emplace_back(context.kernel.code(), bindings, context.reports);
      w.payloads.emplace_back();
      w.scratch.emplace_back();
    }
    const bool filled = std::exchange(w.filled, size) == size;
    for (unsigned t = 0; t < count; ++t) {
      if (filled) {
        plan.fill_group(w.payloads[t], group);
      } else {
        w.payloads[t] = payload;
        if (context.fast != nullptr && payload.size() < context.fast->payload_bytes())
          w.payloads[t].resize(context.fast->payload_bytes());
        w.masks[t] = plan.fill(w.payloads[t], group, size, t);
      }
      w.scratch[t].assign(static_cast<std::size_t>(plan.scratch_bytes), 0);
      machine::ThreadStart& start = w.starts[t];
      start = {};
      start.dispatch_mask = w.masks[t];
      start.payload = w.payloads[t];
      start.arguments = plan.arguments;
      start.thread = t;
      start.group_id = group;
      start.hardware_id = index * group_threads + t;  // from it, too, compilers compute a thread's private memory
      start.state0 = state0_of(start.hardware_id);
      start.scratch = w.scratch[t];
      start.group = &shared;
      start.observer = w.observer.get();
      if (context.fast == nullptr) w.threads[t].start(start);
    }
    ++w.counters.groups;
    w.counters.threads += count;
    const auto outcome = context.fast != nullptr
                             ? w.runner->run_group(w.starts, shared)
                             : engine::reference::run_group(std::span(w.threads).first(count), shared, context.budget);
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
