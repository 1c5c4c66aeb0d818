// SPDX-License-Identifier: MIT
#include "pipeline/compute/compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "pipeline/compute/compute_workers.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kMaxPrivateThreads = 4096;  // what %sr0 can number
constexpr std::uint32_t kPieceThreads = 512;        // that a worker takes at once, at most
constexpr std::uint64_t kManySteps = 65536;         // of a run: what takes longer than to wake somebody
constexpr std::uint64_t kPieces = 4;                // for each worker, so that all end at about the same time
constexpr std::uint32_t kFewThreads = 32;           // of a grid that is not worth waking anybody, if they are short

/// What is run, as far as its memory goes.
struct Kind {
  const ComputePlan& plan;
  std::uint64_t thread_bytes, payload_bytes;
  bool fast, has_barrier;
};

/// Sizes that groups of a grid have: a dimension may end with a smaller one.
std::uint32_t group_sizes(const Grid& grid) {
  std::uint32_t count = 1;
  for (std::size_t d = 0; d < 3; ++d)
    if (grid.groups[d] > 1 && grid.global[d] % grid.local[d] != 0) count *= 2;
  return count;
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
std::optional<std::uint64_t> group_bytes(const Kind& kind, const Grid& grid, RunContext& context) {
  const ComputePlan& plan = kind.plan;
  const auto refuse = [&](std::string message) {
    context.reports.add(base::limit_error("limit-memory", std::move(message)));
    return std::nullopt;
  };
  const unsigned threads = plan.threads_of(grid.local);
  // The fast engine keeps a payload for each thread of each size of group.
  const std::uint64_t payloads = kind.payload_bytes * (kind.fast ? group_sizes(grid) : 1);
  std::uint64_t bytes =
      std::uint64_t{threads} * (kind.thread_bytes * 2 + plan.scratch_bytes + payloads) + plan.slm_bytes + 1;
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

/// Whether so many threads take longer than to wake somebody.
bool is_long(std::uint64_t threads, std::uint64_t steps_of_one) {
  return threads >= kManySteps || steps_of_one >= kManySteps || threads * steps_of_one >= kManySteps;
}

/// Every worker keeps the threads of one group; the memory limit bounds their number. `steps_of_one`: that a thread
/// takes; 0: nobody knows.
unsigned worker_count(const Kind& kind, const Grid& grid, std::uint64_t bytes, std::uint64_t steps_of_one,
                      const RunContext& context) {
  const ComputePlan& plan = kind.plan;
  const unsigned threads = plan.threads_of(grid.local);
  const std::uint64_t groups = grid.group_count();
  if (groups <= 1) return 1;
  if (groups <= kFewThreads / std::max(1u, threads)) {
    const bool may_be_long = steps_of_one == 0 || is_long(groups * std::max(1u, threads), steps_of_one);
    if (!kind.fast || !may_be_long) return 1;
  }
  // What the fast engine's threads keep at a barrier is taken from the rest as it is needed; rarely more than twice
  // their registers, so that nobody hits the limit because there are several workers.
  const bool waits = kind.fast && kind.has_barrier;
  const std::uint64_t kept = waits ? threads * kind.thread_bytes * 2 : 0;
  const auto workers = static_cast<unsigned>(std::min<std::uint64_t>(
      {context.workers, groups, std::max<std::uint64_t>(1, context.memory_bytes / (bytes + kept))}));
  return plan.private_bytes == 0 ? workers
                                 : std::min(workers, std::max(1u, kMaxPrivateThreads / std::max(1u, threads)));
}

/// Threads that a worker takes at once: runs of few but long threads have some for everybody.
std::uint32_t piece_threads(std::uint64_t threads, std::uint64_t steps_of_one, unsigned workers) {
  if (workers == 1 || !is_long(threads, steps_of_one)) return kPieceThreads;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(threads / (workers * kPieces), 1, kPieceThreads));
}

/// Private memory for the threads of all workers, at an address that nothing else has.
void add_private_memory(const ComputePlan& plan, std::uint64_t threads, Bound& bound) {
  const std::uint64_t total = plan.private_bytes * plan.simd * threads;
  const auto memory = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(total));
  std::uint64_t base = 0x7000'0000'0000u;
  while (!bound.bindings.memory.add({base, total, memory->data(), memory, "private memory", false}))
    base += 0x100'0000'0000u;
  std::memcpy(bound.payload.data() + plan.private_base, &base, 8);
}

/// What the runs of the fast engine leave to the next.
struct Workspace {
  std::shared_ptr<const engine::jit::BoundKernel> kernel;
  std::vector<std::uint8_t> payload;
  std::vector<std::unique_ptr<FastWorker>> workers;
  std::uint64_t steps_of_thread = 0;  ///< in the last run, about
};

}  // namespace

