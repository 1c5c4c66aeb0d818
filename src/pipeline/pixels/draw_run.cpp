// SPDX-License-Identifier: MIT
// Rules: FBO-1, FBO-5, PIX-10, PIX-11.
#include "pipeline/pixels/draw_run.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/locks/brief_mutex.hpp"
#include "pipeline/pixels/rated_threads.hpp"
#include "pipeline/pixels/threads.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::size_t kRange = 256;          // primitives that one worker sets up, which it finds in its caches
constexpr std::size_t kFew = 512;            // of a mesh that are set up at once
constexpr std::size_t kVertices = 1024;      // of a mesh that one worker finds at once
constexpr std::uint64_t kCostOfOne = 16;     // of a primitive, in its pixels
constexpr std::uint64_t kCostAtOnce = 8192;  // that a worker draws between two looks at what others do
// Workers hand each other their primitives and bins under one lock. One that sleeps for it so often in a row is one too
// many, and leaves the rest to the others, of whom so many stay.
constexpr int kMaxSleeps = 2;
constexpr unsigned kFewWorkers = 8;

/// What runs the threads of a ThreadMaker.
struct RunThreads {
  PixelWorker& worker;  ///< whose hides() was asked
  bool packs = false;   ///< threads may wait for those of other primitives
  bool operator()(const PixelThread& thread) { return packs ? worker.run_shown(thread) : worker.run_alone(thread); }
  bool has_rows(std::uint32_t primitive) { return worker.has_rows(primitive); }
  bool row(std::uint32_t at, std::uint32_t count) { return worker.run_row(at, count); }
};

[[nodiscard]] auto hides(PixelWorker& w, std::uint32_t index) {
  return [&w, index](std::int32_t x, std::int32_t y) { return w.hides(index, x, y); };
}

/// What a mesh says of its attributes, but for their values.
void declare_attributes(const Mesh& from, Mesh& to) {
  to.attributes.resize(from.attributes.size());
  for (std::size_t a = 0; a < from.attributes.size(); ++a) {
    const MeshAttribute& of = from.attributes[a];
    to.attributes[a].components = of.components;
    to.attributes[a].flat = of.flat;
    to.attributes[a].linear = of.linear;
    to.attributes[a].source = of.source;
    to.attributes[a].vertex = of.vertex;
  }
}

}  // namespace

bool is_free(const PixelPlan& plan, bool order_shows, const RasterState& raster, const RunContext& context) {
  return context.may_skip && plan.own_subspans && !order_shows && !raster.rates && !context.wants_reference();
}

DrawRange::Step& DrawRange::add_step() {
  if (count == steps.size()) steps.emplace_back();
  Step& step = steps[count++];
  step.clear();
  step.taken.clear();
  step.range = this;
  step.is_offered = step.is_large = false;
  step.rows = step.rows_drawn = 0;
  return step;
}

DrawRun::DrawRun(const PixelShared& shared, const Draw& draw, const RasterState& raster, RunContext& context,
                 DrawWorkspace& workspace)
    : shared_(shared),
      plan_(shared.plan),
      mesh_(draw.mesh),
      raster_(raster),
      context_(context),
      workspace_(workspace),
      joins_(!shared.order_shows && context.observer == nullptr),
      tiny_(raster.samples.size() == 1 && (raster.sample_mask & 1u) != 0 && !raster.discards),
      free_(is_free(shared.plan, shared.order_shows, raster, context)),
      in_order_(raster.line_stipple.has_value()) {
  if (workspace.workers.size() < context.workers) workspace.workers.resize(context.workers);
  if (context.progress) progress_ = std::exchange(context.progress, {});
}

bool DrawRun::run(MeshPieces* pieces, Counters& counters) {
  pieces_ = pieces;
  counters_ = &counters;
  if (pieces == nullptr) check_positions(mesh_, context_.reports);
  bool good = !context_.reports.failed();
  if (auto* const watch = dynamic_cast<PixelWatch*>(context_.observer)) {
    const std::lock_guard guard(context_.lock);
    watch->mesh(mesh_);
  }
  if (good && context_.workers == 1)
    good = pieces == nullptr ? run_in_order() : run_pieces_in_order();
  else if (good)
    good = run_together();
  for (const auto& w : workspace_.workers)
    if (w && w->runs()) w->end_draw(counters);
  if (progress_) context_.progress = std::move(progress_);
  return good;
}

