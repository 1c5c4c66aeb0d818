// SPDX-License-Identifier: MIT
#include "job/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "image/files/open_surface.hpp"
#include "job/formats/buffer_data.hpp"

namespace heddle::job {
namespace {

// Addresses start well above 4 GiB, so that a program that cuts one to 32 bits is found out; ranges keep a page between
// them.
constexpr std::uint64_t kFirstAddress = 0x10'0000'0000u;
constexpr std::uint64_t kPage = 4096;

struct Loader {
  const Job& job;
  base::Diagnostics& diagnostics;
  Resources resources{};
  std::uint64_t used = 0;                                        ///< bytes of memory
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken{};  ///< addresses that the job gives: first, end

  void error(const Key& key, std::string_view id, std::string message, std::string note = {}) const {
    base::Diagnostic d = base::error(std::string(id), std::move(message), key.place);
    if (!note.empty()) d.note(std::move(note));
    diagnostics.add(std::move(d));
  }
  void pass_on(const std::vector<base::Diagnostic>& list) const {
    for (const base::Diagnostic& d : list) diagnostics.add(d);
  }
  /// Problems of a surface's state, whose messages begin with its name: at the image's key, or at its size.
  void pass_on(const std::vector<base::Diagnostic>& list, const ImageBinding& b) const {
    for (base::Diagnostic d : list) {
      if (d.id == "surface-file") d.id = "job-value";
      if (d.place.kind == base::Place::Kind::None)
        d.place = d.id == "surface-size" || d.id == "limit-surface" ? b.size_place : b.key.place;
      diagnostics.add(std::move(d));
    }
  }
  bool take(const Key& key, std::uint64_t bytes) {
    if (bytes <= job.limits.memory_bytes - std::min(used, job.limits.memory_bytes)) {
      used += bytes;
      return true;
    }
    diagnostics.add(
        base::limit_error("limit-memory",
                          fmt::format("'{}' needs {} bytes, more than the run may use ({} bytes; --max-memory)",
                                      key.text, bytes, job.limits.memory_bytes),
                          key.place));
    return false;
  }

  std::shared_ptr<image::Memory> buffer_bytes(const BufferBinding& b);
  std::optional<std::vector<std::uint8_t>> buffer_data(const BufferBinding& b);
  std::shared_ptr<image::Surface> image_surface(const ImageBinding& b);
  bool fill_image(const ImageBinding& b, image::Surface& surface);
  std::shared_ptr<image::Surface> load_file(const ImageBinding& b);
  std::shared_ptr<image::Surface> view_of(const ImageBinding& b, const image::Surface& source);

