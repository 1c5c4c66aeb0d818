#include "vulkan/execution/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "base/file.hpp"
#include "image/files/files.hpp"
#include "image/names.hpp"

namespace heddle::vulkan {
namespace {

using shader_interface::ResourceKind;

bool is_written(ResourceKind kind) {
  return kind == ResourceKind::StorageBuffer || kind == ResourceKind::StorageImage ||
         kind == ResourceKind::StorageTexelBuffer;
}
bool is_texels(ResourceKind kind) {
  return kind == ResourceKind::TexelBuffer || kind == ResourceKind::StorageTexelBuffer;
}
bool is_bytes(ResourceKind kind) { return kind == ResourceKind::UniformBuffer || kind == ResourceKind::StorageBuffer; }

/// Writes the files of one dispatch, and its job's text along with them.
class Writer {
 public:
  Writer(std::filesystem::path folder, std::string number) : folder_(std::move(folder)), number_(std::move(number)) {}

  void line(const std::string& text) { job_ += text + '\n'; }
  /// NNNNNN.NAME, in the job's folder.
  [[nodiscard]] std::string name(const std::string& rest) const { return number_ + "." + rest; }
  void file(const std::string& rest, std::span<const std::uint8_t> bytes) {
    const auto written = base::write_file((folder_ / name(rest)).string(), bytes);
    if (!written.ok() && why_.empty()) why_ = written.diagnostics().front().message;
  }
  void bind(const Pipeline& pipeline);
  /// The job itself comes last: where it is, the rest is complete.
  [[nodiscard]] std::string finish() {
    if (why_.empty()) file("toml", {reinterpret_cast<const std::uint8_t*>(job_.data()), job_.size()});
    return why_;
  }

 private:
  void buffer(const std::string& key, ResourceKind kind, const image::Surface& surface);
  void image(const std::string& key, const image::Surface& surface);
  void find_written(const Pipeline& pipeline);
  void members(const image::Surface& surface);
  void sampler(const std::string& key, const image::Sampler& sampler);