PixelWorker& DrawRun::worker(unsigned index, const PrimitiveList& list, std::uint32_t first) {
  auto& w = workspace_.workers[index];
  if (!w) w = std::make_unique<PixelWorker>(plan_, shared_.code, shared_.prepared, shared_.bound.payload.size());
  if (!w->runs()) w->begin_draw(shared_, context_, list);
  w->change_primitives(list, first);
  return *w;
}

void DrawRun::tell(double done) const {
  if (progress_) progress_(std::min(1.0, done / static_cast<double>(mesh_.count())));
}

// --- on one thread ---

bool DrawRun::run_in_order() {
  PrimitiveList& list = workspace_.list;
  list.begin(mesh_);
  workspace_.known.begin(mesh_);
  SetUp set_up(mesh_, raster_, workspace_.known);
  bool good = true;
  PixelWorker* w = nullptr;
  for (std::size_t first = 0, last = 0; good && first < mesh_.count(); first = last) {
    last = std::min(mesh_.count(), first + kRange);
    list.clear();
    set_up.add(first, last, list);
    counters_->clipping_invocations += last - first;
    if (list.size() != 0) w = &worker(0, list, primitives_);
    share_ = static_cast<double>(last - first) / std::max(1u, list.size());
    done_ = static_cast<double>(first);
    if (list.size() != 0) good = run_list(*w, list);
    primitives_ += list.size();
  }
  counters_->groups += primitives_;
  counters_->clipping_primitives += set_up.clipped();
  return good && (w == nullptr || w->flush());
}

/// Its primitives, one after another.
bool DrawRun::run_list(PixelWorker& w, const PrimitiveList& list) {
  const bool tiny = runs_tiny(w);
  const double first = done_;
  bool good = true;
  for (std::uint32_t i = 0; good && i < list.size(); ++i) {
    good = tiny && list[i].is_tiny ? w.run_tiny(i, raster_.samples[0]) : run_alone(w, list[i], i);
    if (progress_) tell(done_ = first + (i + 1) * share_);
  }
  return good;
}

/// Each piece is drawn before the next one is made: what it lies in stays in the caches.
bool DrawRun::run_pieces_in_order() {
  places_ = 1;
  begin_places();
  workspace_.hands.resize(std::max<std::size_t>(workspace_.hands.size(), 1));
  Range& range = *workspace_.ranges.front();
  auto progress = std::exchange(progress_, {});  // which is told of pieces
  bool good = true;
  PixelWorker* w = nullptr;
  while (good && pieces_->next(range.place)) {
    good = make_piece(range, 0);
    if (!good) break;
    const PrimitiveList& list = range.list;
    counters_->clipping_invocations += range.piece.count();
    if (list.size() == 0) continue;
    w = &worker(0, list, primitives_);
    good = run_list(*w, list);
    primitives_ += list.size();
    if (progress) progress(pieces_->part());
  }
  progress_ = std::move(progress);
  counters_->groups += primitives_;
  counters_->clipping_primitives += std::exchange(workspace_.hands.front().clipped, 0);
  return good && (w == nullptr || w->flush());
}

/// Large primitives, but for those whose fragments may be several pixels.
bool DrawRun::runs_in_rows(const Primitive& p) const { return !raster_.rates && is_large(p); }

/// Tiny primitives run as such.
bool DrawRun::runs_tiny(const PixelWorker& w) const { return tiny_ && w.packs() && !raster_.rates; }

/// One that is not drawn in rows, in some of its pixels.
bool DrawRun::run_small(PixelWorker& w, const Primitive& p, std::uint32_t index, const Bounds<std::int32_t>& part) {
  if (raster_.rates) return RatedThreads(plan_, p, raster_, index, RunThreads{w}).run(part);
  return p.is_tiny && runs_tiny(w) ? w.run_tiny(index, raster_.samples[0])
                                   : make_small(plan_, p, part, raster_, index, RunThreads{w, true}, hides(w, index));
}

bool DrawRun::run_alone(PixelWorker& w, const Primitive& p, std::uint32_t index) {
  if (!runs_in_rows(p)) return run_small(w, p, index, pixels_of(p));
  if (!w.flush()) return false;
  const CoverageScan scan(p, raster_);
  ThreadMaker maker(plan_, index, RunThreads{w});
  if (joins_) maker.join_rectangles();
  bool good = true;
  for (std::int32_t row = scan.first_row(); good && row < scan.last_row(); ++row) {
    good = free_ ? make_own_row(plan_, scan, p, index, row, RunThreads{w}, hides(w, index))
                 : scan.row(row, maker) && maker.end_row();
    if (progress_) tell(done_ += share_ / (scan.last_row() - scan.first_row()));
  }
  return good && maker.finish();
}

