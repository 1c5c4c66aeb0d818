// SPDX-License-Identifier: MIT
// Rules: FBO-1, FBO-3, FBO-5, PIX-10, PIX-11, RAS-8.
#include <algorithm>
#include <utility>

#include "pipeline/pixels/pixels.hpp"
#include "pipeline/pixels/rated_threads.hpp"
#include "pipeline/pixels/threads.hpp"
#include "pipeline/pixels/worker.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::size_t kPrimitives = 4096;      // of a mesh that are set up while those before them run
constexpr std::size_t kPrimitivesAlone = 256;  // of one worker, which finds them in its caches
constexpr std::size_t kChunk = 64;             // of them that one worker scans at once

using Shared = PixelShared;

/// A draw's state as the kernel gets it, where the pipeline does a part of what it says.
struct Divided {
  std::uint64_t identity = 0;  ///< of the draw's state
  bool counts = false, smooth = false;
  machine::Resource<machine::PixelState> state;
  std::unique_ptr<const EarlyTests> early;
  std::shared_ptr<std::atomic<std::uint64_t>> samples_passed;
};

/// Threads of primitives one after another, of which the first `next` are in bins.
struct Chunk {
  std::vector<PixelThread> threads;
  std::size_t next = 0;
};

/// What waits in a bin: a thread, or a tiny primitive where that is null.
struct Waiting {
  const PixelThread* thread;
  std::uint32_t primitive;
};

/// What draws leave to the next.
struct Workspace {
  std::vector<Chunk> chunks;
  std::vector<std::vector<Waiting>> bins;  ///< by place on the target
  std::vector<std::size_t> used;           ///< bins that are not empty

  std::optional<Divided> divided;
  std::optional<TileTest> tile_test;
  std::uint64_t tile_test_of = 0;  ///< identity of the draw's state
  std::shared_ptr<const engine::jit::BoundKernel> kernel;
  std::array<PrimitiveList, 2> primitives;  ///< those that run, and the next ones
  KnownVertices known;
  std::vector<std::unique_ptr<PixelWorker>> workers;
};

/// Whether the order of a primitive's threads is seen from outside: some instruction does more than read images and
/// write the thread's own pixels.
bool order_shows(const machine::Code& code) {
  for (const machine::PreparedObject& object : code.objects)
    for (const machine::Decoded& d : object.code)
      if (d.description == nullptr || !d.description->traits.private_effects) return true;
  return false;
}

/// Whether an instruction gives a depth of its own.
bool sends_depth(const machine::Code& code) {
  for (const machine::PreparedObject& object : code.objects)
    for (const machine::Decoded& d : object.code) {
      if (d.description == nullptr) continue;
      const machine::Operand* z = machine::Operands(object, d).named("z");
      if (z != nullptr && !z->null) return true;
    }
  return false;
}

/// Whether threads may be made and left out as the pipeline likes: nobody sees them but by the pixels that they write.
bool is_free(const PixelPlan& plan, bool order_shows, const RasterState& raster, const RunContext& context) {
  return context.may_skip && plan.own_subspans && !order_shows && !raster.rates && !context.wants_reference();
}

/// What runs the threads of a ThreadMaker.
struct RunThreads {
  PixelWorker& worker;  ///< whose hides() was asked
  bool packs = false;   ///< threads may wait for those of other primitives
  bool operator()(const PixelThread& thread) { return packs ? worker.run_shown(thread) : worker.run_alone(thread); }
  bool has_rows(std::uint32_t primitive) { return worker.has_rows(primitive); }
  bool row(std::uint32_t at, std::uint32_t count) { return worker.run_row(at, count); }
};

/// Runs the primitives in order. With several workers, threads that may run in any order run together: those of a large
/// primitive, and those of other primitives that lie in different bins.
class DrawRun {
 public:
  DrawRun(const Shared& shared, const Draw& draw, const RasterState& raster, RunContext& context, Workspace& workspace)
      : shared_(shared),
        plan_(shared.plan),
        mesh_(draw.mesh),
        raster_(raster),
        context_(context),
        workspace_(workspace),
        set_up_(draw.mesh, raster, workspace.known),
        joins_(!shared.order_shows && context.observer == nullptr),
        tiny_(raster.samples.size() == 1 && (raster.sample_mask & 1u) != 0 && !raster.discards),
        free_(is_free(shared.plan, shared.order_shows, raster, context)) {
    if (workspace.workers.size() < context.workers) workspace.workers.resize(context.workers);
    if (context.progress) progress_ = std::exchange(context.progress, {});
  }

