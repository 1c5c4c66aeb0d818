// SPDX-License-Identifier: MIT
#include "explore/command_run.hpp"

#include <algorithm>

#include "job/resources.hpp"

namespace heddle::explore {

image::Surface CommandImage::at_start() const {
  image::Surface copy = *surface;
  copy.memory = std::make_shared<image::Memory>(before);
  return copy;
}

CommandRun::CommandRun(const CommandInput& command) : command_(command), job_(command.job) {
  // Nobody asks for the files that the job saves: encoding them would take longer than many a run.
  for (job::BufferBinding& binding : job_.buffers) binding.save.clear();
  for (job::ImageBinding& binding : job_.images) binding.save.clear();
}

base::Result<std::unique_ptr<CommandRun>> CommandRun::prepare(const CommandInput& command) {
  std::unique_ptr<CommandRun> run(new CommandRun(command));
  auto resources = job::load_resources(run->job_);
  if (!resources.ok()) return resources.failure();
  for (const job::Image& image : resources->images) {
    CommandImage& kept = run->images_.emplace_back();
    kept.name = image.binding->key.text;
    kept.surface = image.surface;
    if (image.surface->memory) kept.before = image.surface->memory->copy();
  }
  run->bind_images();
  return run;
}

std::unique_ptr<CommandRun> CommandRun::prepare_again(const CommandInput& command,
                                                      const std::vector<CommandImage>& images) {
  std::unique_ptr<CommandRun> run(new CommandRun(command));
  run->images_ = images;
  for (CommandImage& image : run->images_)
    if (image.surface->memory) image.surface = std::make_shared<image::Surface>(image.at_start());
  run->bind_images();
  return run;
}

void CommandRun::bind_images() {
  for (job::ImageBinding& binding : job_.images)
    for (const CommandImage& image : images_)
      if (image.name == binding.key.text && image.surface->memory) binding.surface = image.surface;
}

std::uint32_t CommandRun::number_of(const image::Surface& surface) const {
  const auto same = [&](const CommandImage& image) {
    return image.surface.get() == &surface || image.surface->name == surface.name;
  };
  return static_cast<std::uint32_t>(std::ranges::find_if(images_, same) - images_.begin());
}

base::Result<job::Summary> CommandRun::run(Recorder* recorder, const std::function<void(double)>& progress) {
  job::RunHooks hooks;
  hooks.stages = command_.stages;
  hooks.progress = progress;
  hooks.observer = recorder;
  hooks.findings = &findings_;
  if (recorder != nullptr) {
    job_.engine = job::EngineKind::Reference;
    job_.threads = 1;  // threads come in order
    if (!job_.check_asked) job_.check = job::CheckLevel::Warn;
  }
  job::RunResult result = job::run(job_, *command_.program.program, hooks);
  if (recorder != nullptr) recorder->finish();
  printed_ = std::move(result.printed);
  if (!result.succeeded) return base::Failure(result.diagnostics.all());
  find_roles();
  return std::move(result.summary);
}

void CommandRun::find_roles() {
  for (CommandImage& image : images_) {
    image.role = "read";
    const auto is = [&](const std::string& name) { return image.name == name; };
    const auto& memory = image.surface->memory;
    if (memory && !std::ranges::equal(*memory, image.before)) image.role = "storage";
    if (!job_.pixels) continue;
    if (std::ranges::any_of(job_.pixels->targets, is)) image.role = "target";
    if (is(job_.pixels->depth)) image.role = "depth";
    if (is(job_.pixels->stencil)) image.role = "stencil";
  }
  // Where no target is named, they are the images that the shader's outputs are called like: those that have changed.
  if (job_.pixels && job_.pixels->targets.empty())
    for (CommandImage& image : images_)
      if (image.role == "storage") image.role = "target";
}

}  // namespace heddle::explore