// --- on several ---

/// Whether the primitives have so few pixels that the caller's thread is done with them before others have begun.
bool DrawRun::is_little(const PrimitiveList& list) const {
  constexpr std::int64_t kMaxPixels = 1024;
  std::int64_t pixels = 0;
  for (const Primitive& p : list) pixels += std::int64_t{p.right - p.left} * (p.bottom - p.top);
  return pixels <= kMaxPixels;
}

/// Ranges for all of them.
void DrawRun::begin_places() {
  while (workspace_.ranges.size() < places_) {
    workspace_.ranges.push_back(std::make_unique<DrawRange>());
    workspace_.ranges.back()->place = workspace_.ranges.size() - 1;
  }
  if (pieces_ == nullptr) return;
  for (const auto& range : workspace_.ranges) declare_attributes(mesh_, range->piece);
}

bool DrawRun::run_together() {
  const bool few =
      pieces_ == nullptr && mesh_.count() <= kFew;  // in one range: with 128 workers 258 would be made ready
  places_ = pieces_ != nullptr ? pieces_->places() : few ? 1 : 2 * std::size_t{context_.workers} + 2;
  begin_places();
  workspace_.waiting.assign(places_, nullptr);
  workspace_.free.clear();
  for (std::size_t place = 0; place < places_; ++place) workspace_.free.push_back(workspace_.ranges[place].get());
  workspace_.hands.resize(std::max<std::size_t>(workspace_.hands.size(), context_.workers));
  workspace_.order.begin(columns() * (raster_.height / kBinHeight + 1));
  range_size_ = kRange;
  cost_at_once_ = kCostAtOnce;
  unsigned count = context_.workers;
  if (few)
    count = begin_few();
  else if (pieces_ == nullptr)
    know_vertices();
  if (count != 0)
    (void)for_each_item(context_, count, count, [&](unsigned number, std::uint64_t) {
      work(number);
      return true;
    });
  for (DrawWorkspace::Hand& hand : workspace_.hands) {
    if (hand.set_up) counters_->clipping_primitives += hand.set_up->clipped();
    counters_->clipping_primitives += std::exchange(hand.clipped, 0);
    hand.set_up.reset();
  }
  counters_->groups += primitives_;
  return good_;
}

/// All of the mesh's vertices, so that its ranges may be set up in any order.
void DrawRun::know_vertices() {
  KnownVertices& known = workspace_.known;
  known.begin(mesh_);
  if (!set_up_of(0).knows_vertices()) return;
  const std::size_t vertices = mesh_.positions.size();
  for_each_item(context_, context_.workers, (vertices + kVertices - 1) / kVertices,
                [&](unsigned number, std::uint64_t item) {
                  set_up_of(number).know(item * kVertices, std::min(vertices, (item + 1) * kVertices));
                  return true;
                });
  known.count = vertices;
}

SetUp& DrawRun::set_up_of(unsigned number) {
  auto& set_up = workspace_.hands[number].set_up;
  if (!set_up) set_up = std::make_unique<SetUp>(mesh_, raster_, workspace_.known);
  return *set_up;
}

/// Sets up a mesh of few primitives; how many workers it is worth. What is little is drawn here.
unsigned DrawRun::begin_few() {
  workspace_.known.begin(mesh_);
  range_size_ = std::max<std::size_t>(1, mesh_.count());
  Range* const range = begin_range(0);
  if (range == nullptr) return 0;
  (void)make(*range, 0);
  const PrimitiveList& list = range->list;
  if (is_little(list)) {
    counters_->clipping_invocations += mesh_.count();
    primitives_ = list.size();
    if (list.size() == 0) return 0;
    PixelWorker& w = worker(0, list, 0);
    for (std::uint32_t i = 0; good_ && i < list.size(); ++i) good_ = run_small(w, list[i], i, pixels_of(list[i]));
    good_ = good_ && w.flush();
    if (progress_ && good_) tell(static_cast<double>(mesh_.count()));
    return 0;
  }
  std::uint64_t cost = 0;
  for (std::size_t s = 0; s < range->count; ++s) cost = std::max(cost, range->steps[s].cost());
  cost_at_once_ = std::min(kCostAtOnce, cost / (2 * std::uint64_t{context_.workers}));
  finish({.range = range}, 0);
  return static_cast<unsigned>(std::min<std::uint64_t>(context_.workers, range->parts));
}