struct ComputeProgram::Impl {
  Impl(std::shared_ptr<const Program> p, ComputePlan compute, const Bound& slots, const CodeOptions& options)
      : program(std::move(p)),
        plan(std::move(compute)),
        payload_bytes(slots.payload.size()),
        code(*program, slots.bindings, kernel_options(), options) {}

  [[nodiscard]] engine::jit::KernelOptions kernel_options() const {
    engine::jit::KernelOptions options;
    options.simd = plan.simd;
    options.own_bytes = plan.own_bytes(program->object(), payload_bytes);
    return options;
  }
  [[nodiscard]] Kind kind(bool fast) const {
    return {plan, program->kernel().thread_bytes(), payload_bytes, fast, fast && code.prepared()->graph().has_barrier};
  }
  void fill_payload(std::vector<std::uint8_t>& payload, const Grid& grid, const Bound& bound) const {
    payload.assign(bound.payload.begin(), bound.payload.end());
    payload.resize(payload_bytes);
    plan.put_grid(payload, grid);
  }
  class FastRun;
  bool run_reference(const Grid& grid, const Bound& bound, unsigned workers, RunContext& context,
                     Counters& counters) const;

  const std::shared_ptr<const Program> program;
  const ComputePlan plan;
  const std::size_t payload_bytes;
  const PlanCode code;
  Workspaces<Workspace> workspaces;
};

/// A run of the fast engine: rows of groups that are alike, piece by piece.
class ComputeProgram::Impl::FastRun {
 public:
  FastRun(const Impl& of, Workspace& workspace, const Grid& grid, const Bound& bound, unsigned workers,
          RunContext& context)
      : of_(of),
        workspace_(workspace),
        grid_(grid),
        bound_(bound),
        workers_(workers),
        context_(context),
        threads_(std::max(1u, of.plan.threads_of(grid.local))),
        groups_(grid.group_count()) {
    if (workspace.workers.size() < workers) workspace.workers.resize(workers);
    of.fill_payload(workspace.payload, grid, bound);
  }
  [[nodiscard]] std::uint64_t threads() const { return std::max<std::uint64_t>(1, groups_ * threads_); }

  bool run(std::uint64_t steps_of_one) {
    workspace_.kernel->kernel->expect(threads());
    if (is_one_piece(steps_of_one)) return run_piece(0, {}, grid_.groups[0]) && show_all_done();
    if (workers_ == 1 || steps_of_one != 0) return share(steps_of_one);
    if (!look(steps_of_one)) return false;
    return done_ == groups_ ? show_all_done() : share(steps_of_one);
  }
  /// Instructions of a thread, about.
  std::uint64_t end(Counters& counters) {
    std::uint64_t ran = 0;
    for (const auto& worker : workspace_.workers)
      if (worker && worker->runs()) ran += worker->end_run(counters);
    return std::max<std::uint64_t>(1, ran / threads());
  }

 private:
  /// What share() would divide into one piece, without its arithmetic: programs have many small dispatches.
  [[nodiscard]] bool is_one_piece(std::uint64_t steps_of_one) const {
    return grid_.groups[1] == 1 && grid_.groups[2] == 1 && groups_ != 0 && threads() <= kPieceThreads &&
           (workers_ == 1 || (steps_of_one != 0 && !is_long(threads(), steps_of_one)));
  }
  bool show_all_done() {
    if (context_.progress) context_.progress(1);
    return true;
  }
  /// Groups from the first one to `end` of its row.
  bool run_piece(unsigned index, const std::array<std::uint32_t, 3>& first, std::uint32_t end) {
    auto& worker = workspace_.workers[index];
    if (!worker) worker = std::make_unique<FastWorker>(of_.plan, *of_.code.prepared());
    if (!worker->runs())
      worker->begin_run(*workspace_.kernel, bound_.bindings, workspace_.payload, context_, index * threads_,
                        workers_ == 1 && context_.owns_memory);
    return worker->run(grid_, first, end, context_);
  }
  [[nodiscard]] std::array<std::uint32_t, 3> in_row(std::uint64_t row, std::uint32_t x) const {
    return {x, static_cast<std::uint32_t>(row % grid_.groups[1]), static_cast<std::uint32_t>(row / grid_.groups[1])};
  }
  /// The first groups, on this thread, until what is left is known to be worth sharing: nobody knows before how long a
  /// thread of a program takes that never ran, and to wake others for what is short costs more than it takes.
  bool look(std::uint64_t& steps_of_one) {
    for (std::uint32_t piece = 1; done_ < groups_; piece = std::min(2 * piece, kPieceThreads)) {
      const auto x = static_cast<std::uint32_t>(done_ % grid_.groups[0]);
      const std::uint32_t end = x + std::min(piece, grid_.groups[0] - x);
      if (!run_piece(0, in_row(done_ / grid_.groups[0], x), end)) return false;
      done_ += end - x;
      steps_of_one = std::max<std::uint64_t>(1, workspace_.workers[0]->steps() / (done_ * threads_));
      const std::uint64_t left = (groups_ - done_) * threads_;
      if (left > kPieceThreads || (left != 0 && is_long(left, steps_of_one))) break;
    }
    return true;
  }
  /// What is left. A row in x has pieces, the last of which may be shorter, and its last group may be smaller.
  bool share(std::uint64_t steps_of_one) {
    const std::uint64_t left = std::max<std::uint64_t>(1, (groups_ - done_) * threads_);
    const std::uint32_t at_once = piece_threads(left, steps_of_one, workers_) / threads_;
    const std::uint32_t width = grid_.groups[0], piece = std::max(1u, std::min(at_once, width));
    const std::uint64_t pieces = width / piece + (width % piece != 0 ? 1 : 0);
    const std::uint64_t rows = std::uint64_t{grid_.groups[1]} * grid_.groups[2];
    const auto begun = static_cast<std::uint32_t>(done_ != 0 ? done_ % width : 0);
    const std::uint64_t first = done_ != 0 ? done_ / width * pieces + begun / piece : 0;
    return for_each_item(context_, workers_, pieces * rows - first, [&](unsigned index, std::uint64_t item) {
      const auto x = static_cast<std::uint32_t>((first + item) % pieces * piece), end = std::min(width, x + piece);
      return run_piece(index, in_row((first + item) / pieces, item == 0 ? std::max(x, begun) : x), end);
    });
  }

