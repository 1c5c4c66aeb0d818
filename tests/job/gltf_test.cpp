// SPDX-License-Identifier: MIT
// glTF meshes: buffers inside, node transforms, indices; what is damaged or hostile is said. Rules: PIX-2.
#include "job/formats/gltf.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/base64.hpp"
#include "base/byte_cursor.hpp"

namespace heddle::job {
namespace {

constexpr const char* kScene = R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,2]}],
"nodes":[{"translation":[10,0,0],"children":[1]},{"mesh":0,"scale":[2,2,2]},{"mesh":0,"scale":[-1,1,1]}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":1,"NORMAL":3},"indices":2}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},
{"bufferView":1,"componentType":5121,"normalized":true,"count":3,"type":"VEC2"},
{"bufferView":2,"componentType":5123,"count":3,"type":"SCALAR"},
{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":10,"byteStride":4},
{"buffer":0,"byteOffset":48,"byteLength":6}],"buffers":[{"byteLength":54@}]})";

std::vector<std::uint8_t> buffer() {
  std::vector<std::uint8_t> bytes(54);
  const float positions[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::memcpy(bytes.data(), positions, 36);
  for (int v = 0; v < 3; ++v) bytes[36 + 4 * static_cast<std::size_t>(v)] = static_cast<std::uint8_t>(v * 51);
  const std::uint16_t indices[3] = {2, 1, 0};
  std::memcpy(bytes.data() + 48, indices, 6);
  return bytes;
}

std::string gltf(std::string text = kScene) {
  std::string data = ",\"uri\":\"data:application/octet-stream;base64,";
  base::append_base64(data, buffer());
  return text.replace(text.find('@'), 1, data + "\"");
}

std::string glb() {
  std::string json = std::string(kScene).replace(std::string(kScene).find('@'), 1, "");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  std::string file;
  const auto word = [&](std::size_t value) {
    const auto v = static_cast<std::uint32_t>(value);
    file.append(reinterpret_cast<const char*>(&v), 4);
  };
  file = "glTF";
  word(2);
  word(12 + 8 + json.size() + 8 + 56);
  word(json.size());
  word(0x4e4f534a);
  file += json;
  word(56);
  word(0x004e4942);
  const auto bytes = buffer();
  file.append(bytes.begin(), bytes.end());
  return file + std::string(2, '\0');
}

base::Result<NamedMesh> read(const std::string& text) {
  return parse_gltf(base::as_bytes(text), "a.gltf", base::Limits{});
}

TEST(Gltf, TransformsIndicesAndAttributesOfBothKinds) {
  for (const std::string& file : {gltf(), glb()}) {
    const auto mesh = read(file);
    ASSERT_TRUE(mesh.ok()) << mesh.diagnostics()[0].message;
    ASSERT_EQ(mesh->mesh.positions.size(), 6u);
    EXPECT_EQ(mesh->mesh.positions[0], (std::array<double, 4>{12, 0, 0, 1}));  // scaled, then moved
    EXPECT_EQ(mesh->mesh.positions[1], (std::array<double, 4>{10, 2, 0, 1}));
    EXPECT_EQ(mesh->mesh.positions[3], (std::array<double, 4>{-1, 0, 0, 1}));
    // A mirroring transform turns the triangle round.
    EXPECT_EQ(mesh->mesh.triangles, (std::vector<std::array<std::uint32_t, 3>>{{2, 1, 0}, {5, 3, 4}}));
    ASSERT_NE(mesh->find("uv"), nullptr);
    EXPECT_EQ(mesh->find("uv")->values[2], 51 / 255.0);
    ASSERT_NE(mesh->find("normal"), nullptr);
    EXPECT_EQ(std::abs(mesh->find("normal")->values[9]), 1.0);
    EXPECT_EQ(mesh->find("color"), nullptr);
  }
}

TEST(Gltf, WhatDoesNotFitIsSaid) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = gltf();
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text :
       {with("\"count\":3,\"type\":\"VEC3\"", "\"count\":4,\"type\":\"VEC3\""),
        with("\"count\":3,\"type\":\"VEC3\"", "\"count\":2147483647,\"type\":\"VEC3\""),
        with("\"byteLength\":36", "\"byteLength\":360"), with("\"byteOffset\":48", "\"byteOffset\":2147483647"),
        with("\"POSITION\":0", "\"POSITION\":9"), with("\"children\":[1]", "\"children\":[0]"),
        with("\"children\":[1]", "\"children\":[-1]"), with("\"scale\":[2,2,2]", "\"scale\":[2,2]"),
        with("base64,AAC", "base64,A#C"), with("5126", "5130"), with("\"byteStride\":4", "\"byteStride\":1"),
        std::string("{}"), std::string("[]"), std::string("glTF"), glb().substr(0, 40)}) {
    const auto mesh = read(text);
    ASSERT_FALSE(mesh.ok()) << text;
    EXPECT_TRUE(mesh.diagnostics()[0].id.starts_with("mesh-") || mesh.diagnostics()[0].id == "json-syntax");
  }
}

TEST(Gltf, MessagesAreOfGltf) {
  std::string text = gltf();
  text.replace(text.find("\"POSITION\":0"), 12, "\"POSITION\":9");
  const auto mesh = read(text);
  ASSERT_FALSE(mesh.ok());
  EXPECT_EQ(mesh.diagnostics()[0].id, "mesh-gltf");
  EXPECT_EQ(mesh.diagnostics()[0].message, "accessors[9] does not exist");
}

TEST(Gltf, VersionAndExtensionsThatItNeeds) {
  const auto message = [](const std::string& asset) {
    std::string text = gltf();
    const std::string from = "\"asset\":{\"version\":\"2.0\"}";
    const auto mesh = read(text.replace(text.find(from), from.size(), asset));
    return mesh.ok() ? std::string() : mesh.diagnostics()[0].message;
  };
  EXPECT_EQ(message(R"("asset":{"version":"2.1"},"extensionsRequired":["KHR_mesh_quantization"])"), "");
  EXPECT_EQ(message(R"("asset":{"version":"2.0"},"extensionsRequired":["KHR_texture_transform"])"), "");
  EXPECT_EQ(message(R"("asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"])"),
            "the file needs the extension 'KHR_draco_mesh_compression', which is not read");
  EXPECT_EQ(message(R"("asset":{"version":"1.0"})"), "glTF 2.0 is read, not version 1.0");
  EXPECT_EQ(message(R"("asset":{"version":"2.2","minVersion":"2.2"})"), "glTF 2.0 is read, not version 2.2");
  EXPECT_EQ(message(R"("asset":{})"), "the file names no version: asset.version");
}

TEST(Gltf, DamagedFilesEndInAMessageOrAMesh) {
  std::mt19937 random(3);
  for (const std::string& file : {gltf(), glb()})
    for (int n = 0; n < 1000; ++n) {
      std::string damaged = file;
      for (unsigned k = 0; k < 1 + random() % 3; ++k)
        damaged[random() % damaged.size()] = "0129[]{},:\"eE-x"[random() % 15];
      const auto mesh = read(damaged);
      if (!mesh.ok()) continue;
      for (const auto& triangle : mesh->mesh.triangles)
        for (const std::uint32_t corner : triangle) EXPECT_LT(corner, mesh->mesh.positions.size());
    }
}

}  // namespace
}  // namespace heddle::job
