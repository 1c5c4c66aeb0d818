// SPDX-License-Identifier: MIT
#pragma once
// glTF 2.0 meshes: .gltf (JSON with its buffers beside it or inside) and .glb.

#include <span>
#include <string>

#include "job/formats/mesh_files.hpp"

namespace heddle::job {

/// All triangles of the scene, through the transforms of its nodes. Attributes: TEXCOORD_0 "uv", TEXCOORD_1 "uv1",
/// NORMAL "normal", COLOR_0 "color"; 0 where a part of the mesh lacks one. Buffers named by files lie beside `path`.
/// Ids: mesh-gltf, mesh-empty, json-syntax, those of read_file, limit-memory.
[[nodiscard]] base::Result<NamedMesh> parse_gltf(std::span<const std::uint8_t> bytes, const std::string& path,
                                                 const base::Limits& limits);

}  // namespace heddle::job