void DrawRun::work(unsigned number) {
  if (crowded_ && working_ >= kFewWorkers) return;  // without the lock that they all wait for
  std::unique_lock lock(mutex_, std::defer_lock);
  (void)base::take_soon(lock);
  ++working_;
  try {
    for (int slept = 0; !stopped_;) {
      const Task task = pick(number);
      if (!task.any()) {
        if (has_begun_all()) break;
        wait(lock);
        continue;
      }
      lock.unlock();
      const bool good = run(task, number);
      slept = base::take_soon(lock) ? 0 : slept + 1;
      if (!good)
        stop();
      else
        finish(task, number);
      if (has_begun_all() || has_task()) wake();
      if (slept == kMaxSleeps && working_ > kFewWorkers) {
        crowded_ = true;
        break;
      }
    }
  } catch (...) {  // memory, or the progress's receiver: others must not wait for this one
    if (!lock.owns_lock()) lock.lock();
    --working_;
    stop();
    throw;
  }
  --working_;
  wake();
}

void DrawRun::stop() {
  good_ = false;
  stopped_ = true;
  wake();
}

void DrawRun::wake() {
  changes_.fetch_add(1, std::memory_order_relaxed);
  if (sleeping_ != 0) idle_.notify_all();
}

/// Until others leave something to do: what they have in hand is short, mostly.
void DrawRun::wait(std::unique_lock<std::mutex>& lock) {
  constexpr int kLooks = 256;
  const std::uint32_t seen = changes_.load(std::memory_order_relaxed);
  const auto changed = [&] { return changes_.load(std::memory_order_relaxed) != seen; };
  lock.unlock();
  for (int look = 0; look < kLooks && !changed(); ++look) std::this_thread::yield();
  (void)base::take_soon(lock);
  ++sleeping_;
  idle_.wait(lock, changed);
  --sleeping_;
}

bool DrawRun::may_begin_range() const {
  return !all_begun_ && !workspace_.free.empty() && (!in_order_ || making_ == 0);
}

/// What is left is in work, and nothing waits for it.
bool DrawRun::has_begun_all() const {
  return all_begun_ && entered_ == begun_ && waiting_ == 0 && (large_ == nullptr || next_row_ == large_->rows);
}

bool DrawRun::has_task() const {
  return (large_ != nullptr && next_row_ < large_->rows) || !ready_.empty() || may_begin_range();
}

/// What a worker made itself comes first, as it lies in its caches; then what is new, as far as there is room.
DrawRun::Task DrawRun::pick(unsigned number) {
  if (large_ != nullptr && next_row_ < large_->rows) return {.step = large_, .row = next_row_++};
  const auto own = std::ranges::find_if(ready_, [number](const Step* s) { return s->range->maker == number; });
  if (own == ready_.end())
    if (Range* const range = begin_range(number)) return {.range = range};
  if (ready_.empty()) return {};
  const auto at = own == ready_.end() ? ready_.begin() : own;
  Step& step = **at;
  step.take_ready(cost_at_once_, step.range->maker != number, workspace_.hands[number].parts);
  waiting_ -= workspace_.hands[number].parts.size();
  step.is_offered = step.has_ready();
  if (!step.is_offered) ready_.erase(at);
  return {.step = &step};
}

DrawRun::Range* DrawRun::begin_range(unsigned number) {
  if (!may_begin_range()) return nullptr;
  // What it left last is what its caches hold.
  std::vector<Range*>& free = workspace_.free;
  const auto own = std::find_if(free.rbegin(), free.rend(), [number](const Range* r) { return r->maker == number; });
  Range& range = own == free.rend() ? *free.back() : **own;
  if (pieces_ != nullptr && !pieces_->next(range.place)) return all_begun_ = true, nullptr;
  free.erase(own == free.rend() ? free.end() - 1 : std::next(own).base());
  range.maker = number;
  range.is_made = range.is_counted = false;
  range.count = range.entered = range.drawn = 0;
  range.parts = 0;
  range.first = end_;
  if (pieces_ == nullptr) {
    end_ = std::min(mesh_.count(), end_ + range_size_);
    all_begun_ = end_ == mesh_.count();
  }
  range.last = end_;
  at(begun_) = &range;
  ++begun_;
  ++making_;
  return &range;
}

