// SPDX-License-Identifier: MIT
// Descriptors, bytes and texels of a captured command.

#include "vulkan/capture/capture_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

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

/// Whether a name can be a part of a file's name and of a key: an identifier of GLSL or HLSL.
bool is_identifier(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

const machine::SurfaceResource& surface_of(const Shader& shader, const Shader::Slot& slot, std::uint32_t k) {
  const machine::Bindings& bindings = shader.bound.bindings;
  return slot.bindless ? bindings.bindless_surfaces.at(slot.index + k) : bindings.surfaces[slot.index];
}

/// Six digits that no job of the folder has.
std::string next_number(const std::filesystem::path& folder) {
  static std::mutex mutex;
  static std::filesystem::path where;
  static unsigned last = 0;
  const std::lock_guard guard(mutex);
  if (std::exchange(where, folder) != folder) last = 0;
  for (;;) {
    std::string number = fmt::format("{:06}", ++last);
    if (!std::filesystem::exists(folder / (number + ".toml"))) return number;
  }
}

/// Whether a line of vISA is a message to an address, behind its predicate. Names may have the same letters.
bool has_address_message(std::string_view visa) {
  for (std::size_t at = visa.find("svm_"); at != std::string_view::npos; at = visa.find("svm_", at + 1)) {
    std::string_view before = visa.substr(0, at);
    before.remove_prefix(before.rfind('\n') + 1);  // npos: the first line
    before.remove_prefix(std::min(before.find_first_not_of(' '), before.size()));
    if (before.starts_with('(')) before.remove_prefix(std::min(before.find(") "), before.size() - 2) + 2);
    if (before.empty()) return true;
  }
  return false;
}

/// Whether pointers are device addresses: the capability of its SPIR-V, or, without that, the messages of its vISA.
bool has_addresses(const Shader& shader) {
  const std::span<const std::uint32_t> words = shader.module;
  if (words.empty()) return has_address_message(*shader.visa);
  constexpr std::uint32_t kHeaderWords = 5, kCapability = 17 | 2u << 16, kPhysicalStorageBufferAddresses = 5347;
  for (std::size_t at = kHeaderWords; at + 1 < words.size() && words[at] == kCapability; at += 2)
    if (words[at + 1] == kPhysicalStorageBufferAddresses) return true;
  return false;
}

}  // namespace

CaptureWriter::CaptureWriter(const std::string& folder) : folder_(folder) {
  (void)base::make_folders(folder);  // what goes wrong shows when the first file is written
  number_ = next_number(folder_);
}

void CaptureWriter::file(const std::string& rest, std::span<const std::uint8_t> bytes) {
  if (!why_.empty()) return;
  const auto written = base::write_file((folder_ / name(rest)).string(), bytes);
  if (!written.ok()) refuse(written.diagnostics().front().message);
}

std::string CaptureWriter::finish() {
  file("toml", {reinterpret_cast<const std::uint8_t*>(job_.data()), job_.size()});
  return why_;
}

void CaptureWriter::note_names(const Shader& shader) {
  for (const auto* slots : {&shader.surfaces, &shader.samplers})
    for (const Shader::Slot& slot : *slots) {
      if (slot.kind == ResourceKind::PushConstant) continue;
      names_[{slot.set, slot.binding}].insert(slot.name);
      bindings_[slot.name].insert({slot.set, slot.binding});
    }
}

/// The shader's name; "SET.BINDING" where shaders call it differently, or two bindings have the name.
std::string CaptureWriter::key_of(const Shader::Slot& slot, std::uint32_t k) const {
  const bool named = is_identifier(slot.name) && names_.at({slot.set, slot.binding}).size() == 1 &&
                     bindings_.at(slot.name).size() == 1;
  const std::string place = named ? slot.name : fmt::format("{}.{}", slot.set, slot.binding);
  return slot.array ? fmt::format("{}[{}]", place, slot.element + k) : place;
}

void CaptureWriter::program(const std::string& prefix, const Shader& shader) {
  note_names(shader);
  if (has_addresses(shader)) refuse("its shader reaches memory by device addresses");
  const std::string& visa = *shader.visa;
  file(prefix + "visaasm", {reinterpret_cast<const std::uint8_t*>(visa.data()), visa.size()});
  if (shader.module.empty()) return;  // its vISA came from the application
  file(prefix + "spv", {reinterpret_cast<const std::uint8_t*>(shader.module.data()), shader.module.size() * 4});
}

void CaptureWriter::push_constants(const Shader& shader) {
  if (shader.push == nullptr || shader.push_bytes == 0) return;
  std::string bytes;
  for (std::uint64_t i = 0; i < shader.push_bytes; ++i) bytes += fmt::format("{:02x}", (*shader.push)[i]);
  line(fmt::format("\n[args]\npush = {{ bytes = \"{}\" }}", bytes));
}