  bool run(Counters& counters) {
    check_positions(mesh_, context_.reports);
    bool good = !context_.reports.failed();
    for (PrimitiveList& list : workspace_.primitives) list.begin(mesh_);
    if (auto* const watch = dynamic_cast<PixelWatch*>(context_.observer)) {
      const std::lock_guard guard(context_.lock);
      watch->mesh(mesh_);
    }
    while (good && end_ < mesh_.count()) {
      if (!ahead_) set_up_next();
      begin_ = end_;
      end_ = next_end_;
      ahead_ = false;
      std::swap(primitives_, next_);
      for (const auto& w : workspace_.workers)
        if (w && w->runs()) w->change_primitives(*primitives_, first_);
      counters.groups += primitives().size();
      counters.clipping_invocations += end_ - begin_;
      good = run_primitives();
      first_ += primitives().size();
    }
    for (const auto& w : workspace_.workers)
      if (w && w->runs() && good) good = w->flush();
    counters.clipping_primitives += set_up_.clipped();
    report(primitives().size(), 1);
    if (progress_) context_.progress = std::move(progress_);
    for (const auto& w : workspace_.workers)
      if (w && w->runs()) w->end_draw(counters);
    return good;
  }

 private:
  /// Those that run.
  [[nodiscard]] const PrimitiveList& primitives() const { return *primitives_; }
  /// The primitives behind them.
  void set_up_next() {
    next_end_ = std::min(mesh_.count(), end_ + (context_.workers == 1 ? kPrimitivesAlone : kPrimitives));
    next_->clear();
    set_up_.add(end_, next_end_, *next_);
    ahead_ = true;
  }

  [[nodiscard]] static auto hides(PixelWorker& w, std::uint32_t index) {
    return [&w, index](std::int32_t x, std::int32_t y) { return w.hides(index, x, y); };
  }

  PixelWorker& worker(unsigned index) {
    auto& w = workspace_.workers[index];
    if (!w) w = std::make_unique<PixelWorker>(plan_, shared_.code, shared_.prepared, shared_.bound.payload.size());
    if (!w->runs()) {
      w->begin_draw(shared_, context_, *primitives_);
      w->change_primitives(*primitives_, first_);
    }
    return *w;
  }

  /// `done` of the primitives that are set up, of which the last only in `part`.
  void report(std::uint32_t done, double part) const {
    if (!progress_ || primitives().size() == 0) return;
    const double here = (done - 1 + part) / primitives().size() * static_cast<double>(end_ - begin_);
    progress_(std::min(1.0, (static_cast<double>(begin_) + here) / static_cast<double>(mesh_.count())));
  }

  bool run_primitives() {
    bool good = true;
    if (context_.workers == 1 || is_little()) {
      if (primitives().size() == 0) return true;
      PixelWorker& w = worker(0);
      for (std::uint32_t i = 0; good && i < primitives().size(); ++i) good = run_alone(w, i);
      // What another worker runs next comes behind it.
      return good && (context_.workers == 1 || w.flush());
    }
    scan_small();
    for (std::uint32_t i = 0; good && i < primitives().size(); ++i) {
      if (runs_in_rows(primitives()[i]))
        good = run_bins(i) && run_rows(i);
      else
        add(i);
    }
    return good && run_bins(primitives().size());
  }

  /// Whether the primitives have so few pixels that the caller's thread is done with them before others have begun.
  [[nodiscard]] bool is_little() const {
    constexpr std::int64_t kMaxPixels = 1024;
    if (primitives().size() > kMaxPixels) return false;
    std::int64_t pixels = 0;
    for (const Primitive& p : primitives()) pixels += std::int64_t{p.right - p.left} * (p.bottom - p.top);
    return pixels <= kMaxPixels;
  }

  /// Large primitives, but for those whose fragments may be several pixels.
  [[nodiscard]] bool runs_in_rows(const Primitive& p) const { return !raster_.rates && is_large(p); }

  bool run_small(PixelWorker& w, std::uint32_t index) {
    const Primitive& p = primitives()[index];
    if (raster_.rates) return RatedThreads(plan_, p, raster_, index, RunThreads{w}).run();
    return tiny_ && p.is_tiny && w.packs() ? w.run_tiny(index, raster_.samples[0])
                                           : make_small(plan_, p, raster_, index, RunThreads{w, true}, hides(w, index));
  }

