// SPDX-License-Identifier: MIT
#include "job/run/outputs.hpp"

#include <fmt/format.h>

#include "image/files/files.hpp"
#include "job/formats/buffer_data.hpp"
#include "render_target/render_target.hpp"

namespace heddle::job {
namespace {

Output buffer_output(const Buffer& b) {
  const std::string& path = b.binding->save;
  const std::string extension = extension_of(path);
  const ElementType type = b.binding->type.value_or(b.binding->format ? ElementType::U32 : ElementType::U8);
  Output output{path, {}};
  if (path == "-" || extension == ".json" || extension == ".csv") {
    const std::string text = extension == ".csv" ? print_buffer_csv(*b.bytes, type) : print_buffer_json(*b.bytes, type);
    output.bytes.assign(text.begin(), text.end());
  } else {
    output.bytes = b.bytes->copy();
  }
  return output;
}

/// OM-23: a picture shows the resolve.
base::Result<std::shared_ptr<image::Surface>> resolved(const image::Surface& surface) {
  auto picture = std::make_shared<image::Surface>(surface);
  picture->samples = 1;
  picture->mcs = nullptr;
  picture->tile_mode = image::TileMode::Linear;
  if (const auto done = image::allocate(*picture); !done.ok()) return done.failure();
  if (const auto done = render_target::resolve_samples(surface, *picture); !done.ok()) return done.failure();
  return picture;
}

bool holds_raw_texels(const std::string& path) { return path == "-" || extension_of(path) == ".bin"; }

/// The picture that an image is saved as.
base::Result<image::PictureFile> saved_picture(const ImageBinding& binding) {
  auto file = image::written_picture(binding.save, binding.key.place);
  if (file.ok()) return file;
  std::vector<base::Diagnostic> problems = file.diagnostics();
  problems.back().note(".bin holds raw texels, and so does -; -.png is a picture on standard output");
  return base::Failure(std::move(problems));
}

base::Result<Output> image_output(const Image& i, base::Diagnostics& notes) {
  const std::string& path = i.binding->save;
  if (holds_raw_texels(path)) return Output{path, image::packed_texels(*i.surface)};
  const auto file = saved_picture(*i.binding);
  if (!file.ok()) return file.failure();
  std::shared_ptr<image::Surface> picture = i.surface;
  if (picture->samples > 1 && file->kind != image::FileKind::Ktx2) {  // .bin, too, keeps the samples
    auto resolve = resolved(*i.surface);
    if (!resolve.ok()) return resolve.failure();
    picture = std::move(*resolve);
  }
  auto bytes = image::encode_image_of(*file, *picture, {}, &notes);
  if (!bytes.ok()) return bytes.failure();
  return Output{file->path, std::move(*bytes)};
}

}  // namespace

base::Result<std::vector<Output>> encode_outputs(const Resources& resources, base::Diagnostics& notes) {
  std::vector<Output> outputs;
  for (const Buffer& b : resources.buffers)
    if (!b.binding->save.empty()) outputs.push_back(buffer_output(b));
  for (const Image& i : resources.images) {
    if (i.binding->save.empty()) continue;
    auto output = image_output(i, notes);
    if (!output.ok()) return output.failure();
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

base::Result<base::Done> check_saved_pictures(const Job& job) {
  std::vector<base::Diagnostic> problems;
  for (const ImageBinding& b : job.images)
    if (!b.save.empty() && !holds_raw_texels(b.save))
      if (const auto file = saved_picture(b); !file.ok()) problems.push_back(file.diagnostics().front());
  if (!problems.empty()) return base::Failure(std::move(problems));
  return base::Done{};
}

base::Result<base::Done> add_outputs(const std::vector<Output>& outputs, base::OutputFiles& files) {
  for (const Output& output : outputs)
    if (auto done = files.add(output.path, output.bytes); !done.ok()) return done;
  return base::Done{};
}

}  // namespace heddle::job
