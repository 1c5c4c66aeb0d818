// SPDX-License-Identifier: MIT
#include "vulkan/capture/frame_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/bits/sha256.hpp"
#include "base/environment/environment.hpp"
#include "base/file.hpp"
#include "image/files/files.hpp"
#include "vulkan/capture/named_frames.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {
namespace {

/// The picture that people look at: exact where its format is one of PNG's or OpenEXR's; its ending, or nothing.
std::string write_picture(const std::string& stem, const image::Surface& picture) {
  for (const auto& [ending, kind] : {std::pair{".png", image::FileKind::Png}, {".exr", image::FileKind::Exr}}) {
    const auto bytes = image::encode_image(picture, kind, {.level = picture.rt_level});
    if (bytes.ok() && base::write_file(stem + ending, *bytes).ok()) return ending;
  }
  return {};
}

}  // namespace

FrameRecorder* FrameRecorder::find() {
  static const std::unique_ptr<FrameRecorder> recorder = [] {
    const auto folder = base::read_text_variable(base::Variable::Golden);
    if (!folder || folder->empty()) return std::unique_ptr<FrameRecorder>();
    return std::make_unique<FrameRecorder>(*folder, base::read_frame_plan_variable().value.value_or(base::FramePlan()));
  }();
  return recorder.get();
}

template <typename Write>
std::string FrameRecorder::add_frame(const std::string& name, const Write& write) {
  const std::lock_guard guard(mutex_);
  const std::uint64_t frame = next_++;
  std::string problem;
  if (plan_.wants(frame)) {
    const std::string stem = fmt::format("{}/{:06}", folder_, frame);
    std::error_code ignored;
    problem = std::filesystem::exists(stem + ".txt", ignored)
                  ? fmt::format("frame {} is there already: another process of the program has frames too", frame)
                  : write_note(frame, stem, write(stem), name);
  }
  const auto counted = base::write_file(folder_ + "/count", fmt::to_string(next_));
  if (problem.empty() && !counted.ok()) problem = counted.diagnostics().front().message;
  // What comes later is of no interest, and the program may have no end of its own.
  if (problem.empty() && frame == plan_.last) std::_Exit(0);
  return problem;
}

std::string FrameRecorder::add(const image::Surface& picture, const std::string& name) {
  return add_frame(name, [&](const std::string& stem) {
    return Note{std::string(picture.info().name), base::sha256(image::packed_texels(picture)),
                write_picture(stem, picture), picture.width, picture.height};
  });
}

std::string FrameRecorder::add(std::span<const std::uint8_t> bytes, const std::string& name) {
  return add_frame(name, [&](const std::string& stem) {
    const bool written = base::write_file(stem + ".bin", bytes).ok();
    return Note{"BYTES", base::sha256(bytes), written ? ".bin" : "", bytes.size(), 1};
  });
}

void FrameRecorder::note_seen(std::size_t name) {
  const std::lock_guard guard(mutex_);
  if (seen_.insert(name).second) (void)base::write_file(fmt::format("{}/seen-{}", folder_, name), std::string_view());
}

std::string FrameRecorder::write_note(std::uint64_t frame, const std::string& stem, const Note& note,
                                      const std::string& name) const {
  const std::string line = fmt::format("{} {} {} {} {:06}{}{}{}\n", note.format, note.width, note.height, note.sha256,
                                       frame, note.ending, name.empty() ? "" : " ", name);
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
  if (recorder == nullptr) return;
  if (!recorder->chosen_objects().empty())
    context.hooks.after_submission = [frames = std::make_shared<NamedFrames>(context.device, *recorder),
                                      before = std::move(context.hooks.after_submission)] {
      if (before) before();
      frames->record();
    };
  if (!recorder->of_targets()) return;
  const auto targets = std::make_shared<Targets>();
  context.hooks.before_draw = [&context, targets, before = std::move(context.hooks.before_draw)](
                                  const GraphicsPipeline& pipeline, const DrawStart& draw) {
    if (before) before(pipeline, draw);
    if (draw.rasterized) note_targets(context.rendering, *targets);
  };
  context.hooks.after_submission = [&context, targets, recorder, before = std::move(context.hooks.after_submission)] {
    if (before) before();
    for (const machine::SurfaceResource& target : *targets)
      if (const std::string problem = recorder->add(*target); !problem.empty())
        context.device.physical.instance.error("vulkan-golden", problem);
    targets->clear();
  };
}

}  // namespace heddle::vulkan
