#pragma once
// A surface whose texels lie in a file: an image file read as an object's members say, or packed texels.

#include <string>

#include "image/object.hpp"

namespace heddle::image {

/// An image file (load_image) with the members of a surface object. Texels of another size are converted where both
/// formats are plain colours of one class; of the same size they are read anew. `mips`: all levels from the first.
/// `what` names the object in messages ("[images.wall]"), `name` the surface. Ids: those of load_image and
/// with_mip_chain, surface-file.
[[nodiscard]] base::Result<Surface> open_surface(const std::string& path, const SurfaceMembers& members, bool mips,
                                                 const std::string& what, const std::string& name,
                                                 const base::Limits& limits, base::Diagnostics* notes);

/// The surface's memory from a file of its texels tightly packed: level after level, slice after slice. Ids: those of
/// read_file, surface-file.
[[nodiscard]] base::Result<base::Done> read_packed_texels(const std::string& path, Surface& surface,
                                                          const std::string& what, const base::Limits& limits);

}  // namespace heddle::image
