// SPDX-License-Identifier: MIT
// heddle golden: frames of a Vulkan program, recorded and compared bit for bit.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bits/bits.hpp"
#include "base/file.hpp"
#include "tools/command_line/console.hpp"
#include "tools/command_line/flags.hpp"
#include "tools/commands.hpp"
#include "tools/golden/comparison.hpp"
#include "tools/golden/files.hpp"
#include "tools/golden/merge.hpp"
#include "tools/golden/recording.hpp"
#include "tools/golden/shards.hpp"
#include "tools/run/explore_program.hpp"
#include "tools/services/driver.hpp"
#include "tools/services/temporary_folder.hpp"

namespace heddle::tools {
namespace {

namespace fs = std::filesystem;

struct GoldenOptions {
  std::string action, folder;
  std::vector<std::string> words, inputs, objects;  ///< the program, or parts
  std::string frames, shard, junit, differences, explore;
  unsigned shards = 0, jobs = 0, retries = 1;
  bool targets = false, files = false, stops = false, quiet = false;
};

base::ExitCode fail(const std::vector<base::Diagnostic>& list) {
  print_diagnostics(list);
  return exit_code(list);
}

base::ExitCode usage(const std::string& message, const std::string& note) {
  print_diagnostics({base::error("usage-flag", message, base::Place::command_line()).note(note)});
  return base::ExitCode::Usage;
}

void say(const GoldenOptions& o, const std::string& line) {
  if (!o.quiet) print(line + "\n");
}

FrameKind kind_of(const GoldenOptions& o) {
  if (!o.objects.empty()) return FrameKind::Objects;
  return o.files ? FrameKind::Files : o.targets ? FrameKind::Targets : FrameKind::Presents;
}

/// What flags say; what they do not say is as in `golden`, which is recorded already.
base::Result<RecordOptions> read_options(const GoldenOptions& o, const Manifest* golden) {
  RecordOptions r;
  const auto frames = read_frame_list(o.frames);
  if (!frames.ok()) return base::Failure(frames.diagnostics());
  const auto shard = read_shard(o.shard);
  if (!shard.ok()) return base::Failure(shard.diagnostics());
  r.program = o.words.empty() && golden != nullptr ? golden->program : o.words;
  r.inputs = o.inputs;
  r.of = golden != nullptr ? golden->of : kind_of(o);
  r.objects = golden != nullptr ? golden->objects : o.objects;
  r.stops = golden != nullptr ? golden->stops : o.stops;
  r.frames = o.frames.empty() && golden != nullptr ? golden->frames : *frames;
  r.shard = o.shard.empty() && golden != nullptr ? golden->shard : *shard;
  if (r.stops && r.frames.last() == UINT64_MAX)
    return base::error("usage-flag", "--stop needs a last frame", base::Place::command_line("--frames"))
        .note("--frames 0..99 --stop ends the program behind frame 99; check does as the recording did");
  return r;
}

/// The flags of a shard's own process.
std::vector<std::string> shard_flags(const GoldenOptions& o) {
  std::vector<std::string> flags;
  if (!o.frames.empty()) flags.insert(flags.end(), {"--frames", o.frames});
  if (o.targets) flags.emplace_back("--targets");
  if (o.files) flags.emplace_back("--files");
  if (o.stops) flags.emplace_back("--stop");
  for (const std::string& name : o.objects) flags.insert(flags.end(), {"--object", name});
  for (const std::string& input : o.inputs) flags.insert(flags.end(), {"--input", input});
  return flags;
}

/// All shards, then one recording of them.
base::Result<Manifest> record_all_shards(const GoldenOptions& o, const RecordOptions& options,
                                         const NewFolder& folder) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::string name = folder_name(o.folder);
  const auto parts = record_shards(name, options, {o.shards, o.jobs != 0 ? o.jobs : cores, o.retries, shard_flags(o)});
  if (!parts.ok()) return base::Failure(parts.diagnostics());
  auto merged = merge_parts(folder.path(), *parts);
  std::error_code ignored;
  if (merged.ok()) fs::remove_all(name + ".shards", ignored);
  return merged;
}

/// Flags that do not go together; nothing: they do.
std::string misuse(const GoldenOptions& o) {
  if (o.files && o.targets) return "--files and --targets are two kinds of frames";
  if ((o.files || o.targets) && !o.objects.empty()) return "--object is a kind of frames of its own";
  const auto has_line = [](const std::string& name) {
    return name.find_first_not_of(" \t\n") != std::string::npos && name.find('\n') == std::string::npos;
  };
  if (!std::ranges::all_of(o.objects, has_line)) return "--object takes a name of one line";
  if (o.files && o.stops) return "--stop does not go with --files: the driver cannot count them";
  if (o.shards != 0 && !o.shard.empty()) return "--shards makes all shards, --shard one";
  return {};
}

base::ExitCode record(const GoldenOptions& o) {
  if (o.words.empty()) return usage("no program is named", "heddle golden record FOLDER -- PROGRAM ARGS...");
  if (const std::string problem = misuse(o); !problem.empty()) return usage(problem, "heddle golden --help");
  if (o.shards > kMaxShards) return usage(fmt::format("--shards takes up to {}", kMaxShards), "--shards 64");
  const auto options = read_options(o, nullptr);
  if (!options.ok()) return fail(options.diagnostics());
  if (const base::ExitCode code = use_driver(); code != base::ExitCode::Done) return code;
  NewFolder folder(o.folder);
  if (const auto begun = folder.begin(); !begun.ok()) return fail(begun.diagnostics());
  if (o.files)
    if (const auto words = program_with_folder(o.words, "."); !words.ok()) return fail(words.diagnostics());
  const auto recorded = o.shards != 0 ? record_all_shards(o, *options, folder) : record_frames(folder.path(), *options);
  if (!recorded.ok()) return fail(recorded.diagnostics());
  if (const auto done = folder.finish(*recorded); !done.ok()) return fail(done.diagnostics());
  if (!o.frames.empty() && recorded->frames.last() != UINT64_MAX && recorded->frames.last() >= recorded->count)
    print_diagnostics({base::warning("golden-frames",
                                     fmt::format("--frames {}: the program has {} frames", o.frames, recorded->count))
                           .note("frames are counted from 0")});
  say(o, fmt::format("{} of {} frames recorded in {}", recorded->recorded.size(), recorded->count, o.folder));
  return base::ExitCode::Done;
}

/// What else is not as it was, which may be why frames differ.
void note_changes(const Manifest& golden, const Manifest& now) {
  std::vector<base::Diagnostic> notes;
  if (golden.bits != now.bits)
    notes.push_back(
        base::warning("golden-bits",
                      fmt::format("recorded with bits {}, this version has bits {}: frames may differ by that",
                                  golden.bits, now.bits))
            .note("CHANGELOG.md says what changed; record anew where that is right"));
  for (const GoldenInput& input : now.inputs)
    if (const auto before = std::ranges::find(golden.inputs, input.file, &GoldenInput::file);
        before != golden.inputs.end() && before->sha256 != input.sha256)
      notes.push_back(
          base::remark("golden-input", fmt::format("'{}' changed since the frames were recorded", input.file)));
  print_diagnostics(notes);
}

/// Of both only what the other one was asked for.
void keep_common(Manifest& a, Manifest& b) {
  const auto keep = [](Manifest& m, const Manifest& other) {
    std::erase_if(m.recorded, [&](const GoldenFrame& frame) {
      return !other.frames.has(frame.number) || !other.shard.has(frame.number);
    });
  };
  keep(a, b);
  keep(b, a);
}

/// The results as CI systems read them.
base::Result<base::Done> write_junit(const GoldenOptions& o, const std::string& text) {
  return o.junit.empty() ? base::Result<base::Done>(base::Done{}) : base::write_file(o.junit, std::string_view(text));
}
std::string suite_of(const GoldenOptions& o) { return fs::path(folder_name(o.folder)).filename().string(); }

/// Nothing could be compared: that is a result, too.
base::ExitCode fail_check(const GoldenOptions& o, std::vector<base::Diagnostic> problems) {
  const base::ExitCode code = exit_code(problems);
  if (const auto done = write_junit(o, junit_of(suite_of(o), "program", problems.front().message)); !done.ok())
    problems.push_back(done.diagnostics().front());
  print_diagnostics(problems);
  return code;
}

base::ExitCode report(const GoldenOptions& o, const Comparison& comparison) {
  const std::vector<FrameResult>& results = comparison.frames;
  if (results.empty())
    return fail_check(o, {base::error("golden-frames", "no frame was compared")
                              .note("--frames and --shard choose among the frames of the recording; none is chosen")});
  std::size_t differing = 0;
  for (const FrameResult& r : results) {
    if (r.difference.empty()) continue;
    ++differing;
    print(fmt::format("{}: {}{}\n", r.title(), r.difference, r.picture.empty() ? "" : ": " + r.picture));
  }
  say(o, fmt::format("{} of {} frames are equal", results.size() - differing, results.size()));
  (void)std::fflush(stdout);  // what comes next may take long
  if (const auto done = write_junit(o, junit_of(suite_of(o), results)); !done.ok()) return fail(done.diagnostics());
  if (!comparison.problems.empty()) return fail(comparison.problems);
  return differing == 0 ? base::ExitCode::Done : base::ExitCode::WrongInput;
}

/// Where the page begins, and of what is presented the frame that it shows.
ProgramPart explored_part(const RecordOptions& options, const Manifest& now, const std::vector<FrameResult>& results) {
  const auto differs = [&](const FrameResult& r) { return !r.difference.empty() && r.number < now.count; };
  auto first = std::ranges::find_if(results, [&](const FrameResult& r) { return differs(r) && r.pixel; });
  if (first == results.end()) first = std::ranges::find_if(results, differs);
  ProgramPart part;
  if (first == results.end()) return part;
  if (first->pixel)
    part.begin = explore::Beginning{first->pixel->x, first->pixel->y, first->pixel->width, first->pixel->height,
                                    first->pixel->sha256};
  // Captures count what is presented: numbers of other frames choose none of their commands.
  if (const auto frame = static_cast<std::uint32_t>(first->number);
      options.of == FrameKind::Presents && frame == first->number)
    part.frames = NumberRange{frame, frame};
  return part;
}

/// The program runs once more, and its draws become a page. Frames differ whatever comes of that.
base::ExitCode explore_differences(const GoldenOptions& o, const RecordOptions& options, const Manifest& now,
                                   const std::vector<FrameResult>& results) {
  std::string frames;
  for (const FrameResult& r : results)
    if (!r.difference.empty() && frames.size() < 60)
      frames += fmt::format("{}{}", frames.empty() ? "" : ", ", r.number);
  const ProgramPart part = explored_part(options, now, results);
  const TemporaryFolder files;
  // It ends where it ended: behind the frame that is explored, or where the recording ends it.
  unsetenv("HEDDLE_GOLDEN");
  unsetenv("HEDDLE_FRAME_PLAN");
  if (options.of != FrameKind::Files && !part.frames) {
    setenv("HEDDLE_GOLDEN", files.path().c_str(), 1);
    setenv("HEDDLE_FRAME_PLAN", frame_plan_of(options, options.of == FrameKind::Presents).c_str(), 1);
  }
  const auto words = options.of == FrameKind::Files ? program_with_folder(options.program, files.path())
                                                    : base::Result<std::vector<std::string>>(options.program);
  if (!words.ok()) return fail(words.diagnostics());
  constexpr std::uint64_t kBytesOfPage = 20'000'000;
  const auto explored = explore_program(
      *words, part, {o.explore, fmt::format("{}: frames that differ: {}", o.folder, frames), kBytesOfPage, o.quiet});
  return explored == base::ExitCode::File ? explored : base::ExitCode::WrongInput;
}

/// Before the program runs: it may run for long.
base::Result<base::Done> check_outputs(const GoldenOptions& o) {
  for (const std::string& file : {o.junit, o.explore})
    if (!file.empty())
      if (auto good = base::check_writable(file); !good.ok()) return good;
  return base::Done{};
}

/// A recording whose frames are not those that it says is no measure.
base::Result<Manifest> read_recording(const std::string& folder) {
  auto golden = read_manifest(folder);
  if (!golden.ok()) return golden;
  const auto wrong = find_wrong_frame(*golden);
  if (!wrong) return golden;
  return base::error("golden-manifest",
                     fmt::format("frame {} {}", wrong->frame,
                                 wrong->missing ? "is missing" : "does not belong here, or is there twice"),
                     base::Place::in_file(fmt::format("{}/{}", folder, kManifestName)))
      .note("'recorded' has the frames that 'count', 'frames' and 'shard' choose; record anew");
}

/// A folder for pictures of differences: no recording, whose pictures they would replace.
base::Result<DifferencesFolder> differences_folder(const GoldenOptions& o) {
  if (o.differences.empty()) return DifferencesFolder{folder_name(o.folder) + ".differences", true};
  std::error_code ignored;
  if (!fs::exists(fs::path(o.differences) / kManifestName, ignored)) return DifferencesFolder{o.differences, false};
  return base::error("usage-flag", fmt::format("'{}' is a recording", o.differences),
                     base::Place::command_line("--differences"))
      .note("pictures of differences would replace its own: name another folder");
}

base::ExitCode check(const GoldenOptions& o) {
  auto golden = read_recording(o.folder);
  if (!golden.ok()) return fail(golden.diagnostics());
  const auto options = read_options(o, &*golden);
  if (!options.ok()) return fail(options.diagnostics());
  const auto differences = differences_folder(o);
  if (!differences.ok()) return fail(differences.diagnostics());
  if (const auto good = check_outputs(o); !good.ok()) return fail(good.diagnostics());
  if (const base::ExitCode code = use_driver(); code != base::ExitCode::Done) return code;
  TemporaryFolder folder;
  if (folder.path().empty())
    return fail({base::error("file-write", "no temporary folder can be made").note("TMPDIR names where")});
  auto now = record_frames(folder.path(), *options);
  if (!now.ok()) {
    auto problems = now.diagnostics();
    // The program and what it is given; frames that it leaves, and that cannot be read, are another matter.
    const auto names = [&](const std::vector<std::string>& list) {
      return std::ranges::find(list, problems.front().place.file) != list.end();
    };
    const bool of_program = names(options->program) || names(options->inputs);
    if (o.words.empty() && problems.front().id == "file-open" && of_program)
      problems.front().note(
          "the program runs as it was recorded: from the same folder, or with other paths: heddle golden check FOLDER "
          "-- PROGRAM");
    return fail_check(o, std::move(problems));
  }
  note_changes(*golden, *now);
  keep_common(*golden, *now);
  const Comparison compared = compare_frames(o.folder, *golden, folder.path(), *now, *differences);
  const base::ExitCode code = report(o, compared);
  if (code == base::ExitCode::WrongInput && !o.explore.empty() && !compared.frames.empty())
    return explore_differences(o, *options, *now, compared.frames);
  return code;
}

base::ExitCode merge(const GoldenOptions& o) {
  if (o.words.empty()) return usage("no part is named", "heddle golden merge FOLDER PART...");
  NewFolder folder(o.folder);
  if (const auto begun = folder.begin(); !begun.ok()) return fail(begun.diagnostics());
  const auto merged = merge_parts(folder.path(), o.words);
  if (!merged.ok()) return fail(merged.diagnostics());
  if (const auto done = folder.finish(*merged); !done.ok()) return fail(done.diagnostics());
  say(o, fmt::format("{} frames of {} shard{} merged in {}", merged->recorded.size(), o.words.size(),
                     o.words.size() == 1 ? "" : "s", o.folder));
  return base::ExitCode::Done;
}

base::ExitCode run_golden(const GoldenOptions& o) {
  if (o.action == "record") return record(o);
  return o.action == "check" ? check(o) : merge(o);
}

}  // namespace