  bool run_alone(PixelWorker& w, std::uint32_t index) {
    if (!runs_in_rows(primitives()[index])) {
      const bool good = run_small(w, index);
      report(index + 1, 1);
      return good;
    }
    if (!w.flush()) return false;
    const CoverageScan scan(primitives()[index], raster_);
    ThreadMaker maker(plan_, index, RunThreads{w});
    if (joins_) maker.join_rectangles();
    bool good = true;
    for (std::int32_t row = scan.first_row(); good && row < scan.last_row(); ++row) {
      good = free_ ? make_own_row(plan_, scan, primitives()[index], index, row, RunThreads{w}, hides(w, index))
                   : scan.row(row, maker) && maker.end_row();
      report(index + 1, static_cast<double>(row - scan.first_row()) / (scan.last_row() - scan.first_row()));
    }
    return good && maker.finish();
  }

  /// Each row of tiles runs the threads whose first subspan it has.
  bool run_rows(std::uint32_t index) {
    const CoverageScan scan(primitives()[index], raster_);
    std::vector<std::uint32_t> taken;
    if (!free_) taken = subspans_taken(plan_, scan);
    if (progress_) context_.progress = [&](double part) { report(index + 1, part); };
    std::atomic<bool> good{true};
    const auto rows = static_cast<std::uint64_t>(scan.last_row() - scan.first_row());
    for_each_item(context_, context_.workers, rows, [&](unsigned number, std::uint64_t item) {
      PixelWorker& w = worker(number);
      const std::int32_t row = scan.first_row() + static_cast<std::int32_t>(item);
      if (free_) {
        if (make_own_row(plan_, scan, primitives()[index], index, row, RunThreads{w}, hides(w, index))) return true;
      } else if (make_row(plan_, scan, index, row, taken[static_cast<std::size_t>(item)], joins_, RunThreads{w}))
        return true;
      good.store(false);
      return false;
    });
    context_.progress = {};
    return good.load();
  }

  /// The threads of all primitives that are neither large nor tiny, a chunk of primitives at a time.
  void scan_small() {
    const auto is_scanned = [this](const Primitive& p) { return raster_.rates || (!p.is_tiny && !is_large(p)); };
    if (std::ranges::none_of(primitives(), is_scanned)) return;
    const std::size_t chunks = (primitives().size() + kChunk - 1) / kChunk;
    if (workspace_.chunks.size() < chunks) workspace_.chunks.resize(chunks);
    for_each_item(context_, context_.workers, chunks, [&](unsigned, std::uint64_t item) {
      Chunk& chunk = workspace_.chunks[static_cast<std::size_t>(item)];
      chunk.threads.clear();
      chunk.next = 0;
      const std::size_t end = std::min<std::size_t>(primitives().size(), (item + 1) * kChunk);
      const auto keep = [&](const PixelThread& thread) { return chunk.threads.push_back(thread), true; };
      const auto shows = [](std::int32_t, std::int32_t) { return false; };
      for (std::size_t i = item * kChunk; i < end; ++i) {
        const Primitive& p = primitives()[i];
        const auto number = static_cast<std::uint32_t>(i);
        if (raster_.rates)
          (void)RatedThreads(plan_, p, raster_, number, keep).run();
        else if (is_scanned(p))
          (void)make_small(plan_, p, raster_, number, keep, shows);
      }
      return true;
    });
  }

  /// Gives the threads of a primitive to their bins.
  void add(std::uint32_t index) {
    const Primitive& p = primitives()[index];
    const std::size_t bins = columns() * (raster_.height / kBin + 1);
    if (workspace_.bins.size() < bins) workspace_.bins.resize(bins);
    if (p.is_tiny && !raster_.rates) return wait({nullptr, index}, p.left, p.top);
    Chunk& chunk = workspace_.chunks[index / kChunk];
    for (; chunk.next < chunk.threads.size() && chunk.threads[chunk.next].primitive == index; ++chunk.next) {
      const PixelThread& thread = chunk.threads[chunk.next];
      wait({&thread, index}, static_cast<std::int32_t>(thread.subspans[0] & 0xffffu),
           static_cast<std::int32_t>(thread.subspans[0] >> 16));
    }
  }

  [[nodiscard]] std::size_t columns() const { return raster_.width / kBin + 1; }
  void wait(const Waiting& waiting, std::int32_t x, std::int32_t y) {
    const std::size_t at = static_cast<std::size_t>(y / kBin) * columns() + static_cast<std::size_t>(x / kBin);
    std::vector<Waiting>& bin = workspace_.bins[at];
    if (bin.empty()) workspace_.used.push_back(at);
    bin.push_back(waiting);
  }

