// SPDX-License-Identifier: MIT
#pragma once
// A surface whose texels lie in a file: an image file read as an object's members say, or packed texels.

#include <span>
#include <string>

#include "image/objects/object.hpp"

namespace heddle::image {

/// An image file (load_image) with the members of a surface object. Texels of another size are converted where both
/// formats are plain colors of one class; of the same size they are read anew. `mips`: all levels from the first.
/// `what` names the object in messages ("[images.wall]"), `name` the surface. Ids: those of load_image and
/// with_mip_chain, surface-file.
[[nodiscard]] base::Result<Surface> open_surface(const std::string& path, const SurfaceMembers& members, bool mips,
                                                 const std::string& what, const std::string& name,
                                                 const base::Limits& limits, base::Diagnostics* notes);

/// One picture a file: the layers of an array, or where `type` says so or there are six of them and no `type`, the
/// faces of a cube in the order +x -x +y -y +z -z. All have one format and size. Ids: the same.
[[nodiscard]] base::Result<Surface> open_layers(std::span<const std::string> paths, SurfaceMembers members, bool mips,
                                                const std::string& what, const std::string& name,
                                                const base::Limits& limits, base::Diagnostics* notes);

/// The surface's memory from a file of its texels tightly packed: level after level, slice after slice. Ids: those of
/// read_file, surface-file.
[[nodiscard]] base::Result<base::Done> read_packed_texels(const std::string& path, Surface& surface,
                                                          const std::string& what, const base::Limits& limits);

}  // namespace heddle::image
