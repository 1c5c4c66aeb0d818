// SPDX-License-Identifier: MIT
#include "vulkan/capture/frame_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/bits/sha256.hpp"
#include "base/environment/environment.hpp"
#include "base/file.hpp"
#include "image/files/files.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {
namespace {

std::uint64_t number(std::string_view text, std::uint64_t otherwise) {
  std::uint64_t value = otherwise;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// "3", "0..9", "5..".
std::pair<std::uint64_t, std::uint64_t> read_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const std::uint64_t first = number(text.substr(0, dots), 0);
  return {first, dots == std::string_view::npos ? first : number(text.substr(dots + 2), UINT64_MAX)};
}

void read_word(std::string_view key, std::string_view value, FramePlan& plan) {
  if (key == "frames") {
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = std::min(value.find(',', at), value.size());
      plan.frames.push_back(read_range(value.substr(at, end - at)));
      at = end + 1;
    }
  } else if (key == "shard") {
    const std::size_t slash = std::min(value.find('/'), value.size());
    plan.shard = number(value.substr(0, slash), 1);
    plan.shards = std::max<std::uint64_t>(1, number(value.substr(std::min(slash + 1, value.size())), 1));
  } else if (key == "of") {
    plan.targets = value == "targets";
  } else if (key == "last") {
    plan.last = number(value, UINT64_MAX);
  }
}

/// The picture that people look at: exact where its format is one of PNG's or OpenEXR's; its ending, or nothing.
std::string write_picture(const std::string& stem, const image::Surface& picture) {
  for (const auto& [ending, kind] : {std::pair{".png", image::FileKind::Png}, {".exr", image::FileKind::Exr}}) {
    const auto bytes = image::encode_image(picture, kind, {.level = picture.rt_level});
    if (bytes.ok() && base::write_file(stem + ending, *bytes).ok()) return ending;
  }
  return {};
}

}  // namespace

bool FramePlan::wants(std::uint64_t frame) const {
  const auto inside = [&](const auto& range) { return frame >= range.first && frame <= range.second; };
  return frame % shards == shard - 1 && (frames.empty() || std::ranges::any_of(frames, inside));
}

FramePlan read_frame_plan(const std::string& text) {
  FramePlan plan;
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (const std::size_t equals = word.find('='); equals != std::string::npos)
      read_word(std::string_view(word).substr(0, equals), std::string_view(word).substr(equals + 1), plan);
  return plan;
}

FrameRecorder* FrameRecorder::find() {
  static const std::unique_ptr<FrameRecorder> recorder = [] {
    const auto folder = base::read_text_variable(base::Variable::Golden);
    if (!folder || folder->empty()) return std::unique_ptr<FrameRecorder>();
    const auto plan = base::read_text_variable(base::Variable::GoldenPlan);
    return std::make_unique<FrameRecorder>(*folder, read_frame_plan(plan.value_or("")));
  }();
  return recorder.get();
}

std::string FrameRecorder::add(const image::Surface& picture) {
  const std::lock_guard guard(mutex_);
  const std::uint64_t frame = next_++;
  std::string problem;
  if (plan_.wants(frame)) problem = write(frame, picture);
  const auto counted = base::write_file(folder_ + "/count", fmt::to_string(next_));
  if (problem.empty() && !counted.ok()) problem = counted.diagnostics().front().message;
  // What comes later is of no interest, and the program may have no end of its own.
  if (problem.empty() && frame == plan_.last) std::_Exit(0);
  return problem;
}

std::string FrameRecorder::write(std::uint64_t frame, const image::Surface& picture) const {
  const std::string stem = fmt::format("{}/{:06}", folder_, frame);
  if (std::error_code ignored; std::filesystem::exists(stem + ".txt", ignored))
    return fmt::format("frame {} is there already: another process of the program has frames too", frame);
  const std::string ending = write_picture(stem, picture);
  const std::string line =
      fmt::format("{} {} {} {} {:06}{}\n", picture.info().name, picture.width, picture.height,
                  base::sha256(image::packed_texels(picture)), frame, ending.empty() ? "" : ending);
  const auto written = base::write_file(stem + ".txt", line);
  return written.ok() ? std::string() : written.diagnostics().front().message;
}

namespace {

using Targets = std::vector<machine::SurfaceResource>;

void note(const ImageView* view, Targets& targets) {
  if (view == nullptr || !view->attachment.color) return;
  const image::Surface& one = *view->attachment.color;
  const bool known = std::ranges::any_of(targets, [&](const machine::SurfaceResource& other) {
    return other->memory == one.memory && other->base == one.base && other->rt_level == one.rt_level &&
           other->min_array_element == one.min_array_element;
  });
  if (!known) targets.push_back(view->attachment.color);
}

/// Where an attachment is resolved, what people look at is what it is resolved to.
void note_targets(const Rendering& rendering, Targets& targets) {
  for (const ImageView* view : rendering.colors) {
    const auto resolve = std::ranges::find(rendering.resolves, view, &Rendering::Resolve::from);
    note(view == nullptr || resolve == rendering.resolves.end() ? view : resolve->to, targets);
  }
}

}  // namespace

void attach_frame_recorder(CommandContext& context) {
  FrameRecorder* const recorder = FrameRecorder::find();
  if (recorder == nullptr || !recorder->of_targets()) return;
  const auto targets = std::make_shared<Targets>();
  context.hooks.before_draw = [&context, targets, before = std::move(context.hooks.before_draw)](
                                  const GraphicsPipeline& pipeline, const DrawStart& draw) {
    if (before) before(pipeline, draw);
    if (draw.rasterized) note_targets(context.rendering, *targets);
  };
  context.hooks.after_submission = [&context, targets, recorder] {
    for (const machine::SurfaceResource& target : *targets)
      if (const std::string problem = recorder->add(*target); !problem.empty())
        context.device.physical.instance.error("vulkan-golden", problem);
    targets->clear();
  };
}

}  // namespace heddle::vulkan
