// SPDX-License-Identifier: MIT
#pragma once
// Mesh files: OBJ, glTF (gltf.hpp) and JSON (PIX-2).

#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "pipeline/primitives/mesh.hpp"

namespace heddle::job {

/// A mesh, and what its attributes are called.
struct NamedMesh {
  pipeline::Mesh mesh;
  std::vector<std::string> names;  ///< of mesh.attributes

  [[nodiscard]] const pipeline::MeshAttribute* find(std::string_view name) const;
  /// The attribute that an input is usually named after: inNormal, a_texCoord0, vertexPosition (PIX-3).
  [[nodiscard]] const pipeline::MeshAttribute* find_usual(std::string_view input) const;
  /// `attribute` is one of mesh.attributes.
  [[nodiscard]] const std::string& name_of(const pipeline::MeshAttribute& attribute) const {
    return names[static_cast<std::size_t>(&attribute - mesh.attributes.data())];
  }
  void add(std::string name, pipeline::MeshAttribute attribute);
};

/// The full-screen triangle, whose attribute is called `uv`.
[[nodiscard]] NamedMesh full_screen();

/// OBJ: v (w = 1 when left out), vt as "uv" (missing v: 0), vn as "normal"; polygons as fans; negative indices. Other
/// statements are skipped. Ids: mesh-syntax, mesh-index, mesh-empty.
[[nodiscard]] base::Result<NamedMesh> parse_obj(std::string_view text, const std::string& file);

/// {"position": [[x, y, z, w], ...], "attributes": {"uv": [[...], ...]}, "triangles": [[0, 1, 2], ...], "flat": ["id"]}
[[nodiscard]] base::Result<NamedMesh> parse_mesh_json(std::string_view text, const std::string& file,
                                                      const base::Limits& limits = {});

/// By the file's extension (.obj, .gltf, .glb, .json).
[[nodiscard]] base::Result<NamedMesh> load_mesh(const std::string& path, const base::Limits& limits = {});

}  // namespace heddle::job