void add_golden(Commands& commands) {
  const auto o = std::make_shared<GoldenOptions>();
  Command c = commands.add("golden", "record the frames of a Vulkan program, and compare them bit for bit");
  c.example("heddle golden record frames -- ./program 4", "what the program presents, as PNG and hashes");
  c.example("heddle golden check frames --junit frames.xml",
            "the same program again: exit code 1 where a frame differs");
  c.example("heddle golden record part-1 --shard 1/2 -- ./program 4", "every other frame, on one of two machines");
  c.example("heddle golden record part-2 --shard 2/2 -- ./program 4", "the others");
  c.example("heddle golden record frames --shards 64 --jobs 2 -- ./program 4", "64 shards over two processes, merged");
  c.example("heddle golden merge frames part-1 part-2", "the parts as one run would have left them");
  c.option("action", o->action, "record, check or merge").required().one_of({"record", "check", "merge"});
  c.option("folder", o->folder, "the recording").required();
  c.option("words", o->words,
           "behind --: the program with its arguments (check: default that of the recording); merge: the parts");
  c.option("--frames", o->frames, "these frames, counted from 0 (0,10..19,40..); default all")
      .value_name("LIST")
      .belongs_to({"record", "check"});
  c.flag("--targets", o->targets,
         "what the draws of each submission wrote, in place of what is presented: for programs without a window")
      .belongs_to({"record"});
  c.repeated("--object", o->objects,
             "the image or buffer that the program gave this name, when a submission has left other bytes in it")
      .value_name("NAME")
      .belongs_to({"record"});
  c.flag("--files", o->files,
         "files that the program leaves in the folder that {} among its arguments stands for: screenshots, buffers")
      .belongs_to({"record"});
  c.flag("--stop", o->stops, "end the program behind the last frame of --frames").belongs_to({"record"});
  c.option("--shard", o->shard, "every N-th frame, beginning with the I-th")
      .value_name("I/N")
      .belongs_to({"record", "check"});
  c.option("--shards", o->shards, "record: all N shards by processes of their own, merged at the end")
      .value_name("N")
      .belongs_to({"record"});
  c.option("--jobs", o->jobs, "of --shards: processes at a time (default: one for each core)").belongs_to({"--shards"});
  c.option("--retries", o->retries, "of --shards: how often a shard that fails runs again (1)")
      .belongs_to({"--shards"});
  c.repeated("--input", o->inputs, "a file that the frames depend on: its hash is recorded")
      .value_name("FILE")
      .belongs_to({"record", "check"});
  c.option("--junit", o->junit, "check: write the results there, as CI systems read them")
      .value_name("FILE.xml")
      .belongs_to({"check"});
  c.option("--differences", o->differences, "check: pictures of differences (default FOLDER.differences)")
      .value_name("FOLDER")
      .belongs_to({"check"});
  c.option("--explore", o->explore,
           "check: where a frame differs, the program runs once more, and this page opens at the first pixel (heddle "
           "explore)")
      .value_name("FILE.html")
      .belongs_to({"check"});
  c.flag("-q,--quiet", o->quiet, "print differences only");
  c.runs([o] { return run_golden(*o); });
}

}  // namespace heddle::tools
