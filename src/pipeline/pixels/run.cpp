// SPDX-License-Identifier: MIT
// Rules: FBO-1, FBO-3, FBO-5, PIX-10, PIX-11, RAS-8.
#include "pipeline/pixels/draw_run.hpp"
#include "pipeline/pixels/pixels.hpp"

namespace heddle::pipeline {
namespace {

using Shared = PixelShared;

/// A draw's state as the kernel gets it, where the pipeline does a part of what it says.
struct Divided {
  std::uint64_t identity = 0;  ///< of the draw's state
  bool counts = false, smooth = false;
  machine::Resource<machine::PixelState> state;
  std::unique_ptr<const EarlyTests> early;
  std::shared_ptr<std::atomic<std::uint64_t>> samples_passed;
};

/// What draws leave to the next.
struct Workspace : DrawWorkspace {
  std::optional<Divided> divided;
  std::optional<TileTest> tile_test;
  std::uint64_t tile_test_of = 0;  ///< identity of the draw's state
  std::shared_ptr<const engine::jit::BoundKernel> kernel;
};

/// Whether the order of a primitive's threads is seen from outside: some instruction does more than read memory and
/// write the thread's own pixels.
bool order_shows(const machine::Code& code) {
  for (const machine::PreparedObject& object : code.objects)
    for (const machine::Decoded& d : object.code)
      if (d.description == nullptr || !(d.description->traits.private_effects || d.description->traits.only_reads))
        return true;
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

std::shared_ptr<const engine::jit::CompiledKernel> PixelProgram::prepare(const Draw& draw, const Bound& bound,
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

bool PixelProgram::run(const Draw& draw, const Bound& bound, RunContext& context, Counters& counters,
                       MeshPieces* pieces) const {
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
  const bool good =
      DrawRun(shared, draw, masks_late ? unmasked : draw.raster, context, *workspace).run(pieces, counters);
  if (divided != nullptr && divided->samples_passed) counters.samples_passed += divided->samples_passed->exchange(0);
  if (fast) impl_->workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
