// SPDX-License-Identifier: MIT
#pragma once
// One command's runs: its images stay at hand, before and after.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explore/exploration.hpp"
#include "explore/recording/recorder.hpp"
#include "image/surface.hpp"
#include "machine/report.hpp"

namespace heddle::explore {

/// An image of the job.
struct CommandImage {
  std::string name;
  std::string role;  ///< "target", "depth", "stencil", "storage" (written otherwise), or "read"
  std::shared_ptr<image::Surface> surface;
  std::vector<std::uint8_t> before;  ///< the bytes before the run

  [[nodiscard]] bool written() const { return role != "read"; }
  /// The surface as it was.
  [[nodiscard]] image::Surface at_start() const;
};

/// A run with images that the caller keeps.
class CommandRun {
 public:
  /// Reads files and allocates. Ids: those of load_resources.
  [[nodiscard]] static base::Result<std::unique_ptr<CommandRun>> prepare(const CommandInput& command);
  /// The same of a command whose images were read before: those of an earlier run of it, which stay as they are.
  [[nodiscard]] static std::unique_ptr<CommandRun> prepare_again(const CommandInput& command,
                                                                 const std::vector<CommandImage>& images);
  /// As the job says, or under a recorder.
  [[nodiscard]] base::Result<job::Summary> run(Recorder* recorder, const std::function<void(double)>& progress);

  [[nodiscard]] std::vector<CommandImage>& images() { return images_; }
  [[nodiscard]] std::uint32_t number_of(const image::Surface& surface) const;
  [[nodiscard]] const std::vector<machine::Finding>& findings() const { return findings_; }
  [[nodiscard]] const std::vector<std::string>& printed() const { return printed_; }

 private:
  explicit CommandRun(const CommandInput& command);
  void bind_images();
  void find_roles();
  const CommandInput& command_;
  job::Job job_;
  std::vector<CommandImage> images_;
  std::vector<machine::Finding> findings_;
  std::vector<std::string> printed_;
};

/// Threads of stages before the pixels, each a stage and a number.
using FrontThreads = std::set<std::pair<isa::ShaderStage, std::uint32_t>>;
/// Their traces: the command is run once more, with a scissor of one pixel. Empty where it fails. `images`: of an
/// earlier run, or null.
[[nodiscard]] std::vector<ThreadTrace> trace_front(const CommandInput& command, const FrontThreads& threads,
                                                   const std::vector<CommandImage>* images = nullptr);

}  // namespace heddle::explore