  const Impl& of_;
  Workspace& workspace_;
  const Grid& grid_;
  const Bound& bound_;
  const unsigned workers_;
  RunContext& context_;
  const std::uint32_t threads_;  ///< of a group
  const std::uint64_t groups_;
  std::uint64_t done_ = 0;  ///< groups that look() ran
};

bool ComputeProgram::Impl::run_reference(const Grid& grid, const Bound& bound, unsigned workers, RunContext& context,
                                         Counters& counters) const {
  std::vector<std::uint8_t> payload;
  fill_payload(payload, grid, bound);
  std::vector<std::unique_ptr<ReferenceWorker>> pool(workers);
  const bool good = for_each_item(context, workers, grid.group_count(), [&](unsigned index, std::uint64_t item) {
    auto& worker = pool[index];
    if (!worker)
      worker = std::make_unique<ReferenceWorker>(plan, program->kernel().code(), bound.bindings, payload, context);
    return worker->run(grid, grid.group_id(item), index * plan.threads_of(grid.local));
  });
  for (const auto& worker : pool)
    if (worker) worker->add_to(counters);
  return good;
}

ComputeProgram::ComputeProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ComputeProgram::~ComputeProgram() = default;

std::shared_ptr<const ComputeProgram> ComputeProgram::create(std::shared_ptr<const Program> program, ComputePlan plan,
                                                             const Bound& slots, const CodeOptions& options) {
  return std::shared_ptr<const ComputeProgram>(
      new ComputeProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

const Program& ComputeProgram::program() const { return *impl_->program; }
const ComputePlan& ComputeProgram::plan() const { return impl_->plan; }

std::shared_ptr<const engine::jit::CompiledKernel> ComputeProgram::prepare(const Bound& bound,
                                                                           std::string& why_reference) const {
  std::shared_ptr<const engine::jit::BoundKernel> found;
  return impl_->code.find(found, bound.bindings, nullptr, nullptr, why_reference) ? found->kernel : nullptr;
}

bool ComputeProgram::run(const Grid& grid, const Bound& bound, RunContext& context, Counters& counters) const {
  const ComputePlan& plan = impl_->plan;
  auto workspace = impl_->workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  std::string why_not;
  const bool fast = !context.wants_reference() &&
                    impl_->code.find(workspace->kernel, bound.bindings, nullptr, &context.budget, why_not);
  const auto run = [&](const Bound& with, unsigned workers) {
    if (!fast) return impl_->run_reference(grid, with, workers, context, counters);
    Impl::FastRun fast_run(*impl_, *workspace, grid, with, workers, context);
    const bool good = fast_run.run(workspace->steps_of_thread);
    workspace->steps_of_thread = fast_run.end(counters);
    return good;
  };
  bool good = false;
  const Kind kind = impl_->kind(fast);
  if (const auto bytes = group_bytes(kind, grid, context)) {
    const unsigned workers = worker_count(kind, grid, *bytes, workspace->steps_of_thread, context);
    const Reserved reserved(context.budget, workers * *bytes);
    if (reserved.good && plan.private_bytes == 0) {
      good = run(bound, workers);
    } else if (reserved.good) {
      Bound with_private = bound;
      add_private_memory(plan, std::uint64_t{plan.threads_of(grid.local)} * workers, with_private);
      good = run(with_private, workers);
    }
  }
  impl_->workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