bool DrawRun::run(const Task& task, unsigned number) {
  if (task.range != nullptr) return make(*task.range, number);
  if (task.step->rows != 0) return run_row(*task.step, task.row, number);
  return task.step->is_large ? run_wide_parts(*task.step, number) : run_parts(*task.step, number);
}

/// Its mesh, where that is made in pieces, its list of primitives, and their bins.
bool DrawRun::make(Range& range, unsigned number) {
  DrawWorkspace::Hand& hand = workspace_.hands[number];
  if (pieces_ == nullptr) {
    range.list.begin(mesh_);
    set_up_of(in_order_ ? 0 : number).add(range.first, range.last, range.list);
  } else {
    if (!make_piece(range, number)) return false;
    range.last = range.first + range.piece.count();
  }
  divide(range, hand.places);
  return true;
}

/// The mesh of a piece, and its list.
bool DrawRun::make_piece(Range& range, unsigned number) {
  DrawWorkspace::Hand& hand = workspace_.hands[number];
  if (!pieces_->make(number, range.place, range.piece)) return false;
  range.list.begin(range.piece);
  hand.known.begin(range.piece);
  SetUp set_up(range.piece, raster_, hand.known);
  set_up.add(0, range.piece.count(), range.list);
  hand.clipped += set_up.clipped();
  return true;
}

void DrawRun::divide(Range& range, Stretch::Places& places) const {
  Step* open = nullptr;
  const auto across = static_cast<std::uint32_t>(columns());
  for (std::uint32_t i = 0; i < range.list.size(); ++i) {
    const Primitive& p = range.list[i];
    if (open != nullptr && p.is_tiny) {
      const auto x = static_cast<std::uint32_t>(p.left), y = static_cast<std::uint32_t>(p.top);
      open->add(places, y / kBinHeight * across + x / kBin, i, kCostOfOne);
      continue;
    }
    if (!runs_in_rows(p)) {
      if (open == nullptr) {
        open = &range.add_step();
        places.begin(columns() * (raster_.height / kBinHeight + 1));
      }
      add_to_bins(*open, places, i, p);
      continue;
    }
    open = nullptr;
    add_large(range, i, p);
  }
  for (std::size_t s = 0; s < range.count; ++s) range.parts += range.steps[s].parts().size();
}

/// Where nobody sees which threads there are, in rows of bins.
void DrawRun::add_large(Range& range, std::uint32_t index, const Primitive& p) const {
  Step& step = range.add_step();
  step.is_large = true;
  step.primitive = index;
  if (!free_) {
    const CoverageScan scan(p, raster_);
    step.rows = static_cast<std::uint32_t>(scan.last_row() - scan.first_row());
    step.taken = subspans_taken(plan_, scan);
    range.parts += step.rows;
    return;
  }
  const std::int32_t left = p.left / kBin, across = (p.right - 1) / kBin + 1 - left;
  for (std::int32_t y = p.top / kBinHeight; y <= (p.bottom - 1) / kBinHeight; ++y)
    step.add_wide(bin_at(left, y), static_cast<std::uint32_t>(across), index,
                  static_cast<std::uint32_t>(across * kBin * kBinHeight));
}

std::uint32_t DrawRun::bin_at(std::int32_t x, std::int32_t y) const {
  return static_cast<std::uint32_t>(y) * static_cast<std::uint32_t>(columns()) + static_cast<std::uint32_t>(x);
}

std::size_t DrawRun::columns() const { return raster_.width / kBin + 1; }

void DrawRun::add_to_bins(Step& step, Stretch::Places& places, std::uint32_t index, const Primitive& p) const {
  const std::int32_t left = p.left / kBin, right = (p.right - 1) / kBin, bottom = (p.bottom - 1) / kBinHeight;
  for (std::int32_t y = p.top / kBinHeight; y <= bottom; ++y)
    for (std::int32_t x = left; x <= right; ++x) {
      const Bounds<std::int32_t> in = pixels_in_bin(p, x * kBin, y * kBinHeight);
      const auto pixels = static_cast<std::uint32_t>((in.right - in.left) * (in.bottom - in.top));
      step.add(places, bin_at(x, y), index, kCostOfOne + pixels);
    }
}

