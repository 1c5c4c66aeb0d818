// SPDX-License-Identifier: MIT
#pragma once
// Commands that are explored: each is run as it is drawn, and again under a Recorder; what both leave becomes
// documents.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "explore/documents/documents.hpp"
#include "explore/documents/program_view.hpp"
#include "job/run/run.hpp"

namespace heddle::explore {

struct Fragment;
struct CommandImage;

struct CommandInput;

/// What is changed of a command to see what would be: a flag of `heddle run` without its dashes, and its value.
struct Change {
  std::string flag;  ///< "sampler", "state" or "arg": none of them names files
  std::string text;  ///< "wall=address=clamp_to_edge"
};
/// The command with changes. Ids: explore-change, and those of runs.
using Changer = std::function<base::Result<CommandInput>(const std::vector<Change>&)>;

/// A draw or a dispatch as a job.
struct CommandInput {
  std::string name;                 ///< as the list of commands shows it
  std::string command_line;         ///< that repeats it on a terminal
  std::string label;                ///< that the program gave; may be empty
  std::vector<std::string> before;  ///< passes and transfers since the command before it
  job::Job job;
  ProgramInput program;
  isa::PerStage<const isa::Program*> stages;
  isa::PerStage<ProgramInput> front;  ///< the same programs as the page shows them
  std::shared_ptr<void> owner;        ///< of the programs
  Changer changer;                    ///< may be empty: nothing can be changed
  std::optional<std::size_t> of;      ///< number of the command that this one is a change of
};

struct Rectangle {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  [[nodiscard]] bool has(std::uint32_t px, std::uint32_t py) const {
    return px >= x && py >= y && px - x < width && py - y < height;
  }
};

/// A pixel that somebody asks about, of a picture that a command has left in one of its images.
struct Beginning {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  std::string sha256;  ///< of the picture's texels
};

/// The command that wrote that pixel last, and the image: where the page begins.
struct Start {
  std::size_t command = 0;
  std::string image;
  std::uint32_t x = 0, y = 0;
};

/// What a command has to do with that picture.
struct PictureTraces {
  std::string image;     ///< the image of its size that it writes; empty: it has none
  bool whole = false;    ///< the image is the picture when the command has run
  bool touched = false;  ///< the command wrote the pixel
};

struct ExploreOptions {
  /// Pixels, or global ids of invocations; empty: a square in the middle, or around where the page begins.
  std::vector<Rectangle> traced;
  std::uint32_t findings = 64;           ///< so many pixels with findings are traced
  std::function<void(double)> progress;  ///< part done, 0 to 1
  /// Gets how many threads of a command are at what `traced` asks for.
  std::function<void(std::size_t threads)> count_traced;
  /// Gets the fragments of each command.
  std::function<void(std::size_t command, std::vector<Fragment>)> keep;
  std::optional<Beginning> begin;
  std::function<void(const Start&)> started;  ///< some command has an image of that size
};

class Exploration {
 public:
  explicit Exploration(std::string title) : title_(std::move(title)) {}
  void add(CommandInput command) { commands_.push_back(std::move(command)); }
  /// Passes and transfers behind the last command.
  void add_behind(std::vector<std::string> lines) { behind_ = std::move(lines); }
  [[nodiscard]] std::size_t size() const { return commands_.size(); }
  void remove_last() {
    commands_.pop_back();
    images_ = nullptr;
  }
  [[nodiscard]] const CommandInput& command(std::size_t number) const { return commands_[number]; }

  /// Runs all commands. Ids: those of runs.
  [[nodiscard]] base::Result<Documents> explore(const ExploreOptions& options) const;
  /// One command: its documents, and its part of the index. `traces`: how it has to do with `options.begin`.
  [[nodiscard]] base::Result<std::string> explore_command(std::size_t number, const ExploreOptions& options,
                                                          Documents& documents, PictureTraces* traces = nullptr) const;
  /// The document trace/COMMAND/THREAD of any thread: the command is run again. `at`: a fragment of the thread's, or
  /// null, of `fragments`, which are the command's in the order of documents; a draw is then confined to the thread's
  /// neighborhood, and run whole only if that leaves something else. Nothing where there is no such thread. Both are
  /// asked by one thread at a time: the images of the command that was asked for last are kept.
  [[nodiscard]] std::optional<std::string> trace_thread(std::size_t command, std::uint32_t thread,
                                                        std::span<const Fragment> fragments, const Fragment* at);
  /// The document trace/COMMAND/STAGE/THREAD of any thread of a stage before the pixels: the command is run again.
  [[nodiscard]] std::optional<std::string> trace_front_thread(std::size_t command, isa::ShaderStage stage,
                                                              std::uint32_t thread);
  /// The document `index` of commands' parts.
  [[nodiscard]] std::string index(const std::vector<std::string>& commands,
                                  const std::optional<Start>& start = {}) const;

 private:
  /// Of the command, before it runs; null where they can't be read.
  [[nodiscard]] const std::vector<CommandImage>* images_of(std::size_t command);

  std::string title_;
  std::vector<CommandInput> commands_;
  std::size_t images_command_ = 0;
  std::shared_ptr<const std::vector<CommandImage>> images_;  ///< of that command; null: of none
  std::vector<std::string> behind_;
};

/// The rules that the page shows: id, title and text.
[[nodiscard]] std::string rules_document();

}  // namespace heddle::explore
