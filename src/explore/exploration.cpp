// SPDX-License-Identifier: MIT
#include "explore/exploration.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "base/bits/sha256.hpp"
#include "explore/command_run.hpp"
#include "explore/documents/json.hpp"
#include "explore/documents/picture.hpp"
#include "explore/trace_view.hpp"
#include "image/names.hpp"
#include "image/objects/output_object.hpp"
#include "job/bind/bind.hpp"
#include "verify/explain/book.hpp"

namespace heddle::explore {
namespace {

constexpr std::uint32_t kSquare = 24;  ///< side of what is traced where nobody says
constexpr std::uint32_t kMaxSlices = 64;
constexpr std::size_t kMaxFront = 128;       ///< traced threads of the stage that makes the corners
constexpr std::uint32_t kFirstThreads = 16;  ///< that are traced of other stages before the pixels

/// A sampler's members as `--sampler` takes them, those that people change.
std::string sampler_text(const image::Sampler& s) {
  return fmt::format(
      "min={},mag={},mip={},address={}:{}:{},lod_bias={},min_lod={},max_lod={},max_anisotropy={},compare={}",
      image::name_of(s.min_filter), image::name_of(s.mag_filter), image::name_of(s.mip_filter), image::name_of(s.tcx),
      image::name_of(s.tcy), image::name_of(s.tcz), s.lod_bias / 256.0, s.min_lod / 256.0, s.max_lod / 256.0,
      2 * (s.max_anisotropy + 1), image::name_of(s.compare));
}

/// A command while it is explored.
class Explorer {
 public:
  Explorer(std::size_t number, const CommandInput& input, const ExploreOptions& options, Documents& documents)
      : number_(number), input_(input), options_(options), documents_(documents) {}

  base::Result<std::string> run() {
    if (auto done = draw(); !done.ok()) return done.failure();
    if (auto done = observe(); !done.ok()) return done.failure();
    if (options_.count_traced) options_.count_traced(recorder_->traces().size());
    compare();
    fragments_ = recorder_->fragments().size();
    picture_ = find_picture();
    find_depths_before();
    if (auto done = trace_findings(); !done.ok()) return done.failure();
    trace_front_threads();
    add_pictures();
    add_history(documents_, number_, recorder_->fragments(), traced_);
    if (input_.job.pixels) add_primitives(documents_, number_, recorder_->primitives());
    if (options_.keep) options_.keep(number_, std::move(recorder_->fragments()));
    for (const ThreadTrace& trace : recorder_->traces()) add_trace(trace);
    return describe();
  }
  [[nodiscard]] const PictureTraces& picture() const { return picture_; }

 private:
  void report(double part) const {
    if (options_.progress) options_.progress(part);
  }
  std::string name(std::string_view kind) const { return fmt::format("{}/{}", kind, number_); }

  /// As it is drawn.
  base::Result<base::Done> draw() {
    auto made = CommandRun::prepare(input_);
    if (!made.ok()) return made.failure();
    drawn_ = std::move(*made);
    auto summary = drawn_->run(nullptr, [this](double part) { report(0.1 * part); });
    if (!summary.ok()) return summary.failure();
    drawn_summary_ = std::move(*summary);
    choose();
    return base::Done{};
  }

  /// The image that may have become the picture somebody asks about.
  [[nodiscard]] const CommandImage* asked() const {
    if (!options_.begin) return nullptr;
    const auto fits = [&](const CommandImage& image) {
      return image.written() && image.surface->memory && !image.surface->is_buffer() &&
             image.surface->width == options_.begin->width && image.surface->height == options_.begin->height &&
             image.role != "depth" && image.role != "stencil";
    };
    const auto found = std::ranges::find_if(drawn_->images(), fits);
    return found == drawn_->images().end() ? nullptr : &*found;
  }