  void buffers();
  void take_address(const BufferBinding& b, Buffer& buffer);
  void addresses();
  void images();
  void samplers();
};

/// What its file or its list of values gives; nothing, reported, where that is wrong.
std::optional<std::vector<std::uint8_t>> Loader::buffer_data(const BufferBinding& b) {
  const ElementType type = element_type(b);
  std::vector<std::uint8_t> bytes;
  if (!b.file.empty()) {
    auto file = base::read_file(b.file, job.limits);
    if (!file.ok()) return pass_on(file.diagnostics()), std::nullopt;
    const std::string extension = extension_of(b.file);
    if (extension != ".json" && extension != ".csv") return std::move(*file);
    auto parsed = extension == ".json" ? parse_buffer_json(base::as_text(*file), b.file, type, job.limits)
                                       : parse_buffer_csv(base::as_text(*file), b.file, type);
    if (!parsed.ok()) return pass_on(parsed.diagnostics()), std::nullopt;
    return std::move(*parsed);
  }
  if (b.data)
    for (const Scalar& scalar : *b.data) {
      std::string why;
      const auto bits = encode(scalar, type, why);
      if (!bits)
        return error(b.key, "job-value", fmt::format("'data' of buffer '{}': {}", b.key.text, why)), std::nullopt;
      put(bytes, *bits, element_bytes(type));
    }
  return bytes;
}

std::shared_ptr<image::Memory> Loader::buffer_bytes(const BufferBinding& b) {
  const unsigned element =
      b.format ? image::format_info(*b.format)->bytes_per_element() : element_bytes(b.type.value_or(ElementType::U8));
  if (b.memory) return take(b.key, b.memory->size()) ? std::make_shared<image::Memory>(b.memory) : nullptr;
  const auto data = buffer_data(b);
  if (!data) return nullptr;
  std::size_t wanted = data->size();
  if (b.count) {
    if (*b.count > job.limits.memory_bytes / element) return take(b.key, *b.count * std::uint64_t{element}), nullptr;
    wanted = static_cast<std::size_t>(*b.count) * element;
    if (data->size() > wanted)
      return error(b.key, "job-value",
                   fmt::format("buffer '{}' has {} elements of data and 'count' = {}", b.key.text,
                               data->size() / element, *b.count)),
             nullptr;
  }
  if (!take(b.key, wanted)) return nullptr;
  auto bytes = std::make_shared<image::Memory>(wanted);  // from a cache line's start on, wherever the data came from
  std::ranges::copy(*data, bytes->begin());
  if (b.fill) {
    std::string why;
    const ElementType type = element_type(b);
    const auto bits = encode(*b.fill, type, why);
    if (!bits) return error(b.key, "job-value", fmt::format("'fill' of buffer '{}': {}", b.key.text, why)), nullptr;
    std::vector<std::uint8_t> one;
    put(one, *bits, element_bytes(type));
    for (std::size_t at = 0; at + one.size() <= bytes->size(); at += one.size())
      std::memcpy(bytes->data() + at, one.data(), one.size());
  }
  return bytes;
}

bool Loader::fill_image(const ImageBinding& b, image::Surface& surface) {
  if (!b.raw.empty()) {
    const auto done = image::read_packed_texels(b.raw, surface, fmt::format("image '{}'", b.key.text), job.limits);
    if (!done.ok()) return pass_on(done.diagnostics(), b), false;
  } else if (b.data) {
    base::Node table = base::Node::make_table();
    table.add("data", *b.data);
    const std::size_t before = diagnostics.errors();
    const base::NodeContext context{job.file, "job", &diagnostics};
    base::TableReader reader(table, context, fmt::format("[images.{}]", b.key.text));
    image::read_surface_data(reader, surface);
    return diagnostics.errors() == before;
  } else if (!b.fill.empty()) {
    const image::FormatInfo& info = surface.info();
    if (!image::encodable(info))
      return error(b.key, "job-value",
                   fmt::format("image '{}' cannot be filled: {} is not written texel by texel", b.key.text, info.name)),
             false;
    if (b.fill.size() > 4)
      return error(b.key, "job-value", fmt::format("'fill' of image '{}' takes one to four numbers", b.key.text)),
             false;
    image::Texel texel;
    if (info.value_class == image::ValueClass::Float)
      texel.set(3, 1.0f);
    else
      texel.bits[3] = 1;
    for (std::size_t c = 0; c < b.fill.size(); ++c) {
      std::string why;
      const auto bits = encode(b.fill[c], fill_type(info), why);
      if (!bits) return error(b.key, "job-value", fmt::format("'fill' of image '{}': {}", b.key.text, why)), false;
      texel.bits[c] = static_cast<std::uint32_t>(*bits);
    }
    std::vector<std::uint8_t> element(info.bytes_per_element());
    image::encode_texel(info, texel, element.data());
    std::uint8_t* bytes = surface.memory->data();
    const std::size_t size = surface.memory->size() / element.size() * element.size();
    std::memcpy(bytes, element.data(), std::min(size, element.size()));
    for (std::size_t done = element.size(); done < size; done *= 2)
      std::memcpy(bytes + done, bytes, std::min(done, size - done));
  }
  return true;
}

std::shared_ptr<image::Surface> Loader::load_file(const ImageBinding& b) {
  const std::string what = fmt::format("[images.{}]", b.key.text);
  auto surface =
      b.files.empty()
          ? image::open_surface(b.file, b.members, b.generate_mips, what, b.key.text, job.limits, &diagnostics)
          : image::open_layers(b.files, b.members, b.generate_mips, what, b.key.text, job.limits, &diagnostics);
  if (!surface.ok()) return pass_on(surface.diagnostics(), b), nullptr;
  return std::make_shared<image::Surface>(std::move(*surface));
}

std::shared_ptr<image::Surface> Loader::image_surface(const ImageBinding& b) {
  std::shared_ptr<image::Surface> surface;
  if (b.surface) {
    surface = b.surface;
  } else if (!b.file.empty() || !b.files.empty()) {
    surface = load_file(b);
  } else {
    image::SurfaceMembers members = b.members;
    if (!members.type && b.size.size() == 3) members.type = image::SurfaceType::Dim3;
    if (!members.type && b.size.size() == 1) members.type = image::SurfaceType::Dim1;
    if (!b.size.empty()) {
      const bool entries = members.type == image::SurfaceType::Buffer || members.type == image::SurfaceType::StrBuf;
      if (entries)
        members.entries = b.size[0];
      else
        members.width = b.size[0];
      if (b.size.size() > 1) members.height = b.size[1];
      if (b.size.size() > 2) members.depth = b.size[2];
    }
    surface = std::make_shared<image::Surface>(image::apply(members));
    surface->name = b.key.text;
    if (b.generate_mips) {
      error(b.key, "job-value", fmt::format("'mips' of [images.{}] needs a 'file'", b.key.text));
      return nullptr;
    }
    if (surface->type != image::SurfaceType::Null) {
      if (const auto done = image::allocate(*surface, job.limits); !done.ok())
        return pass_on(done.diagnostics(), b), nullptr;
      if (!fill_image(b, *surface)) return nullptr;
    }
  }
  if (!surface) return nullptr;
  surface->name = b.key.text;
  if (!take(b.key, surface->memory ? surface->memory->size() : 0)) return nullptr;
  return surface;
}

/// The entry that `same_as` names; reports an unknown one and a chain.
template <typename Entry>
const Entry* original(const Loader& loader, const std::vector<Entry>& entries, const Key& key,
                      const std::string& name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) {
    if (entry.binding->key.text == name && entry.binding->same_as.empty()) return &entry;
    if (entry.binding->same_as.empty()) names.push_back(entry.binding->key.text);
  }
  const std::string_view near = base::nearest(name, names);
  loader.error(key, "job-value", fmt::format("'same_as' of '{}' names nothing: '{}'", key.text, name),
               near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  return nullptr;
}

void Loader::take_address(const BufferBinding& b, Buffer& buffer) {
  buffer.address = *b.address;
  const std::uint64_t end = *b.address + std::max<std::size_t>(buffer.bytes->size(), 1);
  for (const auto& [low, high] : taken)
    if (*b.address < high && low < end)
      error(b.key, "job-value", fmt::format("the addresses of buffer '{}' overlap another buffer's", b.key.text));
  taken.emplace_back(*b.address, end);
}

void Loader::buffers() {
  const image::FormatInfo* raw = image::find_format("RAW");
  for (const BufferBinding& b : job.buffers) {
    Buffer buffer;
    buffer.binding = &b;
    if (b.same_as.empty()) {
      buffer.bytes = buffer_bytes(b);
      if (buffer.bytes) buffer.surface = buffer_surface(buffer.bytes, b.format.value_or(raw->format), b.key.text);
      if (b.address && buffer.bytes) take_address(b, buffer);
    }
    resources.buffers.push_back(std::move(buffer));
  }
}

/// Gives buffers without an address one that nothing else has; then those that are another one's.
void Loader::addresses() {
  std::uint64_t next = kFirstAddress;
  for (Buffer& b : resources.buffers) {
    if (!b.bytes || b.binding->address) continue;
    const std::uint64_t span = (b.bytes->size() / kPage + 2) * kPage;
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& [low, high] : taken)
        if (next < high && low < next + span) {
          next = (high / kPage + 2) * kPage;
          moved = true;
        }
    }
    b.address = next;
    next += span;
  }
  for (Buffer& b : resources.buffers)
    if (!b.binding->same_as.empty())
      if (const Buffer* source = original(*this, resources.buffers, b.binding->key, b.binding->same_as)) {
        b.bytes = source->bytes;
        b.address = source->address;
        b.surface = source->surface;
      }
}