/// Bytes under two names are two buffers in a job.
void CaptureWriter::note_overlap(const std::string& key, const std::uint8_t* bytes, std::uint64_t size) {
  for (const auto& [other, name] : buffers_) {
    const auto& [begin, length, format] = other;
    if (begin < bytes + size && bytes < begin + length && (written_.contains(begin) || written_.contains(bytes)))
      line(fmt::format("# '{}' overlaps '{}': here neither sees what is written to the other.", key, name));
  }
}

void CaptureWriter::buffer(const std::string& key, ResourceKind kind, const image::Surface& s) {
  line(fmt::format("\n[buffers.\"{}\"]", key));
  const std::uint64_t begin = s.memory ? std::min<std::uint64_t>(s.base, s.memory->size()) : 0;
  const std::uint64_t size = s.memory ? std::min<std::uint64_t>(s.bytes, s.memory->size() - begin) : 0;
  if (size == 0) return line("type = \"u8\"\ncount = 0");
  const std::uint8_t* bytes = s.memory->data() + begin;
  if (!buffers_.contains({bytes, size, s.format})) note_overlap(key, bytes, size);
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

void CaptureWriter::members(const image::Surface& s) {
  line(fmt::format("type = \"{}\"\nformat = \"{}\"\nwidth = {}\nheight = {}", image::name_of(s.type), s.info().name,
                   s.width, s.height));
  if (s.type == image::SurfaceType::Dim3) line(fmt::format("depth = {}", s.depth));
  line(fmt::format("array = {}\nlayers = {}\nview_layers = {}\nmin_array_element = {}", s.array, s.layers,
                   s.view_layers, s.min_array_element));
  line(fmt::format(
      "levels = {}\nmip_count = {}\nsurf_min_lod = {}\nresource_min_lod = {}\nrt_level = {}\nrt_extent = {}\nsamples = "
      "{}",
      s.levels, s.mip_count, s.surf_min_lod, s.resource_min_lod / 256.0, s.rt_level, s.rt_extent, s.samples));
  if (s.unread_levels != 0) line(fmt::format("unread_levels = {}", s.unread_levels));
  line(fmt::format("swizzle = \"{}\"", image::swizzle_text(s.swizzle)));
}

void CaptureWriter::image(const std::string& key, const image::Surface& s) {
  line(fmt::format("\n[images.\"{}\"]", key));
  if (s.type == image::SurfaceType::Null || !s.memory) return line("type = \"null\"");
  if (s.residency) refuse(fmt::format("image '{}' has memory in places alone", key));
  image::Surface plain = s;
  if (!image::lay_out(plain).ok() || plain.bytes != s.bytes)
    refuse(fmt::format("image '{}' shows slices of a volume as layers", key));
  const auto [at, added] = images_.emplace(s.memory->data() + s.base, key);
  if (!added) line(fmt::format("same_as = \"{}\"", at->second));
  members(s);
  if (!added) return;
  line(fmt::format("raw = \"{}\"", name(key + ".bin")));
  file(key + ".bin", image::packed_texels(s));
  if (written_.contains(s.memory->data() + s.base)) line(fmt::format("save = \"{}\"", name(key + ".out.bin")));
}

void CaptureWriter::sampler(const std::string& key, const image::Sampler& s) {
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

void CaptureWriter::note_written(const image::Surface& s) {
  if (s.memory) written_.insert(s.memory->data() + s.base);
}

void CaptureWriter::note_written(const Shader& shader) {
  for (const Shader::Slot& slot : shader.surfaces)
    for (std::uint32_t k = 0; is_written(slot.kind) && k < slot.count; ++k)
      if (const machine::SurfaceResource& s = surface_of(shader, slot, k); s) note_written(*s);
}

void CaptureWriter::bind(const Shader& shader) {
  const machine::Bindings& bindings = shader.bound.bindings;
  for (const Shader::Slot& slot : shader.surfaces) {
    if (slot.kind == ResourceKind::PushConstant || slot.kind == ResourceKind::StorageSamples) continue;
    if (slot.kind == ResourceKind::Plane1) refuse("job files have no images with planes");
    if (slot.kind == ResourceKind::Plane1 || slot.kind == ResourceKind::Plane2) continue;
    for (std::uint32_t k = 0; k < slot.count; ++k) {
      const machine::SurfaceResource& surface = surface_of(shader, slot, k);
      const std::string key = key_of(slot, k);
      if (!surface || !resources_.insert(key).second) continue;
      if (is_bytes(slot.kind) || is_texels(slot.kind))
        buffer(key, slot.kind, *surface);
      else
        image(key, *surface);
    }
  }
  for (const Shader::Slot& slot : shader.samplers)
    for (std::uint32_t k = 0; k < slot.count; ++k) {
      const machine::SamplerResource& state =
          slot.bindless ? bindings.bindless_samplers.at(slot.index + k) : bindings.samplers[slot.index];
      const std::string key = key_of(slot, k);
      if (state && samplers_.insert(key).second) sampler(key, *state);
    }
}

}  // namespace heddle::vulkan
