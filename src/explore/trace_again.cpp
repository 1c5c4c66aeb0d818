// SPDX-License-Identifier: MIT
// A thread that was not traced, once more.
#include <algorithm>

#include "explore/command_run.hpp"
#include "explore/exploration.hpp"
#include "explore/trace_view.hpp"

namespace heddle::explore {
namespace {

constexpr std::uint32_t kNeighborhood = 32;  ///< pixels on a side; an even number, so that quads stay whole

/// Numbers of the threads that met a pixel, in their order, each once.
std::vector<std::uint32_t> threads_at(std::span<const Fragment> fragments, std::uint32_t x, std::uint32_t y) {
  std::vector<std::uint32_t> threads;
  for (const Fragment& f : fragments)
    if (f.x == x && f.y == y && f.thread != kNoThread && std::ranges::find(threads, f.thread) == threads.end())
      threads.push_back(f.thread);
  return threads;
}

/// The command with a scissor around the pixel, within its own.
CommandInput confined(const CommandInput& command, std::uint32_t x, std::uint32_t y) {
  CommandInput near = command;
  const auto left = static_cast<std::int32_t>(x / kNeighborhood * kNeighborhood),
             top = static_cast<std::int32_t>(y / kNeighborhood * kNeighborhood);
  std::array<std::int32_t, 4> box{left, top, kNeighborhood, kNeighborhood};
  if (const auto& own = command.job.pixels->scissor) {
    const std::int32_t right = std::min(left + box[2], (*own)[0] + (*own)[2]),
                       bottom = std::min(top + box[3], (*own)[1] + (*own)[3]);
    box[0] = std::max(left, (*own)[0]);
    box[1] = std::max(top, (*own)[1]);
    box[2] = std::max(0, right - box[0]);
    box[3] = std::max(0, bottom - box[1]);
  }
  near.job.pixels->scissor = box;
  return near;
}

bool same_end(const Fragment& a, const Fragment& b) {
  return a.fate == b.fate && a.color == b.color && a.before == b.before && a.after == b.after &&
         a.primitive == b.primitive && a.instruction == b.instruction;
}

struct Again {
  std::unique_ptr<CommandRun> run;
  std::unique_ptr<Recorder> recorder;
};

bool run_again(const CommandInput& command, const Choice& choice, bool fragments, Again& again) {
  auto made = CommandRun::prepare(command);
  if (!made.ok()) return false;
  again.run = std::move(*made);
  again.recorder = std::make_unique<Recorder>(
      WatchedPrograms{command.program.program, command.stages}, choice,
      [&run = *again.run](const image::Surface& surface) { return run.number_of(surface); }, fragments);
  return again.run->run(again.recorder.get(), {}).ok();
}

/// The thread in a run of its neighborhood; nothing where that left something else at the pixel.
std::optional<std::string> trace_near(const CommandInput& command, const Fragment& wanted,
                                      std::span<const Fragment> fragments) {
  const auto threads = threads_at(fragments, wanted.x, wanted.y);
  const auto place = std::ranges::find(threads, wanted.thread) - threads.begin();
  const auto lanes_there = [&](const machine::Thread& thread, const ThreadName& name) {
    std::uint32_t all = 0;
    if (name.stage) return all;
    for (std::uint32_t lane = 0; lane < 32; ++lane)
      if ((thread.setup().dispatch_mask >> lane & 1u) != 0) {
        const auto at = place_of(thread, lane);
        if (at[0] == wanted.x && at[1] == wanted.y) all = thread.setup().dispatch_mask;
      }
    return all;
  };
  Again again;
  if (!run_again(confined(command, wanted.x, wanted.y), lanes_there, true, again)) return std::nullopt;
  std::vector<Fragment>& found = again.recorder->fragments();
  std::erase_if(found, [&](const Fragment& f) { return f.x != wanted.x || f.y != wanted.y; });
  std::vector<Fragment> expected;
  for (const Fragment& f : fragments)
    if (f.x == wanted.x && f.y == wanted.y) expected.push_back(f);
  if (!std::ranges::equal(found, expected, same_end)) return std::nullopt;
  const auto now = threads_at(found, wanted.x, wanted.y);
  if (static_cast<std::size_t>(place) >= now.size()) return std::nullopt;
  const std::uint32_t number = now[static_cast<std::size_t>(place)];
  for (ThreadTrace& trace : again.recorder->traces())
    if (trace.thread == number) {
      trace.thread = wanted.thread;
      return describe_trace(trace);
    }
  return std::nullopt;
}

}  // namespace

std::vector<ThreadTrace> trace_front(const CommandInput& command, const FrontThreads& threads) {
  CommandInput little = command;
  if (little.job.pixels) little.job.pixels->scissor = std::array<std::int32_t, 4>{0, 0, 1, 1};
  const auto chosen = [&](const machine::Thread& running, const ThreadName& name) {
    return name.stage && threads.contains({*name.stage, name.number}) ? running.setup().dispatch_mask : 0;
  };
  Again again;
  if (!run_again(little, chosen, false, again)) return {};
  return std::move(again.recorder->traces());
}

std::optional<std::string> Exploration::trace_front_thread(std::size_t command, isa::ShaderStage stage,
                                                           std::uint32_t thread) const {
  const auto traces = trace_front(commands_[command], {{stage, thread}});
  return traces.empty() ? std::nullopt : std::optional(describe_trace(traces.front()));
}

std::optional<std::string> Exploration::trace_thread(std::size_t command, std::uint32_t thread,
                                                     std::span<const Fragment> fragments) const {
  const CommandInput& input = commands_[command];
  if (input.job.pixels) {
    const auto wanted = std::ranges::find(fragments, thread, &Fragment::thread);
    if (wanted != fragments.end())
      if (auto near = trace_near(input, *wanted, fragments)) return near;
  }
  Again again;
  const auto that_one = [&](const machine::Thread& running, const ThreadName& name) {
    return !name.stage && name.number == thread ? running.setup().dispatch_mask : 0;
  };
  if (!run_again(input, that_one, false, again) || again.recorder->traces().empty()) return std::nullopt;
  return describe_trace(again.recorder->traces().front());
}

}  // namespace heddle::explore