/// Those of Hand::parts.
bool DrawRun::run_parts(const Step& step, unsigned number) {
  const PrimitiveList& list = step.range->list;
  PixelWorker& w = worker(number, list, step.range->number);
  const bool tiny = runs_tiny(w);
  for (const std::uint32_t part : workspace_.hands[number].parts) {
    const std::uint32_t bin = step.parts()[part].bin, across = static_cast<std::uint32_t>(columns());
    const auto x = static_cast<std::int32_t>(bin % across) * kBin,
               y = static_cast<std::int32_t>(bin / across) * kBinHeight;
    if (!step.visit(part, [&](std::uint32_t i) {
          const Primitive& p = list[i];
          return tiny && p.is_tiny ? w.run_tiny(i, raster_.samples[0]) : run_small(w, p, i, pixels_in_bin(p, x, y));
        }))
      return false;
  }
  return w.flush();
}

/// Those of a large primitive.
bool DrawRun::run_wide_parts(const Step& step, unsigned number) {
  const std::uint32_t index = step.primitive, across = static_cast<std::uint32_t>(columns());
  const Primitive& p = step.range->list[index];
  PixelWorker& w = worker(number, step.range->list, step.range->number);
  const CoverageScan scan(p, raster_);
  static_assert(kBinHeight == CoverageScan::kTile);
  return std::ranges::all_of(workspace_.hands[number].parts, [&](std::uint32_t part) {
    const auto row = static_cast<std::int32_t>(step.parts()[part].bin / across);
    return make_own_row(plan_, scan, p, index, row, RunThreads{w}, hides(w, index));
  });
}

/// A row of tiles runs the threads whose first subspan it has.
bool DrawRun::run_row(const Step& step, std::uint32_t row, unsigned number) {
  const std::uint32_t index = step.primitive;
  const Primitive& p = step.range->list[index];
  PixelWorker& w = worker(number, step.range->list, step.range->number);
  const CoverageScan scan(p, raster_);
  const std::int32_t at = scan.first_row() + static_cast<std::int32_t>(row);
  return make_row(plan_, scan, index, at, step.taken[row], joins_, RunThreads{w});
}

void DrawRun::finish(const Task& task, unsigned number) {
  if (task.range != nullptr) {
    task.range->is_made = true;
    --making_;
  } else if (Step& step = *task.step; step.rows != 0) {
    draw_parts(*step.range, 1);
    if (++step.rows_drawn == step.rows) {
      large_ = nullptr;
      close(step);
    }
  } else {
    const std::vector<std::uint32_t>& parts = workspace_.hands[number].parts;
    for (const std::uint32_t part : parts)
      workspace_.order.leave(step, part, [this](Stretch& next) { offer(static_cast<Step&>(next)); });
    draw_parts(*step.range, parts.size());
    if (step.is_drawn()) close(step);
  }
  enter_steps();
}

void DrawRun::offer(Step& step) {
  if (!std::exchange(step.is_offered, true)) ready_.push_back(&step);
}

/// So many more of its parts are drawn.
void DrawRun::draw_parts(Range& range, std::uint64_t count) {
  if (!progress_) return;
  if (pieces_ != nullptr) return progress_(pieces_->part());
  const auto all = static_cast<double>(range.last - range.first);
  tell(done_ += range.parts == 0 ? all : all * static_cast<double>(count) / static_cast<double>(range.parts));
}

void DrawRun::close(Step& step) {
  --open_;
  Range& range = *step.range;
  if (++range.drawn == range.count && range.entered == range.count) workspace_.free.push_back(&range);
}

/// In the order of the draw, as far as ranges are made. What is drawn in rows waits for all before it, and all behind
/// it wait for it.
void DrawRun::enter_steps() {
  for (; large_ == nullptr && entered_ < begun_ && at(entered_)->is_made; ++entered_) {
    Range& range = *at(entered_);
    if (!std::exchange(range.is_counted, true)) {
      range.number = primitives_;
      primitives_ += range.list.size();
      counters_->clipping_invocations += range.last - range.first;
    }
    for (; range.entered < range.count; ++range.entered) {
      Step& step = range.steps[range.entered];
      if (large_ != nullptr || (step.rows != 0 && open_ != 0)) return;
      ++open_;
      if (step.rows != 0) {
        large_ = &step;
        next_row_ = 0;
        continue;
      }
      workspace_.order.enter(step);
      waiting_ += step.parts().size();
      if (step.has_ready()) offer(step);
    }
    if (range.count != 0) continue;
    draw_parts(range, 0);
    workspace_.free.push_back(&range);
  }
}

}  // namespace heddle::pipeline