  /// What is traced: as asked, or a square around where the page begins, or in the middle.
  void choose() {
    traced_ = options_.traced;
    if (!traced_.empty()) return;
    if (const CommandImage* const image = asked()) {
      const auto around = [](std::uint32_t at, std::uint32_t size) {
        const std::uint32_t side = std::min(size, kSquare);
        return std::min(at - std::min(at, kSquare / 2), size - side) & ~1u;
      };
      const image::Surface& s = *image->surface;
      traced_.push_back({around(options_.begin->x, s.width), around(options_.begin->y, s.height),
                         std::min(s.width, kSquare), std::min(s.height, kSquare)});
      return;
    }
    const CommandImage* shown = nullptr;
    for (const CommandImage& image : drawn_->images())
      if (shown == nullptr && (image.role == "target" || image.role == "storage")) shown = &image;
    for (const CommandImage& image : drawn_->images())
      if (shown == nullptr && image.written()) shown = &image;
    const std::uint32_t width = shown != nullptr ? shown->surface->width : kSquare * kSquare,
                        height = shown != nullptr ? shown->surface->height : 1;
    const std::uint32_t w = std::min(width, kSquare), h = std::min(height, kSquare);
    traced_.push_back({(width - w) / 2 & ~1u, (height - h) / 2 & ~1u, w, h});
  }

  [[nodiscard]] std::uint32_t chosen_lanes(const machine::Thread& thread) const {
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if ((thread.setup().dispatch_mask >> lane & 1u) == 0) continue;
      const auto place = place_of(thread, lane);
      if (std::ranges::any_of(traced_, [&](const Rectangle& r) { return r.has(place[0], place[1]); }))
        lanes |= 1u << lane;
    }
    return lanes;
  }

  [[nodiscard]] PictureTraces find_picture() const {
    const CommandImage* const image = asked();
    if (image == nullptr) return {};
    const auto number = static_cast<std::uint32_t>(image - drawn_->images().data());
    const auto touches = [&](const Fragment& f) {
      return f.fate == Fate::Written && f.target == number && f.x == options_.begin->x && f.y == options_.begin->y;
    };
    return {image->name, base::sha256(image::packed_texels(*image->surface)) == options_.begin->sha256,
            std::ranges::any_of(recorder_->fragments(), touches)};
  }

  [[nodiscard]] WatchedPrograms programs() const { return {input_.program.program, input_.stages}; }
  [[nodiscard]] Choice choice() const {
    return
        [this](const machine::Thread& thread, const ThreadName& name) { return name.stage ? 0 : chosen_lanes(thread); };
  }

  base::Result<base::Done> observe() {
    auto made = CommandRun::prepare(input_);
    if (!made.ok()) return made.failure();
    observed_ = std::move(*made);
    recorder_ = std::make_unique<Recorder>(
        programs(), choice(), [this](const image::Surface& surface) { return observed_->number_of(surface); }, true);
    auto summary = observed_->run(recorder_.get(), [this](double part) { report(0.1 + 0.7 * part); });
    if (!summary.ok()) return summary.failure();
    summary_ = std::move(*summary);
    return base::Done{};
  }

  /// What was drawn and what was traced must be the same.
  void compare() {
    for (std::size_t i = 0; i < drawn_->images().size(); ++i) {
      const auto &a = drawn_->images()[i].surface->memory, &b = observed_->images()[i].surface->memory;
      if (a && b && !std::ranges::equal(*a, *b)) differs_.push_back(drawn_->images()[i].name);
    }
  }

  /// What a fragment that only its depth was stored of has overwritten: what the last one before it left there.
  void find_depths_before() {
    std::map<std::array<std::uint32_t, 4>, std::uint32_t> last;  // by target, slice, x, y
    std::map<std::uint32_t, image::Surface> at_start;
    for (Fragment& f : recorder_->fragments()) {
      if (f.fate != Fate::Written || f.target >= drawn_->images().size()) continue;
      const CommandImage& image = drawn_->images()[f.target];
      if (image.role != "depth") continue;
      const auto [at, is_new] = last.try_emplace({f.target, f.sample, f.x, f.y});
      if (is_new) {
        const image::Surface& start = at_start.try_emplace(f.target, image.at_start()).first->second;
        at->second = image::fetch(start, start.rt_level, f.sample, f.x, f.y).texel.bits[0];
      }
      f.before[0] = std::exchange(at->second, f.after[0]);
    }
  }