  std::filesystem::path folder_;
  std::string number_, job_, why_;
  using Bytes = std::tuple<const std::uint8_t*, std::uint64_t, image::Format>;
  std::map<Bytes, std::string> buffers_;  ///< what is bound already, by its bytes
  std::map<const std::uint8_t*, std::string> images_;
  std::set<const std::uint8_t*> written_;  ///< where what shaders may write begins
};

void Writer::buffer(const std::string& key, ResourceKind kind, const image::Surface& s) {
  line(fmt::format("\n[buffers.\"{}\"]", key));
  const std::uint64_t begin = s.memory ? std::min<std::uint64_t>(s.base, s.memory->size()) : 0;
  const std::uint64_t size = s.memory ? std::min<std::uint64_t>(s.bytes, s.memory->size() - begin) : 0;
  if (size == 0) return line("type = \"u8\"\ncount = 0");
  const std::uint8_t* bytes = s.memory->data() + begin;
  const auto [at, added] = buffers_.emplace(Bytes{bytes, size, s.format}, key);
  if (!added) return line(fmt::format("same_as = \"{}\"", at->second));
  if (is_texels(kind))
    line(fmt::format("format = \"{}\"", s.info().name));
  else
    line("type = \"u8\"");
  line(fmt::format("file = \"{}\"", name(key + ".bin")));
  file(key + ".bin", {bytes, static_cast<std::size_t>(size)});
  if (written_.contains(bytes)) line(fmt::format("save = \"{}\"", name(key + ".out.bin")));
}

void Writer::members(const image::Surface& s) {
  line(fmt::format("type = \"{}\"\nformat = \"{}\"\nwidth = {}\nheight = {}", image::name_of(s.type), s.info().name,
                   s.width, s.height));
  if (s.type == image::SurfaceType::Dim3) line(fmt::format("depth = {}", s.depth));
  line(fmt::format("array = {}\nlayers = {}\nview_layers = {}\nmin_array_element = {}", s.array, s.layers,
                   s.view_layers, s.min_array_element));
  line(fmt::format("levels = {}\nmip_count = {}\nsurf_min_lod = {}\nresource_min_lod = {}\nrt_level = {}\nsamples = {}",
                   s.levels, s.mip_count, s.surf_min_lod, s.resource_min_lod / 256.0, s.rt_level, s.samples));
  line(fmt::format("swizzle = \"{}\"", image::swizzle_text(s.swizzle)));
}

void Writer::image(const std::string& key, const image::Surface& s) {
  line(fmt::format("\n[images.\"{}\"]", key));
  if (s.type == image::SurfaceType::Null || !s.memory) return line("type = \"null\"");
  const auto [at, added] = images_.emplace(s.memory->data() + s.base, key);
  if (!added) line(fmt::format("same_as = \"{}\"", at->second));
  members(s);
  if (!added) return;
  line(fmt::format("raw = \"{}\"", name(key + ".bin")));
  file(key + ".bin", image::packed_texels(s));
  if (written_.contains(s.memory->data() + s.base)) line(fmt::format("save = \"{}\"", name(key + ".out.bin")));
}

void Writer::sampler(const std::string& key, const image::Sampler& s) {
  line(fmt::format("\n[samplers.\"{}\"]", key));
  if (s.disable) return line("disable = true");
  line(fmt::format("min = \"{}\"\nmag = \"{}\"\nmip = \"{}\"", image::name_of(s.min_filter),
                   image::name_of(s.mag_filter), image::name_of(s.mip_filter)));
  line(fmt::format("address = [\"{}\", \"{}\", \"{}\"]", image::name_of(s.tcx), image::name_of(s.tcy),
                   image::name_of(s.tcz)));
  line(fmt::format("seamless_cube = {}\nunnormalized = {}", s.cube_override, s.non_normalized));
  line(fmt::format("border = [\"0x{:08x}\", \"0x{:08x}\", \"0x{:08x}\", \"0x{:08x}\"]", s.border[0], s.border[1],
                   s.border[2], s.border[3]));
  line(fmt::format("lod_bias = {}\nmin_lod = {}\nmax_lod = {}", s.lod_bias / 256.0, s.min_lod / 256.0,
                   s.max_lod / 256.0));
  line(fmt::format("max_anisotropy = {}\ncompare = \"{}\"", 2 * (s.max_anisotropy + 1), image::name_of(s.compare)));
  if (s.reduction_enable) line(fmt::format("reduction = \"{}\"", image::name_of(s.reduction)));
}

std::string key_of(const Pipeline::Slot& slot, std::uint32_t k) {
  const std::string place = fmt::format("{}.{}", slot.set, slot.binding);
  return slot.array ? fmt::format("{}[{}]", place, slot.element + k) : place;
}

const machine::SurfaceResource& surface_of(const Pipeline& pipeline, const Pipeline::Slot& slot, std::uint32_t k) {
  const machine::Bindings& bindings = pipeline.bound.bindings;
  return slot.bindless ? bindings.bindless_surfaces.at(slot.index + k) : bindings.surfaces[slot.index];
}

/// What several descriptors show is stored once, under the first one's name, which need not be the one that writes.
void Writer::find_written(const Pipeline& pipeline) {
  for (const Pipeline::Slot& slot : pipeline.surfaces)
    for (std::uint32_t k = 0; is_written(slot.kind) && k < slot.count; ++k)
      if (const machine::SurfaceResource& s = surface_of(pipeline, slot, k); s && s->memory)
        written_.insert(s->memory->data() + s->base);
}

void Writer::bind(const Pipeline& pipeline) {
  const machine::Bindings& bindings = pipeline.bound.bindings;
  find_written(pipeline);
  std::set<std::string> written;
  for (const Pipeline::Slot& slot : pipeline.surfaces) {
    if (slot.kind == ResourceKind::PushConstant || slot.kind == ResourceKind::StorageSamples) continue;
    for (std::uint32_t k = 0; k < slot.count; ++k) {
      const machine::SurfaceResource& surface = surface_of(pipeline, slot, k);
      const std::string key = key_of(slot, k);
      if (!surface || !written.insert(key).second) continue;
      if (is_bytes(slot.kind) || is_texels(slot.kind))
        buffer(key, slot.kind, *surface);
      else
        image(key, *surface);
    }
  }
  written.clear();
  for (const Pipeline::Slot& slot : pipeline.samplers)
    for (std::uint32_t k = 0; k < slot.count; ++k) {
      const machine::SamplerResource& state =
          slot.bindless ? bindings.bindless_samplers.at(slot.index + k) : bindings.samplers[slot.index];
      const std::string key = key_of(slot, k);
      if (state && written.insert(key).second) sampler(key, *state);
    }
}

/// Six digits that no job of the folder has.
std::string next_number(const std::filesystem::path& folder) {
  static std::atomic<unsigned> last = 0;
  for (;;) {
    std::string number = fmt::format("{:06}", ++last);
    if (!std::filesystem::exists(folder / (number + ".toml"))) return number;
  }
}

}  // namespace

std::string capture_dispatch(const std::string& folder, const Pipeline& pipeline, const pipeline::Grid& grid) {
  if (grid.base != std::array<std::uint32_t, 3>{})
    return fmt::format("a dispatch of '{}' is not written: job files have no base group", pipeline.name);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  Writer writer(folder, next_number(folder));
  writer.line(fmt::format("# A dispatch that HEDDLE_CAPTURE wrote.\nprogram = \"{}\"", writer.name("visaasm")));
  writer.line(fmt::format("groups = [{}, {}, {}]", grid.groups[0], grid.groups[1], grid.groups[2]));
  const std::string& visa = *pipeline.visa;
  writer.file("visaasm", {reinterpret_cast<const std::uint8_t*>(visa.data()), visa.size()});
  writer.file("spv", {reinterpret_cast<const std::uint8_t*>(pipeline.module.data()), pipeline.module.size() * 4});
  if (pipeline.push != nullptr && pipeline.push_bytes != 0) {
    std::string bytes;
    for (std::uint64_t i = 0; i < pipeline.push_bytes; ++i) bytes += fmt::format("{:02x}", (*pipeline.push)[i]);
    writer.line(fmt::format("\n[args]\npush = {{ bytes = \"{}\" }}", bytes));
  }
  writer.bind(pipeline);
  return writer.finish();
}

}  // namespace heddle::vulkan
