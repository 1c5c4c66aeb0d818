// Rules: PIX-10, PIX-11.
#include "pipeline/pixels/plan.hpp"

#include <algorithm>

#include "pipeline/pixels/payload.hpp"
#include "pipeline/pixels/threads.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::size_t kBatch = 8192;           // threads of small triangles built before they run
constexpr std::uint32_t kLarge = 4 * 32 * 32;  // pixels from which on a triangle's rows of tiles are shared out

/// Whether the order of a triangle's threads is seen from outside: some instruction does more than read images and
/// write the thread's own pixels.
bool order_shows(const RunContext& context) {
  if (context.observer != nullptr) return true;
  for (const machine::PreparedObject& object : context.kernel.code().objects)
    for (const machine::Decoded& d : object.code)
      if (d.description == nullptr || !d.description->traits.private_effects) return true;
  return false;
}

/// One of the computer's threads.
class Worker {
 public:
  Worker(const PixelPlan& plan, const Bound& bound, RunContext& context, const std::vector<Triangle>& triangles)
      : context_(context),
        triangles_(triangles),
        payload_(plan, bound.payload, context.fast != nullptr ? context.fast->payload_bytes() : bound.payload.size(),
                 reads(context)),
        group_(1),
        observer_(context),
        scratch_(static_cast<std::size_t>(plan.scratch_bytes)) {
    start_.payload = payload_.bytes();
    start_.scratch = scratch_;
    start_.group = &group_;
    start_.observer = &observer_;
    start_.pixels = &payload_.input();
    if (context.fast != nullptr) {
      runner_ = std::make_unique<engine::jit::Runner>(*context.fast, bound.bindings, context.reports, context.budget);
      runner_->begin(start_);
    } else {
      thread_ = std::make_unique<machine::Thread>(context.kernel.code(), bound.bindings, context.reports);
    }
  }

  bool run(const PixelThread& thread) {
    begin(thread.triangle);
    const std::uint32_t mask = payload_.fill(thread);
    ++counters.threads;
    const std::uint32_t x = thread.subspans[0] & 0xffffu, y = thread.subspans[0] >> 16;
    auto outcome = engine::reference::Outcome::Finished;
    if (runner_) {
      outcome = runner_->next(mask, x, y, triangle_);
    } else {
      start_.dispatch_mask = mask;
      start_.group_id = {x, y, triangle_};
      thread_->start(start_);
      outcome = engine::reference::run_group(std::span(thread_.get(), 1), group_, context_.budget);
    }
    return outcome == engine::reference::Outcome::Finished && !context_.reports.failed();
  }

  /// Whether whole threads of the triangle can run side by side.
  bool has_rows(std::uint32_t triangle) {
    if (!runner_ || context_.fast->row() == nullptr) return false;
    begin(triangle);
    return payload_.has_rows();
  }
  /// `count` of them, from the subspan at `at` on.
  bool run_row(std::uint32_t at, std::uint32_t count) {
    const auto fill = [](void* payload) { static_cast<PixelPayload*>(payload)->fill_row(); };
    const auto outcome = runner_->next_row(at & 0xffffu, at >> 16, triangle_, count,
                                           payload_.begin_row() ? +fill : nullptr, &payload_, counters.threads);
    return outcome == engine::reference::Outcome::Finished && !context_.reports.failed();
  }

  [[nodiscard]] const Counters& texels() const { return observer_.counters; }
  Counters counters;

 private:
  void begin(std::uint32_t triangle) {
    if (triangle == triangle_) return;
    triangle_ = triangle;
    payload_.begin(triangles_[triangle]);
  }
  static std::function<bool(std::uint32_t, std::uint32_t)> reads(const RunContext& context) {
    if (context.fast == nullptr) return {};
    return [&context](std::uint32_t offset, std::uint32_t size) { return context.fast->reads_input(offset, size); };
  }

  RunContext& context_;
  const std::vector<Triangle>& triangles_;
  PixelPayload payload_;
  machine::Group group_;
  WorkerObserver observer_;
  std::vector<std::uint8_t> scratch_;
  machine::ThreadStart start_;
  std::unique_ptr<machine::Thread> thread_;
  std::unique_ptr<engine::jit::Runner> runner_;
  std::uint32_t triangle_ = UINT32_MAX;
};

/// What runs the threads of a ThreadMaker.
struct RunThreads {
  Worker& worker;
  bool operator()(const PixelThread& thread) { return worker.run(thread); }
  bool has_rows(std::uint32_t triangle) { return worker.has_rows(triangle); }
  bool row(std::uint32_t at, std::uint32_t count) { return worker.run_row(at, count); }
};

/// Runs the triangles in order. With several workers, threads that may run in any order run together: those of one
/// triangle, and those of different triangles that share no subspan.
class Draw {
 public:
  Draw(const PixelPlan& plan, const Bound& bound, RunContext& context)
      : plan_(plan),
        bound_(bound),
        context_(context),
        triangles_(set_up(plan.mesh, plan.raster)),
        joins_(!order_shows(context)) {
    workers_.resize(context.workers);
    progress_ = std::move(context.progress);
    context.progress = {};
  }