  /// Pixels with findings that lie outside of what was traced.
  base::Result<base::Done> trace_findings() {
    std::vector<Rectangle> more;
    for (const machine::Finding& f : observed_->findings()) {
      if (!f.occurrence || more.size() >= options_.findings) continue;
      Rectangle one{0, 0, 1, 1};
      if (f.occurrence->pixel)
        one.x = (*f.occurrence->pixel)[0], one.y = (*f.occurrence->pixel)[1];
      else if (f.occurrence->global)
        one.x = (*f.occurrence->global)[0], one.y = (*f.occurrence->global)[1];
      else
        continue;
      if (std::ranges::none_of(traced_, [&](const Rectangle& r) { return r.has(one.x, one.y); })) more.push_back(one);
    }
    if (more.empty()) return base::Done{};
    const std::vector<Rectangle> before = std::exchange(traced_, more);
    auto made = CommandRun::prepare(input_);
    if (!made.ok()) return made.failure();
    Recorder again(
        programs(), choice(), [&](const image::Surface& surface) { return (*made)->number_of(surface); }, false);
    auto summary = (*made)->run(&again, [this](double part) { report(0.8 + 0.2 * part); });
    if (!summary.ok()) return summary.failure();
    std::set<std::uint32_t> known;
    for (const ThreadTrace& trace : recorder_->traces()) known.insert(trace.thread);
    for (ThreadTrace& trace : again.traces())
      if (!known.contains(trace.thread)) recorder_->traces().push_back(std::move(trace));
    traced_.insert(traced_.begin(), before.begin(), before.end());
    return base::Done{};
  }

  /// Stages before the pixels: the threads of the last one that made the corners of what was drawn to the traced
  /// pixels, and the first ones of the others.
  void trace_front_threads() {
    FrontThreads wanted;
    const auto last = recorder_->last_stage();
    if (last) {
      for (const Fragment& f : recorder_->fragments()) {
        if (wanted.size() >= kMaxFront) break;
        if (std::ranges::none_of(traced_, [&](const Rectangle& r) { return r.has(f.x, f.y); })) continue;
        const auto primitive = recorder_->primitives().find(f.primitive);
        if (primitive == recorder_->primitives().end()) continue;
        for (const std::uint32_t invocation : primitive->second.made_by)
          if (invocation != kNoInvocation) wanted.insert({*last, invocation / 32});
      }
    }
    for (const isa::ShaderStageInfo& stage : isa::kShaderStages) {
      if (input_.stages[stage.stage] == nullptr) continue;
      const std::uint32_t first = last == stage.stage ? 1 : kFirstThreads;
      for (std::uint32_t k = 0; k < std::min(first, recorder_->threads(stage.stage)); ++k)
        wanted.insert({stage.stage, k});
    }
    if (wanted.empty()) return;
    for (const ThreadTrace& trace : trace_front(input_, wanted)) {
      const std::string_view word = isa::stage_info(*trace.stage).word;
      add_text(documents_, fmt::format("trace/{}/{}/{}", number_, word, trace.thread), Priority::Trace,
               describe_trace(trace));
      front_threads_[*trace.stage].push_back(trace.thread);
    }
  }

  void add_trace(const ThreadTrace& trace) {
    add_text(documents_, fmt::format("trace/{}/{}", number_, trace.thread), Priority::Trace, describe_trace(trace));
    threads_.push_back(trace.thread);
  }

  void add_slices(std::size_t number, const image::Surface& surface, std::string_view when, std::uint32_t level,
                  Priority priority) {
    if (!surface.memory || surface.is_buffer() || !image::decodable(surface.info())) return;
    const std::uint32_t slices = std::min(surface.layout[level].slices, kMaxSlices);
    for (std::uint32_t slice = 0; slice < slices; ++slice)
      documents_.push_back({fmt::format("image/{}/{}/{}/{}/{}", number_, number, when, level, slice), priority,
                            texel_words(surface, level, slice)});
  }

  void add_pictures() {
    for (std::size_t i = 0; i < drawn_->images().size(); ++i) {
      const CommandImage& image = drawn_->images()[i];
      if (!image.surface->memory) continue;
      const image::Surface start = image.at_start();
      for (std::uint32_t level = 0; level < image.surface->levels; ++level) {
        if (image.written()) add_slices(i, *image.surface, "after", level, Priority::Picture);
        add_slices(i, start, "before", level, image.written() ? Priority::History : Priority::Rest);
      }
    }
  }

