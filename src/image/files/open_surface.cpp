// SPDX-License-Identifier: MIT
#include "image/files/open_surface.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "image/files/codec.hpp"
#include "image/rows.hpp"

namespace heddle::image {
namespace {

/// The same colors in another format.
base::Result<Surface> converted(const Surface& source, Format wanted, const std::string& path, const std::string& name,
                                const base::Limits& limits) {
  Surface result = source;
  result.format = wanted;
  result.name = name;
  const FormatInfo& from = source.info();
  const FormatInfo& to = *format_info(wanted);
  if (from.value_class != to.value_class || !encodable(to) || !decodable(from))
    return base::error("surface-file",
                       fmt::format("'{}' holds {}, which is not converted to {}", path, from.name, to.name));
  if (const auto done = allocate(result, limits); !done.ok()) return done.failure();
  for (std::uint32_t level = 0; level < result.levels; ++level)
    for (std::uint32_t slice = 0; slice < result.stored_slices(level); ++slice) {
      RowReader rows(source, level, slice);
      for (std::uint32_t y = 0; y < result.level_height(level); ++y) {
        std::uint32_t x = 0;
        for (const Texel& texel : rows.row(y)) store(result, level, slice, x++, y, texel);
      }
    }
  return result;
}

/// A surface read from a file, as an object's members say.
base::Result<Surface> with_members(Surface surface, const std::string& path, const SurfaceMembers& members, bool mips,
                                   const std::string& what, const std::string& name, const base::Limits& limits) {
  const Format wanted = members.format.value_or(surface.format);
  if (wanted != surface.format && format_info(wanted)->bytes_per_element() != surface.info().bytes_per_element()) {
    auto other = converted(surface, wanted, path, name, limits);
    if (!other.ok()) return other;
    surface = std::move(*other);
  }
  Surface changed = apply(members, surface);
  changed.name = name;
  if (const auto done = lay_out(changed); !done.ok()) return done.failure();
  if (changed.size_bytes() != surface.size_bytes())
    return base::error("surface-file", fmt::format("the members of {} do not fit the file '{}'", what, path))
        .note(fmt::format("the file has {} x {} texels of {}, {} levels, {} slices", surface.width, surface.height,
                          surface.info().name, surface.levels, surface.layers));
  if (!mips) return changed;
  base::Result<Surface> full = with_mip_chain(changed, limits);
  if (!full.ok()) return full;
  SurfaceMembers rest = members;
  rest.levels = full->levels;
  return apply(rest, std::move(*full));
}

}  // namespace

base::Result<Surface> open_surface(const std::string& path, const SurfaceMembers& members, bool mips,
                                   const std::string& what, const std::string& name, const base::Limits& limits,
                                   base::Diagnostics* notes) {
  LoadOptions options;
  options.srgb = members.format && format_info(*members.format)->is_srgb();
  options.bc7 = members.format == Format::BC7_UNORM || members.format == Format::BC7_UNORM_SRGB;
  auto loaded = load_image(path, options, limits, notes);
  if (!loaded.ok()) return loaded;
  return with_members(std::move(*loaded), path, members, mips, what, name, limits);
}

base::Result<Surface> open_layers(std::span<const std::string> paths, SurfaceMembers members, bool mips,
                                  const std::string& what, const std::string& name, const base::Limits& limits,
                                  base::Diagnostics* notes) {
  LoadOptions options;
  options.srgb = members.format && format_info(*members.format)->is_srgb();
  Surface all;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    auto one = load_image(paths[i], options, limits, notes);
    if (!one.ok()) return one;
    if (one->layers != 1 || one->type != SurfaceType::Dim2)
      return base::error("surface-file", fmt::format("'{}' is no single 2D picture, as each of 'files' is", paths[i]));
    if (i == 0) {
      all = *one;
      all.array = true;
      all.layers = static_cast<std::uint32_t>(paths.size());
      all.levels = 1;
      if (const auto done = allocate(all, limits); !done.ok()) return done.failure();
    } else if (one->format != all.format || one->width != all.width || one->height != all.height) {
      return base::error("surface-file",
                         fmt::format("'{}' has {} x {} texels of {}, '{}' {} x {} of {}", paths[i], one->width,
                                     one->height, one->info().name, paths[0], all.width, all.height, all.info().name))
          .note("the faces of a cube and the layers of an array are alike");
    }
    put_slice(all, 0, static_cast<std::uint32_t>(i), packed_slice(*one, 0, 0));
  }
  const bool cube = members.type ? *members.type == SurfaceType::Cube : paths.size() == 6;
  if (cube && (paths.size() % 6 != 0 || all.width != all.height))
    return base::error("surface-file",
                       fmt::format("{} files of {} x {} texels make no cube", paths.size(), all.width, all.height))
        .note("a cube has six square faces: +x -x +y -y +z -z");
  if (cube) {
    all.type = SurfaceType::Cube;
    all.array = paths.size() > 6;
  }
  return with_members(std::move(all), paths[0], members, mips, what, name, limits);
}

base::Result<base::Done> read_packed_texels(const std::string& path, Surface& surface, const std::string& what,
                                            const base::Limits& limits) {
  auto file = base::read_file(path, limits);
  if (!file.ok()) return file.failure();
  if (!surface.memory || file->size() != surface.size_bytes())
    return base::error("surface-file",
                       fmt::format("'{}' has {} bytes, {} needs {}", path, file->size(), what, surface.size_bytes()))
        .note("the texels lie tightly packed, level after level, slice after slice");
  *surface.memory = std::move(*file);
  return base::Done{};
}

}  // namespace heddle::image
