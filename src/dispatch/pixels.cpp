#include "dispatch/pixels.hpp"

#include <algorithm>

namespace heddle::dispatch {
namespace {

constexpr std::size_t kBatch = 65536;  // threads built before they run

struct Worker {
  std::unique_ptr<machine::Thread> thread;
  std::unique_ptr<machine::Group> group;
  std::unique_ptr<engine::jit::Runner> runner;
  std::vector<std::uint8_t> payload, scratch;
  std::unique_ptr<WorkerObserver> observer;
  std::uint64_t threads = 0;
};

/// Threads that may run in any order: no two of them cover the same pixel, unless they belong to one triangle.
struct Batch {
  struct Stamp {
    std::uint32_t batch = 0, triangle = 0;
  };
  std::vector<PixelThread> threads;
  std::vector<Stamp> stamps;  ///< for each pixel: who covered it last
  std::uint32_t number = 1;
};

/// Calls f(index of a covered pixel) until it returns true.
template <typename F>
bool any_covered(const PixelThread& thread, const RasterState& state, F f) {
  for (const PixelHalf& half : thread.halves)
    for (const Subspan& s : half.subspans)
      for (std::uint32_t p = 0; p < 4; ++p)
        if (s.coverage[p] != 0 && f((s.y + (p >> 1)) * std::size_t{state.width} + s.x + (p & 1u))) return true;
  return false;
}

}  // namespace

bool run_pixels(const PixelPlan& plan, const Bound& bound, RunContext& context, Counters& counters) {
  const std::uint64_t pixels = std::uint64_t{plan.raster.width} * plan.raster.height;
  if (pixels * sizeof(Batch::Stamp) > context.memory_bytes) {
    context.reports.add(base::limit_error(
        "limit-memory", "the target has more pixels than the run may keep account of (--max-memory)"));
    return false;
  }
  const std::vector<Triangle> triangles = set_up(plan.mesh, plan.raster);
  std::vector<Worker> pool(context.workers);
  Batch batch;
  batch.stamps.resize(static_cast<std::size_t>(pixels));
  const std::function<void(double)> outer = context.progress;
  double before = 0, share = 0;
  if (outer) context.progress = [&](double part) { outer(std::min(1.0, before + share * part)); };
  std::size_t next = 0;
  const auto run_batch = [&] {
    std::atomic<bool> good{true};
    for_each_item(context, batch.threads.size(), [&](unsigned index, std::uint64_t item) {
      Worker& w = pool[index];
      if (!w.group) {
        if (context.fast != nullptr)
          w.runner =
              std::make_unique<engine::jit::Runner>(*context.fast, context.bindings, context.reports, context.budget);
        else
          w.thread = std::make_unique<machine::Thread>(context.kernel.code(), context.bindings, context.reports);
        w.group = std::make_unique<machine::Group>(1);
        w.observer = std::make_unique<WorkerObserver>(context);
        w.scratch.resize(static_cast<std::size_t>(context.scratch_bytes));
      }
      const PixelThread& thread = batch.threads[static_cast<std::size_t>(item)];
      machine::PixelInput input;
      w.payload = bound.payload;
      if (context.fast != nullptr && w.payload.size() < context.fast->payload_bytes())
        w.payload.resize(context.fast->payload_bytes());
      machine::ThreadStart start;
      start.dispatch_mask = fill_payload(plan, triangles[thread.triangle], thread, w.payload, input);
      start.payload = w.payload;
      start.scratch = w.scratch;
      start.group = w.group.get();
      start.observer = w.observer.get();
      start.pixels = &input;
      start.group_id = {thread.halves[0].subspans[0].x, thread.halves[0].subspans[0].y, thread.triangle};
      ++w.threads;
      if (!w.runner) w.thread->start(start);
      const auto outcome = w.runner
                               ? w.runner->run_group(std::span(&start, 1), *w.group)
                               : engine::reference::run_group(std::span(w.thread.get(), 1), *w.group, context.budget);
      if (outcome == engine::reference::Outcome::Finished && !context.reports.failed()) return true;
      good.store(false);
      return false;
    });
    batch.threads.clear();
    ++batch.number;
    return good.load();
  };
  bool good = true;
  for (; good && next < triangles.size(); ++next) {
    const auto index = static_cast<std::uint32_t>(next);
    ++counters.groups;
    make_threads(plan, triangles[next], index, [&](PixelThread&& thread) {
      const bool overlaps = any_covered(thread, plan.raster, [&](std::size_t pixel) {
        return batch.stamps[pixel].batch == batch.number && batch.stamps[pixel].triangle != index;
      });
      if (overlaps || batch.threads.size() >= kBatch) {
        share = static_cast<double>(next) / static_cast<double>(triangles.size()) - before;
        good = run_batch();
        before += share;
      }
      any_covered(thread, plan.raster, [&](std::size_t pixel) {
        batch.stamps[pixel] = {batch.number, index};
        return false;
      });
      batch.threads.push_back(std::move(thread));
      return good;
    });
  }
  share = 1 - before;
  if (good && !batch.threads.empty()) good = run_batch();
  context.progress = outer;
  for (const Worker& w : pool) {
    counters.threads += w.threads;
    if (!w.observer) continue;
    counters.texels_read += w.observer->counters.texels_read;
    counters.texels_written += w.observer->counters.texels_written;
  }
  return good;
}

}  // namespace heddle::dispatch