  /// The output merger's state: as a job has it, and the blending of each target as numbers of the enumerators.
  void describe_state(Json& json) const {
    const auto& output = recorder_->output_state();
    json.member("state", output ? image::output_state_text(*output) : std::string());
    json.key("blend").open('[');
    for (const image::BlendEntry& b : output ? output->blend : std::array<image::BlendEntry, 8>{}) {
      const auto number = [](auto word) { return static_cast<unsigned>(word); };
      json.open('{').member("enable", b.enable && output);
      if (b.advanced.op != image::AdvancedBlendOp::Off) json.member("advanced", std::string(word_of(b.advanced.op)));
      json.key("color").numbers(std::array{number(b.src_color), number(b.color_func), number(b.dst_color)});
      const bool apart = output && output->independent_alpha;
      json.key("alpha").numbers(std::array{number(apart ? b.src_alpha : b.src_color),
                                           number(apart ? b.alpha_blend_func : b.color_func),
                                           number(apart ? b.dst_alpha : b.dst_color)});
      json.close('}');
    }
    json.close(']');
  }

  /// What can be changed: samplers with their members as flags have them, and arguments.
  void describe_changeable(Json& json) const {
    json.key("samplers").open('[');
    for (const job::SamplerBinding& binding : input_.job.samplers)
      json.open('{').member("name", binding.key.text).member("text", sampler_text(binding.members.sampler)).close('}');
    json.close(']').key("args").open('[');
    for (const job::Argument& argument : input_.job.args)
      if (!argument.bytes && argument.members.empty() && argument.elements.empty())
        json.open('{').member("name", argument.key.text).member("count", argument.values.size()).close('}');
    json.close(']');
    if (input_.of) json.member("of", *input_.of);
  }

  /// The stages before the pixels.
  void describe_stages(Json& json) const {
    const auto last = recorder_->last_stage();
    json.key("stages").open('[');
    for (const isa::ShaderStageInfo& stage : isa::kShaderStages) {
      const isa::Program* const program = input_.stages[stage.stage];
      if (program == nullptr) continue;
      json.open('{').member("stage", stage.word).member("name", stage.name);
      json.member("simd", job::simd_of(program->objects.front(), nullptr, input_.job));
      json.member("threads", recorder_->threads(stage.stage)).member("corners", last == stage.stage);
      json.key("traced").numbers(front_threads_[stage.stage]).close('}');
    }
    json.close(']');
  }

  void describe_findings(Json& json) const {
    json.key("findings").open('[');
    for (const machine::Finding& f : observed_->findings()) {
      json.open('{').member("id", f.id).member("message", f.message).member("count", f.count);
      json.member("severity", f.severity == base::Severity::Error ? "error" : "warning");
      json.member("file", f.place.file).member("line", f.place.line).member("subject", f.subject);
      if (f.occurrence) {
        json.member("who", f.occurrence->text());
        if (f.occurrence->pixel) json.key("pixel").numbers(*f.occurrence->pixel);
        if (f.occurrence->global) json.key("global").numbers(*f.occurrence->global);
        if (f.occurrence->lane) json.member("lane", *f.occurrence->lane);
      }
      json.close('}');
    }
    json.close(']');
  }

  std::string describe() {
    Json json;
    json.open('{').member("number", number_).member("name", input_.name).member("label", input_.label);
    json.key("before").open('[');
    for (const std::string& line : input_.before) json.value(line);
    json.close(']').member("kind", input_.job.pixels ? "draw" : "dispatch").member("commandLine", input_.command_line);
    json.member("engine", drawn_summary_.engine).member("platform", summary_.platform).member("simd", summary_.simd);
    json.member("kernel", summary_.kernel).member("instructions", summary_.instructions);
    json.member("threads", recorder_->threads()).member("texelsRead", recorder_->texels_read());
    json.member("fragments", fragments_);
    describe_state(json);
    describe_changeable(json);
    json.key("differs").open('[');
    for (const std::string& image : differs_) json.value(image);
    json.close(']');
    json.key("images").open('[');
    for (const CommandImage& image : drawn_->images()) {
      json.open('{').member("name", image.name).member("role", image.role);
      describe_image(json, *image.surface);
      json.member("shownLevel", image.written() ? image.surface->rt_level : 0).close('}');
    }
    json.close(']');
    json.key("traced").open('[');
    for (const Rectangle& r : traced_) json.numbers(std::array{r.x, r.y, r.width, r.height});
    json.close(']').key("tracedThreads").numbers(threads_);
    json.key("printed").open('[');
    for (const std::string& text : observed_->printed()) json.value(text);
    json.close(']');
    describe_findings(json);
    describe_stages(json);
    json.close('}');
    return json.take();
  }