  /// Runs what is in the bins, each in order, and sets up what comes next meanwhile. `end`: the primitive behind the
  /// last one.
  bool run_bins(std::uint32_t end) {
    if (workspace_.used.empty()) return true;
    std::atomic<bool> good{true};
    const std::size_t more = !ahead_ && end_ < mesh_.count() ? 1 : 0;
    for_each_item(context_, context_.workers, workspace_.used.size() + more, [&](unsigned number, std::uint64_t item) {
      if (item < more) return set_up_next(), true;
      PixelWorker& w = worker(number);
      for (const Waiting& waiting : workspace_.bins[workspace_.used[static_cast<std::size_t>(item) - more]])
        if (!(waiting.thread != nullptr ? w.run(*waiting.thread) : run_small(w, waiting.primitive)))
          return good.store(false), false;
      if (!w.flush()) return good.store(false), false;
      return true;
    });
    for (const std::size_t bin : workspace_.used) workspace_.bins[bin].clear();
    workspace_.used.clear();
    report(end, 0);
    return good.load();
  }

  const Shared& shared_;
  const PixelPlan& plan_;
  const Mesh& mesh_;
  const RasterState& raster_;
  RunContext& context_;
  Workspace& workspace_;
  SetUp set_up_;
  PrimitiveList *primitives_ = &workspace_.primitives[0], *next_ = &workspace_.primitives[1];
  std::size_t begin_ = 0, end_ = 0;  ///< of the mesh: what primitives() are of
  std::size_t next_end_ = 0;         ///< and the end of those behind them
  bool ahead_ = false;               ///< which are set up
  std::uint32_t first_ = 0;          ///< number of the first of primitives()
  const bool joins_;
  const bool tiny_;  ///< tiny primitives run as such
  const bool free_;  ///< nobody sees which threads there are
  std::function<void(double)> progress_;
};

engine::jit::KernelOptions kernel_options(const PixelPlan& plan) {
  static const machine::PixelState kAny;
  engine::jit::KernelOptions options;
  options.simd = plan.simd;
  options.pixels = &kAny;
  options.row = row_layout(plan);
  return options;
}

}  // namespace

struct PixelProgram::Impl {
  Impl(std::shared_ptr<const Program> p, PixelPlan pixels, const Bound& slots, const CodeOptions& options)
      : program(std::move(p)),
        plan(std::move(pixels)),
        shows_order(order_shows(program->kernel().code())),
        gives_depth(sends_depth(program->kernel().code())),
        code(std::make_shared<const PlanCode>(*program, slots.bindings, kernel_options(plan), options)) {}
  /// With the samples of its plan in other places.
  Impl(const Impl& from, PixelPlan moved)
      : program(from.program),
        plan(std::move(moved)),
        shows_order(from.shows_order),
        gives_depth(from.gives_depth),
        code(from.code) {}
  const std::shared_ptr<const Program> program;
  const PixelPlan plan;
  const bool shows_order, gives_depth;
  const std::shared_ptr<const PlanCode> code;
  Workspaces<Workspace> workspaces;
};

PixelProgram::PixelProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PixelProgram::~PixelProgram() = default;

