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

base::Result<Output> image_output(const Image& i, base::Diagnostics& notes) {
  const std::string& path = i.binding->save;
  if (path == "-" || extension_of(path) == ".bin") return Output{path, image::packed_texels(*i.surface)};
  const auto file = image::picture_file(path);
  if (!file)
    return base::error("image-kind", fmt::format("'{}' has no extension of an image file", path), i.binding->key.place)
        .note("one of: .png .ktx2 .exr .pfm .bin; - is standard output for raw texels, -.png for a picture");
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

base::Result<base::Done> add_outputs(const std::vector<Output>& outputs, base::OutputFiles& files) {
  for (const Output& output : outputs)
    if (auto done = files.add(output.path, output.bytes); !done.ok()) return done;
  return base::Done{};
}

}  // namespace heddle::job