  bool run(Counters& counters) {
    bool good = true;
    for (std::uint32_t i = 0; good && i < triangles_.size(); ++i) {
      ++counters.groups;
      const Triangle& t = triangles_[i];
      const std::int64_t area = std::int64_t{t.right - t.left} * (t.bottom - t.top);
      const bool shared_out = area >= kLarge || stamp_bytes() > context_.memory_bytes;
      good = context_.workers == 1 ? run_alone(i) : shared_out ? run_batch() && run_rows(i) : add(i);
    }
    good = good && run_batch();
    report(static_cast<std::uint32_t>(triangles_.size()), 1);
    context_.progress = std::move(progress_);
    for (const auto& w : workers_) {
      if (!w) continue;
      counters.threads += w->counters.threads;
      counters.texels_read += w->texels().texels_read;
      counters.texels_written += w->texels().texels_written;
    }
    return good;
  }

 private:
  struct Stamp {
    std::uint32_t batch = 0, triangle = 0;
  };

  /// Of the account of who covered what, which triangles that run together need.
  [[nodiscard]] std::uint64_t stamp_bytes() const {
    return (std::uint64_t{plan_.raster.width} / 2 + 1) * (plan_.raster.height / 2 + 1) * sizeof(Stamp);
  }

  Worker& worker(unsigned index) {
    if (!workers_[index]) workers_[index] = std::make_unique<Worker>(plan_, bound_, context_, triangles_);
    return *workers_[index];
  }

  /// `done` triangles and `part` of the one behind them.
  void report(std::uint32_t done, double part) const {
    if (!progress_ || triangles_.empty()) return;
    progress_(std::min(1.0, (done - 1 + part) / static_cast<double>(triangles_.size())));
  }

  bool run_alone(std::uint32_t index) {
    Worker& w = worker(0);
    const Walk walk(triangles_[index], plan_.raster);
    ThreadMaker maker(plan_, index, RunThreads{w});
    if (joins_) maker.join_rectangles();
    bool good = true;
    for (std::int32_t row = walk.first_row(); good && row < walk.last_row(); ++row) {
      good = walk.row(row, maker) && maker.end_row();
      report(index + 1, static_cast<double>(row - walk.first_row()) / (walk.last_row() - walk.first_row()));
    }
    return good && maker.finish();
  }

  /// Each row of tiles runs the threads whose first subspan it has.
  bool run_rows(std::uint32_t index) {
    const Walk walk(triangles_[index], plan_.raster);
    const std::vector<std::uint32_t> taken = subspans_taken(plan_, walk);
    context_.progress = [&](double part) { report(index + 1, part); };
    std::atomic<bool> good{true};
    for_each_item(context_, taken.size(), [&](unsigned number, std::uint64_t item) {
      Worker& w = worker(number);
      const std::int32_t row = walk.first_row() + static_cast<std::int32_t>(item);
      if (make_row(plan_, walk, index, row, taken[static_cast<std::size_t>(item)], joins_, RunThreads{w})) return true;
      good.store(false);
      return false;
    });
    context_.progress = {};
    return good.load();
  }

  bool add(std::uint32_t index) {
    if (stamps_.empty()) stamps_.resize(static_cast<std::size_t>(stamp_bytes() / sizeof(Stamp)));
    const auto stamp = [&](std::uint32_t subspan) -> Stamp& {
      return stamps_[(subspan >> 17) * (std::size_t{plan_.raster.width} / 2 + 1) + (subspan & 0xffffu) / 2];
    };
    ThreadMaker maker(plan_, index, [&](const PixelThread& thread) {
      const std::span subspans(thread.subspans.data(), thread.count);
      const bool overlaps = std::ranges::any_of(
          subspans, [&](std::uint32_t at) { return stamp(at).batch == batch_ && stamp(at).triangle != index; });
      if ((overlaps || threads_.size() >= kBatch) && !run_batch()) return false;
      for (const std::uint32_t at : subspans) stamp(at) = {batch_, index};
      threads_.push_back(thread);
      return true;
    });
    const Walk walk(triangles_[index], plan_.raster);
    for (std::int32_t row = walk.first_row(); row < walk.last_row(); ++row)
      if (!walk.row(row, maker)) return false;
    return maker.finish();
  }

  bool run_batch() {
    if (threads_.empty()) return true;
    constexpr std::uint64_t kRun = 16;  // threads that one worker takes together
    std::atomic<bool> good{true};
    for_each_item(context_, (threads_.size() + kRun - 1) / kRun, [&](unsigned number, std::uint64_t item) {
      Worker& w = worker(number);
      const std::size_t end = std::min<std::size_t>(threads_.size(), (item + 1) * kRun);
      for (std::size_t k = item * kRun; k < end; ++k)
        if (!w.run(threads_[k])) return good.store(false), false;
      return true;
    });
    report(threads_.back().triangle + 1, 0);
    threads_.clear();
    ++batch_;
    return good.load();
  }

  const PixelPlan& plan_;
  const Bound& bound_;
  RunContext& context_;
  const std::vector<Triangle> triangles_;
  const bool joins_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::function<void(double)> progress_;
  std::vector<PixelThread> threads_;
  std::vector<Stamp> stamps_;  ///< for each subspan: who covered it last
  std::uint32_t batch_ = 1;
};

}  // namespace

bool run_pixels(const PixelPlan& plan, const Bound& bound, RunContext& context, Counters& counters) {
  return Draw(plan, bound, context).run(counters);
}

}  // namespace heddle::pipeline