/// Another view of the same texels.
std::shared_ptr<image::Surface> Loader::view_of(const ImageBinding& b, const image::Surface& source) {
  auto view = std::make_shared<image::Surface>(image::apply(b.members, source));
  view->name = b.key.text;
  if (const auto done = image::lay_out(*view); !done.ok())
    pass_on(done.diagnostics(), b);
  else if (view->size_bytes() != source.size_bytes())
    error(b.key, "job-value", fmt::format("the members of [images.{}] do not fit '{}'", b.key.text, b.same_as));
  return view;
}

void Loader::images() {
  for (const ImageBinding& b : job.images)
    resources.images.push_back({&b, b.same_as.empty() ? image_surface(b) : nullptr});
  for (Image& i : resources.images) {
    if (i.binding->same_as.empty()) continue;
    const Image* source = original(*this, resources.images, i.binding->key, i.binding->same_as);
    if (source != nullptr && source->surface) i.surface = view_of(*i.binding, *source->surface);
  }
}

void Loader::samplers() {
  const auto is_integer = [](const Image& i) {
    return i.surface && i.surface->info().value_class != image::ValueClass::Float;
  };
  for (const SamplerBinding& b : job.samplers) {
    auto sampler = std::make_shared<image::Sampler>(b.members.sampler);
    // A border is binary32, or integers where the image of the same key, or every image of the job, has an integer
    // format.
    if (b.members.integer_border) {
      const Image* own = resources.image(b.key.text);
      const bool integers = own != nullptr
                                ? is_integer(*own)
                                : !resources.images.empty() && std::ranges::all_of(resources.images, is_integer);
      if (integers) sampler->border = *b.members.integer_border;
    }
    // Vulkan filters and gathers across the faces of a cube whatever the address modes say (CUB-4).
    auto vulkan_sampler = std::make_shared<image::Sampler>(*sampler);
    vulkan_sampler->cube_override = b.members.seamless_cube.value_or(true);
    resources.samplers.push_back({&b, std::move(sampler), std::move(vulkan_sampler)});
  }
}

}  // namespace

