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
std::vector<std::uint32_t> threads_of(std::span<const Fragment> pixel) {
  std::vector<std::uint32_t> threads;
  for (const Fragment& f : pixel)
    if (f.thread != kNoThread && std::ranges::find(threads, f.thread) == threads.end()) threads.push_back(f.thread);
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

bool run_again(const CommandInput& command, const std::vector<CommandImage>* images, const Choice& choice,
               bool fragments, Again& again) {
  if (images != nullptr) {
    again.run = CommandRun::prepare_again(command, *images);
  } else {
    auto made = CommandRun::prepare(command);
    if (!made.ok()) return false;
    again.run = std::move(*made);
  }
  again.recorder = std::make_unique<Recorder>(
      WatchedPrograms{command.program.program, command.stages}, choice,
      [&run = *again.run](const image::Surface& surface) { return run.number_of(surface); }, fragments);
  return again.run->run(again.recorder.get(), {}).ok();
}

/// The thread in a run of its neighborhood; nothing where that left something else at the pixel. `expected`: the
/// pixel's fragments.
std::optional<std::string> trace_near(const CommandInput& command, const std::vector<CommandImage>* images,
                                      const Fragment& wanted, std::span<const Fragment> expected) {
  const auto threads = threads_of(expected);
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
  if (!run_again(confined(command, wanted.x, wanted.y), images, lanes_there, true, again)) return std::nullopt;
  std::vector<Fragment>& found = again.recorder->fragments();
  std::erase_if(found, [&](const Fragment& f) { return f.x != wanted.x || f.y != wanted.y; });
  if (!std::ranges::equal(found, expected, same_end)) return std::nullopt;
  const auto now = threads_of(found);
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

std::vector<ThreadTrace> trace_front(const CommandInput& command, const FrontThreads& threads,
                                     const std::vector<CommandImage>* images) {
  CommandInput little = command;
  if (little.job.pixels) little.job.pixels->scissor = std::array<std::int32_t, 4>{0, 0, 1, 1};
  const auto chosen = [&](const machine::Thread& running, const ThreadName& name) {
    return name.stage && threads.contains({*name.stage, name.number}) ? running.setup().dispatch_mask : 0;
  };
  Again again;
  if (!run_again(little, images, chosen, false, again)) return {};
  return std::move(again.recorder->traces());
}

const std::vector<CommandImage>* Exploration::images_of(std::size_t command) {
  if (images_ == nullptr || images_command_ != command) {
    auto made = CommandRun::prepare(commands_[command]);
    if (!made.ok()) return nullptr;
    images_ = std::make_shared<std::vector<CommandImage>>(std::move((*made)->images()));
    images_command_ = command;
  }
  // What compresses samples, and lies beside the texels, would be that of the run before.
  const auto plain = [](const CommandImage& image) { return image.surface->mcs == nullptr; };
  return std::ranges::all_of(*images_, plain) ? images_.get() : nullptr;
}

std::optional<std::string> Exploration::trace_front_thread(std::size_t command, isa::ShaderStage stage,
                                                           std::uint32_t thread) {
  const auto traces = trace_front(commands_[command], {{stage, thread}}, images_of(command));
  return traces.empty() ? std::nullopt : std::optional(describe_trace(traces.front()));
}

std::optional<std::string> Exploration::trace_thread(std::size_t command, std::uint32_t thread,
                                                     std::span<const Fragment> fragments, const Fragment* at) {
  const CommandInput& input = commands_[command];
  const std::vector<CommandImage>* const images = images_of(command);
  if (input.job.pixels && at != nullptr)
    if (auto near = trace_near(input, images, *at, fragments_at(fragments, at->x, at->y))) return near;
  Again again;
  const auto that_one = [&](const machine::Thread& running, const ThreadName& name) {
    return !name.stage && name.number == thread ? running.setup().dispatch_mask : 0;
  };
  if (!run_again(input, images, that_one, false, again) || again.recorder->traces().empty()) return std::nullopt;
  return describe_trace(again.recorder->traces().front());
}

}  // namespace heddle::explore