std::shared_ptr<const PixelProgram> PixelProgram::create(std::shared_ptr<const Program> program, PixelPlan plan,
                                                         const Bound& slots, const CodeOptions& options) {
  return std::shared_ptr<const PixelProgram>(
      new PixelProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

std::shared_ptr<const PixelProgram> PixelProgram::with_positions(std::vector<SamplePosition> positions) const {
  PixelPlan plan = impl_->plan;
  plan.positions = std::move(positions);
  return std::shared_ptr<const PixelProgram>(new PixelProgram(std::make_unique<Impl>(*impl_, std::move(plan))));
}

const Program& PixelProgram::program() const { return *impl_->program; }
const PixelPlan& PixelProgram::plan() const { return impl_->plan; }

std::shared_ptr<const engine::jit::Kernel> PixelProgram::prepare(const Draw& draw, const Bound& bound,
                                                                 std::string& why_reference) const {
  std::shared_ptr<const engine::jit::BoundKernel> found;
  return impl_->code->find(found, bound.bindings, draw.state, nullptr, why_reference) ? found->kernel : nullptr;
}

namespace {

/// Whether the draw has lines whose coverage goes into alpha (RAS-8).
bool is_smooth(const PixelPlan& plan, const Draw& draw) {
  const bool edges = draw.raster.polygon_mode == PolygonMode::Line && !draw.mesh.triangles.empty();
  return plan.line_alpha && draw.raster.line_mode == LineMode::Smooth && (edges || !draw.mesh.lines.empty());
}

/// What of the state the kernel's own messages do; null where they do all of it (FBO-1, FBO-3), or what is more.
/// `free`: is_free().
const Divided* divide(Workspace& workspace, const PixelPlan& plan, const Draw& draw, bool counts, bool free) {
  const bool smooth = is_smooth(plan, draw);
  // Of kernels that drop nothing, late tests leave the same (FBO-5).
  const bool same = free && plan.keeps_fragments && !plan.post_depth_coverage && draw.state &&
                    !draw.state->output.alpha_to_coverage && !draw.state->output.alpha_test;
  const bool early = plan.early_tests && !same && draw.state && (draw.state->depth || draw.state->stencil);
  if (!early && !counts && !smooth) return nullptr;
  if (workspace.divided && workspace.divided->identity == draw.state.identity() &&
      workspace.divided->counts == counts && workspace.divided->smooth == smooth &&
      (workspace.divided->early != nullptr) == early)
    return &*workspace.divided;
  workspace.divided.reset();  // what refers to the draw's surfaces goes first
  Divided& made = workspace.divided.emplace();
  made.identity = draw.state.identity();
  made.counts = counts;
  made.smooth = smooth;
  auto state =
      draw.state ? std::make_shared<machine::PixelState>(*draw.state) : std::make_shared<machine::PixelState>();
  state->line_coverage = smooth;
  if (counts) state->samples_passed = made.samples_passed = std::make_shared<std::atomic<std::uint64_t>>(0);
  if (early) {
    made.early = std::make_unique<EarlyTests>(plan, std::make_shared<const machine::PixelState>(*state));
    state->depth = state->stencil = nullptr;
    state->samples_passed = nullptr;
  }
  made.state = std::move(state);
  return &made;
}

/// How the draw's tiles see its state; null where it is not known what becomes of their depths, which are forgotten
/// then (FBO-5).
const TileTest* find_tile_test(Workspace& workspace, const Draw& draw, bool free) {
  if (draw.tiles == nullptr || !draw.state || !draw.state->depth) return nullptr;
  const image::OutputState& output = draw.state->output;
  if (!output.depth_test && !output.depth_write) return nullptr;
  if (free && (!workspace.tile_test || workspace.tile_test_of != draw.state.identity())) {
    workspace.tile_test.emplace(*draw.state);
    workspace.tile_test_of = draw.state.identity();
  }
  if (free && workspace.tile_test->is_usable()) {
    draw.tiles->use(*draw.state->depth);
    return &*workspace.tile_test;
  }
  if (output.depth_write) draw.tiles->forget();
  return nullptr;
}

}  // namespace

bool PixelProgram::run(const Draw& draw, const Bound& bound, RunContext& context, Counters& counters) const {
  static const machine::PixelState kNone;
  std::string why_not;
  auto workspace = impl_->workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  const bool free = is_free(impl_->plan, impl_->shows_order, draw.raster, context);
  const bool smooth = is_smooth(impl_->plan, draw);
  const Divided* divided = divide(*workspace, impl_->plan, draw, context.count_samples, free);
  const machine::Resource<machine::PixelState> state = divided != nullptr ? divided->state : draw.state;
  const bool fast = !context.wants_reference() &&
                    impl_->code->find(workspace->kernel, bound.bindings, state, &context.budget, why_not);
  if (!fast) {  // whose workers are of another kind
    impl_->workspaces.give_back(std::move(workspace));
    workspace = std::make_unique<Workspace>();
    divided = divide(*workspace, impl_->plan, draw, context.count_samples, free);
  }
  const bool early = divided != nullptr && divided->early != nullptr;
  const Shared shared{impl_->plan,
                      impl_->program->kernel().code(),
                      fast ? impl_->code->prepared() : nullptr,
                      workspace->kernel.get(),
                      bound,
                      divided != nullptr ? *divided->state
                      : draw.state       ? *draw.state
                                         : kNone,
                      divided != nullptr ? divided->early.get() : nullptr,
                      impl_->shows_order,
                      find_tile_test(*workspace, draw, free && fast && !early && !smooth && !impl_->gives_depth),
                      draw.tiles,
                      draw.raster.sample_mask};
  RasterState unmasked;
  const bool masks_late = early && impl_->plan.post_depth_coverage;
  if (masks_late) {
    unmasked = draw.raster;
    unmasked.sample_mask = ~0u;
  }
  const bool good = DrawRun(shared, draw, masks_late ? unmasked : draw.raster, context, *workspace).run(counters);
  if (divided != nullptr && divided->samples_passed) counters.samples_passed += divided->samples_passed->exchange(0);
  if (fast) impl_->workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