const Buffer* Resources::buffer(std::string_view key) const {
  for (const Buffer& b : buffers)
    if (b.binding->key.text == key) return &b;
  return nullptr;
}
const Image* Resources::image(std::string_view key) const {
  for (const Image& i : images)
    if (i.binding->key.text == key) return &i;
  return nullptr;
}
const SamplerResource* Resources::sampler(std::string_view key) const {
  for (const SamplerResource& s : samplers)
    if (s.binding->key.text == key) return &s;
  return nullptr;
}

std::shared_ptr<image::Surface> buffer_surface(std::shared_ptr<image::Memory> bytes, image::Format format,
                                               std::string name) {
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Buffer;
  surface->format = format;
  const image::FormatInfo* info = image::format_info(format);
  const bool raw = info->name == "RAW";
  surface->entries = raw ? bytes->size() : bytes->size() / std::max(1u, info->bytes_per_element());
  if (!image::lay_out(*surface).ok()) surface->layout.clear();
  surface->memory = std::move(bytes);
  surface->name = std::move(name);
  return surface;
}

base::Result<Resources> load_resources(const Job& job) {
  base::Diagnostics diagnostics(job.limits.diagnostics);
  Loader loader{job, diagnostics};
  loader.buffers();
  loader.addresses();
  loader.images();
  loader.samplers();
  if (diagnostics.has_errors()) return base::Failure(diagnostics.all());
  loader.resources.notes = diagnostics.all();
  return std::move(loader.resources);
}

}  // namespace heddle::job