  std::size_t number_;
  const CommandInput& input_;
  const ExploreOptions& options_;
  Documents& documents_;
  std::unique_ptr<CommandRun> drawn_, observed_;
  std::unique_ptr<Recorder> recorder_;
  job::Summary drawn_summary_, summary_;
  std::vector<Rectangle> traced_;
  std::vector<std::string> differs_;
  std::vector<std::uint32_t> threads_;
  isa::PerStage<std::vector<std::uint32_t>> front_threads_;
  std::size_t fragments_ = 0;
  PictureTraces picture_;
};

/// Where the page begins: at the last command that wrote the pixel until the picture was whole, and nowhere where no
/// command has an image of its size.
std::optional<Start> find_start(const std::vector<PictureTraces>& commands, const Beginning& at) {
  const auto whole = std::ranges::find_if(commands, &PictureTraces::whole);
  const std::size_t end = whole == commands.end() ? commands.size() : whole - commands.begin() + 1u;
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < end; ++k)
    if (commands[k].touched || (!commands[k].image.empty() && (!found || !commands[*found].touched))) found = k;
  if (!found) return std::nullopt;
  return Start{*found, commands[*found].image, at.x, at.y};
}

}  // namespace

base::Result<std::string> Exploration::explore_command(std::size_t number, const ExploreOptions& options,
                                                       Documents& documents, PictureTraces* traces) const {
  const CommandInput& input = commands_[number];
  const isa::Platform platform = isa::find_platform(input.job.platform).value_or(isa::Platform::SKL);
  add_text(documents, fmt::format("program/{}", number), Priority::Always, describe_program(input.program, platform));
  for (const isa::ShaderStageInfo& stage : isa::kShaderStages)
    if (const ProgramInput& front = input.front[stage.stage]; front.program != nullptr)
      add_text(documents, fmt::format("program/{}/{}", number, stage.word), Priority::Always,
               describe_program(front, platform));
  Explorer explorer(number, input, options, documents);
  auto part = explorer.run();
  if (traces != nullptr) *traces = explorer.picture();
  return part;
}

std::string Exploration::index(const std::vector<std::string>& commands, const std::optional<Start>& start) const {
  Json json;
  json.open('{').member("version", 1).member("title", title_);
  if (start) {
    json.key("start").open('{').member("draw", start->command).member("image", start->image);
    json.key("pixel").numbers(std::array{start->x, start->y}).close('}');
  }
  json.key("behind").open('[');
  for (const std::string& line : behind_) json.value(line);
  json.close(']').key("commands").open('[');
  for (const std::string& command : commands) json.raw(command);
  json.close(']').close('}');
  return json.take();
}

base::Result<Documents> Exploration::explore(const ExploreOptions& options) const {
  Documents documents;
  std::vector<std::string> commands;
  std::vector<PictureTraces> traces(commands_.size());
  for (std::size_t number = 0; number < commands_.size(); ++number) {
    ExploreOptions one = options;
    if (options.progress)
      one.progress = [&](double part) {
        options.progress((static_cast<double>(number) + part) / static_cast<double>(commands_.size()));
      };
    const std::size_t first = documents.size();
    auto part = explore_command(number, one, documents, &traces[number]);
    if (!part.ok()) return part.failure();
    commands.push_back(std::move(*part));
    pack(documents, first);
  }
  const std::optional<Start> start = options.begin ? find_start(traces, *options.begin) : std::nullopt;
  if (start && options.started) options.started(*start);
  add_text(documents, "index", Priority::Always, index(commands, start));
  add_text(documents, "rules", Priority::Always, rules_document());
  return documents;
}

std::string rules_document() {
  static const std::set<std::string_view> kPages{
      "coordinates", "level-of-detail", "filtering",           "gather",        "comparison",
      "surfaces",    "footprint",       "render-target-write", "output-merger", "framebuffer-operations",
      "checks"};
  Json json;
  json.open('{');
  for (const verify::BookPage& page : verify::book()) {
    if (!kPages.contains(page.name)) continue;
    for (const verify::BookRule& rule : page.rules) {
      json.key(rule.id).open('{').member("title", rule.title).member("page", page.title).key("parts").open('[');
      for (const verify::BookPart& part : rule.parts) json.open('[').value(part.label).value(part.text).close(']');
      json.close(']').close('}');
    }
  }
  json.close('}');
  return json.take();
}

}  // namespace heddle::explore
