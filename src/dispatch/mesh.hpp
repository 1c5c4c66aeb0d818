#pragma once
// Triangle meshes with attributes: the full-screen triangle, OBJ files, JSON files (PIX-1, PIX-2).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"

namespace heddle::dispatch {

struct MeshAttribute {
  std::string name;
  std::uint32_t components = 1;
  bool flat = false;           ///< the first vertex's value, for the whole triangle
  bool linear = false;         ///< linear in the window, not in perspective
  std::vector<double> values;  ///< components for each vertex
};

struct Mesh {
  std::vector<std::array<double, 4>> positions;  ///< clip coordinates
  std::vector<MeshAttribute> attributes;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  /// Vulkan's user clip and cull distances: for each plane its value at the vertices.
  std::vector<std::vector<double>> clip_distances, cull_distances;
  bool full_screen = false;      ///< front-facing whatever its orientation
  std::uint32_t primitives = 0;  ///< triangles of one instance; 0: there is only one

  [[nodiscard]] const MeshAttribute* find(std::string_view name) const;
};

/// One triangle over the whole target: NDC (-1,-1), (3,-1), (-1,3), z = 0, w = 1; attribute `uv` runs from 0 to 1 over
/// the target.
[[nodiscard]] Mesh full_screen_triangle();

/// OBJ: v (w = 1 when left out), vt as "uv" (missing v: 0), vn as "normal"; polygons as fans; negative indices. Other
/// statements are skipped. Ids: mesh-syntax, mesh-index, mesh-empty.
[[nodiscard]] base::Result<Mesh> parse_obj(std::string_view text, const std::string& file);

/// {"position": [[x, y, z, w], ...], "attributes": {"uv": [[...], ...]}, "triangles": [[0, 1, 2], ...], "flat": ["id"]}
[[nodiscard]] base::Result<Mesh> parse_mesh_json(std::string_view text, const std::string& file,
                                                 const base::Limits& limits = {});

/// By the file's extension (.obj, .json).
[[nodiscard]] base::Result<Mesh> load_mesh(const std::string& path, const base::Limits& limits = {});

}  // namespace heddle::dispatch
